"""The pattern formulation with persons in the place of rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import (
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    MaxShare,
    NotSupportedError,
    Objective,
    Persons,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.releases.objective import MOST_EXACT
from starmin.instances.requirements.group_stats import exact
from starmin.instances.scales.scales import Scales
from starmin.models.patterns.common_patterns import Fitting, Listing, list_patterns
from starmin.models.solvers.program import (
    INF,
    Columns,
    Program,
    Rows,
    at_least,
    linked,
    supported,
)

# What is dealt to groups where persons count: persons, or their different rows.


@dataclass(frozen=True, eq=False)
class Items:
    """Rows that are alike in all that counts, and hang together where persons do.

    Where all rows of a person are in one group an item is a person; else it is all rows
    of a person that are alike in quasi-identifiers and sensitive values.
    """

    unit: Int32s  # the person, or household, of each
    places: Int32s  # m x d, the positions of its quasi-identifiers
    copies: Ints  # how many rows it has
    values: tuple[Bools, ...]  # by sensitive column which values it has: m x values
    of_row: Int32s  # the item of each row
    whole: bool  # whether its rows have to be in one group

    def __len__(self) -> int:
        return len(self.unit)

    @classmethod
    def of(cls, table: Table, asked: Persons, scales: Scales) -> "Items":
        """Return the items of a table; the scales say how columns are generalized."""
        names: tuple[str, ...] = (asked.column,)
        if not asked.whole:
            names = (asked.column, *table.qi, *table.sensitive)
        sizes = [len(table.dictionary(column)) for column in names]
        found = group_by([table.column(column) for column in names], sizes)
        unit = group_by(
            [table.column(asked.column)], [len(table.dictionary(asked.column))]
        )
        values = []
        for column in table.sensitive:
            has = np.zeros((found.size, len(table.dictionary(column))), bool)
            has[found.inverse, table.column(column)] = True
            values.append(has)
        return cls(
            unit.inverse[found.first],
            scales.row_positions(table)[found.first],
            found.counts,
            tuple(values),
            found.inverse,
            asked.whole,
        )


# The patterns that enough persons fit, as a list.


def list_person_patterns(
    table: Table,
    asked: Persons,
    objective: Objective,
    items: Items,
    most: int,
    check: Callable[[], None] = lambda: None,
) -> Listing:
    """List the patterns that at least ``asked.least`` persons fit.

    In columns that rows of a household share while others are their own a node need not
    be the lowest of those who fit: it must serve all rows of the household.
    """
    if objective.whole(table) // max(1, table.n) > MOST_EXACT:
        raise NotSupportedError(
            "Expected losses of a row of at most 2^53 units, got more."
        )
    shared = set() if asked.whole else set(asked.alike)
    lowest = np.array([column not in shared for column in table.qi])
    places, one = items.places.astype(np.int64), np.ones(len(items), np.int64)
    unit = items.unit.astype(np.int64)
    persons = Fitting(places, places, one, asked.least, unit, "person")
    return list_patterns(table, objective, persons, lowest, most, check)


_COUNTED = (KAnonymity, LDiversity, DistinctDiversity, MaxShare)


@dataclass(frozen=True, eq=False)
class PersonProgram:
    r"""Which rows are published as which pattern, so that enough persons are.

    For each pattern p and item i that fits it, :math:`x_{ip}` rows of i are published
    as p; :math:`y_p` says whether there are any, :math:`u_{hp}` whether a person h is
    among them.

    .. math::

        \min \sum_{ip} cost_p x_{ip} \quad \text{subject to} \quad
        & \sum_p x_{ip} = s_i, \qquad x_{ip} \le s_i y_p, \\
        & u_{hp} \le \sum_{i \in h} x_{ip}, \qquad u_{hp} \le y_p, \qquad
          \sum_h u_{hp} \ge K y_p

    with K persons that every group has. Where all rows of a person are in one group, an
    item is a person, x is 0 or 1 and costs its rows, and u is x.

    *Diversity.* By frequency, :math:`g_{hvp} \ge x_{ip} / s_i` says whether h has the
    value v there, and :math:`l \sum_h g_{hvp} \le \sum_h u_{hp}`. For distinct values
    :math:`d_{vp} \le \sum x_{ip}` over items with v, :math:`d_{vp} \le y_p`, and
    :math:`\sum_v d_{vp} \ge l y_p`.

    *Columns that a household shares.* :math:`z_{ha}` says whether a is what h publishes
    in them: :math:`\sum_{p : a} x_{ip} = s_i z_{ha}` for all of its items i.

    Right sides aside it is that of ``starmin.models.pattern_program.pattern_program``,
    and exact as that is: the rows that a release publishes alike satisfy the rows of
    their pattern.
    """

    table: Table
    asked: Persons
    items: Items
    listing: Listing

    def __post_init__(self) -> None:
        for part in self.asked.inner.parts:
            if not isinstance(part, _COUNTED):
                raise NotSupportedError(
                    f"Expected no {type(part).__name__} of persons, got one."
                )

    @cached_property
    def shared_part(self) -> Ints | None:
        """For each pattern what it publishes in columns that a household shares."""
        asked = self.asked
        if asked.whole or not asked.alike:
            return None
        at = [self.table.qi.index(column) for column in asked.alike]
        _, part = np.unique(self.listing.nodes[:, at], axis=0, return_inverse=True)
        return np.asarray(part.reshape(-1), np.int64)

    @cached_property
    def _persons(self) -> tuple[Ints, Ints, Ints]:
        """The pairs of a person and a pattern: of each x its pair, and both parts."""
        unit = self.items.unit[self.listing.item].astype(np.int64)
        pairs = group_by(
            [self.listing.pattern, unit], [self._patterns, int(unit.max()) + 1]
        )
        of_x = pairs.inverse.astype(np.int64)
        return of_x, unit[pairs.first], self.listing.pattern[pairs.first]

    @property
    def _patterns(self) -> int:
        return len(self.listing.cost)

    def program(self) -> Program:
        """Return the program: x, then y, then the others as blocks need them."""
        made = Columns()
        listing, items = self.listing, self.items
        copies = items.copies[listing.item]
        cost = listing.cost[listing.pattern]
        most = np.ones_like(copies) if items.whole else copies
        x = made.add(len(copies), cost * copies if items.whole else cost, most)
        y = made.add(self._patterns)
        dealt = most_of(items)
        blocks = [
            Rows.of(len(dealt), dealt, dealt, (listing.item, x, 1)),
            linked(x, y[listing.pattern], most),
        ]
        of_x, _, of_pattern = self._persons
        u = x
        if not items.whole:
            u = made.add(len(of_pattern), integer=False)
            blocks += [supported(u, of_x, x), linked(u, y[of_pattern])]
        of_u = listing.pattern if items.whole else of_pattern
        blocks.append(at_least(of_u, u, y, self.asked.least))
        for has in items.values:
            blocks += self._diverse(made, has, x, y, u, of_u)
        blocks += self._alike(made, x)
        return made.program(blocks)

    def _diverse(
        self, made: Columns, has: Bools, x: Ints, y: Ints, u: Ints, of_u: Ints
    ) -> Iterator[Rows]:
        """Visit the rows that diversity in one sensitive column asks for."""
        listing, items = self.listing, self.items
        entry, value = np.nonzero(has[listing.item])
        pattern, unit = listing.pattern[entry], items.unit[listing.item[entry]]
        sizes = [self._patterns, has.shape[1], int(items.unit.max()) + 1]
        of_value = group_by([pattern, value], sizes[:2])
        for part in self.asked.inner.parts:
            if isinstance(part, DistinctDiversity):
                d = made.add(of_value.size, integer=False)
                yield supported(d, of_value.inverse, x[entry])
                yield linked(d, y[pattern[of_value.first]])
                yield at_least(pattern[of_value.first], d, y, part.l)
            elif isinstance(part, LDiversity | MaxShare):
                share = 1 / exact(part.l) if isinstance(part, LDiversity) else None
                share = exact(part.alpha) if isinstance(part, MaxShare) else share
                assert share is not None
                each = group_by([pattern, value, unit], sizes)
                g = made.add(each.size, integer=False)
                copies = 1 if items.whole else items.copies[listing.item[entry]]
                yield linked(x[entry], g[each.inverse], copies)
                row = of_value.inverse[each.first]
                rows = pattern[of_value.first]
                of_row, of_person = _pairs_of(rows, of_u)
                yield Rows.of(
                    *(of_value.size, -INF, 0),
                    (row, g, share.denominator),
                    (of_row, u[of_person], -share.numerator),
                )

    def _alike(self, made: Columns, x: Ints) -> Iterator[Rows]:
        """Visit the rows that keep what a household shares alike."""
        part = self.shared_part
        if part is None:
            return
        listing, items = self.listing, self.items
        shown, parts = part[listing.pattern], int(part.max()) + 1
        unit = items.unit[listing.item]
        households = group_by([unit, shown], [int(items.unit.max()) + 1, parts])
        z = made.add(households.size)
        both = group_by([listing.item, shown], [len(items), parts])
        # An item has to fit what its household publishes; if it does not, z is 0.
        fits = np.bincount(households.inverse[both.first], minlength=households.size)
        needs = np.bincount(items.unit)[unit[households.first]]
        copies, own = items.copies[listing.item[both.first]], np.arange(both.size)
        shows = z[households.inverse[both.first]]
        yield Rows.of(both.size, 0, 0, (both.inverse, x, 1), (own, shows, -copies))
        stuck = np.flatnonzero(fits < needs)
        each = np.arange(len(stuck))
        yield Rows.of(len(stuck), 0, 0, (each, z[stuck], 1))


def most_of(items: Items) -> Floats:
    """Return how often each item is dealt."""
    return np.ones(len(items)) if items.whole else items.copies.astype(np.float64)


def _pairs_of(rows: Ints, of_u: Ints) -> tuple[Ints, Ints]:
    """Return by row of a pattern the persons of that pattern, as pairs."""
    order = np.argsort(of_u, kind="stable")
    starts = np.searchsorted(of_u[order], rows)
    ends = np.searchsorted(of_u[order], rows, side="right")
    lengths = ends - starts
    offsets = np.arange(lengths.sum()) - np.repeat(
        np.cumsum(lengths) - lengths, lengths
    )
    return (
        np.repeat(np.arange(len(rows)), lengths),
        order[np.repeat(starts, lengths) + offsets],
    )
