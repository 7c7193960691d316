"""What every starter card does: one case or function for each of the 151."""

from __future__ import annotations

from typing import Any

import pytest

from sim.games.elestrals import cards

from .elestrals_position import Position, position

Side = dict[str, Any]


STADIUMS = {
    "Atlantis": "W",
    "Foloi Forest": "E",
    "Island of Aeolia": "I",
    "Mountains of Boreas": "R",
    "Mt. Olympus": "T",
    "Temple of the Moon": "L",
    "Temple of the Sun": "S",
    "Volcanic Forge": "F",
}
SEARCHERS = {
    # body that is Normal Cast -> (a card it finds, a card that it does not find)
    "Elechik": ("Zeus", "Warmite"),
    "Fawnlit": ("Therahart", "Warmite"),
    "Jolten": ("Atlantis", "Warmite"),
    "Narpoon": ("Frosmite", "Warmite"),
    "Peliquarius": ("Foamee", "Warmite"),
    "Plucky": ("Zeus", "Warmite"),
    "Rummagem": ("Spinymph", "Warmite"),
    "Smoltuga": ("Warmite", "Foamee"),
    "Snowattle": ("Penguwatt", "Warmite"),
    "Sproutyr": ("Scythe of Demeter", "Warmite"),
}
DIVINES = {
    # Divine -> (letter, most Spirits it loads)
    "Aeolus": ("I", 4),
    "Apollo": ("S", 3),
    "Artemis": ("L", 3),
    "Demeter": ("E", 3),
    "Hephaestus": ("F", 3),
    "Khione": ("R", 3),
    "Poseidon": ("W", 3),
    "Zeus": ("T", 3),
}


def letter_of(name: str) -> str:
    return cards.all_cards()[name].letters[0]


@pytest.mark.parametrize(("name", "letter"), STADIUMS.items())
def test_stadiums(name: str, letter: str) -> None:
    you = {"bodies": [("Jolten", letter * 2), ("Havocub", "O")]}
    g = position({"hand": [name], "sd": letter, "bodies": [("Frosmite", letter)]}, you)
    g.run(f"rune {name}").quiet()
    assert g.stats("Frosmite") == (4, 2)
    assert g.stats("Jolten") == (6, 4)
    g.rules.leave(g.find(name))
    assert g.stats("Jolten") == (4, 2)


@pytest.mark.parametrize(("name", "found"), SEARCHERS.items())
def test_searchers(name: str, found: tuple[str, str]) -> None:
    letter = letter_of(name)
    me = {"hand": [name], "deck": [*found, "Polarachne"], "sd": letter * 3, "bodies": [("Boombatt", "T")]}
    g = position(me).run(f"cast {name}", "position A", f"trigger {name}")
    assert g.pile(0, "hand") == [found[0]]
    assert sorted(g.pile(0, "deck")) == sorted([found[1], "Polarachne"])
    g = position(me).run(f"ascend {name} over Boombatt", "position A")
    assert not g.can(f"trigger {name}")


@pytest.mark.parametrize(("name", "load"), DIVINES.items())
def test_divines_load_once(name: str, load: tuple[str, int]) -> None:
    letter, most = load
    g = position({"hand": [name], "sd": letter * 6}).run(f"rune {name}", f"trigger {name}")
    for _ in range(most):
        g.run(f"pay sd {letter}")
    g.quiet()
    assert g.under(name) == letter * (most + 1)
    assert g.life(0) == 6 - most - 1
    g = position({"hand": [name], "sd": letter * 2}).run(f"rune {name}", f"trigger {name}", f"pay sd {letter}").quiet()
    assert g.under(name) == letter * 2


