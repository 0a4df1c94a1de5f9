"""Simulated annealing on the set of open patterns: few stars in seconds."""

import math

import numba
import numpy as np
import numpy.typing as npt

from heuristics.descent_moves import anneal, settle
from heuristics.descent_start import deal_greedily, deal_loads
from heuristics.descent_state import Ints, empty_state
from instances import (
    STARS,
    BoolArray,
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
    expect_parts,
    least_diversity,
    least_size,
)
from models.bounds.lagrangian import lagrangian_prices
from models.bounds.prices import DENOMINATOR
from models.bounds.through_prices import through_prices
from models.incumbents import loads_of
from models.patterns import Patterns, closed_patterns, expect_stars

_PRICE_SHARE = 0.25  # of the time
_PER_TYPE = 40  # incidences that the search uses
_BATCH = 500  # proposals between two looks at the clock
_HOT, _COLD = 0.3, 0.02  # temperature in stars, by k and by itself


def pattern_descent(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    proposals: int = 100,
) -> Result:
    """Few stars in seconds, for k-anonymity and l-diversity. No guarantee.

    A release is a set of open patterns with the rows dealt to them. A move opens a
    pattern for all rows that are better off in it; patterns that thereby lose too
    many rows are refilled from those that can spare some, or closed, and their rows
    find other places. Moves that cost too much are taken back; how much is too much
    falls over time (simulated annealing). The prices of the Lagrangian bound say what
    a row is worth, so what it may pay, and which patterns are worth a thought.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, frequency l-diversity of one sensitive column, or
        both; stars, with weights and kept columns.
    time_limit
        Wall-clock seconds; the temperature falls with the time used.
    seed
        Of all choices; where the time limit does not strike, the same seed gives the
        same release.
    display
        Print a line to stderr at each improvement.
    initial
        A release to start from; it is never lost.
    proposals
        Moves for each row type, where the time allows.

    Returns
    -------
    Result
        With the Lagrangian bound that was found on the way.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, several sensitive columns, or more than 20
        columns to star.

    See Also
    --------
    heuristics.large_neighbourhood : slower, and exact within each part.

    Notes
    -----
    Adult, 30,162 rows by 8 columns, k = 5: 31,803 stars after 5 seconds and 31,451
    after 8 (two shared cores), 2.7 % and 1.6 % above the certified bound 30,952.

    Examples
    --------
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> pattern_descent(table, KAnonymity(2)).value
    4
    """
    expect_parts(requirement, KAnonymity, LDiversity)
    expect_stars(objective)
    l = least_diversity(requirement)
    if l > 1 and len(table.sensitive) > 1:
        raise NotSupportedError(
            f"Expected one sensitive column, got {len(table.sensitive)}."
        )
    run = Run(table, requirement, objective, time_limit, display)
    if no := run.infeasible():
        return no
    run.offer(initial or Partition.coarsest(table, objective.keep))
    try:
        run.check_time()
        search = _Search(run, least_size(requirement), l, seed, initial)
        search.anneal(proposals)
    except TimeoutError:
        return run.result(Limit.TIME)
    except KeyboardInterrupt:
        return run.result(Limit.INTERRUPTED)
    return run.result(Limit.TIME if run.remaining == 0 else Limit.ITERATIONS)


