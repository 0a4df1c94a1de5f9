"""The recodings: how each one publishes groups, and how its releases are checked.

A new recoding is one more case of ``expect_coded``, ``publish`` and ``CHECKS`` here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from starmin.inputs.earlier_releases import nested_claim, read_within
from starmin.inputs.loading import load_release, load_table
from starmin.inputs.recoding_options import expect_plain
from starmin.inputs.roles import Roles
from starmin.instances import (
    Coding,
    GeneralizedRelease,
    Mask,
    NodeRelease,
    NonHomogeneous,
    NonHomogeneousRanges,
    NonHomogeneousRelease,
    Partition,
    PermutedRelease,
    Problem,
    Release,
    Requirement,
    Table,
    TableError,
    check_star,
    read_table,
)
from starmin.instances.releases.coding import (
    GENERALIZATION,
    NO_FLOORS,
    NONHOMOGENEOUS,
    PERMUTATION,
    SUPPRESSION,
)
from starmin.instances.releases.ids import without_ids
from starmin.instances.releases.nonhomogeneous_release import RowwiseRelease
from starmin.instances.releases.release import (
    GROUP,
    SENSITIVE_SUFFIX,
    GroupRelease,
    check_columns,
    check_symbols,
    kept_of,
)
from starmin.instances.requirements.missing_values import (
    MissingValues,
    Reading,
    stated_reading,
)
from starmin.instances.requirements.office_rules import CombinationRules
from starmin.instances.requirements.persons import PSEUDONYM, Persons
from starmin.instances.requirements.requirement import MASK, part_of
from starmin.instances.requirements.requirements import Asked
from starmin.instances.scales.range_notation import AmbiguousRangeError, read_range
from starmin.instances.tables.names import expect_columns
from starmin.instances.times.recognise import written_as
from starmin.instances.times.signs import TO
from starmin.process.say import say

if TYPE_CHECKING:  # what checks is imported where it checks: to publish needs none
    from starmin.verify.cells.cells import Cells
    from starmin.verify.nonhomogeneous.check_nonhomogeneous import NonHomogeneousCheck
    from starmin.verify.releases.mask_check import MaskCheck
    from starmin.verify.releases.release_check import ReleaseCheck
    from starmin.verify.utility import Fit


Published: TypeAlias = GroupRelease | RowwiseRelease  # what is written and told of


@dataclass(frozen=True)
class Claim:
    """A release to be checked, as the command line names it."""

    path: str  # the release
    original: str | None  # the table it was made of, or None
    roles: Roles
    asked: Asked
    coding: Coding
    within: Path | None = None  # the release whose classes are to be whole, or None


@dataclass(frozen=True)
class Checked:
    """What was found, and what it was found of."""

    check: "ReleaseCheck | NonHomogeneousCheck | MaskCheck"
    requirement: Requirement | None
    original: Table | None
    released: Table

    @property
    def compared(self) -> Table | None:
        """The rows of the original that those of the release stand for, in order.

        None where there is no original, or it does not agree in this order.
        """
        if self.original is None or not self.check.consistent:
            return None
        kept = getattr(self.check, "kept", None)
        return self.original if kept is None else self.original.take(kept)

    def beside(self, coding: Coding) -> Table | None:
        """Return those rows with the roles of the release, and floors applied."""
        table, released = self.compared, self.released
        if table is not None and coding.recoding == PERMUTATION:
            table = table.with_roles(public_columns(released), released.sensitive)
        return None if table is None else coding.floored(table)

    def utility(self, coding: Coding) -> "Fit | None":
        """Measure how far it is from the original, row by row, or return None."""
        from starmin.verify.utility import Truth, compare, spread_of

        released, original, groups = self.released, self.beside(coding), None
        if original is None:
            return None
        if coding.recoding == PERMUTATION:
            groups = Partition.from_labels(released.column(GROUP)).groups
        scales = coding.scales(original)
        spread = spread_of(released, original, scales, coding.star, groups)
        return compare(spread, Truth.of(original, scales))


def _check_cells(claim: Claim) -> Checked:
    """Check stars, ranges and nodes: classes are rows with the same cells."""
    coding, ids = claim.coding, claim.asked.ids
    roles = claim.roles.keeping(None if ids is None else ids[1])
    released, original = load_release(
        claim.path, claim.original, roles, claim.asked.columns
    )
    if coding.recoding == SUPPRESSION and coding.told:
        expect_plain(coding, released)
    if not _is_coded(coding, released):
        _warn_of_ranges(released, original)
    earlier = None
    if claim.within is not None:
        earlier = read_within(claim.within, released, roles)
    return check_cells(released, original, claim.asked, coding, earlier)


def _is_coded(coding: Coding, released: Table) -> bool:
    """Check whether cells may be something else than values and stars."""
    ranged = coding.recoding == GENERALIZATION or coding.numeric
    return bool(ranged or coding.qi_trees(released) or coding.floors != NO_FLOORS)


def _cells(
    coding: Coding, released: Table, original: Table | None
) -> "Mapping[str, Cells] | None":
    """Return what cells stand for; None where they are values and stars."""
    from starmin.verify.cells.read_cells import read_cells

    coded = _is_coded(coding, released)
    return read_cells(released, coding, original) if coded else None


def check_cells(
    released: Table,
    original: Table | None,
    asked: Asked,
    coding: Coding,
    earlier: Table | None = None,
    further: Requirement | None = None,
) -> Checked:
    """Check a release by its classes, that is by rows with the same cells.

    ``original`` is the table it was made of, and ``earlier`` a release whose classes
    have to be whole in those of this one. ``further`` is required beside what is
    ``asked``. Errors are in the words of the command line.
    """
    from starmin.verify.releases.release_check import check_release

    requirement = _required(asked, coding, released, original, further)
    reading = stated_reading(asked) if asked.asks(MissingValues.options) else None
    if earlier is not None:
        cells = _cells(coding, released, original)
        claim = released, original, requirement, earlier, coding
        nested, source, requirement = nested_claim(*claim)
        nested_check = check_release(
            nested, requirement, source, coding.star, cells, reading
        )
        return Checked(nested_check, requirement, original, released)
    check = check_required(released, requirement, original, coding, reading)
    if (counted := part_of(requirement, Persons)) is not None:
        released = without_ids(released, counted)
    return Checked(check, requirement, original, released)


def check_required(
    released: Table,
    requirement: Requirement | None,
    original: Table | None,
    coding: Coding,
    reading: Reading | None = None,
) -> "ReleaseCheck | MaskCheck":
    """Check a release by stars, ranges and nodes against what is required of it.

    ``reading`` says what a missing sensitive value counts as where nothing is required.
    """
    from starmin.outputs.original_checks import check_persons
    from starmin.verify.releases.mask_check import check_mask
    from starmin.verify.releases.release_check import check_release

    cells = _cells(coding, released, original)
    given = original, coding.star, cells
    if requirement is None or requirement.space != MASK:
        if part_of(requirement, Persons) is not None:
            assert requirement is not None
            return check_persons(released, requirement, *given)
        return check_release(released, requirement, *given, reading)
    rules = (p for p in requirement.parts if isinstance(p, CombinationRules))
    counts = (p for p in rules if p.semantics == "source" and p.population is None)
    if original is None and any(counts):
        raise TableError("--semantics source needs --original, whose rows it counts")
    if coding.recoding not in (None, SUPPRESSION, GENERALIZATION):
        raise TableError(
            "rules over combinations are of releases by suppression or generalization"
        )
    coarse = None if original is None else coding.floored(original)
    return check_mask(released, requirement, original, coding.star, cells, coarse)


def _required(
    asked: Asked,
    coding: Coding,
    released: Table,
    original: Table | None,
    further: Requirement | None,
) -> Requirement | None:
    """Return what a release has to satisfy; of persons, as the original has them."""
    if (named := asked.ids) is None:
        return asked.on(released, further)
    if original is not None:
        return asked.on(coding.floored(original), further)
    unit, column = named
    if not asked[PSEUDONYM]:
        raise TableError(
            f"--{unit} {column}: is not published; name --original, which says whose "
            "row is whose"
        )
    asked.check(released)
    rows = asked.but(person=None, household=None, pseudonym=False)
    if (wanted := rows.on(released, further)) is None:
        return None
    # Of persons their pseudonyms are all that is known.
    return Persons(wanted, column, "person", released.qi, True, True)


def _warn_of_ranges(released: Table, original: Table | None) -> None:
    for column in released.qi:
        texts = released.dictionary(column)
        known = original is not None and column in original.names
        before = {*original.dictionary(column)} if original and known else {*texts}
        if any(map(_is_range, texts)) or any(map(_is_noted, {*texts} - before)):
            say(
                f"warning: column {column!r} holds ranges, which are read as text; "
                f"--numeric {column} reads them as numbers or times"
            )


def _is_noted(text: str | None) -> bool:
    """Check whether a cell is a range of numbers as some tool writes it."""
    try:
        return text is not None and read_range(text) is not None
    except AmbiguousRangeError:
        return False


def _is_range(text: str | None) -> bool:
    """Check whether a cell is written as a range of numbers, or of times by ISO."""
    low, to, high = (text or "").partition(TO)
    if to:
        return written_as(low) is not None and written_as(low) == written_as(high)
    from starmin.verify.cells.readings import RANGE

    return RANGE.fullmatch(text or "") is not None


def _check_permutation(claim: Claim) -> Checked:
    """Check a permutation: classes are groups, their values in a second table."""
    from starmin.verify.releases.permutation_check import (
        check_permutation,
        join_permutation,
    )

    roles = claim.roles
    form: dict[str, Any] = {"sep": roles.sep, "encoding": roles.encoding}
    public = read_table(claim.path, **form)
    beside = claim.path + SENSITIVE_SUFFIX
    joined = join_permutation(public, read_table(beside, [GROUP], **form))
    expect_columns(claim.path, roles.qi or (), public.names)
    expect_columns(beside, roles.sensitive or (), joined.sensitive)
    if roles.sensitive:
        joined = joined.drop([c for c in joined.sensitive if c not in roles.sensitive])
    expect_plain(claim.coding, joined)
    asked, original, coarse = joined, None, None
    if claim.original is not None:
        original = load_table(claim.original, roles.reading)
        qi = roles.qi or public_columns(joined)
        if {*qi, *joined.sensitive} <= {*original.names}:
            original = original.with_roles(qi, joined.sensitive)
            coarse = claim.coding.floored(original)
            asked = _with_asked(joined, coarse, claim.asked.columns)
    requirement = claim.asked.on(asked)
    check = check_permutation(asked, requirement, coarse or original)
    return Checked(check, requirement, original, joined)


def _with_asked(joined: Table, original: Table, columns: Sequence[str]) -> Table:
    """Add what rows ask for, which is not published, where they are the same rows."""
    from starmin.verify.releases.permutation_check import check_permutation

    unpublished = [c for c in columns if c not in joined.names]
    if not unpublished or check_permutation(joined, None, original).inconsistencies:
        return joined
    return joined.beside(original, unpublished)


def public_columns(joined: Table) -> tuple[str, ...]:
    """Return the columns of a permutation whose cells stand beside the groups."""
    return tuple(c for c in joined.names if c not in (GROUP, *joined.sensitive))


def _check_matched(claim: Claim) -> Checked:
    """Check by the original which originals each released row may stem from."""
    from starmin.verify.cells.read_cells import read_cells
    from starmin.verify.nonhomogeneous.check_nonhomogeneous import check_nonhomogeneous

    if claim.original is None:
        raise TableError("--recoding nonhomogeneous needs --original: the public table")
    released, original = load_release(
        claim.path, claim.original, claim.roles, claim.asked.columns
    )
    coding, cells = claim.coding, None
    if coding.told:
        cells = read_cells(released, coding, original)
    else:
        _warn_of_ranges(released, original)
    requirement = claim.asked.on(released)
    assert original is not None
    check = check_nonhomogeneous(released, original, requirement, coding.star, cells)
    return Checked(check, requirement, original, released)


# How a release by a recoding is read, and what it is worth.
CHECKS: dict[str, Callable[[Claim], Checked]] = {
    SUPPRESSION: _check_cells,
    GENERALIZATION: _check_cells,
    PERMUTATION: _check_permutation,
    NONHOMOGENEOUS: _check_matched,
}


def expect_coded(table: Table, coding: Coding) -> None:
    """Raise TableError where a table cannot be published by a recoding."""
    recoding, star = coding.recoding or SUPPRESSION, coding.star
    if recoding == PERMUTATION:
        check_columns(table)
        coding.scales(table)
    elif recoding == GENERALIZATION or (recoding == NONHOMOGENEOUS and coding.ranged):
        check_symbols(table, coding.scales(table), star)
    else:
        if recoding == SUPPRESSION and coding.told:
            expect_plain(coding, table)
        check_star(table, star)


def expect_publishable(problem: Problem) -> None:
    """Raise TableError where a table cannot be published as it was asked for.

    Nor where cells below its floors are the star symbol: who compares the release with
    the original could not tell them from stars.
    """
    expect_coded(problem.table, problem.coding)
    if problem.source is not None and problem.coding.recoding != PERMUTATION:
        check_star(problem.source, problem.coding.star)
    if problem.rowwise and problem.objective.kind != "gcp":
        expect_plain(problem.coding, problem.table)


def publish(
    table: Table,
    best: Partition | NonHomogeneous | Mask,
    coding: Coding,
    seed: int | None = None,
) -> Published:
    """Make the release of what a method found.

    ``seed`` is that of what is drawn to hide people, for tests alone.
    """
    (table, best), star = kept_of(table, best), coding.star
    if isinstance(best, NonHomogeneous):
        if coding.ranged:
            return NonHomogeneousRanges(table, best, coding.scales(table), star)
        return NonHomogeneousRelease(table, best, star)
    if isinstance(best, Mask):
        if coding.recoding == GENERALIZATION:
            return NodeRelease(table, best, coding.scales(table), star)
        return NonHomogeneousRelease(table, best, star)
    if coding.recoding == PERMUTATION:
        return PermutedRelease(table, best, seed)
    if coding.recoding == GENERALIZATION:
        return GeneralizedRelease(table, best, coding.scales(table), star)
    return Release(table, best, star)


def companions(coding: Coding, out: Path | None) -> tuple[Path, ...]:
    """Return the files that are written beside a release."""
    if out is None or coding.recoding != PERMUTATION:
        return ()
    return (Path(f"{out}{SENSITIVE_SUFFIX}"),)
