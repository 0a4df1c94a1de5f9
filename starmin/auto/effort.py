"""How large the pattern formulation of a problem is, for the time there is."""

from dataclasses import dataclass

from models.distinct.reduction import has_prices, least_distinct, to_be_placed
from starmin.auto.problem import Problem
from starmin.auto.rules import RULES


@dataclass(frozen=True)
class Effort:
    """What the rules ask of the size of a problem.

    Parameters
    ----------
    large
        Whether the search starts from the release of fast heuristics.
    pairs
        Pairs of a row type and a pattern, divided by the seconds there are; 0 where the
        table is not large.
    priced
        Whether multipliers replace the linear relaxation, which is too large.
    slow
        Whether there is no time for ``pattern_ilp``.
    """

    large: bool
    pairs: float
    priced: bool
    slow: bool

    @classmethod
    def of(cls, problem: Problem) -> "Effort":
        """Measure a problem."""
        table, requirement, objective, _ = problem
        large = table.n >= RULES.large_rows and objective.kind != "tuples"
        pairs = _pairs_per_second(problem) if large else 0.0
        most, priced = RULES.pairs_per_second, False
        if pairs > most and not problem.of_losses:
            priced = has_prices(requirement, len(table.sensitive))
        if priced:
            most = RULES.priced_pairs_per_second
        return cls(large, pairs, priced, pairs > most)


def _pairs_per_second(problem: Problem) -> float:
    """Divide the size of the pattern formulation by the seconds there are."""
    table, requirement, objective, _ = problem
    types = table.sensitive_types if table.sensitive else table.row_types
    size = len(types)
    if least_distinct(requirement) > 1:
        size = int(to_be_placed(types, requirement).sum())
    vectors = objective.vectors_above(table)
    return size * float(vectors) / max(problem.seconds, 1e-9)
