"""The Fox in the Forest: players.

A policy reads the public record, its seat's own private record and the rules; nothing else is passed. `height` orders
cards by how likely they take a trick: trumps and Witches over the rest, then rank.
"""

from __future__ import annotations

import math

import numpy as np

from sim.bits import highest, lowest, popcount
from sim.engine import SKILLED
from sim.games.fox_in_the_forest.engine import (
    A_BOW,
    A_FOX,
    A_SWAN,
    A_TREASURE,
    A_WITCH,
    A_WOODCUTTER,
    D_AGAIN,
    D_ASIDE,
    D_BOTTOM,
    D_CROWN,
    D_FAIRY,
    D_FOLLOW,
    D_FOX,
    D_GIVE,
    D_LEAD,
    D_POTION,
    D_SHOVEL,
    EVERY_SUIT,
    PLAN_HIGH,
    PLAN_LOW,
    SPECIAL_MASK,
    T_DONE,
    T_END,
    bit_of,
    chance,
    face,
    point_size,
    suit_mask,
    text_of,
    text_of_card,
)
from sim.games.fox_in_the_forest.numbers import BASE, BOW, RANKS
from sim.games.fox_in_the_forest.weights import SKILLED_WEIGHTS
from sim.jit import bare, inlined, kernel

HIGH_RANKS = (EVERY_SUIT << 8) | (EVERY_SUIT << 9) | (EVERY_SUIT << 10)  # 9, 10, 11
MIDDLE_RANKS = (EVERY_SUIT << 6) | (EVERY_SUIT << 7)  # 7, 8
NINES = EVERY_SUIT << 8
REACH = 18.0  # points between the best and the worst round: what the search calls 1
HIGH_FROM = 17  # a hand of so many points plans high
ENOUGH = 8  # tricks at which a novice who plans high stops


@kernel
def choose(policy, pub, mine, rules, weights, options, n, key):
    """Return the code that a policy plays."""
    return chosen(policy, pub, mine, rules, weights, options, n, key)


@bare
def chosen(policy, pub, mine, rules, weights, options, n, key):
    """Return the same, without counting references to the arrays."""
    if policy == SKILLED:
        return skilled(pub, mine, rules, weights, options, n, key)
    return novice(policy, pub, mine, rules, options, n, key)


# ---------------------------------------------------------------------------------------------------------------------
# Cards


@inlined
def height(pub, rules, card, seat):
    """Return how high a card stands: rank, and more for a trump or a Witch."""
    f = face(pub, rules, card, seat)
    top = (rules.suit[f] == pub.trump and pub.trump >= 0) or text_of_card(pub, rules, card, seat) in (A_WITCH, A_BOW)
    return np.int64(rules.rank[f]) + RANKS * np.int64(top)


@bare
def lowest_card(pub, rules, mask, seat):
    """Return the card of a mask, which must not be empty, that stands lowest."""
    best = np.int64(1 << 20)
    card = np.int64(0)
    trump = np.int64(pub.trump)
    for suit in range(3):
        cards = mask & suit_mask(suit)
        if suit != trump:
            cards &= ~NINES
        if cards != 0:
            c = lowest(cards)
            h = c - suit * RANKS + 1 + RANKS * np.int64(suit == trump)
            if h < best:
                best = h
                card = c
    rest = mask & SPECIAL_MASK
    if best > 20:  # nothing but Witches and special cards
        rest |= mask & NINES
    while rest != 0:
        c = lowest(rest)
        rest &= rest - 1
        h = height(pub, rules, c, seat)
        if h < best:
            best = h
            card = c
    return card


@bare
def highest_card(pub, rules, mask, seat):
    """Return the card of a mask, which must not be empty, that stands highest."""
    best = np.int64(-1)
    card = np.int64(0)
    trump = np.int64(pub.trump)
    for suit in range(3):
        cards = mask & suit_mask(suit)
        if cards != 0:
            c = highest(cards)
            h = c - suit * RANKS + 1 + RANKS * np.int64(suit == trump)
            if h > best:
                best = h
                card = c
    rest = mask & SPECIAL_MASK
    if best < 20:
        rest |= mask & NINES
    while rest != 0:
        c = lowest(rest)
        rest &= rest - 1
        h = height(pub, rules, c, seat)
        if h > best:
            best = h
            card = c
    return card


