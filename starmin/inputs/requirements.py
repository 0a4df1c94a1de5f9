"""From the numbers a user names to a Requirement."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import Any, cast

from starmin.instances import (
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    LDiversity,
    MaxShare,
    PerRowK,
    Reading,
    RecursiveDiversity,
    Requirement,
    Table,
    TableError,
    Taxonomy,
    TCloseness,
    read_missing,
)
from starmin.instances.requirements.hierarchical_closeness import HierarchicalCloseness
from starmin.instances.requirements.missing_values import Meaning
from starmin.instances.scales.missing import MISSING


@dataclass(frozen=True)
class Asked:
    """What a user asks of every group, as named on the command line; None: not asked.

    Errors name options, or, for ``python``, arguments.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"]], qi=["a"])
    >>> Asked(k=5).on(table)
    KAnonymity(k=5)
    >>> Asked(l=2).on(table)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    starmin.instances.errors.TableError: --l needs a sensitive column; name it by ...
    """

    k: int | None = None
    l: int | None = None
    diversity: str = "frequency"
    c: float | None = None
    alpha: float | None = None
    t: float | None = None
    k_column: str | None = None
    distance: str | None = None
    trees: Mapping[str, Taxonomy] = field(default_factory=dict, repr=False)
    python: bool = False
    missing_sensitive: str = "value"
    missing: tuple[str | None, ...] = MISSING

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that serve the requirement and are no quasi-identifiers."""
        return () if self.k_column is None else (self.k_column,)

    def on(self, table: Table) -> Requirement | None:
        """Return the requirement, or None where nothing is asked.

        Raises
        ------
        TableError
            A number out of range, or one that needs another one or a sensitive column.
        """
        self._check(table)
        makers: tuple[tuple[str, Callable[[Any], Requirement]], ...] = (
            ("k", KAnonymity),
            ("l", self._diversity),
            ("alpha", MaxShare),
            ("t", lambda t: self._closeness(table, t)),
            ("k_column", lambda column: PerRowK.of(table, column)),
        )
        parts = []
        for name, make in makers:
            if (value := getattr(self, name)) is None:
                continue
            try:
                parts.append(make(value))
            except TableError:
                raise
            except ValueError as error:
                raise TableError(f"{self._named(name)}: {error}") from None
        if not parts:
            return None
        return read_missing(reduce(and_, parts), self.reading)

    @property
    def reading(self) -> Reading | None:
        """How missing sensitive values are counted; None: as one more value."""
        if self.missing_sensitive == "value":
            return None
        return Reading(cast(Meaning, self.missing_sensitive), self.missing)

    def _check(self, table: Table) -> None:
        if self.diversity != "frequency" and self.l is None:
            raise TableError(
                f"{self._named('diversity', self.diversity)} needs {self._named('l')}"
            )
        if (self.c is not None) != (self.diversity == "recursive"):
            raise TableError(
                f"{self._named('c')} and {self._named('diversity', 'recursive')} need "
                "each other"
            )
        if self.distance is not None and self.t is None:
            raise TableError(
                f"{self._named('distance', self.distance)} needs {self._named('t')}"
            )
        if self.reading is not None and self.t is not None:
            raise TableError(
                f"{self._named('missing_sensitive', self.missing_sensitive)}: is for "
                f"diversity; {self._named('t')} compares with the whole table"
            )
        for name in ("l", "alpha", "t"):
            if getattr(self, name) is not None and not table.sensitive:
                raise TableError(
                    f"{self._named(name)} needs a sensitive column; name it by "
                    f"{self._named('sensitive')}"
                )

    def _named(self, name: str, value: str = "") -> str:
        """Return an option, or an argument of Python, with its value."""
        if self.python:
            return f"{name}={value!r}" if value else name
        return f"--{name.replace('_', '-')} {value}".rstrip()

    def _closeness(self, table: Table, t: float) -> Requirement:
        """Return t-closeness by the distance that is asked for."""
        trees = {c: self.trees[c] for c in table.sensitive if c in self.trees}
        if self.distance == "hierarchical":
            for column in table.sensitive:
                if column not in trees:
                    raise TableError(
                        "hierarchies has none for the sensitive column "
                        f"{column!r}, which distance='hierarchical' needs"
                        if self.python
                        else f"--distance hierarchical needs --hierarchy {column}=FILE"
                    )
            above = {column: tree.ancestors for column, tree in trees.items()}
            return HierarchicalCloseness.of(table, t, above)
        if self.distance == "ordered":
            orders = {column: tree.leaves for column, tree in trees.items()}
            return TCloseness.of(table, t, "ordered", orders)
        return TCloseness.of(table, t)

    def _diversity(self, l: int) -> Requirement:
        if self.c is not None:
            return RecursiveDiversity(self.c, l)
        if self.diversity == "distinct":
            return DistinctDiversity(l)
        if self.diversity == "entropy":
            return EntropyDiversity(l)
        return LDiversity(l)


def describe(requirement: Requirement | None) -> dict[str, Any]:
    """Return a requirement as JSON states it: k and l always, the rest where asked."""
    asked = {} if requirement is None else requirement.as_json()
    return {"k": None, "l": None} | asked
