"""TP+: TP, and its residue regrouped by another heuristic.

Columns may be coarsened first: levels are raised while the loss falls.
"""

import math
from collections.abc import Callable, Iterable

import numpy as np

from starmin.heuristics.approximation import COARSE_THREE_PHASE, THREE_PHASE_HYBRID
from starmin.heuristics.approximation.three_phase import check_three_phase, offer_phases
from starmin.heuristics.orders.suppression import hilbert_suppression
from starmin.heuristics.recoding.levels import column_levels
from starmin.instances import (
    STARS,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Int32s


def three_phase_hybrid(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    display: bool = False,
    inner: Callable[..., Result] = hilbert_suppression,
) -> Result:
    """Approximate star minimisation under l-diversity within ratio l d.

    Never worse than TP, whose guarantees it keeps (tuples: optimal, optimal + l - 1 or
    ratio l, by phase); mostly far better in stars.

    The idea: TP leaves groups without a star and one residue, all of whose rows are
    suppressed in all columns on which any two of them differ. The residue is a table
    that is l-diverse as a whole; any heuristic splits it into groups that differ in
    fewer columns. The better of the two partitions is returned.

    Parameters
    ----------
    table, requirement, objective
        One sensitive column; frequency l-diversity, with which k-anonymity with k <= l
        may be joined, for it follows; stars or tuples; no column can be kept.
    inner
        The heuristic for the rows of the residue: called as ``inner(table,
        requirement, objective=objective)``. Default: ``hilbert_suppression``,
        as in the paper.

    Returns
    -------
    Result
        ``stats``: as for ``three_phase``, and ``three_phase_value``, the value of TP.

    Raises
    ------
    NotSupportedError
        Another requirement, columns to keep, not one sensitive column.

    Notes
    -----
    The time of TP and of the inner heuristic.

    References
    ----------
    X. Xiao, K. Yi, Y. Tao, The hardness and approximation algorithms for l-diversity,
    EDBT 2010, sections 5.6 and 6.1.

    Examples
    --------
    >>> from starmin.instances import LDiversity
    >>> rows = [["0", "0", "a"], ["0", "1", "b"], ["1", "0", "a"], ["1", "1", "b"]]
    >>> table = Table.from_rows(["p", "q", "s"], rows, qi=["p", "q"], sensitive=["s"])
    >>> result = three_phase_hybrid(table, LDiversity(2))
    >>> result.value, result.stats["three_phase_value"]
    (4, 8)
    """
    check_three_phase(table, requirement, objective)
    run = Run(table, requirement, objective, display=display, method=THREE_PHASE_HYBRID)

    def search() -> None:
        outcome = offer_phases(run)
        run.stats["three_phase_value"] = run.value or 0
        if not outcome.residue or run.closed:
            return
        groups, first = outcome.groups.copy(), int(outcome.groups.max())
        rows = np.flatnonzero(groups == first)  # the residue is the last group
        part = inner(table.take(rows), requirement, objective=objective)
        if part.best is not None:
            groups[rows] = first + part.best.groups
            run.offer(Partition(groups))

    return run.carry_out(search)


GCP = Objective("gcp")


def coarse_three_phase(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = GCP,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    """Find an l-diverse release with ranges and nodes by TP+ on coarsened columns.

    No guarantee. TP suppresses all rows whose quasi-identifier values few others have,
    so that it is poor where columns have many values. The paper proposes to coarsen
    such columns first, by any single-dimensional recoding, to try several amounts of
    it, and to keep what is best.

    The idea: each column is at a level of its hierarchy (``levels.column_levels``), at
    first its values themselves. TP+ groups the rows of the table that is coarsened so.
    Levels of all columns are raised together, and the best is the start. Then each
    column in turn is tried at all of its levels, and the best change is kept, until
    none lowers the loss.

    A group is published as the narrowest nodes and ranges that cover its own rows: for
    rows that agree after coarsening these are within the coarsened value, and for the
    residue at most the star that the paper publishes.

    Parameters
    ----------
    table, requirement, objective
        One sensitive column; frequency l-diversity, with which k-anonymity with k <= l
        may be joined, for it follows; gcp, where flat columns have no level but the
        star. No column can be kept.
    time_limit
        Seconds, looked at before each run of TP+.

    Returns
    -------
    Result
        ``stats``: the ``levels`` of the columns, in their order, how many runs of TP+
        were ``tried``, and the loss of the first, ``uncoarsened_value``.

    Raises
    ------
    NotSupportedError
        Another requirement, columns to keep, not one sensitive column.

    See Also
    --------
    starmin.heuristics.approximation.three_phase_hybrid : TP+, without coarsening.
    starmin.heuristics.recoding.full_domain : levels that are l-diverse by themselves.

    Notes
    -----
    A run of TP+ for each vector of levels that is tried, none of them twice.

    References
    ----------
    X. Xiao, K. Yi, Y. Tao, The hardness and approximation algorithms for l-diversity,
    EDBT 2010, section 5.6.

    Examples
    --------
    >>> from starmin.instances import LDiversity, Scales
    >>> rows = [[str(age), "flu" if age % 2 else "cold"] for age in range(20, 28)]
    >>> table = Table.from_rows(["age", "s"], rows, qi=["age"], sensitive=["s"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["age"]))
    >>> result = coarse_three_phase(table, LDiversity(2), objective=objective)
    >>> result.best.groups.tolist(), result.stats["levels"]
    ([0, 0, 1, 1, 2, 2, 3, 3], '1')
    """
    check_three_phase(table, requirement, objective)
    run = Run(
        table, requirement, objective, time_limit, display, method=COARSE_THREE_PHASE
    )

    def search() -> Limit | None:
        return _Levels(run).search()

    return run.carry_out(search)


class _Levels:
    """The level at which each column is, and what TP+ finds there."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.classes = column_levels(run.table, run.objective)
        self.tops = [len(each) - 1 for each in self.classes]
        self.best = [0] * run.table.d
        self.met: set[tuple[int, ...]] = set()

    def search(self) -> Limit | None:
        """Raise all levels together, then change one after the other while it pays."""
        self._try(self.best)
        self.run.stats["uncoarsened_value"] = self.run.value or 0
        together = ([min(i, top) for top in self.tops] for i in range(max(self.tops)))
        if not self._best_of(together):
            return Limit.TIME
        start: list[int] = []
        while start != self.best:
            start = self.best
            changed = (
                [*start[:j], level, *start[j + 1 :]]
                for j, top in enumerate(self.tops)
                for level in range(top + 1)
            )
            if not self._best_of(changed):
                return Limit.TIME
        return None

    def _best_of(self, vectors: Iterable[list[int]]) -> bool:
        """Try vectors of levels that were not met; whether there was time for all."""
        for levels in vectors:
            if tuple(levels) not in self.met:
                if self.run.remaining == 0:
                    return False
                self._try(levels)
        return True

    def _try(self, levels: list[int]) -> None:
        """Group the rows by TP+ at these levels, and keep those that are the best."""
        run = self.run
        self.met.add(tuple(levels))
        coarse = _coarsened(
            run.table,
            [each[level] for each, level in zip(self.classes, levels, strict=True)],
        )
        found = three_phase_hybrid(coarse, run.requirement)
        assert found.best is not None  # as the table itself is feasible
        if run.offer(Partition(found.best.groups)):
            self.best = levels
        run.stats["levels"] = " ".join(map(str, self.best))
        run.stats["tried"] = len(self.met)


def _coarsened(table: Table, classes: list[Int32s]) -> Table:
    """Return the table with the class of each QI value for the value."""
    codes, dictionaries = table.codes.copy(), list(table.dictionaries)
    for name, each in zip(table.qi, classes, strict=True):
        place = table.names.index(name)
        kept, ranked = np.unique(each, return_inverse=True)
        codes[place] = ranked.astype(np.int32)[table.column(name)]
        dictionaries[place] = tuple(map(str, kept.tolist()))
    return Table(table.names, codes, tuple(dictionaries), table.qi, table.sensitive)
