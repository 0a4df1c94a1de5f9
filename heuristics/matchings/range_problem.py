"""The problem for losses by generalization: layers are the steps of trees."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from starmin.heuristics.matchings.charges import MOST_LAYERS, Charges
from starmin.heuristics.matchings.mask_arrays import MaskArrays, classes_of
from starmin.instances import NotSupportedError, Objective, Table
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import Scale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale

_UNIT = 64  # Losses are counted in this fraction of that of a cell at the root.
_MOST_MASKS = 4000  # So many masks are tried.
_HALVINGS = 5  # A tree that stands for a column of numbers has so many steps at most.


def range_problem(table: Table, objective: Objective, seed: int = 0) -> MaskArrays:
    """Pose the publishing of taxonomies' nodes, ranges and stars (section 3.2.4).

    Two records differ in a *layer* for each step of a tree at which they have other
    nodes. What a record must hide of its originals is the union of such layers, so the
    methods for stars do this too; a column that has no taxonomy has one layer, the
    star. Numbers are searched by a tree of halved ranges; what is published is the
    range of the originals, and what is found is recounted by it.

    Raises
    ------
    NotSupportedError
        The trees have more than 31 steps together.

    Examples
    --------
    >>> from starmin.instances import Scales, Taxonomy
    >>> rows = [["cat"], ["dog"], ["rat"], ["hen"]]
    >>> table = Table.from_rows(["a"], rows, qi=["a"])
    >>> tree = Taxonomy.parse("{pet{cat,dog},farm{rat,hen}}")
    >>> objective = Objective("gcp", scales=Scales.of(table, (), {"a": tree}))
    >>> range_problem(table, objective).cells.tolist()
    [[0, 5], [1, 5], [2, 6], [3, 6]]
    """
    scales = objective.scales_of(table).scales
    trees = [_Tree.of(scale, _halvings(scales)) for scale in scales]
    steps = np.array([tree.steps for tree in trees])
    if steps.sum() > MOST_LAYERS:
        raise NotSupportedError(
            f"Expected trees of at most {MOST_LAYERS} steps, got {steps.sum()}."
        )
    weights = objective.column_weights(table)
    unit = _UNIT * weights / max(1, int(weights.max()))
    shifts = (np.cumsum(steps) - steps).astype(np.int32)
    values = [table.column(c) for c in table.qi]
    cells = np.concatenate(
        [tree.nodes[codes, :-1] for tree, codes in zip(trees, values, strict=True)], 1
    )
    losses = [each * tree.loss for each, tree in zip(unit, trees, strict=True)]
    return MaskArrays(
        np.ascontiguousarray(cells, np.int32),
        _charges(losses, values, shifts),
        _masks(losses, values, shifts, objective.kept(table), seed),
        classes_of(table, objective),
        _UNIT,
    )


def _halvings(scales: tuple[Scale, ...]) -> int:
    """Return how many steps are left for each column of numbers."""
    numeric = sum(isinstance(scale, NumericScale) for scale in scales)
    others = 0
    for scale in scales:
        if isinstance(scale, TaxonomyScale):
            others += max(_depths(scale)) - 1
        else:
            others += not isinstance(scale, NumericScale)
    return max(1, min(_HALVINGS, (MOST_LAYERS - others) // max(1, numeric)))


def _depths(scale: TaxonomyScale) -> list[int]:
    """Return how many nodes each leaf's path has; a path may name one repeatedly."""
    tree = scale.taxonomy
    return [1 + len(tree.ancestors[leaf]) for leaf in tree.leaves]


@dataclass(frozen=True, eq=False)
class _Tree:
    """For each code and level, from the value up to the root, node and loss."""

    nodes: Ints
    loss: Floats

    @property
    def steps(self) -> int:
        return int(self.nodes.shape[1]) - 1

    @classmethod
    def of(cls, scale: Scale, halvings: int) -> "_Tree":
        """Make the tree of a scale; absent values are taken for the first."""
        at = np.maximum(scale.positions, 0).astype(np.int64)
        if isinstance(scale, TaxonomyScale):
            return cls._climbing(scale, at)
        if isinstance(scale, NumericScale):
            return cls._halved(scale, at, halvings)
        nodes = np.stack([at, np.zeros_like(at)], axis=1)
        return cls(nodes, np.tile([0.0, 1.0], (len(at), 1)))

    @classmethod
    def _climbing(cls, scale: TaxonomyScale, at: Ints) -> "_Tree":
        """Climb a taxonomy: short paths wait at the value, levels end at the root."""
        tree = scale.taxonomy
        depth = np.array(_depths(scale))[at]
        most, node, columns = int(depth.max(initial=2)), at.copy(), [at]
        for level in range(1, most):
            node = np.where(level > most - depth, tree.parents[node], node)
            columns.append(node)
        nodes = np.stack(columns, axis=1)
        return cls(nodes, scale.losses[nodes] / scale.domain)

    @classmethod
    def _halved(cls, scale: NumericScale, at: Ints, halvings: int) -> "_Tree":
        share = scale.values[at] / (scale.span + 1)
        levels = np.arange(1, halvings + 1)
        halves = np.floor(share[:, None] * 2.0 ** (halvings - levels))
        apart = at < len(scale.missing)
        halves[apart, :-1] = -1 - at[apart, None]
        nodes = np.concatenate([at[:, None], halves.astype(np.int64)], axis=1)
        loss = np.append(0.0, 2.0 ** (levels - halvings))
        return cls(nodes, np.tile(loss, (len(at), 1)))


def _charges(losses: list[Floats], values: list[Int32s], shifts: Int32s) -> Charges:
    base = np.empty((len(values[0]), len(losses)), np.int32)
    flat: list[Int32s] = []
    low, begin = [], 0
    for a, loss in enumerate(losses):
        levels = np.arange(loss.shape[1])
        steps = len(levels) - 1
        paid = np.zeros((len(loss), 1 << steps), np.int32)
        paid[:, (1 << levels) - 1] = np.rint(loss)
        low.append((1 << steps) - 1)
        base[:, a] = begin + (values[a] << steps)
        flat.append(paid.ravel())
        begin += paid.size
    return Charges(shifts, np.array(low, np.int32), base, np.concatenate(flat))


def _masks(
    losses: list[Floats],
    values: list[Int32s],
    shifts: Int32s,
    kept: Bools,
    seed: int,
) -> Int32s:
    """Return levels for all columns, by mean loss; the root last, if allowed."""
    mean = [loss[code].mean(axis=0) for loss, code in zip(losses, values, strict=True)]
    sizes = np.where(kept, 1, [len(each) for each in mean])
    if np.prod(sizes, dtype=float) <= _MOST_MASKS:
        levels = np.array(list(product(*map(range, sizes))))
    else:
        rng = np.random.default_rng(seed)
        levels = rng.integers(0, sizes, (_MOST_MASKS, len(sizes)))
        levels[0], levels[1] = 0, sizes - 1
        levels = np.unique(levels, axis=0)
    paid = sum(each[levels[:, a]] for a, each in enumerate(mean))
    masks = (((1 << levels) - 1) << shifts).sum(axis=1)
    order = np.lexsort((levels.sum(axis=1), paid))
    return np.asarray(masks[order], np.int32)
