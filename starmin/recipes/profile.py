"""What a table has, and how it differs from another one, as JSON for programs."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from starmin.inputs.hierarchy_options import CodedTable
from starmin.inputs.loading import load_file
from starmin.inputs.roles import Roles
from starmin.inputs.spec import Spec
from starmin.instances import (
    Coding,
    Read,
    Table,
    TableError,
    as_number,
    date_taxonomy,
    group_by,
)
from starmin.instances.arrays import IntArray
from starmin.instances.io.beside import Labels
from starmin.instances.releases.coding import GENERALIZATION, SUPPRESSION
from starmin.instances.scales.missing import MISSING
from starmin.instances.times.recognise import notation_of
from starmin.process.clock import Clock
from starmin.recipes.recipe import COLUMNS, Recipe
from starmin.recipes.told import Told, joined, role_of
from starmin.verify.releases.range_ends import hidden_cells

_ROWS, _VALUES, _NEW, _BINS = 20, 300, 20, 24  # that are told at most
_EXACT = 300_000  # rows, up to which people who stand alone are counted one by one
_CELLS = 40_000_000  # up to which it is told what each column adds


def profile(
    read: Read,
    told: Told,
    notes: Mapping[tuple[str, ...], str],
    other: Table | None = None,
) -> dict[str, Any]:
    """Return what a table has, and what is proposed of its columns, and why.

    ``told`` is by parameter, ``notes`` are comments of a settings file; both are empty
    where nothing is proposed. ``other`` is the table that it is compared with.
    """
    table = read.table
    unknown = {*MISSING, *told.get("missing", ())}
    found: dict[str, Any] = {
        "rows": table.n,
        "told": list(read.told),
        "separator": read.form and read.form.sep,
        "encoding": read.form and read.form.encoding,
        "first": [
            list(row) for row in table.take(np.arange(min(_ROWS, table.n))).rows()
        ],
        "columns": [
            _column(table, name, unknown, told, notes.get((COLUMNS, name), ""))
            | _labels(table, name, read.beside.labels)
            for name in table.names
        ],
    }
    if other is not None:
        found["beside"] = _beside(table, other)
    return found


def _column(
    table: Table, name: str, unknown: Collection[str | None], told: Told, why: str
) -> dict[str, Any]:
    rows = table.text_counts(name)
    used = sorted(rows, key=lambda text: -rows[text])
    known = [text for text in used if text is not None and text not in unknown]
    form = told.get("date_format", {}).get(name)
    kind = "numbers or dates" if name in told.get("numeric", ()) else "text"
    return {
        "name": name,
        "role": role_of(told, name),
        "kind": kind,
        "why": why,
        "distinct": len(used),
        "missing": sum(rows.values()) - sum(rows[text] for text in known),
        "values": [[text, rows[text]] for text in used[:_VALUES]],
        "bins": _bins([(text, rows[text]) for text in known], form),
    }


def _labels(table: Table, name: str, labels: Labels) -> dict[str, Any]:
    """Return what the file says of a column and of its values, in words."""
    known = labels.values.get(name, {})
    used = [t for t in table.dictionary(name) if t is not None and t in known]
    told = {text: known[text] for text in used[:_VALUES]}
    return {"label": labels.columns.get(name, ""), "labels": told}


def _places(texts: Sequence[str], form: str | None) -> list[Fraction | int | None]:
    """Return the number or the moment of each text; None: it is neither."""
    numbers = [as_number(text.replace(",", ".", 1)) for text in texts]
    if form is None and any(number is not None for number in numbers):
        return [None if n is None else Fraction(n) for n in numbers]
    try:
        notation, _ = notation_of(texts, form)
    except TableError:
        notation = None
    return [None if notation is None else notation.read(text) for text in texts]


def _bins(values: list[tuple[str, int]], form: str | None) -> list[list[Any]] | None:
    """Return a histogram of numbers or times: first and last text, and rows."""
    places = _places([text for text, _ in values], form)
    known = [
        (p, text, n)
        for p, (text, n) in zip(places, values, strict=True)
        if p is not None
    ]
    if len(known) < 2 or len(known) < len(values):
        return None
    known.sort(key=lambda each: each[0])
    low, span = known[0][0], known[-1][0] - known[0][0]
    many = min(_BINS, len(known))
    bins: list[list[Any]] = []
    last = -1
    for place, text, n in known:
        at = min(many - 1, int((place - low) * many / span)) if span else 0
        if at == last:
            bins[-1][1] = text
            bins[-1][2] += n
        else:
            bins.append([text, text, n])
        last = at
    return bins


def _beside(table: Table, other: Table) -> dict[str, Any]:
    """Return how a table differs from another one."""
    both = [name for name in other.names if name in table.names]
    return {
        "rows": other.n,
        "missing": [name for name in other.names if name not in table.names],
        "added": [name for name in table.names if name not in other.names],
        "columns": {name: _differs(table, other, name) for name in both},
    }


def _differs(table: Table, other: Table, name: str) -> dict[str, Any]:
    """Return which values a column has that the other one lacks, and how many cells."""
    counts, before = table.text_counts(name), other.text_counts(name)
    new = [text for text in counts if text not in before]
    new.sort(key=lambda text: -counts[text])
    changed = None
    if table.n == other.n:
        changed = int(hidden_cells(other, table, name).sum())
    return {
        "new": len(new),
        "values": [[text, counts[text]] for text in new[:_NEW]],
        "rows": sum(counts[text] for text in new),
        "changed": changed,
    }


class Alone:
    """Counts the rows that look like no other, for one settings file after another.

    The table is read once.
    """

    def __init__(self, source: str, roles: Roles) -> None:
        self._source, self._known = source, dict[tuple[str, ...], int]()
        self.table = load_file(source, roles.reading).table

    def answer(self, path: str) -> dict[str, Any]:
        """Return what a settings file leaves of people who stand alone."""
        clock = Clock()
        try:
            found = self._counted(Recipe.read(Path(path)).told)
        except TableError as error:
            found = {"error": str(error)}
        return {"settings": path, **found, "seconds": round(clock.elapsed(), 4)}

    def _counted(self, told: Told) -> dict[str, Any]:
        spec = Spec.of(self._source, joined(told))
        roles = spec.columns.roles
        qi = [c for c in self.table.names if c in (roles.qi or ())]
        for column in roles.qi or ():
            if column not in qi:
                raise TableError(f"{self._source}: no column {column!r}")
        table = self.table.with_roles(qi, roles.sensitive or ())
        recoding = GENERALIZATION if spec.ranges.told else SUPPRESSION
        coding = spec.ranges.coding(recoding, spec.star, lambda: CodedTable(table))
        table = coding.floored(table)
        columns = {c: _rounded(table, c, coding) for c in qi}
        many = table.n * max(1, len(table.names))
        alone, within = _alone([*columns.values()])
        shares: dict[str, int] = {}
        if len(table.names) * many <= _CELLS:
            shares = dict(self._otherwise(columns))
        return {
            "rows": table.n,
            "before": self._before(tuple(qi)),
            "alone": alone,
            "within": within,
            "otherwise": shares,
        }

    def _before(self, qi: tuple[str, ...]) -> int:
        """Return how many stand alone with cells as they are; it is kept."""
        if qi not in self._known:
            self._known[qi] = _alone([self.table.column(c) for c in qi])[0]
        return self._known[qi]

    def _otherwise(self, columns: dict[str, IntArray]) -> Iterator[tuple[str, int]]:
        """Yield by column how many stand alone without it, or with it."""
        for name in self.table.names:
            if name in columns:
                rest = [codes for c, codes in columns.items() if c != name]
            else:
                rest = [*columns.values(), self.table.column(name)]
            yield name, _unique(rest)


def _alone(columns: Sequence[IntArray]) -> tuple[int, int]:
    """Return how many rows look like no other, and within how many that is so.

    Of many rows, all of some classes are looked at, which a hash of the cells draws:
    so each class has the same chance. The second number is twice the standard error.
    """
    rows = len(columns[0]) if columns else 0
    if rows <= _EXACT:
        return _unique(columns), 0
    hashes = np.zeros(rows, np.uint64)
    for place, codes in enumerate(columns):
        draw, size = np.random.default_rng(place), int(codes.max()) + 1
        hashes ^= draw.integers(0, 2**64 - 1, size, np.uint64, endpoint=True)[codes]
    every = -(-rows // _EXACT)
    drawn = hashes[hashes < np.uint64(2**64 // every)]
    alone = int((np.unique(drawn, return_counts=True)[1] == 1).sum())
    return min(rows, alone * every), round(2 * every * max(1, alone) ** 0.5)


def _unique(columns: Collection[IntArray]) -> int:
    return int((group_by([*columns]).counts == 1).sum()) if columns else 0


def _rounded(table: Table, column: str, coding: Coding) -> IntArray:
    """Return the codes of a column whose numbers or times are taken to their step."""
    codes, step = table.column(column), coding.steps.get(column)
    if step is None or column not in coding.numeric:
        return codes
    labels = table.dictionary(column)
    used = [j for j in np.unique(codes) if labels[j] is not None]
    texts = [str(labels[j]) for j in used]
    form, found = coding.forms.get(column), dict[str, Any]()
    if (width := as_number(step)) is not None:
        for text, place in zip(texts, _places(texts, form), strict=True):
            found[text] = text if place is None else place // Fraction(width)
    else:
        try:
            tree = date_taxonomy(texts, [step], form, coding.missing)
            found = {path[0]: path[1] for path in tree.paths}
        except TableError:  # as of 7 days: the periods of a tree are of the calendar
            return codes
    ranks = {each: i for i, each in enumerate(dict.fromkeys(found.values()))}
    taken = np.full(len(labels) + 1, len(ranks), np.int32)
    for j, text in zip(used, texts, strict=True):
        taken[j] = ranks[found.get(text, text)] if text in found else len(ranks)
    return taken[codes]
