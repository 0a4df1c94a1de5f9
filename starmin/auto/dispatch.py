"""Calls of methods by one signature, and what an interrupted one had found."""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from traceback import clear_frames
from typing import Any, get_args

from instances import (
    Limit,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Status,
    Table,
)
from instances.arguments import (
    expect_kind,
    expect_number,
    expect_whole,
    nearest,
)
from instances.runs.method import Method
from instances.runs.result import Best
from instances.runs.stop import stopping
from starmin.registry.methods import supporting

# Options that steer a search; a method that lacks one is called without it.
_SILENT = frozenset({"time_limit", "seed", "shuffle_seed", "display", "workers"})
_LEAST = {"workers": 1, "block_size": 2}


def call(
    method: Method,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
) -> Result[Any]:
    """Call a method with those of the options that it takes.

    Raises
    ------
    NotSupportedError
        It lacks an option that changes what is done, as ``initial``.
    KeyboardInterrupt
        All is to stop.
    """
    if stopping():
        raise KeyboardInterrupt
    takes = method.options()
    expect_options(method.name, options, takes)
    given = {k: v for k, v in options.items() if v is not None and k in takes}
    function = method.load()
    expect_hinted(function, given)
    given["objective"] = objective
    return signed(function(table, requirement, **given), method.name)


def expect_options(
    name: str, options: Mapping[str, Any], takes: Collection[str]
) -> None:
    """Raise NotSupportedError for an option that would change what is done."""
    for option, value in options.items():
        if value is not None and option not in takes and option not in _SILENT:
            close = nearest(option, takes)
            raise NotSupportedError(f"{name} does not take {option!r}{close}.")


def expect_hinted(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Check numbers, flags and texts by the annotations of a method's arguments.

    Raises
    ------
    TypeError
        Another type.
    ValueError
        A number that is NaN or below the least that makes sense.
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
    recoding: str = "suppression",
) -> None:
    """Raise NotSupportedError, which names methods that do, where one does not."""
    if method.supports(requirement, objective, recoding):
        return
    if recoding not in method.recodings:
        known = " or ".join(method.recodings)
        raise NotSupportedError(
            f"{method.name} is for the recoding {known}, not {recoding}."
        )
    kinds = ("bound",) if method.kind == "bound" else ("exact", "heuristic")
    takers = supporting(requirement, objective, *kinds, recoding=recoding)
    names = [m.name for m in takers]
    raise NotSupportedError(
        f"{method.name} does not take {words(requirement)} with the objective "
        f"{objective.kind}{_as_published(recoding)}; "
        f"these do: {', '.join(names) or 'none'}."
    )


def _as_published(recoding: str) -> str:
    return "" if recoding == "suppression" else f" and the recoding {recoding}"


def salvage(
    run: Run[Best],
    broken_off: Iterable[Run[Best]],
    error: BaseException,
) -> Result[Best]:
    """The best of what runs on the same problem had found when the error struck.

    An error is an interrupt, or that memory is short: its frames give theirs back.
    """
    runs = list(broken_off)
    clear_frames(error.__traceback__)
    for other in runs:
        if (
            other.table is not run.table
            or other.requirement != run.requirement
            or other.objective != run.objective
        ):
            continue
        if other.best is not None:
            run.offer(other.best)
        run.learn(other)
    short = isinstance(error, MemoryError)
    return run.result(Limit.MEMORY if short else Limit.INTERRUPTED)


def stopped(result: Result[Best]) -> Result[Best]:
    """The result, marked as interrupted where all was to stop before it was proven."""
    if not stopping() or result.status in (Status.OPTIMAL, Status.INFEASIBLE):
        return result
    return replace(result, limit=Limit.INTERRUPTED)


def signed(result: Result[Best], method: str) -> Result[Best]:
    """The result with the name of the method that made it."""
    return replace(result, stats={**result.stats, "method": method})


def words(requirement: Requirement) -> str:
    """A requirement, to be named in a message."""
    return ", ".join(f"{k} = {v}" for k, v in requirement.as_json().items())
