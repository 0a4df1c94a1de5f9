"""The release of a table that is read in batches: published, and checked."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from starmin.inputs.loading import as_told, count_table, files_of
from starmin.inputs.roles import Roles
from starmin.instances import Coding, Mask, Partition, Problem, Result, TableError
from starmin.instances.arrays import Words
from starmin.instances.io.layout import usual_separator
from starmin.instances.releases.coding import SUPPRESSION
from starmin.instances.requirements.requirement import MASK
from starmin.instances.runs.places import places
from starmin.instances.streams.count import Budget
from starmin.instances.streams.publish_apart import publish_apart, publish_rows
from starmin.instances.streams.source import Source
from starmin.instances.streams.write_parts import (
    check_target,
    is_folder_name,
    write_parts,
)
from starmin.instances.tables.random_orders import Bits
from starmin.instances.tables.table import as_sets
from starmin.outputs.files import Outputs
from starmin.outputs.recodings import Checked, Claim
from starmin.process.say import say
from starmin.process.steps import Steps, save
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.releases.mask_check import check_mask
from starmin.verify.releases.streamed import check_streamed_release, compare_files


def expect_batches(outputs: Outputs, recoding: str, **others: object) -> None:
    """Raise TableError where something is asked for that needs all rows at once.

    ``others`` are options by name; those that are not None are refused.
    """
    if recoding != SUPPRESSION:
        raise TableError(
            f"--recoding {recoding}: a table that is read in batches is published by "
            f"{SUPPRESSION} only"
        )
    asked = {"groups": outputs.groups, "report": outputs.report, **others}
    asked |= {"report-public": outputs.report_public, "mapping": outputs.mapping}
    for option, value in asked.items():
        if value is not None:
            raise TableError(
                f"--{option.replace('_', '-')}: needs a table that is read as a whole, "
                "not in batches"
            )
    if outputs.out is not None:
        check_target(outputs.out)


def publish_in_batches(
    problem: Problem,
    files: Source,
    found: Result[Any],
    outputs: Outputs,
    roles: Roles,
    shuffle: bool,
    seed: int | None,
    budget: Budget,
    steps: Steps,
) -> Path | None:
    """Write the release, if it is asked for, rows in the order of the input.

    The table was read of ``files`` in batches. ``roles`` have the separator, the
    encoding, and the columns that are not published. ``shuffle`` deals equal rows to
    their groups at random, by ``seed`` for tests alone; None: the system's entropy.
    Workers of the executor of ``budget`` write a file each of a folder; where it has
    none, it is written here, and so is what is shuffled. Returns where the release is;
    None where it is not asked for or cannot be written.
    """
    assert isinstance(found.best, Partition | Mask)
    other = [c for c in files.names if c not in (*problem.table.names, *roles.drop)]
    if other:
        say(
            f"warning: published as they are: {', '.join(other)}; they may identify "
            "people (--drop leaves them out, --qi protects them); how many rows are "
            "unique by them, and which hidden cells they tell, is not counted in "
            "batches"
        )
    if shuffle:
        say(
            "--shuffle: equal rows are dealt to their groups at random; the order of "
            "the rows stays that of the input"
        )
    if outputs.out is None:
        return None
    best, draws = found.best, _draws(seed) if shuffle else None
    others, star = roles.drop, problem.coding.star

    def write(form: Roles, out: Path) -> None:
        """Write the release to a file or a folder, here."""
        usual = files.sep == usual_separator(files.files[0])
        sep = form.sep or (None if usual else files.sep)
        with write_parts(out, sep, form.encoding or "utf-8", files.schema) as part:
            publish_rows(files, problem.table, best, part, others, star, draws)

    def write_apart(out: Path) -> None:
        """Have the workers of a cluster write a file each of a folder."""
        folder = out.resolve().parent  # what the workers read is where they write to
        with places(budget.executor, budget.workers, folder) as where:
            publish_apart(files, problem.table, best, out, where, others, star)

    apart = budget.executor is not None and is_folder_name(outputs.out) and not shuffle
    plainly = partial(write, replace(roles, sep=None, encoding=None))
    as_told = write_apart if apart else partial(write, roles)
    return save("out", outputs.out, as_told, plainly, steps)


def _draws(seed: int | None) -> Callable[[int], Words]:
    """Return what draws random numbers: from the system, or for tests by a seed."""
    if seed is None:
        return lambda n: np.frombuffer(os.urandom(8 * n), np.uint64)
    bits = Bits(seed)
    return lambda n: bits.draw(4 * n).view(np.uint64)


def check_in_batches(
    claim: Claim, files: Source, budget: Budget | None, quiet: bool
) -> Checked:
    """Check a release by suppression, a batch of files at a time; refuse others."""
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
    masked = replace(masked, **vars(compared))
    return Checked(masked, requirement, original, released)
