"""Tests of a method against brute force on small tables: every claim that it makes."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from starmin.auto.dispatch import call
from starmin.instances import (
    Coding,
    Control,
    GeneralizedRelease,
    NotSupportedError,
    Release,
    Result,
    watch_runs,
)
from starmin.instances.releases.release import deleted_rows, kept_of
from starmin.instances.requirements.requirement import PARTITION
from starmin.instances.runs.method import Method
from starmin.registry import find
from starmin.testing.problems import Drawn, draw
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.releases.release_check import check_release

FORMS = ("k", "l", "k+l")
ROWS = 10
_DRAWS = 30  # for each table that a method takes: it may refuse others


def check_method(
    method: Method | str,
    *,
    tables: int = 40,
    rows: int = ROWS,
    options: Mapping[str, Any] | None = None,
) -> None:
    """Test what a method says of small random tables, against every partition.

    Tables have 4 to ``rows`` rows, some equal, some infeasible; with weights and
    columns to be kept, losses of ranges and trees where the method takes ``gcp``.

    Of an exact method the value is the optimum, and so is its bound. The release of a
    heuristic satisfies the requirement, recounted from its cells, costs what it says,
    and no less than the optimum. A bound is not above the optimum. A certificate is
    accepted and proves what it claims; a bound of another package needs none.

    Parameters
    ----------
    method
        Its declaration or its name; it publishes groups by suppression at least.
    tables
        How many it is to take; those that it refuses with ``NotSupportedError`` do
        not count.
    rows
        Of a table at most, up to 12.
    options
        Further arguments of the method.

    Raises
    ------
    AssertionError
        It is wrong, and where.
    ValueError
        It finds other things than groups that are published by suppression.

    Examples
    --------
    >>> check_method("forest", tables=5)
    """
    method = find(method) if isinstance(method, str) else method
    if "suppression" not in method.recodings or method.space != PARTITION:
        raise ValueError(f"Expected a method of groups, got {method.name}.")
    feasible = 0
    for problem, result in solved(method, tables, rows, options or {}):
        if problem.optimum.value is None:
            assert result.status.value == "infeasible", result
            assert result.reason and result.best is None, result
        else:
            feasible += 1
            _CHECKS[method.kind](method, problem, result)
    assert tables / 5 < feasible, f"only {feasible} of {tables} tables were feasible"


def solved(
    method: Method, wanted: int, rows: int, options: Mapping[str, Any]
) -> Iterator[tuple[Drawn, Result[Any]]]:
    """Draw so many problems that a method takes, and call it; ``rows`` at most."""
    told = FORMS if "any" in method.requirements else method.requirements
    forms = [f for f in told if f in FORMS] or told
    cases = [(form, objective) for form in forms for objective in method.objectives]
    found = 0
    for number in range(_DRAWS * wanted):
        # All methods get the same problems of a form, so each is solved once.
        seed, case = divmod(number, len(cases))
        problem = draw(seed, *cases[case], rows)
        try:
            with watch_runs(Control(gap=0.0)):  # exactly, losses too
                result = call(method, problem, options)
        except NotSupportedError:
            continue
        yield problem, result
        found += 1
        if found == wanted:
            return
    raise AssertionError(f"{method.name} took {found} tables, expected {wanted}")


def _exact(method: Method, problem: Drawn, result: Result[Any]) -> None:
    optimum = problem.optimum.value
    assert result.value == optimum == result.lower_bound, (result, optimum)
    assert result.limit is None, result
    _expect_valid(problem, result)
    if result.certificate is not None:
        _expect_proven(problem, result)


def _heuristic(method: Method, problem: Drawn, result: Result[Any]) -> None:
    optimum = problem.optimum.value
    assert optimum is not None and result.value is not None, result
    assert result.value >= optimum, (result, optimum)
    assert result.lower_bound is None or result.lower_bound <= optimum, result
    _expect_valid(problem, result)


def _bound(method: Method, problem: Drawn, result: Result[Any]) -> None:
    optimum = problem.optimum.value
    assert result.best is None and result.value is None, result
    assert optimum is not None and result.lower_bound is not None, result
    assert result.lower_bound <= optimum, (result, optimum)
    if result.certificate is None:
        assert method.package != "starmin", "a bound of ours has a certificate"
        return
    _expect_proven(problem, result)
    assert result.certified_bound is None or (
        result.certified_bound >= result.lower_bound
    ), result


_CHECKS: dict[str, Callable[[Method, Drawn, Result[Any]], None]] = {
    "exact": _exact,
    "heuristic": _heuristic,
    "bound": _bound,
}


def _expect_valid(problem: Drawn, result: Result[Any]) -> None:
    """Recount a release from its cells, by a check that shares no code with it."""
    best, table, objective = result.best, problem.table, problem.objective
    assert best is not None, result
    assert best.value(table, objective) == result.value, result
    if deleted_rows(best) == table.n:
        return  # nothing is published
    published = Release(*kept_of(table, best)).published
    check = check_release(published, problem.requirement, table)
    assert check.holds and check.consistent, check
    if objective.kind == "gcp":
        _expect_valid_nodes(problem, result)
    kept = objective.kept(table)
    assert not best.starred(table)[:, kept].any(), "a column to be kept has stars"


def _expect_valid_nodes(problem: Drawn, result: Result[Any]) -> None:
    """Published as ranges and nodes it is valid, too, and has the GCP it says."""
    table, objective = problem.table, problem.objective
    scales = objective.scales_of(table)
    kinds = {c: s.layout for c, s in zip(table.qi, scales.scales, strict=True)}
    missing = {text for layout in kinds.values() for text in layout.missing}
    trees = {c: layout.tree for c, layout in kinds.items() if layout.tree is not None}
    assert result.best is not None and result.value is not None
    kept = kept_of(table, result.best)
    released = GeneralizedRelease(*kept, scales).published
    cells = read_cells(
        released,
        Coding(
            "generalization",
            numeric=tuple(c for c, layout in kinds.items() if layout.is_line),
            trees=trees,
            missing=tuple(missing),
        ),
        table,
    )
    check = check_release(released, problem.requirement, table, cells=cells)
    assert check.holds and check.consistent, check
    if not objective.weights and kept[0].n == table.n:
        rules = {getattr(scale, "rule", None) for scale in scales.scales}
        lost = result.value / objective.whole(table)
        found = check.gcp
        if "granularity" in rules:
            assert check.granularity is not None
            found = 1 - check.granularity
        assert math.isclose(found, lost, rel_tol=1e-6, abs_tol=1e-12), (found, lost)


def _expect_proven(problem: Drawn, result: Result[Any]) -> None:
    """Expect that what is certified is so, and no more than the optimum."""
    assert result.certificate is not None
    check = check_certificate(result.certificate, *problem.asked)
    assert check.accepted and check.bound is not None, check
    if result.certified_bound is not None:
        assert result.certified_bound <= check.bound, (result, check)
    assert check.bound <= (problem.optimum.value or 0), (check, problem.optimum)
