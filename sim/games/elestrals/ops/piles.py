"""Steps on cards outside the field: in hands, decks and Underworlds."""

from __future__ import annotations

import numpy as np

from sim.bits import popcount
from sim.games.elestrals import opcodes as oc
from sim.games.elestrals.board import (
    CARDS,
    PLACES,
    amount,
    at,
    foretell_more,
    free_place,
    new_ctx,
    opt,
    perm_ctx,
    shown_in_deck,
    working,
)
from sim.games.elestrals.effects import (
    ARG,
    F_COSTS,
    F_FORETELL,
    F_RUN,
    K_DISCARD,
    K_PUT_BACK,
    K_SEARCH,
    K_TAKE,
    K_USE,
    SUIT_ANY,
    ask,
    by_number,
    can_activate,
    discard,
    draw,
    find,
    fit_mask,
    found_any,
    name_options,
    new_perm,
    onto_deck,
    out_of_deck,
    pop,
    push,
    shuffle,
    take_card,
    under_deck,
)
from sim.jit import kernel


@kernel
def op_draw(h, r, f):
    """Draw cards."""
    x = h.ctx[f.ctx]
    x.drawn = amount(h, r, r.step[f.step].amount, f.ctx)
    draw(h, x.seat, x.drawn)
    return pop(h)


@kernel
def op_mill(h, r, f):
    """Put the top cards of one deck or of both into the Underworld, those of the turn player first."""
    k = r.step[f.step]
    who = h.ctx[f.ctx].seat if k.who == oc.OWN else 1 - h.ctx[f.ctx].seat
    n = amount(h, r, k.amount, f.ctx)
    for j in range(2):
        victim = h.active if j == 0 else 1 - h.active
        if k.who == oc.EITHER or victim == who:
            for _ in range(min(n, h.deck_n[victim])):
                i = h.deck[victim, h.deck_n[victim] - 1]
                out_of_deck(h, victim, i)
                h.uw[victim] |= np.int64(1) << i
    return pop(h)


@kernel
def op_discard(h, r, f):
    """Make a player discard cards of their choice."""
    seat = h.ctx[f.ctx].seat
    victim = seat if r.step[f.step].who == oc.OWN else 1 - seat
    return discards(h, r, f, victim, victim)


@kernel
def op_peekdisc(h, r, f):
    """Look at the other player's hand and choose what is discarded."""
    seat = h.ctx[f.ctx].seat
    made = discards(h, r, f, 1 - seat, seat)
    if made == 1:
        h.known[1 - seat] |= h.hand[1 - seat]
    return made


@kernel
def discards(h, r, f, victim, chooser):
    """Let a player choose cards of a hand to be discarded."""
    if f.pc == 0:
        f.left = min(amount(h, r, r.step[f.step].amount, f.ctx), popcount(h.hand[victim]))
        f.pc = 1
    else:
        discard(h, victim, by_number(h, victim, h.hand[victim], (h.answer >> 10) & 1023))
    if f.left <= 0:
        return pop(h)
    f.left -= 1
    h.n_opts = 0
    name_options(h, victim, h.hand[victim], K_DISCARD, oc.ZERO)
    return ask(h, chooser)


@kernel
def op_putback(h, r, f):
    """Put hand cards on top of the deck."""
    seat = h.ctx[f.ctx].seat
    if f.pc == 0:
        f.left = min(amount(h, r, r.step[f.step].amount, f.ctx), popcount(h.hand[seat]))
        f.pc = 1
    else:
        i = by_number(h, seat, h.hand[seat], (h.answer >> 10) & 1023)
        h.hand[seat] &= ~(np.int64(1) << i)
        onto_deck(h, seat, i)
    if f.left <= 0:
        return pop(h)
    f.left -= 1
    h.n_opts = 0
    name_options(h, seat, h.hand[seat], K_PUT_BACK, oc.ZERO)
    return ask(h, seat)


@kernel
def op_reshuffle(h, r, f):
    """Show any number of hand cards and shuffle them into the deck."""
    x = h.ctx[f.ctx]
    seat = x.seat
    if f.pc == 0:
        x.x = 0
        f.pc = 1
    elif h.answer != 0:
        i = by_number(h, seat, h.hand[seat], (h.answer >> 10) & 1023)
        h.hand[seat] &= ~(np.int64(1) << i)
        under_deck(h, seat, i)
        x.x += 1
    else:
        f.pc = 2
    if h.hand[seat] == 0 or f.pc == 2:
        shuffle(h, seat)
        return pop(h)
    h.n_opts = 0
    opt(h, oc.ZERO)
    name_options(h, seat, h.hand[seat], K_PUT_BACK, oc.ZERO)
    return ask(h, seat)


