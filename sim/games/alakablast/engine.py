"""Alakablast: the fast engine, a step machine over one record.

Axes: seats 0 to 4 everywhere (a game of fewer leaves the rest alone); slots of all hands in one row, slot `j` of seat
`q` at `SLOT_MAX * q + j`; `held`, `open`, `fresh` and `askable` have a bit per slot. Masks of cards have bit `place`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim import rng
from sim.bits import lowest, popcount
from sim.engine import DECIDE, END_ALL_WIN, END_CAP, END_TIE, END_WON, OVER, ROUND, SKILLED, WHOLE, named, record
from sim.game import Engine, Lookahead, tag_of
from sim.games.alakablast.numbers import (
    ASK,
    CHAIN_MAX,
    CHALLENGE,
    CLUE_CARD,
    ELEMENT,
    FORGET,
    GAME_COLUMNS,
    INFORMANT,
    LATER,
    LEVEL,
    LEVEL_MAX,
    NAME,
    NOTHING,
    OFFSETS,
    PLACES,
    PLAY,
    ROUND_COLUMNS,
    SLOT_MAX,
    SPECIAL,
    STEP_CLUE_CARD,
    STEP_CLUE_TELL,
    STEP_FIRST,
    STEP_INFORMANT,
    STEP_SECOND,
    STEP_TELL,
    STEP_TURN,
    STEP_TYPE,
    TELL,
    TYPE,
    deal_of,
    level_lists,
    slots_of,
)
from sim.jit import kernel
from sim.variant import Variant

SEATS = 5
ARG = 1 << 10
K_ASK, K_CHALLENGE, K_NAME, K_TELL, K_CLUE_CARD, K_TYPE, K_PLAY = (
    kind << 20 for kind in (ASK, CHALLENGE, NAME, TELL, CLUE_CARD, TYPE, PLAY)
)
LIGHT, SHADOW = 3, 4
A_LIGHT, A_SHADOW, A_CLUE, A_STAKES, A_REDRAW = range(5)  # bits of the abilities
OPEN, IS_SPECIAL, IS_BASIC = range(3)  # what the holder has been told of a card's being special
STRENGTHS = LEVEL_MAX + 2  # how levels count in a duel: 0 to 16
RACE = 4.0  # how steeply the chance to win grows with the part of the target that a seat has reached
BOLD = 3.0  # how much likelier a challenger is thought to have chosen a card that it takes to be better
# Others know their private cards and not their public ones, the thinking seat the other way round: one tree for all
# would have them play what they cannot know.
LOOKAHEAD = Lookahead(policies=(SKILLED,), mix=0.05, c=0.4, model_others=True)
MAX_ROUNDS = 2000  # a duel takes a turn

# What follows a step that is not a decision, after the STEP_ numbers.
P_TURN, P_DUEL_OVER, P_AFTER, P_OVER = range(8, 12)

# Values of switches in the rules record.
COMMITTEE, CHOSEN, NEXT, RANDOM_ONE = range(4)
PUBLIC, PRIVATE, IN_TURN = range(3)
RESHUFFLED, PLAY_SHORT, GAME_ENDS = range(3)
L_WINS, S_WINS, L_S_TIE = range(3)
SPLIT, WIN, NONE = range(3)

TAG = tag_of("alakablast", __name__)

# What a holder knows of an own public card.
MEMORY = record(
    ("not_level", "i4"),  # bit v: the level is not v
    ("element", "i1"),  # -1 unknown, 0 to 2
    ("level", "i1"),  # 0 unknown, 1 to 15
    ("special", "i1"),
    ("not_element", "i1"),  # bit e
)
PUB = record(
    (TAG, "i1"),
    ("discards", "i8"),
    ("stock_from", "i8"),  # the cards that the stock was made of: all, or the discard pile last shuffled
    ("off", "i8", (SEATS,)),  # abilities switched off
    ("told", MEMORY, (SEATS * SLOT_MAX,)),  # what was said aloud: the memory of a holder who forgets nothing
    ("turn", "i2"),
    ("stock_n", "i2"),
    ("gems", "i2", (SEATS,)),
    ("held", "u1", (SEATS,)),
    ("open", "u1", (SEATS,)),  # slots with public cards
    ("fresh", "u1", (SEATS,)),  # slots with cards out of the stock as it was last made
    ("last_target", "i1", (SEATS,)),
    ("asks_since", "u1", (SEATS,)),
    ("after", "u1", (SEATS,)),
    ("actor", "i1"),
    ("step", "i1"),
    ("last_step", "i1"),  # the step decided last: what `visible` shows of a game that is over
    ("n", "i1"),
    ("turn_seat", "i1"),
    ("other", "i1"),  # the challenged seat
    ("holder", "i1"),  # whose card a telling is about
    ("slot", "i1"),  # which one
    ("said_element", "i1"),  # what the holder says to know of it: -1 or the element, 0 or the level, 1 special
    ("said_level", "i1"),
    ("said_special", "i1"),
    ("askable", "u1"),  # slots that the asker, or the challenged, says to have something to learn of
    ("feature", "i1"),
    ("chain", "i1"),  # round of the duel
    ("clued", "i1"),
    ("leader", "i1"),
    ("duels", "i2"),
    ("winner", "i1"),  # of the duel that is over, -1 nobody
    ("ending", "i1"),  # 1: the game is over after the round row
)
PRIV = record(
    ("own", "i8"),  # mask of the own private cards
    ("shown", "i8"),  # mask of the others' public cards
    ("memory", MEMORY, (SLOT_MAX,)),
    ("hand", "i1", (SLOT_MAX,)),  # own private cards, else -1
    ("seen", "i1", (SEATS * SLOT_MAX,)),  # the others' public cards, else -1
)
HID = record(
    ("key", "u8"),
    ("hand", "i1", (SEATS * SLOT_MAX,)),  # the truth, -1 an empty slot
    ("stock", "i1", (PLACES + 3,)),  # from the bottom to the top
    ("perm", "i1", (PLACES + 3,)),
    ("packet", "i1", (SEATS,)),
    ("first", "i1"),  # slot of the challenger's card, not yet shown
    ("reshuffles", "i2"),
    ("last", "i1", (SEATS * 3,)),  # how the last card played was held, its element + 1, its level; for the round row
)
GAME_ROW = record(*((name, kind) for name, kind in GAME_COLUMNS))
ROUND_ROW = record(*((name, kind) for name, kind in ROUND_COLUMNS))
RULES = record(
    (TAG, "i1"),
    ("forget", "f8"),
    ("deck", "i8"),
    ("specials", "i8"),
    ("by_element", "i8", (5,)),
    ("by_level", "i8", (LEVEL_MAX + 1,)),  # the cards that a clue of this level can be about
    ("by_strength", "i8", (STRENGTHS,)),
    ("element", "i1", (PLACES,)),
    ("level", "i1", (PLACES,)),  # as a clue tells it; 0 for a card without level
    ("strength", "i1", (PLACES,)),  # as it counts in a level duel
    ("levels", "i1", (LEVEL_MAX,)),  # the levels in the deck, ascending
    ("n_levels", "i1"),
    ("n", "i1"),
    ("slots", "i1"),
    ("hand_size", "i1"),
    ("n_private", "i1"),
    ("n_public", "i1"),
    ("setup_discard", "i1"),
    ("target", "i1"),
    ("stakes", "i1", (8,)),
    ("n_stakes", "i1"),
    ("max_turns", "i2"),
    ("allow_ask", "i1"),
    ("null_ask", "i1"),
    ("informant", "i1"),
    ("deducible", "i1"),
    ("touch_specials", "i1"),
    ("special_touches", "i1"),
    ("no_repeat", "i1"),
    ("clue_first", "i1"),
    ("challenger_picks", "i1"),
    ("light_shadow", "i1"),
    ("redraw_in_tie", "i1"),
    ("all_tie_worth", "i1"),
    ("short_no_gem", "i1"),
    ("redraw_winner", "i1"),
    ("redraw_loser", "i1"),
    ("loser_first", "i1"),
    ("stock_out", "i1"),
)
STATE = record(
    (TAG, "i1"),
    ("pub", PUB),
    ("priv", PRIV, (SEATS,)),
    ("hid", HID),
    ("game_row", GAME_ROW, (SEATS,)),
    ("round_row", ROUND_ROW, (SEATS,)),
)


def state(seats: int) -> np.dtype[Any]:
    """Return the state's record type; it is the same for all numbers of seats."""
    return STATE


