"""The requirements that there are, and how they are asked: a new one is one entry here.

Its class is a file of its own. Those of other packages are added by
``starmin.register``.
"""

from dataclasses import dataclass, replace
from functools import reduce
from operator import and_
from typing import Any, Literal, get_args, get_origin

from starmin.instances.arguments import Option, expect_choice
from starmin.instances.errors import TableError
from starmin.instances.requirements import diversity
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.group_stats import Measure
from starmin.instances.requirements.k_anonymity import KAnonymity, PerRowK
from starmin.instances.requirements.mask_core import mask_core
from starmin.instances.requirements.missing_values import MissingValues
from starmin.instances.requirements.office_rules import Combinations, Rules
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import MASK, Requirement, Stated
from starmin.instances.requirements.t_closeness import HierarchicalCloseness, TCloseness
from starmin.instances.requirements.within import Within
from starmin.instances.tables.names import expect_columns, split_names
from starmin.instances.tables.table import Table

# In this order they are asked, and what they change of others is changed.
REQUIREMENTS: list[type[Requirement]] = [
    KAnonymity,
    diversity.LDiversity,
    diversity.DistinctDiversity,
    diversity.EntropyDiversity,
    diversity.RecursiveDiversity,
    diversity.MaxShare,
    TCloseness,
    HierarchicalCloseness,
    PerRowK,
    Rules,
    Combinations,
    MissingValues,
    Persons,
    Within,
    DeletedRows,
]


def options() -> tuple[Option, ...]:
    """Return the options of all requirements.

    >>> [option.name for option in options()][:5]
    ['k', 'l', 'diversity', 'c', 'alpha']
    """
    each = [option for kind in REQUIREMENTS for option in kind.options]
    return tuple(dict.fromkeys(each))


def measures() -> dict[Measure, type[Requirement]]:
    """Return what is measured of releases, and the first class that measures it.

    >>> [measure.key for measure in measures()]
    ['k', 'l', 'distinct_l', 'entropy_l', 't']
    """
    found: dict[Measure, type[Requirement]] = {}
    for kind in REQUIREMENTS:
        if kind.measure is not None:
            found.setdefault(kind.measure, kind)
    return found


@dataclass(frozen=True)
class Asked(Stated):
    """What a user asks of every group, by the options of requirements.

    Errors name options, or, for ``python``, arguments.

    >>> table = Table.from_rows(["a"], [["0"]], qi=["a"])
    >>> Asked({"k": 5}).on(table)
    KAnonymity(k=5)
    >>> Asked({"l": 2}).on(table)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    starmin.instances.errors.TableError: --l needs a sensitive column; name it by ...

    What a requirement says of itself as JSON are values of its options:

    >>> from starmin.instances import LDiversity
    >>> diverse = Table.from_rows("as", ["0x"], qi="a", sensitive="s")
    >>> Asked(LDiversity(2).as_json()).on(diverse)
    LDiversity(l=2)
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that serve the requirement and are no quasi-identifiers."""
        named = list[str]()
        for option in options():
            value = self[option]
            if not option.is_column or value is None:
                continue
            if option.several:
                if isinstance(value, str):
                    value = split_names(value, self.named(option), True)
                named += value
            else:
                named.append(value)
        return tuple(named)

    def but(self, **values: Any) -> "Asked":
        """Return it with other values of some options."""
        return replace(self, values={**self.values, **values})

    def on(
        self, table: Table, further: Requirement | None = None
    ) -> Requirement | None:
        """Return the requirement, or None where nothing is asked.

        ``further`` is joined to what is stated. Raises TableError for a number out of
        range, or one that needs another one or a sensitive column.
        """
        self.check(table)
        parts, named = [], [kind for kind in REQUIREMENTS if self.asks(kind.options)]
        for kind in named:
            try:
                part = kind.parse(self, table)
            except TableError:
                raise
            except ValueError as error:
                raise TableError(f"{self.named(kind.options[0])}: {error}") from None
            if part is not None:
                said = f"for {self.named(kind.options[0])}"
                expect_columns(table.name, part.columns, table.names, said)
                parts.append(part)
        parts += [] if further is None else [further]
        if not parts:
            return None
        asked = reduce(and_, parts)
        if asked.space == MASK:
            mask_core(asked, table)  # raises what cannot be asked together
        for kind in named:
            asked = kind.around(asked, self, table)
        return asked

    def check(self, table: Table) -> None:
        """Raise TableError for options that need others, or a sensitive column."""
        known = {option.name: option for option in options()}
        for option in filter(self.tells, known.values()):
            if get_origin(option.type) is Literal:
                expect_choice(option.name, self[option], get_args(option.type))
            if option.needs:
                needed = known[option.needs]
                if not self.tells(needed):
                    value = "" if self[option] is True else self[option]
                    raise TableError(
                        f"{self.named(option, value)} needs {self.named(needed)}"
                    )
        for kind in REQUIREMENTS:
            if not kind.of_sensitive or table.sensitive:
                continue
            if self.tells(option := kind.options[0]):
                raise TableError(
                    f"{self.named(option)} needs a sensitive column; name it by "
                    f"{self.named('sensitive')}"
                )


