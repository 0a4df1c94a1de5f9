"""What each kind of certificate holds, and the proof that recomputes its bound."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from starmin.instances import Objective, RowTypes, Scales, Table
from starmin.instances.arrays import Ints
from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.runs.places import Places
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import Scale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale
from starmin.instances.tables.row_types import canonical_order
from starmin.verify.certificates.patterns.node_tree import PricedTypes
from starmin.verify.certificates.untrusted import (
    ENDLESS,
    LARGEST,
    RefusalError,
    check_keys,
    whole,
)

if TYPE_CHECKING:
    from starmin.verify.certificates.prices.proof_tree import Told


# Losses rounded down to whole units, for certificates that state such a unit.


class CoarseObjective:
    """An objective whose losses are whole units, and what it proves of the true one.

    What a node of a tree loses is rounded down. So are both ends of a range, which may
    then lose less than one unit too much; that much is taken off for each row.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["3"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> coarse = CoarseObjective(objective, table, 4)
    >>> coarse.objective.whole(table), coarse.proven(8)
    (12, 4)
    """

    def __init__(self, objective: Objective, table: Table, unit: int) -> None:
        scales = objective.scales_of(table)
        rounded = tuple(_rounded_down(scale, unit) for scale in scales.scales)
        self.objective = replace(objective, scales=Scales(scales.columns, rounded))
        # Of the true losses and of the coarse ones what all of a column costs.
        self.true = lcm(*scales.domains.tolist())
        self.coarse = lcm(*self.objective.scales_of(table).domains.tolist())
        self.taken_off = table.n * sum(
            objective.weights.get(column, 1)
            for column, scale in zip(scales.columns, scales.scales, strict=True)
            if isinstance(scale, NumericScale) and not scale.free
        )

    def proven(self, bound: int) -> int:
        """Return the bound on true losses that follows from one on the coarse ones."""
        units = bound - self.taken_off
        return max(0, -(-units * self.true // self.coarse))

    def needed(self, claim: int) -> int:
        """Return the least bound on coarse losses from which a claim follows.

        Examples
        --------
        >>> table = Table.from_rows(["a"], [["0"], ["1"], ["3"]], qi=["a"])
        >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
        >>> coarse = CoarseObjective(objective, table, 4)
        >>> [coarse.proven(coarse.needed(4) - less) for less in (0, 1)]
        [4, 3]
        """
        return (claim - 1) * self.coarse // self.true + 1 + self.taken_off


class StatedLosses:
    """The losses in the unit that the data of a certificate state, or in their own."""

    def __init__(
        self, data: Mapping[str, Any], table: Table, objective: Objective
    ) -> None:
        self.objective, self.coarse = objective, None
        if "unit" in data:
            unit = whole(data["unit"], "its unit", 1)
            self.coarse = CoarseObjective(objective, table, unit)
            self.objective = self.coarse.objective

    def proven(self, bound: int) -> int:
        """Return the bound on the true losses."""
        return bound if self.coarse is None else self.coarse.proven(bound)

    def needed(self, claim: int) -> int:
        """Return what is to be proven in the stated unit for a claim."""
        return claim if self.coarse is None else self.coarse.needed(claim)


def _rounded_down(scale: Scale, unit: int) -> Scale:
    domain = scale.domain
    if isinstance(scale, TaxonomyScale):
        lost = [loss * unit // domain for loss in map(int, scale.losses)]
        return replace(scale, losses=np.array(lost, np.int64), rule=None)
    if isinstance(scale, NumericScale):
        begins = [end * unit // domain for end in map(int, scale.lower)]
        ends = [end * unit // domain for end in map(int, scale.upper)]
        return replace(
            scale,
            lower=np.array(begins, np.int64),
            upper=np.array(ends, np.int64),
            least=scale.least * unit // domain,
            single=np.array(
                [loss * unit // domain for loss in map(int, scale.single)], np.int64
            ),
        )
    return scale


PRICES = "prices"
GROUP_PRICES = "group_prices"
TREE = "tree"
BOXES = "boxes"
RESIDUE = "residue"
NONHOMOGENEOUS_PRICES = "nonhomogeneous_prices"
NONHOMOGENEOUS_TREE = "nonhomogeneous_tree"


def _by_prices(
    data: Mapping[str, Any],
    table: Table,
    k: int,
    l: int,
    objective: Objective,
    where: Places | None,
) -> int:
    """Recompute the bound of prices of row types."""
    losses = objective.by_node
    with_cuts = "cuts" in data and l == 1 and not objective.once
    needed = {"denominator", "prices"} | ({"cuts", "patterns"} if with_cuts else set())
    check_keys(data, "its data", needed, {"sensitive", *(["unit"] if losses else [])})
    problem = _priced(data, table, k, l, objective)
    given = problem.prices, problem.denominator, problem.columns[0]
    if not losses and not with_cuts:
        from starmin.verify.certificates.prices.node_prices import price_bound

        return price_bound(table, problem.types, k, l, objective, *given, where)
    stated = StatedLosses(data, table, objective)
    if with_cuts:
        from starmin.verify.certificates.prices.loss_bounds import (
            cut_price_bound,
            read_cuts,
        )

        cuts = read_cuts(data, canonical_order(table, problem.types))
        priced = stated.objective, problem.prices, problem.denominator
        bound = cut_price_bound(table, problem.types, k, *priced, cuts)
    else:
        from starmin.verify.certificates.prices.node_prices import node_price_bound

        bound = node_price_bound(table, problem.types, k, l, stated.objective, *given)
    return stated.proven(bound)


def _by_group_prices(
    data: Mapping[str, Any], table: Table, k: int, l: int, objective: Objective
) -> int:
    """Recompute the bound of prices that no group is cheaper than."""
    from starmin.verify.certificates.prices.group_prices import group_price_bound

    units = {"unit"} if objective.by_node else set()
    check_keys(data, "its data", {"denominator", "prices"}, {"sensitive"} | units)
    problem = _priced(data, table, k, l, objective)
    stated = StatedLosses(data, table, objective)
    given = stated.objective, problem.prices, problem.denominator
    asked = *given, l, problem.columns[0]
    return stated.proven(group_price_bound(table, problem.types, max(k, l), *asked))


def _by_tree(
    data: Mapping[str, Any],
    table: Table,
    k: int,
    l: int,
    objective: Objective,
    claim: int,
    distinct: int,
    told: "Told | None",
) -> int:
    """Recompute the bound of a tree, as far as its claim."""
    from starmin.verify.certificates.prices.proof_tree import tree_bound
    from starmin.verify.certificates.prices.tree_file import read_tree

    needed = {"denominator", "prices", "patterns", "cuts", "nodes"}
    units = {"unit"} if objective.by_node else set()
    check_keys(data, "its data", needed, {"sensitive", "rounds", "counts"} | units)
    stated = StatedLosses(data, table, objective)
    problem = _priced(data, table, k, l, stated.objective, distinct)
    tree = read_tree(data, canonical_order(table, problem.types))
    return stated.proven(tree_bound(problem, tree, stated.needed(claim), told))


def _by_boxes(
    data: Mapping[str, Any],
    table: Table,
    k: int,
    l: int,
    objective: Objective,
    claim: int,
    distinct: int,
    told: "Told | None",
) -> int:
    """Recompute the bound of prices and sets of rows, as far as its claim."""
    from starmin.verify.certificates.boxes.box_bound import BoxProof, read_boxes
    from starmin.verify.certificates.boxes.pieces import Pieces

    needed = {"denominator", "prices", "sets", "multipliers"}
    check_keys(data, "its data", needed, {"sensitive", "nodes"})
    denominator = whole(data["denominator"], "its denominator", 1)
    diverse = "sensitive" in data
    uncut = isinstance(data.get("sensitive"), list)  # groups, with all columns there
    names = [*data["sensitive"]] if uncut else [data.get("sensitive")]
    if diverse and (
        max(l, distinct) == 1
        or not names
        or any(name not in table.sensitive for name in names)
    ):
        raise RefusalError("the sensitive column in its data is none")
    if not diverse:  # what is left out makes the bound no higher
        k, l, distinct = max(k, l, distinct), 1, 1
    types = table.sensitive_types if diverse else table.row_types
    columns = [
        types.sensitive[:, table.sensitive.index(name)] for name in names if diverse
    ]
    values = columns[0] if diverse else None
    whole_groups = None
    if uncut:
        whole_groups = table.n, int(np.bincount(columns[0], types.counts).max())
    pieces = Pieces.of(k, l, distinct, whole_groups)
    order = canonical_order(table, types)
    piles = diverse and l > 1 and not uncut
    stated = read_boxes(data, order, pieces.least, piles, uncut)
    written = _listed_prices(data["prices"], len(types), ENDLESS)
    prices = dict(zip(order.tolist(), written, strict=True))
    of_types = [prices[t] for t in range(len(types))]
    given = table, types, objective, pieces, values, of_types, denominator
    proof = BoxProof(*given, stated, (l, distinct), columns)
    return proof.bound(claim, told)


def _priced(
    data: Mapping[str, Any],
    table: Table,
    k: int,
    l: int,
    objective: Objective,
    distinct: int = 1,
) -> PricedTypes:
    """Return the problem with the prices of its row types."""
    denominator = whole(data["denominator"], "its denominator", 1)
    diverse = max(l, distinct) > 1
    types = table.sensitive_types if diverse else table.row_types
    prices = _read_prices(data["prices"], table, types)
    columns: tuple[int, ...] = (0,)
    if "sensitive" in data:
        named = data["sensitive"]
        named = named if isinstance(named, list) else [named]
        if not diverse or not named or not all(c in table.sensitive for c in named):
            raise RefusalError("the sensitive column in its data is none")
        columns = tuple(table.sensitive.index(column) for column in named)
    if distinct > 1:
        k = max(k, l, distinct)
    return PricedTypes(
        table, types, objective, k, l, prices, denominator, columns, distinct
    )


def _by_nonhomogeneous_prices(
    data: Mapping[str, Any], table: Table, k: int, l: int, objective: Objective
) -> int:
    """Recompute the bound of prices of originals."""
    from starmin.verify.certificates.prices.node_prices import (
        nonhomogeneous_node_price_bound,
        nonhomogeneous_price_bound,
    )

    losses = objective.by_node
    needed = {"denominator", "prices", *(["least"] if losses else [])}
    check_keys(data, "its data", needed, {"unit"} if losses else set())
    denominator = whole(data["denominator"], "its denominator", 1)
    if l > 1:
        raise RefusalError("a proof of this kind is for k-anonymity only")
    types = table.row_types
    prices = _read_prices(data["prices"], table, types)
    if not losses:
        return nonhomogeneous_price_bound(table, k, objective, prices, denominator)
    least = _read_prices(data["least"], table, types)
    stated = StatedLosses(data, table, objective)
    given = stated.objective, prices, least, denominator
    return stated.proven(nonhomogeneous_node_price_bound(table, k, *given))


def _by_odd_sets(
    data: Mapping[str, Any], table: Table, k: int, l: int, objective: Objective
) -> int:
    """Recompute the bound of prices of row types and of odd sets."""
    from starmin.verify.certificates.group_bounds import odd_set_bound, read_odd_sets

    needed = {"denominator", "prices", "sets", "set_prices"}
    units = {"unit"} if objective.by_node else set()
    check_keys(data, "its data", needed, {"sensitive"} | units)
    if max(k, l) < 2:
        raise RefusalError("it is for groups of fewer than two rows")
    diverse = "sensitive" in data
    problem = _priced(data, table, k, l if diverse else 1, objective)
    odd_sets = read_odd_sets(data, canonical_order(table, problem.types))
    stated = StatedLosses(data, table, objective)
    given = stated.objective, problem.prices, odd_sets, problem.denominator
    column = problem.columns[0] if diverse else None
    return stated.proven(odd_set_bound(table, *given, column))


def _read_prices(written: object, table: Table, types: RowTypes) -> Ints:
    """Return the prices in the order of the types, refused if they are none."""
    written = _listed_prices(written, len(types), LARGEST)
    prices = np.empty(len(types), np.int64)
    prices[canonical_order(table, types)] = written
    return prices


def _listed_prices(written: object, count: int, beyond: int) -> list[int]:
    """Return prices as they are written, refused if they are none."""
    if not isinstance(written, list) or len(written) != count:
        raise RefusalError(f"its prices are not a list of {count} numbers")
    return [
        whole(price, f"price {position}", -beyond, beyond)
        for position, price in enumerate(written, start=1)
    ]


def _by_residue(
    data: Mapping[str, Any],
    table: Table,
    k: int,
    l: int,
    objective: Objective,
    distinct: int,
) -> int:
    """Recompute the residue bound."""
    from starmin.verify.certificates.group_bounds import residue_bound

    check_keys(data, "its data", set(), set())
    return residue_bound(table, k, l, objective, distinct)


_Proof = Callable[..., int]
# The objectives of each kind, and its proof.
KINDS: dict[str, tuple[tuple[str, ...], _Proof]] = {
    PRICES: (ANY_OBJECTIVE, _by_prices),
    GROUP_PRICES: (("stars", "gcp"), _by_group_prices),
    RESIDUE: (("tuples",), _by_residue),
    TREE: (ANY_OBJECTIVE, _by_tree),
    BOXES: (("stars", "gcp"), _by_boxes),
    "odd_sets": (("stars", "gcp"), _by_odd_sets),
    NONHOMOGENEOUS_PRICES: (("stars", "gcp"), _by_nonhomogeneous_prices),
}
# Those that only small tables have: the checker of one file recomputes their bounds.
ONE_FILE = (NONHOMOGENEOUS_TREE,)
