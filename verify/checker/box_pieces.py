"""Cut groups into pieces, and price nodes of columns (section "Kind boxes")."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate
from operator import or_
from typing import Any, NamedTuple

from starmin.verify.checker.columns import Line
from starmin.verify.checker.reading import (
    Content,
    Node,
    RefusalError,
    changes,
    listed_in,
    numbers,
    pair,
    whole,
)
from starmin.verify.checker.statement import Statement

# Pieces of groups and the sets that count them (section "Kind boxes").

NEVER = 1 << 5000  # above the worth of any group
Types = Sequence[int]
Sizes = tuple[int, int, int]  # rows of a piece, least and most, and how many of a value


class Pieces:
    """A certificate of kind ``boxes``. Sets of types are the bits of a number.

    Bits are numbered by falling price at the root: ``order`` has the types so.
    """

    def __init__(self, problem: Statement, data: Content) -> None:
        self.problem = problem
        self.least: int = problem.least
        every = range(len(problem.types))
        self.unit, prices = problem.priced_in(data)
        self.order = sorted(every, key=lambda t: -prices[t])
        self.bit = [0] * len(every)
        for place, t in enumerate(self.order):
            self.bit[t] = place
        self.prices = [prices[t] for t in self.order]
        self.copies = [problem.copies[t] for t in self.order]
        self.value = (
            [problem.values[0][t] for t in self.order] if problem.diverse else None
        )
        self.values: int = problem.l if problem.l > 1 else problem.distinct
        self.uncut = isinstance(data.get("sensitive"), list)
        self.columns_of = [[held[t] for t in self.order] for held in problem.values]
        self.sizes = self.piece_sizes()
        self.sets: list[tuple[int, int]] = []
        self.tallies: dict[int, tuple[str, int, tuple[int, int, int]]] = {}
        for stated in listed_in(data["sets"]):
            if self.uncut and len(listed_in(stated)) == 3:
                self.tally(*stated)
                continue
            types, share = pair(stated)
            lowest = 1 if problem.l == 1 or self.uncut else 0
            if not lowest <= whole(share, 0) <= self.least:
                raise RefusalError("a share is 0, or larger than the least group")
            self.sets.append((mask_of(set(numbers(types, self.bit))), share))
        stated = changes(data["multipliers"], range(len(self.sets)), None)
        self.multipliers = [stated.get(s, 0) for s in range(len(self.sets))]
        if any(multiplier > 0 for multiplier in self.multipliers):
            raise RefusalError("a multiplier of the root is above 0")
        if any(m and self.sets[s][1] <= 0 for s, m in stated.items()):
            raise RefusalError("a set that counts piles or rows has a multiplier above")
        self.most = [
            self.most_in(types, share) if share >= 0 else 0
            for types, share in self.sets
        ]
        for s, (kind, counted, _) in self.tallies.items():
            if kind == "rows":
                self.most[s] = sum(self.copies[t] for t in places(counted))
        self.most_groups = self.most_in((1 << len(every)) - 1, self.least)
        self.at = [self.places_of(j) for j in range(len(problem.qi))]
        rank = sorted(
            (problem.lines[j] is not None, len(self.at[j]), j)
            for j in range(len(problem.qi))
        )
        self.columns = [j for *_, j in rank]

    def places_of(self, column: int) -> dict[Any, int]:
        """Return by text, or place on a line, the types that have it."""
        found: dict[Any, int] = {}
        line = self.problem.lines[column]
        for place, t in enumerate(self.order):
            text: Any = self.problem.types[t][column]
            key = text if line is None else line.places[text]
            found[key] = found.get(key, 0) | 1 << place
        return found

    def tally(self, types: Any, kind: Any, counted: Any) -> None:
        """Read a box, and what is said of some of its rows (section "Kind boxes").

        Noted are what a row counts that is one of them, any other one, and a group.
        """
        some = set(numbers(counted, self.bit))
        inside = set(numbers(types, self.bit))
        if kind == "rows":
            counts = 1, 0, 0
        elif kind == "share":
            if all(len({held[t] for t in some}) != 1 for held in self.columns_of):
                raise RefusalError("a share counts types of several values")
            counts = self.problem.l - 1, -1, 0
        elif kind == "values":
            others = [{held[t] for t in inside - some} for held in self.columns_of]
            needed = self.problem.distinct - min(len(held) for held in others)
            counts = -1, 0, max(0, needed)
        else:
            raise RefusalError("a set counts neither rows, a share, nor values")
        self.tallies[len(self.sets)] = kind, mask_of(some), counts
        self.sets.append((mask_of(inside), -1))

    def worth(
        self, cost: int, members: Types, must: Types, prices: list[int], gain: int = 0
    ) -> int | None:
        """Return what the cheapest group is worth that some types are in.

        ``members`` are the types that fit, by falling price; ``gain`` is what each pile
        of a group is worth beside.
        """
        if self.value is not None and self.problem.l == 1:
            return self.worth_of_values(self.value, cost, members, must, prices)
        best = None
        for size in self.sizes:
            worth = self.worth_of_size(size, cost, members, must, prices)
            if worth is not None:
                worth -= gain * size[2]
                best = worth if best is None else min(best, worth)
        return best

    def worth_of_size(
        self, sizes: Sizes, cost: int, members: Types, must: Types, prices: list[int]
    ) -> int | None:
        """Return what the cheapest group of some sizes is worth."""
        least, most, height = sizes
        size, total = len(must), sum(cost - prices[t] for t in must)
        held = Counter([] if self.value is None else [self.value[t] for t in must])
        if size > most or any(many > height for many in held.values()):
            return None
        for t in members:
            each = cost - prices[t]
            if size == most or (size >= least and each >= 0):
                break
            take = self.copies[t] - (t in must)
            take = min(take, (most if each < 0 else least) - size)
            if self.value is not None:
                take = min(take, height - held[self.value[t]])
                held[self.value[t]] += take
            size, total = size + take, total + take * each
        return total if size >= least else None

    def worth_of_values(
        self,
        value: list[str],
        cost: int,
        members: Types,
        must: Types,
        prices: list[int],
    ) -> int | None:
        """Return what the cheapest group with several values is worth.

        All that pays is in it, then the cheapest rows of values that are missing, then
        the cheapest of all others.
        """
        taken = dict.fromkeys(must, 1)
        taken.update({t: self.copies[t] for t in members if prices[t] > cost})
        held = {value[t] for t in taken}
        for t in members:
            if len(held) < self.values and value[t] not in held:
                taken[t] = 1
                held.add(value[t])
        if len(held) < self.values:
            return None
        for t in members:
            missing = self.least - sum(taken.values())
            if missing <= 0:
                break
            before = taken.get(t, 0)
            taken[t] = before + min(missing, self.copies[t] - before)
        if sum(taken.values()) < self.least:
            return None
        return sum(many * (cost - prices[t]) for t, many in taken.items())

    def piece_sizes(self) -> list[Sizes]:
        """Return the sizes of pieces: section "Kind boxes", by height."""
        l, least = self.problem.l, self.least
        if l == 1:
            return [(least, 2 * least - 1, 2 * least - 1)]
        top = 2 * -(-least // l) - 1
        if self.uncut and self.value is not None:
            # Larger groups have a value as often as you like.
            held = self.rows_by_value(range(len(self.copies)))
            top = max(least // l, *held.values())
        sizes = [
            (max(least, height * l), height * l + l - 1, height)
            for height in range(least // l, top + 1)
        ]
        if self.uncut:
            sizes[-1] = sizes[-1][0], max(self.problem.n, sizes[-1][0]), top
        return sizes

    def rows_by_value(self, types: Iterable[int]) -> Counter[str]:
        """Count the rows of some types by their sensitive values."""
        held = Counter[str]()
        for t in types:
            held[self.value[t] if self.value else ""] += self.copies[t]
        return held

    @cached_property
    def rows_at_most(self) -> Sizes:
        """Return the sizes that all pieces are within."""
        if self.value is not None and self.problem.l == 1:
            return self.least, self.problem.n, self.problem.n
        (least, *_), (*_, most, height) = self.sizes[0], self.sizes[-1]
        if self.value is not None:
            most = min(most, height * len(set(self.value)))
        return least, most, height

    def most_in(self, types: int, share: int) -> int:
        """Return what the coefficients of a set are together at most."""
        among = places(types)
        rows = sum(self.copies[t] for t in among)
        most = rows // (share or self.values)
        if share in (0, self.least) and self.value is not None:
            frequent = sorted(self.rows_by_value(among).values(), reverse=True)
            for j in range(self.values):
                left = rows - sum(frequent[:j])
                most = min(most, left // self.beyond(j, share or self.values))
        return most

    def beyond(self, j: int, least: int) -> int:
        """Return how many rows of a piece have none of j values, at least."""
        l: int = self.problem.l
        if l == 1:
            return self.values - j
        height = least // l
        return min(least - j * height, (height + 1) * (l - j))

    def coefficient(self, members: int, must: int, types: int, share: int) -> int:
        """Return how many rows of a set each group of a box has at least, by share."""
        if share < 0:  # it counts rows of the box that has its types
            return int(members == types)
        if share == 0:  # how many groups of the box are inside for each of its groups
            return int(members & ~types == 0)
        if members & ~types and share == self.least > must.bit_count():
            return 0  # a row of the group may be outside
        outside = members & ~types
        if self.value is None:
            rows = self.least - outside.bit_count()
            if rows > 0:
                rows = self.least - sum(self.copies[t] for t in places(outside))
            return max((must & types).bit_count(), rows) // share
        among, inside = places(outside), places(must & types)
        rows = self.least - sum(self.copies[t] for t in among)
        values = self.values - len({self.value[t] for t in among})
        return max(len({self.value[t] for t in inside}), rows, values) // share


def mask_of(types: Collection[int]) -> int:
    """Return different types as the bits of a number."""
    return sum(1 << t for t in types)


def places(number: int) -> list[int]:
    """Return the places of the bits of a number, the lowest first."""
    return [*each_place(number)]


def each_place(number: int) -> Iterator[int]:
    """Visit them."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


