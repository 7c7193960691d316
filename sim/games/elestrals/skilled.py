"""Elestrals: how `skilled` thinks: each option has features, a value is their weighted sum, the best is taken.

Features are things that a player looks at: what a fight kills and costs, whether it wins the game, what an action does
to the own Spirits when they run short, which body a card would face, what an effect does and what it costs. On top of
them each card has a column of weights for what it may be used for. `tuning` finds the weights by self-play; the rules
of thumb behind the features are listed in `tuning.md`.
"""

from __future__ import annotations

import numpy as np

from sim.games.elestrals import cards, codes
from sim.games.elestrals import opcodes as oc
from sim.games.elestrals.board import L_ATTACK, PH_BATTLE, PH_MAIN, count, field
from sim.games.elestrals.words import STEPS
from sim.jit import bare, kernel

SPIRIT_DECK = np.int64(codes.SPIRIT_DECK)
PLACES = np.int64(9)
MAX_FEATURES = 96

# What is seen before the options: the row that `survey` writes.
(
    S_LIFE, S_FOE, S_BODIES, S_ENEMIES, S_THREAT, S_BEST, S_CASTABLE, S_NORMAL, S_HIDDEN, S_RUNES, S_PRIZE, S_SPREAD,
    S_OPEN, S_BATTLE, N_SEEN,
) = range(15)  # fmt: skip

# Places of the weights. Groups with several weights say how many in the sum that follows them.
MOOD = 6  # spent Spirits, and the same with 0, up to 2, up to 5 left; lead; the other's are few
STANCE = 10
FIGHT = 15
EFFECT = 17
VICTIM = 10
N_OPS = 1 + max(int(word.number) for word in STEPS.values())  # weights for each word of a step
G_NEXT = 0
G_CAST = G_NEXT + 3
G_ASCEND = G_CAST + 17 + MOOD
G_ENCHANT = G_ASCEND + 13 + MOOD
G_DRAW = G_ENCHANT + 8 + MOOD
G_SET = G_DRAW + 5 + MOOD
G_RUNE = G_SET + 8
G_USE = G_RUNE + 12 + MOOD
G_ROUTE = G_USE + 3 + MOOD
G_TURN = G_ROUTE + 6 + MOOD
G_UP = G_TURN + STANCE
G_POSITION = G_UP + STANCE
G_FIGHT = G_POSITION + STANCE
G_EFFECT = G_FIGHT + FIGHT
G_PLAYED = G_EFFECT + EFFECT
G_HAPPENS = G_PLAYED + N_OPS
G_STEP = G_HAPPENS + N_OPS
G_ANSWER = G_STEP + N_OPS
G_PAY = G_ANSWER + 20
G_DONOR = G_PAY + 16
G_TARGET = G_DONOR + 7
G_HOST = G_TARGET + 6 * VICTIM
G_GIVE_UP = G_HOST + 6
G_WANT = G_GIVE_UP + 4
G_MULLIGAN = G_WANT + 7
G_NEXUS = G_MULLIGAN + 5
G_OTHER = G_NEXUS + 12
G_MORE = G_OTHER + 8
G_CARDS = G_MORE + 12
# A column of weights for each card, used wherever the card is cast, Ascended into, played, Set, wanted, for its first
# three abilities, when it is a victim, when it is given up, when it gets Spirits, when it fights; and what makes its
# abilities better or worse (a prize on the other side, few Spirits, a battle to come, own bodies, the lead), bodies
# (enemies, the turn), wishes (the turn, nothing to cast) and Spirits for it (those that it has).
(
    T_CAST, T_ASCEND, T_RUNE, T_SET, T_WANT, T_ABILITY, _, _, T_VICTIM, T_KEEP, T_RECEIVE, T_FIGHT, T_PRIZE, T_LOW,
    T_BATTLE, T_BODIES, T_LEAD, T_ENEMIES, T_LATE, T_WANT_LATE, T_WANT_NOW, T_UNDER, COLUMN,
) = range(23)  # fmt: skip
N_WEIGHTS = G_CARDS + COLUMN * (len(cards.all_cards()) + cards.MAX_OWN_CARDS)

HARM = sum(1 << int(STEPS[op].number) for op in (
    "destroy", "bounce", "botdeck", "suppress", "destroyif", "restrict", "steal", "stealrune", "negatefx",
))  # fmt: skip


@bare
def put(at, x, n, i, value):
    """Add feature `i`; return how many there are."""
    if value == 0.0 or n >= MAX_FEATURES:
        return n
    at[n] = i
    x[n] = value
    return n + 1


@bare
def flag(condition):
    """Return 1.0 if a condition holds."""
    return 1.0 if condition else 0.0


@bare
def is_off(pub, seat, card):
    """Say whether the text of a player's card is switched off for the whole deal."""
    return (pub.off[seat, card >> 5] >> (card & 31)) & 1 == 1


@bare
def column(pub, at, x, n, seat, card, what, value):
    """Add a weight of a card's column; a card without text has none."""
    if card < 0 or is_off(pub, seat, card):
        return n
    return put(at, x, n, G_CARDS + COLUMN * card + what, value)


@bare
def worth(pub, rules, seat, k):
    """Return the size of a card on the field: its cost and the Spirits underneath; a Set one counts as one."""
    card = pub.card[seat, k]
    if card < 0:
        return 1.0 if card == -1 else 0.0
    return 1.0 * (rules.card[card].total + count(pub.spirits[seat, k]))


