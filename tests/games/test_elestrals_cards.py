"""Card and deck files: everything parses, and every error is one sentence that names the place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.errors import UsageError
from sim.games.elestrals import GAME, cards, language


def write(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def deck_text(cards_: dict[str, int], spirits: dict[str, int]) -> str:
    lines = ['name = "Mine"', "[spirits]", *(f"{e} = {n}" for e, n in spirits.items()), "[cards]"]
    return "\n".join([*lines, *(f'"{c}" = {n}' for c, n in cards_.items())])


def majesea() -> dict[str, int]:
    return dict(cards.starter_decks()["Majesea"].cards)


def one_sentence(error: pytest.ExceptionInfo[UsageError], *words: str) -> None:
    text = str(error.value)
    assert "\n" not in text
    assert text.rstrip()[-1] in ".?"
    for word in words:
        assert word in text


def test_there_are_all_cards_and_all_starter_cards_can_be_played() -> None:
    known = cards.all_cards()
    assert len(known) == 428
    assert [c.number for c in known.values()] == list(range(428))
    starters = {name for deck in cards.starter_decks().values() for name in deck.names}
    assert len(starters) == 151
    assert starters <= set(cards.playable())


def test_every_deck_obeys_the_deck_rules() -> None:
    decks = cards.starter_decks()
    assert len(decks) == 11
    for deck in decks.values():
        assert len(deck.list) == 40
        assert sum(deck.spirits) == 20
        assert max(n for _, n in deck.cards) <= 3
        need = [0] * 8
        for name in deck.names:
            card = cards.all_cards()[name]
            need = [max(a, b) for a, b in zip(need, card.cost)]
        assert all(have >= wanted for have, wanted in zip(deck.spirits, need))


def test_facts_of_some_cards() -> None:
    known = cards.all_cards()
    boss = known["Majesea"]
    assert (boss.kind, boss.letters, boss.attack, boss.defence) == ("elestral", "WWW", 6, 14)
    assert known["Warmite - Champion of Hestia"].base == "Warmite"
    assert known["Ambrosia"].letters == "O"
    assert known["Mt. Olympus"].key == "mt-olympus"


def test_the_tree_of_an_ability() -> None:
    first, second = cards.all_cards()["Centaurbor"].abilities
    assert first.kind == "act"
    assert first.limit == 1
    assert first.costs == (
        language.Cost("dis", language.Spirits(((language.Amount(1), 1),)), language.Subject("ref", "self")),
    )
    assert first.targets == (language.Target(filter=language.Filter("any", ("card",))),)
    assert first.steps == (language.Step("destroy", subject=language.Subject("ref", "t1")),)
    assert second.effects[0].word == "shroud"
    assert second.condition[0].left.text == "Foloi Forest"


def test_tags_say_what_a_link_is_going_to_do() -> None:
    known = cards.all_cards()
    assert "search" in known["Elechik"].abilities[0].tags
    assert {"search", "castdeck"} <= known["Glauby"].abilities[0].tags
    assert "drain" in known["Eruption"].abilities[0].tags


def test_spirits_scale_by_largest_remainder() -> None:
    deck = cards.starter_decks()["Majesea"]
    assert cards.spirits_of(deck, 20) == deck.spirits
    for total in range(5, 41):
        assert sum(cards.spirits_of(deck, total)) == total


def test_off_mask_names_cards_of_the_deck() -> None:
    deck = cards.starter_decks()["Majesea"]
    side = list(cards.starter_decks()).index("Majesea")
    assert GAME.off_mask(GAME.default, side, ["majesea"]) == 1 << deck.names.index("Majesea")
    assert GAME.off_mask(GAME.default, side, ["centaurbor"]) == 0


def test_a_deck_of_39_cards(tmp_path: Path) -> None:
    short = majesea()
    short["Majesea"] = 0
    del short["Majesea"]
    with pytest.raises(UsageError) as error:
        cards.read_deck(write(tmp_path, "d.toml", deck_text(short, {"water": 20})))
    one_sentence(error, "d.toml", "exactly 40 cards", "39")


def test_four_copies(tmp_path: Path) -> None:
    many = majesea()
    many["Warmite"] = 4
    many["Sluggle"] = 0
    del many["Sluggle"]
    with pytest.raises(UsageError) as error:
        cards.read_deck(write(tmp_path, "d.toml", deck_text(many, {"water": 20})))
    one_sentence(error, "4 copies of 'Warmite'", "at most 3")


def test_unknown_card_in_a_deck(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        cards.read_deck(write(tmp_path, "d.toml", deck_text({"Warmit": 3}, {"water": 20})))
    one_sentence(error, "'Warmit'", "Warmite")


def test_a_card_that_is_not_playable_is_refused_with_the_reason(tmp_path: Path) -> None:
    missing = next(c for c in cards.all_cards().values() if c.missing)
    some = majesea()
    some["Majesea"] = 0
    del some["Majesea"]
    some[missing.name] = 1
    with pytest.raises(UsageError) as error:
        cards.read_deck(write(tmp_path, "d.toml", deck_text(some, {"water": 20})))
    one_sentence(error, missing.name, "cannot be played yet")


def test_wrong_number_of_spirits(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        cards.read_deck(write(tmp_path, "d.toml", deck_text(majesea(), {"water": 19})))
    one_sentence(error, "exactly 20 Spirits", "19")


CARD = '[card.Newt]\ntype = "elestral"\ncost = "W"\nattack = 1\ndefence = 1\nelements = "W"\nability = [{}]\n'


@pytest.mark.parametrize(
    ("ability", "words"),
    [
        ('{k = "act", do = ["destory(pick any:elst)"]}', ["ability 1", "'destory'", "destroy"]),
        ('{k = "act", do = ["destroy(t1)"]}', ["'t1'", "not declared"]),
        ('{k = "acts", do = ["draw(1)"]}', ["'acts'"]),
        ('{k = "act", doo = ["draw(1)"]}', ["'doo'"]),
        ('{k = "on", ev = "cats", do = ["draw(1)"]}', ["'cats'", "cast"]),
        ('{k = "act", cost = ["exp(1Q)"], do = ["draw(1)"]}', ["'Q'"]),
        ('{k = "act", do = ["destroy(pick any:elst[colour=red])"]}', ["'colour'"]),
        ('{k = "act", do = ["destroy(pick any:elst"]}', ["destroy(pick any:elst"]),
        ('{k = "act", do = ["draw(n:moonlight)"]}', ["'moonlight'"]),
        ('{k = "static", fx = ["stat(self,+A)"]}', ["'+A'"]),
        ('{k = "act", do = ["tutor(own:card[name=Nobody Knows]@deck)"]}', ["'Nobody Knows'"]),
        ('{k = "play", do = ["draw(1)"]}', ["'play'", "'elestral'"]),
        ("17", ["17"]),
        ('{k = "act", do = []}', ["'do'"]),
        ('{k = "act", lim = 4000, do = ["draw(1)"]}', ["4000"]),
    ],
)
def test_wrong_words_in_a_card_file(tmp_path: Path, ability: str, words: list[str]) -> None:
    path = write(tmp_path, "mine.toml", CARD.format(ability))
    with pytest.raises(UsageError) as error:
        cards.number_cards([*cards.all_cards().values(), *cards.read_cards(path)])
    one_sentence(error, "'Newt'", *words)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "card = 3",
        "[card]\n",
        "[card.A]\n",
        '[card.A]\ntype = "dragon"',
        '[card.A]\ntype = "elestral"\ncost = "WWWWWWWWW"\nattack = 1\ndefence = 1',
        '[card.A]\ntype = "elestral"\ncost = "W"\nattack = -1\ndefence = 1',
        '[card.A]\ntype = "elestral"\ncost = "W"\nattack = true\ndefence = 1',
        '[card.A]\ntype = "invoke"\ncost = "W"\nattack = 1\nability = []',
        '[card.A]\ntype = "invoke"\ncost = 7\nability = []',
        '[card.A]\ntype = "invoke"\ncost = "W"\nability = [[[[]]]]',
        '[card.A]\ntype = "invoke"\ncost = "W"\nsub = 3\nability = []',
        '[card.A]\ntype = "invoke"\ncost = "W"\nability = []',
        '[deck.A]\ntype = "invoke"',
        "[card.A]\nability = " + "[" * 5000,
    ],
)
def test_absurd_card_files_get_one_sentence(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError) as error:
        cards.read_cards(write(tmp_path, "mine.toml", text))
    one_sentence(error, "mine.toml")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    binary = tmp_path / "b.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "none.toml", binary, tmp_path):
        with pytest.raises(UsageError) as error:
            cards.read_deck(path)
        one_sentence(error)


def test_no_card_file_holds_a_printed_sentence() -> None:
    """Effects stand in our own short words: no value is longer than a line of the language ever is."""
    for path in (cards.FOLDER / "cards").glob("*.toml"):
        for text in re.findall(r'"([^"]*)"', path.read_text(encoding="utf-8")):
            assert len(text.split()) <= 16, text
