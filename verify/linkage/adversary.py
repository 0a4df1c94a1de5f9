"""What linking several releases reveals about people whose QI values are known."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from starmin.instances import GroupStats, Requirement, SensitiveCounts, Table
from starmin.instances.arrays import Bools, Ints
from starmin.instances.tables.row_types import merge_equal_values
from starmin.verify.linkage.releases import (
    Generalization,
    Matching,
    Suppression,
    align,
    as_targets,
    published_in_full,
)

# Check a release that was published under classes announced beforehand.


@dataclass(frozen=True)
class BroadcastCheck:
    """What a release shows of the announced classes."""

    classes: int  # how many were announced
    # fewest different sensitive values of a class; 0 where a class has no row
    least: int
    # classes with fewer than l of them, in the order of their announcement
    failing: tuple[str, ...]
    why: str | None  # the first row that is not as announced, or None

    @property
    def holds(self) -> bool:
        """Every row is as announced, and every class has l values."""
        return self.why is None and not self.failing


def check_broadcast(
    published: Table, original: Table, announced: Table, l: int, star: str = "*"
) -> BroadcastCheck:
    """Check a release row by row against its table and the announced classes.

    Each row must show the class that was announced for its quasi-identifier, cells
    that may stand for it, and its own sensitive value. Every announced class must
    show l different sensitive values; one without rows shows none.

    The release is in the order of the table, and one of its columns is the class. The
    original has one sensitive column. ``announced`` has the quasi-identifiers, and
    their class as the last column.

    >>> announced = Table.from_rows(["a", "class"], [["0", "A"], ["1", "B"]], ["a"])
    >>> people = Table.from_rows(["a", "s"], [["0", "x"], ["0", "y"]], ["a"], ["s"])
    >>> rows = [["A", "0", "x"], ["A", "*", "y"]]
    >>> shown = Table.from_rows(["class", "a", "s"], rows, ["class", "a"], ["s"])
    >>> check_broadcast(shown, people, announced, l=2).failing
    ('B',)
    """
    *qi, label = announced.names
    (sensitive,) = original.sensitive
    promised: dict[tuple[str | None, ...], str | None] = {}
    values: dict[str | None, set[str | None]] = {}
    for row in zip(*(announced.cells(name) for name in announced.names), strict=True):
        promised[row[:-1]] = row[-1]
        values.setdefault(row[-1], set())
    fits = {column: _fits(published, original, column, star) for column in qi}
    truth = zip(*(original.cells(c) for c in (*qi, sensitive)), strict=True)
    told = zip(*(published.cells(c) for c in (*qi, sensitive, label)), strict=True)
    why = None
    if published.n != original.n:
        why = f"{published.n} rows of {original.n}"
    for i, (true, shown) in enumerate(zip(truth, told, strict=False), start=1):
        values.setdefault(shown[-1], set()).add(shown[-2])
        if why is None:
            if promised.get(true[:-1]) != shown[-1]:
                why = f"row {i}: class {shown[-1]!r} was not announced for it"
            elif true[-1] != shown[-2]:
                why = f"row {i}: {sensitive} is {true[-1]!r}, not {shown[-2]!r}"
            else:
                cells = zip(qi, true, shown, strict=False)
                wrong = next((c for c, v, s in cells if s not in fits[c][v]), None)
                if wrong is not None:
                    why = f"row {i}: its {wrong} does not stand for that of the table"
    least = min(len(found) for found in values.values())
    failing = tuple(str(name) for name, found in values.items() if len(found) < l)
    return BroadcastCheck(len(values), least, failing, why)


def _fits(
    published: Table, original: Table, column: str, star: str
) -> dict[str | None, set[str | None]]:
    """Return for each value of a column the published cells that may stand for it."""
    values, cells = original.dictionary(column), published.dictionary(column)
    found: dict[str | None, set[str | None]] = defaultdict(set)
    pairs = Generalization(star=star).pairs(values, cells)
    for value, cell in zip(*(at.tolist() for at in pairs), strict=True):
        found[values[value]].add(cells[cell])
    return found


# The classes of a release, and which of them each target may belong to.

_CHUNK = 8192


def join(
    targets: Table, released: Table, matchings: Mapping[str, Matching]
) -> Iterator[tuple[int, Ints, Ints]]:
    """Find all pairs (target type, class) where the class may contain the target.

    Both have the same QI columns; pairs are of their ``row_types``. ``matchings`` says
    by column how cells stand for values: suppression where not named. Yields for some
    thousand targets at a time how many they are, and the pairs, sorted by target, the
    first of these targets being 0.

    A join with the trie of the classes, column by column: a target follows only
    prefixes that match it. Under suppression that is at most two branches a node.
    """
    stars, levels = Suppression(), _trie(released)
    options = [
        _options(targets, released, column, matchings.get(column, stars))
        for column in released.qi
    ]
    codes = targets.row_types.codes
    for begin in range(0, len(codes), _CHUNK):
        part = codes[begin : begin + _CHUNK]
        target = np.arange(len(part), dtype=np.int64)
        node = np.zeros(len(part), np.int64)
        for j, (starts, cells) in enumerate(options):
            value = part[target, j]
            lengths = starts[value + 1] - starts[value]
            target, node = np.repeat(target, lengths), np.repeat(node, lengths)
            offset = np.arange(len(target)) - np.repeat(
                np.cumsum(lengths) - lengths, lengths
            )
            cell = cells[np.repeat(starts[value], lengths) + offset]
            keys = levels[j]
            key = node * released.qi_cardinalities[j] + cell
            place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            hit = keys[place] == key
            target, node = target[hit], place[hit]
        yield len(part), target, node


def _trie(released: Table) -> list[Ints]:
    """Return the trie of the classes' cells: the sorted child keys of each level.

    A node is a prefix of cells; the child of node v by code c of column j has the key
    ``v * cardinality_j + c``, and its number is the rank of its key. Classes come in
    lexicographic order, so leaves are classes.
    """
    codes, levels = released.row_types.codes.astype(np.int64), []
    node = np.zeros(len(codes), np.int64)
    for cardinality, own in zip(released.qi_cardinalities, codes.T, strict=True):
        keys, node = np.unique(node * cardinality + own, return_inverse=True)
        levels.append(keys)
    return levels


def _options(
    targets: Table, released: Table, column: str, matching: Matching
) -> tuple[Ints, Ints]:
    """Return for value v of a column the cells that may stand for it, by starts."""
    values = targets.dictionary(column)
    value, cell = matching.pairs(values, released.dictionary(column))
    order = np.argsort(value, kind="stable")
    starts = np.searchsorted(value[order], np.arange(len(values) + 1))
    return starts.astype(np.int64), cell[order]


@dataclass(frozen=True, eq=False)
class Linkage:
    """What linked releases say about each target.

    All arrays have one entry for each row type of ``targets`` (people with the same
    quasi-identifiers are told apart by nothing).
    """

    targets: Table  # the people, and their QI columns
    matches: Ints  # releases x targets: how many classes may contain the target
    before: Ints  # releases x targets: different sensitive values of those classes
    # targets that may be in every release: some value is common to all of them
    present: Bools
    # for the present targets, in order: the values common to all releases, each as
    # often as in the release where it is rarest (so many people at most have it and are
    # in all releases)
    linked: SensitiveCounts
    sensitive: str  # the column of these values

    @cached_property
    def after(self) -> Ints:
        """Post-linkage diversity: different sensitive values common to all releases.

        1: the value of the target is revealed. 0: the target is not in all releases.
        """
        after = np.zeros(len(self.present), np.int64)
        after[self.present] = self.linked.distinct()
        return after

    @property
    def persons(self) -> Ints:
        """How many targets are of each type."""
        return self.targets.row_types.counts

    @property
    def exposed(self) -> Bools:
        """Targets whose sensitive value is revealed."""
        return np.asarray(self.after == 1, bool)

    @property
    def exposed_by_linking(self) -> Bools:
        """Targets that no single release exposes, but all together do."""
        return np.asarray(self.exposed & (self.before.min(axis=0) > 1), bool)

    def values_of(self, target: int) -> list[str | None]:
        """Return the sensitive values that a target may have by all releases."""
        if not self.present[target]:
            return []
        place = int(self.present[:target].sum())
        values = self.linked.value[self.linked.group == place]
        return [self.linked.labels[value] for value in values]

    def failing(self, requirement: Requirement) -> Bools:
        """Present targets whose common values, as one group, fail a requirement."""
        fails = np.zeros(len(self.present), bool)
        if self.present.any():
            stats = GroupStats.given(self.linked.sizes, [self.linked], [self.sensitive])
            fails[self.present] = ~requirement.holds(stats)
        return fails

    def as_json(self, limit: int = 20) -> dict[str, Any]:
        """Report who is exposed (the first ``limit``), and all in numbers."""
        people, present = self.persons, self.present
        return {
            "targets": int(people.sum()),
            "absent": int(people[~present].sum()),
            "before": [self._spread(row) for row in self.before],
            "after": self._spread(self.after),
            "diversity": {
                int(value): int(people[self.after == value].sum())
                for value in np.unique(self.after[present])
            },
            "exposed": self._exposures(limit),
            "exposed_total": int(people[self.exposed].sum()),
            "exposed_by_linking": int(people[self.exposed_by_linking].sum()),
        }

    def _spread(self, diversity: Ints) -> dict[str, float | None]:
        seen = diversity[self.present]
        if len(seen) == 0:
            return {"least": None, "mean": None}
        mean = float(np.average(seen, weights=self.persons[self.present]))
        return {"least": int(seen.min()), "mean": mean}

    def _exposures(self, limit: int) -> list[dict[str, Any]]:
        types, qi = self.targets.row_types, self.targets.qi
        dictionaries = [self.targets.dictionary(column) for column in qi]
        shown = []
        for target in np.flatnonzero(self.exposed)[:limit]:
            codes = types.codes[target]
            cells = [d[code] for d, code in zip(dictionaries, codes, strict=True)]
            shown.append(
                {
                    "target": dict(zip(qi, cells, strict=True)),
                    "persons": int(types.counts[target]),
                    "value": self.values_of(int(target))[0],
                    "before": self.before[:, target].tolist(),
                }
            )
        return shown


def attack(
    releases: Sequence[Table],
    targets: Table | None = None,
    matchings: Mapping[str, Matching] | None = None,
) -> Linkage:
    """Link releases by what is known of the targets; whom does that expose?

    The adversary knows a target's quasi-identifiers and that the target is in all
    releases. In each release the target is in one of the classes whose cells may
    stand for these quasi-identifiers, so the target's sensitive value is one that
    occurs in them; hence it is in the intersection over the releases. Nothing else
    follows from the classes: any value in the intersection is possible.

    With local recoding several classes of a release may match; where exactly one
    does, this is the linkage of Rameshwar and Tandon.

    The ``releases`` are tables as published, each with its QI columns and one sensitive
    column, the same in all. The ``targets`` are people with the QI columns of all
    releases; other columns are ignored. By default they are everybody whose row some
    release publishes in full. ``matchings`` says by QI column how published cells stand
    for values: ``Suppression()`` where not named.

    Raises TableError where there is no common sensitive column, a QI column that the
    targets lack, or, where targets are not given, no row that is published in full.

    Rameshwar, Tandon: (l, delta)-Diversity: Linkage-Robustness via a Composition
    Theorem, 2025, section 2.3.

    >>> first = Table.from_rows(["sex", "ill"], [["F", "flu"], ["F", "gout"]],
    ...                         qi=["sex"], sensitive=["ill"])
    >>> second = Table.from_rows(["sex", "ill"], [["*", "gout"], ["*", "cold"]],
    ...                          qi=["sex"], sensitive=["ill"])
    >>> attack([first, second]).as_json()["exposed"]
    [{'target': {'sex': 'F'}, 'persons': 2, 'value': 'gout', 'before': [2, 2]}]
    """
    matchings = matchings or {}
    aligned = align(releases)
    if targets is None:
        targets = published_in_full(aligned, matchings)
    targets = as_targets(targets, aligned)
    found = [_possible(targets, released, matchings) for released in aligned]
    common = reduce(lambda a, b: a.minimum(b), [values for _, values in found])
    common.sort_indices()
    present = np.asarray(np.diff(common.indptr) > 0, bool)
    shown = common[present]
    linked = SensitiveCounts(
        np.repeat(np.arange(shown.shape[0]), np.diff(shown.indptr)),
        shown.indices.astype(np.int64),
        shown.data,
        np.asarray(shown.sum(axis=1), np.int64).ravel(),
        aligned[0].dictionary(aligned[0].sensitive[0]),
    )
    return Linkage(
        targets,
        np.array([matched for matched, _ in found], np.int64),
        np.array([np.diff(values.indptr) for _, values in found], np.int64),
        present,
        linked,
        aligned[0].sensitive[0],
    )


def _possible(
    targets: Table, released: Table, matchings: Mapping[str, Matching]
) -> tuple[Ints, Any]:
    """Count the matching classes of each target type, and sum their values.

    The sums are a sparse matrix, target types x sensitive values.
    """
    from scipy import sparse

    released, seen = merge_equal_values(released), targets.with_roles(released.qi)
    (column,) = released.sensitive
    values_of = released.column(column), released.dictionary(column)
    counts = SensitiveCounts.of(released.row_types.inverse, *values_of)
    values = sparse.csr_array(
        (counts.count, (counts.group, counts.value)),
        shape=(len(counts.sizes), len(counts.labels)),
    )
    matched: list[Ints] = []
    sums: list[Any] = []
    for size, target, class_ in join(seen, released, matchings):
        pairs = sparse.csr_array(
            (np.ones(len(target), np.int64), (target, class_)),
            shape=(size, len(counts.sizes)),
        )
        matched.append(np.diff(pairs.indptr))
        sums.append(pairs @ values)
    # A release may have fewer QI columns than the targets: from its types to theirs.
    of_type = np.empty(len(targets.row_types), np.int64)
    of_type[targets.row_types.inverse] = seen.row_types.inverse
    return np.concatenate(matched)[of_type], sparse.vstack(sums, format="csr")[of_type]