# card -> (me, you, script, what is true afterwards)
CASES: dict[str, tuple[Side, Side, list[str], dict[str, Any]]] = {
    "Aeolus": (
        {"runes": [("Aeolus", "III")], "deck": ["Hydrake", "Twindra"]},
        {},
        ["use Aeolus"],
        {"hand": ["Hydrake"], "under": {"Aeolus": "I"}},
    ),
    "Altar of Stars": (
        {"set": ["Altar of Stars"], "bodies": [("Frosmite", "RR"), ("Kindleo", "F")], "sd": "W"},
        {"bodies": [("Majesea", "WWW", "D")]},
        ["counter Altar of Stars", "pay sd W", "from Frosmite", "to Kindleo", "yes", "target Majesea"],
        {"under": {"Kindleo": "FR"}, "position": {"Majesea": 0}},
    ),
    "Ambrosia": (
        {"hand": ["Ambrosia"], "lost": "EFWT", "sd": "L"},
        {},
        ["rune Ambrosia", "pay sd L", "pay uw E", "pay uw F", "pay uw W"],
        {"life": (3, 10), "cannot": ["pay uw T"], "uw": ["Ambrosia"]},
    ),
    "Argo": (
        {"set": ["Argo"], "bodies": [("Foamee", "W")], "deck": ["Trident of Poseidon", "Warmite"], "sd": "FFWW"},
        {},
        ["next", "attack Foamee > deck", "counter Argo", "pay sd F", "pay sd F", "search Trident of Poseidon"],
        {"there": ["Trident of Poseidon"], "stats": {"Foamee": (4, 3)}},
    ),
    "Artemis": (
        {"runes": [("Artemis", "LL")]},
        {"bodies": [("Warmite", "F")], "hand": ["Elechik"]},
        ["use Artemis", "target Warmite"],
        {"works": {"Warmite": False}, "stats": {"Warmite": (3, 1)}},
    ),
    "Apollo": (
        {"runes": [("Apollo", "SS")], "deck": ["Warmite", "Plucky", "Lumaroo", "Peagleam"]},
        {},
        ["use Apollo", "take Plucky"],
        {"hand": ["Plucky"], "deck": ["Warmite", "Lumaroo", "Peagleam"]},
    ),
    "Astrabbit": (
        {"bodies": [("Astrabbit", "T")], "deck": ["Warmite", "Plucky", "Lumaroo", "Foamee"]},
        {},
        ["enchant Astrabbit", "pay sd T", "trigger Astrabbit", "take Plucky"],
        {"hand": ["Plucky"], "decksize": 3},
    ),
    "Bandiloon": (
        {"bodies": [("Bandiloon", "L")], "sd": "LL"},
        {"set": ["Tsunami"]},
        ["use Bandiloon"],
        {"mine": ["Tsunami"], "life": (0, 10)},
    ),
    "Boombatt": (
        {"bodies": [("Boombatt", "T")]},
        {"bodies": [("Foamee", "W")]},
        ["use Boombatt", "target Foamee"],
        {"gone": ["Boombatt", "Foamee"]},
    ),
    "Bow of Artemis": (
        {"bodies": [("Gnawbie", "LL")], "runes": [("Bow of Artemis", "L", "Gnawbie"), ("Artemis", "LL")]},
        {"bodies": [("Warmite", "F", "D")]},
        ["next", "attack Gnawbie > Warmite", "answer Bow of Artemis", "to Gnawbie"],
        {"gone": ["Warmite"], "life": (10, 8)},
    ),
    "Bag of Winds": (
        {"bodies": [("Soarlet", "I")], "runes": [("Bag of Winds", "II", "Soarlet"), ("Aeolus", "I")]},
        {"bodies": [("Warmite", "F")], "set": ["Tsunami"]},
        ["next", "attack Soarlet > Warmite", "pass", "pass", "trigger Bag of Winds", "target Tsunami"],
        {"gone": ["Tsunami", "Warmite"], "stats": {"Soarlet": (5, 3)}},
    ),
    "Centaurbor": (
        {"bodies": [("Centaurbor", "EEE")]},
        {"set": ["Tsunami"]},
        ["use Centaurbor", "target Tsunami"],
        {"gone": ["Centaurbor", "Tsunami"]},
    ),
    "Chains of Prometheus": (
        {"hand": ["Ambrosia"], "lost": "EEE", "set": ["Chains of Prometheus"], "sd": "WFF"},
        {"set": ["Divine Blessing"], "bodies": [("Foamee", "WW")], "sd": "R", "lost": "T"},
        [
            "rune Ambrosia",
            "pay sd W",
            "counter Divine Blessing",
            "pay sd R",
            "counter Chains of Prometheus",
            "pay sd F",
            "pay sd F",
            "pay uw T",
            "pay uw E",
            "pay uw E",
            "pay uw E",
        ],
        {"life": (3, 1)},
    ),
    "Chronodile": (
        {"bodies": [("Chronodile", "WWWS"), ("Foamee", "WW")]},
        {"set": ["Tsunami"]},
        ["use Chronodile", "target Tsunami"],
        {"gone": ["Tsunami"], "under": {"Chronodile": "WWS"}},
    ),
    "Circle the Sky": (
        {"hand": ["Circle the Sky"], "bodies": [("Foamee", "WW"), ("Warmite", "F")], "deck": ["Plucky"], "sd": "E"},
        {},
        ["rune Circle the Sky", "pay sd E", "from Foamee", "pay Foamee W", "pay Foamee W", "yes"],
        {"hand": ["Plucky"], "under": {"Warmite": "FWW"}, "gone": ["Foamee"]},
    ),
    "Corvishine": (
        {"bodies": [("Corvishine", "S")], "deck": ["Warmite", "Plucky", "Lumaroo", "Foamee"], "hand": ["Sluggle"]},
        {},
        ["enchant Corvishine", "pay sd S", "trigger Corvishine", "yes", "back Sluggle"],
        {"hand": ["Warmite"], "deck": ["Sluggle", "Plucky", "Lumaroo", "Foamee"]},
    ),
    "Cryptaurus": (
        {"bodies": [("Cryptaurus", "L")], "deck": ["Doppelgator", "Plucky", "Nitevenom", "Foamee"]},
        {},
        ["use Cryptaurus", "take Doppelgator", "take Nitevenom"],
        {"hand": ["Doppelgator", "Nitevenom"], "stats": {"Cryptaurus": (4, 4)}},
    ),
    "Cypromal": (
        {"hand": ["Cypromal"], "deck": ["Golden Fleece"], "sd": "SS", "lost": "S"},
        {},
        ["cast Cypromal", "position A", "trigger Cypromal", "pay uw S"],
        {"there": ["Golden Fleece"], "stats": {"Cypromal": (4, 3)}, "life": (0, 10)},
    ),
    "Demeter": (
        {"runes": [("Demeter", "EE")], "bodies": [("Foamee", "W")]},
        {},
        ["use Demeter", "target Foamee"],
        {"stats": {"Foamee": (5, 6)}, "under": {"Demeter": "E"}},
    ),
    "Dense Fog": (
        {"set": ["Dense Fog"], "bodies": [("Gnawbie", "L")], "sd": "L"},
        {"bodies": [("Warmite", "F"), ("Foamee", "WL")]},
        ["counter Dense Fog"],
        {"works": {"Warmite": False, "Foamee": True, "Gnawbie": True}},
    ),
    "Divine Blessing": (
        {"hand": ["Ambrosia"], "lost": "EEE", "sd": "W"},
        {"set": ["Divine Blessing"], "bodies": [("Foamee", "WW")], "sd": "R"},
        ["rune Ambrosia", "pay sd W", "counter Divine Blessing", "pay sd R"],
        {"life": (0, 0), "under": {"Foamee": "W"}, "uw": ["Ambrosia"]},
    ),
    "Divine Healing": (
        {"hand": ["Divine Healing"], "runes": [("Zeus", "T")], "lost": "TTE", "sd": "L"},
        {},
        ["rune Divine Healing", "pay sd L", "pay uw E", "pay uw T", "pay uw T"],
        {"under": {"Zeus": "ETTT"}, "life": (0, 10)},
    ),
    "Dratagua": (
        {"bodies": [("Dratagua", "W")], "lost": "WWW", "sd": "W"},
        {},
        ["enchant Dratagua", "trigger Dratagua", "pay uw W", "pay uw W"],
        {"life": (2, 10)},
    ),
    "Drops of Lethe": (
        {"hand": ["Drops of Lethe", "Warmite", "Foamee"], "deck": ["Plucky"] * 4, "sd": "EF"},
        {},
        ["rune Drops of Lethe", "back Foamee", "done"],
        {"handsize": 3, "decksize": 3},
    ),
    "Earthquake": (
        {"hand": ["Earthquake"], "sd": "EE"},
        {"bodies": [("Foamee", "W"), ("Warmite", "F")]},
        ["rune Earthquake", "target Warmite"],
        {"gone": ["Warmite"], "there": ["Foamee"]},
    ),
    "Eddy": (
        {"hand": ["Eddy"]},
        {"bodies": [("Foamee", "W", "D")]},
        ["cast Eddy", "pay sd W", "position A", "trigger Eddy", "target Foamee"],
        {"position": {"Foamee": 0}},
    ),
    "Equilynx": (
        {"bodies": [("Equilynx", "EE"), ("Foamee", "W")]},
        {"set": ["Tsunami"], "runes": [("Zeus", "T")]},
        ["use Equilynx", "from Equilynx", "pay Equilynx E", "done", "to Foamee", "trigger Equilynx", "target Zeus"],
        {"gone": ["Zeus"], "there": ["Tsunami"], "under": {"Foamee": "EW"}},
    ),
    "Eruption": (
        {"hand": ["Eruption"], "sd": "FF"},
        {"bodies": [("Foamee", "WF")]},
        ["rune Eruption", "pay E"],
        {"life": (0, 9)},
    ),
    "Exaltair": (
        {"bodies": [("Exaltair", "II"), ("Foamee", "W")]},
        {"sd": "WW"},
        ["use Exaltair", "from Exaltair", "pay Exaltair I", "done", "to Foamee"],
        {"life": (10, 0)},
    ),
    "First Light": (
        {"hand": ["First Light"], "deck": ["Warmite", "Plucky", "Foamee"], "sd": "S"},
        {},
        ["rune First Light", "search Plucky"],
        {"top": "Plucky", "decksize": 3},
    ),
    "Foamee": (
        {"bodies": [("Frosmite", "R")]},
        {"bodies": [("Foamee", "W")], "deck": ["Oystress", "Majesea"], "sd": "WE"},
        ["next", "attack Frosmite > Foamee", "trigger Foamee", "search Oystress"],
        {"there": ["Oystress"], "position": {"Oystress": 1}, "life": (10, 1)},
    ),
    "Frigicub": ({"bodies": [("Frigicub", "R")], "uw": ["Blizzard"]}, {}, ["use Frigicub"], {"hand": ["Blizzard"]}),
    "Frosmite": (
        {"bodies": [("Frosmite", "R")]},
        {"bodies": [("Foamee", "W")]},
        ["use Frosmite", "target Foamee"],
        {"stats": {"Foamee": (2, 0)}},
    ),
    "Fulgoryx": (
        {"bodies": [("Fulgoryx", "ILLL"), ("Gnawbie", "L")]},
        {"set": ["Tsunami"], "bodies": [("Foamee", "W")]},
        ["use Fulgoryx", "from Gnawbie", "trigger Fulgoryx", "target Foamee"],
        {"gone": ["Foamee", "Gnawbie"], "bottom1": "Foamee", "stats": {"Fulgoryx": (10, 6)}},
    ),
    "Galvenom": (
        {"bodies": [("Galvenom", "TT")], "sd": "TTTT"},
        {"set": ["Tsunami"], "bodies": [("Foamee", "W")]},
        ["use Galvenom", "target Foamee", "target Tsunami"],
        {"gone": ["Foamee", "Tsunami"], "life": (1, 10)},
    ),
    "Girafflora": (
        {"hand": ["Girafflora"], "uw": ["Spinymph", "Warmite"], "sd": "E"},
        {},
        ["cast Girafflora", "position D", "trigger Girafflora"],
        {"hand": ["Spinymph"]},
    ),
    "Glauby": (
        {"bodies": [("Glauby", "WWW")], "deck": ["Majesea", "Foamee"], "sd": "E"},
        {},
        ["use Glauby", "position A"],
        {"under": {"Majesea": "EWWW"}, "gone": ["Glauby"]},
    ),
    "Gloombatt": (
        {"hand": ["Gloombatt"], "sd": "LL"},
        {"set": ["Tsunami", "Dense Fog"]},
        ["route Gloombatt", "position A", "use Gloombatt", "target Tsunami"],
        {"gone": ["Tsunami", "Gloombatt"], "can": ["draw"]},
    ),
    "Glydesdale": (
        {"bodies": [("Glydesdale", "II")], "sd": "I"},
        {},
        ["use Glydesdale"],
        {"stats": {"Glydesdale": (12, 5)}, "life": (0, 10)},
    ),
    "Gnawbie": (
        {"bodies": [("Gnawbie", "L")], "deck": ["Doppelgator"], "sd": "L"},
        {"bodies": [("Foamee", "W"), ("Warmite", "FS")]},
        ["enchant Gnawbie", "trigger Gnawbie"],
        {"stats": {"Foamee": (0, 3), "Warmite": (3, 1), "Gnawbie": (4, 1)}},
    ),
    "Gnomodile": (
        {"bodies": [("Gnomodile", "WS")], "hand": ["Chronodile"], "sd": "SWE"},
        {},
        ["use Gnomodile", "pay uw S", "position A"],
        {"under": {"Chronodile": "EWSS"}},
    ),
    "Gorgon's Gaze": (
        {"set": ["Gorgon's Gaze"], "sd": "EE", "hand": ["Glauby"]},
        {"bodies": [("Foamee", "W")]},
        ["counter Gorgon's Gaze", "target Foamee"],
        {"works": {"Foamee": False}, "restricted": {"Foamee": ["noench", "noatk", "nonexus", "noasc"]}},
    ),
    "Hephaestus": (
        {"runes": [("Hephaestus", "FF")], "deck": ["Golden Fleece", "Foamee"]},
        {},
        ["use Hephaestus"],
        {"hand": ["Golden Fleece"]},
    ),
    "Hammer of Hephaestus": (
        {"bodies": [("Sinder", "F")], "runes": [("Hammer of Hephaestus", "FF", "Sinder"), ("Hephaestus", "F")]},
        {"bodies": [("Boombatt", "TT")]},
        [],
        {"stats": {"Sinder": (5, 2)}},
    ),
    "Hummbust": (
        {"bodies": [("Hummbust", "F")], "hand": ["Nectar of the Gods"], "sd": "EE", "deck": ["Foamee", "Foamee"]},
        {"deck": ["Warmite"] * 3},
        ["rune Nectar of the Gods"],
        {"decksize1": 1},
    ),
    "Hydrake": (
        {"bodies": [("Frosmite", "RR")]},
        {"bodies": [("Hydrake", "I")], "deck": ["Twindra"], "sd": "IIE"},
        ["use Frosmite", "target Hydrake", "next", "attack Frosmite > Hydrake"],
        {"life": (10, 3)},
    ),
    "Jolten": ({"hand": ["Jolten"], "deck": ["Atlantis"], "sd": "T"}, {}, ["cast Jolten", "position A"], {}),
    "Khafmel": (
        {"bodies": [("Khafmel", "S")], "hand": ["Foamee"], "lost": "SSLE", "sd": "W"},
        {},
        ["ascend Foamee over Khafmel", "position A", "trigger Khafmel", "pay uw S", "pay uw S"],
        {"life": (3, 10)},
    ),
    "Khione": (
        {"runes": [("Khione", "RR")], "uw": ["Frosmite", "Polarachne"]},
        {},
        ["use Khione"],
        {"hand": ["Frosmite"]},
    ),
    "Kindleo": (
        {"bodies": [("Kindleo", "FF"), ("Foamee", "W")]},
        {"bodies": [("Warmite", "F")]},
        ["use Kindleo", "from Kindleo", "pay Kindleo F", "done", "to Foamee", "trigger Kindleo", "target Warmite"],
        {"gone": ["Warmite"], "under": {"Kindleo": "F", "Foamee": "FW"}},
    ),
    "Komagma": (
        {"bodies": [("Komagma", "F")], "deck": ["Warmite"], "hand": ["Foamee"]},
        {},
        ["enchant Komagma", "pay sd F", "trigger Komagma", "discard Foamee"],
        {"hand": ["Warmite"], "uw": ["Foamee"]},
    ),
    "Komalice": (
        {"bodies": [("Komalice", "LL"), ("Foamee", "W")], "deck": ["Specteris", "Warmite"]},
        {},
        ["use Komalice", "from Komalice", "pay Komalice L", "done", "trigger Komalice"],
        {"hand": ["Specteris"]},
    ),
    "Krakatuga": (
        {"bodies": [("Krakatuga", "FW")], "sd": "FFE"},
        {"sd": "WWWWW"},
        ["use Krakatuga"],
        {"life": (1, 2)},
    ),
    "Kryoscorch": (
        {"bodies": [("Kryoscorch", "FRR")]},
        {"sd": "WWWWW"},
        ["use Kryoscorch"],
        {"life": (0, 0), "over": False},
    ),
    "Kurabyss": (
        {"bodies": [("Kurabyss", "WW"), ("Foamee", "WW")], "lost": "EEE"},
        {"bodies": [("Warmite", "FF")]},
        ["use Kurabyss", "pay Foamee W", "pay Foamee W", "target Warmite", "pay uw E", "pay uw E"],
        {"gone": ["Warmite", "Foamee"], "life": (12, 10)},
    ),
    "Moustacean": (
        {"bodies": [("Moustacean", "W")], "sd": "W"},
        {},
        ["use Moustacean"],
        {"stats": {"Moustacean": (6, 1)}, "life": (0, 10)},
    ),
    "Nectar of the Gods": (
        {"hand": ["Nectar of the Gods"], "deck": ["Foamee", "Warmite", "Plucky"], "sd": "EE"},
        {},
        ["rune Nectar of the Gods"],
        {"hand": ["Foamee", "Warmite"]},
    ),
    "Nitevenom": (
        {"bodies": [("Nitevenom", "LL")], "hand": ["Dense Fog"]},
        {"bodies": [("Foamee", "W")], "set": ["Tsunami"]},
        ["use Nitevenom", "target Foamee", "target Tsunami"],
        {"gone": ["Foamee", "Tsunami"], "uw": ["Dense Fog"]},
    ),
    "Ohmperial": (
        {"bodies": [("Ohmperial", "TTT")], "sd": "TTTE"},
        {"set": ["Tsunami"]},
        ["use Ohmperial", "target Tsunami"],
        {"gone": ["Tsunami"], "stats": {"Ohmperial": (10, 12)}},
    ),
    "Pandilence": (
        {"bodies": [("Pandilence", "LL")], "uw": ["Dense Fog"]},
        {},
        ["use Pandilence"],
        {"there": ["Dense Fog"], "cannot": ["counter Dense Fog"], "under": {"Pandilence": "L"}},
    ),
    "Peagleam": (
        {"bodies": [("Peagleam", "S")]},
        {"bodies": [("Warmite", "F")], "stadium": ("Volcanic Forge", "F")},
        ["enchant Peagleam", "pay sd S", "trigger Peagleam", "target Warmite"],
        {"stats": {"Warmite": (1, 2)}},
    ),
    "Peagust": (
        {"bodies": [("Peagust", "I")]},
        {"set": ["Tsunami"]},
        ["enchant Peagust", "pay sd I", "trigger Peagust", "target Tsunami"],
        {"gone": ["Tsunami"]},
    ),
    "Polarachne": (
        {"bodies": [("Polarachne", "RR")], "sd": "R"},
        {"bodies": [("Jolten", "T"), ("Blazerus", "FF")]},
        ["use Polarachne", "target Jolten"],
        {"gone": ["Jolten"], "stats": {"Blazerus": (5, 2)}},
    ),
    "Poseidon": (
        {"runes": [("Poseidon", "WW")], "bodies": [("Foamee", "W")]},
        {},
        ["use Poseidon", "to Foamee"],
        {"under": {"Foamee": "WW", "Poseidon": "W"}},
    ),
    "Pulveroar": (
        {"hand": ["Pulveroar"], "bodies": [("Gnawbie", "LL"), ("Foamee", "W")]},
        {},
        ["route Pulveroar", "target Gnawbie", "pay Gnawbie L", "pay sd E", "done", "position A"],
        {"under": {"Pulveroar": "EL"}, "gone": ["Gnawbie"], "can": ["draw"]},
    ),
    "Quackle": (
        {"hand": ["Quackle"], "lost": "TTTT", "sd": "T"},
        {},
        ["cast Quackle", "position A", "trigger Quackle", "pay uw T", "pay uw T", "pay uw T"],
        {"life": (3, 10)},
    ),
    "Raiceridge": (
        {"hand": ["Raiceridge"], "bodies": [("Raiceros", "T")], "sd": "RW"},
        {},
        ["route Raiceridge", "target Raiceros", "position A"],
        {"under": {"Raiceridge": "WT"}, "life": (0, 10)},
    ),
    "Resting on Your Laurels": (
        {"hand": ["Resting on Your Laurels"], "sd": "E"},
        {"bodies": [("Foamee", "W"), ("Majesea", "WWW")]},
        ["rune Resting on Your Laurels"],
        {"gone": ["Foamee"], "there": ["Majesea"]},
    ),
    "Rock and a Hard Place": (
        {"hand": ["Rock and a Hard Place"], "sd": "WL"},
        {"bodies": [("Foamee", "W")], "set": ["Tsunami"]},
        ["rune Rock and a Hard Place", "choice 1"],
        {"gone": ["Foamee"], "there": ["Tsunami"]},
    ),
    "Sinder": (
        {"bodies": [("Sinder", "F")]},
        {"deck": ["Warmite"] * 4},
        ["enchant Sinder", "pay sd F"],
        {"decksize1": 1},
    ),
    "Sluggle": (
        {"hand": ["Sluggle"], "lost": "WWWW", "sd": "W"},
        {},
        ["cast Sluggle", "position A", "trigger Sluggle", "pay uw W", "pay uw W", "pay uw W"],
        {"life": (3, 10)},
    ),
    "Soarlet": (
        {"bodies": [("Soarlet", "I")], "sd": "I"},
        {"bodies": [("Foamee", "W")]},
        ["use Soarlet"],
        {"position": {"Foamee": 1}, "life": (0, 10)},
    ),
    "Solstox": (
        {"bodies": [("Solstox", "SS")], "runes": [("Apollo", "SS")]},
        {"bodies": [("Foamee", "W")]},
        ["use Solstox", "target Foamee"],
        {"gone": ["Foamee"], "under": {"Apollo": "S"}},
    ),
    "Sparkitt": (
        {"bodies": [("Sparkitt", "TT"), ("Foamee", "W")]},
        {"hand": ["Majesea", "Warmite"]},
        ["use Sparkitt", "from Sparkitt", "pay Sparkitt T", "done", "trigger Sparkitt", "discard Majesea"],
        {"hand1": ["Warmite"]},
    ),
    "Sundile": (
        {"bodies": [("Sundile", "S"), ("Foamee", "W")], "sd": "SWE", "deck": ["Gnomodile"]},
        {},
        ["use Sundile", "target Sundile", "next", "done", "trigger Sundile", "position D"],
        {"under": {"Gnomodile": "EWS"}},
    ),
    "Tadpuff": (
        {"hand": ["Tadpuff"], "sd": "WW"},
        {},
        ["route Tadpuff"],
        {"there": ["Tadpuff"], "life": (0, 10), "position": {"Tadpuff": 0}},
    ),
    "Thunderstorm": (
        {"hand": ["Thunderstorm"], "sd": "TT"},
        {"set": ["Tsunami"], "stadium": ("Atlantis", "W")},
        ["rune Thunderstorm", "target Atlantis"],
        {"gone": ["Atlantis"], "there": ["Tsunami"]},
    ),
    "Tornado": (
        {"hand": ["Tornado"], "sd": "I"},
        {"runes": [("Zeus", "TT")]},
        ["rune Tornado"],
        {"hand1": ["Zeus"], "lost1": 2},
    ),
    "Toxeerie": (
        {"hand": ["Toxeerie"], "deck": ["Dense Fog", "Warmite"], "sd": "L"},
        {},
        ["cast Toxeerie", "position A", "trigger Toxeerie"],
        {"hand": ["Dense Fog"]},
    ),
    "Toxion": ({"bodies": [("Toxion", "T")]}, {"sd": "W"}, ["enchant Toxion", "pay sd T"], {"life": (9, 0)}),
    "Tsunami": (
        {"set": ["Tsunami"], "bodies": [("Frosmite", "R")], "sd": "W"},
        {"bodies": [("Warmite", "F"), ("Foamee", "W")]},
        ["counter Tsunami"],
        {"position": {"Warmite": 1, "Foamee": 0, "Frosmite": 1}},
    ),
    "Warmite": (
        {"bodies": [("Warmite", "F")]},
        {"bodies": [("Foamee", "W")]},
        ["use Warmite", "target Foamee"],
        {"stats": {"Foamee": (0, 3)}},
    ),
    "Zeus": (
        {"runes": [("Zeus", "TT")]},
        {"bodies": [("Jolten", "T")]},
        ["use Zeus", "target Jolten"],
        {"stats": {"Jolten": (1, 0)}},
    ),
}


