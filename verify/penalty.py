"""The certainty penalty of a group by its definition, from the texts of its cells."""

from collections.abc import Sequence
from fractions import Fraction

from instances import Objective, Table
from instances.scales.scale import NumericScale, Scale, TaxonomyScale

Text = str | None


class Penalty:
    """Costs of groups for the objective ``gcp``, in its units.

    Nothing but texts, the paths of taxonomies and exact fractions is used.

    Examples
    --------
    >>> from instances import Scales
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["5"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> Penalty(table, objective).of([("1",), ("2",)]), objective.whole(table)
    (2, 12)
    """

    def __init__(self, table: Table, objective: Objective) -> None:
        self.scales = objective.scales_of(table).scales
        self.domains = [table.cells(column) for column in table.qi]
        self.weights = [objective.weights.get(column, 1) for column in table.qi]
        # What a penalty of 1 in a column of weight 1 costs a row.
        rows = table.n * sum(self.weights)
        self.unit = Fraction(objective.whole(table), rows or 1)

    def of(self, rows: Sequence[Sequence[Text]]) -> int:
        """Return what a group of these QI rows costs."""
        lost = sum(
            weight * _column(values, domain, scale)
            for weight, values, domain, scale in zip(
                self.weights,
                zip(*rows, strict=True),
                self.domains,
                self.scales,
                strict=True,
            )
        )
        cost = len(rows) * lost * self.unit
        if cost.denominator != 1:
            raise AssertionError(f"Expected a whole number of units, got {cost}.")
        return int(cost)


def _column(values: Sequence[Text], domain: Sequence[Text], scale: Scale) -> Fraction:
    """Return the NCP of a column."""
    if isinstance(scale, NumericScale):
        if set(values) & set(scale.missing):
            return Fraction(len(set(values)) > 1)
        width = _length([value for value in domain if value not in scale.missing])
        return _length(values) / width if width else Fraction(0)
    if len(set(values)) == 1:
        return Fraction(0)
    if isinstance(scale, TaxonomyScale):
        paths = {path[0]: path for path in scale.taxonomy.paths}
        own = [paths[value or ""] for value in values]
        lowest = next(node for node in own[0] if all(node in path for path in own))
        leaves = sum(lowest in path for path in paths.values())
        return Fraction(leaves - scale.others, len(paths) - scale.others)
    return Fraction(1)


def _length(values: Sequence[Text]) -> Fraction:
    numbers = [Fraction(value or "") for value in values]
    return max(numbers) - min(numbers)
