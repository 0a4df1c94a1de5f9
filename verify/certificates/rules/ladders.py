"""What each row type may publish of a column, level by level, and what that costs."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances import Objective, Table
from starmin.instances.arrays import Ints
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import Scale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale
from starmin.verify.beyond import BeyondError
from starmin.verify.certificates.patterns.nodes_above import ancestors


class Ladder(NamedTuple):
    """A column: nodes and costs, types x levels.

    Level 0 is the value itself, the last one hides it. A value with fewer nodes above
    it than others has several levels.
    """

    nodes: Ints
    costs: Ints

    @property
    def last(self) -> int:
        """The level that hides."""
        return int(self.nodes.shape[1]) - 1


def ladders(
    table: Table, objective: Objective, codes: npt.NDArray[np.integer]
) -> list[Ladder]:
    """Return the levels of each column.

    Parameters
    ----------
    table, objective
        The problem.
    codes
        Types x columns.

    Raises
    ------
    BeyondError
        A column is published as any range, or not above some level.
    """
    if not objective.by_node:
        weights = objective.column_weights(table).tolist()
        size = [len(table.dictionary(column)) for column in table.qi]
        return [
            _stars(codes[:, j].astype(np.int64), size[j], weights[j])
            for j in range(table.d)
        ]
    found = []
    units = objective.units(table)
    for j, scale in enumerate(objective.scales_of(table).scales):
        positions = scale.positions[codes[:, j]].astype(np.int64)
        if not isinstance(scale, TaxonomyScale):
            if isinstance(scale, NumericScale):
                raise BeyondError("rules are not checked for free ranges of numbers")
            found.append(_stars(positions, scale.size, units[j]))
            continue
        if scale.max_level is not None:
            raise BeyondError("rules are not checked for highest levels")
        if units[j] * scale.domain >= 1 << 55:
            raise BeyondError("its losses are too large to be added")
        nodes = _rising(scale)[:, positions].T
        found.append(Ladder(nodes, units[j] * scale.losses[nodes]))
    return found


def _stars(values: Ints, size: int, cost: int) -> Ladder:
    nodes = np.stack([values, np.full_like(values, size)], axis=1)
    return Ladder(nodes, np.tile(np.array([0, cost], np.int64), (len(values), 1)))


def _rising(scale: Scale) -> Ints:
    """Return for each level the node that each position is below.

    Of nodes above the same values all but the lowest are left out, and nodes above all
    values but for the root.
    """
    assert isinstance(scale, TaxonomyScale)
    falling, counts = ancestors(scale), scale.taxonomy.counts
    own = list[list[int]]()
    for leaf in range(scale.size):
        path = [leaf]
        for node in falling[1:, leaf][::-1].tolist():
            if counts[path[-1]] < counts[node] < scale.size:
                path.append(node)
        own.append([*path, int(falling[0, leaf])])
    most = max(map(len, own))
    wide = [[path[0]] * (most - len(path)) + path for path in own]
    return np.array(wide, np.int64).T