# The nodes of a column, and what a group pays at least that has some types.


class Choice(NamedTuple):
    """What some types are published as in a column.

    ``parts`` are the types at both ends of a range, or below each child of a node: a
    group has rows of two of them. ``hidden`` is a column of numbers that is hidden.
    """

    cost: int
    types: int
    parts: tuple[int, ...] = ()
    hidden: "LineOfTypes | None" = None

    def ends(self, members: int) -> int | None:
        """Return the types that each group published so has; None: there is none."""
        if self.hidden is not None:
            return 0 if self.hidden.is_hidden(members) else None
        if not self.parts:
            return 0
        held = [part & members for part in self.parts if part & members]
        if len(held) < 2:
            return None
        if len(held) > 2:
            return 0
        return sum(part for part in held if part.bit_count() == 1)


class LineOfTypes:
    """A column of numbers, published as ranges, or hidden."""

    def __init__(self, pieces: Pieces, column: int, line: Line) -> None:
        self.line, self.kept = line, pieces.problem.kept[column]
        self.unit = pieces.unit * pieces.problem.units[column]
        self.place = [0] * len(pieces.order)
        self.at = [0] * len(line.reach)
        for place, types in pieces.at[column].items():
            self.at[place] = types
            for t in places(types):
                self.place[t] = place
        self.below: list[int] = [*accumulate(self.at, or_)]
        self.whole = self.unit * line.whole
        self.from_low = cache(self._from_low)

    def is_hidden(self, members: int) -> bool:
        """Return whether some types are published as all of the column."""
        held = [place for place, types in enumerate(self.at) if types & members]
        return held[0] != held[-1] and held[-1] > self.line.reach[held[0]]

    def between(self, low: int, high: int) -> int:
        """Return the types from a place to another one."""
        return self.below[high] & ~(self.below[low - 1] if low else 0)

    def _least(self, low: int, high: int) -> int:
        """Return what a group pays at least that has rows at two places."""
        if low < high and self.kept:
            return NEVER
        loss = self.unit * self.line.loss(low, high)
        return loss if self.kept else min(loss, self.whole)

    def _from_low(self, low: int) -> list[int]:
        return [self._least(min(low, p), max(low, p)) for p in range(len(self.at))]

    def least_with(self, must: int, types: list[int]) -> list[int]:
        """Return what a group pays at least that has some types, and each of others."""
        held = [self.place[t] for t in places(must)]
        if not held:
            return [self._least(self.place[t], self.place[t]) for t in types]
        first, last = min(held), max(held)
        above, below = self.from_low(first), self.from_low(last)
        between = above[last]
        return [
            below[p] if p < first else above[p] if p > last else between
            for p in map(self.place.__getitem__, types)
        ]


