"""Elestrals: what happens on the table of the fast engine: Spirits and cards move, events are heard, effects run.

Whatever may have to ask a player is a routine: a kernel on a frame of the stack that is entered again and again with
`f.pc` at the place where it goes on. It returns 1 when it has written options and waits for `h.answer`, else 0.
"""

from __future__ import annotations

import numpy as np

from sim import rng
from sim.bits import lowest, popcount
from sim.games.elestrals import codes
from sim.games.elestrals.board import (
    ANY,
    CARDS,
    CH_BASE,
    CH_LOCK,
    CH_PLAYLOCK,
    CH_RESTRICT,
    CH_STAT,
    CH_SUPPRESS,
    CH_SWAP,
    CHANGES,
    DECK_PLACE,
    FIRST_DELAYED,
    FOREVER,
    FRAMES,
    HAS_ACTS,
    HAS_COUNTER,
    L_ABILITY,
    MAX_ARRIVALS,
    PLACES,
    POOL,
    SPREAD,
    UNDERWORLD_PLACE,
    Y_ASCENDED,
    Y_CAST,
    Y_DRAWN,
    Y_FIRST2,
    Y_FIRST3,
    Y_LOST_EFFECT,
    Y_PAID_CAST,
    Y_PAID_COST,
    Y_RECOVERED,
    Y_RUNES,
    add_card_cost,
    add_group,
    add_spirits,
    against,
    amount,
    at,
    cannot_die,
    clear_ctx,
    compared,
    correct,
    count,
    counted,
    covers,
    field,
    first_static,
    fits,
    foretell_more,
    free_place,
    has_static,
    holds,
    is_blank,
    is_body,
    is_instant,
    last_static,
    locked,
    match,
    new_ctx,
    on_field,
    opt,
    passes,
    payable,
    perm_ctx,
    place_code,
    reaches,
    ref_one,
    restricted,
    shown_in_deck,
    source_fits,
    source_of,
    spirits_of,
    static_on,
    stats,
    store,
    suppressed,
    tax,
    whose,
    working,
)
from sim.games.elestrals.numbers import MAX_WAITING
from sim.games.elestrals.tables import (
    ARTIFACT,
    COUNTER,
    E_ALLY,
    E_ASC_FROM,
    E_ASC_INTO,
    E_ASC_INTO_S,
    E_CAST,
    E_CAST_N,
    E_CAST_S,
    E_DIE,
    E_DIE_B,
    E_END,
    E_FORETELL,
    E_FX_DIE,
    E_KILL,
    E_NEXUS,
    E_PLAY,
    E_RECV,
    E_RECV_NEXUS,
    E_SUPP,
    EITHER,
    ELESTRAL,
    FROM_DECK,
    FROM_UNDERWORLD,
    H_ALL,
    H_NONE,
    H_PICK,
    H_REF,
    KIND_ON,
    NO_ASCEND,
    NO_ENCHANT,
    NO_NEXUS,
    NONE,
    O_ATTACH,
    O_BOTDECK,
    O_BOUNCE,
    O_CASTAS,
    O_CASTRUNE,
    O_CHOOSE,
    O_DELAY,
    O_DESTROY,
    O_DESTROYIF,
    O_DISCARD,
    O_DRAIN,
    O_DRAW,
    O_FLIP,
    O_FORETELL,
    O_MILL,
    O_MOD,
    O_NCAST,
    O_NEGATE,
    O_NEGATEFX,
    O_NEXUS,
    O_NEXUSALL,
    O_NODMG,
    O_OPPCHOOSE,
    O_PEEKDISC,
    O_PLAYLOCK,
    O_PUTBACK,
    O_RECOVER,
    O_REGROW,
    O_RESHUFFLE,
    O_RESTRICT,
    O_SCRYTAKE,
    O_SETBASE,
    O_SETFROM,
    O_SETPOS,
    O_SPASC,
    O_SPCAST,
    O_STEAL,
    O_STEALRUNE,
    O_SUPPRESS,
    O_SWAPST,
    O_TOTOP,
    O_TUTOR,
    ONE,
    OWN,
    R_LINK,
    R_SELF,
    R_T,
    R_T1,
    R_T2,
    S_NOBOUNCE,
    S_NOPOS,
    S_REPLACE,
    S_SHROUD,
    S_UNAFF,
    T_OTHER,
    TWO,
    X_DIS,
    X_DISC,
    X_EXP,
    X_REVEAL,
    Z_DECK,
    Z_FIELD,
    Z_HAND,
    Z_UW,
    ZERO,
    numbers,
)
from sim.jit import kernel

ARG = 1 << 10
K_PAY, K_DONOR, K_TARGET, K_SEARCH, K_DISCARD, K_PUT_BACK, K_TAKE = (
    np.int64(k << 20)
    for k in (codes.PAY, codes.DONOR, codes.TARGET, codes.SEARCH, codes.DISCARD, codes.PUT_BACK, codes.TAKE)
)
K_NEXUS_FROM, K_NEXUS_TO, K_YES, K_CHOICE, K_HOST, K_POSITION, K_USE = (
    np.int64(k << 20)
    for k in (
        codes.NEXUS_FROM, codes.NEXUS_TO, codes.YES, codes.CHOICE, codes.HOST, codes.POSITION, codes.USE,
    )
)  # fmt: skip
ZONE_HAND, ZONE_DECK, ZONE_UW, ZONE_SHOWN = numbers(4)

# Routines
(
    F_GAME, F_MULLIGAN, F_TURN, F_MAIN, F_ACT, F_BATTLES, F_ATTACK, F_BATTLE, F_LOSSES, F_WINDOW, F_CHAIN, F_RESPOND,
    F_ANSWER, F_RESOLVE, F_FOLLOW, F_PUT, F_RUNE, F_USE, F_PAY, F_COSTS, F_TARGETS, F_ASCEND, F_EXPEND, F_DESTROY,
    F_RUN, F_OP, F_FORETELL, F_ARTIFACT,
) = numbers(28)  # fmt: skip
# Which cards suit a step
SUIT_ANY, SUIT_CAST, SUIT_ASCEND, SUIT_RUNE = numbers(4)
LEAVING = 1 << E_DIE_B | 1 << E_DIE | 1 << E_FX_DIE | 1 << E_KILL | 1 << E_ASC_FROM


@kernel
def push(h, op, a, b, c, d):
    """Begin a routine on top of the stack; return its frame's number."""
    i = h.depth
    if i >= FRAMES:
        h.over = 2
        return i - 1
    f = h.frame[i]
    f.op = op
    f.pc = 0
    f.a = a
    f.b = b
    f.c = c
    f.d = d
    f.e = 0
    f.g = 0
    f.k = 0
    f.m = 0
    f.n = 0
    h.depth = i + 1
    return i


@kernel
def pop(h):
    """End the routine on top of the stack."""
    h.depth -= 1
    return 0


@kernel
def ask(h, seat):
    """Let a player choose one of the options that were written."""
    h.asked = seat
    return 1


@kernel
def lose(h, seat, reason):
    """EL-X2, EL-X3: a player has lost."""
    if h.loser < 0:
        h.loser = seat
        h.reason = reason


# ---------------------------------------------------------------------------------------------------------------------
# Spirits


@kernel
def take_one(h, seat, place, e):
    """Take one Spirit away from a place and return its owner; a player's own go first."""
    one = np.int64(1) << (7 * e)
    if place == 0:
        h.sp[seat] -= one
        return seat
    if place == 19:
        h.lost[seat] -= one
        return seat
    q = h.perm[at(h, seat, place - 1)]
    owner = seat if field(q.sp0 if seat == 0 else q.sp1, e) > 0 else 1 - seat
    if owner == 0:
        q.sp0 -= one
    else:
        q.sp1 -= one
    return owner


@kernel
def give_back(h, seat, place, e, owner):
    """Undo `take_one`."""
    one = np.int64(1) << (7 * e)
    if place == 0:
        h.sp[seat] += one
    elif place == 19:
        h.lost[seat] += one
    else:
        q = h.perm[at(h, seat, place - 1)]
        if owner == 0:
            q.sp0 += one
        else:
            q.sp1 += one


@kernel
def bury(h, first, last):
    """EL-K7: put paid Spirits into their owners' Underworlds."""
    for i in range(first, last):
        h.lost[h.paid_owner[i]] += np.int64(1) << (7 * h.paid_el[i])


@kernel
def put_under(h, p, first, last):
    """Enchant a card with paid Spirits; return the mask of their elements."""
    q = h.perm[p]
    mask = np.int64(0)
    for i in range(first, last):
        one = np.int64(1) << (7 * h.paid_el[i])
        mask |= np.int64(1) << h.paid_el[i]
        if h.paid_owner[i] == 0:
            q.sp0 += one
        else:
            q.sp1 += one
    return mask


@kernel
def from_deck(h, first, last):
    """Return how many paid Spirits came from the Spirit Deck."""
    n = 0
    for i in range(first, last):
        if h.paid_place[i] == 0:
            n += 1
    return n


@kernel
def expend_all(h, seat):
    """Put the whole Spirit Deck into the Underworld."""
    h.lost[seat] += h.sp[seat]
    h.sp[seat] = 0


@kernel
def start_pay(h, seat):
    """Begin to pay all groups but those added afterwards."""
    return push(h, F_PAY, seat, h.n_g, ZERO, ZERO)


@kernel
def do_pay(h, r, f):
    """EL-K8: choose Spirits one by one; what is still to be paid stays payable. a: seat, b: groups to pay."""
    seat = f.a
    if f.pc == 0:
        h.n_paid = 0
        f.pc = 1
    elif f.pc == 2:
        note_paid(h, seat, (h.answer >> 10) & 1023, h.answer & 1023)
    while True:
        while f.c < f.b and h.g_n[f.c] == 0:
            f.c += 1
        if f.c >= f.b or h.n_paid >= 63:
            return pop(h)
        h.n_opts = 0
        best = spots(h, seat, f.c)
        if r.payment == 0:
            f.pc = 2
            return ask(h, seat)
        note_paid(h, seat, best >> 10, best & 1023)


@kernel
def note_paid(h, seat, place, e):
    """Take a Spirit and note it among those that were paid."""
    i = h.n_paid
    h.paid_place[i] = place
    h.paid_el[i] = e
    h.paid_owner[i] = take_one(h, seat, place, e)
    h.n_paid = i + 1


@kernel
def spots(h, seat, g):
    """Write the Spirits that may be taken for group `g` now; return the helper's choice: place << 10 | element."""
    h.g_n[g] -= 1
    mask = h.g_mask[g]
    places = h.g_places[g]
    same = True
    for i in range(h.n_g):
        if h.g_n[i] > 0 and (h.g_mask[i] != mask or h.g_places[i] != places):
            same = False
    best = np.int64(0)
    best_place = np.int64(99)
    best_n = np.int64(0)
    while places != 0:
        place = lowest(places)
        places &= places - 1
        x = store(h, seat, place)
        for e in range(8):
            n = field(x, e)
            if n == 0 or (mask >> e) & 1 == 0:
                continue
            good = same
            if not good:
                owner = take_one(h, seat, place, e)
                good = payable(h, seat)
                give_back(h, seat, place, e, owner)
            if good:
                opt(h, K_PAY + place * ARG + e)
                if best_place == 99 or (best_place == place and n > best_n):
                    best_place = place
                    best_n = n
                    best = place * ARG + e
    return best


@kernel
def do_expend(h, r, f):
    """EL-X2: Expend Spirits that one must. a: seat, b: how many, c: the tally."""
    seat = f.a
    life = count(h.sp[seat])
    if f.pc == 0:
        if f.b <= 0:
            return pop(h)
        f.d = min(f.b, life)
        f.pc = 1
        if f.d == life:
            expend_all(h, seat)
        else:
            h.n_g = 0
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), f.d)
            f.pc = 2
            start_pay(h, seat)
            return 0
    if f.pc == 2:
        bury(h, ZERO, h.n_paid)
    h.tally[seat, f.c] += f.d
    if f.b > f.d:
        lose(h, seat, ONE)
    return pop(h)


# ---------------------------------------------------------------------------------------------------------------------
# Cards that move


@kernel
def shuffle(h, seat):
    """EL-S1: order the deck by keys of its cards, from the packet's own stream number `shuffles`; lowest on top."""
    key = rng.stream(h.key, h.game, rng.DECK, h.packet[seat] + 1, h.shuffles[seat])
    h.shuffles[seat] += 1
    left = h.deckm[seat]
    n = 0
    while left != 0:
        i = lowest(left)
        left &= left - 1
        w = rng.word(key, 4 * h.number[seat, i] + h.twin[seat, i])
        j = n
        while j > 0 and h.words[j - 1] <= w:
            h.words[j] = h.words[j - 1]
            h.deck[seat, j] = h.deck[seat, j - 1]
            j -= 1
        h.words[j] = w
        h.deck[seat, j] = i
        n += 1
    h.deck_n[seat] = n


