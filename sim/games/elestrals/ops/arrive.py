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
    """EL-C3: Special Cast, once or any number of times. c: card, d: zone, e: how many so far, g: tax, k: Spirits."""
    x = h.ctx[f.a]
    k = r.step[f.b]
    seat = x.seat
    if f.pc == 0:
        if k.high < 0 or f.e < k.high:
            h.n_opts = 0
            for z in range(4):
                name_options(h, seat, casts(h, r, f.b, f.a, z), K_SEARCH, z)
            if h.n_opts > 0:
                if f.e >= k.low and k.how == oc.H_PICK:
                    opt(h, oc.ZERO)
                f.pc = 1
                return ask(h, seat)
        return end_cast(h, r, f)
    if f.pc == 1:
        if h.answer == 0:
            return end_cast(h, r, f)
        f.d = h.answer & 1023
        f.c = by_number(h, seat, casts(h, r, f.b, f.a, f.d), (h.answer >> 10) & 1023)
        card = h.number[seat, f.c]
        f.g = tax(h, r, seat, oc.ELESTRAL, card)
        f.pc = 3
        if f.g > 0:
            h.n_g = 0
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), f.g)
            start_pay(h, seat)
            add_cast(h, r, f.b, card, f.a)
            f.pc = 2
            return 0
    if f.pc == 2:
        bury(h, oc.ZERO, h.n_paid)
        h.tally[seat, Y_PAID_COST] += f.g
        f.pc = 3
    if f.pc == 3:
        h.n_g = 0
        add_cast(h, r, f.b, h.number[seat, f.c], f.a)
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
    take_card(h, seat, f.c, f.d)
    if f.d == ZONE_DECK:
        shuffle(h, seat)
    p = new_perm(h, r, seat, seat * CARDS + f.c, free_place(h, r, seat, oc.ELESTRAL), oc.ELESTRAL, oc.ZERO)
    h.perm[p].pos = position
    h.perm[p].paid = put_under(h, p, oc.ZERO, h.n_paid)
    arrived(h, r, p, oc.ZERO, oc.ONE, oc.NONE, context_source(h, f.a))
    f.e += 1
    f.pc = 0
    return 0


@kernel
def end_cast(h, r, f):
    """End a Special Cast step."""
    k = r.step[f.b]
    if k.how != oc.H_REF and r.filter[k.filter].zones & oc.Z_DECK != 0 and f.e == 0:
        shuffle(h, h.ctx[f.a].seat)
    h.ctx[f.a].done = 1 if f.e > 0 else 0
    return pop(h)


@kernel
def op_spasc(h, r, f):
    """EL-C5: Special Ascend. c: the body."""
    x = h.ctx[f.a]
    k = r.step[f.b]
    seat = x.seat
    if f.pc == 0:
        n = step_subject(h, r, f.b, f.a)
        f.n = 0
        for j in range(n):
            f.lst[f.n] = h.tmp[j]
            f.n += 1
        kept = 0
        for j in range(f.n):
            if may_ascend(h, r, f.b, f.a, f.lst[j]):
                f.lst[kept] = f.lst[j]
                kept += 1
        x.done = 1 if kept > 0 else 0
        if kept == 0:
            if k.take_how != oc.H_REF and k.take_filter >= 0 and r.filter[k.take_filter].zones & oc.Z_DECK != 0:
                shuffle(h, seat)
            return pop(h)
        f.c = f.lst[0]
        f.pc = 2
        if k.how == oc.H_PICK:
            h.n_opts = 0
            for j in range(kept):
                opt(h, K_TARGET + ARG * h.perm[f.lst[j]].place)
            f.pc = 1
            return ask(h, seat)
    if f.pc == 1:
        f.c = at(h, seat, (h.answer >> 10) & 1023)
        f.pc = 2
    if f.pc == 2:
        h.n_opts = 0
        for z in range(4):
            name_options(h, seat, ascensions(h, r, f.b, f.a, f.c, z), K_SEARCH, z)
        f.pc = 3
        return ask(h, seat)
    if f.pc == 3:
        z = h.answer & 1023
        i = by_number(h, seat, ascensions(h, r, f.b, f.a, f.c, z), (h.answer >> 10) & 1023)
        f.pc = 4
        push(h, F_ASCEND, f.c, i, z, oc.ZERO)
        return 0
    p = h.ret
    settle_step(h, r)
    arrived(h, r, p, oc.ZERO, oc.ONE, f.c, context_source(h, f.a))
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
    """Let the player choose a card that the step may cast. c: card, d: zone; `pc` is FOUND if there is one."""
    x = h.ctx[f.a]
    if f.pc == 0:
        h.n_opts = 0
        for z in range(4):
            name_options(h, x.seat, rune_casts(h, r, f.b, f.a, z), K_SEARCH, z)
        x.done = 1 if h.n_opts > 0 else 0
        if h.n_opts > 0:
            f.pc = 1
            return ask(h, x.seat)
        if r.filter[r.step[f.b].filter].zones & oc.Z_DECK != 0:
            shuffle(h, x.seat)
        return pop(h)
    f.d = h.answer & 1023
    f.c = by_number(h, x.seat, rune_casts(h, r, f.b, f.a, f.d), (h.answer >> 10) & 1023)
    f.pc = FOUND
    return 0


