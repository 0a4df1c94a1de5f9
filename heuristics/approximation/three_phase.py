"""TP, the three-phase algorithm for l-diversity: few suppressed tuples, in O(n).

TP+ regroups its residue by another heuristic. Columns may be coarsened first: levels
are raised while the loss falls.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from starmin.heuristics.approximation import (
    COARSE_THREE_PHASE,
    THREE_PHASE,
    THREE_PHASE_HYBRID,
)
from starmin.heuristics.approximation.three_phase_loops import (
    Groups,
    fill_buckets,
    label_rows,
    phase_one,
    phase_three,
    phase_two,
    qi_groups,
)
from starmin.heuristics.orders.suppression import hilbert_suppression
from starmin.heuristics.recoding.levels import column_levels
from starmin.instances import (
    GCP,
    STARS,
    TUPLES,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Int32s
from starmin.instances.problem import expect_one_sensitive


def three_phase(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = TUPLES,
    display: bool = False,
) -> Result:
    """Approximate tuple minimisation under l-diversity within ratio l, in O(n).

    The suppressed tuples are optimal if it ends in phase 1, at most l - 1 more than
    the optimum if in phase 2 (always for l = 2), at most l times as many if in phase
    3; stars therefore at most l d times the least.

    The idea: rows with equal quasi-identifier values stay unstarred as far as their
    group is l-eligible, the others form one starred group, the residue R. With h(S) the
    rows of the most frequent sensitive values of S, its *pillars*:

    1. Of each group take rows of pillars until ``|Q| >= l h(Q)``.
    2. A group is *thin* if ``|Q| = l h(Q)``, else *fat*, and *dead* if it is thin and
       shares a pillar with R. While R is not l-eligible, take the value least
       frequent in R that is in a group that is not dead, and move one row of it (fat)
       or one of each pillar (thin): ``h(R)`` stays.
    3. When all are dead: choose groups such that each pillar of R is a non-conflicting
       one of some of them, by greedy set cover; move one row of each of their pillars,
       then rows of every group that came alive until it is dead again; repeat.

    Why it is right. Every group stays l-eligible in each step. In any release the
    unstarred rows of equal quasi-identifier values are l-eligible, so of each value at
    least as many rows are suppressed as phase 1 takes, whose residue is R1; the
    suppressed rows are l-eligible, too:

    .. math:: |R^*| \\ge \\max(|R_1|,\\ l\\, h(R_1)).

    Phase 2 moves at most l rows at a time, none of a pillar of R, and so stops within
    ``l h(R_1) + l - 1``. Phase 3 is the paper's Theorem 5.19.

    Parameters
    ----------
    table, requirement, objective
        One sensitive column; frequency l-diversity, with which k-anonymity with k <= l
        may be joined, for it follows; tuples, or stars: the partition is the same. No
        column can be kept.

    Returns
    -------
    Result
        ``stats``: the ``phase`` in which it ended, ``residue`` (rows), ``h_R`` (its
        pillar height), ``rounds`` (of phase 3), ``residue_bound`` (on the suppressed
        tuples) and the ``guarantee`` that follows.

    Raises
    ------
    NotSupportedError
        Another requirement, columns to keep, not one sensitive column.

    See Also
    --------
    three_phase_hybrid : regroups the residue.

    Notes
    -----
    O(n) for phases 1 and 2, the sort into distinct rows included; phase 3 adds O(m l)
    for each of at most ``(l - 2) h(R_1) / l`` rounds over m groups.

    Worst ratios to the optimum seen on 1,278 seeded tables of 10 to 400 rows, l = 2 to
    5: 1 where it ended in phase 1 (240 tables), 1.25 in phase 2 (584), 1.1 in phase 3
    (454; random tables hardly ever get there, ``hard_residue`` makes those that do).
    Stars, on 1,000 tables of up to 10 rows: at most 4 times the least for l = 2, 1.5
    times for l = 3. 600,000 rows by 7 quasi-identifiers take 0.2 s, 10 million 4 s.

    References
    ----------
    X. Xiao, K. Yi, Y. Tao, The hardness and approximation algorithms for l-diversity,
    EDBT 2010, section 5.

    Examples
    --------
    >>> from starmin.instances import LDiversity
    >>> rows = [["0", "a"], ["0", "a"], ["0", "b"], ["1", "a"], ["1", "b"], ["2", "b"]]
    >>> table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
    >>> result = three_phase(table, LDiversity(2))
    >>> result.value, result.lower_bound, result.stats["phase"]
    (2, 2, 1)
    """
    check_three_phase(table, requirement, objective)
    run = Run(table, requirement, objective, display=display, method=THREE_PHASE)

    def search() -> None:
        offer_phases(run)

    return run.carry_out(search)


def offer_phases(run: Run) -> "Outcome":
    """Offer the release of the three phases, with its bound and figures, to a run."""
    outcome = run_phases(run.table, run.requirement.core.diversity)
    run.raise_bound(outcome.objective_bound(run.table, run.objective), "residue")
    run.offer(Partition(outcome.groups))
    run.stats |= outcome.stats()
    return outcome


@dataclass(frozen=True, eq=False)
class Outcome:
    """Where the three phases ended."""

    # a group for each row, without gaps; the residue, if any, is the last one
    groups: Int32s
    phase: int  # phase, rounds: the phase in which it ended, and the rounds of phase 3
    rounds: int
    residue: int  # residue, height: ``|R|`` and ``h(R)``
    height: int
    bound: int  # no l-diverse release has fewer suppressed tuples
    l: int  # of the requirement

    def objective_bound(self, table: Table, objective: Objective) -> int:
        """Return what the suppressed tuples cost at least, each a tuple or a star."""
        cheapest = 1
        if objective.by_star:
            cheapest = int(objective.column_weights(table).min())
        return cheapest * self.bound

    def stats(self) -> dict[str, float | int | str]:
        """Return the figures of the run, for a Result."""
        proven = {
            1: "optimal in suppressed tuples",
            2: f"at most {self.l - 1} suppressed tuples above the optimum",
            3: f"at most {self.l} times the optimum of suppressed tuples",
        }
        return {
            "phase": self.phase,
            "residue": self.residue,
            "h_R": self.height,
            "rounds": self.rounds,
            "residue_bound": self.bound,
            "guarantee": proven[self.phase],
        }


def check_three_phase(
    table: Table, requirement: Requirement, objective: Objective
) -> None:
    """Raise NotSupportedError for a problem not taken; its form is declared instead."""
    k, l = requirement.core.size, requirement.core.diversity
    if k > l > 1:
        raise NotSupportedError(f"Expected k <= l, got k = {k}, l = {l}.")
    expect_one_sensitive(table)
    if limited := [*objective.keep, *objective.roofs]:
        raise NotSupportedError(
            "Expected no column to keep or with a highest level, as suppressed rows "
            f"have neither, got {', '.join(limited)}."
        )


def run_phases(table: Table, l: int) -> Outcome:
    """Run the three phases on a feasible table."""
    types = table.sensitive_types
    group, start = qi_groups(types.codes)
    value, count = types.sensitive[:, 0].copy(), types.counts.copy()
    values = len(table.dictionary(table.sensitive[0]))
    size, height, residue, totals = phase_one(start, value, count, values, l)
    bound = max(int(totals[0]), l * int(totals[1]))
    phase = 1
    rounds = 0
    if totals[0] < l * totals[1]:
        offset, bucket, following, previous = fill_buckets(start, count, height)
        state = Groups(
            *(start, value, count, size, height),
            *(offset, bucket, following, previous),
            *(residue, totals),
        )
        phase = 2
        if not phase_two(state, group, l):
            phase = 3
            rounds = phase_three(state, l)
    groups = label_rows(types.inverse, group, count, size)
    return Outcome(groups, phase, rounds, int(totals[0]), int(totals[1]), bound, l)


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
        star. No column can be kept or have a highest level.
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
        Another requirement, columns to keep or with a highest level, not one sensitive
        column.

    See Also
    --------
    three_phase_hybrid : TP+, without coarsening.
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
