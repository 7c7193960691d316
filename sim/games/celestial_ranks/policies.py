"""Celestial Ranks: players.

A policy reads the public record, its seat's own private record and the rules; nothing else is passed. Contracts are
known by number only, so that courts with the same contracts are played alike.
"""

from __future__ import annotations

import numpy as np

from sim.bits import highest, lowest, popcount
from sim.engine import NOVICE
from sim.games.celestial_ranks import hands
from sim.games.celestial_ranks.engine import (
    ARG,
    K_AUTO,
    K_BLOCK,
    K_DISCARD,
    K_DRAW,
    K_PICK,
    P_ACT,
    P_BLOCK,
    P_COURT,
    P_DECLARE,
    P_DRAW,
    P_OVERRIDE,
    P_PICK,
)
from sim.games.celestial_ranks.numbers import JOKER, LAY_AUTO, LAY_OFF, LAY_OFF_MANY, SHIFT_PLAY, WILD
from sim.jit import kernel

NATURALS = hands.NATURALS

# The weights of `skilled`: the place of each number in `SKILLED_WEIGHTS` of the facts.
W_ORDER = 0  # three: how far up from the easiest element left to declare, with none, one, two collected; -1: as printed
W_DANGER_LAID = 3  # outs that it costs to give the next player a card that can be laid off
W_DANGER_WANT = 4  # a rank that the next player has been collecting
W_BLOCK_CARDS = 5  # block a Shifter who has so few cards left
W_BLOCK_NEED = 6  # block then also with a Joker that the contract needs
W_SHIFT_AT = 7  # shift from this distance on
W_TAKE_QUEEN = 8  # take a discarded queen for its Shift
W_SAME_RANK = 9  # after laying down: cost of a rank that others collect
W_KEEP = 10  # keep a card that can be laid off later
W_KEEP_QUEEN = 11  # keep a shift queen


STUCK = 30  # own turns of a round after which a player lets go of what he holds on to


@kernel
def choose(policy, pub, mine, rules, weights, options, n, key):
    """Return the code that a policy plays."""
    phase = pub.phase
    novice = policy == NOVICE
    if phase == P_ACT:
        return act(novice, pub, mine, rules, weights, options, n)
    if phase == P_DRAW:
        return draw(novice, pub, mine, rules, weights, options, n)
    if phase == P_DECLARE:
        return declare(novice, pub, rules, weights, options, n)
    if phase == P_PICK:
        return pick(pub, mine, rules, options, n)
    if phase == P_BLOCK:
        return block(novice, pub, mine, rules, weights)
    if phase == P_OVERRIDE:
        return np.int64(options[n - 1])
    if phase == P_COURT:
        return court(rules, options, n)
    return np.int64(options[0])


@kernel
def court(rules, options, n):
    """Take the court whose contracts are easiest in sum."""
    best = np.int64(1 << 40)
    code = np.int64(options[0])
    for i in range(n):
        side = (options[i] >> 10) & 1023
        total = np.int64(0)
        for e in range(4):
            total += rules.points[rules.contract[side, e]]
        if total < best:
            best = total
            code = np.int64(options[i])
    return code


@kernel
def declare(novice, pub, rules, weights, options, n):
    """The easiest contract first; `skilled` may take one further up, by the number of elements that it has."""
    skip = np.int64(0)
    if not novice and weights[W_ORDER] < 0.0:
        return printed_first(options, n)
    if not novice and n > 1:
        skip = min(n - 1, np.int64(weights[W_ORDER + 4 - n]))
    code = np.int64(options[0])
    for i in range(n):
        easier = 0
        mine = np.int64(rules.points[(options[i] >> 10) & 1023])
        for j in range(n):
            theirs = np.int64(rules.points[(options[j] >> 10) & 1023])
            if theirs < mine or (theirs == mine and j < i):
                easier += 1
        if easier == skip:
            code = np.int64(options[i])
    return code


@kernel
def printed_first(options, n):
    """Return the declaration that stands first in the court's printed list."""
    code = np.int64(options[0])
    for i in range(n):
        if (options[i] & 1023) < (code & 1023):
            code = np.int64(options[i])
    return code


