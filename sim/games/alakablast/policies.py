"""Alakablast: players.

A policy reads the public record, its seat's own private record and the rules; nothing else is passed. Of its own public
cards it uses what it remembers (`mine.memory`), never what was said aloud (`pub.told`), which a forgetful player has
not kept. All sums over cards are of whole numbers, so that renaming Water, Fire and Plant changes no decision.

Histograms count cards by class: by element in an element duel, by strength in a level duel; the last column is the
total. Rows of the work table: my cards, my cards as the opponent sees them, the opponent's options, its options as it
sees them. Option 0 of an opponent is the best of its private cards, the others are its public cards.
"""

from __future__ import annotations

import math

import numpy as np

from sim import rng
from sim.bits import lowest, popcount
from sim.engine import NOVICE, pick_uniform
from sim.games.alakablast.engine import (
    IS_SPECIAL,
    SPLIT,
    STRENGTHS,
    WIN,
    bit_of,
    element_result,
    fits,
    source_of,
    stake_of,
    unseen_by,
)
from sim.games.alakablast.numbers import (
    ASK,
    CHALLENGE,
    ELEMENT,
    LEVEL,
    SLOT_MAX,
    SPECIAL,
    STEP_CLUE_CARD,
    STEP_FIRST,
    STEP_INFORMANT,
    STEP_TELL,
    STEP_TURN,
    STEP_TYPE,
    TELL,
    TYPE,
)
from sim.jit import kernel

TOTAL = STRENGTHS  # the last column of a histogram
OPTIONS = SLOT_MAX + 1
MINE, LOOKS, THEIRS, GUESS = 0, SLOT_MAX, 2 * SLOT_MAX, 2 * SLOT_MAX + OPTIONS
ROWS = 2 * SLOT_MAX + 2 * OPTIONS + 1  # and one row to spare
SPARE = ROWS - 1
GRAIN = 1048576.0  # payoffs are rounded to this part, so that the order of a sum does not matter

# The places of the weights of `skilled`.
W_RACE = 0  # how steeply the chance to win grows with gems
W_ASK = 1  # ask when no challenge is worth more than this ...
W_ASK_EACH = 2  # ... and this for each own public card of which nothing is known
W_MIX = 3  # how often to play the mixed strategy, not the best answer to the opponent's
W_STEPS = 4  # steps of fictitious play
W_TELL = 5  # how much knowing an element is thought to help, against a level at the end of the scale (1)
W_LATER = 6  # what a clue is thought to cost for each halving of what a card can be
W_BLUNT = 7  # how far the opponent is thought to play at random
W_KEEP = 8  # what it costs to spend a card that wins every duel in one of the features


@kernel
def choose(policy, pub, mine, rules, weights, options, n, key):
    """Return the code that a policy plays."""
    work = np.empty((ROWS, TOTAL + 1), np.float64)
    if policy == NOVICE:
        return novice(pub, mine, rules, options, n, key, work)
    return skilled(pub, mine, rules, weights, options, n, key, work)


# ---------------------------------------------------------------------------------------------------------------------
# Counting cards


@kernel
def count_classes(r, feature, mask, work, row):
    """Write the histogram of a mask."""
    if feature == ELEMENT:
        for e in range(5):
            work[row, e] = popcount(mask & r.by_element[e])
    else:
        for v in range(STRENGTHS):
            work[row, v] = popcount(mask & r.by_strength[v])
    work[row, TOTAL] = popcount(mask)


@kernel
def versus_element(r, work, i, my_off, j, their_off):
    """Return (win minus lose, tie) of row i against row j, as shares of all pairs."""
    net = 0.0
    tie = 0.0
    for e in range(5):
        if work[i, e] > 0.0:
            for f in range(5):
                pairs = work[i, e] * work[j, f]
                result = element_result(r, e, my_off, f, their_off)
                net += pairs * result
                if result == 0:
                    tie += pairs
    return net, tie


