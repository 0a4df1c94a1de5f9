"""The accuracy-constrained problem: its methods are chosen and called."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from starmin.auto.dispatch import AUTO, ignored
from starmin.instances import Control, Limit, NotSupportedError, Objective, Table
from starmin.instances.arguments import nearest
from starmin.instances.runs.method import ACCURACY_CONSTRAINED
from starmin.instances.runs.progress import NO_CONTROL
from starmin.registry.methods import of_family

if TYPE_CHECKING:
    from starmin.heuristics.accuracy_constrained.max_privacy import MaxPrivacyResult

ACCURACY_CONSTRAINED_METHODS = of_family(ACCURACY_CONSTRAINED)


def solve_accuracy_constrained(
    method: str,
    table: Table,
    max_loss: float,
    objective: Objective,
    options: Mapping[str, Any],
    control: Control = NO_CONTROL,
) -> "MaxPrivacyResult":
    """Find groups with the most privacy of which none loses more than a bound.

    ``method`` is one of ``ACCURACY_CONSTRAINED_METHODS``, as ``name_of`` returns it.
    The table has one sensitive column, or none for the largest k; ``max_loss`` is a
    share of what a group can lose, 0 to 1; the objective is GCP, with weights, columns
    to keep and scales. Of the options ``seed`` and ``time_limit`` (seconds) the method
    is given those that it takes; None stands for its default. Raises NotSupportedError
    where the method does not take the table.

    A search that is interrupted before it has any falls back on those along sorted
    rows, of which none moves. ``control`` is told when the search ends before its time.
    """
    chosen = ACCURACY_CONSTRAINED_METHODS[method]
    takes = chosen.options()
    given = {k: v for k, v in options.items() if v is not None and k in takes}
    found: MaxPrivacyResult
    try:
        found = chosen.load()(table, max_loss, objective=objective, **given)
        control.ended()
    except KeyboardInterrupt:
        control.ended()
        found = _at_once(table, max_loss, objective)
    return found


def ignored_by_name(method: str, options: Mapping[str, Any]) -> str:
    """Say what a method ignores of the options; nothing of ``auto``, which chooses."""
    if method == AUTO:
        return ""
    return ignored(method, options, ACCURACY_CONSTRAINED_METHODS[method].options())


def _at_once(table: Table, max_loss: float, objective: Objective) -> "MaxPrivacyResult":
    """Make groups within the bound in no time: along sorted rows."""
    # Only a search needs them.
    from starmin.heuristics.accuracy_constrained import accuracy_constrained
    from starmin.heuristics.accuracy_constrained import (
        accuracy_constrained as bounded_k,
    )
    from starmin.heuristics.orders.mappings import Lexicographic

    given: dict[str, Any] = {"objective": objective, "mapping": Lexicographic()}
    if table.sensitive:
        sorted_so = accuracy_constrained.accuracy_constrained
        found = sorted_so(table, max_loss, **given, time_limit=0.0)
    else:
        found = bounded_k.bounded_k(table, max_loss, **given)
    return replace(found, limit=Limit.INTERRUPTED)


def name_of(method: str, table: Table) -> str:
    """Choose the method to run: the named one, or by the table for ``auto``.

    Raises NotSupportedError where there is no method of this name.
    """
    if method == AUTO:
        return "ac" if table.sensitive else "k"
    if method not in ACCURACY_CONSTRAINED_METHODS:
        names = [*ACCURACY_CONSTRAINED_METHODS, AUTO]
        raise NotSupportedError(
            "Expected a method of the accuracy-constrained problem, "
            f"got {method!r}{nearest(method, names)}; these are: {', '.join(names)}."
        )
    return method
