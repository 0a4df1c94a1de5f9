"""What each kind of certificate holds, and the proof that recomputes its bound."""

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from starmin.instances import Objective, RowTypes, Scales, Table
from starmin.instances.arrays import Ints
from starmin.instances.releases.objective import tuples_as_stars
from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.runs.places import Places
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import Scale, TaxonomyScale
from starmin.instances.tables.row_types import canonical_order
from starmin.verify.certificates.patterns.node_tree import PricedTypes
from starmin.verify.certificates.untrusted import (
    ENDLESS,
    LARGEST,
    RefusalError,
    check_keys,
    whole,
)
from starmin.verify.exact import Told

# Losses rounded down to whole units, for certificates that state such a unit.


class StatedLosses:
    """The losses in the unit that data state, or in their own, and what they prove.

    What a node of a tree loses is rounded down to whole units. So are both ends of a
    range, which may then lose less than one unit too much; that much is taken off for
    each row.

    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["3"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> stated = StatedLosses({"unit": 4}, table, objective)
    >>> stated.objective.whole(table), stated.proven(8)
    (12, 4)
    >>> [stated.proven(stated.needed(4) - less) for less in (0, 1)]
    [4, 3]
    """

    def __init__(
        self, data: Mapping[str, Any], table: Table, objective: Objective
    ) -> None:
        self.objective, self.is_coarse = objective, "unit" in data
        # Of the true losses and of the coarse ones what all of a column costs.
        self.true = self.coarse = 1
        self.taken_off = 0
        if not self.is_coarse:
            return
        unit, scales = whole(data["unit"], "its unit", 1), objective.scales_of(table)
        rounded = tuple(_rounded_down(scale, unit) for scale in scales.scales)
        self.objective = replace(objective, scales=Scales(scales.columns, rounded))
        self.true = lcm(*scales.domains.tolist())
        self.coarse = lcm(*self.objective.scales_of(table).domains.tolist())
        self.taken_off = table.n * sum(
            objective.weights.get(column, 1)
            for column, scale in scales.items
            if isinstance(scale, NumericScale) and not scale.free
        )

    def proven(self, bound: int) -> int:
        """Return the bound on true losses that follows from one on the stated ones."""
        if not self.is_coarse:
            return bound
        units = bound - self.taken_off
        return max(0, -(-units * self.true // self.coarse))

    def needed(self, claim: int) -> int:
        """Return the least bound on stated losses from which a claim follows."""
        return (claim - 1) * self.coarse // self.true + 1 + self.taken_off


def _rounded_down(scale: Scale, unit: int) -> Scale:
    def rounded(losses: Iterable[Any]) -> Ints:
        down = [int(loss) * unit // scale.domain for loss in losses]
        return np.array(down, np.int64)

    if isinstance(scale, TaxonomyScale):
        return replace(scale, losses=rounded(scale.losses), rule=None)
    if isinstance(scale, NumericScale):
        return replace(
            scale,
            lower=rounded(scale.lower),
            upper=rounded(scale.upper),
            least=scale.least * unit // scale.domain,
            single=rounded(scale.single),
        )
    return scale


PRICES = "prices"
GROUP_PRICES = "group_prices"
TREE = "tree"
BOXES = "boxes"
RESIDUE = "residue"
NONHOMOGENEOUS_PRICES = "nonhomogeneous_prices"
NONHOMOGENEOUS_TREE = "nonhomogeneous_tree"


class Asked(NamedTuple):
    """The data of a certificate, and the usual problem whose bound they are to prove.

    Of k, l and the number of distinct values 1 is for what is not required.
    """

    data: Mapping[str, Any]
    table: Table
    k: int
    l: int
    distinct: int
    objective: Objective
    claim: int
    told: Told | None
    where: Places | None

    def priced(self) -> tuple[PricedTypes, StatedLosses]:
        """Return the problem with the prices of its row types, in the stated unit."""
        data, table = self.data, self.table
        denominator = whole(data["denominator"], "its denominator", 1)
        diverse = max(self.l, self.distinct) > 1
        types = table.sensitive_types if diverse else table.row_types
        prices = _read_prices(data["prices"], table, types)
        columns: tuple[int, ...] = (0,)
        if "sensitive" in data:
            named = data["sensitive"]
            named = named if isinstance(named, list) else [named]
            if not diverse or not named or not all(c in table.sensitive for c in named):
                raise RefusalError("the sensitive column in its data is none")
            columns = tuple(table.sensitive.index(column) for column in named)
        k = max(self.k, self.l, self.distinct) if self.distinct > 1 else self.k
        stated = StatedLosses(data, table, self.objective)
        given = table, types, stated.objective, k, self.l, prices, denominator
        return PricedTypes(*given, columns, self.distinct), stated


def _by_prices(asked: Asked) -> int:
    """Recompute the bound of prices of row types, maybe with cuts."""
    problem, stated = asked.priced()
    if "cuts" in asked.data:
        from starmin.verify.certificates.prices.loss_bounds import (
            cut_price_bound,
            read_cuts,
        )

        cuts = read_cuts(asked.data, canonical_order(asked.table, problem.types))
        return stated.proven(cut_price_bound(problem, cuts))
    from starmin.verify.certificates.prices import node_prices

    if asked.objective.by_node:
        return stated.proven(node_prices.node_price_bound(problem))
    return node_prices.price_bound(problem, asked.where)


def _by_group_prices(asked: Asked) -> int:
    """Recompute the bound of prices that no group is cheaper than."""
    from starmin.verify.certificates.prices.group_prices import group_price_bound

    problem, stated = asked.priced()
    return stated.proven(group_price_bound(problem))


def _by_tree(asked: Asked) -> int:
    """Recompute the bound of a tree, as far as its claim."""
    from starmin.verify.certificates.prices.proof_tree import tree_bound
    from starmin.verify.certificates.prices.tree_file import read_tree

    problem, stated = asked.priced()
    tree = read_tree(asked.data, canonical_order(asked.table, problem.types))
    needed = stated.needed(asked.claim)
    return stated.proven(tree_bound(problem, tree, needed, asked.told))


def _by_boxes(asked: Asked) -> int:
    """Recompute the bound of prices and sets of rows, as far as its claim."""
    from starmin.verify.certificates.boxes.box_bound import BoxProof, read_boxes
    from starmin.verify.certificates.boxes.pieces import Pieces

    data, table, k, l, distinct, objective, *_ = asked
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
    return proof.bound(asked.claim, asked.told)


def _by_nonhomogeneous_prices(asked: Asked) -> int:
    """Recompute the bound of prices of originals."""
    from starmin.verify.certificates.prices import node_prices

    if asked.l > 1:
        raise RefusalError("a proof of this kind is for k-anonymity only")
    problem, stated = asked.priced()
    if not asked.objective.by_node:
        return node_prices.nonhomogeneous_price_bound(problem)
    least = _read_prices(asked.data["least"], asked.table, problem.types)
    bound = node_prices.nonhomogeneous_node_price_bound(problem, least)
    return stated.proven(bound)


def _by_odd_sets(asked: Asked) -> int:
    """Recompute the bound of prices of row types and of odd sets."""
    from starmin.verify.certificates.group_bounds import odd_set_bound, read_odd_sets

    if max(asked.k, asked.l) < 2:
        raise RefusalError("it is for groups of fewer than two rows")
    l = asked.l if "sensitive" in asked.data else 1
    problem, stated = asked._replace(l=l).priced()
    order = canonical_order(asked.table, problem.types)
    return stated.proven(odd_set_bound(problem, read_odd_sets(asked.data, order)))


def _read_prices(written: object, table: Table, types: RowTypes) -> Ints:
    """Return the prices in the order of the types, refused if they are none."""
    prices = np.empty(len(types), np.int64)
    written = _listed_prices(written, len(types), LARGEST)
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


def _by_residue(asked: Asked) -> int:
    """Recompute the residue bound."""
    from starmin.verify.certificates.group_bounds import residue_bound

    _, table, k, l, distinct, objective, *_ = asked
    return residue_bound(table, k, l, objective, distinct)


class Kind(NamedTuple):
    """A kind of certificate."""

    objectives: tuple[str, ...]
    prove: Callable[[Asked], int]
    # needed, possible: the entries of its data; a unit is one of losses alone
    needed: Set[str] = frozenset()
    possible: Set[str] = frozenset()


_PRICED = frozenset({"denominator", "prices"})
_ROUNDED = frozenset({"sensitive", "unit"})
KINDS: dict[str, Kind] = {
    PRICES: Kind(ANY_OBJECTIVE, _by_prices, _PRICED, _ROUNDED),
    GROUP_PRICES: Kind(("stars", "gcp"), _by_group_prices, _PRICED, _ROUNDED),
    RESIDUE: Kind(("tuples",), _by_residue),
    TREE: Kind(
        ANY_OBJECTIVE,
        _by_tree,
        _PRICED | {"patterns", "cuts", "nodes"},
        _ROUNDED | {"rounds", "counts"},
    ),
    BOXES: Kind(
        ("stars", "gcp"),
        _by_boxes,
        _PRICED | {"sets", "multipliers"},
        {"sensitive", "nodes"},
    ),
    "odd_sets": Kind(
        ("stars", "gcp"), _by_odd_sets, _PRICED | {"sets", "set_prices"}, _ROUNDED
    ),
    NONHOMOGENEOUS_PRICES: Kind(
        ("stars", "gcp"), _by_nonhomogeneous_prices, _PRICED, {"unit"}
    ),
}
# Those that only small tables have: the checker of one file recomputes their bounds.
ONE_FILE = (NONHOMOGENEOUS_TREE,)


def recompute(kind: str, asked: Asked) -> int:
    """Recompute the bound by the proof of its kind, or refuse."""
    data, table, k, l, distinct, objective, *_ = asked
    if max(l, distinct) > 1 and not table.sensitive:
        raise RefusalError("it is for l-diversity; the table has no sensitive column")
    if (least := max(k, l, distinct)) > table.n:
        raise RefusalError(
            f"it is for groups of {least} rows; the table has {table.n}, "
            "and no release at all"
        )
    objectives, prove, needed, possible = KINDS[kind]
    if objective.kind not in objectives:
        known = " or ".join(map(repr, objectives))
        raise RefusalError(f"a proof of this kind is for the objective {known} only")
    if distinct > 1 and kind in (PRICES, GROUP_PRICES):
        # Groups with so many values have so many rows: a bound for these holds.
        asked = asked._replace(k=max(k, distinct), distinct=1)
    elif distinct > 1 and kind not in (TREE, BOXES, RESIDUE):
        raise RefusalError("for distinct diversity no proofs of this kind are known")
    if objective.once and kind != RESIDUE:
        table, objective = tuples_as_stars(table, objective)
        asked = asked._replace(table=table, objective=objective)
    if kind == PRICES and "cuts" in data and l == 1:
        needed = needed | {"cuts", "patterns"}
    if kind == NONHOMOGENEOUS_PRICES and objective.by_node:
        needed = needed | {"least"}
    if not objective.by_node:
        possible = possible - {"unit"}
    check_keys(data, "its data", needed, possible)
    return prove(asked)
