"""The Fox in the Forest: the fast engine, a step machine over one record.

Axes: seats 0 and 1 everywhere; masks have bit c for card c. Trick piles lie face down but both players have seen what
went into them, so they are public here. What a seat knows about the other hand and about the deck is kept as it is
learnt: `redeal` needs it, and players may read it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim import rng
from sim.bits import highest, lowest, nth, popcount
from sim.engine import DECIDE, END_CAP, END_DRAW, END_WON, OVER, ROUND, SKILLED, WHOLE, named, record
from sim.game import Engine, Lookahead, tag_of
from sim.games.fox_in_the_forest.match import NEED, win_chances
from sim.games.fox_in_the_forest.numbers import (
    ABILITY_KEYS,
    BASE,
    BOTTOM,
    CARDS,
    CROWN,
    CROWN_ADD,
    CROWN_PASS,
    FAIRY_GIVE,
    FAIRY_KEEP,
    FAIRY_PICK,
    FAIRY_TAKE,
    FOX_KEEP,
    FOX_SWAP,
    HAMMER_SUIT,
    MIRROR,
    PLAY,
    POTION_BOTTOM,
    POTION_PLAY,
    RANKS,
    ROUND_CAP,
    SHOVEL_KEEP,
    SHOVEL_PICK,
    SHOVEL_TAKE,
    SPECIAL_RANKS,
    SPECIALS,
    TREE_PICK,
    specials_of,
)
from sim.jit import bare, inlined, kernel
from sim.variant import Variant

KIND, ARG = 1 << 20, 1 << 10

# Phases. The first group waits for a decision, the second is passed through by `advance`.
D_LEAD, D_FOLLOW, D_AGAIN, D_CROWN, D_FOX, D_BOTTOM, D_HAMMER, D_POTION, D_ASIDE, D_SHOVEL, D_FAIRY, D_GIVE = range(12)
T_DONE, T_TEXT, T_DEAL, T_ROUND, T_END = range(12, 17)

# Abilities: the place in `ABILITY_KEYS` is the bit of the mask of those that are off.
(A_SWAN, A_FOX, A_WOODCUTTER, A_TREASURE, A_WITCH, A_MONARCH, A_BOW, A_MIRROR, A_HAMMER, A_POTION, A_SHOVEL, A_AXE,
 A_TREE, A_FAIRY, A_CROWN, A_POISON) = range(16)  # fmt: skip

# Values of switches in the rules record.
LAST_ROUND, DRAW, ANOTHER = range(3)
ALWAYS, MATCH, VOID = range(3)

# Players of the search's playouts, beside those of `sim.engine`: a novice whose plan is given.
PLAN_LOW, PLAN_HIGH = 4, 5

NOBODY, BOTH = -1, 2  # who knows a card of the deck, beside a seat's number
SUIT = (1 << RANKS) - 1
SPECIAL_MASK = ((1 << len(SPECIALS)) - 1) << BASE
MIRROR_BIT = 1 << MIRROR
CROWN_BIT = 1 << CROWN
SEVENS = 0b00001000000_00001000000_00001000000
EVERY_SUIT = 1 | 1 << RANKS | 1 << 2 * RANKS  # shifted by rank - 1: the cards of a rank
SLACK_STEP = 0x010101  # one hidden card more in each suit
DECK_RING = 64

TAG = tag_of("fox-in-the-forest", __name__)

PUB = record(
    (TAG, "i1"),
    ("present", "i8"),  # cards of this game
    ("pile", "i8"),  # cards of won tricks
    ("last", "i8", (2,)),  # cards of the last trick that the seat won this round
    ("off", "i8", (2,)),
    ("excluded", "i8", (2,)),  # cards that the seat showed it does not hold ...
    ("shown", "i8", (2,)),  # cards that left the seat's hand openly this round
    ("slack", "i4", (2,)),  # ... but for so many drawn since, a byte per suit
    ("turns", "i2"),
    ("scores", "i2", (2,)),
    ("last_points", "i2", (2,)),  # of the round before
    ("tricks", "i1", (2,)),
    ("treasures", "i1", (2,)),
    ("table", "i1", (2,)),  # the card played, -1 none
    ("crown", "i1", (2,)),  # the Crown added, -1 none
    ("win_mark", "i1", (2,)),
    ("lose_mark", "i1", (2,)),
    ("potion", "i1", (2,)),  # a Potion worked in this trick
    ("actor", "i1"),
    ("phase", "i1"),
    ("leader", "i1"),
    ("starter", "i1"),
    ("again", "i1"),  # the leader plays again after a Hammer
    ("decree", "i1"),
    ("trump", "i1"),
    ("named", "i1"),  # the suit that the Hammer named
    ("trick", "i1"),  # tricks finished in this round
    ("rounds", "i1"),  # finished rounds
    ("deck_n", "i1"),
    ("head", "i1"),  # place of the top card in the ring `hid.deck`
    ("gained", "i2", (2,)),  # points for Treasures this round
    ("lost", "i2", (2,)),  # points really lost to Poison this round
    ("owner", "i1", (DECK_RING,)),  # who knows the card at a place of the ring: a seat, BOTH or NOBODY
    ("ahead", "i1"),  # the last seat that was strictly ahead, -1 none yet
    ("lead_changes", "u1"),
    ("tiebreak", "i1"),
    ("end", "i1"),
    ("won", "i1"),  # the winner of the game, -1 none
)
PRIV = record(
    ("hand", "i8"),
    ("legal", "i8"),  # what may be played at D_FOLLOW and D_AGAIN
    ("aside", "i8"),  # drawn by a Potion, or shown by a Fairy
    ("known", "i8"),  # cards known to be in the other hand
    ("soft", "i8"),  # cards known to be there unless the other put them under the deck unseen
    ("deck_known", "i8"),  # cards known to be in the deck ...
    ("deck_card", "i1", (DECK_RING,)),  # ... and which at a place of the ring, where `pub.owner` says so
)
HID = record(
    ("key", "u8"),
    ("picks", "i2", (3, 2)),  # random picks so far this round: Shovel, Tree, Fairy; by seat of the packet
    ("packet", "i1", (2,)),
    ("deck", "i1", (DECK_RING,)),
    ("perm", "u1", (CARDS,)),  # scratch
)
_COUNTS = tuple((f"{word}_{key}", "u2") for word in ("n", "held") for key in ABILITY_KEYS)
GAME_ROW = record(
    ("share", "u2"),
    ("points", "u2"),
    ("rounds", "u1"),
    ("turns", "u2"),
    ("end", "u1"),
    ("lead_changes", "u1"),
    ("tiebreak", "u1"),
    ("tricks", "u2"),
    ("band_points", "u2"),
    ("treasure_points", "u2"),
    ("poison_points", "u2"),
    ("humble", "u1"),
    ("defeated", "u1"),
    ("victorious", "u1"),
    ("greedy", "u1"),
    ("last_points", "i2"),
    *_COUNTS,
)
ROUND_ROW = record(
    ("points", "i2"),
    ("score", "u2"),
    ("starter", "u1"),
    ("first_trick", "u1"),
    ("tricks", "u1"),
    ("band", "u1"),
    ("treasures", "u1"),
    ("treasure_points", "u1"),
    ("poison_points", "u1"),
    ("result", "u1"),
    ("humble", "u1"),
    ("defeated", "u1"),
    ("victorious", "u1"),
    ("greedy", "u1"),
    ("swaps", "u1"),
    ("course", "u1"),
    ("course_missed", "u1"),
    ("ahead", "u1"),
)
STATE = record(
    (TAG, "i1"),
    ("pub", PUB),
    ("priv", PRIV, (2,)),
    ("hid", HID),
    ("game_row", GAME_ROW, (2,)),
    ("round_row", ROUND_ROW, (2,)),
)
RULES = record(
    ("ordinary", "i8"),  # base cards of the variant
    ("chosen", "i8"),  # special cards named one by one
    ("win", "f4", (NEED, NEED)),  # the chance to win: points that one player needs, points that the other needs
    ("target", "i2"),
    ("bands", "i1", (14,)),
    ("suit", "i1", (CARDS,)),  # of a face, -1 unsuited
    ("rank", "i1", (CARDS,)),
    ("ability", "i1", (CARDS,)),  # the text of a face, -1 none
    ("at_once", "i1", (CARDS,)),  # 1 for cards whose text may work when they are played
    ("drawn", "i1"),  # special cards drawn at random
    ("suits", "i1"),
    ("hand_size", "i1"),
    ("treasure", "i1"),
    ("poison", "i1"),
    ("poison_points", "i1"),
    ("lose_first", "i1"),
    ("fixed_dealer", "i1"),
    ("tie_break", "i1"),
    ("still_tied", "i1"),
    ("max_rounds", "i1"),
    ("unsuited_follow", "i1"),
    ("leader_wins_unsuited", "i1"),
    ("trump_beats_unsuited", "i1"),
    ("mirror_in_hand", "i1"),
    ("mirror_ability", "i1"),
    ("mirror_blank", "i1"),
    ("fox_special", "i1"),
    ("bow_beats_witch", "i1"),
)
_RANK_ABILITY = {1: A_SWAN, 3: A_FOX, 5: A_WOODCUTTER, 7: A_TREASURE, 9: A_WITCH, 11: A_MONARCH}


def state(seats: int) -> np.dtype[Any]:
    """Return the state's record type."""
    return STATE


