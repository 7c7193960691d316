"""Elestrals: the state of the fast engine, and everything that can be asked of it.

Cards on the field are entries of a pool (`perm`), named by their number everywhere; an entry is a new object for each
arrival and stays readable after the card has gone, until nothing can speak of it any more. Cards outside the field are
bits of masks: bit i is the i-th card of the owner's deck list. Spirits are packed as in `tables`. All scalars are
int64. Places: 0 to 3 Elestral Row, 4 to 7 Rune Row, 8 Stadium; slots have the axes seats, places.
"""

from __future__ import annotations

import numpy as np

from sim.bits import lowest
from sim.engine import MAX_OPTIONS, record
from sim.game import tag_of
from sim.games.elestrals.cards import MAX_OWN
from sim.games.elestrals.numbers import DECK_NAMES, MAX_LINKS, MAX_WAITING
from sim.games.elestrals.tables import (
    C_ATT,
    C_ATTACKED,
    C_BPKILLS,
    C_CNT,
    C_COST,
    C_DRAWN,
    C_EMPBY,
    C_FORETOLD,
    C_HAVE,
    C_INPLAY,
    C_MOVED,
    C_PHASE,
    C_POS,
    C_SD,
    C_SP,
    C_SPF,
    C_SPWAS,
    C_ST,
    C_TAKEN,
    C_X,
    DECK,
    EITHER,
    ELESTRAL,
    H_REF,
    INSTANTS,
    OWN,
    R_ATK,
    R_HOST,
    R_IT,
    R_KILLER,
    R_OTHER,
    R_RECEIVER,
    R_SELF,
    R_T,
    R_T1,
    R_T2,
    R_THAT,
    S_ATKLOCK,
    S_BASE,
    S_FOREPLUS,
    S_NODIE,
    S_PLAYLOCK,
    S_RULE,
    S_STAT,
    S_SWAP,
    S_TAX,
    SCOPE_FILTER,
    SCOPE_SIDE,
    STADIUM,
    T_ATTACKING,
    T_EMP,
    T_FRESH,
    T_MINSP,
    T_ONSELF,
    T_OTHER,
    T_SET,
    T_SUPP,
    T_UP,
    TABLE_FIELDS,
    Z_DECK,
    Z_FIELD,
    Z_HAND,
    Z_UW,
    ZERO,
    numbers,
    spread,
    whole,
)
from sim.jit import kernel

TAG = tag_of("elestrals", __name__)

ANY = np.int64(255)
SPREAD = np.array([spread(mask) for mask in range(256)], np.int64)  # elements -> packed mask
GUARD = sum(64 << (7 * e) for e in range(8))  # the bit above each packed count
EVEN = sum(127 << (14 * i) for i in range(4))
QUAD = 16383 | 16383 << 28
SLOTS, STADIUM_PLACE, PLACES, CARDS = 9, 8, 9, 40
ROW, RUNES = 0, 4
POOL = 60  # cards on the field or just gone, at once: they are bits of an int64
CONTEXTS, FIRST_DELAYED, FIRST_CONTEXT = 52, 4, 12  # of the context pool: 0 to 3 are scratch
FRAMES = 24
FOREVER = np.int64(1 << 20)
GROUPS = 12
DECK_PLACE, UNDERWORLD_PLACE = np.int64(1), np.int64(1 << 19)  # as bits of a token's places
MAX_ARRIVALS = 64
HAS_ACTS, HAS_COUNTER = np.int64(1 << 30), np.int64(1 << 31)  # in `heard`, above the events

# Phases
PH_SETUP, PH_DRAW, PH_MAIN, PH_BATTLE, PH_END = numbers(5)
PHASES = ("setup", "draw", "main", "battle", "end")
# Changes that hold for a time
CH_SUPPRESS, CH_STAT, CH_SWAP, CH_BASE, CH_RESTRICT, CH_LOCK, CH_PLAYLOCK = numbers(7)
# Links
L_CAST, L_ASCEND, L_RUNE, L_SET, L_ATTACK, L_ABILITY = numbers(6)
# Tallies
TALLIES = (
    "mulligans", "first_cost2", "first_cost3", "cast", "ascended", "runes", "drawn", "paid_cast", "paid_cost",
    "paid_mulligan", "lost_battle", "lost_effect", "recovered",
)  # fmt: skip
(
    Y_MULLIGANS, Y_FIRST2, Y_FIRST3, Y_CAST, Y_ASCENDED, Y_RUNES, Y_DRAWN, Y_PAID_CAST, Y_PAID_COST, Y_PAID_MULLIGAN,
    Y_LOST_BATTLE, Y_LOST_EFFECT, Y_RECOVERED,
) = numbers(13)  # fmt: skip