@kernel
def draw(h, seat, n):
    """EL-X3: draw cards; who must draw from an empty deck loses."""
    for _ in range(n):
        if h.deck_n[seat] == 0:
            lose(h, seat, TWO)
            return
        h.deck_n[seat] -= 1
        i = h.deck[seat, h.deck_n[seat]]
        h.deckm[seat] &= ~(np.int64(1) << i)
        h.hand[seat] |= np.int64(1) << i
        h.known[seat] &= ~(np.int64(1) << i)
        h.tally[seat, Y_DRAWN] += 1


@kernel
def out_of_deck(h, seat, i):
    """Take card `i` out of the deck's order."""
    n = h.deck_n[seat]
    j = n - 1
    while h.deck[seat, j] != i:
        j -= 1
    for k in range(j, n - 1):
        h.deck[seat, k] = h.deck[seat, k + 1]
    h.deck_n[seat] = n - 1
    h.deckm[seat] &= ~(np.int64(1) << i)


@kernel
def onto_deck(h, seat, i):
    """Put card `i` on top of the deck."""
    h.deck[seat, h.deck_n[seat]] = i
    h.deck_n[seat] += 1
    h.deckm[seat] |= np.int64(1) << i


@kernel
def under_deck(h, seat, i):
    """Put card `i` under the deck."""
    for k in range(h.deck_n[seat], 0, -1):
        h.deck[seat, k] = h.deck[seat, k - 1]
    h.deck[seat, 0] = i
    h.deck_n[seat] += 1
    h.deckm[seat] |= np.int64(1) << i


@kernel
def take_card(h, seat, i, zone):
    """Take card `i` out of a zone outside the field."""
    if zone == ZONE_HAND:
        h.hand[seat] &= ~(np.int64(1) << i)
    elif zone == ZONE_UW:
        h.uw[seat] &= ~(np.int64(1) << i)
    else:
        out_of_deck(h, seat, i)


@kernel
def by_number(h, seat, mask, number):
    """Return the copy that a code means: the lowest of a mask with a card's number."""
    while mask != 0:
        i = lowest(mask)
        if h.number[seat, i] == number:
            return i
        mask &= mask - 1
    return np.int64(0)


@kernel
def name_options(h, seat, mask, code, b):
    """Write one option for each card of a mask, copies together."""
    last = np.int64(-1)
    while mask != 0:
        number = h.number[seat, lowest(mask)]
        mask &= mask - 1
        if number != last:
            opt(h, code + number * ARG + b)
            last = number


@kernel
def look_present(h, r):
    """Note which words of statics stand on the cards of the field, and which events they hear."""
    made = np.int64(0)
    heard = np.int64(0)
    for k in range(18):
        p = on_field(h, k)
        if p >= 0:
            made |= r.card[h.perm[p].card].words
            heard |= heard_by(r, h.perm[p].card)
    h.present = made
    h.heard = heard


@kernel
def heard_by(r, card):
    """Return the events that a card hears, with marks for abilities to use and for Counters."""
    c = r.card[card]
    return c.events | (HAS_ACTS if c.acts == 1 else ZERO) | (HAS_COUNTER if c.kind == COUNTER else ZERO)


@kernel
def new_perm(h, r, seat, inst, place, kind, limbo):
    """Put a card into a slot as a new object; return its number."""
    p = np.int64(0)
    while p < POOL - 1 and h.perm[p].live == 1:
        p += 1
    if h.perm[p].live == 1:
        h.over = 2
    h.n_perm += 1
    q = h.perm[p]
    q.live = 1
    q.inst = inst
    q.owner = 0 if inst < CARDS else 1
    q.seat = seat
    q.place = place
    q.card = h.number[q.owner, inst - CARDS * q.owner]
    q.kind = kind
    q.face = -1
    q.down = 0
    q.limbo = limbo
    q.gone = 0
    q.pos = 0
    q.sp0 = 0
    q.sp1 = 0
    q.arrived = h.turn
    q.set_on = 0
    q.turned = 0
    q.host = -1
    q.attacks = 0
    q.declared = 0
    q.kills = 0
    q.used = 0
    q.home = -1
    q.paid = 0
    q.worked = 0
    q.nodmg = 0
    q.state_done = -1
    q.changed = 0
    h.slot[seat, place] = p
    h.present |= r.card[q.card].words
    h.heard |= heard_by(r, q.card)
    return p


@kernel
def leave_alone(h, r, p, to):
    """Take a card from the field; its Spirits go to their owners' Underworlds. to: 0 Underworld, 1 hand, 2 under."""
    q = h.perm[p]
    q.worked = 1 if working(h, r, p) else 0
    q.gone = 1
    h.slot[q.seat, q.place] = -1
    h.lost[0] += q.sp0
    h.lost[1] += q.sp1
    i = q.inst - CARDS * q.owner
    if to == 1:
        h.hand[q.owner] |= np.int64(1) << i
        if q.down == 0:
            h.known[q.owner] |= np.int64(1) << i
    elif to == 2:
        under_deck(h, q.owner, i)
    else:
        h.uw[q.owner] |= np.int64(1) << i
    look_present(h, r)


@kernel
def leave(h, r, p, to):
    """Take a card from the field; EL-R7: an Artifact goes with its Elestral."""
    leave_alone(h, r, p, to)
    if h.perm[p].kind != ELESTRAL:
        return
    for k in range(18):
        q = on_field(h, k)
        if q >= 0 and h.perm[q].host == p:
            if r.rune_leaves == 0 and h.perm[q].limbo == 0:
                emit(h, r, E_DIE, q, NONE, ZERO, ZERO, NONE, ZERO)
            leave_alone(h, r, q, ZERO)


@kernel
def must_go(h, r, p):
    """EL-K3: say whether a card has too few Spirits to stay."""
    q = h.perm[p]
    if q.down + q.limbo > 0:
        return False
    if count(q.sp0 + q.sp1) < r.card[q.card].total:
        return True
    return r.misenchanted_rune == 1 and q.kind != ELESTRAL and not correct(h, r, p)


@kernel
def settle(h, r):
    """EL-K3: cards with fewer Spirits than they cost go to the Underworld."""
    again = True
    while again:
        again = False
        under = np.int64(0)
        for k in range(18):
            p = on_field(h, k)
            if p >= 0 and must_go(h, r, p):
                under |= np.int64(1) << k
        while under != 0:
            p = on_field(h, lowest(under))
            under &= under - 1
            if p >= 0 and h.perm[p].gone == 0:
                leave(h, r, p, ZERO)
                again = True


@kernel
def settle_step(h, r):
    """Check costs after a step, if the variant checks that often."""
    if r.cost_check == 0:
        settle(h, r)


@kernel
def discard(h, seat, i):
    """Put card `i` from the hand into the Underworld."""
    h.hand[seat] &= ~(np.int64(1) << i)
    h.uw[seat] |= np.int64(1) << i


@kernel
def move(h, p, seat, place):
    """Move a card to a slot of another player."""
    q = h.perm[p]
    h.slot[q.seat, q.place] = -1
    q.seat = seat
    q.place = place
    h.slot[seat, place] = p


# ---------------------------------------------------------------------------------------------------------------------
# Events


@kernel
def emit(h, r, word, subj, other, seat, elements, cause, moved):
    """Let every card hear an event; what it triggers waits for the next chain (EL-H6)."""
    for k in range(18 if (h.heard >> word) & 1 == 1 else 0):
        p = on_field(h, k)
        if p >= 0 and (r.card[h.perm[p].card].events >> word) & 1 == 1:
            listen(h, r, p, word, subj, other, seat, elements, cause, moved)
    if subj >= 0 and h.perm[subj].gone == 1 and (r.card[h.perm[subj].card].events >> word) & 1 == 1:
        listen(h, r, subj, word, subj, other, seat, elements, cause, moved)
    for owner in range(2):
        held = h.hand[owner] & h.listens[owner]
        while held != 0:
            i = lowest(held)
            held &= held - 1
            hear_in_hand(h, r, owner, i, word, subj, other, seat, elements, cause, moved)


@kernel
def hear_in_hand(h, r, owner, i, word, subj, other, seat, elements, cause, moved):
    """Let a card in a hand hear an event."""
    card = h.number[owner, i]
    if is_blank(h, owner * CARDS + i):
        return
    for a in range(r.card[card].ability, r.card[card].ability + r.card[card].ability_n):
        t = r.ability[a]
        if t.kind == KIND_ON and t.at == 2 and hears(h, r, a, NONE, owner, word, subj, other, seat, elements, cause):
            wait(h, owner, NONE, owner * CARDS + i, card, a, t.index, ZERO, word, subj, other, moved)


@kernel
def listen(h, r, p, word, subj, other, seat, elements, cause, moved):
    """Let a card of the field hear an event."""
    q = h.perm[p]
    if q.down + q.limbo > 0 or q.face >= 0:
        return
    first = r.card[q.card].ability
    for a in range(first, first + r.card[q.card].ability_n):
        t = r.ability[a]
        if t.kind != KIND_ON or t.at == 2 or t.event != word:
            continue
        if not hears(h, r, a, p, q.seat, word, subj, other, seat, elements, cause):
            continue
        if q.gone == 1:
            if q.worked == 0:
                continue
        elif not working(h, r, p):
            continue
        if t.cond_n > 0:
            event_ctx(h, TWO, q.seat, p, q.inst, q.card, word, subj, other, moved)
            if not holds(h, r, t.cond, t.cond_n, TWO):
                continue
        stays = 0 if (LEAVING >> word) & 1 == 1 else 1
        wait(h, q.seat, p, q.inst, q.card, a, t.index, stays, word, subj, other, moved)


@kernel
def event_ctx(h, c, seat, source, inst, card, word, subj, other, moved):
    """Make context `c` new for an effect that an event triggered."""
    x = h.ctx[c]
    clear_ctx(h, c, seat, source, inst, card, ZERO)
    x.ev_subj = subj
    x.ev_other = other
    x.moved = moved
    if word == E_ASC_FROM:
        x.that = other
    if word == E_DIE_B and subj >= 0:
        x.spwas = count(spirits_of(h, subj))


@kernel
def wait(h, seat, source, inst, card, ability, index, stays, word, subj, other, moved):
    """EL-H5: put a conditional effect among those that wait for the next chain."""
    if h.n_wait - h.n_batch >= MAX_WAITING:
        h.over = 2
        return
    w = h.wait[h.n_wait]
    h.n_wait += 1
    w.seat = seat
    w.source = source
    w.inst = inst
    w.card = card
    w.ability = ability
    w.index = index
    w.stays = stays
    w.ctx = -1
    w.out = 0
    w.ev_word = word
    w.ev_subj = subj
    w.ev_other = other
    w.moved = moved


@kernel
def hears(h, r, a, p, seat, word, subj, other, ev_seat, elements, cause):
    """Say whether an ability is about an event."""
    t = r.ability[a]
    if t.event != word:
        return False
    if t.side >= 0:
        return t.side == EITHER or (ev_seat == seat) == (t.side == OWN)
    about = other if word == E_KILL else subj
    if t.of >= 0 and t.of_ref < 0:
        if about < 0 or not match(h, r, t.of, about, seat, p):
            return False
        if word == E_ALLY and (about == p or h.perm[about].seat != seat):
            return False
    elif t.of_ref == 1:
        if p < 0 or about < 0 or h.perm[p].host != about:
            return False
    elif word != E_SUPP and word != E_PLAY and word != E_ALLY:
        if about < 0 or about != p:
            return False
        if t.of >= 0 and not passes(h, r, t.of, about, p):
            return False
    if (word in (E_RECV, E_RECV_NEXUS)) and elements & t.elements == 0:
        return False
    if t.vs >= 0:
        enemy = subj if word == E_KILL else other
        if enemy < 0 or not match(h, r, t.vs, enemy, seat, p):
            return False
    if t.by >= 0:
        if word == E_DIE_B:
            return other >= 0 and match(h, r, t.by, other, seat, p)
        return cause >= 0 and source_fits(r, t.by, cause, seat)
    return True


@kernel
def receive(h, r, p, elements, cause, nexus):
    """EL-F6: a card has received Spirits, whatever number at once."""
    if elements != 0:
        emit(h, r, E_RECV, p, NONE, ZERO, elements, cause, ZERO)
        if nexus == 1:
            emit(h, r, E_RECV_NEXUS, p, NONE, ZERO, elements, cause, ZERO)


