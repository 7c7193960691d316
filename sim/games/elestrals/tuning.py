"""How the weights of `skilled` were found: ``python -m sim.games.elestrals.tuning`` writes `weights.py`.

The player chooses by chance among its options, the better the likelier (softmax of their values), and plays against
itself and now and then against the novice, all pairs of decks. After each game the options that were chosen become
likelier if the game then went better than a critic had expected, less likely if it went worse (policy gradient with
generalised advantages; the steps are Adam's). The critic is a logistic fit of the result on life, Spirits and attacks
on the field, hands and decks. What is written is the mean of the weights over the second half of the run.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sim import rng
from sim.engine import DECIDE, MAX_OPTIONS, NOVICE, OPTION, SEAT, SKILLED, WHOLE, advance, apply, choose, options, start
from sim.game import load_engine
from sim.games.elestrals import GAME, cards
from sim.games.elestrals import skilled as s_
from sim.games.elestrals.board import count
from sim.games.elestrals.numbers import DECK_NAMES
from sim.games.elestrals.skilled import COLUMN, G_CARDS, MAX_FEATURES, N_SEEN, N_WEIGHTS, features, survey
from sim.games.elestrals.weights import CARDS, GENERAL
from sim.jit import entry, kernel

Array = npt.NDArray[Any]
LOOKS = 12  # things that the critic looks at, before the pair of decks
CRITIC = LOOKS + len(DECK_NAMES) ** 2
MAX_STEPS, MAX_KEPT = 1500, 400_000
DECAY = 0.95  # how far an advantage looks ahead

# Where the tuning begins: rules of thumb, set by hand, in units in which 1 makes an option 2.7 times as likely.
START: dict[int, tuple[float, ...]] = {
    s_.G_NEXT: (0.0, -2.0, 1.0),
    s_.G_CAST: (4.0, 2.5, 1.2, 0.3, 0.5, 0.3, 0.5, 0.3, 0.5, 0.5, -1.0, 1.0, 0.2, 0.0, -0.2, 0.0, 1.0),
    s_.G_CAST + 17: (0.0, -1.5, -0.5, -0.2),
    s_.G_ASCEND: (0.5, 1.5, 0.5, 0.7, 0.7, 0.5, 1.0, -2.0, -0.5, -1.5, -0.3, 0.2),
    s_.G_ASCEND + 13: (0.0, -1.5, -0.5),
    s_.G_ENCHANT: (0.5, -0.3, 0.7, 0.2, 0.5),
    s_.G_ENCHANT + 8: (0.0, -1.5, -0.5),
    s_.G_DRAW: (0.0, -0.3, 1.0, -3.0, 0.5),
    s_.G_DRAW + 5: (0.0, -2.0, -1.0, -0.5),
    s_.G_SET: (0.0, 3.0, -2.0, 0.0, -0.5),
    s_.G_RUNE: (0.0, 0.5, -1.0, 1.0, 1.5, 1.0, -0.3, -5.0, -2.0, 0.3),
    s_.G_RUNE + 12: (0.0, -1.5, -0.5),
    s_.G_USE: (1.0,),
    s_.G_ROUTE: (2.0, -0.3, 0.3, 0.5, 0.2, 0.3),
    s_.G_TURN: (-1.0, -2.0, -1.0, -0.2, 0.5, 0.5, -2.0, -3.0),
    s_.G_UP: (-1.5, 1.0, 0.0, 0.2, -0.3, -0.3, 2.0, 3.0),
    s_.G_POSITION: (0.0, 1.0, 0.0, 0.3, -0.5, -0.3, 1.0, 1.5),
    s_.G_FIGHT: (0.0, 0.7, 12.0, -0.7, -8.0, -1.0, -0.3, -0.1, -0.1, 1.0, 1.0, 0.3, -0.5, 0.3, 3.0),
    s_.G_EFFECT: (0.3, -2.0, 0.2, 0.2, 8.0, 0.3, -3.0, 0.0, 1.0, 0.5, 2.0, -0.2, -1.0, -0.2, -0.5, -0.3),
    s_.G_ANSWER: (-0.5, -2.0, -3.0, -1.0),
    s_.G_ANSWER + 12: (0.5, 6.0, 0.0, 0.0, 0.0, 0.2),
    s_.G_PAY: (4.0, 0.5, -0.5, 1.0, -0.5, -0.5, 0.0, 0.0, 0.5, -1.0, 0.3, 0.3, 0.5, -2.0, -0.7, -0.2),
    s_.G_DONOR: (-1.0, 2.0, 0.5, -1.5),
    s_.G_TARGET: (-3.0, -0.3),
    s_.G_TARGET + s_.VICTIM: (1.0, 0.4),
    s_.G_TARGET + 2 * s_.VICTIM: (2.0, 0.2),
    s_.G_TARGET + 3 * s_.VICTIM: (-3.0,),
    s_.G_HOST: (-5.0, 0.3),
    s_.G_GIVE_UP: (-0.5,),
    s_.G_WANT: (2.0, 0.0, 1.0, 0.3, 0.0, -0.3, -3.0),
    s_.G_MULLIGAN: (-3.0, 4.0),
    s_.G_NEXUS: (0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3),
    s_.G_OTHER: (1.0, 0.0, 0.3, 0.0, 0.5, 1.5),
}


@kernel
def look(pub, seat, sides, out):
    """Write what the critic sees of a position, from `seat`."""
    foe = 1 - seat
    under = np.int64(0)
    attack = np.int64(0)
    bodies = np.int64(0)
    best = np.int64(0)
    for who in range(2):
        sign = 1 if who == seat else -1
        top = np.int64(0)
        for k in range(9):
            if pub.card[who, k] < 0:
                continue
            under += sign * count(pub.spirits[who, k])
            if k < 4:
                attack += sign * pub.attack[who, k]
                bodies += sign
                top = max(top, pub.attack[who, k])
        best += sign * top
    out[0] = 1.0
    out[1] = 0.1 * (pub.life[seat] - pub.life[foe])
    out[2] = 0.2 * under
    out[3] = 0.1 * attack
    out[4] = 0.5 * bodies
    out[5] = 0.2 * (pub.hand_n[seat] - pub.hand_n[foe])
    out[6] = 1.0 if pub.active == seat else 0.0
    out[7] = 1.0 if pub.life[foe] <= 4 else 0.0
    out[8] = -1.0 if pub.life[seat] <= 4 else 0.0
    out[9] = 0.2 * best
    out[10] = 0.05 * (pub.deck_n[seat] - pub.deck_n[foe])
    out[11] = (pub.life[seat] - pub.life[foe]) / (1.0 + pub.life[seat] + pub.life[foe])


@kernel
def expected(critic, looks, pair):
    """Return the chance to win that the critic sees."""
    total = critic[LOOKS + pair]
    for i in range(LOOKS):
        total += critic[i] * looks[i]
    return 1.0 / (1.0 + math.exp(-total))


@entry
def batch(
    states, rules, seats, weights, plain, critic, seed, games, part, pace, opts, at, x, heads, notes, seen, gradient,
):  # fmt: skip
    """Play games by chance and add up the gradient; return (decisions, games won against the novice, of how many).

    weights, plain: rows of the learner and the novice. part: of games against the novice. pace: of the critic.
    at, x: kept features. heads: steps, (first feature, last, seat). notes: steps, (expected, looks).
    """
    s = states[0]
    r = rules[0]
    f = np.empty(4)
    one_at = np.empty(MAX_FEATURES, np.int64)
    one_x = np.empty(MAX_FEATURES)
    first = np.empty(MAX_OPTIONS + 1, np.int64)
    p = np.empty(MAX_OPTIONS)
    after = np.zeros(2)
    ahead = np.zeros(2)
    who = np.zeros(2, np.int64)
    pair = np.zeros(2, np.int64)
    decisions = 0
    won = 0
    of = 0
    decks = np.uint64(len(DECK_NAMES))
    for g in range(games):
        key = rng.deal_key(seed, g)
        draws = rng.stream(key, 0, rng.POLICY, 0, 7)
        for seat in range(2):
            seats[seat].side = np.int64(rng.word(draws, seat) % decks)
            who[seat] = SKILLED
        if rng.uniform(draws, 2) < part:
            who[g & 1] = NOVICE
            of += 1
        pair[0] = seats[0].side * len(DECK_NAMES) + seats[1].side
        pair[1] = seats[1].side * len(DECK_NAMES) + seats[0].side
        start(s, r, key, seats)
        steps = 0
        kept = 0
        draw = 3
        while advance(s, r) == DECIDE:
            n = options(s, r, opts)
            code = np.int64(opts[0])
            if n > 1:
                seat = np.int64(s.pub.actor)
                mine = s.priv[seat]
                draw += 1
                if who[seat] == NOVICE:
                    code = np.int64(choose(np.int64(NOVICE), s.pub, mine, r, plain, opts, n, key))
                elif steps < MAX_STEPS and kept + n * MAX_FEATURES < MAX_KEPT:
                    survey(s.pub, mine, r, opts, n, seen)
                    begin = kept
                    top = -1e18
                    for i in range(n):
                        m = features(s.pub, mine, r, seen, np.int64(opts[i]), one_at, one_x, f)
                        first[i] = kept
                        total = 0.0
                        for j in range(m):
                            at[kept] = one_at[j]
                            x[kept] = one_x[j]
                            total += weights[one_at[j]] * one_x[j]
                            kept += 1
                        p[i] = total
                        top = max(top, total)
                    first[n] = kept
                    total = 0.0
                    for i in range(n):
                        p[i] = math.exp(p[i] - top)
                        total += p[i]
                    left = rng.uniform(draws, draw) * total
                    chosen = 0
                    while chosen < n - 1 and left >= p[chosen]:
                        left -= p[chosen]
                        chosen += 1
                    code = np.int64(opts[chosen])
                    for i in range(n):
                        scale = (1.0 if i == chosen else 0.0) - p[i] / total
                        for j in range(first[i], first[i + 1]):
                            x[j] *= scale
                    heads[steps, 0] = begin
                    heads[steps, 1] = kept
                    heads[steps, 2] = seat
                    look(s.pub, seat, pair, notes[steps, 1:])
                    notes[steps, 0] = expected(critic, notes[steps, 1:], pair[seat])
                    steps += 1
                    decisions += 1
                else:
                    break
            apply(s, r, code)
        if s.hid.over == 0:
            continue
        for seat in range(2):
            result = np.float64(s.game_row[seat].share) / WHOLE
            after[seat] = result
            ahead[seat] = 0.0
            if who[1 - seat] == NOVICE:
                won += 1 if result > 0.5 else 0
        for t in range(steps - 1, -1, -1):
            seat = heads[t, 2]
            ahead[seat] = after[seat] - notes[t, 0] + DECAY * ahead[seat]
            after[seat] = notes[t, 0]
            for j in range(heads[t, 0], heads[t, 1]):
                gradient[at[j]] += ahead[seat] * x[j]
            gap = pace * (np.float64(s.game_row[seat].share) / WHOLE - notes[t, 0])
            for i in range(LOOKS):
                critic[i] += gap * notes[t, 1 + i]
            critic[LOOKS + pair[seat]] += gap
    return decisions, won, of


def start_weights() -> Array:
    """Return the weights set by hand."""
    made = np.zeros(N_WEIGHTS)
    for place, numbers in START.items():
        made[place : place + len(numbers)] = numbers
    return made


def held_weights() -> Array:
    """Return the weights of `weights.py`; features that are newer than it have none."""
    made = np.zeros(N_WEIGHTS)
    made[: len(GENERAL)] = GENERAL
    for name, numbers in CARDS.items():
        first = G_CARDS + COLUMN * cards.all_cards()[name].number
        made[first : first + len(numbers)] = numbers
    return made


class Tuner:
    """The arrays of a tuning run; `step` plays a batch and moves the weights."""

    def __init__(self, weights: Array, seed: int) -> None:
        fast = load_engine(GAME)
        self.states, self.rules = np.zeros(1, fast.state(2)), fast.make_rules(GAME.default, 2)
        self.seats = np.zeros(2, SEAT)
        self.seats["packet"], self.seats["policy"] = (0, 1), SKILLED
        self.weights, self.plain = weights, np.zeros(64)
        novice = next(t.weights for t in GAME.tiers if t.policy == NOVICE)
        self.plain[: len(novice)] = novice
        self.critic = np.zeros(CRITIC)
        self.scratch = (
            np.zeros(MAX_OPTIONS, OPTION), np.zeros(MAX_KEPT, np.int64), np.zeros(MAX_KEPT),
            np.zeros((MAX_STEPS, 3), np.int64), np.zeros((MAX_STEPS, LOOKS + 1)), np.zeros(N_SEEN),
        )  # fmt: skip
        self.first, self.second = np.zeros(N_WEIGHTS), np.zeros(N_WEIGHTS)
        self.steps, self.seed = 0, seed

    def step(self, games: int, rate: float, part: float, pace: float) -> tuple[int, int, int]:
        """Play one batch and make one step of Adam; return what `batch` returns."""
        gradient = np.zeros(N_WEIGHTS)
        self.steps += 1
        seed = np.uint64(self.seed * 1_000_003 + self.steps)
        told: tuple[int, int, int] = batch(
            self.states, self.rules, self.seats, self.weights, self.plain, self.critic, seed, games, part, pace,
            *self.scratch, gradient,
        )  # fmt: skip
        gradient /= games
        self.first += 0.1 * (gradient - self.first)
        self.second += 0.02 * (gradient * gradient - self.second)
        mean = self.first / (1 - 0.9**self.steps)
        size = np.sqrt(self.second / (1 - 0.98**self.steps))
        self.weights += rate * mean / (size + 1e-5)
        return told


def main() -> None:
    """Find the weights and write them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=240.0)
    parser.add_argument("--games", type=int, default=1500)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--go-on", action="store_true", help="begin with the weights that are there")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    weights = start_weights()
    if given.go_on:
        weights = held_weights()
    tuner = Tuner(weights, given.seed)
    mean, held = np.zeros(N_WEIGHTS), 0
    tuner.step(20, 0.0, 0.2, 0.0)
    began = time.monotonic()
    while (spent := (time.monotonic() - began) / given.seconds) < 1.0:
        told = tuner.step(given.games, given.rate * (1.0 - 0.8 * spent), 0.2, 0.002)
        if spent > 0.5:
            mean += tuner.weights
            held += 1
        won = told[1] / max(1, told[2])
        print(f"step {tuner.steps}: {told[0] / given.games:.0f} decisions a game, v novice {won:.3f}", flush=True)
        if tuner.steps % 20 == 0:
            write(tuner.weights)
    write(mean / max(1, held))


