"""The rules of Elestrals, position by position; the numbers are those of the list of test positions."""

from __future__ import annotations

import pytest

from sim.engine import ENDS
from sim.facts import SeatSetup
from sim.game import IllegalMoveError, chance_of, code
from sim.games.elestrals import GAME, codes
from sim.games.elestrals.rulebook import RULES, Rulebook

from .elestrals_position import position

PLAIN3 = "Trifernal"  # 14/3, FFF
PLAIN2 = "Verutaqua"


def fresh(**fields: object) -> Rulebook:
    variant = GAME.default.changed(**fields)  # type: ignore[arg-type]
    return Rulebook(variant, [SeatSetup(0, 0), SeatSetup(5, 1)], chance_of(1, "elestrals", 3))


# ------------------------------------------------------------------------------------------------ setup and turns


def test_el_s4_s5_mulligan_twice() -> None:
    """22: two mulligans leave 16 Spirits, 4 in the Underworld, 5 cards in hand and 35 in the deck."""
    r = fresh()
    for _ in range(2):
        r.apply(code(codes.MULLIGAN))
        while r.rule == "EL-K8":
            r.apply(r.options()[0])
    me = r.players[0]
    assert (me.life, sum(me.lost), len(me.hand), len(me.deck)) == (16, 4, 5, 35)
    assert r.options() == [codes.DONE, code(codes.MULLIGAN)]


def test_el_s5_no_mulligan_without_the_spirits() -> None:
    r = fresh(starting_spirits=3)
    r.apply(code(codes.MULLIGAN))
    r.apply(r.options()[0])
    r.apply(r.options()[0])
    assert r.players[0].life == 1
    assert r.actor == 1
    r = fresh(starting_spirits=2, mulligan_floor=1)
    assert r.rule == "EL-M1"


def test_el_s6_the_first_turn() -> None:
    """11: no draw and no battle for the player who starts; the second player's first turn is complete."""
    r = fresh()
    for _ in range(2):
        r.apply(codes.DONE)
    assert (r.turn, r.active, len(r.players[0].hand), len(r.players[0].deck)) == (1, 0, 5, 35)
    r.apply(code(codes.NEXT))
    while r.rule != "EL-M1":
        assert r.rule != "EL-B1"
        r.apply(codes.DONE)
    assert (r.turn, r.active, len(r.players[1].hand)) == (2, 1, 6)
    r.apply(code(codes.NEXT))
    assert r.rule == "EL-B1"


def test_el_s2_a_random_player_decides() -> None:
    r = fresh(first="chosen")
    assert r.options() == [code(codes.FIRST, 0), code(codes.FIRST, 1)]
    chooser = r.actor
    r.apply(code(codes.FIRST, 0))
    assert r.active == 1 - chooser
    starters = set()
    for deal in range(12):
        variant = GAME.default.changed(first="random")
        starters.add(Rulebook(variant, [SeatSetup(0, 0), SeatSetup(5, 1)], chance_of(1, "elestrals", deal)).active)
    assert starters == {0, 1}


def test_el_x3_an_empty_deck() -> None:
    """10: losing at the draw, before the Main Phase; emptying the deck exactly is fine."""
    g = position(you={"deck": ["Warmite"]}, cards_per_draw_phase=0)
    g.rules.variant = g.rules.variant.changed(cards_per_draw_phase=1)
    g.next_turn()
    assert g.pile(1, "deck") == []
    g.next_turn()
    g.next_turn()
    assert g.rules.over
    with pytest.raises(IllegalMoveError):
        g.rules.apply(codes.DONE)
    assert g.loser == 1
    assert g.rules.turn == 14
    assert g.rules.phase == "draw"
    assert g.rules.uses["EL-X3"] == 1