@kernel
def may_meld_jokers(pub, seat):
    """Tell whether the seat's Jokers may be melded."""
    return (pub.off[seat] >> WILD) & 1 == 0


@kernel
def unseen(pub, mine, rules, seat):
    """Return (types with an unseen copy, with two, unseen Jokers) from where the seat sits."""
    one = pub.gone1 | mine.hand.M
    two = pub.gone2 | mine.hand.D | (pub.gone1 & mine.hand.M)
    jokers = np.int64(pub.gone_jokers) + mine.hand.J
    for other in range(pub.n):
        if other != seat:
            two |= pub.known2[other] | (one & pub.known1[other])
            one |= pub.known1[other]
            jokers += pub.known_jokers[other]
    left = max(0, np.int64(rules.jokers) - jokers)
    if rules.decks == 2:
        return NATURALS & ~two, NATURALS & ~one, left
    return NATURALS & ~one, np.int64(0), left


@kernel
def takers(pub, rules, seat):
    """Return the natural types that `seat` may lay off now or once it has laid down."""
    mask = np.int64(0)
    for k in range(2 * np.int64(pub.n)):
        if pub.meld[k].kind >= 0 and (rules.layoff_any or k >> 1 != seat):
            mask |= pub.meld[k].accept0 | pub.meld[k].accept1
    return mask


@kernel
def joker_taken(pub, rules, seat):
    """Tell whether `seat` may lay off a Joker somewhere."""
    for k in range(2 * np.int64(pub.n)):
        if pub.meld[k].kind >= 0 and (rules.layoff_any or k >> 1 != seat) and pub.meld[k].joker_ends != 0:
            return True
    return False


@kernel
def draw(novice, pub, mine, rules, weights, options, n):
    """Take the top discard if it brings the contract nearer or can be laid off; a queen for its Shift."""
    seat = np.int64(pub.actor)
    if n == 1 or pub.disc_n == 0:
        return np.int64(options[0])
    take = np.int64(K_DRAW + ARG)
    top = np.int64(pub.disc[pub.disc_n - 1])
    wild = may_meld_jokers(pub, seat)
    if pub.laid[seat]:
        if top == JOKER:
            wanted = wild and joker_taken(pub, rules, seat)
        else:
            wanted = (takers(pub, rules, seat) >> top) & 1 == 1
        return take if wanted else np.int64(options[0])
    d, outs = hands.distance_and_outs(rules.tables, mine.hand, np.int64(pub.table[seat]), wild)
    if (outs >> top) & 1 and (d == 1 or not novice):
        return take
    if not novice and d > 0 and top != JOKER and (rules.queens >> top) & 1:
        if pub.off[seat] & 1 == 0 and weights[W_TAKE_QUEEN] > 0.0 and pub.stock_n > 0:
            return take
    return np.int64(options[0])


@kernel
def act(novice, pub, mine, rules, weights, options, n):
    """Lay down, lay off, shift, or discard."""
    seat = np.int64(pub.actor)
    kind = options[0] >> 20
    if kind == LAY_AUTO:
        return np.int64(K_AUTO)
    if kind in (LAY_OFF, LAY_OFF_MANY):
        return lay_off(pub, mine, options, n, seat)
    if kind == SHIFT_PLAY:
        code = shift(novice, pub, mine, rules, weights, options, n, seat)
        if code >= 0:
            return code
    if stuck(pub, seat) and popcount(mine.hand.M) >= 2:
        return K_DISCARD + another_card(pub, mine, seat) * ARG
    if pub.laid[seat]:
        return K_DISCARD + discard_after(novice, pub, mine, rules, weights, seat) * ARG
    return K_DISCARD + discard_before(novice, pub, mine, rules, weights, seat) * ARG


@kernel
def lay_off(pub, mine, options, n, seat):
    """Lay off the first card that can go, Jokers last; keep going until one card is left."""
    best = np.int64(options[0])
    for i in range(n):
        if options[i] >> 20 == LAY_OFF_MANY:
            best = np.int64(options[i])
    return best


@kernel
def queens_to_play(mine, rules):
    """Return how many shift queens the hand holds."""
    return popcount(mine.hand.M & rules.queens) + popcount(mine.hand.D & rules.queens)


