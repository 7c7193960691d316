"""Steps on cards of the field: the cards that a step's subject means are chosen first, into f.lst[:f.n]."""

from __future__ import annotations

import numpy as np

from sim.games.elestrals import opcodes as oc
from sim.games.elestrals.board import (
    CH_BASE,
    CH_LOCK,
    CH_PLAYLOCK,
    CH_RESTRICT,
    CH_STAT,
    CH_SUPPRESS,
    CH_SWAP,
    CHANGES,
    FOREVER,
    L_ABILITY,
    against,
    at,
    count,
    counted,
    free_place,
    opt,
    place_code,
    spirits_of,
    stats,
)
from sim.games.elestrals.effects import (
    ARG,
    F_DESTROY,
    K_TARGET,
    ask,
    context_source,
    emit,
    leave,
    move,
    pop,
    push,
    step_subject,
)
from sim.jit import kernel

PICKED, DESTROYED = 10, 11  # stages of a step on cards: they are chosen, they were destroyed


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
    if until == oc.U_TURN:
        k.until = h.turn + 1
    elif until == oc.U_YOURS:
        k.until = h.turn + (2 if mine else 1)
    elif until == oc.U_OTHERS_END:
        k.until = h.turn + (2 if mine else 3)
    elif until == oc.U_SOURCE:
        k.source = x.source
    if p >= 0:
        h.perm[p].changed |= np.int64(1) << kind


@kernel
def pick_subject(h, r, f):
    """Choose the cards that a step works on into f.lst[:f.n]; return 1 while a player is asked.

    Picks are made now, by the controller; what is unaffected by the source falls out afterwards.
    """
    c = f.ctx
    k = r.step[f.step]
    x = h.ctx[c]
    n = step_subject(h, r, f.step, c)
    if k.how != oc.H_PICK:
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
                opt(h, oc.ZERO)
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
        if not against(h, r, oc.S_UNAFF, f.lst[j], src):
            f.lst[kept] = f.lst[j]
            kept += 1
    f.n = kept
    f.pc = PICKED
    return 0


@kernel
def op_destroy(h, r, f):
    """Destroy them."""
    x = h.ctx[f.ctx]
    if f.pc == PICKED:
        x.spwas = 0
        for j in range(f.n):
            x.spwas += count(spirits_of(h, f.lst[j]))
        return begin_destroy(h, f, f.n)
    x.done = 1 if h.n_dy > 0 else 0
    return pop(h)


@kernel
def op_destroyif(h, r, f):
    """Destroy those whose attack or defence is zero, if it was not before the step before."""
    if f.pc != PICKED:
        return pop(h)
    n = np.int64(0)
    for j in range(f.n):
        both = stats(h, r, f.lst[j])
        if (both & 1023 if r.step[f.step].words == 1 else both >> 10) == 0 and h.ctx[f.ctx].x > 0:
            f.lst[n] = f.lst[j]
            n += 1
    return begin_destroy(h, f, n)


@kernel
def begin_destroy(h, f, n):
    """Destroy f.lst[:n]; the step goes on afterwards."""
    f.pc = DESTROYED
    g = h.frame[push(h, F_DESTROY, oc.ZERO, oc.ZERO, context_source(h, f.ctx), oc.ZERO)]
    g.n = n
    for j in range(n):
        g.lst[j] = f.lst[j]
    return 0


@kernel
def op_bounce(h, r, f):
    """Return them to their owners' hands."""
    src = context_source(h, f.ctx)
    n = np.int64(0)
    for j in range(f.n):
        if not against(h, r, oc.S_NOBOUNCE, f.lst[j], src):
            f.lst[n] = f.lst[j]
            n += 1
    return send(h, r, f, n, oc.ONE)


@kernel
def op_botdeck(h, r, f):
    """Put them under their owners' decks."""
    return send(h, r, f, f.n, oc.TWO)


@kernel
def send(h, r, f, n, to):
    """Take f.lst[:n] from the field; to: 1 hand, 2 under the deck."""
    h.ctx[f.ctx].done = 1 if n > 0 else 0
    for j in range(n):
        if h.perm[f.lst[j]].gone == 0:
            leave(h, r, f.lst[j], to)
    return pop(h)


@kernel
def op_flip(h, r, f):
    """Change their positions."""
    for j in range(f.n):
        if may_turn(h, r, f, f.lst[j]):
            h.perm[f.lst[j]].pos = 1 - h.perm[f.lst[j]].pos
    return pop(h)


@kernel
def op_setpos(h, r, f):
    """Put them into a position."""
    for j in range(f.n):
        if may_turn(h, r, f, f.lst[j]):
            h.perm[f.lst[j]].pos = r.step[f.step].position
    return pop(h)


