"""What a sweep shows of each problem: the best value, the best bound, all gaps."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starmin.gaps.store import is_number
from starmin.instances.catalogue.known import best_known

Row = dict[str, Any]

INSTANCE = "instance:"


@dataclass(frozen=True)
class Standing:
    """The state of one problem."""

    problem: str
    table: str
    asked: str
    # value, by: the least value of all runs, and the methods that reached it
    value: float | None
    by: tuple[str, ...]
    # bound, bound_by: the best bound, and the method that proved it
    bound: float | None
    bound_by: str | None
    # the best bound that a certificate proves, which was checked
    certified: float | None
    # the least value known before: of the catalogue or of earlier sweeps
    known: float | None

    @property
    def best(self) -> float | None:
        """The least value there is."""
        values = [v for v in (self.value, self.known) if v is not None]
        return min(values, default=None)

    @property
    def contradiction(self) -> str | None:
        """What cannot be: a bound above a value."""
        if self.best is None or self.bound is None or self.bound <= self.best:
            return None
        return f"{self.problem}: bound {self.bound} above the value {self.best}"

    def gap(self, value: float | None) -> float | None:
        """Return the gap of a value to the best bound; None where it is not defined."""
        if value is None or self.bound is None:
            return None
        if value == self.bound:
            return 0.0
        return None if self.bound == 0 else (value - self.bound) / self.bound


def standings(
    rows: Sequence[Row], kept: dict[str, float] | None = None
) -> list[Standing]:
    """Return one standing for each problem, in the order of the rows.

    Parameters
    ----------
    rows
        Of a sweep.
    kept
        Least values of earlier sweeps by problem.

    Examples
    --------
    >>> row = {"problem": "t --k 2", "table": "t", "asked": "k 2", "outcome": "ok"}
    >>> rows = [
    ...     row | {"method": "a", "value": 12, "lower_bound": None},
    ...     row | {"method": "b", "value": None, "lower_bound": 10},
    ... ]
    >>> standing, = standings(rows)
    >>> standing.value, standing.bound, standing.gap(12)
    (12, 10, 0.2)
    """
    problems: dict[str, list[Row]] = {}
    for row in rows:
        problems.setdefault(row["problem"], []).append(row)
    return [_standing(each, kept or {}) for each in problems.values()]


def _standing(rows: list[Row], kept: dict[str, float]) -> Standing:
    problem, table, asked = (rows[0][key] for key in ("problem", "table", "asked"))
    good = [row for row in rows if row["outcome"] == "ok"]
    values = [row["value"] for row in good if row.get("value") is not None]
    value = min(values, default=None)
    bounds = [row for row in good if row.get("lower_bound") is not None]
    best: Row = max(bounds, key=lambda row: row["lower_bound"], default={})
    certified = (row.get("certified_bound") for row in good)
    proven = [bound for bound in certified if bound is not None]
    known = [kept[problem]] if problem in kept else []
    known += _of_catalogue(rows[0])
    return Standing(
        problem,
        table,
        asked,
        value,
        tuple(
            dict.fromkeys(
                row["method"]
                for row in good
                if value is not None and row.get("value") == value
            )
        ),
        best.get("lower_bound"),
        best.get("bound_method") or best.get("method"),
        max(proven, default=None),
        min(known, default=None),
    )


def _of_catalogue(row: Row) -> list[float]:
    """Return the best known values, where columns and objective are the catalogue's."""
    table, words = row["table"], row.get("options", [])
    pairs = dict(zip(words[::2], words[1::2], strict=True))
    kind = pairs.pop("--objective", "stars")
    numbers = int(pairs.pop("--k", 1)), int(pairs.pop("--l", 1))
    if pairs or not table.startswith(INSTANCE):
        return []
    known = best_known(table.removeprefix(INSTANCE))
    return [k.value for k in known if (k.k, k.l) == numbers and k.kind == kind]


def read_kept(path: Path) -> dict[str, float]:
    """Read the least values that earlier sweeps kept.

    Raises ValueError where it is another file, or was edited.
    """
    if not path.exists():
        return {}
    try:
        kept = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        kept = None
    if not isinstance(kept, dict) or not all(map(is_number, kept.values())):
        raise ValueError(f"{path}: no values of gaps; name another --out")
    return kept


def to_keep(found: Sequence[Standing], kept: dict[str, float]) -> dict[str, float]:
    """Return the kept values, with what this sweep found better."""
    new = {each.problem: each.best for each in found if each.best is not None}
    return kept | new
