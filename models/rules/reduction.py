"""What is settled before any search: rare combinations, and types that show the rest.

An item that too few rows can show is never shown. The *best set* of a type shows, of
each column, what some set without a rare item shows. In some optimum all types of the
greatest set G show theirs: those whose best set shows no rare item, and all of whose
items are shown by enough rows if exactly the types of G show their best sets.
Replacing what a row of G shows by its best set hides no more and takes no row from any
item. This holds as long as items are shown by whoever shows at least their columns, so
not for rules by classes, where no type is settled.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.rules.axes import Axes, MaskTypes, Terms


class Reduced(NamedTuple):
    """What is left to decide."""

    rare: Bools  # by item: whether it is never shown
    alive: Bools  # types x terms: whether a row of the type may show the term
    best: Ints  # by type: the code that shows most
    settled: Bools  # by type: whether it shows its best set in some optimum
    contested: Bools  # by item: whether types that are not settled decide who shows it


def reduce_terms(
    terms: Terms,
    types: MaskTypes,
    axes: Axes,
    check_time: Callable[[], None] = lambda: None,
) -> Reduced:
    """Find rare items, best sets and types that are settled."""
    care = terms.care & ~axes.kept_bits
    demanding = np.repeat(terms.demanding, np.diff(terms.starts))
    rare = terms.rows < terms.need
    while True:
        check_time()
        alive, rows = _alive(terms, types, care, rare)
        more = demanding & ~rare & (rows < terms.need)
        if not more.any():
            break
        rare |= more
    axis_of_bit = np.repeat(np.arange(len(axes.sizes)), axes.sizes - 1)
    at_least = np.flatnonzero(terms.want == 0)
    best = _best_codes(terms.item, rare, care, at_least, axes.bits, axis_of_bit)
    if len(at_least) < len(care):
        none = np.zeros(len(types), bool)
        return Reduced(rare, alive, best, none, demanding & ~rare)
    settled = ~_shows_any(terms.item, rare, care, best)
    while True:
        check_time()
        shown = _rows_shown(terms.item, care, best, settled, types.copies, len(rare))
        few = demanding & ~rare & (shown < terms.need)
        fewer = settled & ~_shows_any(terms.item, few, care, best)
        if fewer.sum() == settled.sum():
            return Reduced(rare, alive, best, settled, few)
        settled = fewer


def _alive(
    terms: Terms, types: MaskTypes, care: Ints, rare: Bools
) -> tuple[Bools, Ints]:
    """Return which terms each type may show, and by item how many rows may."""
    zero = care & ~terms.want
    order = np.argsort(np.bitwise_count(care), kind="stable")
    order = order[terms.want[order] == 0]
    alive = _may_show(terms.item, rare, care, zero, order)
    return alive, _rows_alive(terms.item, alive, types.copies, len(rare))


@compiled
def _may_show(item: Int32s, rare: Bools, care: Ints, zero: Ints, order: Ints) -> Bools:
    alive = np.zeros(item.shape, np.bool_)
    dead = np.empty(len(care), np.int64)
    for t in range(item.shape[0]):
        found = rare_sets(item[t], rare, care, order, dead)
        for e in range(item.shape[1]):
            if item[t, e] < 0 or rare[item[t, e]]:
                continue
            alive[t, e] = True
            for d in range(found):
                if dead[d] & ~zero[e] == 0:
                    alive[t, e] = False
                    break
    return alive


@inner
def rare_sets(item: Int32s, rare: Bools, care: Ints, order: Ints, dead: Ints) -> int:
    """Write the least sets that a type must not show to ``dead``; return how many."""
    found = 0
    for e in order:
        if item[e] < 0 or not rare[item[e]]:
            continue
        least = True
        for d in range(found):
            if dead[d] & ~care[e] == 0:
                least = False
                break
        if least:
            dead[found] = care[e]
            found += 1
    return found


@compiled
def _rows_alive(item: Int32s, alive: Bools, copies: Ints, items: int) -> Ints:
    rows = np.zeros(items, np.int64)
    for t in range(item.shape[0]):
        for e in range(item.shape[1]):
            if alive[t, e]:
                rows[item[t, e]] += copies[t]
    return rows


@compiled
def _best_codes(
    item: Int32s, rare: Bools, care: Ints, at_least: Ints, bits: Ints, axis_of_bit: Ints
) -> Ints:
    best = np.zeros(item.shape[0], np.int64)
    for t in range(item.shape[0]):
        for e in at_least:
            if item[t, e] < 0 or not rare[item[t, e]] or care[e] == 0:
                continue
            lowest = care[e] & -care[e]
            place = 0
            while lowest >> place > 1:
                place += 1
            own = bits[axis_of_bit[place]]
            if care[e] & ~own == 0:
                best[t] |= ((lowest << 1) - 1) & own
    return best


@compiled
def _shows_any(item: Int32s, marked: Bools, care: Ints, code: Ints) -> Bools:
    """Find the types that show a marked item under a code of their own."""
    shows = np.zeros(item.shape[0], np.bool_)
    for t in range(item.shape[0]):
        for e in range(item.shape[1]):
            if item[t, e] >= 0 and marked[item[t, e]] and code[t] & care[e] == 0:
                shows[t] = True
                break
    return shows


@compiled
def _rows_shown(
    item: Int32s, care: Ints, code: Ints, those: Bools, copies: Ints, items: int
) -> Ints:
    """Count the rows of some types that show each item under codes of their own."""
    rows = np.zeros(items, np.int64)
    for t in np.flatnonzero(those):
        for e in range(item.shape[1]):
            if item[t, e] >= 0 and code[t] & care[e] == 0:
                rows[item[t, e]] += copies[t]
    return rows