def test_el_x1_x2_losing_spirits() -> None:
    """9: down to zero is alive; the next forced Expend loses; three of two loses."""
    g = position({"hand": ["Eruption"]}, {"sd": "WWW"}).run("rune Eruption", "pay sd F", "pay sd F")
    assert g.life(1) == 0
    assert not g.rules.over
    g = position({"hand": ["Eruption"]}, {"sd": "WW"}).run("rune Eruption")
    assert g.rules.over
    assert g.loser == 1
    assert g.rules.outcome()["share"] == [27720, 0]
    g = position({"bodies": [("Warmite", "F")]}, {"sd": ""}).run("next", "attack Warmite > deck")
    assert g.loser == 1


def test_el_x4_the_turn_cap() -> None:
    g = position(turn_cap=12)
    g.next_turn().next_turn()
    assert g.rules.outcome()["end"] == [ENDS.index("cap")] * 2
    assert g.rules.outcome()["share"] == [13860, 13860]
    assert g.rules.turns == 12


def test_el_s2_a_match_of_several_games() -> None:
    g = position({"bodies": [("Warmite", "F")]}, {"sd": ""}, match_wins=2).run("next", "attack Warmite > deck")
    assert not g.rules.over
    assert g.rules.wins == [1, 0]
    assert g.rules.actor == 1  # the loser decides
    assert g.rules.options() == [code(codes.FIRST, 0), code(codes.FIRST, 1)]
    g.rules.apply(code(codes.FIRST, 1))
    assert g.rules.active == 1
    assert g.rules.game == 1


# ------------------------------------------------------------------------------------------------ Main Phase


def test_el_m1_m2_normal_actions() -> None:
    """13: cost two is no Normal Cast; one Normal Action; a Special Cast afterwards is legal."""
    g = position({"hand": ["Warmite", "Satymber", "Tadpuff"], "bodies": [("Boombatt", "T")]})
    assert g.can("cast Warmite")
    assert not g.can("cast Satymber")
    assert g.can("ascend Satymber over Boombatt")
    assert g.can("enchant Boombatt")
    assert g.can("draw")
    g.run("cast Warmite", "pay sd F", "position A").quiet()
    assert g.under("Warmite") == "F"
    for text in ("cast Tadpuff", "ascend Satymber", "enchant Boombatt", "draw"):
        assert not g.can(text)
    g = position({"hand": ["Warmite", "Tadpuff"], "sd": "FWW"}).run("cast Warmite", "pay sd F", "position A")
    assert g.quiet().can("route Tadpuff")


def test_el_c1_four_slots() -> None:
    """13: with four bodies no cast, but an Ascend."""
    four = [("Boombatt", "T")] * 4
    g = position({"hand": ["Warmite"], "bodies": four})
    assert not g.can("cast Warmite")
    assert g.can("ascend Warmite over Boombatt")
    g = position({"hand": ["Warmite"], "bodies": four[:2]}, elestral_slots=2)
    assert not g.can("cast Warmite")


def test_el_m3_m6_enchant_and_draw() -> None:
    g = position({"bodies": [("Boombatt", "T")]}).run("enchant Boombatt", "pay sd E").quiet()
    assert g.under("Boombatt") == "ET"
    assert g.life(0) == 9
    g = position({"deck": ["Warmite"]}).run("draw", "pay sd E").quiet()
    assert g.pile(0, "hand") == ["Warmite"]
    assert sum(g.rules.players[0].lost) == 1
    assert not position({"deck": []}).can("draw")


def test_el_m5_positions() -> None:
    g = position({"bodies": [("Boombatt", "T")], "hand": ["Warmite"]})
    g.run("cast Warmite", "pay F", "position D").quiet()
    assert not g.can("turn Warmite")
    g.run("turn Boombatt").quiet()
    assert g.find("Boombatt").position == 1
    assert not g.can("turn Boombatt")


