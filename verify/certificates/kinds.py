"""What each kind of certificate holds, and the proof that recomputes its bound."""

from collections.abc import Callable, Set
from typing import NamedTuple

from starmin.instances.releases.objective import tuples_as_stars
from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.tables.row_types import canonical_order
from starmin.verify.certificates.asked import Asked, read_prices
from starmin.verify.certificates.untrusted import RefusalError, check_keys

PRICES = "prices"
GROUP_PRICES = "group_prices"
TREE = "tree"
BOXES = "boxes"
RESIDUE = "residue"
NONHOMOGENEOUS_PRICES = "nonhomogeneous_prices"
NONHOMOGENEOUS_TREE = "nonhomogeneous_tree"


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
    from starmin.verify.certificates.boxes.box_bound import BoxProof

    return BoxProof(asked).bound(asked.claim, asked.told)


def _by_nonhomogeneous_prices(asked: Asked) -> int:
    """Recompute the bound of prices of originals."""
    from starmin.verify.certificates.prices import node_prices

    if asked.l > 1:
        raise RefusalError("a proof of this kind is for k-anonymity only")
    problem, stated = asked.priced()
    if not asked.objective.by_node:
        return node_prices.nonhomogeneous_price_bound(problem)
    least = read_prices(asked.data["least"], asked.table, problem.types)
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
