"""Check a release by stars of files of any size."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import NamedTuple

from starmin.instances import Requirement, Table
from starmin.instances.streams.source import Source
from starmin.verify.cells.consistency import Inconsistency
from starmin.verify.releases.release_check import ReleaseCheck, check_release
from starmin.verify.releases.row_by_row import Comparison


class Compared(NamedTuple):
    """Files of a release beside those of the table that it was made of."""

    # where cells differ, row by row; None: there is nothing to compare them with
    inconsistencies: tuple[Inconsistency, ...] | None = None
    # how many rows of the original are not in the release
    missing_rows: int | None = None


def check_streamed_release(
    released: Table,
    requirement: Requirement | None,
    files: Source,
    original: Source | None = None,
    drop: Sequence[str] = (),
    star: str = "*",
    executor: Executor | None = None,
    workers: int | None = None,
) -> ReleaseCheck:
    """Recompute whether a release satisfies a requirement, and what it cost.

    As ``starmin.verify.releases.release_check.check_release``: classes are counted, and
    the cells compared row by row with the original, a batch at a time; where it has
    fewer rows, each with the first one that it may stand for. Rows of classes are not
    named, and whether the original's rows stand in another order is not asked.

    ``released`` is a counted table, ``files`` are those of the release, and
    ``original`` those of the table it was made of, if it is to be compared. Without a
    requirement it is only measured. The columns ``drop`` of the original are not in the
    release. The ``executor`` is where files of Parquet are compared side by side, and
    runs ``workers`` tasks at a time; default: two threads. Files of text are compared
    one after the other.

    Notes
    -----
    One pass over both; memory for the counted release and two batches of each.
    """
    check = check_release(released, requirement, star=star)
    where = drop, star, executor, workers
    compared = compare_files(files, original, released.qi, *where)
    return replace(check, **compared._asdict())


def compare_files(
    files: Source,
    original: Source | None,
    qi: Sequence[str],
    drop: Sequence[str] = (),
    star: str = "*",
    executor: Executor | None = None,
    workers: int | None = None,
) -> Compared:
    """Compare the cells of a release row by row with the original, batch by batch.

    Where it has fewer rows, each is compared with the first one that it may stand for.

    ``files`` are those of the release, ``original`` those of the table it was made of,
    if it is to be compared; ``qi`` are the quasi-identifiers. The columns ``drop`` of
    the original are not in the release. The ``executor`` is where files of Parquet are
    compared side by side, and runs ``workers`` tasks at a time; default: two threads.
    Files of text are compared one after the other.

    Notes
    -----
    One pass over both; memory for two batches of each.
    """
    if original is None:
        return Compared()
    names = tuple(column for column in original.names if column not in drop)
    if files.names != names:
        one, other = (", ".join(map(repr, each)) for each in (files.names, names))
        why = f"columns {one}; those of the original: {other}"
        return Compared((Inconsistency(None, (), why),), 0)
    comparison = Comparison(tuple(qi), names, star)
    found = comparison.differences(files, original, executor, workers)
    return Compared(found.inconsistencies, found.missing)