def test_el_k4_misenchanted_on_purpose() -> None:
    g = position({"hand": ["Warmite"], "sd": "WW"}, {"bodies": [("Boombatt", "T")]}).run("cast Warmite", "position A")
    assert g.quiet().under("Warmite") == "W"
    assert not g.can("use Warmite")
    g = position({"hand": ["Warmite", "Satymber"], "sd": "WW", "bodies": [("Boombatt", "W")]}, misenchanted_cast=False)
    assert not g.can("cast Warmite")
    assert not g.can("ascend Satymber")


def test_el_k2_k3_misenchanted_and_under_cost() -> None:
    """8: fire and water under FF: battles, no effects; one Spirit less: gone; FFW is fine."""
    g = position({"bodies": [("Flarachne", "FW"), ("Blazerus", "FFW")]})
    assert not g.rules.working(g.find("Flarachne"))
    assert g.rules.working(g.find("Blazerus"))
    assert g.stats("Flarachne") == (4, 8)
    g.run("next")
    assert g.can("attack Flarachne > deck")
    g.find("Flarachne").spirits[0][1] = 0
    g.rules.settle()
    assert not g.there("Flarachne")
    assert "Flarachne" in g.pile(0, "uw")
    assert g.rules.players[0].lost[2] == 1


def test_el_c4_ascend() -> None:
    """One new Spirit always; the old body's Spirits and donors go under the new one."""
    g = position({"hand": ["Glauby"], "bodies": [("Foamee", "W"), ("Sluggle", "WW"), ("Warmite", "F")]})
    g.run("ascend Glauby over Foamee", "pay sd W", "donor Sluggle W", "done", "position A").quiet()
    assert g.under("Glauby") == "WWW"
    assert g.under("Sluggle") == "W"
    assert g.pile(0, "uw") == ["Foamee"]
    assert g.life(0) == 9
    assert not g.can("turn Glauby")


def test_el_c4_a_donor_may_be_left_under_its_cost() -> None:
    g = position({"hand": ["Majesea"], "bodies": [("Foamee", "W"), ("Sluggle", "W")]})
    g.run("ascend Majesea over Foamee", "pay sd W", "donor Sluggle W", "position D").quiet()
    assert g.under("Majesea") == "WWW"
    assert not g.there("Sluggle")
    assert not position({"hand": ["Majesea"], "bodies": [("Foamee", "W")]}).can("ascend Majesea")


def test_el_c4_lower_cost_is_allowed() -> None:
    g = position({"hand": ["Foamee"], "bodies": [("Majesea", "WWW")]})
    g.run("ascend Foamee over Majesea", "pay sd E", "position A").quiet()
    assert g.under("Foamee") == "EWWW"


def test_el_c2_a_negated_cast() -> None:
    """18: card and Spirit to the Underworld, the Normal Action spent, no trigger, no refund."""
    g = position({"hand": ["Elechik"], "deck": ["Zeus"]}, {"set": ["Dense Fog"]})
    g.run("cast Elechik", "pay sd T", "position A")
    assert g.rules.actor == 1  # Dense Fog could be cast: the chain is open
    g.rules.links[0].negated = True
    g.run("pass")
    assert g.pile(0, "uw") == ["Elechik"]
    assert g.pile(0, "hand") == []
    assert g.rules.players[0].lost[4] == 1
    assert not g.can("enchant")
    assert g.rules.players[0].normal_actions == 0


def test_el_c2_a_negated_ascend() -> None:
    """18: the old body is already gone; the new one and all Spirits follow."""
    g = position({"hand": ["Glauby"], "bodies": [("Foamee", "WW")]}, {"set": ["Dense Fog"]})
    g.run("ascend Glauby over Foamee", "pay sd W", "position A")
    g.rules.links[0].negated = True
    g.run("pass")
    assert g.pile(0, "uw") == ["Foamee", "Glauby"]
    assert g.rules.players[0].lost[2] == 3


# ------------------------------------------------------------------------------------------------ Runes


