"""Releases of one frame by several methods, side by side as a frame."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from starmin.frames.anonymize import anonymize
from starmin.frames.data_frames import frame_of, library_of
from starmin.instances import NotSupportedError
from starmin.instances.arguments import expect_names
from starmin.registry import find
from starmin.solving import Solution

METHODS = ("auto", "local_search", "mondrian", "gray_order")
COLUMNS = (
    *("method", "value", "lower_bound", "gap", "status", "groups", "holds"),
    *("seconds", "why"),
)


def compare(
    frame: Any, *, methods: Collection[str] = METHODS, **parameters: Any
) -> Any:
    """Anonymize a frame by several methods, and return a frame of what they found.

    Parameters
    ----------
    frame
        Of pandas, polars, Arrow, or another library that narwhals reads. A frame that
        is computed later is computed.
    methods
        Names of ``methods()``, and ``auto``.
    parameters
        Those of ``anonymize``; a time limit is that of each method.

    Returns
    -------
    frame
        In the library of the frame, a row for each method, in their order: ``value``,
        ``lower_bound`` (the largest that any of them proved, as no release costs less),
        ``gap``, ``status``, how many ``groups``, whether ``verify()`` ``holds``, and
        ``seconds``; ``why`` says why a method has no release.

    Raises
    ------
    NotSupportedError
        There is no method of a name.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"age": [30, 30, 41, 42], "sex": list("fmff")})
    >>> found = compare(frame, methods=["pattern_ilp", "mondrian"], k=2)
    >>> found.select("method", "value", "lower_bound", "holds").rows()
    [('pattern_ilp', 4, 4, True), ('mondrian', 4, 4, True)]
    """
    methods = expect_names("methods", methods)
    for name in methods:
        if name != "auto":
            find(name, "exact", "heuristic")
    found = [_row(frame, name, parameters) for name in methods]
    rows = [row for row, _ in found]
    made = [solution for _, solution in found if solution is not None]
    proven = [s for s in made if s.units.lower_bound is not None]
    best = max(proven, key=lambda s: s.units.lower_bound or 0, default=None)
    for row, solution in found:
        if best is None:
            continue
        row["lower_bound"] = best.lower_bound
        if solution is not None and solution.value is not None:
            closer = replace(solution.units, lower_bound=best.units.lower_bound)
            row["gap"], row["status"] = closer.gap, closer.status.value
    columns = {name: [row[name] for row in rows] for name in COLUMNS}
    return frame_of(columns, library_of(frame))


def _row(
    frame: Any, method: str, parameters: dict[str, Any]
) -> tuple[dict[str, Any], Solution | None]:
    row: dict[str, Any] = dict.fromkeys(COLUMNS) | {"method": method}
    try:
        release = anonymize(frame, method=method, **parameters)
    except NotSupportedError as error:
        return row | {"status": "not supported", "why": str(error)}, None
    told = "value", "lower_bound", "gap", "status"
    row |= {name: getattr(release, name) for name in told}
    row |= {"seconds": round(release.time, 3), "why": release.reason}
    if release.groups is not None:
        row["groups"] = len({*release.groups.tolist()})
    if release.frame is not None:
        row["holds"] = release.verify().holds
    return row, release.solution
