"""What a table tells of the people in it, before anything is hidden."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from starmin.instances import Table, TableError, TCloseness, as_number
from starmin.instances.arrays import Floats
from starmin.instances.requirements.rules.population import Population
from starmin.verify.releases.release_check import check_release
from starmin.verify.risk.candidates import Candidate, candidates
from starmin.verify.risk.individual_risk import individual_risk
from starmin.verify.risk.people_covered import population_risk
from starmin.verify.risk.rows_alike import ClassRisk, PopulationRisk
from starmin.verify.risk.special_uniques import SpecialUniques, special_uniques


@dataclass(frozen=True)
class Risk:
    """The risk of a table as it is.

    Examples
    --------
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
    ranked = [c for c in table.names if c != weight]
    return Risk(
        table.qi,
        ClassRisk(types.counts),
        found,
        special_uniques(columns, table.qi_cardinalities, most),
        candidates(table, ranked, missing),
        _measures(table),
        tuple(notes),
    )


def _measures(table: Table) -> dict[str, float | int | None]:
    """Measure k and, of sensitive values, l and its kin, and t by equal distances."""
    further = TCloseness.of(table, 1) if table.sensitive else None
    return dict(check_release(table, further).measures)


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
