"""What the search for an ejection chain knows of each pattern."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.annealing.annealing_state import State
from starmin.heuristics.annealing.paths.search_labels import search_labels, unset
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import inner

# Places in ChainLabels.heads: the number of the search, and how many items are queued.
SEARCH, QUEUED = 0, 1
# Places in ChainLabels.end: the label where the best chain ends, how, the pattern that
# is joined, and type and source of up to two rows that join it, too.
AT, HOW, JOINED, TAKEN, SOURCE, SPARED, SPARED_FROM = 0, 1, 2, 3, 4, 5, 6
# How it ends: the row joins an open pattern; a pattern is filled; rows scatter.
JOIN, FILL, SCATTER = 0, 1, 2


class ChainLabels(NamedTuple):
    """Labels of a shortest path search over patterns with just k rows.

    Label p < P + 1 says that pattern p has lost a row of type ``who`` and lacks it.
    Label P + 1 + p says that all rows of pattern p but one of type ``who`` were taken,
    which is left over. Number 2 P + 2 stands for where the search begins.
    """

    # the types of each pattern, as in ``State.types``, by falling price
    by_price: Int32s
    highest: Floats  # the highest price of a type in each pattern
    rising: Int32s  # the types of each pattern, as in ``State.types``, by rising number
    # what the chain to a label adds to the cost, less prices: rows without a place, and
    # those of a pattern that lacks one, owe theirs
    distance: Floats
    # reached, done: the number of the last search that reached a label, and that went
    # on from it
    reached: Ints
    done: Ints
    parent: Int32s  # the label before
    joined: Int32s  # the pattern in which the rows of the label before are then
    who: Int32s  # the type of the row that is lacked or left over
    # spared, spared_from: a row that its pattern can spare and that joins, too; -1 for
    # none
    spared: Int32s
    spared_from: Int32s
    key: Floats  # key, item: the queue: distances and labels, as a binary heap
    item: Int32s
    path: Int32s  # scratch for the labels of a chain
    tally: Ints  # scratch, zeros: rows of each pattern that fit another one
    end: Ints  # where and how the best chain ends
    heads: Ints  # two numbers: of the search, and of queued items


def empty_labels(state: State) -> ChainLabels:
    """Return the labels for a state, before any search."""
    count = len(state.patterns.cost)
    labels = 2 * count + 3
    pattern = np.repeat(np.arange(count), np.diff(state.patterns.starts))
    return ChainLabels(
        **search_labels(state, labels, count + 1024),
        rising=state.patterns.types[np.lexsort((state.patterns.types, pattern))],
        who=unset(labels),
        spared=unset(labels),
        spared_from=unset(labels),
        tally=np.zeros(count + 1, np.int64),
        end=np.full(7, -1, np.int64),
    )


@inner
def on_chain(w: ChainLabels, p: int, at: int) -> bool:
    """Check whether the chain to label ``at`` goes through pattern p."""
    patterns = len(w.highest) + 1
    while at < 2 * patterns:
        if at % patterns == p:
            return True
        at = w.parent[at]
    return False