class _Search:
    """The state of the search, and the release it stands for."""

    def __init__(
        self, run: Run, k: int, l: int, seed: int, initial: Partition | None
    ) -> None:
        self.run, table = run, run.table
        self.types = table.sensitive_types if l > 1 else table.row_types
        self.scale = max(k, l)
        patterns = closed_patterns(
            table, self.types, run.objective, k, l, run.check_time
        )
        self.star = float(patterns.cost.max()) / table.d or 1.0
        prices = _prices(run, patterns, self.types, k, l)
        useful = _useful(patterns, self.types, prices, k, l)
        values = np.zeros(len(self.types), np.int32)
        if l > 1:
            values = self.types.sensitive[:, 0]
        self.state = empty_state(
            useful, values, prices / DENOMINATOR, k, l, _most_nodes(useful)
        )
        _seed(seed)
        self._deal(useful, initial)
        settle(self.state)
        self._offer()

    def _deal(self, useful: Patterns, initial: Partition | None) -> None:
        loads = None
        if initial is not None:
            loads = loads_of(self.run.table, self.types, useful, initial)
        if loads is None:
            deal_greedily(self.state, self.types.counts)
            return
        used = np.flatnonzero(loads)
        deal_loads(
            self.state,
            useful.pattern[used].astype(np.int64),
            useful.types[used],
            loads[used],
        )

    def anneal(self, proposals: int) -> None:
        """Propose moves until they or the time are used up."""
        run, total = self.run, proposals * len(self.types)
        done, began, limit = 0, run.elapsed, run.remaining
        while done < total and run.remaining > 0:
            share = max(done / total, (run.elapsed - began) / limit)
            temperature = self.star * (_HOT * self.scale * (1 - share) + _COLD)
            anneal(self.state, _BATCH, temperature, self.star)
            settle(self.state)
            done += _BATCH
        self._offer()

    def _offer(self) -> None:
        state = self.state
        used = np.flatnonzero(state.node_copies > 0)  # freed nodes keep none
        self.run.offer(
            Partition.from_loads(
                self.types,
                state.node_pattern[used],
                state.node_type[used],
                state.node_copies[used],
            )
        )


@numba.njit(cache=True)
def _seed(seed: int) -> None:
    np.random.seed(seed)


def _prices(run: Run, patterns: Patterns, types: RowTypes, k: int, l: int) -> Ints:
    """Prices that prove a good bound, which the run learns."""
    limit = _PRICE_SHARE * run.remaining
    pricing = Run(run.table, run.requirement, run.objective, limit)
    prices = lagrangian_prices(pricing, patterns, types, k, l, 1e-2)
    if pricing.lower_bound is not None and pricing.bound_method is not None:
        run.raise_bound(pricing.lower_bound, pricing.bound_method, pricing.certificate)
    return prices


def _most_nodes(patterns: Patterns) -> int:
    """Copies of a type are in at most as many patterns as it fits, and one more."""
    fits = np.bincount(patterns.types, minlength=len(patterns.counts)) + 1
    return int(np.minimum(patterns.counts, fits).sum()) + 1


def _useful(
    patterns: Patterns, types: RowTypes, prices: Ints, k: int, l: int
) -> Patterns:
    """The incidences that a cheap release may use, and the coarsest of each type."""
    count = _PER_TYPE * len(types)
    if count >= len(patterns.types):
        return patterns
    least = through_prices(patterns, types, prices, k, l)
    chosen = np.asarray(least <= np.partition(least, count)[count], bool)
    cost = patterns.cost[patterns.pattern]
    dearest = np.zeros(len(types), np.int64)
    np.maximum.at(dearest, patterns.types, cost)
    coarsest = np.unique(patterns.pattern[cost == dearest[patterns.types]])
    return _thin(patterns, chosen | np.isin(patterns.pattern, coarsest), k)


def _thin(patterns: Patterns, keep: BoolArray, k: int) -> Patterns:
    """Only the incidences of ``keep``, and of them those of large enough patterns."""
    pattern: npt.NDArray[np.int32] = patterns.pattern
    reach = np.bincount(
        pattern[keep], patterns.counts[patterns.types[keep]], minlength=len(patterns)
    )
    good = reach >= k
    keep = keep & good[pattern]
    lengths = np.bincount(pattern[keep], minlength=len(patterns))[good]
    return Patterns(
        patterns.starred[good],
        patterns.cost[good],
        np.concatenate([[0], np.cumsum(lengths)]),
        patterns.types[keep],
        patterns.counts,
    )
