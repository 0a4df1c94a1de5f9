"""What requirements ask of a mask, in the one form that methods read."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Bools
from starmin.instances.errors import NotSupportedError, TableError
from starmin.instances.requirements.k_anonymity import KAnonymity
from starmin.instances.requirements.office_rules import CombinationRules
from starmin.instances.requirements.population import Population
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.tables.table import Table


class ItemRule(NamedTuple):
    """One set of columns with its k."""

    columns: tuple[int, ...]  # positions among the quasi-identifiers, ascending
    k: int  # k, semantics: what is asked
    semantics: str
    strata: tuple[str, ...]  # columns within whose values rows are counted
    population: Population | None  # who is counted; None: the rows of the table
    part: Requirement  # the requirement that it is of


class MaskCore(NamedTuple):
    """All that is asked of a mask."""

    rules: tuple[ItemRule, ...]  # column sets and their k
    # disjoint sets of columns that are starred together
    linked: tuple[tuple[int, ...], ...]
    hidden: frozenset[str | None]  # texts of cells that show nothing

    @property
    def strata(self) -> list[str]:
        """All columns of strata, by name."""
        return sorted({name for rule in self.rules for name in rule.strata})

    def missing(self, table: Table) -> Bools:
        """Return which quasi-identifying cells show nothing as they are: n x d."""
        missing = np.zeros((table.codes.shape[1], table.d), bool)
        for j, column in enumerate(table.qi):
            absent = [text in self.hidden for text in table.dictionary(column)]
            if any(absent):
                missing[:, j] = np.array(absent)[table.column(column)]
        return missing

    def units(self, d: int) -> list[tuple[int, ...]]:
        """Return the sets of columns that are starred as one, in order."""
        alone = {j for each in self.linked for j in each}
        rest = [(j,) for j in range(d) if j not in alone]
        return sorted([*self.linked, *rest])


def mask_core(requirement: Requirement, table: Table) -> MaskCore:
    """Return what a requirement asks of a mask.

    k-anonymity is a rule over all columns, by classes, and comes last. It counts within
    all strata, as these are published. Raises TableError where a rule, stratum, linked
    column or population does not fit the table, and NotSupportedError where a part of
    the requirement asks for groups in another way.

    >>> from starmin.instances.requirements.office_rules import Combinations
    >>> table = Table.from_rows(["a", "b"], [["0", "x"]], qi=["a", "b"])
    >>> for rule in mask_core(Combinations(2, 5) & KAnonymity(2), table).rules:
    ...     print(rule.columns, rule.k, rule.semantics)
    (0,) 5 shown
    (1,) 5 shown
    (0, 1) 5 shown
    (0, 1) 2 classes
    """
    rules, groups = list[ItemRule](), list[ItemRule]()
    linked, hidden = list[tuple[str, ...]](), set[str | None]()
    for part in requirement.parts:
        if isinstance(part, KAnonymity):
            everything = tuple(range(table.d))
            groups.append(ItemRule(everything, part.k, "classes", (), None, part))
        elif isinstance(part, CombinationRules):
            rules += _rules_of(part, table)
            linked += part.linked
            hidden.update(part.hidden)
        else:
            raise NotSupportedError(
                "Rules over combinations are of rows, and take k-anonymity alone "
                f"beside them, not {part!r}."
            )
    strata = tuple(sorted({name for rule in rules for name in rule.strata}))
    rules += [rule._replace(strata=strata) for rule in groups]
    if hidden and any(rule.semantics == "classes" for rule in rules):
        raise NotSupportedError(
            "Missing cells cannot count as hidden where classes are asked for: a "
            "missing cell is a value there."
        )
    return MaskCore(tuple(rules), _joined(linked, table), frozenset(hidden))


def _rules_of(part: CombinationRules, table: Table) -> list[ItemRule]:
    for column in part.strata:
        if column not in table.names:
            raise TableError(f"{table.name}: no column {column!r} of strata")
        if column in table.qi:
            raise TableError(
                f"{table.name}: column {column!r} of strata is published as it is; "
                "take it out of the quasi-identifiers"
            )
    family = part.family(table.qi)
    if part.population is not None:
        for column in (column for columns, _ in family for column in columns):
            if not part.population.has([column]):
                raise TableError(
                    f"{part.population.table.name}: the population has no column "
                    f"{column!r}, which a rule names"
                )
    rest = part.semantics, part.strata, part.population, part
    return [
        ItemRule(tuple(table.qi.index(column) for column in columns), k, *rest)
        for columns, k in family
    ]


def _joined(
    linked: Sequence[tuple[str, ...]], table: Table
) -> tuple[tuple[int, ...], ...]:
    """Return sets of positions; sets with a common column become one."""
    joined: list[set[int]] = []
    for columns in linked:
        for column in columns:
            if column not in table.qi:
                raise TableError(
                    f"{table.name}: linked column {column!r} is no quasi-identifier; "
                    f"these are: {', '.join(table.qi)}"
                )
        own = {table.qi.index(column) for column in columns}
        for other in [each for each in joined if each & own]:
            own |= other
            joined.remove(other)
        joined.append(own)
    return tuple(sorted(tuple(sorted(each)) for each in joined if len(each) > 1))