def test_el_m4_r2_r4_set() -> None:
    """14: Counter and Invoke Set now; the Counter in the other's next turn, the Invoke in the own one after."""
    me = {"hand": ["Dense Fog", "Ambrosia", "Ambrosia"], "lost": "EE"}
    g = position(me).run("set Dense Fog").quiet().run("set Ambrosia").quiet()
    assert not g.can("counter Dense Fog")
    assert not g.can("flip Ambrosia")
    assert g.can("rune Ambrosia")
    assert not g.can("rune Dense Fog")
    g.next_turn()
    g.next_turn()
    assert g.can("flip Ambrosia")
    assert g.can("counter Dense Fog")


def test_el_r4_a_counter_answers_in_the_next_turn() -> None:
    g = position({"hand": ["Dense Fog"]}, {"hand": ["Warmite"]}).run("set Dense Fog")
    g.next_turn()
    g.run("cast Warmite", "pay sd F", "position A")
    assert g.rules.actor == 0
    assert g.can("counter Dense Fog")


def test_el_k1_paying_from_the_field() -> None:
    """20: an Invoke paid from a body with one Spirit sends the body away; it is not destroyed."""
    me = {"hand": ["Ambrosia"], "bodies": [("Khafmel", "S")], "lost": "SSS"}
    g = position(me).run("rune Ambrosia", "pay Khafmel S").run("pay uw S", "pay uw S", "pay uw S").quiet()
    assert not g.there("Khafmel")
    assert g.life(0) == 13
    assert g.rules.players[0].lost[7] == 1  # nothing triggered: its own Spirit is still there
    assert g.rules.rule == "EL-M1"


def test_el_r5_stadiums() -> None:
    """16: the old Stadium leaves before responses; a negated new one does not bring it back."""
    me, you = {"hand": ["Atlantis"], "bodies": [("Foamee", "W")]}, {"stadium": ("Foloi Forest", "E")}
    g = position(me, you).run("rune Atlantis").quiet()
    assert g.there("Atlantis")
    assert not g.there("Foloi Forest")
    assert g.stats("Foamee") == (3, 4)
    g = position(me, {**you, "set": ["Dense Fog"]}).run("rune Atlantis")
    g.rules.links[0].negated = True
    g.run("pass")
    assert not g.there("Atlantis")
    assert not g.there("Foloi Forest")


def test_el_r6_a_full_row() -> None:
    """Only an Invoke may still be cast from the hand; the Rune that makes room may pay for it."""
    runes = [("Poseidon", "WW")]
    me = {"hand": ["Nectar of the Gods", "Zeus", "Dense Fog"], "set": ["Tsunami"] * 3, "runes": runes}
    g = position(me)
    assert not g.can("rune Zeus")
    assert not g.can("set Dense Fog")
    g.run("rune Nectar of the Gods", "giveup Poseidon", "pay Poseidon W", "pay Poseidon W").quiet()
    assert g.life(0) == 10
    assert not g.there("Poseidon")
    assert len(g.pile(0, "hand")) == 4
    g = position({**me, "set": ["Tsunami"] * 4, "runes": []}, give_up_face_down=False)
    assert not g.can("rune Nectar of the Gods")


def test_el_r7_an_artifact_goes_with_its_host() -> None:
    me = {"bodies": [("Foamee", "W")], "runes": [("Trident of Poseidon", "WW", "Foamee")], "hand": ["Glauby"]}
    g = position(me).run("ascend Glauby over Foamee", "pay sd W", "position A").quiet()
    assert not g.there("Trident of Poseidon")
    assert "Trident of Poseidon" in g.pile(0, "uw")


def test_el_k5_a_misenchanted_rune() -> None:
    g = position({"runes": [("Zeus", "WW")]}, {"bodies": [("Foamee", "W")]})
    assert not g.can("use Zeus")
    assert g.there("Zeus")
    g = position({"runes": [("Zeus", "WW")]}, misenchanted_rune="leaves")
    g.run("draw", "pay sd E")
    assert not g.there("Zeus")


# ------------------------------------------------------------------------------------------------ Nexus


