"""Elestrals: the kernels that choose: every option of a step gets a value, the best is taken, ties by code.

`novice` looks at the fights at hand and at the cards on the table (the names `W_...` say what each of its numbers is);
how `skilled` thinks stands in `skilled.py`.
"""

from __future__ import annotations

import numpy as np

from sim.engine import SKILLED
from sim.game import Lookahead
from sim.games.elestrals import codes
from sim.games.elestrals import opcodes as oc
from sim.games.elestrals.board import L_ATTACK, PH_MAIN, count, field
from sim.games.elestrals.skilled import think
from sim.jit import kernel

# Fifty playouts cannot tell ten options apart: the expert leaves what `skilled` plays only for what is clearly better.
LOOKAHEAD = Lookahead(policies=(SKILLED,), mix=0.0, c=0.3, trust=1.5)
SPIRIT_DECK = np.int64(codes.SPIRIT_DECK)
(
    W_ASCEND, W_CAST, W_ENCHANT, W_DRAW, W_RUNE, W_USE, W_SET, W_BODY, W_DAMAGE, W_KILL, W_LOSE, W_COUNTER, W_LIFE,
    W_FULL, W_STACK, W_MISFIT,
) = range(16)  # fmt: skip


@kernel
def enemy_best(pub, foe):
    """Return the highest attack of a player's bodies in play."""
    best = np.int64(0)
    for k in range(4):
        if pub.card[foe, k] >= 0:
            best = max(best, pub.attack[foe, k])
    return best


@kernel
def bodies(pub, seat):
    """Return how many bodies a player has."""
    n = 0
    for k in range(4):
        if pub.card[seat, k] >= 0:
            n += 1
    return n


@kernel
def worth(pub, rules, weights, seat, k):
    """Return what a card on the field is worth to its player."""
    card = pub.card[seat, k]
    if card == -1:
        return 1.5
    if card < 0:
        return 0.0
    return weights[W_BODY] * rules.card[card].total * 0.5 + 0.7 * count(pub.spirits[seat, k])


@kernel
def fight(pub, rules, weights, seat, k, target):
    """Return the value of an attack: what falls, what is Expended, the game."""
    foe = 1 - seat
    mine = count(pub.spirits[seat, k])
    a = pub.attack[seat, k]
    if target == SPIRIT_DECK:
        if a == 0:
            return -1.0
        return 1000.0 if mine > pub.life[foe] else weights[W_DAMAGE] * mine
    j = target - 9
    theirs = count(pub.spirits[foe, j])
    if pub.pos[foe, j] == 1:
        return weights[W_KILL] + worth(pub, rules, weights, foe, j) if a > pub.defence[foe, j] else -0.5
    b = pub.attack[foe, j]
    value = 0.0
    if a >= b and a > 0:
        value += weights[W_KILL] + worth(pub, rules, weights, foe, j)
        if mine > theirs:
            value += 1000.0 if mine - theirs > pub.life[foe] else weights[W_DAMAGE] * (mine - theirs)
    if a <= b and b > 0:
        value -= weights[W_LOSE] + worth(pub, rules, weights, seat, k)
        if theirs > mine:
            value -= weights[W_DAMAGE] * (theirs - mine)
            if theirs - mine > pub.life[seat]:
                value -= 1000.0
    return value


@kernel
def action(pub, mine, rules, weights, seat, kind, a, b):
    """Return the value of an action of the Main Phase."""
    life = pub.life[seat]
    poor = weights[W_FULL] if life <= 3 else 0.0
    if kind == codes.NEXT:
        return 0.5
    if kind == codes.ASCEND:
        card = rules.card[a]
        old = pub.card[seat, b]
        gain = card.total - rules.card[old].total
        value = weights[W_ASCEND] * 0.5 * gain + card.attack - pub.attack[seat, b]
        pool = pub.spirits[seat, b] + pub.sp[seat]
        for e in range(8):
            if field(pool, e) < field(card.cost, e):
                value -= weights[W_MISFIT]
        if card.total > count(pub.spirits[seat, b]) + 1:
            value -= weights[W_STACK] * (card.total - count(pub.spirits[seat, b]) - 1)
        return value - poor
    if kind == codes.CAST:
        card = rules.card[a]
        value = weights[W_CAST] - 4.0 * bodies(pub, seat) + 0.5 * (card.attack + card.defence)
        for e in range(8):
            if field(card.cost, e) > field(pub.sp[seat], e):
                value -= weights[W_MISFIT]
        return value - (0.0 if bodies(pub, seat) == 0 else poor)
    if kind == codes.ENCHANT:
        return weights[W_ENCHANT] - weights[W_STACK] * count(pub.spirits[seat, a]) - poor
    if kind == codes.DRAW:
        return weights[W_DRAW] - mine.n - poor - (20.0 if pub.deck_n[seat] <= 5 else 0.0)
    if kind == codes.SET:
        k = rules.card[a].kind
        return weights[W_SET] if k == oc.COUNTER else -1.0
    if kind == codes.RUNE or kind == codes.CAST_SET:
        number = a if kind == codes.RUNE else mine.set[a]
        k = rules.card[number].kind
        value = weights[W_RUNE] - 1.5 * rules.card[number].total - poor
        if k == oc.COUNTER:
            return -1.0
        if k == oc.STADIUM and pub.card[seat, 8] == number:
            return -1.0
        return value + (2.0 if k != oc.INVOKE and k != oc.STADIUM else 0.0)
    if kind == codes.USE:
        return weights[W_USE] - poor
    if kind == codes.ROUTE:
        return weights[W_CAST] - 4.0 * bodies(pub, seat) - poor
    if kind == codes.TURN:
        want = 0 if pub.attack[seat, a] >= max(1, enemy_best(pub, 1 - seat)) else 1
        return 3.0 if pub.pos[seat, a] != want else -1.0
    return 0.0