@kernel
def versus_level(work, i, j):
    """Return (win minus lose, tie) of row i against row j, as numbers of pairs."""
    below = 0.0
    win = 0.0
    tie = 0.0
    for v in range(STRENGTHS):
        win += work[i, v] * below
        tie += work[i, v] * work[j, v]
        below += work[j, v]
    return 2.0 * win + tie - work[i, TOTAL] * work[j, TOTAL], tie


@kernel
def versus(r, feature, work, i, my_off, j, their_off):
    """Return (win minus lose, tie) of row i against row j, as shares of all pairs."""
    if feature == ELEMENT:
        net, tie = versus_element(r, work, i, my_off, j, their_off)
    else:
        net, tie = versus_level(work, i, j)
    pairs = work[i, TOTAL] * work[j, TOTAL]
    return grain(net / pairs), grain(tie / pairs)


@kernel
def grain(x):
    """Round away what depends on the order of a sum."""
    return math.floor(x * GRAIN + 0.5) / GRAIN


@kernel
def candidates(pub, mine, r, seat, slot, unseen):
    """Return the cards that an own card can be."""
    if (pub.open[seat] >> slot) & 1 == 0:
        return bit_of(mine.hand[slot])
    wide = unseen & source_of(pub, seat, slot)
    narrow = wide & fits(r, mine.memory[slot])
    return narrow if narrow != 0 else (wide if wide != 0 else unseen)


@kernel
def guesses(pub, mine, r, seat, slot, unseen):
    """Return the cards that another seat may think its public card to be."""
    at = SLOT_MAX * seat + slot
    wide = unseen | mine.own
    left = np.int64(pub.open[seat])
    while left != 0:
        wide |= bit_of(mine.seen[SLOT_MAX * seat + lowest(left)])
        left &= left - 1
    narrow = wide & fits(r, pub.told[at])
    return narrow if narrow != 0 else wide


# ---------------------------------------------------------------------------------------------------------------------
# The novice


@kernel
def novice(pub, mine, r, options, n, key, work):
    """Challenge with the best card that is seen or told, ask when nothing is known; the rest is left to chance."""
    step = pub.step
    seat = np.int64(pub.actor)
    any_code = np.int64(options[pick_uniform(key, n)])
    if step not in (STEP_TURN, STEP_TYPE) and step < STEP_FIRST:
        return any_code
    slot, feature, most = np.int64(-1), np.int64(ELEMENT), -2.0
    for f in range(2):
        if step < STEP_FIRST or f == pub.feature:
            here, strength = best_known(pub, mine, r, seat, f, work)
            if strength > most:
                slot, feature, most = here, np.int64(f), strength
    if step == STEP_TURN:
        return novice_turn(r, slot, feature, options, n, key)
    if slot < 0:
        return any_code
    argument = slot if step >= STEP_FIRST else feature
    return np.int64(options[0]) - slot_of(options[0]) * 1024 + argument * 1024


@kernel
def slot_of(code):
    """Return the first argument of a code."""
    return (np.int64(code) >> 10) & 1023


@kernel
def best_known(pub, mine, r, seat, feature, work):
    """Return (slot, strength against a card unseen) of the best card that is seen or told; slot -1: none."""
    unseen = unseen_by(pub, mine, r)
    best, most = np.int64(-1), -2.0
    if unseen == 0:
        return best, most
    count_classes(r, feature, unseen, work, THEIRS)
    left = np.int64(pub.held[seat])
    while left != 0:
        slot = lowest(left)
        left &= left - 1
        if (pub.open[seat] >> slot) & 1:
            m = mine.memory[slot]
            told = m.element >= 0 if feature == ELEMENT else m.level > 0
            if not told and m.special != IS_SPECIAL:
                continue
        count_classes(r, feature, candidates(pub, mine, r, seat, slot, unseen), work, MINE)
        net, _ = versus(r, feature, work, MINE, pub.off[seat], THEIRS, 0)
        if net > most:
            best, most = slot, net
    return best, most