def make_rules(variant: Variant, seats: int) -> np.ndarray[Any, Any]:
    """Return the rules record (array of one) of a variant."""
    made = np.zeros(1, RULES)
    r = made[0]
    _make_cards(r, variant)
    r["n"] = seats
    r["slots"] = slots_of(variant, seats)
    r["n_private"], r["n_public"] = deal_of(variant, seats)
    r["setup_discard"] = variant["setup_discard"][seats - 2]
    r["target"] = variant["target"][seats - 2]
    r["stakes"][: len(variant["stakes"])] = variant["stakes"]
    r["n_stakes"] = len(variant["stakes"])
    r["forget"] = variant["forget_prob"]
    for key in ("hand_size", "max_turns", "allow_ask", "touch_specials", "redraw_in_tie"):
        r[key] = variant[key]
    r["null_ask"] = variant["allow_null_ask"]
    r["special_touches"] = variant["special_clue_touches"]
    r["no_repeat"] = variant["no_repeat_target"]
    r["clue_first"] = variant["clue_before_type"]
    r["deducible"] = variant["known"] == "deducible"
    r["challenger_picks"] = variant["clue_card_by"] == "challenger"
    r["short_no_gem"] = variant["short_hand_tie"] == "no_gem"
    r["loser_first"] = variant["draw_first"] == "loser"
    ways = ("public", "private", "in_turn")
    r["redraw_winner"] = ways.index(variant["redraw_winner"])
    r["redraw_loser"] = ways.index(variant["redraw_loser"])
    r["informant"] = ("committee", "chosen", "next", "random").index(variant["informant"])
    r["light_shadow"] = ("light", "shadow", "tie").index(variant["light_vs_shadow"])
    r["all_tie_worth"] = ("split", "win", "none").index(variant["all_tie_worth"])
    r["stock_out"] = ("reshuffle", "play_short", "game_ends").index(variant["stock_out"])
    return made


def _make_cards(r: Any, variant: Variant) -> None:
    numbered = variant["special_level"] == "number"
    levels: set[int] = set()
    for e, listed in enumerate(level_lists(variant)):
        for i, number in enumerate(listed):
            place = OFFSETS[e] + i
            bare = e >= LIGHT and not numbered
            level = 0 if bare else number
            strength = (LEVEL_MAX + 1 if e == LIGHT else 0) if bare else number
            r["element"][place], r["level"][place], r["strength"][place] = e, level, strength
            r["deck"] |= 1 << place
            r["by_element"][e] |= 1 << place
            r["by_strength"][strength] |= 1 << place
            if level:
                r["by_level"][level] |= 1 << place
                levels.add(level)
    r["specials"] = r["by_element"][LIGHT] | r["by_element"][SHADOW]
    r["levels"][: len(levels)] = sorted(levels)
    r["n_levels"] = len(levels)


# ---------------------------------------------------------------------------------------------------------------------
# Small things


@kernel
def bit_of(place):
    """Return the bit of a place."""
    return np.int64(1) << np.int64(place)


@kernel
def left_of(p, seat, steps):
    """Return the seat so many steps to the left, at most one round; cheaper than a remainder."""
    other = seat + steps
    return other - np.int64(p.n) if other >= p.n else other


@kernel
def is_off(p, seat, ability):
    """Tell whether an ability is switched off for a seat."""
    return (p.off[seat] >> ability) & 1 == 1


@kernel
def blank(m):
    """Make a memory that knows nothing."""
    m.not_level = 0
    m.element = -1
    m.level = 0
    m.special = OPEN
    m.not_element = 0


@kernel
def fits(r, m):
    """Return the mask of the deck's cards that fit a memory."""
    made = r.deck
    if m.special == IS_SPECIAL:
        made &= r.specials
    elif m.special == IS_BASIC:
        made &= ~r.specials
    if m.element >= 0:
        made &= r.by_element[m.element]
    if m.level > 0:
        made &= r.by_level[m.level]
    for e in range(3):
        if (m.not_element >> e) & 1:
            made &= ~r.by_element[e]
    gone = np.int64(m.not_level)
    spared = np.int64(0) if r.touch_specials else r.specials
    while gone != 0:
        made &= ~(r.by_level[lowest(gone)] & ~spared)
        gone &= gone - 1
    return made


@kernel
def unseen_by(pub, mine, r):
    """Return the mask of the cards that a seat sees nowhere: in the stock, others' private, own public."""
    return r.deck & ~pub.discards & ~mine.own & ~mine.shown


@kernel
def known_element(r, m, candidates):
    """Return the element that a holder knows, -1 none; `candidates` is 0 where nothing is deduced."""
    if m.element >= 0 or candidates == 0:
        return np.int64(m.element)
    e = np.int64(r.element[lowest(candidates)])
    return e if e < LIGHT and candidates & ~r.by_element[e] == 0 else np.int64(-1)


@kernel
def known_level(r, m, candidates):
    """Return the level that a holder knows, 0 none."""
    if m.level > 0 or candidates == 0:
        return np.int64(m.level)
    v = np.int64(r.level[lowest(candidates)])
    return v if v > 0 and candidates & ~r.by_level[v] == 0 else np.int64(0)


