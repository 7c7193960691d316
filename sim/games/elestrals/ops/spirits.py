"""Steps on Spirits."""

from __future__ import annotations

import numpy as np

from sim.bits import lowest
from sim.games.elestrals import opcodes as oc
from sim.games.elestrals.board import (
    PLACES,
    SPREAD,
    Y_LOST_EFFECT,
    Y_RECOVERED,
    amount,
    at,
    count,
    field,
    opt,
    restricted,
    spirits_of,
)
from sim.games.elestrals.effects import (
    ARG,
    F_EXPEND,
    K_NEXUS_FROM,
    K_NEXUS_TO,
    K_PAY,
    K_TARGET,
    ask,
    context_source,
    emit,
    nexus_givers,
    nexus_takers,
    note_paid,
    pop,
    push,
    put_under,
    receive,
    receivers,
    settle_step,
    spirit_mask,
    take_one,
    target_options,
)
from sim.jit import kernel


@kernel
def op_drain(h, r, f):
    """Make the other player Expend."""
    if f.pc == 1:
        return pop(h)
    f.pc = 1
    push(h, F_EXPEND, oc.ZERO, amount(h, r, r.step[f.step].amount, f.ctx), Y_LOST_EFFECT, 1 - h.ctx[f.ctx].seat)
    return 0


@kernel
def op_recover(h, r, f):
    """Spirits from the Underworld back into the Spirit Deck, chosen by the player who gets them."""
    x = h.ctx[f.ctx]
    k = r.step[f.step]
    t = r.spirits[k.spirits]
    seat = x.seat if k.who == oc.OWN else 1 - x.seat
    if f.pc == 1:
        if h.answer == 0:
            f.part += 1
            f.pc = 0
        else:
            one = np.int64(1) << (7 * (h.answer & 1023))
            h.lost[seat] -= one
            h.sp[seat] += one
            f.made += 1
            f.left -= 1
    while f.part < t.n:
        mask = t.mask0 if f.part == 0 else t.mask1
        if f.pc == 0:
            f.left = amount(h, r, t.amount0 if f.part == 0 else t.amount1, f.ctx)
            f.pc = 1
        if f.left > 0 and h.lost[seat] & SPREAD[mask] != 0:
            h.n_opts = 0
            if t.up_to == 1:
                opt(h, oc.ZERO)
            for e in range(8):
                if (mask >> e) & 1 == 1 and field(h.lost[seat], e) > 0:
                    opt(h, K_PAY + 19 * ARG + e)
            return ask(h, seat)
        f.part += 1
        f.pc = 0
    h.tally[seat, Y_RECOVERED] += f.made
    x.done = 1 if f.made > 0 else 0
    return pop(h)