def check(g: Position, wanted: dict[str, Any]) -> None:
    r = g.rules
    for key, value in wanted.items():
        if key in ("hand", "uw", "deck"):
            assert g.pile(0, key) == value
        elif key == "hand1":
            assert g.pile(1, "hand") == value
        elif key == "life":
            assert (g.life(0), g.life(1)) == value
        elif key in ("there", "gone"):
            assert all(g.there(name) == (key == "there") for name in value), value
        elif key == "mine":
            assert all(g.find(name).seat == 0 for name in value)
        elif key == "under":
            assert {name: g.under(name) for name in value} == value
        elif key == "stats":
            assert {name: g.stats(name) for name in value} == value
        elif key == "works":
            assert {name: r.working(g.find(name)) for name in value} == value
        elif key == "position":
            assert {name: g.find(name).position for name in value} == value
        elif key == "restricted":
            assert all(r.restricted(g.find(name), w) for name, words in value.items() for w in words)
        elif key in ("can", "cannot"):
            assert all(g.can(text) == (key == "can") for text in value), value
        elif key == "handsize":
            assert len(g.pile(0, "hand")) == value
        elif key == "decksize":
            assert len(g.pile(0, "deck")) == value
        elif key == "decksize1":
            assert len(g.pile(1, "deck")) == value
        elif key == "top":
            assert g.pile(0, "deck")[0] == value
        elif key == "bottom1":
            assert g.pile(1, "deck")[-1] == value
        elif key == "lost1":
            assert sum(r.players[1].lost) == value
        else:
            assert key == "over"
            assert r.over == value


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    me, you, script, wanted = CASES[name]
    g = position(me, you).run(*script).quiet()
    check(g, wanted)


