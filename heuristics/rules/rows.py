"""Rows of open types, what each hides, and who shows what: kept under changes."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.rules.choices import Choices
from starmin.models.rules.rule_program import RuleProgram

FEW, CHANGED, COST = 0, 1, 2  # places in ``numbers``


class Rows(NamedTuple):
    """What each row of the open types hides, and what follows from it."""

    choices: Choices  # what may be shown, by type
    # owner, entry_owner: the type of each row, and of each entry of ``choices.item``
    owner: Ints
    entry_owner: Ints
    row_starts: Ints  # by type: its first row
    # starts, entries: by item: where its entries in ``choices.item`` begin, and these
    starts: Ints
    entries: Ints
    need: Ints  # by item: how many rows must show it, where any does
    costs: Ints  # costs, once: of lists of costs x levels, and of anything hidden
    once: int
    bits: Ints  # bits, offsets: of axes
    offsets: Ints
    codes: Ints  # by row: the bits that it hides
    shown: Ints  # by item: the rows that show it
    # few, place: items that some rows show, and too few; by item its place there, or -1
    few: Ints
    place: Ints
    # how many of ``few`` and of ``changed`` are in use, and what the rows pay
    numbers: Ints
    # changed, before: rows whose codes changed since the last mark, and what these were
    changed: Ints
    before: Ints

    @classmethod
    def of(
        cls, program: RuleProgram, per_cost: int, codes: Ints, changes: int
    ) -> "Rows":
        """Lay out the rows of a program.

        ``per_cost`` units are one unit of the objective, ``codes`` is what rows hide
        first, and ``changes`` can be taken back, beside four of each row.
        """
        owner = np.repeat(np.arange(len(program)), program.copies)
        starts, entries = program.entries
        items, room = len(program.need), 4 * len(owner) + changes
        rows = cls(
            program.choices,
            owner,
            program.owner,
            np.cumsum(np.concatenate([[0], program.copies])),
            starts,
            entries,
            program.need,
            program.costs * per_cost,
            program.once * per_cost,
            program.axes.bits,
            program.axes.offsets,
            codes.copy(),
            np.zeros(items, np.int64),
            np.zeros(items, np.int64),
            np.full(items, -1),
            np.zeros(3, np.int64),
            np.zeros(room, np.int64),
            np.zeros(room, np.int64),
        )
        count_shown(rows)
        return rows


@compiled
def count_shown(rows: Rows) -> None:
    """Count who shows each item, and what all rows pay."""
    choices = rows.choices
    rows.shown[:] = 0
    rows.place[:] = -1
    rows.numbers[:] = 0
    for r in range(len(rows.owner)):
        t, code = rows.owner[r], rows.codes[r]
        rows.numbers[COST] += cost_of(rows, t, code)
        for e in range(choices.starts[t], choices.starts[t + 1]):
            i = choices.item[e]
            if i >= 0 and code & choices.care[e] == choices.want[e]:
                rows.shown[i] += 1
    for i in range(len(rows.need)):
        _note_few(rows, i)


@inner
def cost_of(rows: Rows, t: int, code: int) -> int:
    """Return what a row of a type pays for a code."""
    if rows.once:
        return rows.once if code else 0
    total = 0
    for a in range(len(rows.bits)):
        level, bits = 0, code & rows.bits[a]
        while bits:
            bits &= bits - 1
            level += 1
        total += rows.costs[rows.choices.cost[t, a], level]
    return total


@inner
def _note_few(rows: Rows, i: int) -> None:
    """Put an item to those that too few rows show, or take it out."""
    at, count = rows.place[i], rows.numbers[FEW]
    few = rows.starts[i] < rows.starts[i + 1] and 0 < rows.shown[i] < rows.need[i]
    if few and at < 0:
        rows.few[count] = i
        rows.place[i] = count
        rows.numbers[FEW] = count + 1
    elif not few and at >= 0:
        last = rows.few[count - 1]
        rows.few[at] = last
        rows.place[last] = at
        rows.place[i] = -1
        rows.numbers[FEW] = count - 1


@inner
def hide(rows: Rows, r: int, code: int) -> None:
    """Let a row hide what a code says, and note what it hid."""
    at = rows.numbers[CHANGED]
    rows.changed[at], rows.before[at] = r, rows.codes[r]
    rows.numbers[CHANGED] = at + 1
    _set_code(rows, r, code)


@inner
def _set_code(rows: Rows, r: int, code: int) -> None:
    choices, t, old = rows.choices, rows.owner[r], rows.codes[r]
    for e in range(choices.starts[t], choices.starts[t + 1]):
        i, change = choices.item[e], 0
        if i < 0:
            continue
        if old & choices.care[e] == choices.want[e]:
            change -= 1
        if code & choices.care[e] == choices.want[e]:
            change += 1
        if change:
            rows.shown[i] += change
            _note_few(rows, i)
    rows.codes[r] = code
    rows.numbers[COST] += cost_of(rows, t, code) - cost_of(rows, t, old)


@inner
def undo(rows: Rows) -> None:
    """Take back all changes since the last mark."""
    at = rows.numbers[CHANGED]
    while at > 0:
        at -= 1
        _set_code(rows, rows.changed[at], rows.before[at])
    rows.numbers[CHANGED] = 0
