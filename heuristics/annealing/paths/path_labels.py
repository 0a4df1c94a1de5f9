"""What the search for an alternating path knows of each pattern."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.annealing.annealing_state import State
from starmin.heuristics.annealing.paths.search_labels import search_labels, unset
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import inner

# Places in Labels.heads: the number of the search, and how many items are queued.
SEARCH, QUEUED = 0, 1
# Places in Labels.end: the label where the best path ends, the pattern that its last
# row joins, and the type and the pattern of a row that joins it, too.
AT, JOINED, TAKEN, SOURCE = 0, 1, 2, 3


class Labels(NamedTuple):
    """Labels of a shortest path search over patterns with two rows.

    A label of pattern p says that one of its two rows has left it and that the other
    one, ``exposed``, looks for a place. Number P, after the patterns, stands for the
    row at which the search begins.

    Attributes
    ----------
    by_price
        The types of each pattern, as in ``State.types``, by falling price.
    highest
        The highest price of a type in each pattern.
    distance
        What the path to a label adds to the cost, less prices: an exposed row owes
        its price.
    reached, done
        The number of the last search that reached a label, and that went on from it.
    parent
        The label before.
    joined, taken
        The pattern that the exposed row of the label before joins, and the type that
        joins it there; -1 where the row takes a place in the pattern itself.
    exposed
        The type that is left over.
    key, item
        The queue: distances and labels, as a binary heap.
    path
        Scratch for the labels of a path.
    end
        Where the best path ends.
    heads
        Two numbers: of the search, and of queued items.
    """

    by_price: Int32s
    highest: Floats
    distance: Floats
    reached: Ints
    done: Ints
    parent: Int32s
    joined: Int32s
    taken: Int32s
    exposed: Int32s
    key: Floats
    item: Int32s
    path: Int32s
    end: Ints
    heads: Ints


def empty_labels(state: State) -> Labels:
    """Return the labels for a state, before any search."""
    count = len(state.patterns.cost)
    return Labels(
        **search_labels(state, count + 1, 4 * count + 16),
        taken=unset(count + 1),
        exposed=unset(count + 1),
        end=np.full(4, -1, np.int64),
    )


@inner
def on_path(w: Labels, p: int, at: int) -> bool:
    """Check whether the path to label ``at`` goes through pattern p."""
    while at != len(w.highest):
        if at == p:
            return True
        at = w.parent[at]
    return False
