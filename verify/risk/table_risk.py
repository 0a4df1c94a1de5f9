"""What a table tells of the people in it, before anything is hidden."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from scipy.special import hyp2f1

from starmin.instances import Table, TableError, TCloseness, as_number
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.requirements.population import Population
from starmin.instances.tables.grouping import group_by
from starmin.verify.releases.release_check import check_release
from starmin.verify.risk.candidates import (
    Candidate,
    ClassRisk,
    PopulationRisk,
    candidates,
    population_risk,
)

# The individual risk of Benedetti and Franconi: of rows of a weighted sample.


def individual_risk(sizes: Ints, people: Floats) -> Floats:
    """Return the expected risk 1/F of the rows of classes, by sampling weights.

    A class has f rows in the sample, whose weights sum to F'. Given f, the number F of
    such people in the population is taken as negative binomial with p = f / F', as
    Benedetti and Franconi (1998) do; the risk is the mean of 1/F,

    ``(p^f / f) 2F1(f, f; f + 1; 1 - p)  =  (p / f) 2F1(1, 1; f + 1; 1 - p)``,

    exactly, not by its expansion for large f. The ``sizes`` are f, at least 1;
    ``people`` is F'. Where that is below f, the sample is taken as the whole class: the
    risk is 1/f.

    >>> [round(float(r), 4) for r in individual_risk(
    ...     np.array([1, 1, 2]), np.array([1.0, 100.0, 40.0]))]
    [1.0, 0.0465, 0.0443]
    """
    f = sizes.astype(np.float64)
    p = np.minimum(f / np.maximum(people, f), 1.0)
    return np.asarray(p / f * hyp2f1(1.0, 1.0, f + 1.0, 1.0 - p), np.float64)


# Special uniques: the least sets of columns on which a row is like no other (SUDA).


@dataclass(frozen=True, eq=False)
class SpecialUniques:
    """Minimal unique sets of rows.

    A set of columns is a minimal unique set of a row if the row is the only one with
    its values there, and of no smaller part of the set that is true.

    The score of a row (Elliot and others 2005) is the sum over its minimal unique sets
    of s columns of ``(d - s) (d - s - 1) .. (d - m)``, where d is the number of columns
    and m = min(most, d - 1). The more sets, and the smaller they are, the higher:
    smaller sets are in more sets that tell the row.
    """

    most: int  # columns of the largest sets that were looked at
    # how many minimal unique sets there are of 1, 2, .. columns
    by_size: tuple[int, ...]
    by_column: tuple[int, ...]  # how many of them each column is in
    scores: Floats  # by row: its score

    @property
    def rows(self) -> int:
        """How many rows have such a set."""
        return int((self.scores > 0).sum())

    def worst(self, count: int) -> list[int]:
        """Return the rows of the greatest scores, the first one first.

        There are ``count`` of them at most.
        """
        order = np.argsort(-self.scores, kind="stable")[:count]
        return [int(row) for row in order if self.scores[row] > 0]

    def as_json(self) -> dict[str, Any]:
        """Return the figures under their names in results."""
        return {
            "most": self.most,
            "sets": list(self.by_size),
            "rows": self.rows,
            "highest": float(self.scores.max(initial=0.0)),
            "worst": [row + 1 for row in self.worst(10)],
        }


def special_uniques(
    columns: Sequence[Int32s], cardinalities: Sequence[int], most: int
) -> SpecialUniques:
    """Find all minimal unique sets of up to ``most`` columns, for every row.

    ``columns`` are codes of the rows by column, ``cardinalities`` how many codes each
    has.

    One grouping of the distinct rows for each set of columns; a row that is unique on
    a set is so on all that contain it, so that the sets of one column fewer tell what
    is minimal. A million rows by eight columns take about 4 s for sets of three.

    >>> a, b = np.array([0, 1, 1], np.int32), np.array([0, 0, 1], np.int32)
    >>> found = special_uniques([a, b], [2, 2], 2)
    >>> found.by_size, found.scores.tolist()
    ((2, 1), [1.0, 1.0, 1.0])
    """
    d = len(columns)
    top = min(most, max(d - 1, 1))
    types = group_by(columns, cardinalities)
    codes = [np.ascontiguousarray(column[types.first]) for column in columns]
    alone = np.flatnonzero(types.counts == 1)
    scores = np.zeros(len(alone))
    by_size, by_column = [], [0] * d
    before: dict[tuple[int, ...], Bools] = {}
    for size in range(1, min(most, d) + 1):
        weight = float(prod(d - i for i in range(size, top + 1)))
        now: dict[tuple[int, ...], Bools] = {}
        found = 0
        for chosen in combinations(range(d), size):
            widths = [cardinalities[j] for j in chosen]
            groups = group_by([codes[j] for j in chosen], widths)
            # Rows that are alone have values here that no other has.
            unique = np.asarray(groups.counts[groups.inverse[alone]] == 1, np.bool_)
            minimal = unique.copy()
            for part in combinations(chosen, len(chosen) - 1):
                if part:
                    minimal &= ~before[part]
            many = int(minimal.sum())
            found += many
            for column in chosen:
                by_column[column] += many
            scores[minimal] += weight
            now[chosen] = unique
        by_size.append(found)
        before = now
    rows = np.zeros(len(types.inverse))
    rows[types.first[alone]] = scores
    return SpecialUniques(min(most, d), tuple(by_size), tuple(by_column), rows)


@dataclass(frozen=True)
class Risk:
    """The risk of a table as it is.

    >>> rows = [["f", "30", "a"], ["f", "40", "a"], ["m", "30", "a"], ["m", "30", "b"]]
    >>> table = Table.from_rows(["sex", "age", "ill"], rows, ["sex", "age"], ["ill"])
    >>> risk = risk_of(table)
    >>> risk.classes.uniques, risk.classes.smallest, risk.specials.by_size
    (2, 1, (1, 1))
    """

    qi: tuple[str, ...]  # the columns that an attacker is taken to know
    classes: ClassRisk  # rows that agree on them: what a prosecutor or marketer finds
    # what a journalist finds, who does not know who is in the table; None without a
    # population or weights
    population: PopulationRisk | None
    specials: SpecialUniques  # minimal unique sets of columns
    columns: tuple[Candidate, ...]  # all columns, the most telling first
    # what holds of the table: k and, with sensitive columns, l and its kin, as
    # ``verify`` measures them
    measures: dict[str, float | int | None]
    # what looks wrong in the choice of columns, in one line each
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the figures under their names in results."""
        population = self.population
        return {
            "qi": list(self.qi),
            **self.classes.as_json(),
            "journalist": None if population is None else population.as_json(),
            "special_uniques": {
                **self.specials.as_json(),
                "by_column": dict(zip(self.qi, self.specials.by_column, strict=True)),
            },
            "measures": self.measures,
            "columns": [each.as_json() for each in self.columns],
            "notes": list(self.notes),
        }


