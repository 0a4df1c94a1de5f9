"""The choice of a method for non-homogeneous releases."""

import math
from collections.abc import Mapping
from typing import Any

from instances import (
    KAnonymity,
    Limit,
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    expect_parts,
    least_size,
    watch_runs,
)
from starmin.calls import call, expect_options, expect_support, salvage, signed
from starmin.choose import AUTO, bound_by
from starmin.coding import NONHOMOGENEOUS
from verify.methods import METHODS, find, supporting

TINY = 12  # rows that an exact method solves at once, whatever k is
PAIRS = 20_000  # rows for which the exact method for k = 2 finishes in a minute or two
WHOLE = 200_000  # rows that are searched as a whole; more are cut into blocks
BLOCKS = "blocks"
_SEARCH_SHARE = 0.6  # of the time limit; what it leaves is the bound's


def solve_matched(
    method: str,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
) -> Result[NonHomogeneous]:
    """Solve by a method, or by what ``auto`` finds fit: exact, or search and bound.

    An interrupt ends the search: what was found until then is returned.

    Raises
    ------
    NotSupportedError
        The method does not take the problem or an option; names those that do.
    """
    expect_parts(requirement, KAnonymity)
    objective.check(table)
    with watch_runs() as runs:
        try:
            if method != AUTO:
                chosen = find(method, "exact", "heuristic")
                expect_support(chosen, requirement, objective, NONHOMOGENEOUS)
                return call(chosen, table, requirement, objective, options)
            return _solve(table, requirement, objective, options)
        except KeyboardInterrupt:
            run = Run[NonHomogeneous](table, requirement, objective)
            if no := run.infeasible():
                return signed(no, method)
            _offer_start(run, options)
            return signed(salvage(run, filter(_is_matched, runs)), method)


def _solve(
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
) -> Result[NonHomogeneous]:
    expect_options(AUTO, options, {"initial"})
    limit = options.get("time_limit", math.inf)
    run = Run[NonHomogeneous](table, requirement, objective, limit)
    if no := run.infeasible():
        return signed(no, AUTO)
    _offer_start(run, options)
    if table.n <= TINY:
        names = ["matching_cp_sat"]
    elif table.n > WHOLE and BLOCKS in METHODS:
        names = [BLOCKS]
    elif table.n <= PAIRS and least_size(requirement) == 2:
        names = ["pair_matching"]
    else:
        names = []
    heuristics = supporting(
        requirement, objective, "heuristic", recoding=NONHOMOGENEOUS
    )
    used = "ring_release"
    for name in [*names, *(method.name for method in heuristics)]:
        exact = METHODS[name].kind == "exact"
        seconds = run.remaining if exact else _SEARCH_SHARE * run.remaining
        found = _try(name, run, {**options, "initial": None, "time_limit": seconds})
        if found is None:
            continue
        if found.best is not None and run.offer(found.best):
            used = name
        if found.lower_bound is not None and found.bound_method is not None:
            run.raise_bound(found.lower_bound, found.bound_method, found.certificate)
        break
    if not run.closed and run.remaining > 0:
        _bound(run, options)
    limit_reached = Limit.TIME if run.remaining == 0 else None
    return signed(run.result(limit_reached), used)


def _try(
    name: str, run: Run[NonHomogeneous], options: Mapping[str, Any]
) -> Result[NonHomogeneous] | None:
    """What a method makes of the problem; None where it does not take it."""
    method = METHODS[name]
    if not method.supports(run.requirement, run.objective, NONHOMOGENEOUS):
        return None
    try:
        return call(method, run.table, run.requirement, run.objective, options)
    except NotSupportedError:
        return None  # a limit of its own, as on the number of columns


def _bound(run: Run[NonHomogeneous], options: Mapping[str, Any]) -> None:
    """Raise the bound by the methods of that kind, if any takes the problem."""
    left = {**options, "initial": None, "time_limit": run.remaining}
    try:
        found = bound_by(
            AUTO, run.table, run.requirement, run.objective, left, NONHOMOGENEOUS
        )
    except NotSupportedError:
        return
    if found.lower_bound is not None and found.bound_method is not None:
        run.raise_bound(found.lower_bound, found.bound_method, found.certificate)


def _offer_start(run: Run[NonHomogeneous], options: Mapping[str, Any]) -> None:
    """The release to start from, or rings in row order."""
    classes = Partition.coarsest(run.table, run.objective.keep).groups
    k = least_size(run.requirement)
    run.offer(NonHomogeneous.coarsest(run.table, k, classes))
    if (initial := options.get("initial")) is not None:
        run.offer(initial)


def _is_matched(run: Run[Any]) -> bool:
    """Whether a run is about such releases: what it found, or what proved its bound."""
    if run.best is not None:
        return isinstance(run.best, NonHomogeneous)
    method = METHODS.get(run.bound_method or "")
    return method is not None and NONHOMOGENEOUS in method.recodings
