"""The bound that prices of rows and multipliers of sets prove of groups in boxes."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from starmin.instances.tables.row_types import canonical_order
from starmin.verify.certificates.asked import Asked, listed_prices
from starmin.verify.certificates.boxes.box_list import BoxWalk
from starmin.verify.certificates.boxes.column_nodes import column_of
from starmin.verify.certificates.boxes.conditions import (
    Box,
    BoxConditions,
    Choice,
    Pieces,
    RowSet,
    as_bits,
    tally,
)
from starmin.verify.certificates.untrusted import (
    ENDLESS,
    RefusalError,
    changes,
    check_keys,
    listed,
    numbers,
    split_on,
    walked,
    whole,
)
from starmin.verify.exact import Told

# Read what a certificate states of boxes, every entry checked.

KINDS = "rows", "share", "values"


@dataclass(frozen=True)
class BoxNode:
    """One node: new prices by type, new multipliers by set, and the split."""

    prices: dict[int, int]
    multipliers: dict[int, int]
    split: tuple[int, int] | None


def read_sets(
    stated: object, types: list[int], least: int, piles: bool, tallies: bool
) -> list[RowSet]:
    """Read sets of types, with their shares; refuse them where an entry is none.

    The ``types`` are those that the file numbers, and ``least`` the rows of a group.
    Where ``piles``, a share may be 0: such a set counts piles. Where ``tallies``, there
    may be boxes whose rows are counted: these have three entries.
    """
    sets = []
    for one in listed(stated, "sets"):
        if tallies and len(listed(one, "a set")) == 3:
            inside, kind, counted = one
            if kind not in KINDS:
                raise RefusalError(f"a set counts none of {', '.join(KINDS)}")
            both = (
                as_bits(numbers(each, "a set", types)) for each in (inside, counted)
            )
            sets.append(RowSet(next(both), -1, kind, next(both)))
            continue
        if len(listed(one, "a set")) != 2:
            raise RefusalError("a set does not have two entries")
        share = whole(one[1], "the share of a set", 0 if piles else 1)
        if share > least:
            raise RefusalError(f"the share of a set is above {least}")
        sets.append(RowSet(as_bits(numbers(one[0], "a set", types)), share))
    return sets


def read_multipliers(stated: object, sets: list[RowSet]) -> list[int]:
    """Read the multiplier of each set at the root, at most 0."""
    found = changes(stated, "multipliers", range(len(sets)), -ENDLESS, ENDLESS)
    if any(multiplier > 0 for multiplier in found.values()):
        raise RefusalError("a multiplier of the root is above 0")
    if any(m and sets[s].share <= 0 for s, m in found.items()):
        raise RefusalError("a set that counts piles or rows has a multiplier above")
    return [found.get(s, 0) for s in range(len(sets))]


def read_nodes(stated: object, types: list[int], sets: list[RowSet]) -> list[BoxNode]:
    """Read the nodes of a tree, each before its children; none where there is none."""
    nodes, places = list[BoxNode](), range(len(sets))
    for one in listed(stated, "nodes"):
        content = check_keys(one, "a node", possible={"prices", "sets", "split"})
        split = split_on(content["split"], places) if "split" in content else None
        prices, beyond = content.get("prices", []), (-ENDLESS, ENDLESS)
        of_types = changes(prices, "prices of a node", types, *beyond)
        what, multipliers = "multipliers of a node", content.get("sets", [])
        of_sets = changes(multipliers, what, places, *beyond)
        nodes.append(BoxNode(of_types, of_sets, split))
    # Of what is said of values there is no lower bound.
    upper = {s for s, one in enumerate(sets) if one.kind not in ("", "rows")}
    for node in nodes:
        if any(m > 0 for s, m in node.multipliers.items() if s in upper) or (
            node.split is not None and node.split[0] in upper
        ):
            raise RefusalError("a node has values of a box on their lower side")
    return nodes


class _State(NamedTuple):
    """What holds at a node: prices, multipliers, and groups that sets have."""

    prices: list[int]
    multipliers: list[int]
    least: list[int]
    most: list[int]


class _PricedBox(NamedTuple):
    """A box, and its coefficients by set: of sets that count piles, and of others.

    Of sets that count its rows there are the places.
    """

    cost: int
    members: list[int]
    ends: list[int]
    piles: dict[int, int]
    others: dict[int, int]
    tallied: list[int]


class BoxProof:
    """Recomputes what prices and multipliers of sets prove of groups in boxes.

    Groups are cut into pieces (see ``Pieces``), each published as its box.
    docs/reference/certificate.md has the theorem, what sets count, and why leaves look
    at the boxes of a list alone (section "Kind boxes"). A set with a share of -1 counts
    rows of its box: see ``tally``. What it says is linear in the rows, so at a leaf it
    changes what rows of this box are worth.

    Where sets count rows, all sensitive columns are looked at; else one at most.
    """

    def __init__(self, asked: Asked) -> None:
        data, table, k, l, distinct, objective, *_ = asked
        self.denominator = whole(data["denominator"], "its denominator", 1)
        diverse = "sensitive" in data
        uncut = isinstance(data.get("sensitive"), list)  # groups, with all columns
        named = asked.named()
        if not diverse:  # what is left out makes the bound no higher
            k, l, distinct = max(k, l, distinct), 1, 1
        types = table.sensitive_types if diverse else table.row_types
        columns = [types.sensitive[:, place] for place in named]
        whole_groups = None
        if uncut:
            whole_groups = table.n, int(np.bincount(columns[0], types.counts).max())
        pieces = Pieces.of(k, l, distinct, whole_groups)
        canonical = canonical_order(table, types)
        written = listed_prices(data["prices"], len(types), ENDLESS)
        prices = dict(zip(canonical.tolist(), written, strict=True))
        # Bit 0 is the dearest type.
        order = np.array(sorted(range(len(prices)), key=lambda t: -prices[t]))
        bits = np.argsort(order)[canonical].tolist()
        piles = diverse and l > 1 and not uncut
        self.sets = read_sets(data["sets"], bits, pieces.least, piles, uncut)
        multipliers = read_multipliers(data["multipliers"], self.sets)
        self.nodes = read_nodes(data.get("nodes", []), bits, self.sets)
        scales, kept = objective.scales_of(table), objective.kept(table)
        positions = scales.positions(types.codes[order]).astype(np.int64)
        units = [self.denominator * unit for unit in objective.units(table)]
        layouts = [scale.layout for scale in scales.scales]
        several = [len(np.unique(places)) for places in positions.T]
        self._columns = [
            column_of(layouts[j], units[j], bool(kept[j]), positions[:, j])
            for j in sorted(
                range(table.d), key=lambda j: (layouts[j].is_line, several[j])
            )
        ]
        values = [column[order].tolist() for column in columns]
        copies = types.counts[order].tolist()
        self.problem = BoxConditions(copies, values[0] if diverse else None, pieces)
        every = RowSet((1 << len(prices)) - 1, pieces.least)
        self._most_groups = self.problem.most(every)
        self._tallies = {
            s: tally(one, l, distinct, values)
            for s, one in enumerate(self.sets)
            if one.share < 0
        }
        most = [self.problem.most(one) for one in self.sets]
        paid = sorted(written, reverse=True)
        self.root = _State(paid, multipliers, [0] * len(most), most)

    def bound(self, claim: int, told: Told | None) -> int:
        """Return a cost that no release goes below, at most the claim.

        Raises RefusalError where the nodes are not one tree, and ValueError where boxes
        are too many to look at.
        """
        goal = (claim - 1) * self.denominator + 1
        base = self._base(self.root)
        charged = [
            (one, -multiplier)
            for one, multiplier in zip(self.sets, self.root.multipliers, strict=True)
            if multiplier
        ]
        given = self._columns, self.problem, self.root.prices, charged
        walk = BoxWalk(*given, max(goal - base, 0))
        found, least = [], 0
        for box, worth in walk.boxes():
            found.append(box)
            least = min(least, worth)
        proven = base + self._most_groups * least
        if self.nodes and least < 0:
            raise RefusalError("a box is worth less than 0 at the root of its tree")
        if self.nodes and proven < goal:
            leaves = self._least_leaf(found, goal, told)
            proven = max(proven, leaves)
        elif self.nodes:
            self._least_leaf([], goal, None)
        return min(claim, max(0, -(-proven // self.denominator)))

    def _base(self, state: _State) -> int:
        """Return what is proven where no box is worth less than 0."""
        copies = self.problem.copies
        total = sum(p * s for p, s in zip(state.prices, copies, strict=True))
        for multiplier, least, most in zip(*state[1:], strict=True):
            total += multiplier * (least if multiplier > 0 else most)
        return total

    def _least_leaf(self, boxes: list[Box], goal: int, told: Told | None) -> int:
        """Return the least that is proven at a leaf, at most the goal."""
        lowest, checked = goal, 0
        leaves = sum(node.split is None for node in self.nodes)
        priced = [self._with_coefficients(box) for box in boxes]
        ahead = [self.root]
        for above, node in walked(ahead, self.nodes):
            state = self._enter(above, node)
            if node.split is not None:
                ahead += reversed(self._children(state, *node.split))
                continue
            proven = self._leaf(state, priced)
            lowest, checked = min(lowest, proven), checked + 1
            if told is not None:
                told(checked, leaves)
        return lowest

    def _enter(self, state: _State, node: BoxNode) -> _State:
        """Return the state at a node."""
        prices, multipliers = list(state.prices), list(state.multipliers)
        for t, price in node.prices.items():
            prices[t] = price
        for s, multiplier in node.multipliers.items():
            multipliers[s] = multiplier
        return state._replace(prices=prices, multipliers=multipliers)

    def _children(self, state: _State, s: int, number: int) -> list[_State]:
        """Return both sides of a split: so many groups in a set at most, or more."""
        below, above = list(state.most), list(state.least)
        below[s], above[s] = min(below[s], number), max(above[s], number + 1)
        return [state._replace(most=below), state._replace(least=above)]

    def _with_coefficients(self, box: Box) -> _PricedBox:
        """Return a box with its coefficients that are not 0."""
        piles, others, tallied = dict[int, int](), dict[int, int](), list[int]()
        for s, one in enumerate(self.sets):
            number = self.problem.coefficient(box.types, box.forced, one)
            if number and one.share < 0:
                tallied.append(s)
            elif number:
                (others if one.share else piles)[s] = number
        return _PricedBox(box.cost, box.members, box.ends, piles, others, tallied)

    def _leaf(self, state: _State, boxes: list[_PricedBox]) -> int:
        """Return what is proven of the releases that agree with a path."""
        prices, multipliers = state.prices, state.multipliers
        rank = [0] * len(prices)
        for place, t in enumerate(sorted(range(len(rank)), key=lambda t: -prices[t])):
            rank[t] = place
        least = 0
        for box in boxes:
            used = [s for s in box.tallied if multipliers[s]]
            if used:
                worth = self._tallied_worth(state, box, used)
                least = least if worth is None else min(least, worth)
                continue
            dearest = sorted(box.members, key=rank.__getitem__)
            gain = sum(multipliers[s] * number for s, number in box.piles.items())
            among = Choice(box.cost, dearest, box.ends, prices)
            worth = self.problem.worth(among, gain)
            if worth is not None:
                worth -= sum(multipliers[s] * c for s, c in box.others.items())
                least = min(least, worth)
        return self._base(state) + self._most_groups * least

    def _tallied_worth(
        self, state: _State, box: _PricedBox, used: list[int]
    ) -> int | None:
        """Return what a box is worth at a leaf, some of whose sets count its rows."""
        prices, multipliers = list(state.prices), state.multipliers
        constant = sum(multipliers[s] * number for s, number in box.others.items())
        for s in used:
            counts, counted = self._tallies[s], self.sets[s].counted
            constant += multipliers[s] * counts.group
            for t in box.members:
                prices[t] += multipliers[s] * counts.price(bool(counted >> t & 1))
        dearest = sorted(box.members, key=lambda t: -prices[t])
        worth = self.problem.worth(Choice(box.cost, dearest, box.ends, prices))
        return None if worth is None else worth - constant
