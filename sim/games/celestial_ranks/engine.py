"""Celestial Ranks: the fast engine, a step machine over one record.

Axes: seats 0 to 4 everywhere (a game of fewer leaves the rest at zero); melds 2 * seat + requirement; masks of natural
cards have bit t for card type t, as in `hands`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim import rng
from sim.bits import lowest, popcount
from sim.engine import DECIDE, END_CAP, END_TIE, END_WON, OVER, ROUND, SKILLED, WHOLE, named, record
from sim.game import Engine, Lookahead, tag_of
from sim.games.celestial_ranks import hands
from sim.games.celestial_ranks.numbers import (
    BLOCK,
    BLOCK_PLAY,
    BURY,
    COURT,
    COURTS,
    DECLARE,
    DISCARD,
    DRAW,
    JOKER,
    LAY_AUTO,
    LAY_MELD,
    LAY_OFF,
    LAY_OFF_MANY,
    MELD_POINTS,
    MELDS,
    OVERRIDE,
    OVERRIDE_PLAY,
    PICK,
    PLACES,
    SHIFT,
    SHIFT_PLAY,
    WILD,
    contract_number,
    contract_text,
)
from sim.jit import kernel
from sim.variant import Variant

SEATS = 5
K_DECLARE, K_DRAW, K_AUTO, K_MELD, K_OFF, K_MANY = (
    DECLARE << 20,
    DRAW << 20,
    LAY_AUTO << 20,
    LAY_MELD << 20,
    LAY_OFF << 20,
    LAY_OFF_MANY << 20,
)
K_SHIFT, K_BLOCK, K_OVERRIDE, K_PICK, K_DISCARD, K_COURT = (
    SHIFT_PLAY << 20,
    BLOCK_PLAY << 20,
    OVERRIDE_PLAY << 20,
    PICK << 20,
    DISCARD << 20,
    COURT << 20,
)
ARG = 1 << 10

# Phases. The first group waits for a decision, the second is passed through by `advance`.
P_COURT, P_DECLARE, P_DRAW, P_ACT, P_MELD2, P_BLOCK, P_OVERRIDE, P_PICK = range(8)
P_ROUND, P_DEAL, P_TURN, P_ASK, P_ASK_QUEEN, P_SETTLE, P_ROUND_END, P_GAME_END = range(8, 16)

# Values of switches in the rules record.
REPLAY, SHARE, FEWEST = range(3)
PRIZE_ONLY, RESTORES, FORBIDDEN = range(3)
ROTATE, OUT_PLAYER, LEFT_OF_OUT, ELDEST = range(4)
FREE, LISTED, EASIEST, HARDEST = range(4)
BURY_ALL, BURY_REST, BURY_OFF = range(3)

TAG = tag_of("celestial-ranks", __name__)

MELD = record(
    ("suits", "i8"),  # of its naturals, a bit each
    ("kind", "i1"),  # -1 none, else SET, FLUSH, RUN of `hands`
    ("low", "i1"),  # rank of a set; position 1 to 14 of the lowest card of a run
    ("length", "i1"),
    ("jokers", "i1"),
    ("suit", "i1"),  # of a flush run, else -1
    ("accept0", "i8"),  # mask of naturals that may be laid off: on a set or at the low end of a run
    ("accept1", "i8"),  # at the high end of a run
    ("joker_ends", "i1"),  # bit 0: a Joker may be laid off on the set or the low end, bit 1: at the high end
)
PUB = record(
    (TAG, "i1"),
    ("gone1", "i8"),  # cards that all see outside the hands: one copy or more
    ("gone2", "i8"),  # two copies
    ("known1", "i8", (SEATS,)),  # cards that all know to be in a hand: taken from the discard pile and not seen since
    ("known2", "i8", (SEATS,)),
    ("wants", "i8", (SEATS,)),  # cards taken from the discard pile in this round, kept or melded since
    ("off", "i8", (SEATS,)),  # abilities switched off
    ("meld", MELD, (2 * SEATS,)),
    ("hand_n", "i2", (SEATS,)),
    ("contract", "i2", (SEATS,)),  # contract number, -1 while not declared
    ("table", "i2", (SEATS,)),  # the contract's place in the tables
    ("element", "i1", (SEATS,)),
    ("side", "i1", (SEATS,)),
    ("got", "i2", (SEATS,)),  # bit mask of collected elements
    ("had", "i1", (SEATS,)),
    ("tries", "u1", (SEATS,)),
    ("failed", "i1", (SEATS,)),  # element that must be retried, -1 none
    ("turns", "u1", (SEATS,)),
    ("laid", "i1", (SEATS,)),
    ("laid_turn", "u1", (SEATS,)),
    ("first_rank", "i1"),  # of a set just laid as requirement 0, else -1
    ("gone_jokers", "i1"),
    ("known_jokers", "i1", (SEATS,)),
    ("actor", "i1"),
    ("phase", "i1"),
    ("n", "i1"),
    ("rounds", "u1"),  # finished rounds
    ("starter", "i1"),
    ("turn_seat", "i1"),
    ("stock_n", "i2"),
    ("bottom_n", "i2"),  # cards at the bottom of the draw pile that all have seen (buried or refilled)
    ("disc_n", "i2"),
    ("disc", "i1", (PLACES,)),
    ("limbo_n", "i2"),
    ("limbo", "i1", (PLACES,)),
    ("drawn", "i1"),  # whether the turn's draw is done
    ("only_discards", "i1"),  # whether nothing but discards was possible so far this turn
    ("can_lay", "i1"),  # what the actor may do before the discard, see `look`
    ("can_layoff", "i1"),
    ("skips", "i1"),  # consecutive draws of nothing
    ("shifts", "i1"),  # in this turn
    ("out", "i1"),  # who went out, -1 nobody
    ("shifter", "i1"),
    ("queen", "i1"),
    ("top", "i1"),  # last player of a card in the skirmish
    ("asked", "i1"),  # last seat asked
    ("sk_jokers", "i1"),
    ("sk_cards", "i1"),
    ("sk_spent", "i1", (SEATS,)),
    ("picks", "i1"),
    ("picker", "i1"),
    ("queen_back", "i1"),
    ("leader", "i1"),
    ("lead_changes", "u1"),
)
PRIV = record(
    ("hand", hands.HAND),
    ("drawn", "i1"),  # type of the card drawn last in this turn, -1 unknown
    ("peek", "u1", (53,)),  # the draw pile while this seat searches it: copies by type
)
HID = record(
    ("key", "u8"),
    ("head", "i2"),
    ("shuffles", "i4"),
    ("pick0", "i1"),
    ("declared", "i1", (SEATS,)),
    ("packet", "i1", (SEATS,)),
    ("laid", hands.MELD),  # scratch of `lay`
    ("stock", "i1", (256,)),
    ("perm", "u1", (PLACES,)),
)
GAME_ROW = record(
    ("share", "u2"),
    ("points", "i1"),
    ("rounds", "u1"),
    ("turns", "u2"),
    ("end", "u1"),
    ("lead_changes", "u1"),
    ("court", "i1"),
    ("n_shift", "u2"),
    ("n_block", "u2"),
    ("n_override", "u2"),
    ("n_wild", "u2"),
    ("n_bury", "u2"),
    ("held_shift", "u1"),
    ("held_block", "u1"),
    ("held_override", "u1"),
    ("held_wild", "u1"),
    ("held_bury", "u1"),
)
ROUND_ROW = record(
    ("starter", "i1"),
    ("distance", "i1"),
    ("contract", "i1"),
    ("element", "i1"),
    ("had", "i1"),
    ("laid", "i1"),
    ("laid_turn", "u1"),
    ("turns", "u1"),
    ("left", "u1"),
    ("out", "i1"),
    ("collected", "i1"),
    ("tries", "u1"),
    ("last", "i1"),
    ("idle", "u1"),
    ("capped", "i1"),
    ("shifts", "u2"),  # up to 99 in each of 250 turns
    ("shifts_met", "u1"),
    ("retrumped", "u1"),
    ("all_rows", "i1"),
)
RULES = record(
    ("tables", hands.TABLES),
    ("contract", "i2", (SEATS, 4)),  # courts, elements -> contract number
    ("place", "i2", (81,)),  # contract number -> place in the tables
    ("points", "i4", (81,)),  # contract number -> how hard `element_order` thinks it is
    ("queens", "i8"),  # mask of the shift queens
    ("decks", "i1"),
    ("jokers", "i1"),
    ("cards_dealt", "i1"),
    ("elements_to_win", "i1"),
    ("choose_court", "i1"),
    ("layoff_any", "i1"),
    ("layoff_same_turn", "i1"),
    ("any_time", "i1"),
    ("max_shifts", "i1"),
    ("bury", "i1"),
    ("meld_all_ok", "i1"),
    ("element_order", "i1"),
    ("redeclare", "i1"),
    ("next_starter", "i1"),
    ("must_go_out", "i1"),
    ("tie", "i1"),
    ("retrump", "i1"),
    ("all_spent", "i1"),
    ("others_passed", "i1"),
    ("turn_cap", "u1"),
    ("round_cap", "u1"),
    ("n", "i1"),
)
STATE = record(
    (TAG, "i1"),
    ("pub", PUB),
    ("priv", PRIV, (SEATS,)),
    ("hid", HID),
    ("game_row", GAME_ROW, (SEATS,)),
    ("round_row", ROUND_ROW, (SEATS,)),
    ("held_queen", "i1", (SEATS,)),
    ("held_joker", "i1", (SEATS,)),
)


def state(seats: int) -> np.dtype[Any]:
    """Return the state's record type; it is the same for all numbers of seats."""
    return STATE


