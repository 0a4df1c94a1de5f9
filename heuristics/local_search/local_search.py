"""Local search: any release improved by moving, swapping, merging and splitting."""

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from starmin.heuristics.local_search import LOCAL_SEARCH
from starmin.heuristics.local_search.local_search_params import (
    LOCAL_SEARCH_PARAMS,
    LocalSearchParams,
)
from starmin.heuristics.local_search.local_search_state import MOST_COLUMNS
from starmin.heuristics.local_search.star_search import StarSearch
from starmin.heuristics.orders.along_curves import gray_order
from starmin.heuristics.orders.hilbert_suppression import hilbert_suppression
from starmin.heuristics.orders.lexicographic_suppression import (
    lexicographic_suppression,
)
from starmin.heuristics.recoding.local_recoding import local_recoding
from starmin.heuristics.recoding.mondrian import mondrian
from starmin.instances import (
    STARS,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.runs.work import spend

STARTS: tuple[Callable[..., Result], ...] = (
    lexicographic_suppression,
    hilbert_suppression,
    mondrian,
)

STARTS_FOR_LOSSES: tuple[Callable[..., Result], ...] = (
    gray_order,
    mondrian,
    local_recoding,
)

_MOVE = 20  # units of work


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

    For losses by generalization a row moves to the group of one that is near, or is
    swapped with a row that no requirement can tell from it, or up to four near groups
    are broken up and built anew (``starmin.heuristics.local_search.range_moves``);
    groups are shown to the requirement many at a time.

    Parameters
    ----------
    table, requirement, objective
        Any problem; for stars and tuples up to 62 columns.
    time_limit
        Wall-clock seconds; the temperature falls with the time used.
    seed
        Of all choices; where the time limit does not strike, the same seed gives the
        same release.
    display
        Print a line to stderr at each improvement.
    initial
        The release to improve. Default: the cheapest of ``lexicographic_suppression``,
        ``hilbert_suppression`` and ``mondrian``, for losses of ``gray_order``,
        ``mondrian`` and ``local_recoding``.
    stagnation
        Stop after this many checks in a row that gained nothing.
    proposals
        Moves that are tried for each distinct row, where the time allows.
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
        More than 62 columns, for stars and tuples.

    See Also
    --------
    starmin.heuristics.annealing.pattern_annealing : fewer stars, for k and l alone.

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
    >>> from starmin.instances import KAnonymity
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> worst = Partition.single(table)
    >>> result = local_search(table, KAnonymity(2), initial=worst)
    >>> result.value, result.stats["start"]
    (4, 12)
    """
    if table.d > MOST_COLUMNS and not objective.by_node:
        raise NotSupportedError(
            f"Expected at most {MOST_COLUMNS} QI columns, got {table.d}."
        )
    run = Run(table, requirement, objective, time_limit, display, LOCAL_SEARCH)

    def search() -> Limit:
        _start(run, initial)
        run.stats.update(start=run.value or 0, proposals=0)
        search: Search
        if objective.by_node:
            from starmin.heuristics.local_search.range_search import RangeSearch

            search = RangeSearch(run, seed, proposals, params)
            heat = params.range_hot, params.range_cold
        else:
            search = StarSearch(run, seed, proposals, params)
            heat = params.hot, params.cold
        return _anneal(run, search, heat, params.anneal_share, stagnation)

    return run.carry_out(search)


def _start(run: Run, initial: Partition | None) -> None:
    """Offer the release to start from."""
    if initial is not None:
        run.offer(initial)
        return
    run.offer(Partition.coarsest(run.table, run.objective))
    for method in STARTS_FOR_LOSSES if run.objective.by_node else STARTS:
        if run.remaining > 0:
            with suppress(NotSupportedError):
                result = method(run.table, run.requirement, objective=run.objective)
                if result.best is not None:
                    run.offer(result.best)


class Search(Protocol):
    """What proposes moves: for stars and tuples, or for losses."""

    unit: float  # what temperatures are multiples of
    tried: int  # tried, most: moves that were tried, and how many are to be
    most: int
    best: float  # the least cost found

    def step(self, temperature: float) -> None:
        """Propose some moves, and offer what they led to where it is time to."""

    def offer(self) -> None:
        """Offer the best that was found."""


def _step(search: Search, temperature: float) -> None:
    """Propose some moves, and count them as work."""
    before = search.tried
    search.step(temperature)
    spend(_MOVE * (search.tried - before))


def _anneal(
    run: Run, search: Search, heat: tuple[float, float], share: float, stagnation: int
) -> Limit:
    """Propose moves, fewer and fewer bad ones; then good ones until in vain."""
    hot, cold = heat
    began, left, in_vain = run.elapsed, run.remaining * share, 0
    try:
        while run.remaining > 0 and not run.closed:
            done = max(search.tried / search.most, (run.elapsed - began) / left)
            if done >= 1:
                break
            _step(search, search.unit * (hot * (1 - done) ** 2 + cold))
        while in_vain < stagnation and run.remaining > 0 and not run.closed:
            before = search.best
            _step(search, 0.0)
            in_vain = 0 if search.best < before else in_vain + 1
    finally:
        search.offer()
    return Limit.TIME if run.remaining == 0 else Limit.ITERATIONS
