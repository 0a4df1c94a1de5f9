"""List the boxes that a cheaper release may use, and bound what they cost."""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate
from typing import Any, NamedTuple

from starmin.verify.checker.box_pieces import (
    NEVER,
    Choice,
    LineOfTypes,
    Pieces,
    TreeOfTypes,
    each_place,
    mask_of,
    places,
)
from starmin.verify.checker.reading import (
    BeyondError,
    RefusalError,
    changes,
    parted,
    split_on,
    walked,
)

# The dearest rows of some types, of which no group is worth less.


class DearRows:
    """Rows of some types by falling price, beside those that each group has.

    Of one sensitive value there are as many as a piece may have; that a piece needs
    different values is left out.
    """

    def __init__(self, pieces: Pieces, types: Iterable[int], must: int) -> None:
        self.fewest, self.most, height = pieces.rows_at_most
        self.prices, self.must = pieces.prices, must
        of_must = places(must)
        self.has, self.paid = len(of_must), sum(self.prices[t] for t in of_must)
        heads, self.first = list[int](), dict[int, int]()
        held = dict[str, int]()
        for t in types:
            if len(heads) >= self.most:
                break  # no group has a row of a lower price
            many = pieces.copies[t] - (must >> t & 1)
            if pieces.value is not None:
                value = pieces.value[t]
                many = min(many, height - held.get(value, 0))
                held[value] = held.get(value, 0) + many
            if many:
                self.first[t] = len(heads)
                heads += [-self.prices[t]] * min(many, self.most)
        self.heads = heads
        self.sums = [0, *accumulate(heads)]

    def worth(self, cost: int, t: int | None = None) -> int:
        """Return what a group is worth at least in which a row pays so much.

        It has a row of type t, if one is named.
        """
        has, paid, without = self.has, self.paid, None
        if t is not None and not self.must >> t & 1:
            # The first row of the type is among those that it has.
            has, paid, without = has + 1, paid + self.prices[t], self.first.get(t)
        if has > self.most:
            return NEVER
        known = len(self.heads) - (without is not None)
        rows = bisect_left(self.heads, -cost)
        if without is not None and rows > without:
            rows -= 1
        if rows > self.most - has:
            rows = self.most - has
        elif rows < self.fewest - has:
            rows = self.fewest - has
            if rows > known:
                return NEVER
        if without is not None and rows > without:
            others = self.sums[rows + 1] - self.heads[without]
        else:
            others = self.sums[rows]
        return (has + rows) * cost - paid + others


# The boxes that a cheaper release may use.


MOST_LOOKS = 3_000_000  # at boxes that begin with some nodes
Box = tuple[int, int, int, int]  # cost, types, ends, worth


class Begun(NamedTuple):
    """Boxes that begin with some nodes: what these cost, and the types that fit."""

    cost: int
    members: int
    must: int  # the types that each group has
    useful: list[int]  # those of which a group may have a row
    left: int  # what a group is worth less than, sets charged
    chosen: list[Choice]


