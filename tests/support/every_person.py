"""The oracle of persons and households: every release of a few rows, from its cells."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from starmin.instances import (
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    Persons,
    Requirement,
    Table,
)

Cells = list[list[str]]
FORMS = ("apart", "whole", "household", "mixed")


def partitions(items: Sequence[int]) -> Iterator[list[list[int]]]:
    """Visit all partitions of some items."""
    if not items:
        yield []
        return
    first, *rest = items
    for parts in partitions(rest):
        yield [[first], *parts]
        for at, part in enumerate(parts):
            yield [*parts[:at], [first, *part], *parts[at + 1 :]]


def constant(rows: Cells, ids: Sequence[str], column: int) -> bool:
    """Whether all rows of an id have one value of a column, for each of them."""
    return len({(who, row[column]) for who, row in zip(ids, rows, strict=True)}) == len(
        {*ids}
    )


@dataclass(frozen=True)
class Small:
    """A few rows, whose they are, and what is asked."""

    rows: Cells
    ids: list[str]
    values: list[str]
    k: int
    l: int
    distinct: bool
    form: str
    alike: tuple[int, ...]  # columns in which rows of one are published alike

    @classmethod
    def of(cls, seed: int, form: str) -> "Small":
        """A random one; households share some columns, or all, or none.

        If they are mixed, some of their rows differ in what they share.
        """
        rng = random.Random(f"{form} {seed}")
        n, d = rng.randint(3, 6), rng.randint(1, 3)
        shared = {"apart": 0, "whole": d}.get(form, rng.randint(1, d))
        some = "pqrst"[: rng.randint(2, 5)]
        ids = [rng.choice(some) for _ in range(n)]
        own = {who: [rng.choice("012") for _ in range(d)] for who in some}
        rows = [own[who][:shared] + rng.choices("01", k=d - shared) for who in ids]
        for row in rows if form == "mixed" else ():
            if rng.random() < 0.3:
                row[rng.randrange(shared)] = rng.choice("012")
        alike = [c for c in range(d) if constant(rows, ids, c)]
        if form == "mixed":
            alike = [*range(shared)]
        return cls(
            rows,
            ids,
            rng.choices("xyz", k=n),
            rng.choice([2, 2, 3]),
            rng.choice([1, 1, 2, 3]),
            rng.random() < 0.5,
            form,
            () if form == "apart" else tuple(alike),
        )

    @property
    def table(self) -> Table:
        """As a table, with a column of ids and a sensitive one."""
        names = [f"c{j}" for j in range(len(self.rows[0]))]
        cells = zip(self.rows, self.ids, self.values, strict=True)
        rows = [[*row, who, value] for row, who, value in cells]
        return Table.from_rows([*names, "id", "s"], rows, names, ["s"])

    @property
    def requirement(self) -> Persons:
        """What is asked."""
        inner: Requirement = KAnonymity(self.k)
        if self.l > 1:
            kind = DistinctDiversity if self.distinct else LDiversity
            inner &= kind(self.l)
        if self.form in ("household", "mixed"):
            alike = [f"c{j}" for j in self.alike]
            return Persons.of(self.table, inner, "id", "household", alike=alike)
        return Persons.of(self.table, inner, "id", pseudonym=self.form == "whole")

    def shown(self, groups: list[list[int]], columns: Sequence[int]) -> Cells:
        """Publish groups: a star where rows of a group differ."""
        cells = [[""] * len(columns) for _ in self.rows]
        for group in groups:
            for j, column in enumerate(columns):
                texts = {self.rows[row][column] for row in group}
                for row in group:
                    cells[row][j] = texts.pop() if len(texts) == 1 else "*"
                    texts.add(cells[row][j])
        return cells

    def allowed(self, cells: Cells) -> bool:
        """Whether each class of a release satisfies what is asked."""
        classes: dict[tuple[str, ...], list[int]] = {}
        for row, shown in enumerate(cells):
            classes.setdefault(tuple(shown), []).append(row)
        return all(self._allowed(rows) for rows in classes.values())

    def _allowed(self, rows: list[int]) -> bool:
        persons = {self.ids[row] for row in rows}
        if len(persons) < self.k:
            return False
        if self.l == 1:
            return True
        values = {self.values[row] for row in rows}
        if self.distinct:
            return len(values) >= self.l and len(persons) >= self.l
        who = {v: {self.ids[r] for r in rows if self.values[r] == v} for v in values}
        return all(self.l * len(having) <= len(persons) for having in who.values())

    def releases(self) -> Iterator[Cells]:
        """Visit all releases in which rows hang together as they should."""
        every, columns = range(len(self.rows)), range(len(self.rows[0]))
        if self.form == "apart":
            for groups in partitions(every):
                yield self.shown(groups, columns)
            return
        people = sorted(set(self.ids))
        of = [[row for row in every if self.ids[row] == who] for who in people]
        shared = self.alike
        own = [c for c in columns if c not in shared]
        for parts in partitions(range(len(people))):
            blocks = [[row for who in part for row in of[who]] for part in parts]
            outer = self.shown(blocks, shared)
            inside = [list(partitions(b)) if own else [[b]] for b in blocks]
            for chosen in product(*inside):
                inner = self.shown([g for groups in chosen for g in groups], own)
                release = [[""] * len(columns) for _ in every]
                for row in every:
                    for column, text in zip(shared, outer[row], strict=True):
                        release[row][column] = text
                    for column, text in zip(own, inner[row], strict=True):
                        release[row][column] = text
                yield release

    def optimum(self, tuples: bool = False, keep: Sequence[int] = ()) -> int | None:
        """The fewest stars, or rows with one; None where the whole table fails.

        So it is where rows do that agree on the columns to be kept.
        """
        told = [[row[c] for c in keep] for row in self.rows]
        if not self._allowed([*range(len(told))]) or not self.allowed(told):
            return None
        costs = [
            sum("*" in row if tuples else row.count("*") for row in release)
            for release in self.releases()
            if self.allowed(release)
            and not any(row[c] == "*" for c in keep for row in release)
        ]
        return min(costs, default=None)
