"""What a certificate proves, by the theorem of its kind."""

from starmin.verify.checker.boxes.box_bound import box_bound
from starmin.verify.checker.boxes.pieces import Pieces
from starmin.verify.checker.problem.statement import Statement
from starmin.verify.checker.reading import entries, listed_in, whole
from starmin.verify.checker.residue import residue
from starmin.verify.checker.rules.rule_bound import rule_bound
from starmin.verify.checker.trees.price_cuts import value_of, value_with_cuts
from starmin.verify.checker.trees.thinning import thinned
from starmin.verify.checker.trees.tree import Tree
from starmin.verify.checker.trees.walk import patterns
from starmin.verify.checker.words import BeyondError, Content, RefusalError, Trees

FORMATS = (1, 2)
KINDS = ("prices", "tree", "boxes", "residue", "rules")


def proven_for(
    header: list[str], rows: list[list[str]], certificate: Content, trees: Trees
) -> tuple[int, int]:
    """Return what is proven for a table, and the most that any release of it loses."""
    if certificate["kind"] == "rules":
        return rule_bound(header, rows, certificate, trees), 0
    problem = Statement(header, rows, certificate, trees)
    return proven(problem, certificate), problem.most_loss


def proven(problem: Statement, certificate: Content) -> int:
    """Return the bound that table and certificate prove, at most what it claims."""
    claim, data = whole(certificate["bound"], None), certificate["data"]
    kind = certificate["kind"]
    if kind == "residue":
        if data or certificate["objective"]["kind"] != "tuples":
            raise RefusalError("a residue has data, or is not for tuples")
        return min(claim, residue(problem))
    if kind == "boxes":
        needed = {"denominator", "prices", "sets", "multipliers"}
        if not needed <= set(data) <= needed | {"sensitive", "nodes"}:
            raise RefusalError(f"its data are not {', '.join(sorted(needed))}")
        if certificate["objective"]["kind"] == "tuples":
            raise RefusalError("boxes are for stars and gcp")
        return box_bound(Pieces(problem, data), claim, listed_in(data.get("nodes", [])))
    needed = {"denominator", "prices"}
    needed |= {"patterns", "cuts", "nodes"} if kind == "tree" else set()
    if kind not in KINDS:
        raise BeyondError(f"its kind is none of {', '.join(KINDS)}")
    allowed = {"sensitive", "rounds", "counts"} if kind == "tree" else {"sensitive"}
    if kind == "prices" and "cuts" in data:
        needed |= {"patterns", "cuts"}
    if not needed <= set(data) <= needed | allowed:
        raise RefusalError(f"its data are not {', '.join(sorted(needed))}")
    unit = whole(data["denominator"], 1)
    prices = [whole(price, None) for price in listed_in(data["prices"])]
    if len(prices) != len(problem.types):
        raise RefusalError(
            f"it has {len(prices)} prices for {len(problem.types)} row types"
        )
    total = sum(p * m for p, m in zip(prices, problem.copies, strict=True))
    listed = patterns(problem, prices, unit, 0)
    if kind == "prices" and "cuts" in data:
        total += value_with_cuts(problem, unit, prices, data, listed)
    for cost, members in listed.values():
        total += value_of(problem, cost, members, prices)
    goal = (claim - 1) * unit + 1
    if kind == "tree" and total < goal:
        slack = goal - total
        listed = patterns(problem, prices, unit, slack)
        listed = thinned(problem, unit, listed, data, goal)
        tree = Tree(problem, unit, listed, data)
        least = tree.least_leaf(listed_in(data["nodes"]))
        total = goal if least is None else min(goal, max(total, least))
    return min(claim, max(0, -(-total // unit)))


def expect_known(certificate: Content) -> None:
    """Refuse what is no certificate; say of another kind that it is not known."""
    version, kind = certificate["starmin_certificate"], certificate["kind"]
    if whole(version, 1) not in FORMATS:
        raise BeyondError(f"it is of format {version}; known: 1 and 2")
    if not isinstance(kind, str):
        raise RefusalError("its kind is not named by text")
    if kind not in KINDS:
        raise BeyondError(f"its kind is none of {', '.join(KINDS)}")
    if kind == "prices" and "unit" in entries(certificate, "data"):
        raise BeyondError("its prices have a unit, for fine losses")