@kernel
def arrived(h, r, p, normal, special, old, cause):
    """EL-C2: a card has been cast: it is there now, and what listens for that hears it."""
    q = h.perm[p]
    q.limbo = 0
    if q.kind == ELESTRAL:
        h.tally[q.seat, Y_CAST] += 1
        if old >= 0:
            h.tally[q.seat, Y_ASCENDED] += 1
        total = r.card[q.card].total
        if total >= 2 and h.tally[q.seat, Y_FIRST2] == 0:
            h.tally[q.seat, Y_FIRST2] = h.turn
        if total >= 3 and h.tally[q.seat, Y_FIRST3] == 0:
            h.tally[q.seat, Y_FIRST3] = h.turn
    else:
        h.tally[q.seat, Y_RUNES] += 1
    emit(h, r, E_CAST, p, NONE, ZERO, ZERO, cause, ZERO)
    if normal == 1 and old < 0:
        emit(h, r, E_CAST_N, p, NONE, ZERO, ZERO, cause, ZERO)
    if special == 1 and (old < 0 or r.special_ascend_is_special_cast == 1):
        emit(h, r, E_CAST_S, p, NONE, ZERO, ZERO, cause, ZERO)
    if r.receive_on_cast == 1 and spirits_of(h, p) != 0:
        emit(h, r, E_RECV, p, NONE, ZERO, q.paid, cause, ZERO)
    if old >= 0:
        emit(h, r, E_ASC_INTO, p, NONE, ZERO, ZERO, cause, ZERO)
        if special == 1:
            emit(h, r, E_ASC_INTO_S, p, NONE, ZERO, ZERO, cause, ZERO)
        emit(h, r, E_ASC_FROM, old if r.ascend_this == 0 else p, p, ZERO, ZERO, cause, ZERO)
    played(h, r, p)


@kernel
def played(h, r, p):
    """Let the table hear that a card was played."""
    emit(h, r, E_PLAY, p, NONE, h.perm[p].seat, ZERO, NONE, ZERO)
    if h.n_new >= MAX_ARRIVALS:
        h.over = 2
        return
    h.new[h.n_new] = p
    h.n_new += 1


# ---------------------------------------------------------------------------------------------------------------------
# Ascending


@kernel
def field_spirits(h, seat):
    """Return the packed Spirits under all bodies of a player."""
    x = np.int64(0)
    for k in range(4):
        p = h.slot[seat, k]
        if is_body(h, p):
            x += spirits_of(h, p)
    return x


@kernel
def can_ascend(h, r, body, i, card_seat):
    """EL-C4: one new Spirit, and with the Spirits of all own Elestrals enough for the new cost.

    Groups that are there already are costs paid before; those not from the Spirit Deck count as taken from bodies.
    """
    q = h.perm[body]
    seat = q.seat
    if q.gone + q.limbo > 0 or q.kind != ELESTRAL or restricted(h, r, body, NO_ASCEND):
        return False
    card = h.number[card_seat, i]
    if locked(h, r, seat, ELESTRAL, card, NONE):
        return False
    held = h.n_g
    spent = np.int64(0)
    for g in range(held):
        if h.g_places[g] & DECK_PLACE == 0:
            spent += h.g_n[g]
    if count(field_spirits(h, seat)) + 1 - spent < r.card[card].total:
        return False
    new = new_mask(h, r, seat, card)
    if new == 0:
        return False
    add_group(h, new, np.int64(DECK_PLACE), ONE)
    add_group(h, np.int64(ANY), np.int64(DECK_PLACE), tax(h, r, seat, ELESTRAL, card))
    good = payable(h, seat)
    h.n_g = held
    return good


@kernel
def new_mask(h, r, seat, card):
    """EL-K4: return the elements that the new Spirit of an Ascend may have, 0 where it cannot match.

    Groups that are there already are costs paid before; those not from the Spirit Deck count as taken from bodies.
    """
    mask = np.int64(ANY)
    if r.misenchanted_cast == 1:
        return mask
    x = field_spirits(h, seat)
    for g in range(h.n_g):
        if h.g_places[g] & DECK_PLACE == 0:
            for e in range(8):
                if (h.g_mask[g] >> e) & 1 == 1:
                    x -= min(field(x, e), h.g_n[g]) << (7 * e)
    lacking = np.int64(0)
    for e in range(7, -1, -1):
        short = field(r.card[card].cost, e) - field(x, e)
        if short > 0:
            lacking += short
            mask = np.int64(1) << e
    return mask if lacking <= 1 else np.int64(0)


@kernel
def do_ascend(h, r, f):
    """EL-C4: the steps of an Ascend up to Limbo; `ret` is the new body. a: the old one, b: card, c: zone."""
    body = f.a
    seat = h.perm[body].seat
    card = h.number[seat, f.b]
    if f.pc == 0:
        f.d = tax(h, r, seat, ELESTRAL, card)
        f.pc = 2
        if f.d > 0:
            h.n_g = 0
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), f.d)
            start_pay(h, seat)
            add_group(h, new_mask(h, r, seat, card), np.int64(DECK_PLACE), ONE)
            f.pc = 1
            return 0
    if f.pc == 1:
        bury(h, ZERO, h.n_paid)
        h.tally[seat, Y_PAID_COST] += f.d
        f.pc = 2
    if f.pc == 2:
        h.n_g = 0
        add_group(h, new_mask(h, r, seat, card), np.int64(DECK_PLACE), ONE)
        start_pay(h, seat)
        f.pc = 3
        return 0
    if f.pc == 3:
        h.tally[seat, Y_PAID_CAST] += 1
        note_donor(h, f, h.paid_el[0], h.paid_owner[0])
        f.pc = 4
    if f.pc == 5:
        if h.answer == 0:
            f.pc = 6
        else:
            e = h.answer & 1023
            note_donor(h, f, e, take_one(h, seat, ((h.answer >> 10) & 1023) + 1, e))
            f.pc = 4
    if f.pc == 4:
        if donor_options(h, r, f, seat, card):
            f.pc = 5
            return ask(h, seat)
        f.pc = 6
    if f.pc == 6:
        h.n_opts = 0
        opt(h, K_POSITION)
        opt(h, K_POSITION + ARG)
        f.pc = 7
        return ask(h, seat)
    take_card(h, seat, f.b, f.c)
    if f.c == ZONE_DECK:
        shuffle(h, seat)
    old = h.perm[body]
    kept0 = old.sp0
    kept1 = old.sp1
    worked = 0
    if not is_blank(h, old.inst) and covers(h, r, kept0 + kept1, old.card) and not suppressed(h, r, body):
        worked = 1
    old.sp0 = 0
    old.sp1 = 0
    place = old.place
    leave(h, r, body, ZERO)
    old.worked = worked
    p = new_perm(h, r, seat, seat * CARDS + f.b, place, ELESTRAL, ONE)
    q = h.perm[p]
    q.pos = (h.answer >> 10) & 1023
    q.sp0 = kept0 + f.e
    q.sp1 = kept1 + f.g
    q.paid = f.k
    h.ret = p
    return pop(h)


@kernel
def note_donor(h, f, e, owner):
    """Note a Spirit for the new body."""
    if owner == 0:
        f.e += np.int64(1) << (7 * e)
    else:
        f.g += np.int64(1) << (7 * e)
    f.k |= np.int64(1) << e


@kernel
def donor_options(h, r, f, seat, card):
    """Write the Spirits of other own bodies that may go along; return whether there is something to choose."""
    x = spirits_of(h, f.a) + f.e + f.g
    cost = r.card[card].cost
    enough = count(x) >= r.card[card].total if r.misenchanted_cast == 1 else covers(h, r, x, card)
    h.n_opts = 0
    if enough:
        opt(h, ZERO)
    short = np.int64(0)
    for e in range(8):
        if field(cost, e) > field(x, e):
            short |= np.int64(1) << e
    some = False
    for k in range(4):
        p = h.slot[seat, k]
        if is_body(h, p) and p != f.a:
            y = spirits_of(h, p)
            for e in range(8):
                if field(y, e) > 0:
                    if enough or r.misenchanted_cast == 1 or short == 0 or (short >> e) & 1 == 1:
                        opt(h, K_DONOR + k * ARG + e)
                        some = True
    return some


# ---------------------------------------------------------------------------------------------------------------------
# Costs and targets


@kernel
def add_costs(h, r, a, c):
    """Add the Spirits that an ability's costs ask for, cost by cost."""
    t = r.ability[a]
    for i in range(t.cost, t.cost + t.cost_n):
        k = r.cost[i]
        if k.spirits < 0 or k.everything == 1:
            continue
        if k.word == X_EXP:
            add_spirits(h, r, k.spirits, c, np.int64(DECK_PLACE))
        elif k.word == X_DIS:
            add_spirits(h, r, k.spirits, c, dis_places(h, r, i, c))


@kernel
def dis_places(h, r, i, c):
    """Return the places (bits) from which a cost may be Disenchanted."""
    k = r.cost[i]
    x = h.ctx[c]
    made = np.int64(0)
    if k.how == H_REF:
        if x.source >= 0 and h.perm[x.source].gone == 0:
            made = np.int64(2) << h.perm[x.source].place
        return made
    for j in range(PLACES):
        p = h.slot[x.seat, j]
        if p >= 0 and h.perm[p].down == 0 and spirits_of(h, p) != 0:
            if match(h, r, k.filter, p, x.seat, x.source):
                made |= np.int64(2) << j
    return made


@kernel
def own_bit(x):
    """Return the bit of a context's own card among its seat's cards."""
    i = x.inst - CARDS * x.seat
    return np.int64(1) << i if 0 <= i < CARDS else np.int64(0)


@kernel
def discardable(h, r, i, c):
    """Return the mask of the hand cards that a cost may take."""
    k = r.cost[i]
    x = h.ctx[c]
    mine = own_bit(x)
    hand = h.hand[x.seat]
    if k.amount < 0:
        return hand & ~mine
    if k.filter < 0:
        return hand & mine
    return fit_mask(h, r, k.filter, x.seat, hand & ~mine)


@kernel
def fit_mask(h, r, f, seat, mask):
    """Return those of a player's cards outside the field that pass a filter, seen by that player."""
    made = np.int64(0)
    while mask != 0:
        i = lowest(mask)
        mask &= mask - 1
        if fits(r, f, h.number[seat, i], seat, seat):
            made |= np.int64(1) << i
    return made


@kernel
def can_activate(h, r, a, c, before):
    """EL-F7: the costs can be paid, the targets exist, some step can do something; `before` Spirits are added."""
    t = r.ability[a]
    x = h.ctx[c]
    if before == 0:
        h.n_g = 0
    if t.cost_n > 0:
        add_costs(h, r, a, c)
    if h.n_g > 0 and not payable(h, x.seat):
        return False
    for i in range(t.cost, t.cost + t.cost_n):
        k = r.cost[i]
        if k.everything == 1 and count(h.sp[x.seat]) - before < 1:
            return False
        if k.word == X_REVEAL:
            h.n_g = 0
            add_spirits(h, r, k.spirits, c, np.int64(DECK_PLACE))
            if not payable(h, x.seat):
                return False
        if k.word == X_DISC and popcount(discardable(h, r, i, c)) < max(1, k.amount):
            return False
    for i in range(t.target, t.target + t.target_n):
        n = n_candidates(h, r, i, c)
        if n == 0 or (r.target[i].filter >= 0 and n < r.target[i].low):
            return False
    return useful(h, r, a, c)


@kernel
def useful(h, r, a, c):
    """EL-F7: say whether any step can do something that does not wait for another one."""
    t = r.ability[a]
    if t.step_n == 0:
        return True
    for i in range(t.step, t.step + t.step_n):
        k = r.step[i]
        if k.if_done == 1 or (k.cond_n > 0 and not holds(h, r, k.cond, k.cond_n, c)):
            continue
        if t.spends == 1 and (k.op == O_RECOVER or k.source & FROM_UNDERWORLD != 0):
            return True
        if could(h, r, i, c, 1 if t.target_n > 0 else 0):
            return True
    return False


@kernel
def targetable(h, r, p, c):
    """EL-F13: say whether nothing forbids that an effect targets a card."""
    x = h.ctx[c]
    if p == x.source and is_instant(x.kind):
        return False
    return not against(h, r, S_SHROUD, p, source_of(x.seat, x.kind, x.card))


@kernel
def field_candidates(h, r, i, c):
    """Return the mask of the cards on the field that may become target `i`."""
    x = h.ctx[c]
    f = r.target[i].filter
    made = np.int64(0)
    for k in range(18):
        p = on_field(h, k)
        if p >= 0 and match(h, r, f, p, x.seat, x.source) and targetable(h, r, p, c):
            made |= np.int64(1) << p
    return made