# ------------------------------------------------------------------------------------------------ cards of their own


def test_aardbud() -> None:
    me = {"bodies": [("Aardbud", "E"), ("Gnawbie", "LL"), ("Jolten", "EE")], "deck": ["Carryon", "Warmite"]}
    g = position(me).run("enchant Aardbud", "pay sd E", "trigger Aardbud", "search Carryon")
    assert g.pile(0, "hand") == ["Carryon"]
    g = position(me).run("enchant Aardbud", "pay sd L")
    assert not g.can("trigger Aardbud")
    me = {**me, "hand": ["Circle the Sky"], "sd": "W"}
    g = position(me).run("rune Circle the Sky", "pay sd W", "from Jolten", "pay Jolten E", "pay Jolten E", "to Aardbud")
    g.run("no", "trigger Aardbud", "search Carryon").quiet()
    assert g.rules.uses["el:aardbud"] == 1  # two Spirits at once: one trigger
    me = {"bodies": [("Aardbud", "E"), ("Carryon", "II")], "deck": ["Aardvarum"]}
    g = position(me).run("use Aardbud", "pay Carryon I", "pay sd L", "position A").quiet()
    assert g.under("Aardvarum") == "EL"
    assert not position({**me, "deck": ["Warmite"]}).can("use Aardbud")


def test_aeromare() -> None:
    me = {"bodies": [("Aeromare", "I")], "hand": ["Twindra"], "sd": "II"}
    you = {"bodies": [("Boombatt", "TT")], "hand": ["Earthquake"], "sd": "EE"}
    g = position(me, you).run("ascend Twindra over Aeromare", "position A", "trigger Aeromare").quiet()
    assert g.find("Aeromare").kind == "artifact"
    assert g.find("Aeromare").host is g.find("Twindra")
    assert (g.life(0), g.under("Aeromare")) == (0, "I")
    g.next_turn()
    assert not g.can("use Boombatt")
    g.run("rune Earthquake", "target Twindra").quiet()
    assert not g.there("Twindra")
    assert sorted(g.pile(0, "uw")) == ["Aeromare", "Twindra"]


def test_apheros() -> None:
    me = {"bodies": [("Apheros", "WWW"), ("Warmite", "F")], "deck": ["Foamee"] * 3}
    g = position(me).run("use Apheros", "from Apheros", "pay Apheros W", "pay Apheros W", "trigger Apheros").quiet()
    assert len(g.pile(0, "hand")) == 2
    assert g.under("Warmite") == "FWW"
    g = position(me).run("use Apheros", "done").quiet()
    assert len(g.pile(0, "hand")) == 0


def test_blazerus() -> None:
    me = {"bodies": [("Blazerus", "FF")], "deck": ["Trifernal"], "sd": "F"}
    g = position(me, {"bodies": [("Foamee", "W"), ("Sluggle", "W")], "sd": "EEEE"}).run("next")
    g.run("attack Blazerus > Foamee").quiet()
    assert g.there("Blazerus")
    g.run("attack Blazerus > Sluggle", "trigger Blazerus", "position A").quiet()
    assert g.under("Trifernal") == "FFF"
    assert g.can("attack Trifernal > deck")


def test_carryoff_and_carryon() -> None:
    you = {"bodies": [("Carryon", "I")], "hand": ["Carryoff"], "sd": "IL" + "E"}
    g = position({"bodies": [("Frosmite", "RR")]}, you, **{"card.Frosmite.attack": 8})
    g.run("next", "attack Frosmite > Carryon", "trigger Carryoff", "trigger Carryon", "position A")
    g.quiet()
    assert g.there("Carryoff")
    assert g.find("Frosmite").seat == 1
    g.next_turn()
    assert g.find("Frosmite").seat == 0
    assert g.under("Frosmite") == "RR"