@kernel
def known_special(r, m, candidates):
    """Tell whether a holder knows that a card is special."""
    return m.special == IS_SPECIAL or (candidates != 0 and candidates & ~r.specials == 0)


@kernel
def deduced(s, r, seat, slot):
    """AL-12: return the cards that an own public card can be where counting is allowed, else 0."""
    if not r.deducible:
        return np.int64(0)
    mine = s.priv[seat]
    return unseen_by(s.pub, mine, r) & fits(r, mine.memory[slot])


@kernel
def askable_slots(s, r, seat):
    """AL-09: return the bits of the slots of which the holder has something to learn."""
    made = np.int64(0)
    left = np.int64(s.pub.open[seat])
    while left != 0:
        slot = lowest(left)
        left &= left - 1
        m = s.priv[seat].memory[slot]
        candidates = deduced(s, r, seat, slot)
        if not known_special(r, m, candidates):
            if known_element(r, m, candidates) < 0 or known_level(r, m, candidates) == 0:
                made |= np.int64(1) << slot
    return made


@kernel
def element_result(r, mine, my_off, theirs, their_off):
    """AL-22: return 1 if element `mine` wins, -1 if it loses, 0 for a tie; `off` are masks of abilities."""
    if mine >= LIGHT and (my_off >> (mine - LIGHT)) & 1:
        return 0
    if theirs >= LIGHT and (their_off >> (theirs - LIGHT)) & 1:
        return 0
    if mine == theirs:
        return 0
    if mine >= LIGHT and theirs >= LIGHT:
        if r.light_shadow == L_S_TIE:
            return 0
        return 1 if (mine == LIGHT) == (r.light_shadow == L_WINS) else -1
    if mine == LIGHT or theirs == SHADOW:
        return 1
    if mine == SHADOW or theirs == LIGHT:
        return -1
    return 1 if (mine + 1) % 3 == theirs else -1


# ---------------------------------------------------------------------------------------------------------------------
# Cards


@kernel
def put(s, seat, slot, place, public):
    """Lay a card into an empty slot."""
    p = s.pub
    at = SLOT_MAX * seat + slot
    slot_bit = 1 << slot
    b = bit_of(place)
    s.hid.hand[at] = place
    p.held[seat] |= slot_bit
    p.fresh[seat] |= slot_bit
    blank(p.told[at])
    blank(s.priv[seat].memory[slot])
    if public:
        p.open[seat] |= slot_bit
        for other in range(p.n):
            if other != seat:
                s.priv[other].seen[at] = place
                s.priv[other].shown |= b
    else:
        s.priv[seat].hand[slot] = place
        s.priv[seat].own |= b


@kernel
def take(s, seat, slot):
    """Take a card out of a slot, for all to see; return it."""
    p = s.pub
    at = SLOT_MAX * seat + slot
    slot_bit = 1 << slot
    place = np.int64(s.hid.hand[at])
    b = bit_of(place)
    s.hid.hand[at] = -1
    p.held[seat] &= ~slot_bit
    p.fresh[seat] &= ~slot_bit
    if (p.open[seat] >> slot) & 1:
        p.open[seat] &= ~slot_bit
        blank(p.told[at])
        blank(s.priv[seat].memory[slot])
        for other in range(p.n):
            if other != seat:
                s.priv[other].seen[at] = -1
                s.priv[other].shown &= ~b
    else:
        s.priv[seat].hand[slot] = -1
        s.priv[seat].own &= ~b
    return place


@kernel
def fill_stock(s, key, cards):
    """Make the stock of the cards of a mask in the order of a stream; the first one comes to the top."""
    h = s.hid
    rng.permutation(key, PLACES, h.perm)
    at = popcount(cards)
    s.pub.stock_n = at
    for i in range(PLACES):
        place = np.int64(h.perm[i])
        if (cards >> place) & 1:
            at -= 1
            h.stock[at] = place


@kernel
def stock_ready(s, r):
    """AL-30: tell whether a card can be drawn; an empty stock is made anew."""
    p = s.pub
    if p.stock_n > 0:
        return True
    if r.stock_out != RESHUFFLED or p.discards == 0:
        return False
    s.hid.reshuffles += 1
    fill_stock(s, rng.stream(s.hid.key, 0, rng.RESHUFFLE, 0, s.hid.reshuffles), p.discards)
    p.stock_from = p.discards
    p.discards = 0
    for seat in range(p.n):
        p.fresh[seat] = 0
        s.game_row[seat].reshuffles += 1
    return True


@kernel
def draw_up(s, r, seat, way):
    """AL-28: draw up to the size of a hand; return the number of cards drawn. An empty stock may end the game."""
    p = s.pub
    drawn = 0
    while popcount(np.int64(p.held[seat])) < r.hand_size:
        if not stock_ready(s, r):
            if r.stock_out == GAME_ENDS:
                end_most_gems(s)
            return drawn
        p.stock_n -= 1
        slot = lowest(~np.int64(p.held[seat]))
        public = way == PUBLIC or (way == IN_TURN and drawn & 1 == 1)
        put(s, seat, slot, np.int64(s.hid.stock[p.stock_n]), public)
        drawn += 1
    return drawn


# ---------------------------------------------------------------------------------------------------------------------
# Telling


@kernel
def tell_element(s, seat, memory, first, element, r):
    """AL-14: all public cards of an element are pointed at; `memory[first + slot]` learns; return how many."""
    touched = 0
    left = np.int64(s.pub.open[seat])
    while left != 0:
        slot = lowest(left)
        left &= left - 1
        m = memory[first + slot]
        if r.element[s.hid.hand[SLOT_MAX * seat + slot]] == element:
            m.element = element
            m.special = IS_BASIC
            touched += 1
        else:
            m.not_element |= 1 << element
            if m.element == element:
                m.element = -1
    return touched


@kernel
def tell_level(s, seat, memory, first, about, level, r):
    """AL-14: the public cards of a level are pointed at, special ones where the variant says so."""
    touched = 0
    left = np.int64(s.pub.open[seat])
    while left != 0:
        slot = lowest(left)
        left &= left - 1
        m = memory[first + slot]
        place = s.hid.hand[SLOT_MAX * seat + slot]
        basic = r.element[place] < LIGHT
        if r.level[place] == level and (basic or r.touch_specials):
            m.level = level
            if slot == about or (basic and not r.touch_specials):
                m.special = IS_BASIC
            touched += 1
        else:
            m.not_level |= np.int32(1 << level)
            if m.level == level:
                m.level = 0
    return touched


@kernel
def tell_special(s, seat, memory, first, about, r):
    """AL-13, AL-14: a card is special; the clue may point at all special ones."""
    touched = 0
    left = np.int64(s.pub.open[seat])
    while left != 0:
        slot = lowest(left)
        left &= left - 1
        if slot != about and not r.special_touches:
            continue
        if r.element[s.hid.hand[SLOT_MAX * seat + slot]] >= LIGHT:
            memory[first + slot].special = IS_SPECIAL
            touched += 1
        else:
            memory[first + slot].special = IS_BASIC
    return touched


