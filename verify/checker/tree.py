"""Walk a tree of decisions, and thin its patterns ("Kind tree", "Rounds")."""

from typing import Any, NamedTuple

from starmin.verify.checker.patterns import Listed, Priced, cheapest, fill
from starmin.verify.checker.reading import (
    Content,
    RefusalError,
    changes,
    listed_in,
    numbers,
    pair,
    parted,
    split_on,
    walked,
    whole,
)
from starmin.verify.checker.statement import Statement

# The nodes of a tree of decisions, and what its leaves prove (section "Kind tree").

NODE = {"prices", "cuts", "counts", "split", "count_split"}
SPLITS = {"split", "count_split"}
COUNTED = {"of", "types", "patterns"}

Limits = dict[int, tuple[int, int]]  # the least and the greatest number
Count = tuple[bool, set[int] | None, set[int] | None]  # groups or rows; types, patterns


class State(NamedTuple):
    """What holds at a node: prices by type, multipliers, bounds and worths."""

    prices: dict[int, int]
    cuts: list[int]
    counts: dict[int, int]
    heights: Limits  # by pattern
    limits: Limits  # by count
    worths: list[int]
    stuck: frozenset[int | None]  # patterns that must have rows and cannot


class Tree:
    """The nodes, walked from the root, with the worth of every pattern kept."""

    def __init__(self, problem: Statement, listed: Listed, data: Content) -> None:
        self.problem = problem
        self.keys = list(listed)
        self.costs = [listed[key][0] for key in self.keys]
        self.members = [listed[key][1] for key in self.keys]
        self.with_type: dict[int, list[int]] = {}
        for p, members in enumerate(self.members):
            for t in members:
                self.with_type.setdefault(t, []).append(p)
        place = {key: p for p, key in enumerate(self.keys)}
        self.named = [place.get(key) for key in problem.named_in(data)]
        self.cuts = [self.cut(*pair(cut)) for cut in listed_in(data["cuts"])]
        self.cuts_of: list[list[int]] = [[] for _ in self.keys]
        for c, (chosen, _, _, _) in enumerate(self.cuts):
            for p in chosen:
                self.cuts_of[p].append(c)
        self.counts = [
            self.count(stated) for stated in listed_in(data.get("counts", []))
        ]

    def cut(self, types: Any, names: Any) -> tuple[set[int], set[int], int, int]:
        """Return patterns, types, r and q of a cut (section "Cuts")."""
        inside = set(numbers(types, range(len(self.problem.types))))
        named = numbers(names, range(len(self.named)))
        chosen = {p for p in (self.named[i] for i in named) if p is not None}
        rows = sum(self.problem.copies[t] for t in inside)
        q, rest = divmod(rows, self.problem.least)
        return chosen, inside, self.problem.least - rest, q

    def count(self, stated: Any) -> Count:
        """Return what a count counts (section "Counts")."""
        if not isinstance(stated, dict) or not {"of"} <= set(stated) <= COUNTED:
            raise RefusalError("a count has other entries than of, types and patterns")
        if stated["of"] not in ("rows", "groups"):
            raise RefusalError("a count is neither of rows nor of groups")
        types = patterns = None
        if "types" in stated:
            types = set(numbers(stated["types"], range(len(self.problem.types))))
        if "patterns" in stated:
            named = numbers(stated["patterns"], self.named)
            patterns = {p for p in named if p is not None}
        return stated["of"] == "groups", types, patterns

    def least_leaf(self, nodes: list[Any]) -> int | None:
        """Return the least bound of a leaf; None where no release agrees with any."""
        prices = dict.fromkeys(range(len(self.problem.types)), 0)
        state = State(prices, [0] * len(self.cuts), {}, {}, {}, [], frozenset())
        worths = [self.worth(p, state)[0] for p in range(len(self.keys))]
        state = state._replace(worths=worths)
        ahead: list[tuple[State, int | None]] = [(state, None)]
        found = list[int]()
        for (state, decided), node in walked(ahead, nodes, NODE):
            state = self.enter(state, decided, node)
            if "split" in node:
                split = split_on(node["split"], self.named)
                ahead += reversed(self.children(state, *split))
            elif "count_split" in node:
                limit = split_on(node["count_split"], range(len(self.counts)))
                ahead += reversed(self.counted(state, *limit))
            elif (bound := self.bound(state)) is not None:
                found.append(bound)
        return min(found, default=None)

    def read(self, node: Any) -> tuple[dict[int, int], ...]:
        """Return what a node changes of prices, cuts and counts."""
        if not isinstance(node, dict) or not set(node) <= NODE or set(node) >= SPLITS:
            raise RefusalError("a node has an entry of unknown name, or two splits")
        return (
            changes(node.get("prices", []), range(len(self.problem.types)), None),
            changes(node.get("cuts", []), range(len(self.cuts)), 0),
            changes(node.get("counts", []), range(len(self.counts)), None),
        )

    def enter(self, state: State, decided: int | None, node: Any) -> State:
        """Return the state at a node."""
        changed = set() if decided is None else {decided}
        new, multipliers, limits = self.read(node)
        if new:
            state = state._replace(prices=state.prices | new)
            changed.update(p for t in new for p in self.with_type.get(t, []))
        if multipliers:
            cuts = [multipliers.get(c, m) for c, m in enumerate(state.cuts)]
            state = state._replace(cuts=cuts)
            changed.update(p for c in multipliers for p in self.cuts[c][0])
        if limits:
            state = state._replace(counts=state.counts | limits)
            for patterns in (self.counts[c][2] for c in limits):
                changed.update(range(len(self.keys)) if patterns is None else patterns)
        worths, stuck = list(state.worths), set(state.stuck - changed)
        for p in changed:
            worths[p], fails = self.worth(p, state)
            if fails:
                stuck.add(p)
        return state._replace(worths=worths, stuck=frozenset(stuck))

    def children(
        self, state: State, p: int | None, g: int
    ) -> list[tuple[State, int | None]]:
        """Return both sides of a split: height g at most, or more."""
        if p is None:  # not on the list: it has no rows
            return [(state, None), (state._replace(stuck=state.stuck | {None}), None)]
        sides = parted(*state.heights.get(p, (0, self.problem.n)), g)
        return [
            (state._replace(heights=state.heights | {p: side}), p) for side in sides
        ]

    def counted(self, state: State, c: int, g: int) -> list[tuple[State, int | None]]:
        """Return both sides of a split on a count: g at most, or more."""
        sides = parted(*state.limits.get(c, (0, self.problem.n)), g)
        return [
            (state._replace(limits=state.limits | {c: side}), None) for side in sides
        ]

    def worth(self, p: int, state: State) -> tuple[int, bool]:
        """Return w of a pattern, and whether it must have rows and cannot."""
        low, high = state.heights.get(p, (0, self.problem.n))
        priced, opening = self.priced(p, state.prices, state.cuts)
        priced, added, touch, touched = self.charged(p, priced, state.counts)
        found = fill(self.problem, priced, max(low, 1), high) if high > 0 else None
        if found is None:
            return 0, low > 0
        if touch:
            others = [(each, t) for each, t in priced if t not in touched]
            avoiding = fill(self.problem, others, max(low, 1), high)
            found += touch
            found = found if avoiding is None else min(found, avoiding)
        found += opening + added
        return (found if low > 0 else min(0, found)), False

    def charged(
        self, p: int, priced: Priced, counts: dict[int, int]
    ) -> tuple[Priced, int, int, set[int]]:
        """Return copies as counts charge them, what opening costs, and a touch.

        That is the multiplier and the types of the first count of groups that charges
        the pattern for some of its types.
        """
        members, opening, touch, touched = set(self.members[p]), 0, 0, set[int]()
        for c, multiplier in sorted(counts.items()):
            groups, types, patterns = self.counts[c]
            if multiplier == 0 or not (patterns is None or p in patterns):
                continue
            inside = members if types is None else members & types
            if not groups:
                priced = [(r + multiplier * (t in inside), t) for r, t in priced]
            elif inside == members or (inside and multiplier < 0):
                opening += multiplier
            elif inside and not touch:
                touch, touched = multiplier, inside
        return sorted(priced), opening, touch, touched

    def priced(
        self, p: int, prices: dict[int, int], multipliers: list[int]
    ) -> tuple[Priced, int]:
        """Return cost and type of each copy, cheapest first, and what opening costs."""
        cost = self.costs[p]
        paid = [(c, multipliers[c]) for c in self.cuts_of[p] if multipliers[c]]
        copies = [
            (cost - prices[t] - sum(m for c, m in paid if t not in self.cuts[c][1]), t)
            for t in self.members[p]
        ]
        return sorted(copies), sum(m * self.cuts[c][2] for c, m in paid)

    def bound(self, state: State) -> int | None:
        """Return what a leaf proves; None if no release agrees with it."""
        if state.stuck or len(self.with_type) < len(self.problem.types):
            return None
        copies = self.problem.copies
        total = sum(price * copies[t] for t, price in state.prices.items())
        total -= sum(
            m * r * q for m, (_, _, r, q) in zip(state.cuts, self.cuts, strict=True)
        )
        for c, multiplier in state.counts.items():
            low, high = state.limits.get(c, (0, self.problem.n))
            total -= multiplier * (high if multiplier > 0 else low)
        return total + sum(state.worths)


