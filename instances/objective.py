"""What a release is charged for: stars or suppressed tuples."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from instances.errors import TableError
from instances.grouping import BoolArray
from instances.table import Table

MOST_WEIGHT = 1_000_000  # so that sums of them are exact in floating point


@dataclass(frozen=True)
class Objective:
    """The number to minimise, always an integer.

    Parameters
    ----------
    kind
        ``stars``: a row pays the weights of its starred columns; ``tuples``: a row
        pays 1 if it has a star at all.
    weights
        Cost of a star by QI column, whole numbers from 0 to a million; columns not
        named cost 1.
    keep
        QI columns that must not be starred.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "0"]], qi=["a", "b"])
    >>> objective = Objective(weights={"b": 3})
    >>> objective.row_costs(table, np.array([[True, True], [False, False]])).tolist()
    [4, 0]
    """

    kind: Literal["stars", "tuples"] = "stars"
    weights: Mapping[str, int] = field(default_factory=dict)
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for column, weight in self.weights.items():
            if not 0 <= weight <= MOST_WEIGHT:
                raise ValueError(
                    f"Expected weights from 0 to {MOST_WEIGHT}, "
                    f"got {column} = {weight}."
                )
        if self.kind == "tuples" and self.weights:
            raise ValueError("Column weights are for the objective 'stars' only.")

    def check(self, table: Table) -> None:
        """Raise TableError where a weight or a kept column is not a QI column."""
        self._check_columns(table, self.weights, "has a weight")
        self._check_columns(table, self.keep, "is to be kept")

    @staticmethod
    def _check_columns(table: Table, columns: Iterable[str], what: str) -> None:
        for column in columns:
            if column not in table.qi:
                known = ", ".join(table.qi)
                raise TableError(
                    f"{table.name}: column {column!r} {what} but is not a QI column; "
                    f"these are: {known}"
                )

    def column_weights(self, table: Table) -> npt.NDArray[np.int64]:
        """Cost of a star in each QI column."""
        return np.array([self.weights.get(c, 1) for c in table.qi], np.int64)

    def kept(self, table: Table) -> BoolArray:
        """Which QI columns must not be starred."""
        return np.array([c in self.keep for c in table.qi], bool)

    def row_costs(self, table: Table, starred: BoolArray) -> npt.NDArray[np.int64]:
        """What a row pays under each row of ``starred`` (g x d)."""
        if self.kind == "tuples":
            return np.asarray(starred.any(axis=1), np.int64)
        return np.asarray(starred.astype(np.int64) @ self.column_weights(table))


STARS = Objective()
TUPLES = Objective("tuples")
