"""Releases from fractional packings of pairs and triples."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from scipy import sparse

from starmin.instances import Certificate, Partition, RowTypes, Run
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.tables.row_types import canonical_order
from starmin.models.matching.group_costs import GroupCosts
from starmin.models.matching.pairs_and_triples import Groups, list_groups, matrix_of
from starmin.models.price_unit import exact_product
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.mip_search import solve_program, solve_small
from starmin.models.solvers.program import INF, Columns, Program, Rows

# The linear relaxation over pairs and triples, with columns and odd sets added.


class Relaxation:
    """A linear program: each row in one group, and odd sets cut by a group at least.

    Of the first ``groups`` a release can be made.
    Not to cut an odd set costs ``penalty``, which keeps the program feasible until the
    groups that are needed have been added, and the prices of odd sets below it.
    ``sets`` is the sparse matrix of odd sets and types; ``uses`` says how often the
    last solution uses each group, and ``prices`` and ``set_prices`` are its dual
    values: of types and of odd sets.
    """

    def __init__(self, groups: Groups, penalty: float) -> None:
        self.groups, self._penalty = groups, penalty
        self.sets = matrix_of([], len(groups.counts))
        self._column = np.arange(len(groups))
        self._columns = len(groups)
        self._solver = LinearSolver(packing_program(groups, groups.counts, self.sets))
        self.uses: Floats = np.zeros(len(groups))
        self.prices: Floats = np.zeros(len(groups.counts))
        self.set_prices: Floats = np.zeros(0)

    def solve(self, time_limit: float) -> bool:
        """Solve it; whether it was solved in time."""
        solution = self._solver.solve(time_limit)
        if solution is None:
            return False
        types = len(self.groups.counts)
        self.uses = solution.x[self._column]
        self.prices = solution.dual[:types]
        self.set_prices = np.maximum(solution.dual[types:], 0)
        return True

    def add_groups(self, groups: Groups) -> None:
        """Add columns that are not among the columns yet."""
        entries = sparse.hstack([groups.incidence(), groups.odd(self.sets)]).tocsr()
        self._solver.add_columns(groups.cost.astype(float), entries)
        self._column = np.append(self._column, self._columns + np.arange(len(groups)))
        self._columns += len(groups)
        self.groups = self.groups.join(groups)

    def add_sets(self, sets: Any) -> None:
        """Add odd sets, and for each a column that stands in for a group."""
        first, number = self.sets.shape[0], sets.shape[0]
        odd = self.groups.odd(sets).tocoo()
        one = np.ones(number)
        columns = self._column[odd.row]
        self._solver.add(Rows.of(number, 1, INF, (odd.col, columns, odd.data)))
        rows = len(self.groups.counts) + first + np.arange(number)
        shape = (number, len(self.groups.counts) + first + number)
        stand_ins = sparse.csr_array((one, (np.arange(number), rows)), shape=shape)
        self._solver.add_columns(self._penalty * one, stand_ins)
        self._columns += number
        self.sets = sparse.vstack([self.sets, sets]).tocsr()


def packing_program(groups: Groups, rows: Any, sets: Any) -> Program:
    """Return the integer program that packs so many rows of each type into groups.

    Its columns are the groups; ``rows`` is by type how many are to be packed, and
    ``sets`` the sparse matrix of odd sets and types.
    """
    entries, odd = groups.incidence().tocoo(), groups.odd(sets).tocoo()
    made = Columns()
    made.add(len(groups), groups.cost, INF)
    return made.program(
        (
            Rows.of(len(rows), rows, rows, (entries.col, entries.row, entries.data)),
            Rows.of(sets.shape[0], 1, INF, (odd.col, odd.row, odd.data)),
        )
    )


# Whole prices of row types and of odd sets, and what they prove.

# Dual values are fractions of small denominators: most are whole in units of 1/27720.
UNIT = 27_720
# No price is above this in size, nor all those of odd sets together: what a group is
# paid fits 64 bits.
_MOST_PRICE = 1 << 58


@dataclass(frozen=True, eq=False)
class Duals:
    """Prices of row types and of odd sets, in units of 1/27720."""

    prices: Ints  # for each row type
    sets: Any  # the sparse matrix of odd sets and types
    set_prices: Ints  # for each odd set, 0 or more

    @classmethod
    def of(cls, relaxation: Relaxation) -> Self:
        """Round the dual values of a relaxation; odd sets without a price are left."""
        prices = _whole(relaxation.prices, _MOST_PRICE)
        most = _MOST_PRICE // max(1, len(relaxation.set_prices))
        set_prices = _whole(relaxation.set_prices, most)
        used = np.flatnonzero(set_prices)
        return cls(prices, relaxation.sets[used], set_prices[used])

    @property
    def full_prices(self) -> Ints:
        """The price of each type with those of all odd sets that it is in."""
        return self.prices + np.asarray(self.sets.T @ self.set_prices, np.int64)

    def total(self, counts: Ints) -> int:
        """Return the bound that they prove if no group is paid more than it costs."""
        return exact_product(self.prices, counts) + int(self.set_prices.sum())

    def reduced_costs(self, groups: Groups) -> Ints:
        """Return what groups cost beyond what they are paid."""
        paid = (
            groups.incidence() @ self.prices + groups.odd(self.sets) @ self.set_prices
        )
        return np.asarray(groups.cost * UNIT - paid, np.int64)

    def list(self, run: Run, costs: GroupCosts, most: int) -> Groups | None:
        """List the groups with a reduced cost below ``most``; None if too many."""
        members = list_groups(
            costs, self.full_prices, UNIT, max(most, 0), run.check_time
        )
        if members is None:
            return None
        groups = Groups.of(costs, members, run.check_time)
        return groups.select(self.reduced_costs(groups) < most)

    def lowered(self, groups: Groups) -> "Duals":
        """Lower prices until none of these groups is paid more than it costs."""
        excess = np.maximum(-self.reduced_costs(groups), 0)
        prices = self.prices.copy()
        lower = np.zeros_like(prices)
        np.maximum.at(lower, groups.members[:, 0], excess)
        return Duals(prices - lower, self.sets, self.set_prices)

    def certificate(self, run: Run, types: RowTypes, bound: int) -> Certificate:
        """Return the certificate of a bound."""
        order = canonical_order(run.table, types)
        number = np.argsort(order)
        starts, members = self.sets.indptr, number[self.sets.indices]
        sets = [sorted(members[a:b].tolist()) for a, b in pairwise(starts.tolist())]
        data: dict[str, Any] = {
            "denominator": UNIT,
            "prices": self.prices[order].tolist(),
            "sets": sets,
            "set_prices": self.set_prices.tolist(),
        }
        if types.sensitive.shape[1]:
            data["sensitive"] = run.table.sensitive[0]
        return Certificate.of(*run.asked, "odd_sets", bound, data)


def _whole(values: Floats, most: int) -> Ints:
    return np.rint(np.clip(values * UNIT, -most, most)).astype(np.int64)


_WHOLE = 1e-6  # A use so near to a whole number is one.
_NOTHING = UNIT // 100  # A reduced cost up to this is none.
_MOST = 20_000  # groups of a program


def packed(groups: Groups, uses: Any) -> Partition:
    """Return the partition that uses each group so often.

    ``uses`` are whole numbers of groups that use up all rows.
    """
    members = np.repeat(groups.members, np.asarray(uses, np.int64), axis=0)
    unit, place = np.nonzero(members >= 0)
    types, one = members[unit, place], np.ones(len(unit), np.int64)
    return Partition.from_loads(groups.types, unit, types, one)


def round_up(
    run: Run,
    groups: Groups,
    uses: Floats,
    near: Groups,
    duals: Duals,
    seconds: float,
    rings: float = 0,
) -> bool:
    """Keep the groups of a packing that are whole, and solve what is left exactly.

    Groups that share a type with a fractional one are opened as well, and so are those
    around them. It offers what it finds to the run; whether it found a release.

    ``groups`` and ``uses`` are a fractional packing; the groups ``near`` may be used
    for what is left. The odd sets of ``duals`` make the program tighter. The search may
    take ``seconds``. The types that are opened are joined ``rings`` times by those that
    share a group of no reduced cost with them; infinite to pack all rows anew.
    """
    incidence = groups.incidence()
    part = np.abs(uses - np.rint(uses)) > _WHOLE
    opened = np.ones(len(groups), bool)
    if math.isfinite(rings):
        used = groups.select(uses > _WHOLE).incidence()
        free = near.select(duals.reduced_costs(near) <= _NOTHING).incidence()
        types = _touched(incidence, part)
        for _ in range(int(rings)):
            types = _touched(used, _touching(used, types))
            types |= _touched(free, _touching(free, types))
        opened = part | _touching(incidence, types)
    fixed = np.where(opened, 0, np.rint(uses)).astype(np.int64)
    left = groups.counts - np.asarray(incidence.T @ fixed)
    if not left.any():
        run.offer(packed(groups, fixed))
        return True
    near = _dearest_left_out(near.select(_fits(near, left)), duals)
    given = np.asarray(groups.odd(duals.sets).T @ fixed)
    sets = np.flatnonzero(given == 0)
    program = packing_program(near, left, duals.sets[sets])
    point = solve_small(program, seconds)
    if point is None:
        return False
    whole = groups.join(near)
    run.offer(packed(whole, np.append(fixed, np.rint(point).astype(np.int64))))
    return True


def _dearest_left_out(near: Groups, duals: Duals) -> Groups:
    """Return the groups of least reduced cost, as many as HiGHS takes in time.

    Of larger programs it does not hear for half a minute that it is to end.
    """
    if len(near) <= _MOST:
        return near
    return near.select(np.argsort(duals.reduced_costs(near), kind="stable")[:_MOST])


def _touched(incidence: Any, chosen: Bools) -> Bools:
    """Return which types are in some of the chosen groups."""
    return np.asarray(incidence[np.flatnonzero(chosen)].sum(axis=0)).ravel() > 0


def _touching(incidence: Any, types: Bools) -> Bools:
    """Return which groups have some of these types."""
    return np.asarray(incidence @ types.astype(np.int64)) > 0


def _fits(groups: Groups, left: Ints) -> Any:
    """Return which groups are made of rows that are left."""
    incidence = groups.incidence().tocoo()
    lacking = incidence.data > left[incidence.col]
    return np.bincount(incidence.row[lacking], minlength=len(groups)) == 0


def solve_packing(run: Run, groups: Groups, duals: Duals) -> bool:
    """Search the packings of some groups; whether the optimum is proven.

    The run learns releases and, as the groups are all that a better release than the
    incumbent may have, the bound. The odd sets of ``duals`` make the program tighter.
    """
    program = packing_program(groups, groups.counts, duals.sets)

    def release(whole: Ints) -> Partition | None:
        return packed(groups, whole) if program.holds(whole.astype(float)) else None

    solve_program(run, program, "simplex_matching", release, only_better=True)
    return run.closed