class BoxList:
    """Boxes worth less than a threshold.

    Nodes are chosen column by column. Of a type that is left no group need have a row
    if each group that has one is worth the threshold or more: a group that has certain
    types pays in all columns what their smallest nodes cost. Such types stay members of
    boxes, but no box has one as an end.
    """

    def __init__(self, pieces: Pieces, threshold: int) -> None:
        self.pieces, self.threshold = pieces, threshold
        self.found: list[Box] = []
        self.looks = 0
        self.charged = [
            (types, share, -multiplier)
            for (types, share), multiplier in zip(
                pieces.sets, pieces.multipliers, strict=True
            )
            if multiplier
        ]
        lines = [(column, pieces.problem.lines[column]) for column in pieces.columns]
        self.columns: list[LineOfTypes | TreeOfTypes] = [
            LineOfTypes(pieces, column, line) if line else TreeOfTypes(pieces, column)
            for column, line in lines
        ]
        types = list(range(len(pieces.order)))
        self.look(0, (1 << len(types)) - 1, types, [])

    def look(
        self, cost: int, members: int, useful: list[int], chosen: list[Choice]
    ) -> None:
        """Look for boxes that begin with some nodes."""
        self.pieces.problem.expect_time()
        self.looks += 1
        if self.looks > MOST_LOOKS:
            raise BeyondError("boxes that a release may use are too many to check")
        must = 0
        for choice in chosen:
            ends = choice.ends(members)
            if ends is None:
                return
            must |= ends
        useful = [t for t in useful if members >> t & 1]
        if must & ~mask_of(useful):
            return
        pieces, column = self.pieces, len(chosen)
        full = column == len(self.columns)
        among = places(members) if full or pieces.value is not None else useful
        worth = pieces.worth(cost, among, places(must), pieces.prices)
        if worth is None or worth >= self.threshold:
            return
        left = self.left(members, must)
        if worth >= left:
            return
        if full:
            total = worth + self.threshold - left
            self.found.append((cost, members, must, total))
            return
        begun = Begun(cost, members, must, useful, left, chosen)
        begun = begun._replace(useful=self.narrowed(begun))
        if not begun.useful:
            return
        one = self.columns[column]
        if isinstance(one, TreeOfTypes):
            self.choose_node(one, begun)
        else:
            self.choose_range(one, begun)

    def left(self, members: int, must: int) -> int:
        """Return what the threshold leaves to groups, if sets are charged."""
        left = self.threshold
        for types, share, charge in self.charged:
            left -= charge * self.pieces.coefficient(members, must, types, share)
        return left

    def narrowed(self, begun: Begun) -> list[int]:
        """Return the types of which groups have rows that are worth little enough."""
        cost, _, must, useful, left, chosen = begun
        paid = [cost] * len(useful)
        for column in self.columns[len(chosen) :]:
            more = column.least_with(must, useful)
            paid = [a + b for a, b in zip(paid, more, strict=True)]
        costs, cheapest = dict(zip(useful, paid, strict=True)), sorted(paid)
        while True:
            rows = DearRows(self.pieces, useful, must)
            # Of what costs more no group is worth little enough, whatever it has.
            some = bisect_left(cheapest, left, key=rows.worth)
            most = cheapest[some - 1] if some else -1
            kept = [
                t for t in useful if costs[t] <= most and rows.worth(costs[t], t) < left
            ]
            if must & ~mask_of(kept):
                return []
            if len(kept) == len(useful):
                return kept
            useful = kept

    def choose_node(self, column: TreeOfTypes, begun: Begun) -> None:
        """Look for boxes with each node of a tree that may pay."""
        cost, members, must, useful, left, chosen = begun
        place, some = 0, mask_of(useful)
        while place < len(column.nodes):
            choice, after = column.nodes[place]
            among = choice.types & some
            rows = DearRows(self.pieces, each_place(among), must & among)
            if must & ~choice.types or rows.worth(cost) >= left:
                place = after
                continue
            place += 1
            if choice.parts and column.kept:
                continue
            if rows.worth(cost + choice.cost) < left:
                below = members & choice.types
                self.look(cost + choice.cost, below, useful, [*chosen, choice])

    def choose_range(self, column: LineOfTypes, begun: Begun) -> None:
        """Look for boxes with each range that may pay."""
        cost, members, must, useful, left, chosen = begun
        if not column.kept and column.is_hidden(members):
            choice = Choice(column.whole, members, (), column)
            self.look(cost + column.whole, members, useful, [*chosen, choice])
        held = [place for place, types in enumerate(column.at) if types & members]
        later = members
        for first, low in enumerate(held):
            here = column.at[low] & members
            if must & ~later:
                return
            useful = [t for t in useful if later >> t & 1]
            rows = DearRows(self.pieces, useful, must)
            if rows.worth(cost) >= left:
                return
            alone = here if here.bit_count() == 1 else 0
            if alone & ~mask_of(useful) == 0:
                if must & ~here == 0:
                    choice = Choice(column.unit * column.line.loss(low, low), here)
                    below = cost + choice.cost, here, useful, [*chosen, choice]
                    self.look(*below)
                if first + 1 < len(held) and not column.kept:
                    shortest = column.unit * column.line.loss(low, held[first + 1])
                    if rows.worth(cost + shortest) < left:
                        given = cost, later, must | alone, useful, left, chosen
                        self.choose_high(column, held[first:], Begun(*given))
            later &= ~here

    def choose_high(self, column: LineOfTypes, held: list[int], begun: Begun) -> None:
        """Look for boxes with each range from a place that may pay."""
        cost, members, must, useful, _, chosen = begun
        low, reach = held[0], column.line.reach[held[0]]
        some, types = mask_of(useful), column.at[low] & members
        left, rows = self.left(members, must), DearRows(self.pieces, useful, must)
        for high in held[1:]:
            if high > reach:
                return
            at_high = column.at[high] & members
            types |= at_high
            if must & ~types:
                continue
            alone = at_high if at_high.bit_count() == 1 else 0
            if alone & ~some:
                continue
            paid = cost + column.unit * column.line.loss(low, high)
            if rows.worth(paid) >= left:
                return
            among = DearRows(self.pieces, each_place(types & some), must | alone)
            if among.worth(paid) < left:
                choice = Choice(paid - cost, types, (column.at[low], column.at[high]))
                self.look(paid, types, useful, [*chosen, choice])


