"""What linking several releases reveals about people whose QI values are known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from starmin.instances import GroupStats, Requirement, SensitiveCounts, Table
from starmin.instances.arrays import Bools, Ints
from starmin.verify.linkage.join_releases import ReleasedClasses, join
from starmin.verify.linkage.matching import Matching
from starmin.verify.linkage.releases import align, as_targets, published_in_full


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

    Notes
    -----
    One trie join per release; two releases of 100,000 rows and six columns and
    100,000 targets take seconds.

    References
    ----------
    Rameshwar, Tandon: (l, delta)-Diversity: Linkage-Robustness via a Composition
    Theorem, 2025, section 2.3.

    Examples
    --------
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

    seen, classes = targets.with_roles(released.qi), ReleasedClasses.of(released)
    counts = classes.counts
    values = sparse.csr_array(
        (counts.count, (counts.group, counts.value)),
        shape=(len(counts.sizes), len(counts.labels)),
    )
    matched: list[Ints] = []
    sums: list[Any] = []
    for size, target, class_ in join(seen, classes, matchings):
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
