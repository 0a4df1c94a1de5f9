"""The log of a search: which rows were moved, so that they can be moved back."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import inner


class MoveLog(NamedTuple):
    """Moves of copies of row types between patterns or groups, in their order.

    Whoever keeps a state undoes them, the last one first: what else changes with a
    move differs from state to state.

    Attributes
    ----------
    types, sources, targets, copies
        Of each move: the row type, where its copies were, where they went, how many.
    size
        One number: how many moves are noted. Set it to 0 to forget them all.
    """

    types: Int32s
    sources: Int32s
    targets: Int32s
    copies: Ints
    size: Ints


def empty_log(moves: int) -> MoveLog:
    """Return a log with room for so many moves."""

    def small() -> Int32s:  # written before it is read, so memory is taken when needed
        return np.empty(moves, np.int32)

    return MoveLog(
        small(), small(), small(), np.zeros(moves, np.int64), np.zeros(1, np.int64)
    )


@inner
def note(log: MoveLog, t: int, source: int, target: int, copies: int) -> None:
    """Append a move of copies of type t.

    Parameters
    ----------
    log
        The log. Updated.
    t
        The row type.
    source, target
        The patterns or groups that the copies leave, and that they join.
    copies
        How many copies.
    """
    at = log.size[0]
    log.types[at], log.sources[at], log.targets[at] = t, source, target
    log.copies[at] = copies
    log.size[0] = at + 1
