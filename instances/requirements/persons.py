"""Persons instead of rows: what is required counts the ids of a column."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from starmin.instances.arguments import Option, expect_choice, expect_kind, expect_names
from starmin.instances.arrays import Bools
from starmin.instances.errors import NotSupportedError, TableError
from starmin.instances.requirements import diversity, id_columns
from starmin.instances.requirements.group_stats import GroupStats, parted
from starmin.instances.requirements.k_anonymity import K_COLUMN, KAnonymity, PerRowK
from starmin.instances.requirements.missing_values import (
    MISSING_SENSITIVE,
    MissingValues,
)
from starmin.instances.requirements.requirement import (
    UNITS,
    Around,
    PlainGroup,
    Requirement,
    Stated,
    Unit,
)
from starmin.instances.requirements.t_closeness import Closeness, T
from starmin.instances.scales.missing import MISSING
from starmin.instances.tables.names import counted, listed, split_names
from starmin.instances.tables.table import Table

PERSON = Option(
    "person",
    str,
    "Column with the id of each row's person: persons are counted, not rows. It is not "
    "published.",
    metavar="ID",
    is_column=True,
    role="person",
)
HOUSEHOLD = Option(
    "household",
    str,
    "Column with the id of each row's household: households are counted, and what is "
    "constant in each is published alike in its rows.",
    metavar="ID",
    is_column=True,
    role="household",
)
PSEUDONYM = Option(
    "pseudonym",
    bool,
    "Publish the ids of --person numbered anew at random; all rows of a person are "
    "published alike.",
    False,
    needs="person",
)
ALIKE = Option(
    "alike",
    str,
    "Columns that all rows of a household are published alike in; where they differ, "
    "it shows what they have in common. [default: what is constant in each]",
    metavar="NAMES",
    needs="household",
    several=True,
)
_OF_ROWS = ((Closeness, T), (PerRowK, K_COLUMN), (MissingValues, MISSING_SENSITIVE))
# Of values that add up to one.
_SHARES = (diversity.EntropyDiversity, diversity.RecursiveDiversity)


@dataclass(frozen=True)
class Persons(Around):
    r"""A requirement where persons count, or households, and not their rows.

    A person is a value of ``column``, and may have several rows. Of a class with rows
    of P different persons, :math:`P_v` of whom have a row with the sensitive value v
    in it, is required: :math:`P \\ge k` for k-anonymity; :math:`l P_v \\le P` for all v
    for l-diversity by frequency, :math:`P_v \\le \\alpha P` for a cap on shares; at
    least l values and l persons for distinct diversity; and for entropy and recursive
    diversity what they say of the :math:`P_v`, where each person has one value alone.

    With a pseudonym, or where households have columns in common, rows of one person
    hang together: those that are in ``alike`` are published alike in all of them. If
    these are all quasi-identifiers, and constant (``whole``), all rows of a person are
    in one group. Rows that differ in a column of ``alike`` show what they have in
    common there, all of them, as a star or a range.

    Monotone for k-anonymity and distinct diversity, and for all forms where rows of a
    person are in one group. By frequency it is not where a person may be in several
    groups: those who have v add up in a union, the others may be the same again. So the
    table as a whole must satisfy it as well: else whoever knows that somebody is in it
    knows too much, before there is any group.

    Parameters
    ----------
    inner
        k-anonymity and diversity of any form, one or several.
    column, unit
        Of the ids, and what they are the ids of.
    alike, whole
        QI columns in which all rows of one are published alike, and whether these are
        all, and each is constant.
    pseudonym
        Whether the ids are published, numbered anew.

    Examples
    --------
    >>> import numpy as np
    >>> rows = [["0", "p"], ["0", "p"], ["0", "q"]]
    >>> table = Table.from_rows(["a", "id"], rows, qi=["a"])
    >>> stats = GroupStats.of(table, np.zeros(3, np.int32))
    >>> asked = Persons.of(table, KAnonymity(3), "id")
    >>> asked.holds(stats).tolist(), asked.why_not(0, stats)
    ([False], '2 persons, fewer than k = 3')
    """

    name = "persons"
    options = (PERSON, HOUSEHOLD, PSEUDONYM, ALIKE)
    takes = KAnonymity, diversity.Diversity, diversity.MaxShare
    refusal = (
        "{kind} counts rows; with ids of {0.unit}s k-anonymity and diversity are "
        "counted"
    )

    column: str
    unit: Unit = "person"
    alike: tuple[str, ...] = ()
    whole: bool = False
    pseudonym: bool = False

    def __post_init__(self) -> None:
        expect_kind("column", self.column, str)
        expect_choice("unit", self.unit, UNITS)
        super().__post_init__()

    @classmethod
    def of(
        cls,
        table: Table,
        inner: Requirement,
        column: str,
        unit: Unit = "person",
        pseudonym: bool = False,
        missing: Collection[str | None] = MISSING,
        alike: Collection[str] | None = None,
    ) -> "Persons":
        """Return the requirement for a table, its column of ids checked.

        Raises TableError: no such column, or one that has another role; a row without
        an id; a column that is not constant with a pseudonym, or in a few households;
        entropy or recursive diversity where somebody has two sensitive values.

        Parameters
        ----------
        column, unit
            Of the ids, neither a quasi-identifier nor sensitive, and whose they are.
        pseudonym
            Whether the id is published, numbered anew; then all quasi-identifiers have
            to be constant.
        missing
            What stands for a missing value, and is no id.
        alike
            The quasi-identifiers in which all rows of a household are published alike;
            default: those that are constant in each household. A column that is not,
            but is in half of them or more, has to be named, or left out.
        """
        id_columns.expect_ids(table, column, unit, missing)
        shared: tuple[str, ...] = ()
        varying: dict[str, tuple[int, int]] = {}
        if pseudonym or unit == "household":
            pairs = {c: id_columns.two_rows(table, column, c) for c in table.qi}
            varying = {c: rows for c, rows in pairs.items() if rows is not None}
            if pseudonym and varying:
                raise TableError(_why_not_alike(table, column, unit, varying))
            shared = tuple(c for c in table.qi if c not in varying)
        if alike is not None:
            shared = _named_alike(table, unit, alike)
        elif unit == "household":
            for other in varying:
                _expect_no_exception(table, column, other, shared)
        whole = bool(shared) and shared == table.qi and not varying
        found = cls(inner, column, unit, shared, whole, pseudonym)
        if any(isinstance(part, _SHARES) for part in inner.parts):
            for sensitive in table.sensitive:
                if rows := id_columns.two_rows(table, column, sensitive):
                    raise TableError(
                        f"{table.name}: rows {rows[0] + 1} and {rows[1] + 1} of one "
                        f"{unit} have different values in column {sensitive!r}: "
                        "entropy and recursive diversity are for one value each; ask "
                        "for frequency or distinct values"
                    )
        return found

    @classmethod
    def around(cls, asked: Requirement, stated: Stated, table: Table) -> Requirement:
        if stated.ids is None:
            return asked
        unit, column = stated.ids
        named = stated.named(unit)
        for kind, option in _OF_ROWS:
            if any(isinstance(part, kind) for part in asked.parts):
                raise TableError(
                    f"{named}: {stated.named(option)} counts rows; k-anonymity and "
                    f"diversity count {unit}s"
                )
        alike = stated[ALIKE]
        if isinstance(alike, str):
            alike = split_names(alike, stated.named(ALIKE))
        told = stated[PSEUDONYM], stated.missing, alike
        return cls.of(table, asked, column, unit, *told)

    @property
    def form(self) -> str:
        return "persons alike" if self.alike else "persons"

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def sentence(self, table: Table, recoding: str) -> str:
        told = self.inner.sentence(table, recoding)
        told += f" {self.unit.capitalize()}s count, by {self.column}, not their rows."
        if self.pseudonym:
            told += f" All rows of a {self.unit} have its number, and are alike."
        elif self.alike:
            told += f" All rows of a {self.unit} show {listed(self.alike)} alike."
        return told

    @property
    def monotone(self) -> bool:
        """Whether a union of groups that satisfy it satisfies it for certain."""
        kinds = (KAnonymity, diversity.DistinctDiversity)
        return self.whole or all(isinstance(p, kinds) for p in self.inner.parts)

    def holds(self, stats: GroupStats) -> Bools:
        units = stats.of_units(self.column)
        fits = self.inner.holds(units) & (units.sizes >= self._values)
        return fits & ~parted(stats, self.column) if self.whole else fits

    def allows(self, group: PlainGroup) -> bool:
        if not self.monotone or (self.alike and not self.whole):
            raise NotSupportedError("Expected persons whose groups can be united.")
        ids = group.columns[self.column]
        inside = {ids[row] for row in group.rows}
        if self.whole and sum(who in inside for who in ids) > group.size:
            return False
        values = []
        for column in group.sensitive:
            each = {(ids[r], v) for r, v in zip(group.rows, column, strict=True)}
            values.append([value for _, value in each])
        units = PlainGroup(len(inside), tuple(values))
        return self.inner.allows(units) and len(inside) >= self._values

    def why_not(self, group: int, stats: GroupStats) -> str:
        if self.whole and parted(stats, self.column)[group]:
            return f"it has some rows of a {self.unit}, and another group has others"
        units, many = stats.of_units(self.column), f"{self.unit}s"
        size = int(units.sizes[group])
        for part in self.inner.parts:
            if isinstance(part, KAnonymity):
                if size < part.k:
                    return f"{counted(size, self.unit)}, fewer than k = {part.k}"
            elif not part.holds(units)[group]:
                why = part.why_not(group, units)
                return why.replace(" rows", f" {many}")
        return f"{counted(size, self.unit)}, fewer than l = {self._values}"

    def as_json(self) -> dict[str, Any]:
        stated = self.inner.as_json() | {self.unit: self.column}
        if self.pseudonym:
            stated["pseudonym"] = True
        elif self.alike:
            stated["alike"] = list(self.alike)
        return stated

    @property
    def _values(self) -> int:
        """How many of them distinct diversity asks for: as many as values."""
        parts = self.inner.parts
        return max(
            (p.l for p in parts if isinstance(p, diversity.DistinctDiversity)),
            default=1,
        )


def _named_alike(table: Table, unit: Unit, named: Collection[str]) -> tuple[str, ...]:
    """Return the columns that are named as alike, in the order of the table's."""
    columns = expect_names("alike", named)
    if unit != "household":
        raise TableError("--alike needs --household")
    for column in columns:
        if column not in table.qi:
            raise TableError(
                f"{table.name}: --alike: column {column!r} is no quasi-identifier; "
                f"these are: {listed(table.qi)}"
            )
    return tuple(c for c in table.qi if c in columns)