@kernel
def may_turn(h, r, f, p):
    """EL-B5: say whether the step may turn a body: the bodies of a running battle keep their positions."""
    return p != h.frozen0 and p != h.frozen1 and not against(h, r, oc.S_NOPOS, p, context_source(h, f.ctx))


@kernel
def op_suppress(h, r, f):
    """EL-F12: take away their effects for a time."""
    h.ctx[f.ctx].done = 1 if f.n > 0 else 0
    for j in range(f.n):
        add_change(h, f.lst[j], CH_SUPPRESS, r.step[f.step].until, f.ctx, oc.ZERO, oc.ZERO, oc.ZERO, oc.NONE)
        emit(h, r, oc.E_SUPP, f.lst[j], oc.NONE, oc.ZERO, oc.ZERO, context_source(h, f.ctx), oc.ZERO)
    return pop(h)


@kernel
def op_mod(h, r, f):
    """Change their attack and defence for a time; what it was is remembered."""
    x = h.ctx[f.ctx]
    k = r.step[f.step]
    x.done = 1 if f.n > 0 else 0
    for j in range(f.n):
        x.it = f.lst[j]
        times = counted(h, r, k.per, f.ctx) if k.per >= 0 else oc.ONE
        both = stats(h, r, f.lst[j])
        x.x = both & 1023 if k.defence < 0 else both >> 10
        add_change(h, f.lst[j], CH_STAT, k.until, f.ctx, times * k.attack, times * k.defence, oc.ZERO, oc.NONE)
    return pop(h)


@kernel
def op_swapst(h, r, f):
    """Swap their attack and defence for a time."""
    for j in range(f.n):
        add_change(h, f.lst[j], CH_SWAP, r.step[f.step].until, f.ctx, oc.ZERO, oc.ZERO, oc.ZERO, oc.NONE)
    return pop(h)


@kernel
def op_setbase(h, r, f):
    """Give them another base value for a time."""
    k = r.step[f.step]
    for j in range(f.n):
        add_change(h, f.lst[j], CH_BASE, k.until, f.ctx, k.attack, k.defence, oc.ZERO, oc.NONE)
    return pop(h)


@kernel
def op_restrict(h, r, f):
    """Forbid them something for a time."""
    k = r.step[f.step]
    for j in range(f.n):
        add_change(h, f.lst[j], CH_RESTRICT, k.until, f.ctx, oc.ZERO, oc.ZERO, k.words, oc.NONE)
    return pop(h)


@kernel
def op_playlock(h, r, f):
    """Forbid playing them for a time, or playing what passes a filter where the step means no cards."""
    k = r.step[f.step]
    if k.how == oc.H_NONE:
        add_change(h, oc.NONE, CH_PLAYLOCK, k.until, f.ctx, oc.ZERO, oc.ZERO, oc.ZERO, k.lock)
        return pop(h)
    for j in range(f.n):
        add_change(h, f.lst[j], CH_LOCK, k.until, f.ctx, oc.ZERO, oc.ZERO, oc.ZERO, oc.NONE)
    return pop(h)


@kernel
def op_nodmg(h, r, f):
    """Make them cost nobody Spirits in this battle."""
    for j in range(f.n):
        h.perm[f.lst[j]].nodmg = 1
    return pop(h)


@kernel
def op_negatefx(h, r, f):
    """EL-H9: negate the links of their effects."""
    for j in range(f.n):
        for i in range(h.n_links):
            if h.link[i].kind == L_ABILITY and h.link[i].perm == f.lst[j]:
                h.link[i].negated = 1
    return pop(h)


@kernel
def op_negate(h, r, f):
    """EL-H9: negate the link that is answered, or the attack."""
    x = h.ctx[f.ctx]
    j = x.answers if r.step[f.step].ref == oc.R_LINK else x.attack
    x.done = 1 if j >= 0 and h.link[j].negated == 0 else 0
    if j >= 0:
        h.link[j].negated = 1
    return pop(h)


@kernel
def op_steal(h, r, f):
    """EL-F10: take control of them for a time."""
    x = h.ctx[f.ctx]
    x.done = 0
    for j in range(f.n):
        q = h.perm[f.lst[j]]
        place = free_place(h, r, x.seat, oc.ELESTRAL)
        if place >= 0 and q.seat != x.seat:
            if q.home < 0:
                q.home = q.seat
            move(h, f.lst[j], x.seat, place)
            x.done = 1
    return pop(h)


@kernel
def op_stealrune(h, r, f):
    """Take control of them for good."""
    x = h.ctx[f.ctx]
    for j in range(f.n):
        place = free_place(h, r, x.seat, oc.ARTIFACT)
        if place >= 0:
            move(h, f.lst[j], x.seat, place)
    return pop(h)
