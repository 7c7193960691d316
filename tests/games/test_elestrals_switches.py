"""What each switch of Elestrals changes, in a position where it does; the other switches stand beside their rules."""

from __future__ import annotations

from .elestrals_position import position


def test_cost_check() -> None:
    """Boombatt under its cost is gone before anybody answers, or only after the link."""
    me = {"bodies": [("Boombatt", "T")]}
    you = {"bodies": [("Foamee", "W")], "set": ["Dense Fog"], "sd": "L"}
    g = position(me, you).run("use Boombatt", "target Foamee")
    assert not g.there("Boombatt")
    g = position(me, you, cost_check="link").run("use Boombatt", "target Foamee")
    assert g.there("Boombatt")
    g.run("pass").quiet()
    assert not g.there("Boombatt")


def test_trigger_order() -> None:
    """Both Hummbusts hear of the Rune; whose goes onto the chain first resolves last."""
    me = {"bodies": [("Hummbust", "FF"), ("Foamee", "W")], "hand": ["Circle the Sky"], "sd": "EE"}
    for order, last in (("turn_player", "Yours"), ("other", "Mine")):
        g = position(me, {"bodies": [("Hummbust", "F")]}, trigger_order=order)
        g.run("rune Circle the Sky", "pay sd E", "done").quiet()
        lines = [line for line in g.rules.story if "Hummbust triggers" in line]
        assert len(lines) == 2
        assert lines[1].startswith(last)


def test_target_recheck() -> None:
    """Polarachne has left; its own -2 was what made the target weak enough."""
    me = {"bodies": [("Polarachne", "RR")], "sd": "R"}
    you = {"bodies": [("Jolten", "T")], "set": ["Dense Fog"], "sd": "L"}
    for recheck in (True, False):
        g = position(me, you, target_recheck=recheck).run("use Polarachne", "target Jolten")
        g.rules.leave(g.find("Polarachne"))
        g.run("pass").quiet()
        assert g.there("Jolten") == recheck


def test_ascend_this() -> None:
    me = {"bodies": [("Foamee", "W")], "hand": ["Khafmel"], "lost": "SSSS", "sd": "S"}
    g = position(me).run("ascend Khafmel over Foamee", "position A")
    assert not g.can("trigger Khafmel")
    g = position(me, ascend_this="new_body").run("ascend Khafmel over Foamee", "position A", "trigger Khafmel").quiet()
    assert g.life(0) == 3


def test_receive_on_cast() -> None:
    me = {"hand": ["Toxion"], "sd": "T"}
    assert position(me).run("cast Toxion", "position A").quiet().life(1) == 10
    assert position(me, receive_on_cast=True).run("cast Toxion", "position A").quiet().life(1) == 9


def test_piercing() -> None:
    me = {"bodies": [("Gnawbie", "LLL")], "runes": [("Bow of Artemis", "L", "Gnawbie")]}
    you = {"bodies": [("Warmite", "F", "D")]}
    for piercing, life in (("difference", 8), ("full", 7)):
        g = position(me, you, piercing=piercing).run("next", "attack Gnawbie > Warmite").quiet()
        assert g.life(1) == life


def test_set_is_play() -> None:
    you = {"bodies": [("Pharogeist", "LLS")]}
    g = position({"hand": ["Tsunami"], "sd": "E"}, you).run("set Tsunami").quiet()
    assert g.life(0) == 1
    g = position({"hand": ["Tsunami"], "sd": "E"}, you, set_is_play=True).run("set Tsunami").quiet()
    assert g.life(0) == 0
    assert not position({"hand": ["Tsunami"], "sd": ""}, you, set_is_play=True).can("set Tsunami")


def test_named_in_play() -> None:
    me = {"bodies": [("Centaurbor", "EEE")], "hand": ["Earthquake"], "sd": "EE"}
    you = {"stadium": ("Foloi Forest", "E")}
    assert not position(me, you).can("rune Earthquake")
    assert position(me, you, named_in_play="own").can("rune Earthquake")


def test_steal_home_full() -> None:
    for way, seat in (("underworld", None), ("stay", 0)):
        me = {"bodies": [("Carryoff", "IL")], "sd": "LL"}
        you = {"bodies": [("Necruff", "F"), *[("Foamee", "W")] * 3], "hand": ["Sluggle"], "sd": "WW"}
        g = position(me, you, steal_home_full=way).run("use Carryoff", "target Necruff")
        g.rules.put_body(1, g.rules.players[1].deck.pop(), 0, 0, [(0, 2, 1)], limbo=False)
        g.rules.purse = [0, 0]
        g.next_turn()
        assert g.there("Necruff") == (seat is not None)
        if seat is not None:
            assert g.find("Necruff").seat == seat
        else:
            assert "Necruff" in g.pile(1, "uw")


def test_lock_ends_when_misenchanted() -> None:
    for ends in (True, False):
        g = position({"bodies": [("Chillalotl", "R")]}, {"set": ["Tsunami"]}, lock_ends_when_misenchanted=ends)
        p, lock = g.find("Tsunami"), g.find("Chillalotl")
        from sim.games.elestrals.rulebook_table import Change

        p.changes.append(Change("lock", source=lock))
        assert g.rules.changes(p, "lock")
        lock.spirits[0] = [1, 0, 0, 0, 0, 0, 0, 0]
        assert bool(g.rules.changes(p, "lock")) != ends


def test_negated_attack_counts() -> None:
    """Mosstacean whose attack was negated goes to Defence Position in the End Phase, or not."""
    you = {"bodies": [("Raiceridge", "TR")], "sd": "T"}
    for counts, position_ in ((True, 1), (False, 0)):
        g = position({"bodies": [("Mosstacean", "E")]}, you, negated_attack_counts=counts)
        g.run("next", "attack Mosstacean > Raiceridge", "answer Raiceridge").quiet()
        assert not g.can("attack Mosstacean")
        g.next_turn()
        assert g.find("Mosstacean").position == position_


def test_rune_leaves() -> None:
    """A destroyed Artifact is heard as such, a sent one is not."""
    me = {
        "bodies": [("Foamee", "W")],
        "runes": [("Trident of Poseidon", "WW", "Foamee")],
        "hand": ["Sluggle"],
        "sd": "W",
    }
    for way, heard in (("destroyed", 1), ("sent", 0)):
        g = position(me, rune_leaves=way)
        events = []
        emit = g.rules.emit
        g.rules.emit = lambda event, emit=emit, events=events: (events.append(event.word), emit(event))  # type: ignore
        g.run("ascend Sluggle over Foamee", "position A").quiet()
        assert events.count("die") == heard


def test_foretell_shuffle_and_first_turn() -> None:
    me = {"runes": [("Apollo", "SS")], "deck": ["Warmite", "Foamee", "Sluggle", "Eddy"]}
    g = position(me, foretell_rest="shuffle")
    shuffles = g.rules.players[0].shuffles
    g.run("use Apollo").quiet()
    assert g.rules.players[0].shuffles == shuffles + 1