@inlined
def power(pub, rules, card, text, against, against_text, seat, follows):
    """Return the place of a card of `seat` in a trick against the face `against`: trump, fit to win, then rank."""
    f = face(pub, rules, card, seat)
    suit = np.int64(rules.suit[f])
    trump = suit == pub.trump or (text == A_WITCH and against_text != A_WITCH)
    if suit < 0:
        trump = text == A_BOW or rules.suit[against] == pub.trump
    can = not follows or trump or suit < 0 or suit == rules.suit[against]
    return np.int64(trump) * 64 + np.int64(can) * 32 + np.int64(rules.rank[f])


@bare
def winners(pub, rules, mask, seat):
    """Return the cards of a mask that would take the trick from the card on the table of the other seat."""
    other = 1 - seat
    if (mask | bit_of(pub.table[other])) < 1 << BASE and pub.crown[other] < 0 and seat != pub.leader:
        return plain_winners(pub, mask, np.int64(pub.table[other]), seat)
    theirs = np.int64(pub.table[other])
    lead = face(pub, rules, theirs, other)
    lead_text = text_of(pub, rules, other)
    made = np.int64(0)
    follows = seat != pub.leader
    while mask != 0:
        c = lowest(mask)
        b = mask & -mask
        mask ^= b
        text = text_of_card(pub, rules, c, seat)
        place = power(pub, rules, theirs, lead_text, face(pub, rules, c, seat), text, other, not follows)
        if pub.crown[other] >= 0:
            place = (place & ~31) + RANKS
        ours = power(pub, rules, c, text, lead, lead_text, seat, follows)
        if ours > place or (ours == place and not follows):
            made |= b
    return made


@inlined
def plain_winners(pub, mask, lead, seat):
    """Return the same for a follower where only ordinary cards are concerned: by suits instead of card by card."""
    suit = lead // RANKS
    rank = lead - suit * RANKS + 1
    above = suit_mask(suit) & ~((bit_of(lead) << 1) - 1)
    trump = np.int64(pub.trump)
    trumps = suit_mask(trump) if trump >= 0 else np.int64(0)
    lead_witch = rank == 9 and (pub.off[1 - seat] >> A_WITCH) & 1 == 0
    own_witches = NINES if (pub.off[seat] >> A_WITCH) & 1 == 0 else np.int64(0)
    if suit == trump:
        made = above
    elif lead_witch:
        made = trumps & (NINES << 1 | NINES << 2)
    else:
        made = above | trumps
    witches = np.int64(NINES)
    if lead_witch:
        witches = trumps & NINES if suit != trump else np.int64(0)
    elif suit == trump and rank >= 9:
        witches = np.int64(0)
    return mask & ((made & ~own_witches) | (witches & own_witches))


# ---------------------------------------------------------------------------------------------------------------------
# Novice


@inlined
def plans_high(pub, rules, cards):
    """Tell whether all cards that a seat has had this round are worth a plan to win tricks."""
    points = 2 * popcount(cards & HIGH_RANKS) + popcount(cards & MIDDLE_RANKS)
    if pub.trump >= 0:
        points += 2 * popcount(cards & suit_mask(np.int64(pub.trump)))
    return points >= HIGH_FROM