@kernel
def card_candidates(h, r, i, c):
    """Return the mask of the controller's cards outside the field that may become target `i`."""
    x = h.ctx[c]
    f = r.target[i].filter
    z = r.filter[f].zones
    made = np.int64(0)
    if z & Z_UW != 0:
        made |= fit_mask(h, r, f, x.seat, h.uw[x.seat])
    if z & Z_HAND != 0:
        made |= fit_mask(h, r, f, x.seat, h.hand[x.seat])
    if z & Z_DECK != 0:
        made |= fit_mask(h, r, f, x.seat, h.deckm[x.seat])
    return made & ~own_bit(x)


@kernel
def n_candidates(h, r, i, c):
    """Return how many things may become target `i`."""
    t = r.target[i]
    if t.filter < 0:
        p = ref_one(h, c, t.ref)
        return 1 if p >= 0 and h.perm[p].gone == 0 and targetable(h, r, p, c) else 0
    n = 0
    if r.filter[t.filter].zones & Z_FIELD != 0:
        n += popcount(field_candidates(h, r, i, c))
    if r.filter[t.filter].zones != Z_FIELD:
        n += popcount(card_candidates(h, r, i, c))
    return n


@kernel
def do_costs(h, r, f):
    """EL-K1: pay the card's own cost (groups that are there), the ability's Spirits, its other costs.

    a: context, b: ability, c: Spirits of the own cost, first among those paid; d: Spirits that must stay payable: how
    many of any element, and << 8 the elements of one more.
    """
    x = h.ctx[f.a]
    seat = x.seat
    t = r.ability[f.b]
    if f.pc == 0:
        f.pc = 1
        h.n_paid = 0
        if f.c == 0:
            h.n_g = 0
        add_costs(h, r, f.b, f.a)
        if h.n_g > 0:
            start_pay(h, seat)
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), f.d & 255)
            if f.d >= 256:
                add_group(h, f.d >> 8, np.int64(DECK_PLACE), ONE)
            return 0
    if f.pc == 1:
        bury(h, f.c, h.n_paid)
        h.tally[seat, Y_PAID_COST] += from_deck(h, f.c, h.n_paid)
        f.e = t.cost
        f.g = -1
        f.pc = 2
    elif f.pc == 3:
        discard(h, seat, by_number(h, seat, discardable(h, r, f.e, f.a), (h.answer >> 10) & 1023))
        f.pc = 2
    while f.e < t.cost + t.cost_n:
        k = r.cost[f.e]
        if k.everything == 1:
            h.tally[seat, Y_PAID_COST] += count(h.sp[seat])
            expend_all(h, seat)
        elif k.word == X_DISC and k.amount < 0:
            mask = discardable(h, r, f.e, f.a)
            h.hand[seat] &= ~mask
            h.uw[seat] |= mask
        elif k.word == X_DISC:
            if f.g < 0:
                f.g = k.amount
            if f.g > 0:
                f.g -= 1
                h.n_opts = 0
                name_options(h, seat, discardable(h, r, f.e, f.a), K_DISCARD, ZERO)
                f.pc = 3
                return ask(h, seat)
        f.g = -1
        f.e += 1
    return pop(h)


@kernel
def do_targets(h, r, f):
    """EL-F4: choose the targets on activation, one by one; 'up to' means at least one. a: context, b: ability."""
    x = h.ctx[f.a]
    t = r.ability[f.b]
    if f.pc == 1:
        group = x.n_tg - 1
        if h.answer == 0:
            f.c += 1
            f.d = 0
        else:
            x.tg[group, x.tgn[group]] = at(h, x.seat, (h.answer >> 10) & 1023)
            x.tgn[group] += 1
    elif f.pc == 2:
        left = card_candidates(h, r, t.target + f.c, f.a) & ~chosen_cards(x)
        if x.n_cards < 4:
            x.cards[x.n_cards] = by_number(h, x.seat, left, (h.answer >> 10) & 1023)
            x.n_cards += 1
    while f.c < t.target_n:
        i = t.target + f.c
        k = r.target[i]
        if f.d == 0:  # a new target
            f.d = 1
            x.tgf[x.n_tg] = k.filter
            x.tgn[x.n_tg] = 0
            x.n_tg += 1
            f.e = min(k.high, popcount(card_candidates(h, r, i, f.a))) if k.filter >= 0 else 0
        group = x.n_tg - 1
        if k.filter < 0:
            p = ref_one(h, f.a, k.ref)
            if p >= 0 and h.perm[p].gone == 0 and targetable(h, r, p, f.a):
                x.tg[group, 0] = p
                x.tgn[group] = 1
        elif r.filter[k.filter].zones & Z_FIELD == 0:
            if f.e > 0:
                f.e -= 1
                h.n_opts = 0
                left = card_candidates(h, r, i, f.a) & ~chosen_cards(x)
                name_options(h, x.seat, left, K_SEARCH, ZONE_UW)
                f.pc = 2
                return ask(h, x.seat)
        else:
            left = field_candidates(h, r, i, f.a)
            for j in range(x.tgn[group]):
                left &= ~(np.int64(1) << x.tg[group, j])
            if x.tgn[group] < min(k.high, 8) and left != 0:
                h.n_opts = 0
                if x.tgn[group] > 0 and x.tgn[group] >= k.low:
                    opt(h, ZERO)
                while left != 0:
                    opt(h, K_TARGET + ARG * place_code(h, x.seat, lowest(left)))
                    left &= left - 1
                f.pc = 1
                return ask(h, x.seat)
        f.c += 1
        f.d = 0
    return pop(h)


@kernel
def chosen_cards(x):
    """Return the mask of a context's targets outside the field."""
    made = np.int64(0)
    for j in range(x.n_cards):
        made |= np.int64(1) << x.cards[j]
    return made


# ---------------------------------------------------------------------------------------------------------------------
# Could a step work?


@kernel
def zone_mask(h, c, z):
    """Return the controller's cards in zone number `z`."""
    seat = h.ctx[c].seat
    if z == ZONE_HAND:
        return h.hand[seat]
    if z == ZONE_DECK:
        return h.deckm[seat]
    if z == ZONE_UW:
        return h.uw[seat]
    return shown_in_deck(h, c)


@kernel
def find(h, r, f, c, z, suit, i, body):
    """Return the controller's cards in zone `z` that pass filter `f` and suit step `i`."""
    t = r.filter[f]
    if (t.zones >> (z + 1)) & 1 == 0:
        return np.int64(0)
    x = h.ctx[c]
    mask = zone_mask(h, c, z)
    if t.marks & T_OTHER != 0:
        mask &= ~own_bit(x)
    mask = fit_mask(h, r, f, x.seat, mask)
    return mask if suit == SUIT_ANY else suiting(h, r, c, mask, suit, i, body)


@kernel
def suiting(h, r, c, mask, suit, i, body):
    """Return those cards of a mask that suit step `i`: to be cast, to be Ascended to, to be cast as a Rune."""
    seat = h.ctx[c].seat
    made = np.int64(0)
    last = np.int64(-1)
    good = False
    while mask != 0:
        j = lowest(mask)
        mask &= mask - 1
        if h.number[seat, j] != last:
            last = h.number[seat, j]
            if suit == SUIT_CAST:
                good = can_special_cast(h, r, i, last, c)
            elif suit == SUIT_ASCEND:
                h.n_g = 0
                good = r.card[last].kind == ELESTRAL and can_ascend(h, r, body, j, seat)
            else:
                good = rune_payable(h, r, i, last, c, r.card[last].kind)
        if good:
            made |= np.int64(1) << j
    return made


@kernel
def add_cast(h, r, i, card, c):
    """Add the Spirits that a step casts a card with."""
    k = r.step[i]
    places = np.int64(DECK_PLACE)
    if k.source & FROM_UNDERWORLD != 0:
        places |= UNDERWORLD_PLACE
    if k.spirits >= 0:
        add_spirits(h, r, k.spirits, c, places)
    else:
        add_card_cost(h, r, card, places)


@kernel
def can_special_cast(h, r, i, card, c):
    """EL-C3: a free slot, and Spirits that meet the cost."""
    seat = h.ctx[c].seat
    if r.card[card].kind != ELESTRAL or free_place(h, r, seat, ELESTRAL) < 0:
        return False
    if locked(h, r, seat, ELESTRAL, card, NONE):
        return False
    h.n_g = 0
    add_group(h, np.int64(ANY), np.int64(DECK_PLACE), tax(h, r, seat, ELESTRAL, card))
    add_cast(h, r, i, card, c)
    return payable(h, seat)


@kernel
def rune_payable(h, r, i, card, c, kind):
    """Say whether a step can pay for a Rune."""
    seat = h.ctx[c].seat
    if locked(h, r, seat, kind, card, NONE):
        return False
    h.n_g = 0
    add_group(h, np.int64(ANY), np.int64(DECK_PLACE), tax(h, r, seat, kind, card))
    add_cast(h, r, i, card, c)
    return payable(h, seat)


@kernel
def self_outside(h, r, c, z, suit, i, body):
    """Return the context's own card if it is in zone `z` (and in no zone before it) and suits step `i`."""
    x = h.ctx[c]
    mine = own_bit(x)
    if z == ZONE_HAND:
        return suiting(h, r, c, h.hand[x.seat] & mine, suit, i, body)
    if z == ZONE_UW:
        return suiting(h, r, c, h.uw[x.seat] & mine, suit, i, body)
    return np.int64(0)


@kernel
def casts(h, r, i, c, z):
    """Return the cards in zone `z` that a Special Cast step may bring."""
    k = r.step[i]
    x = h.ctx[c]
    if k.how != H_REF:
        return find(h, r, k.filter, c, z, SUIT_CAST, i, NONE)
    if k.ref != R_SELF:
        return suiting(h, r, c, chosen_cards(x) & h.uw[x.seat], SUIT_CAST, i, NONE) if z == ZONE_UW else np.int64(0)
    return self_outside(h, r, c, z, SUIT_CAST, i, NONE)


@kernel
def ascensions(h, r, i, c, body, z):
    """Return the cards in zone `z` that a Special Ascend step may bring over a body."""
    k = r.step[i]
    if k.take_how == H_REF:
        return self_outside(h, r, c, z, SUIT_ASCEND, i, body)
    return find(h, r, k.take_filter, c, z, SUIT_ASCEND, i, body)


@kernel
def may_ascend(h, r, i, c, p):
    """Say whether a Special Ascend step may replace a body."""
    if h.perm[p].seat != h.ctx[c].seat:
        return False
    found = np.int64(0)
    for z in range(4):
        found |= ascensions(h, r, i, c, p, z)
    return found != 0


@kernel
def rune_hosts(h, r, i, c):
    """Return the mask of the bodies that a Rune cast by step `i` may Empower."""
    k = r.step[i]
    made = np.int64(0)
    if k.host >= 0:
        p = ref_one(h, c, k.host)
        if p >= 0 and h.perm[p].gone == 0 and h.perm[p].kind == ELESTRAL:
            made = np.int64(1) << p
        return made
    return body_mask(h, h.ctx[c].seat)


@kernel
def body_mask(h, seat):
    """Return the mask of a player's bodies."""
    made = np.int64(0)
    for k in range(4):
        if is_body(h, h.slot[seat, k]):
            made |= np.int64(1) << h.slot[seat, k]
    return made


@kernel
def rune_casts(h, r, i, c, z):
    """Return the cards in zone `z` that a step may cast as Runes."""
    if free_place(h, r, h.ctx[c].seat, ARTIFACT) < 0 or rune_hosts(h, r, i, c) == 0:
        return np.int64(0)
    return find(h, r, r.step[i].filter, c, z, SUIT_RUNE, i, NONE)


@kernel
def could_castas(h, r, i, c):
    """Say whether the context's card can come back as its second face."""
    x = h.ctx[c]
    if own_bit(x) & h.uw[x.seat] == 0 or free_place(h, r, x.seat, ARTIFACT) < 0:
        return False
    return rune_hosts(h, r, i, c) != 0 and rune_payable(h, r, i, x.card, c, ARTIFACT)


@kernel
def found_any(h, r, i, c, what):
    """Say whether a step finds any card in its zones. what: 0 any, 1 Special Cast, 2 Rune."""
    for z in range(4):
        if what == 0:
            mask = find(h, r, r.step[i].filter, c, z, SUIT_ANY, i, NONE)
        elif what == 1:
            mask = casts(h, r, i, c, z)
        else:
            mask = rune_casts(h, r, i, c, z)
        if mask != 0:
            return True
    return False