PERM = record(
    *whole("live", "inst", "owner", "seat", "place", "card", "kind", "face", "down", "limbo", "gone", "pos", "sp0"),
    *whole("sp1", "arrived", "set_on", "turned", "host", "attacks", "declared", "kills", "used", "home", "paid"),
    *whole("worked", "nodmg", "state_done", "changed"),
)
CTX = record(
    *whole("seat", "source", "inst", "card", "kind", "ev_subj", "ev_other", "n_tg", "n_cards", "that", "receiver"),
    *whole("answers", "attack", "it", "shown", "x", "done", "moved", "spwas", "drawn", "taken"),
    ("tg", "i8", (3, 8)),  # targets: groups, cards
    ("tgn", "i8", (3,)),
    ("tgf", "i8", (3,)),  # their filters
    ("cards", "i8", (4,)),  # targets outside the field
)
LINK = record(
    *whole("kind", "seat", "perm", "ability", "ctx", "negated", "old", "special", "normal", "defender"),
    ("ans", "i8", (4,)),  # ability of a card -> mask of the cards that answered this link with it
)
WAIT = record(
    *whole("seat", "source", "inst", "card", "ability", "index", "stays", "ctx", "out", "ev_word", "ev_subj"),
    *whole("ev_other", "moved"),
)
CHANGE = record(*whole("kind", "target", "attack", "defence", "words", "filter", "seat", "until", "source"))
FRAME = record(*whole("op", "pc", "a", "b", "c", "d", "e", "g", "k", "m", "n"), ("lst", "i8", (18,)))
CHANGES = 96

HID = record(
    ("key", "u8"),
    ("words", "u8", (CARDS,)),  # scratch of `shuffle`
    *whole("turn", "active", "phase", "over", "end", "loser", "reason", "game", "starter", "turns", "leader"),
    *whole(
        "lead_changes",
        "ahead",
        "early",
        "decisions",
        "actions",
        "depth",
        "answer",
        "asked",
        "n_opts",
        "n_g",
        "n_paid",
        "ret",
    ),
    *whole("n_links", "n_wait", "n_batch", "n_delayed", "n_cur", "n_new", "n_chg", "n_ctx", "present", "frozen0"),
    *whole("frozen1", "n_tmp", "n_dy", "chooser", "n_perm", "watched", "seen", "heard", "waits"),
    ("sp", "i8", (2,)),
    ("lost", "i8", (2,)),
    ("hand", "i8", (2,)),
    ("uw", "i8", (2,)),
    ("deckm", "i8", (2,)),
    ("deck_n", "i8", (2,)),
    ("blank", "i8", (2,)),
    ("listens", "i8", (2,)),  # cards that listen in the hand
    ("packet", "i8", (2,)),
    ("side", "i8", (2,)),
    ("normal", "i8", (2,)),
    ("foretold", "i8", (2,)),
    ("known", "i8", (2,)),  # cards that were shown on their way to the hand, or in it, since they were last drawn
    ("shuffles", "i8", (2,)),
    ("wins", "i8", (2,)),
    ("reasons", "i8", (2,)),
    ("tally", "i8", (2, len(TALLIES))),
    ("deck", "i8", (2, CARDS)),  # the top card is the last
    ("number", "i8", (2, CARDS)),  # the card of each place of the deck list
    ("twin", "i8", (2, CARDS)),
    ("slot", "i8", (2, SLOTS)),
    ("opts", "i8", (MAX_OPTIONS,)),
    ("g_mask", "i8", (GROUPS,)),  # Spirits to be paid: elements, places, how many
    ("g_places", "i8", (GROUPS,)),
    ("g_n", "i8", (GROUPS,)),
    ("u_mask", "i8", (GROUPS,)),  # scratch of `payable`
    ("u_places", "i8", (GROUPS,)),
    ("u_n", "i8", (GROUPS,)),
    ("paid_place", "i8", (64,)),
    ("paid_el", "i8", (64,)),
    ("paid_owner", "i8", (64,)),
    ("cur", "i8", (MAX_ARRIVALS,)),  # arrivals that Counters may speak of now
    ("new", "i8", (MAX_ARRIVALS,)),
    ("tmp", "i8", (24,)),  # scratch list of cards
    ("dy", "i8", (24,)),  # cards that were just destroyed
    ("perm", PERM, (POOL,)),
    ("ctx", CTX, (CONTEXTS,)),
    ("link", LINK, (MAX_LINKS + 1,)),
    ("wait", WAIT, (2 * MAX_WAITING + 16,)),
    ("delayed", WAIT, (8,)),
    ("chg", CHANGE, (CHANGES,)),
    ("frame", FRAME, (FRAMES,)),
)
NUMBERS = (
    "starting_spirits", "opening_hand", "mulligan_price", "mulligan_floor", "max_mulligans", "first_turn_draw",
    "first_turn_battle", "cards_per_draw_phase", "normal_actions", "normal_cast_cost", "elestral_slots", "rune_slots",
    "turn_cap", "match_wins", "misenchanted_cast", "give_up_face_down", "target_recheck",
    "special_ascend_is_special_cast", "receive_on_cast", "set_is_play", "nodie_loser_expends",
    "lock_ends_when_misenchanted", "negated_attack_counts", "hand_or_deck_is_search",
)  # fmt: skip
WORDS = {
    "first": ("seat", "chosen", "random"),
    "payment": ("asked", "helper"),
    "misenchanted_rune": ("stays", "leaves"),
    "cost_check": ("step", "link"),
    "rune_leaves": ("destroyed", "sent"),
    "trigger_order": ("turn_player", "other"),
    "foretell_rest": ("same", "reorder", "shuffle", "bottom"),
    "ascend_this": ("body_left", "new_body"),
    "piercing": ("difference", "full"),
    "stat_swap_layer": ("base", "final"),
    "defatk_result": ("attack", "defence"),
    "arrow_window": ("after", "link"),
    "named_in_play": ("any", "own"),
    "steal_home_full": ("underworld", "stay"),
}
RULES_RECORD = record(*whole(*NUMBERS, *WORDS), *TABLE_FIELDS, ("deck", DECK, (len(DECK_NAMES) + MAX_OWN,)))