def make_rules(variant: Variant, seats: int) -> np.ndarray[Any, Any]:
    """Return the rules record (array of one) of a variant."""
    made = np.zeros(1, RULES)
    r = made[0]
    drawn, chosen = specials_of(str(variant["specials"]))
    r["drawn"] = drawn
    r["chosen"] = sum(1 << card for card in chosen)
    r["ordinary"] = (1 << RANKS * int(variant["suits"])) - 1
    for card in range(CARDS):
        suit, rank = (card // RANKS, card % RANKS + 1) if card < BASE else (-1, SPECIAL_RANKS[card - BASE])
        poison = A_POISON if rank == 8 and variant["poison"] else -1
        r["suit"][card], r["rank"][card] = suit, rank
        r["ability"][card] = _RANK_ABILITY.get(rank, poison) if card < BASE else A_BOW + card - BASE
        r["at_once"][card] = card >= BASE or rank in (3, 5)
    for key in ("target", "suits", "hand_size", "treasure", "poison", "poison_points", "max_rounds"):
        r[key] = variant[key]
    for key in ("mirror_in_hand", "mirror_ability", "fox_special", "bow_beats_witch", "bands"):
        r[key] = variant[key]
    bands = tuple(int(points) for points in variant["bands"])
    r["win"] = win_chances(bands, int(variant["hand_size"]), int(variant["treasure"]))
    r["lose_first"] = variant["poison_order"] == "lose_first"
    r["fixed_dealer"] = variant["dealer"] == "fixed"
    r["leader_wins_unsuited"] = variant["two_unsuited"] == "leader"
    r["trump_beats_unsuited"] = variant["unsuited_vs_trump"] == "loses"
    r["mirror_blank"] = variant["mirror_special"] == "blank"
    words = {
        "tie_break": ("last_round", "draw", "another_round"),
        "still_tied": ("last_round", "draw", "another_round"),
        "unsuited_follow": ("always", "match", "void"),
    }
    for key, names in words.items():
        r[key] = names.index(str(variant[key]))
    return made


# ---------------------------------------------------------------------------------------------------------------------
# Cards


@inlined
def bit_of(card):
    """Return the bit of a card."""
    return np.int64(1) << np.int64(card)


@inlined
def suit_mask(suit):
    """Return the base cards of a suit."""
    return np.int64(SUIT) << (np.int64(suit) * RANKS)


@inlined
def face(p, r, card, seat):
    """Return what a card counts as when `seat` holds or played it: the Mirror is the decree card."""
    if card == MIRROR and (p.off[seat] >> A_MIRROR) & 1 == 0 and not (r.mirror_blank and p.decree >= BASE):
        return np.int64(p.decree)
    return np.int64(card)


@inlined
def text_of_card(p, r, card, seat):
    """Return the ability that works for a card without Crown, -1 none."""
    f = face(p, r, card, seat)
    if card == MIRROR and (f == MIRROR or not r.mirror_ability):
        return np.int64(-1)
    ability = np.int64(r.ability[f])
    if ability >= 0 and (p.off[seat] >> ability) & 1:
        return np.int64(-1)
    return ability


@inlined
def text_of(p, r, seat):
    """Return the ability that works for the seat's card on the table, -1 none."""
    if p.crown[seat] >= 0:
        return np.int64(-1)
    return text_of_card(p, r, np.int64(p.table[seat]), seat)


@inlined
def legal_cards(p, r, hand, seat, suit, monarch):
    """FF-B6, FF-D3, FF-D9: return what may be played on a lead of `suit` (-1 unsuited), and what without Monarch."""
    if suit < 0:
        return hand, hand
    plain = hand & suit_mask(suit)
    same = plain
    unsuited = hand & SPECIAL_MASK
    mirror_rank = np.int64(0)
    if hand & MIRROR_BIT and r.mirror_in_hand:
        f = face(p, r, MIRROR, seat)
        if r.suit[f] >= 0:
            unsuited &= ~MIRROR_BIT
        if r.suit[f] == suit:
            same |= MIRROR_BIT
            mirror_rank = np.int64(r.rank[f])
    free = same | unsuited if r.unsuited_follow != VOID else same
    if same == 0:
        free = unsuited if r.unsuited_follow == MATCH and unsuited != 0 else hand
        return free, free
    if not monarch:
        return free, free
    swan = plain & EVERY_SUIT
    if mirror_rank == 1:
        swan = np.int64(MIRROR_BIT)
    if plain == 0 or mirror_rank > highest(plain) - suit * RANKS + 1:
        bound = swan | MIRROR_BIT
    else:
        bound = swan | bit_of(highest(plain))
    return bound | (free & ~same), free


@kernel
def legal_now(p, r, hand, seat, suit, monarch):
    """Return what may be played, where it is asked rarely."""
    return legal_cards(p, r, hand, seat, suit, monarch)[0]


# ---------------------------------------------------------------------------------------------------------------------
# Hands and the deck, with what is learnt


@inlined
def show(s, seat, bit):
    """Take a card openly out of a hand."""
    s.priv[seat].hand &= ~bit
    s.pub.shown[seat] |= bit
    other = s.priv[1 - seat]
    other.known &= ~bit
    other.soft &= ~bit
    if s.pub.excluded[seat] & bit:
        for suit in range(3):
            shift = 8 * suit
            if bit & suit_mask(suit) and (s.pub.slack[seat] >> shift) & 255:
                s.pub.slack[seat] -= 1 << shift


@inlined
def gain(s, seat, bit):
    """Put a card openly into a hand."""
    s.priv[seat].hand |= bit
    s.priv[1 - seat].known |= bit
    s.pub.excluded[seat] &= ~bit


@inlined
def take_top(s, seat):
    """Return the bit of the top card of the deck, drawn by `seat`; the deck must not be empty."""
    p = s.pub
    bit = bit_of(s.hid.deck[p.head])
    p.owner[p.head] = NOBODY
    p.head = (p.head + 1) & (DECK_RING - 1)
    p.deck_n -= 1
    s.priv[seat].deck_known &= ~bit
    s.priv[seat].soft &= ~bit
    other = s.priv[1 - seat]
    if other.deck_known & bit:
        other.deck_known &= ~bit
        other.known |= bit
        # A player who put the card there unseen knows where it went; the table as a whole does not.
    p.slack[seat] += SLACK_STEP
    return bit


@inlined
def to_bottom(s, card, seat, owner):
    """Put a card under the deck; `owner` is BOTH where all see it, else the seat that does it."""
    p = s.pub
    place = (p.head + p.deck_n) & (DECK_RING - 1)
    s.hid.deck[place] = card
    p.owner[place] = owner
    p.deck_n += 1
    s.priv[seat].deck_known |= bit_of(card)
    s.priv[seat].deck_card[place] = card
    other = s.priv[1 - seat]
    if owner == BOTH:
        other.deck_known |= bit_of(card)
        other.deck_card[place] = card
    else:
        other.soft |= other.known
        other.known = 0


@inlined
def set_decree(p, r, card):
    """Turn a card up."""
    p.decree = card
    p.trump = r.suit[card]


# ---------------------------------------------------------------------------------------------------------------------
# Games and rounds


@kernel
def start(s, rules, key, seats):
    """Set up a deal; every field of the record is written or cleared."""
    p = s.pub
    s.hid.key = key
    p.rounds = 0
    p.turns = 0
    p.ahead = -1
    p.lead_changes = 0
    p.tiebreak = 0
    p.end = END_WON
    p.won = -1
    p.actor = 0
    for seat in range(2):
        p.off[seat] = seats[seat].off
        s.hid.packet[seat] = seats[seat].packet
        p.scores[seat] = 0
        p.last_points[seat] = 0
        clear_game_row(s.game_row[seat])
    p.present = rules.ordinary | rules.chosen
    if rules.drawn > 0:
        rng.permutation(rng.stream(key, 0, rng.SETUP, 0, 0), len(SPECIALS), s.hid.perm)
        for i in range(rules.drawn):
            p.present |= bit_of(BASE + s.hid.perm[i])
    p.phase = T_DEAL


@inlined
def deal(s, r):
    """FF-B2: shuffle, deal two hands, turn up the decree card."""
    p = s.pub
    h = s.hid
    perm = h.perm
    rng.permutation(rng.stream(h.key, p.rounds, rng.DECK, 0, 0), CARDS, perm)
    present = p.present
    first = np.int64(0)  # hand of packet 0
    second = np.int64(0)
    dealt = 2 * np.int64(r.hand_size)
    n = 0
    for i in range(CARDS):
        card = np.int64(perm[i])
        b = bit_of(card)
        if present & b:
            if n < dealt:
                if n & 1:
                    second |= b
                else:
                    first |= b
            elif n == dealt:
                set_decree(p, r, card)
            else:
                h.deck[n - dealt - 1] = card
                p.owner[n - dealt - 1] = NOBODY
            n += 1
    p.deck_n = n - dealt - 1
    p.head = 0
    p.pile = 0
    p.trick = 0
    p.again = 0
    p.named = -1
    p.starter = 0 if r.fixed_dealer else p.rounds & 1
    p.leader = p.starter
    p.actor = p.starter
    p.phase = D_LEAD
    for seat in range(2):
        mine = s.priv[seat]
        mine.hand = second if h.packet[seat] == 1 else first
        mine.legal = 0
        mine.aside = 0
        mine.known = 0
        mine.soft = 0
        mine.deck_known = 0
        p.last[seat] = 0
        p.excluded[seat] = 0
        p.shown[seat] = 0
        p.slack[seat] = 0
        p.tricks[seat] = 0
        p.treasures[seat] = 0
        p.table[seat] = -1
        p.crown[seat] = -1
        p.win_mark[seat] = 0
        p.lose_mark[seat] = 0
        p.potion[seat] = 0
        h.picks[0, seat] = 0
        h.picks[1, seat] = 0
        h.picks[2, seat] = 0
        row = s.round_row[seat]
        row.first_trick = 0
        p.gained[seat] = 0
        p.lost[seat] = 0
        row.swaps = 0
        row.course = r.hand_size <= 4
        row.ahead = p.scores[seat] > p.scores[1 - seat]
        count_held(s.game_row[seat], r, mine.hand)


@inlined
def end_trick(s, r):
    """FF-B8 to FF-B15: who wins, who leads next, points that count at once."""
    p = s.pub
    leader = np.int64(p.leader)
    follower = 1 - leader
    lead_text = text_of(p, r, leader)
    follow_text = text_of(p, r, follower)
    winner = leader ^ np.int64(follower_wins(s, r, leader, lead_text, follow_text))
    loser = 1 - winner
    sevens = np.int64(lead_text == A_TREASURE) + np.int64(follow_text == A_TREASURE)
    eights = np.int64(lead_text == A_POISON) + np.int64(follow_text == A_POISON)
    p.treasures[winner] += sevens
    s.game_row[winner].n_treasure += sevens
    s.game_row[winner].n_poison += eights
    score_trick(s, r, winner, sevens * np.int64(r.treasure), eights * np.int64(r.poison_points))
    p.tricks[winner] += 1
    if p.trick == 0:
        s.round_row[winner].first_trick = 1
    p.trick += 1
    p.turns += 1
    if p.trick == r.hand_size - 4:
        for seat in range(2):
            s.round_row[seat].course = p.tricks[seat] <= 3
    cards = bit_of(p.table[0]) | bit_of(p.table[1])
    p.table[0] = -1
    p.table[1] = -1
    if p.present >= 1 << BASE:
        cards |= clear_specials(p)
    p.pile |= cards
    p.last[winner] = cards
    p.phase = D_LEAD if p.trick < r.hand_size else T_ROUND
    p.leader = winner
    if p.phase == D_LEAD and (follow_text if winner == leader else lead_text) == A_SWAN:
        p.leader = loser
        s.game_row[loser].n_swan += 1
    p.actor = p.leader


@kernel
def clear_specials(p):
    """Clear what only special cards set in a trick; return the Crowns that were added."""
    crowns = np.int64(0)
    for seat in range(2):
        if p.crown[seat] >= 0:
            crowns |= bit_of(p.crown[seat])
        p.crown[seat] = -1
        p.win_mark[seat] = 0
        p.lose_mark[seat] = 0
        p.potion[seat] = 0
    p.again = 0
    return crowns


@inlined
def follower_wins(s, r, leader, lead_text, follow_text):
    """FF-B8, FF-B13, FF-D4 to FF-D8: tell whether the follower wins the trick."""
    p = s.pub
    follower = 1 - leader
    lead, follow = np.int64(p.table[leader]), np.int64(p.table[follower])
    lead_face, follow_face = face(p, r, lead, leader), face(p, r, follow, follower)
    lead_suit, follow_suit = np.int64(r.suit[lead_face]), np.int64(r.suit[follow_face])
    lead_rank = np.int64(r.rank[lead_face]) if p.crown[leader] < 0 else np.int64(RANKS)
    follow_rank = np.int64(r.rank[follow_face]) if p.crown[follower] < 0 else np.int64(RANKS)
    lead_witch = lead_text == A_WITCH and follow_text != A_WITCH
    follow_witch = follow_text == A_WITCH and lead_text != A_WITCH
    s.game_row[leader].n_witch += lead_witch and lead_suit != p.trump
    s.game_row[follower].n_witch += follow_witch and follow_suit != p.trump
    lead_trump = lead_suit >= 0 and (lead_suit == p.trump or lead_witch)
    follow_trump = follow_suit >= 0 and (follow_suit == p.trump or follow_witch)
    if lead >= BASE or follow >= BASE:
        if p.win_mark[0] | p.win_mark[1]:
            return p.win_mark[follower] == 1
        if p.lose_mark[0] | p.lose_mark[1]:
            return p.lose_mark[leader] == 1 and p.lose_mark[follower] == 0
        if lead_text == A_BOW:
            beats = follow >= BASE or follow_suit == p.trump or (follow_witch and r.bow_beats_witch)
            s.game_row[leader].n_bow += beats
            return not beats
        if follow_text == A_BOW:
            beats = lead >= BASE or lead_suit == p.trump or (lead_witch and r.bow_beats_witch)
            s.game_row[follower].n_bow += beats
            return beats
        if lead_text == A_HAMMER:
            return follow_rank & 1 == 0
        if follow_text == A_HAMMER:
            return lead_rank & 1 == 1
        if lead_suit < 0 and follow_suit < 0:
            return follow_rank > lead_rank and not r.leader_wins_unsuited
        if lead_suit < 0:
            return follow_rank > lead_rank or (follow_trump and r.trump_beats_unsuited)
        if follow_suit < 0:
            return follow_rank > lead_rank and not (lead_trump and r.trump_beats_unsuited)
    # Trump, then a card that can win at all, then rank: as numbers, because a branch here is a coin flip.
    lead_height = np.int64(lead_trump) * 64 + 32 + lead_rank
    follow_height = np.int64(follow_trump) * 64 + np.int64(follow_trump or follow_suit == lead_suit) * 32 + follow_rank
    return follow_height > lead_height


@inlined
def score_trick(s, r, winner, gained, lost):
    """FF-B14, FF-P1, FF-R16: points of a trick, never below 0."""
    p = s.pub
    before = np.int64(p.scores[winner])
    p.gained[winner] += gained
    if lost == 0:
        p.scores[winner] = before + gained
        return
    if r.lose_first:
        left = max(np.int64(0), before - lost)
        lost = before - left
        p.scores[winner] = left + gained
    else:
        left = max(np.int64(0), before + gained - lost)
        lost = before + gained - left
        p.scores[winner] = left
    p.lost[winner] += lost


@inlined
def end_round(s, r):
    """FF-B16 to FF-B20: the band table, and whether the game is over."""
    p = s.pub
    for seat in range(2):
        row = s.round_row[seat]
        g = s.game_row[seat]
        tricks = np.int64(p.tricks[seat])
        band = np.int64(r.bands[tricks])
        result = np.int64(tricks > 3) + np.int64(tricks > 6) + np.int64(tricks > 9)
        row.starter = p.starter == seat
        row.tricks = tricks
        row.band = band
        row.treasures = p.treasures[seat]
        row.treasure_points = p.gained[seat]
        row.poison_points = p.lost[seat]
        row.points = band + np.int64(p.gained[seat]) - np.int64(p.lost[seat])
        row.result = result
        row.humble = result == 0
        row.defeated = result == 1
        row.victorious = result == 2
        row.greedy = result == 3
        row.course_missed = row.course == 1 and tricks > 3
        p.scores[seat] += band
        row.score = p.scores[seat]
        p.last_points[seat] = band + p.gained[seat] - p.lost[seat]
        g.tricks += tricks
        g.band_points += band
        g.treasure_points += p.gained[seat]
        g.poison_points += p.lost[seat]
        g.humble += result == 0
        g.defeated += result == 1
        g.victorious += result == 2
        g.greedy += result == 3
    note_leader(p)
    if game_ends(p, r):
        p.phase = T_END
    else:
        p.phase = T_DEAL
        p.rounds += 1


@inlined
def note_leader(p):
    """Count a change of the lead where another seat is strictly ahead than the last one that was."""
    if p.scores[0] != p.scores[1]:
        best = 0 if p.scores[0] > p.scores[1] else 1
        if p.ahead >= 0 and best != p.ahead:
            p.lead_changes += 1
        p.ahead = best


@inlined
def game_ends(p, r):
    """FF-B17 to FF-B20: decide whether the game is over, who has won and how."""
    a, b = np.int64(p.scores[0]), np.int64(p.scores[1])
    if max(a, b) >= r.target:
        if a != b:
            p.won = 0 if a > b else 1
            return True
        verdict = np.int64(r.tie_break)
        if verdict == LAST_ROUND:
            if p.last_points[0] != p.last_points[1]:
                p.tiebreak = 1
                p.won = 0 if p.last_points[0] > p.last_points[1] else 1
                return True
            verdict = np.int64(r.still_tied)
        if verdict == DRAW:
            p.end = END_DRAW
            return True
    if p.rounds + 1 >= r.max_rounds:
        p.end = END_CAP
        return True
    return False


@inlined
def end_game(s):
    """Write the game row."""
    p = s.pub
    for seat in range(2):
        g = s.game_row[seat]
        if p.won < 0:
            g.share = WHOLE // 2
        else:
            g.share = WHOLE if p.won == seat else 0
        g.points = p.scores[seat]
        g.rounds = p.rounds + 1
        g.turns = p.turns
        g.end = p.end
        g.lead_changes = p.lead_changes
        g.tiebreak = p.tiebreak
        g.last_points = p.last_points[seat]


@inlined
def clear_game_row(g):
    """Clear what is counted during a game."""
    g.tricks = 0
    g.band_points = 0
    g.treasure_points = 0
    g.poison_points = 0
    g.humble = 0
    g.defeated = 0
    g.victorious = 0
    g.greedy = 0
    g.n_swan = 0
    g.n_fox = 0
    g.n_woodcutter = 0
    g.n_treasure = 0
    g.n_witch = 0
    g.n_monarch = 0
    g.n_bow = 0
    g.n_mirror = 0
    g.n_hammer = 0
    g.n_potion = 0
    g.n_shovel = 0
    g.n_axe = 0
    g.n_tree = 0
    g.n_fairy = 0
    g.n_crown = 0
    g.n_poison = 0
    g.held_swan = 0
    g.held_fox = 0
    g.held_woodcutter = 0
    g.held_treasure = 0
    g.held_witch = 0
    g.held_monarch = 0
    g.held_bow = 0
    g.held_mirror = 0
    g.held_hammer = 0
    g.held_potion = 0
    g.held_shovel = 0
    g.held_axe = 0
    g.held_tree = 0
    g.held_fairy = 0
    g.held_crown = 0
    g.held_poison = 0


@inlined
def count_held(g, r, hand):
    """Count the dealt cards that carry an ability."""
    every = np.int64(EVERY_SUIT)
    g.held_swan += popcount(hand & every)
    g.held_fox += popcount(hand & every << 2)
    g.held_woodcutter += popcount(hand & every << 4)
    g.held_treasure += popcount(hand & every << 6)
    g.held_witch += popcount(hand & every << 8)
    g.held_monarch += popcount(hand & every << 10)
    if r.poison:
        g.held_poison += popcount(hand & every << 7)
    special = hand >> BASE
    if special:
        g.held_bow += special & 1
        g.held_mirror += special >> 1 & 1
        g.held_hammer += special >> 2 & 1
        g.held_potion += special >> 3 & 1
        g.held_shovel += special >> 4 & 1
        g.held_axe += special >> 5 & 1
        g.held_tree += special >> 6 & 1
        g.held_fairy += special >> 7 & 1
        g.held_crown += special >> 8 & 1


# ---------------------------------------------------------------------------------------------------------------------
# Tricks


@kernel
def advance(s, rules):
    """Go on to the next decision, the end of a round or the end of the game."""
    p = s.pub
    while True:
        phase = p.phase
        if phase < T_DONE:
            return DECIDE
        if phase == T_DONE:
            if p.actor == p.leader and p.again == 0:
                ask_follower(s, rules)
            else:
                end_trick(s, rules)
        elif phase == T_TEXT:
            work_text(s, rules)
        elif phase == T_DEAL:
            deal(s, rules)
        elif phase == T_ROUND:
            end_round(s, rules)
            return ROUND
        else:
            end_game(s)
            return OVER


@inlined
def put(s, r, seat, card):
    """A card is on the table now, however it got there."""
    p = s.pub
    p.table[seat] = card
    if card == MIRROR and (p.off[seat] >> A_MIRROR) & 1 == 0:
        s.game_row[seat].n_mirror += 1
    p.phase = T_TEXT if r.at_once[card] else T_DONE


@inlined
def may_crown(p, r, hand, seat):
    """FF-D17: return the Crown that the seat may add, -1 none; a Mirror of a decreed Crown is one."""
    if p.deck_n > 0:
        if hand & CROWN_BIT and text_of_card(p, r, CROWN, seat) == A_CROWN:
            return np.int64(CROWN)
        if hand & MIRROR_BIT and text_of_card(p, r, MIRROR, seat) == A_CROWN:
            return np.int64(MIRROR)
    return np.int64(-1)


@inlined
def ask_follower(s, r):
    """FF-B6, FF-B12, FF-D16: the follower plays: at random after a Tree, else what is legal."""
    p = s.pub
    leader = np.int64(p.leader)
    seat = 1 - leader
    text = text_of(p, r, leader)
    mine = s.priv[seat]
    hand = mine.hand
    p.actor = seat
    if text == A_TREE:
        n = popcount(hand)
        card = nth(hand, pick(s, 1, TREE_PICK, seat, n))
        s.game_row[leader].n_tree += 1
        show(s, seat, bit_of(card))
        put(s, r, seat, card)
        return
    p.phase = D_FOLLOW
    suit = np.int64(r.suit[face(p, r, np.int64(p.table[leader]), leader)])
    legal, free = legal_cards(p, r, hand, seat, suit, text == A_MONARCH)
    s.game_row[leader].n_monarch += legal != free
    mine.legal = legal


@kernel
def pick(s, which, purpose, seat, n):
    """Return the next random pick of a purpose below n, from the stream of the seat's packet."""
    h = s.hid
    count = h.picks[which, seat]
    h.picks[which, seat] = count + 1
    return rng.below(rng.stream(h.key, s.pub.rounds, purpose, h.packet[seat] + 1, count), 0, n)


@inlined
def draw_then_bottom(s, seat):
    """FF-B11: draw a card if there is one; then one is put under the deck."""
    p = s.pub
    if p.deck_n > 0:
        s.priv[seat].hand |= take_top(s, seat)
        p.phase = D_BOTTOM
        return 1
    p.phase = T_DONE
    return 0


@inlined
def work_text(s, r):
    """Carry out the text of the card just played, up to its first decision."""
    p = s.pub
    seat = np.int64(p.actor)
    text = text_of(p, r, seat)
    p.phase = T_DONE
    if text == A_FOX:
        p.phase = D_FOX
    elif text == A_WOODCUTTER:
        s.game_row[seat].n_woodcutter += draw_then_bottom(s, seat)
    elif text >= A_BOW:
        special_text(s, r, seat, text)


@kernel
def special_text(s, r, seat, text):
    """FF-D12 to FF-D18: the texts of the special cards that work at once."""
    p = s.pub
    leader = np.int64(p.leader)
    if text == A_POTION and p.potion[seat] == 0:
        p.potion[seat] = 1
        s.game_row[seat].n_potion += 1
        p.phase = D_POTION
        if s.priv[seat].hand == 0:
            to_bottom(s, np.int64(p.table[seat]), seat, BOTH)
            p.table[seat] = -1
            s.priv[seat].aside = take_top(s, seat)
            p.phase = D_ASIDE
    elif text == A_SHOVEL:
        p.phase = D_SHOVEL
    elif text == A_FAIRY:
        show_two(s, seat)
        p.phase = D_FAIRY
    elif text == A_HAMMER and seat != leader:
        p.phase = D_HAMMER
    elif text == A_AXE and seat != leader and p.crown[leader] < 0:
        if r.rank[face(p, r, np.int64(p.table[leader]), leader)] == 5:
            s.game_row[seat].n_axe += 1
            p.win_mark[seat] = 1
            draw_then_bottom(s, seat)


@kernel
def show_two(s, seat):
    """FF-D18: the Fairy's player sees two random cards of the other hand."""
    h = s.hid
    other = 1 - seat
    hand = s.priv[other].hand
    n = popcount(hand)
    count = h.picks[2, other]
    h.picks[2, other] = count + 1
    rng.permutation(rng.stream(h.key, s.pub.rounds, FAIRY_PICK, h.packet[other] + 1, count), n, h.perm)
    seen = np.int64(0)
    for i in range(min(2, n)):
        seen |= bit_of(nth(hand, np.int64(h.perm[i])))
    s.priv[seat].aside = seen
    s.priv[seat].known |= seen
    s.priv[seat].soft &= ~seen


@kernel
def hammer(s, r, suit):
    """FF-D13: the leader's card goes under the deck, the leader draws and plays again, the named suit if possible."""
    p = s.pub
    leader = np.int64(p.leader)
    s.game_row[1 - leader].n_hammer += 1
    to_bottom(s, np.int64(p.table[leader]), leader, BOTH)
    if p.crown[leader] >= 0:
        to_bottom(s, np.int64(p.crown[leader]), leader, BOTH)
    p.table[leader] = -1
    p.crown[leader] = -1
    p.win_mark[leader] = 0
    p.lose_mark[leader] = 0
    mine = s.priv[leader]
    mine.hand |= take_top(s, leader)
    mine.legal = legal_now(p, r, mine.hand, leader, suit, False)
    p.again = 1
    p.named = suit
    p.actor = leader
    p.phase = D_AGAIN


@kernel
def dig(s, r, seat):
    """FF-D15: the Shovel changes places with a random card of the last trick that its player won."""
    p = s.pub
    trick = p.last[seat]
    card = nth(trick, pick(s, 0, SHOVEL_PICK, seat, popcount(trick)))
    swap = bit_of(card) | bit_of(p.table[seat])
    p.last[seat] ^= swap
    p.pile ^= swap
    s.game_row[seat].n_shovel += 1
    put(s, r, seat, card)


# ---------------------------------------------------------------------------------------------------------------------
# Decisions


@kernel
def options(s, rules, out):
    """Write the codes that `pub.actor` may choose, ascending; return how many."""
    return list_codes(s, rules, out)


@inlined
def list_codes(s, rules, out):
    """Do so, without counting references to the array."""
    first, kind, mask = asked(s, rules)
    out[0] = first * KIND
    at = np.int64(first > 0)
    n = at + popcount(mask)
    kind *= KIND
    # Eight at a time, and some of them for nothing: the end of a loop of unknown length costs more than the writing.
    while mask != 0:
        for _ in range(8):
            out[at] = kind + lowest(mask) * ARG
            mask &= mask - 1
            at += 1
    return n


@inlined
def asked(s, r):
    """Return (kind of the code without a card or 0, kind, cards) of the codes of the pending decision."""
    p = s.pub
    phase = p.phase
    mine = s.priv[p.actor]
    kind = np.int64(PLAY)
    mask = mine.hand
    first = np.int64(0)
    if phase == D_FOLLOW or phase == D_AGAIN:  # noqa: SIM109  (a tuple test compiles to a loop)
        mask = mine.legal
    elif phase == D_FOX:
        first = np.int64(FOX_KEEP)
        kind = np.int64(FOX_SWAP)
        if not r.fox_special:
            mask &= ~SPECIAL_MASK
    elif phase == D_BOTTOM:
        kind = np.int64(BOTTOM)
    elif phase != D_LEAD:
        first, kind, mask = special_options(s, r, mine, phase)
    return first, kind, mask


@kernel
def special_options(s, r, mine, phase):
    """Return the same as `asked` for what only special cards ask for."""
    p = s.pub
    none = np.int64(0)
    if phase == D_CROWN:
        return np.int64(CROWN_PASS), np.int64(CROWN_ADD), bit_of(may_crown(p, r, mine.hand, np.int64(p.actor)))
    if phase == D_HAMMER:
        return none, np.int64(HAMMER_SUIT), bit_of(r.suits) - 1
    if phase == D_POTION:
        return none, np.int64(POTION_BOTTOM), np.int64(mine.hand)
    if phase == D_ASIDE:
        return none, np.int64(POTION_PLAY), np.int64(mine.aside)
    if phase == D_SHOVEL:
        return np.int64(SHOVEL_KEEP), np.int64(SHOVEL_TAKE), np.int64(p.last[p.actor] != 0)
    if phase == D_FAIRY:
        return np.int64(FAIRY_KEEP), np.int64(FAIRY_TAKE), np.int64(mine.aside)
    return none, np.int64(FAIRY_GIVE), np.int64(mine.hand)


@kernel
def apply(s, rules, code):
    """Carry out `code`, one of the codes that `options` gave."""
    p = s.pub
    kind = np.int64(code) >> 20
    card = (np.int64(code) >> 10) & 1023
    seat = np.int64(p.actor)
    if kind == PLAY:
        play_card(s, rules, seat, card)
    elif kind == FOX_KEEP:
        p.phase = T_DONE
    elif kind == FOX_SWAP:
        old = np.int64(p.decree)
        show(s, seat, bit_of(card))
        gain(s, seat, bit_of(old))
        set_decree(p, rules, card)
        s.game_row[seat].n_fox += 1
        s.round_row[seat].swaps += 1
        p.phase = T_DONE
    elif kind == BOTTOM:
        s.priv[seat].hand ^= bit_of(card)
        to_bottom(s, card, seat, seat)
        p.phase = T_DONE
    else:
        apply_special(s, rules, seat, kind, card)


@inlined
def play_card(s, r, seat, card):
    """Play a card from the hand; what a follower's card shows is noted."""
    p = s.pub
    phase = p.phase
    b = bit_of(card)
    if phase == D_FOLLOW:
        note_follow(p, r, seat, card)
    show(s, seat, b)
    put(s, r, seat, card)
    if card < BASE and p.present >= 1 << BASE and may_crown(p, r, s.priv[seat].hand, seat) >= 0:
        p.phase = D_CROWN


@inlined
def note_follow(p, r, seat, card):
    """A suited card off the lead suit shows a void; an answer to a Monarch that is no Swan bounds the suit."""
    leader = 1 - seat
    lead = face(p, r, np.int64(p.table[leader]), leader)
    suit = np.int64(r.suit[lead])
    if suit < 0 or card >= BASE:
        return
    if r.suit[card] != suit:
        p.excluded[seat] |= suit_mask(suit)
        p.slack[seat] &= ~(255 << 8 * suit)
    elif r.rank[lead] == RANKS and r.rank[card] > 1 and text_of(p, r, leader) == A_MONARCH:
        above = suit_mask(suit) & ~((bit_of(card) << 1) - 1)
        if p.excluded[seat] & suit_mask(suit) == 0:
            p.slack[seat] &= ~(255 << 8 * suit)
        p.excluded[seat] |= above


@kernel
def apply_special(s, r, seat, kind, card):
    """Carry out a code that only special cards ask for."""
    p = s.pub
    mine = s.priv[seat]
    b = bit_of(card)
    if kind == CROWN_PASS:
        p.phase = T_TEXT
    elif kind == CROWN_ADD:
        show(s, seat, b)
        p.crown[seat] = card
        mine.hand |= take_top(s, seat)
        s.game_row[seat].n_crown += 1
        p.phase = T_DONE
    elif kind == HAMMER_SUIT:
        hammer(s, r, card)
    elif kind == POTION_BOTTOM:
        to_bottom(s, np.int64(p.table[seat]), seat, BOTH)
        mine.hand ^= b
        to_bottom(s, card, seat, seat)
        p.table[seat] = -1
        mine.aside = take_top(s, seat)
        mine.aside |= take_top(s, seat)
        p.phase = D_ASIDE
    elif kind == POTION_PLAY:
        mine.hand |= mine.aside
        mine.aside = 0
        show(s, seat, b)
        put(s, r, seat, card)
    elif kind == SHOVEL_KEEP:
        p.lose_mark[seat] = 1
        p.phase = T_DONE
    elif kind == SHOVEL_TAKE:
        dig(s, r, seat)
    elif kind == FAIRY_KEEP:
        mine.aside = 0
        p.phase = T_DONE
    elif kind == FAIRY_TAKE:
        mine.aside = 0
        show(s, 1 - seat, b)
        gain(s, seat, b)
        s.game_row[seat].n_fairy += 1
        p.phase = D_GIVE
    else:
        show(s, seat, b)
        gain(s, 1 - seat, b)
        p.phase = T_DONE


# ---------------------------------------------------------------------------------------------------------------------
# Another world


@kernel
def redeal(s, rules, seat, key):
    """Draw the other hand and the deck anew, within what `seat` knows and what the other has shown."""
    p = s.pub
    h = s.hid
    other = 1 - seat
    mine, theirs = s.priv[seat], s.priv[other]
    pool = p.present & ~(mine.hand | mine.deck_known | mine.known | p.pile | bit_of(p.decree))
    for k in range(2):
        if p.table[k] >= 0:
            pool &= ~bit_of(p.table[k])
        if p.crown[k] >= 0:
            pool &= ~bit_of(p.crown[k])
    if p.phase == D_ASIDE and p.actor == seat:
        pool &= ~mine.aside
    hidden = np.int64(0)  # places of the deck that the seat does not know
    for i in range(p.deck_n):
        owner = p.owner[(p.head + i) & (DECK_RING - 1)]
        hidden += owner not in (seat, BOTH)
    size = popcount(pool) + popcount(mine.known) - hidden
    stream = rng.stream(key, 0, rng.REDEAL, 0, 0)
    hand = mine.known | draw_hand(s, seat, pool, size - popcount(mine.known), stream)
    fill_deck(s, seat, pool & ~hand)
    theirs.deck_known = 0
    for i in range(p.deck_n):
        place = (p.head + i) & (DECK_RING - 1)
        if p.owner[place] in (other, BOTH):
            theirs.deck_known |= bit_of(h.deck[place])
            theirs.deck_card[place] = h.deck[place]
    theirs.hand = hand
    theirs.legal = 0
    theirs.aside = 0
    theirs.known = 0  # what the other knows of this hand is not followed up
    theirs.soft = 0
    if p.phase == D_ASIDE and p.actor == other:
        for i in range(min(2, size)):
            theirs.aside |= bit_of(nth(theirs.hand, rng.below(stream, 48 + i, size - i)))
            theirs.hand &= ~theirs.aside
    if p.phase == D_FOLLOW and p.actor == other:
        lead = np.int64(p.table[seat])
        suit = np.int64(rules.suit[face(p, rules, lead, seat)])
        theirs.legal = legal_now(p, rules, hand, other, suit, text_of(p, rules, seat) == A_MONARCH)
    if p.phase == D_AGAIN and p.actor == other:
        theirs.legal = legal_now(p, rules, hand, other, np.int64(p.named), False)
    h.key = rng.word(key, 0)


@kernel
def draw_hand(s, seat, pool, size, stream):
    """Return `size` cards of the pool for the other hand; the order of the pool is left in `hid.perm`."""
    p = s.pub
    other = 1 - seat
    perm = s.hid.perm
    n = popcount(pool)
    left = pool
    for i in range(n):
        low = left & -left
        perm[i] = highest(low)
        left ^= low
    for i in range(n - 1):
        j = i + rng.below(stream, i, n - i)
        held = perm[i]
        perm[i] = perm[j]
        perm[j] = held
    soft = s.priv[seat].soft & pool
    unseen = 0  # places under the deck that the other filled unseen
    for i in range(p.deck_n):
        unseen += p.owner[(p.head + i) & (DECK_RING - 1)] == other
    excluded = p.excluded[other]
    slack = np.int64(p.slack[other])
    hand = np.int64(0)
    taken = 0
    away = 0
    later = soft
    while later != 0 and taken < size:  # a card seen going there is there, or among the few put away unseen
        b = later & -later
        later ^= b
        stays = excluded & b == 0 and rng.below(stream, 64 + taken + away, size + unseen) < size
        if stays or away == unseen:
            hand |= b
            taken += 1
        else:
            away += 1
    pool &= ~soft
    for _ in range(2):
        for i in range(n):
            b = bit_of(perm[i])
            if taken < size and pool & b:
                if excluded & b:
                    shift = 8 * (np.int64(perm[i]) // RANKS)
                    if (slack >> shift) & 255 == 0:
                        continue
                    slack -= 1 << shift
                hand |= b
                pool ^= b
                taken += 1
        # Too few are left where chance put away more of the cards seen than was put away: then they are in the hand.
        pool |= soft & ~hand
        excluded = np.int64(0)
    return hand


@kernel
def fill_deck(s, seat, rest):
    """Lay the cards of `rest` on the places of the deck that `seat` does not know: in the order of `hid.perm`."""
    p = s.pub
    h = s.hid
    other = 1 - seat
    soft = rest & s.priv[seat].soft
    done = np.int64(0)  # places from the top that are settled
    for i in range(p.deck_n):
        place = (p.head + i) & (DECK_RING - 1)
        owner = p.owner[place]
        if owner in (seat, BOTH):
            h.deck[place] = s.priv[seat].deck_card[place]
            done |= bit_of(i)
        elif owner == other and soft != 0:  # seen in the other hand and not there: put away unseen
            h.deck[place] = lowest(soft)
            rest ^= soft & -soft
            soft &= soft - 1
            done |= bit_of(i)
    at = 0
    for i in range(p.deck_n):
        if (done >> i) & 1 == 0:
            while rest & bit_of(h.perm[at]) == 0:
                at += 1
            h.deck[(p.head + i) & (DECK_RING - 1)] = h.perm[at]
            at += 1


@bare
def chance(r, a, b):
    """Return how likely the first of two players with these scores after a round wins the game."""
    mine, theirs = np.int64(r.target) - a, np.int64(r.target) - b
    if mine <= 0 or theirs <= 0:
        return 0.5 * (1.0 + np.float64(mine < theirs) - np.float64(mine > theirs))
    return np.float64(r.win[min(mine, NEED - 1), min(theirs, NEED - 1)])


@bare
def point_size(r, near, a, b):
    """Return how many points a whole game counts as, for players at these scores; 0 where only points count yet.

    near: points from the target at which the game begins to count.
    """
    if r.target - max(a, b) > near:
        return 0.0
    return 12.0 / max(0.02, chance(r, a + 6, b) - chance(r, a, b + 6))


# ---------------------------------------------------------------------------------------------------------------------
# For the referee


def cards_of(mask: int) -> list[int]:
    """Return the cards of a mask, sorted."""
    made = []
    while mask:
        low = mask & -mask
        made.append(low.bit_length() - 1)
        mask ^= low
    return made


def visible(s: Any, rules: Any, seats: int) -> dict[str, Any]:
    """Return what the rulebook's `visible` returns, from a state record."""
    # As plain numbers, which Python reads many times faster than fields of a record.
    pub = dict(zip(_SHOWN, s["pub"][_SHOWN].item(), strict=True))
    hands, aside = s["priv"]["hand"].tolist(), s["priv"]["aside"].tolist()
    deck = s["hid"]["deck"].tolist()
    actor = pub["actor"]
    shown = pub["phase"] in (D_ASIDE, D_FAIRY)
    return {
        "round": pub["rounds"],
        **{key: pub[key] for key in ("actor", "leader", "decree", "trump")},
        **{key: pub[key].tolist() for key in ("tricks", "scores", "treasures", "table")},
        "deck": [deck[(pub["head"] + i) % DECK_RING] for i in range(pub["deck_n"])],
        "hands": [cards_of(hand) for hand in hands],
        "crowns": pub["crown"].tolist(),
        "seen": cards_of(aside[actor]) if shown else [],
        "last": [cards_of(mask) for mask in pub["last"].tolist()],
    }


_SHOWN = ["rounds", "actor", "leader", "decree", "trump", "phase", "head", "deck_n", "tricks", "scores", "treasures"]
_SHOWN += ["table", "crown", "last"]


LOOKAHEAD = Lookahead(policies=(SKILLED,), mix=0.1, c=0.3, sight=2)


def make_engine(choose: Any, value: Any) -> Engine:
    """Return the fast path with the policies' `choose` and `value`."""
    return Engine(
        tag=TAG,
        state=state,
        rules=RULES,
        make_rules=make_rules,
        game_row=GAME_ROW,
        round_row=ROUND_ROW,
        max_rounds=ROUND_CAP,
        kernels=named(start, advance, options, apply, redeal, choose, value),
        visible=visible,
        lookahead=LOOKAHEAD,
    )
