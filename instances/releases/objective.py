"""What a release is charged for: stars, suppressed tuples or lost precision (GCP)."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from starmin.instances import arguments
from starmin.instances.arguments import Option
from starmin.instances.arrays import Bools, Floats, Int32s, IntArray, Ints
from starmin.instances.errors import NotSupportedError
from starmin.instances.releases.objective_kinds import (
    OBJECTIVES,
    ObjectiveKind,
    ObjectiveName,
)
from starmin.instances.scales.node_losses import LOSS_RULES
from starmin.instances.scales.scales import Scales
from starmin.instances.tables.row_types import canonical_order
from starmin.instances.tables.table import Table, expect_qi

LOSS = Option(
    "loss",
    str,
    "What --objective gcp counts of a category: "
    + "; ".join(f"{rule.name}, {rule.help}" for rule in LOSS_RULES.values())
    + "; or a file with the losses of the categories, its header `column,node,loss`. "
    "[default: ncp]",
    metavar="RULE|FILE.csv",
    is_file=True,
)
WEIGHTS = Option(
    "weights",
    str,
    "Cost of a star by column, whole numbers; 1 where not named.",
    metavar="COLUMN=W,..",
    key="cost",
    key_type=int,
)
KEEP = Option(
    "keep", str, "Columns that must not be starred.", metavar="A,B,..", key="keep"
)
MOST_WEIGHT = 1_000_000  # so that sums of them are exact in floating point
MOST_EXACT = 2**53  # whole numbers up to this are exact in floating point


@dataclass(frozen=True)
class Objective:
    """The number to minimise, always an integer.

    Parameters
    ----------
    kind
        ``stars``: a row pays the weights of its starred columns; ``tuples``: a row
        pays 1 if it has a star at all; ``gcp``: a row pays the weighted NCP of its
        group, in units that make all costs whole numbers: ``whole(table)`` of them
        are a global certainty penalty of 1.
    weights
        Cost of a star by QI column, whole numbers from 0 to a million; columns not
        named cost 1.
    keep
        QI columns that must not be starred or generalized.
    scales
        For ``gcp``: how columns are generalized; default: by stars alone.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "0"]], qi=["a", "b"])
    >>> objective = Objective(weights={"b": 3})
    >>> objective.row_costs(table, np.array([[True, True], [False, False]])).tolist()
    [4, 0]
    """

    options: ClassVar[tuple[Option, ...]] = (LOSS, WEIGHTS, KEEP)

    kind: ObjectiveName = "stars"
    weights: Mapping[str, int] = field(default_factory=dict)
    keep: tuple[str, ...] = ()
    scales: Scales | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        arguments.expect_choice("objective", self.kind, OBJECTIVES)
        arguments.expect_kind("weights", self.weights, Mapping, " (cost by column)")
        object.__setattr__(self, "keep", arguments.expect_names("keep", self.keep))
        arguments.expect_kind("scales", self.scales, (Scales, type(None)))
        given = self.weights.items()
        weights = {c: arguments.expect_whole(f"weight of {c}", w) for c, w in given}
        object.__setattr__(self, "weights", weights)
        for column, weight in weights.items():
            if not 0 <= weight <= MOST_WEIGHT:
                raise ValueError(
                    f"Expected weights from 0 to {MOST_WEIGHT}, "
                    f"got {column} = {weight}."
                )
        if self.weights and not self.declared.weighted:
            raise ValueError(f"Column weights are not for the objective {self.kind!r}.")
        if not self.by_node and self.scales is not None:
            raise ValueError("Scales are for the objective 'gcp' only.")

    def __str__(self) -> str:
        """Return the objective as people read it.

        >>> str(Objective(weights={"zip": 3}, keep=("sex", "age")))
        'stars (weights zip=3; keep sex, age)'
        """
        parts = []
        if self.weights:
            costs = (f"{column}={weight}" for column, weight in self.weights.items())
            parts.append(f"weights {', '.join(costs)}")
        if self.keep:
            parts.append(f"keep {', '.join(self.keep)}")
        return self.kind + (f" ({'; '.join(parts)})" if parts else "")

    @property
    def declared(self) -> ObjectiveKind:
        """What its kind states."""
        return OBJECTIVES[self.kind]

    @property
    def by_node(self) -> bool:
        """Whether cells cost what their nodes lose, as for ``gcp``."""
        return self.declared.by_node

    @property
    def by_star(self) -> bool:
        """Whether each star costs its weight, as for ``stars``."""
        return not self.declared.by_node and self.declared.cap is None

    @property
    def once(self) -> bool:
        """Whether a row pays once, however many stars it has, as for ``tuples``.

        Raises NotSupportedError: some rows pay for several stars, but not for all:
        whoever asks knows no such cap.
        """
        cap = self.declared.cap
        if cap is not None and (cap > 1 or self.weights):
            raise NotSupportedError(
                f"Expected an objective without a cap of {cap} a row, got {self.kind}."
            )
        return cap is not None

    def check(self, table: Table) -> None:
        """Raise TableError where a weight or a kept column is not a QI column."""
        expect_qi(table, self.weights, "has a weight")
        expect_qi(table, self.keep, "is to be kept")
        if self.scales is not None:
            self.scales.check(table)

    def column_weights(self, table: Table) -> Ints:
        """Return the cost of a star in each QI column."""
        return np.array([self.weights.get(c, 1) for c in table.qi], np.int64)

    def kept(self, table: Table) -> Bools:
        """Return which QI columns must not be starred."""
        return np.array([c in self.keep for c in table.qi], bool)

    @property
    def roofs(self) -> Mapping[str, Int32s]:
        """By column with a highest level: by code the highest node that it may have."""
        return {} if self.scales is None else self.scales.roofs

    def apart(
        self, table: Table, columns: Collection[str] | None = None
    ) -> list[Int32s]:
        """Return arrays by row: rows that differ in one may not share a group.

        For columns to be kept their values; for trees with a highest level the highest
        nodes that may be published. ``columns`` are looked at; default: all.
        """
        found = [*{c: table.column(c) for c in self.keep}.items()]
        found += [(c, roof[table.column(c)]) for c, roof in self.roofs.items()]
        return [of_row for c, of_row in found if columns is None or c in columns]

    def row_costs(self, table: Table, starred: Bools) -> Ints:
        """Return what a row pays under each row of ``starred`` (g x d).

        Raises ValueError for ``gcp``, which asks for ranges: see ``range_costs``.
        """
        if self.by_node:
            raise ValueError(f"Expected stars or tuples, got objective {self.kind!r}.")
        costs = np.asarray(starred.astype(np.int64) @ self.column_weights(table))
        cap = self.declared.cap
        return costs if cap is None else np.minimum(costs, cap)

    def charged(self, table: Table, differ: Bools) -> tuple[Bools, Ints]:
        """Return where rows differ, by columns that are charged, and their costs.

        ``differ`` is by two rows, or whatever is starred where it differs, and QI
        column. Where a row pays once, a single column stands for all of them.
        """
        if self.once:
            return np.any(differ, axis=-1, keepdims=True), np.ones(1, np.int64)
        return differ, self.column_weights(table)

    def node_costs(self, table: Table, nodes: IntArray) -> Ints:
        """Return what a row pays under each vector of nodes (g x d), but for tuples.

        Examples
        --------
        >>> table = Table.from_rows(["a", "b"], [["0", "0"], ["1", "2"]], ["a", "b"])
        >>> STARS.node_costs(table, np.array([[0, -1], [-1, -1]])).tolist()
        [1, 2]
        """
        scales = self.scales_of(table)
        extents = scales.extents(*scales.spans(nodes))
        return np.asarray(extents @ np.array(self.units(table), np.int64))

    def scales_of(self, table: Table) -> Scales:
        """Return how columns are generalized; by stars alone where nothing is said."""
        return Scales.of(table) if self.scales is None else self.scales

    def vectors_above(self, table: Table) -> int:
        """Return how many vectors of nodes a row can be published as, at most."""
        sizes = [scale.nodes_above for scale in self.scales_of(table).scales]
        kept = self.kept(table).tolist()
        return math.prod(1 if keep else n for n, keep in zip(sizes, kept, strict=True))

    def whole(self, table: Table) -> int:
        """Return what publishing nothing costs: ``value / whole`` is a release's GCP.

        For stars and tuples their greatest number, by weights.
        """
        units, domains = self.units(table), self.scales_of(table).domains.tolist()
        row: int = sum(unit * full for unit, full in zip(units, domains, strict=True))
        cap = self.declared.cap
        return table.n * (row if cap is None else min(row, cap))

    def shown(self, table: Table, value: int | None) -> int | float | None:
        """Return a value or bound as people read it: of ``gcp`` a share of 1."""
        if value is None or not self.by_node:
            return value
        return value / max(1, self.whole(table))

    def units(self, table: Table) -> list[int]:
        """Return for ``gcp`` what a row pays in each column for an extent of 1."""
        domains = self.scales_of(table).domains.tolist()
        common = math.lcm(*domains)
        weights = self.column_weights(table).tolist()
        return [w * (common // full) for w, full in zip(weights, domains, strict=True)]

    def range_prices(self, table: Table) -> Floats:
        """Return for ``gcp`` in loops: the units, or -1 for columns to be kept.

        Where sums of units would not be exact in floating point the prices are weights
        divided by domains instead, so that the NCP of a row is their sum.
        """
        units = self.units(table)
        if self.whole(table) <= MOST_EXACT:
            prices = np.array(units, np.float64)
        else:
            domains = self.scales_of(table).domains
            prices = self.column_weights(table) / domains
        prices[self.kept(table)] = -1
        return prices

    def range_costs(
        self, table: Table, sizes: Ints, low: IntArray, high: IntArray
    ) -> int:
        """Return for ``gcp`` what groups of these sizes and ranges pay.

        ``low`` and ``high``, g x d, are the least and the greatest position of each.
        """
        extents = self.scales_of(table).extents(low, high)
        cost = 0
        for j, unit in enumerate(self.units(table)):
            column = extents[:, j]
            wide = int(sizes.sum()) * int(column.max()) > MOST_EXACT
            kind = object if wide else np.int64
            cost += unit * int(sizes.astype(kind) @ column.astype(kind))
        return cost


STARS = Objective()
TUPLES = Objective("tuples")
GCP = Objective("gcp")


# Suppressed tuples of a table as the stars of another one.


def tuples_as_stars(table: Table, objective: Objective) -> tuple[Table, Objective]:
    """Return a table whose releases have as many stars as this one's starred rows.

    Its first quasi-identifier has a value of its own for each row type, so that it is
    starred just where the rows of a group differ. Columns to be kept follow; they are
    to be kept there, too. Rows, sensitive columns and the canonical order of row types
    are the same. Equal values of the table are merged; the objective is tuples.

    >>> rows = [["1", "x"], ["2", "x"], ["2", "x"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> whole, stars = tuples_as_stars(table, Objective("tuples", keep=("b",)))
    >>> whole.rows()
    [('0', 'x'), ('1', 'x'), ('1', 'x')]
    >>> str(stars)
    'stars (keep b)'
    """
    types = table.row_types
    rank = np.empty(len(types), np.int32)
    rank[canonical_order(table, types)] = np.arange(len(types), dtype=np.int32)
    width = len(str(len(types) - 1))
    texts = tuple(f"{number:0{width}}" for number in range(len(types)))
    first = "row"
    while first in table.names:
        first += "'"
    kept = [column for column in table.qi if column in objective.keep]
    others = (*kept, *table.sensitive)
    codes = np.vstack([rank[types.inverse], *(table.column(c) for c in others)])
    dictionaries = (texts, *(table.dictionary(c) for c in others))
    whole = Table(
        (first, *others), codes, dictionaries, (first, *kept), table.sensitive
    )
    return whole, Objective(keep=tuple(kept))