@kernel
def top_cards(h, seat, n):
    """Return the mask of the top cards of a deck."""
    made = np.int64(0)
    for j in range(min(n, h.deck_n[seat])):
        made |= np.int64(1) << h.deck[seat, h.deck_n[seat] - 1 - j]
    return made


@kernel
def op_scrytake(h, r, f):
    """Look at the top cards, take some, shuffle the rest in."""
    k = r.step[f.step]
    seat = h.ctx[f.ctx].seat
    if f.pc == 0:
        f.mask = top_cards(h, seat, amount(h, r, k.amount, f.ctx))
        f.left = min(k.take_high, popcount(f.mask))
        f.pc = 1
    else:
        i = by_number(h, seat, f.mask, (h.answer >> 10) & 1023)
        f.mask &= ~(np.int64(1) << i)
        out_of_deck(h, seat, i)
        h.hand[seat] |= np.int64(1) << i
    if f.left <= 0:
        shuffle(h, seat)
        return pop(h)
    f.left -= 1
    h.n_opts = 0
    name_options(h, seat, f.mask, K_TAKE, oc.ZERO)
    return ask(h, seat)


@kernel
def op_tutor(h, r, f):
    """Search for cards."""
    return fetch(h, r, f, oc.ZERO)


@kernel
def op_regrow(h, r, f):
    """Take cards back from the Underworld."""
    return fetch(h, r, f, oc.ZERO)


@kernel
def op_totop(h, r, f):
    """Search for cards and put them on top of the deck."""
    return fetch(h, r, f, oc.ONE)


@kernel
def fetch(h, r, f, on_top):
    """EL-F8: bring cards from deck or Underworld to the hand (or on top); a deck that was searched is shuffled."""
    x = h.ctx[f.ctx]
    k = r.step[f.step]
    seat = x.seat
    more = True
    if f.pc == 1:
        if h.answer == 0:
            more = False
        else:
            z = h.answer & 1023
            i = by_number(h, seat, find(h, r, k.filter, f.ctx, z, SUIT_ANY, f.step, oc.NONE), (h.answer >> 10) & 1023)
            take_card(h, seat, i, z)
            if f.n < 18:
                f.lst[f.n] = i
            f.n += 1
            f.mask |= np.int64(1) << i
            h.hand[seat] |= np.int64(1) << i
            h.known[seat] |= np.int64(1) << i
    if more and (k.high < 0 or f.n < k.high):
        h.n_opts = 0
        for z in range(4):
            name_options(h, seat, find(h, r, k.filter, f.ctx, z, SUIT_ANY, f.step, oc.NONE) & ~f.mask, K_SEARCH, z)
        if h.n_opts > 0:
            if f.n >= k.low:
                opt(h, oc.ZERO)
            f.pc = 1
            return ask(h, seat)
    if r.filter[k.filter].zones & oc.Z_DECK != 0:
        shuffle(h, seat)
    if on_top == 1:
        for j in range(min(f.n, 18)):
            h.hand[seat] &= ~(np.int64(1) << f.lst[j])
            onto_deck(h, seat, f.lst[j])
    x.done = 1 if f.n > 0 else 0
    x.taken = f.n
    return pop(h)


@kernel
def op_setfrom(h, r, f):
    """Set a Counter from the Underworld; it counts as Set this turn."""
    x = h.ctx[f.ctx]
    k = r.step[f.step]
    seat = x.seat
    if f.pc != 12:
        place = free_place(h, r, seat, oc.ARTIFACT)
        x.done = 1 if place >= 0 and found_any(h, r, f.step, f.ctx, oc.ZERO) else 0
        if x.done == 0:
            return pop(h)
        h.n_opts = 0
        for z in range(4):
            name_options(h, seat, find(h, r, k.filter, f.ctx, z, SUIT_ANY, f.step, oc.NONE), K_SEARCH, z)
        f.pc = 12
        return ask(h, seat)
    z = h.answer & 1023
    i = by_number(h, seat, find(h, r, k.filter, f.ctx, z, SUIT_ANY, f.step, oc.NONE), (h.answer >> 10) & 1023)
    take_card(h, seat, i, z)
    kind = r.card[h.number[seat, i]].kind
    p = new_perm(h, r, seat, seat * CARDS + i, free_place(h, r, seat, oc.ARTIFACT), kind, oc.ZERO)
    h.perm[p].down = 1
    h.perm[p].set_on = h.turn
    return pop(h)


@kernel
def op_foretell(h, r, f):
    """Go on with the routine of a Foretell, which other cards may act in."""
    f.op = F_FORETELL
    return 0