def test_el_f11_nexus() -> None:
    """21: not from a Set card, not to the same card; a receiver that has left gets nothing."""
    me = {
        "hand": ["Circle the Sky"],
        "bodies": [("Foamee", "WW"), ("Sluggle", "W"), ("Kindleo", "F")],
        "set": ["Tsunami"],
    }
    g = position(me).run("rune Circle the Sky", "pay sd E", "from Foamee", "pay Foamee W", "done")
    assert not g.can("to Foamee")
    assert not g.can("to Tsunami")
    g.run("to Sluggle", "no").quiet()
    assert g.under("Sluggle") == "WW"
    assert not position({"hand": ["Circle the Sky"], "bodies": [("Foamee", "WW")]}).can("rune Circle the Sky")
    me = {"bodies": [("Gnawbie", "L")], "runes": [("Bow of Artemis", "L", "Gnawbie"), ("Artemis", "LL")]}
    g = position(me, {"bodies": [("Foamee", "W")], "set": ["Gorgon's Gaze"]})
    g.run("next", "attack Gnawbie > Foamee", "answer Bow of Artemis", "counter Gorgon's Gaze", "target Gnawbie").quiet()
    assert g.under("Artemis") == "LL"  # the receiver may not be Enchanted any more: nothing moves


# ------------------------------------------------------------------------------------------------ battle


def fight(mine: tuple[str, str, int, int], theirs: tuple[str, str, str, int, int], **fields: object) -> object:
    name, spirits, attack, defence = mine
    other, under, pos, a, d = theirs
    settings = {
        f"card.{name}.attack": attack,
        f"card.{name}.defence": defence,
        f"card.{other}.attack": a,
        f"card.{other}.defence": d,
        **fields,
    }
    g = position({"bodies": [(name, spirits)]}, {"bodies": [(other, under, pos)], "sd": "W" * 10}, **settings)
    return g.run("next", f"attack {name} > {other}").quiet()


def test_el_b6_b14_differences() -> None:
    """1: a stronger attacker with more Spirits makes the other Expend the difference. 4: and the other way round."""
    g = fight(("Frosmite", "RR", 7, 1), ("Jolten", "T", "A", 4, 1))
    assert not g.there("Jolten")
    assert g.life(1) == 9
    g = fight(("Frosmite", "R", 3, 1), ("Jolten", "TTT", "A", 5, 1))
    assert not g.there("Frosmite")
    assert g.life(0) == 8
    g = fight(("Frosmite", "RR", 7, 1), ("Jolten", "TTT", "A", 4, 1))
    assert g.life(1) == 10
    g = fight(("Frosmite", "RRR", 4, 1), ("Jolten", "T", "A", 4, 1))
    assert not g.there("Jolten")
    assert not g.there("Frosmite")
    assert (g.life(0), g.life(1)) == (10, 8)


def test_el_b8_defence_position() -> None:
    """5: nine against a defence of eight destroys without Expend; against nine nothing happens."""
    g = fight(("Frosmite", "RRRR", 9, 1), ("Jolten", "T", "D", 4, 8))
    assert not g.there("Jolten")
    assert g.life(1) == 10
    g = fight(("Frosmite", "RRRR", 9, 1), ("Jolten", "T", "D", 4, 9))
    assert g.there("Jolten")
    assert g.there("Frosmite")
    assert (g.life(0), g.life(1)) == (10, 10)


def test_el_b12_b13_direct_hits_and_zero() -> None:
    """6: a direct hit takes as many Spirits as lie underneath, whatever the attack; zero takes none."""
    for attack, life in ((1, 7), (0, 10)):
        g = position({"bodies": [("Frosmite", "RRR")]}, **{"card.Frosmite.attack": attack})
        g.run("next", "attack Frosmite > deck").quiet()
        assert g.life(1) == life
    g = fight(("Frosmite", "R", 0, 1), ("Jolten", "T", "A", 0, 1))
    assert g.there("Jolten")
    assert g.there("Frosmite")
    g = fight(("Frosmite", "R", 0, 1), ("Jolten", "TT", "A", 3, 1))
    assert not g.there("Frosmite")
    assert g.life(0) == 9


