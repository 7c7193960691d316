"""Elestrals: the fast engine: the course of a game on a stack of routines, and the entry points of the house.

`advance` enters the routine on top of the stack until one of them waits for an answer. The order of all small steps
stands in the docstring of the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim import rng
from sim.bits import lowest, popcount
from sim.engine import DECIDE, END_CAP, END_STOPPED, END_WON, MAX_OPTIONS, OVER, WHOLE, named, record
from sim.game import Engine, Lookahead
from sim.games.elestrals import codes, tables
from sim.games.elestrals.board import (
    ANY,
    CARDS,
    DECK_PLACE,
    FIRST_CONTEXT,
    HAS_ACTS,
    HAS_COUNTER,
    HID,
    L_ABILITY,
    L_ASCEND,
    L_ATTACK,
    L_CAST,
    L_RUNE,
    L_SET,
    NUMBERS,
    PERM,
    PH_BATTLE,
    PH_DRAW,
    PH_END,
    PH_MAIN,
    PH_SETUP,
    PHASES,
    PLACES,
    POOL,
    RULES_RECORD,
    RUNES,
    STADIUM_PLACE,
    TAG,
    TALLIES,
    WORDS,
    Y_FIRST2,
    Y_FIRST3,
    Y_LOST_BATTLE,
    Y_MULLIGANS,
    Y_PAID_CAST,
    Y_PAID_COST,
    Y_PAID_MULLIGAN,
    Y_RUNES,
    add_card_cost,
    add_group,
    at,
    attack_locked,
    clear_ctx,
    count,
    field,
    field_places,
    free_place,
    has_rule,
    holds,
    holds_on,
    is_blank,
    is_body,
    is_instant,
    link_fits,
    locked,
    match,
    new_ctx,
    on_field,
    opt,
    payable,
    perm_ctx,
    place_code,
    restricted,
    spirits_of,
    stats,
    tax,
    working,
)
from sim.games.elestrals.effects import (
    ARG,
    F_ACT,
    F_ANSWER,
    F_ARTIFACT,
    F_ASCEND,
    F_ATTACK,
    F_BATTLE,
    F_BATTLES,
    F_CHAIN,
    F_COSTS,
    F_DESTROY,
    F_EXPEND,
    F_FOLLOW,
    F_FORETELL,
    F_GAME,
    F_LOSSES,
    F_MAIN,
    F_MULLIGAN,
    F_OP,
    F_PAY,
    F_PUT,
    F_RESOLVE,
    F_RESPOND,
    F_RUN,
    F_RUNE,
    F_TARGETS,
    F_TURN,
    F_USE,
    F_WINDOW,
    K_HOST,
    K_POSITION,
    K_TARGET,
    K_USE,
    ZONE_HAND,
    add_cast,
    add_costs,
    arrived,
    ask,
    body_mask,
    bury,
    bury_destroyed,
    by_number,
    can_activate,
    can_ascend,
    can_special_cast,
    do_artifact,
    do_ascend,
    do_costs,
    do_destroy,
    do_expend,
    do_foretell,
    do_op,
    do_pay,
    do_run,
    do_targets,
    draw,
    emit,
    event_ctx,
    from_deck,
    leave,
    look_present,
    move,
    new_mask,
    new_perm,
    played,
    pop,
    push,
    put_under,
    receive,
    settle,
    settle_step,
    shuffle,
    start_pay,
    target_options,
    wait,
)
from sim.games.elestrals.numbers import EARLY, MAX_ACTIONS, MAX_DECISIONS, MAX_DECLARATIONS, MAX_LINKS
from sim.games.elestrals.tables import (
    ARTIFACT,
    COUNTER,
    E_ALLY,
    E_ATK,
    E_DIE,
    E_DIE_B,
    E_END,
    E_ENTER,
    E_KILL,
    E_LINK,
    E_STATE,
    EITHER,
    ELESTRAL,
    INVOKE,
    KIND_ACT,
    KIND_ON,
    KIND_ROUTE,
    NO_ATTACK,
    NO_ENCHANT,
    NO_POSITION,
    NONE,
    O_ATTACH,
    O_MOD,
    O_SPCAST,
    ONE,
    OWN,
    RULE_DEFATK,
    RULE_DIRECT,
    RULE_DOUBLE,
    RULE_PIERCE,
    STADIUM,
    TWO,
    W_ATK,
    W_BATTLE,
    W_DRAW,
    W_LINK,
    W_NONE,
    W_PLAY,
    ZERO,
)
from sim.jit import entry, kernel
from sim.variant import Variant

K_FIRST, K_MULLIGAN, K_CAST, K_ASCEND, K_ENCHANT, K_DRAW, K_SET, K_RUNE, K_CAST_SET = (
    np.int64(k << 20)
    for k in (
        codes.FIRST, codes.MULLIGAN, codes.CAST, codes.ASCEND, codes.ENCHANT, codes.DRAW, codes.SET, codes.RUNE,
        codes.CAST_SET,
    )
)  # fmt: skip
K_ROUTE, K_TURN, K_NEXT, K_ATTACK, K_ANSWER, K_TRIGGER, K_GIVE_UP = (
    np.int64(k << 20)
    for k in (
        codes.ROUTE, codes.TURN, codes.NEXT, codes.ATTACK, codes.ANSWER, codes.TRIGGER, codes.GIVE_UP,
    )
)  # fmt: skip
(
    D_CAST, D_ASCEND, D_ENCHANT, D_DRAW, D_SET, D_RUNE, D_CAST_SET, D_USE, D_ROUTE, D_TURN, D_NEXT, D_ATTACK, D_ANSWER,
) = (
    codes.CAST, codes.ASCEND, codes.ENCHANT, codes.DRAW, codes.SET, codes.RUNE, codes.CAST_SET, codes.USE, codes.ROUTE,
    codes.TURN, codes.NEXT, codes.ATTACK, codes.ANSWER,
)  # fmt: skip
SPIRIT_DECK = codes.SPIRIT_DECK
SWEEP_AT = 34  # objects in the pool from which those that nobody can speak of any more are given back

# What both players see: axes seats, places. A Set card is -1 and shows nothing else.
PUB = record(
    (TAG, "i1"),
    *tables.whole("actor", "phase", "turn", "active", "n_links", "link_kind", "link_seat", "negated", "attacker"),
    *tables.whole("defender", "fights"),
    ("life", "i8", (2,)),
    ("hand_n", "i8", (2,)),
    ("deck_n", "i8", (2,)),
    ("sp", "i8", (2,)),  # packed Spirits of the Spirit Decks
    ("lost", "i8", (2,)),
    ("card", "i8", (2, PLACES)),
    ("spirits", "i8", (2, PLACES)),  # packed
    ("pos", "i8", (2, PLACES)),
    ("attack", "i8", (2, PLACES)),
    ("defence", "i8", (2, PLACES)),
    ("used", "i8", (2, PLACES)),  # attacks made
    ("off", "i8", (2, tables.CHUNKS)),  # bit c % 32 of chunk c / 32: card c of this player has no text in this deal
)
# What one player sees besides: the hand by card number, the own Set cards, and what the step at hand is about.
PRIV = record(
    *tables.whole("n", "subject", "lacking", "helps", "moving"),
    ("hand", "i8", (CARDS,)),
    ("set", "i8", (PLACES,)),
    ("n_opts", "i8"),
    ("opts", "i4", (MAX_OPTIONS,)),  # the codes that it may choose
)
GAME_ROW = record(
    ("share", "u2"),
    ("turns", "u2"),
    ("points", "i2"),
    ("rounds", "u1"),
    ("end", "u1"),
    ("lead_changes", "u1"),
    ("starter", "u1"),
    ("order", "i1"),  # 1 who started, -1 the other
    ("cast2", "u1"),  # whether a body of cost 2, of cost 3 came into play
    ("cast3", "u1"),
    ("over4", "u1"),  # the (first) game was over when each player had had four turns
    ("ahead4", "u1"),  # more Spirits left then
    ("lost_by", "u1"),
    ("deck_left", "u1"),
    ("hand_left", "u1"),
    ("field_spirits", "u1"),
    *((name, "u2") for name in TALLIES),
)
ROUND_ROW = record(("starter", "u1"))
STATE = record(
    (TAG, "i1"),
    ("pub", PUB),
    ("priv", PRIV, (2,)),
    ("hid", HID),
    ("game_row", GAME_ROW, (2,)),
    ("round_row", ROUND_ROW, (2,)),
)


def state(seats: int) -> np.dtype[Any]:
    """Return the state's record type."""
    return STATE


def make_rules(variant: Variant, seats: int) -> np.ndarray[Any, Any]:
    """Return the rules record (array of one) of a variant: its numbers and switches, and all cards."""
    made = np.zeros(1, RULES_RECORD)
    for key in NUMBERS:
        made[key] = int(variant[key])
    for key, words in WORDS.items():
        made[key] = words.index(variant[key])
    tables.fill(made[0], tables.varied(variant), bool(variant["hand_or_deck_is_search"]))
    made[0]["deck"] = tables.decks(variant)
    return made


# ---------------------------------------------------------------------------------------------------------------------
# A match, a game


@kernel
def start(s, rules, key, seats):
    """Set up a deal: the decks of both seats and what is switched off."""
    h = s.hid
    h.key = key
    h.over = 0
    h.end = END_WON
    h.game = 0
    h.starter = 0
    h.turns = 0
    h.leader = 0
    h.lead_changes = 0
    h.ahead = 0
    h.early = 0
    h.decisions = 0
    h.actions = 0
    h.answer = 0
    h.chooser = -1
    h.n_perm = 0
    h.seen = 1 if seats[0].policy + seats[1].policy > 0 else 0
    for seat in range(2):
        h.wins[seat] = 0
        h.reasons[seat] = 0
        h.packet[seat] = seats[seat].packet
        h.side[seat] = seats[seat].side
        d = rules.deck[seats[seat].side]
        off = np.int64(seats[seat].off)
        blank = np.int64(0)
        listens = np.int64(0)
        for j in range(tables.CHUNKS):
            s.pub.off[seat, j] = 0
        last = np.int64(-1)
        same = np.int64(0)
        for i in range(CARDS):
            card = d.card[i]
            same = same + 1 if card == last else np.int64(0)
            last = card
            h.number[seat, i] = card
            h.twin[seat, i] = same
            if (off >> d.distinct[i]) & 1 == 1:
                blank |= np.int64(1) << i
                s.pub.off[seat, card >> 5] |= np.int64(1) << (card & 31)
            if rules.card[card].hand == 1:
                listens |= np.int64(1) << i
        h.blank[seat] = blank
        h.listens[seat] = listens
        for k in range(len(TALLIES)):
            h.tally[seat, k] = 0
    for p in range(POOL):
        h.perm[p].live = 0
        h.perm[p].gone = 1
    lay_out(h, rules)