@kernel
def still(h, r, p, c):
    """EL-F4: does a target still fit its description? Its being the least of all is not asked again."""
    x = h.ctx[c]
    for group in range(x.n_tg):
        f = x.tgf[group]
        if f < 0:
            continue
        for j in range(x.tgn[group]):
            if x.tg[group, j] == p and not still_fits(h, r, f, p, c):
                return False
    return True


@kernel
def still_fits(h, r, f, p, c):
    """Say whether a card passes a filter, the test on the fewest Spirits left out."""
    x = h.ctx[c]
    q = h.perm[p]
    t = r.filter[f]
    if q.limbo + q.gone > 0 or not whose(t.side, q.seat, x.seat):
        return False
    if ((t.down if q.down == 1 else t.up) >> q.kind) & 1 == 0 or not passes(h, r, f, p, x.source):
        return False
    return t.atk < 0 or compared(stats(h, r, p) >> 10, t.atk, t.atk_value)


@kernel
def subject(h, r, how, ref, f, c):
    """Write the cards on the field that a subject may mean into `tmp`; return how many."""
    x = h.ctx[c]
    n = 0
    if how == H_REF:
        if ref in (R_T, R_T1, R_T2):
            for group in range(x.n_tg):
                if (ref == R_T1 and group != 0) or (ref == R_T2 and group != 1):
                    continue
                for j in range(x.tgn[group]):
                    p = x.tg[group, j]
                    if h.perm[p].gone == 0 and n < 24 and (r.target_recheck == 0 or still(h, r, p, c)):
                        h.tmp[n] = p
                        n += 1
        else:
            p = ref_one(h, c, ref)
            if p >= 0 and h.perm[p].gone == 0:
                h.tmp[0] = p
                n = 1
    elif how != H_NONE:
        for k in range(18):
            p = on_field(h, k)
            if p >= 0 and match(h, r, f, p, x.seat, x.source) and not (p == x.source and is_instant(x.kind)):
                h.tmp[n] = p
                n += 1
    h.n_tmp = n
    return n


@kernel
def step_subject(h, r, i, c):
    """Write the cards that step `i` may mean into `tmp`; return how many."""
    k = r.step[i]
    return subject(h, r, k.how, k.ref, k.filter, c)


@kernel
def spirit_mask(r, i):
    """Return the elements of a step's Spirits."""
    return r.spirits[r.step[i].spirits].mask


@kernel
def could(h, r, i, c, targeted):
    """Say whether a step can do something now; steps on targets always can when they are activated."""
    k = r.step[i]
    if k.inner_n > 0:
        good = False
        for j in range(k.inner, k.inner + k.inner_n):
            good = good or could_one(h, r, j, c, targeted)
        return good
    return could_one(h, r, i, c, targeted)


@kernel
def could_one(h, r, i, c, targeted):
    """Say whether a step without inner steps can do something now."""
    k = r.step[i]
    x = h.ctx[c]
    if targeted == 1 and k.how == H_REF and (k.ref == R_T or k.ref == R_T1 or k.ref == R_T2):
        return True
    op = k.op
    if op in (O_TUTOR, O_TOTOP, O_REGROW):
        return found_any(h, r, i, c, ZERO)
    if op == O_SETFROM:
        return found_any(h, r, i, c, ZERO) and free_place(h, r, x.seat, ARTIFACT) >= 0
    who = x.seat if k.who == OWN else 1 - x.seat
    if op == O_RECOVER:
        return h.lost[who] & SPREAD[spirit_mask(r, i)] != 0
    if op == O_ATTACH:
        have = np.int64(0)
        if k.source & FROM_DECK != 0:
            have |= h.sp[x.seat]
        if k.source & FROM_UNDERWORLD != 0:
            have |= h.lost[x.seat]
        return have & SPREAD[spirit_mask(r, i)] != 0 and receivers(h, r, i, c) != 0
    if op == O_NEXUS:
        return nexus_givers(h, r, i, c) != 0
    if op == O_NEXUSALL:
        return x.source >= 0 and h.perm[x.source].gone == 0
    if op == O_SPCAST:
        return found_any(h, r, i, c, ONE)
    if op == O_SPASC:
        n = step_subject(h, r, i, c)
        good = False
        for j in range(n):
            good = good or may_ascend(h, r, i, c, h.tmp[j])
        return good
    if op == O_CASTRUNE:
        return found_any(h, r, i, c, TWO)
    if op == O_CASTAS:
        return could_castas(h, r, i, c)
    if op in (O_DISCARD, O_PEEKDISC):
        return h.hand[who] != 0
    if op == O_STEAL:
        return step_subject(h, r, i, c) > 0 and free_place(h, r, x.seat, ELESTRAL) >= 0
    if op == O_STEALRUNE:
        return step_subject(h, r, i, c) > 0 and free_place(h, r, x.seat, ARTIFACT) >= 0
    if op == O_PUTBACK:
        return h.hand[x.seat] != 0
    if op in (O_FORETELL, O_SCRYTAKE):
        return h.deck_n[x.seat] > 0
    if op == O_NEGATE:
        j = x.answers if k.ref == R_LINK else x.attack
        return j >= 0 and h.link[j].negated == 0
    if k.how == H_NONE:
        return True
    if (op in (O_MOD, O_SUPPRESS, O_SETPOS)) and k.how == H_ALL:
        return True
    return step_subject(h, r, i, c) > 0


@kernel
def receivers(h, r, i, c):
    """Return the mask of the cards that step `i` may Enchant."""
    n = step_subject(h, r, i, c)
    made = np.int64(0)
    for j in range(n):
        p = h.tmp[j]
        if h.perm[p].down == 0 and not restricted(h, r, p, NO_ENCHANT):
            made |= np.int64(1) << p
    return made


@kernel
def nexus_own(h, r, how, ref, f, c):
    """Return the mask of the own cards that may take part in a Nexus as one of its ends."""
    x = h.ctx[c]
    made = np.int64(0)
    if how == H_NONE:
        for k in range(PLACES):
            p = h.slot[x.seat, k]
            if p >= 0 and nexus_able(h, r, p):
                made |= np.int64(1) << p
        return made
    n = subject(h, r, how, ref, f, c)
    for j in range(n):
        p = h.tmp[j]
        if h.perm[p].seat == x.seat and nexus_able(h, r, p):
            made |= np.int64(1) << p
    return made


@kernel
def nexus_able(h, r, p):
    """Say whether a card may be an end of a Nexus."""
    q = h.perm[p]
    return q.down + q.limbo == 0 and not is_instant(q.kind) and not restricted(h, r, p, NO_NEXUS)


@kernel
def nexus_takers(h, r, i, c):
    """Return the mask of the own cards that may receive in a Nexus."""
    k = r.step[i]
    mask = nexus_own(h, r, k.take_how, k.take_ref, k.take_filter, c)
    made = np.int64(0)
    while mask != 0:
        p = lowest(mask)
        mask &= mask - 1
        if not restricted(h, r, p, NO_ENCHANT):
            made |= np.int64(1) << p
    return made


@kernel
def nexus_givers(h, r, i, c):
    """EL-F11: return the mask of the own cards that can give Spirits to another one."""
    k = r.step[i]
    mask = nexus_own(h, r, k.give_how, k.give_ref, k.give_filter, c)
    if mask == 0:
        return mask
    takers = nexus_takers(h, r, i, c)
    made = np.int64(0)
    while mask != 0:
        p = lowest(mask)
        mask &= mask - 1
        if spirits_of(h, p) & SPREAD[spirit_mask(r, i)] != 0 and takers & ~(np.int64(1) << p) != 0:
            made |= np.int64(1) << p
    return made


# ---------------------------------------------------------------------------------------------------------------------
# Running an effect


@kernel
def do_run(h, r, f):
    """EL-F16: carry out the steps in order. a: context, b: first step, c: how many."""
    x = h.ctx[f.a]
    if f.pc == 1:
        if h.answer == 0:
            x.done = 0
            f.e += 1
        else:
            x.done = 1
            f.pc = 2
            push(h, F_OP, f.a, f.b + f.e, ZERO, ZERO)
            return 0
    elif f.pc == 2:
        settle_step(h, r)
        f.e += 1
    while f.e < f.c:
        i = f.b + f.e
        k = r.step[i]
        if k.if_done == 1 and x.done == 0:
            f.e += 1
            continue
        if k.cond_n > 0 and not holds(h, r, k.cond, k.cond_n, f.a):
            x.done = 0
            f.e += 1
            continue
        if k.optional == 1:
            if not could(h, r, i, f.a, ZERO):
                x.done = 0
                f.e += 1
                continue
            h.n_opts = 0
            opt(h, ZERO)
            opt(h, K_YES)
            f.pc = 1
            return ask(h, x.seat)
        x.done = 1
        f.pc = 2
        push(h, F_OP, f.a, i, ZERO, ZERO)
        return 0
    return pop(h)


@kernel
def add_change(h, p, kind, until, c, attack, defence, words, f):
    """Put a change on a card (or, with `p` -1, on what players may play) for a duration."""
    if h.n_chg >= CHANGES:
        h.over = 2
        return
    x = h.ctx[c]
    k = h.chg[h.n_chg]
    h.n_chg += 1
    mine = h.active == x.seat
    k.kind = kind
    k.target = p
    k.attack = attack
    k.defence = defence
    k.words = words
    k.filter = f
    k.seat = x.seat
    k.source = -1
    k.until = FOREVER
    if until == 0:  # ~T
        k.until = h.turn + 1
    elif until == 1:  # ~Y
        k.until = h.turn + (2 if mine else 1)
    elif until == 2:  # ~OE
        k.until = h.turn + (2 if mine else 3)
    elif until == 3:  # ~S
        k.source = x.source
    if p >= 0:
        h.perm[p].changed |= np.int64(1) << kind


@kernel
def context_source(h, c):
    """Return the source of a context's effect."""
    x = h.ctx[c]
    return source_of(x.seat, x.kind, x.card)


@kernel
def pick_subject(h, r, f):
    """Choose the cards that a step works on into f.lst[:f.n]; return 1 while a player is asked.

    Picks are made now, by the controller; what is unaffected by the source falls out afterwards.
    """
    c = f.a
    k = r.step[f.b]
    x = h.ctx[c]
    n = step_subject(h, r, f.b, c)
    if k.how != H_PICK:
        f.n = min(n, 18)
        for j in range(f.n):
            f.lst[j] = h.tmp[j]
    else:
        high = n if k.high < 0 else min(k.high, n)
        if f.pc == 1:
            if h.answer == 0:
                high = f.n
            else:
                f.lst[f.n] = at(h, x.seat, (h.answer >> 10) & 1023)
                f.n += 1
        if f.n < high:
            h.n_opts = 0
            if f.n >= k.low:
                opt(h, ZERO)
            for j in range(n):
                taken = False
                for m in range(f.n):
                    if f.lst[m] == h.tmp[j]:
                        taken = True
                if not taken:
                    opt(h, K_TARGET + ARG * place_code(h, x.seat, h.tmp[j]))
            f.pc = 1
            return ask(h, x.seat)
    src = context_source(h, c)
    kept = 0
    for j in range(f.n):
        if not against(h, r, S_UNAFF, f.lst[j], src):
            f.lst[kept] = f.lst[j]
            kept += 1
    f.n = kept
    f.pc = 10
    return 0


@kernel
def on_cards(op):
    """Say whether an op works on cards of the field that its subject names."""
    return op <= O_STEALRUNE and op != O_NEGATE and op != O_PLAYLOCK


@kernel
def do_op(h, r, f):
    """Carry out one step. a: context, b: step."""
    op = r.step[f.b].op
    if on_cards(op) or (op == O_PLAYLOCK and r.step[f.b].how != H_NONE):
        if f.pc < 10 and pick_subject(h, r, f) == 1:
            return 1
        return op_cards(h, r, f)
    if op in (O_SPCAST, O_NCAST):
        return op_cast(h, r, f)
    if op == O_SPASC:
        return op_ascend(h, r, f)
    if op == O_ATTACH:
        return op_attach(h, r, f)
    if op == O_NEXUS:
        return op_nexus(h, r, f)
    if op in (O_TUTOR, O_TOTOP, O_REGROW):
        return op_fetch(h, r, f)
    if op == O_RECOVER:
        return op_recover(h, r, f)
    if op == O_SETFROM:
        return op_setfrom(h, r, f)
    if op in (O_CHOOSE, O_OPPCHOOSE):
        return op_choose(h, r, f)
    if op == O_FORETELL:
        f.op = F_FORETELL
        return 0
    if op in (O_CASTRUNE, O_CASTAS):
        f.op = F_ARTIFACT
        return 0
    return op_rest(h, r, f)