def known_part(asked: Requirement) -> Requirement | None:
    """Return what bounds know of a requirement, where that is not all of it.

    Groups that satisfy the requirement satisfy its core, so a bound for that holds.
    None where nothing is known, or groups are not all that is asked.

    >>> known_part(KAnonymity(3) & TCloseness(0.2)), known_part(TCloseness(0.2))
    (KAnonymity(k=3), None)
    >>> known_part(diversity.LDiversity(2) & diversity.EntropyDiversity(3)).parts
    (KAnonymity(k=3), LDiversity(l=2))
    """
    core = asked.core
    if core.exact or not asked.of_rows or asked.space == MASK:
        return None
    size, l, distinct = core.size, core.diversity, core.distinct
    if l > 1:  # bounds take one kind: so many values are as many rows
        size, distinct = max(size, distinct) if distinct > l else size, 1
    return _usual(size, l, distinct)


def stricter_part(asked: Requirement) -> Requirement | None:
    """Return a usual requirement that implies another one; None where none is known.

    All missing values have to be taken as one.

    >>> stricter_part(KAnonymity(3) & diversity.MaxShare(0.3)).parts
    (KAnonymity(k=3), LDiversity(l=4))
    >>> stricter_part(diversity.RecursiveDiversity(2.0, 4))
    LDiversity(l=4)
    """
    enough = asked.enough
    if enough is None or asked.core.exact or not asked.of_rows or asked.space == MASK:
        return None
    size, l, distinct = enough.size, enough.diversity, enough.distinct
    if l > 1:
        l, distinct = max(l, distinct), 1
    return _usual(size, l, distinct)


def _usual(size: int, l: int, distinct: int) -> Requirement | None:
    parts: list[Requirement] = []
    parts += [KAnonymity(size)] if size > 1 else []
    parts += [diversity.LDiversity(l)] if l > 1 else []
    parts += [diversity.DistinctDiversity(distinct)] if distinct > 1 else []
    return reduce(and_, parts) if parts else None


def describe(requirement: Requirement | None) -> dict[str, Any]:
    """Return a requirement as JSON states it: k and l always, the rest where asked."""
    asked = {} if requirement is None else requirement.as_json()
    return {"k": None, "l": None} | asked


def shortly(value: Any) -> str:
    """Write what a requirement states as JSON on a line.

    >>> shortly({"1": 20, "2": 10}), shortly([{"columns": ["a", "b"], "k": 5}])
    ('1:20,2:10', 'a+b:5')
    >>> shortly(5), shortly(["sex"]), shortly([["a", "b"], ["c", "d"]])
    ('5', 'sex', 'a,b;c,d')
    >>> shortly([None, "", "?", "NA"])
    '(empty),?,NA'
    """
    if isinstance(value, dict):
        if value.keys() == {"columns", "k"}:
            return f"{'+'.join(value['columns'])}:{value['k']}"
        return ",".join(f"{name}:{shortly(each)}" for name, each in value.items())
    if isinstance(value, list):
        between = ";" if any(isinstance(each, list) for each in value) else ","
        return between.join(dict.fromkeys(map(shortly, value)))
    return "(empty)" if value is None or value == "" else str(value)