@kernel
def lay_out(h, r):
    """EL-D1, EL-D2: forty cards and the Spirits of each deck; the routine of a game stands alone on the stack."""
    for seat in range(2):
        d = r.deck[h.side[seat]]
        h.sp[seat] = d.spirits
        h.lost[seat] = 0
        h.hand[seat] = 0
        h.uw[seat] = 0
        h.deckm[seat] = (np.int64(1) << CARDS) - 1
        h.deck_n[seat] = CARDS
        h.normal[seat] = 0
        h.foretold[seat] = 0
        h.known[seat] = 0
        h.shuffles[seat] = 0
        for i in range(CARDS):
            h.deck[seat, i] = CARDS - 1 - i
        for k in range(PLACES):
            h.slot[seat, k] = -1
    for p in range(POOL):
        h.perm[p].live = 0
    h.n_perm = 0
    h.turn = 0
    h.active = 0
    h.phase = PH_SETUP
    h.loser = -1
    h.reason = 0
    h.n_links = 0
    h.n_wait = 0
    h.n_batch = 0
    h.n_delayed = 0
    h.n_cur = 0
    h.n_new = 0
    h.n_chg = 0
    h.n_ctx = FIRST_CONTEXT
    h.n_opts = 0
    h.present = 0
    h.heard = 0
    h.waits = 0
    h.frozen0 = -1
    h.frozen1 = -1
    h.depth = 0
    push(h, F_GAME, ZERO, ZERO, ZERO, ZERO)


@kernel
def do_game(h, r, f):
    """A game: who starts, shuffles, hands, mulligans, turns. a: who decides."""
    if f.pc == 0:
        by_lot = rng.below(rng.stream(h.key, h.game, rng.SETUP, 0, 0), 0, 2)
        if h.chooser < 0 and r.first != 1:
            h.active = 0 if r.first == 0 else by_lot
            f.pc = 2
        else:
            f.a = h.chooser if h.chooser >= 0 else by_lot
            h.n_opts = 0
            opt(h, K_FIRST)
            opt(h, K_FIRST + ARG)
            f.pc = 1
            return ask(h, f.a)
    if f.pc == 1:
        h.active = f.a if (h.answer >> 10) & 1023 == 1 else 1 - f.a
        f.pc = 2
    if f.pc == 2:
        if h.game == 0:
            h.starter = h.active
        for j in range(2):
            shuffle(h, h.active if j == 0 else 1 - h.active)
        for j in range(2):
            draw(h, h.active if j == 0 else 1 - h.active, r.opening_hand)
        f.pc = 3
        push(h, F_MULLIGAN, h.active, ZERO, ZERO, ZERO)
        return 0
    if f.pc == 3:
        f.pc = 4
        push(h, F_MULLIGAN, 1 - h.active, ZERO, ZERO, ZERO)
        return 0
    if f.pc == 5:  # a turn is over
        gap = count(h.sp[0]) - count(h.sp[1])
        leader = np.int64(1) if gap > 0 else (np.int64(-1) if gap < 0 else np.int64(0))
        if leader != 0 and h.leader != 0 and leader != h.leader:
            h.lead_changes += 1
        if leader != 0:
            h.leader = leader
        if h.turn == EARLY and h.game == 0:
            h.ahead = leader
        h.active = 1 - h.active
    if h.turn >= r.turn_cap:
        h.end = END_CAP
        count_turns(h)
        h.over = 1
        return 0
    f.pc = 5
    push(h, F_TURN, ZERO, ZERO, ZERO, ZERO)
    return 0


@kernel
def do_mulligan(h, r, f):
    """EL-S5: as many mulligans as a player wants and can pay. a: seat, b: how many so far."""
    seat = f.a
    price = r.mulligan_price
    if f.pc == 1:
        if h.answer == 0:
            return pop(h)
        h.n_g = 0
        add_group(h, np.int64(ANY), np.int64(DECK_PLACE), price)
        f.pc = 2
        start_pay(h, seat)
        return 0
    if f.pc == 2:
        bury(h, ZERO, h.n_paid)
        h.tally[seat, Y_PAID_MULLIGAN] += price
        h.tally[seat, Y_MULLIGANS] += 1
        h.deckm[seat] |= h.hand[seat]
        h.hand[seat] = 0
        shuffle(h, seat)
        draw(h, seat, r.opening_hand)
        f.b += 1
    if f.b >= r.max_mulligans or count(h.sp[seat]) < price + r.mulligan_floor or h.hand[seat] == 0:
        return pop(h)
    h.n_opts = 0
    opt(h, ZERO)
    opt(h, K_MULLIGAN)
    f.pc = 1
    return ask(h, seat)


# ---------------------------------------------------------------------------------------------------------------------
# A turn


@kernel
def do_turn(h, r, f):
    """A turn: Draw, Main, Battle and End Phase."""
    if f.pc == 0:
        begin_turn(h, r)
        f.pc = 1
        if h.turn > 1 or r.first_turn_draw == 1:
            h.phase = PH_DRAW
            draw(h, h.active, r.cards_per_draw_phase)
            if h.loser < 0:
                push(h, F_WINDOW, ZERO, ZERO, ZERO, ZERO)
            return 0
    if f.pc == 1:
        f.pc = 2
        h.phase = PH_MAIN
        push(h, F_MAIN, ZERO, ZERO, ZERO, ZERO)
        return 0
    if f.pc == 2:
        f.pc = 3
        if h.turn > 1 or r.first_turn_battle == 1:
            h.phase = PH_BATTLE
            push(h, F_BATTLES, ZERO, ZERO, ZERO, ZERO)
            return 0
    if f.pc == 3:
        h.phase = PH_END
        emit(h, r, E_END, NONE, NONE, h.active, ZERO, NONE, ZERO)
        for i in range(h.n_delayed):
            copy_wait(h.delayed[i], h.wait[h.n_wait])
            h.n_wait += 1
        h.n_delayed = 0
        f.pc = 4
        push(h, F_FOLLOW, ZERO, ZERO, ZERO, ZERO)
        return 0
    if f.pc == 4:
        f.pc = 5
        push(h, F_WINDOW, ZERO, ZERO, ZERO, ZERO)
        return 0
    return pop(h)


@kernel
def copy_wait(a, b):
    """Copy a waiting effect."""
    b.seat = a.seat
    b.source = a.source
    b.inst = a.inst
    b.card = a.card
    b.ability = a.ability
    b.index = a.index
    b.stays = a.stays
    b.ctx = a.ctx
    b.out = a.out
    b.ev_word = a.ev_word
    b.ev_subj = a.ev_subj
    b.ev_other = a.ev_other
    b.moved = a.moved


@kernel
def begin_turn(h, r):
    """EL-P3: durations end, borrowed bodies go home, everything may be used again."""
    h.turn += 1
    h.actions = 0
    h.n_delayed = 0
    kept = 0
    for i in range(h.n_chg):
        t = h.chg[i].target
        if holds_on(h, r, i) and (t < 0 or h.perm[t].gone == 0):
            move_change(h, i, kept)
            kept += 1
    h.n_chg = kept
    look_changed(h)
    h.foretold[0] = 0
    h.foretold[1] = 0
    h.normal[h.active] = r.normal_actions
    home = np.int64(0)
    for k in range(18):
        p = on_field(h, k)
        if p >= 0:
            q = h.perm[p]
            q.attacks = 0
            q.declared = 0
            q.kills = 0
            q.used = 0
            q.nodmg = 0
            q.state_done = -1
            if q.home >= 0:
                home |= np.int64(1) << k
    if home != 0:
        go_home(h, r, home)


@kernel
def go_home(h, r, home):
    """EL-F10: borrowed bodies (by slot) go back, or to the Underworld if their row is full."""
    n = 0
    while home != 0:
        h.tmp[n] = on_field(h, lowest(home))
        home &= home - 1
        n += 1
    for j in range(n):
        p = h.tmp[j]
        q = h.perm[p]
        if q.gone == 1 or q.home < 0:
            continue
        place = free_place(h, r, q.home, ELESTRAL)
        if place >= 0:
            move(h, p, q.home, place)
            q.home = -1
        elif r.steal_home_full == 0:
            leave(h, r, p, ZERO)
            settle(h, r)


@kernel
def move_change(h, i, j):
    """Move change `i` to place `j`."""
    if i == j:
        return
    a = h.chg[i]
    b = h.chg[j]
    b.kind = a.kind
    b.target = a.target
    b.attack = a.attack
    b.defence = a.defence
    b.words = a.words
    b.filter = a.filter
    b.seat = a.seat
    b.until = a.until
    b.source = a.source


@kernel
def look_changed(h):
    """Note for each card of the field which kinds of changes it has."""
    for k in range(18):
        p = on_field(h, k)
        if p >= 0:
            h.perm[p].changed = 0
    for i in range(h.n_chg):
        if h.chg[i].target >= 0:
            h.perm[h.chg[i].target].changed |= np.int64(1) << h.chg[i].kind


@kernel
def sweep(h):
    """Give back the objects of cards that are gone, when no chain is open and so nobody can speak of them.

    Delayed effects still may; a change whose card or source is gone has ended.
    """
    keep = np.int64(0)
    for i in range(h.n_delayed):
        x = h.ctx[h.delayed[i].ctx]
        for group in range(x.n_tg):
            for j in range(x.tgn[group]):
                keep |= np.int64(1) << x.tg[group, j]
        for p in (x.source, x.ev_subj, x.ev_other, x.that, x.receiver, x.it):
            if p >= 0:
                keep |= np.int64(1) << p
    kept = 0
    for i in range(h.n_chg):
        c = h.chg[i]
        if (c.target < 0 or h.perm[c.target].gone == 0) and (c.source < 0 or h.perm[c.source].gone == 0):
            move_change(h, i, kept)
            kept += 1
    h.n_chg = kept
    h.n_perm = 0
    for p in range(POOL):
        if h.perm[p].live == 1:
            if h.perm[p].gone == 1 and (keep >> p) & 1 == 0:
                h.perm[p].live = 0
            else:
                h.n_perm += 1


@kernel
def do_window(h, r, f):
    """Both players may start chains until neither wants to."""
    if f.pc == 0:
        h.n_links = 0
        h.n_ctx = FIRST_CONTEXT
        f.pc = 1
        push(h, F_RESPOND, ONE, ZERO, ZERO, ZERO)
        return 0
    if f.pc == 1:
        if h.n_links == 0:
            return pop(h)
        f.pc = 2
        push(h, F_RESOLVE, ZERO, ZERO, ZERO, ZERO)
        return 0
    f.pc = 0
    push(h, F_FOLLOW, ZERO, ZERO, ZERO, ZERO)
    return 0


# ---------------------------------------------------------------------------------------------------------------------
# Main Phase