@kernel
def do_foretell(h, r, f):
    """EL-F9: reveal the top cards, let others act on them, take what may be taken, put the rest back.

    inner, text: context and ability of a card that acts. acted: those that did. mask: cards put in their new order.
    """
    x = h.ctx[f.ctx]
    k = r.step[f.step]
    seat = x.seat
    if f.pc == 0:
        x.shown = top_cards(h, seat, amount(h, r, k.amount, f.ctx) + foretell_more(h, r, f.ctx))
        h.foretold[seat] += 1
        f.pc = 1
    if f.pc == 2:
        if h.answer == 0:
            f.pc = 5
        else:
            p = at(h, seat, (h.answer >> 10) & 1023)
            f.acted |= np.int64(1) << p
            f.inner = new_ctx(h)
            perm_ctx(h, f.inner, p)
            h.ctx[f.inner].shown = x.shown
            f.text = r.card[h.perm[p].card].ability + (h.answer & 1023)
            f.pc = 3
            push(h, F_COSTS, f.inner, f.text, oc.ZERO, oc.ZERO)
            return 0
    if f.pc == 3:
        f.pc = 1
        push(h, F_RUN, f.inner, r.ability[f.text].step, r.ability[f.text].step_n, oc.ZERO)
        return 0
    if f.pc == 1:
        if foretell_options(h, r, f, x):
            f.pc = 2
            return ask(h, seat)
        f.pc = 5
    if f.pc == 5:
        x.taken = 0
        f.pc = 6
    elif f.pc == 7:
        if h.answer == 0:
            f.pc = 8
        else:
            found = fit_mask(h, r, k.take_filter, seat, shown_in_deck(h, f.ctx))
            i = by_number(h, seat, found, (h.answer >> 10) & 1023)
            out_of_deck(h, seat, i)
            h.hand[seat] |= np.int64(1) << i
            h.known[seat] |= np.int64(1) << i
            x.taken += 1
            f.pc = 6
    if f.pc == 6:
        if k.take_filter >= 0 and k.take_how == oc.H_NONE and (k.take_high < 0 or x.taken < k.take_high):
            found = fit_mask(h, r, k.take_filter, seat, shown_in_deck(h, f.ctx))
            if found != 0:
                h.n_opts = 0
                name_options(h, seat, found, K_TAKE, oc.ZERO)
                if x.taken >= k.take_low:
                    opt(h, oc.ZERO)
                f.pc = 7
                return ask(h, seat)
        f.pc = 8
    return foretold_rest(h, r, f, x)


@kernel
def foretell_options(h, r, f, x):
    """Write the cards that may act inside a Foretell; return whether there are any."""
    h.n_opts = 0
    opt(h, oc.ZERO)
    for k in range(PLACES):
        p = h.slot[x.seat, k]
        if p < 0 or (f.acted >> p) & 1 == 1 or (r.card[h.perm[p].card].events >> oc.E_FORETELL) & 1 == 0:
            continue
        if not working(h, r, p):
            continue
        first = r.card[h.perm[p].card].ability
        for j in range(r.card[h.perm[p].card].ability_n):
            t = r.ability[first + j]
            if t.kind == oc.KIND_ON and t.event == oc.E_FORETELL:
                perm_ctx(h, oc.ONE, p)
                h.ctx[1].shown = x.shown
                if can_activate(h, r, first + j, oc.ONE, oc.ZERO):
                    opt(h, K_USE + k * ARG + j)
    return h.n_opts > 1


@kernel
def foretold_rest(h, r, f, x):
    """What happens to foretold cards that nobody took. mask, lst[:n]: cards put in order so far."""
    seat = x.seat
    rest = shown_in_deck(h, f.ctx)
    if r.foretell_rest == 2:
        shuffle(h, seat)
    elif r.foretell_rest == 3:
        n = 0
        for j in range(h.deck_n[seat] - 1, -1, -1):
            if (rest >> h.deck[seat, j]) & 1 == 1 and n < 18:
                f.lst[n] = h.deck[seat, j]
                n += 1
        for j in range(n):
            out_of_deck(h, seat, f.lst[j])
            under_deck(h, seat, f.lst[j])
    elif r.foretell_rest == 1:
        if f.pc == 9:
            i = by_number(h, seat, rest & ~f.mask, (h.answer >> 10) & 1023)
            f.mask |= np.int64(1) << i
            if f.n < 18:
                f.lst[f.n] = i
                f.n += 1
        if rest & ~f.mask != 0 and f.n < 18:
            h.n_opts = 0
            name_options(h, seat, rest & ~f.mask, K_PUT_BACK, oc.ZERO)
            f.pc = 9
            return ask(h, seat)
        for j in range(f.n):
            out_of_deck(h, seat, f.lst[j])
        for j in range(f.n - 1, -1, -1):
            onto_deck(h, seat, f.lst[j])
    return pop(h)