# ---------------------------------------------------------------------------------------------------------------------
# Small things


@kernel
def count(x):
    """Return how many Spirits are packed in `x`."""
    a = (x & EVEN) + ((x >> 7) & EVEN)
    b = (a & QUAD) + ((a >> 14) & QUAD)
    return (b + (b >> 28)) & 16383


@kernel
def field(x, e):
    """Return how many Spirits of element `e` are packed in `x`."""
    return (x >> (7 * e)) & 63


@kernel
def compared(left, word, right):
    """Compare two numbers as the language says."""
    if word == 0:
        return left == right
    if word == 1:
        return left != right
    if word == 2:
        return left >= right
    if word == 3:
        return left <= right
    if word == 4:
        return left < right
    return left > right


@kernel
def source_of(seat, kind, card):
    """Return what an effect comes from in one number: seat, kind of card, card."""
    return (card << 4) | (kind << 1) | seat


@kernel
def at(h, seat, place):
    """Return the card at a place as `seat` sees it, or -1."""
    if place < PLACES:
        return h.slot[seat, place]
    return h.slot[1 - seat, place - PLACES]


@kernel
def place_code(h, seat, p):
    """Return the place of a card as `seat` sees it."""
    q = h.perm[p]
    return q.place if q.seat == seat else q.place + PLACES


@kernel
def on_field(h, k):
    """Return the k-th of the 18 slots, those of the turn player first: a card or -1."""
    if k < PLACES:
        return h.slot[h.active, k]
    return h.slot[1 - h.active, k - PLACES]


@kernel
def spirits_of(h, p):
    """Return the packed Spirits under a card."""
    return h.perm[p].sp0 + h.perm[p].sp1


@kernel
def is_body(h, p):
    """Say whether a slot's card is an Elestral that has arrived."""
    return p >= 0 and h.perm[p].kind == ELESTRAL and h.perm[p].limbo == 0


@kernel
def is_blank(h, inst):
    """Say whether the text of an instance is switched off."""
    if inst < CARDS:
        return (h.blank[0] >> inst) & 1 == 1
    return (h.blank[1] >> (inst - CARDS)) & 1 == 1


@kernel
def free_place(h, r, seat, kind):
    """EL-C1, EL-R1: return the first free slot for a kind of card, or -1."""
    if kind == STADIUM:
        return STADIUM_PLACE
    first = ROW if kind == ELESTRAL else RUNES
    n = r.elestral_slots if kind == ELESTRAL else r.rune_slots
    for place in range(first, first + n):
        if h.slot[seat, place] < 0:
            return place
    return -1


@kernel
def opt(h, code):
    """Add a code to the options."""
    if h.n_opts < MAX_OPTIONS:
        h.opts[h.n_opts] = code
        h.n_opts += 1


@kernel
def clear_ctx(h, c, seat, source, inst, card, kind):
    """Make context `c` new: what an effect of `card` knows."""
    x = h.ctx[c]
    x.seat = seat
    x.source = source
    x.inst = inst
    x.card = card
    x.kind = kind
    x.ev_subj = -1
    x.ev_other = -1
    x.n_tg = 0
    x.n_cards = 0
    x.that = -1
    x.receiver = -1
    x.answers = -1
    x.attack = -1
    x.it = -1
    x.shown = 0
    x.x = 0
    x.done = 1
    x.moved = 0
    x.spwas = 0
    x.drawn = 0
    x.taken = 0


@kernel
def perm_ctx(h, c, p):
    """Make context `c` new for an effect of a card on the field."""
    q = h.perm[p]
    clear_ctx(h, c, q.seat, p, q.inst, q.card, q.kind)


@kernel
def new_ctx(h):
    """Return the number of a context that nobody uses."""
    c = h.n_ctx
    if c >= CONTEXTS - 1:
        h.over = 2
        return c
    h.n_ctx += 1
    return c


# ---------------------------------------------------------------------------------------------------------------------
# Does it work?


@kernel
def correct(h, r, p):
    """EL-K2: say whether a card has the Spirits that its cost asks for."""
    return covers(h, r, spirits_of(h, p), h.perm[p].card)


@kernel
def covers(h, r, x, card):
    """EL-K2: say whether packed Spirits meet the cost of a card."""
    c = r.card[card]
    return ((x | GUARD) - c.cost) & GUARD == GUARD and (c.rainbow == 0 or count(x) >= c.total)