def make_rules(variant: Variant, seats: int) -> np.ndarray[Any, Any]:
    """Return the rules record (array of one) of a variant."""
    made = np.zeros(1, RULES)
    r = made[0]
    numbers = [[contract_number(str(t)) for t in variant.group(f"contracts.{c}").values()] for c in COURTS]
    r["contract"] = numbers
    distinct = sorted({number for row in numbers for number in row})
    for place, number in enumerate(distinct):
        r["place"][number] = place
    for number in range(81):
        r["points"][number] = sum(MELD_POINTS[MELDS[i]] for i in divmod(number, 9))
    keys = (
        "ace", "joker_limit", "laydown_extra", "alljoker_any_requirement", "set_distinct_suits",
        "distinct_ranks_for_two_sets", "decks", "jokers",
    )  # fmt: skip
    r["tables"] = hands.make_tables(
        [contract_text(number) for number in distinct],
        hands.Switches(**{key: variant[key] for key in keys}, spare=0 if variant["goout"] == "meld_all_ok" else 1),
    )[0]
    suits = (1, 2) if variant["shift_queens"] == "red" else (0, 1, 2, 3)
    r["queens"] = sum(1 << (13 * suit + 11) for suit in suits)
    for key in ("decks", "jokers", "cards_dealt", "elements_to_win", "turn_cap", "round_cap"):
        r[key] = variant[key]
    r["n"] = seats
    r["max_shifts"] = variant["max_shifts_per_turn"]
    r["choose_court"] = variant["court_assignment"] == "choose"
    r["layoff_any"] = variant["layoff_targets"] == "any"
    r["layoff_same_turn"] = variant["layoff_same_turn"]
    r["any_time"] = variant["shift_timing"] == "any_time_on_turn"
    r["meld_all_ok"] = variant["goout"] == "meld_all_ok"
    r["redeclare"] = variant["retry"] == "redeclare"
    r["must_go_out"] = variant["must_go_out_to_win"]
    r["all_spent"] = variant["replacement"] == "all_spent+1"
    r["others_passed"] = variant["override_needs"] == "all_others_passed"
    words = {
        "bury": ("all", "all_but_trigger", "off"),
        "element_order": ("free", "listed", "easiest_first", "hardest_first"),
        "next_starter": ("rotate", "out_player", "left_of_out", "eldest_always"),
        "tie": ("replay", "share", "fewest_cards"),
    }
    for key, names in words.items():
        r[key] = names.index(variant[key])
    r["retrump"] = ("prize_only", "restores_shift", "forbidden").index(variant["shifter_retrump"])
    return made


# ---------------------------------------------------------------------------------------------------------------------
# Small things


@kernel
def bit_of(card):
    """Return the bit of a natural card type."""
    return np.int64(1) << card


@kernel
def is_off(s, seat, ability):
    """Tell whether an ability is switched off for a seat."""
    return (s.pub.off[seat] >> ability) & 1 == 1


@kernel
def is_queen(r, card):
    """Tell whether a card is one of the queens that shift and bury."""
    return card != JOKER and (bit_of(card) & r.queens) != 0


@kernel
def see(s, card):
    """Count a card among those that lie open."""
    if card == JOKER:
        s.pub.gone_jokers += 1
        return
    b = bit_of(card)
    s.pub.gone2 |= s.pub.gone1 & b
    s.pub.gone1 |= b


@kernel
def unsee(s, card):
    """Take a card from those that lie open."""
    if card == JOKER:
        s.pub.gone_jokers -= 1
        return
    b = bit_of(card)
    if s.pub.gone2 & b:
        s.pub.gone2 ^= b
    else:
        s.pub.gone1 &= ~b


@kernel
def forget(s, seat, card):
    """Take a card that left a hand from those that all know to be in it."""
    if card == JOKER:
        if s.pub.known_jokers[seat] > 0:
            s.pub.known_jokers[seat] -= 1
        return
    b = bit_of(card)
    if s.pub.known2[seat] & b:
        s.pub.known2[seat] ^= b
    else:
        s.pub.known1[seat] &= ~b


@kernel
def learn(s, seat, card):
    """Note that all saw a card go into a hand."""
    if card == JOKER:
        s.pub.known_jokers[seat] += 1
        return
    b = bit_of(card)
    s.pub.known2[seat] |= s.pub.known1[seat] & b
    s.pub.known1[seat] |= b
    s.pub.wants[seat] |= b


@kernel
def gain(s, r, seat, card):
    """Put a card into a hand."""
    hands.add_card(s.priv[seat].hand, card)
    s.pub.hand_n[seat] += 1
    if card == JOKER:
        s.held_joker[seat] = 1
    elif (bit_of(card) & r.queens) != 0:
        s.held_queen[seat] = 1


@kernel
def lose(s, seat, card):
    """Take a card out of a hand."""
    hands.remove_card(s.priv[seat].hand, card)
    s.pub.hand_n[seat] -= 1
    forget(s, seat, card)


# ---------------------------------------------------------------------------------------------------------------------
# Piles


@kernel
def shuffled(s, counts, out, at):
    """Write the cards of `counts` (copies by type) into out[at:], ring of 256, in the next order of the round."""
    h = s.hid
    rng.permutation(rng.stream(h.key, s.pub.rounds, rng.RESHUFFLE, 0, h.shuffles), PLACES, h.perm)
    h.shuffles += 1
    filled = 0
    for i in range(PLACES):
        place = np.int64(h.perm[i])
        if place < 52:
            card, copy = place, 0
        elif place < 104:
            card, copy = place - 52, 1
        else:
            card, copy = JOKER, place - 104
        if counts[card] > copy:
            out[(at + filled) & 255] = card
            filled += 1
    return filled


