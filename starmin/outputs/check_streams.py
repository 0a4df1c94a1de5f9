"""The check of a release that is read in batches."""

from dataclasses import replace

from starmin.inputs.tables.loading import files_of
from starmin.inputs.tables.streamed_input import as_told, count_table
from starmin.instances import Coding, TableError
from starmin.instances.releases.coding import SUPPRESSION
from starmin.instances.requirements.requirement import MASK
from starmin.instances.streams.count import Budget
from starmin.instances.streams.source import Source
from starmin.instances.tables.table import as_sets
from starmin.outputs.recodings import Checked, Claim
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.releases.mask_check import check_mask
from starmin.verify.releases.streamed import check_streamed_release, compare_files


def check_in_batches(
    claim: Claim, files: Source, budget: Budget | None, quiet: bool
) -> Checked:
    """Check stars, and the cells row by row, a batch at a time.

    ``files`` are those of the release; ``budget`` is what may be held in memory;
    ``quiet`` says nothing of the progress. Raises TableError where it was not published
    by suppression, or a file cannot be read.
    """
    coding = claim.coding
    if coding.recoding not in (None, SUPPRESSION) or coding.ranged:
        raise TableError(
            f"{claim.path}: a release that is read in batches is checked as one by "
            f"{SUPPRESSION} only"
        )
    roles = claim.roles
    released = count_table(files, replace(roles, drop=()), claim.asked.columns, budget)
    others = original = coarse = None
    if claim.original is not None:
        others = files_of(claim.original, True, roles, quiet)
        assert others is not None
        same = replace(roles, qi=released.qi, sensitive=released.sensitive)
        counted = count_table(others, same, (), budget)
        others, coarse = as_told(others, counted, roles, coding)
        original = as_sets(counted, roles.sets)
    files, released = as_told(files, released, roles, Coding(), like=original)
    if coding.floors.columns:  # refuses cells that tell more than floors do
        read_cells(released, replace(coding, recoding=SUPPRESSION))
    requirement = claim.asked.on(released)
    used = budget or Budget()
    where = roles.drop, claim.coding.star, used.executor, used.workers
    if requirement is None or requirement.space != MASK:
        check = check_streamed_release(released, requirement, files, others, *where)
        return Checked(check, requirement, original, released)
    star = claim.coding.star
    masked = check_mask(released, requirement, original, star, coarse=coarse)
    compared = compare_files(files, others, released.qi, *where)
    masked = replace(masked, **compared._asdict())
    return Checked(masked, requirement, original, released)
