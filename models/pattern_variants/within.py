"""Releases that are nested within an earlier one: bounded by prices, and solved."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from starmin.instances import (
    STARS,
    Certificate,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.requirements.within import CLASS, Within
from starmin.instances.runs.checkpoint import begin_at
from starmin.instances.runs.search_control import spend
from starmin.models.lagrangian_relaxation.subgradient import (
    SubgradientMethod,
    SubgradientParams,
)
from starmin.models.pattern_variants import WITHIN_ILP, WITHIN_PRICES
from starmin.models.patterns.common_patterns import Fitting, Listing, list_patterns
from starmin.models.price_unit import INFEASIBLE, exact_sum
from starmin.models.reductions.merged_groups import merged_until_valid
from starmin.models.solvers.mip_search import solve_program
from starmin.models.solvers.program import PatternColumns, Program, capped

# What is dealt to patterns: the classes of the earlier release, whole.


@dataclass(frozen=True, eq=False)
class Atoms:
    """Classes that are published whole, by their number.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> from starmin.instances.requirements.within import nested_within
    >>> table = Table.from_rows(["a"], [["x"], ["y"], ["y"]], qi=["a"])
    >>> nested = nested_within(table, KAnonymity(2), np.array([5, 5, 3]))
    >>> atoms = Atoms.of(Run(*nested))
    >>> atoms.low.tolist(), atoms.high.tolist(), atoms.size.tolist()
    ([[0], [1]], [[1], [1]], [2, 1])
    """

    # low, high: A x d: the least and the greatest position of their rows by column. An
    # atom fits a node that covers both.
    low: Ints
    high: Ints
    size: Ints  # how many rows each has
    of_row: Int32s  # the atom of each row
    least: int  # how many rows every group has at least

    def __len__(self) -> int:
        return len(self.size)

    @classmethod
    def of(cls, run: Run) -> "Atoms":
        """Return the atoms of the problem of a run: ``Within``."""
        asked, table = of_kind(run.requirement, Within), run.table
        assert asked is not None
        scales = run.objective.scales_of(table)
        places = scales.row_positions(table).astype(np.int64)
        of_row = table.column(CLASS)
        size = np.bincount(of_row).astype(np.int64)
        low = np.full((len(size), table.d), np.iinfo(np.int64).max)
        high = np.full((len(size), table.d), -1)
        np.minimum.at(low, of_row, places)
        np.maximum.at(high, of_row, places)
        return cls(low, high, size, of_row, asked.least)


def unions(run: Run, atoms: Atoms, of_atom: Ints) -> Partition | None:
    """Return the release of the pattern of each atom, None where it fails.

    Where diversity is asked for as well, groups that fail are merged with others, each
    with the one where that costs least.
    """
    groups = Partition.from_labels(of_atom[atoms.of_row])
    if groups.violation(*run.asked) is None:
        return groups
    return merged_until_valid(groups, *run.asked, run)


def offer_unions(run: Run, atoms: Atoms, of_atom: Ints) -> None:
    """Offer the release of the pattern of each atom, if there is one."""
    if (found := unions(run, atoms, of_atom)) is not None:
        run.offer(found)


def list_class_patterns(run: Run, atoms: Atoms) -> Listing:
    """List the patterns that enough classes fit.

    Raises NotSupportedError where there are too many, or a column has a highest level.
    """
    objective = run.objective
    if objective.scales is not None and objective.scales.roofs:
        raise NotSupportedError("Expected no highest level (--max-level) of classes.")
    classes = Fitting(atoms.low, atoms.high, atoms.size, atoms.least)
    return list_patterns(run.table, objective, classes, pace=run.pace())


# Prices of the rows of whole classes, and the bound that they prove.


@compiled
def price_patterns(
    start: Ints,
    atom: Ints,
    size: Ints,
    cost: Ints,
    prices: Ints,
    least: int,
    worth: Ints,
    used: Int32s,
    cover: Ints,
) -> None:
    """Set what the cheapest choice of atoms is worth by pattern, if below 0, else 0.

    All atoms that cost less than their price are chosen. Where these have fewer than
    ``least`` rows, which a class has at least, the cheapest of the others that make up
    for it are chosen, too (a knapsack, by dynamic programming over the rows that lack).

    ``start`` and ``atom`` are the patterns with the atoms that fit; ``size`` and
    ``prices`` are by atom: its rows, and the price of each of them; ``cost`` is of a
    row by pattern, in the unit of prices. Filled in place are ``worth``, by pattern,
    and ``used``, by atom: how many patterns choose it. Of several that make up for what
    lacks only one is counted, or those that are cheapest for their rows. ``cover`` has
    ``least + 1`` numbers to work with.
    """
    used[:] = 0
    for p in range(len(cost)):
        worth[p] = 0
        total, sum_ = 0, 0
        for e in range(start[p], start[p + 1]):
            a = atom[e]
            loss = size[a] * (cost[p] - prices[a])
            if loss < 0:
                total += size[a]
                sum_ += loss
        if sum_ >= 0:
            continue
        lack, gain = least - total, sum_
        one, many = -1, 0
        if lack > 0:
            cover[1 : lack + 1] = INFEASIBLE
            cover[0] = 0
            cheapest = INFEASIBLE
            for e in range(start[p], start[p + 1]):
                a = atom[e]
                loss = size[a] * (cost[p] - prices[a])
                if loss < 0 or loss >= -sum_:
                    continue  # with the latter the choice is worth nothing
                if size[a] >= lack and loss < cheapest:
                    cheapest, one = loss, a
                for rows in range(lack, 0, -1):
                    before = cover[max(0, rows - size[a])]
                    if before < INFEASIBLE and before + loss < cover[rows]:
                        cover[rows] = before + loss
            if cover[lack] == INFEASIBLE:
                continue
            sum_ += cover[lack]
            if sum_ >= 0:
                continue
            if one < 0 or cheapest > cover[lack]:
                one, many = -1, lack
        worth[p] = sum_
        for e in range(start[p], start[p + 1]):
            a = atom[e]
            loss = cost[p] - prices[a]
            if loss < 0 or a == one:
                used[a] += 1
            elif many > 0 and size[a] * loss < -gain:
                used[a] += 1
                many -= size[a]


_PAIR = 0.01  # units of work of a pair of a pattern and a class

KIND = "within"
PARAMS = SubgradientParams(first_step=0.6)
TOLERANCE = 1e-4


class WithinPrices(SubgradientMethod):
    r"""The subgradient method for the pattern formulation of whole classes.

    A class with pattern p has at least K rows, and atom a has :math:`w_a` of them. With
    any prices :math:`\pi_a` of rows a release costs at least

    .. math::

        \sum_a w_a \pi_a + \sum_p \min(0, v_p), \qquad
        v_p = \min_S \sum_{a \in S} w_a (cost_p - \pi_a)

    over sets S of atoms that fit p and have K rows together: each class of a release is
    such a set, and no two classes are published as the same pattern.

    The run learns the bounds, and its time ends the search; its requirement is
    ``Within``. ``listing`` has the patterns that the atoms fit. A round may take
    ``share`` of the time that is left.
    """

    method = "within_prices"

    def __init__(
        self, run: Run, atoms: Atoms, listing: Listing, share: float = 1.0
    ) -> None:
        own = np.full(len(atoms), np.iinfo(np.int64).max)
        np.minimum.at(own, listing.item, listing.cost[listing.pattern])
        star = max(1.0, float(listing.cost.max()) / run.table.d)
        params = replace(PARAMS, share=share)
        super().__init__(run, own, atoms.size, params.first_step * star, params)
        self.prices = self.unit.clipped(own * self.unit.per_cost)
        self.atoms, self.listing = atoms, listing
        self._cost = listing.cost * self.unit.per_cost
        self._worth = np.zeros(len(listing.cost), np.int64)
        self._used = np.zeros(len(atoms), np.int32)
        self._cover = np.zeros(atoms.least + 1, np.int64)

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        self.unit.expect(prices)
        start, atom, size = self.listing.start, self.listing.item, self.atoms.size
        given = start, atom, size, self._cost, prices, self.atoms.least
        spend(_PAIR * len(atom))
        price_patterns(*given, self._worth, self._used, self._cover)
        value = exact_sum(size * prices) + exact_sum(self._worth)
        return value, size * (1 - self._used)

    def _certificate(self, bound: int) -> Certificate:
        run = self.run
        data = {
            "denominator": self.unit.per_cost,
            "classes": run.table.column(CLASS).tolist(),
            "prices": self.prices.tolist(),
        }
        return Certificate.of(*run.asked, KIND, bound, data)

    def reduced(self) -> Floats:
        """Return what each pair of a pattern and an atom costs beside its price."""
        listing = self.listing
        over = self._cost[listing.pattern] - self.prices[listing.item]
        return np.asarray(self.atoms.size[listing.item] * over, np.float64)


def within_prices(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    """Bounds releases whose classes are unions of classes of an earlier release.

    Prices of the rows of each class are improved by a subgradient method, as those of
    distinct rows are in ``starmin.models.bounds.lagrangian``; a class is chosen whole,
    so that the cheapest choice for a pattern is a small knapsack. The requirement is
    ``Within``. Raises NotSupportedError where there are too many patterns.

    Examples
    --------
    >>> import numpy as np
    >>> from starmin.instances import KAnonymity
    >>> from starmin.instances.requirements.within import nested_within
    >>> rows = [["0", "x"], ["0", "y"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> nested = nested_within(table, KAnonymity(3), np.array([0, 0, 1, 1]))
    >>> within_prices(*nested).lower_bound
    8
    """
    run = Run(table, requirement, objective, time_limit, display, WITHIN_PRICES)

    def search() -> None:
        atoms = Atoms.of(run)
        prices = WithinPrices(run, atoms, list_class_patterns(run, atoms))
        prices.improve(TOLERANCE)
        run.stats["iterations"] = prices.iterations
        run.check_time()

    return run.carry_out(search)


# The program, where classes are few.

MAX_PAIRS = 20_000


def within_ilp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    r"""Finds the cheapest release within an earlier one, where classes are few.

    For each pattern p and class a that fits it, :math:`x_{ap}` says whether a is
    published as p; :math:`y_p` whether any is.

    .. math::
        \min \sum_{ap} w_a cost_p x_{ap} \quad \text{subject to} \quad
        \sum_p x_{ap} = 1, \quad x_{ap} \le y_p, \quad
        \sum_a w_a x_{ap} \ge K y_p

    with :math:`w_a` rows of a, and K rows that every group has. For diversity, of
    :math:`w_{as}` rows of a with the sensitive value s,

    .. math::
        \sum_a w_{as} x_{ap} \le h_p, \quad l h_p \le \sum_a w_a x_{ap}; \qquad
        z_{ps} \le \sum_{a: w_{as} > 0} x_{ap}, \quad
        l y_p \le \sum_s z_{ps}

    by frequency, and for different values. The requirement is ``Within``. There is no
    certificate: what is proven is the solver's word. Raises NotSupportedError where
    there are more than 20,000 pairs of a class and a pattern.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> from starmin.instances.requirements.within import nested_within
    >>> rows = [["0", "x"], ["0", "y"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> within_ilp(*nested_within(table, KAnonymity(2), np.array([0, 0, 1, 1]))).value
    4
    """
    run = Run(table, requirement, objective, time_limit, display, WITHIN_ILP)

    def search() -> Limit | None:
        begin_at(run, initial)
        atoms = Atoms.of(run)
        listing = list_class_patterns(run, atoms)
        if len(listing.item) > MAX_PAIRS:
            raise NotSupportedError(
                f"Expected at most {MAX_PAIRS:,} pairs of a class and a pattern, got "
                f"{len(listing.item):,}."
            )
        return solve_program(
            run,
            _program(run, atoms, listing),
            WITHIN_ILP.name,
            lambda whole: unions(run, atoms, _dealt(listing, whole)),
            seed=seed,
        )

    return run.carry_out(search)


def _program(run: Run, atoms: Atoms, listing: Listing) -> Program:
    """Return the program: x, y, then h and z of each sensitive column."""
    asked = of_kind(run.requirement, Within)
    assert asked is not None
    rows, core = atoms.size[listing.item], asked.inner.core
    dealt = listing.pattern, listing.item, listing.cost, np.ones(len(atoms))
    made = PatternColumns(*dealt, weight=rows)
    y = made.add(made.count)
    made.rows += [made.only(y), made.enough(y, asked.least, rows)]
    for column in run.table.sensitive:
        values = atoms.of_row, run.table.column(column)
        held = csr_matrix((np.ones(run.table.n), values))[listing.item].tocoo()
        pairs = made.pairs(held.col, held.row)
        if core.diversity > 1:
            h = made.add(made.count, 0, run.table.n)
            most = h[pairs.pattern], pairs.number, pairs.entry, held.data
            made.rows += [made.enough(h, core.diversity, rows), capped(*most)]
        if core.distinct > 1:
            z = made.add(len(pairs.pattern))
            made.rows += made.different(z, pairs, y, core.distinct)
    return made.program()


def _dealt(listing: Listing, whole: Ints) -> Ints:
    """Return the pattern of each atom at a point in whole numbers."""
    chosen = np.flatnonzero(whole[: len(listing.item)])
    of_atom = np.zeros(int(listing.item.max()) + 1, np.int64)
    of_atom[listing.item[chosen]] = listing.pattern[chosen]
    return of_atom
