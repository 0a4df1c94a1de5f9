"""Non-homogeneous releases by taxonomies: each record climbs trees of its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from heuristics.nonhomogeneous.auction import Ints
from heuristics.nonhomogeneous.charges import MOST_LAYERS, Charges
from heuristics.nonhomogeneous.layers import masks_without
from heuristics.nonhomogeneous.problem import Problem
from heuristics.nonhomogeneous.rematching import rematched
from instances import NotSupportedError, Table
from instances.taxonomy import Taxonomy

_UNIT = 64  # parts of the loss of a cell that is published as the root
_MOST_MASKS = 4000


@dataclass(frozen=True, eq=False)
class Climbed:
    """Nodes in place of values.

    Attributes
    ----------
    mates
        Layers x n: the originals of each record, besides its own.
    nodes
        n x d: the published labels.
    gcp
        The mean loss of a cell: (leaves - 1) / (leaves of the root - 1).
    """

    mates: Ints
    nodes: npt.NDArray[np.object_]
    gcp: float


def climb(
    table: Table,
    k: int,
    taxonomies: Mapping[str, Taxonomy],
    solve: Callable[..., Ints] = rematched,
    seed: int = 0,
) -> Climbed:
    """Non-homogeneous k-anonymity by generalization along taxonomies (section 3.2.4).

    Two records differ in a *layer* for each step of a tree at which they have other
    nodes. What a record must hide of its originals is the union of such layers, so the
    methods for stars do this too; a column that has no taxonomy has one layer, the
    star.

    Parameters
    ----------
    table, k
        The problem; the trees have 31 steps together at most.
    taxonomies
        By QI column.
    solve
        ``rematched`` or ``two_phases``.
    seed
        Of random orders.

    Raises
    ------
    NotSupportedError
        More than 31 steps, or fewer than k rows.

    Examples
    --------
    >>> rows = [["cat"], ["dog"], ["rat"], ["hen"]]
    >>> table = Table.from_rows(["a"], rows, qi=["a"])
    >>> tree = Taxonomy.parse("{pet{cat,dog},farm{rat,hen}}")
    >>> climbed = climb(table, 2, {"a": tree})
    >>> climbed.nodes[:, 0].tolist(), round(climbed.gcp, 3)
    (['pet', 'pet', 'farm', 'farm'], 0.333)
    """
    if k > table.n:
        raise NotSupportedError(f"Expected at least {k} rows, got {table.n}.")
    trees = [_Tree.of(table, c, taxonomies.get(c)) for c in table.qi]
    steps = [tree.steps for tree in trees]
    if sum(steps) > MOST_LAYERS:
        raise NotSupportedError(
            f"Expected trees of at most {MOST_LAYERS} steps, got {sum(steps)}."
        )
    values = [table.column(c) for c in table.qi]
    mates = solve(_problem(table, trees, values, seed), k, seed=seed)
    cells = _cells(trees, values)
    masks = masks_without(cells, mates, -1)
    nodes, lost = np.empty((table.n, table.d), object), 0.0
    for a, (tree, shift) in enumerate(zip(trees, _shifts(steps), strict=True)):
        bits = masks >> shift & (1 << tree.steps) - 1
        level = np.log2(bits + 1).astype(np.int64)
        nodes[:, a] = tree.labels[values[a], level]
        lost += float(tree.loss[values[a], level].sum())
    return Climbed(mates, nodes, lost / table.n / table.d)


@dataclass(frozen=True, eq=False)
class _Tree:
    """For each value and level, from the value up to the root, node and loss."""

    labels: npt.NDArray[np.object_]
    loss: npt.NDArray[np.float64]

    @property
    def steps(self) -> int:
        return int(self.labels.shape[1]) - 1

    @classmethod
    def of(cls, table: Table, column: str, taxonomy: Taxonomy | None) -> "_Tree":
        values = [str(value) for value in table.dictionary(column)]
        if taxonomy is None:
            labels = np.array([[value, "*"] for value in values], object)
            return cls(labels, np.tile([0.0, 1.0], (len(values), 1)))
        if missing := set(values) - set(taxonomy.ancestors):
            raise NotSupportedError(
                f"{taxonomy.name}: expected {sorted(missing)[0]!r} among its leaves."
            )
        counts = dict(zip(taxonomy.labels, taxonomy.counts.tolist(), strict=True))
        paths = [(value, *taxonomy.ancestors[value]) for value in values]
        most = max(map(len, paths))
        # Short paths wait at the value, so that equal levels are equally near the root.
        full = [(path[0],) * (most - len(path)) + path for path in paths]
        widest = max(counts.values()) - 1 or 1
        loss = [[(counts[node] - 1) / widest for node in path] for path in full]
        return cls(np.array(full, object), np.array(loss))


def _problem(
    table: Table, trees: list[_Tree], values: list[Ints], seed: int
) -> Problem:
    shifts = _shifts([tree.steps for tree in trees])
    base = np.empty((table.n, len(trees)), np.int32)
    flat: list[npt.NDArray[np.int32]] = []
    begin = 0
    for a, tree in enumerate(trees):
        paid = np.zeros((len(tree.loss), 1 << tree.steps), np.int32)
        levels = np.arange(tree.steps + 1)
        paid[:, (1 << levels) - 1] = np.rint(_UNIT * tree.loss)
        base[:, a] = begin + (values[a] << tree.steps)
        flat.append(paid.ravel())
        begin += paid.size
    low = np.array([(1 << tree.steps) - 1 for tree in trees], np.int32)
    charges = Charges(shifts, low, base, np.concatenate(flat))
    masks = _masks(trees, values, shifts, seed)
    classes = np.zeros(table.n, np.int32)
    return Problem(_cells(trees, values), charges, masks, classes, _UNIT)


def _masks(
    trees: list[_Tree], values: list[Ints], shifts: Ints, seed: int
) -> npt.NDArray[np.int32]:
    """Levels for all columns, by their mean loss."""
    mean = [
        tree.loss[code].mean(axis=0) for tree, code in zip(trees, values, strict=True)
    ]
    sizes = [tree.steps + 1 for tree in trees]
    if np.prod(sizes, dtype=float) <= _MOST_MASKS:
        levels = np.array(list(product(*map(range, sizes))))
    else:
        rng = np.random.default_rng(seed)
        levels = rng.integers(0, sizes, (_MOST_MASKS, len(sizes)))
        levels[0], levels[1] = 0, np.array(sizes) - 1
        levels = np.unique(levels, axis=0)
    paid = sum(loss[levels[:, a]] for a, loss in enumerate(mean))
    masks = (((1 << levels) - 1) << shifts).sum(axis=1)
    order = np.lexsort((levels.sum(axis=1), paid))
    return np.asarray(masks[order], np.int32)


def _cells(trees: list[_Tree], values: list[Ints]) -> Ints:
    """n x layers: the node of each value at each level below the root."""
    columns = []
    for tree, code in zip(trees, values, strict=True):
        for level in range(tree.steps):
            _, number = np.unique(
                tree.labels[:, level].astype(str), return_inverse=True
            )
            columns.append(number[code])
    return np.ascontiguousarray(np.array(columns, np.int32).T)


def _shifts(steps: list[int]) -> Ints:
    return (np.cumsum(steps) - steps).astype(np.int32)