def test_el_b1_attacks() -> None:
    g = position({"bodies": [("Frosmite", "R"), ("Foamee", "W", "D")]}, {"bodies": [("Jolten", "T", "D")]}).run("next")
    assert g.can("attack Frosmite > Jolten")
    assert not g.can("attack Frosmite > deck")
    assert not g.can("attack Foamee")
    g.run("attack Frosmite > Jolten").quiet()
    assert not g.can("attack Frosmite")


def test_el_b3_an_illegal_attack_is_taken_back() -> None:
    """Tsunami turns the attacker before it enters battle; turned back it may attack again."""
    g = position({"bodies": [("Frosmite", "R"), ("Kindleo", "F")]}, {"set": ["Tsunami"]})
    g.run("next", "attack Frosmite > deck", "counter Tsunami").quiet()
    assert g.find("Frosmite").position == 1
    assert g.find("Frosmite").attacks == 0
    assert g.life(1) == 9  # only Tsunami's own Spirit
    assert not g.can("attack Frosmite")


def test_el_b5_positions_are_frozen() -> None:
    g = position({"bodies": [("Frosmite", "R")]}, {"set": ["Tsunami"], "bodies": [("Foamee", "W", "D")]})
    g.run("next", "attack Frosmite > Foamee", "pass", "counter Tsunami").quiet()
    assert g.find("Frosmite").position == 0
    assert g.rules.uses["EL-B5"] > 1


def test_el_b7_the_lone_survivor() -> None:
    """The defender leaves by an answer: the attacker hits the Spirit Deck; a defender left in Attack Position too."""
    me = {"bodies": [("Frosmite", "RR")]}
    g = position(me, {"bodies": [("Necruff", "F")], "set": ["Dense Fog"], "sd": "LFFFFF"})
    g.run("next", "attack Frosmite > Necruff", "pass")
    assert g.rules.rule == "EL-B5"
    g.rules.leave(g.find("Necruff"))
    g.run("pass").quiet()
    assert g.life(1) == 4
    for pos, life in (("A", 8), ("D", 10)):
        g = position(me, {"bodies": [("Necruff", "FF", pos)], "set": ["Dense Fog"], "sd": "L"})
        g.run("next", "attack Frosmite > Necruff", "pass")
        g.rules.leave(g.find("Frosmite"))
        g.run("pass").quiet()
        assert g.life(0) == life


def test_el_b7_both_gone() -> None:
    g = position({"bodies": [("Frosmite", "RR")]}, {"bodies": [("Necruff", "F")], "set": ["Dense Fog"], "sd": "LF"})
    g.run("next", "attack Frosmite > Necruff", "pass")
    g.rules.leave(g.find("Necruff"))
    g.rules.leave(g.find("Frosmite"))
    g.run("pass").quiet()
    assert (g.life(0), g.life(1)) == (10, 2)


def test_el_b4_a_negated_attack_is_used_up() -> None:
    you = {"set": ["Shield of Achilles"], "sd": "WWWW"}
    g = position({"bodies": [("Frosmite", "R"), ("Foamee", "W")]}, you)
    g.run("next", "attack Frosmite > deck", "counter Shield of Achilles").quiet()
    assert g.pile(0, "hand") == ["Frosmite"]
    assert g.life(1) == 2
    assert g.can("attack Foamee > deck")


# ------------------------------------------------------------------------------------------------ chains


