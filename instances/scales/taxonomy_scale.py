"""Values below the nodes of a taxonomy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from starmin.instances.arrays import Bools, Int32s, IntArray, Ints
from starmin.instances.errors import TableError
from starmin.instances.scales.floors import LeastLevel, no_leaf
from starmin.instances.scales.node_losses import Rule, own_losses, rule_losses
from starmin.instances.scales.scale import TREE, Layout, Scale
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
from starmin.instances.tables.table import Table


@dataclass(frozen=True, eq=False)
class TaxonomyScale(Scale):
    """Leaves of a tree: a set of them loses what their lowest ancestor loses.

    Positions are the numbers of leaves; those that do not occur count, too.

    >>> table = Table.from_rows(["a"], [["cat"], ["rat"], ["dog"]], qi=["a"])
    >>> tree = Taxonomy.parse("{pet{cat,dog},rat,owl}")
    >>> scale = TaxonomyScale.of(table, "a", tree)
    >>> scale.extents(np.array([0, 0, 0]), np.array([0, 1, 2])).tolist(), scale.domain
    ([0, 2, 4], 4)
    """

    taxonomy: Taxonomy  # the tree; with a floor, cut off there
    # by node, from 0 for all that stand for a single value; none loses more than the
    # node above it
    losses: Ints
    rule: Rule | None = "ncp"  # how they are found; None: they are the user's own
    # the highest level whose nodes are published; None: any
    max_level: int | None = None
    # the least level, of the whole tree; None: single values are published
    floor: LeastLevel | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        column: str,
        taxonomy: Taxonomy,
        loss: Rule | Mapping[str, Fraction] = "ncp",
        max_level: int | None = None,
    ) -> "TaxonomyScale":
        """Return the values of a column in the order of the leaves.

        The leaves of the tree are the values, or would be without a floor. ``loss`` is
        the rule of its losses, or the loss of each node; ``max_level`` is the highest
        level whose nodes are published, None: any. Raises TableError for a value that
        is not a leaf; losses that are none of this tree; another tree than that of the
        floor, or a highest level below it.
        """
        whole, floor = taxonomy, table.floors.get(column)
        if isinstance(floor, LeastLevel):
            if floor.taxonomy.fingerprint != whole.fingerprint:
                raise TableError(
                    f"{table.name}: column {column!r} has a floor in another hierarchy "
                    f"than {whole.name}"
                )
            if max_level is not None and max_level < floor.level:
                raise TableError(
                    f"column {column!r}: expected a highest level of at least "
                    f"{floor.level}, the least one, got {max_level}"
                )
            taxonomy = floor.cut
        else:
            floor = None
        texts = table.dictionary(column)
        number: dict[str | None, int] = {
            leaf: at for at, leaf in enumerate(taxonomy.leaves)
        }
        if "" not in texts and "" in number:  # so a file has to write a null
            number[None] = number[""]
        positions = np.array([number.get(text, -1) for text in texts], np.int32)
        if (positions < 0).any():
            for text in table.text_counts(column):
                if text not in number:
                    raise no_leaf(table, column, text, taxonomy)
        rule = loss if isinstance(loss, str) else None
        by_rule = isinstance(loss, str)
        losses = rule_losses(whole, loss) if by_rule else own_losses(whole, loss)
        if floor is not None:
            losses = losses[_places(taxonomy.labels, whole)]
        size = len(taxonomy.leaves)
        return cls(positions, size, taxonomy, losses, rule, max_level, floor)

    @cached_property
    def allowed(self) -> Bools:
        """Which nodes may be published: those up to the highest level, all leaves."""
        if self.max_level is None:
            return np.ones(len(self.taxonomy.labels), bool)
        levels = self.taxonomy.node_levels
        if self.floor is not None:
            whole = self.floor.taxonomy
            levels = whole.node_levels[_places(self.taxonomy.labels, whole)]
        return np.asarray((levels <= self.max_level) | (self.taxonomy.counts == 1))

    def lowest(self, low: IntArray, high: IntArray) -> Ints:
        return self.taxonomy.lowest_above(low, high)

    @cached_property
    def layout(self) -> Layout:
        tree = self.taxonomy
        return Layout(
            *(tree.parents, self.losses, tree.first, tree.last, self.allowed),
            places=np.arange(self.size),
            kind=TREE,
            tree=tree,
            whole=tree if self.floor is None else self.floor.taxonomy,
            max_level=self.max_level,
        )

    def charged(self, amount: Callable[[int], int]) -> Scale:
        losses = np.array([amount(each) for each in self.losses.tolist()], np.int64)
        return replace(self, losses=losses, rule=None)

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "scale": "taxonomy",
            "fingerprint": self.taxonomy.fingerprint,
            "loss": self.rule or self.losses.tolist(),
        }
        if self.max_level is not None:
            found["max_level"] = self.max_level
        return found

    def levels(self) -> list[Int32s]:
        """Count steps from the root; levels with a node that is barred are left out."""
        levels = [node for node in self.layout.path[::-1] if self.allowed[node].all()]
        return [node[self.positions].astype(np.int32) for node in levels]

    def level_losses(self, level: Int32s) -> Ints:
        return np.asarray(self.losses[level])


def _places(labels: tuple[str, ...], tree: Taxonomy) -> Ints:
    """Return the numbers of nodes in a tree by their names."""
    number = {label: node for node, label in enumerate(tree.labels)}
    return np.array([number[label] for label in labels], np.int64)