@kernel
def op_cards(h, r, f):
    """Steps on cards of the field: f.lst[:f.n]."""
    c = f.a
    x = h.ctx[c]
    k = r.step[f.b]
    op = k.op
    src = context_source(h, c)
    if op in (O_DESTROY, O_DESTROYIF):
        if f.pc == 10:
            n = 0
            total = np.int64(0)
            for j in range(f.n):
                p = f.lst[j]
                total += count(spirits_of(h, p))
                if op == O_DESTROY:
                    n += 1
                else:
                    both = stats(h, r, p)
                    if (both & 1023 if k.words == 1 else both >> 10) == 0 and x.x > 0:
                        f.lst[n] = p
                        n += 1
            if op == O_DESTROY:
                x.spwas = total
            f.pc = 11
            i = push(h, F_DESTROY, ZERO, ZERO, src, ZERO)
            g = h.frame[i]
            g.n = n
            for j in range(n):
                g.lst[j] = f.lst[j]
            return 0
        if op == O_DESTROY:
            x.done = 1 if h.n_dy > 0 else 0
        return pop(h)
    if op in (O_BOUNCE, O_BOTDECK):
        n = 0
        for j in range(f.n):
            if op == O_BOTDECK or not against(h, r, S_NOBOUNCE, f.lst[j], src):
                f.lst[n] = f.lst[j]
                n += 1
        x.done = 1 if n > 0 else 0
        for j in range(n):
            if h.perm[f.lst[j]].gone == 0:
                leave(h, r, f.lst[j], 1 if op == O_BOUNCE else 2)
        return pop(h)
    if op in (O_SUPPRESS, O_MOD):
        x.done = 1 if f.n > 0 else 0
    if op == O_STEAL:
        x.done = 0
    for j in range(f.n):
        p = f.lst[j]
        q = h.perm[p]
        if op in (O_FLIP, O_SETPOS):
            if p == h.frozen0 or p == h.frozen1 or against(h, r, S_NOPOS, p, src):
                continue
            q.pos = 1 - q.pos if op == O_FLIP else k.position
        elif op == O_SUPPRESS:
            add_change(h, p, CH_SUPPRESS, k.until, c, ZERO, ZERO, ZERO, NONE)
            emit(h, r, E_SUPP, p, NONE, ZERO, ZERO, src, ZERO)
        elif op == O_MOD:
            x.it = p
            times = counted(h, r, k.per, c) if k.per >= 0 else np.int64(1)
            both = stats(h, r, p)
            x.x = both & 1023 if k.defence < 0 else both >> 10
            add_change(h, p, CH_STAT, k.until, c, times * k.attack, times * k.defence, ZERO, NONE)
        elif op == O_SWAPST:
            add_change(h, p, CH_SWAP, k.until, c, ZERO, ZERO, ZERO, NONE)
        elif op == O_SETBASE:
            add_change(h, p, CH_BASE, k.until, c, k.attack, k.defence, ZERO, NONE)
        elif op == O_RESTRICT:
            add_change(h, p, CH_RESTRICT, k.until, c, ZERO, ZERO, k.words, NONE)
        elif op == O_PLAYLOCK:
            add_change(h, p, CH_LOCK, k.until, c, ZERO, ZERO, ZERO, NONE)
        elif op == O_NODMG:
            q.nodmg = 1
        elif op == O_NEGATEFX:
            for i in range(h.n_links):
                if h.link[i].kind == L_ABILITY and h.link[i].perm == p:
                    h.link[i].negated = 1
        elif op == O_STEAL:
            place = free_place(h, r, x.seat, ELESTRAL)
            if place >= 0 and q.seat != x.seat:
                if q.home < 0:
                    q.home = q.seat
                move(h, p, x.seat, place)
                x.done = 1
        elif op == O_STEALRUNE:
            place = free_place(h, r, x.seat, ARTIFACT)
            if place >= 0:
                move(h, p, x.seat, place)
    return pop(h)


@kernel
def op_setfrom(h, r, f):
    """Set a Counter from the Underworld; it counts as Set this turn."""
    x = h.ctx[f.a]
    k = r.step[f.b]
    seat = x.seat
    if f.pc != 12:
        place = free_place(h, r, seat, ARTIFACT)
        x.done = 1 if place >= 0 and found_any(h, r, f.b, f.a, ZERO) else 0
        if x.done == 0:
            return pop(h)
        h.n_opts = 0
        for z in range(4):
            name_options(h, seat, find(h, r, k.filter, f.a, z, SUIT_ANY, f.b, NONE), K_SEARCH, z)
        f.pc = 12
        return ask(h, seat)
    z = h.answer & 1023
    i = by_number(h, seat, find(h, r, k.filter, f.a, z, SUIT_ANY, f.b, NONE), (h.answer >> 10) & 1023)
    take_card(h, seat, i, z)
    kind = r.card[h.number[seat, i]].kind
    p = new_perm(h, r, seat, seat * CARDS + i, free_place(h, r, seat, ARTIFACT), kind, ZERO)
    h.perm[p].down = 1
    h.perm[p].set_on = h.turn
    return pop(h)


@kernel
def op_rest(h, r, f):
    """Steps on cards outside the field, on what may be played, on links and on the Spirit Deck."""
    c = f.a
    x = h.ctx[c]
    k = r.step[f.b]
    op = k.op
    seat = x.seat
    who = seat if k.who == OWN else 1 - seat
    if op == O_DRAW:
        x.drawn = amount(h, r, k.amount, c)
        draw(h, seat, x.drawn)
        return pop(h)
    if op == O_DRAIN:
        if f.pc == 0:
            f.pc = 1
            push(h, F_EXPEND, 1 - seat, amount(h, r, k.amount, c), Y_LOST_EFFECT, ZERO)
            return 0
        return pop(h)
    if op == O_MILL:
        n = amount(h, r, k.amount, c)
        for j in range(2):
            victim = h.active if j == 0 else 1 - h.active
            if k.who == EITHER or victim == who:
                for _ in range(min(n, h.deck_n[victim])):
                    i = h.deck[victim, h.deck_n[victim] - 1]
                    out_of_deck(h, victim, i)
                    h.uw[victim] |= np.int64(1) << i
        return pop(h)
    if op in (O_DISCARD, O_PEEKDISC):
        victim = who if op == O_DISCARD else 1 - seat
        if f.pc == 0:
            f.e = min(amount(h, r, k.amount, c), popcount(h.hand[victim]))
            f.pc = 1
        else:
            discard(h, victim, by_number(h, victim, h.hand[victim], (h.answer >> 10) & 1023))
        if f.e <= 0:
            return pop(h)
        f.e -= 1
        h.n_opts = 0
        name_options(h, victim, h.hand[victim], K_DISCARD, ZERO)
        if op == O_PEEKDISC:
            h.known[victim] |= h.hand[victim]
        return ask(h, victim if op == O_DISCARD else seat)
    if op == O_PUTBACK:
        if f.pc == 0:
            f.e = min(amount(h, r, k.amount, c), popcount(h.hand[seat]))
            f.pc = 1
        else:
            i = by_number(h, seat, h.hand[seat], (h.answer >> 10) & 1023)
            h.hand[seat] &= ~(np.int64(1) << i)
            onto_deck(h, seat, i)
        if f.e <= 0:
            return pop(h)
        f.e -= 1
        h.n_opts = 0
        name_options(h, seat, h.hand[seat], K_PUT_BACK, ZERO)
        return ask(h, seat)
    if op == O_RESHUFFLE:
        return op_reshuffle(h, f, x)
    if op == O_SCRYTAKE:
        return op_scrytake(h, r, f)
    if op == O_NEGATE:
        j = x.answers if k.ref == R_LINK else x.attack
        x.done = 1 if j >= 0 and h.link[j].negated == 0 else 0
        if j >= 0:
            h.link[j].negated = 1
        return pop(h)
    if op == O_PLAYLOCK:
        add_change(h, NONE, CH_PLAYLOCK, k.until, c, ZERO, ZERO, ZERO, k.lock)
        return pop(h)
    if op == O_NEXUSALL:
        op_nexusall(h, r, c)
        return pop(h)
    if op == O_DELAY:
        op_delay(h, r, f)
    return pop(h)


@kernel
def op_reshuffle(h, f, x):
    """Show any number of hand cards and shuffle them into the deck."""
    seat = x.seat
    if f.pc == 0:
        x.x = 0
        f.pc = 1
    elif h.answer != 0:
        i = by_number(h, seat, h.hand[seat], (h.answer >> 10) & 1023)
        h.hand[seat] &= ~(np.int64(1) << i)
        under_deck(h, seat, i)
        x.x += 1
    else:
        f.pc = 2
    if h.hand[seat] == 0 or f.pc == 2:
        shuffle(h, seat)
        return pop(h)
    h.n_opts = 0
    opt(h, ZERO)
    name_options(h, seat, h.hand[seat], K_PUT_BACK, ZERO)
    return ask(h, seat)


@kernel
def top_cards(h, seat, n):
    """Return the mask of the top cards of a deck."""
    made = np.int64(0)
    for j in range(min(n, h.deck_n[seat])):
        made |= np.int64(1) << h.deck[seat, h.deck_n[seat] - 1 - j]
    return made


@kernel
def op_scrytake(h, r, f):
    """Look at the top cards, take some, shuffle the rest in."""
    k = r.step[f.b]
    seat = h.ctx[f.a].seat
    if f.pc == 0:
        f.m = top_cards(h, seat, amount(h, r, k.amount, f.a))
        f.e = min(k.take_high, popcount(f.m))
        f.pc = 1
    else:
        i = by_number(h, seat, f.m, (h.answer >> 10) & 1023)
        f.m &= ~(np.int64(1) << i)
        out_of_deck(h, seat, i)
        h.hand[seat] |= np.int64(1) << i
    if f.e <= 0:
        shuffle(h, seat)
        return pop(h)
    f.e -= 1
    h.n_opts = 0
    name_options(h, seat, f.m, K_TAKE, ZERO)
    return ask(h, seat)


@kernel
def op_fetch(h, r, f):
    """EL-F8: bring cards from deck or Underworld to the hand (or on top); a deck that was searched is shuffled."""
    x = h.ctx[f.a]
    k = r.step[f.b]
    seat = x.seat
    more = True
    if f.pc == 1:
        if h.answer == 0:
            more = False
        else:
            z = h.answer & 1023
            i = by_number(h, seat, find(h, r, k.filter, f.a, z, SUIT_ANY, f.b, NONE), (h.answer >> 10) & 1023)
            take_card(h, seat, i, z)
            if f.n < 18:
                f.lst[f.n] = i
            f.n += 1
            f.m |= np.int64(1) << i
            h.hand[seat] |= np.int64(1) << i
            h.known[seat] |= np.int64(1) << i
    if more and (k.high < 0 or f.n < k.high):
        h.n_opts = 0
        for z in range(4):
            name_options(h, seat, find(h, r, k.filter, f.a, z, SUIT_ANY, f.b, NONE) & ~f.m, K_SEARCH, z)
        if h.n_opts > 0:
            if f.n >= k.low:
                opt(h, ZERO)
            f.pc = 1
            return ask(h, seat)
    if r.filter[k.filter].zones & Z_DECK != 0:
        shuffle(h, seat)
    if k.op == O_TOTOP:
        for j in range(min(f.n, 18)):
            h.hand[seat] &= ~(np.int64(1) << f.lst[j])
            onto_deck(h, seat, f.lst[j])
    x.done = 1 if f.n > 0 else 0
    x.taken = f.n
    return pop(h)


@kernel
def op_delay(h, r, f):
    """Do something in this turn's End Phase, for a cost if there is one."""
    i = h.n_delayed
    if i >= 8:
        h.over = 2
        return
    x = h.ctx[f.a]
    y = h.ctx[FIRST_DELAYED + i]
    clear_ctx(h, FIRST_DELAYED + i, x.seat, x.source, x.inst, x.card, x.kind)
    y.ev_subj = x.ev_subj
    y.ev_other = x.ev_other
    y.n_tg = x.n_tg
    for group in range(x.n_tg):
        y.tgn[group] = x.tgn[group]
        y.tgf[group] = x.tgf[group]
        for j in range(x.tgn[group]):
            y.tg[group, j] = x.tg[group, j]
    y.n_cards = x.n_cards
    for j in range(x.n_cards):
        y.cards[j] = x.cards[j]
    y.that = x.that
    y.receiver = x.receiver
    y.it = x.it
    y.x = x.x
    y.moved = x.moved
    y.spwas = x.spwas
    y.drawn = x.drawn
    y.taken = x.taken
    w = h.delayed[i]
    w.seat = x.seat
    w.source = -1
    w.inst = x.inst
    w.card = x.card
    w.ability = r.step[f.b].ability
    w.index = 0
    w.stays = 0
    w.ctx = FIRST_DELAYED + i
    w.out = 0
    w.ev_word = E_END
    w.ev_subj = -1
    w.ev_other = -1
    w.moved = 0
    h.n_delayed = i + 1


