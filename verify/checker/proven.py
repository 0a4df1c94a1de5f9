"""What a certificate proves, by the theorem of its kind."""

from collections.abc import Sequence

from starmin.verify.checker.box_pieces import Pieces
from starmin.verify.checker.boxes import box_bound
from starmin.verify.checker.columns import Given
from starmin.verify.checker.group_bounds import (
    group_price_bound,
    odd_set_bound,
    residue,
)
from starmin.verify.checker.nonhomogeneous import (
    nonhomogeneous_price_bound,
    nonhomogeneous_tree_bound,
)
from starmin.verify.checker.patterns import patterns, value_of
from starmin.verify.checker.reading import (
    BeyondError,
    Content,
    RefusalError,
    entries,
    listed_in,
    whole,
)
from starmin.verify.checker.rule_bound import rule_bound
from starmin.verify.checker.rule_sets import People
from starmin.verify.checker.statement import ADDED, DELETED, Statement, with_added_rows
from starmin.verify.checker.tree import Tree, thinned, value_with_cuts
from starmin.verify.checker.unions import person_bound, within_bound

FORMATS = (1, 2)
PRICED, ROUNDED = {"denominator", "prices"}, {"sensitive", "unit"}
BY_STARS, CELLS, ALL = ("stars", "tuples"), ("stars", "gcp"), ("stars", "tuples", "gcp")
# Of which objectives a kind is, and the entries that its data have and may have.
KINDS: dict[str, tuple[tuple[str, ...], set[str], set[str]]] = {
    "prices": (ALL, PRICED, ROUNDED),
    "tree": (
        ALL,
        PRICED | {"patterns", "cuts", "nodes"},
        ROUNDED | {"rounds", "counts"},
    ),
    "boxes": (CELLS, PRICED | {"sets", "multipliers"}, {"sensitive", "nodes"}),
    "residue": (("tuples",), set(), set()),
    "odd_sets": (CELLS, PRICED | {"sets", "set_prices"}, ROUNDED),
    "group_prices": (CELLS, PRICED, ROUNDED),
    "nonhomogeneous_prices": (CELLS, PRICED, {"unit"}),
    "nonhomogeneous_tree": (BY_STARS, {"denominator", "nodes"}, set()),
    "persons": (ALL, {"denominator", "patterns", "nodes"}, set()),
    "within": (CELLS, PRICED | {"classes"}, set()),
}
BY_TOTAL = {
    "odd_sets": odd_set_bound,
    "group_prices": group_price_bound,
    "nonhomogeneous_prices": nonhomogeneous_price_bound,
    "nonhomogeneous_tree": nonhomogeneous_tree_bound,
    "persons": person_bound,
    "within": within_bound,
}
KNOWN = (*KINDS, "rules")
# What else is stated would be of a problem that is not known here.
STATED = {
    "table": {"name", "n", "d", "qi", "sensitive", "floors", "fingerprint"},
    "objective": {"kind", "weights", "keep", "scales"},
}


def proven_for(given: Given, people: Sequence[People] = ()) -> tuple[int, int]:
    """Return what is proven for a table, and the most that any release of it loses."""
    certificate, less = given.certificate, None
    if certificate["kind"] == "rules":
        return rule_bound(given, list(people))
    if ADDED in certificate["data"] and DELETED in certificate["requirement"]:
        given, less = with_added_rows(given)
    problem, claim = Statement(given), whole(given.certificate["bound"], None)
    proven = min(claim, recomputed(problem, given.certificate))
    return proven if less is None else max(0, proven - less), problem.most_loss


def recomputed(problem: Statement, certificate: Content) -> int:
    """Return what table and certificate prove; of trees and boxes, up to the claim."""
    claim, data = whole(certificate["bound"], None), certificate["data"]
    kind, objective = certificate["kind"], certificate["objective"]["kind"]
    if kind not in KINDS:
        raise BeyondError(f"its kind is none of {', '.join(KNOWN)}")
    objectives, needed, allowed = KINDS[kind]
    if objective not in objectives:
        raise RefusalError(f"a proof of this kind is for {' or '.join(objectives)}")
    if kind == "prices" and "cuts" in data:
        needed = needed | {"patterns", "cuts"}
    if kind == "nonhomogeneous_prices" and objective == "gcp":
        needed = needed | {"least"}
    if objective != "gcp":  # whole numbers, which are not rounded
        allowed = allowed - {"unit"}
    if not needed <= set(data) <= needed | allowed:
        raise RefusalError(f"its data are not {', '.join(sorted(needed))}")
    if kind == "residue":
        return residue(problem)
    if kind == "boxes":
        return box_bound(Pieces(problem, data), claim, listed_in(data.get("nodes", [])))
    unit = whole(data["denominator"], 1)
    if kind in BY_TOTAL:
        total = BY_TOTAL[kind](problem, data)
    else:
        total = by_patterns(problem, data, claim, kind == "tree")
    return problem.proven(-(-total // unit))


def by_patterns(problem: Statement, data: Content, claim: int, by_tree: bool) -> int:
    """Return what prices of types prove, alone, with cuts, or by a tree."""
    unit, prices = problem.priced_in(data)
    problem.expect_capped(unit, prices)
    total = sum(p * m for p, m in zip(prices, problem.copies, strict=True))
    listed = patterns(problem, prices, unit, 0)
    if not by_tree and "cuts" in data:
        return total + value_with_cuts(problem, unit, prices, data, listed)
    for cost, members in listed.values():
        total += value_of(problem, cost, members, prices)
    goal = (problem.needed(claim) - 1) * unit + 1
    if by_tree and total < goal:
        slack = goal - total
        listed = patterns(problem, prices, unit, slack)
        tree = Tree(problem, thinned(problem, listed, data, goal), data)
        least = tree.least_leaf(listed_in(data["nodes"]))
        total = goal if least is None else min(goal, max(total, least))
    elif by_tree:  # not needed, but it is to be one
        tree = Tree(problem, {}, data)
        for node in listed_in(data["nodes"]):
            tree.read(node)
    return total


def expect_known(certificate: Content) -> None:
    """Refuse what is no certificate; say of another kind that it is not known."""
    version, kind = certificate["starmin_certificate"], certificate["kind"]
    if whole(version, 1) not in FORMATS:
        raise BeyondError(f"it is of format {version}; known: 1 and 2")
    if not isinstance(kind, str):
        raise RefusalError("its kind is not named by text")
    if kind not in KNOWN:
        raise BeyondError(f"its kind is none of {', '.join(KNOWN)}")
    for name, may in STATED.items():
        if not set(entries(certificate, name)) <= may:
            raise RefusalError(f"its {name} has an entry of unknown name")
    entries({"scales": {}, **certificate["objective"]}, "scales")
    entries(certificate, "data")