def test_carryoff_steals_for_a_turn() -> None:
    g = position({"bodies": [("Carryoff", "IL")], "sd": "LL"}, {"bodies": [("Necruff", "F")]})
    g.run("use Carryoff", "target Necruff", "next")
    assert g.can("attack Necruff > deck")
    g.next_turn()
    assert g.find("Necruff").seat == 1


def test_chillalotl() -> None:
    g = position({"hand": ["Chillalotl"], "sd": "RR"}, {"set": ["Dense Fog", "Tsunami"], "sd": "LW"})
    g.run("cast Chillalotl", "position A", "trigger Chillalotl", "target Dense Fog", "done").quiet()
    assert g.rules.changes(g.find("Dense Fog"), "lock")
    g.next_turn()
    assert g.can("counter Tsunami")
    assert not g.can("counter Dense Fog")
    g.rules.leave(g.find("Chillalotl"))
    assert not g.rules.changes(g.find("Dense Fog"), "lock")


def test_cygnetrik() -> None:
    me = {"bodies": [("Cygnetrik", "TT")], "hand": ["Ohmperial"]}
    assert not position({**me, "sd": "T" * 11}).can("use Cygnetrik")
    g = position({**me, "sd": "T" * 12}).run("use Cygnetrik", "position A").quiet()
    assert (g.under("Ohmperial"), g.life(0)) == ("TTT", 11)


def test_doppelgator() -> None:
    me = {"bodies": [("Doppelgator", "LL"), ("Gnawbie", "LL"), ("Foamee", "W")], "hand": ["Fulgoryx", "Circle the Sky"]}
    g = position(me, {"bodies": [("Jolten", "T")]})
    assert g.stats("Jolten") == (2, 2)
    assert g.stats("Foamee") == (0, 3)
    assert g.stats("Gnawbie") == (4, 1)
    g.run("enchant Doppelgator", "pay sd L")
    assert not g.can("trigger Doppelgator")
    g = position(me).run(
        "rune Circle the Sky", "pay sd E", "from Gnawbie", "pay Gnawbie L", "done", "to Doppelgator", "no"
    )
    g.run("trigger Doppelgator", "pay sd L", "done", "position A").quiet()
    assert g.under("Fulgoryx") == "LLLL"


def test_drataura() -> None:
    me = {"bodies": [("Drataura", "SS"), ("Foamee", "W")], "lost": "SSS"}
    g = (
        position(me)
        .run("use Drataura", "from Drataura", "to Foamee", "trigger Drataura", "pay uw S", "pay uw S")
        .quiet()
    )
    assert g.life(0) == 12


def test_emperowatt() -> None:
    me = {"hand": ["Emperowatt"], "bodies": [("Penguwatt", "TR"), ("Frosmite", "RR"), ("Jolten", "T")], "sd": "R"}
    you = {"bodies": [("Foamee", "W"), ("Warmite", "F")], "set": ["Tsunami"], "stadium": ("Atlantis", "W")}
    g = position(me, you).run("ascend Emperowatt over Penguwatt", "done", "position A", "trigger Emperowatt").quiet()
    assert g.under("Emperowatt") == "TTRRRR"
    assert not g.there("Frosmite")
    assert not g.there("Jolten")
    g.run("use Emperowatt", "pay R", "pay R", "pay T").quiet()
    assert not any(g.there(name) for name in ("Foamee", "Warmite", "Tsunami", "Atlantis"))
    assert g.under("Emperowatt") == "TRR"


@pytest.mark.parametrize(("name", "letter"), [("Flarachne", "F"), ("Raiceros", "T")])
def test_fresh_bodies_may_not_attack(name: str, letter: str) -> None:
    g = position({"hand": ["Foamee"], "bodies": [(name, letter * 2)], "sd": "WW" + letter})
    g.run("cast Foamee", "pay sd W", "position A", "next")
    assert not g.can("attack Foamee")
    assert g.can(f"attack {name}")
    g = position({"hand": ["Foamee"], "bodies": [(name, letter * 2)], "sd": "WW" + letter})
    g.run("cast Foamee", f"pay sd {letter}", "position A", "next")
    assert g.can("attack Foamee")


def test_galaxea() -> None:
    me = {"bodies": [("Galaxea", "W"), ("Moustacean", "W")], "stadium": ("Atlantis", "W"), "sd": "W"}
    g = position(me, {"bodies": [("Jolten", "T"), ("Foamee", "W")]})
    assert g.stats("Foamee") == (4, 3)
    assert g.stats("Jolten") == (4, 2)
    assert g.stats("Moustacean") == (7, 2)
    g.run("use Moustacean").quiet()
    assert g.stats("Moustacean") == (2, 7)
    g.rules.leave(g.find("Galaxea"))
    assert g.stats("Foamee") == (3, 4)
    g = position({"bodies": [("Galaxea", "W"), ("Galaxea", "W")]})
    assert g.stats("Galaxea") == (2, 5)
    me = {"bodies": [("Galaxea", "W"), ("Sluggle", "W")]}
    g = position({**me, "hand": ["Warmite"]}, {"bodies": [("Warmite", "F")]}, stat_swap_layer="final")
    assert g.stats("Galaxea") == (5, 2)


def test_golden_fleece_saves_in_battle() -> None:
    you = {"bodies": [("Lumaroo", "S")], "runes": [("Golden Fleece", "SS", "Lumaroo")]}
    me = {"bodies": [("Necruff", "FF")]}
    g = position(me, you, **{"card.Necruff.attack": 9}).run("next", "attack Necruff > Lumaroo", "yes").quiet()
    assert g.there("Lumaroo")
    assert not g.there("Golden Fleece")
    assert g.life(1) == 10
    assert g.rules.uses["el:necruff"] == 0
    g = position(me, you, **{"card.Necruff.attack": 9}).run("next", "attack Necruff > Lumaroo", "no").quiet()
    assert not g.there("Lumaroo")
    assert g.life(1) == 8


def test_golden_fleece_saves_from_enemy_effects_only() -> None:
    me = {
        "hand": ["Earthquake"],
        "bodies": [("Lumaroo", "S")],
        "runes": [("Golden Fleece", "SS", "Lumaroo")],
        "sd": "EE",
    }
    g = position(me).run("rune Earthquake").quiet()
    assert not g.there("Lumaroo")
    g = position({"hand": ["Earthquake"], "sd": "EE"}, {k: v for k, v in me.items() if k in ("bodies", "runes")})
    g.run("rune Earthquake", "yes").quiet()
    assert g.there("Lumaroo")


def test_havocub() -> None:
    me = {"bodies": [("Havocub", "L"), ("Warmite", "F")]}
    g = position({"set": ["Tsunami"], "sd": "W"}, me).run("counter Tsunami").quiet()
    assert (g.find("Havocub").position, g.find("Warmite").position) == (0, 1)
    g = position({"set": ["Tsunami"], "sd": "W", **me}).run("counter Tsunami").quiet()
    assert g.find("Havocub").position == 1


def test_helios_chariot_ride() -> None:
    me = {"set": ["Helios' Chariot Ride"], "sd": "EE"}
    g = position(
        me, {"hand": ["Ambrosia", "Foamee"], "lost": "E", "runes": [("Zeus", "TT")], "bodies": [("Sluggle", "W")]}
    )
    assert not g.can("counter Helios' Chariot Ride")
    g.run("next")
    while g.rules.phase != "draw":
        assert not g.can("counter Helios' Chariot Ride")
        g.rules.apply(g.rules.options()[0])
    g.run("counter Helios' Chariot Ride").quiet()
    assert not g.can("rune Ambrosia")
    assert g.can("set Ambrosia")
    assert g.can("cast Foamee")
    g.next_turn()
    g.next_turn()
    assert g.can("rune Ambrosia")


def test_kryoling() -> None:
    me = {"bodies": [("Kryoling", "R")], "lost": "RRRR", "hand": ["Kryovyrn"], "sd": "RR"}
    g = position(me)
    assert g.stats("Kryoling") == (5, 3)
    g.run("draw", "trigger Kryoling", "choice 1", "position A").quiet()
    assert g.under("Kryovyrn") == "RR"
    g = position({**me, "hand": ["Foamee"]}).run("draw").quiet()
    assert not g.there("Kryoling")


def test_kryovyrn_and_kryoscorch() -> None:
    me = {
        "bodies": [("Kryovyrn", "RR"), ("Jolten", "T")],
        "hand": ["Foamee", "Warmite"],
        "deck": ["Kryoscorch"],
        "sd": "F",
    }
    me = {**me, "runes": [("Zeus", "T")]}
    g = position(me, {"set": ["Tsunami"], "stadium": ("Atlantis", "W")}).next_turn()
    assert not g.can("use Kryovyrn")
    g.run("next", "done").quiet() if g.rules.rule == "EL-B1" else g.run("next")
    while g.rules.phase != "draw" or g.rules.active != 0:
        g.rules.apply(g.rules.options()[0])
    g.run("use Kryovyrn", "done", "position A").quiet()
    assert g.under("Kryoscorch") == "FRR"
    assert not any(g.there(name) for name in ("Zeus", "Tsunami", "Atlantis"))
    assert g.pile(0, "hand") == []