@kernel
def refill(s, r):
    """CR-28: an empty draw pile is made anew at once from the discard pile, whose top card stays."""
    p = s.pub
    if p.stock_n > 0 or p.disc_n < 2:
        return
    counts = np.zeros(53, np.uint8)
    for i in range(p.disc_n - 1):
        card = np.int64(p.disc[i])
        counts[card] += 1
        unsee(s, card)
    s.hid.head = 0
    p.stock_n = shuffled(s, counts, s.hid.stock, 0)
    p.bottom_n = p.stock_n
    p.disc[0] = p.disc[p.disc_n - 1]
    p.disc_n = 1


@kernel
def take_top(s, r):
    """Take the top card of the draw pile, which must not be empty."""
    h = s.hid
    card = np.int64(h.stock[h.head & 255])
    h.head = (h.head + 1) & 255
    s.pub.stock_n -= 1
    if s.pub.bottom_n > s.pub.stock_n:
        s.pub.bottom_n = s.pub.stock_n
    refill(s, r)
    return card


@kernel
def bury(s, r):
    """CR-32, CR-35: the discard pile is shuffled and goes under the draw pile; return 1, or 0 for an empty one."""
    p = s.pub
    keep = 1 if r.bury == BURY_REST else 0
    counts = np.zeros(53, np.uint8)
    n = p.disc_n - keep
    for i in range(n):
        card = np.int64(p.disc[i])
        counts[card] += 1
        unsee(s, card)
    if n > 0:
        shuffled(s, counts, s.hid.stock, s.hid.head + p.stock_n)
        p.stock_n += n
        p.bottom_n += n
    if keep:
        p.disc[0] = p.disc[p.disc_n - 1]
    p.disc_n = keep
    return 1 if n > 0 else 0


@kernel
def reshuffle_stock(s, extra):
    """CR-30: the whole draw pile is shuffled, together with the card `extra` (-1 none)."""
    h = s.hid
    counts = np.zeros(53, np.uint8)
    for i in range(s.pub.stock_n):
        counts[h.stock[(h.head + i) & 255]] += 1
    if extra >= 0:
        counts[extra] += 1
    h.head = 0
    s.pub.bottom_n = 0
    if s.pub.stock_n > 0 or extra >= 0:
        s.pub.stock_n = shuffled(s, counts, h.stock, 0)


@kernel
def to_limbo(s, card):
    """CR-57: a card is out of play until the next round; all see it."""
    s.pub.limbo[s.pub.limbo_n] = card
    s.pub.limbo_n += 1
    see(s, card)


# ---------------------------------------------------------------------------------------------------------------------
# Rounds


@kernel
def start(s, rules, key, seats):
    """Set up a deal; every field of the record is written or cleared."""
    p = s.pub
    p.n = len(seats)
    s.hid.key = key
    p.rounds = 0
    p.starter = 0
    p.leader = -1
    p.lead_changes = 0
    for seat in range(SEATS):
        p.off[seat] = 0
        p.side[seat] = 0
        p.got[seat] = 0
        p.had[seat] = 0
        p.failed[seat] = -1
        p.tries[seat] = 0
        s.hid.packet[seat] = seat
        g = s.game_row[seat]
        g.share = 0
        g.points = 0
        g.rounds = 0
        g.turns = 0
        g.end = 0
        g.lead_changes = 0
        g.court = -1
        g.n_shift = 0
        g.n_block = 0
        g.n_override = 0
        g.n_wild = 0
        g.n_bury = 0
        g.held_shift = 0
        g.held_block = 0
        g.held_override = 0
        g.held_wild = 0
        g.held_bury = 0
    for seat in range(p.n):
        p.off[seat] = seats[seat].off
        p.side[seat] = seats[seat].side
        s.hid.packet[seat] = seats[seat].packet
    clear_round(s)
    if rules.choose_court:
        for seat in range(p.n):
            p.side[seat] = -1
        p.phase = P_COURT
        p.actor = 0
    else:
        p.phase = P_ROUND


@kernel
def clear_round(s):
    """Empty the table."""
    p = s.pub
    p.gone1 = 0
    p.gone2 = 0
    p.gone_jokers = 0
    p.stock_n = 0
    p.bottom_n = 0
    p.disc_n = 0
    p.limbo_n = 0
    p.turn_seat = -1
    p.drawn = 0
    p.only_discards = 0
    p.skips = 0
    p.shifts = 0
    p.out = -1
    p.shifter = -1
    p.queen = -1
    p.top = -1
    p.asked = -1
    p.sk_jokers = 0
    p.sk_cards = 0
    p.picks = 0
    p.picker = -1
    p.queen_back = 0
    p.first_rank = -1
    s.hid.head = 0
    s.hid.shuffles = 0
    s.hid.pick0 = -1
    for seat in range(SEATS):
        p.known1[seat] = 0
        p.known2[seat] = 0
        p.known_jokers[seat] = 0
        p.wants[seat] = 0
        p.hand_n[seat] = 0
        p.contract[seat] = -1
        p.table[seat] = 0
        p.element[seat] = -1
        p.turns[seat] = 0
        p.laid[seat] = 0
        p.laid_turn[seat] = 0
        p.sk_spent[seat] = 0
        s.hid.declared[seat] = -1
        s.held_queen[seat] = 0
        s.held_joker[seat] = 0
        mine = s.priv[seat]
        hands.clear_hand(mine.hand)
        mine.drawn = -1
        for t in range(53):
            mine.peek[t] = 0
        rr = s.round_row[seat]
        rr.idle = 0
        rr.shifts = 0
        rr.shifts_met = 0
        rr.retrumped = 0
        for k in range(2):
            m = p.meld[2 * seat + k]
            m.kind = -1
            m.low = 0
            m.length = 0
            m.jokers = 0
            m.suit = -1
            m.suits = 0


@kernel
def deal(s, r):
    """CR-S3: shuffle, deal card by card, flip one."""
    p = s.pub
    h = s.hid
    rng.permutation(rng.stream(h.key, p.rounds, rng.DECK, 0, 0), PLACES, h.perm)
    n = np.int64(p.n)
    seat_of = np.zeros(SEATS, np.int64)
    for seat in range(n):
        seat_of[h.packet[seat]] = seat
    dealt = np.int64(0)
    in_hands = n * r.cards_dealt
    for i in range(PLACES):
        place = np.int64(h.perm[i])
        if place < 104:
            if place >= 52 * r.decks:
                continue
            card = place % 52
        else:
            if place - 104 >= r.jokers:
                continue
            card = np.int64(JOKER)
        if dealt < in_hands:
            gain(s, r, seat_of[dealt % n], card)
        elif dealt == in_hands:
            p.disc[0] = card
            p.disc_n = 1
            see(s, card)
        else:
            h.stock[p.stock_n] = card
            p.stock_n += 1
        dealt += 1


@kernel
def begin_turn(s, r):
    """Move the turn on; CR-29: a round nobody can end is ended."""
    p = s.pub
    seat = np.int64(p.starter) if p.turn_seat < 0 else (np.int64(p.turn_seat) + 1) % np.int64(p.n)
    if p.turns[seat] >= r.turn_cap or p.skips >= p.n:
        p.phase = P_ROUND_END
        return
    p.turn_seat = seat
    p.turns[seat] += 1
    p.drawn = 0
    p.only_discards = 1
    p.shifts = 0
    s.priv[seat].drawn = -1
    p.actor = seat
    p.phase = P_DRAW