@kernel
def tell(s, r, feature):
    """Tell the holder a feature of the card in question; count what came of it."""
    p = s.pub
    if feature == NOTHING:
        return
    seat = np.int64(p.holder)
    slot = np.int64(p.slot)
    place = np.int64(s.hid.hand[SLOT_MAX * seat + slot])
    row = s.game_row[seat]
    first = SLOT_MAX * seat
    memory = s.priv[seat].memory
    if feature == ELEMENT:
        e = np.int64(r.element[place])
        if memory[slot].element >= 0 and memory[slot].element != e:
            row.mended += 1
        tell_element(s, seat, p.told, first, e, r)
        touched = tell_element(s, seat, memory, 0, e, r)
    elif feature == LEVEL:
        v = np.int64(r.level[place])
        if memory[slot].level > 0 and memory[slot].level != v:
            row.mended += 1
        tell_level(s, seat, p.told, first, slot, v, r)
        touched = tell_level(s, seat, memory, 0, slot, v, r)
    else:
        row.specials_told += 1
        tell_special(s, seat, p.told, first, slot, r)
        touched = tell_special(s, seat, memory, 0, slot, r)
    row.pointed += touched - 1


@kernel
def question(s, r, holder, slot):
    """Make a card the one in question; its holder says what it knows of it."""
    p = s.pub
    m = s.priv[holder].memory[slot]
    candidates = deduced(s, r, holder, slot)
    p.holder = holder
    p.slot = slot
    p.said_element = known_element(r, m, candidates)
    p.said_level = known_level(r, m, candidates)
    p.said_special = known_special(r, m, candidates)


@kernel
def forget(s, r, seat):
    """AL-16: misremember told features at the start of a turn."""
    p = s.pub
    key = rng.stream(s.hid.key, p.turn, FORGET, s.hid.packet[seat] + 1, 0)
    left = np.int64(p.open[seat])
    while left != 0:
        slot = lowest(left)
        left &= left - 1
        m = s.priv[seat].memory[slot]
        if m.special == IS_SPECIAL:
            continue
        place = s.hid.hand[SLOT_MAX * seat + slot]
        e, v = np.int64(r.element[place]), np.int64(r.level[place])
        if m.element == e and rng.uniform(key, 2 * slot) < r.forget:
            m.element = (e + 1 + rng.below(key, 32 + 2 * slot, 2)) % 3
            s.game_row[seat].forgot += 1
        if v > 0 and m.level == v and r.n_levels > 1 and rng.uniform(key, 2 * slot + 1) < r.forget:
            i = rng.below(key, 33 + 2 * slot, r.n_levels - 1)
            m.level = r.levels[i] if r.levels[i] < v else r.levels[i + 1]
            s.game_row[seat].forgot += 1


# ---------------------------------------------------------------------------------------------------------------------
# The course of a game


@kernel
def clear_row(g):
    """Empty a game row."""
    g.share = 0
    g.points = 0
    g.rounds = 0
    g.turns = 0
    g.end = 0
    g.lead_changes = 0
    g.n_light = 0
    g.n_shadow = 0
    g.n_forced_clue = 0
    g.n_growing_stakes = 0
    g.n_redraw_orientation = 0
    g.held_light = 0
    g.held_shadow = 0
    g.held_forced_clue = 0
    g.held_growing_stakes = 0
    g.held_redraw_orientation = 0
    g.asks = 0
    g.asked = 0
    g.challenges = 0
    g.challenged = 0
    g.duels = 0
    g.wins = 0
    g.wins_challenger = 0
    g.wins_challenged = 0
    g.duels_element = 0
    g.duels_level = 0
    g.gems_element = 0
    g.gems_level = 0
    g.pointed = 0
    g.specials_told = 0
    g.forgot = 0
    g.mended = 0
    g.first_win = 0
    g.all_tie = 0
    g.capped = 0
    g.reshuffles = 0


@kernel
def start(s, rules, key, seats):
    """Set up a deal."""
    p = s.pub
    h = s.hid
    p.n = len(seats)
    h.key = key
    h.reshuffles = 0
    h.first = -1
    p.turn = 0
    p.last_step = STEP_TURN
    p.turn_seat = -1
    p.other = -1
    p.holder = -1
    p.slot = 0
    p.said_element = -1
    p.said_level = 0
    p.said_special = 0
    p.askable = 0
    p.feature = 0
    p.chain = 0
    p.clued = 0
    p.leader = -1
    p.duels = 0
    p.winner = -1
    p.ending = 0
    p.actor = 0
    p.discards = 0
    p.stock_from = rules.deck
    for seat in range(p.n):
        p.off[seat] = seats[seat].off
        h.packet[seat] = seats[seat].packet
        clear_row(s.game_row[seat])
        p.gems[seat] = 0
        p.held[seat] = 0
        p.open[seat] = 0
        p.fresh[seat] = 0
        p.last_target[seat] = -1
        p.asks_since[seat] = 0
        p.after[seat] = 0
        mine = s.priv[seat]
        mine.own = 0
        mine.shown = 0
        for slot in range(SLOT_MAX):
            mine.hand[slot] = -1
            blank(mine.memory[slot])
            blank(p.told[SLOT_MAX * seat + slot])
            h.hand[SLOT_MAX * seat + slot] = -1
        for at in range(SLOT_MAX * p.n):
            mine.seen[at] = -1
    fill_stock(s, rng.stream(key, 0, rng.DECK, 0, 0), rules.deck)
    deal(s, rules)
    p.step = P_TURN


@kernel
def deal(s, r):
    """AL-04, AL-05: deal to the packets, lay out the discards."""
    p = s.pub
    top = np.int64(p.stock_n) - 1
    n = np.int64(p.n)
    cards = np.int64(r.n_private + r.n_public)
    for seat in range(n):
        for k in range(cards):
            put(s, seat, k, np.int64(s.hid.stock[top - k * n - s.hid.packet[seat]]), k >= r.n_private)
    p.stock_n -= cards * n
    for _ in range(r.setup_discard):
        p.stock_n -= 1
        p.discards |= bit_of(s.hid.stock[p.stock_n])


@kernel
def may_challenge(p, seat, other):
    """Tell whether both have a card."""
    return other != seat and p.held[seat] != 0 and p.held[other] != 0


@kernel
def is_target(p, r, seat, other):
    """AL-17: tell whether a seat may be challenged."""
    if not may_challenge(p, seat, other):
        return False
    if not r.no_repeat or p.last_target[seat] != other:
        return True
    others = 0
    for third in range(p.n):
        others += third != other and may_challenge(p, seat, third)
    return others == 0


