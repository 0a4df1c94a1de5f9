"""How many people of a population may be a row of each class of a release."""

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np

from starmin.instances import Table
from starmin.instances.arrays import Bools, Ints
from starmin.instances.requirements.population import Population
from starmin.instances.tables.names import expect_columns
from starmin.verify.cells.cells import Cells, PlainCells
from starmin.verify.risk.candidates import PopulationRisk
from starmin.verify.texts import Text


def population_risk(
    table: Table,
    people: Population,
    star: str | None = None,
    cells: Mapping[str, Cells] | None = None,
) -> PopulationRisk:
    """Return what a journalist links right, who knows all people, not who is in here.

    The table is an original or a release. Among the columns of ``people`` are its
    quasi-identifiers, in the words of the original. ``star`` is that of a release;
    None: an original. ``cells`` says what the cells stand for; default: a value for
    itself, a star for all. Raises TableError for a column that the population lacks.

    >>> rows = [["30", "f"], ["31", "f"], ["31", "m"]]
    >>> town = Table.from_rows(["age", "sex"], rows, qi=["age", "sex"])
    >>> rows = [["*", "f"], ["31", "m"]]
    >>> released = Table.from_rows(["age", "sex"], rows, qi=["age", "sex"])
    >>> population_risk(released, Population(town), "*").risks.tolist()
    [0.5, 1.0]
    """
    expect_people(people, table)
    types = table.row_types
    if star is None and cells is None:
        there = np.zeros(len(types), np.int64)
        there[types.inverse] = people.counts_of(table, table.qi)
    else:
        there = _covered(table, people.table.with_roles(table.qi), star, cells or {})
    fewer = int(types.counts[there < types.counts].sum())
    risks = 1 / np.maximum(there, types.counts)
    return PopulationRisk(types.counts, risks, False, fewer)


def expect_people(people: Population, table: Table) -> None:
    """Raise TableError where a population lacks a column.

    It has to have the quasi-identifiers of the table.
    """
    there = [c for c in people.table.names if people.has([c])]
    expect_columns(people.table.name, table.qi, there)


def _covered(
    table: Table, people: Table, star: str | None, cells: Mapping[str, Cells]
) -> Ints:
    """Count the people that each class covers; classes come in lexicographic order.

    So people that the first columns of a class cover are those of the class before,
    as long as it begins alike: they are kept, and each further column parts fewer.
    """
    known, types = people.row_types, table.row_types
    fits = [_fits(table, people, c, star, cells.get(c)) for c in table.qi]
    there = np.zeros(len(types), np.int64)
    left, before = [np.arange(len(known))], np.full(len(fits), -1)
    for place, codes in enumerate(types.codes):
        same = int(np.argmax(codes != before)) if place else 0
        del left[same + 1 :]
        for at in range(same, len(fits)):
            some = left[-1]
            left.append(some[fits[at](int(codes[at]))[known.codes[some, at]]])
        there[place], before = known.counts[left[-1]].sum(), codes
    return there


def _fits(
    table: Table, people: Table, column: str, star: str | None, cells: Cells | None
) -> Callable[[int], Bools]:
    """Return which values of people a cell of a column may stand for, by its code."""
    texts, values = table.dictionary(column), people.dictionary(column)

    def covers(text: Text, value: Text) -> bool:
        if cells is None or isinstance(cells, PlainCells):
            return text == value
        try:
            return cells.covers(text, value)
        except ValueError:
            return False  # no number or time

    @cache
    def of(code: int) -> Bools:
        text = texts[code]
        if text is not None and text == star:
            return np.ones(len(values), bool)
        return np.array([covers(text, value) for value in values], bool)

    return of