def test_el_h2_h8_newest_link_first() -> None:
    """Gorgon's Gaze answers a use of Boombatt's ability and negates it; cost and use are spent."""
    g = position({"bodies": [("Boombatt", "TT")]}, {"bodies": [("Foamee", "W")], "set": ["Gorgon's Gaze"]})
    g.run("use Boombatt", "target Foamee")
    assert g.rules.actor == 1
    g.run("counter Gorgon's Gaze", "pay sd E", "pay sd F", "target Boombatt").quiet()
    assert g.there("Foamee")
    assert g.under("Boombatt") == "T"
    assert not g.can("use Boombatt")
    assert g.rules.suppressed(g.find("Boombatt"))


def test_el_h2_the_turn_player_is_asked_first_then_in_turn() -> None:
    g = position(
        {"bodies": [("Boombatt", "TT")], "set": ["Dense Fog"]}, {"bodies": [("Foamee", "W")], "set": ["Dense Fog"]}
    )
    g.run("use Boombatt", "target Foamee")
    assert g.rules.actor == 0
    g.run("pass")
    assert g.rules.actor == 1
    g.run("counter Dense Fog")
    assert g.rules.actor == 0
    g.run("pass").quiet()
    assert g.pile(1, "uw") == ["Dense Fog", "Foamee"]


def test_el_f4_a_lost_target() -> None:
    """Partial resolution: one of two targets has left, the other is destroyed."""
    me = {"bodies": [("Galvenom", "TT")], "sd": "TTTT"}
    g = position(me, {"bodies": [("Foamee", "W"), ("Sluggle", "W")], "set": ["Dense Fog"]})
    g.run("use Galvenom", "target Foamee", "target Sluggle")
    g.rules.leave(g.find("Foamee"))
    g.run("pass").quiet()
    assert not g.there("Sluggle")


def test_el_h5_triggers_wait_for_the_next_chain() -> None:
    """A kill trigger in the middle of a chain is put onto the next one; the turn player's go first."""
    me = {"bodies": [("Boombatt", "TT"), ("Hummbust", "F")], "hand": ["Ambrosia"], "lost": "E"}
    g = position(me, {"bodies": [("Hummbust", "F")], "deck": ["Warmite"] * 8})
    g.run("rune Ambrosia", "pay sd E", "pay uw E")
    assert len(g.pile(1, "deck")) == 6
    assert g.rules.uses["EL-H5"] == 2


def test_el_p3_durations_end_when_the_next_turn_begins() -> None:
    g = position({"bodies": [("Warmite", "F")]}, {"bodies": [("Jolten", "T")]}).run("use Warmite", "target Jolten")
    assert g.quiet().stats("Jolten") == (0, 2)
    g.next_turn()
    assert g.stats("Jolten") == (4, 2)


def test_el_k9_tax() -> None:
    g = position({"hand": ["Warmite"], "sd": "FW"}, {"bodies": [("Pharogeist", "LLS")]})
    g.run("cast Warmite", "pay sd W", "pay sd F", "position A").quiet()
    assert g.life(0) == 0
    assert g.under("Warmite") == "F"
    assert not position({"hand": ["Warmite"], "sd": "F"}, {"bodies": [("Pharogeist", "LLS")]}).can("cast Warmite")


# ------------------------------------------------------------------------------------------------ the rest


def test_numbers_of_the_variant() -> None:
    g = position({"bodies": [("Majesea", "WWW")]}, **{"card.Majesea.attack": 8, "card.Majesea.cost": "WW"})
    assert g.stats("Majesea") == (11, 14)
    assert g.find("Majesea").card.total == 2
    r = fresh(starting_spirits=12, opening_hand=7)
    assert (r.players[0].life, len(r.players[0].hand)) == (12, 7)
    g = position({"hand": ["Warmite", "Foamee"]}, normal_actions=2).run("cast Warmite", "pay sd F", "position A")
    assert g.quiet().can("cast Foamee")


def test_the_payment_helper() -> None:
    g = position({"hand": ["Nectar of the Gods"], "sd": "FFWW", "bodies": [("Foamee", "WW")]}, payment="helper")
    g.run("rune Nectar of the Gods").quiet()
    assert (g.life(0), g.under("Foamee")) == (2, "WW")
    assert g.rules.players[0].lost[1:3] == [1, 1]


