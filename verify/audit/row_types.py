"""Infer from row types, and from the classes whose boxes they lie in."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import Table, group_by
from starmin.instances.arrays import Bools, Ints
from starmin.verify.audit.classes import Classes, crossed
from starmin.verify.audit.inference import STATISTICAL, Inference
from starmin.verify.exact import expect_time

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
    table: Table = classes.released
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
