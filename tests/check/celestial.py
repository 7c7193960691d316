"""The referee over 20,000 games of Celestial Ranks: `python -m tests.check.celestial [GAMES]`.

Engine and rulebook are compared at every decision of games of 2 to 5 players, of every shipped variant and of variants
that reach the rare rules; every rule id must have decided something at least 20 times.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from sim.games.celestial_ranks import FIELDS, GAME
from sim.games.celestial_ranks.rulebook import RULES
from tests.check._referee import MIXED, NOVICE, ONE_RANDOM, RANDOM, SKILLED, Case, Check

STRESS_PART = 0.3  # rare rules need few games, and these are slow


def every_contract(text: str) -> tuple[str, ...]:
    """Return settings that give every court nothing but one contract."""
    return tuple(f"{field.key}={text}" for field in FIELDS if field.key.startswith("contracts."))


def usual() -> Iterator[Case]:
    """Return games as they are played: the shipped variants, 2 to 5 players, all tiers.

    With one deck many a round goes on to the cap; most of these games have a lower one, some the real one.
    """
    for seats in GAME.seats:
        for variant in GAME.variant_names:
            scarce = variant == "one-deck"
            short = ("turn_cap=15", "round_cap=5") if scarce else ()
            weight = 2.0 if scarce else 6.0
            for tiers in (SKILLED, NOVICE, MIXED):
                name = f"{variant}, {seats}, {'/'.join(tiers[:2])}"
                yield Case(name, weight, seats, tiers, short, variant)
                yield Case(f"{name}, seats in turn", 0.2 * weight, seats, tiers, short, variant, draw="balanced")
            if scarce:
                yield Case(f"{variant}, {seats}, to the end", 0.1, seats, MIXED, ("round_cap=6",), variant)
            yield Case(f"{variant}, {seats}, one random", 0.1 * weight, seats, ONE_RANDOM, short, variant)
            random = ("elements_to_win=1", "turn_cap=12", "round_cap=3")
            yield Case(f"{variant}, {seats}, all random", 0.3, seats, RANDOM, random, variant)


HOUSE = "layoff_targets=any"
EIGHT = ("jokers=8", "override_needs=all_others_passed")
SHORT = ("elements_to_win=1",)
CAPS = ("turn_cap=20", "round_cap=4")
DEEP = ("jokers=8", "cards_dealt=14")

STRESS = (
    Case("eight Jokers", 4, 4, MIXED, (*EIGHT, HOUSE)),
    Case("eight Jokers, some random", 1, 4, ONE_RANDOM, EIGHT),
    Case("eight Jokers, random", 1, 3, RANDOM, (*EIGHT, *SHORT, *CAPS)),
    Case("eight Jokers, all queens", 1, 5, RANDOM, (*EIGHT, "shift_queens=all", *SHORT, *CAPS)),
    Case("two Jokers, all in one skirmish", 1, 5, ONE_RANDOM, ("jokers=2", *SHORT, *CAPS)),
    Case("one Joker", 1, 4, MIXED, ("jokers=1", "shift_queens=all")),
    Case("melds of Jokers", 1, 3, ONE_RANDOM, (*DEEP, HOUSE, *SHORT, *CAPS, *every_contract("S3 F3"))),
    Case("melds of Jokers, runs", 1, 3, RANDOM, (*DEEP, HOUSE, *SHORT, *CAPS, *every_contract("S3 R3"))),
    Case("three Jokers suffice", 1, 3, ONE_RANDOM, (*DEEP, "alljoker_any_requirement=true", *CAPS)),
    Case("three Jokers suffice, exact", 1, 3, ONE_RANDOM,
         (*DEEP, "alljoker_any_requirement=true", "laydown_extra=exact", *CAPS)),
    Case("Jokers without limit", 1, 3, ONE_RANDOM, (*DEEP, "joker_limit=none", HOUSE, *CAPS)),
    Case("one Joker a meld", 2, 4, MIXED, ("jokers=8", "joker_limit=one_per_meld", HOUSE)),
    Case("distinct ranks", 2, 4, MIXED, ("distinct_ranks_for_two_sets=true", "jokers=8")),
    Case("distinct suits", 2, 4, MIXED, ("set_distinct_suits=true", "jokers=8", HOUSE, *CAPS)),
    Case("distinct suits, deep", 1, 3, ONE_RANDOM, ("set_distinct_suits=true", *DEEP, HOUSE, *CAPS)),
    Case("exact", 3, 4, MIXED, ("laydown_extra=exact", HOUSE)),
    Case("exact, two", 2, 2, MIXED, ("laydown_extra=exact", "turn_cap=25")),
    Case("meld all", 3, 4, MIXED, ("goout=meld_all_ok", HOUSE)),
    Case("meld all, random", 1, 3, RANDOM, ("goout=meld_all_ok", HOUSE, *SHORT, *CAPS, *every_contract("R3 R3"))),
    Case("meld all, six cards", 1, 3, MIXED, ("goout=meld_all_ok", "cards_dealt=6", *CAPS, *every_contract("S3 R3"))),
    Case("six cards", 1, 3, MIXED, ("cards_dealt=6", *CAPS, *every_contract("S3 R3"))),
    Case("lay off later", 2, 4, MIXED, ("layoff_same_turn=false", HOUSE)),
    Case("Shift at any time", 2, 4, MIXED, ("shift_timing=any_time_on_turn", "shift_queens=all")),
    Case("Shift at any time, random", 1, 4, ONE_RANDOM, ("shift_timing=any_time_on_turn", *EIGHT, *SHORT)),
    Case("one Shift a turn", 2, 4, MIXED, ("max_shifts_per_turn=1", "shift_queens=all")),
    Case("no Shift", 1, 4, MIXED, ("max_shifts_per_turn=0",)),
    Case("bury all but the trigger", 2, 4, MIXED, ("bury=all_but_trigger", "shift_queens=all")),
    Case("bury all but the trigger, random", 1, 4, ONE_RANDOM, ("bury=all_but_trigger", *SHORT)),
    Case("no bury", 2, 4, MIXED, ("bury=off",)),
    Case("ace low", 2, 4, MIXED, ("ace=low", HOUSE)),
    Case("ace high", 2, 4, MIXED, ("ace=high", HOUSE)),
    Case("listed", 1, 4, MIXED, ("element_order=listed",)),
    Case("easiest first", 1, 4, MIXED, ("element_order=easiest_first",)),
    Case("hardest first", 1, 4, MIXED, ("element_order=hardest_first",)),
    Case("redeclare", 2, 4, MIXED, ("retry=redeclare", "next_starter=out_player")),
    Case("redeclare, random", 1, 4, RANDOM, ("retry=redeclare", *CAPS)),
    Case("left of out", 1, 4, MIXED, ("next_starter=left_of_out",)),
    Case("eldest always", 1, 4, MIXED, ("next_starter=eldest_always",)),
    Case("must go out", 2, 4, MIXED, ("must_go_out_to_win=true", "elements_to_win=2", HOUSE)),
    Case("ties are replayed", 2, 5, MIXED, ("elements_to_win=1", HOUSE)),
    Case("ties are shared", 2, 5, MIXED, ("elements_to_win=2", "tie=share")),
    Case("ties go to the fewest cards", 2, 5, MIXED, ("elements_to_win=2", "tie=fewest_cards")),
    Case("restored Shifts", 2, 4, ONE_RANDOM, ("shifter_retrump=restores_shift", "jokers=8", *SHORT)),
    Case("no answer by the Shifter", 2, 4, ONE_RANDOM, ("shifter_retrump=forbidden", "jokers=8", *SHORT)),
    Case("all spent are replaced", 2, 4, ONE_RANDOM, ("replacement=all_spent+1", "jokers=8", *SHORT)),
    Case("small draw pile", 1, 5, MIXED, ("decks=1", "jokers=0", *CAPS)),
    Case("small draw pile, eight Jokers", 1, 5, ONE_RANDOM, ("decks=1", *EIGHT, *CAPS)),
    Case("small draw pile, all queens", 1, 5, RANDOM, ("decks=1", "jokers=4", "shift_queens=all", *CAPS)),
    Case("chosen courts", 2, 4, MIXED, ("court_assignment=choose",)),
    Case("chosen courts, five", 1, 5, ONE_RANDOM, ("court_assignment=choose", *SHORT)),
    Case("two runs", 2, 3, ONE_RANDOM, ("jokers=8", HOUSE, *CAPS, *every_contract("F3 R3"))),
    Case("two runs of any suits", 1, 3, ONE_RANDOM, (*DEEP, HOUSE, *CAPS, *every_contract("R3 R4"))),
    Case("two flush runs", 1, 3, ONE_RANDOM, (*DEEP, *CAPS, *every_contract("F3 F4"))),
    Case("two runs, one Joker a meld", 1, 3, ONE_RANDOM,
         (*DEEP, "joker_limit=one_per_meld", *CAPS, *every_contract("F3 R4"))),
    Case("two runs, Jokers without limit", 1, 3, ONE_RANDOM,
         ("jokers=6", "joker_limit=none", *CAPS, *every_contract("R3 F3"))),
    Case("fives", 1, 4, MIXED, ("cards_dealt=14", *CAPS, *every_contract("S5 R5"))),
    Case("flush fives", 1, 3, MIXED, ("cards_dealt=14", "jokers=8", *CAPS, *every_contract("S5 F5"))),
    Case("two big sets", 1, 3, MIXED, ("cards_dealt=14", "jokers=8", *CAPS, *every_contract("S5 S4"))),
    Case("small caps", 2, 4, MIXED, ("turn_cap=6", "round_cap=2")),
    *(Case(f"one without {a.key}", 1, 4, MIXED, (HOUSE, "jokers=8"), without=a.key) for a in GAME.abilities),
    *(Case(f"one without {a.key}, random", 0.5, 3, ONE_RANDOM, (*EIGHT, *SHORT, *CAPS), without=a.key)
      for a in GAME.abilities),
)  # fmt: skip


def cases() -> list[Case]:
    """Return all cases."""
    return [*usual(), *(replace(case, weight=STRESS_PART * case.weight) for case in STRESS)]


CHECK = Check(GAME.name, {rule: sentence for rule, (sentence, _) in RULES.items()}, cases, 20_000)
main = CHECK.main

if __name__ == "__main__":
    sys.exit(main())