@kernel
def holds_on(h, r, i):
    """EL-P3, EL-F5: say whether change `i` still holds."""
    c = h.chg[i]
    if h.turn >= c.until:
        return False
    if c.source < 0:
        return True
    if h.perm[c.source].gone == 1:
        return False
    return r.lock_ends_when_misenchanted == 0 or correct(h, r, c.source)


@kernel
def has_change(h, r, p, kind, words):
    """Say whether a change of a kind (with one of some restrictions) holds for a card."""
    if (h.perm[p].changed >> kind) & 1 == 0:
        return False
    for i in range(h.n_chg):
        c = h.chg[i]
        if c.target == p and c.kind == kind and (words == 0 or c.words & words != 0) and holds_on(h, r, i):
            return True
    return False


@kernel
def suppressed(h, r, p):
    """EL-F12: say whether a card is Suppressed."""
    return has_change(h, r, p, CH_SUPPRESS, ZERO)


@kernel
def restricted(h, r, p, word):
    """Say whether a restriction holds for a card."""
    return has_change(h, r, p, CH_RESTRICT, word)


@kernel
def working(h, r, p):
    """Say whether a card's text works."""
    q = h.perm[p]
    if q.down + q.limbo + q.gone > 0 or is_blank(h, q.inst):
        return False
    return correct(h, r, p) and not suppressed(h, r, p)


# ---------------------------------------------------------------------------------------------------------------------
# Filters


@kernel
def whose(side, owner, seat):
    """Say whether a filter's side fits."""
    return side == EITHER or (owner == seat) == (side == OWN)


@kernel
def has_fact(r, f, card):
    """Say whether a card's facts pass a filter's tests on facts."""
    return (r.filter[f].cards[card >> 5] >> (card & 31)) & 1 == 1


@kernel
def passes(h, r, f, p, src):
    """Say whether a card on the field passes the tests of a filter, those on attack left out."""
    t = r.filter[f]
    q = h.perm[p]
    x = q.sp0 + q.sp1
    if t.need1 != 0 and x & t.need1 == 0:
        return False
    if t.need2 != 0 and x & t.need2 == 0:
        return False
    if x & t.never != 0:
        return False
    if t.has_card == 1 and (q.down == 1 or not has_fact(r, f, q.card)):
        return False
    if t.position >= 0 and q.pos != t.position:
        return False
    if t.marks & (T_SET | T_UP | T_FRESH | T_OTHER) != 0:
        if t.marks & T_SET != 0 and q.down == 0:
            return False
        if t.marks & T_UP != 0 and q.down == 1:
            return False
        if t.marks & T_FRESH != 0 and q.arrived != h.turn:
            return False
        if t.marks & T_OTHER != 0 and p == src:
            return False
    if t.marks & (T_SUPP | T_EMP | T_ONSELF | T_ATTACKING) != 0:
        if t.marks & T_SUPP != 0 and not suppressed(h, r, p):
            return False
        if t.marks & T_EMP != 0 and not empowered(h, p):
            return False
        if t.marks & T_ONSELF != 0 and (src < 0 or q.host != src):
            return False
        if t.marks & T_ATTACKING != 0 and h.frozen0 != p:
            return False
    if t.sp >= 0 and (src < 0 or not compared(count(x), t.sp, count(spirits_of(h, src)))):
        return False
    if t.paid_need != 0 and q.paid & t.paid_need == 0:
        return False
    return q.paid & t.paid_never == 0


@kernel
def empowered(h, p):
    """Say whether an Artifact Empowers a body."""
    for k in range(18):
        q = on_field(h, k)
        if q >= 0 and h.perm[q].host == p:
            return True
    return False


@kernel
def plain_match(h, r, f, p, seat, src):
    """Say whether a card on the field passes a filter, tests on attack and on the fewest Spirits left out."""
    q = h.perm[p]
    t = r.filter[f]
    if q.limbo + q.gone > 0 or not whose(t.side, q.seat, seat):
        return False
    if ((t.down if q.down == 1 else t.up) >> q.kind) & 1 == 0:
        return False
    return passes(h, r, f, p, src)


@kernel
def match0(h, r, f, p, seat, src):
    """Say whether a card on the field passes a filter, tests on attack left out."""
    if not plain_match(h, r, f, p, seat, src):
        return False
    if r.filter[f].marks & T_MINSP != 0:
        mine = count(spirits_of(h, p))
        for k in range(18):
            q = on_field(h, k)
            if q >= 0 and count(spirits_of(h, q)) < mine and plain_match(h, r, f, q, seat, src):
                return False
    return True


@kernel
def match(h, r, f, p, seat, src):
    """Say whether a card on the field passes a filter, seen by `seat`; `src` is the card whose effect asks."""
    if not match0(h, r, f, p, seat, src):
        return False
    t = r.filter[f]
    return t.atk < 0 or compared(stats(h, r, p) >> 10, t.atk, t.atk_value)


@kernel
def source_fits(r, f, src, seat):
    """Say whether the source of an effect passes the filter of a protection that `seat` owns."""
    t = r.filter[f]
    if not whose(t.side, src & 1, seat) or (t.up >> ((src >> 1) & 7)) & 1 == 0:
        return False
    if t.dynamic == 1 or t.marks != 0 or t.tags != 0:
        return False
    return t.has_card == 0 or has_fact(r, f, src >> 4)