def _expect_no_exception(
    table: Table, column: str, other: str, alike: Collection[str]
) -> None:
    """Raise TableError where a few households alone differ in a column.

    Else these would take the protection from all others, without a word.
    """
    exceptions = int(id_columns.mixed_ids(table, column, other).sum())
    several = int((table.grouped([column]).counts > 1).sum())
    constant = several - exceptions
    if constant < max(1, exceptions):
        return
    named = f" beside {listed([*alike])}" if alike else ""
    told = id_columns.told_difference(table, column, other)
    raise TableError(
        f"{table.name}: household {told} of column {other!r}, which is constant in "
        f"{constant} of {several} households with several rows: mend it (each unknown "
        "household needs an id of its own), or say which columns are published alike "
        f"(--alike): with {other}{named}, such a household shows what its rows have in "
        f"common; without it, {other} is published row by row, of all households"
    )


def _why_not_alike(
    table: Table, column: str, unit: Unit, varying: dict[str, tuple[int, int]]
) -> str:
    """Say which rows of somebody cannot be published alike."""
    other, (one, two) = next(iter(varying.items()))
    cells = table.cells(other)
    who = table.cells(column)[one]
    more = f" (and {len(varying) - 1} more columns)" if len(varying) > 1 else ""
    return (
        f"{table.name}: column {other!r}{more} has {cells[one]!r} in row {one + 1} and "
        f"{cells[two]!r} in row {two + 1} of {unit} {who!r}; a pseudonym ties these "
        f"rows together, so that the columns have to be constant: leave it out (--drop "
        f"{other}), or publish no pseudonym"
    )
