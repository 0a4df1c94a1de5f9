"""What is published of rows alike: boxes of values, and the row types in them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from starmin.instances import Table, TableError, group_by
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.tables.row_types import merge_equal_values
from starmin.verify.audit.inference import STATISTICAL, Inference
from starmin.verify.cells.cells import Cells, NumericCells, PlainCells, TaxonomyCells
from starmin.verify.cells.readings import Ends
from starmin.verify.exact import BeyondError, expect_time
from starmin.verify.texts import Text, places_in, present

# What the cells of one released column stand for, as sets of values.

MOST = 2**27  # pairs of a text and a value, in bytes


@dataclass(frozen=True, eq=False)
class ColumnNodes:
    """The texts of a released column, and the values that each may stand for."""

    name: str
    leaves: tuple[Text, ...]  # the values that it may have
    masks: Bools  # by text and value: whether the text may stand for it
    # by text and value: which child of the node has the value below it, from 0; -1:
    # none, or nothing is known of children
    children: Ints
    losses: Floats  # by text: what a cell of it costs
    hidden: Bools  # by text: whether it is none of the values
    widths: Floats  # by text: how far the ends of a range are apart; 0: it is none
    levels: Ints  # by text: how far it is above the values, in steps

    @property
    def parts(self) -> Ints:
        """For each text the number of its children; 0 where nothing is known."""
        return np.asarray(self.children.max(axis=1, initial=-1) + 1)

    def child_sizes(self, text: int) -> Ints:
        """Return how many values each child of a text has."""
        below = self.children[text]
        return np.bincount(below[below >= 0], minlength=int(below.max(initial=-1)) + 1)


def column_nodes(
    releases: Sequence[Table],
    column: str,
    cells: Cells,
    original: Table | None = None,
    bounded: bool = False,
) -> list[ColumnNodes]:
    """Return what the cells of a column stand for, for each of some releases.

    The values that a column may have are public: those of the original where it is at
    hand or of a tree, else all that some release shows. The releases are of one table,
    and ``column`` is a quasi-identifier of all of them. It is ``bounded`` if nodes are
    left out of its tree, so that those which are published need not be the lowest.
    Raises BeyondError where there are too many texts and values to compare them all.
    """
    leaves = _leaves(releases, column, cells, original)
    found = []
    for released in releases:
        texts = released.dictionary(column)
        if len(texts) * len(leaves) > MOST:
            raise BeyondError(f"column {column!r} has too many values and ranges")
        masks = _masks(texts, leaves, cells)
        children = np.full(masks.shape, -1, np.int64)
        spans = [cells.ends(t) if type(cells) is NumericCells else None for t in texts]
        both = zip(texts, spans, strict=True)
        numbers = {text for text, span in both if span and span[0] == span[1]}
        widths = np.array([_width(span) for span in spans])
        if not bounded:
            for code, text in enumerate(texts):
                if np.count_nonzero(masks[code]) > 1:
                    children[code] = _children(text, leaves, masks[code], cells)
        losses = np.array([float(cells.loss(text)) for text in texts])
        shown = numbers.union(leaves)
        hidden = np.array([text not in shown for text in texts])
        levels = hidden.astype(np.int64)
        if isinstance(cells, TaxonomyCells):
            levels = np.array([cells.level(text) for text in texts], np.int64)
        given = column, leaves, masks, children, losses, hidden, widths, levels
        found.append(ColumnNodes(*given))
    return found


def _width(ends: Ends | None) -> float:
    """Return how far the ends of a range are apart; 0: it is none."""
    if ends is None or not all(end.is_finite() for end in ends):
        return 0.0
    return float(ends[1] - ends[0])


def _leaves(
    releases: Sequence[Table], column: str, cells: Cells, original: Table | None
) -> tuple[Text, ...]:
    """Return the values that a column may have."""
    if isinstance(cells, TaxonomyCells):
        return cells.taxonomy.leaves
    if original is not None and column in original.names:
        return tuple(present(original, column))
    shown = dict.fromkeys(t for each in releases for t in present(each, column))
    shown.pop(getattr(cells, "star", "*"), None)
    if not isinstance(cells, NumericCells):
        return tuple(shown)
    gaps, is_range = cells.missing, cells.reading.is_range
    return tuple(text for text in shown if text in gaps or not is_range(text))


def _masks(texts: Sequence[Text], leaves: tuple[Text, ...], cells: Cells) -> Bools:
    """Return for each text and value whether the one may stand for the other."""
    masks = np.zeros((len(texts), len(leaves)), bool)
    place = {leaf: i for i, leaf in enumerate(leaves)}
    numbers, star = _numbers(leaves, cells), getattr(cells, "star", None)
    for code, text in enumerate(texts):
        if text in place and not isinstance(cells, TaxonomyCells):
            masks[code, place[text]] = True
        elif type(cells) is NumericCells and (ends := cells.ends(text)) is not None:
            low, high = np.searchsorted(numbers[0], [float(end) for end in ends])
            near = numbers[1][max(0, low - 1) : high + 1]
            masks[code, near] = [cells.covers(text, leaves[leaf]) for leaf in near]
        elif text == star and type(cells) in (PlainCells, NumericCells):
            masks[code] = True
        else:
            masks[code] = [cells.covers(text, leaf) for leaf in leaves]
    return masks


def _numbers(leaves: tuple[Text, ...], cells: Cells) -> tuple[Floats, Ints]:
    """Return the numbers among the values in their order, and which values they are."""
    if type(cells) is not NumericCells:
        return np.empty(0), np.empty(0, np.int64)
    ends = [cells.ends(leaf) for leaf in leaves]
    known = np.array([i for i, end in enumerate(ends) if end is not None], np.int64)
    values = np.array([float(end[0]) for end in ends if end is not None])
    order = np.argsort(values, kind="stable")
    return values[order], known[order]


def _children(text: Text, leaves: tuple[Text, ...], mask: Bools, cells: Cells) -> Ints:
    """Return which child of a node has each value below it; -1: nothing is known."""
    below = np.full(len(leaves), -1, np.int64)
    if type(cells) is PlainCells:
        below[mask] = np.arange(np.count_nonzero(mask))
        return below
    if type(cells) is not TaxonomyCells:  # of a floor: rows below it may be alike
        return below
    names: dict[str, int] = {}
    paths = {path[0]: path for path in cells.taxonomy.paths}
    for i in np.flatnonzero(mask):
        path = paths[leaves[i] or ""]
        node = text if text in path else path[-1]
        child = path[path.index(node or "") - 1]
        below[i] = names.setdefault(child, len(names))
    return below


def expect_common(releases: Sequence[Table]) -> tuple[str, ...]:
    """Return the quasi-identifiers of releases; raise TableError where they differ."""
    for released in releases[1:]:
        if set(released.qi) != set(releases[0].qi):
            raise TableError(
                f"{released.name}: expected the quasi-identifiers of "
                f"{releases[0].name}: {', '.join(releases[0].qi)}"
            )
    return releases[0].qi


@dataclass(frozen=True, eq=False)
class Classes:
    """The rows of a release that are published alike, and what they may be."""

    released: Table  # equal values are merged
    columns: tuple[ColumnNodes, ...]  # its quasi-identifiers, in their order
    codes: Ints  # by class and column: the texts that are published
    sizes: Ints  # by class: the number of its rows
    of_row: Int32s  # by row: its class
    first: Ints  # by class: the first of its rows
    # rows of the original in the order of the release: for each column its values by
    # number; None where it is not at hand in this order
    truth: Ints | None = None

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.sizes)

    def _by_class(self, name: str) -> Any:
        """Return what each class publishes in each column, by texts of the columns."""
        columns = zip(self.columns, self.codes.T, strict=True)
        return np.stack([getattr(each, name)[codes] for each, codes in columns], axis=1)

    @cached_property
    def hidden(self) -> Bools:
        """For each class and column whether its cells are hidden."""
        return np.asarray(self._by_class("hidden"), bool)

    @cached_property
    def levels(self) -> Ints:
        """For each class and column how far its cells are above the values."""
        return np.asarray(self._by_class("levels"), np.int64)

    @cached_property
    def hidden_cells(self) -> int:
        """How many cells of the release are hidden."""
        return int((self.hidden.sum(axis=1) * self.sizes).sum())

    @cached_property
    def costs(self) -> Floats:
        """For each class what a row of it costs."""
        return np.asarray(sum(self._by_class("losses").T))

    def boxes(self, j: int) -> Bools:
        """Return for each class and value of a column whether its rows may have it."""
        return np.asarray(self.columns[j].masks[self.codes[:, j]])

    def truly(self, j: int) -> Ints | None:
        """Return for each class and value of a column how many rows of it have it."""
        if self.truth is None:
            return None
        shape, known = (self.number, len(self.columns[j].leaves)), self.truth[j] >= 0
        return crossed(self.of_row[known], self.truth[j][known], shape)


def crossed(rows: Int32s | Ints, values: Ints, shape: tuple[int, int]) -> Ints:
    """Count how often a number of a row and one of a value come together."""
    at = rows.astype(np.int64) * shape[1] + values
    return np.bincount(at, minlength=shape[0] * shape[1]).reshape(shape)


def classes_of(
    releases: Sequence[Table],
    cells: Mapping[str, Cells],
    original: Table | None = None,
    aligned: Sequence[Table | None] | None = None,
    bounded: frozenset[str] = frozenset(),
) -> list[Classes]:
    """Return the classes of releases of one table.

    The releases have the same quasi-identifiers, and ``cells`` says what the cells of
    each column stand for. ``original`` is None where it is not at hand; ``aligned`` has
    for each release the original's rows in its order, or None. Of the columns
    ``bounded`` some nodes are left out: see ``column_nodes``.
    """
    qi = expect_common(releases)
    merged = [merge_equal_values(each) for each in releases]
    nodes = [
        column_nodes(merged, column, cells[column], original, column in bounded)
        for column in qi
    ]
    found = []
    for i, released in enumerate(merged):
        columns = tuple(each[i] for each in nodes)
        groups = released.grouped(qi)
        texts = np.stack([released.column(c)[groups.first] for c in qi], axis=1)
        source = aligned[i] if aligned is not None else None
        truth = None  # of a value that is not among the leaves: -1
        if source is not None:
            rows = [places_in(source, each.name, each.leaves) for each in columns]
            truth = np.stack(rows)
        found.append(
            Classes(
                *(released, columns, texts.astype(np.int64), groups.counts),
                *(groups.inverse, groups.first, truth),
            )
        )
    return found


# Row types, and the classes whose boxes they lie in.

CHUNK = 256  # types that are compared with all classes at a time


@dataclass(frozen=True, eq=False)
class TypesInClasses:
    """Rows of a table by type, and the values of classes, as an attacker has them."""

    classes: Classes
    types: Ints  # the values of each row type, by column
    of_row: Ints  # by row: its type
    counts: Ints  # by class and sensitive value: how many rows of the class have it
    values: Ints  # by row: its sensitive value, in truth

    @property
    def sizes(self) -> Ints:
        """For each type how many rows it has."""
        return np.bincount(self.of_row, minlength=len(self.types))

    @cached_property
    def tops(self) -> Ints:
        """For each class how many rows have its most frequent value."""
        return np.asarray(self.counts.max(axis=1))

    @cached_property
    def _boxes(self) -> list[Bools]:
        """For each column, value and class whether its rows may have it."""
        return [
            np.ascontiguousarray(self.classes.boxes(j).T)
            for j in range(len(self.classes.columns))
        ]

    def fitting(self, types: Ints) -> Iterator[tuple[Ints, Bools]]:
        """Yield some types, and for each and each class whether it lies in the box."""
        boxes = self._boxes
        for start in range(0, len(types), CHUNK):
            expect_time()
            some = types[start : start + CHUNK]
            fits = boxes[0][self.types[some, 0]]
            for j, box in enumerate(boxes[1:], start=1):
                fits &= box[self.types[some, j]]
            yield some, fits

    def cheaper(self, types: Ints, above: Ints) -> tuple[Ints, Ints]:
        """Return the classes that a row could go to for less.

        By type that is asked, ``above`` is the class that its row is in. Returned are
        the first place of the classes of each, and these classes.
        """
        costs = self.classes.costs
        kinds, which = np.unique(types, return_inverse=True)
        order = np.argsort(which, kind="stable")
        start = np.searchsorted(which[order], np.arange(len(kinds) + 1))
        found: list[Ints] = [np.empty(0, np.int64)] * len(types)
        done = 0
        for some, fits in self.fitting(kinds):
            for i in range(len(some)):
                near = np.flatnonzero(fits[i])
                for place in order[start[done + i] : start[done + i + 1]]:
                    less = costs[near] < costs[above[place]] - 1e-9
                    found[place] = near[less]
            done += len(some)
        lengths = np.array([len(each) for each in found], np.int64)
        places = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return places, np.concatenate([*found, np.empty(0, np.int64)]).astype(np.int64)


def types_in_classes(classes: Classes, sensitive: str) -> TypesInClasses | None:
    """Return the types of a release's rows; None where they are not known."""
    if classes.truth is None or (classes.truth < 0).any():
        return None
    groups = group_by(list(classes.truth))
    table = classes.released
    values = table.column(sensitive).astype(np.int64)
    shape = classes.number, len(table.dictionary(sensitive))
    counts = crossed(classes.of_row, values, shape)
    types = np.ascontiguousarray(classes.truth[:, groups.first].T)
    of_row = groups.inverse.astype(np.int64)
    return TypesInClasses(classes, types, of_row, counts, values)


