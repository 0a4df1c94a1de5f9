"""Nested releases: each class is a union of classes of an earlier release."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from starmin.instances.arrays import Bools, Int32s, IntArray
from starmin.instances.requirements.diversity import DistinctDiversity, LDiversity
from starmin.instances.requirements.group_stats import GroupStats, parted
from starmin.instances.requirements.k_anonymity import KAnonymity
from starmin.instances.requirements.requirement import Around, PlainGroup, Requirement
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.table import Table

CLASS = "\0class"  # no column of a file has this name


@dataclass(frozen=True)
class Within(Around):
    """A requirement on unions of the classes of an earlier release of the same rows.

    Rows that the earlier release publishes alike are published alike again. So whoever
    has both, and compares them row by row, knows no more than the earlier one tells.

    >>> table = Table.from_rows(["a"], [["0"], ["0"], ["1"], ["1"]], qi=["a"])
    >>> table, asked = nested_within(table, KAnonymity(2), np.array([7, 3, 3, 7]))
    >>> stats = GroupStats.of(table, np.array([0, 0, 1, 1]))
    >>> asked.holds(stats).tolist()
    [False, False]
    >>> table.cells(CLASS)
    ['0', '1', '1', '0']
    """

    name = "within"

    takes = KAnonymity, LDiversity, DistinctDiversity
    refusal = (
        "--within: is for k-anonymity and diversity by frequency or of distinct "
        "values, not for {form}"
    )

    # of the classes, as ``digest_of`` makes it: results and certificates state it
    digest: str
    # what people call the earlier release, its file say; it makes no difference
    source: str = field(default="an earlier release", compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        return (CLASS,)

    def sentence(self, table: Table, recoding: str) -> str:
        told = self.inner.sentence(table, recoding)
        return (
            f"{told} Rows that an earlier release publishes alike are alike again, so "
            "that both together tell no more of a row than the earlier one does."
        )

    def holds(self, stats: GroupStats) -> Bools:
        return np.asarray(self.inner.holds(stats) & ~parted(stats, CLASS), bool)

    def allows(self, group: PlainGroup) -> bool:
        classes = group.columns[CLASS]
        inside = {classes[row] for row in group.rows}
        whole = sum(each in inside for each in classes) == group.size
        return whole and self.inner.allows(group)

    def why_not(self, group: int, stats: GroupStats) -> str:
        if parted(stats, CLASS)[group]:
            return (
                "it has some rows of a class of the earlier release, and another class "
                "has others"
            )
        return self.inner.why_not(group, stats)

    def as_json(self) -> dict[str, Any]:
        return self.inner.as_json() | {"within": self.digest}

    def as_told(self) -> dict[str, Any]:
        return self.inner.as_told() | {"within": self.source}


def digest_of(labels: Int32s) -> str:
    """Return the digest of classes: SHA-256 of their numbers, joined by commas.

    ``labels`` is the class of each row, numbered from 0 in the order of their first
    rows.
    """
    text = ",".join(map(str, labels.tolist()))
    return hashlib.sha256(text.encode()).hexdigest()


def nested_within(
    table: Table,
    inner: Requirement,
    classes: IntArray,
    source: str = "an earlier release",
) -> tuple[Table, Within]:
    """Return a table with the classes of an earlier release, and what is required.

    ``inner`` is asked beside it; ``classes`` tells by row the number of its class, and
    ``source`` is what people call the earlier release.
    """
    found = group_by([classes])
    order = np.argsort(np.argsort(found.first))
    labels = order[found.inverse].astype(np.int32)
    names = tuple(map(str, range(found.size)))
    column = Table((CLASS,), labels[None], (names,), (CLASS,))
    return table.beside(column, [CLASS]), Within(inner, digest_of(labels), source)
