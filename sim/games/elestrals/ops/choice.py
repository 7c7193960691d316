"""Steps that hold other steps."""

from __future__ import annotations

from sim.games.elestrals import opcodes as oc
from sim.games.elestrals.board import FIRST_DELAYED, clear_ctx, opt
from sim.games.elestrals.effects import ARG, K_CHOICE, ask, could_one, pop
from sim.jit import kernel


@kernel
def op_choose(h, r, f):
    """One of two things, chosen by the controller."""
    return either(h, r, f, h.ctx[f.ctx].seat)


@kernel
def op_oppchoose(h, r, f):
    """One of two things, chosen by the other player."""
    return either(h, r, f, 1 - h.ctx[f.ctx].seat)


@kernel
def either(h, r, f, seat):
    """Let a player choose one of two things; the step becomes that one."""
    x = h.ctx[f.ctx]
    k = r.step[f.step]
    if f.pc == 0:
        h.n_opts = 0
        for j in range(k.inner_n):
            if could_one(h, r, k.inner + j, f.ctx, oc.ZERO):
                opt(h, K_CHOICE + j * ARG)
        x.done = 1 if h.n_opts > 0 else 0
        if h.n_opts == 0:
            return pop(h)
        f.pc = 1
        return ask(h, seat)
    f.step = k.inner + ((h.answer >> 10) & 1023)
    f.pc = 0
    f.n = 0
    return 0


@kernel
def op_delay(h, r, f):
    """Do something in this turn's End Phase, for a cost if there is one."""
    i = h.n_delayed
    if i >= 8:
        h.over = 2
        return pop(h)
    x = h.ctx[f.ctx]
    y = h.ctx[FIRST_DELAYED + i]
    clear_ctx(h, FIRST_DELAYED + i, x.seat, x.source, x.inst, x.card, x.kind)
    y.ev_subj = x.ev_subj
    y.ev_other = x.ev_other
    y.n_tg = x.n_tg
    for group in range(x.n_tg):
        y.tgn[group] = x.tgn[group]
        y.tgf[group] = x.tgf[group]
        for j in range(x.tgn[group]):
            y.tg[group, j] = x.tg[group, j]
    y.n_cards = x.n_cards
    for j in range(x.n_cards):
        y.cards[j] = x.cards[j]
    y.that = x.that
    y.receiver = x.receiver
    y.it = x.it
    y.x = x.x
    y.moved = x.moved
    y.spwas = x.spwas
    y.drawn = x.drawn
    y.taken = x.taken
    w = h.delayed[i]
    w.seat = x.seat
    w.source = -1
    w.inst = x.inst
    w.card = x.card
    w.ability = r.step[f.step].ability
    w.index = 0
    w.stays = 0
    w.ctx = FIRST_DELAYED + i
    w.out = 0
    w.ev_word = oc.E_END
    w.ev_subj = -1
    w.ev_other = -1
    w.moved = 0
    h.n_delayed = i + 1
    return pop(h)
