"""Whole games of Elestrals by the rulebook: what holds in every one of them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from sim import rng
from sim.engine import ENDS
from sim.facts import Cards, SeatSetup
from sim.game import chance_of, split
from sim.games.elestrals import GAME, cards, codes, language, rulebook
from sim.games.elestrals.numbers import DECK_NAMES
from sim.games.elestrals.rulebook import RULES, Rulebook
from sim.variant import read_variant, to_toml

PAIRS = [(i, (i * 4 + 3) % 11) for i in range(11)]


def start(a: Any, b: Any, deal: int, packets: tuple[int, int] = (0, 1), off: int = 0, **fields: Any) -> Rulebook:
    variant = GAME.default.changed(**fields) if fields else GAME.default
    seats = [SeatSetup(a, packets[0], off), SeatSetup(b, packets[1])]
    return Rulebook(variant, seats, chance_of(7, "elestrals", deal))


def conserved(r: Rulebook) -> None:
    for p in r.players:
        under = sum(sum(q.spirits[p.seat]) for q in r.on_field())
        assert p.life + sum(p.lost) + under + r.purse[p.seat] == r.variant["starting_spirits"]
        there = sum(q.owner == p.seat for q in r.on_field())
        assert len(p.deck) + len(p.hand) + len(p.underworld) + there == 40
        assert min(*p.spirits, *p.lost) >= 0


def play(r: Rulebook, seed: int) -> Rulebook:
    chooser = random.Random(seed)
    while not r.over:
        options = r.options()
        assert options
        assert options == sorted(set(options))
        assert len(options) <= 256
        r.apply(chooser.choice(options))
        conserved(r)
    return r


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_cards_and_spirits_are_conserved_at_every_step(a: int, b: int) -> None:
    r = play(start(a, b, 10 + a), a)
    out = r.outcome()
    assert out["end"] == [ENDS.index("won")] * 2
    assert sum(out["share"]) == 27720
    assert out["turns"][0] == r.turn
    assert sorted(out["lost_by"])[0] == 0


def test_the_same_chance_and_choices_give_the_same_game() -> None:
    one, two = (play(start(3, 8, 5), 5) for _ in range(2))
    assert one.story == two.story
    assert one.visible() == two.visible()


def test_story_names_everything_in_words() -> None:
    r = play(start(5, 0, 2), 2)
    text = "\n".join(r.story)
    assert "Turn 1: Majesea (seat 0), 20 Spirits, 5 cards in hand." in text
    assert "has lost" in text


def test_a_packet_has_its_own_order_whatever_the_seat() -> None:
    r, s = start(5, 5, 4), start(5, 5, 4, packets=(1, 0))
    assert r.visible()["players"][0]["deck"] == s.visible()["players"][1]["deck"]
    assert r.visible()["players"][1]["deck"] == s.visible()["players"][0]["deck"]
    assert r.visible()["players"][0]["deck"] != r.visible()["players"][1]["deck"]


def test_a_card_that_is_replaced_leaves_the_order_of_the_others() -> None:
    deck = cards.starter_decks()["Majesea"]
    swapped = dict(deck.cards)
    swapped["Sluggle"] = 1
    swapped["Plucky"] = 1
    other = cards.Deck("Other", tuple(sorted(swapped.items())), deck.spirits)
    orders = []
    for chosen in (deck, other):
        r = start(chosen, 0, 9, opening_hand=0)
        numbers = r.visible()["players"][0]["deck"]
        orders.append([n for n in numbers if r.cards[n].name not in ("Sluggle", "Plucky")])
    assert orders[0] == orders[1]


def test_the_shuffles_of_a_seat_are_numbered_streams() -> None:
    r = start(5, 0, 4)
    stream = chance_of(7, "elestrals", 4).stream(0, rng.DECK, 0, 0)
    names = r.players[0].deck_list.list

    def key(i: int) -> int:
        return stream.word(4 * r.by_name[names[i]].number + i - names.index(names[i]))

    order = sorted(range(40), key=key)
    assert [r.by_name[names[i]].number for i in order][5:] == r.visible()["players"][0]["deck"]


def test_everything_off_leaves_no_text_of_that_deck() -> None:
    deck = cards.starter_decks()["Trifernal"]
    mask = GAME.off_mask(GAME.default, DECK_NAMES.index("Trifernal"), deck.keys)
    mine = {cards.slug(n) for n in deck.names} - {cards.slug(n) for n in cards.starter_decks()["Pharogeist"].names}
    for deal in range(3):
        r = play(start(DECK_NAMES.index("Trifernal"), DECK_NAMES.index("Pharogeist"), deal, off=mask), deal)
        used = {key.removeprefix("el:") for key in r.uses if key.startswith("el:")}
        assert not used & mine


@pytest.mark.parametrize("key", [f.key for f in GAME.fields if f.choices or isinstance(f.default, bool)])
def test_every_switch_is_played_both_ways(key: str) -> None:
    f = next(f for f in GAME.fields if f.key == key)
    others = [c for c in f.choices if c != f.default] or [not f.default]
    for i, value in enumerate(others):
        r = play(start(i, 8, 20, **{key: value}), 20)
        assert r.end == "won"


def test_every_word_of_the_language_has_a_rule() -> None:
    for op in language.OPS:
        assert hasattr(Rulebook, "_op_" + op), op
    r = start(0, 1, 1)
    from sim.games.elestrals.rulebook_table import Context

    context = Context(0, None)
    for card in cards.all_cards().values():
        for ability in card.abilities:
            for clause in ability.condition:
                assert r.counted(clause.left, context) >= 0


def test_many_rules_decide_something_in_a_few_games() -> None:
    seen: set[str] = set()
    for a, b in PAIRS[:6]:
        seen |= set(play(start(a, b, 40 + a), a).uses)
    assert len(seen & set(RULES)) > 40
    assert {u for u in seen if u.startswith("EL-")} <= set(RULES)


def test_codes_are_in_the_decisions_table() -> None:
    kinds = {d.kind for d in GAME.decisions}
    r, chooser = start(2, 9, 3), random.Random(1)
    while not r.over:
        assert {split(v)[0] for v in r.options()} <= kinds
        r.apply(chooser.choice(r.options()))
    assert len(kinds) == len(GAME.decisions)
    assert codes.DONE == 0


def test_the_variant_file_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "v.toml"
    changed = GAME.variant(None, ["card.Majesea.attack=8", "card.Mt Olympus.cost=TT", "foretell_rest=bottom"])
    path.write_text(to_toml(changed, GAME.fields, GAME.title), encoding="utf-8")
    assert read_variant(GAME.default, GAME.fields, path).hash == changed.hash


def test_facts_of_the_game() -> None:
    assert [s.name for s in GAME.sides] == list(DECK_NAMES)
    assert len({s.colour for s in GAME.sides}) == 11
    assert GAME.default.hash == GAME.variant().hash
    keys = [a.key for a in GAME.group(Cards).all]
    with_text = [name for name in cards.playable() if cards.all_cards()[name].abilities]
    assert len(keys) == len(set(keys)) == len(with_text)
    for reading in GAME.readings:
        for _, settings in reading.others:
            for key, value in settings.items():
                f = next(f for f in GAME.fields if f.key == key)
                f.accept(value, "test")
    assert GAME.check(GAME.default, 2) is None
    assert GAME.warn(GAME.default.changed(starting_spirits=4), 2)


def test_a_normal_cast_of_two_by_a_cards_own_way() -> None:
    from .elestrals_position import position

    you = {"bodies": [("Foamee", "W"), ("Sluggle", "W")]}
    g = position({"hand": ["Arcalith", "Warmite"], "sd": "TTT"}, you).run("route Arcalith", "position A")
    assert g.quiet().under("Arcalith") == "TT"
    assert not g.can("cast Warmite")
    assert not position({"hand": ["Arcalith"], "sd": "TTT"}, {"bodies": [("Foamee", "W")]}).can("route Arcalith")


@pytest.mark.parametrize("seed", range(4))
def test_decks_of_any_playable_cards(seed: int) -> None:
    chooser = random.Random(seed)
    decks = []
    for name in ("One", "Two"):
        names = sorted(chooser.sample(cards.playable(), 20))
        deck = cards.Deck(name, tuple((n, 2) for n in names), (3, 3, 3, 3, 2, 2, 2, 2))
        cards.check_deck(deck, name, cards.all_cards())
        decks.append(deck)
    assert play(start(*decks, seed), seed).over


@pytest.mark.parametrize(("cap", "least"), [("MAX_LINKS", 2), ("MAX_ACTIONS", 3), ("MAX_DECISIONS", 40)])
def test_a_game_that_meets_a_cap_is_stopped(monkeypatch: pytest.MonkeyPatch, cap: str, least: int) -> None:
    """Caps that no real game meets are not passed over in silence."""
    monkeypatch.setattr(rulebook, cap, least)
    r = play(start(3, 8, 5), 5)
    assert r.outcome()["end"] == [ENDS.index("stopped")] * 2
    assert r.outcome()["share"] == [13860, 13860]
