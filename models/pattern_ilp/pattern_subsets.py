"""k-anonymity for few columns and symbols: one flow for each set of open patterns."""

import math

import numpy as np

from starmin.instances import (
    STARS,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Bools
from starmin.models.pattern_ilp import PATTERN_SUBSETS
from starmin.models.pattern_program.decode import partition_of_loads
from starmin.models.pattern_program.open_pattern_flow import open_pattern_flow
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.own_cost import cheapest_pattern_costs
from starmin.models.patterns.patterns import Patterns

MAX_PATTERNS = 20


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
    (``starmin.models.pattern_program.open_pattern_flow``). Sets are enumerated depth
    first and cut off where they cannot win: at most n/k patterns are open, every type
    must still have a pattern, and the stars that each type pays in its cheapest pattern
    still allowed are a lower bound. Patterns are the closed ones with support >= k,
    which loses nothing.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity; stars, with weights and kept columns.
    time_limit
        Seconds.
    display
        Print progress to stderr.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or more than 20 patterns.

    See Also
    --------
    starmin.models.pattern_ilp.pattern_ilp :
        the same model as one integer program, for real tables.

    Notes
    -----
    At most 2^P flows for P patterns, whatever the number of rows: the number of
    rows enters through the row types alone.

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
        types = table.row_types
        patterns = closed_patterns(table, types, objective, k, check=run.check_time)
        if len(patterns) > MAX_PATTERNS:
            raise NotSupportedError(
                f"Expected at most {MAX_PATTERNS} patterns, got {len(patterns)}."
            )
        _branch(run, patterns, k, np.zeros(0, bool))
        assert run.value is not None
        run.raise_bound(run.value, "pattern_subsets")

    return run.carry_out(search)


def _branch(run: Run, patterns: Patterns, k: int, chosen: Bools) -> None:
    """Open the next pattern and close it, unless nothing better can follow."""
    run.check_time()
    allowed = np.ones(len(patterns), bool)
    allowed[: len(chosen)] = chosen
    left = patterns.select(allowed)
    if k * int(chosen.sum()) > run.table.n:
        return
    if len(np.unique(left.types)) < len(patterns.counts):
        return
    if (
        run.value is not None
        and int(cheapest_pattern_costs(left) @ patterns.counts) >= run.value
    ):
        return
    if len(chosen) < len(patterns):
        for is_open in (True, False):
            _branch(run, patterns, k, np.append(chosen, is_open))
        return
    loads = open_pattern_flow(patterns, chosen, k)
    if loads is not None:
        run.offer(partition_of_loads(run.table.row_types, patterns, loads))