@kernel
def do_main(h, r, f):
    """Actions in any order, none of them with an open chain."""
    if f.pc == 2:
        kind = h.answer >> 20
        if kind == D_NEXT:
            return pop(h)
        h.actions += 1
        f.pc = 3
        push(h, F_ACT, kind, (h.answer >> 10) & 1023, h.answer & 1023, ZERO)
        return 0
    if f.pc == 3:
        settle(h, r)
        f.pc = 0
        push(h, F_FOLLOW, ZERO, ZERO, ZERO, ZERO)
        return 0
    if f.pc == 0:
        state_effects(h, r)
        f.pc = 1
        if h.n_wait + h.n_new > 0:
            push(h, F_FOLLOW, ZERO, ZERO, ZERO, ZERO)
            return 0
    if h.actions >= MAX_ACTIONS:
        h.over = 2
        return 0
    if h.n_perm > SWEEP_AT:
        sweep(h)
    h.n_ctx = FIRST_CONTEXT
    h.n_opts = 0
    main_options(h, r, h.active)
    f.pc = 2
    return ask(h, h.active)


@kernel
def state_effects(h, r):
    """Effects of a state are looked at whenever no chain is open; each once between two actions."""
    if (h.heard >> E_STATE) & 1 == 0:
        return
    for k in range(18):
        p = on_field(h, k)
        if p < 0 or (r.card[h.perm[p].card].events >> E_STATE) & 1 == 0:
            continue
        q = h.perm[p]
        first = r.card[q.card].ability
        for a in range(first, first + r.card[q.card].ability_n):
            t = r.ability[a]
            if t.kind == KIND_ON and t.event == E_STATE and q.state_done != h.actions and q.face < 0:
                if working(h, r, p):
                    perm_ctx(h, TWO, p)
                    if holds(h, r, t.cond, t.cond_n, TWO):
                        q.state_done = h.actions
                        wait(h, q.seat, p, q.inst, q.card, a, t.index, ONE, E_STATE, NONE, NONE, ZERO)


@kernel
def main_options(h, r, seat):
    """Write every action of the Main Phase."""
    hand = h.hand[seat]
    if h.normal[seat] > 0:
        normal_options(h, r, seat, hand)
    slot = free_place(h, r, seat, ARTIFACT) >= 0
    last = np.int64(-1)
    left = hand
    while left != 0:
        i = lowest(left)
        left &= left - 1
        card = h.number[seat, i]
        if card == last:
            continue
        last = card
        kind = r.card[card].kind
        if kind == ELESTRAL:
            if r.card[card].routes == 1:
                route_options(h, r, seat, i, card)
            continue
        if kind != STADIUM and slot and may_set(h, r, seat, kind, card):
            opt(h, K_SET + card * ARG)
        if kind != COUNTER:
            clear_ctx(h, ONE, seat, NONE, seat * CARDS + i, card, kind)
            if rune_ready(h, r, seat, card, NONE, ONE):
                opt(h, K_RUNE + card * ARG)
    for k in range(PLACES):
        p = h.slot[seat, k]
        if p < 0:
            continue
        q = h.perm[p]
        if q.down == 1 and q.set_on < h.turn and q.kind != COUNTER:
            perm_ctx(h, ONE, p)
            if rune_ready(h, r, seat, q.card, p, ONE):
                opt(h, K_CAST_SET + k * ARG)
        if is_body(h, p) and q.arrived < h.turn and q.turned < h.turn and not restricted(h, r, p, NO_POSITION):
            opt(h, K_TURN + k * ARG)
    counter_options(h, r, seat, ONE, ZERO)
    use_options(h, r, seat, W_NONE)
    opt(h, K_NEXT)


@kernel
def normal_options(h, r, seat, hand):
    """EL-M1: Normal Cast, Normal Ascend, Enchant, Expend to draw."""
    bodies = body_mask(h, seat)
    last = np.int64(-1)
    while hand != 0:
        i = lowest(hand)
        hand &= hand - 1
        card = h.number[seat, i]
        if card == last or r.card[card].kind != ELESTRAL:
            continue
        last = card
        if r.card[card].total <= r.normal_cast_cost and free_place(h, r, seat, ELESTRAL) >= 0:
            if not locked(h, r, seat, ELESTRAL, card, NONE):
                h.n_g = 0
                add_group(h, np.int64(ANY), np.int64(DECK_PLACE), tax(h, r, seat, ELESTRAL, card))
                add_normal_cast(h, r, card)
                if payable(h, seat):
                    opt(h, K_CAST + card * ARG)
        left = bodies
        while left != 0:
            p = lowest(left)
            left &= left - 1
            h.n_g = 0
            if can_ascend(h, r, p, i, seat):
                opt(h, K_ASCEND + card * ARG + h.perm[p].place)
    if h.sp[seat] != 0:
        while bodies != 0:
            p = lowest(bodies)
            bodies &= bodies - 1
            if not restricted(h, r, p, NO_ENCHANT):
                opt(h, K_ENCHANT + h.perm[p].place * ARG)
        if h.deck_n[seat] > 0:
            opt(h, K_DRAW)


@kernel
def add_normal_cast(h, r, card):
    """EL-K4: the Spirits of a Normal Cast may be of the wrong kind, if the variant says so."""
    if r.misenchanted_cast == 1:
        add_group(h, np.int64(ANY), np.int64(DECK_PLACE), r.card[card].total)
    else:
        add_card_cost(h, r, card, np.int64(DECK_PLACE))


@kernel
def may_set(h, r, seat, kind, card):
    """EL-M4: say whether Setting a Rune is allowed where it counts as playing it."""
    if r.set_is_play == 0:
        return True
    if locked(h, r, seat, kind, card, NONE):
        return False
    h.n_g = 0
    add_group(h, np.int64(ANY), np.int64(DECK_PLACE), tax(h, r, seat, kind, card))
    return payable(h, seat)


@kernel
def rune_places(h, seat, kind):
    """EL-K1: return the places (bits) where the Spirits of a Rune may come from."""
    return DECK_PLACE | field_places(h, seat) if is_instant(kind) else np.int64(DECK_PLACE)


@kernel
def play_ability(h, r, inst, card):
    """Return the text of an Instant; -1 if it has none or is switched off."""
    if not is_instant(r.card[card].kind) or is_blank(h, inst):
        return np.int64(-1)
    return r.card[card].play


@kernel
def rune_ready(h, r, seat, card, p, c):
    """Say whether a Rune may be cast now, from the hand (`p` -1) or from Set, knowing context `c`."""
    kind = r.card[card].kind
    if locked(h, r, seat, kind, card, p):
        return False
    if p < 0 and free_place(h, r, seat, kind if kind == STADIUM else ARTIFACT) < 0:
        if kind != INVOKE or give_up_mask(h, r, seat) == 0:
            return False
    if kind == ARTIFACT and body_mask(h, seat) == 0:
        return False
    a = play_ability(h, r, h.ctx[c].inst, card)
    if a >= 0 and r.ability[a].cond_n > 0 and not holds(h, r, r.ability[a].cond, r.ability[a].cond_n, c):
        return False
    more = tax(h, r, seat, kind, card)
    h.n_g = 0
    add_group(h, np.int64(ANY), np.int64(DECK_PLACE), more)
    add_card_cost(h, r, card, rune_places(h, seat, kind))
    if not payable(h, seat):
        return False
    return a < 0 or can_activate(h, r, a, c, more + r.card[card].total)


@kernel
def give_up_mask(h, r, seat):
    """EL-R6: return the mask of own Runes that may make room for an Invoke."""
    made = np.int64(0)
    for k in range(RUNES, STADIUM_PLACE):
        p = h.slot[seat, k]
        if p >= 0 and h.perm[p].limbo == 0 and (r.give_up_face_down == 1 or h.perm[p].down == 0):
            made |= np.int64(1) << p
    return made


@kernel
def use_options(h, r, seat, window):
    """EL-M7: write the abilities that may be used now; `window` is the phase that they must name."""
    if h.heard & HAS_ACTS == 0:
        return
    for k in range(PLACES):
        p = h.slot[seat, k]
        if p < 0 or r.card[h.perm[p].card].acts == 0:
            continue
        q = h.perm[p]
        if q.down + q.limbo > 0 or q.face >= 0:
            continue
        first = r.card[q.card].ability
        for j in range(r.card[q.card].ability_n):
            t = r.ability[first + j]
            if t.kind != KIND_ACT or t.window != window or (q.used >> (8 * j)) & 255 >= t.limit:
                continue
            if not working(h, r, p):
                continue
            perm_ctx(h, ONE, p)
            if t.cond_n > 0 and not holds(h, r, t.cond, t.cond_n, ONE):
                continue
            if can_activate(h, r, first + j, ONE, ZERO):
                opt(h, K_USE + k * ARG + j)


@kernel
def route_options(h, r, seat, i, card):
    """EL-C8: write the ways into play that a card in hand names."""
    if is_blank(h, seat * CARDS + i):
        return
    first = r.card[card].ability
    for j in range(r.card[card].ability_n):
        t = r.ability[first + j]
        if t.kind != KIND_ROUTE or (t.normal == 1 and h.normal[seat] < 1):
            continue
        clear_ctx(h, ONE, seat, NONE, seat * CARDS + i, card, ELESTRAL)
        if t.cond_n > 0 and not holds(h, r, t.cond, t.cond_n, ONE):
            continue
        if t.over >= 0:
            if route_bodies(h, r, seat, i, first + j, ONE) != 0:
                opt(h, K_ROUTE + card * ARG + j)
            continue
        if not can_special_cast(h, r, t.step, card, ONE):
            continue
        h.n_g = 0
        add_group(h, np.int64(ANY), np.int64(DECK_PLACE), tax(h, r, seat, ELESTRAL, card))
        add_cast(h, r, t.step, card, ONE)
        add_costs(h, r, first + j, ONE)
        if payable(h, seat):
            opt(h, K_ROUTE + card * ARG + j)


@kernel
def route_bodies(h, r, seat, i, a, c):
    """Return the mask of the bodies over which a card may come by its own way."""
    left = body_mask(h, seat)
    made = np.int64(0)
    while left != 0:
        p = lowest(left)
        left &= left - 1
        if match(h, r, r.ability[a].over, p, seat, NONE):
            h.n_g = 0
            add_costs(h, r, a, c)
            if can_ascend(h, r, p, i, seat):
                made |= np.int64(1) << p
    return made


@kernel
def begin_link(h, kind, seat, p):
    """Add a link to the chain; return its record. A chain as long as the cap stops the game."""
    k = h.link[h.n_links]
    h.n_links += 1
    if h.n_links >= MAX_LINKS:
        h.over = 2
    k.kind = kind
    k.seat = seat
    k.perm = p
    k.ability = -1
    k.ctx = -1
    k.negated = 0
    k.old = -1
    k.special = 0
    k.normal = 0
    k.defender = -1
    for j in range(4):
        k.ans[j] = 0
    return k


@kernel
def into_chain(h, f):
    """Go on with the chain whose base has just been made."""
    f.op = F_CHAIN
    f.pc = 0
    return 0


