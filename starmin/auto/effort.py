"""How large the pattern formulation of a problem is, for the time there is."""

from dataclasses import dataclass

from starmin.auto.rules import RULES
from starmin.auto.task import Task
from starmin.models.distinct.distinct_reduction import has_prices, to_be_placed


@dataclass(frozen=True)
class Effort:
    """What the rules ask of the size of a problem.

    Parameters
    ----------
    large
        Whether the search starts from the release of fast heuristics.
    pairs
        Of a row type and a pattern; 0 where the table is not large.
    rate
        These, divided by the seconds there are.
    priced
        Whether multipliers replace the linear relaxation, which is too large.
    slow
        Whether there is no time for ``pattern_ilp``.
    """

    large: bool
    pairs: float
    rate: float
    priced: bool
    slow: bool

    @classmethod
    def of(cls, task: Task) -> "Effort":
        """Measure a problem."""
        table, requirement, objective = task.table, task.requirement, task.objective
        large = table.n >= RULES.large_rows and not objective.once
        pairs = _pairs(task) if large else 0.0
        rate = pairs / max(task.seconds, 1e-9)
        most, priced = RULES.pairs_per_second, False
        if rate > most and not task.of_losses:
            priced = has_prices(requirement, len(table.sensitive))
        if priced:
            most = RULES.priced_pairs_per_second
        return cls(large, pairs, rate, priced, rate > most)


def _pairs(task: Task) -> float:
    """Count the pairs of the pattern formulation, at most."""
    table, requirement, objective = task.table, task.requirement, task.objective
    types = table.sensitive_types if table.sensitive else table.row_types
    size = len(types)
    if requirement.core.distinct > 1:
        size = int(to_be_placed(types, requirement).sum())
    return size * float(objective.vectors_above(table))
