"""The toy game with one fault at a time; run as a module it puts each through the conformance checks."""

from dataclasses import replace

import numpy as np

from sim import engine, rng
from sim.conformance import ConformanceError, check_game
from sim.engine import OVER, record
from sim.errors import RunError
from sim.facts import Ability
from sim.game import Engine
from tests import toy
from tests.toy import GAME


def options_unordered(s, rules, out):
    n = toy.options(s, rules, out)
    out[0], out[n - 1] = out[n - 1], out[0]
    return n


def options_of_no_kind(s, rules, out):
    n = toy.options(s, rules, out)
    out[n] = 9 << 20
    return n + 1


def options_that_peek(s, rules, out):
    n = toy.options(s, rules, out)
    return n if s.hid.stock[s.hid.next % toy.DECK] % 2 else min(n, 1)


def options_that_know_a_hand(s, rules, out):
    n = toy.options(s, rules, out)
    other = (int(s.pub.actor) + 1) % len(s.priv)
    return n if s.priv[other].hand & 0xFFF else min(n, 1)


def options_with_the_ability_off(s, rules, out):
    held = s.pub.off[int(s.pub.actor)]
    s.pub.off[int(s.pub.actor)] = 0
    n = toy.options(s, rules, out)
    s.pub.off[int(s.pub.actor)] = held
    return n


def choose_none_of_them(policy, pub, mine, rules, weights, options, n, key):
    return 1 << 20 | 25 << 10


def choose_by_memory(policy, pub, mine, rules, weights, options, n, key):
    calls.append(1)
    return options[len(calls) % n]


calls: list[int] = []


def redeal_keeping_the_key(s, rules, seat, key):
    held = s.hid.key
    toy.redeal(s, rules, seat, key)
    s.hid.key = held


def redeal_keeping_the_world(s, rules, seat, key):
    s.hid.key = rng.mix(np.uint64(key))


def redeal_changing_the_own_hand(s, rules, seat, key):
    toy.redeal(s, rules, seat, key)
    s.priv[seat].gave ^= 1 << 23


def redeal_losing_a_hand(s, rules, seat, key):
    toy.redeal(s, rules, seat, key)
    other = (int(seat) + 1) % len(s.priv)
    s.priv[other].hand = 0


def advance_sharing_too_much(s, rules):
    status = toy.advance(s, rules)
    if status == OVER:
        s.game_row[0].share += 1
    return status


def advance_with_memory(s, rules):
    calls.append(1)
    s.hid.packet[0] = s.hid.packet[0]
    status = toy.advance(s, rules)
    if status == OVER:
        s.game_row[0].points = s.game_row[0].points + len(calls) % 7
    return status


def advance_without_an_end(s, rules):
    if s.hid.phase == 0 and s.pub.nth == rules.rounds:
        s.pub.nth = 0
    return toy.advance(s, rules)


# {fault: (the exchanged kernel, words of the complaint)}
FAULTS = {
    "options in disorder": ({"options": options_unordered}, "not ascending"),
    "options of no kind": ({"options": options_of_no_kind}, "decisions table has no row"),
    "options that peek at the stock": ({"options": options_that_peek}, "hidden bytes are read"),
    "options that peek at a hand": ({"options": options_that_know_a_hand}, "the options change"),
    "an ability that cannot be switched off": (
        {"options": options_with_the_ability_off},
        "swap is off for all and used",
    ),
    "a choice out of nothing": ({"choose": choose_none_of_them}, "which is none of"),
    "a policy with a memory": ({"choose": choose_by_memory}, "other rows than the played one"),
    "a re-deal with the old chance": ({"redeal": redeal_keeping_the_key}, "key of further chance is not replaced"),
    "a re-deal of nothing": ({"redeal": redeal_keeping_the_world}, "never give two different worlds"),
    "a re-deal of what is seen": ({"redeal": redeal_changing_the_own_hand}, "what the seat sees is changed"),
    "a re-deal that loses cards": ({"redeal": redeal_losing_a_hand}, "cannot be finished from the new world"),
    "shares above one": ({"advance": advance_sharing_too_much}, "do not sum to"),
    "results that depend on the past": ({"advance": advance_with_memory}, "other rows than the played one"),
    "no end": ({"advance": advance_without_an_end}, "more rounds"),
}


def with_engine(**changes):
    return replace(GAME, engine=lambda: replace(toy.GAME.engine(), **changes))


def _state_without_tag(n):
    pub, priv, hid, *rest = (toy.state_type(n)[name] for name in ("pub", "priv", "hid", "game_row", "round_row"))
    names = [name for name in pub.names if name != toy.TAG]
    bare = record(*((name, pub[name].base, pub[name].shape) for name in names))
    fields = zip(("priv", "hid", "game_row", "round_row"), (priv, hid, *rest), strict=True)
    return record(("pub", bare), *((name, kind.base, kind.shape) for name, kind in fields), (toy.TAG, "i1"))


# {fault: (the game, words of the complaint)}
WRONG_FACTS = {
    "two rows of one kind": (replace(GAME, decisions=(*GAME.decisions, GAME.decisions[0])), "have one kind"),
    "an ability that is not counted": (
        replace(GAME, abilities=(*GAME.abilities, Ability("peek", "Peek", "", ""))),
        "lacks n_peek",
    ),
    "a view without its tag": (with_engine(state=_state_without_tag), "pub needs the fields"),
    "another row than declared": (with_engine(round_row=record(("x", "i1"))), "round_row of the state"),
}


def broken(kernels):
    """Return the toy with some kernels exchanged, known under its own tag alone."""

    def load() -> Engine:
        fast = toy.GAME.engine()
        engine._IMPLEMENTATIONS.pop(fast.tag, None)
        return replace(fast, kernels={**fast.kernels, **kernels})

    return replace(GAME, engine=load)


def main():
    for name, kernels in {"nothing": {}, **{name: kernels for name, (kernels, _) in FAULTS.items()}}.items():
        try:
            check_game(broken(kernels), seats=(2,), tiers=("novice", "skilled"), games=2)
        except (ConformanceError, RunError) as error:
            print(f"{name}: {error}")
        else:
            print(f"{name}: passes")


if __name__ == "__main__":
    main()