@kernel
def do_act(h, r, f):
    """Carry out an action of the Main or Battle Phase. a: kind, b, c: its arguments; d, e, g, k: its own."""
    kind = f.a
    if kind == D_CAST:
        return act_cast(h, r, f)
    if kind == D_ROUTE:
        return act_route(h, r, f)
    seat = h.active
    if kind == D_ASCEND:
        if f.pc == 0:
            h.normal[seat] -= 1
            f.d = h.slot[seat, f.c]
            f.pc = 1
            push(h, F_ASCEND, f.d, by_number(h, seat, h.hand[seat], f.b), ZONE_HAND, ZERO)
            return 0
        p = h.ret
        settle_step(h, r)
        k = begin_link(h, L_ASCEND, seat, p)
        k.old = f.d
        k.normal = 1
        return into_chain(h, f)
    if kind in (D_ENCHANT, D_DRAW):
        if f.pc == 0:
            h.normal[seat] -= 1
            h.n_g = 0
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), ONE)
            f.pc = 1
            start_pay(h, seat)
            return 0
        if kind == D_DRAW:
            bury(h, ZERO, h.n_paid)
            h.tally[seat, Y_PAID_COST] += 1
            draw(h, seat, ONE)
            return pop(h)
        h.tally[seat, Y_PAID_CAST] += 1
        p = h.slot[seat, f.b]
        elements = put_under(h, p, ZERO, h.n_paid)
        receive(h, r, p, elements, NONE, ZERO)
        return pop(h)
    if kind == D_SET:
        return act_set(h, r, f)
    if kind == D_TURN:
        q = h.perm[h.slot[seat, f.b]]
        q.pos = 1 - q.pos
        q.turned = h.turn
        return pop(h)
    if f.pc == 1:
        return into_chain(h, f)
    h.n_links = 0
    f.pc = 1
    if kind == D_USE:
        push(h, F_USE, seat, f.b, f.c, ZERO)
        return 0
    c = new_ctx(h)
    if kind == D_RUNE:
        i = by_number(h, seat, h.hand[seat], f.b)
        clear_ctx(h, c, seat, NONE, seat * CARDS + i, f.b, r.card[f.b].kind)
        push(h, F_RUNE, seat, seat * CARDS + i, NONE, c)
    else:
        p = h.slot[seat, f.b]
        perm_ctx(h, c, p)
        push(h, F_RUNE, seat, h.perm[p].inst, p, c)
    return 0


@kernel
def act_cast(h, r, f):
    """EL-M2: a Normal Cast, up to its chain. d: card, e: tax."""
    seat = h.active
    if f.pc == 0:
        h.normal[seat] -= 1
        f.d = by_number(h, seat, h.hand[seat], f.b)
        f.e = tax(h, r, seat, ELESTRAL, f.b)
        f.pc = 2
        if f.e > 0:
            h.n_g = 0
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), f.e)
            start_pay(h, seat)
            add_normal_cast(h, r, f.b)
            f.pc = 1
            return 0
    if f.pc == 1:
        bury(h, ZERO, h.n_paid)
        h.tally[seat, Y_PAID_COST] += f.e
        f.pc = 2
    if f.pc == 2:
        h.n_g = 0
        add_normal_cast(h, r, f.b)
        f.pc = 3
        start_pay(h, seat)
        return 0
    if f.pc == 3:
        h.tally[seat, Y_PAID_CAST] += h.n_paid
        h.n_opts = 0
        opt(h, K_POSITION)
        opt(h, K_POSITION + ARG)
        f.pc = 4
        return ask(h, seat)
    h.hand[seat] &= ~(np.int64(1) << f.d)
    p = new_perm(h, r, seat, seat * CARDS + f.d, free_place(h, r, seat, ELESTRAL), ELESTRAL, ONE)
    h.perm[p].pos = (h.answer >> 10) & 1023
    h.perm[p].paid = put_under(h, p, ZERO, h.n_paid)
    k = begin_link(h, L_CAST, seat, p)
    k.normal = 1
    return into_chain(h, f)


@kernel
def act_set(h, r, f):
    """EL-M4: Set a Rune; it waits a turn. d: card, e: tax."""
    seat = h.active
    if f.pc == 0:
        f.d = by_number(h, seat, h.hand[seat], f.b)
        f.e = tax(h, r, seat, r.card[f.b].kind, f.b) if r.set_is_play == 1 else np.int64(0)
        if f.e > 0:
            h.n_g = 0
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), f.e)
            f.pc = 1
            start_pay(h, seat)
            return 0
    if f.pc == 1:
        bury(h, ZERO, h.n_paid)
        h.tally[seat, Y_PAID_COST] += f.e
    h.hand[seat] &= ~(np.int64(1) << f.d)
    p = new_perm(h, r, seat, seat * CARDS + f.d, free_place(h, r, seat, ARTIFACT), r.card[f.b].kind, ZERO)
    h.perm[p].down = 1
    h.perm[p].set_on = h.turn
    begin_link(h, L_SET, seat, p)
    return into_chain(h, f)


@kernel
def act_route(h, r, f):
    """EL-C8: a card comes into play by the way that it names. d: card, e: context, g: body or tax, k: ability."""
    seat = h.active
    card = f.b
    if f.pc == 0:
        f.d = by_number(h, seat, h.hand[seat], card)
        f.e = new_ctx(h)
        clear_ctx(h, f.e, seat, NONE, seat * CARDS + f.d, card, ELESTRAL)
        f.k = r.card[card].ability + f.c
        if r.ability[f.k].over >= 0:
            h.n_opts = 0
            target_options(h, seat, route_bodies(h, r, seat, f.d, f.k, f.e), K_TARGET)
            f.pc = 1
            return ask(h, seat)
        f.g = tax(h, r, seat, ELESTRAL, card)
        f.pc = 5
        if f.g > 0:
            h.n_g = 0
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), f.g)
            start_pay(h, seat)
            add_cast(h, r, r.ability[f.k].step, card, f.e)
            add_costs(h, r, f.k, f.e)
            f.pc = 4
            return 0
    if f.pc == 1:
        f.g = h.slot[seat, (h.answer >> 10) & 1023]
        f.pc = 2
        h.n_g = 0
        add_costs(h, r, f.k, f.e)
        push(h, F_COSTS, f.e, f.k, ZERO, tax(h, r, seat, ELESTRAL, card) + (new_mask(h, r, seat, card) << 8))
        return 0
    if f.pc == 2:
        f.pc = 3
        push(h, F_ASCEND, f.g, f.d, ZONE_HAND, ZERO)
        return 0
    if f.pc == 3:
        p = h.ret
        settle_step(h, r)
        k = begin_link(h, L_ASCEND, seat, p)
        k.old = f.g
        k.special = 1
        return into_chain(h, f)
    step = r.step[r.ability[f.k].step]
    if f.pc == 4:
        bury(h, ZERO, h.n_paid)
        h.tally[seat, Y_PAID_COST] += f.g
        f.pc = 5
    if f.pc == 5:
        h.n_g = 0
        add_cast(h, r, r.ability[f.k].step, card, f.e)
        f.m = 0
        for g in range(h.n_g):
            f.m += h.g_n[g]
        f.pc = 6
        push(h, F_COSTS, f.e, f.k, f.m, ZERO)
        return 0
    if f.pc == 6:
        h.tally[seat, Y_PAID_CAST] += f.m
        if step.position < 0:
            h.n_opts = 0
            opt(h, K_POSITION)
            opt(h, K_POSITION + ARG)
            f.pc = 7
            return ask(h, seat)
    position = step.position if f.pc == 6 else (h.answer >> 10) & 1023
    h.hand[seat] &= ~(np.int64(1) << f.d)
    p = new_perm(h, r, seat, seat * CARDS + f.d, free_place(h, r, seat, ELESTRAL), ELESTRAL, ONE)
    h.perm[p].pos = position
    h.perm[p].paid = put_under(h, p, ZERO, f.m)
    settle_step(h, r)
    normal = r.ability[f.k].normal
    h.normal[seat] -= normal
    k = begin_link(h, L_CAST, seat, p)
    k.normal = normal
    k.special = 1 - normal
    return into_chain(h, f)


@kernel
def do_use(h, r, f):
    """EL-M7: pay for an ability, choose its targets and put it onto the chain. a: seat, b: place, c: its number."""
    p = at(h, f.a, f.b)
    if f.pc == 0:
        h.perm[p].used += np.int64(1) << (8 * f.c)
        f.d = new_ctx(h)
        f.e = r.card[h.perm[p].card].ability + f.c
        f.g = p
        perm_ctx(h, f.d, p)
        f.pc = 1
        push(h, F_COSTS, f.d, f.e, ZERO, ZERO)
        return 0
    if f.pc == 1:
        f.pc = 2
        push(h, F_TARGETS, f.d, f.e, ZERO, ZERO)
        return 0
    settle_step(h, r)
    k = begin_link(h, L_ABILITY, f.a, f.g)
    k.ability = f.e
    k.ctx = f.d
    return pop(h)


@kernel
def do_rune(h, r, f):
    """EL-R2: pay for a Rune, put it into its slot, choose host and targets, put it onto the chain.

    a: seat, b: instance, c: the Set card or -1, d: context; e: ability, g: what is given up + 1, k: tax.
    """
    seat = f.a
    card = h.ctx[f.d].card
    kind = r.card[card].kind
    if f.pc == 0:
        f.e = play_ability(h, r, f.b, card)
        f.pc = 2
        if f.c < 0 and kind != STADIUM and free_place(h, r, seat, ARTIFACT) < 0:
            h.n_opts = 0
            target_options(h, seat, give_up_mask(h, r, seat), K_GIVE_UP)
            f.pc = 1
            return ask(h, seat)
    if f.pc == 1:
        f.g = at(h, seat, (h.answer >> 10) & 1023) + 1
        f.pc = 2
    if f.pc == 2:
        f.k = tax(h, r, seat, kind, card)
        f.pc = 4
        if f.k > 0:
            h.n_g = 0
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), f.k)
            start_pay(h, seat)
            add_card_cost(h, r, card, rune_places(h, seat, kind))
            if f.e >= 0:
                add_costs(h, r, f.e, f.d)
            f.pc = 3
            return 0
    if f.pc == 3:
        bury(h, ZERO, h.n_paid)
        h.tally[seat, Y_PAID_COST] += f.k
        f.pc = 4
    if f.pc == 4:
        h.n_g = 0
        add_card_cost(h, r, card, rune_places(h, seat, kind))
        f.pc = 5
        if f.e < 0:
            start_pay(h, seat)
        else:
            push(h, F_COSTS, f.d, f.e, r.card[card].total, ZERO)
        return 0
    if f.pc == 5:
        n = r.card[card].total
        h.tally[seat, Y_PAID_CAST] += from_deck(h, ZERO, n)
        if f.g > 0:
            leave(h, r, f.g - 1, ZERO)
        f.c = place_rune(h, r, seat, f.b, f.c, kind)
        h.perm[f.c].paid = put_under(h, f.c, ZERO, n)
        h.ctx[f.d].source = f.c
        f.pc = 7
        if kind == ARTIFACT:
            h.n_opts = 0
            target_options(h, seat, body_mask(h, seat), K_HOST)
            f.pc = 6
            return ask(h, seat)
    if f.pc == 6:
        h.perm[f.c].host = at(h, seat, (h.answer >> 10) & 1023)
        f.pc = 7
    if f.pc == 7:
        if kind == STADIUM:
            replace_stadiums(h, r, f.c)
        f.pc = 8
        if f.e >= 0:
            push(h, F_TARGETS, f.d, f.e, ZERO, ZERO)
            return 0
    settle_step(h, r)
    k = begin_link(h, L_RUNE, seat, f.c)
    k.ability = f.e
    k.ctx = f.d if f.e >= 0 else np.int64(-1)
    return pop(h)