# ---------------------------------------------------------------------------------------------------------------------
# Steps on Spirits


@kernel
def op_recover(h, r, f):
    """Spirits from the Underworld back into the Spirit Deck, chosen by the player who gets them.

    c: part, d: left of it, e: how many so far.
    """
    x = h.ctx[f.a]
    k = r.step[f.b]
    t = r.spirits[k.spirits]
    seat = x.seat if k.who == OWN else 1 - x.seat
    if f.pc == 1:
        if h.answer == 0:
            f.c += 1
            f.pc = 0
        else:
            one = np.int64(1) << (7 * (h.answer & 1023))
            h.lost[seat] -= one
            h.sp[seat] += one
            f.e += 1
            f.d -= 1
    while f.c < t.n:
        mask = t.mask0 if f.c == 0 else t.mask1
        if f.pc == 0:
            f.d = amount(h, r, t.amount0 if f.c == 0 else t.amount1, f.a)
            f.pc = 1
        if f.d > 0 and h.lost[seat] & SPREAD[mask] != 0:
            h.n_opts = 0
            if t.up_to == 1:
                opt(h, ZERO)
            for e in range(8):
                if (mask >> e) & 1 == 1 and field(h.lost[seat], e) > 0:
                    opt(h, K_PAY + 19 * ARG + e)
            return ask(h, seat)
        f.c += 1
        f.pc = 0
    h.tally[seat, Y_RECOVERED] += f.e
    x.done = 1 if f.e > 0 else 0
    return pop(h)


@kernel
def target_options(h, seat, mask, code):
    """Write one option for the place of each card of a mask."""
    while mask != 0:
        opt(h, code + ARG * place_code(h, seat, lowest(mask)))
        mask &= mask - 1


@kernel
def op_attach(h, r, f):
    """Spirits from the Spirit Deck or the Underworld under a card.

    c: part, d: left of it, e: how many so far, g: receiver + 1, k: the Spirit being placed; lst: cards and elements.
    """
    x = h.ctx[f.a]
    k = r.step[f.b]
    t = r.spirits[k.spirits]
    seat = x.seat
    if f.pc == 0:
        f.pc = 2
        if k.split == 0:
            mask = receivers(h, r, f.b, f.a)
            if k.how == H_REF or mask == 0:
                f.g = lowest(mask) + 1 if mask != 0 else 0
            else:
                h.n_opts = 0
                target_options(h, seat, mask, K_TARGET)
                f.pc = 1
                return ask(h, seat)
    elif f.pc == 1:
        f.g = at(h, seat, (h.answer >> 10) & 1023) + 1
        f.pc = 2
    elif f.pc == 3:  # a Spirit was chosen, or no more
        if h.answer == 0:
            f.c += 1
            f.pc = 2
        elif f.g > 0:
            attach_one(h, f, seat, h.answer, f.g - 1)
        else:
            mask = receivers(h, r, f.b, f.a)
            f.k = h.answer
            if mask == 0:
                f.c += 1
                f.pc = 2
            elif k.how == H_REF:
                attach_one(h, f, seat, f.k, lowest(mask))
            else:
                h.n_opts = 0
                target_options(h, seat, mask, K_TARGET)
                f.pc = 4
                return ask(h, seat)
    elif f.pc == 4:
        attach_one(h, f, seat, f.k, at(h, seat, (h.answer >> 10) & 1023))
        f.pc = 3
    while f.c < t.n:
        mask = t.mask0 if f.c == 0 else t.mask1
        if f.pc == 2:
            f.d = amount(h, r, t.amount0 if f.c == 0 else t.amount1, f.a)
            f.pc = 3
        if f.d > 0 and (f.g > 0 or k.split == 1):
            h.n_opts = 0
            for e in range(8):
                if (mask >> e) & 1 == 1 and k.source & FROM_DECK != 0 and field(h.sp[seat], e) > 0:
                    opt(h, K_PAY + e)
                if (mask >> e) & 1 == 1 and k.source & FROM_UNDERWORLD != 0 and field(h.lost[seat], e) > 0:
                    opt(h, K_PAY + 19 * ARG + e)
            if h.n_opts > 0:
                if t.up_to == 1:
                    opt(h, ZERO)
                return ask(h, seat)
        f.c += 1
        f.pc = 2
    x.done = 1 if f.e > 0 else 0
    for j in range(f.n):
        x.receiver = f.lst[2 * j]
        receive(h, r, f.lst[2 * j], f.lst[2 * j + 1], context_source(h, f.a), ZERO)
    return pop(h)


@kernel
def attach_one(h, f, seat, code, p):
    """Put one chosen Spirit under a card and note who got what."""
    e = code & 1023
    owner = take_one(h, seat, (code >> 10) & 1023, e)
    one = np.int64(1) << (7 * e)
    if owner == 0:
        h.perm[p].sp0 += one
    else:
        h.perm[p].sp1 += one
    f.e += 1
    f.d -= 1
    for j in range(f.n):
        if f.lst[2 * j] == p:
            f.lst[2 * j + 1] |= np.int64(1) << e
            return
    if f.n < 9:
        f.lst[2 * f.n] = p
        f.lst[2 * f.n + 1] = np.int64(1) << e
        f.n += 1


@kernel
def op_nexus(h, r, f):
    """EL-F11: Spirits from one own card to another at the same time. c: giver, e: moved so far, m: to be moved."""
    x = h.ctx[f.a]
    k = r.step[f.b]
    t = r.spirits[k.spirits]
    seat = x.seat
    mask = spirit_mask(r, f.b)
    if f.pc == 0:
        x.done = 0
        givers = nexus_givers(h, r, f.b, f.a)
        if givers == 0:
            return pop(h)
        h.n_opts = 0
        if t.up_to == 1:
            opt(h, ZERO)
        target_options(h, seat, givers, K_NEXUS_FROM)
        f.pc = 1
        return ask(h, seat)
    if f.pc == 1:
        if h.answer == 0:
            return pop(h)
        f.c = at(h, seat, (h.answer >> 10) & 1023)
        f.k = nexus_takers(h, r, f.b, f.a) & ~(np.int64(1) << f.c)
        f.m = count(spirits_of(h, f.c) & SPREAD[mask])
        if t.everything == 0:
            wanted = np.int64(0)
            if t.n >= 1:
                wanted += amount(h, r, t.amount0, f.a)
            if t.n == 2:
                wanted += amount(h, r, t.amount1, f.a)
            f.m = min(f.m, wanted)
        h.n_paid = 0
        f.pc = 2
    elif f.pc == 2:
        if h.answer == 0:
            f.m = h.n_paid
        else:
            note_paid(h, seat, (h.answer >> 10) & 1023, h.answer & 1023)
    if f.pc == 2:
        if h.n_paid < f.m:
            h.n_opts = 0
            if t.up_to == 1 and h.n_paid > 0:
                opt(h, ZERO)
            y = spirits_of(h, f.c)
            for e in range(8):
                if (mask >> e) & 1 == 1 and field(y, e) > 0:
                    opt(h, K_PAY + (h.perm[f.c].place + 1) * ARG + e)
            return ask(h, seat)
        h.n_opts = 0
        target_options(h, seat, f.k, K_NEXUS_TO)
        f.pc = 3
        return ask(h, seat)
    p = at(h, seat, (h.answer >> 10) & 1023)
    elements = put_under(h, p, ZERO, h.n_paid)
    moved = np.int64(0)
    for j in range(h.n_paid):
        moved += np.int64(1) << (7 * h.paid_el[j])
    x.moved += moved
    x.done = 1 if h.n_paid > 0 else 0
    x.receiver = p
    settle_step(h, r)
    if h.perm[p].gone == 0:
        receive(h, r, p, elements, context_source(h, f.a), ONE)
    if moved != 0 and x.source >= 0 and h.perm[x.source].gone == 0:
        emit(h, r, E_NEXUS, x.source, NONE, ZERO, ZERO, context_source(h, f.a), moved)
    return pop(h)


@kernel
def op_nexusall(h, r, c):
    """All Spirits of the own field go to the context's card."""
    x = h.ctx[c]
    p = x.source
    x.done = 0
    if p < 0 or h.perm[p].gone == 1:
        return
    q = h.perm[p]
    moved = np.int64(0)
    for k in range(PLACES):
        o = h.slot[x.seat, k]
        if o < 0 or o == p:
            continue
        y = h.perm[o]
        if y.down + y.limbo > 0 or restricted(h, r, o, NO_NEXUS):
            continue
        moved += y.sp0 + y.sp1
        q.sp0 += y.sp0
        q.sp1 += y.sp1
        y.sp0 = 0
        y.sp1 = 0
    elements = np.int64(0)
    for e in range(8):
        if field(moved, e) > 0:
            elements |= np.int64(1) << e
    x.moved += moved
    settle_step(h, r)
    x.done = 1 if moved != 0 else 0
    receive(h, r, p, elements, context_source(h, c), ONE)


# ---------------------------------------------------------------------------------------------------------------------
# Steps that bring cards into play


@kernel
def op_cast(h, r, f):
    """EL-C3: Special Cast, once or any number of times. c: card, d: zone, e: how many so far, g: tax, k: Spirits."""
    x = h.ctx[f.a]
    k = r.step[f.b]
    seat = x.seat
    if f.pc == 0:
        if k.high < 0 or f.e < k.high:
            h.n_opts = 0
            for z in range(4):
                name_options(h, seat, casts(h, r, f.b, f.a, z), K_SEARCH, z)
            if h.n_opts > 0:
                if f.e >= k.low and k.how == H_PICK:
                    opt(h, ZERO)
                f.pc = 1
                return ask(h, seat)
        return end_cast(h, r, f)
    if f.pc == 1:
        if h.answer == 0:
            return end_cast(h, r, f)
        f.d = h.answer & 1023
        f.c = by_number(h, seat, casts(h, r, f.b, f.a, f.d), (h.answer >> 10) & 1023)
        card = h.number[seat, f.c]
        f.g = tax(h, r, seat, ELESTRAL, card)
        f.pc = 3
        if f.g > 0:
            h.n_g = 0
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), f.g)
            start_pay(h, seat)
            add_cast(h, r, f.b, card, f.a)
            f.pc = 2
            return 0
    if f.pc == 2:
        bury(h, ZERO, h.n_paid)
        h.tally[seat, Y_PAID_COST] += f.g
        f.pc = 3
    if f.pc == 3:
        h.n_g = 0
        add_cast(h, r, f.b, h.number[seat, f.c], f.a)
        start_pay(h, seat)
        f.pc = 4
        return 0
    if f.pc == 4:
        h.tally[seat, Y_PAID_CAST] += from_deck(h, ZERO, h.n_paid)
        if k.position < 0:
            h.n_opts = 0
            opt(h, K_POSITION)
            opt(h, K_POSITION + ARG)
            f.pc = 5
            return ask(h, seat)
    position = k.position if f.pc == 4 else (h.answer >> 10) & 1023
    take_card(h, seat, f.c, f.d)
    if f.d == ZONE_DECK:
        shuffle(h, seat)
    p = new_perm(h, r, seat, seat * CARDS + f.c, free_place(h, r, seat, ELESTRAL), ELESTRAL, ZERO)
    h.perm[p].pos = position
    h.perm[p].paid = put_under(h, p, ZERO, h.n_paid)
    arrived(h, r, p, ZERO, ONE, NONE, context_source(h, f.a))
    f.e += 1
    f.pc = 0
    return 0


@kernel
def end_cast(h, r, f):
    """End a Special Cast step."""
    k = r.step[f.b]
    if k.how != H_REF and r.filter[k.filter].zones & Z_DECK != 0 and f.e == 0:
        shuffle(h, h.ctx[f.a].seat)
    h.ctx[f.a].done = 1 if f.e > 0 else 0
    return pop(h)