def write(weights: Array) -> None:
    """Write `weights.py`."""
    lines = ["GENERAL = ("]
    general = [f"{w:.2f}" for w in weights[:G_CARDS]]
    lines += ["    " + ", ".join(general[i : i + 12]) + "," for i in range(0, len(general), 12)]
    lines += [")", "# A column for each card that the tuning met.", "CARDS = {"]
    for name, card in cards.all_cards().items():
        held = weights[G_CARDS + COLUMN * card.number :][:COLUMN]
        if np.any(np.round(held, 2)):
            lines.append(f'    "{name}": (')
            numbers = [f"{w:.2f}" for w in held]
            lines += ["        " + ", ".join(numbers[i : i + 12]) + "," for i in range(0, COLUMN, 12)]
            lines.append("    ),")
    lines += ["}", "# fmt: on", ""]
    Path(__file__).with_name("weights.py").write_text(HEAD + "\n".join(lines) + TAIL, encoding="utf-8")


HEAD = '''"""The weights of `skilled`, written by `tuning`; their places are named in `skilled`."""

from __future__ import annotations

from sim.games.elestrals import cards

# fmt: off
'''
TAIL = "\nSKILLED_WEIGHTS = cards.row(GENERAL, CARDS)\n"

if __name__ == "__main__":
    main()
