"""Classes of rows that look alike, and the risk that a row of each is linked."""

from dataclasses import dataclass
from typing import Any

from starmin.instances.arrays import Floats, Ints

SIZES = (2, 3, 5, 10, 20)  # a row is told to be in a class of fewer rows than these


@dataclass(frozen=True, eq=False)
class ClassRisk:
    """How many rows look alike, and how well an attacker links them.

    Examples
    --------
    >>> import numpy as np
    >>> risk = ClassRisk(np.array([1, 1, 4]))
    >>> risk.rows, risk.uniques, risk.smallest, risk.average, risk.below(3)
    (6, 2, 1, 0.5, 2)
    """

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
    """How well rows are linked by someone who does not know who is in the table.

    Examples
    --------
    >>> import numpy as np
    >>> risk = PopulationRisk(np.array([1, 2]), np.array([0.5, 0.1]), False)
    >>> risk.highest, round(risk.expected, 6)
    (0.5, 0.7)
    """

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