@kernel
def place_rune(h, r, seat, inst, p, kind):
    """Turn a Set Rune up or put one from the hand into a slot; return its number."""
    if p >= 0:
        q = h.perm[p]
        q.down = 0
        q.limbo = 1
        q.arrived = h.turn
        return p
    h.hand[seat] &= ~(np.int64(1) << (inst - CARDS * seat))
    if kind == STADIUM and h.slot[seat, STADIUM_PLACE] >= 0:
        replace_stadiums(h, r, NONE)
    return new_perm(h, r, seat, inst, free_place(h, r, seat, STADIUM if kind == STADIUM else ARTIFACT), kind, ONE)


@kernel
def replace_stadiums(h, r, new):
    """EL-R5: every Stadium that is there leaves, before anybody can answer."""
    for seat in range(2):
        p = h.slot[seat, STADIUM_PLACE]
        if p >= 0 and p != new:
            if r.rune_leaves == 0:
                emit(h, r, E_DIE, p, NONE, ZERO, ZERO, NONE, ZERO)
            leave(h, r, p, ZERO)


# ---------------------------------------------------------------------------------------------------------------------
# Chains


@kernel
def do_chain(h, r, f):
    """EL-H1: an action, the answers to it, and all that follows."""
    if f.pc == 0:
        f.pc = 1
        push(h, F_RESPOND, ZERO, ZERO, ZERO, ZERO)
        return 0
    if f.pc == 1:
        f.pc = 2
        push(h, F_RESOLVE, ZERO, ZERO, ZERO, ZERO)
        return 0
    f.op = F_FOLLOW
    f.pc = 0
    return 0


@kernel
def do_respond(h, r, f):
    """EL-H2: players add links in turn until both pass. a: a chain may be started, b: arrivals; c: passes, d: seat."""
    if f.pc == 0:
        f.c = 0
        f.d = h.active
        f.pc = 1
    elif f.pc == 2:
        f.pc = 1
        if h.answer == 0:
            f.c += 1
            f.d = 1 - f.d
        else:
            f.c = 0
            add_link(h, r, f)
            return 0
    while f.c < 2 and h.n_links < MAX_LINKS:
        h.n_opts = 0
        answers(h, r, f.d, f.a, f.b)
        if h.n_opts > 0:
            opt(h, ZERO)
            f.pc = 2
            return ask(h, f.d)
        f.c += 1
        f.d = 1 - f.d
    return pop(h)


@kernel
def answers(h, r, seat, opening, arrivals):
    """Write the links that a player may add now."""
    arrivals = arrivals if h.n_cur > 0 else 0
    if h.n_links > 0 or opening == 1 or arrivals == 1:
        counter_options(h, r, seat, 1 if h.n_links > 0 or opening == 1 else 0, arrivals)
    if h.n_links > 0:
        hear = h.heard & (1 << E_LINK | 1 << E_ATK) != 0
        for k in range(PLACES if hear else 0):
            p = h.slot[seat, k]
            if p < 0 or r.card[h.perm[p].card].events & (1 << E_LINK | 1 << E_ATK) == 0:
                continue
            for j in range(r.card[h.perm[p].card].ability_n):
                if answers_now(h, r, p, j, ONE):
                    opt(h, K_ANSWER + k * ARG + j)
    elif opening == 1 and seat == h.active:
        if h.phase == PH_DRAW:
            use_options(h, r, seat, W_DRAW)


@kernel
def answers_now(h, r, p, j, c):
    """Say whether ability `j` of a card may answer the newest link or the attack; context `c` is what it knows."""
    q = h.perm[p]
    if q.down + q.limbo > 0 or q.face >= 0:
        return False
    a = r.card[q.card].ability + j
    t = r.ability[a]
    if t.kind != KIND_ON or (t.event != E_LINK and t.event != E_ATK) or not working(h, r, p):
        return False
    about = h.n_links - 1 if t.event == E_LINK else 0
    k = h.link[about]
    if k.negated == 1 or (k.ans[j] >> p) & 1 == 1 or not answer_fits(h, r, a, about, p):
        return False
    perm_ctx(h, c, p)
    h.ctx[c].answers = h.n_links - 1
    h.ctx[c].attack = 0 if h.link[0].kind == L_ATTACK else -1
    if t.cond_n > 0 and not holds(h, r, t.cond, t.cond_n, c):
        return False
    return can_activate(h, r, a, c, ZERO)


@kernel
def answer_fits(h, r, a, about, p):
    """Say whether a conditional effect is about a link."""
    t = r.ability[a]
    k = h.link[about]
    if t.event == E_LINK:
        return t.of >= 0 and t.of_ref < 0 and link_fits(h, r, t.of, about, h.perm[p].seat)
    if k.kind != L_ATTACK or k.perm < 0 or h.perm[k.perm].gone == 1:
        return False
    if t.of >= 0 and t.of_ref < 0:
        return match(h, r, t.of, k.perm, h.perm[p].seat, p)
    if t.of_ref < 0:
        return False
    return k.perm == (p if t.of_ref == 0 else h.perm[p].host)


@kernel
def counter_options(h, r, seat, free, arrivals):
    """EL-R4: write the Counters that were Set on an earlier turn and may be cast now."""
    if h.heard & HAS_COUNTER == 0:
        return
    for k in range(RUNES, STADIUM_PLACE):
        p = h.slot[seat, k]
        if p < 0:
            continue
        q = h.perm[p]
        if q.kind == COUNTER and q.down == 1 and q.set_on < h.turn:
            if counter_ctx(h, r, seat, p, free, arrivals, ONE) and rune_ready(h, r, seat, q.card, p, ONE):
                opt(h, K_CAST_SET + k * ARG)


@kernel
def counter_ctx(h, r, seat, p, free, arrivals, c):
    """Fill context `c` with what a Counter would know if it were cast now; say whether its window is open."""
    perm_ctx(h, c, p)
    x = h.ctx[c]
    newest = h.n_links - 1
    attack = h.n_links > 0 and h.link[0].kind == L_ATTACK
    x.attack = 0 if attack else -1
    x.answers = newest
    a = play_ability(h, r, x.inst, x.card)
    w = r.ability[a].window if a >= 0 else np.int64(W_NONE)
    if w == W_NONE:
        return free == 1
    t = r.ability[a]
    if w == W_LINK:
        return newest >= 0 and h.link[newest].negated == 0 and link_fits(h, r, t.window_filter, newest, seat)
    side = t.window_side
    if w == W_ATK:
        if not attack or h.link[0].negated == 1:
            return False
        return side == EITHER or (h.link[0].seat == seat) == (side == OWN)
    if w == W_PLAY:
        return arrival_ctx(h, r, seat, t.window_filter, arrivals, c)
    if free == 0 or h.phase != (PH_DRAW if w == W_DRAW else PH_BATTLE):
        return False
    return side == EITHER or (h.active == seat) == (side == OWN)


@kernel
def arrival_ctx(h, r, seat, f, arrivals, c):
    """EL-H7: fill in the newest arrival that a Counter may speak of; say whether there is one."""
    x = h.ctx[c]
    if r.arrow_window == 1:
        if h.n_links == 0:
            return False
        k = h.link[0]
        if (k.kind != L_CAST and k.kind != L_ASCEND) or k.perm < 0 or k.negated == 1:
            return False
        if not link_fits(h, r, f, ZERO, seat):
            return False
        x.that = k.perm
        return True
    if arrivals == 0:
        return False
    for j in range(h.n_cur - 1, -1, -1):
        p = h.cur[j]
        if h.perm[p].gone == 0 and match(h, r, f, p, seat, x.source):
            x.ev_subj = p
            x.that = p
            return True
    return False


@kernel
def add_link(h, r, f):
    """Put a Counter, a conditional effect or, as a base, an ability of the phase onto the chain."""
    seat = f.d
    f.d = 1 - seat
    kind = h.answer >> 20
    place = (h.answer >> 10) & 1023
    j = h.answer & 1023
    if kind == D_USE:
        push(h, F_USE, seat, place, j, ZERO)
        return
    p = h.slot[seat, place]
    c = new_ctx(h)
    if kind == D_CAST_SET:
        counter_ctx(h, r, seat, p, ONE, f.b if h.n_cur > 0 else np.int64(0), c)
        push(h, F_RUNE, seat, h.perm[p].inst, p, c)
        return
    answers_now(h, r, p, j, c)
    a = r.card[h.perm[p].card].ability + j
    h.link[h.n_links - 1 if r.ability[a].event == E_LINK else 0].ans[j] |= np.int64(1) << p
    push(h, F_ANSWER, c, a, p, seat)


@kernel
def do_answer(h, r, f):
    """Pay for a conditional effect, choose its targets and put it onto the chain. a: context, b: ability, c: card."""
    if f.pc == 0:
        f.pc = 1
        push(h, F_COSTS, f.a, f.b, ZERO, ZERO)
        return 0
    if f.pc == 1:
        f.pc = 2
        push(h, F_TARGETS, f.a, f.b, ZERO, ZERO)
        return 0
    settle_step(h, r)
    k = begin_link(h, L_ABILITY, f.d, f.c)
    k.ability = f.b
    k.ctx = f.a
    return pop(h)


