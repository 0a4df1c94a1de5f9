"""Made tables of all shapes, drawn by a seed: what is asked of them as well.

A shape is one call of ``anonymize``. Its name, SEED/NUMBER, says all that is needed to
draw it again.
"""

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas

import starmin

ROWS = (5, 20, 100, 300, 499, 501, 1_500, 5_000, 30_000)
COLUMNS = (1, 2, 4, 7, 10, 14, 16, 20, 24, 40, 60)
VALUES = (2, 3, 10, 100, None)  # None: all different
LEAST = (2, 3, 5, 10, 25, "near n")
DIVERSE = (2, 4)
RECODINGS = ("stars", "tuples", "trees", "ranges", "mixed")
EXTRAS = ("none",) * 7 + ("persons", "rules", "floors")
_CHANGED = 0.08  # of the cells of a copy
_SENSITIVE = 12  # values of the sensitive column


@dataclass(frozen=True)
class Shape:
    """A made table and what is asked of it.

    Attributes
    ----------
    name
        SEED/NUMBER.
    rows, columns, values, copies
        Of the table; no number of values: all are different. Rows are copies of a third
        as many, some cells changed, or independent.
    asked
        ``k = 5``, ``l = 2``.
    recoding, extra
        How it is published; what is asked besides.
    """

    name: str
    rows: int
    columns: int
    values: int | None
    copies: bool
    asked: str
    recoding: str
    extra: str
    frame: pandas.DataFrame = field(repr=False, compare=False)
    call: dict[str, Any] = field(repr=False, compare=False)


def shape(name: str) -> Shape:
    """Draw a shape by its name."""
    rng = random.Random(f"shape {name}")
    rows, columns, values = rng.choice(ROWS), rng.choice(COLUMNS), rng.choice(VALUES)
    copies, recoding, extra = (
        rng.random() < 0.7,
        rng.choice(RECODINGS),
        rng.choice(EXTRAS),
    )
    least: Any = rng.choice(LEAST)
    asked = {"l": rng.choice(DIVERSE)} if rng.random() < 0.3 else {"k": least}
    if asked.get("k") == "near n":
        asked["k"] = max(2, rng.choice([rows // 2, rows - 1]))
    frame, names = _frame(rng, rows, columns, values, copies, asked, extra)
    call: dict[str, Any] = {"qi": names} | asked
    if "l" in asked:
        call["sensitive"] = "s"
    call |= _published(rng, frame, names, recoding)
    besides = _besides(frame, names, call, extra)
    call, extra = call | besides, extra if besides else "none"
    told = ", ".join(f"{key} = {value}" for key, value in asked.items())
    return Shape(
        name, rows, columns, values, copies, told, recoding, extra, frame, call
    )


def _frame(
    rng: random.Random,
    rows: int,
    columns: int,
    values: int | None,
    copies: bool,
    asked: dict[str, Any],
    extra: str,
) -> tuple[pandas.DataFrame, list[str]]:
    """Make the cells; numbers are drawn so that they can be ranges as well."""
    draw = np.random.default_rng(rng.randrange(2**32))
    if values is None:
        cells = np.argsort(draw.random((rows, columns)), axis=0)
    else:
        cells = draw.integers(0, values, (rows, columns))
        if copies:
            base = cells[: max(2, rows // 3)]
            cells = base[draw.integers(0, len(base), rows)].copy()
            changed = draw.random(cells.shape) < _CHANGED
            cells[changed] = draw.integers(0, values, int(changed.sum()))
    names = [f"c{j}" for j in range(columns)]
    frame = pandas.DataFrame(cells.astype(str), columns=names)
    if "l" in asked:
        frame["s"] = draw.integers(0, _SENSITIVE, rows).astype(str)
    if extra == "persons":
        frame["id"] = draw.integers(0, max(2, rows // 2), rows).astype(str)
    return frame, names


def _published(
    rng: random.Random, frame: pandas.DataFrame, names: list[str], recoding: str
) -> dict[str, Any]:
    """Return how columns are published."""
    if recoding in ("stars", "tuples"):
        return {"objective": recoding}
    half, third = max(1, len(names) // 2), max(1, len(names) // 3)
    numeric = {"ranges": names[:half], "mixed": names[:third], "trees": []}[recoding]
    trees = {"ranges": [], "mixed": names[third : 2 * third], "trees": names}[recoding]
    call: dict[str, Any] = {"recoding": "generalization", "numeric": numeric}
    for name in numeric:
        whole = frame[name].astype(int)
        frame[name] = whole * 17 + [rng.randrange(9) for _ in range(len(frame))]
    if trees:
        call["hierarchy"] = {name: _tree(frame, name) for name in trees}
    if recoding == "mixed":
        call["weights"] = {name: rng.randint(1, 5) for name in names}
    return call


def _tree(frame: pandas.DataFrame, name: str) -> Any:
    """Join values by their first digits."""
    counts = frame[name].astype(str).value_counts().to_dict()
    return starmin.infer_taxonomy(counts, name=name)


def _besides(
    frame: pandas.DataFrame, names: list[str], call: dict[str, Any], extra: str
) -> dict[str, Any]:
    """Return what is asked besides, where it goes with the rest."""
    if extra == "persons":
        return {"person": "id"}
    if extra == "rules" and "k" in call and call.get("objective") != "tuples":
        return {"combinations": min(2, len(names))}
    if extra == "floors" and call.get("numeric"):
        top = int(frame[names[0]].quantile(0.95))
        return {"top": {names[0]: top}}
    return {}