@kernel
def fits(r, f, card, owner, seat):
    """Say whether a card outside the field passes a filter."""
    t = r.filter[f]
    if not whose(t.side, owner, seat) or (t.up >> r.card[card].kind) & 1 == 0:
        return False
    if t.dynamic == 1:
        return False
    return t.tags == 0 and (t.has_card == 0 or has_fact(r, f, card))


@kernel
def link_fits(h, r, f, i, seat):
    """Say whether a link passes a filter, seen by `seat`."""
    t = r.filter[f]
    k = h.link[i]
    if not whose(t.side, k.seat, seat):
        return False
    if t.link == 0:
        if (k.kind != L_RUNE and k.kind != L_CAST and k.kind != L_ASCEND) or k.perm < 0:
            return False
        q = h.perm[k.perm]
        if (t.up >> q.kind) & 1 == 0:
            return False
    if t.tags != 0 and (k.ability < 0 or r.ability[k.ability].tags & t.tags == 0):
        return False
    if t.dynamic == 1 or t.marks != 0:
        return False
    return t.has_card == 0 or (k.perm >= 0 and has_fact(r, f, h.perm[k.perm].card))


# ---------------------------------------------------------------------------------------------------------------------
# What is counted


@kernel
def ref_one(h, c, ref):
    """Return the first card that a reference names, or -1."""
    x = h.ctx[c]
    if ref == R_SELF:
        return x.source
    if ref == R_IT:
        return x.it
    if ref == R_HOST:
        return h.perm[x.source].host if x.source >= 0 else -1
    if ref in (R_T1, R_T, R_T2):
        for group in range(1 if ref == R_T2 else 0, 1 if ref == R_T1 else 3):
            if group < x.n_tg and x.tgn[group] > 0:
                return x.tg[group, 0]
            if ref == R_T2:
                return -1
        return -1
    if ref == R_THAT:
        return x.that if x.that >= 0 else x.ev_subj
    if ref in (R_KILLER, R_OTHER):
        return x.ev_other
    if ref == R_ATK:
        return h.link[x.attack].perm if x.attack >= 0 else -1
    if ref == R_RECEIVER:
        return x.receiver
    return -1


@kernel
def shown_in_deck(h, c):
    """Return the mask of the foretold cards that are still in the deck."""
    return h.ctx[c].shown & h.deckm[h.ctx[c].seat]


@kernel
def count_mask(h, r, f, mask, owner, seat):
    """Return how many cards of a mask pass a filter."""
    n = 0
    while mask != 0:
        i = lowest(mask)
        mask &= mask - 1
        if fits(r, f, h.number[owner, i], owner, seat):
            n += 1
    return n


@kernel
def count_cards(h, r, f, c):
    """Return how many cards pass a filter in its zones."""
    x = h.ctx[c]
    z = r.filter[f].zones
    n = 0
    if z & Z_FIELD != 0:
        for k in range(18):
            p = on_field(h, k)
            if p >= 0 and match0(h, r, f, p, x.seat, x.source):
                n += 1
    if z != Z_FIELD:
        for owner in range(2):
            if z & Z_HAND != 0:
                n += count_mask(h, r, f, h.hand[owner], owner, x.seat)
            if z & Z_DECK != 0:
                n += count_mask(h, r, f, h.deckm[owner], owner, x.seat)
            if z & Z_UW != 0:
                n += count_mask(h, r, f, h.uw[owner], owner, x.seat)
    return n


@kernel
def attached(h, r, i, c):
    """Count the Spirits of some elements under the cards of a scope."""
    t = r.counter[i]
    x = h.ctx[c]
    if t.how != SCOPE_FILTER and t.how != SCOPE_SIDE:
        p = ref_one(h, c, t.scope)
        return count(spirits_of(h, p) & t.elements) if p >= 0 else np.int64(0)
    n = np.int64(0)
    for k in range(18):
        p = on_field(h, k)
        if p < 0:
            continue
        if t.how == SCOPE_FILTER:
            if not match0(h, r, t.scope, p, x.seat, x.source):
                continue
        elif h.perm[p].limbo == 1 or not whose(t.scope, h.perm[p].seat, x.seat):
            continue
        n += count(spirits_of(h, p) & t.elements)
    return n


@kernel
def in_play(h, r, stem, seat, own):
    """EL-F2: return how many correctly Enchanted cards of a name are face up on the field."""
    n = np.int64(0)
    for k in range(18):
        p = on_field(h, k)
        if p >= 0:
            q = h.perm[p]
            if r.card[q.card].stem == stem and q.down + q.limbo == 0 and (not own or q.seat == seat):
                if correct(h, r, p):
                    n += 1
    return n