@kernel
def do_resolve(h, r, f):
    """EL-H8: the newest link first; costs are checked after each. a: the link that resolves."""
    if f.pc == 1:
        p = h.link[f.a].perm
        if h.perm[p].gone == 0:
            played(h, r, p)
            leave(h, r, p, ZERO)
        settle(h, r)
        f.pc = 0
    elif f.pc == 2:
        settle(h, r)
        f.pc = 0
    while h.n_links > 0:
        h.n_links -= 1
        f.a = h.n_links
        k = h.link[f.a]
        p = k.perm
        if k.kind == L_ATTACK:
            h.watched = k.negated
        elif k.kind == L_CAST or k.kind == L_ASCEND:
            if h.perm[p].gone == 0:
                if k.negated == 1:
                    leave(h, r, p, ZERO)
                else:
                    arrived(h, r, p, k.normal, k.special, k.old, NONE)
        elif k.kind == L_RUNE and h.perm[p].gone == 0:
            if k.negated == 1:
                leave(h, r, p, ZERO)
            elif not is_instant(h.perm[p].kind):
                arrived(h, r, p, ZERO, ZERO, NONE, NONE)
            else:
                h.perm[p].limbo = 0
                h.tally[h.perm[p].seat, Y_RUNES] += 1
                f.pc = 1
                if k.ability >= 0:
                    push(h, F_RUN, k.ctx, r.ability[k.ability].step, r.ability[k.ability].step_n, ZERO)
                return 0
        elif k.kind == L_ABILITY and k.negated == 0:
            f.pc = 2
            push(h, F_RUN, k.ctx, r.ability[k.ability].step, r.ability[k.ability].step_n, ZERO)
            return 0
        settle(h, r)
    return pop(h)


@kernel
def do_follow(h, r, f):
    """EL-H5: conditional effects whose events happened make the next chain, and so on."""
    if f.pc == 0:
        if h.n_wait == 0 and h.n_new == 0:
            return pop(h)
        h.n_batch = h.n_wait
        h.n_cur = h.n_new
        for j in range(h.n_new):
            h.cur[j] = h.new[j]
        h.n_new = 0
        h.n_links = 0
        h.n_ctx = FIRST_CONTEXT
        f.pc = 1
        f.a = h.active if r.trigger_order == 0 else 1 - h.active
        if h.n_batch > 0:
            push(h, F_PUT, f.a, ZERO, ZERO, ZERO)
            return 0
    if f.pc == 1:
        f.pc = 2
        if h.n_batch > 0:
            push(h, F_PUT, 1 - f.a, ZERO, ZERO, ZERO)
            return 0
    if f.pc == 2:
        for j in range(h.n_batch, h.n_wait):
            copy_wait(h.wait[j], h.wait[j - h.n_batch])
        h.n_wait -= h.n_batch
        h.n_batch = 0
        f.pc = 3
        push(h, F_RESPOND, ZERO, ONE, ZERO, ZERO)
        return 0
    f.pc = 0
    if h.n_links > 0:
        push(h, F_RESOLVE, ZERO, ZERO, ZERO, ZERO)
    return 0


@kernel
def twins(h, j, seat):
    """Return how many effects that wait before number `j` are of the same card and ability."""
    n = np.int64(0)
    w = h.wait[j]
    for i in range(j):
        v = h.wait[i]
        if v.out == 0 and v.seat == seat and v.card == w.card and v.index == w.index:
            n += 1
    return n


@kernel
def do_put(h, r, f):
    """EL-H5: a player's conditional effects go onto the chain in the order that the player likes. a: seat."""
    seat = f.a
    if f.pc == 1:
        if h.answer == 0:
            return pop(h)
        for j in range(h.n_batch):
            w = h.wait[j]
            if w.out == 0 and w.seat == seat and trigger_code(h, j, seat) == h.answer:
                f.b = j
        w = h.wait[f.b]
        f.c = w.ctx
        if w.ctx < 0:
            f.c = new_ctx(h)
            can_trigger(h, r, f.b, f.c)
        w.out = 1
        if w.source >= 0:
            h.perm[w.source].used += np.int64(1) << (8 * w.index)
        f.pc = 2
        push(h, F_ANSWER, f.c, w.ability, w.source, seat)
        return 0
    if h.n_links >= MAX_LINKS:
        return pop(h)
    h.n_opts = 0
    must = False
    for j in range(h.n_batch):
        w = h.wait[j]
        if w.out == 0 and w.seat == seat and can_trigger(h, r, j, ONE):
            opt(h, trigger_code(h, j, seat))
            must = must or r.ability[w.ability].must == 1
    if h.n_opts == 0:
        return pop(h)
    if not must:
        opt(h, ZERO)
    f.pc = 1
    return ask(h, seat)


@kernel
def trigger_code(h, j, seat):
    """Return the code of waiting effect `j`."""
    return K_TRIGGER + h.wait[j].card * ARG + h.wait[j].index + 4 * twins(h, j, seat)


@kernel
def can_trigger(h, r, j, c):
    """EL-H6: say whether a waiting effect can go onto the chain; context `c` is what it knows."""
    w = h.wait[j]
    if w.ctx >= 0:
        return can_activate(h, r, w.ability, w.ctx, ZERO)
    t = r.ability[w.ability]
    if w.stays == 1 and (w.source < 0 or not working(h, r, w.source)):
        return False
    owner = 0 if w.inst < CARDS else 1
    mine = np.int64(1) << (w.inst - CARDS * owner)
    if (t.at == 1 and h.uw[owner] & mine == 0) or (t.at == 2 and h.hand[owner] & mine == 0):
        return False
    if t.limit > 0 and w.source >= 0 and (h.perm[w.source].used >> (8 * w.index)) & 255 >= t.limit:
        return False
    event_ctx(h, c, w.seat, w.source, w.inst, w.card, w.ev_word, w.ev_subj, w.ev_other, w.moved)
    h.ctx[c].kind = r.card[w.card].kind
    if w.source < 0 and t.cond_n > 0 and not holds(h, r, t.cond, t.cond_n, c):
        return False
    return can_activate(h, r, w.ability, c, ZERO)


# ---------------------------------------------------------------------------------------------------------------------
# Battle


@kernel
def do_battles(h, r, f):
    """EL-B1: attacks one after the other, as long as the turn player wants."""
    seat = h.active
    if f.pc == 1:
        if h.answer == 0:
            return pop(h)
        h.actions += 1
        if h.actions >= MAX_ACTIONS:
            h.over = 2
            return 0
        kind = h.answer >> 20
        f.pc = 2
        if kind == D_ATTACK:
            push(h, F_ATTACK, h.slot[seat, (h.answer >> 10) & 1023], h.answer & 1023, ZERO, ZERO)
        else:
            push(h, F_ACT, kind, (h.answer >> 10) & 1023, h.answer & 1023, ZERO)
        return 0
    if f.pc == 2:
        settle(h, r)
        f.pc = 0
        if h.n_wait + h.n_new > 0:
            push(h, F_FOLLOW, ZERO, ZERO, ZERO, ZERO)
            return 0
    if h.n_perm > SWEEP_AT:
        sweep(h)
    h.n_ctx = FIRST_CONTEXT
    h.n_opts = 0
    opt(h, ZERO)
    counter_options(h, r, seat, ONE, ZERO)
    use_options(h, r, seat, W_BATTLE)
    attack_options(h, r, seat)
    f.pc = 1
    return ask(h, seat)


@kernel
def attack_options(h, r, seat):
    """EL-B1: write who may attack whom."""
    enemies = body_mask(h, 1 - seat)
    for k in range(4):
        p = h.slot[seat, k]
        if not is_body(h, p) or not may_attack(h, r, p) or h.perm[p].declared >= MAX_DECLARATIONS:
            continue
        used = h.perm[p].attacks
        if used >= 2 or (used == 1 and not has_rule(h, r, p, RULE_DOUBLE)):
            continue
        left = enemies
        while left != 0:
            opt(h, K_ATTACK + k * ARG + place_code(h, seat, lowest(left)))
            left &= left - 1
        if enemies == 0 or has_rule(h, r, p, RULE_DIRECT):
            opt(h, K_ATTACK + k * ARG + SPIRIT_DECK)


@kernel
def may_attack(h, r, p):
    """Say whether a body is able to attack at all."""
    q = h.perm[p]
    if q.gone + q.limbo > 0 or q.seat != h.active or restricted(h, r, p, NO_ATTACK):
        return False
    if q.pos == 1 and not has_rule(h, r, p, RULE_DEFATK):
        return False
    return not attack_locked(h, r, p)


@kernel
def do_attack(h, r, f):
    """EL-B1 to EL-B4: declare an attack, let it be answered, see whether it still stands. a: attacker, b: target.

    c: the defender or -1.
    """
    seat = h.active
    q = h.perm[f.a]
    if f.pc == 0:
        f.c = -1 if f.b == SPIRIT_DECK else at(h, seat, f.b)
        q.attacks += 1
        q.declared += 1
        h.n_links = 0
        k = begin_link(h, L_ATTACK, seat, f.a)
        k.defender = f.c
        f.pc = 1
        push(h, F_CHAIN, ZERO, ZERO, ZERO, ZERO)
        return 0
    if h.watched == 1:
        if r.negated_attack_counts == 0:
            q.attacks -= 1
            q.declared = MAX_DECLARATIONS
        return pop(h)
    stands = may_attack(h, r, f.a)
    if stands and f.b == SPIRIT_DECK:
        stands = body_mask(h, 1 - seat) == 0 or has_rule(h, r, f.a, RULE_DIRECT)
    elif stands:
        stands = f.c >= 0 and h.perm[f.c].gone == 0 and h.perm[f.c].seat != seat
    if not stands:
        q.attacks -= 1
        return pop(h)
    f.op = F_BATTLE
    f.pc = 0
    f.b = f.c
    return 0


@kernel
def do_battle(h, r, f):
    """EL-B5: the two enter battle; their positions are frozen until it is over. a: attacker, b: defender or -1."""
    if f.pc == 0:
        h.frozen0 = f.a
        h.frozen1 = f.b
        h.perm[f.a].nodmg = 0
        f.pc = 1
        if f.b >= 0:
            h.perm[f.b].nodmg = 0
            emit(h, r, E_ENTER, f.a, f.b, ZERO, ZERO, NONE, ZERO)
            emit(h, r, E_ENTER, f.b, f.a, ZERO, ZERO, NONE, ZERO)
        if h.n_wait > 0:
            push(h, F_FOLLOW, ZERO, ZERO, ZERO, ZERO)
            return 0
    if f.pc == 1:
        f.pc = 2
        push(h, F_WINDOW, ZERO, ZERO, ZERO, ZERO)
        return 0
    if f.pc == 2:
        f.pc = 3
        compare_bodies(h, r, f.a, f.b)
        return 0
    h.frozen0 = -1
    h.frozen1 = -1
    f.op = F_FOLLOW
    f.pc = 0
    return 0


@kernel
def battle_value(h, r, p):
    """EL-B10: return what a body fights with: its attack, or its defence where it attacks from Defence Position."""
    both = stats(h, r, p)
    if p == h.frozen0 and h.perm[p].pos == 1 and has_rule(h, r, p, RULE_DEFATK):
        return both & 1023
    return both >> 10


@kernel
def hit(h, r, p):
    """EL-B7, EL-B12, EL-B13: a body battles the other player's Spirit Deck."""
    q = h.perm[p]
    if q.nodmg == 1 or (q.pos == 1 and p != h.frozen0) or battle_value(h, r, p) == 0:
        return
    push(h, F_EXPEND, 1 - q.seat, count(spirits_of(h, p)), Y_LOST_BATTLE, ZERO)