@kernel
def end_round(s, r):
    """CR-S9, CR-44 to CR-46: who keeps the element, who has won; fill the round's rows."""
    p = s.pub
    n = np.int64(p.n)
    finishers = 0
    for seat in range(n):
        if p.laid[seat] and p.had[seat] + 1 >= r.elements_to_win:
            finishers += 1
    out_finishes = p.out >= 0 and p.had[p.out] + 1 >= r.elements_to_win and p.laid[p.out]
    over = False
    for seat in range(n):
        s.game_row[seat].share = 0
    drop = False  # finishers lose the element again
    if out_finishes:
        over = True
        s.game_row[p.out].share = WHOLE
    elif finishers > 0 and r.must_go_out:
        drop = True
    elif finishers == 1:
        over = True
        for seat in range(n):
            if p.laid[seat] and p.had[seat] + 1 >= r.elements_to_win:
                s.game_row[seat].share = WHOLE
    elif finishers > 1:
        if r.tie == REPLAY:
            drop = True
        else:
            over = True
            share_out(s, r, finishers)
    for seat in range(n):
        note_round(s, r, seat, drop)
    best = 0
    leader = -1
    for seat in range(n):
        if p.had[seat] > best:
            best = np.int64(p.had[seat])
            leader = seat
        elif p.had[seat] == best:
            leader = -1
    if leader >= 0:
        if p.leader >= 0 and p.leader != leader:
            p.lead_changes += 1
        p.leader = leader
    p.rounds += 1
    if not over and p.rounds >= r.round_cap:
        over = True
        for seat in range(n):
            s.game_row[seat].share = WHOLE // n
            s.game_row[seat].end = END_CAP
    p.phase = P_GAME_END if over else P_ROUND
    next_starter(s, r)


@kernel
def share_out(s, r, finishers):
    """CR-46 read otherwise: finishers share the win, or those with the fewest cards do."""
    p = s.pub
    fewest = 1000
    for seat in range(p.n):
        if p.laid[seat] and p.had[seat] + 1 >= r.elements_to_win and p.hand_n[seat] < fewest:
            fewest = np.int64(p.hand_n[seat])
    winners = 0
    for seat in range(p.n):
        if p.laid[seat] and p.had[seat] + 1 >= r.elements_to_win and (r.tie == SHARE or p.hand_n[seat] == fewest):
            winners += 1
    for seat in range(p.n):
        s.game_row[seat].end = END_WON if winners == 1 else END_TIE
        if p.laid[seat] and p.had[seat] + 1 >= r.elements_to_win and (r.tie == SHARE or p.hand_n[seat] == fewest):
            s.game_row[seat].share = WHOLE // winners


@kernel
def note_round(s, r, seat, drop):
    """Write the round's row of a seat and give it its element."""
    p = s.pub
    rr = s.round_row[seat]
    g = s.game_row[seat]
    n = np.int64(p.n)
    finishes = p.had[seat] + 1 >= r.elements_to_win
    keeps = p.laid[seat] == 1 and not (drop and finishes)
    rr.starter = p.starter
    rr.distance = (seat - np.int64(p.starter) + n) % n
    rr.contract = p.contract[seat]
    rr.element = p.element[seat]
    rr.had = p.had[seat]
    rr.laid = p.laid[seat]
    rr.laid_turn = p.laid_turn[seat]
    rr.turns = p.turns[seat]
    rr.left = p.hand_n[seat]
    rr.out = 1 if p.out == seat else 0
    rr.collected = 1 if keeps else 0
    rr.tries = p.tries[seat]
    rr.last = 1 if p.had[seat] == r.elements_to_win - 1 else 0
    rr.capped = 1 if p.out < 0 else 0
    rr.all_rows = 1
    g.turns += p.turns[seat]
    if s.held_queen[seat]:
        g.held_shift += 1
        g.held_override += 1
    if s.held_joker[seat]:
        g.held_block += 1
        g.held_wild += 1
    if s.held_queen[seat] or s.held_joker[seat]:
        g.held_bury += 1
    if keeps:
        p.got[seat] |= 1 << p.element[seat]
        p.had[seat] += 1
        p.failed[seat] = -1
        p.tries[seat] = 0
    else:
        p.failed[seat] = p.element[seat]


@kernel
def next_starter(s, r):
    """CR-43: who starts the next round."""
    p = s.pub
    n = np.int64(p.n)
    if r.next_starter == ELDEST:
        p.starter = 0
    elif r.next_starter == OUT_PLAYER and p.out >= 0:
        p.starter = p.out
    elif r.next_starter == LEFT_OF_OUT and p.out >= 0:
        p.starter = (np.int64(p.out) + 1) % n
    else:
        p.starter = (np.int64(p.starter) + 1) % n


@kernel
def fill_game(s, r):
    """Fill what the end of the game fixes."""
    p = s.pub
    for seat in range(p.n):
        g = s.game_row[seat]
        g.points = p.had[seat]
        g.rounds = p.rounds
        g.lead_changes = p.lead_changes
        g.court = p.side[seat]


# ---------------------------------------------------------------------------------------------------------------------
# The skirmish


@kernel
def ask_next(s, r):
    """CR-47 to CR-49: find the next seat that may answer with a Joker; CR-53: then queens."""
    p = s.pub
    n = np.int64(p.n)
    if p.sk_jokers < r.jokers:
        seat = (np.int64(p.asked) + 1) % n
        while seat != p.top:
            may = s.priv[seat].hand.J > 0 and p.hand_n[seat] >= 2 and not is_off(s, seat, BLOCK)
            if seat == p.shifter and r.retrump == FORBIDDEN:
                may = False
            if may:
                p.asked = seat
                p.actor = seat
                p.phase = P_BLOCK
                return
            seat = (seat + 1) % n
    p.asked = p.top
    if p.sk_jokers > 0 and (p.sk_jokers >= r.jokers or r.others_passed):
        p.phase = P_ASK_QUEEN
    else:
        p.phase = P_SETTLE


@kernel
def ask_queen(s, r):
    """CR-54: find the next seat that may override."""
    p = s.pub
    n = np.int64(p.n)
    seat = (np.int64(p.asked) + 1) % n
    while seat != p.top:
        hand = s.priv[seat].hand
        if (hand.M & r.queens) != 0 and p.hand_n[seat] >= 2 and not is_off(s, seat, OVERRIDE):
            p.asked = seat
            p.actor = seat
            p.phase = P_OVERRIDE
            return
        seat = (seat + 1) % n
    p.phase = P_SETTLE


@kernel
def begin_pick(s, seat, picks, queen_back):
    """CR-31: a seat searches the draw pile and sees all of it."""
    p = s.pub
    p.picker = seat
    p.actor = seat
    p.picks = picks
    p.queen_back = queen_back
    mine = s.priv[seat]
    for t in range(53):
        mine.peek[t] = 0
    for i in range(p.stock_n):
        mine.peek[s.hid.stock[(s.hid.head + i) & 255]] += 1
    p.phase = P_PICK


@kernel
def end_skirmish(s, r):
    """Back to the Shifter's turn."""
    p = s.pub
    seat = np.int64(p.shifter)
    p.shifter = -1
    p.top = -1
    p.asked = -1
    p.actor = seat
    p.phase = P_ACT if p.drawn else P_DRAW
    refill(s, r)


