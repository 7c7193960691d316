"""Steps that bring cards into play."""

from __future__ import annotations

import numpy as np

from sim.bits import lowest
from sim.games.elestrals import opcodes as oc
from sim.games.elestrals.board import (
    ANY,
    CARDS,
    DECK_PLACE,
    Y_PAID_CAST,
    Y_PAID_COST,
    add_group,
    at,
    free_place,
    opt,
    tax,
)
from sim.games.elestrals.effects import (
    ARG,
    F_ARTIFACT,
    F_ASCEND,
    K_HOST,
    K_POSITION,
    K_SEARCH,
    K_TARGET,
    ZONE_DECK,
    ZONE_UW,
    add_cast,
    arrived,
    ascensions,
    ask,
    bury,
    by_number,
    casts,
    context_source,
    could_castas,
    from_deck,
    may_ascend,
    name_options,
    new_perm,
    pop,
    push,
    put_under,
    rune_casts,
    rune_hosts,
    settle_step,
    shuffle,
    start_pay,
    step_subject,
    take_card,
    target_options,
)
from sim.jit import kernel

FOUND = 2  # stage of a Rune that is cast by an effect: its card is known


@kernel
def op_spcast(h, r, f):
    """EL-C3: Special Cast, once or any number of times."""
    x = h.ctx[f.ctx]
    k = r.step[f.step]
    seat = x.seat
    if f.pc == 0:
        if k.high < 0 or f.made < k.high:
            h.n_opts = 0
            for z in range(4):
                name_options(h, seat, casts(h, r, f.step, f.ctx, z), K_SEARCH, z)
            if h.n_opts > 0:
                if f.made >= k.low and k.how == oc.H_PICK:
                    opt(h, oc.ZERO)
                f.pc = 1
                return ask(h, seat)
        return end_cast(h, r, f)
    if f.pc == 1:
        if h.answer == 0:
            return end_cast(h, r, f)
        f.zone = h.answer & 1023
        f.card = by_number(h, seat, casts(h, r, f.step, f.ctx, f.zone), (h.answer >> 10) & 1023)
        card = h.number[seat, f.card]
        f.tax = tax(h, r, seat, oc.ELESTRAL, card)
        f.pc = 3
        if f.tax > 0:
            h.n_g = 0
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), f.tax)
            start_pay(h, seat)
            add_cast(h, r, f.step, card, f.ctx)
            f.pc = 2
            return 0
    if f.pc == 2:
        bury(h, oc.ZERO, h.n_paid)
        h.tally[seat, Y_PAID_COST] += f.tax
        f.pc = 3
    if f.pc == 3:
        h.n_g = 0
        add_cast(h, r, f.step, h.number[seat, f.card], f.ctx)
        start_pay(h, seat)
        f.pc = 4
        return 0
    if f.pc == 4:
        h.tally[seat, Y_PAID_CAST] += from_deck(h, oc.ZERO, h.n_paid)
        if k.position < 0:
            h.n_opts = 0
            opt(h, K_POSITION)
            opt(h, K_POSITION + ARG)
            f.pc = 5
            return ask(h, seat)
    position = k.position if f.pc == 4 else (h.answer >> 10) & 1023
    take_card(h, seat, f.card, f.zone)
    if f.zone == ZONE_DECK:
        shuffle(h, seat)
    p = new_perm(h, r, seat, seat * CARDS + f.card, free_place(h, r, seat, oc.ELESTRAL), oc.ELESTRAL, oc.ZERO)
    h.perm[p].pos = position
    h.perm[p].paid = put_under(h, p, oc.ZERO, h.n_paid)
    arrived(h, r, p, oc.ZERO, oc.ONE, oc.NONE, context_source(h, f.ctx))
    f.made += 1
    f.pc = 0
    return 0


@kernel
def end_cast(h, r, f):
    """End a Special Cast step."""
    k = r.step[f.step]
    if k.how != oc.H_REF and r.filter[k.filter].zones & oc.Z_DECK != 0 and f.made == 0:
        shuffle(h, h.ctx[f.ctx].seat)
    h.ctx[f.ctx].done = 1 if f.made > 0 else 0
    return pop(h)