@kernel
def begin_turn(s, r):
    """AL-08: the next seat's turn, or the end of a game that nobody can go on with."""
    p = s.pub
    if p.turn >= r.max_turns:
        end_capped(s)
        return
    p.turn += 1
    seat = left_of(p, np.int64(p.turn_seat), 1)
    p.turn_seat = seat
    p.actor = seat
    p.step = STEP_TURN
    p.other = -1
    p.holder = -1
    if r.forget > 0.0:
        forget(s, r, seat)
    p.askable = 0
    if r.allow_ask:
        p.askable = np.int64(p.open[seat]) if r.null_ask else askable_slots(s, r, seat)
    if p.askable == 0:
        for other in range(p.n):
            if may_challenge(p, seat, other):
                return
        end_most_gems(s)


@kernel
def end_capped(s):
    """AL-09: the game is stopped; all share."""
    n = np.int64(s.pub.n)
    for seat in range(n):
        s.game_row[seat].share = WHOLE // n
        s.game_row[seat].end = END_CAP
        s.game_row[seat].capped = 1
    s.pub.step = P_OVER


@kernel
def end_all_win(s):
    """AL-26: a whole hand was tied; all share."""
    n = np.int64(s.pub.n)
    for seat in range(n):
        s.game_row[seat].share = WHOLE // n
        s.game_row[seat].end = END_ALL_WIN
        s.game_row[seat].all_tie = 1


@kernel
def end_most_gems(s):
    """AL-30: the most gems win."""
    p = s.pub
    most = np.int64(0)
    for seat in range(p.n):
        most = max(most, np.int64(p.gems[seat]))
    first = np.int64(0)
    for seat in range(p.n):
        first += p.gems[seat] == most
    for seat in range(p.n):
        s.game_row[seat].share = WHOLE // first if p.gems[seat] == most else 0
        s.game_row[seat].end = END_WON if first == 1 else END_TIE
    p.step = P_OVER


@kernel
def fill_game(s):
    """Write what all seats' rows have in common."""
    p = s.pub
    for seat in range(p.n):
        g = s.game_row[seat]
        g.points = p.gems[seat]
        g.rounds = p.duels
        g.turns = (np.int64(p.turn) + np.int64(p.n) - 1 - seat) // np.int64(p.n)  # turns go round from seat 0
        g.asked = min(np.int64(g.asks), 6)


@kernel
def advance(s, rules):
    """Pass through what needs no decision."""
    p = s.pub
    while True:
        step = p.step
        if step < P_TURN:
            return DECIDE
        if step == P_TURN:
            begin_turn(s, rules)
        elif step == P_DUEL_OVER:
            end_duel(s, rules)
            return ROUND
        elif step == P_AFTER:
            draw_after(s, rules)
        else:
            fill_game(s)
            return OVER


# ---------------------------------------------------------------------------------------------------------------------
# Options


@kernel
def options(s, rules, out):
    """Write the codes that the actor may choose."""
    p = s.pub
    step = p.step
    if step >= STEP_FIRST:
        seat = np.int64(p.actor)
        return slot_codes(out, 0, np.int64(p.held[seat]), K_PLAY)
    if step == STEP_TURN:
        return turn_options(s, rules, out)
    if step == STEP_CLUE_CARD:
        return slot_codes(out, 0, np.int64(p.askable), K_CLUE_CARD)
    if step in (STEP_TELL, STEP_CLUE_TELL):
        return tell_options(s, rules, out)
    if step == STEP_TYPE:
        out[0] = K_TYPE + ELEMENT * ARG
        out[1] = K_TYPE + LEVEL * ARG
        return 2
    for i in range(p.n - 1):
        out[i] = K_NAME + (i + 1) * ARG
    return np.int64(p.n) - 1


@kernel
def slot_codes(out, n, slots, kind):
    """Append a code for each slot of a mask."""
    while slots != 0:
        out[n] = kind + lowest(slots) * ARG
        n += 1
        slots &= slots - 1
    return n


@kernel
def turn_options(s, r, out):
    """AL-08, AL-17: ask about a card, or challenge."""
    p = s.pub
    seat = np.int64(p.actor)
    n = slot_codes(out, 0, np.int64(p.askable), K_ASK)
    for i in range(1, p.n):
        if is_target(p, r, seat, left_of(p, seat, i)):
            if r.clue_first:
                out[n] = K_CHALLENGE + i * ARG + LATER
                n += 1
            else:
                out[n] = K_CHALLENGE + i * ARG + ELEMENT
                out[n + 1] = K_CHALLENGE + i * ARG + LEVEL
                n += 2
    return n


@kernel
def tell_options(s, r, out):
    """AL-11, AL-13, AL-16: what may be told of the card in question, which the actor sees."""
    p = s.pub
    place = np.int64(s.priv[p.actor].seen[SLOT_MAX * np.int64(p.holder) + np.int64(p.slot)])
    place = max(place, np.int64(0))
    e, v = np.int64(r.element[place]), np.int64(r.level[place])
    if e >= LIGHT:
        out[0] = K_TELL + (NOTHING if p.said_special else SPECIAL) * ARG
        return 1
    n = 0
    if p.said_element != e:
        out[n] = K_TELL + ELEMENT * ARG
        n += 1
    if p.said_level != v:
        out[n] = K_TELL + LEVEL * ARG
        n += 1
    if n == 0:
        out[0] = K_TELL + NOTHING * ARG
        n = 1
    return n


# ---------------------------------------------------------------------------------------------------------------------
# Decisions carried out


@kernel
def apply(s, rules, code):
    """Carry out a code."""
    p = s.pub
    step = p.step
    p.last_step = step
    a = (np.int64(code) >> 10) & 1023
    if step == STEP_SECOND:
        show(s, rules, a)
    elif step == STEP_FIRST:
        s.hid.first = a
        p.step = STEP_SECOND
        p.actor = p.other
    elif step == STEP_TURN:
        if np.int64(code) >> 20 == ASK:
            ask(s, rules, a)
        else:
            challenge(s, rules, a, np.int64(code) & 1023)
    elif step == STEP_CLUE_CARD:
        question(s, rules, np.int64(p.other), a)
        p.step = STEP_CLUE_TELL
        p.actor = p.turn_seat
    elif step == STEP_CLUE_TELL:
        tell(s, rules, a)
        s.game_row[p.holder].n_forced_clue += 1
        p.clued = 1
        after_clue(s, rules)
    elif step == STEP_TELL:
        tell(s, rules, a)
        p.step = P_TURN
    elif step == STEP_TYPE:
        p.feature = a
        enter(s, rules)
    else:
        p.actor = left_of(p, np.int64(p.actor), a)
        p.step = STEP_TELL