@kernel
def counted0(h, r, i, c):
    """Count what a counter counts; not attack and defence."""
    t = r.counter[i]
    x = h.ctx[c]
    w = t.word
    if w == C_ATT:
        return attached(h, r, i, c)
    if w in (C_CNT, C_HAVE):
        return np.int64(count_cards(h, r, t.scope, c))
    if w == C_INPLAY:
        return in_play(h, r, t.text, x.seat, t.scope == OWN or r.named_in_play == 1)
    other = 1 - x.seat
    if w == C_SP:
        who = x.seat if t.scope == OWN else other
        return count((h.lost[who] if t.text == 1 else h.sp[who]) & t.elements)
    if w == C_SD:
        return count(h.sp[x.seat if t.scope == OWN else other])
    if w == C_SPF:
        who = x.seat if t.scope == OWN else other
        n = np.int64(0)
        for k in range(PLACES):
            if h.slot[who, k] >= 0:
                n += count(spirits_of(h, h.slot[who, k]))
        return n
    if w == C_MOVED:
        return count(x.moved & t.elements)
    if w == C_PHASE:
        return np.int64(1) if h.active == x.seat and h.phase == PH_MAIN else np.int64(0)
    if w == C_FORETOLD:
        return h.foretold[x.seat]
    if w == C_SPWAS:
        return x.spwas
    if w == C_X:
        return x.x
    if w == C_DRAWN:
        return x.drawn
    if w == C_TAKEN:
        return x.taken
    if w == C_EMPBY:
        n = np.int64(0)
        for k in range(18):
            p = on_field(h, k)
            if p >= 0 and x.source >= 0 and h.perm[p].host == x.source:
                if match0(h, r, t.scope, p, x.seat, x.source):
                    n += 1
        return n
    p = ref_one(h, c, t.scope)
    if p < 0:
        return np.int64(0)
    q = h.perm[p]
    if w == C_COST:
        return r.card[q.card].total
    if w == C_ATTACKED:
        return np.int64(1) if q.attacks > 0 else np.int64(0)
    if w == C_BPKILLS:
        return q.kills
    if w == C_POS:
        return q.pos
    return np.int64(0)


@kernel
def amount0(h, r, i, c):
    """Return an amount that has no other value under a condition and counts no attack."""
    a = r.amount[i]
    return a.plain + (counted0(h, r, a.counter, c) if a.counter >= 0 else np.int64(0))


@kernel
def holds0(h, r, first, n, c):
    """Say whether all clauses of a condition without attack and defence hold."""
    for i in range(first, first + n):
        t = r.clause[i]
        if not compared(counted0(h, r, t.left, c), t.compare, amount0(h, r, t.right, c)):
            return False
    return True


# ---------------------------------------------------------------------------------------------------------------------
# What is always true


@kernel
def first_static(h, r, q):
    """Return the first row of the statics of the face that a card shows."""
    face = h.perm[q].face
    return r.face[face].static if face >= 0 else r.card[h.perm[q].card].static


@kernel
def last_static(h, r, q):
    """Return the row after the last static of the face that a card shows."""
    face = h.perm[q].face
    if face >= 0:
        return r.face[face].static + r.face[face].static_n
    return r.card[h.perm[q].card].static + r.card[h.perm[q].card].static_n


@kernel
def has_static(h, r, q, word):
    """Say whether a card on the field has a static of a word, and works."""
    return q >= 0 and (r.card[h.perm[q].card].words >> word) & 1 == 1 and working(h, r, q)


@kernel
def static_on(h, r, q, i, word):
    """Say whether static row `i` of a working card is of a word and its condition holds; context 0 is its own."""
    t = r.static[i]
    if t.word != word:
        return False
    if t.cond_n == 0 and t.per < 0:
        return True
    perm_ctx(h, ZERO, q)
    return t.cond_n == 0 or holds0(h, r, t.cond, t.cond_n, ZERO)


@kernel
def reaches(h, r, i, q, p):
    """Say whether static row `i` of card `q` is about card `p`."""
    t = r.static[i]
    if t.how == H_REF:
        return p == q if t.ref == R_SELF else h.perm[q].host == p
    return match0(h, r, t.filter, p, h.perm[q].seat, q)


@kernel
def has_rule(h, r, p, rule):
    """Say whether a special rule (double attack, Piercing, ...) holds for a card."""
    if (h.present >> S_RULE) & 1 == 0:
        return False
    for k in range(18):
        q = on_field(h, k)
        if has_static(h, r, q, S_RULE):
            for i in range(first_static(h, r, q), last_static(h, r, q)):
                if static_on(h, r, q, i, S_RULE) and r.static[i].rule == rule and reaches(h, r, i, q, p):
                    return True
    return False


@kernel
def against(h, r, word, p, src):
    """EL-F13: say whether a protection of a word shields a card from a source."""
    if (h.present >> word) & 1 == 0:
        return False
    for k in range(18):
        q = on_field(h, k)
        if has_static(h, r, q, word):
            for i in range(first_static(h, r, q), last_static(h, r, q)):
                if static_on(h, r, q, i, word) and r.static[i].against >= 0 and reaches(h, r, i, q, p):
                    if source_fits(r, r.static[i].against, src, h.perm[q].seat):
                        return True
    return False


