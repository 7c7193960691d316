"""What the words of the effect language do in the fast engine: a kernel for each word of a step, in files by family."""

from __future__ import annotations

from sim.games.elestrals import opcodes as oc
from sim.games.elestrals.ops.arrive import op_castas, op_castrune, op_spasc, op_spcast
from sim.games.elestrals.ops.choice import op_choose, op_delay, op_oppchoose
from sim.games.elestrals.ops.field import (
    PICKED,
    op_botdeck,
    op_bounce,
    op_destroy,
    op_destroyif,
    op_flip,
    op_mod,
    op_negate,
    op_negatefx,
    op_nodmg,
    op_playlock,
    op_restrict,
    op_setbase,
    op_setpos,
    op_steal,
    op_stealrune,
    op_suppress,
    op_swapst,
    pick_subject,
)
from sim.games.elestrals.ops.piles import (
    op_discard,
    op_draw,
    op_foretell,
    op_mill,
    op_peekdisc,
    op_putback,
    op_regrow,
    op_reshuffle,
    op_scrytake,
    op_setfrom,
    op_totop,
    op_tutor,
)
from sim.games.elestrals.ops.spirits import op_attach, op_drain, op_nexus, op_nexusall, op_recover
from sim.jit import kernel

# Words whose cards of the field are chosen before the word's own kernel is entered.
ON_CARDS = (
    *(oc.O_DESTROY, oc.O_DESTROYIF, oc.O_BOUNCE, oc.O_BOTDECK, oc.O_FLIP, oc.O_SETPOS, oc.O_SUPPRESS, oc.O_MOD),
    *(oc.O_SWAPST, oc.O_SETBASE, oc.O_RESTRICT, oc.O_PLAYLOCK, oc.O_NEGATEFX, oc.O_NODMG, oc.O_STEAL, oc.O_STEALRUNE),
)
ON_CARDS_BITS = sum(1 << int(op) for op in ON_CARDS)


@kernel
def do_op(h, r, f):
    """Carry out one step."""
    k = r.step[f.step]
    if (ON_CARDS_BITS >> k.op) & 1 == 1:
        if k.how != oc.H_NONE and f.pc < PICKED and pick_subject(h, r, f) == 1:
            return 1
        return op_field(h, r, f, k.op)
    if k.op in (oc.O_SPCAST, oc.O_NCAST):
        return op_spcast(h, r, f)
    if k.op == oc.O_SPASC:
        return op_spasc(h, r, f)
    if k.op == oc.O_ATTACH:
        return op_attach(h, r, f)
    if k.op == oc.O_NEXUS:
        return op_nexus(h, r, f)
    if k.op == oc.O_NEXUSALL:
        return op_nexusall(h, r, f)
    if k.op == oc.O_RECOVER:
        return op_recover(h, r, f)
    if k.op == oc.O_DRAIN:
        return op_drain(h, r, f)
    if k.op == oc.O_NEGATE:
        return op_negate(h, r, f)
    if k.op == oc.O_CHOOSE:
        return op_choose(h, r, f)
    if k.op == oc.O_OPPCHOOSE:
        return op_oppchoose(h, r, f)
    if k.op == oc.O_DELAY:
        return op_delay(h, r, f)
    if k.op == oc.O_CASTRUNE:
        return op_castrune(h, r, f)
    if k.op == oc.O_CASTAS:
        return op_castas(h, r, f)
    return op_pile(h, r, f, k.op)


@kernel
def op_pile(h, r, f, op):
    """Carry out a step on cards outside the field."""
    if op == oc.O_TUTOR:
        return op_tutor(h, r, f)
    if op == oc.O_REGROW:
        return op_regrow(h, r, f)
    if op == oc.O_TOTOP:
        return op_totop(h, r, f)
    if op == oc.O_DRAW:
        return op_draw(h, r, f)
    if op == oc.O_FORETELL:
        return op_foretell(h, r, f)
    if op == oc.O_MILL:
        return op_mill(h, r, f)
    if op == oc.O_DISCARD:
        return op_discard(h, r, f)
    if op == oc.O_PEEKDISC:
        return op_peekdisc(h, r, f)
    if op == oc.O_PUTBACK:
        return op_putback(h, r, f)
    if op == oc.O_RESHUFFLE:
        return op_reshuffle(h, r, f)
    if op == oc.O_SCRYTAKE:
        return op_scrytake(h, r, f)
    return op_setfrom(h, r, f)


@kernel
def op_field(h, r, f, op):
    """Carry out a step on the cards f.lst[:f.n] of the field."""
    if op == oc.O_DESTROY:
        return op_destroy(h, r, f)
    if op == oc.O_MOD:
        return op_mod(h, r, f)
    if op == oc.O_SUPPRESS:
        return op_suppress(h, r, f)
    if op == oc.O_DESTROYIF:
        return op_destroyif(h, r, f)
    if op == oc.O_BOUNCE:
        return op_bounce(h, r, f)
    if op == oc.O_BOTDECK:
        return op_botdeck(h, r, f)
    if op == oc.O_FLIP:
        return op_flip(h, r, f)
    if op == oc.O_SETPOS:
        return op_setpos(h, r, f)
    if op == oc.O_SWAPST:
        return op_swapst(h, r, f)
    if op == oc.O_SETBASE:
        return op_setbase(h, r, f)
    if op == oc.O_RESTRICT:
        return op_restrict(h, r, f)
    if op == oc.O_PLAYLOCK:
        return op_playlock(h, r, f)
    if op == oc.O_NODMG:
        return op_nodmg(h, r, f)
    if op == oc.O_NEGATEFX:
        return op_negatefx(h, r, f)
    if op == oc.O_STEAL:
        return op_steal(h, r, f)
    return op_stealrune(h, r, f)
