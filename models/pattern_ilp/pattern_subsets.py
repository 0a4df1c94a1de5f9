"""k-anonymity for few columns and symbols: one flow for each set of open patterns."""

import math

import numpy as np

from starmin.instances import (
    STARS,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Bools, Ints
from starmin.models.pattern_ilp import PATTERN_SUBSETS
from starmin.models.pattern_program.pattern_program import (
    open_pattern_flow,
    partition_of_loads,
)
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import Patterns, Sought


def pattern_subsets(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    r"""Solves k-anonymity exactly when columns and symbols are few, as the paper does.

    With d columns and an alphabet of constant size there is a constant number of
    patterns. For every set P of them that might be open the paper solves

    .. math::
        \min \sum_{p \in P, t} cost_p x_{pt}, \quad
        \sum_{p \in P} x_{pt} = s_t, \quad \sum_t x_{pt} \ge k, \quad
        x_{pt} \in \mathbb N_0

    and takes the best. It invokes Lenstra's algorithm; the program is a flow with lower
    bounds, so a min-cost flow solves it
    (``starmin.models.pattern_program.pattern_program``).

    Subsets are not gone through one by one, but as the leaves of a tree. In a node some
    patterns are open and take k rows at least, some are closed, and of the others it is
    not known. One flow, in which these take any number of rows, serves all subsets
    below: it bounds each of them, and where none of these takes from 1 to k - 1 rows it
    is the best of them. Else one that does is branched on, so that both branches have
    other flows. Patterns are the closed ones with support >= k, which loses nothing.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity; stars, with weights and kept columns.

    Raises
    ------
    NotSupportedError
        Another requirement or objective.

    See Also
    --------
    starmin.models.pattern_ilp.pattern_ilp :
        the same model as one integer program, for real tables.

    Notes
    -----
    At most 2^P flows for P patterns, whatever the number of rows: the number of
    rows enters through the distinct rows alone. ``stats["flows"]`` says how many it
    took.

    References
    ----------
    Chakaravarthy, Pandit and Sabharwal (2010), section 4; the number of patterns is
    at most (a + 1)^d for an alphabet of a symbols.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "0"], ["0", "1"], ["1", "1"], ["1", "1"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> pattern_subsets(table, KAnonymity(2)).value
    2
    """
    run = Run(table, requirement, objective, time_limit, display, PATTERN_SUBSETS)
    k = requirement.core.size

    def search() -> None:
        run.offer(Partition.coarsest(table, objective))
        _Subsets(run, closed_patterns(*Sought.of(run)), k).search()
        run.raise_bound(run.cost, "pattern_subsets")

    return run.carry_out(search)


class _Subsets:
    """The tree of all sets of open patterns."""

    def __init__(self, run: Run, patterns: Patterns, k: int) -> None:
        self._run, self._patterns, self._k = run, patterns, k
        self._flows = 0

    def search(self) -> None:
        """Search depth first, open before closed, until no set can be better."""
        every = np.ones(len(self._patterns), bool)
        waiting = [(~every, every)]  # those that are open; those that are not closed
        while waiting:
            self._run.check_time()
            is_open, may = waiting.pop()
            loads = self._flow(may, is_open)
            if loads is None or self._cost(loads) >= self._value:
                continue
            taken = np.bincount(self._patterns.pattern, loads, len(may)).astype(int)
            between = (taken > 0) & (taken < self._k)
            if not between.any():
                self._offer(loads)
                continue
            self._round(taken >= self._k)
            chosen = int(np.argmax(np.where(between, taken, 0)))
            without, more = may.copy(), is_open.copy()
            without[chosen], more[chosen] = False, True
            waiting += [(is_open, without), (more, may)]

    @property
    def _value(self) -> float:
        return math.inf if self._run.value is None else self._run.value

    def _cost(self, loads: Ints) -> int:
        return int(self._patterns.cost[self._patterns.pattern] @ loads)

    def _flow(self, may: Bools, full: Bools) -> Ints | None:
        self._flows += 1
        self._run.stats["flows"] = self._flows
        return open_pattern_flow(self._patterns, may, self._k, full)

    def _round(self, is_open: Bools) -> None:
        """Offer the best release with these patterns open, if there is one."""
        loads = self._flow(is_open, is_open)
        if loads is not None and self._cost(loads) < self._value:
            self._offer(loads)

    def _offer(self, loads: Ints) -> None:
        self._run.offer(partition_of_loads(self._patterns, loads))