@kernel
def cannot_die(h, r, p, src, battle):
    """EL-F14: say whether a card is safe from being destroyed in battle or by a source."""
    if (h.present >> S_NODIE) & 1 == 0:
        return False
    for k in range(18):
        q = on_field(h, k)
        if has_static(h, r, q, S_NODIE):
            for i in range(first_static(h, r, q), last_static(h, r, q)):
                if static_on(h, r, q, i, S_NODIE) and reaches(h, r, i, q, p):
                    if battle == 1:
                        if r.static[i].battle == 1:
                            return True
                    elif r.static[i].against >= 0 and src >= 0:
                        if source_fits(r, r.static[i].against, src, h.perm[q].seat):
                            return True
    return False


@kernel
def attack_locked(h, r, p):
    """Say whether a static forbids a body to attack."""
    if (h.present >> S_ATKLOCK) & 1 == 0:
        return False
    for k in range(18):
        q = on_field(h, k)
        if has_static(h, r, q, S_ATKLOCK):
            for i in range(first_static(h, r, q), last_static(h, r, q)):
                if static_on(h, r, q, i, S_ATKLOCK) and reaches(h, r, i, q, p):
                    return True
    return False


@kernel
def foretell_more(h, r, c):
    """Return how many more cards a Foretell of a context shows."""
    if (h.present >> S_FOREPLUS) & 1 == 0 or h.ctx[c].source < 0:
        return np.int64(0)
    n = np.int64(0)
    for k in range(18):
        q = on_field(h, k)
        if has_static(h, r, q, S_FOREPLUS) and h.perm[q].seat == h.ctx[c].seat:
            for i in range(first_static(h, r, q), last_static(h, r, q)):
                if static_on(h, r, q, i, S_FOREPLUS):
                    if match0(h, r, r.static[i].filter, h.ctx[c].source, h.perm[q].seat, q):
                        n += r.static[i].amount
    return n


@kernel
def stats(h, r, p):
    """EL-F3: return attack << 10 | defence: base, swap, changes that pass, what is always true; never below zero."""
    q = h.perm[p]
    attack = r.card[q.card].attack
    defence = r.card[q.card].defence
    swaps = 0
    more_a = np.int64(0)
    more_d = np.int64(0)
    if q.changed & (1 << CH_STAT | 1 << CH_SWAP | 1 << CH_BASE) != 0:
        for i in range(h.n_chg):
            c = h.chg[i]
            if c.target == p and holds_on(h, r, i):
                if c.kind == CH_STAT:
                    more_a += c.attack
                    more_d += c.defence
                elif c.kind == CH_SWAP:
                    swaps += 1
                elif c.kind == CH_BASE:
                    attack = attack if c.attack < 0 else c.attack
                    defence = defence if c.defence < 0 else c.defence
    if h.present & (1 << S_STAT | 1 << S_SWAP | 1 << S_BASE) != 0:
        for k in range(18):
            o = on_field(h, k)
            if o < 0 or r.card[h.perm[o].card].words & (1 << S_STAT | 1 << S_SWAP | 1 << S_BASE) == 0:
                continue
            if not working(h, r, o):
                continue
            for i in range(first_static(h, r, o), last_static(h, r, o)):
                t = r.static[i]
                w = t.word
                if w != S_STAT and w != S_SWAP and w != S_BASE:
                    continue
                if not static_on(h, r, o, i, w) or not reaches(h, r, i, o, p):
                    continue
                if w == S_SWAP:
                    swaps += 1
                elif w == S_BASE:
                    attack = attack if t.attack < 0 else t.attack
                    defence = defence if t.defence < 0 else t.defence
                else:
                    times = np.int64(1)
                    if t.per >= 0:
                        h.ctx[0].it = p
                        times = counted0(h, r, t.per, ZERO)
                    more_a += times * t.attack
                    more_d += times * t.defence
    if swaps & 1 == 1 and r.stat_swap_layer == 0:
        attack, defence = defence, attack
    attack += more_a
    defence += more_d
    if swaps & 1 == 1 and r.stat_swap_layer == 1:
        attack, defence = defence, attack
    return (max(attack, 0) << 10) | max(defence, 0)


@kernel
def counted(h, r, i, c):
    """Count what a counter counts."""
    t = r.counter[i]
    if t.word == C_ST:
        p = ref_one(h, c, t.scope)
        if p < 0:
            return np.int64(0)
        both = stats(h, r, p)
        return both & 1023 if t.text == 1 else both >> 10
    return counted0(h, r, i, c)


@kernel
def holds(h, r, first, n, c):
    """Say whether all clauses of a condition hold."""
    for i in range(first, first + n):
        t = r.clause[i]
        if not compared(counted(h, r, t.left, c), t.compare, amount0(h, r, t.right, c)):
            return False
    return True


@kernel
def amount(h, r, i, c):
    """Return an amount as a number."""
    if i < 0:
        return np.int64(0)
    a = r.amount[i]
    if a.other >= 0 and holds(h, r, a.cond, a.cond_n, c):
        return a.other
    return a.plain + (counted(h, r, a.counter, c) if a.counter >= 0 else np.int64(0))