@kernel
def novice_turn(r, slot, feature, options, n, key):
    """Challenge anybody in the feature of the best known card; ask about any card where none is known (slot -1)."""
    asks = np.int64(0)
    while asks < n and np.int64(options[asks]) >> 20 == ASK:
        asks += 1
    if asks == n or (asks > 0 and slot < 0):
        return np.int64(options[pick_uniform(key, asks)])
    each = np.int64(1 if r.clue_first else 2)
    i = asks + each * pick_uniform(key, (n - asks) // each)
    return np.int64(options[i + feature if each == 2 else i])


# ---------------------------------------------------------------------------------------------------------------------
# The skilled player: what gems are worth


@kernel
def share_after(pub, r, weights, seat, winner, gain):
    """Return the share that a seat may expect once `winner` has so many gems more."""
    if pub.gems[winner] + gain >= r.target:
        return 1.0 if winner == seat else 0.0
    slope = weights[W_RACE] / r.target
    mine = 0.0
    total = 0.0
    for other in range(pub.n):
        strength = math.exp(slope * (pub.gems[other] + (gain if other == winner else 0)))
        total += strength
        if other == seat:
            mine = strength
    return mine / total


@kernel
def worth_of_tie(r, now):
    """Return what the ending with all cards tied is worth above the present share."""
    if r.all_tie_worth == SPLIT:
        return 1.0 / r.n - now
    return 1.0 - now if r.all_tie_worth == WIN else -now


# ---------------------------------------------------------------------------------------------------------------------
# The skilled player: a duel as a small game


@kernel
def lay_out(pub, mine, r, seat, other, feature, mask, work, slots):
    """Fill the histograms of a duel; return (number of my cards, number of the opponent's options).

    slots: 2, OPTIONS -> my slot; the opponent's slot (-1 the best of its private cards). `mask`, if not 0, is what the
    opponent will take the card in question to be.
    """
    unseen = unseen_by(pub, mine, r)
    hidden = unseen | mine.own
    rows = 0
    left = np.int64(pub.held[seat])
    while left != 0:
        slot = lowest(left)
        left &= left - 1
        known = candidates(pub, mine, r, seat, slot, unseen)
        public = (pub.open[seat] >> slot) & 1
        count_classes(r, feature, known, work, MINE + rows)
        count_classes(r, feature, known if public else hidden, work, LOOKS + rows)
        slots[0, rows] = slot
        rows += 1
    columns = 0
    private = popcount(np.int64(pub.held[other] & ~pub.open[other]))
    if private > 0:
        best_of(pub, r, feature, seat, other, rows, private, unseen, work)
        slots[1, 0] = -1
        columns = 1
    left = np.int64(pub.open[other])
    while left != 0:
        slot = lowest(left)
        left &= left - 1
        count_classes(r, feature, bit_of(mine.seen[SLOT_MAX * other + slot]), work, THEIRS + columns)
        asked = mask != 0 and slot == pub.slot
        thought = mask if asked else guesses(pub, mine, r, other, slot, unseen)
        count_classes(r, feature, thought, work, GUESS + columns)
        slots[1, columns] = slot
        columns += 1
    return rows, columns


@kernel
def best_of(pub, r, feature, seat, other, rows, private, unseen, work):
    """Write the histogram of the opponent's best private card: the best of so many unseen ones against what it sees."""
    count_classes(r, feature, unseen, work, SPARE)
    classes = 5 if feature == ELEMENT else STRENGTHS
    score = np.empty(STRENGTHS, np.float64)
    for c in range(classes):
        score[c] = c
        if feature == ELEMENT:
            score[c] = 0.0
            for i in range(rows):
                net = 0.0
                for e in range(5):
                    result = element_result(r, c, pub.off[other], e, pub.off[seat])
                    net += result * work[LOOKS + i, e]
                score[c] += net / work[LOOKS + i, TOTAL]
    total = work[SPARE, TOTAL]
    for c in range(classes):
        under = 0.0
        same = 0.0
        for d in range(classes):
            if score[d] < score[c]:
                under += work[SPARE, d]
            elif score[d] == score[c]:
                same += work[SPARE, d]
        chance = 0.0
        if work[SPARE, c] > 0.0:
            chance = (power(under + same, private) - power(under, private)) * work[SPARE, c] / same
        work[THEIRS, c] = chance
        work[GUESS, c] = chance
    work[THEIRS, TOTAL] = power(total, private)
    work[GUESS, TOTAL] = work[THEIRS, TOTAL]


@kernel
def power(x, n):
    """Return x to the n, exact for whole numbers."""
    made = x
    for _ in range(n - 1):
        made *= x
    return made


@kernel
def solve(pub, mine, r, weights, other, feature, mask, work, price, mix):
    """Play a duel against itself some steps; return what it is worth, in share; `mix` [slot] is how to play it.

    price: slots -> what it costs to spend the card. mix: slots and one; the last is the slot of the best answer to
    what the opponent is thought to play.
    """
    seat = np.int64(pub.actor)
    slots = np.empty((2, OPTIONS), np.int64)
    rows, columns = lay_out(pub, mine, r, seat, other, feature, mask, work, slots)
    pay = np.empty((2, SLOT_MAX, OPTIONS), np.float64)
    size = (rows, columns, popcount(np.int64(pub.held[other] & ~pub.open[other])))
    for side in range(2):
        payoffs(pub, r, weights, seat, other, feature, side, size, work, pay)
    for i in range(rows):
        for j in range(columns):
            pay[0, i, j] -= price[slots[0, i]]
    return fictitious(weights, size, slots, pay, mix)


@kernel
def payoffs(pub, r, weights, actor, opponent, feature, side, size, work, pay):
    """Fill pay[side, my card, option]: what each pair is worth to the actor (side 0) or, as it sees it, to the other.

    The rows are always the actor's cards. size: (rows, columns, how many private cards the first column stands for).
    """
    rows, columns, private = size
    seat, rival = (actor, opponent) if side == 0 else (opponent, actor)
    sign = 1.0 if side == 0 else -1.0
    first, second = (MINE, THEIRS) if side == 0 else (LOOKS, GUESS)
    chain = np.int64(pub.chain) if pub.step >= STEP_FIRST else np.int64(1)
    now = share_after(pub, r, weights, seat, seat, 0)
    win = share_after(pub, r, weights, seat, seat, stake_of(pub, r, seat, chain)) - now
    lose = share_after(pub, r, weights, seat, rival, stake_of(pub, r, rival, chain)) - now
    win_next = share_after(pub, r, weights, seat, seat, stake_of(pub, r, seat, chain + 1)) - now
    lose_next = share_after(pub, r, weights, seat, rival, stake_of(pub, r, rival, chain + 1)) - now
    net = np.empty((SLOT_MAX, OPTIONS), np.float64)
    tie = np.empty((SLOT_MAX, OPTIONS), np.float64)
    row_sum = np.zeros(SLOT_MAX, np.float64)
    column_sum = np.zeros(OPTIONS, np.float64)
    many = np.float64(columns - 1 + private) if private > 0 else np.float64(columns)
    whole = 0.0
    for i in range(rows):
        for j in range(columns):
            result, even = versus(r, feature, work, first + i, pub.off[actor], second + j, pub.off[opponent])
            net[i, j] = sign * result
            tie[i, j] = even
            times = private if j == 0 and private > 0 else 1
            row_sum[i] += times * net[i, j]
            column_sum[j] += net[i, j]
            whole += times * net[i, j]
    left = (rows - 1) * (many - 1.0)
    for i in range(rows):
        for j in range(columns):
            later = worth_of_tie(r, now)
            if left > 0.0:
                mean = (whole - row_sum[i] - column_sum[j] + net[i, j]) / left
                later = 0.5 * (1.0 + mean) * win_next + 0.5 * (1.0 - mean) * lose_next
            decided = 1.0 - tie[i, j]
            pay[side, i, j] = 0.5 * (decided + net[i, j]) * win + 0.5 * (decided - net[i, j]) * lose + tie[i, j] * later


@kernel
def fictitious(weights, size, slots, pay, mix):
    """Let both answer each other's play so far; return the value of my best answer (size: as in `payoffs`)."""
    rows, columns, private = size
    steps = np.int64(weights[W_STEPS])
    mine = np.zeros(SLOT_MAX, np.float64)
    theirs = np.zeros(OPTIONS, np.float64)
    my_sum = np.zeros(SLOT_MAX, np.float64)
    their_sum = np.zeros(OPTIONS, np.float64)
    base = np.zeros(SLOT_MAX, np.float64)  # against an opponent that plays at random
    cards = np.float64(columns - 1 + private) if private > 0 else np.float64(columns)
    for i in range(rows):
        for j in range(columns):
            times = private if j == 0 and private > 0 else 1
            base[i] += times * pay[0, i, j] / cards
            their_sum[j] += pay[1, i, j] / rows
    for i in range(rows):
        my_sum[i] = base[i]
        mix[slots[0, i]] = 0.0
    for _ in range(steps):
        i = best_of_row(my_sum, rows)
        j = best_of_row(their_sum, columns)
        mine[i] += 1.0
        theirs[j] += 1.0
        for k in range(rows):
            my_sum[k] += pay[0, k, j]
        for k in range(columns):
            their_sum[k] += pay[1, i, k]
    blunt = weights[W_BLUNT]
    best, most = np.int64(0), -1e18
    for i in range(rows):
        value = 0.0
        for j in range(columns):
            value += theirs[j] * pay[0, i, j]
        value = (1.0 - blunt) * value / steps + blunt * base[i]
        mix[slots[0, i]] = mine[i] / steps
        if value > most:
            best, most = np.int64(i), value
    mix[SLOT_MAX] = slots[0, best]
    return most


@kernel
def best_of_row(values, n):
    """Return the place of the greatest value, the first of several."""
    best = np.int64(0)
    for i in range(1, n):
        if values[i] > values[best]:
            best = np.int64(i)
    return best


# ---------------------------------------------------------------------------------------------------------------------
# The skilled player: decisions


@kernel
def skilled(pub, mine, r, weights, options, n, key, work):
    """Return the skilled player's code: whatever leads to a duel is valued by the same solver."""
    step = pub.step
    if step == STEP_CLUE_CARD:
        return widest(pub, mine, r, options, n)
    if step == STEP_INFORMANT:
        return fewest_gems(pub, options, n)
    mix = np.zeros(SLOT_MAX + 1, np.float64)
    price = np.zeros(SLOT_MAX, np.float64)
    price_cards(pub, mine, r, weights, work, price)
    best, most = np.int64(options[0]), -1e18
    asks = False
    for i in range(n):
        code = np.int64(options[i])
        if code >> 20 == ASK:
            asks = True
            continue
        value, mask = clue_cost(pub, mine, r, weights, code, work)
        first, last = features_of(pub, code)
        duel = -1e18 if first <= last else 0.0
        for feature in range(first, last + 1):
            duel = max(duel, solve(pub, mine, r, weights, rival_of(pub, code), feature, mask, work, price, mix))
        if step >= STEP_FIRST:
            return play_by(weights, options, n, key, mix)
        if value + duel > most:
            best, most = code, value + duel
    if asks and most < weights[W_ASK] + weights[W_ASK_EACH] * blind_cards(pub, mine, np.int64(pub.actor)):
        return widest(pub, mine, r, options, n)
    return best


@kernel
def price_cards(pub, mine, r, weights, work, price):
    """Fill price [slot]: a card that is strong in one feature is worth keeping."""
    seat = np.int64(pub.actor)
    unseen = unseen_by(pub, mine, r)
    left = np.int64(pub.held[seat]) if unseen != 0 else np.int64(0)
    while left != 0:
        slot = lowest(left)
        left &= left - 1
        known = candidates(pub, mine, r, seat, slot, unseen)
        best = -1.0
        for feature in range(2):
            count_classes(r, feature, known, work, MINE)
            count_classes(r, feature, unseen, work, SPARE)
            net, _ = versus(r, feature, work, MINE, pub.off[seat], SPARE, 0)
            best = max(best, net)
        price[slot] = weights[W_KEEP] * best


@kernel
def rival_of(pub, code):
    """Return the opponent in the duel that a code leads to."""
    if code >> 20 == CHALLENGE:
        return (np.int64(pub.actor) + slot_of(code)) % np.int64(pub.n)
    return np.int64(pub.other) if pub.actor == pub.turn_seat else np.int64(pub.turn_seat)


@kernel
def features_of(pub, code):
    """Return the first and the last feature that the duel may have; (1, 0) where there is none."""
    kind = code >> 20
    if kind == TELL and pub.step == STEP_TELL:
        return np.int64(1), np.int64(0)
    feature = np.int64(pub.feature)
    if kind == CHALLENGE:
        feature = code & 1023
    elif kind == TYPE:
        feature = slot_of(code)
    if feature > LEVEL:
        return np.int64(ELEMENT), np.int64(LEVEL)
    return feature, feature


@kernel
def play_by(weights, options, n, key, mix):
    """Play the best answer, or now and then by the mixed strategy."""
    slot = np.int64(mix[SLOT_MAX])
    if rng.uniform(key, 0) < weights[W_MIX]:
        x = rng.uniform(key, 1)
        for i in range(n):
            x -= mix[slot_of(options[i])]
            if x < 0.0:
                slot = slot_of(options[i])
                break
    return np.int64(options[0]) - slot_of(options[0]) * 1024 + slot * 1024


@kernel
def clue_cost(pub, mine, r, weights, code, work):
    """Return (what telling costs beside the duel, what the holder may take the card to be then; 0 if nothing is told).

    A clue is worth the more the fewer cards it leaves; the answer to an ask, the more the feature says.
    """
    feature = slot_of(code)
    if code >> 20 != TELL or feature >= SPECIAL:
        return 0.0, np.int64(0)
    holder, slot = np.int64(pub.holder), np.int64(pub.slot)
    place = np.int64(mine.seen[SLOT_MAX * holder + slot])
    unseen = unseen_by(pub, mine, r)
    before = guesses(pub, mine, r, holder, slot, unseen)
    after = before & (r.by_element[r.element[place]] if feature == ELEMENT else r.by_level[r.level[place]])
    if after == 0:
        after = bit_of(place)
    cost = weights[W_LATER] * math.log(popcount(before) / popcount(after))
    if pub.step == STEP_TELL:
        cost += usefulness(r, weights, place, feature, unseen, work)
    return -cost, after


@kernel
def blind_cards(pub, mine, seat):
    """Return the number of own public cards of which nothing was told."""
    made = 0
    left = np.int64(pub.open[seat])
    while left != 0:
        m = mine.memory[lowest(left)]
        made += m.element < 0 and m.level == 0 and m.special != IS_SPECIAL
        left &= left - 1
    return made


@kernel
def widest(pub, mine, r, options, n):
    """Ask about the own card that can be most; of an opponent's cards take the one that it knows best."""
    unseen = unseen_by(pub, mine, r)
    own = pub.step == STEP_TURN or pub.actor == pub.other
    best, most = np.int64(options[0]), np.int64(-1000)
    for i in range(n):
        code = np.int64(options[i])
        if pub.step == STEP_TURN and code >> 20 != ASK:
            continue
        if own:
            width = popcount(candidates(pub, mine, r, np.int64(pub.actor), slot_of(code), unseen))
        else:
            width = -popcount(guesses(pub, mine, r, np.int64(pub.other), slot_of(code), unseen))
        if width > most:
            best, most = code, width
    return best


@kernel
def usefulness(r, weights, place, feature, unseen, work):
    """Return how much it is thought to help a holder to know a feature of a card: an average level helps least."""
    if feature == ELEMENT:
        return weights[W_TELL]
    count_classes(r, LEVEL, bit_of(place), work, MINE)
    count_classes(r, LEVEL, unseen | bit_of(place), work, THEIRS)
    net, _ = versus(r, LEVEL, work, MINE, 0, THEIRS, 0)
    return abs(net)


@kernel
def fewest_gems(pub, options, n):
    """Let the player with the fewest gems answer."""
    best = np.int64(options[0])
    for i in range(1, n):
        here = (np.int64(pub.actor) + slot_of(options[i])) % np.int64(pub.n)
        there = (np.int64(pub.actor) + slot_of(best)) % np.int64(pub.n)
        if pub.gems[here] < pub.gems[there]:
            best = np.int64(options[i])
    return best