@kernel
def survey(pub, mine, rules, options, n, seen):
    """Write what is seen before the options; seen: N_SEEN numbers."""
    seat = pub.actor
    foe = 1 - seat
    seen[:] = 0.0
    seen[S_LIFE] = pub.life[seat]
    seen[S_FOE] = pub.life[foe]
    for k in range(9):
        theirs = worth(pub, rules, foe, k)
        seen[S_PRIZE] = max(seen[S_PRIZE], theirs)
        seen[S_SPREAD] += theirs - worth(pub, rules, seat, k)
        if k >= 4:
            seen[S_RUNES] += flag(pub.card[seat, k] != -2)
            seen[S_HIDDEN] += flag(pub.card[foe, k] == -1)
            continue
        if pub.card[seat, k] >= 0:
            seen[S_BODIES] += 1.0
            if pub.pos[seat, k] == 0 and pub.attack[seat, k] > 0 and pub.used[seat, k] == 0:
                seen[S_OPEN] += count(pub.spirits[seat, k])
        if pub.card[foe, k] >= 0:
            seen[S_ENEMIES] += 1.0
            seen[S_BEST] = max(seen[S_BEST], 1.0 * pub.attack[foe, k])
            if pub.attack[foe, k] > 0:
                seen[S_THREAT] += count(pub.spirits[foe, k])
    for i in range(mine.n):
        card = rules.card[mine.hand[i]]
        seen[S_CASTABLE] += flag(card.kind == oc.ELESTRAL and card.total == 1)
    for i in range(n):
        kind = np.int64(options[i]) >> 20
        if codes.CAST <= kind <= codes.DRAW:
            seen[S_NORMAL] = 1.0
    seen[S_BATTLE] = flag(pub.active == seat and pub.turn > 1 and pub.phase <= PH_MAIN)


@bare
def mood(seen, at, x, n, group, spent):
    """Spirits are life: add what it means to spend some."""
    left = seen[S_LIFE] - spent
    n = put(at, x, n, group, spent)
    n = put(at, x, n, group + 1, flag(left <= 0.0) * spent)
    n = put(at, x, n, group + 2, flag(left <= 2.0) * spent)
    n = put(at, x, n, group + 3, flag(left <= 5.0) * spent)
    n = put(at, x, n, group + 4, 0.1 * (seen[S_LIFE] - seen[S_FOE]))
    return put(at, x, n, group + 5, flag(seen[S_FOE] <= 4.0))


@bare
def beats(pub, foe, attack):
    """Return how many bodies of the other player an attack would destroy without loss."""
    made = np.int64(0)
    for k in range(4):
        if pub.card[foe, k] >= 0 and attack > (pub.attack[foe, k] if pub.pos[foe, k] == 0 else pub.defence[foe, k]):
            made += 1
    return made


@bare
def stance(pub, seen, at, x, n, group, attack, defence):
    """Add what speaks for or against standing in Attack Position; the last of the group is for the caller to add."""
    best = seen[S_BEST]
    n = put(at, x, n, group, 1.0)
    n = put(at, x, n, group + 1, flag(attack > best))
    n = put(at, x, n, group + 2, flag(attack == best and best > 0.0))
    n = put(at, x, n, group + 3, 0.2 * max(-6.0, min(6.0, attack - best)))
    n = put(at, x, n, group + 4, 0.2 * (defence - attack))
    n = put(at, x, n, group + 5, flag(defence >= best))
    n = put(at, x, n, group + 6, flag(seen[S_BATTLE] > 0.0 and beats(pub, 1 - pub.actor, attack) > 0))
    n = put(at, x, n, group + 7, flag(seen[S_BATTLE] > 0.0 and seen[S_ENEMIES] == 0.0))
    return put(at, x, n, group + 8, flag(seen[S_LIFE] <= 3.0))


@kernel
def fight(pub, seat, k, target, out):
    """Write what an attack does: Spirits taken, Spirits lost, victim dies, attacker dies; out: 4 numbers."""
    foe = 1 - seat
    mine = count(pub.spirits[seat, k])
    a = pub.attack[seat, k] if pub.pos[seat, k] == 0 else pub.defence[seat, k]
    out[:] = 0.0
    if target == SPIRIT_DECK:
        out[0] = mine if a > 0 else 0.0
        return
    j = target - PLACES
    if pub.pos[foe, j] == 1:
        out[2] = flag(a > pub.defence[foe, j])
        return
    b = pub.attack[foe, j]
    theirs = count(pub.spirits[foe, j])
    out[2] = flag(a >= b and a > 0)
    out[3] = flag(a <= b and b > 0)
    out[0] = out[2] * max(np.int64(0), mine - theirs)
    out[1] = out[3] * max(np.int64(0), theirs - mine)


