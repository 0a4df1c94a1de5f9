"""The certainty penalty of a group by its definition, from the texts of its cells."""

from collections.abc import Sequence
from fractions import Fraction
from math import floor, gcd, lcm

from starmin.instances import Objective, Table
from starmin.instances.scales.floors import Cap
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import Layout, Scale, TaxonomyScale
from starmin.verify.cells.readings import NUMBERS, Reading
from starmin.verify.cells.time_cells import reading_of_scale

Text = str | None
ZERO = Fraction(0)
_PARTS = 2**32  # that lengths are counted in where numbers are too fine


class Penalty:
    """Costs of groups for the objective ``gcp``, in its units.

    Nothing but texts, the paths of taxonomies and exact fractions is used.

    >>> from starmin.instances import Scales
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
        self._known: dict[tuple[int, frozenset[Text]], Fraction] = {}

    def allows(self, rows: Sequence[Sequence[Text]]) -> bool:
        """Return whether a group of these QI rows needs no node above its level."""
        columns = zip(zip(*rows, strict=True), self.scales, strict=True)
        return all(_low_enough(values, scale) for values, scale in columns)

    def of(self, rows: Sequence[Sequence[Text]]) -> int:
        """Return what a group of these QI rows costs."""
        columns = enumerate(zip(*rows, strict=True))
        lost = sum((self._lost(j, frozenset(values)) for j, values in columns), ZERO)
        cost = len(rows) * lost * self.unit
        if cost.denominator != 1:
            raise AssertionError(f"Expected a whole number of units, got {cost}.")
        return int(cost)

    def _lost(self, j: int, values: frozenset[Text]) -> Fraction:
        """Return what a row loses in column j of a group that has these values."""
        known = self._known.get((j, values))
        if known is None:
            lost = _column(sorted(values, key=str), self.domains[j], self.scales[j])
            known = self._known[j, values] = self.weights[j] * lost
        return known


def _low_enough(values: Sequence[Text], scale: Scale) -> bool:
    """Return whether some node up to the highest level covers the values."""
    top = scale.layout.max_level
    if top is None or len(set(values)) == 1:
        return True
    paths, above = _paths(scale.layout)
    node = set.intersection(*(set(above[value or ""]) for value in values))
    beneath = [path for path in paths if node & set(path)]
    # A node is as high as it is above any of its leaves.
    return any(
        all(each in path[: top + 1] for path in beneath if each in path)
        for each in node
    )


def _column(values: Sequence[Text], domain: Sequence[Text], scale: Scale) -> Fraction:
    """Return the NCP of a column."""
    if isinstance(scale, NumericScale):
        if set(values) & set(scale.layout.missing):
            return Fraction(len(set(values)) > 1)
        if scale.cap is not None:
            return _capped(values, scale, scale.cap)
        known = [value for value in domain if value not in scale.layout.missing]
        reading = reading_of_scale(scale, known)
        low, high = _ends(values, scale.step, reading)
        if len(set(values)) == 1:
            return Fraction(0)
        if scale.width.most is not None and high - low > Fraction(scale.width.most):
            return Fraction(1)
        first, last = _ends(known, scale.step, reading)
        if not scale.layout.by_length or first == last:
            return Fraction(0)
        least = Fraction(scale.width.least or 0)
        shares = [each / (last - first) for each in (low - first, high - first, least)]
        if _too_fine(known, scale.step, least, reading):
            shares = [Fraction(floor(share * _PARTS), _PARTS) for share in shares]
        return max(shares[1] - shares[0], shares[2])
    if isinstance(scale, TaxonomyScale):
        paths, above = _paths(scale.layout)
        own = [above[value or ""] for value in values]
        lowest = next(node for node in own[0] if all(node in path for path in own))
        return _node(lowest, paths, scale)
    return Fraction(len(set(values)) > 1)


def _paths(layout: Layout) -> tuple[Sequence[Sequence[str]], dict[str, Sequence[str]]]:
    """Return the paths of the whole tree, and from each node the one to the root."""
    paths = () if layout.whole is None else layout.whole.paths
    return paths, {node: path[i:] for path in paths for i, node in enumerate(path)}


def _capped(values: Sequence[Text], scale: NumericScale, cap: Cap) -> Fraction:
    """Return the NCP of a column where a top and a bottom stand for many numbers."""
    first, last = _ends((cap.least, cap.greatest), scale.step, NUMBERS)
    ends = list[tuple[Fraction, Fraction]]()
    alone = len(set(values)) == 1
    for value in values:
        if value == cap.texts[0]:
            top = max(_number(cap.top), _number(cap.least))
            ends.append((top, last))
        elif value == cap.texts[1]:
            bottom = min(_number(cap.bottom), _number(cap.greatest))
            ends.append((first, bottom))
        else:
            ends.append(_ends([value], None if alone else scale.step, NUMBERS))
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    too_long = scale.width.most is not None and high - low > Fraction(scale.width.most)
    if not alone and (too_long or set(cap.texts) <= set(values)):
        return Fraction(1)
    if not scale.layout.by_length or first == last:
        return Fraction(0)
    length = high - low if alone else max(high - low, Fraction(scale.width.least or 0))
    return length / (last - first)


def _node(node: str, paths: Sequence[Sequence[str]], scale: TaxonomyScale) -> Fraction:
    """Return what a node loses."""
    root = paths[0][-1]
    if sum(node in path for path in paths) == 1:
        return Fraction(0)
    if scale.rule == "stars":
        return Fraction(all(node in path for path in paths))
    if scale.rule is None:
        losses = dict(zip(scale.taxonomy.labels, scale.losses.tolist(), strict=True))
        return Fraction(losses[node], losses[root])
    leaves, one = sum(node in path for path in paths), scale.rule == "granularity"
    return Fraction(leaves - one, len(paths) - one)


def _ends(
    values: Sequence[Text], step: str | None, reading: Reading
) -> tuple[Fraction, Fraction]:
    """Return the ends of a range of these numbers or times, rounded outwards."""
    found = [ends for ends in map(reading.ends, values) if ends is not None]
    least, greatest = min(low for low, _ in found), max(high for _, high in found)
    if step is not None:
        least, greatest = reading.rounded((least, greatest), step)
    return Fraction(least), Fraction(greatest)


def _too_fine(
    known: Sequence[Text], step: str | None, least: Fraction, reading: Reading
) -> bool:
    """Return whether no unit makes all ends whole numbers up to 2^53."""
    first, last = _ends(known, step, reading)
    ends = {end - first for value in known for end in _ends([value], step, reading)}
    parts = lcm(*(end.denominator for end in ends | {least}))
    unit = gcd(*(int(end * parts) for end in ends | {least}))
    return (last - first) * parts > unit * 2**53


def _number(value: Text) -> Fraction:
    return Fraction((value or "").replace(",", "."))
