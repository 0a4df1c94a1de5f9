"""List the patterns that enough of something fits: persons, or classes as a whole."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import IntArray, NotSupportedError, Objective, Table, group_by
from starmin.instances.arrays import Bools, Ints
from starmin.instances.runs.search_control import Pace
from starmin.instances.scales.scale import Scale
from starmin.models.patterns.patterns import places_in

MOST_PAIRS = 20_000_000  # of a pattern and what fits it, while columns are added
_MOST_NODES = 3_000  # of a column
_FEW_PAIRS = 20_000  # take no longer than fewer


@dataclass(frozen=True, eq=False)
class Fitting:
    """What is dealt to patterns: where it begins and ends, and what is enough of it.

    One fits a node that covers both of its ends.
    """

    low: Ints  # m x d: the least and the greatest position in each column
    high: Ints
    weight: Ints  # how much each counts, where all of them are added up
    least: int  # how much of it a pattern has
    # whose weights are not added up, where several are of one: the person of each
    unit: Ints | None = None
    name: str = "class"  # what a message calls it

    def enough(self, pattern: IntArray, item: IntArray, patterns: int) -> Bools:
        """Return by pattern whether what fits it is enough."""
        if self.unit is not None:
            units = self.unit[item]
            pairs = group_by([pattern, units], [patterns, int(self.unit.max()) + 1])
            pattern, item = pattern[pairs.first], item[pairs.first]
        rows = np.bincount(pattern, self.weight[item], patterns)
        return np.asarray(rows >= self.least, bool)


@dataclass(frozen=True, eq=False)
class Listing:
    """Patterns, and the items that fit each."""

    nodes: Ints  # P x d
    cost: Ints  # of a row in each pattern
    # pattern, item: the pairs of a pattern and an item that fits it, by pattern
    pattern: Ints
    item: Ints

    @cached_property
    def start(self) -> Ints:
        """Where the pairs of each pattern begin, and the last ones end."""
        return np.searchsorted(self.pattern, np.arange(len(self.cost) + 1))


def list_patterns(
    table: Table,
    objective: Objective,
    fitting: Fitting,
    lowest: Bools | None = None,
    most: int = MOST_PAIRS,
    pace: Pace | None = None,
) -> Listing:
    """List the patterns that enough fits.

    Column after column each pair of a pattern begun and an item is continued by all
    nodes that cover the item. A pattern is left out where all that fit have a lower
    node in common than the one chosen: with that node the same items cost no more.
    ``lowest`` says in which columns; None: in all.

    ``pace`` raises where there is no time for a column; None: there is. Raises
    NotSupportedError where there are more than ``most`` pairs, or a column has more
    than 3,000 nodes.
    """
    scales, kept = objective.scales_of(table).scales, objective.kept(table)
    item = np.arange(len(fitting.weight))
    pattern, nodes = np.zeros(len(item), np.int64), np.zeros((1, 0), np.int64)
    low, high = fitting.low, fitting.high
    pace = pace or Pace()
    for j, scale in enumerate(scales):
        alike = _below_roofs(table, objective, j)
        numbers, first, option = _options(low[:, j], high[:, j], scale, kept[j], alike)
        many = np.diff(first)[item]
        _expect(many.sum(), MOST_PAIRS, fitting)
        if not many.sum():
            pattern, item, nodes = pattern[:0], item[:0], nodes[:0]
            break
        with pace.step(max(int(many.sum()), _FEW_PAIRS)):
            at = places_in(first[item], many)
            pattern, item = np.repeat(pattern, many), np.repeat(item, many)
            found = group_by([pattern, option[at]], [len(nodes), len(numbers)])
            new = numbers[option[at[found.first]]]
            begun = np.column_stack([nodes[pattern[found.first]], new])
            wanted = fitting.enough(found.inverse, item, found.size)
            order = np.argsort(found.inverse, kind="stable")
            starts = np.searchsorted(found.inverse[order], np.arange(found.size))
            for c in range(j + 1):
                if lowest is None or lowest[c]:
                    least = np.minimum.reduceat(low[item[order], c], starts)
                    greatest = np.maximum.reduceat(high[item[order], c], starts)
                    wanted &= scales[c].nodes(least, greatest) == begun[:, c]
            order = order[wanted[found.inverse[order]]]
            pattern = (np.cumsum(wanted) - 1)[found.inverse[order]]
            item, nodes = item[order], begun[wanted]
    _expect(len(pattern), most, fitting)
    nodes = nodes if len(nodes) else np.zeros((0, table.d), np.int64)
    return Listing(nodes, _costs(table, objective, nodes), pattern, item)


def _expect(pairs: int, most: int, fitting: Fitting) -> None:
    if pairs > most:
        raise NotSupportedError(
            f"Expected at most {most:,} pairs of a pattern and a {fitting.name}, got "
            "more; publish fewer quasi-identifiers, or coarser ones."
        )


def _below_roofs(table: Table, objective: Objective, j: int) -> Ints | None:
    """Return by position the node that it stays below; None: any."""
    roofs = {} if objective.scales is None else objective.scales.roofs
    if (own := roofs.get(table.qi[j])) is None:
        return None
    scale, codes = objective.scales_of(table).scales[j], table.column(table.qi[j])
    by_place = np.zeros(scale.size, np.int64)
    by_place[scale.positions[codes]] = own[codes]
    return by_place


def _options(
    low: Ints, high: Ints, scale: Scale, kept: bool, roof: Ints | None
) -> tuple[Ints, Ints, Ints]:
    """Return the nodes of a column, and for each item those that cover it."""
    places = np.unique(np.concatenate([low, high]))
    if len(places) > _MOST_NODES:
        raise NotSupportedError(
            f"Expected at most {_MOST_NODES:,} values of a column, got {len(places):,}."
        )
    one, other = np.triu_indices(len(places))
    if kept:
        one = other = np.arange(len(places))
    begin, end = places[one], places[other]
    if roof is not None:
        alike = roof[begin] == roof[end]
        begin, end = begin[alike], end[alike]
    numbers = np.unique(scale.nodes(begin, end))
    if len(numbers) > _MOST_NODES:
        raise NotSupportedError(
            f"Expected at most {_MOST_NODES:,} nodes of a column, got {len(numbers):,}."
        )
    begins, ends = scale.spans(numbers)
    both = np.column_stack([low, high])
    ranges, of_range = np.unique(both, axis=0, return_inverse=True)
    covers: Bools = (begins <= ranges[:, :1]) & (ends >= ranges[:, 1:])
    of_range = of_range.reshape(-1)
    many = covers.sum(axis=1)
    first = np.concatenate([[0], np.cumsum(many)])
    _, options = np.nonzero(covers)
    lengths = many[of_range]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return numbers, starts, options[places_in(first[of_range], lengths)]


def _costs(table: Table, objective: Objective, nodes: Ints) -> Ints:
    """Return what a row pays in each pattern."""
    if len(nodes) == 0:
        return np.zeros(0, np.int64)
    if not objective.once:
        return objective.node_costs(table, nodes)
    low, high = objective.scales_of(table).spans(nodes)
    return np.asarray((low != high).any(axis=1), np.int64)
