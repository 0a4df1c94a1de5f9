"""Call methods by one signature.

Those of the accuracy-constrained problem are chosen and called here, too.
"""

import inspect
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from starmin.instances import (
    Control,
    Limit,
    NotSupportedError,
    Objective,
    Problem,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arguments import (
    expect_kind,
    expect_number,
    expect_whole,
    nearest,
)
from starmin.instances.releases.coding import SUPPRESSION, RecodingName
from starmin.instances.requirements.requirements import shortly
from starmin.instances.runs.cores import limited_to
from starmin.instances.runs.method import ACCURACY_CONSTRAINED, Method
from starmin.instances.runs.progress import NO_CONTROL
from starmin.instances.runs.result import Best
from starmin.instances.runs.search_control import stopping
from starmin.instances.runs.watch import watched
from starmin.registry import of_any_family, of_family, supporting

if TYPE_CHECKING:
    from starmin.heuristics.accuracy_constrained.max_privacy import MaxPrivacyResult


AUTO = "auto"

# Options that steer a search; a method that lacks one is called without it.
_SILENT = frozenset(
    {"time_limit", "seed", "shuffle_seed", "display", "workers", "executor", "prices"}
)
# Those that a user counts on, and what is said of a method without them.
_WITHOUT = {
    "time_limit": "no time limit (it runs to its end)",
    "seed": "no seed (nothing in it is random)",
}
_LEAST = {"workers": 1, "block_size": 2}


def call(method: Method, problem: Problem, options: Mapping[str, Any]) -> Result[Any]:
    """Call a method with those of the options that it takes.

    Options are by name; None stands for the default of the method. Raises
    NotSupportedError where it lacks one that changes what is done, as ``initial``, and
    KeyboardInterrupt where all is to stop.
    """
    if stopping():
        raise KeyboardInterrupt
    takes = method.options()
    expect_options(method.name, options, takes)
    given = {k: v for k, v in options.items() if v is not None and k in takes}
    function = method.load()
    if (watch := watched()) is not None:
        watch.begin(method.name)
    expect_hinted(function, given)
    given["objective"] = problem.objective
    with limited_to(own_cores(options)):
        found = function(problem.table, problem.requirement, **given)
    if method.called and found.bound_method == function.__name__:
        found = replace(found, bound_method=method.name)
    return signed(found, method.name)


def own_cores(options: Mapping[str, Any]) -> int | None:
    """Return how many cores of this machine may be used; None: all there are."""
    return None if options.get("executor") else options.get("workers")


def expect_options(
    name: str, options: Mapping[str, Any], takes: Collection[str]
) -> None:
    """Raise NotSupportedError for an option that would change what is done."""
    for option, value in options.items():
        if value is not None and option not in takes and option not in _SILENT:
            close = nearest(option, takes)
            raise NotSupportedError(f"{name} does not take {option!r}{close}.")


def ignored(method: str, options: Mapping[str, Any]) -> str:
    """Say which limits and seeds that the user gave have no effect on a method.

    Of the options None, and a limit that is infinite, is nothing. It is one line, empty
    where nothing is ignored, and for ``auto``, which chooses.

    >>> ignored("hilb", {"time_limit": 1.0, "seed": 3})
    'hilbert takes no time limit (it runs to its end)'
    >>> ignored("hilb", {"time_limit": None, "seed": 3})
    ''
    """
    if method == AUTO:
        return ""
    chosen = of_any_family(method)
    missed = [
        why
        for option, why in _WITHOUT.items()
        if option not in chosen.options()
        and options.get(option) not in (None, math.inf)
    ]
    return f"{chosen.name} takes {' and '.join(missed)}" if missed else ""


def expect_hinted(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Check numbers, flags and texts by the annotations of a method's arguments.

    Raises TypeError for an argument of another type, and ValueError for a number that
    is NaN or below the least that makes sense.
    """
    for name in given.keys() & inspect.signature(function).parameters.keys():
        hint = inspect.signature(function, eval_str=True).parameters[name].annotation
        kinds = set(get_args(hint) or (hint,)) - {type(None)}
        if kinds == {int}:
            expect_whole(name, given[name], _LEAST.get(name, 0))
        elif kinds == {float}:
            expect_number(name, given[name])
            if not given[name] >= 0:  # nor is NaN
                raise ValueError(f"Expected {name} >= 0, got {given[name]!r}.")
        elif len(kinds) == 1 and kinds <= {bool, str, Path}:
            expect_kind(name, given[name], *kinds)


def expect_support(
    method: Method,
    requirement: Requirement,
    objective: Objective,
    recoding: RecodingName = SUPPRESSION,
) -> None:
    """Raise NotSupportedError where a method does not take a problem.

    The message names the methods that do.
    """
    if method.supports(requirement, objective, recoding):
        return
    if recoding not in method.recodings:
        known = " or ".join(method.recodings)
        raise NotSupportedError(
            f"{method.name} is for the recoding {known}, not {recoding}."
        )
    kinds = ("bound",) if method.kind == "bound" else ("exact", "heuristic")
    takers = supporting(requirement, objective, *kinds, recoding=recoding)
    names = ", ".join(m.name for m in takers) or "none"
    published = "" if recoding == SUPPRESSION else f" and the recoding {recoding}"
    raise NotSupportedError(
        f"{method.name} does not take {words(requirement)} with the objective "
        f"{objective.kind}{published}; these do: {names}."
    )


def on(problem: Problem) -> Callable[[Run[Any]], bool]:
    """Return what checks whether a run is on a problem."""

    def same(run: Run[Any]) -> bool:
        return (
            run.table is problem.table
            and run.requirement == problem.requirement
            and run.objective == problem.objective
        )

    return same


def signed(result: Result[Best], method: str) -> Result[Best]:
    """Add the name of the method that made it to a result."""
    return replace(result, stats={**result.stats, "method": method})


def words(requirement: Requirement) -> str:
    """Write a requirement as words of a message."""
    return ", ".join(f"{k} = {shortly(v)}" for k, v in requirement.as_json().items())


# The accuracy-constrained problem: its methods are chosen and called.

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
    except KeyboardInterrupt:
        control.ended()
        return _at_once(table, max_loss, objective)
    control.ended()
    return found


def _at_once(table: Table, max_loss: float, objective: Objective) -> "MaxPrivacyResult":
    """Make groups within the bound in no time: along sorted rows."""
    # Only a search needs them.
    from starmin.heuristics.accuracy_constrained import accuracy_constrained as methods
    from starmin.heuristics.orders.mappings import Lexicographic

    given: dict[str, Any] = {"objective": objective, "mapping": Lexicographic()}
    if table.sensitive:
        sorted_so = methods.accuracy_constrained
        found = sorted_so(table, max_loss, **given, time_limit=0.0)
    else:
        found = methods.bounded_k(table, max_loss, **given)
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