def test_off_a_card_keeps_everything_but_its_text() -> None:
    g = position({"bodies": [("Warmite", "F")]}, {"bodies": [("Jolten", "T")]}, off="warmite")
    assert not g.can("use Warmite")
    assert g.stats("Warmite") == (3, 1)
    g = position({"hand": ["Nectar of the Gods"]}, off="nectar-of-the-gods").run("rune Nectar of the Gods").quiet()
    assert g.pile(0, "hand") == []


def test_a_move_that_is_not_offered_names_the_rule() -> None:
    r = fresh()
    with pytest.raises(IllegalMoveError, match="EL-S5"):
        r.apply(code(codes.CAST, 3))


def test_every_rule_id_of_the_table_is_in_the_code_and_the_other_way_round() -> None:
    import re
    from pathlib import Path

    folder = Path(GAME.folder)
    text = "".join(p.read_text(encoding="utf-8") for p in folder.glob("*.py"))
    used = set(re.findall(r'"(EL-[A-Z][0-9]+)"', text))
    assert set(RULES) <= used
    fields = {f.rule for f in GAME.fields if f.rule} | {r.rule for r in GAME.readings}
    assert all(re.fullmatch(r"EL-[A-Z][0-9]+", rule) for rule in fields)


def test_a_waiting_effect_is_lost_with_its_card() -> None:
    """EL-H6: Hummbust hears the Counter that resolves first, and is destroyed by the link below it."""
    me = {"hand": ["Earthquake"], "bodies": [("Foamee", "WW")], "sd": "EE"}
    you = {"bodies": [("Hummbust", "F"), ("Oystress", "WW")], "set": ["Altar of Stars"], "sd": "L"}
    g = position(me, you).run("rune Earthquake", "target Hummbust", "counter Altar of Stars", "pay sd L")
    g.run("from Oystress", "pay Oystress W", "to Hummbust").quiet()
    assert not g.there("Hummbust")
    assert "Altar of Stars" in g.pile(1, "uw")
    assert not any("Hummbust triggers" in line for line in g.rules.story)
    g = position(me, you).run("rune Earthquake", "target Foamee", "counter Altar of Stars", "pay sd L")
    g.run("from Oystress", "pay Oystress W", "to Hummbust", "no", "trigger Hummbust")
    assert any("Hummbust triggers" in line for line in g.rules.story)


@pytest.mark.parametrize(("spirits", "offered"), [("R", False), ("RT", False), ("RR", True)])
def test_a_route_that_must_match_keeps_its_new_spirit(spirits: str, offered: bool) -> None:
    """EL-K4: Raiceridge costs TR; the Frost Spirit of its way into play cannot be the new one as well."""
    me = {"bodies": [("Raiceros", "T")], "hand": ["Raiceridge"], "sd": spirits}
    g = position(me, misenchanted_cast=False)
    assert g.can("route Raiceridge") == offered
    if offered:
        g.run("route Raiceridge", "pay sd R", "pay sd R", "position A").quiet()
        assert sorted(g.under("Raiceridge")) == ["R", "T"]


@pytest.mark.parametrize(("under", "offered"), [("L", False), ("LI", False), ("LL", True)])
def test_a_route_that_must_match_counts_what_its_cost_takes(under: str, offered: bool) -> None:
    """EL-K4: Pulveroar costs LL; the Spirit that its way into play Disenchants is not there any more."""
    me = {"bodies": [("Gnawbie", under)], "hand": ["Pulveroar"], "sd": "LL"}
    g = position(me, misenchanted_cast=False)
    assert g.can("route Pulveroar") == offered
    if offered:
        g.run("route Pulveroar", "target Gnawbie", "pay Gnawbie L", "pay sd L", "position A").quiet()
        assert g.under("Pulveroar") == "LL"