@kernel
def shift(novice, pub, mine, rules, weights, options, n, seat):
    """Play a queen when what it fetches completes the contract or goes onto the table; -1: not now."""
    code = np.int64(-1)
    for i in range(n):
        if options[i] >> 20 == SHIFT_PLAY:
            code = np.int64(options[i])
    drawn = np.int64(mine.drawn)
    if pub.shifts > 0 and 0 <= drawn < JOKER and (rules.queens >> drawn) & 1:
        return np.int64(-1)  # one queen has fetched the other because the pile had nothing better: enough
    wild = may_meld_jokers(pub, seat)
    if pub.laid[seat]:
        n1, n2, jokers = unseen(pub, mine, rules, seat)
        fetchable = (takers(pub, rules, seat) & n1) != 0 or (wild and jokers > 0 and joker_taken(pub, rules, seat))
        return code if fetchable else np.int64(-1)
    table = np.int64(pub.table[seat])
    d = hands.distance(rules.tables, mine.hand, table, wild)
    near = np.int64(1) if novice else max(queens_to_play(mine, rules), np.int64(weights[W_SHIFT_AT]))
    if d > near:
        return np.int64(-1)
    # A queen that the contract needs is not worth the card that it fetches.
    card = (code >> 10) & 1023
    hands.remove_card(mine.hand, card)
    without, outs = hands.distance_and_outs(rules.tables, mine.hand, table, wild)
    hands.add_card(mine.hand, card)
    n1, n2, jokers = unseen(pub, mine, rules, seat)
    if without > d or hands.outs_weight(outs, n1, n2, jokers) == 0:
        return np.int64(-1)
    return code


@kernel
def stuck(pub, seat):
    """Tell whether it is time to let go: two players may each hold what the other needs, and go on for ever."""
    turns = np.int64(pub.turns[seat])
    if pub.laid[seat]:
        return turns > STUCK
    return turns > 2 * STUCK and turns % 16 < 6  # some turns of it, then some to build a hand anew


@kernel
def another_card(pub, mine, seat):
    """Return the lowest or, every second turn, the highest natural that is not the one just drawn."""
    held = mine.hand.M
    if mine.drawn >= 0 and mine.drawn < JOKER:
        held &= ~(np.int64(1) << np.int64(mine.drawn))
    return lowest(held) if pub.turns[seat] % 2 == 0 else highest(held)


@kernel
def discard_before(novice, pub, mine, rules, weights, seat):
    """The card whose loss leaves the nearest hand with the most unseen helpers; a safe one where it costs little."""
    wild = may_meld_jokers(pub, seat)
    table = np.int64(pub.table[seat])
    if novice and pub.turns[seat] <= STUCK:  # after so many turns everybody sees which cards are gone
        none = np.int64(0)
        return hands.best_discard(rules.tables, mine.hand, table, wild, none, none, none, np.int64(mine.drawn))[0]
    n1, n2, jokers = unseen(pub, mine, rules, seat)
    card = hands.best_discard(rules.tables, mine.hand, table, wild, n1, n2, jokers, np.int64(mine.drawn))[0]
    if novice:
        return card
    later = takers(pub, rules, seat)
    if hold(pub, rules, weights, seat, later, card) == 0.0:
        return card
    values = np.empty(53, np.int64)
    hands.discard_values(rules.tables, mine.hand, table, wild, n1, n2, jokers, values)
    best = 1e18
    for x in range(53):
        if values[x] >= 0:
            total = values[x] + hold(pub, rules, weights, seat, later, x)
            if total < best:
                best = total
                card = np.int64(x)
    return card


@kernel
def hold(pub, rules, weights, seat, later, card):
    """Return what throwing a card costs beside the hand's own outs: a gift, a lost lay-off, a lost Shift."""
    if card == JOKER:
        return 0.0
    cost = danger(pub, rules, weights, seat, card)
    if (later >> card) & 1:
        cost += weights[W_KEEP]
    if (rules.queens >> card) & 1 and pub.off[seat] & 1 == 0:
        cost += weights[W_KEEP_QUEEN]
    return cost