def test_kryoscorch_does_not_sweep_after_a_normal_ascend() -> None:
    me = {"bodies": [("Kryovyrn", "RR")], "hand": ["Kryoscorch"], "sd": "FF"}
    g = position(me, {"set": ["Tsunami"]}).run("ascend Kryoscorch over Kryovyrn", "position A").quiet()
    assert g.there("Tsunami")


def test_lumaroo_and_necruff_fire_when_both_die() -> None:
    you = {"bodies": [("Jolten", "T")], "deck": ["Foamee"] * 4, "sd": "EEE"}
    for name, letter, attack in (("Lumaroo", "S", 4), ("Necruff", "F", 4)):
        g = position({"bodies": [(name, letter)]}, you, **{f"card.{name}.attack": attack})
        g.run("next", f"attack {name} > Jolten").quiet()
        assert not g.there(name)
        assert (len(g.pile(1, "deck")), g.life(1)) == ((1, 3) if name == "Lumaroo" else (4, 2))


def test_majesea() -> None:
    me = {"bodies": [("Majesea", "WWW"), ("Foamee", "W")], "runes": [("Poseidon", "WW")]}
    you = {"bodies": [("Boombatt", "TT"), ("Sluggle", "W")], "hand": ["Earthquake"], "sd": "EE"}
    g = position(me, you)
    assert g.stats("Majesea") == (12, 14)
    g.next_turn()
    assert not g.can("use Boombatt")  # own and enemy Water bodies are safe from enemy Elestrals
    assert g.can("rune Earthquake")


def test_mosstacean() -> None:
    g = position({"bodies": [("Mosstacean", "EE"), ("Foamee", "W")]})
    assert g.stats("Mosstacean") == (8, 1)
    g.run("next", "attack Mosstacean > deck").quiet()
    g.next_turn()
    assert g.find("Mosstacean").position == 1
    g = position({"bodies": [("Mosstacean", "E")]}).run("next")
    g.next_turn()
    assert g.find("Mosstacean").position == 0


@pytest.mark.parametrize(("name", "letter", "both"), [("Tectaurus", "E", (6, 2)), ("Volcaries", "F", (6, 2))])
def test_counting_bodies(name: str, letter: str, both: tuple[int, int]) -> None:
    g = position({"bodies": [(name, letter)]}, {"bodies": [("Jolten", letter * 2)]})
    assert g.stats(name) == both


def test_oystress() -> None:
    g = position({"bodies": [("Oystress", "WW")]}, {"runes": [("Poseidon", "WWW")]})
    assert g.stats("Oystress") == (1, 8)


def test_pandoras_box() -> None:
    you = {"set": ["Pandora's Box"], "sd": "EE"}
    me = {"hand": ["Elechik"], "deck": ["Zeus", "Warmite", "Foamee"], "sd": "T", "bodies": [("Glauby", "WWW")]}
    g = position(me, you).run("cast Elechik", "position A")
    assert not g.can("counter Pandora's Box")  # the cast itself searches nothing
    g.run("trigger Elechik", "counter Pandora's Box").quiet()
    assert g.pile(0, "hand") == []
    assert len(g.pile(0, "uw")) == 2
    me = {"bodies": [("Glauby", "WWW")], "hand": ["Majesea"], "deck": ["Foamee"] * 3, "sd": "E"}
    g = position(me, you).run("use Glauby", "counter Pandora's Box").quiet()
    assert g.there("Glauby")
    g = position(me, you, hand_or_deck_is_search=False).run("use Glauby")
    assert not g.can("counter Pandora's Box")


def test_penguwatt() -> None:
    me = {"bodies": [("Penguwatt", "TR"), ("Jolten", "TT")], "hand": ["Emperowatt"], "sd": "R"}
    g = position(me).run("next")
    while g.rules.phase != "draw" or g.rules.active != 0:
        g.rules.apply(g.rules.options()[0])
    g.run("use Penguwatt", "pay Jolten T", "done", "position A", "trigger Emperowatt").quiet()
    assert g.under("Emperowatt") == "TTRR"  # its arrival has gathered Jolten's last Spirit
    g = position(me).run("next")
    while g.rules.phase != "draw" or g.rules.active != 0:
        g.rules.apply(g.rules.options()[0])
    g.run("use Penguwatt", "pay Penguwatt T").quiet()
    assert not g.there("Penguwatt")
    assert not g.there("Emperowatt")


def test_penterror_and_twindra() -> None:
    me = {"hand": ["Earthquake"], "sd": "EE"}
    you = {"bodies": [("Penterror", "III")], "hand": ["Hydrake", "Twindra"], "deck": ["Hydrake"], "sd": "IIII"}
    g = position(me, you).run(
        "rune Earthquake", "trigger Penterror", "search Twindra", "search Hydrake", "search Hydrake"
    )
    g.quiet()
    assert g.there("Twindra")
    assert sum(p.card.name == "Hydrake" for p in g.rules.on_field(1)) == 2
    assert g.life(1) == 0
    me = {"bodies": [("Frosmite", "RR")]}
    you = {"bodies": [("Twindra", "II")], "deck": ["Penterror"], "sd": "III"}
    g = (
        position(me, you, **{"card.Frosmite.attack": 9})
        .run("next", "attack Frosmite > Twindra", "trigger Twindra")
        .quiet()
    )
    assert g.under("Penterror") == "III"


def test_pharogeist() -> None:
    g = position({"bodies": [("Necruff", "FFFFF")]}, {"bodies": [("Pharogeist", "LLS")]}, **{"card.Necruff.attack": 20})
    g.run("next", "attack Necruff > Pharogeist").quiet()
    assert g.there("Pharogeist")
    assert g.life(1) == 10
    fields = {"card.Necruff.attack": 20, "nodie_loser_expends": True}
    g = position({"bodies": [("Necruff", "FFFFF")]}, {"bodies": [("Pharogeist", "LLS")]}, **fields)
    g.run("next", "attack Necruff > Pharogeist").quiet()
    assert g.life(1) == 8
    me = {"hand": ["Tornado"], "bodies": [("Frosmite", "R")], "set": ["Shield of Achilles"], "sd": "EEEEEE"}
    g = position({"bodies": [("Pharogeist", "LLS")]}, me).run("next", "attack Pharogeist > Frosmite")
    g.run("counter Shield of Achilles").quiet()
    assert g.there("Pharogeist")  # the attack is negated, it is not returned
    assert g.life(1) == 6 - 1 - 1 - 3


def test_pharomel() -> None:
    you = {"bodies": [("Pharomel", "LS")], "deck": ["Pharogeist"], "sd": "LLE"}
    g = position({"bodies": [("Frosmite", "R")]}, you).run("next", "attack Frosmite > Pharomel", "answer Pharomel")
    g.run("pay sd L", "position D").quiet()
    assert g.there("Pharogeist")
    assert not g.can("attack Frosmite")
    assert g.life(1) == 1


def test_poison_tipped_arrow() -> None:
    you = {"set": ["Poison Tipped Arrow"], "sd": "EEE"}
    g = position({"hand": ["Warmite"], "sd": "F"}, you).run("cast Warmite", "position A")
    assert g.rules.rule == "EL-H2"
    assert not g.rules.links
    g.run("counter Poison Tipped Arrow").quiet()
    assert g.stats("Warmite") == (1, 1)
    g.run("next", "done", "trigger Poison Tipped Arrow").quiet()
    assert not g.there("Warmite")
    assert g.life(1) == 1
    g = position({"hand": ["Warmite"], "sd": "F"}, you, arrow_window="link").run("cast Warmite", "position A")
    assert g.rules.links
    g.run("counter Poison Tipped Arrow").quiet()
    assert g.stats("Warmite") == (1, 1)


def test_porcutide() -> None:
    me = {"bodies": [("Frosmite", "R")], "hand": ["Foamee"], "sd": "EEE"}
    g = position(me, {"bodies": [("Porcutide", "W")]}).run("next", "attack Frosmite > Porcutide", "choice 0").quiet()
    assert g.pile(0, "hand") == []
    g = position(me, {"bodies": [("Porcutide", "W")]}).run("next", "attack Frosmite > Porcutide", "choice 1").quiet()
    assert g.life(0) == 1
    g = (
        position({**me, "hand": []}, {"bodies": [("Porcutide", "W")]})
        .run("next", "attack Frosmite > Porcutide")
        .quiet()
    )
    assert g.life(0) == 1


