"""The Fox in the Forest: players.

A policy reads the public record, its seat's own private record and the rules; nothing else is passed. `height` orders
cards by how likely they take a trick: trumps and Witches over the rest, then rank.
"""

from __future__ import annotations

import numpy as np

from sim.bits import highest, lowest, popcount
from sim.games.fox_in_the_forest import BOW, RANKS
from sim.games.fox_in_the_forest.engine import (
    A_WITCH,
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
    face,
    suit_mask,
)
from sim.jit import inlined, kernel

HIGH_RANKS = (EVERY_SUIT << 8) | (EVERY_SUIT << 9) | (EVERY_SUIT << 10)  # 9, 10, 11
MIDDLE_RANKS = (EVERY_SUIT << 6) | (EVERY_SUIT << 7)  # 7, 8
HIGH_FROM = 17  # a hand of so many points plans high
ENOUGH = 8  # tricks at which a novice who plans high stops


@kernel
def choose(policy, pub, mine, rules, weights, options, n, key):
    """Return the code that a policy plays."""
    return novice(policy, pub, mine, rules, options, n, key)


# ---------------------------------------------------------------------------------------------------------------------
# Cards


@inlined
def height(pub, rules, card, seat):
    """Return how high a card stands: rank, and more for a trump or a Witch."""
    f = face(pub, rules, card, seat)
    top = (rules.suit[f] == pub.trump and pub.trump >= 0) or rules.ability[f] == A_WITCH or f == BOW
    return np.int64(rules.rank[f]) + RANKS * np.int64(top)


@kernel
def lowest_card(pub, rules, mask, seat):
    """Return the card of a mask, which must not be empty, that stands lowest."""
    best = np.int64(1 << 20)
    card = np.int64(0)
    while mask != 0:
        c = lowest(mask)
        mask &= mask - 1
        h = height(pub, rules, c, seat)
        if h < best:
            best = h
            card = c
    return card


@kernel
def highest_card(pub, rules, mask, seat):
    """Return the card of a mask, which must not be empty, that stands highest."""
    best = np.int64(-1)
    card = np.int64(0)
    while mask != 0:
        c = lowest(mask)
        mask &= mask - 1
        h = height(pub, rules, c, seat)
        if h > best:
            best = h
            card = c
    return card


@inlined
def power(pub, rules, card, other, seat, follows):
    """Return the place of a card in a trick against the face `other`: trump, then a card that can win, then rank."""
    f = face(pub, rules, card, seat)
    suit = np.int64(rules.suit[f])
    rank = np.int64(rules.rank[f])
    trump = suit == pub.trump or (rules.ability[f] == A_WITCH and rules.ability[other] != A_WITCH)
    if suit < 0:
        trump = f == BOW or rules.suit[other] == pub.trump
    can = not follows or trump or suit < 0 or suit == rules.suit[other]
    return np.int64(trump) * 64 + np.int64(can) * 32 + rank


@kernel
def winners(pub, rules, mask, seat):
    """Return the cards of a mask that would take the trick from the card on the table of the other seat."""
    other = 1 - seat
    lead = face(pub, rules, np.int64(pub.table[other]), other)
    made = np.int64(0)
    follows = seat != pub.leader
    crowned = pub.crown[other] >= 0
    while mask != 0:
        c = lowest(mask)
        b = mask & -mask
        mask ^= b
        theirs = power(pub, rules, lead, face(pub, rules, c, seat), other, not follows)
        if crowned:
            theirs = (theirs & ~31) + RANKS
        ours = power(pub, rules, c, lead, seat, follows)
        if ours > theirs or (ours == theirs and not follows):
            made |= b
    return made


# ---------------------------------------------------------------------------------------------------------------------
# Novice


@inlined
def plans_high(pub, rules, cards):
    """Tell whether all cards that a seat has had this round are worth a plan to win tricks."""
    points = 2 * popcount(cards & HIGH_RANKS) + popcount(cards & MIDDLE_RANKS)
    if pub.trump >= 0:
        points += 2 * popcount(cards & suit_mask(np.int64(pub.trump)))
    return points >= HIGH_FROM


@kernel
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


@kernel
def extreme(pub, rules, mask, seat, high):
    """Return the card that stands highest or lowest."""
    return highest_card(pub, rules, mask, seat) if high else lowest_card(pub, rules, mask, seat)


@kernel
def answer(pub, rules, mask, seat, want):
    """Win as cheaply as possible, or lose with the highest card; where that cannot be, throw away the rest."""
    if pub.table[1 - seat] < 0:
        return extreme(pub, rules, mask, seat, want)
    win = winners(pub, rules, mask, seat)
    if want:
        return extreme(pub, rules, win if win != 0 else mask, seat, False)
    return extreme(pub, rules, mask & ~win if win != mask else mask, seat, True)


@kernel
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


@kernel
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