# What prices and sets prove of all boxes, at the root or by a tree.

Sides = list[tuple[int, int, int]]  # by set: multiplier, what it has, least and most


def box_bound(pieces: Pieces, claim: int, nodes: list[Any]) -> int:
    """Return what is proven, at most the claim, in units of the objective."""
    goal = (claim - 1) * pieces.unit + 1
    sides = [(m, 0, b) for m, b in zip(pieces.multipliers, pieces.most, strict=True)]
    at_root = least_of_all(pieces, pieces.prices, sides)
    boxes = BoxList(pieces, max(0, goal - at_root)).found
    least = min((worth for *_, worth in boxes), default=0)
    total = at_root + pieces.most_groups * min(0, least)
    if nodes:
        if least < 0:
            raise RefusalError("a box is worth less than 0 at the root of its tree")
        total = max(total, least_box_leaf(pieces, boxes, sides, goal, nodes))
    return min(claim, max(0, -(-total // pieces.unit)))


def least_box_leaf(
    pieces: Pieces, boxes: list[Box], sides: Sides, goal: int, nodes: list[Any]
) -> int:
    """Return the least that is proven at a leaf, at most the goal."""
    listed = [
        (
            *(cost, places(members), places(must)),
            [pieces.coefficient(members, must, *stated) for stated in pieces.sets],
        )
        for cost, members, must, _ in boxes
    ]
    ahead, lowest = [(pieces.prices, sides)], goal
    for (prices, sides), node in walked(ahead, nodes, {"prices", "sets", "split"}):
        pieces.problem.expect_time()
        new = changes(node.get("prices", []), pieces.bit, None)
        prices = [new.get(t, price) for t, price in enumerate(prices)]
        new = changes(node.get("sets", []), range(len(sides)), None)
        sides = [(new.get(s, m), low, high) for s, (m, low, high) in enumerate(sides)]
        # Of what is said of values there is no lower bound.
        bounded = [s for s, (kind, *_) in pieces.tallies.items() if kind != "rows"]
        if any(sides[s][0] > 0 for s in bounded):
            raise RefusalError("a node has values of a box on their lower side")
        if "split" in node:
            s, number = split_on(node["split"], range(len(sides)))
            if s in bounded:
                raise RefusalError("a node splits values of a box")
            m, low, high = sides[s]
            ahead += [
                (prices, [*sides[:s], (m, *side), *sides[s + 1 :]])
                for side in reversed(parted(low, high, number))
            ]
            continue
        lowest = min(lowest, box_leaf(pieces, listed, prices, sides))
    return lowest


def box_leaf(
    pieces: Pieces,
    listed: list[tuple[int, list[int], list[int], list[int]]],
    prices: list[int],
    sides: Sides,
) -> int:
    """Return what is proven of the releases that agree with a path."""
    used = [(s, m) for s, (m, _, _) in enumerate(sides) if m]
    least = 0
    for cost, members, must, coefficients in listed:
        gains = [(m * coefficients[s], pieces.sets[s][1]) for s, m in used]
        of_piles = sum(gain for gain, share in gains if share == 0)
        others = sum(gain for gain, share in gains if share > 0)
        paid = prices
        for s, m in used:
            if pieces.sets[s][1] < 0 and coefficients[s]:
                _, counted, (one, other, group) = pieces.tallies[s]
                others += m * group
                paid = [
                    price + m * (one if counted >> t & 1 else other)
                    for t, price in enumerate(paid)
                ]
        dearest = sorted(members, key=lambda t: -paid[t])
        worth = pieces.worth(cost, dearest, must, paid, of_piles)
        if worth is not None:
            least = min(least, worth - others)
    return least_of_all(pieces, prices, sides) + pieces.most_groups * least


def least_of_all(pieces: Pieces, prices: list[int], sides: Sides) -> int:
    """Return what is proven where no box is worth less than 0."""
    total = sum(p * s for p, s in zip(prices, pieces.copies, strict=True))
    return total + sum(
        multiplier * (low if multiplier > 0 else high)
        for multiplier, low, high in sides
    )