@kernel
def attack_features(pub, rules, seen, at, x, n, k, target, f):
    """Add what an attack is worth; f: 4 numbers of scratch."""
    seat = pub.actor
    foe = 1 - seat
    g = G_FIGHT
    own = pub.card[seat, k]
    fight(pub, seat, k, target, f)
    n = put(at, x, n, g, 1.0)
    n = put(at, x, n, g + 1, f[0])
    n = put(at, x, n, g + 2, flag(f[0] > seen[S_FOE]))
    n = put(at, x, n, g + 3, f[1])
    n = put(at, x, n, g + 4, flag(f[1] > seen[S_LIFE]))
    n = put(at, x, n, g + 5, f[3])
    n = put(at, x, n, g + 6, f[3] * worth(pub, rules, seat, k))
    n = put(at, x, n, g + 7, 0.2 * seen[S_HIDDEN] * worth(pub, rules, seat, k))
    n = put(at, x, n, g + 8, 0.5 * count(pub.spirits[seat, k]))
    n = column(pub, at, x, n, seat, own, T_FIGHT, 1.0)
    n = put(at, x, n, G_MORE + 9, flag(seen[S_OPEN] > count(pub.spirits[seat, k])))
    if target == SPIRIT_DECK:
        return put(at, x, n, g + 9, 1.0)
    j = target - PLACES
    n = put(at, x, n, g + 10, f[2])
    n = put(at, x, n, g + 11, f[2] * worth(pub, rules, foe, j))
    n = put(at, x, n, g + 12, flag(f[2] + f[3] == 0.0))
    # The last one that stands in the way: what is behind it can be reached.
    others = seen[S_OPEN] - (count(pub.spirits[seat, k]) if pub.used[seat, k] == 0 else 0)
    if f[2] > 0.0 and seen[S_ENEMIES] == 1.0:
        n = put(at, x, n, g + 13, others)
        n = put(at, x, n, g + 14, flag(others > seen[S_FOE] - f[0]))
    if f[2] > 0.0 and f[3] == 0.0:
        n = column(pub, at, x, n, foe, pub.card[foe, j], T_VICTIM, 1.0)
    return n


@bare
def amount_of(rules, i):
    """Return the plain part of an amount, at least 1 where it has to be counted."""
    if i < 0:
        return 1.0
    return max(1.0, 1.0 * rules.amount[i].plain)


@kernel
def effect_features(pub, rules, seen, at, x, n, card, ability, words):
    """Add what an ability does; words: the group of weights for its effect words."""
    seat = pub.actor
    a = rules.ability[ability]
    j = a.index
    if j < 3:
        n = column(pub, at, x, n, seat, card, T_ABILITY + j, 1.0)
    n = column(pub, at, x, n, seat, card, T_PRIZE, 0.25 * seen[S_PRIZE])
    n = column(pub, at, x, n, seat, card, T_LOW, flag(seen[S_LIFE] <= 4.0))
    n = column(pub, at, x, n, seat, card, T_BATTLE, seen[S_BATTLE])
    n = column(pub, at, x, n, seat, card, T_BODIES, 0.3 * seen[S_BODIES])
    n = column(pub, at, x, n, seat, card, T_LEAD, 0.1 * (seen[S_LIFE] - seen[S_FOE]))
    g = G_EFFECT
    for i in range(a.step, a.step + a.step_n):
        step = rules.step[i]
        n = put(at, x, n, words + step.op, 1.0)
        size = amount_of(rules, step.amount)
        if (HARM >> step.op) & 1 == 1:
            n = put(at, x, n, g, 0.25 * seen[S_PRIZE])
            n = put(at, x, n, g + 1, flag(seen[S_PRIZE] == 0.0))
            n = put(at, x, n, g + 2, 0.1 * seen[S_SPREAD])
            if seen[S_ENEMIES] == 1.0 and seen[S_BATTLE] > 0.0:  # the last body that stands in the way
                n = put(at, x, n, G_MORE, 0.3 * seen[S_OPEN])
                n = put(at, x, n, G_MORE + 1, flag(seen[S_OPEN] > seen[S_FOE]))
        elif step.op == oc.O_DRAIN:
            n = put(at, x, n, g + 3, size)
            n = put(at, x, n, g + 4, flag(step.who != oc.OWN and size > seen[S_FOE]))
            n = put(at, x, n, g + 5, flag(seen[S_FOE] <= 5.0))
        elif step.op == oc.O_DRAW:
            n = put(at, x, n, g + 6, flag(pub.deck_n[seat] <= 5))
            n = put(at, x, n, g + 7, 0.1 * pub.hand_n[seat])
        elif step.op == oc.O_RECOVER:
            n = put(at, x, n, g + 8, flag(count(pub.lost[seat]) >= 3))
            n = put(at, x, n, g + 9, flag(seen[S_LIFE] <= 5.0))
        elif step.op == oc.O_MILL:
            n = put(at, x, n, g + 10, flag(step.who != oc.OWN and pub.deck_n[1 - seat] <= 6))
    return n


@kernel
def cost_features(pub, rules, seen, at, x, n, card, ability, place):
    """Add what an ability costs; place: of its card on the field, or -1."""
    a = rules.ability[ability]
    g = G_EFFECT
    for i in range(a.cost, a.cost + a.cost_n):
        cost = rules.cost[i]
        size = 1.0 if cost.spirits < 0 else amount_of(rules, rules.spirits[cost.spirits].amount0)
        if cost.word == oc.X_EXP:
            n = put(at, x, n, g + 11, size)
            n = put(at, x, n, g + 12, flag(seen[S_LIFE] - size <= 2.0))
        elif cost.word == oc.X_DIS:
            n = put(at, x, n, g + 13, size)
            if cost.how == oc.H_REF and place >= 0 and card >= 0:
                left = count(pub.spirits[pub.actor, place]) - size
                n = put(at, x, n, g + 14, flag(left < rules.card[card].total))
        elif cost.word == oc.X_DISC:
            n = put(at, x, n, g + 15, 1.0)
    return put(at, x, n, g + 16, flag(a.step_n == 0))