@kernel
def compare_bodies(h, r, a, b):
    """EL-B6 to EL-B14: the result of a battle."""
    if b < 0:
        if h.perm[a].gone == 0:
            hit(h, r, a)
        return
    if h.perm[a].gone + h.perm[b].gone == 2:
        return
    if h.perm[a].gone == 1:
        hit(h, r, b)
        return
    if h.perm[b].gone == 1:
        hit(h, r, a)
        return
    mine = battle_value(h, r, a)
    if h.perm[b].pos == 1:
        if mine > stats(h, r, b) & 1023:
            pierce = has_rule(h, r, a, RULE_PIERCE)
            full = 1 if pierce and r.piercing == 1 else 0
            i = push(h, F_LOSSES, 1 if pierce else 0, full, ZERO, ZERO)
            add_loss(h, i, b, a)
        return
    other = battle_value(h, r, b)
    first = mine <= other and other > 0 and not (h.perm[a].pos == 1 and r.defatk_result == 1)
    second = mine >= other and mine > 0
    if first or second:
        i = push(h, F_LOSSES, ONE, ZERO, ZERO, ZERO)
        if first:
            add_loss(h, i, a, b)
        if second:
            add_loss(h, i, b, a)


@kernel
def add_loss(h, i, p, killer):
    """Note a beaten body in the frame of its battle: card, killer, Spirits of both, whether it costs anything."""
    f = h.frame[i]
    j = 5 * f.n
    f.lst[j] = p
    f.lst[j + 1] = killer
    f.lst[j + 2] = count(spirits_of(h, p))
    f.lst[j + 3] = count(spirits_of(h, killer))
    f.lst[j + 4] = h.perm[killer].nodmg
    f.n += 1


@kernel
def do_losses(h, r, f):
    """EL-B14: bodies are destroyed; who had fewer Spirits underneath Expends the difference. a: costs, b: all of it."""
    if f.pc == 0:
        f.pc = 1
        i = push(h, F_DESTROY, ZERO, ZERO, NONE, ONE)
        g = h.frame[i]
        g.n = f.n
        for j in range(f.n):
            g.lst[j] = f.lst[5 * j]
        return 0
    if f.pc == 1:
        for j in range(f.n):
            p = f.lst[5 * j]
            dying = False
            for m in range(h.n_dy):
                if h.dy[m] == p:
                    dying = True
            gap = f.lst[5 * j + 3] - (0 if f.b == 1 else f.lst[5 * j + 2])
            if f.a == 0 or f.lst[5 * j + 4] == 1 or gap <= 0 or not (dying or r.nodie_loser_expends == 1):
                gap = np.int64(0)
            f.lst[5 * j + 3] = gap
            f.lst[5 * j + 4] = 1 if dying else 0
            f.lst[5 * j + 2] = h.perm[p].seat
        for j in range(f.n):
            if f.lst[5 * j + 4] == 1:
                p = f.lst[5 * j]
                killer = f.lst[5 * j + 1]
                h.perm[killer].kills += 1
                emit(h, r, E_KILL, p, killer, ZERO, ZERO, NONE, ZERO)
                emit(h, r, E_DIE_B, p, killer, ZERO, ZERO, NONE, ZERO)
                emit(h, r, E_ALLY, p, killer, ZERO, ZERO, NONE, ZERO)
        bury_destroyed(h, r)
        f.pc = 2
    while f.e < f.n:
        j = f.e
        f.e += 1
        if f.lst[5 * j + 3] > 0:
            push(h, F_EXPEND, f.lst[5 * j + 2], f.lst[5 * j + 3], Y_LOST_BATTLE, ZERO)
            return 0
    settle(h, r)
    return pop(h)


# ---------------------------------------------------------------------------------------------------------------------
# The entry points


@kernel
def step(h, r):
    """Enter the routine on top of the stack; return 1 when it waits for an answer."""
    f = h.frame[h.depth - 1]
    op = f.op
    if op == F_PAY:
        return do_pay(h, r, f)
    if op == F_RESPOND:
        return do_respond(h, r, f)
    if op == F_RESOLVE:
        return do_resolve(h, r, f)
    if op == F_FOLLOW:
        return do_follow(h, r, f)
    if op == F_CHAIN:
        return do_chain(h, r, f)
    if op == F_MAIN:
        return do_main(h, r, f)
    if op == F_ACT:
        return do_act(h, r, f)
    if op == F_BATTLES:
        return do_battles(h, r, f)
    if op == F_WINDOW:
        return do_window(h, r, f)
    if op == F_COSTS:
        return do_costs(h, r, f)
    if op == F_TARGETS:
        return do_targets(h, r, f)
    if op == F_RUN:
        return do_run(h, r, f)
    if op == F_OP:
        return do_op(h, r, f)
    if op == F_RUNE:
        return do_rune(h, r, f)
    if op == F_USE:
        return do_use(h, r, f)
    if op == F_ASCEND:
        return do_ascend(h, r, f)
    if op == F_PUT:
        return do_put(h, r, f)
    if op == F_ANSWER:
        return do_answer(h, r, f)
    if op == F_EXPEND:
        return do_expend(h, r, f)
    if op == F_DESTROY:
        return do_destroy(h, r, f)
    if op == F_ATTACK:
        return do_attack(h, r, f)
    if op == F_BATTLE:
        return do_battle(h, r, f)
    if op == F_LOSSES:
        return do_losses(h, r, f)
    if op == F_TURN:
        return do_turn(h, r, f)
    if op == F_ARTIFACT:
        return do_artifact(h, r, f)
    if op == F_FORETELL:
        return do_foretell(h, r, f)
    if op == F_MULLIGAN:
        return do_mulligan(h, r, f)
    return do_game(h, r, f)


@kernel
def sort_options(h):
    """Sort the options and leave out those that stand twice."""
    n = h.n_opts
    kept = 0
    for i in range(n):
        code = h.opts[i]
        if kept == 0 or h.opts[kept - 1] < code:  # most stand in their order
            h.opts[kept] = code
            kept += 1
            continue
        j = kept - 1
        while j > 0 and h.opts[j - 1] >= code:
            j -= 1
        if h.opts[j] == code:
            continue
        for k in range(kept, j, -1):
            h.opts[k] = h.opts[k - 1]
        h.opts[j] = code
        kept += 1
    h.n_opts = kept


@kernel
def advance(s, rules):
    """Go on to the next decision or the end of the match."""
    h = s.hid
    if h.waits == 1:  # asked again, as the search does with its copies: the decision is still open
        return DECIDE
    while True:
        if h.over == 0 and h.loser >= 0:
            game_lost(h, rules)
        if h.over != 0:
            if h.over == 2:
                h.end = END_STOPPED
                count_turns(h)
            fill_rows(s)
            return OVER
        if step(h, rules) == 1 and h.over == 0 and h.loser < 0:
            if h.decisions >= MAX_DECISIONS:
                h.over = 2
                continue
            sort_options(h)
            s.pub.actor = h.asked
            mine = s.priv[h.asked]
            mine.n_opts = h.n_opts
            for i in range(h.n_opts):
                mine.opts[i] = h.opts[i]
            if h.seen == 1 and h.n_opts > 1:
                show(s, rules)
            h.waits = 1
            return DECIDE


@kernel
def show(s, r):
    """Write what the players see; only games with a policy that looks need it."""
    h = s.hid
    v = s.pub
    v.phase = h.phase
    v.turn = h.turn
    v.active = h.active
    v.n_links = h.n_links
    v.link_kind = -1
    v.attacker = -1
    v.defender = -1
    v.fights = 1 if h.frozen0 >= 0 else 0
    if h.n_links > 0:
        k = h.link[h.n_links - 1]
        v.link_kind = k.kind
        v.link_seat = k.seat
        v.negated = k.negated
        if h.link[0].kind == L_ATTACK:
            v.attacker = h.perm[h.link[0].perm].place
            v.defender = h.perm[h.link[0].defender].place if h.link[0].defender >= 0 else np.int64(-1)
    elif h.frozen0 >= 0:
        v.attacker = h.perm[h.frozen0].place
        v.defender = h.perm[h.frozen1].place if h.frozen1 >= 0 else np.int64(-1)
    for seat in range(2):
        v.sp[seat] = h.sp[seat]
        v.lost[seat] = h.lost[seat]
        v.life[seat] = count(h.sp[seat])
        v.hand_n[seat] = popcount(h.hand[seat])
        v.deck_n[seat] = h.deck_n[seat]
        for k in range(PLACES):
            v.card[seat, k] = -2
            v.spirits[seat, k] = 0
            p = h.slot[seat, k]
            if p < 0:
                s.priv[seat].set[k] = -1
                continue
            q = h.perm[p]
            s.priv[seat].set[k] = q.card if q.down == 1 else np.int64(-1)
            v.card[seat, k] = -1 if q.down == 1 else q.card
            v.spirits[seat, k] = q.sp0 + q.sp1
            v.pos[seat, k] = q.pos
            v.used[seat, k] = q.attacks
            if q.kind == ELESTRAL:
                both = stats(h, r, p)
                v.attack[seat, k] = both >> 10
                v.defence[seat, k] = both & 1023
    show_own(s, r, h.asked)


@kernel
def show_own(s, r, seat):
    """Write what the asked player sees besides: the hand, and what the step at hand is about."""
    h = s.hid
    mine = s.priv[seat]
    mine.n = 0
    left = h.hand[seat]
    while left != 0:
        mine.hand[mine.n] = h.number[seat, lowest(left)]
        left &= left - 1
        mine.n += 1
    mine.subject = -1
    mine.lacking = 0
    mine.helps = 0
    mine.moving = -1
    d = h.depth - 1
    have = np.int64(0)
    if h.frame[d].op == F_PAY:
        for i in range(h.n_paid):
            have += np.int64(1) << (7 * h.paid_el[i])
        d -= 1
    f = h.frame[d]
    if f.op == F_ASCEND and seat == h.perm[f.a].seat:
        mine.subject = h.number[seat, f.b]
        have += spirits_of(h, f.a) + f.e + f.g
    elif f.op == F_ACT and (f.a == D_CAST or f.a == D_ROUTE):
        mine.subject = f.b
    elif f.op == F_OP or f.op == F_TARGETS:
        i = f.b if f.op == F_OP else r.ability[f.b].step
        k = r.step[i]
        if k.op == O_SPCAST:
            mine.subject = h.number[h.ctx[f.a].seat, f.c]
        if k.op == O_ATTACH or (k.op == O_MOD and k.attack + k.defence > 0):
            mine.helps = 1
        mine.moving = k.op
    if mine.subject >= 0:
        for e in range(8):
            short = field(r.card[mine.subject].cost, e) - field(have, e)
            if short > 0:
                mine.lacking += short << (7 * e)