@kernel
def danger(pub, rules, weights, seat, card):
    """Return what giving this card to the next player costs, in outs."""
    nxt = (seat + 1) % np.int64(pub.n)
    if card == JOKER:
        return 0.0
    cost = 0.0
    if pub.laid[nxt] and (takers(pub, rules, nxt) >> card) & 1:
        cost += weights[W_DANGER_LAID]
    if not pub.laid[nxt]:
        ring = np.int64(hands.EVERY) << (card % 13)
        if pub.wants[nxt] & ring:
            cost += weights[W_DANGER_WANT]
    return cost


@kernel
def discard_after(novice, pub, mine, rules, weights, seat):
    """After laying down: throw what is least likely to be laid off later; give the next player nothing."""
    best = 1e18
    card = np.int64(JOKER)
    near = np.int64(0)
    for k in range(2 * np.int64(pub.n)):
        m = pub.meld[k]
        if m.kind >= 0 and (rules.layoff_any or k >> 1 != seat):
            a = m.accept0 | m.accept1
            near |= a | ((a << 1) & NATURALS) | (a >> 1)
    held = mine.hand.M
    while held != 0:
        x = lowest(held)
        held &= held - 1
        cost = 0.0
        if (near >> x) & 1:
            cost += 10.0
        if not novice:
            cost += danger(pub, rules, weights, seat, x)
            if (rules.queens >> x) & 1 and pub.off[seat] & 1 == 0:
                cost += 30.0
            ring = np.int64(hands.EVERY) << (x % 13)
            for other in range(pub.n):
                if other != seat and not pub.laid[other] and pub.wants[other] & ring:
                    cost += weights[W_SAME_RANK]
        if cost < best:
            best = cost
            card = x
    return card


@kernel
def block(novice, pub, mine, rules, weights):
    """Answer a Shift when the Joker is not needed, or when the Shifter is about to go out."""
    seat = np.int64(pub.actor)
    play = np.int64(K_BLOCK + ARG)
    if novice:
        return play if pub.laid[seat] and pub.shifter != seat else np.int64(K_BLOCK)
    if pub.laid[seat]:
        close = pub.laid[pub.shifter] and pub.hand_n[pub.shifter] <= weights[W_BLOCK_CARDS]
        return play if close else np.int64(K_BLOCK)
    wild = may_meld_jokers(pub, seat)
    table = np.int64(pub.table[seat])
    d = hands.distance(rules.tables, mine.hand, table, wild)
    hands.remove_card(mine.hand, JOKER)
    without = hands.distance(rules.tables, mine.hand, table, wild)
    hands.add_card(mine.hand, JOKER)
    if without == d:
        return play
    close = pub.hand_n[pub.shifter] <= weights[W_BLOCK_CARDS]
    return play if close and weights[W_BLOCK_NEED] > 0.0 else np.int64(K_BLOCK)


@kernel
def pick(pub, mine, rules, options, n):
    """Take what leaves the nearest hand; after laying down what can be laid off, a Joker for choice."""
    seat = np.int64(pub.actor)
    wild = may_meld_jokers(pub, seat)
    joker_there = mine.peek[JOKER] > 0
    if pub.laid[seat]:
        accepted = takers(pub, rules, seat)
        if joker_there and wild and joker_taken(pub, rules, seat):
            return np.int64(K_PICK + JOKER * ARG)
        for i in range(n):
            card = (options[i] >> 10) & 1023
            if card != JOKER and (accepted >> card) & 1 and not hands.has_card(mine.hand, card):
                return np.int64(options[i])
        for i in range(n):
            card = (options[i] >> 10) & 1023
            if card != JOKER and (accepted >> card) & 1:
                return np.int64(options[i])
        return np.int64(options[n - 1])
    table = np.int64(pub.table[seat])
    _, outs = hands.distance_and_outs(rules.tables, mine.hand, table, wild)
    n1, n2, jokers = unseen(pub, mine, rules, seat)
    best = np.int64(1 << 40)
    code = np.int64(options[n - 1])
    for i in range(n):
        card = (options[i] >> 10) & 1023
        if (outs >> card) & 1:
            hands.add_card(mine.hand, card)
            after, more = hands.distance_and_outs(rules.tables, mine.hand, table, wild)
            hands.remove_card(mine.hand, card)
            value = after * 1024 - hands.outs_weight(more, n1, n2, jokers)
            if value < best:
                best = value
                code = np.int64(options[i])
    return code