@bare
def novice(policy, pub, mine, rules, options, n, key):
    """Plan high or low from the hand and follow the plan; four tricks break a low plan."""
    phase = pub.phase
    seat = np.int64(pub.actor)
    if policy == PLAN_LOW or policy == PLAN_HIGH:  # noqa: SIM109  (a tuple test compiles to a loop)
        high = policy == PLAN_HIGH
    else:
        high = plans_high(pub, rules, mine.hand | pub.shown[seat])
    if pub.tricks[seat] > 3:
        high = pub.tricks[seat] < ENOUGH
    base = np.int64(options[n - 1]) & ~((1 << 20) - 1)
    if phase == D_LEAD:
        card = extreme(pub, rules, mine.hand, seat, high)
    elif phase == D_FOLLOW or phase == D_AGAIN or phase == D_ASIDE:  # noqa: SIM109
        cards = np.int64(mine.aside if phase == D_ASIDE else mine.legal)
        card = answer(pub, rules, cards, seat, high)
    elif phase == D_FOX:
        card = new_decree(pub, rules, mine.hand if rules.fox_special else mine.hand & ~SPECIAL_MASK, seat, high)
        if card < 0:
            return np.int64(options[0])
    elif phase == D_BOTTOM or phase == D_POTION or phase == D_GIVE:  # noqa: SIM109
        card = extreme(pub, rules, mine.hand, seat, not high)
    elif phase == D_FAIRY:
        return fairy(pub, rules, mine, options, n, seat, high)
    elif phase == D_CROWN or phase == D_SHOVEL:  # noqa: SIM109
        return np.int64(options[n - 1] if high else options[0])
    else:
        return np.int64(options[np.int64((key >> np.uint64(32)) % np.uint64(n))])
    return base + (card << 10)


@bare
def extreme(pub, rules, mask, seat, high):
    """Return the card that stands highest or lowest."""
    return highest_card(pub, rules, mask, seat) if high else lowest_card(pub, rules, mask, seat)


@bare
def answer(pub, rules, mask, seat, want):
    """Win as cheaply as possible, or lose with the highest card; where that cannot be, throw away the rest."""
    if pub.table[1 - seat] < 0:
        return extreme(pub, rules, mask, seat, want)
    win = winners(pub, rules, mask, seat)
    if want:
        return extreme(pub, rules, win if win != 0 else mask, seat, False)
    return extreme(pub, rules, mask & ~win if win != mask else mask, seat, True)


@bare
def new_decree(pub, rules, mask, seat, high):
    """Return the card to put down so that trump is the longest suit, or the shortest; -1 keeps the decree."""
    best = np.int64(-1)
    now = np.int64(0)
    if pub.trump >= 0:
        now = popcount(mask & suit_mask(np.int64(pub.trump)))
    most = now
    for suit in range(3):
        cards = mask & suit_mask(suit)
        if suit == pub.trump or cards == 0:
            continue
        count = popcount(cards) - 1
        if high and count > most:
            most = count
            best = lowest(cards)
        if not high and count < most:
            most = count
            best = highest(cards)
    return best


@bare
def fairy(pub, rules, mine, options, n, seat, high):
    """Take a shown card that stands better than the own worst."""
    if n == 1 or mine.hand == 0:
        return np.int64(options[0])
    good = extreme(pub, rules, np.int64(mine.aside), seat, high)
    bad = extreme(pub, rules, mine.hand, seat, not high)
    gain = height(pub, rules, good, seat) - height(pub, rules, bad, seat)
    if (gain > 0 and high) or (gain < 0 and not high):
        return (np.int64(options[n - 1]) & ~((1 << 20) - 1)) + (good << 10)
    return np.int64(options[0])


# ---------------------------------------------------------------------------------------------------------------------
# Skilled: what a position between two tricks is worth, and each option by the positions that it leads to

# Places of the weights. `tuning` finds them.
W_PLAIN = 0  # three: what a card off the trump suit is worth in tricks, by its place among the unseen cards of its suit
W_TRUMP = 3  # three: likewise of a trump
W_WITCH = 6  # a Witch off the trump suit
W_SMART = 7  # how often the other player is thought to do what is best
W_FOX, W_WOODCUTTER = 8, 9  # what playing one is worth beside the trick
W_TREASURE = 10  # what a Treasure still in the hand is worth, times the part of the tricks that may be won
W_NEAR = 11  # points from the target at which the chance to win the game counts, no longer points
W_CELLS = 16  # CELL for each (tricks left 1 to 13, tricks won, tricks still to win): its chance, as a polynomial
CELL = 6  # 1, x, x * x, x ** 3, lead, lead * x
N_WEIGHTS = W_CELLS + 546 * CELL
START = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.8, 0.3, 0.3, 0.0, 0.0)  # where the tuning begins: up to W_NEAR
NEAR = 40.0  # of the search
WEIGHTS = np.array((*SKILLED_WEIGHTS[:W_NEAR], NEAR, *SKILLED_WEIGHTS[W_NEAR + 1 :]))