@kernel
def count_turns(h):
    """Add the turns of a game that is over; note whether the first one was over early."""
    h.turns += h.turn
    if h.game == 0 and h.turn <= EARLY:
        h.early = 1


@kernel
def game_lost(h, r):
    """EL-X2, EL-X3: a game has a loser; the match goes on, or is over."""
    h.reasons[h.loser] = h.reason
    count_turns(h)
    h.wins[1 - h.loser] += 1
    if h.wins[1 - h.loser] >= r.match_wins:
        h.over = 1
        return
    h.chooser = h.loser
    h.game += 1
    lay_out(h, r)


@kernel
def fill_rows(s):
    """Fill in the outcome."""
    h = s.hid
    best = max(h.wins[0], h.wins[1])
    for seat in range(2):
        row = s.game_row[seat]
        row.share = WHOLE // 2
        if h.end == END_WON and h.wins[0] != h.wins[1]:
            row.share = WHOLE if h.wins[seat] == best else 0
        row.points = count(h.sp[seat])
        row.rounds = h.game + 1
        row.turns = h.turns
        row.end = h.end
        row.lead_changes = min(255, h.lead_changes)
        row.starter = 1 if seat == h.starter else 0
        row.order = 1 if seat == h.starter else -1
        row.cast2 = 1 if h.tally[seat, Y_FIRST2] > 0 else 0
        row.cast3 = 1 if h.tally[seat, Y_FIRST3] > 0 else 0
        row.over4 = h.early
        row.ahead4 = 1 if h.ahead == 1 - 2 * seat else 0
        row.lost_by = h.reasons[seat]
        row.deck_left = h.deck_n[seat]
        row.hand_left = popcount(h.hand[seat])
        under = np.int64(0)
        for k in range(PLACES):
            if h.slot[seat, k] >= 0:
                under += count(spirits_of(h, h.slot[seat, k]))
        row.field_spirits = under
        row.mulligans = h.tally[seat, 0]
        row.first_cost2 = h.tally[seat, 1]
        row.first_cost3 = h.tally[seat, 2]
        row.cast = h.tally[seat, 3]
        row.ascended = h.tally[seat, 4]
        row.runes = h.tally[seat, 5]
        row.drawn = h.tally[seat, 6]
        row.paid_cast = h.tally[seat, 7]
        row.paid_cost = h.tally[seat, 8]
        row.paid_mulligan = h.tally[seat, 9]
        row.lost_battle = h.tally[seat, 10]
        row.lost_effect = h.tally[seat, 11]
        row.recovered = h.tally[seat, 12]


@kernel
def options(s, rules, out):
    """Write the codes that the actor may choose, ascending; return how many."""
    mine = s.priv[s.pub.actor]
    for i in range(mine.n_opts):
        out[i] = mine.opts[i]
    return mine.n_opts


@kernel
def apply(s, rules, code):
    """Carry out a code: the routine that asked goes on with it."""
    s.hid.answer = code
    s.hid.waits = 0
    s.hid.decisions += 1


@kernel
def redeal(s, rules, seat, key):
    """Draw what `seat` cannot see anew: the order of both decks, the other's hand and Set Runes."""
    h = s.hid
    other = 1 - seat
    kept = kept_cards(h, other)
    pool = (h.deckm[other] | h.hand[other]) & ~kept
    downs = np.int64(0)
    for k in range(RUNES, STADIUM_PLACE):
        p = h.slot[other, k]
        if p >= 0 and h.perm[p].down == 1 and h.perm[p].owner == other:
            downs |= np.int64(1) << k
            pool |= np.int64(1) << (h.perm[p].inst - CARDS * other)
    held = np.zeros(CARDS, np.int64)
    n = drawn_order(pool, rng.stream(key, 0, rng.REDEAL, 0, 0), held)
    pool &= ~redeal_set(h, rules, other, downs, held, n)
    hand = h.hand[other] & kept
    for j in range(n):
        i = held[j]
        if (pool >> i) & 1 == 1 and popcount(hand) < popcount(h.hand[other]):
            hand |= np.int64(1) << i
            pool &= ~(np.int64(1) << i)
    h.hand[other] = hand
    redeal_deck(h, other, h.deckm[other] & kept, pool, held, n)
    look_present(h, rules)
    kept = kept_cards(h, seat) & h.deckm[seat]
    n = drawn_order(h.deckm[seat] & ~kept, rng.stream(key, 0, rng.REDEAL, 0, 1), held)
    redeal_deck(h, seat, kept, h.deckm[seat] & ~kept, held, n)
    h.key = rng.word(key, 0)


@kernel
def kept_cards(h, owner):
    """Return the cards of a player in deck and hand that all have seen there, or that an effect at work speaks of."""
    kept = h.known[owner] & h.hand[owner]
    for c in range(FIRST_CONTEXT, h.n_ctx):
        x = h.ctx[c]
        if x.seat == owner:
            kept |= x.shown & h.deckm[owner]
        kept |= own_bit(x.inst, owner)
        for j in range(x.n_cards):
            kept |= own_bit(x.cards[j], owner)
    for j in range(h.n_wait):
        kept |= own_bit(h.wait[j].inst, owner)
    for j in range(h.n_delayed):
        kept |= own_bit(h.delayed[j].inst, owner)
    return kept


@kernel
def own_bit(inst, owner):
    """Return the bit of a card of a player, 0 for another player's card and for none."""
    i = inst - CARDS * owner
    return np.int64(1) << i if 0 <= i < CARDS else np.int64(0)


@kernel
def drawn_order(pool, stream, held):
    """Write the cards of a mask in a random order; return how many."""
    n = popcount(pool)
    order = np.zeros(CARDS, np.int64)
    rng.permutation(stream, n, order)
    for i in range(n):
        held[order[i]] = lowest(pool)
        pool &= pool - 1
    return n


@kernel
def redeal_set(h, rules, other, downs, held, n):
    """Put the first cards of held[:n] that can be Set under the Set Runes of a player; return their mask."""
    used = np.int64(0)
    while downs != 0:
        p = h.slot[other, lowest(downs)]
        downs &= downs - 1
        for j in range(n):
            i = held[j]
            kind = rules.card[h.number[other, i]].kind
            if kind != ELESTRAL and kind != STADIUM and (used >> i) & 1 == 0:
                used |= np.int64(1) << i
                h.perm[p].inst = CARDS * other + i
                h.perm[p].card = h.number[other, i]
                h.perm[p].kind = kind
                break
    return used


@kernel
def redeal_deck(h, owner, kept, pool, held, n):
    """Fill a deck with the cards of `pool` in the order of held[:n]; the `kept` ones stay where they are."""
    at_ = 0
    for k in range(h.deck_n[owner]):
        if (kept >> h.deck[owner, k]) & 1 == 1:
            continue
        while at_ < n and (pool >> held[at_]) & 1 == 0:
            at_ += 1
        h.deck[owner, k] = held[at_]
        at_ += 1
    h.deckm[owner] = kept | pool


# ---------------------------------------------------------------------------------------------------------------------
# For the referee


@entry
def look(states, rules, out):
    """Write attack, defence and whether its text works for each slot; out: seats, places, 3."""
    h = states[0].hid
    for seat in range(2):
        for k in range(PLACES):
            p = h.slot[seat, k]
            if p >= 0:
                both = stats(h, rules[0], p)
                out[seat, k, 0] = both >> 10
                out[seat, k, 1] = both & 1023
                out[seat, k, 2] = 1 if working(h, rules[0], p) else 0


PERM_NAMES = PERM.names or ()


def unpacked(x: int) -> list[int]:
    """Return packed Spirits as a list of eight counts."""
    return [(x >> (7 * e)) & 63 for e in range(8)]


def visible(s: Any, rules: Any, seats: int) -> dict[str, Any]:
    """Return what the rulebook's `visible` returns, from a state record."""
    out = np.zeros((2, PLACES, 3), np.int64)
    # Of the state a copy, in which `look` may use its scratch; of the rules, which are large, a view.
    look(np.asarray(s).reshape(1).copy(), np.asarray(rules).reshape(1), out)
    h = s["hid"]
    players = [_visible_player(h, seat, out[seat].tolist()) for seat in range(2)]
    return {
        "game": int(h["game"]),
        "turn": int(h["turn"]),
        "phase": PHASES[int(h["phase"])],
        "active": int(h["active"]),
        "players": players,
        "cards": [cards_of(seat, players) for seat in range(2)],
    }


def cards_of(seat: int, players: Sequence[dict[str, Any]]) -> list[int]:
    """Return the cards that a player owns, sorted: those in the own zones, and those on the field of either."""
    me = players[seat]
    there = [p["card"] for player in players for p in player["field"] if p is not None and p["owner"] == seat]
    return sorted([*me["deck"], *me["hand"], *me["underworld"], *there])


def _visible_player(h: Any, seat: int, looked: Sequence[Any]) -> dict[str, Any]:
    n, number = int(h["deck_n"][seat]), h["number"][seat].tolist()
    held, under = int(h["hand"][seat]), int(h["uw"][seat])
    return {
        "spirits": unpacked(int(h["sp"][seat])),
        "lost": unpacked(int(h["lost"][seat])),
        "deck": [number[i] for i in h["deck"][seat][:n].tolist()[::-1]],
        "hand": sorted(card for i, card in enumerate(number) if held >> i & 1),
        "underworld": sorted(card for i, card in enumerate(number) if under >> i & 1),
        "field": [_visible_card(h, seat, p, looked[k]) for k, p in enumerate(h["slot"][seat].tolist())],
    }


def _visible_card(h: Any, seat: int, p: int, looked: Sequence[int]) -> dict[str, Any] | None:
    if p < 0:
        return None
    q = dict(zip(PERM_NAMES, h["perm"][p].item(), strict=True))
    body = q["kind"] == ELESTRAL
    host = -1
    if q["host"] >= 0:
        other = h["perm"][q["host"]]
        host = int(other["place"]) + (0 if int(other["seat"]) == seat else PLACES)
    return {
        "card": q["card"],
        "owner": q["owner"],
        "down": bool(q["down"]),
        "limbo": bool(q["limbo"]),
        "position": q["pos"],
        "spirits": [unpacked(q["sp0"]), unpacked(q["sp1"])],
        "attack": looked[0] if body else 0,
        "defence": looked[1] if body else 0,
        "works": bool(looked[2]),
        "host": host,
    }


def make_engine(choose: Any, lookahead: Lookahead) -> Engine:
    """Return the fast path with the policies' `choose` and how they play on for the look-ahead player."""
    return Engine(
        tag=TAG,
        state=state,
        rules=RULES_RECORD,
        make_rules=make_rules,
        game_row=GAME_ROW,
        round_row=ROUND_ROW,
        max_rounds=3,
        kernels=named(start, advance, options, apply, redeal, choose),
        visible=visible,
        lookahead=lookahead,
    )
