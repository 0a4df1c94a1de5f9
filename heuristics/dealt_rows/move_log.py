"""The log of a search: which rows were moved, so that they can be moved back."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import inner


class MoveLog(NamedTuple):
    """Moves of copies of row types between patterns or groups, in their order.

    Whoever keeps a state undoes them, the last one first: what else changes with a move
    differs from state to state.
    """

    types: Int32s  # by move: the row type
    sources: Int32s  # where its copies were
    targets: Int32s  # where they went
    copies: Ints  # how many
    size: Ints  # one number: how many moves are noted; set it to 0 to forget them all


def empty_log(moves: int) -> MoveLog:
    """Return a log with room for so many moves."""

    def small() -> Int32s:  # written before it is read, so memory is taken when needed
        return np.empty(moves, np.int32)

    return MoveLog(
        small(), small(), small(), np.zeros(moves, np.int64), np.zeros(1, np.int64)
    )


@inner
def note(log: MoveLog, t: int, source: int, target: int, copies: int) -> None:
    """Append a move of copies of type t from a source to a target; updates ``log``.

    These are the patterns or groups that the copies leave, and that they join.
    """
    at = log.size[0]
    log.types[at], log.sources[at], log.targets[at] = t, source, target
    log.copies[at] = copies
    log.size[0] = at + 1