class TreeOfTypes:
    """A column of values below the nodes of a tree."""

    def __init__(self, pieces: Pieces, column: int) -> None:
        self.kept = pieces.problem.kept[column]
        self.unit = pieces.unit * pieces.problem.units[column]
        self.chains = pieces.problem.chains[column]
        self.at = pieces.at[column]
        self.nodes = list[tuple[Choice, int]]()
        self._add(0, list(self.at))
        self.known = cache(self._known)

    def _add(self, depth: int, texts: list[str]) -> None:
        """Add the node of some texts, and those below; each with where these end."""
        parts: dict[Node, list[str]] = {}
        for text in texts:
            chain = self.chains[text]
            child = chain[depth + 1][0] if depth < len(chain) - 1 else text
            parts.setdefault(child, []).append(text)
        inner = depth < len(chain) - 1
        below = tuple(sum(self.at[text] for text in part) for part in parts.values())
        cost = self.unit * chain[depth][1]
        own_place = len(self.nodes)
        choice = Choice(cost, sum(below), below if inner else ())
        self.nodes.append((choice, 0))
        if inner:
            for part in parts.values():
                self._add(depth + 1, part)
        self.nodes[own_place] = choice, len(self.nodes)

    def _known(self, must: int) -> list[tuple[int, int]]:
        """Return the nodes above some types by what they cost, and their types."""
        return sorted(
            (choice.cost, choice.types)
            for choice, _ in self.nodes
            if must & ~choice.types == 0 and not (choice.parts and self.kept)
        )

    def least_with(self, must: int, types: list[int]) -> list[int]:
        """Return what a group pays at least that has some types, and each of others."""
        above = self.known(must)
        return [
            next((cost for cost, below in above if below >> t & 1), NEVER)
            for t in types
        ]