@kernel
def find_face(h, r, f):
    """Find the context's own card in the Underworld. c: card, d: zone; `pc` is FOUND if it can be cast."""
    x = h.ctx[f.a]
    x.done = 1 if could_castas(h, r, f.b, f.a) else 0
    if x.done == 0:
        return pop(h)
    f.c = x.inst - CARDS * x.seat
    f.d = ZONE_UW
    f.pc = FOUND
    return 0


@kernel
def do_artifact(h, r, f):
    """Cast a Rune by an effect, or an Elestral as its second face. c: card, d: zone, e: host, g: tax, k: kind."""
    k = r.step[f.b]
    if f.pc < FOUND:
        asked = find_face(h, r, f) if k.op == oc.O_CASTAS else find_rune(h, r, f)
        if f.pc != FOUND:
            return asked
    seat = h.ctx[f.a].seat
    face = k.words if k.op == oc.O_CASTAS else np.int64(-1)
    card = h.number[seat, f.c]
    if f.pc == FOUND:
        f.k = oc.ARTIFACT if face >= 0 else r.card[card].kind
        hosts = rune_hosts(h, r, f.b, f.a)
        f.pc = 4
        if k.host >= 0:
            f.e = lowest(hosts)
        else:
            h.n_opts = 0
            target_options(h, seat, hosts, K_HOST)
            f.pc = 3
            return ask(h, seat)
    if f.pc == 3:
        f.e = at(h, seat, (h.answer >> 10) & 1023)
        f.pc = 4
    if f.pc == 4:
        f.g = tax(h, r, seat, f.k, card)
        f.pc = 6
        if f.g > 0:
            h.n_g = 0
            add_group(h, np.int64(ANY), np.int64(DECK_PLACE), f.g)
            start_pay(h, seat)
            add_cast(h, r, f.b, card, f.a)
            f.pc = 5
            return 0
    if f.pc == 5:
        bury(h, oc.ZERO, h.n_paid)
        h.tally[seat, Y_PAID_COST] += f.g
        f.pc = 6
    if f.pc == 6:
        h.n_g = 0
        add_cast(h, r, f.b, card, f.a)
        start_pay(h, seat)
        f.pc = 7
        return 0
    h.tally[seat, Y_PAID_CAST] += from_deck(h, oc.ZERO, h.n_paid)
    take_card(h, seat, f.c, f.d)
    if f.d == ZONE_DECK:
        shuffle(h, seat)
    p = new_perm(h, r, seat, seat * CARDS + f.c, free_place(h, r, seat, oc.ARTIFACT), f.k, oc.ZERO)
    q = h.perm[p]
    q.face = face
    q.host = f.e
    q.paid = put_under(h, p, oc.ZERO, h.n_paid)
    arrived(h, r, p, oc.ZERO, oc.ZERO, oc.NONE, context_source(h, f.a))
    return pop(h)
