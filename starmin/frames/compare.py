"""Releases of one frame by several methods, side by side as a frame."""

from collections.abc import Collection
from typing import Any

from starmin.frames.anonymize import anonymize
from starmin.frames.data_frames import frame_of, library_of
from starmin.instances import NotSupportedError
from starmin.instances.arguments import expect_names
from starmin.registry import find

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
    rows = [_row(frame, name, parameters) for name in methods]
    bounds = [row["lower_bound"] for row in rows if row["lower_bound"] is not None]
    best = max(bounds, default=None)
    for row in rows:
        row["lower_bound"] = best
        if best is not None and row["value"] is not None:
            row["gap"] = _gap(row["value"], best)
            row["status"] = "optimal" if row["value"] == best else row["status"]
    columns = {name: [row[name] for row in rows] for name in COLUMNS}
    return frame_of(columns, library_of(frame))


def _row(frame: Any, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(COLUMNS) | {"method": method}
    try:
        release = anonymize(frame, method=method, **parameters)
    except NotSupportedError as error:
        return row | {"status": "not supported", "why": str(error)}
    row |= {
        "value": release.value,
        "lower_bound": release.lower_bound,
        "gap": release.gap,
        "status": release.status,
        "seconds": round(release.time, 3),
        "why": release.reason,
    }
    if release.groups is not None:
        row["groups"] = len({*release.groups.tolist()})
    if release.frame is not None:
        row["holds"] = release.verify().holds
    return row


def _gap(value: float, bound: float) -> float | None:
    """Return by how much a value may be too large; None: without end."""
    if value == bound:
        return 0.0
    return (value - bound) / bound if bound else None