# The type rule: a row type that could be published whole, but is not.


def type_rule(known: TypesInClasses, l: int) -> Inference:
    """Guess that a type with rows enough, some of them hidden, is not diverse.

    Were it so by itself, its rows would be published as they are, at no cost. Who knows
    the quasi-identifiers of all people so learns that some value is too frequent in it.
    In what is returned ``above`` counts the people of types that are rightly called so;
    further counts are ``types`` (so called), ``right`` (the share of these that are so)
    and ``base`` (of all types with l rows or more).
    """
    classes = known.classes
    sizes = known.sizes
    shape = len(sizes), known.counts.shape[1]
    counts = crossed(known.of_row, known.values, shape)
    skewed = counts.max(axis=1) * l > sizes
    whole = np.asarray(~classes.hidden.any(axis=1))
    shown = np.bincount(known.of_row[whole[classes.of_row]], minlength=len(sizes))
    enough = sizes >= l
    called = enough & (shown < sizes)
    right = called & skewed
    number = int(np.count_nonzero(called))
    hits = int(np.count_nonzero(right))
    return Inference(
        STATISTICAL,
        above=int(sizes[right].sum()),
        false=number - hits,
        more={
            "types": number,
            "right": hits / number if number else None,
            "base": float(skewed[enough].mean()) if enough.any() else None,
        },
    )
