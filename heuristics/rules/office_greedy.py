"""Combination after combination until nothing is too rare: what offices do today."""

import math
from collections.abc import Sequence

import numpy as np

from starmin.heuristics.rules import OFFICE_GREEDY
from starmin.instances import (
    STARS,
    Limit,
    Mask,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arguments import expect_names
from starmin.instances.arrays import Bools, Ints
from starmin.models.rules.rule_program import RuleProgram


def office_greedy(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    importance: Sequence[str] = (),
) -> Result[Mask]:
    """Star one column of what is too rare, combination after combination. No guarantee.

    The columns of each rule are looked at in turn. Rows that show of them what too few
    rows show star one of these columns: the least important one. Stars make other
    combinations rarer, so all rules are gone through again until nothing is left.

    Parameters
    ----------
    table, requirement, objective
        The problem: rules over combinations; stars or tuples.
    time_limit
        Seconds.
    importance
        Columns, the most important one first; the others follow, those whose stars
        cost more first.

    Returns
    -------
    Result
        Without a bound.

    Notes
    -----
    Rows of which nothing more can be starred may be too few for a rule by classes; then
    everything is starred.

    Examples
    --------
    >>> from starmin.instances import Combinations
    >>> rows = [["0", "x"], ["0", "y"], ["0", "y"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> office_greedy(table, Combinations(2, 2)).value
    2
    """
    run = Run[Mask](table, requirement, objective, time_limit, display, OFFICE_GREEDY)
    order = expect_names("importance", importance)

    def search() -> Limit | None:
        program = RuleProgram.of(table, requirement, objective, run.check_time)
        worth = _worth(program, order)
        codes = np.zeros(len(program.types.inverse), np.int64)
        while _go_through(run, program, worth, codes):
            pass
        mask = program.axes.mask(table, codes, program.core.missing(table))
        if mask.violation(table, requirement, objective) is not None:
            mask = Mask.coarsest(table, requirement, objective)
        run.offer(mask)
        return None

    return run.carry_out(
        search, lambda: run.offer(Mask.coarsest(table, requirement, objective))
    )


def _worth(program: RuleProgram, importance: Sequence[str]) -> list[int]:
    """Return the axes that may be hidden, the least important one first."""
    table, axes = program.table, program.axes

    def rank(a: int) -> tuple[int, int, int]:
        named = [table.qi[j] for j in axes.units[a]]
        places = [importance.index(name) for name in named if name in importance]
        first = min(places, default=len(importance))
        return -first, int(axes.highest[a]), -a

    return sorted(np.flatnonzero(~axes.kept).tolist(), key=rank)


def _go_through(
    run: Run[Mask], program: RuleProgram, worth: list[int], codes: Ints
) -> bool:
    """Star what is too rare, rule after rule; return whether anything was."""
    terms, types = program.terms, program.types
    copies = program.table.counts
    weights = np.ones(len(codes), np.int64) if copies is None else copies
    changed = False
    for term, care in enumerate(terms.care):
        run.check_time()
        item = terms.item[types.inverse, term]
        shows = np.flatnonzero((item >= 0) & (codes & care == terms.want[term]))
        counts = terms.rows
        if terms.demanding[term]:
            counts = np.bincount(item[shows], weights[shows], len(terms.rows))
        rare = shows[counts[item[shows]] < terms.need[item[shows]]]
        changed |= _star_one(program, worth, codes, rare, int(care))
    return changed


def _star_one(
    program: RuleProgram, worth: list[int], codes: Ints, rows: Ints, care: int
) -> bool:
    """Let rows hide the least important axis of a rule, or show its next node."""
    left: Bools = np.ones(len(rows), bool)
    for a in worth:
        bits = int(program.axes.bits[a])
        if bits & care:
            own = rows[left & (codes[rows] & bits != bits)]
            left &= codes[rows] & bits == bits
            codes[own] |= bits & ((codes[own] & bits) + (bits & -bits))
    return len(rows) > int(left.sum())