@bare
def misfit(rules, pool, card):
    """Return how many Spirits of a card's colours are not in a pool."""
    made = np.int64(0)
    for e in range(8):
        made += max(np.int64(0), field(rules.card[card].cost, e) - field(pool, e))
    return made


@bare
def wins_open(pub, seen, k):
    """Return 1.0 if one more Spirit under the body at place `k` makes the attacks on a bare Spirit Deck win."""
    if seen[S_BATTLE] == 0.0 or seen[S_ENEMIES] > 0.0 or seen[S_OPEN] > seen[S_FOE]:
        return 0.0
    counted = pub.pos[pub.actor, k] == 0 and pub.attack[pub.actor, k] > 0
    reach = seen[S_OPEN] + 1.0 + (0 if counted else count(pub.spirits[pub.actor, k]))
    return flag(reach > seen[S_FOE])


@kernel
def cast_features(pub, mine, rules, seen, at, x, n, card):
    """Add what a Normal Cast is worth."""
    seat = pub.actor
    c = rules.card[card]
    g = G_CAST
    n = put(at, x, n, g + min(np.int64(3), np.int64(seen[S_BODIES])), 1.0)
    n = put(at, x, n, g + 4, 0.3 * c.attack)
    n = put(at, x, n, g + 5, 0.3 * c.defence)
    n = put(at, x, n, g + 6, flag(c.attack > seen[S_BEST]))
    n = put(at, x, n, g + 7, flag(c.defence >= seen[S_BEST]))
    n = put(at, x, n, g + 8, flag(seen[S_BATTLE] > 0.0 and beats(pub, 1 - seat, c.attack) > 0))
    n = put(at, x, n, g + 9, flag(seen[S_BATTLE] > 0.0 and seen[S_ENEMIES] == 0.0))
    n = put(at, x, n, g + 10, misfit(rules, pub.sp[seat], card))
    n = put(at, x, n, g + 11, flag(seen[S_BODIES] == 0.0 and seen[S_THREAT] > seen[S_LIFE] - 1.0))
    n = put(at, x, n, g + 12, 0.3 * max(0.0, seen[S_ENEMIES] - seen[S_BODIES]))
    n = put(at, x, n, g + 13, flag(seen[S_CASTABLE] == 1.0))
    n = put(at, x, n, g + 14, flag(is_off(pub, seat, card)))
    n = put(at, x, n, g + 15, 0.1 * pub.turn)
    n = put(
        at, x, n, g + 16, flag(seen[S_BATTLE] > 0.0 and seen[S_ENEMIES] == 0.0 and seen[S_OPEN] + 1.0 > seen[S_FOE])
    )
    n = column(pub, at, x, n, seat, card, T_CAST, 1.0)
    n = column(pub, at, x, n, seat, card, T_ENEMIES, 0.3 * seen[S_ENEMIES])
    n = column(pub, at, x, n, seat, card, T_LATE, 0.1 * pub.turn)
    return mood(seen, at, x, n, g + 17, 1.0)


@kernel
def ascend_features(pub, mine, rules, seen, at, x, n, card, b):
    """Add what an Ascend over the body at place `b` is worth."""
    seat = pub.actor
    foe = 1 - seat
    c = rules.card[card]
    old = pub.card[seat, b]
    under = count(pub.spirits[seat, b])
    gain = c.total - (rules.card[old].total if old >= 0 else np.int64(1))
    now = pub.attack[seat, b]
    g = G_ASCEND
    n = put(at, x, n, g, 1.0)
    n = put(at, x, n, g + 1, 1.0 * gain)
    n = put(at, x, n, g + 2, 0.25 * (c.attack - now))
    n = put(at, x, n, g + 3, flag(c.attack > seen[S_BEST] and now <= seen[S_BEST]))
    n = put(at, x, n, g + 4, flag(seen[S_BATTLE] > 0.0 and beats(pub, foe, c.attack) > beats(pub, foe, now)))
    n = put(at, x, n, g + 5, flag(c.total == 2 and gain > 0))
    n = put(at, x, n, g + 6, flag(c.total == 3 and gain > 0))
    n = put(at, x, n, g + 7, flag(gain <= 0))
    n = put(at, x, n, g + 8, max(np.int64(0), c.total - under - 1))
    n = put(at, x, n, g + 9, misfit(rules, pub.spirits[seat, b] + pub.sp[seat], card))
    n = put(at, x, n, g + 10, max(np.int64(0), under + 1 - c.total))
    n = put(at, x, n, g + 11, 0.25 * (c.defence - pub.defence[seat, b]))
    n = put(at, x, n, g + 12, flag(pub.pos[seat, b] == 1))
    n = column(pub, at, x, n, seat, card, T_ASCEND, 1.0)
    n = column(pub, at, x, n, seat, card, T_ENEMIES, 0.3 * seen[S_ENEMIES])
    n = column(pub, at, x, n, seat, card, T_LATE, 0.1 * pub.turn)
    n = put(at, x, n, G_MORE + 5, wins_open(pub, seen, b))
    n = column(pub, at, x, n, seat, old, T_KEEP, -1.0)
    return mood(seen, at, x, n, g + 13, 1.0)