@kernel
def settle(s, r):
    """CR-50 to CR-52: nobody answered, or the last Joker wins its prize."""
    p = s.pub
    if p.sk_jokers == 0:
        begin_pick(s, np.int64(p.shifter), 1, 1)
        return
    s.round_row[p.shifter].shifts_met += 1
    if p.sk_jokers >= 2:
        s.round_row[p.shifter].retrumped += 1
    winner = np.int64(p.top)
    if winner == p.shifter and r.retrump == RESTORES:
        if p.stock_n > 0:
            begin_pick(s, winner, 1, 0)
        else:
            end_skirmish(s, r)
        return
    prize = 1 + (np.int64(p.sk_cards) if r.all_spent else np.int64(p.sk_spent[winner]))
    for _ in range(prize):
        if p.stock_n == 0:
            break
        gain(s, r, winner, take_top(s, r))
    end_skirmish(s, r)


@kernel
def spend(s, seat, card):
    """A card goes into the skirmish; with a Joker among them all are out of play until the next round."""
    p = s.pub
    lose(s, seat, card)
    p.sk_spent[seat] += 1
    p.sk_cards += 1


# ---------------------------------------------------------------------------------------------------------------------
# Steps


@kernel
def advance(s, rules):
    """Pass through what needs no decision."""
    p = s.pub
    while True:
        phase = p.phase
        if phase < P_ROUND:
            if phase == P_ACT:
                look(s, rules)
            return DECIDE
        if phase == P_ROUND:
            clear_round(s)
            p.phase = P_DECLARE
            p.actor = 0
        elif phase == P_DEAL:
            deal(s, rules)
            p.phase = P_TURN
        elif phase == P_TURN:
            begin_turn(s, rules)
        elif phase == P_ASK:
            ask_next(s, rules)
        elif phase == P_ASK_QUEEN:
            ask_queen(s, rules)
        elif phase == P_SETTLE:
            settle(s, rules)
        elif phase == P_ROUND_END:
            end_round(s, rules)
            return ROUND
        else:
            fill_game(s, rules)
            return OVER


@kernel
def options(s, rules, out):
    """Write the codes of the pending step, ascending."""
    p = s.pub
    phase = p.phase
    if phase == P_ACT:
        return act_options(s, rules, out)
    if phase == P_DRAW:
        return draw_options(s, rules, out)
    if phase == P_DECLARE:
        return declare_options(s, rules, out)
    if phase == P_PICK:
        return pick_options(s, out)
    if phase == P_MELD2:
        seat = np.int64(p.actor)
        return meld_options(s, rules, seat, 1, out, 0)
    if phase == P_BLOCK:
        out[0] = K_BLOCK
        out[1] = K_BLOCK + ARG
        return 2
    if phase == P_OVERRIDE:
        return override_options(s, rules, out)
    n = 0
    for court in range(SEATS):
        taken = False
        for seat in range(p.n):
            taken = taken or p.side[seat] == court
        if not taken:
            out[n] = K_COURT + court * ARG
            n += 1
    return n


@kernel
def declare_options(s, r, out):
    """CR-41, CR-42: the elements a seat may declare, by contract, then by printed place."""
    p = s.pub
    seat = np.int64(p.actor)
    side = np.int64(p.side[seat])
    if p.failed[seat] >= 0 and not r.redeclare:
        out[0] = K_DECLARE + np.int64(r.contract[side, p.failed[seat]]) * ARG + np.int64(p.failed[seat])
        return 1
    n = 0
    for e in range(4):
        if (p.got[seat] >> e) & 1:
            continue
        value = K_DECLARE + np.int64(r.contract[side, e]) * ARG + e
        if r.element_order != FREE:
            if n == 0 or comes_before(r, value, np.int64(out[0])):
                out[0] = value
            n = 1
            continue
        i = n
        while i > 0 and out[i - 1] > value:
            out[i] = out[i - 1]
            i -= 1
        out[i] = value
        n += 1
    return n


@kernel
def comes_before(r, a, b):
    """Tell whether `element_order` puts declaration a before declaration b."""
    if r.element_order == LISTED:
        return (a & 1023) < (b & 1023)
    pa = r.points[(a >> 10) & 1023]
    pb = r.points[(b >> 10) & 1023]
    if pa == pb:
        return a < b
    return pa < pb if r.element_order == EASIEST else pa > pb


@kernel
def draw_options(s, r, out):
    """The draw piles, or nothing; before the draw a Shift where the variant allows."""
    p = s.pub
    n = 0
    if p.stock_n > 0:
        out[n] = K_DRAW
        n += 1
    if p.disc_n > 0:
        out[n] = K_DRAW + ARG
        n += 1
    if p.stock_n == 0:
        out[n] = K_DRAW + 2 * ARG
        n += 1
    if r.any_time:
        n = shift_options(s, r, np.int64(p.actor), out, n)
    return n


@kernel
def may_shift(s, r, seat):
    """CR-26, CR-27, CR-56: whether a queen in this hand may be played as a Shift."""
    p = s.pub
    return not is_off(s, seat, SHIFT) and p.shifts < r.max_shifts and p.hand_n[seat] >= 2 and p.stock_n > 0


@kernel
def shift_options(s, r, seat, out, n):
    """CR-23: the queens that may be played as a Shift."""
    if not may_shift(s, r, seat):
        return n
    m = s.priv[seat].hand.M & r.queens
    while m != 0:
        out[n] = K_SHIFT + lowest(m) * ARG
        n += 1
        m &= m - 1
    return n


@kernel
def look(s, r):
    """Note what the actor may do before the discard."""
    p = s.pub
    seat = np.int64(p.actor)
    p.can_lay = 0
    p.can_layoff = 0
    if p.laid[seat] == 0:
        p.can_lay = 1 if may_lay(s, r, seat) else 0
    elif r.layoff_same_turn or p.laid_turn[seat] < p.turns[seat]:
        if p.hand_n[seat] >= 2 or r.meld_all_ok:
            p.can_layoff = 1 if layoff_possible(s, r, seat) else 0
    if p.can_lay or p.can_layoff:
        p.only_discards = 0
    elif (s.priv[seat].hand.M & r.queens) != 0 and may_shift(s, r, seat):
        p.only_discards = 0


@kernel
def act_options(s, r, out):
    """Everything that may be done next in the turn, the discards last."""
    p = s.pub
    seat = np.int64(p.actor)
    hand = s.priv[seat].hand
    n = 0
    if p.can_lay:
        out[0] = K_AUTO
        n = meld_options(s, r, seat, 0, out, 1)
    elif p.can_layoff:
        n = layoff_options(s, r, seat, out)
    n = shift_options(s, r, seat, out, n)
    m = hand.M
    while m != 0:
        out[n] = K_DISCARD + lowest(m) * ARG
        n += 1
        m &= m - 1
    if hand.J > 0:
        out[n] = K_DISCARD + JOKER * ARG
        n += 1
    return n


@kernel
def may_lay(s, r, seat):
    """CR-S7, CR-S10: whether the declared contract can be laid down and a card kept."""
    hand = s.priv[seat].hand
    wild = not is_off(s, seat, WILD)
    table = np.int64(s.pub.table[seat])
    if hands.distance(r.tables, hand, table, wild) > 0:
        return False
    return hands.may_lay(r.tables, hand, table, wild, np.empty(hands.MELD_SCRATCH, np.int64))


@kernel
def meld_options(s, r, seat, requirement, out, n):
    """Append the codes of the melds that may be laid for a requirement of the contract."""
    scratch = np.empty(hands.MELD_SCRATCH, np.int64)
    wild = not is_off(s, seat, WILD)
    table = np.int64(s.pub.table[seat])
    first_rank = np.int64(s.pub.first_rank)
    count = hands.meld_options(r.tables, s.priv[seat].hand, table, wild, requirement, first_rank, scratch)
    for i in range(count):
        out[n + i] = K_MELD + scratch[i]
    return n + count


@kernel
def spare_of(r):
    """Return how many cards an action before the discard must leave."""
    return 0 if r.meld_all_ok else 1


