"""The scales of all quasi-identifiers: positions to form groups by, and their NCP."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from starmin.instances.arguments import expect_kind, expect_names, expect_whole, nearest
from starmin.instances.arrays import Floats, Int32s, IntArray, Ints
from starmin.instances.errors import TableError
from starmin.instances.scales.floors import absent
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.node_losses import LOSS_RULES, Loss, Rule
from starmin.instances.scales.numbers import Width, expect_step
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import FlatScale, Scale, ScaleArrays, TaxonomyScale
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy, expect_trees
from starmin.instances.tables.grouping import COMPILED_FROM
from starmin.instances.tables.table import Table, expect_qi


@dataclass(frozen=True, eq=False)
class Scales:
    r"""How each QI column of a table is generalized, and what groups lose by it.

    The normalized certainty penalty of a group in column i is

    .. math:: \mathrm{NCP}_i(G) =
              \frac{\text{extent}_i(\min_G, \max_G)}{\text{domain}_i}

    with the length of a range of numbers, the leaves below the lowest common ancestor
    of the values (0 for a single one), or 1 for a star. It takes the least and the
    greatest position of a group, no more: taxonomies are numbered in leaf order.

    Where the table has floors (``Floors``), a single value of it loses what it stands
    for: a node of the tree, or the range from a top to the greatest number.

    Make them by :meth:`of`; they fit this table and parts of it made by
    ``Table.take``.

    References
    ----------
    J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu, Utility-based anonymization using
    local recoding, KDD 2006.

    Examples
    --------
    >>> table = Table.from_rows(["age", "pet", "sex"],
    ...     [["30", "cat", "f"], ["40", "dog", "f"], ["70", "rat", "m"]],
    ...     qi=["age", "pet", "sex"])
    >>> tree = Taxonomy.parse("{tame{cat,dog},rat}")
    >>> scales = Scales.of(table, ["age"], {"pet": tree})
    >>> positions = scales.type_positions(table)
    >>> positions.tolist()
    [[0, 0, 0], [1, 1, 0], [2, 2, 1]]
    >>> scales.ncp(positions[:1], positions[1:2]).round(2).tolist()
    [[0.25, 0.67, 0.0]]
    """

    columns: tuple[str, ...]
    scales: tuple[Scale, ...]

    @classmethod
    def of(
        cls,
        table: Table,
        numeric: Collection[str] = (),
        taxonomies: Mapping[str, Taxonomy] | None = None,
        missing: Collection[str | None] = MISSING,
        loss: Loss = "ncp",
        steps: Mapping[str, str] | None = None,
        max_levels: Mapping[str, int] | None = None,
        widths: Mapping[str, Width] | None = None,
        forms: Mapping[str, str] | None = None,
    ) -> "Scales":
        """Return a scale for each QI column.

        Raises TableError: a column is named that is not a QI column, or twice; a cell
        that is not a number or time, or not in its tree; a step, a width, a level or
        losses of a column that has none, or impossible ones.

        Parameters
        ----------
        numeric, taxonomies
            Columns of numbers or times, and trees over the values of others; all the
            rest are flat.
        missing
            What stands for a missing value: one that a tree does not have is a leaf of
            its own, below the root.
        loss
            Of a node of a tree: ``ncp``, its leaves as a share of all; ``granularity``,
            which leaves one leaf out of either number; ``stars``, where only a star
            loses something; or losses of their own by column and node
            (``node_losses.read_own_losses``), other columns by ``ncp``.
        steps, max_levels, widths, forms
            By column, as ``Coding`` has them.
        """
        expect_kind("table", table, Table)
        numeric = expect_names("numeric", numeric)
        trees = {} if taxonomies is None else expect_trees(taxonomies)
        own = {} if isinstance(loss, str) else loss
        rule: Rule = loss if isinstance(loss, str) else "ncp"
        steps, widths, max_levels = steps or {}, widths or {}, max_levels or {}
        forms = forms or {}
        _check_columns(table, numeric, trees)
        _expect_among("a step of rounding", steps, numeric, "is not numeric")
        _expect_among("a width of ranges", widths, numeric, "is not numeric")
        _expect_among("a format of times", forms, numeric, "is not numeric")
        _expect_among("a highest level", max_levels, trees, "has no hierarchy")
        _expect_among("losses", own, trees, "has no hierarchy")
        for column, level in max_levels.items():
            expect_whole(f"the highest level of {column}", level, 0)

        def scale(column: str) -> Scale:
            if column in numeric:
                step = expect_step(steps[column]) if column in steps else None
                told = not LOSS_RULES[rule].of_ranges, widths.get(column, Width())
                form = forms.get(column)
                return NumericScale.of(table, column, missing, step, *told, form)
            if column in trees:
                tree = trees[column].with_leaves(absent(table, column, missing))
                losses = own.get(column, rule)
                level = max_levels.get(column)
                return TaxonomyScale.of(table, column, tree, losses, level)
            return FlatScale.of(table, column)

        return cls(table.qi, tuple(scale(column) for column in table.qi))

    @property
    def items(self) -> list[tuple[str, Scale]]:
        """The columns with their scales."""
        return list(zip(self.columns, self.scales, strict=True))

    def as_json(self) -> dict[str, Any]:
        """Return by column what makes its scale; flat columns are left out.

        Of numbers the missing values that occur, step of rounding and width; of a tree
        its fingerprint, its loss (by rule, or node by node), and its highest level.
        Floors belong to the table; a tree is cut off at them.

        Examples
        --------
        >>> table = Table.from_rows(["a"], [["1"], ["?"]], qi=["a"])
        >>> Scales.of(table, ["a"]).as_json()
        {'a': {'scale': 'numeric', 'missing': ['?']}}
        """
        each = [(column, scale.as_json()) for column, scale in self.items]
        return {column: told for column, told in each if told}

    @cached_property
    def roofs(self) -> dict[str, Int32s]:
        """By column with a highest level: by code the highest node that it may have."""
        return {
            column: roofs[scale.positions]
            for column, scale in self.items
            if (roofs := scale.layout.roofs) is not None
        }

    @cached_property
    def domains(self) -> Ints:
        """For each column the extent of all that there is; at least 1."""
        return np.array([scale.domain for scale in self.scales], np.int64)

    def check(self, table: Table) -> None:
        """Raise ValueError where they are not the scales of this table."""
        sizes = tuple(len(scale.positions) for scale in self.scales)
        if self.columns != table.qi or sizes != table.qi_cardinalities:
            raise ValueError("Expected the table that the scales were made of.")

    def positions(self, codes: IntArray) -> Int32s:
        """Return the positions, m x d, of rows or row types by their codes, m x d."""
        found = np.empty(codes.shape, np.int32)
        for j, scale in enumerate(self.scales):
            found[:, j] = scale.positions[codes[:, j]]
        return found

    def type_positions(self, table: Table) -> Int32s:
        """Return the positions of the row types of a table, one row for each."""
        return self.positions(table.row_types.codes)

    def row_positions(self, table: Table) -> Int32s:
        """Return the positions of the rows of a table, n x d."""
        found = np.empty((table.n, table.d), np.int32)
        for j, (column, scale) in enumerate(self.items):
            found[:, j] = scale.positions[table.column(column)]
        return found

    def ranges(
        self, table: Table, groups: IntArray, count: int, rows: IntArray | None = None
    ) -> tuple[Int32s, Int32s]:
        """Return the least and the greatest position, each g x d, of each group.

        ``groups`` are those of ``rows``, by default of all: 0, 1, .. without gaps, of
        which there are ``count``.
        """
        low = np.empty((count, table.d), np.int32)
        high = np.empty((count, table.d), np.int32)
        large = table.n >= COMPILED_FROM
        order = groups if large else np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], np.arange(count)) if not large else None
        for j, (column, scale) in enumerate(self.items):
            places = scale.positions[table.column(column)]
            if rows is not None:
                places = places[rows]
            if starts is None:
                from starmin.instances.scales.scale_loops import group_ranges

                group_ranges(places, groups, low[:, j], high[:, j])
            else:
                low[:, j] = np.minimum.reduceat(places[order], starts)
                high[:, j] = np.maximum.reduceat(places[order], starts)
        return low, high

    def extents(self, low: IntArray, high: IntArray) -> Ints:
        """Return what groups lose in each column, g x d, in whole numbers."""
        columns = [s.extents(low[:, j], high[:, j]) for j, s in enumerate(self.scales)]
        return np.stack(columns, axis=1)

    def nodes(self, low: IntArray, high: IntArray) -> Int32s:
        """Return what groups are published as, g x d: see ``Scale.nodes``."""
        columns = [s.nodes(low[:, j], high[:, j]) for j, s in enumerate(self.scales)]
        return np.stack(columns, axis=1).astype(np.int32)

    def spans(self, nodes: IntArray) -> tuple[Int32s, Int32s]:
        """Return the least and the greatest position, each g x d, that nodes cover."""
        ends = [scale.spans(nodes[:, j]) for j, scale in enumerate(self.scales)]
        low, high = zip(*ends, strict=True)
        return (
            np.stack(low, axis=1).astype(np.int32),
            np.stack(high, axis=1).astype(np.int32),
        )

    def ncp(self, low: IntArray, high: IntArray) -> Floats:
        """Return the NCP of groups in each column, g x d, from 0 to 1."""
        shares: Floats = self.extents(low, high) / self.domains
        return shares

    @cached_property
    def arrays(self) -> ScaleArrays:
        """The scales for compiled loops."""
        each = [scale.layout for scale in self.scales]
        parts = list(zip(*(layout.as_arrays() for layout in each), strict=True))
        start = np.cumsum([0, *map(len, parts[0])])[:-1]
        kinds = np.array([layout.kind for layout in each], np.int8)
        return ScaleArrays(kinds, start.astype(np.int64), *map(np.concatenate, parts))


def _check_columns(
    table: Table, numeric: Collection[str], trees: Collection[str]
) -> None:
    """Raise TableError for a column that is no QI column, or declared twice."""
    for column in (*numeric, *trees):
        expect_qi(table, [column], "is declared numeric or has a hierarchy")
        if column in numeric and column in trees:
            raise TableError(
                f"{table.name}: column {column!r} is declared numeric and has a "
                "hierarchy; expected one of them"
            )


def _expect_among(
    what: str, columns: Collection[str], known: Collection[str], lacks: str
) -> None:
    """Raise TableError for a column that has a property of columns of another kind."""
    for column in columns:
        if column not in known:
            raise TableError(
                f"column {column!r} has {what} but {lacks}{nearest(column, known)}"
            )