@kernel
def enchant_features(pub, mine, rules, seen, at, x, n, k):
    """Add what one more Spirit under a body is worth."""
    seat = pub.actor
    card = pub.card[seat, k]
    under = count(pub.spirits[seat, k])
    grows = False
    for i in range(mine.n):
        c = rules.card[mine.hand[i]]
        if c.kind == oc.ELESTRAL and c.total == under + 2 and c.attack > pub.attack[seat, k]:
            grows = True
    g = G_ENCHANT
    n = put(at, x, n, g, 1.0)
    n = put(at, x, n, g + 1, under)
    n = put(at, x, n, g + 2, flag(grows))
    n = put(at, x, n, g + 3, flag(pub.pos[seat, k] == 0 and beats(pub, 1 - seat, pub.attack[seat, k]) > 0))
    n = put(at, x, n, g + 4, flag(pub.pos[seat, k] == 0 and seen[S_ENEMIES] == 0.0 and seen[S_BATTLE] > 0.0))
    n = put(at, x, n, g + 5, flag(pub.attack[seat, k] > seen[S_BEST]))
    n = put(at, x, n, g + 6, flag(seen[S_BODIES] <= 1.0))
    n = put(at, x, n, g + 7, misfit(rules, pub.spirits[seat, k], card) if card >= 0 else np.int64(0))
    n = column(pub, at, x, n, seat, card, T_RECEIVE, 1.0)
    n = column(pub, at, x, n, seat, card, T_UNDER, 0.5 * under)
    n = put(at, x, n, G_MORE + 4, wins_open(pub, seen, k) if pub.pos[seat, k] == 0 else 0.0)
    return mood(seen, at, x, n, g + 8, 1.0)


@kernel
def rune_features(pub, mine, rules, seen, at, x, n, card, place):
    """Add what casting a Rune is worth, from the hand (`place` -1) or from Set."""
    seat = pub.actor
    c = rules.card[card]
    g = G_RUNE
    n = put(at, x, n, g + c.kind, 1.0)
    n = put(at, x, n, g + 6, 1.0 * c.total)
    n = put(at, x, n, g + 7, flag(is_off(pub, seat, card)))
    n = put(at, x, n, g + 8, flag(c.kind == oc.STADIUM and pub.card[seat, 8] >= 0))
    n = put(at, x, n, g + 9, flag(c.kind == oc.STADIUM and pub.card[1 - seat, 8] >= 0))
    n = put(at, x, n, g + 10, flag(place >= 0))
    n = put(at, x, n, g + 11, 0.5 * seen[S_BODIES])
    n = column(pub, at, x, n, seat, card, T_RUNE, 1.0)
    return mood(seen, at, x, n, g + 12, 1.0 * c.total)


@kernel
def answer_features(pub, mine, rules, seen, at, x, n, f):
    """Add what speaks for a link now: whose link is the newest, what the declared attack would do."""
    seat = pub.actor
    g = G_ANSWER
    n = put(at, x, n, g, 1.0)
    n = put(at, x, n, g + 1, flag(pub.n_links > 0 and pub.link_seat == seat))
    n = put(at, x, n, g + 2, flag(pub.n_links > 0 and pub.negated == 1))
    n = put(at, x, n, g + 3, flag(pub.n_links == 0))
    n = put(at, x, n, g + 4, flag(pub.active == seat))
    n = put(at, x, n, g + 5, flag(pub.n_links == 0 and pub.phase == PH_BATTLE))
    if pub.n_links > 0 and pub.link_seat != seat:
        n = put(at, x, n, g + 6 + pub.link_kind, 1.0)
    if pub.n_links > 0 and pub.link_kind == L_ATTACK and pub.link_seat != seat and pub.attacker >= 0:
        target = SPIRIT_DECK if pub.defender < 0 else PLACES + pub.defender
        fight(pub, 1 - seat, pub.attacker, target, f)
        n = put(at, x, n, g + 12, f[0])
        n = put(at, x, n, g + 13, flag(f[0] > seen[S_LIFE]))
        n = put(at, x, n, g + 14, f[3] - f[2])
        n = put(at, x, n, g + 15, f[1])
        n = put(at, x, n, g + 16, flag(f[1] > seen[S_FOE]))
        if pub.defender >= 0:
            n = put(at, x, n, g + 17, f[2] * worth(pub, rules, seat, pub.defender))
        n = put(at, x, n, g + 18, worth(pub, rules, 1 - seat, pub.attacker))
    return put(at, x, n, g + 19, flag(seen[S_LIFE] <= 3.0))


@bare
def is_main(pub, seat, e):
    """Say whether no element has more Spirits than `e` among a player's Spirit Deck and Underworld."""
    pool = pub.sp[seat] + pub.lost[seat]
    top = np.int64(0)
    for other in range(8):
        top = max(top, field(pool, other))
    return field(pool, e) == top