@kernel
def pick_options(s, out):
    """The types in the draw pile."""
    mine = s.priv[s.pub.actor]
    n = 0
    for t in range(53):
        if mine.peek[t] > 0:
            out[n] = K_PICK + t * ARG
            n += 1
    return n


@kernel
def override_options(s, r, out):
    """Pass, or one of the queens."""
    out[0] = K_OVERRIDE
    n = 1
    m = s.priv[s.pub.actor].hand.M & r.queens
    while m != 0:
        out[n] = K_OVERRIDE + (lowest(m) + 1) * ARG
        n += 1
        m &= m - 1
    return n


# ---------------------------------------------------------------------------------------------------------------------
# Laying off


@kernel
def joker_fits(r, naturals, jokers):
    """CR-15, CR-16: whether a meld may hold so many naturals and Jokers after a lay-off."""
    return naturals == 0 or jokers <= r.tables.limit[naturals + jokers]


@kernel
def position_bits(r, m, position):
    """Return the mask of naturals that fit a position of a run (0 outside the Ace rule)."""
    if position < r.tables.first or position > r.tables.last:
        return np.int64(0)
    rank = (position - 1) % 13
    if m.kind == hands.FLUSH:
        return np.int64(1) << (13 * np.int64(m.suit) + rank)
    return np.int64(hands.EVERY) << rank


@kernel
def refresh(r, m):
    """Work out anew what a meld accepts: one card at a time."""
    m.accept0 = 0
    m.accept1 = 0
    m.joker_ends = 0
    length = np.int64(m.length)
    jokers = np.int64(m.jokers)
    natural_ok = joker_fits(r, length - jokers + 1, jokers)
    joker_ok = joker_fits(r, length - jokers, jokers + 1)
    if m.kind == hands.SET:
        if r.tables.distinct_suits and length >= 4:
            return
        if natural_ok:
            for suit in range(4):
                if not (r.tables.distinct_suits and (m.suits >> suit) & 1):
                    m.accept0 |= np.int64(1) << (13 * suit + np.int64(m.low))
        m.joker_ends = 1 if joker_ok else 0
        return
    low = position_bits(r, m, np.int64(m.low) - 1)
    high = position_bits(r, m, np.int64(m.low) + length)
    if natural_ok:
        m.accept0 = low
        m.accept1 = high
    if joker_ok:
        m.joker_ends = (1 if low != 0 else 0) + (2 if high != 0 else 0)


@kernel
def is_target(s, r, seat, k):
    """CR-05: whether `seat` may lay off on meld k."""
    return s.pub.meld[k].kind >= 0 and (r.layoff_any or k >> 1 != seat)


@kernel
def layoff_possible(s, r, seat):
    """Tell whether any lay-off is possible."""
    p = s.pub
    hand = s.priv[seat].hand
    wild = hand.J > 0 and not is_off(s, seat, WILD)
    for k in range(2 * np.int64(p.n)):
        if is_target(s, r, seat, k):
            m = p.meld[k]
            if ((m.accept0 | m.accept1) & hand.M) != 0 or (wild and m.joker_ends != 0):
                return True
            if m.length == m.jokers and many_options(s, r, seat, k, None, 0) > 0:
                return True
    return False


@kernel
def layoff_options(s, r, seat, out):
    """Write the lay-offs of single cards by card, then those of several naturals at once."""
    p = s.pub
    hand = s.priv[seat].hand
    melds = 2 * np.int64(p.n)
    union = np.int64(0)
    all_jokers = False
    for k in range(melds):
        if is_target(s, r, seat, k):
            m = p.meld[k]
            union |= m.accept0 | m.accept1
            all_jokers = all_jokers or m.length == m.jokers
    n = 0
    held = union & hand.M
    while held != 0:
        b = lowest(held)
        held &= held - 1
        base = K_OFF + b * ARG
        for k in range(melds):
            if is_target(s, r, seat, k):
                m = p.meld[k]
                if (m.accept0 >> b) & 1:
                    out[n] = base + 2 * k
                    n += 1
                if (m.accept1 >> b) & 1:
                    out[n] = base + 2 * k + 1
                    n += 1
    if hand.J > 0 and not is_off(s, seat, WILD):
        base = K_OFF + JOKER * ARG
        for k in range(melds):
            if is_target(s, r, seat, k):
                m = p.meld[k]
                if m.joker_ends & 1:
                    out[n] = base + 2 * k
                    n += 1
                if m.joker_ends & 2:
                    out[n] = base + 2 * k + 1
                    n += 1
    if all_jokers:
        first = n
        for k in range(melds):
            if is_target(s, r, seat, k) and p.meld[k].length == p.meld[k].jokers:
                n = many_options(s, r, seat, k, out, n)
        sort_codes(out, first, n)
    return n


@kernel
def many_options(s, r, seat, k, out, n):
    """CR-18: enough naturals at once on a meld of Jokers only; `out` None only counts."""
    p = s.pub
    m = p.meld[k]
    jokers = np.int64(m.jokers)
    if joker_fits(r, 1, jokers) or not joker_fits(r, jokers + 1, jokers):
        return n
    hand = s.priv[seat].hand
    spare = np.int64(p.hand_n[seat]) - spare_of(r)
    if m.kind == hands.SET:
        most = min(rank_count(r, hand, np.int64(m.low)), spare)
        if r.tables.distinct_suits:
            most = min(most, 4 - jokers)
        for count in range(jokers + 1, most + 1):
            if out is not None:
                out[n] = K_MANY + count * 16 * ARG + 2 * k
            n += 1
        return n
    for low in range(14):
        for high in range(14):
            if low + high > jokers and low + high <= spare and places_held(r, m, hand, low, high):
                if out is not None:
                    out[n] = K_MANY + (low * 16 + high) * ARG + 2 * k
                n += 1
    return n


@kernel
def rank_count(r, hand, rank):
    """Return how many naturals of a rank a set could take from the hand."""
    mask = np.int64(hands.EVERY) << rank
    count = popcount(hand.M & mask)
    return count if r.tables.distinct_suits else count + popcount(hand.D & mask)


@kernel
def places_held(r, m, hand, low, high):
    """Tell whether distinct naturals of the hand fill so many places below and above a run."""
    used1 = np.int64(0)
    used2 = np.int64(0)
    for i in range(low + high):
        position = np.int64(m.low) - 1 - i if i < low else np.int64(m.low) + np.int64(m.length) + i - low
        b = first_free(position_bits(r, m, position), hand, used1, used2)
        if b == 0:
            return False
        used2 |= used1 & b
        used1 |= b
    return True


@kernel
def first_free(fits, hand, used1, used2):
    """Return the lowest held card out of `fits` of which a copy is left, 0 for none."""
    free = fits & ((hand.M & ~used1) | (hand.D & ~used2))
    return free & -free


# ---------------------------------------------------------------------------------------------------------------------
# Carrying out


@kernel
def apply(s, rules, code):
    """Carry out one of the codes that `options` gave."""
    p = s.pub
    kind = code >> 20
    a = (code >> 10) & 1023
    b = code & 1023
    seat = np.int64(p.actor)
    if kind == DISCARD:
        discard(s, rules, seat, a)
    elif kind == DRAW:
        draw(s, rules, seat, a)
    elif kind == DECLARE:
        declare(s, rules, seat, b)
    elif kind == LAY_AUTO:
        lay_auto(s, rules, seat)
    elif kind == LAY_MELD:
        lay(s, rules, seat, code & 0xFFFFF)
    elif kind == LAY_OFF:
        lay_off(s, rules, seat, a, b)
    elif kind == LAY_OFF_MANY:
        lay_off_many(s, rules, seat, a, b)
    elif kind == SHIFT_PLAY:
        shift(s, rules, seat, a)
    elif kind == BLOCK_PLAY:
        block(s, rules, seat, a)
    elif kind == OVERRIDE_PLAY:
        override(s, rules, seat, a)
    elif kind == PICK:
        pick(s, rules, seat, a)
    else:
        p.side[seat] = a
        p.actor = seat + 1
        if p.actor == p.n:
            p.phase = P_ROUND