@kernel
def op_attach(h, r, f):
    """Spirits from the Spirit Deck or the Underworld under a card.

    receiver: its number + 1. spirit: the one being placed. lst: cards and elements.
    """
    x = h.ctx[f.ctx]
    k = r.step[f.step]
    t = r.spirits[k.spirits]
    seat = x.seat
    if f.pc == 0:
        f.pc = 2
        if k.split == 0:
            mask = receivers(h, r, f.step, f.ctx)
            if k.how == oc.H_REF or mask == 0:
                f.receiver = lowest(mask) + 1 if mask != 0 else 0
            else:
                h.n_opts = 0
                target_options(h, seat, mask, K_TARGET)
                f.pc = 1
                return ask(h, seat)
    elif f.pc == 1:
        f.receiver = at(h, seat, (h.answer >> 10) & 1023) + 1
        f.pc = 2
    elif f.pc == 3:  # a Spirit was chosen, or no more
        if h.answer == 0:
            f.part += 1
            f.pc = 2
        elif f.receiver > 0:
            attach_one(h, f, seat, h.answer, f.receiver - 1)
        else:
            mask = receivers(h, r, f.step, f.ctx)
            f.spirit = h.answer
            if mask == 0:
                f.part += 1
                f.pc = 2
            elif k.how == oc.H_REF:
                attach_one(h, f, seat, f.spirit, lowest(mask))
            else:
                h.n_opts = 0
                target_options(h, seat, mask, K_TARGET)
                f.pc = 4
                return ask(h, seat)
    elif f.pc == 4:
        attach_one(h, f, seat, f.spirit, at(h, seat, (h.answer >> 10) & 1023))
        f.pc = 3
    while f.part < t.n:
        mask = t.mask0 if f.part == 0 else t.mask1
        if f.pc == 2:
            f.left = amount(h, r, t.amount0 if f.part == 0 else t.amount1, f.ctx)
            f.pc = 3
        if f.left > 0 and (f.receiver > 0 or k.split == 1):
            h.n_opts = 0
            for e in range(8):
                if (mask >> e) & 1 == 1 and k.source & oc.FROM_DECK != 0 and field(h.sp[seat], e) > 0:
                    opt(h, K_PAY + e)
                if (mask >> e) & 1 == 1 and k.source & oc.FROM_UNDERWORLD != 0 and field(h.lost[seat], e) > 0:
                    opt(h, K_PAY + 19 * ARG + e)
            if h.n_opts > 0:
                if t.up_to == 1:
                    opt(h, oc.ZERO)
                return ask(h, seat)
        f.part += 1
        f.pc = 2
    x.done = 1 if f.made > 0 else 0
    for j in range(f.n):
        x.receiver = f.lst[2 * j]
        receive(h, r, f.lst[2 * j], f.lst[2 * j + 1], context_source(h, f.ctx), oc.ZERO)
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
    f.made += 1
    f.left -= 1
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
    """EL-F11: Spirits from one own card to another at the same time."""
    x = h.ctx[f.ctx]
    k = r.step[f.step]
    t = r.spirits[k.spirits]
    seat = x.seat
    mask = spirit_mask(r, f.step)
    if f.pc == 0:
        x.done = 0
        givers = nexus_givers(h, r, f.step, f.ctx)
        if givers == 0:
            return pop(h)
        h.n_opts = 0
        if t.up_to == 1:
            opt(h, oc.ZERO)
        target_options(h, seat, givers, K_NEXUS_FROM)
        f.pc = 1
        return ask(h, seat)
    if f.pc == 1:
        if h.answer == 0:
            return pop(h)
        f.giver = at(h, seat, (h.answer >> 10) & 1023)
        f.takers = nexus_takers(h, r, f.step, f.ctx) & ~(np.int64(1) << f.giver)
        f.wanted = count(spirits_of(h, f.giver) & SPREAD[mask])
        if t.everything == 0:
            wanted = np.int64(0)
            if t.n >= 1:
                wanted += amount(h, r, t.amount0, f.ctx)
            if t.n == 2:
                wanted += amount(h, r, t.amount1, f.ctx)
            f.wanted = min(f.wanted, wanted)
        h.n_paid = 0
        f.pc = 2
    elif f.pc == 2:
        if h.answer == 0:
            f.wanted = h.n_paid
        else:
            note_paid(h, seat, (h.answer >> 10) & 1023, h.answer & 1023)
    if f.pc == 2:
        if h.n_paid < f.wanted:
            h.n_opts = 0
            if t.up_to == 1 and h.n_paid > 0:
                opt(h, oc.ZERO)
            y = spirits_of(h, f.giver)
            for e in range(8):
                if (mask >> e) & 1 == 1 and field(y, e) > 0:
                    opt(h, K_PAY + (h.perm[f.giver].place + 1) * ARG + e)
            return ask(h, seat)
        h.n_opts = 0
        target_options(h, seat, f.takers, K_NEXUS_TO)
        f.pc = 3
        return ask(h, seat)
    p = at(h, seat, (h.answer >> 10) & 1023)
    elements = put_under(h, p, oc.ZERO, h.n_paid)
    moved = np.int64(0)
    for j in range(h.n_paid):
        moved += np.int64(1) << (7 * h.paid_el[j])
    x.moved += moved
    x.done = 1 if h.n_paid > 0 else 0
    x.receiver = p
    settle_step(h, r)
    if h.perm[p].gone == 0:
        receive(h, r, p, elements, context_source(h, f.ctx), oc.ONE)
    if moved != 0 and x.source >= 0 and h.perm[x.source].gone == 0:
        emit(h, r, oc.E_NEXUS, x.source, oc.NONE, oc.ZERO, oc.ZERO, context_source(h, f.ctx), moved)
    return pop(h)


@kernel
def op_nexusall(h, r, f):
    """All Spirits of the own field go to the context's card."""
    x = h.ctx[f.ctx]
    p = x.source
    x.done = 0
    if p < 0 or h.perm[p].gone == 1:
        return pop(h)
    q = h.perm[p]
    moved = np.int64(0)
    for k in range(PLACES):
        o = h.slot[x.seat, k]
        if o < 0 or o == p:
            continue
        y = h.perm[o]
        if y.down + y.limbo > 0 or restricted(h, r, o, oc.NO_NEXUS):
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
    receive(h, r, p, elements, context_source(h, f.ctx), oc.ONE)
    return pop(h)