@kernel
def pay_features(pub, mine, rules, seen, at, x, n, place, e):
    """Add what giving a Spirit of element `e` is worth: what the hand needs is kept, bodies stay at their cost."""
    seat = pub.actor
    g = G_PAY
    n = put(at, x, n, g, flag(field(mine.lacking, e) > 0))
    if place == codes.PAY_DECK or place == codes.PAY_UNDERWORLD:
        need = np.int64(0)
        for i in range(mine.n):
            need += field(rules.card[mine.hand[i]].cost, e)
        there = field(pub.sp[seat], e)
        h = g + (1 if place == codes.PAY_DECK else 7)
        n = put(at, x, n, h, 1.0)
        n = put(at, x, n, h + 1, 0.5 * need)
        n = put(at, x, n, h + 2, there / max(1.0, seen[S_LIFE]))
        n = put(at, x, n, h + 3, flag(there <= 1))
        n = put(at, x, n, h + 4, flag(there <= need))
        n = put(at, x, n, G_MORE + (6 if place == codes.PAY_DECK else 7), flag(is_main(pub, seat, e)))
        return n
    k = place - 1
    card = pub.card[seat, k] if k < 9 else np.int64(-1)
    if card < 0:
        return n
    under = count(pub.spirits[seat, k])
    n = put(at, x, n, g + 6, flag(k >= 4))
    n = put(at, x, n, g + 12, flag(under > rules.card[card].total))
    n = put(at, x, n, g + 13, flag(under <= rules.card[card].total))
    short = field(pub.spirits[seat, k], e) <= field(rules.card[card].cost, e)
    n = put(at, x, n, g + 14, flag(short))
    n = put(at, x, n, g + 15, flag(under <= rules.card[card].total) * worth(pub, rules, seat, k))
    if under <= rules.card[card].total or short:
        n = column(pub, at, x, n, seat, card, T_KEEP, -1.0)
    return n


@kernel
def target_features(pub, mine, rules, seen, at, x, n, place):
    """Add what a card is worth as a target of what harms, helps or does something else."""
    own = place < PLACES
    who = pub.actor if own else 1 - pub.actor
    k = place if own else place - PLACES
    what = np.int64(2)
    if mine.helps == 1:
        what = np.int64(1)
    elif mine.moving >= 0 and (HARM >> mine.moving) & 1 == 1:
        what = np.int64(0)
    g = G_TARGET + VICTIM * (2 * what + (0 if own else 1))
    card = pub.card[who, k]
    if own and card == -1:
        card = mine.set[k]
    n = put(at, x, n, g, 1.0)
    n = put(at, x, n, g + 1, worth(pub, rules, who, k))
    n = put(at, x, n, g + 2, 0.5 * count(pub.spirits[who, k]))
    n = put(at, x, n, g + 3, flag(pub.card[who, k] == -1))
    if k < 4:
        n = put(at, x, n, g + 4, 0.2 * pub.attack[who, k])
        n = put(at, x, n, g + 5, 0.2 * pub.defence[who, k])
        n = put(at, x, n, g + 6, flag(pub.pos[who, k] == 1))
        n = put(at, x, n, g + 7, flag(pub.attack[who, k] >= seen[S_BEST]))
        n = put(at, x, n, g + 8, flag(pub.used[who, k] > 0))
    else:
        n = put(at, x, n, g + 9, flag(pub.card[who, k] >= 0))
    if what == 0 and not own and k < 4 and seen[S_ENEMIES] == 1.0 and seen[S_BATTLE] > 0.0:
        n = put(at, x, n, G_MORE + 2, 0.3 * seen[S_OPEN])
        n = put(at, x, n, G_MORE + 3, flag(seen[S_OPEN] > seen[S_FOE]))
    if what == 0:
        n = column(pub, at, x, n, who, card, T_KEEP if own else T_VICTIM, -1.0 if own else 1.0)
    elif what == 1 and own:
        n = column(pub, at, x, n, who, card, T_RECEIVE, 1.0)
    return n


@kernel
def want_features(pub, mine, rules, seen, at, x, n, card, sign):
    """Add how much a card is wanted; sign: -1 for what is given away."""
    seat = pub.actor
    c = rules.card[card]
    g = G_WANT
    grows = False
    for k in range(4):
        if pub.card[seat, k] >= 0 and count(pub.spirits[seat, k]) + 1 >= c.total and c.attack > pub.attack[seat, k]:
            grows = True
    copies = np.int64(0)
    for i in range(mine.n):
        copies += 1 if mine.hand[i] == card else 0
    n = put(at, x, n, g, sign * flag(c.kind == oc.ELESTRAL and c.total == 1 and seen[S_CASTABLE] == 0.0))
    n = put(at, x, n, g + 1, sign * flag(c.kind == oc.ELESTRAL and c.total == 1))
    n = put(at, x, n, g + 2, sign * flag(c.kind == oc.ELESTRAL and c.total > 1 and grows))
    n = put(at, x, n, g + 3, sign * 0.5 * c.total)
    n = put(at, x, n, g + 4, sign * flag(c.kind == oc.COUNTER))
    n = put(at, x, n, g + 5, sign * copies)
    n = put(at, x, n, g + 6, sign * flag(is_off(pub, seat, card) and c.kind != oc.ELESTRAL))
    n = column(pub, at, x, n, seat, card, T_WANT_LATE, sign * 0.1 * pub.turn)
    n = column(pub, at, x, n, seat, card, T_WANT_NOW, sign * flag(seen[S_BODIES] == 0.0 or seen[S_CASTABLE] == 0.0))
    return column(pub, at, x, n, seat, card, T_WANT, sign)


