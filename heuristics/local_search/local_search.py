"""Local search: any release improved by moving, swapping, merging and splitting."""

import math
from collections.abc import Callable, Iterable
from contextlib import suppress

import numpy as np

from starmin.heuristics.annealing.annealing_state import NONE, undo
from starmin.heuristics.annealing.dealt_rows import Loads, loads_of
from starmin.heuristics.local_search import LOCAL_SEARCH
from starmin.heuristics.local_search.local_search_state import (
    LOCAL_SEARCH_PARAMS,
    MOST_COLUMNS,
    LocalSearchParams,
    State,
    empty_state,
    width,
)
from starmin.heuristics.local_search.range_search import RangeSearch
from starmin.heuristics.orders.along_curves import gray_order
from starmin.heuristics.orders.suppression import (
    hilbert_suppression,
    lexicographic_suppression,
)
from starmin.heuristics.recoding.levels import local_recoding
from starmin.heuristics.recoding.mondrian import mondrian
from starmin.instances import (
    STARS,
    KAnonymity,
    LDiversity,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled
from starmin.instances.runs.checkpoint import take_from
from starmin.instances.runs.search_control import spend


def undo_failing(
    s: State, starts: Ints, table: Table, types: RowTypes, requirement: Requirement
) -> None:
    """Undo the moves, beginning at ``starts`` in the log, that left groups which fail.

    No two of them touch the same group.
    """
    if len(starts) == 0:
        return
    ends = np.append(starts[1:], s.log.size[0])
    entries = np.arange(s.log.size[0])
    move = np.searchsorted(starts, entries, side="right") - 1
    touched = np.concatenate([s.log.sources[entries], s.log.targets[entries]])
    groups, first = np.unique(touched, return_index=True)
    open_ = s.held.load[groups] > 0
    groups, of_move = groups[open_], np.tile(move, 2)[first[open_]]
    number, type_, copies = members(s, groups.astype(np.int64))
    some_row = np.empty(len(types), np.int64)
    some_row[types.inverse] = np.arange(table.n)
    labels, rows = np.repeat(number, copies), np.repeat(some_row[type_], copies)
    holds = requirement.holds_in(table, labels, rows)
    for failing in np.unique(of_move[~holds]):
        undo(s, starts[failing], ends[failing])


@compiled
def members(s: State, groups: Ints) -> tuple[Ints, Ints, Ints]:
    """List by node of some groups the group's place, the row type, how many copies."""
    nodes = 0
    for g in groups:
        nodes += width(s, g, len(s.nodes.type))
    number, type_, copies = np.empty((3, nodes), np.int64)
    at = 0
    for i in range(len(groups)):
        node = s.nodes.first_of_group[groups[i]]
        while node != NONE:
            number[at] = i
            type_[at], copies[at] = s.nodes.type[node], s.nodes.copies[node]
            node = s.nodes.next_of_group[node]
            at += 1
    assert s.nodes.free[0] != NONE
    return number, type_, copies


# Cells of the largest table of groups by sensitive values that is kept.
_DENSE = 2**27


class StarSearch:
    """The state of the search, and the best release found.

    Temperatures are multiples of ``unit``. ``tried`` moves of ``most`` were tried, and
    ``best`` is the least cost found.
    """

    def __init__(
        self, run: Run, seed: int, proposals: int, params: LocalSearchParams
    ) -> None:
        self.run, self.params, table = run, params, run.table
        self.rng = np.random.default_rng(seed)
        self.types = types = _types(table, run.requirement)
        self.batch = max(min(params.batch, 10 * len(types)), len(types) // 20)
        k, l = run.requirement.core.size, run.requirement.core.diversity
        self.room = table.n // max(k, l) + self.batch
        values = [len(table.dictionary(column)) for column in table.sensitive]
        if len(values) != 1 or (self.room + run.release.size) * values[0] > _DENSE:
            l = 1  # without counts for each group and sensitive value
        self.least = k, l
        kinds = (KAnonymity, LDiversity) if l > 1 else (KAnonymity,)
        self.plain = all(isinstance(part, kinds) for part in run.requirement.parts)
        self.sources = table.n if self.plain else params.sources
        self.most = proposals * len(types)
        self.unit = float(run.objective.column_weights(table).mean())
        self.begin()

    def begin(self) -> None:
        """Begin with the best release."""
        from starmin.heuristics.local_search.pattern_index import deal

        run, types = self.run, self.types
        groups = self.room + run.release.size
        values = np.zeros(len(types), np.int32)
        if self.least[1] > 1:
            values = types.sensitive[:, 0]
        asked = run.objective, self.least, groups, self.rng, self.params.moves
        self.state = empty_state(run.table, types, values, *asked)
        labels = run.release.groups
        pairs = group_by([labels, types.inverse], [run.release.size, len(types)])
        first = pairs.first
        deal(self.state, labels[first], types.inverse[first], pairs.counts)
        self.best: float = run.value or 0
        self.held: Loads | None = None
        self.tried = 0

    def step(self, temperature: float) -> None:
        """Propose some moves."""
        from starmin.heuristics.local_search.local_moves import propose
        from starmin.heuristics.local_search.pattern_index import tidy

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
            self.best, self.held = value, loads_of(state.nodes)

    def release(self) -> Partition | None:
        """Return the best that was found and not returned yet."""
        held, self.held = self.held, None
        return None if held is None else Partition.from_loads(self.types, *held)


def _types(table: Table, requirement: Requirement) -> RowTypes:
    """Return the types of rows that are alike to the requirement and the objective."""
    parts = requirement.parts
    if all(isinstance(part, KAnonymity) for part in parts):
        return table.row_types
    if not requirement.columns:
        return table.sensitive_types
    return table.with_roles(table.qi, (*table.sensitive, *table.other)).sensitive_types


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
_LONGER = 2.0  # than the cycle before


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
    cycle: float | None = None,
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
    are broken up and built anew (``starmin.heuristics.local_search.range_search``);
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
    cycle
        Seconds after which no bad moves are made for the first time; it then begins
        anew with the best release known, twice as long each time, until one that tried
        all moves gained nothing. Default: it cools down once, in all of the time.

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
        try:
            _start(run, initial)
        finally:
            run.stats.update(start=run.value or 0, proposals=0)
        search: StarSearch | RangeSearch
        if objective.by_node:
            search = RangeSearch(run, seed, proposals, params)
            heat = params.range_hot, params.range_cold
        else:
            search = StarSearch(run, seed, proposals, params)
            heat = params.hot, params.cold
        length = math.inf if cycle is None else cycle
        while True:
            before = run.value
            seconds = params.anneal_share * min(length, run.remaining)
            limit = _anneal(run, search, heat, seconds, stagnation)
            in_vain = search.tried >= search.most and run.value == before
            if limit is Limit.TIME or run.closed or in_vain or math.isinf(length):
                return limit
            run.hear()
            search.begin()
            length *= _LONGER

    return run.carry_out(search)


def _start(run: Run, initial: Partition | None) -> None:
    """Offer the release to start from."""
    if initial is not None:
        run.offer(initial)
        return
    run.offer(Partition.coarsest(run.table, run.objective))
    offer_starts(run, STARTS_FOR_LOSSES if run.objective.by_node else STARTS)


def offer_starts(run: Run, methods: Iterable[Callable[..., Result]]) -> None:
    """Offer what each method finds that takes the problem, while there is time."""
    for method in methods:
        if run.remaining > 0:
            with suppress(NotSupportedError):
                given = run.table, run.requirement
                take_from(run, method(*given, objective=run.objective))


def _anneal(
    run: Run,
    search: StarSearch | RangeSearch,
    heat: tuple[float, float],
    left: float,
    stagnation: int,
) -> Limit:
    """Propose moves, fewer and fewer bad ones; after ``left`` seconds none."""
    hot, cold = heat
    began, in_vain, next_offer = run.elapsed, 0, 0.0

    def offer() -> None:
        nonlocal next_offer
        before = run.elapsed
        if (held := search.release()) is not None:
            run.offer(held)
        next_offer = run.elapsed + search.params.between * (run.elapsed - before)

    def step(temperature: float) -> None:
        tried, least = search.tried, search.best
        search.step(temperature)
        if search.best < least and run.elapsed >= next_offer:
            offer()
        spend(_MOVE * (search.tried - tried))

    try:
        while run.remaining > 0 and not run.closed:
            done = max(search.tried / search.most, (run.elapsed - began) / left)
            if done >= 1:
                break
            step(search.unit * (hot * (1 - done) ** 2 + cold))
        while in_vain < stagnation and run.remaining > 0 and not run.closed:
            before = search.best
            step(0.0)
            in_vain = 0 if search.best < before else in_vain + 1
    finally:
        offer()
    return Limit.TIME if run.remaining == 0 else Limit.ITERATIONS