# What patterns are worth at prices with cuts (section "Kind prices").


def value_with_cuts(
    problem: Statement, unit: int, prices: list[int], data: Content, listed: Listed
) -> int:
    """Return what patterns are worth, less what cuts allow; their patterns are listed.

    With prices each cut has its multiplier as a third entry.
    """
    if problem.l > 1 or problem.distinct > 1:
        raise RefusalError("prices with cuts are for k-anonymity")
    named, cuts = problem.named_in(data), listed_in(data["cuts"])
    if len(set(named)) < len(named):
        raise RefusalError("a pattern of its cuts is stated twice")
    for key in named:
        cost, members = problem.fitting(key)
        listed[key] = unit * cost, members
    if any(len(listed_in(cut)) != 3 for cut in cuts):
        raise RefusalError("a cut does not have three entries")
    multipliers = [whole(cut[2], 0) for cut in cuts]
    tree = Tree(problem, listed, {**data, "cuts": [cut[:2] for cut in cuts]})
    state = State(dict(enumerate(prices)), multipliers, {}, {}, {}, [], frozenset())
    worths = [tree.worth(p, state)[0] for p in range(len(tree.keys))]
    pairs = zip(multipliers, tree.cuts, strict=True)
    return sum(worths) - sum(m * r * q for m, (_, _, r, q) in pairs)


# Thin the list of patterns by prices and rounds (section "Rounds").


def thinned(problem: Statement, listed: Listed, data: Content, goal: int) -> Listed:
    """Return what is left of the list after the prices and each of the rounds."""
    prices = dict(enumerate(data["prices"]))
    multipliers = [0] * len(listed_in(data["cuts"]))
    listed = dropped(Tree(problem, listed, data), prices, multipliers, goal)
    prices = dict.fromkeys(prices, 0)
    for each in listed_in(data.get("rounds", [])):
        if not isinstance(each, dict) or not set(each) <= {"prices", "cuts"}:
            raise RefusalError("a round has other entries than prices and cuts")
        prices |= changes(each.get("prices", []), range(len(prices)), None)
        new = changes(each.get("cuts", []), range(len(multipliers)), 0)
        multipliers = [new.get(c, m) for c, m in enumerate(multipliers)]
        tree = Tree(problem, listed, data)
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
