"""Local search: any release improved by moving, swapping, merging and splitting."""

import math
from collections.abc import Callable

import numpy as np

from heuristics.local_search import LOCAL_SEARCH
from heuristics.local_search.params import LOCAL_SEARCH_PARAMS, LocalSearchParams
from heuristics.local_search.requirement_check import undo_failing
from heuristics.local_search.state import MOST_COLUMNS, Loads, empty_state, loads_of
from heuristics.orders.hilbert_suppression import hilbert_suppression
from heuristics.orders.lexicographic_suppression import lexicographic_suppression
from heuristics.recoding.mondrian import mondrian
from instances import (
    STARS,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    LDiversity,
    Limit,
    MaxShare,
    NotSupportedError,
    Objective,
    Partition,
    RecursiveDiversity,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
    TCloseness,
    group_by,
    least_diversity,
    least_size,
)

STARTS: tuple[Callable[..., Result], ...] = (
    lexicographic_suppression,
    hilbert_suppression,
    mondrian,
)

# Cells of the largest table of groups by sensitive values that is kept.
_DENSE = 2**27

# Requirements that look at sizes and sensitive values only.
_BY_SENSITIVE = (
    KAnonymity,
    LDiversity,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    MaxShare,
    TCloseness,
)


def local_search(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    stagnation: int = 100,
    proposals: int = 200,
    params: LocalSearchParams = LOCAL_SEARCH_PARAMS,
) -> Result:
    """Improves any release by local moves, under any requirement. No guarantee.

    The idea: groups that are published alike are one, so a release is a set of open
    patterns with the rows dealt to them. A move draws a row that pays and a pattern
    in which it would pay less: that of its own group without one starred column, one
    with the starred columns of another group, or what it has in common with a row
    that is near. Rows that are better off in the pattern *move* there; where there
    was no such group, this *splits* those they leave. A group that thereby has too
    few rows *swaps*, taking some that others can spare, or *dissolves* into the
    cheapest others (into one: they *merge*), or gets its rows back. Other moves
    dissolve a group at once. Moves that cost too much are taken back; how much is too
    much falls over time (simulated annealing).

    k-anonymity and frequency l-diversity of one sensitive column are checked within
    a move. Any other requirement is asked of many groups at a time: the moves between
    two checks touch different groups, and those that fail are taken back.

    Parameters
    ----------
    table, requirement, objective
        Any problem, up to 62 columns.
    time_limit
        Wall-clock seconds; the temperature falls with the time used.
    seed
        Of all choices; where the time limit does not strike, the same seed gives the
        same release.
    display
        Print a line to stderr at each improvement.
    initial
        The release to improve. Default: the cheapest of ``lexicographic_suppression``,
        ``hilbert_suppression`` and ``mondrian``.
    stagnation
        Stop after this many checks in a row that gained nothing.
    proposals
        Moves that are tried for each row type, where the time allows.
    params
        Constants that steer the search.

    Returns
    -------
    Result
        Never worse than its start. ``stats``: ``start``, the value it began with, and
        ``proposals``, the moves tried.

    Raises
    ------
    NotSupportedError
        More than 62 columns.

    See Also
    --------
    heuristics.annealing.pattern_annealing : fewer stars, for k and l alone.

    Notes
    -----
    Any-time. A move takes some ten microseconds for k, up to a hundred for l, and
    less where it is checked afterwards, but then few moves pass. The loops take half a
    minute to compile when first called, whatever the time limit; that is kept.

    Adult, 30,162 rows by 8 columns, k = 5, stars after four seconds of one core: from
    mondrian 68,823 to 34,110; from hilbert_suppression 55,429 to 33,570; from
    greedy_cover 40,997 to 32,987, which is 6.6 % above a certified bound. By 5 columns,
    occupation sensitive, from mondrian: l = 4 82,131 to 20,231, entropy l = 4 25,922
    to 8,064, t = 0.3 70,128 to 44,874.

    Examples
    --------
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> worst = Partition.single(table)
    >>> result = local_search(table, KAnonymity(2), initial=worst)
    >>> result.value, result.stats["start"]
    (4, 12)
    """
    if table.d > MOST_COLUMNS:
        raise NotSupportedError(
            f"Expected at most {MOST_COLUMNS} QI columns, got {table.d}."
        )
    run = Run(table, requirement, objective, time_limit, display, LOCAL_SEARCH)

    def search() -> Limit:
        _start(run, initial)
        run.stats.update(start=run.value or 0, proposals=0)
        return _Search(run, seed, params).anneal(proposals, stagnation)

    return run.carry_out(search)