@kernel
def small_features(pub, mine, rules, seen, at, x, n, kind, a, b):
    """Add the features of the small steps inside an action."""
    seat = pub.actor
    if kind == codes.DONOR:
        under = count(pub.spirits[seat, a])
        total = rules.card[pub.card[seat, a]].total if pub.card[seat, a] >= 0 else np.int64(0)
        n = put(at, x, n, G_DONOR, 1.0)
        n = put(at, x, n, G_DONOR + 1, flag(field(mine.lacking, b) > 0))
        n = put(at, x, n, G_DONOR + 2, flag(under > total))
        n = put(at, x, n, G_DONOR + 3, flag(under <= total))
        n = put(at, x, n, G_DONOR + 4, flag(under <= total) * worth(pub, rules, seat, a))
        n = put(at, x, n, G_DONOR + 5, flag(a >= 4))
        n = put(at, x, n, G_DONOR + 6, flag(seen[S_BODIES] <= 1.0))
        return column(pub, at, x, n, seat, pub.card[seat, a], T_KEEP, -flag(under <= total))
    if kind == codes.HOST:
        n = put(at, x, n, G_HOST, flag(a >= 9))
        if a < 4:
            n = put(at, x, n, G_HOST + 1, worth(pub, rules, seat, a))
            n = put(at, x, n, G_HOST + 2, 0.2 * pub.attack[seat, a])
            n = put(at, x, n, G_HOST + 3, 0.2 * pub.defence[seat, a])
            n = put(at, x, n, G_HOST + 4, flag(pub.pos[seat, a] == 0))
            n = column(pub, at, x, n, seat, pub.card[seat, a], T_RECEIVE, 1.0)
        return n
    if kind == codes.GIVE_UP:
        n = put(at, x, n, G_GIVE_UP, worth(pub, rules, seat, a))
        n = put(at, x, n, G_GIVE_UP + 1, flag(pub.card[seat, a] == -1))
        card = mine.set[a] if pub.card[seat, a] == -1 else pub.card[seat, a]
        return column(pub, at, x, n, seat, card, T_KEEP, -1.0)
    if kind == codes.MULLIGAN:
        castable = seen[S_CASTABLE]
        n = put(at, x, n, G_MULLIGAN, 1.0)
        n = put(at, x, n, G_MULLIGAN + 1, flag(castable == 0.0))
        n = put(at, x, n, G_MULLIGAN + 2, flag(castable == 1.0))
        n = put(at, x, n, G_MULLIGAN + 3, flag(castable == mine.n))
        return put(at, x, n, G_MULLIGAN + 4, flag(seen[S_LIFE] < 19.0))
    if kind == codes.NEXUS_FROM or kind == codes.NEXUS_TO:
        g = G_NEXUS + (0 if kind == codes.NEXUS_FROM else 6)
        card = pub.card[seat, a]
        n = put(at, x, n, g, 1.0)
        if card >= 0:
            n = put(at, x, n, g + 1, flag(count(pub.spirits[seat, a]) > rules.card[card].total))
            n = put(at, x, n, g + 2, worth(pub, rules, seat, a))
        n = put(at, x, n, g + 3, flag(a >= 4))
        if a < 4:
            n = put(at, x, n, g + 4, 0.2 * pub.attack[seat, a])
            n = put(at, x, n, g + 5, flag(pub.attack[seat, a] > seen[S_BEST]))
        return column(pub, at, x, n, seat, card, T_KEEP if kind == codes.NEXUS_FROM else T_RECEIVE,
                      -1.0 if kind == codes.NEXUS_FROM else 1.0)  # fmt: skip
    if kind == codes.YES:
        n = put(at, x, n, G_OTHER, 1.0)
        return put(at, x, n, G_STEP + mine.moving, 1.0) if mine.moving >= 0 else n
    if kind == codes.CHOICE:
        return put(at, x, n, G_OTHER + 1, 1.0 * a)
    if kind == codes.AMOUNT:
        n = put(at, x, n, G_OTHER + 2, 1.0 * a)
        return put(at, x, n, G_OTHER + 3, 0.1 * a * a)
    if kind == codes.FIRST:
        return put(at, x, n, G_OTHER + 4, 1.0 * a)
    return n


@kernel
def main_features(pub, mine, rules, seen, at, x, n, kind, a, b):
    """Add the features of the smaller actions of the Main Phase."""
    seat = pub.actor
    if kind == codes.NEXT:
        n = put(at, x, n, G_NEXT, 1.0)
        n = put(at, x, n, G_NEXT + 1, seen[S_NORMAL])
        return put(at, x, n, G_NEXT + 2, seen[S_NORMAL] * flag(seen[S_LIFE] <= 3.0))
    if kind == codes.DRAW:
        g = G_DRAW
        n = put(at, x, n, g, 1.0)
        n = put(at, x, n, g + 1, 0.2 * mine.n)
        n = put(at, x, n, g + 2, flag(seen[S_CASTABLE] == 0.0))
        n = put(at, x, n, g + 3, flag(pub.deck_n[seat] <= 5))
        n = put(at, x, n, g + 4, flag(mine.n <= 1))
        return mood(seen, at, x, n, g + 5, 1.0)
    if kind == codes.SET:
        g = G_SET
        k = rules.card[a].kind
        n = put(at, x, n, g, 1.0)
        n = put(at, x, n, g + 1, flag(k == oc.COUNTER))
        n = put(at, x, n, g + 2, flag(k == oc.INVOKE))
        n = put(at, x, n, g + 3, seen[S_RUNES])
        n = put(at, x, n, g + 4, flag(seen[S_RUNES] >= 3.0))
        n = put(at, x, n, g + 5, flag(mine.n > 6))
        n = put(at, x, n, g + 6, flag(is_off(pub, seat, a)))
        n = put(at, x, n, g + 7, flag(seen[S_NORMAL] > 0.0))
        return column(pub, at, x, n, seat, a, T_SET, 1.0)
    if kind == codes.TURN:
        group = G_UP if pub.pos[seat, a] == 1 else G_TURN
        n = stance(pub, seen, at, x, n, group, pub.attack[seat, a], pub.defence[seat, a])
        n = put(at, x, n, group + 9, 0.5 * count(pub.spirits[seat, a]))
        sign = 1.0 if pub.pos[seat, a] == 1 else -1.0
        return column(pub, at, x, n, seat, pub.card[seat, a], T_FIGHT, sign)
    g = G_ROUTE
    c = rules.card[a]
    n = put(at, x, n, g, 1.0)
    n = put(at, x, n, g + 1, seen[S_BODIES])
    n = put(at, x, n, g + 2, 0.3 * c.attack)
    n = put(at, x, n, g + 3, flag(c.attack > seen[S_BEST]))
    n = put(at, x, n, g + 4, flag(c.defence >= seen[S_BEST]))
    n = put(at, x, n, g + 5, 1.0 * c.total)
    n = column(pub, at, x, n, seat, a, T_CAST, 1.0)
    return mood(seen, at, x, n, g + 6, 1.0 * c.total)