def test_porcuwraith() -> None:
    me = {"bodies": [("Porcuwraith", "LL")]}
    g = position(me, {"bodies": [("Jolten", "T")]}).run("next", "attack Porcuwraith > Jolten", "trigger Porcuwraith")
    assert not g.quiet().there("Jolten")
    g = position({"bodies": [("Jolten", "T")]}, me).run("next", "attack Jolten > Porcuwraith", "trigger Porcuwraith")
    assert not g.quiet().there("Jolten")


def test_posthumoose() -> None:
    me = {"bodies": [("Posthumoose", "LLL")], "runes": [("Artemis", "LL")], "set": ["Tsunami"], "sd": "W"}
    g = position(me, {"bodies": [("Majesea", "WWW"), ("Warmite", "F")]})
    g.run("use Artemis", "target Majesea", "trigger Posthumoose").quiet()
    assert not g.there("Majesea")
    g.run("counter Tsunami").quiet()
    assert g.find("Posthumoose").position == 0
    assert g.find("Warmite").position == 1


def test_satymber() -> None:
    me = {"bodies": [("Satymber", "EE")], "runes": [("Scythe of Demeter", "EE", "Satymber")], "deck": ["Centaurbor"]}
    g = position({**me, "sd": "E"}, {"bodies": [("Jolten", "T")], "sd": "WWW"}).run("next", "attack Satymber > Jolten")
    g.run("no" if g.can("no") and not g.can("trigger Satymber") else "trigger Satymber", "position A").quiet()
    assert g.under("Centaurbor") == "EEEEE"
    assert not g.there("Scythe of Demeter")
    g = position({"bodies": [("Satymber", "EE")], "deck": ["Centaurbor"]}, {"bodies": [("Jolten", "T")]})
    g.run("next", "attack Satymber > Jolten").quiet()
    assert not g.there("Centaurbor")


def test_scepter_of_khione() -> None:
    me = {"bodies": [("Frosmite", "R")], "runes": [("Scepter of Khione", "RR", "Frosmite"), ("Khione", "R")]}
    g = position({**me, "hand": ["Raiceros", "Narpoon", "Chillalotl"], "sd": "R"}, {"bodies": [("Foamee", "W")]})
    assert g.stats("Frosmite") == (5, 2)
    g.run("next", "attack Frosmite > Foamee", "trigger Scepter of Khione", "position A").quiet()
    assert g.can("attack Chillalotl > deck")


def test_scythe_of_demeter() -> None:
    me = {"bodies": [("Frosmite", "R")], "runes": [("Scythe of Demeter", "EE", "Frosmite")], "lost": "EEE", "sd": "W"}
    you = {"bodies": [("Foamee", "W")]}
    g = position(me, you)
    assert g.stats("Frosmite") == (5, 4)
    g.run("next", "attack Frosmite > Foamee", "trigger Scythe of Demeter").quiet()
    assert g.life(0) == 2
    me["runes"] = [*me["runes"], ("Demeter", "E")]
    g = position(me, you).run("next", "attack Frosmite > Foamee", "trigger Scythe of Demeter").quiet()
    assert g.life(0) == 3


def test_shield_of_achilles() -> None:
    you = {"set": ["Shield of Achilles"], "sd": "EEEE", "bodies": [("Foamee", "W")]}
    g = position({"bodies": [("Majesea", "WWW")]}, you).run("next", "attack Majesea > Foamee")
    g.run("counter Shield of Achilles", "pay sd E").quiet()
    assert g.pile(0, "hand") == ["Majesea"]
    assert (g.life(1), sum(g.rules.players[0].lost)) == (0, 3)
    g = position({"bodies": [("Majesea", "WWW")]}, {**you, "sd": "EE"}).run("next", "attack Majesea > Foamee")
    assert not g.can("counter Shield of Achilles")


def test_solbelle_and_solstox() -> None:
    deck = ["Warmite", "Foamee", "Sluggle", "Eddy", "Solstox", "Plucky"]
    me = {
        "bodies": [("Solbelle", "S"), ("Gnawbie", "L")],
        "runes": [("Apollo", "SS")],
        "deck": deck,
        "lost": "SS",
        "sd": "S",
    }
    g = position(me).run("use Apollo", "use Solbelle", "position A", "trigger Solstox")
    g.run("pay uw S", "target Gnawbie", "pay uw S", "target Apollo").quiet()
    assert g.under("Gnawbie") == "LS"
    assert g.under("Apollo") == "SS"
    assert g.under("Solstox") == "SS"
    g = position({**me, "bodies": [("Gnawbie", "L")]}).run("use Apollo").quiet()
    assert g.rules.story[-1].count(",") == 2  # three cards without Solbelle
    g = position(me, special_ascend_is_special_cast=False).run("use Apollo", "use Solbelle", "position A").quiet()
    assert not g.can("trigger Solstox")


def test_foretell_rest() -> None:
    me = {"runes": [("Apollo", "SS")], "deck": ["Warmite", "Foamee", "Sluggle", "Eddy"]}
    g = position(me, foretell_rest="bottom").run("use Apollo").quiet()
    assert g.pile(0, "deck") == ["Eddy", "Warmite", "Foamee", "Sluggle"]
    g = position(me, foretell_rest="reorder").run("use Apollo", "back Sluggle", "back Warmite").quiet()
    assert g.pile(0, "deck") == ["Sluggle", "Warmite", "Foamee", "Eddy"]


def test_specteris() -> None:
    me = {"bodies": [("Specteris", "L"), ("Gnawbie", "L")]}
    g = (
        position(me, {"bodies": [("Jolten", "T")]})
        .run("next", "attack Specteris > Jolten", "trigger Specteris")
        .quiet()
    )
    assert not g.there("Jolten")
    assert g.there("Specteris")  # five against four
    assert g.stats("Specteris") == (4, 2)


def test_spinosect() -> None:
    me = {"bodies": [("Spinosect", "EI", "D")]}
    g = position(me, {"bodies": [("Jolten", "T")]}).run("next", "attack Spinosect > Jolten").quiet()
    assert not g.there("Jolten")
    assert g.find("Spinosect").position == 1
    strong = {"bodies": [("Majesea", "WWWW")]}
    g = position(me, strong).run("next", "attack Spinosect > Majesea").quiet()
    assert not g.there("Spinosect")
    assert g.life(0) == 8
    g = position(me, strong, defatk_result="defence").run("next", "attack Spinosect > Majesea").quiet()
    assert g.there("Spinosect")
    assert not position({"bodies": [("Spinosect", "EE", "D")]}).run("next").can("attack Spinosect")


def test_spinymph() -> None:
    me = {"bodies": [("Frosmite", "R")], "stadium": ("Mountains of Boreas", "R")}
    g = position(me, {"bodies": [("Spinymph", "E")], "sd": "E"}).run("next", "attack Frosmite > Spinymph")
    g.run("trigger Spinymph").quiet()
    assert g.stats("Frosmite") == (1, 2)
    assert g.find("Spinymph").seat == 1
    assert g.life(1) == 0


def test_glydesdale_attacks_twice_with_aeromare() -> None:
    me = {"bodies": [("Aeromare", "I")], "hand": ["Glydesdale"], "sd": "II"}
    g = position(me).run("ascend Glydesdale over Aeromare", "position A", "trigger Aeromare", "next")
    g.run("attack Glydesdale > deck").quiet()
    assert g.can("attack Glydesdale > deck")
    g.run("attack Glydesdale > deck").quiet()
    assert not g.can("attack Glydesdale > deck")


def test_therahart() -> None:
    me = {"bodies": [("Therahart", "LL")], "runes": [("Artemis", "LLL")], "deck": ["Posthumoose"], "hand": ["Warmite"]}
    g = position({**me, "sd": "FL"}, {"set": ["Dense Fog"], "bodies": [("Foamee", "W")], "sd": "L"})
    g.run(
        "cast Warmite", "pay sd F", "position A", "counter Dense Fog", "answer Therahart", "yes", "position A"
    ).quiet()
    assert g.there("Posthumoose")
    assert g.under("Artemis") == "L"
    assert g.rules.working(g.find("Warmite"))
    assert g.pile(1, "uw") == ["Dense Fog"]


def test_thunderbolt_of_zeus() -> None:
    me = {"bodies": [("Jolten", "T")], "runes": [("Thunderbolt of Zeus", "TT", "Jolten"), ("Zeus", "T")]}
    you = {"bodies": [("Necruff", "F")], "sd": "WWW"}
    g = position(me, you)
    assert g.stats("Jolten") == (6, 2)
    g.run("next", "attack Jolten > Necruff").quiet()
    assert g.life(1) == 1
    g = position(me, you, **{"card.Necruff.attack": 6}).run("next", "attack Jolten > Necruff").quiet()
    assert not g.there("Thunderbolt of Zeus")
    assert g.life(1) == 1  # the last state counts