@kernel
def op_spasc(h, r, f):
    """EL-C5: Special Ascend."""
    x = h.ctx[f.ctx]
    k = r.step[f.step]
    seat = x.seat
    if f.pc == 0:
        n = step_subject(h, r, f.step, f.ctx)
        f.n = 0
        for j in range(n):
            f.lst[f.n] = h.tmp[j]
            f.n += 1
        kept = 0
        for j in range(f.n):
            if may_ascend(h, r, f.step, f.ctx, f.lst[j]):
                f.lst[kept] = f.lst[j]
                kept += 1
        x.done = 1 if kept > 0 else 0
        if kept == 0:
            if k.take_how != oc.H_REF and k.take_filter >= 0 and r.filter[k.take_filter].zones & oc.Z_DECK != 0:
                shuffle(h, seat)
            return pop(h)
        f.over = f.lst[0]
        f.pc = 2
        if k.how == oc.H_PICK:
            h.n_opts = 0
            for j in range(kept):
                opt(h, K_TARGET + ARG * h.perm[f.lst[j]].place)
            f.pc = 1
            return ask(h, seat)
    if f.pc == 1:
        f.over = at(h, seat, (h.answer >> 10) & 1023)
        f.pc = 2
    if f.pc == 2:
        h.n_opts = 0
        for z in range(4):
            name_options(h, seat, ascensions(h, r, f.step, f.ctx, f.over, z), K_SEARCH, z)
        f.pc = 3
        return ask(h, seat)
    if f.pc == 3:
        z = h.answer & 1023
        i = by_number(h, seat, ascensions(h, r, f.step, f.ctx, f.over, z), (h.answer >> 10) & 1023)
        f.pc = 4
        push(h, F_ASCEND, f.over, oc.ZERO, z, i)
        return 0
    p = h.ret
    settle_step(h, r)
    arrived(h, r, p, oc.ZERO, oc.ONE, f.over, context_source(h, f.ctx))
    return pop(h)


@kernel
def op_castrune(h, r, f):
    """Go on with the routine that casts a Rune."""
    f.op = F_ARTIFACT
    return 0


@kernel
def op_castas(h, r, f):
    """EL-F19: go on with the routine that casts a Rune, for an Elestral with a second face."""
    f.op = F_ARTIFACT
    return 0


@kernel
def find_rune(h, r, f):
    """Let the player choose a card that the step may cast; `pc` is FOUND if there is one."""
    x = h.ctx[f.ctx]
    if f.pc == 0:
        h.n_opts = 0
        for z in range(4):
            name_options(h, x.seat, rune_casts(h, r, f.step, f.ctx, z), K_SEARCH, z)
        x.done = 1 if h.n_opts > 0 else 0
        if h.n_opts > 0:
            f.pc = 1
            return ask(h, x.seat)
        if r.filter[r.step[f.step].filter].zones & oc.Z_DECK != 0:
            shuffle(h, x.seat)
        return pop(h)
    f.zone = h.answer & 1023
    f.card = by_number(h, x.seat, rune_casts(h, r, f.step, f.ctx, f.zone), (h.answer >> 10) & 1023)
    f.pc = FOUND
    return 0


@kernel
def find_face(h, r, f):
    """Find the context's own card in the Underworld; `pc` is FOUND if it can be cast."""
    x = h.ctx[f.ctx]
    x.done = 1 if could_castas(h, r, f.step, f.ctx) else 0
    if x.done == 0:
        return pop(h)
    f.card = x.inst - CARDS * x.seat
    f.zone = ZONE_UW
    f.pc = FOUND
    return 0


@kernel
def do_artifact(h, r, f):
    """Cast a Rune by an effect, or an Elestral as its second face."""
    k = r.step[f.step]
    if f.pc < FOUND:
        asked = find_face(h, r, f) if k.op == oc.O_CASTAS else find_rune(h, r, f)
        if f.pc != FOUND:
            return asked
    seat = h.ctx[f.ctx].seat
    face = k.words if k.op == oc.O_CASTAS else np.int64(-1)
    card = h.number[seat, f.card]
    if f.pc == FOUND:
        f.form = oc.ARTIFACT if face >= 0 else r.card[card].kind
        hosts = rune_hosts(h, r, f.step, f.ctx)
        f.pc = 4
        if k.host >= 0:
            f.host = lowest(hosts)
        else:
            h.n_opts = 0
            target_options(h, seat, hosts, K_HOST)
            f.pc = 3
            return ask(h, seat)
    if f.pc == 3:
        f.host = at(h, seat, (h.answer >> 10) & 1023)
        f.pc = 4
    if f.pc == 4:
        f.tax = tax(h, r, seat, f.form, card)
        f.pc = 6
        if f.tax > 0:
            h.n_g = 0
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), f.tax)
            start_pay(h, seat)
            add_cast(h, r, f.step, card, f.ctx)
            f.pc = 5
            return 0
    if f.pc == 5:
        bury(h, oc.ZERO, h.n_paid)
        h.tally[seat, Y_PAID_COST] += f.tax
        f.pc = 6
    if f.pc == 6:
        h.n_g = 0
        add_cast(h, r, f.step, card, f.ctx)
        start_pay(h, seat)
        f.pc = 7
        return 0
    h.tally[seat, Y_PAID_CAST] += from_deck(h, oc.ZERO, h.n_paid)
    take_card(h, seat, f.card, f.zone)
    if f.zone == ZONE_DECK:
        shuffle(h, seat)
    p = new_perm(h, r, seat, seat * CARDS + f.card, free_place(h, r, seat, oc.ARTIFACT), f.form, oc.ZERO)
    q = h.perm[p]
    q.face = face
    q.host = f.host
    q.paid = put_under(h, p, oc.ZERO, h.n_paid)
    arrived(h, r, p, oc.ZERO, oc.ZERO, oc.NONE, context_source(h, f.ctx))
    return pop(h)
