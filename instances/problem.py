"""The problem: a table, what is asked of its release, and what that may cost."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from starmin.instances.arrays import Int32s
from starmin.instances.errors import NotSupportedError, TableError
from starmin.instances.releases.coding import (
    GENERALIZATION,
    NONHOMOGENEOUS,
    PERMUTATION,
    SUPPRESSION,
    Coding,
    RecodingName,
)
from starmin.instances.releases.ids import expect_recoding, public_table
from starmin.instances.releases.objective import STARS, Objective
from starmin.instances.releases.partial_partition import expect_deletable, expect_stars
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.group_stats import GroupStats
from starmin.instances.requirements.id_columns import told_difference, two_rows
from starmin.instances.requirements.mask_core import mask_core
from starmin.instances.requirements.missing_values import MissingValues
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import (
    MASK,
    Requirement,
    of_kind,
    part_of,
)
from starmin.instances.scales.chains import expect_levels
from starmin.instances.scales.scale import FlatScale
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.table import Table


@dataclass(frozen=True, eq=False)
class Problem:
    """The cheapest release of a table under a requirement.

    It has nothing of files, of methods or of limits: the command line, Python and the
    harness make one each, and all that searches, bounds, publishes or reports reads it.
    Raises TableError where the objective names a column that is no quasi-identifier; or
    persons are counted where that is not done; or losses of a release by rows are to be
    counted from floors.

    >>> from starmin.instances import KAnonymity
    >>> table = Table.from_rows(["age"], [["30"], ["41"]], qi=["age"])
    >>> problem = Problem(table, KAnonymity(2))
    >>> problem.shown(2), problem.rowwise
    (2, False)
    """

    table: Table
    requirement: Requirement  # what every group must satisfy
    objective: Objective = STARS  # what is minimised
    coding: Coding = field(default_factory=Coding)  # how a release is published
    # the table before its floors, row by row, where it has some
    source: Table | None = field(default=None, repr=False)

    @property
    def asked(self) -> tuple[Table, Requirement, Objective]:
        """The table, the requirement and the objective."""
        return self.table, self.requirement, self.objective

    def __post_init__(self) -> None:
        self.objective.check(self.table)
        if (persons := part_of(self.requirement, Persons)) is not None:
            expect_recoding(persons, self.coding.recoding)
        if self.requirement.space == MASK:
            core = mask_core(self.requirement, self.table)
            if (scales := self.objective.scales) is not None:
                linked = {self.table.qi[j] for unit in core.linked for j in unit}
                expect_levels(scales, linked)
        if self.requirement.may_delete:
            expect_stars(self.coding)
            expect_deletable(self.table, self.requirement, self.objective)
        if self.rowwise and self.objective.by_node and self.table.floors:
            raise TableError(
                f"{self.table.name}: least levels, tops and bottoms of a release by "
                "rows (nonhomogeneous) are for the objective stars, not for gcp"
            )

    def on(self, **changed: Any) -> "Problem":
        """Return it with parts changed; nothing is told of a table before floors."""
        return replace(self, **changed, source=None)

    @cached_property
    def public(self) -> Table:
        """The table as it is published where nothing is hidden: without ids."""
        asked = self.requirement  # without columns of its own it hides none
        return public_table(self.table, asked) if asked.columns else self.table

    @property
    def original(self) -> Table:
        """The table before its floors."""
        return self.table if self.source is None else self.source

    @property
    def rowwise(self) -> bool:
        """Whether each row has stars of its own, and there are no groups."""
        return self.coding.recoding == NONHOMOGENEOUS

    @property
    def bounded(self) -> RecodingName:
        """The recoding that bounds are for: suppression where there are groups."""
        return NONHOMOGENEOUS if self.rowwise else SUPPRESSION

    @property
    def ranged(self) -> frozenset[str]:
        """The columns that are published as ranges or nodes."""
        told = {*self.coding.numeric, *self.coding.trees}
        if (scales := self.objective.scales) is not None:
            each = scales.items
            told |= {name for name, scale in each if not isinstance(scale, FlatScale)}
        return frozenset(told)

    @property
    def published_as_counted(self) -> bool:
        """Whether the objective charges groups for what is published of them."""
        recoding, kind = self.coding.recoding, self.objective.kind
        if recoding == PERMUTATION:
            return False
        ranged = self.coding.numeric or self.coding.qi_trees(self.table)
        return recoding != GENERALIZATION or kind == "gcp" or not ranged

    @property
    def missing_sensitive(self) -> str | None:
        """What a missing sensitive value counts as; None without such a column."""
        if not self.table.sensitive:
            return None
        parts = self.requirement.parts
        read = [p.reading.meaning for p in parts if isinstance(p, MissingValues)]
        return read[0] if read else "value"

    @property
    def without_value(self) -> dict[str, int]:
        """How many rows lack a value, by sensitive column that has such rows."""
        unknown, lost = {None, *self.coding.missing}, {}
        for column in self.table.sensitive:
            rows = self.table.text_counts(column).items()
            lost[column] = sum(many for text, many in rows if text in unknown)
        return {column: many for column, many in lost.items() if many}

    def shown(self, value: int | None) -> int | float | None:
        """Return a value or bound as people read it: a GCP is a share of 1."""
        return self.objective.shown(self.table, value)


def why_infeasible(
    table: Table, requirement: Requirement, objective: Objective = STARS
) -> str | None:
    """Say why no release of ``table`` satisfies ``requirement``, or return None.

    The whole table is asked as one single group, and so is each class of rows that may
    share a group: they agree on columns that are to be kept, and on the highest nodes
    that may be published. What is monotone holds of the table where it holds of these;
    of persons it is asked beside.

    >>> from starmin.instances import KAnonymity
    >>> table = Table.from_rows(["sex"], [["F"], ["M"], ["F"]], qi=["sex"])
    >>> why_infeasible(table, KAnonymity(4))
    '3 rows, fewer than k = 4'
    >>> why_infeasible(table, KAnonymity(2), Objective(keep=["sex"]))
    "among the rows with sex='M': 1 row, fewer than k = 2"
    """
    if (deletable := of_kind(requirement, DeletedRows)) is not None:
        fails = not deletable.possible(table)
        return "no rows of the table, however few, satisfy it" if fails else None
    apart = [(c, "=", table.column(c)) for c in objective.keep]
    for column, top in objective.roofs.items():
        of_row = top[table.column(column)]
        apart.append((column, " that may share a node with ", of_row))
    why = why_not_whole(table, requirement)
    if why := why or _why_not_alike(table, requirement, apart):
        return why
    if not apart:
        return None
    classes = group_by([of_row for _, _, of_row in apart])
    stats = GroupStats.of(table, classes.inverse)
    failing = np.flatnonzero(~requirement.holds(stats))
    if len(failing) == 0:
        return None
    group = int(failing[0])
    why, row = requirement.why_not(group, stats), int(classes.first[group])
    alike = ", ".join(
        f"{c}{sign}{table.dictionary(c)[table.column(c)[row]]!r}"
        for c, sign, _ in apart
    )
    return f"among the rows with {alike}: {why}"


def _why_not_alike(
    table: Table, requirement: Requirement, apart: Sequence[tuple[str, str, Int32s]]
) -> str | None:
    """Say which household would have to be published alike, and may not be."""
    asked = part_of(requirement, Persons)
    if asked is None:
        return None
    for column, _, of_row in apart:
        if column in asked.alike and two_rows(table, asked.column, of_row):
            told = told_difference(table, asked.column, column, of_row)
            return (
                f"{asked.unit} {told} of column {column!r}, which are to be published "
                "alike and may not share a node"
            )
    return None


def why_not_whole(table: Table, requirement: Requirement) -> str | None:
    """Say why a table as one single group fails what is asked, or return None.

    Who knows that somebody is in the table knows that much before there is any group.
    """
    whole = GroupStats.of(table, np.zeros(table.codes.shape[1], np.int32))
    return None if requirement.holds(whole)[0] else requirement.why_not(0, whole)


def expect_one_sensitive(table: Table) -> None:
    """Raise NotSupportedError where not exactly one column is sensitive."""
    if len(table.sensitive) != 1:
        raise NotSupportedError(
            f"Expected one sensitive column, got {len(table.sensitive)}."
        )