@kernel
def answer(pub, mine, rules, weights, seat, kind, a):
    """Return the value of a link: Counters answer what the other player does."""
    if pub.n_links == 0:
        if pub.phase == PH_MAIN or pub.active == seat:
            return -1.0
        return weights[W_COUNTER] - 3.0
    if pub.link_seat == seat or pub.negated == 1:
        return -1.0
    value = weights[W_COUNTER]
    if pub.link_kind == L_ATTACK:
        foe = 1 - seat
        target = SPIRIT_DECK if pub.defender < 0 else 9 + pub.defender
        value += fight(pub, rules, weights, foe, pub.attacker, target) - 2.0
    if pub.life[seat] <= 2:
        value -= 3.0
    return value


@kernel
def spirit(pub, mine, rules, seat, place, e):
    """Return the value of giving (or taking back, or placing) a Spirit of an element from a place."""
    lacking = field(mine.lacking, e)
    value = 20.0 if lacking > 0 else 0.0
    if place == 19:
        return value + 1.0 - 0.05 * field(pub.sp[seat], e)
    if place == 0:
        return value + 5.0 + 0.1 * field(pub.sp[seat], e)
    k = place - 1
    card = pub.card[seat, k]
    if card < 0:
        return value
    spare = count(pub.spirits[seat, k]) - rules.card[card].total
    short = field(pub.spirits[seat, k], e) <= field(rules.card[card].cost, e)
    return value + (6.0 if spare > 0 and not short else 0.0) - (2.0 if short else 0.0) - 1.0


@kernel
def target(pub, mine, rules, weights, seat, place):
    """Return the value of a card as a target: an own one for what helps, else the best of the other player."""
    own = place < 9
    who = seat if own else 1 - seat
    k = place if own else place - 9
    value = worth(pub, rules, weights, who, k)
    return value if own == (mine.helps == 1) else -value


@kernel
def card_value(pub, mine, rules, seat, number):
    """Return how much a card is wanted."""
    card = rules.card[number]
    value = 2.0 * card.total + (1.0 if card.kind == oc.ELESTRAL else 0.5)
    if card.kind == oc.ELESTRAL and card.total == 1 and bodies(pub, seat) == 0:
        value += 6.0
    return value


@kernel
def value_of(pub, mine, rules, weights, code):
    """Return the value of an option."""
    seat = pub.actor
    kind = code >> 20
    a = (code >> 10) & 1023
    b = code & 1023
    if code == 0:
        return 0.0
    if kind == codes.PAY:
        return spirit(pub, mine, rules, seat, a, b)
    if kind == codes.ATTACK:
        return fight(pub, rules, weights, seat, a, b)
    if kind == codes.POSITION:
        card = mine.subject
        if card < 0:
            return 0.0
        best = enemy_best(pub, 1 - seat)
        brave = rules.card[card].attack > best or (rules.card[card].attack == best and best > 0)
        brave = brave or (rules.card[card].attack >= rules.card[card].defence and bodies(pub, 1 - seat) == 0)
        return 1.0 if (a == 0) == brave else 0.0
    if kind == codes.ANSWER or (kind == codes.CAST_SET and (pub.phase != PH_MAIN or pub.n_links > 0)):
        return answer(pub, mine, rules, weights, seat, kind, a)
    if kind == codes.DONOR:
        return spirit(pub, mine, rules, seat, a + 1, b) - 10.0
    if kind == codes.TARGET:
        return 0.1 + target(pub, mine, rules, weights, seat, a)
    if kind == codes.HOST:
        return worth(pub, rules, weights, seat, a) if a < 9 else -1.0
    if kind == codes.GIVE_UP:
        return -worth(pub, rules, weights, seat, a)
    if kind == codes.SEARCH or kind == codes.TAKE:
        return card_value(pub, mine, rules, seat, a)
    if kind == codes.DISCARD:
        return -card_value(pub, mine, rules, seat, a)
    if kind == codes.PUT_BACK:
        return -1.0
    if kind == codes.MULLIGAN:
        for i in range(mine.n):
            card = rules.card[mine.hand[i]]
            if card.kind == oc.ELESTRAL and card.total == 1:
                return -1.0
        return 1.0
    if kind == codes.NEXUS_FROM:
        card = pub.card[seat, a]
        return 1.0 * (count(pub.spirits[seat, a]) - rules.card[card].total) - 0.5
    if kind == codes.NEXUS_TO:
        return 1.0 + pub.attack[seat, a] if a < 4 else 1.5
    if kind == codes.TRIGGER or kind == codes.YES:
        return 1.0
    if kind == codes.USE and pub.phase != PH_MAIN:
        return 1.0
    if kind == codes.CHOICE:
        return 1.0 * b
    return action(pub, mine, rules, weights, seat, kind, a, b)


@kernel
def choose(policy, pub, mine, rules, weights, options, n, key):
    """Return the best of options[:n]."""
    if policy == SKILLED:
        return think(pub, mine, rules, weights, options, n)
    best = -1e18
    code = np.int64(options[0])
    for i in range(n):
        value = value_of(pub, mine, rules, weights, np.int64(options[i]))
        if value > best:
            best = value
            code = np.int64(options[i])
    return code