@kernel
def ask(s, r, slot):
    """AL-10: ask; somebody of the others answers."""
    p = s.pub
    seat = np.int64(p.actor)
    n = np.int64(p.n)
    s.game_row[seat].asks += 1
    if p.asks_since[seat] < 5:
        p.asks_since[seat] += 1
    question(s, r, seat, slot)
    p.step = STEP_TELL
    if r.informant == COMMITTEE:
        speaker = left_of(p, seat, 1)
        for i in range(2, n):
            other = left_of(p, seat, i)
            if p.gems[other] > p.gems[speaker]:
                speaker = other
        p.actor = speaker
    elif r.informant == NEXT:
        p.actor = left_of(p, seat, 1)
    elif r.informant == RANDOM_ONE:
        p.actor = left_of(p, seat, 1 + rng.below(rng.stream(s.hid.key, p.turn, INFORMANT, 0, 0), 0, n - 1))
    else:
        p.step = STEP_INFORMANT


@kernel
def challenge(s, r, left, feature):
    """AL-17 to AL-20: call a duel; the challenged player may be owed a clue."""
    p = s.pub
    seat = np.int64(p.actor)
    other = left_of(p, seat, left)
    p.other = other
    p.feature = feature
    p.last_target[seat] = other
    p.chain = 1
    p.clued = 0
    s.game_row[seat].challenges += 1
    s.game_row[other].challenged += 1
    p.askable = askable_slots(s, r, other)
    if p.askable != 0:
        s.game_row[other].held_forced_clue += 1
        if not is_off(p, other, A_CLUE):
            p.step = STEP_CLUE_CARD
            p.actor = seat if r.challenger_picks else other
            return
    after_clue(s, r)


@kernel
def after_clue(s, r):
    """AL-18: say the type if that is still to be said."""
    p = s.pub
    p.actor = p.turn_seat
    if r.clue_first:
        p.step = STEP_TYPE
    else:
        enter(s, r)


@kernel
def holds(s, r, seat, element):
    """Tell whether a seat has a card of an element in hand."""
    left = np.int64(s.pub.held[seat])
    while left != 0:
        if r.element[s.hid.hand[SLOT_MAX * seat + lowest(left)]] == element:
            return True
        left &= left - 1
    return False


@kernel
def enter(s, r):
    """Begin the first round of a duel."""
    p = s.pub
    if p.feature == ELEMENT:
        for seat in (np.int64(p.turn_seat), np.int64(p.other)):
            s.game_row[seat].held_light += holds(s, r, seat, LIGHT)
            s.game_row[seat].held_shadow += holds(s, r, seat, SHADOW)
    p.step = STEP_FIRST
    p.actor = p.turn_seat


@kernel
def note_last(s, r, seat, slot):
    """Note for the round row how the card was held that is about to be played."""
    p = s.pub
    place = np.int64(s.hid.hand[SLOT_MAX * seat + slot])
    held = 1
    if (p.open[seat] >> slot) & 1:
        m = s.priv[seat].memory[slot]
        told = m.element >= 0 if p.feature == ELEMENT else m.level > 0
        held = 2 if told or m.special == IS_SPECIAL else 3
    s.hid.last[3 * seat] = held
    s.hid.last[3 * seat + 1] = r.element[place] + 1
    s.hid.last[3 * seat + 2] = r.strength[place]


@kernel
def show(s, r, slot):
    """AL-21 to AL-24: both cards are shown and discarded; there is a winner, or another round, or the chain ends."""
    p = s.pub
    one, two = np.int64(p.turn_seat), np.int64(p.other)
    note_last(s, r, one, np.int64(s.hid.first))
    note_last(s, r, two, slot)
    mine = take(s, one, np.int64(s.hid.first))
    theirs = take(s, two, slot)
    s.hid.first = -1
    p.discards |= bit_of(mine) | bit_of(theirs)
    if p.feature == ELEMENT:
        e, f = np.int64(r.element[mine]), np.int64(r.element[theirs])
        result = element_result(r, e, p.off[one], f, p.off[two])
        if result != 0:
            s.game_row[one].n_light += result > 0 and e == LIGHT
            s.game_row[two].n_light += result < 0 and f == LIGHT
            s.game_row[one].n_shadow += result < 0 and e == SHADOW
            s.game_row[two].n_shadow += result > 0 and f == SHADOW
    else:
        result = np.int64(r.strength[mine]) - np.int64(r.strength[theirs])
    if result != 0:
        p.winner = one if result > 0 else two
        p.step = P_DUEL_OVER
    else:
        go_on(s, r)


@kernel
def go_on(s, r):
    """AL-24, AL-26, AL-27: the next round of a chain, or its end without a winner."""
    p = s.pub
    one, two = np.int64(p.turn_seat), np.int64(p.other)
    if r.redraw_in_tie:
        for seat in (one, two):
            draw_up(s, r, seat, IN_TURN)
            if p.step == P_OVER:
                return
    if p.held[one] != 0 and p.held[two] != 0 and p.chain < CHAIN_MAX:
        p.chain += 1
        p.step = STEP_FIRST
        p.actor = one
        return
    p.winner = -1
    both = p.held[one] == 0 and p.held[two] == 0
    if both or not r.short_no_gem or p.chain >= CHAIN_MAX:
        end_all_win(s)
        p.ending = 1
    p.step = P_DUEL_OVER


@kernel
def stake_of(p, r, seat, chain):
    """AL-25: return the gems that a seat wins in a round of a chain."""
    if is_off(p, seat, A_STAKES):
        return np.int64(r.stakes[0])
    return np.int64(r.stakes[min(np.int64(chain), np.int64(r.n_stakes)) - 1])


@kernel
def end_duel(s, r):
    """Pay the winner, write the round row, see whether the game is over."""
    p = s.pub
    one, two = np.int64(p.turn_seat), np.int64(p.other)
    winner = np.int64(p.winner)
    gain = stake_of(p, r, winner, p.chain) if winner >= 0 else np.int64(0)
    if winner >= 0 and p.gems[winner] + gain >= r.target:
        p.ending = 1
        for seat in range(p.n):
            s.game_row[seat].share = WHOLE if seat == winner else 0
            s.game_row[seat].end = END_WON
    fill_round(s, r, one, two, winner, gain)
    count_duel(s, one, two, winner, gain)
    for seat in (one, two):
        p.asks_since[seat] = 0
        p.after[seat] = 3 if winner < 0 else (1 if seat == winner else 2)
    p.duels += 1
    if winner >= 0:
        p.gems[winner] += gain
        note_lead(s)
    p.step = P_OVER if p.ending else P_AFTER


