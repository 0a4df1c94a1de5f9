"""How well rows are linked to persons, and the columns that tell most of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from starmin.instances import Table
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.requirements.population import Population
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.names import expect_columns
from starmin.verify.cells.cells import Cells, Meanings, PlainCells
from starmin.verify.texts import Text

# Classes of rows that look alike, and the risk that a row of each is linked.

SIZES = (2, 3, 5, 10, 20)  # a row is told to be in a class of fewer rows than these


@dataclass(frozen=True, eq=False)
class ClassRisk:
    """How many rows look alike, and how well an attacker links them."""

    sizes: Ints  # by class: the number f of its rows

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.sizes.sum())

    @property
    def uniques(self) -> int:
        """Rows that look like no other."""
        return self.below(2)

    @property
    def smallest(self) -> int:
        """Rows of the smallest class: the k that holds."""
        return int(self.sizes.min())

    @property
    def average(self) -> float:
        """Mean of 1/f over rows: what an attacker links right of rows, by chance.

        The prosecutor, who knows that a person is in the table, and the marketer, who
        links all rows, both succeed with this share of them.
        """
        return len(self.sizes) / self.rows

    def below(self, k: int) -> int:
        """Count the rows in classes of fewer than k."""
        return int(self.sizes[self.sizes < k].sum())

    def as_json(self) -> dict[str, Any]:
        """Return the figures under their names in results."""
        return {
            "rows": self.rows,
            "classes": len(self.sizes),
            "uniques": self.uniques,
            "smallest": self.smallest,
            "below": {str(k): self.below(k) for k in SIZES},
            "prosecutor": {
                "highest": 1 / self.smallest,
                "average": self.average,
                "expected": len(self.sizes),
            },
        }


@dataclass(frozen=True, eq=False)
class PopulationRisk:
    """How well rows are linked by someone who does not know who is in the table."""

    sizes: Ints  # by class: the number f of its rows
    # by class: the probability that one of its rows is linked right: 1/F of F persons
    # in the population that look so, or what is expected of it by weights
    risks: Floats
    estimated: bool  # whether F is estimated by sampling weights; else it is counted
    # rows of classes that the population has in fewer persons, or not at all: it is not
    # one of this table. They are taken as the whole of their class
    fewer: int = 0

    @property
    def highest(self) -> float:
        """The greatest risk of a row."""
        return float(self.risks.max())

    @property
    def expected(self) -> float:
        """Rows that are linked right, if each is linked to a person that looks so."""
        return float((self.sizes * self.risks).sum())

    def as_json(self) -> dict[str, Any]:
        """Return the figures under their names in results."""
        rows = int(self.sizes.sum())
        return {
            "highest": self.highest,
            "average": self.expected / rows,
            "expected": self.expected,
            "estimated": self.estimated,
            "fewer": self.fewer,
        }


# How many people of a population may be a row of each class of a release.


def population_risk(
    table: Table,
    people: Population,
    star: str | None = None,
    cells: Meanings | None = None,
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


def _covered(table: Table, people: Table, star: str | None, cells: Meanings) -> Ints:
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


# Columns by how much they tell of persons: candidates for quasi-identifiers.

ID_SHARE = 0.95  # of the rows have a value of their own: as ids have
# Rows x sets of three columns that are looked at; beyond, of the telling columns alone.
MOST_WORK = 2_000_000_000


@dataclass(frozen=True)
class Candidate:
    """What a column tells of persons."""

    name: str
    distinct: int  # its different values, a missing one among them
    missing: int  # rows without a value
    entropy: float  # bits that its value tells of a row, on average
    # alone, pairs, triples: share of the rows that are unique by it alone, by it and
    # one other column, by it and two others. ``triples`` is None where triples were not
    # looked at
    alone: float
    pairs: float = 0.0
    triples: float | None = None
    follows: tuple[str, ...] = ()  # columns, each of which tells this one's value
    looks_like_id: bool = False  # whether nearly each row has a value of its own

    def as_json(self) -> dict[str, Any]:
        """Return the figures under their names in results."""
        return {**vars(self), "follows": list(self.follows)}


def candidates(
    table: Table, names: Sequence[str], missing: Sequence[Any]
) -> tuple[Candidate, ...]:
    """Rank columns by the share of rows that they make unique, most telling first.

    The texts ``missing`` stand for no value. Where distinct rows times triples of
    columns that are no ids are above ``MOST_WORK``, triples are of the columns of most
    entropy alone.

    Examples
    --------
    >>> rows = [["f", "30"], ["f", "40"], ["m", "30"], ["m", "30"]]
    >>> table = Table.from_rows(["sex", "age"], rows, qi=["sex", "age"])
    >>> [(c.name, c.alone, c.pairs) for c in candidates(table, table.qi, ())]
    [('age', 0.25, 0.5), ('sex', 0.0, 0.5)]
    """
    first = [_alone(table, name, missing) for name in names]
    ids = {c.name for c in first if c.looks_like_id}
    rest = [c.name for c in first if c.name not in ids]
    shares, told = _together(table, rest, {c.name: c for c in first})
    found = []
    for c in first:
        pairs, triples = (1.0, 1.0) if c.name in ids else shares[c.name]
        follows = told.get(c.name, ())
        found.append(replace(c, pairs=pairs, triples=triples, follows=follows))

    def telling(c: Candidate) -> tuple[float, ...]:
        return float(c.looks_like_id), c.triples or 0.0, c.pairs, c.alone, c.entropy

    return tuple(sorted(found, key=telling, reverse=True))


def _alone(table: Table, name: str, missing: Sequence[Any]) -> Candidate:
    used = table.text_counts(name)
    sizes = np.array([*used.values()])
    share = sizes / table.n
    missed = sum(n for text, n in used.items() if text is None or text in missing)
    alone = int((sizes == 1).sum()) / table.n
    bits = max(0.0, float(-(share * np.log2(share)).sum()))
    is_id = table.n >= 10 and len(sizes) >= ID_SHARE * table.n
    return Candidate(name, len(sizes), missed, bits, alone, looks_like_id=is_id)


def _together(
    table: Table, names: Sequence[str], known: dict[str, Candidate]
) -> tuple[dict[str, tuple[float, float | None]], dict[str, tuple[str, ...]]]:
    """Return shares in pairs and triples by column, and the columns that tell it."""
    if not names:
        return {}, {}
    types = table.grouped(names)
    codes = [np.ascontiguousarray(table.column(c)[types.first]) for c in names]
    rows = types.counts
    in_pairs = np.zeros((len(names), len(rows)), np.bool_)
    tells: dict[str, list[str]] = {name: [] for name in names}
    for a, b in combinations(range(len(names)), 2):
        unique, many = _unique([codes[a], codes[b]], rows)
        in_pairs[[a, b]] |= unique
        for j, i in ((a, b), (b, a)):
            if many == known[names[j]].distinct and known[names[i]].distinct > 1:
                tells[names[i]].append(names[j])
    chosen = _in_triples(names, known, len(rows))
    in_triples = in_pairs[chosen]
    for three in combinations(range(len(chosen)), 3):
        at = [chosen[j] for j in three]
        unique, _ = _unique([codes[j] for j in at], rows)
        in_triples[[*three]] |= unique
    by_triple = {
        names[j]: float(in_triples[i].sum() / table.n) for i, j in enumerate(chosen)
    }
    shares = {
        name: (float(in_pairs[j].sum() / table.n), by_triple.get(name))
        for j, name in enumerate(names)
    }
    return shares, {name: tuple(told) for name, told in tells.items()}


def _in_triples(
    names: Sequence[str], known: dict[str, Candidate], types: int
) -> list[int]:
    """Return the positions of the columns whose triples are looked at."""
    order = sorted(range(len(names)), key=lambda j: -known[names[j]].entropy)
    many = len(names)
    while many > 3 and types * many * (many - 1) * (many - 2) // 6 > MOST_WORK:
        many -= 1
    return sorted(order[:many])


def _unique(columns: Sequence[Int32s], rows: Ints) -> tuple[Bools, int]:
    """Say which types are one row that no other looks like, and count the classes."""
    groups = group_by(columns)
    many = groups.summed(rows)
    return np.asarray(many[groups.inverse] == 1, np.bool_), groups.size
