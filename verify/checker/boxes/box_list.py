"""The boxes that a cheaper release may use."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from starmin.verify.checker.boxes.pieces import Pieces, places
from starmin.verify.checker.words import Node


class Choice(NamedTuple):
    """What some types are published as in a column.

    ``parts`` are the types at both ends of a range, or below each child of a node: a
    group has rows of two of them. ``hidden`` is a column of numbers that is hidden.
    """

    loss: int
    types: int
    parts: tuple[int, ...]
    hidden: int | None


def below(pieces: Pieces, threshold: int) -> list[tuple[int, int, int, int]]:
    """Return the boxes worth less than a threshold: cost, types, ends, worth."""
    found = []
    charged = [
        (types, share, -multiplier)
        for (types, share), multiplier in zip(
            pieces.sets, pieces.multipliers, strict=True
        )
        if multiplier
    ]
    every = (1 << len(pieces.order)) - 1
    waiting: list[tuple[int, int, list[Choice]]] = [(0, every, [])]
    while waiting:
        cost, members, chosen = waiting.pop()
        must = ends(pieces, members, chosen)
        if must is None:
            continue
        ordered = places(members)
        worth = pieces.worth(cost, ordered, places(must), pieces.prices)
        if worth is None or worth >= threshold:
            continue
        worth += sum(
            charge * pieces.coefficient(members, must, types, share)
            for types, share, charge in charged
        )
        if worth >= threshold:
            continue
        if len(chosen) == len(pieces.columns):
            found.append((cost, members, must, worth))
            continue
        column = pieces.columns[len(chosen)]
        unit = pieces.unit * pieces.problem.units[column]

        def pays(some: int, loss: int, cost: int = cost, unit: int = unit) -> bool:
            paid = cost + unit * loss
            dearest = places(some, pieces.enough)
            best = pieces.worth(paid, dearest, (), pieces.prices)
            return best is not None and best < threshold

        for choice in choices(pieces, column, members, pays):
            paid = cost + unit * choice.loss
            waiting.append((paid, members & choice.types, [*chosen, choice]))
    return found


def ends(pieces: Pieces, members: int, chosen: list[Choice]) -> int | None:
    """Return the types that each group published so has; None: there is none."""
    must = 0
    for choice in chosen:
        if choice.hidden is not None:
            held = pieces.occupied(choice.hidden, members)
            line = pieces.problem.lines[choice.hidden]
            assert line is not None
            if held[0] == held[-1] or held[-1] <= line.reach[held[0]]:
                return None
        elif choice.parts:
            held = [part & members for part in choice.parts if part & members]
            if len(held) < 2:
                return None
            if len(held) == 2:
                for part in held:
                    must |= part if part.bit_count() == 1 else 0
    return must


def choices(
    pieces: Pieces, column: int, members: int, pays: Callable[[int, int], bool]
) -> Iterator[Choice]:
    """Yield what some of the types can be published as in a column."""
    line, kept = pieces.problem.lines[column], pieces.problem.kept[column]
    if line is None:
        yield from tree_choices(pieces, column, members, pays)
        return
    held = pieces.occupied(column, members)
    if held[-1] > line.reach[held[0]] and held[0] != held[-1] and not kept:
        yield Choice(line.whole, members, (), column)
    left = members
    for first, low in enumerate(held):
        types = 0
        for high in held[first:]:
            loss = line.loss(low, high)
            if high > line.reach[low] or (kept and high > low):
                break
            if not pays(left, loss):
                break
            types |= pieces.at[column][high] & members
            if pays(types, loss):
                ends = (pieces.at[column][low], pieces.at[column][high])
                yield Choice(loss, types, ends if low < high else (), None)
        left &= ~pieces.at[column][low]


def tree_choices(
    pieces: Pieces, column: int, members: int, pays: Callable[[int, int], bool]
) -> Iterator[Choice]:
    """Yield the nodes that some of the types can be published as."""
    waiting = [(0, members)]
    while waiting:
        depth, some = waiting.pop()
        if not pays(some, 0):
            continue
        parts: dict[Node, int] = {}
        inner, loss = False, 0
        for text, types in pieces.at[column].items():
            if types & some:
                chain = pieces.problem.chains[column][text]
                loss, inner = chain[depth][1], depth < len(chain) - 1
                child = chain[depth + 1][0] if inner else text
                parts[child] = parts.get(child, 0) | types & some
        if inner:
            waiting += [(depth + 1, part) for part in parts.values()]
        if not (inner and pieces.problem.kept[column]) and pays(some, loss):
            yield Choice(loss, some, tuple(parts.values()) if inner else (), None)