def risk_of(
    table: Table,
    *,
    weight: str | None = None,
    population: Table | None = None,
    most: int = 3,
    missing: Sequence[str | None] = (),
    notes: Sequence[str] = (),
) -> Risk:
    """Measure how well people are found in a table by its quasi-identifiers.

    Its QI and sensitive columns are named, and it is not counted. ``weight`` is a
    column of sampling weights: how many people each row stands for. ``population`` is a
    table of all people, with the quasi-identifiers among its columns. ``most`` is the
    columns of the largest special uniques, ``missing`` the texts that stand for no
    value, and ``notes`` say what is known to be wrong with the choice of columns.
    Raises TableError for a weight that is no positive number, a column that the
    population lacks, or a counted table.
    """
    if table.counts is not None:
        raise TableError(f"{table.name}: risk is measured of rows, not of counts")
    if weight is not None and population is not None:
        raise TableError(
            f"{table.name}: name a population or sampling weights, not both"
        )
    types = table.row_types
    columns = [table.column(c) for c in table.qi]
    found = None
    if population is not None:
        found = population_risk(table, Population(population))
    elif weight is not None:
        people = np.zeros(len(types))
        np.add.at(people, types.inverse, _weights(table, weight))
        risks = individual_risk(types.counts, people)
        found = PopulationRisk(types.counts, risks, estimated=True)
    # Of sensitive values l and its kin are measured, and t by equal distances.
    further = TCloseness.of(table, 1) if table.sensitive else None
    ranked = [c for c in table.names if c != weight]
    return Risk(
        table.qi,
        ClassRisk(types.counts),
        found,
        special_uniques(columns, table.qi_cardinalities, most),
        candidates(table, ranked, missing),
        dict(check_release(table, further).measures),
        tuple(notes),
    )


def _weights(table: Table, name: str) -> Floats:
    """Return the sampling weight of each row."""
    if name not in table.names:
        raise TableError(f"{table.name}: no column {name!r} of weights")
    values = []
    for text in table.dictionary(name):
        number = None if text is None else as_number(text)
        values.append(0.0 if number is None else float(number))
    weights = np.array(values)[table.column(name)]
    if not (weights > 0).all():
        row = int(np.argmax(~(weights > 0)))
        raise TableError(
            f"{table.name}: row {row + 1}: column {name!r}: expected a weight above 0, "
            f"got {table.cells(name)[row]!r}"
        )
    return weights
