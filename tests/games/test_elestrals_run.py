"""Elestrals in the house: conformance, decks and cards of one's own, cards switched off, lists, symmetry."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.cards import BEST, confirm_plans, screen_plans, screened_cards, side_of, with_fresh
from analysis.estimands import lost_alone
from analysis.intervals import Interval
from analysis.keys import Off
from analysis.lists import picks
from analysis.robust import Check, _word
from analysis.runs import Spec
from analysis.study import judge
from analysis.verdicts import Verdict
from sim.conformance import check_game
from sim.errors import UsageError
from sim.experiment import Change, Plan, make_plan
from sim.facts import Design
from sim.games.elestrals import GAME, cards
from sim.games.elestrals.skilled import G_MULLIGAN
from sim.jit import JIT_OFF
from sim.run import run
from tests.analysis.smaller import smaller_plans

OWN_CARD = """
[card.Splashling]
type = "elestral"
cost = "W"
attack = 4
defence = 4
elements = "W"
ability = [{ k = "on", ev = "cast", do = ["drain(2)"] }]
"""


def own_deck(tmp_path, name="Mine", more="", **changes):
    deck = cards.starter_decks()["Majesea"]
    counts = {**dict(deck.cards), **changes}
    lines = [f'name = "{name}"', "[spirits]", "water = 14", "fire = 4", "wind = 2", "[cards]"]
    lines += [f'"{card}" = {n}' for card, n in counts.items() if n]
    path = tmp_path / f"{name}.toml"
    path.write_text("\n".join(lines) + "\n" + more, encoding="utf-8")
    return str(path)


@pytest.mark.skipif(JIT_OFF, reason="dozens of games, which take minutes each without the compiler")
@pytest.mark.parametrize("tier", ["random", "novice", "skilled"])
def test_conformance(tier):
    assert check_game("elestrals", tiers=[tier], games=4).decisions > 200


@pytest.mark.skipif(JIT_OFF, reason="dozens of games, which take minutes each without the compiler")
@pytest.mark.parametrize("tier", ["random", "skilled"])
def test_two_identical_decks_win_exactly_half_of_every_block(tmp_path, tier):
    twin = own_deck(tmp_path, "Twin")
    plan = make_plan("elestrals", games=80, sides=[twin, "Majesea"], policies=tier, seed=5)
    rows = np.concatenate([part.games for part in run(plan, jobs=1, progress=False).parts()])
    share = rows["share"].astype(np.int64)
    for entrant in range(2):
        won = np.where(rows["entrant"] == entrant, share, 0).sum(axis=1).reshape(-1, 4).sum(axis=1)
        assert (won == 2 * 27720).all()


def test_a_deck_of_ones_own_travels_in_the_plan(tmp_path):
    path = own_deck(tmp_path, more=OWN_CARD, Sluggle=0, Splashling=2)
    plan = make_plan("elestrals", games=4, sides=[path, "all"], policies="novice")
    assert plan.side_names == (*cards.starter_decks(), "Mine")
    assert len(plan.combos) == 66
    again = Plan.from_json(plan.to_json())
    assert again.hash == plan.hash
    assert "Splashling" in cards.decks_of(again.variant)[11].names
    assert cards.cards_of(again.variant)["Splashling"].number == len(cards.all_cards())


@pytest.mark.skipif(JIT_OFF, reason="dozens of games, which take minutes each without the compiler")
def test_a_card_of_ones_own_plays_and_can_be_blanked(tmp_path):
    path = own_deck(tmp_path, more=OWN_CARD, Sluggle=0, Foamee=1, Splashling=3)
    arms = [Change("without", without=("splashling",), who="one"), Change("not there", without=("tornado",), who="one")]
    plan = make_plan("elestrals", games=1200, sides=[path, "Trifernal"], arms=arms, seed=1, focus="Mine")
    j = judge(run(plan, jobs=1, progress=False))
    sample = lost_alone(j.tally, "without")
    assert sample.mean - 3 * sample.error > 0
    same = make_plan("elestrals", games=40, sides=["Trifernal", path], arms=arms[1:], focus="Trifernal", seed=1)
    assert lost_alone(judge(run(same, jobs=1, progress=False)).tally, "not there").nonzero == 0


@pytest.mark.parametrize(
    ("changes", "more", "words"),
    [
        ({"Majesea": 0}, "", "exactly 40 cards, this one holds 39"),
        ({"Foamee": 4, "Galaxea": 0}, "", "4 copies of 'Foamee'"),
        ({"Foamee": 0, "Foamy": 2}, "", "Unknown card 'Foamy': did you mean Foamee"),
        ({"Sluggle": 0, "Splashling": 2}, OWN_CARD.replace("drain", "drian"), "ability 1: Unknown effect word 'drian'"),
        ({}, OWN_CARD.replace('"W"', '"WWWWWWWWW"'), "a card costs 1 to 6 Spirits"),
        ({}, OWN_CARD.replace("Splashling", "Majesea"), "'Majesea' stands twice"),
        ({}, OWN_CARD.replace("attack = 4", 'attack = "x"'), "whole number from 0 to 99"),
        ({}, "[card.X]\ntype = 3\n", "Unknown type '3'"),
    ],
)
def test_a_wrong_deck_file_is_one_sentence(tmp_path, changes, more, words):
    with pytest.raises(UsageError) as error:
        make_plan("elestrals", sides=[own_deck(tmp_path, more=more, **changes), "Majesea"])
    assert words in str(error.value)
    assert "Mine.toml" in str(error.value)
    assert "\n" not in str(error.value)


def twenty_cards(do):
    """Return a deck of twenty own cards, twice each, with four abilities that do these things; `do` takes a number."""
    tables, names = [], [f"Own {i}" for i in range(20)]
    for i, name in enumerate(names):
        abilities = ", ".join(f'{{ k = "act", do = [{do(4 * i + k)}] }}' for k in range(4))
        tables.append(OWN_CARD.replace("Splashling", f'"{name}"').split("ability")[0] + f"ability = [{abilities}]")
    return "\n".join(tables), {**dict.fromkeys(cards.starter_decks()["Majesea"].names, 0), **dict.fromkeys(names, 2)}


def test_cards_that_say_too_much_are_refused_before_anything_is_played(tmp_path):
    more, counts = twenty_cards(lambda n: '"draw(1)"')
    assert len(make_plan("elestrals", sides=[own_deck(tmp_path, more=more, **counts), "Majesea"]).combos) == 1
    more, counts = twenty_cards(lambda n: f'"draw({n + 3})", "drain({n + 3})"')
    with pytest.raises(UsageError, match="more than there is room for"):
        make_plan("elestrals", sides=[own_deck(tmp_path, more=more, **counts), "Majesea"])


def test_names_of_decks_do_not_clash(tmp_path):
    with pytest.raises(UsageError, match="'Trifernal' already"):
        make_plan("elestrals", sides=[own_deck(tmp_path, "Trifernal"), "Majesea"])
    with pytest.raises(UsageError, match="reads no player from a file"):
        make_plan("fox-in-the-forest", sides=["x.toml"])
    with pytest.raises(UsageError, match="Unknown ability of Elestrals 'majesee': did you mean majesea"):
        make_plan("elestrals", without=["majesee"])


def test_the_lists_differ_as_they_say():
    base = cards.decks_in("assumed", "")
    for lists in cards.LISTS:
        for deck, plain in zip(cards.decks_in(lists, ""), base, strict=True):
            assert sum(n for _, n in deck.cards) == 40
            assert sum(deck.spirits) == 20
            assert deck.names == plain.names  # so that an entrant's mask means the same
            changed = [(a, m - n) for (a, m), (_, n) in zip(deck.cards, plain.cards, strict=True) if m != n]
            if lists == "boss_twice":
                assert (deck.name, 1) in changed
                assert sorted(step for _, step in changed) == [-1, 1]
            if lists == "stadium_twice":
                more = next(name for name, step in changed if step == 1)
                assert cards.all_cards()[more].kind == "stadium"
            if lists == "flat_spirits":
                assert sorted(m - n for m, n in zip(deck.spirits, plain.spirits, strict=True)) in (
                    [-2, 0, 0, 0, 0, 0, 1, 1],
                    [-2, 0, 0, 0, 0, 0, 0, 2],
                )


def test_a_question_turns_the_weight_that_it_means():
    tier = GAME.group(Design).questions[0].tier
    usual = GAME.tier("skilled").weights
    assert [i for i, (a, b) in enumerate(zip(tier.weights, usual, strict=True)) if a != b] == [G_MULLIGAN + 1]


@pytest.mark.skipif(JIT_OFF, reason="dozens of games, which take minutes each without the compiler")
def test_cards_are_screened_side_by_side_and_confirmed_on_fresh_deals():
    plan = make_plan("elestrals", games=2, sides=["Majesea", "Trifernal"], policies="novice", seed=2)

    def make(**how):
        return make_plan("elestrals", games=4, sides=["Majesea", "Trifernal"], policies="novice", **{"seed": 2, **how})

    plans = {str(key): plan_ for key, plan_ in screen_plans(GAME, plan, make)}
    assert [p.side_names[p.combos[0][0]] for p in plans.values()] == ["Majesea", "Trifernal"]
    judges = [judge(run(p, jobs=1, progress=False)) for p in plans.values()]
    found = screened_cards(GAME, judges)
    assert with_fresh(found, []) == tuple(found)
    assert {c.side for c in found} == {"Majesea", "Trifernal"}
    assert len(found) == sum(len(p.arms) - 1 for p in plans.values())
    again = dict(confirm_plans(GAME, plan, judges, make))
    assert {p.seed for p in again.values()}.isdisjoint({2})
    fresh = [judge(run(p, jobs=1, progress=False)) for p in again.values()]
    told = with_fresh(found, fresh)
    assert [c.ranked for c in told] == [c.ranked for c in found]
    assert [c.key for c in told if c.again is not None] == [c.key for c in picks(found, BEST)]
    assert all(c.plain is not None for c in told if c.again is not None)
    for p, made in zip(again.values(), fresh, strict=True):
        plain = [arm for arm in p.arms if arm.name.startswith("plain ")]
        assert plain
        deck = cards.decks_of(plain[0].variant)[plain[0].sides[0][1]]
        assert GAME.off_mask(plain[0].variant, plain[0].sides[0][1], plain[0].off[0]).bit_count() == 1
        assert sum(n for _, n in deck.cards) == 40
        assert side_of(made) in ("Majesea", "Trifernal")
        assert lost_alone(made.tally, plain[0].name).n == made.tally.blocks
    assert str(Off("majesea")) in plans["cards-5"].arm_names


def made_verdict(word, gap):
    at = Interval(0.5 + gap - 0.01, 0.5 + gap + 0.01, 0.95, "t")
    return Verdict("x", word, 0.5 + gap, at, 0.5, 0.03, 0.95, 0.0, 0.5, 10, 40, None, None, None, "t", sequential=False)


def test_a_deck_is_strong_only_if_all_say_so():
    strong, weak, fair, open_ = (
        made_verdict(word, gap)
        for word, gap in (("unbalanced", 0.1), ("unbalanced", -0.1), ("balanced", 0.0), ("undecided", 0.1))
    )

    def word(main, *checks):
        return _word(main, tuple(Check(f"c{i}", kind, v) for i, (kind, v) in enumerate(checks)))

    assert word(strong, ("list", strong), ("play", strong)) == ("too strong", ())
    assert word(weak, ("list", weak), ("play", weak)) == ("too weak", ())
    assert word(strong, ("list", fair), ("play", strong)) == ("depends on the list", ("c0",))
    assert word(strong, ("list", strong), ("play", weak)) == ("depends on the play", ("c1",))
    assert word(strong, ("list", open_), ("play", strong)) == ("not settled", ("c0",))
    assert word(strong, ("list", strong)) == ("not settled", ("a second tier",))
    assert word(open_, ("list", strong)) == ("undecided", ())


def test_arms_of_a_report_are_compared_on_single_games_where_a_super_block_is_large():
    plans = smaller_plans(Spec(make_plan("elestrals", games=220), "skilled"))
    drawn = {name for name, plan in plans.items() if plan.draw == "random"}
    assert drawn == {"abilities", "readings", "levers"}
    assert plans["assumptions"].superblock_deals == 55
    few = smaller_plans(Spec(make_plan("elestrals", games=4, sides=["Majesea", "Trifernal"]), "skilled"))
    assert all(plan.draw == "balanced" for plan in few.values())
