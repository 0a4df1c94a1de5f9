"""The pattern formulation with persons or households in the place of rows."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import (
    STARS,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    Limit,
    MaxShare,
    NotSupportedError,
    Objective,
    Partition,
    Persons,
    Requirement,
    Result,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.releases.nested_partition import NestedPartition, coarsest_blocks
from starmin.instances.releases.objective import MOST_EXACT
from starmin.instances.requirements.group_stats import exact
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.runs.search_control import Pace
from starmin.instances.scales.scales import Scales
from starmin.models.pattern_variants import PERSON_ILP
from starmin.models.patterns.common_patterns import Fitting, Listing, list_patterns
from starmin.models.patterns.patterns import places_in
from starmin.models.solvers.mip_search import solve_program
from starmin.models.solvers.program import (
    INF,
    Columns,
    Numbers,
    PatternColumns,
    Program,
    Rows,
    linked,
)

MAX_INCIDENCES = 300_000


@dataclass(frozen=True, eq=False)
class Items:
    """Rows that are alike in all that counts, and hang together where persons do.

    Where all rows of a person are in one group an item is a person; else it is all rows
    of a person that are alike in quasi-identifiers and sensitive values.
    """

    table: Table
    asked: Persons  # where rows of a person hang together, all of them are in one group
    unit: Int32s  # the person, or household, of each
    places: Int32s  # m x d, the positions of its quasi-identifiers
    copies: Ints  # how many rows it has
    values: tuple[Bools, ...]  # by sensitive column which values it has: m x values
    of_row: Int32s  # the item of each row

    def __len__(self) -> int:
        return len(self.unit)

    @classmethod
    def of(cls, table: Table, asked: Persons, scales: Scales) -> "Items":
        """Return the items of a table."""
        names: tuple[str, ...] = (asked.column,)
        if not asked.whole:
            names = (asked.column, *table.qi, *table.sensitive)
        found, unit = table.grouped(names), table.grouped(names[:1])
        values = []
        for column in table.sensitive:
            has = np.zeros((found.size, *table.sizes([column])), bool)
            has[found.inverse, table.column(column)] = True
            values.append(has)
        units, places = unit.inverse[found.first], scales.row_positions(table)
        dealt = units, places[found.first], found.counts, tuple(values), found.inverse
        return cls(table, asked, *dealt)


def list_person_patterns(
    items: Items, objective: Objective, most: int, pace: Pace
) -> Listing:
    """List the patterns that at least ``asked.least`` persons fit, ``most`` pairs.

    In columns that rows of a household share while others are their own a node need not
    be the lowest of those who fit: it must serve all rows of the household.
    """
    table, asked = items.table, items.asked
    if objective.whole(table) // max(1, table.n) > MOST_EXACT:
        raise NotSupportedError(
            "Expected losses of a row of at most 2^53 units, got more."
        )
    shared = set() if asked.whole else set(asked.alike)
    lowest = np.array([column not in shared for column in table.qi])
    places, one = items.places.astype(np.int64), np.ones(len(items), np.int64)
    unit = items.unit.astype(np.int64)
    persons = Fitting(places, places, one, asked.least, unit, "person")
    return list_patterns(table, objective, persons, lowest, most, pace)


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

    items: Items
    listing: Listing

    def __post_init__(self) -> None:
        for part in self.items.asked.inner.parts:
            if not isinstance(part, _COUNTED):
                raise NotSupportedError(
                    f"Expected no {type(part).__name__} of persons, got one."
                )

    @cached_property
    def shared_part(self) -> Ints | None:
        """For each pattern what it publishes in columns that a household shares."""
        asked, qi = self.items.asked, self.items.table.qi
        if asked.whole or not asked.alike:
            return None
        at = [qi.index(column) for column in asked.alike]
        _, part = np.unique(self.listing.nodes[:, at], axis=0, return_inverse=True)
        return np.asarray(part.reshape(-1), np.int64)

    def program(self) -> Program:
        """Return the program: x, then y, then the others as blocks need them."""
        listing, items, asked = self.listing, self.items, self.items.asked
        copies = items.copies[listing.item]
        most, weight = (1, copies) if asked.whole else (copies, 1)
        times = np.where(asked.whole, 1.0, items.copies)
        dealt = listing.pattern, listing.item, listing.cost
        made = PatternColumns(*dealt, times, most, weight)
        y = made.add(made.count)
        made.rows.append(made.only(y))
        u, of_u = made.x, made.pattern
        if asked.whole:
            made.rows.append(made.enough(y, asked.least))
        else:
            persons = made.pairs(items.unit[listing.item])
            u, of_u = made.add(len(persons.pattern), integer=False), persons.pattern
            made.rows += made.different(u, persons, y, asked.least)
        for has in items.values:
            self._diverse(made, has, y, u, of_u)
        made.rows += self._alike(made, made.x)
        return made.program()

    def _diverse(
        self, made: PatternColumns, has: Bools, y: Ints, u: Ints, of_u: Numbers
    ) -> None:
        """Add what diversity in one sensitive column asks for."""
        listing, items = self.listing, self.items
        entry, value = np.nonzero(has[listing.item])
        of_value, unit = made.pairs(value, entry), items.unit[listing.item[entry]]
        for part in items.asked.inner.parts:
            if isinstance(part, DistinctDiversity):
                d = made.add(len(of_value.pattern), integer=False)
                made.rows += made.different(d, of_value, y, part.l)
            elif isinstance(part, LDiversity | MaxShare):
                share = 1 / exact(part.l) if isinstance(part, LDiversity) else None
                share = exact(part.alpha) if isinstance(part, MaxShare) else share
                assert share is not None
                each = group_by([of_value.number, unit])
                g = made.add(each.size, integer=False)
                copies = 1 if items.asked.whole else items.copies[listing.item[entry]]
                of_row, of_person = _pairs_of(of_value.pattern, of_u)
                made.rows += [
                    linked(made.x[entry], g[each.inverse], copies),
                    Rows.of(
                        *(len(of_value.pattern), -INF, 0),
                        (of_value.number[each.first], g, share.denominator),
                        (of_row, u[of_person], -share.numerator),
                    ),
                ]

    def _alike(self, made: Columns, x: Ints) -> Iterator[Rows]:
        """Visit the rows that keep what a household shares alike."""
        part = self.shared_part
        if part is None:
            return
        listing, items = self.listing, self.items
        shown, unit = part[listing.pattern], items.unit[listing.item]
        households = group_by([unit, shown])
        z = made.add(households.size)
        both = group_by([listing.item, shown])
        # An item has to fit what its household publishes; if it does not, z is 0.
        fits = np.bincount(households.inverse[both.first], minlength=households.size)
        needs = np.bincount(items.unit)[unit[households.first]]
        copies, own = items.copies[listing.item[both.first]], np.arange(both.size)
        shows = z[households.inverse[both.first]]
        yield Rows.of(both.size, 0, 0, (both.inverse, x, 1), (own, shows, -copies))
        stuck = np.flatnonzero(fits < needs)
        each = np.arange(len(stuck))
        yield Rows.of(len(stuck), 0, 0, (each, z[stuck], 1))

    def release(self, whole: Ints) -> Partition:
        """Return the groups of a point: rows of one pattern."""
        listing, items = self.listing, self.items
        dealt = whole[: len(listing.item)]
        if items.asked.whole:
            dealt = dealt * items.copies[listing.item]
        order = np.lexsort((listing.pattern, listing.item))
        labels = np.empty(len(items.of_row), np.int64)
        rows: Ints = np.argsort(items.of_row, kind="stable")
        labels[rows] = np.repeat(listing.pattern[order], dealt[order])
        groups = Partition.from_labels(labels).groups
        if (part := self.shared_part) is None:
            return Partition(groups)
        blocks, shared = Partition.from_labels(part[labels]), items.asked.alike
        return NestedPartition(groups, blocks=blocks.groups, shared=shared)


def _pairs_of(rows: Numbers, of_u: Numbers) -> tuple[Ints, Ints]:
    """Return by row of a pattern the persons of that pattern, as pairs."""
    order = np.argsort(of_u, kind="stable")
    starts = np.searchsorted(of_u[order], rows)
    ends = np.searchsorted(of_u[order], rows, side="right")
    places = order[places_in(starts, ends - starts)]
    return np.repeat(np.arange(len(rows)), ends - starts), places


def person_ilp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    """Solves k-anonymity and diversity exactly where persons or households count.

    The formulation is that of ``PersonProgram`` over all patterns that enough persons
    fit, solved as it is: rows of a person may be parted, or are in one group, or are
    alike in the columns that a household shares. The requirement is ``Persons`` of
    k-anonymity, frequency or distinct diversity and caps on shares, one or several.
    There is no certificate: what is proven is the solver's word. Raises
    NotSupportedError for another requirement, or where there are more than 300,000
    pairs of a pattern and a person.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Persons
    >>> rows = [["1", "p"], ["1", "p"], ["2", "q"], ["2", "r"]]
    >>> table = Table.from_rows(["a", "id"], rows, qi=["a"])
    >>> person_ilp(table, Persons.of(table, KAnonymity(2), "id")).value
    4
    """
    run = Run(table, requirement, objective, time_limit, display, PERSON_ILP)
    asked = of_kind(requirement, Persons)
    if asked is None:
        raise NotSupportedError("Expected a requirement of persons, got another one.")

    def search() -> Limit | None:
        run.offer(initial or coarsest_blocks(table, requirement, objective))
        run.check_time()
        items = Items.of(table, asked, objective.scales_of(table))
        listing = list_person_patterns(items, objective, MAX_INCIDENCES, run.pace())
        program = PersonProgram(items, listing)
        made = program.program()
        return solve_program(run, made, PERSON_ILP.name, program.release, seed=seed)

    return run.carry_out(search)