def _start(run: Run, initial: Partition | None) -> None:
    """Offer the release to start from."""
    if initial is not None:
        run.offer(initial)
        return
    run.offer(Partition.coarsest(run.table, run.objective))
    for method in STARTS:
        if run.remaining > 0:
            result = method(run.table, run.requirement, objective=run.objective)
            if result.best is not None:
                run.offer(result.best)


class _Search:
    """The state of the search, and the best release found."""

    def __init__(self, run: Run, seed: int, params: LocalSearchParams) -> None:
        from heuristics.local_search.pattern_index import deal

        assert run.best is not None
        self.run, self.params, table = run, params, run.table
        self.rng = np.random.default_rng(seed)
        self.types = types = _types(table, run.requirement)
        self.batch = max(min(params.batch, 10 * len(types)), len(types) // 20)
        self.tried, self.next_offer = 0, 0.0
        self.held: Loads | None = None
        k, l = least_size(run.requirement), least_diversity(run.requirement)
        groups = table.n // max(k, l) + run.best.size + self.batch
        if l > 1 and not _one_dense_column(table, groups):
            l = 1
        kinds = (KAnonymity, LDiversity) if l > 1 else (KAnonymity,)
        self.plain = all(isinstance(part, kinds) for part in run.requirement.parts)
        self.sources = table.n if self.plain else params.sources
        values = types.sensitive[:, 0] if l > 1 else np.zeros(len(types), np.int32)
        self.state = empty_state(
            table,
            types,
            values,
            run.objective,
            (k, l),
            groups,
            self.rng,
            params.moves,
        )
        begin = run.best.groups
        pairs = group_by([begin, types.inverse], [run.best.size, len(types)])
        first = pairs.first
        deal(self.state, begin[first], types.inverse[first], pairs.counts)
        self.best = run.value or 0

    def anneal(self, proposals: int, stagnation: int) -> Limit:
        """Propose moves, fewer and fewer bad ones; then good ones until in vain."""
        run, params, total = self.run, self.params, proposals * len(self.types)
        star = self.run.objective.column_weights(run.table).mean()
        began, left, in_vain = run.elapsed, run.remaining * params.anneal_share, 0
        while self.tried < total and run.elapsed - began < left and run.remaining > 0:
            share = max(self.tried / total, (run.elapsed - began) / left)
            self._batch(star * (params.hot * (1 - share) ** 2 + params.cold))
        while in_vain < stagnation and run.remaining > 0:
            before = self.best
            self._batch(0.0)
            in_vain = 0 if self.best < before else in_vain + 1
        self._offer()
        return Limit.TIME if run.remaining == 0 else Limit.ITERATIONS

    def _batch(self, temperature: float) -> None:
        """Propose some moves, and offer what they led to where it is time to."""
        from heuristics.local_search.moves import propose
        from heuristics.local_search.pattern_index import tidy

        state, run = self.state, self.run
        starts = propose(
            state, self.batch, temperature, self.sources, not self.plain, self.rng
        )
        self.tried += self.batch
        run.stats["proposals"] = self.tried
        if not self.plain:
            undo_failing(state, starts, run.table, self.types, run.requirement)
        value = tidy(state)
        if value < self.best:
            self.best, self.held = value, loads_of(state)
            if run.elapsed >= self.next_offer:
                self._offer()

    def _offer(self) -> None:
        """Publish the best that was found."""
        began = self.run.elapsed
        if self.held is not None:
            self.run.offer(Partition.from_loads(self.types, *self.held))
            self.held = None
        now = self.run.elapsed
        self.next_offer = now + self.params.between * (now - began)


def _types(table: Table, requirement: Requirement) -> RowTypes:
    """Return the types of rows that are alike to the requirement and the objective."""
    parts = requirement.parts
    if all(isinstance(part, KAnonymity) for part in parts):
        return table.row_types
    if all(isinstance(part, _BY_SENSITIVE) for part in parts):
        return table.sensitive_types
    return table.with_roles(table.qi, (*table.sensitive, *table.other)).sensitive_types


def _one_dense_column(table: Table, groups: int) -> bool:
    """Check whether a count for each group and sensitive value can be kept."""
    if len(table.sensitive) != 1:
        return False
    return groups * len(table.dictionary(table.sensitive[0])) <= _DENSE