@kernel
def count_duel(s, one, two, winner, gain):
    """Add a duel to the game rows of its contestants."""
    p = s.pub
    for seat in (one, two):
        g = s.game_row[seat]
        g.duels += 1
        if p.feature == ELEMENT:
            g.duels_element += 1
        else:
            g.duels_level += 1
        if winner >= 0 and p.chain > 1:
            g.held_growing_stakes += 1
            g.n_growing_stakes += seat == winner and not is_off(p, seat, A_STAKES)
    if winner >= 0:
        g = s.game_row[winner]
        g.wins += 1
        g.first_win = g.first_win or p.duels == 0
        if winner == one:
            g.wins_challenger += 1
        else:
            g.wins_challenged += 1
        if p.feature == ELEMENT:
            g.gems_element += gain
        else:
            g.gems_level += gain


@kernel
def note_lead(s):
    """Count another seat's coming to lead alone."""
    p = s.pub
    best = np.int64(0)
    alone = True
    for seat in range(1, p.n):
        if p.gems[seat] > p.gems[best]:
            best = np.int64(seat)
            alone = True
        elif p.gems[seat] == p.gems[best]:
            alone = False
    if alone and p.leader != best:
        if p.leader >= 0:
            for seat in range(p.n):
                s.game_row[seat].lead_changes += 1
        p.leader = best


@kernel
def rank_of(p, challenger, other):
    """Return how a seat stands in gems among the challenger's opponents: 1 first, 2 between, 3 last, 4 all equal."""
    most, least = np.int64(-1), np.int64(1 << 20)
    for seat in range(p.n):
        if seat != challenger:
            most = max(most, np.int64(p.gems[seat]))
            least = min(least, np.int64(p.gems[seat]))
    if most == least:
        return 4
    if p.gems[other] == most:
        return 1
    return 3 if p.gems[other] == least else 2


@kernel
def fill_round(s, r, one, two, winner, gain):
    """Write the round row of a duel, before the gems are paid."""
    p = s.pub
    for seat in range(p.n):
        row = s.round_row[seat]
        row.starter = one
        row.turn = p.turn
        row.feature = p.feature
        row.ended = p.ending
        inside = seat in (one, two)
        row.role = 0 if not inside else (1 if seat == one else 2)
        row.challenger = seat == one
        row.won = inside and seat == winner
        row.gems = gain if inside and seat == winner else 0
        row.chain = p.chain if inside else 0
        row.clue = p.clued if seat == two else 0
        row.held_as = s.hid.last[3 * seat] if inside else 0
        row.element = s.hid.last[3 * seat + 1] if inside else 0
        row.level = s.hid.last[3 * seat + 2] if inside else 0
        row.rank = rank_of(p, one, two) if inside else 0
        row.asks_since = p.asks_since[seat] if inside else 0
        row.after = p.after[seat] if inside else 0
        row.gems_before = p.gems[seat] if inside else 0


@kernel
def draw_after(s, r):
    """AL-28: both contestants draw up after a duel."""
    p = s.pub
    one, two = np.int64(p.turn_seat), np.int64(p.other)
    winner = np.int64(p.winner)
    p.step = P_TURN
    first, second = one, two
    if winner >= 0:
        loser = two if winner == one else one
        first, second = (loser, winner) if r.loser_first else (winner, loser)
    for seat in (first, second):
        way = np.int64(IN_TURN)
        if winner >= 0 and not is_off(p, seat, A_REDRAW):
            way = np.int64(r.redraw_winner) if seat == winner else np.int64(r.redraw_loser)
        drawn = draw_up(s, r, seat, way)
        if winner >= 0 and drawn > 0:
            s.game_row[seat].held_redraw_orientation += 1
            s.game_row[seat].n_redraw_orientation += not is_off(p, seat, A_REDRAW)
        if p.step == P_OVER:
            return


# ---------------------------------------------------------------------------------------------------------------------
# Another world


@kernel
def redeal(s, rules, seat, key):
    """Draw what `seat` cannot see anew: own public cards, others' private ones, the stock, a card not yet shown.

    Everything hidden is written from scratch: nothing of what was there may show through.
    """
    p = s.pub
    h = s.hid
    known_hand(s, seat)
    free = redeal_own(s, rules, seat, key, unseen_by(p, s.priv[seat], rules))
    for other in range(p.n):
        h.packet[other] = other
        if other != seat:
            free = redeal_private(s, seat, other, key, free)
    for other in range(p.n):
        if other != seat:
            look_around(s, other)
    order = np.zeros(PLACES, np.int64)
    rng.permutation(rng.stream(key, 0, rng.REDEAL, 0, 2), PLACES, order)
    at = np.int64(0)
    for i in range(PLACES):
        if (free >> order[i]) & 1:
            h.stock[at] = order[i]
            at += 1
    if p.step != STEP_SECOND:
        h.first = -1
    elif seat != p.turn_seat:
        h.first = guess_first(s, rules, seat, rng.stream(key, 0, rng.REDEAL, 0, 3))
    for i in range(3 * SEATS):
        h.last[i] = 0
    h.reshuffles = 0
    h.key = rng.word(key, 0)


@kernel
def known_hand(s, seat):
    """Lay down what a seat sees: its private cards and the others' public ones."""
    p = s.pub
    mine = s.priv[seat]
    for other in range(p.n):
        for slot in range(SLOT_MAX):
            at = SLOT_MAX * other + slot
            s.hid.hand[at] = mine.hand[slot] if other == seat else mine.seen[at]


@kernel
def look_around(s, other):
    """Write what another seat sees and remembers; as far as one knows, that is all that it was told."""
    p = s.pub
    theirs = s.priv[other]
    theirs.shown = 0
    for at in range(SLOT_MAX * SEATS):
        theirs.seen[at] = -1
    for seat in range(p.n):
        for slot in range(SLOT_MAX):
            at = SLOT_MAX * seat + slot
            if seat != other and (p.open[seat] >> slot) & 1:
                theirs.seen[at] = s.hid.hand[at]
                theirs.shown |= bit_of(s.hid.hand[at])
    for slot in range(SLOT_MAX):
        theirs.memory[slot] = p.told[SLOT_MAX * other + slot]


@kernel
def source_of(p, seat, slot):
    """Return the cards that a hidden card can be by the time it was drawn: a reshuffle tells two sorts apart."""
    return p.stock_from if (p.fresh[seat] >> slot) & 1 else ~p.stock_from


@kernel
def pick_card(mask, key, i):
    """Return a random card of a mask that must not be empty."""
    skip = rng.below(key, i, popcount(mask))
    for _ in range(skip):
        mask &= mask - 1
    return lowest(mask)