@kernel
def features(pub, mine, rules, seen, code, at, x, f):
    """Write the features of an option: their numbers into `at`, their values into `x`; return how many.

    seen: what `survey` wrote. f: 4 numbers of scratch.
    """
    seat = pub.actor
    kind = code >> 20
    a = (code >> 10) & 1023
    b = code & 1023
    n = np.int64(0)
    if code == 0:
        return n
    if kind == codes.PAY:
        return pay_features(pub, mine, rules, seen, at, x, n, a, b)
    if kind == codes.CAST:
        return cast_features(pub, mine, rules, seen, at, x, n, a)
    if kind == codes.ASCEND:
        return ascend_features(pub, mine, rules, seen, at, x, n, a, b)
    if kind == codes.ENCHANT:
        return enchant_features(pub, mine, rules, seen, at, x, n, a)
    if kind == codes.ATTACK:
        return attack_features(pub, rules, seen, at, x, n, a, b, f)
    if kind == codes.POSITION:
        if a == 1 or mine.subject < 0:
            return n
        c = rules.card[mine.subject]
        n = stance(pub, seen, at, x, n, G_POSITION, c.attack, c.defence)
        n = put(at, x, n, G_POSITION + 9, 0.5 * c.total)
        n = put(at, x, n, G_MORE + 8, flag(seen[S_THREAT] > seen[S_LIFE]))
        return column(pub, at, x, n, seat, mine.subject, T_FIGHT, 1.0)
    if kind == codes.TARGET:
        return target_features(pub, mine, rules, seen, at, x, n, a)
    if kind in (codes.SEARCH, codes.TAKE, codes.DISCARD, codes.PUT_BACK):
        sign = 1.0 if kind == codes.SEARCH or kind == codes.TAKE else -1.0
        return want_features(pub, mine, rules, seen, at, x, n, a, sign)
    if kind in (codes.RUNE, codes.CAST_SET, codes.USE, codes.ANSWER, codes.TRIGGER):
        place = a if kind in (codes.CAST_SET, codes.USE, codes.ANSWER) else np.int64(-1)
        card = a
        if kind == codes.CAST_SET:
            card = mine.set[a]
        elif kind != codes.RUNE and kind != codes.TRIGGER:
            card = pub.card[seat, a]
        if card < 0:
            return n
        waits = kind == codes.ANSWER or pub.phase != PH_MAIN or pub.n_links > 0 or pub.active != seat
        if kind == codes.RUNE or kind == codes.CAST_SET:
            n = rune_features(pub, mine, rules, seen, at, x, n, card, place)
            ability = rules.card[card].play
        elif kind == codes.USE:
            n = put(at, x, n, G_USE, 1.0)
            n = put(at, x, n, G_USE + 1, flag(pub.phase == PH_BATTLE))
            n = put(at, x, n, G_USE + 2, seen[S_NORMAL])
            ability = rules.card[card].ability + b
            n = mood(seen, at, x, n, G_USE + 3, 1.0 if rules.ability[ability].spends == 1 else 0.0)
        else:
            n = put(at, x, n, G_OTHER + 5, 1.0)
            ability = rules.card[card].ability + (b & 3)
        if kind != codes.TRIGGER and kind != codes.USE and waits:
            n = answer_features(pub, mine, rules, seen, at, x, n, f)
        if ability < 0 or is_off(pub, seat, card):
            return n
        words = G_HAPPENS if kind == codes.TRIGGER else G_PLAYED
        n = effect_features(pub, rules, seen, at, x, n, card, ability, np.int64(words))
        return cost_features(pub, rules, seen, at, x, n, card, ability, place)
    if codes.SET <= kind <= codes.NEXT or kind == codes.DRAW:
        return main_features(pub, mine, rules, seen, at, x, n, kind, a, b)
    return small_features(pub, mine, rules, seen, at, x, n, kind, a, b)


@kernel
def think(pub, mine, rules, weights, options, n):
    """Return the best of options[:n], ties by code."""
    seen = np.empty(N_SEEN)
    at = np.empty(MAX_FEATURES, np.int64)
    x = np.empty(MAX_FEATURES)
    f = np.empty(4)
    survey(pub, mine, rules, options, n, seen)
    best = 0
    top = -np.inf
    for i in range(n):
        total = 0.0
        for j in range(features(pub, mine, rules, seen, np.int64(options[i]), at, x, f)):
            total += weights[at[j]] * x[j]
        if i == 0 or total > top:
            best = i
            top = total
    return np.int64(options[best])