@kernel
def op_ascend(h, r, f):
    """EL-C5: Special Ascend. c: the body."""
    x = h.ctx[f.a]
    k = r.step[f.b]
    seat = x.seat
    if f.pc == 0:
        n = step_subject(h, r, f.b, f.a)
        f.n = 0
        for j in range(n):
            f.lst[f.n] = h.tmp[j]
            f.n += 1
        kept = 0
        for j in range(f.n):
            if may_ascend(h, r, f.b, f.a, f.lst[j]):
                f.lst[kept] = f.lst[j]
                kept += 1
        x.done = 1 if kept > 0 else 0
        if kept == 0:
            if k.take_how != H_REF and k.take_filter >= 0 and r.filter[k.take_filter].zones & Z_DECK != 0:
                shuffle(h, seat)
            return pop(h)
        f.c = f.lst[0]
        f.pc = 2
        if k.how == H_PICK:
            h.n_opts = 0
            for j in range(kept):
                opt(h, K_TARGET + ARG * h.perm[f.lst[j]].place)
            f.pc = 1
            return ask(h, seat)
    if f.pc == 1:
        f.c = at(h, seat, (h.answer >> 10) & 1023)
        f.pc = 2
    if f.pc == 2:
        h.n_opts = 0
        for z in range(4):
            name_options(h, seat, ascensions(h, r, f.b, f.a, f.c, z), K_SEARCH, z)
        f.pc = 3
        return ask(h, seat)
    if f.pc == 3:
        z = h.answer & 1023
        i = by_number(h, seat, ascensions(h, r, f.b, f.a, f.c, z), (h.answer >> 10) & 1023)
        f.pc = 4
        push(h, F_ASCEND, f.c, i, z, ZERO)
        return 0
    p = h.ret
    settle_step(h, r)
    arrived(h, r, p, ZERO, ONE, f.c, context_source(h, f.a))
    return pop(h)


@kernel
def do_artifact(h, r, f):
    """Cast a Rune by an effect, or an Elestral as its second face. c: card, d: zone, e: host, g: tax, k: kind."""
    x = h.ctx[f.a]
    k = r.step[f.b]
    seat = x.seat
    face = k.words if k.op == O_CASTAS else np.int64(-1)
    if f.pc == 0:
        if k.op == O_CASTAS:
            x.done = 1 if could_castas(h, r, f.b, f.a) else 0
            if x.done == 0:
                return pop(h)
            f.c = x.inst - CARDS * seat
            f.d = ZONE_UW
            f.pc = 2
        else:
            h.n_opts = 0
            for z in range(4):
                name_options(h, seat, rune_casts(h, r, f.b, f.a, z), K_SEARCH, z)
            x.done = 1 if h.n_opts > 0 else 0
            if h.n_opts > 0:
                f.pc = 1
                return ask(h, seat)
            if r.filter[k.filter].zones & Z_DECK != 0:
                shuffle(h, seat)
            return pop(h)
    if f.pc == 1:
        f.d = h.answer & 1023
        f.c = by_number(h, seat, rune_casts(h, r, f.b, f.a, f.d), (h.answer >> 10) & 1023)
        f.pc = 2
    card = h.number[seat, f.c]
    if f.pc == 2:
        f.k = ARTIFACT if face >= 0 else r.card[card].kind
        hosts = rune_hosts(h, r, f.b, f.a)
        f.pc = 4
        if k.host >= 0:
            f.e = lowest(hosts)
        else:
            h.n_opts = 0
            target_options(h, seat, hosts, K_HOST)
            f.pc = 3
            return ask(h, seat)
    if f.pc == 3:
        f.e = at(h, seat, (h.answer >> 10) & 1023)
        f.pc = 4
    if f.pc == 4:
        f.g = tax(h, r, seat, f.k, card)
        f.pc = 6
        if f.g > 0:
            h.n_g = 0
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), f.g)
            start_pay(h, seat)
            add_cast(h, r, f.b, card, f.a)
            f.pc = 5
            return 0
    if f.pc == 5:
        bury(h, ZERO, h.n_paid)
        h.tally[seat, Y_PAID_COST] += f.g
        f.pc = 6
    if f.pc == 6:
        h.n_g = 0
        add_cast(h, r, f.b, card, f.a)
        start_pay(h, seat)
        f.pc = 7
        return 0
    h.tally[seat, Y_PAID_CAST] += from_deck(h, ZERO, h.n_paid)
    take_card(h, seat, f.c, f.d)
    if f.d == ZONE_DECK:
        shuffle(h, seat)
    p = new_perm(h, r, seat, seat * CARDS + f.c, free_place(h, r, seat, ARTIFACT), f.k, ZERO)
    q = h.perm[p]
    q.face = face
    q.host = f.e
    q.paid = put_under(h, p, ZERO, h.n_paid)
    arrived(h, r, p, ZERO, ZERO, NONE, context_source(h, f.a))
    return pop(h)


@kernel
def op_choose(h, r, f):
    """One of two things, chosen by the controller or by the other player."""
    x = h.ctx[f.a]
    k = r.step[f.b]
    if f.pc == 0:
        h.n_opts = 0
        for j in range(k.inner_n):
            if could_one(h, r, k.inner + j, f.a, ZERO):
                opt(h, K_CHOICE + j * ARG)
        x.done = 1 if h.n_opts > 0 else 0
        if h.n_opts == 0:
            return pop(h)
        f.pc = 1
        return ask(h, x.seat if k.op == O_CHOOSE else 1 - x.seat)
    f.b = k.inner + ((h.answer >> 10) & 1023)
    f.pc = 0
    f.n = 0
    return 0


@kernel
def do_foretell(h, r, f):
    """EL-F9: reveal the top cards, let others act on them, take what may be taken, put the rest back.

    c: the inner context, d: the inner ability, e: cards that acted (mask of the pool), m: the new order.
    """
    x = h.ctx[f.a]
    k = r.step[f.b]
    seat = x.seat
    if f.pc == 0:
        x.shown = top_cards(h, seat, amount(h, r, k.amount, f.a) + foretell_more(h, r, f.a))
        h.foretold[seat] += 1
        f.pc = 1
    if f.pc == 2:
        if h.answer == 0:
            f.pc = 5
        else:
            p = at(h, seat, (h.answer >> 10) & 1023)
            f.e |= np.int64(1) << p
            f.c = new_ctx(h)
            perm_ctx(h, f.c, p)
            h.ctx[f.c].shown = x.shown
            f.d = r.card[h.perm[p].card].ability + (h.answer & 1023)
            f.pc = 3
            push(h, F_COSTS, f.c, f.d, ZERO, ZERO)
            return 0
    if f.pc == 3:
        f.pc = 1
        push(h, F_RUN, f.c, r.ability[f.d].step, r.ability[f.d].step_n, ZERO)
        return 0
    if f.pc == 1:
        if foretell_options(h, r, f, x):
            f.pc = 2
            return ask(h, seat)
        f.pc = 5
    if f.pc == 5:
        x.taken = 0
        f.pc = 6
    elif f.pc == 7:
        if h.answer == 0:
            f.pc = 8
        else:
            found = fit_mask(h, r, k.take_filter, seat, shown_in_deck(h, f.a))
            i = by_number(h, seat, found, (h.answer >> 10) & 1023)
            out_of_deck(h, seat, i)
            h.hand[seat] |= np.int64(1) << i
            h.known[seat] |= np.int64(1) << i
            x.taken += 1
            f.pc = 6
    if f.pc == 6:
        if k.take_filter >= 0 and k.take_how == H_NONE and (k.take_high < 0 or x.taken < k.take_high):
            found = fit_mask(h, r, k.take_filter, seat, shown_in_deck(h, f.a))
            if found != 0:
                h.n_opts = 0
                name_options(h, seat, found, K_TAKE, ZERO)
                if x.taken >= k.take_low:
                    opt(h, ZERO)
                f.pc = 7
                return ask(h, seat)
        f.pc = 8
    return foretold_rest(h, r, f, x)


@kernel
def foretell_options(h, r, f, x):
    """Write the cards that may act inside a Foretell; return whether there are any."""
    h.n_opts = 0
    opt(h, ZERO)
    for k in range(PLACES):
        p = h.slot[x.seat, k]
        if p < 0 or (f.e >> p) & 1 == 1 or (r.card[h.perm[p].card].events >> E_FORETELL) & 1 == 0:
            continue
        if not working(h, r, p):
            continue
        first = r.card[h.perm[p].card].ability
        for j in range(r.card[h.perm[p].card].ability_n):
            t = r.ability[first + j]
            if t.kind == KIND_ON and t.event == E_FORETELL:
                perm_ctx(h, ONE, p)
                h.ctx[1].shown = x.shown
                if can_activate(h, r, first + j, ONE, ZERO):
                    opt(h, K_USE + k * ARG + j)
    return h.n_opts > 1


@kernel
def foretold_rest(h, r, f, x):
    """What happens to foretold cards that nobody took. m: cards put in order so far, lst: that order, n: how many."""
    seat = x.seat
    rest = shown_in_deck(h, f.a)
    if r.foretell_rest == 2:
        shuffle(h, seat)
    elif r.foretell_rest == 3:
        n = 0
        for j in range(h.deck_n[seat] - 1, -1, -1):
            if (rest >> h.deck[seat, j]) & 1 == 1 and n < 18:
                f.lst[n] = h.deck[seat, j]
                n += 1
        for j in range(n):
            out_of_deck(h, seat, f.lst[j])
            under_deck(h, seat, f.lst[j])
    elif r.foretell_rest == 1:
        if f.pc == 9:
            i = by_number(h, seat, rest & ~f.m, (h.answer >> 10) & 1023)
            f.m |= np.int64(1) << i
            if f.n < 18:
                f.lst[f.n] = i
                f.n += 1
        if rest & ~f.m != 0 and f.n < 18:
            h.n_opts = 0
            name_options(h, seat, rest & ~f.m, K_PUT_BACK, ZERO)
            f.pc = 9
            return ask(h, seat)
        for j in range(f.n):
            out_of_deck(h, seat, f.lst[j])
        for j in range(f.n - 1, -1, -1):
            onto_deck(h, seat, f.lst[j])
    return pop(h)


# ---------------------------------------------------------------------------------------------------------------------
# Destroying


@kernel
def saviour(h, r, p, src, battle, skip):
    """EL-F15: return the card that could be destroyed instead, after `skip` others; or -1."""
    if (h.present >> S_REPLACE) & 1 == 0:
        return np.int64(-1)
    for k in range(18):
        q = on_field(h, k)
        if has_static(h, r, q, S_REPLACE):
            for i in range(first_static(h, r, q), last_static(h, r, q)):
                if not static_on(h, r, q, i, S_REPLACE) or not reaches(h, r, i, q, p):
                    continue
                t = r.static[i]
                if battle == 1:
                    meant = t.battle == 1
                else:
                    meant = t.against >= 0 and src >= 0 and source_fits(r, t.against, src, h.perm[q].seat)
                if meant:
                    if skip == 0:
                        return q
                    skip -= 1
    return np.int64(-1)


@kernel
def do_destroy(h, r, f):
    """EL-F14: destroy lst[:n]; the destroyed ones stand in `dy`. c: source or -1, d: in battle; m of them so far."""
    src = f.c
    if f.pc == 1:
        p = f.lst[f.e]
        if h.answer == 0:
            f.g += 1
        else:
            q = f.k
            x = h.perm[q]
            emit(h, r, E_DIE, q, NONE, ZERO, ZERO, source_of(x.seat, x.kind, x.card), ZERO)
            leave(h, r, q, ZERO)
            f.e += 1
            f.g = 0
    while f.e < f.n:
        p = f.lst[f.e]
        skip = h.perm[p].gone == 1
        for j in range(f.m):
            if f.lst[j] == p:
                skip = True
        if not skip and f.g == 0:
            skip = (src >= 0 and against(h, r, S_UNAFF, p, src)) or cannot_die(h, r, p, src, f.d)
        if not skip:
            q = saviour(h, r, p, src, f.d, f.g)
            if q >= 0:
                f.k = q
                h.n_opts = 0
                opt(h, ZERO)
                opt(h, K_YES)
                f.pc = 1
                return ask(h, h.perm[q].seat)
            f.lst[f.m] = p
            f.m += 1
        f.e += 1
        f.g = 0
    h.n_dy = f.m
    for j in range(f.m):
        h.dy[j] = f.lst[j]
    for j in range(f.m):
        emit(h, r, E_DIE, f.lst[j], NONE, ZERO, ZERO, src, ZERO)
        if src >= 0:
            emit(h, r, E_FX_DIE, f.lst[j], NONE, ZERO, ZERO, src, ZERO)
    if f.d == 0:
        bury_destroyed(h, r)
    return pop(h)


@kernel
def bury_destroyed(h, r):
    """Send destroyed cards to the Underworld."""
    for j in range(h.n_dy):
        if h.perm[h.dy[j]].gone == 0:
            leave(h, r, h.dy[j], ZERO)
