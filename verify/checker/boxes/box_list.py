"""The boxes that a cheaper release may use."""

from starmin.verify.checker.boxes.box_columns import Choice, LineOfTypes, TreeOfTypes
from starmin.verify.checker.boxes.dear_rows import DearRows
from starmin.verify.checker.boxes.pieces import Pieces, places


class BoxList:
    """Boxes worth less than a threshold: cost, types, ends, worth.

    Nodes are chosen column by column. Of a type that is left no group need have a row
    if each group that has one is worth the threshold or more: a group that has certain
    types pays in all columns what their smallest nodes cost. Such types stay members of
    boxes, but no box has one as an end.
    """

    def __init__(self, pieces: Pieces, threshold: int) -> None:
        self.pieces, self.threshold = pieces, threshold
        self.found: list[tuple[int, int, int, int]] = []
        self.charged = [
            (types, share, -multiplier)
            for (types, share), multiplier in zip(
                pieces.sets, pieces.multipliers, strict=True
            )
            if multiplier
        ]
        self.columns: list[LineOfTypes | TreeOfTypes] = []
        for column in pieces.columns:
            line = pieces.problem.lines[column]
            self.columns.append(
                TreeOfTypes(pieces, column)
                if line is None
                else LineOfTypes(pieces, column, line)
            )
        types = list(range(len(pieces.order)))
        self.look(0, (1 << len(types)) - 1, types, [])

    def look(
        self, cost: int, members: int, useful: list[int], chosen: list[Choice]
    ) -> None:
        """Look for boxes that begin with some nodes."""
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
        useful = self.narrowed(column, cost, must, None, useful, left)
        if not useful:
            return
        one = self.columns[column]
        given = cost, members, must, useful, left, chosen
        if isinstance(one, TreeOfTypes):
            self.choose_node(one, *given)
        else:
            self.choose_range(one, *given)

    def left(self, members: int, must: int) -> int:
        """Return what the threshold leaves to groups, if sets are charged."""
        left = self.threshold
        for types, share, charge in self.charged:
            left -= charge * self.pieces.coefficient(members, must, types, share)
        return left

    def narrowed(
        self,
        column: int,
        cost: int,
        must: int,
        low: int | None,
        useful: list[int],
        left: int,
    ) -> list[int]:
        """Return the types of which groups have rows that are worth little enough.

        They have the types ``must``, and pay a cost in the columns before. ``low`` is
        where the range of this column begins, if that is chosen.
        """
        while True:
            paid = [cost] * len(useful)
            for j in range(column, len(self.columns)):
                more = self.columns[j].least_with(
                    must, low if j == column else None, useful
                )
                paid = [a + b for a, b in zip(paid, more, strict=True)]
            rows = DearRows(self.pieces, useful, must)
            kept = [
                t
                for t, each in zip(useful, paid, strict=True)
                if rows.worth_with(each, t) < left
            ]
            if must & ~mask_of(kept):
                return []
            if len(kept) == len(useful):
                return kept
            useful = kept

    def choose_node(
        self,
        column: TreeOfTypes,
        cost: int,
        members: int,
        must: int,
        useful: list[int],
        left: int,
        chosen: list[Choice],
    ) -> None:
        """Look for boxes with each node of a tree that may pay."""
        place, some = 0, mask_of(useful)
        while place < len(column.nodes):
            choice, after = column.nodes[place]
            among = choice.types & some
            rows = DearRows(self.pieces, places(among), must & among)
            if must & ~choice.types or rows.worth(cost) >= left:
                place = after
                continue
            place += 1
            if choice.parts and column.kept:
                continue
            if rows.worth(cost + choice.cost) < left:
                below = members & choice.types
                self.look(cost + choice.cost, below, useful, [*chosen, choice])

    def choose_range(
        self,
        column: LineOfTypes,
        cost: int,
        members: int,
        must: int,
        useful: list[int],
        left: int,
        chosen: list[Choice],
    ) -> None:
        """Look for boxes with each range that may pay."""
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
            if DearRows(self.pieces, useful, must).worth(cost) >= left:
                return
            alone = here if here.bit_count() == 1 else 0
            if alone & ~mask_of(useful) == 0:
                if must & ~here == 0:
                    choice = Choice(column.unit * column.line.loss(low, low), here)
                    below = cost + choice.cost, here, useful, [*chosen, choice]
                    self.look(*below)
                if first + 1 < len(held) and not column.kept:
                    given = cost, later, must | alone, useful, chosen
                    self.choose_high(column, held[first:], *given)
            later &= ~here

    def choose_high(
        self,
        column: LineOfTypes,
        held: list[int],
        cost: int,
        members: int,
        must: int,
        useful: list[int],
        chosen: list[Choice],
    ) -> None:
        """Look for boxes with each range from a place that may pay."""
        low, reach = held[0], column.line.reach[held[0]]
        left = self.left(members, must)
        useful = self.narrowed(len(chosen), cost, must, low, useful, left)
        if not useful:
            return
        some, types = mask_of(useful), column.at[low] & members
        rows = DearRows(self.pieces, useful, must)
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
            among = DearRows(self.pieces, places(types & some), must | alone)
            if among.worth(paid) < left:
                choice = Choice(paid - cost, types, (column.at[low], column.at[high]))
                self.look(paid, types, useful, [*chosen, choice])


def mask_of(types: list[int]) -> int:
    """Return some types as the bits of a number."""
    mask = 0
    for t in types:
        mask |= 1 << t
    return mask


def below(pieces: Pieces, threshold: int) -> list[tuple[int, int, int, int]]:
    """Return the boxes worth less than a threshold: cost, types, ends, worth."""
    return BoxList(pieces, threshold).found