@kernel
def declare(s, r, seat, element):
    """CR-40: declarations are revealed together."""
    p = s.pub
    s.hid.declared[seat] = element
    if seat + 1 < p.n:
        p.actor = seat + 1
        return
    for i in range(p.n):
        e = s.hid.declared[i]
        number = r.contract[p.side[i], e]
        p.element[i] = e
        p.contract[i] = number
        p.table[i] = r.place[number]
        p.tries[i] = p.tries[i] + 1 if p.failed[i] == e else 1
    p.phase = P_DEAL


@kernel
def draw(s, r, seat, where):
    """CR-S4, CR-29: take a card, or nothing."""
    p = s.pub
    mine = s.priv[seat]
    p.drawn = 1
    p.phase = P_ACT
    if where == 2:
        p.skips += 1
        return
    p.skips = 0
    if where == 1:
        p.disc_n -= 1
        card = np.int64(p.disc[p.disc_n])
        unsee(s, card)
        gain(s, r, seat, card)
        learn(s, seat, card)
    else:
        card = take_top(s, r)
        gain(s, r, seat, card)
    mine.drawn = card


@kernel
def discard(s, r, seat, card):
    """CR-S4, CR-S9, CR-32: discard, perhaps go out, perhaps bury; the turn ends."""
    p = s.pub
    lose(s, seat, card)
    if card != JOKER:
        p.wants[seat] &= ~bit_of(card)
    p.disc[p.disc_n] = card
    p.disc_n += 1
    see(s, card)
    if p.only_discards:
        s.round_row[seat].idle += 1
    if p.hand_n[seat] == 0 and p.laid[seat]:
        p.out = seat
        p.phase = P_ROUND_END
        return
    buries = card == JOKER or (is_queen(r, card) and not is_off(s, seat, SHIFT))
    if buries and r.bury != BURY_OFF and not is_off(s, seat, BURY):
        s.game_row[seat].n_bury += bury(s, r)
    refill(s, r)
    p.phase = P_TURN


@kernel
def after_meld(s, r, seat):
    """CR-36 read otherwise: melding the last card ends the round."""
    p = s.pub
    p.phase = P_ACT
    if p.hand_n[seat] == 0 and p.laid[seat]:
        p.out = seat
        p.phase = P_ROUND_END


@kernel
def lay_auto(s, r, seat):
    """Lay down both melds of the canonical arrangement."""
    wild = not is_off(s, seat, WILD)
    scratch = np.empty(hands.MELD_SCRATCH, np.int64)
    pair = hands.arrange(r.tables, s.priv[seat].hand, np.int64(s.pub.table[seat]), wild, scratch)
    lay(s, r, seat, pair[0])
    lay(s, r, seat, pair[1])


@kernel
def lay(s, r, seat, code):
    """CR-S7: lay one meld; with the second the element is earned."""
    p = s.pub
    requirement = code >> 19
    wild = not is_off(s, seat, WILD)
    laid = s.hid.laid
    scratch = np.empty(hands.MELD_SCRATCH, np.int64)
    hands.lay_meld(r.tables, s.priv[seat].hand, np.int64(p.table[seat]), wild, code, laid, scratch)
    m = p.meld[2 * seat + requirement]
    m.kind = laid.kind
    m.low = laid.low
    m.length = laid.n
    m.jokers = laid.jokers
    m.suits = laid.suits
    m.suit = laid.suit if laid.kind == hands.FLUSH else -1
    for i in range(laid.n):
        forget(s, seat, np.int64(laid.cards[i]))
        see(s, np.int64(laid.cards[i]))
    p.hand_n[seat] -= laid.n
    count_wild(s, seat, np.int64(laid.jokers))
    refresh(r, m)
    if requirement == 0:
        p.first_rank = hands.meld_rank(code)
        p.phase = P_MELD2
    else:
        p.first_rank = -1
        p.laid[seat] = 1
        p.laid_turn[seat] = p.turns[seat]
        after_meld(s, r, seat)


@kernel
def sort_codes(codes, first, last):
    """Sort codes[first:last] in place; there are few."""
    for i in range(first + 1, last):
        value = codes[i]
        j = i
        while j > first and codes[j - 1] > value:
            codes[j] = codes[j - 1]
            j -= 1
        codes[j] = value


@kernel
def count_wild(s, seat, jokers):
    """Count Jokers put to use in melds."""
    s.game_row[seat].n_wild += jokers


@kernel
def shift(s, r, seat, card):
    """CR-25: a queen is played and may be answered."""
    p = s.pub
    for i in range(SEATS):
        p.sk_spent[i] = 0
    p.sk_cards = 0
    p.sk_jokers = 0
    spend(s, seat, card)
    p.queen = card
    p.shifter = seat
    p.top = seat
    p.asked = seat
    p.shifts += 1
    if s.priv[seat].drawn == card:
        s.priv[seat].drawn = -1
    if p.drawn:
        p.only_discards = 0
    s.game_row[seat].n_shift += 1
    s.round_row[seat].shifts += 1
    p.phase = P_ASK


@kernel
def block(s, r, seat, play):
    """CR-47, CR-50: pass, or trump with a Joker; the first Joker puts the queen out of play."""
    p = s.pub
    p.phase = P_ASK
    if play == 0:
        return
    if p.sk_jokers == 0:
        to_limbo(s, np.int64(p.queen))
    spend(s, seat, JOKER)
    to_limbo(s, JOKER)
    p.sk_jokers += 1
    p.top = seat
    p.asked = seat
    s.game_row[seat].n_block += 1


@kernel
def override(s, r, seat, play):
    """CR-54, CR-55: pass, or take the skirmish with a queen and search two cards."""
    p = s.pub
    if play == 0:
        p.phase = P_ASK_QUEEN
        return
    spend(s, seat, play - 1)
    to_limbo(s, play - 1)
    s.game_row[seat].n_override += 1
    s.round_row[p.shifter].shifts_met += 1
    if p.sk_jokers >= 2:
        s.round_row[p.shifter].retrumped += 1
    if p.stock_n > 0:
        begin_pick(s, seat, 2, 0)
    else:
        end_skirmish(s, r)


@kernel
def pick(s, r, seat, card):
    """CR-30, CR-31: take a card out of the draw pile; after the last the pile is shuffled."""
    p = s.pub
    h = s.hid
    mine = s.priv[seat]
    mine.peek[card] -= 1
    i = 0
    while h.stock[(h.head + i) & 255] != card:
        i += 1
    while i > 0:
        h.stock[(h.head + i) & 255] = h.stock[(h.head + i - 1) & 255]
        i -= 1
    h.head = (h.head + 1) & 255
    p.stock_n -= 1
    gain(s, r, seat, card)
    mine.drawn = card
    p.picks -= 1
    if p.picks > 0:
        refill(s, r)  # the first of two cards may have emptied the pile
        if p.stock_n > 0:
            see_search(s, seat)
            return
    for t in range(53):
        mine.peek[t] = 0
    reshuffle_stock(s, np.int64(p.queen) if p.queen_back else -1)
    end_skirmish(s, r)


