"""Thin the list of patterns by prices and rounds (section "Rounds")."""

from starmin.verify.checker.problem.statement import Statement
from starmin.verify.checker.reading import changes, listed_in
from starmin.verify.checker.trees.fills import Priced, cheapest, fill
from starmin.verify.checker.trees.tree import State, Tree
from starmin.verify.checker.trees.walk import Listed
from starmin.verify.checker.words import Content, RefusalError


def thinned(
    problem: Statement, unit: int, listed: Listed, data: Content, goal: int
) -> Listed:
    """Return what is left of the list after the prices and each of the rounds."""
    prices = dict(enumerate(data["prices"]))
    multipliers = [0] * len(listed_in(data["cuts"]))
    listed = dropped(Tree(problem, unit, listed, data), prices, multipliers, goal)
    prices = dict.fromkeys(prices, 0)
    for each in listed_in(data.get("rounds", [])):
        if not isinstance(each, dict) or not set(each) <= {"prices", "cuts"}:
            raise RefusalError("a round has other entries than prices and cuts")
        prices |= changes(each.get("prices", []), range(len(prices)), None)
        new = changes(each.get("cuts", []), range(len(multipliers)), 0)
        multipliers = [new.get(c, m) for c, m in enumerate(multipliers)]
        tree = Tree(problem, unit, listed, data)
        listed = dropped(tree, prices, multipliers, goal)
    return listed


def dropped(
    tree: Tree, prices: dict[int, int], multipliers: list[int], goal: int
) -> Listed:
    """Drop types with which every release costs the goal or more."""
    places, n = range(len(tree.keys)), tree.problem.n
    offered = [tree.priced(p, prices, multipliers) for p in places]
    values = [fill(tree.problem, priced, 1, n) for priced, _ in offered]
    worths = [
        0 if value is None else min(0, value + opening)
        for value, (_, opening) in zip(values, offered, strict=True)
    ]
    state = State(prices, multipliers, {}, {}, {}, worths, frozenset())
    total = tree.bound(state)
    if total is None or total >= goal:
        return {}
    left = {}
    for p, value, worth in zip(places, values, worths, strict=True):
        if value is None:
            continue
        priced, opening = offered[p]
        slack = goal - total - opening + worth
        least = forced(tree, priced)
        kept = [t for t in tree.members[p] if max(least[t], value) < slack]
        if kept:
            left[tree.keys[p]] = (tree.costs[p], kept)
    return left


def forced(tree: Tree, priced: Priced) -> dict[int, int]:
    """Return for each type the least worth of enough copies, one of it included."""
    problem, least = tree.problem, tree.problem.least
    copies = [(each, problem.copies[t]) for each, t in priced]
    worth, _ = cheapest(copies, least)
    if worth is None:
        return {}
    free = sum(some for each, some in copies if each < 0)
    last, taken = 0, 0
    for each, some in copies:
        if taken < max(free, least):
            last, taken = each, taken + some
    exchanged = max(last, 0) if free <= least else 0
    return {t: worth + max(0, each - exchanged) for each, t in priced}