@kernel
def redeal_own(s, r, seat, key, free):
    """Draw the seat's own public cards from those that fit what it was told; return the cards that are left."""
    p = s.pub
    mine = s.priv[seat]
    masks = np.zeros(SLOT_MAX, np.int64)
    drawn = np.zeros(SLOT_MAX, np.int64)
    slots = np.int64(p.open[seat])
    for slot in range(SLOT_MAX):
        if (slots >> slot) & 1:
            # A misremembered card may leave nothing that fits: then anything can be.
            wide = free & source_of(p, seat, slot)
            masks[slot] = wide & fits(r, mine.memory[slot])
            if masks[slot] == 0:
                masks[slot] = wide
    if not draw_distinct(slots, masks, drawn, rng.stream(key, 0, rng.REDEAL, 0, 0)):
        draw_narrowest(p, seat, slots, masks, drawn, free, rng.stream(key, 0, rng.REDEAL, 0, 1))
    for slot in range(SLOT_MAX):
        if (slots >> slot) & 1:
            s.hid.hand[SLOT_MAX * seat + slot] = drawn[slot]
            free &= ~bit_of(drawn[slot])
    return free


@kernel
def draw_distinct(slots, masks, drawn, key):
    """Draw a card for each slot, all of them again while two are the same: every fitting hand is equally likely."""
    for attempt in range(64):
        taken = np.int64(0)
        clash = False
        for slot in range(SLOT_MAX):
            if (slots >> slot) & 1 and not clash:
                drawn[slot] = pick_card(masks[slot], key, SLOT_MAX * attempt + slot)
                clash = (taken >> drawn[slot]) & 1 == 1
                taken |= bit_of(drawn[slot])
        if not clash:
            return True
    return False


@kernel
def draw_narrowest(p, seat, slots, masks, drawn, free, key):
    """Draw slot by slot, the one with the fewest cards first; in the last attempt anything goes where nothing fits."""
    for attempt in range(64):
        taken = np.int64(0)
        left = slots
        while left != 0:
            best, fewest = lowest(left), np.int64(99)
            for slot in range(SLOT_MAX):
                if (left >> slot) & 1 and popcount(masks[slot] & ~taken) < fewest:
                    best, fewest = np.int64(slot), popcount(masks[slot] & ~taken)
            fitting = masks[best] & ~taken
            if fitting == 0:
                if attempt < 63:
                    break
                fitting = free & source_of(p, seat, best) & ~taken
            drawn[best] = pick_card(fitting, key, SLOT_MAX * attempt + best)
            taken |= bit_of(drawn[best])
            left &= ~(np.int64(1) << best)
        if left == 0:
            return


@kernel
def redeal_private(s, seat, other, key, free):
    """Draw another seat's private cards; return the cards that are left."""
    p = s.pub
    theirs = s.priv[other]
    stream = rng.stream(key, 0, rng.REDEAL, other + 1, 0)
    theirs.own = 0
    for slot in range(SLOT_MAX):
        theirs.hand[slot] = -1
        if ((p.held[other] & ~p.open[other]) >> slot) & 1:
            card = pick_card(free & source_of(p, other, slot), stream, slot)
            free &= ~bit_of(card)
            s.hid.hand[SLOT_MAX * other + slot] = card
            theirs.hand[slot] = card
            theirs.own |= bit_of(card)
    return free


@kernel
def guess_first(s, r, seat, key):
    """Draw the card that the challenger has chosen: the better it must take one to be, the likelier."""
    p = s.pub
    one = np.int64(p.turn_seat)
    theirs = s.priv[one]
    wide = unseen_by(p, theirs, r)
    chances = np.zeros(SLOT_MAX, np.float64)
    total = 0.0
    for slot in range(SLOT_MAX):
        if (p.held[one] >> slot) & 1:
            mask = bit_of(s.hid.hand[SLOT_MAX * one + slot])
            if (p.open[one] >> slot) & 1:
                narrow = wide & fits(r, theirs.memory[slot])
                mask = narrow if narrow != 0 else wide
            chances[slot] = math.exp(BOLD * edge_of(r, p.feature, mask, p.off[one], wide, p.off[seat]))
            total += chances[slot]
    left = rng.uniform(key, 0) * total
    slot = np.int64(lowest(np.int64(p.held[one])))
    for other in range(SLOT_MAX):
        if chances[other] > 0.0 and left >= 0.0:
            slot = np.int64(other)
            left -= chances[other]
    return slot


@kernel
def edge_of(r, feature, cards, off, others, their_off):
    """Return by how much more often a card of one mask beats one of the other than it loses; 0 if nobody is there."""
    pairs = popcount(cards) * popcount(others)
    if pairs == 0:
        return 0.0
    net = np.int64(0)
    if feature == ELEMENT:
        for e in range(5):
            mine = popcount(cards & r.by_element[e])
            for f in range(5):
                net += mine * popcount(others & r.by_element[f]) * element_result(r, e, off, f, their_off)
    else:
        under = np.int64(0)
        over = popcount(others)
        for v in range(STRENGTHS):
            same = popcount(others & r.by_strength[v])
            over -= same
            net += popcount(cards & r.by_strength[v]) * (under - over)
            under += same
    return net / pairs


@kernel
def unseen(s, rules):
    """Tell that the challenger's card lies face down while the challenged player chooses."""
    return s.pub.step == STEP_SECOND


@kernel
def value(s, rules, out):
    """Write what the game is worth to each seat after a duel, by gems alone; return 1."""
    p = s.pub
    if p.ending:
        return 0
    total = 0.0
    for seat in range(p.n):
        out[seat] = math.exp(RACE * p.gems[seat] / rules.target)
        total += out[seat]
    for seat in range(p.n):
        out[seat] /= total
    return 1


# ---------------------------------------------------------------------------------------------------------------------
# For the referee


def visible(s: Any, rules: Any, seats: int) -> dict[str, Any]:
    """Return what the rulebook's `visible` returns, from a state record."""
    p = s["pub"]
    slots = int(rules["slots"])
    discards = int(p["discards"])
    return {
        "turn": int(p["turn"]),
        "step": int(p["step"] if p["step"] < P_TURN else p["last_step"]),
        "actor": int(p["actor"]),
        "gems": [int(p["gems"][seat]) for seat in range(seats)],
        "stock": int(p["stock_n"]),
        "discards": [place for place in range(PLACES) if (discards >> place) & 1],
        "hands": [[_card(s, seat, slot) for slot in range(slots)] for seat in range(seats)],
    }


def _card(s: Any, seat: int, slot: int) -> tuple[int, ...]:
    place = int(s["hid"]["hand"][SLOT_MAX * seat + slot])
    public = (int(s["pub"]["open"][seat]) >> slot) & 1
    m = s["priv"][seat]["memory"][slot]
    names = ("element", "level", "special", "not_element", "not_level")
    return (place, public, *(int(m[name]) for name in names))


def make_engine(choose: Any) -> Engine:
    """Return the fast path with the policies' `choose`."""
    return Engine(
        tag=TAG,
        state=state,
        rules=RULES,
        make_rules=make_rules,
        game_row=GAME_ROW,
        round_row=ROUND_ROW,
        max_rounds=MAX_ROUNDS,
        kernels=named(start, advance, options, apply, redeal, choose, value, unseen),
        visible=visible,
        lookahead=LOOKAHEAD,
    )