@kernel
def tax(h, r, seat, kind, card):
    """EL-K9: Spirits that a player has to Expend on top in order to play a card."""
    total = np.int64(0)
    if (h.present >> S_TAX) & 1 == 0:
        return total
    src = source_of(seat, kind, card)
    for k in range(18):
        q = on_field(h, k)
        if has_static(h, r, q, S_TAX):
            for i in range(first_static(h, r, q), last_static(h, r, q)):
                if static_on(h, r, q, i, S_TAX) and source_fits(r, r.static[i].filter, src, h.perm[q].seat):
                    total += r.static[i].amount
    return total


@kernel
def locked(h, r, seat, kind, card, p):
    """Say whether a player may not play a card now; `p` is the card if it is Set, else -1."""
    if p >= 0 and has_change(h, r, p, CH_LOCK, ZERO):
        return True
    src = source_of(seat, kind, card)
    if (h.present >> S_PLAYLOCK) & 1 == 1:
        for k in range(18):
            q = on_field(h, k)
            if has_static(h, r, q, S_PLAYLOCK):
                for i in range(first_static(h, r, q), last_static(h, r, q)):
                    if static_on(h, r, q, i, S_PLAYLOCK) and source_fits(r, r.static[i].filter, src, h.perm[q].seat):
                        return True
    for i in range(h.n_chg):
        c = h.chg[i]
        if c.kind == CH_PLAYLOCK and holds_on(h, r, i) and source_fits(r, c.filter, src, c.seat):
            return True
    for i in range(h.n_links):
        k = h.link[i]
        if k.ability >= 0 and k.negated == 0:
            a = r.ability[k.ability]
            for j in range(a.chain, a.chain + a.chain_n):
                if source_fits(r, r.static[j].filter, src, k.seat):
                    return True
    return False


# ---------------------------------------------------------------------------------------------------------------------
# Spirits to be paid


@kernel
def store(h, seat, place):
    """Return the packed Spirits at a place that PAY codes name."""
    if place == 0:
        return h.sp[seat]
    if place == 19:
        return h.lost[seat]
    p = at(h, seat, place - 1)
    return spirits_of(h, p) if p >= 0 else np.int64(0)


@kernel
def add_group(h, mask, places, n):
    """Add Spirits that are to be paid: elements, places (bits), how many."""
    if n > 0 and h.n_g < GROUPS:
        h.g_mask[h.n_g] = mask
        h.g_places[h.n_g] = places
        h.g_n[h.n_g] = n
        h.n_g += 1


@kernel
def add_card_cost(h, r, card, places):
    """Add a printed cost: its elements in their order, then the rainbow."""
    x = r.card[card].cost
    e = 0
    while x != 0:
        add_group(h, np.int64(1) << e, places, x & 63)
        x >>= 7
        e += 1
    add_group(h, np.int64(ANY), places, r.card[card].rainbow)


@kernel
def add_spirits(h, r, i, c, places):
    """Add Spirits of an effect, narrow wishes first."""
    t = r.spirits[i]
    if t.n == 2 and t.swap == 1:
        add_group(h, t.mask1, places, amount(h, r, t.amount1, c))
        add_group(h, t.mask0, places, amount(h, r, t.amount0, c))
        return
    if t.n >= 1:
        add_group(h, t.mask0, places, amount(h, r, t.amount0, c))
    if t.n == 2:
        add_group(h, t.mask1, places, amount(h, r, t.amount1, c))


@kernel
def field_places(h, seat):
    """Return the places (bits) of the own cards that have Spirits."""
    made = np.int64(0)
    for k in range(PLACES):
        p = h.slot[seat, k]
        if p >= 0 and h.perm[p].limbo + h.perm[p].down == 0 and spirits_of(h, p) != 0:
            made |= np.int64(2) << k
    return made


@kernel
def supply(h, seat, places, mask):
    """Return how many Spirits of some elements lie at some places."""
    n = np.int64(0)
    while places != 0:
        n += count(store(h, seat, lowest(places)) & SPREAD[mask])
        places &= places - 1
    return n


@kernel
def payable(h, seat):
    """Say whether all groups can be paid together: no set of them asks for more than there is for it."""
    n = 0
    for i in range(h.n_g):
        if h.g_n[i] == 0:
            continue
        found = False
        for j in range(n):
            if h.u_mask[j] == h.g_mask[i] and h.u_places[j] == h.g_places[i]:
                h.u_n[j] += h.g_n[i]
                found = True
                break
        if not found:
            h.u_mask[n] = h.g_mask[i]
            h.u_places[n] = h.g_places[i]
            h.u_n[n] = h.g_n[i]
            n += 1
    for chosen in range(1, 1 << n):
        need = np.int64(0)
        places = np.int64(0)
        for j in range(n):
            if (chosen >> j) & 1 == 1:
                need += h.u_n[j]
                places |= h.u_places[j]
        have = np.int64(0)
        while places != 0 and have < need:
            place = lowest(places)
            places &= places - 1
            mask = np.int64(0)
            for j in range(n):
                if (chosen >> j) & 1 == 1 and (h.u_places[j] >> place) & 1 == 1:
                    mask |= h.u_mask[j]
            have += count(store(h, seat, place) & SPREAD[mask])
        if have < need:
            return False
    return True


@kernel
def is_instant(kind):
    """Say whether a kind of card is an Invoke or a Counter."""
    return (INSTANTS >> kind) & 1 == 1