@kernel
def lay_off(s, r, seat, card, b):
    """CR-S8: one card onto a meld."""
    p = s.pub
    k = b >> 1
    m = p.meld[k]
    lose(s, seat, card)
    see(s, card)
    m.length += 1
    if card == JOKER:
        m.jokers += 1
        count_wild(s, seat, 1)
    else:
        m.suits |= np.int64(1) << (card // 13)
    if m.kind != hands.SET and (b & 1) == 0:
        m.low -= 1
    refresh(r, m)
    after_meld(s, r, seat)


@kernel
def lay_off_many(s, r, seat, a, b):
    """CR-18: several naturals at once onto a meld of Jokers."""
    p = s.pub
    m = p.meld[b >> 1]
    low = a >> 4
    high = a & 15
    for i in range(low + high):
        if m.kind == hands.SET:
            fits = np.int64(hands.EVERY) << np.int64(m.low)
            if r.tables.distinct_suits:
                for suit in range(4):
                    if (m.suits >> suit) & 1:
                        fits &= ~(np.int64(1) << (13 * suit + np.int64(m.low)))
        else:
            fits = position_bits(r, m, np.int64(m.low) - 1 if i < low else np.int64(m.low) + np.int64(m.length))
        card = lowest(first_free(fits, s.priv[seat].hand, 0, 0))
        lose(s, seat, card)
        see(s, card)
        m.length += 1
        m.suits |= np.int64(1) << (card // 13)
        if m.kind != hands.SET and i < low:
            m.low -= 1
    refresh(r, m)
    after_meld(s, r, seat)


# ---------------------------------------------------------------------------------------------------------------------
# Another world that fits what a seat has seen


@kernel
def keep_known(s, seat, pool):
    """Put what nobody else knows of a hand into the pool (copies by type); return how many cards."""
    p = s.pub
    hand = s.priv[seat].hand
    taken = 0
    for card in range(53):
        count = hands.count_of(hand, card)
        known = np.int64(p.known_jokers[seat])
        if card != JOKER:
            b = bit_of(card)
            known = (1 if p.known1[seat] & b else 0) + (1 if p.known2[seat] & b else 0)
        for _ in range(count - known):
            hands.remove_card(hand, card)
            pool[card] += 1
            taken += 1
    return taken


@kernel
def redeal(s, rules, seat, key):
    """Draw what `seat` cannot see anew: others' unknown cards, the order of the draw pile, pending declarations."""
    p = s.pub
    h = s.hid
    searching = p.phase == P_PICK and p.picker == seat
    top_n = np.int64(p.stock_n) - np.int64(p.bottom_n)
    pool = np.zeros(53, np.int64)
    taken = np.zeros(SEATS, np.int64)
    for other in range(p.n):
        if other != seat:
            taken[other] = keep_known(s, other, pool)
            s.priv[other].drawn = -1
    own = np.zeros(53, np.int64)
    for i in range(p.stock_n):
        card = np.int64(h.stock[(h.head + i) & 255])
        if i < top_n and not searching:
            pool[card] += 1
        else:
            own[card] += 1
    cards = np.zeros(PLACES, np.int64)
    order = np.zeros(PLACES, np.int64)
    n = spread(pool, cards)
    rng.permutation(rng.stream(key, 0, rng.REDEAL, 0, 0), n, order)
    at = 0
    for other in range(p.n):
        for _ in range(taken[other]):
            hands.add_card(s.priv[other].hand, cards[order[at]])
            at += 1
    filled = 0
    while at < n:
        h.stock[(h.head + filled) & 255] = cards[order[at]]
        filled += 1
        at += 1
    n = spread(own, cards)
    rng.permutation(rng.stream(key, 0, rng.REDEAL, 0, 1), n, order)
    for i in range(n):
        h.stock[(h.head + filled + i) & 255] = cards[order[i]]
    for other in range(p.n):
        if other != seat:
            see_search(s, other)
            redeclare(s, rules, other, key)
    h.key = rng.word(key, 0)


@kernel
def spread(counts, cards):
    """Write the types of `counts` into `cards` in canonical order; return how many."""
    n = 0
    for card in range(53):
        for _ in range(counts[card]):
            cards[n] = card
            n += 1
    return n


@kernel
def see_search(s, seat):
    """What a searching seat sees is the draw pile as it is now."""
    p = s.pub
    if p.phase != P_PICK or p.picker != seat:
        return
    mine = s.priv[seat]
    for t in range(53):
        mine.peek[t] = 0
    for i in range(p.stock_n):
        mine.peek[s.hid.stock[(s.hid.head + i) & 255]] += 1


@kernel
def redeclare(s, r, seat, key):
    """A declaration not yet revealed may be any that its seat could make."""
    p = s.pub
    if p.phase != P_DECLARE or seat >= p.actor:
        return
    out = np.zeros(4, np.int64)
    actor = p.actor
    p.actor = seat
    n = declare_options(s, r, out)
    p.actor = actor
    s.hid.declared[seat] = out[rng.below(rng.stream(key, 0, rng.REDEAL, seat + 1, 2), 0, n)] & 1023


@kernel
def value(s, rules, out):
    """Write what the game is worth to each seat after a round: three times as much for each element it has more."""
    p = s.pub
    if p.phase == P_GAME_END:
        return 0
    total = 0.0
    for seat in range(p.n):
        out[seat] = 3.0 ** np.float64(p.had[seat])
        total += out[seat]
    for seat in range(p.n):
        out[seat] /= total
    return 1


# ---------------------------------------------------------------------------------------------------------------------
# For the referee


def cards_of(hand: Any) -> list[int]:
    """Return the card types of a hand record, sorted."""
    once, twice = int(hand["M"]), int(hand["D"])
    made: list[int] = []
    while once:
        bit = once & -once
        made += [bit.bit_length() - 1] * (2 if twice & bit else 1)
        once ^= bit
    return made + [JOKER] * int(hand["J"])


def visible(s: Any, rules: Any, seats: int) -> dict[str, Any]:
    """Return what the rulebook's `visible` returns, from a state record."""
    p = s["pub"]
    table = p["meld"][: 2 * seats][["kind", "low", "length", "jokers", "suit"]].tolist()
    melds = [[[(0, 2, 1)[m[0]], *m[1:]] for m in table[2 * seat : 2 * seat + 2] if m[0] >= 0] for seat in range(seats)]
    got = p["got"][:seats].tolist()
    return {
        "actor": int(p["actor"]),
        "round": int(p["rounds"]),
        "turn_seat": int(p["turn_seat"]),
        "hands": [cards_of(hand) for hand in s["priv"]["hand"][:seats]],
        "stock": int(p["stock_n"]),
        "discard": p["disc"][: int(p["disc_n"])].tolist(),
        "out_of_play": sorted(p["limbo"][: int(p["limbo_n"])].tolist()),
        "melds": melds,
        "laid": p["laid"][:seats].tolist(),
        "contracts": p["contract"][:seats].tolist(),
        "got": [[e for e in range(4) if mask >> e & 1] for mask in got],
    }


# A round is decided by many draws: in a few hundred playouts what a choice changes drowns in them unless it is much. So
# the expert keeps to `skilled` where the search is not sure (`tuning.md`).
LOOKAHEAD = Lookahead(policies=(SKILLED,), mix=0.0, c=0.3, model_others=True, trust=1.5)


def make_engine(choose: Any) -> Engine:
    """Return the fast path with the policies' `choose`."""
    return Engine(
        tag=TAG,
        state=state,
        rules=RULES,
        make_rules=make_rules,
        game_row=GAME_ROW,
        round_row=ROUND_ROW,
        max_rounds=60,
        kernels=named(start, advance, options, apply, redeal, choose, value),
        visible=visible,
        lookahead=LOOKAHEAD,
    )
