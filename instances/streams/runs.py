"""Distinct rows with counts, in memory up to a bound, else in sorted runs on disk."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.tables.grouping import group_by

_KEY_LIMIT = 2**62


class CountingRuns:
    """Counts rows that come in batches.

    What was counted is kept in memory as distinct rows, until these are more than
    ``most``: then they are written to a folder as a sorted *run*. In the end the runs
    are merged, a range of rows after the other, so that a row that is in several runs
    becomes one again.

    ``columns`` is how many there are. The ``folder`` where runs are written is the
    caller's to remove, and ``spilled`` is how many runs were written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     runs = CountingRuns(1, 2, Path(folder))
    ...     for batch in ([3, 1, 3], [2, 1], [3, 0]):
    ...         runs.add([np.array(batch, np.int32)])
    ...     codes, counts = runs.merged([4])
    >>> codes.tolist(), counts.tolist(), runs.spilled > 0
    ([[0, 1, 2, 3]], [1, 2, 1, 3], True)
    """

    def __init__(self, columns: int, most: int, folder: Path) -> None:
        self.columns, self.most, self.folder = columns, most, folder
        self.spilled = 0
        self._parts: list[tuple[Int32s, Ints]] = []
        self._compact = 0  # distinct rows in the first part
        self._held = 0
        self._sorted = True  # each part by itself

    def add(self, codes: Sequence[Int32s], counts: Ints | None = None) -> None:
        """Count the rows of a batch.

        ``codes`` has one array for each column; ``counts`` tells how often each row
        occurs, by default once. Of batches with counts few rows are expected to be
        equal.
        """
        if len(codes[0]) == 0:
            return
        held = np.array(codes, np.int32)
        if counts is None:
            self._parts.append(_distinct(held, None))
        else:  # sorted with the others
            self._parts.append((held, counts))
            self._sorted = False
        self._held += len(self._parts[-1][1])
        # Compacted when as much has come as was there, so that each row is sorted
        # a constant number of times.
        if self._held > self.most or self._held > max(4 * self._compact, 1 << 22):
            self._shrink()
            if self._held > self.most // 2:
                self._spill()

    @property
    def has_rows(self) -> bool:
        """Whether any row was counted."""
        return bool(self._parts or self.spilled)

    def merged(self, sizes: Sequence[int]) -> tuple[Int32s, Ints]:
        """Return the distinct rows, columns x m, in lexicographic order, and counts.

        ``sizes`` tells how many codes each column has.
        """
        self._shrink()
        runs = [self._run(number) for number in range(self.spilled)]
        runs += self._parts
        if len(runs) == 1:
            return runs[0]
        keys = [_keys(codes, sizes) for codes, _ in runs]
        bounds = _ranges(keys, self.most)
        ends = [np.searchsorted(key, bounds) for key in keys]
        parts = []
        for piece in range(len(bounds) - 1):
            slices = [slice(end[piece], end[piece + 1]) for end in ends]
            both = zip(runs, slices, strict=True)
            cut = [(codes[:, s], counts[s]) for (codes, counts), s in both]
            parts.append(_merge(cut))
        return _joined(parts)

    def _shrink(self) -> None:
        """Merge the parts in memory into one, which is sorted."""
        if len(self._parts) > 1 or not self._sorted:
            merged = _merge(self._parts)
            self._parts, self._sorted = [merged], True
        self._held = self._compact = sum(len(counts) for _, counts in self._parts)

    def _spill(self) -> None:
        """Write what is in memory as a run."""
        codes, counts = self._parts.pop()
        np.save(self.folder / f"codes{self.spilled}.npy", codes)
        np.save(self.folder / f"counts{self.spilled}.npy", counts)
        self.spilled += 1
        self._held = self._compact = 0

    def _run(self, number: int) -> tuple[Int32s, Ints]:
        return (
            np.load(self.folder / f"codes{number}.npy", mmap_mode="r"),
            np.load(self.folder / f"counts{number}.npy", mmap_mode="r"),
        )


def _distinct(codes: Int32s, counts: Ints | None) -> tuple[Int32s, Ints]:
    """Return the distinct rows in lexicographic order, and how often they occur."""
    groups = group_by(list(codes), [int(column.max()) + 1 for column in codes])
    summed = groups.counts
    if counts is not None:
        summed = np.bincount(groups.inverse, counts).astype(np.int64)
    return np.ascontiguousarray(codes[:, groups.first]), summed


def _merge(parts: list[tuple[Int32s, Ints]]) -> tuple[Int32s, Ints]:
    codes, counts = _joined(parts)
    if len(counts) == 0:
        return codes, counts
    return _distinct(codes, counts)


def _joined(parts: list[tuple[Int32s, Ints]]) -> tuple[Int32s, Ints]:
    return (
        np.concatenate([codes for codes, _ in parts], axis=1),
        np.concatenate([counts for _, counts in parts]),
    )


def _keys(codes: Int32s, sizes: Sequence[int]) -> Ints:
    """Pack as many of the first columns as fit into a number, sorted as rows are."""
    key, width = np.zeros(codes.shape[1], np.int64), 1
    for column, size in zip(codes, sizes, strict=True):
        if width * max(size, 1) > _KEY_LIMIT:
            break
        key = key * max(size, 1) + column
        width *= max(size, 1)
    return key


def _ranges(keys: list[Ints], most: int) -> Ints:
    """Return keys between which the runs have about ``most`` rows in all."""
    pieces = -(-sum(map(len, keys)) // max(1, most))
    if pieces == 0:
        return np.array([0, _KEY_LIMIT], np.int64)
    # Quantiles of a sample of each run, in proportion to its length.
    sample = np.sort(np.concatenate([key[:: max(1, len(key) // 4096)] for key in keys]))
    at = np.linspace(0, len(sample) - 1, pieces + 1).astype(np.int64)[1:-1]
    inner = np.unique(sample[at])
    return np.concatenate([[0], inner[inner > 0], [_KEY_LIMIT]])