@inlined
def unseen_by(pub, mine):
    """Return the cards that may be in the other hand or in the deck, for all that a seat knows."""
    seen = mine.hand | mine.aside | mine.deck_known | pub.pile | bit_of(pub.decree)
    for seat in range(2):
        if pub.table[seat] >= 0:
            seen |= bit_of(pub.table[seat])
        if pub.crown[seat] >= 0:
            seen |= bit_of(pub.crown[seat])
    return pub.present & ~seen


@inlined
def worth(pub, rules, weights, card, unseen, trump, seat):
    """Return how many tricks a card in the hand is likely to win."""
    f = face(pub, rules, card, seat)
    suit = np.int64(rules.suit[f])
    if suit < 0:
        place = (np.int64(rules.rank[f]) - 0.5) / RANKS
        if f == BOW:
            place = 0.8
        return weights[W_PLAIN] + place * (weights[W_PLAIN + 1] + place * weights[W_PLAIN + 2])
    others = unseen & suit_mask(suit)
    below = popcount(others & (bit_of(f) - 1))
    place = (np.float64(below) + 0.5) / (popcount(others) + 1.0)
    if suit == trump:
        return weights[W_TRUMP] + place * (weights[W_TRUMP + 1] + place * weights[W_TRUMP + 2])
    made = weights[W_PLAIN] + place * (weights[W_PLAIN + 1] + place * weights[W_PLAIN + 2])
    return made + weights[W_WITCH] if text_of_card(pub, rules, card, seat) == A_WITCH else made


@bare
def hand_worth(pub, rules, weights, hand, unseen, trump, seat):
    """Return how many tricks a hand is likely to win."""
    total = 0.0
    while hand != 0:
        total += worth(pub, rules, weights, lowest(hand), unseen, trump, seat)
        hand &= hand - 1
    return total


