"""Problems by a seed, drawn of public tables and of the catalogue.

A problem is one call of ``anonymize``: a frame and arguments. Its name,
KIND/SEED/NUMBER, says all that is needed to draw it again.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pandas
from public import no_ids, numbers_of, public_frame, public_names

import starmin
from starmin.instances import Table

LEAST, MOST = 20, 60_000  # rows
_NUMERIC, _OTHERS = 3, 4  # columns, at most, but for
_WIDE, _MANY = 0.25, 20  # this share of the tables, which have so many of each
_GENERATED = ("census", "uniform", "clustered", "normal", "correlated", "survey")
_TRIES = 1_000


@dataclass(frozen=True)
class Problem:
    """What is asked of one table.

    Attributes
    ----------
    name
        KIND/SEED/NUMBER.
    table
        PACKAGE/TABLE, or ``instance:NAME``.
    frame
        Its rows.
    asked
        Arguments of ``anonymize``.
    trees
        Columns whose hierarchy is inferred of their values.
    """

    name: str
    table: str
    frame: pandas.DataFrame = field(repr=False)
    asked: dict[str, Any]
    trees: tuple[str, ...] = ()

    @property
    def call(self) -> dict[str, Any]:
        """All arguments of ``anonymize`` but the frame."""
        if not self.trees:
            return self.asked
        table = Table.from_rows(*_texts(self.frame, self.trees), qi=list(self.trees))
        made = {
            column: starmin.infer_taxonomy(_counts(table, column), name=column)
            for column in self.trees
        }
        return self.asked | {"hierarchy": made}


def problem(name: str) -> Problem:
    """Draw a problem by its name."""
    kind, seed, number = name.split("/")
    rng = random.Random(f"{seed} {kind} {number}")
    for _ in range(_TRIES):
        table, frame = _table(rng)
        if LEAST <= len(frame) <= MOST:
            drawn = KINDS[kind](rng, frame)
            if drawn is not None:
                asked, trees = drawn
                return Problem(name, table, frame, asked, trees)
    raise ValueError(f"{name}: no table is fit for it")


def names(kind: str, count: int, seed: int) -> Iterator[str]:
    """Name the first problems of a kind."""
    return (f"{kind}/{seed}/{number}" for number in range(count))


Drawn = tuple[dict[str, Any], tuple[str, ...]] | None


def _ranges(rng: random.Random, frame: pandas.DataFrame) -> Drawn:
    """Numbers as ranges, k-anonymity."""
    numeric, others = _columns(rng, frame)
    if not numeric:
        return None
    asked = _k(rng) | {"qi": numeric + others, "numeric": numeric}
    return asked | {"recoding": "generalization"}, ()


def _stars(rng: random.Random, frame: pandas.DataFrame) -> Drawn:
    """Stars, k-anonymity."""
    numeric, others = _columns(rng, frame)
    if len(numeric + others) < 2:
        return None
    return _k(rng) | {"qi": numeric + others}, ()


def _diverse(rng: random.Random, frame: pandas.DataFrame) -> Drawn:
    """Stars or ranges, l = 2."""
    drawn = rng.choice([_ranges, _stars])(rng, frame)
    if drawn is None:
        return None
    asked = {name: value for name, value in drawn[0].items() if name != "k"}
    sensitive = _sensitive(rng, frame, asked["qi"], 2)
    return None if sensitive is None else (asked | {"l": 2, "sensitive": sensitive}, ())


def _trees(rng: random.Random, frame: pandas.DataFrame) -> Drawn:
    """Hierarchies of all columns, k-anonymity."""
    numeric, others = _columns(rng, frame)
    qi = numeric + others
    if len(qi) < 2:
        return None
    return _k(rng) | {"qi": qi, "recoding": "generalization"}, tuple(qi)


def _mixed(rng: random.Random, frame: pandas.DataFrame) -> Drawn:
    """Ranges, hierarchies and stars, any requirement; weights or a kept column."""
    numeric, others = _columns(rng, frame)
    qi = numeric + others
    if len(qi) < 2:
        return None
    trees = tuple(c for c in others if rng.random() < 0.5)
    asked: dict[str, Any] = {"qi": qi, "numeric": numeric, "recoding": "generalization"}
    kind = rng.choice(["k", "k+l", "distinct", "alpha", "t", "entropy"])
    if kind in ("k", "k+l", "alpha"):
        asked |= _k(rng)
    if kind != "k":
        sensitive = _sensitive(rng, frame, qi, 2)
        if sensitive is None:
            return None
        asked |= {"sensitive": sensitive} | {
            "k+l": {"l": 2},
            "distinct": {"l": rng.choice([2, 3]), "diversity": "distinct"},
            "entropy": {"l": 2, "diversity": "entropy"},
            "alpha": {"alpha": 0.75},
            "t": {"t": rng.choice([0.2, 0.4])},
        }[kind]
    extra = rng.choice(["none", "weights", "keep"])
    if extra == "weights":
        asked["weights"] = {column: rng.randint(1, 5) for column in qi}
    elif extra == "keep":
        few = [c for c in qi if frame[c].nunique(dropna=False) <= len(frame) // 20]
        asked["keep"] = few[:1]
    return asked, trees


_WIDE_COLUMNS, _WIDE_ROWS = (8, 15), (300, 20_000)


def _wide(rng: random.Random, frame: pandas.DataFrame) -> Drawn:
    """Many quasi-identifiers as ranges or stars, k-anonymity or l = 2."""
    least, most = _WIDE_ROWS
    usable = [c for c in no_ids(frame) if isinstance(c, str) and c]
    if not least <= len(frame) <= most or len(usable) < _WIDE_COLUMNS[0]:
        return None
    many = rng.randint(_WIDE_COLUMNS[0], min(len(usable), _WIDE_COLUMNS[1]))
    qi = rng.sample(usable, many)
    asked = _k(rng) | {"qi": qi}
    numeric = numbers_of(frame, qi)
    if numeric and rng.random() < 0.6:
        asked |= {"numeric": numeric, "recoding": "generalization"}
    if rng.random() < 0.25:
        if (sensitive := _sensitive(rng, frame, qi, 2)) is None:
            return None
        del asked["k"]
        asked |= {"l": 2, "sensitive": sensitive}
    return asked, ()


KINDS: dict[str, Callable[[random.Random, pandas.DataFrame], Drawn]] = {
    "ranges": _ranges,
    "diverse": _diverse,
    "stars": _stars,
    "trees": _trees,
    "mixed": _mixed,
    "wide": _wide,
}


@cache
def _known() -> tuple[str, ...]:
    return tuple(public_names())


def _table(rng: random.Random) -> tuple[str, pandas.DataFrame]:
    """Draw a public table, or, one time in ten, a generated one."""
    if rng.random() < 0.9:
        name = rng.choice(_known())
        return name, public_frame(name)
    kind, rows = rng.choice(_GENERATED), rng.choice([50, 300, 2_000, 20_000])
    name = f"{kind}:n={rows},seed={rng.randrange(1_000)}"
    frame = starmin.to_frame(starmin.load_instance(name))
    return f"instance:{name}", pandas.DataFrame(frame)


def _columns(
    rng: random.Random, frame: pandas.DataFrame
) -> tuple[list[str], list[str]]:
    """Draw up to three numeric and four other columns that are no ids, or 40."""
    usable = [c for c in no_ids(frame) if isinstance(c, str) and c]
    numbers = numbers_of(frame, usable)
    others = [c for c in usable if c not in numbers]
    wide = rng.random() < _WIDE
    numeric, rest = (_MANY, _MANY) if wide else (_NUMERIC, _OTHERS)
    return (
        rng.sample(numbers, rng.randint(0, min(len(numbers), numeric))),
        rng.sample(others, rng.randint(0, min(len(others), rest))),
    )


def _k(rng: random.Random) -> dict[str, Any]:
    return {"k": rng.choice([2, 3, 5, 10])}


def _sensitive(
    rng: random.Random, frame: pandas.DataFrame, qi: list[str], l: int
) -> str | None:
    """Draw a column with no value in more than one of l rows, and repeated values."""
    usable = []
    for column in frame.columns:
        if column in qi or not isinstance(column, str) or not column:
            continue
        counts = frame[column].astype(str).value_counts()
        most = int(counts.max()) if len(counts) else len(frame)  # all are missing
        if len(counts) < len(frame) and most * l <= len(frame):
            usable.append(column)
    return rng.choice(usable) if usable else None


def _texts(
    frame: pandas.DataFrame, columns: tuple[str, ...]
) -> tuple[list[str], list[tuple[str | None, ...]]]:
    table = starmin.from_frame(frame[list(columns)])
    return list(columns), table.rows()


def _counts(table: Table, column: str) -> dict[str | None, int]:
    counts: dict[str | None, int] = {}
    for code in table.column(column).tolist():
        text = table.dictionary(column)[code]
        counts[text] = counts.get(text, 0) + 1
    return counts
