"""List the boxes that a cheaper release may use, and bound what they cost."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
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
        self.pieces, self.must = pieces, must
        self.fewest, self.most, self.height = pieces.rows_at_most
        of_must = places(must)
        self.has, self.paid = len(of_must), sum(pieces.prices[t] for t in of_must)
        self.heads, self.sums = list[int](), [0]  # prices below 0, so that they rise
        self.held = dict[str, list[int]]()  # and by value
        self.add(types)

    def add(self, types: Iterable[int]) -> None:
        """Add the rows of further types, which come by falling price."""
        pieces, heads, most = self.pieces, self.heads, self.most
        for t in types:
            head = -pieces.prices[t]
            if len(heads) >= most and head >= heads[most - 1]:
                break  # no group has a row of a lower price
            many = pieces.copies[t] - (self.must >> t & 1)
            if pieces.value is None:
                at = bisect_right(heads, head)
                heads[at:at] = [head] * min(many, most)
                del heads[most:]
                continue
            held = self.held.setdefault(pieces.value[t], [])
            for _ in range(min(many, self.height)):
                if len(held) == self.height:
                    if head >= held[-1]:
                        break
                    del heads[bisect_left(heads, held.pop())]
                insort(held, head)
                insort(heads, head)
        self.sums = [0, *accumulate(heads)]

    def worth(self, cost: int, t: int | None = None) -> int:
        """Return what a group is worth at least in which a row pays so much.

        It has a row of type t, if one is named.
        """
        has, paid, heads = self.has, self.paid, self.heads
        without = known = len(heads)
        if t is not None and not self.must >> t & 1:
            price, value = self.pieces.prices[t], self.pieces.value
            has, paid = has + 1, paid + price
            # A row of its price, and of its value, is among the others.
            if -price in (heads if value is None else self.held.get(value[t], ())):
                without, known = bisect_left(heads, -price), known - 1
        if has > self.most or has + known < self.fewest:
            return NEVER
        rows = bisect_left(heads, -cost)
        if rows > without:
            rows -= 1
        rows = max(self.fewest - has, min(rows, self.most - has))
        others = self.sums[rows]
        if rows > without:
            others = self.sums[rows + 1] - heads[without]
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
        if not {*useful}.issuperset(each_place(must)):
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
        left, few = self.threshold, must.bit_count() < self.pieces.least
        for types, share, charge in self.charged:
            if few and share == self.pieces.least and members & ~types:
                continue  # a row of the group may be outside
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
            if not {*kept}.issuperset(each_place(must)):
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
        cost, members, must, useful, _, chosen = begun
        if not column.kept and column.is_hidden(members):
            choice = Choice(column.whole, members, (), column)
            self.look(cost + column.whole, members, useful, [*chosen, choice])
        for low, high in self.paying(column, begun):
            types = members & column.between(low, high)
            if must & ~types == 0:
                loss = column.unit * column.line.loss(low, high)
                parts = (column.at[low], column.at[high]) if low < high else ()
                choice = Choice(loss, types, parts)
                self.look(cost + loss, types, useful, [*chosen, choice])

    def paying(self, column: LineOfTypes, begun: Begun) -> Iterator[tuple[int, int]]:
        """Visit the ranges, by their ends, whose groups may be worth little enough.

        Each group has a row at either end, of a type that is left.
        """
        cost, _, must, useful, left, _ = begun
        later = mask_of(useful)
        held = [place for place, types in enumerate(column.at) if types & later]
        for first, low in enumerate(held):
            here = column.at[low] & later
            rows = DearRows(self.pieces, each_place(later), must)
            if must & ~later or rows.worth(cost) >= left:
                return
            alone, t = (0, None) if here & here - 1 else (here, here.bit_length() - 1)
            among = DearRows(self.pieces, (), must | alone)
            for high in held[first:]:
                if high > column.line.reach[low] or (high > low and column.kept):
                    break
                paid = cost + column.unit * column.line.loss(low, high)
                if rows.worth(paid, t) >= left:
                    break
                ends = [*each_place(column.at[high] & later)]
                among.add(ends)
                if any(among.worth(paid, t) < left for t in ends):
                    yield low, high
            later &= ~here


# What prices and sets prove of all boxes, at the root or by a tree.

Sides = list[tuple[int, int, int]]  # by set: multiplier, what it has, least and most


def box_bound(
    pieces: Pieces, claim: int, nodes: list[Any], listed: type[BoxList] = BoxList
) -> int:
    """Return what is proven, at most the claim, in units of the objective.

    ``listed`` may list boxes in a faster way.
    """
    goal = (claim - 1) * pieces.unit + 1
    sides = [(m, 0, b) for m, b in zip(pieces.multipliers, pieces.most, strict=True)]
    at_root = least_of_all(pieces, pieces.prices, sides)
    boxes = listed(pieces, max(0, goal - at_root)).found
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
    listed = []
    for cost, members, must, _ in boxes:
        has = {}
        for s, stated in enumerate(pieces.sets):
            if number := pieces.coefficient(members, must, *stated):
                has[s] = number
        listed.append((cost, places(members), places(must), has))
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
    listed: list[tuple[int, list[int], list[int], dict[int, int]]],
    prices: list[int],
    sides: Sides,
) -> int:
    """Return what is proven of the releases that agree with a path."""
    least = 0
    for cost, members, must, has in listed:
        of_piles = others = 0
        paid = prices
        for s, number in has.items():
            m, share = sides[s][0], pieces.sets[s][1]
            if share == 0:
                of_piles += m * number
            elif share > 0:
                others += m * number
            elif m:
                _, counted, (one, other, group) = pieces.tallies[s]
                others += m * group
                paid = [*paid]
                for t in members:
                    paid[t] += m * (one if counted >> t & 1 else other)
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
