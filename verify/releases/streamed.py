"""Check a release by stars of files of any size."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace

from starmin.instances import Requirement, Table
from starmin.instances.requirements.requirement import MASK
from starmin.instances.streams.source import Source
from starmin.verify.cells.consistency import Inconsistency
from starmin.verify.releases.release_check import ReleaseCheck, check_release
from starmin.verify.releases.row_by_row import Comparison
from starmin.verify.rules.mask_check import MaskCheck, check_mask


def check_streamed_release(
    released: Table,
    requirement: Requirement | None,
    files: Source,
    original: Source | None = None,
    drop: Sequence[str] = (),
    star: str = "*",
    executor: Executor | None = None,
    workers: int | None = None,
    counted: Table | None = None,
) -> ReleaseCheck | MaskCheck:
    """Recompute whether a release satisfies a requirement, and what it cost.

    As ``starmin.verify.releases.release_check.check_release``: classes are counted, and
    the cells compared row by row with the original, a batch at a time; where it has
    fewer rows, each with the first one that it may stand for. Rows of classes are not
    named, and whether the original's rows stand in another order is not asked.

    Parameters
    ----------
    released
        The release as a counted table.
    requirement
        What each class must satisfy; None to measure only.
    files
        The files of the release.
    original
        Those of the table it was made of, if it is to be compared.
    drop
        Columns of the original that are not in the release.
    star
        The symbol of a suppressed cell.
    executor, workers
        Where files of Parquet are compared side by side, and how many tasks it runs at
        a time; default: two threads. Files of text are compared one after the other.
    counted
        The original as a counted table, which rules may count.

    Notes
    -----
    One pass over both; memory for the counted release and two batches of each.
    """
    check: ReleaseCheck | MaskCheck
    if requirement is not None and requirement.space == MASK:
        check = check_mask(released, requirement, counted, star)
    else:
        check = check_release(released, requirement, star=star)
    if original is None:
        return check
    names = tuple(column for column in original.names if column not in drop)
    if files.names != names:
        one, other = (", ".join(map(repr, each)) for each in (files.names, names))
        why = f"columns {one}; those of the original: {other}"
        differs = (Inconsistency(None, (), why),)
        return replace(check, inconsistencies=differs, missing_rows=0)
    compared = Comparison(released.qi, names, star)
    found = compared.differences(files, original, executor, workers)
    return replace(
        check, inconsistencies=found.inconsistencies, missing_rows=found.missing
    )