@inlined
def cell_of(left, won):
    """Return the first weight of the cell of so many tricks left and won."""
    k = left - 1
    return W_CELLS + CELL * (14 * k + 13 * k * left // 2 - k * left * (2 * left - 1) // 6 + won * (left + 1))


@inlined
def scores_before(pub, seat):
    """Return the score with which a seat began the round that is being played."""
    return np.int64(pub.scores[seat]) - np.int64(pub.gained[seat]) + np.int64(pub.lost[seat])


@bare
def outlook(pub, rules, weights, seat, left, won, gain, loss):
    """Return what a position is worth to a seat in points ahead, as a polynomial of its hand's worth and the lead.

    left, won: tricks. gain, loss: points for Treasures that the seat and the other one get at once.
    """
    other = 1 - seat
    size = np.int64(rules.hand_size)
    a, b = scores_before(pub, seat), scores_before(pub, other)
    c, d = np.int64(pub.scores[seat]) + gain, np.int64(pub.scores[other]) + loss
    whole = point_size(rules, weights[W_NEAR], a, b)
    before = chance(rules, a, b)
    at = cell_of(left, won)
    k0, k1, k2, k3, k4, k5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for more in range(left + 1):
        mine, theirs = c + rules.bands[won + more], d + rules.bands[size - won - more]
        if whole > 0.0:
            points = whole * (chance(rules, mine, theirs) - before)
        else:
            points = np.float64(mine - a - theirs + b)
        if left == 0:
            return points, 0.0, 0.0, 0.0, 0.0, 0.0
        k0 += points * weights[at]
        k1 += points * weights[at + 1]
        k2 += points * weights[at + 2]
        k3 += points * weights[at + 3]
        k4 += points * weights[at + 4]
        k5 += points * weights[at + 5]
        at += CELL
    return k0, k1, k2, k3, k4, k5


@inlined
def worth_of(view, left, total, lead):
    """Return an outlook's points for a hand that is worth `total` tricks of those left."""
    x = min(1.0, max(0.0, total / max(1, left)))
    return view[0] + x * (view[1] + x * (view[2] + x * view[3])) + lead * (view[4] + x * view[5])


@bare
def view_of(pub, rules, weights, seat, wins, sevens):
    """Return the outlook after a trick that `seat` wins or loses, with so many Treasures in it."""
    points = sevens * np.int64(rules.treasure)
    left = np.int64(rules.hand_size) - pub.trick - 1
    won = np.int64(pub.tricks[seat])
    if wins:
        return outlook(pub, rules, weights, seat, left, won + 1, points, points - points)
    return outlook(pub, rules, weights, seat, left, won, points - points, points)


@inlined
def after_trick(pub, rules, view, wins, seat, card, total):
    """Return what an outlook is worth after a trick in which `seat` played `card`."""
    left = np.int64(rules.hand_size) - pub.trick - 1
    if wins:
        lead = pub.table[1 - seat] < 0 or text_of(pub, rules, 1 - seat) != A_SWAN
    else:
        lead = text_of_card(pub, rules, card, seat) == A_SWAN
    return worth_of(view, left, total, np.float64(lead))


@kernel
def value(s, rules, out):
    """Write what the round is worth to each seat at its end, or between two tricks what it is likely to be worth."""
    p = s.pub
    if p.phase == D_LEAD:
        points = 0.5 * (between(s, rules, np.int64(0)) - between(s, rules, np.int64(1)))
    elif p.phase < T_DONE:
        return 0
    else:
        a, b = np.int64(p.scores[0] - p.last_points[0]), np.int64(p.scores[1] - p.last_points[1])
        whole = point_size(rules, WEIGHTS[W_NEAR], a, b)
        if whole == 0.0:
            points = np.float64(p.last_points[0] - p.last_points[1])
        elif p.phase == T_END:
            points = whole * (0.5 * np.float64(1 + (p.won == 0) - (p.won == 1)) - chance(rules, a, b))
        else:
            points = whole * (chance(rules, np.int64(p.scores[0]), np.int64(p.scores[1])) - chance(rules, a, b))
    out[0] = min(1.0, max(0.0, 0.5 + points / REACH))
    out[1] = 1.0 - out[0]
    return 1


@bare
def between(s, rules, seat):
    """Return the points ahead that a position between two tricks is worth to a seat."""
    p = s.pub
    left = np.int64(rules.hand_size) - p.trick
    nothing = np.int64(0)
    view = outlook(p, rules, WEIGHTS, seat, left, np.int64(p.tricks[seat]), nothing, nothing)
    mine = s.priv[seat]
    total = hand_worth(p, rules, WEIGHTS, mine.hand, unseen_by(p, mine), np.int64(p.trump), seat)
    return worth_of(view, left, total, np.float64(p.leader == seat))


@bare
def skilled(pub, mine, rules, weights, options, n, key):
    """Take the option whose positions after the trick are worth most."""
    phase = pub.phase
    seat = np.int64(pub.actor)
    unseen = unseen_by(pub, mine)
    trump = np.int64(pub.trump)
    if phase == D_LEAD:
        return lead_best(pub, mine, rules, weights, options, n, seat, unseen, trump)
    if phase == D_FOLLOW or phase == D_AGAIN or phase == D_ASIDE:  # noqa: SIM109
        return follow_best(pub, mine, rules, weights, options, n, seat, unseen, trump)
    if phase == D_FOX:
        return fox_best(pub, mine, rules, weights, options, n, seat, unseen)
    if phase == D_BOTTOM or phase == D_POTION or phase == D_GIVE:  # noqa: SIM109
        return give_best(pub, mine, rules, weights, options, n, seat, unseen, trump)
    wants = want(pub, mine, rules, weights, seat, unseen, trump)
    return novice(PLAN_HIGH if wants else PLAN_LOW, pub, mine, rules, options, n, key)


@bare
def want(pub, mine, rules, weights, seat, unseen, trump):
    """Tell whether winning the trick that is being played is worth more than losing it."""
    total = hand_worth(pub, rules, weights, mine.hand, unseen, trump, seat)
    card = np.int64(max(0, pub.table[seat]))
    none = np.int64(0)
    win = after_trick(pub, rules, view_of(pub, rules, weights, seat, True, none), True, seat, card, total)
    return win > after_trick(pub, rules, view_of(pub, rules, weights, seat, False, none), False, seat, card, total)


@bare
def lead_best(pub, mine, rules, weights, options, n, seat, unseen, trump):
    """Lead the card with the best expectation over what the other player can answer."""
    total = hand_worth(pub, rules, weights, mine.hand, unseen, trump, seat)
    held = popcount(mine.hand)
    log_miss = math.log(1.0 - np.float64(held) / (popcount(unseen) + 1.0))  # an unseen card is not in the other hand
    trumps = popcount(unseen & suit_mask(trump)) if trump >= 0 else np.int64(0)
    no_trump = math.exp(log_miss * trumps)
    none = np.int64(0)
    view_win = view_of(pub, rules, weights, seat, True, none)
    view_lose = view_of(pub, rules, weights, seat, False, none)
    best = -1e18
    code = np.int64(options[0])
    for i in range(n):
        card = (np.int64(options[i]) >> 10) & 1023
        f = face(pub, rules, card, seat)
        suit = np.int64(rules.suit[f])
        rest = total - worth(pub, rules, weights, card, unseen, trump, seat)
        text = text_of_card(pub, rules, card, seat)
        to_win, to_lose = view_win, view_lose
        if text == A_TREASURE:
            to_win = view_of(pub, rules, weights, seat, True, np.int64(1))
            to_lose = view_of(pub, rules, weights, seat, False, np.int64(1))
        win = after_trick(pub, rules, to_win, True, seat, card, rest)
        lose = after_trick(pub, rules, to_lose, False, seat, card, rest)
        if suit >= 0:
            others = unseen & suit_mask(suit)
            low = popcount(others & (bit_of(f) - 1))
            high = popcount(others) - low
        else:
            low = popcount(unseen) * np.int64(rules.rank[f]) // RANKS
            high = popcount(unseen) - low
        if suit != trump and text == A_WITCH:
            high = popcount(unseen & suit_mask(trump) & ~(suit_mask(trump) >> 2)) if trump >= 0 else np.int64(0)
            low = popcount(unseen) - high
        none_low, none_high = math.exp(log_miss * low), math.exp(log_miss * high)
        void = none_low * none_high
        ruffs = void * (1.0 - no_trump) if suit != trump and suit >= 0 else 0.0
        takes = (1.0 - none_high) + ruffs  # the other player wins if it wants to
        must = none_low * (1.0 - none_high)  # ... and even if it does not
        smart = weights[W_SMART]
        if lose < win:
            beaten = smart * takes + (1.0 - smart) * must
        else:
            beaten = smart * must + (1.0 - smart) * takes
        made = win + beaten * (lose - win) + extra(weights, text)
        if made > best:
            best = made
            code = np.int64(options[i])
    return code


@inlined
def extra(weights, text):
    """Return what playing a Fox or a Woodcutter is worth beside the trick."""
    if text == A_FOX:
        return weights[W_FOX]
    if text == A_WOODCUTTER:
        return weights[W_WOODCUTTER]
    return 0.0


@bare
def follow_best(pub, mine, rules, weights, options, n, seat, unseen, trump):
    """Answer the card on the table; who wins is plain then."""
    other = np.int64(pub.table[1 - seat])
    if other < 0:
        return lead_best(pub, mine, rules, weights, options, n, seat, unseen, trump)
    cards = mine.aside if pub.phase == D_ASIDE else mine.legal
    win = winners(pub, rules, cards, seat)
    total = hand_worth(pub, rules, weights, mine.hand | cards, unseen, trump, seat)
    theirs = np.int64(text_of(pub, rules, 1 - seat) == A_TREASURE)
    view_win = view_of(pub, rules, weights, seat, True, theirs)
    view_lose = view_of(pub, rules, weights, seat, False, theirs)
    best = -1e18
    code = np.int64(options[0])
    for i in range(n):
        card = (np.int64(options[i]) >> 10) & 1023
        text = text_of_card(pub, rules, card, seat)
        rest = total - worth(pub, rules, weights, card, unseen, trump, seat)
        wins = (win >> card) & 1 == 1
        view = view_win if wins else view_lose
        if text == A_TREASURE:
            view = view_of(pub, rules, weights, seat, wins, theirs + 1)
        made = after_trick(pub, rules, view, wins, seat, card, rest) + extra(weights, text)
        if made > best:
            best = made
            code = np.int64(options[i])
    return code


@inlined
def pending(pub, rules, view_win, view_lose, seat, total, wins):
    """Return what the position is worth while a trick is on the table: as follower it is known who wins."""
    card = np.int64(pub.table[seat])
    if pub.table[1 - seat] >= 0:
        return after_trick(pub, rules, view_win if wins else view_lose, wins, seat, card, total)
    win = after_trick(pub, rules, view_win, True, seat, card, total)
    return 0.5 * (win + after_trick(pub, rules, view_lose, False, seat, card, total))


@bare
def fox_best(pub, mine, rules, weights, options, n, seat, unseen):
    """Keep the decree, or put a card down: by the hand's worth under the new trump."""
    none = np.int64(0)
    view_win = view_of(pub, rules, weights, seat, True, none)
    view_lose = view_of(pub, rules, weights, seat, False, none)
    best = -1e18
    code = np.int64(options[0])
    decree = bit_of(pub.decree)
    other = np.int64(pub.table[1 - seat])
    card = np.int64(pub.table[seat])
    for i in range(n):
        down = (np.int64(options[i]) >> 10) & 1023
        hand = mine.hand
        trump = np.int64(pub.trump)
        if i > 0:
            hand = (hand | decree) & ~bit_of(down)
            trump = np.int64(rules.suit[down])
        wins = False
        if other >= 0:
            wins = beats(rules, other, card, trump, text_of(pub, rules, 1 - seat) == A_WITCH)
        total = hand_worth(pub, rules, weights, hand, unseen, trump, seat)
        made = pending(pub, rules, view_win, view_lose, seat, total, wins)
        if made > best:
            best = made
            code = np.int64(options[i])
    return code


@inlined
def beats(rules, lead, card, trump, witch):
    """Tell whether a Fox takes the trick from `lead`, a Witch or not, when `trump` is trump."""
    lead_suit, suit = np.int64(rules.suit[lead]), np.int64(rules.suit[card])
    high = suit == trump
    lead_high = lead_suit == trump or witch
    if high != lead_high:
        return high
    return rules.rank[card] > rules.rank[lead] and (high or suit == lead_suit)


@bare
def give_best(pub, mine, rules, weights, options, n, seat, unseen, trump):
    """Give away the card without which the hand is worth most."""
    total = hand_worth(pub, rules, weights, mine.hand, unseen, trump, seat)
    wins = False
    if pub.table[1 - seat] >= 0 and pub.table[seat] >= 0:
        wins = winners(pub, rules, bit_of(pub.table[seat]), seat) != 0
    none = np.int64(0)
    view_win = view_of(pub, rules, weights, seat, True, none)
    view_lose = view_of(pub, rules, weights, seat, False, none)
    best = -1e18
    code = np.int64(options[0])
    for i in range(n):
        card = (np.int64(options[i]) >> 10) & 1023
        rest = total - worth(pub, rules, weights, card, unseen, trump, seat)
        made = pending(pub, rules, view_win, view_lose, seat, rest, wins)
        if made > best:
            best = made
            code = np.int64(options[i])
    return code