def test_trident_of_poseidon() -> None:
    me = {"bodies": [("Foamee", "F" + "W")], "runes": [("Trident of Poseidon", "WW", "Foamee"), ("Poseidon", "W")]}
    me["set"] = ["Gorgon's Gaze"]
    you = {"set": ["Dense Fog"], "bodies": [("Warmite", "F")]}
    g = position(me, you).run("counter Gorgon's Gaze").quiet()
    assert g.stats("Foamee") == (4, 3)
    assert not g.rules.working(g.find("Warmite"))  # the only body that could be a target
    g.next_turn()
    assert not g.can("counter Dense Fog")


def test_trifernal() -> None:
    you = {"bodies": [("Trifernal", "FFF")], "sd": "FF"}
    g = position({"hand": ["Warmite"], "sd": "F"}, you).run("cast Warmite", "position A", "trigger Trifernal").quiet()
    assert not g.there("Warmite")
    assert g.life(1) == 1
    g = (
        position({"hand": ["Astrabbit"], "sd": "T"}, you)
        .run("cast Astrabbit", "position A", "trigger Trifernal")
        .quiet()
    )
    assert g.stats("Astrabbit") == (2, 2)
    g.next_turn()
    assert g.stats("Astrabbit") == (2, 5)


def test_verutaqua() -> None:
    you = {"bodies": [("Penterror", "III", "D")], "hand": ["Hydrake"], "sd": "III"}
    g = position({"bodies": [("Verutaqua", "W")]}, you).run("next", "attack Verutaqua > Penterror", "trigger Verutaqua")
    g.quiet()
    assert not g.there("Penterror")
    assert not g.there("Hydrake")  # it was Suppressed before it was destroyed
    assert g.life(1) == 3  # no hit on the Spirit Deck


def test_verutouca() -> None:
    me = {"bodies": [("Verutouca", "II")]}
    g = position(me, {"bodies": [("Flarachne", "FF")]}).run("next", "attack Verutouca > Flarachne", "trigger Verutouca")
    assert not g.quiet().there("Flarachne")
    assert g.life(1) == 10
    g = position(me, {"bodies": [("Majesea", "WWW")]}).run("next", "attack Verutouca > Majesea").quiet()
    assert g.there("Majesea")
    g = position({"bodies": [("Necruff", "F")]}, me).run("next", "attack Necruff > Verutouca").quiet()
    assert not g.there("Verutouca")


def test_vysceris() -> None:
    me = {"bodies": [("Vysceris", "E"), ("Vysceris", "E")]}
    g = position({"set": ["Tsunami"], "sd": "W"}, me)
    assert g.stats("Vysceris") == (6, 1)
    g.run("counter Tsunami").quiet()
    assert g.find("Vysceris").position == 0
    g = position({"set": ["Tsunami"], "sd": "W"}, {"bodies": [("Vysceris", "E")]})
    assert g.stats("Vysceris") == (5, 1)
    g.run("counter Tsunami").quiet()
    assert g.find("Vysceris").position == 1


def test_hydrake_goes_on() -> None:
    me = {"bodies": [("Frosmite", "RR")]}
    g = position(me, {"bodies": [("Hydrake", "I")], "deck": ["Twindra"], "sd": "III"}, **{"card.Frosmite.attack": 6})
    g.run("next", "attack Frosmite > Hydrake", "trigger Hydrake").quiet()
    assert g.under("Twindra") == "II"
    assert g.life(1) == 0


def test_gnawbie_kills() -> None:
    me = {"bodies": [("Gnawbie", "L")], "deck": ["Doppelgator"], "sd": "L"}
    g = position(me, {"bodies": [("Foamee", "W")]}).run(
        "next", "attack Gnawbie > Foamee", "trigger Gnawbie", "position A"
    )
    assert g.quiet().under("Doppelgator") == "LL"


def test_eddy_and_krakatuga_hear_of_a_rune() -> None:
    me = {"bodies": [("Eddy", "W"), ("Krakatuga", "FW")], "hand": ["Rock and a Hard Place", "Kurabyss"], "sd": "WLW"}
    you = {"bodies": [("Foamee", "W")], "set": ["Tsunami"]}
    g = position(me, you).run("rune Rock and a Hard Place", "pay sd W", "pay sd L", "choice 0", "trigger Eddy")
    g.run("done", "position A").quiet()
    assert g.under("Kurabyss") == "WW"
    me = {"bodies": [("Krakatuga", "FW")], "hand": ["Eruption"], "sd": "FF"}
    g = position(me, you).run("rune Eruption")
    g.run("trigger Krakatuga", "target Tsunami").quiet()
    assert not g.there("Tsunami")


def test_fawnlit_counts_artemis() -> None:
    g = position({"bodies": [("Fawnlit", "L")], "runes": [("Artemis", "LL")]}, {"runes": [("Artemis", "LLE")]})
    assert g.stats("Fawnlit") == (3, 6)


def test_khafmel_dies() -> None:
    me = {"hand": ["Earthquake"], "sd": "EE"}
    g = position(me, {"bodies": [("Khafmel", "S")], "lost": "LS"}).run("rune Earthquake", "trigger Khafmel")
    g.run("pay uw L", "pay uw S").quiet()
    assert g.life(1) == 13


def test_toxeerie_weakens_the_suppressed() -> None:
    me = {"bodies": [("Toxeerie", "L"), ("Toxeerie", "L")], "runes": [("Artemis", "LL")]}
    g = position(me, {"bodies": [("Necruff", "F")]}).run("use Artemis", "target Necruff").quiet()
    assert g.stats("Necruff") == (1, 0)


def test_centaurbor_and_nitevenom_are_shrouded() -> None:
    me = {"hand": ["Earthquake"], "sd": "EE", "bodies": [("Centaurbor", "EEE")], "stadium": ("Foloi Forest", "E")}
    assert not position(me).can("rune Earthquake")
    assert position({**me, "stadium": ("Atlantis", "W")}).can("rune Earthquake")
    you = {"bodies": [("Nitevenom", "LL")], "uw": ["Dense Fog", "Dense Fog"]}
    assert not position({"hand": ["Earthquake"], "sd": "EE"}, you).can("rune Earthquake")


def test_rock_locks_counters_while_it_waits() -> None:
    me = {"hand": ["Rock and a Hard Place"], "sd": "WL"}
    you = {"bodies": [("Foamee", "W")], "set": ["Dense Fog"], "sd": "L"}
    g = position(me, you).run("rune Rock and a Hard Place")
    assert g.rules.rule == "EL-F16"  # nobody was asked for a Counter


def test_hammer_and_bag_shroud_their_hosts() -> None:
    me = {"bodies": [("Boombatt", "TT")], "hand": ["Earthquake"], "sd": "EE"}
    you = {"bodies": [("Sinder", "F")], "runes": [("Hammer of Hephaestus", "FF", "Sinder"), ("Hephaestus", "F")]}
    g = position(me, you)
    assert not g.can("use Boombatt")
    assert g.can("rune Earthquake")
    you = {"bodies": [("Soarlet", "I")], "runes": [("Bag of Winds", "II", "Soarlet")]}
    assert position(me, you).can("use Boombatt")
    assert not position({"hand": ["Earthquake"], "sd": "EE"}, you).can("rune Earthquake")


def test_chronodile_is_shrouded_by_six_spirits() -> None:
    you = {"bodies": [("Chronodile", "WWWS"), ("Foamee", "WW")]}
    g = position({"bodies": [("Boombatt", "TT")]}, you).run("use Boombatt")
    assert not g.can("target Chronodile")
    you["bodies"] = [("Chronodile", "WWWS"), ("Foamee", "W")]
    g = position({"bodies": [("Boombatt", "TT")]}, you).run("use Boombatt")
    assert g.can("target Chronodile")


def test_raiceridge_answers_each_attack() -> None:
    you = {"bodies": [("Raiceridge", "TR")], "sd": "TE"}
    g = position({"bodies": [("Frosmite", "R"), ("Foamee", "W")]}, you).run("next", "attack Frosmite > Raiceridge")
    g.run("answer Raiceridge").quiet()
    assert g.find("Frosmite").attacks == 1
    g.run("attack Foamee > Raiceridge")
    assert not g.can("answer Raiceridge")  # no Thunder left


def test_every_starter_card_has_a_test() -> None:
    from pathlib import Path

    text = Path(__file__).read_text(encoding="utf-8")
    starters = {name for deck in cards.starter_decks().values() for name in deck.names}
    assert all(f'"{name}"' in text for name in starters)
