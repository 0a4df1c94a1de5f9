"""Local recoding by levels: good classes become groups, the cheapest levels first."""

from collections.abc import Sequence
from itertools import product
from math import ceil, inf, prod

import numpy as np
import numpy.typing as npt

from starmin.heuristics.recoding import LOCAL_RECODING
from starmin.heuristics.recoding.full_domain import numbered
from starmin.heuristics.recoding.incognito import column_levels
from starmin.instances import (
    GCP,
    GroupStats,
    KAnonymity,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Ints

MOST_VECTORS = 50_000
BUCKETS = 2**14  # of types; a power of two
# Vectors are passed over when only this share of the time is left: the cheapest ones
# matter most, and the fewer rows are left, the less time a vector takes.
HURRIED = 0.5
RECENT = 0.05  # weight of the last vector in the mean time of one


def local_recoding(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = GCP,
    time_limit: float = inf,
    display: bool = False,
) -> Result:
    """Recode each row by the cheapest vector of levels that hides it. No guarantee.

    The idea: a vector of levels, one for each column, divides the rows into classes.
    The vectors are taken by rising mean loss of a row. Classes of the rows left that
    satisfy the requirement become groups, and their rows are done. In the end the rows
    that are left join the groups that were formed last.

    Parameters
    ----------
    table, requirement, objective
        Any problem but for tuples. Columns of numbers have levels of 2, 4, 8, .. values
        that follow each other.
    time_limit
        Seconds; where it is short, some of the dearer vectors are passed over.

    Raises
    ------
    NotSupportedError
        More than 50,000 vectors of levels.

    See Also
    --------
    starmin.heuristics.recoding.full_domain : one vector of levels for all rows.
    starmin.heuristics.ruin_and_recreate.ruin_and_recreate : improves the groups.

    Notes
    -----
    A group-by of the distinct rows that are left for each vector: Adult, eight columns
    with 6,480 vectors, in a second.

    References
    ----------
    F. Prasser, J. Eicher, H. Spengler, R. Bild, K. Kuhn, Flexible data anonymization
    using ARX, Software: Practice and Experience 50, 2020, whose local recoding takes
    the best vector for the rows that are left again and again.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Scales, Taxonomy
    >>> rows = [["cat"], ["cat"], ["dog"], ["hen"], ["rat"], ["owl"]]
    >>> table = Table.from_rows(["a"], rows, qi=["a"])
    >>> tree = Taxonomy.parse("{tame{cat,dog,hen},wild{rat,owl}}")
    >>> objective = Objective("gcp", scales=Scales.of(table, (), {"a": tree}))
    >>> local_recoding(table, KAnonymity(2), objective=objective).best.groups.tolist()
    [0, 0, 1, 1, 2, 2]
    """
    run = Run(table, requirement, objective, time_limit, display, LOCAL_RECODING)

    def search() -> Limit | None:
        cover = _Cover(run)
        at, taken, mean, many = 0, 0, 0.0, len(cover.vectors)
        while cover.left.any() and at < many:
            began = run.elapsed
            cover.divide(cover.vectors[at])
            taken += 1
            mean += max(RECENT, 1 / taken) * (run.elapsed - began - mean)
            hurried = run.remaining <= HURRIED * time_limit
            seconds = mean * (many - at) if hurried else 0.0
            at += ceil(min(max(1.0, seconds / max(run.remaining, 1e-9)), many))
        run.offer(cover.partition())
        return Limit.TIME if at > taken else None

    return run.carry_out(search)


class _Cover:
    """The groups so far, and the row types that are left."""

    def __init__(self, run: Run) -> None:
        self.run, table, objective = run, run.table, run.objective
        self.types = table.row_types
        levels = column_levels(table, objective)
        if prod(map(len, levels)) > MOST_VECTORS:
            raise NotSupportedError(
                f"Expected at most {MOST_VECTORS:,} vectors of levels, got "
                f"{prod(map(len, levels)):,}."
            )
        codes, counts = self.types.codes, self.types.counts
        scales = objective.scales_of(table).scales
        shares = objective.column_weights(table) / objective.scales_of(table).domains
        self.classes = [
            [numbered(level, codes[:, j]) for level in levels[j]]
            for j in range(table.d)
        ]
        rng = np.random.default_rng(0)
        self.hashes = [
            [rng.integers(BUCKETS, size=size, dtype=np.uint16)[c] for c, size in column]
            for column in self.classes
        ]
        losses = [
            [
                shares[j] * float(counts @ scales[j].level_losses(level)[codes[:, j]])
                for level in levels[j]
            ]
            for j in range(table.d)
        ]
        vectors = np.array(list(product(*(range(len(each)) for each in levels))))
        paid = sum(np.array(each)[vectors[:, j]] for j, each in enumerate(losses))
        self.vectors = vectors[np.argsort(paid, kind="stable")].tolist()
        apart = Partition.coarsest(table, objective).groups
        self.apart = np.zeros(len(self.types), np.int64)
        self.apart[self.types.inverse] = apart
        self.by_size = all(type(p) is KAnonymity for p in run.requirement.parts)
        self.least = max(run.requirement.core.size, run.requirement.core.diversity)
        self.group = np.full(len(self.types), -1, np.int64)
        self.left = np.ones(len(self.types), bool)

    def divide(self, vector: Sequence[int]) -> None:
        """Form groups of the classes of a vector of levels that are good enough."""
        left = self._crowded(vector)
        if len(left) == 0:
            return
        at = [each[level] for each, level in zip(self.classes, vector, strict=True)]
        classes = group_by([codes[left] for codes, _ in at], [size for _, size in at])
        good = classes.summed(self.types.counts[left]) >= self.least
        if good.any() and not self.by_size:
            good &= self._holds(left, classes.inverse)
        done = good[classes.inverse]
        self.group[left[done]] = classes.inverse[done] + self.group.max() + 1
        self.left[left[done]] = False

    def _crowded(self, vector: Sequence[int]) -> Ints:
        """Return the types left but for some whose classes are too small.

        A bucket holds all types of a class, and perhaps those of others (Zobrist
        hashing); where it has too few rows, none of its classes is large enough.
        """
        left = np.flatnonzero(self.left)
        hashed = np.zeros(len(left), np.uint16)
        for each, level in zip(self.hashes, vector, strict=True):
            hashed ^= each[level][left]
        rows = np.bincount(hashed, self.types.counts[left], BUCKETS)
        return left[rows[hashed] >= self.least]

    def _holds(self, left: Ints, classes: npt.NDArray[np.integer]) -> Bools:
        """Return which classes of the types left satisfy the requirement."""
        label = np.full(len(self.types), -1, np.int64)
        label[left] = classes
        labels = label[self.types.inverse]
        rows = np.flatnonzero(labels >= 0)
        stats = GroupStats.of(self.run.table, labels[rows], rows)
        return np.asarray(self.run.requirement.holds(stats), bool)

    def partition(self) -> Partition:
        """Return the groups, each row that is left in one of those formed last."""
        group = self.group
        for part in np.unique(self.apart[self.left]).tolist():
            inside = self.apart == part
            joined = inside & self.left
            last = int(group.max()) + 1
            for g in np.unique(group[inside & ~self.left])[::-1].tolist():
                joined |= group == g
                rows = np.flatnonzero(joined)
                if self._holds(rows, np.zeros(len(rows), np.int64))[0]:
                    break
            group[joined] = last
        return Partition.from_labels(group[self.types.inverse])
