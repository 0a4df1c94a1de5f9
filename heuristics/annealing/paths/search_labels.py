"""What searches for shortest paths between patterns keep alike."""

from typing import Any

import numpy as np

from starmin.heuristics.annealing.annealing_state import State
from starmin.instances.arrays import Int32s


def unset(size: int) -> Int32s:
    """Return so many numbers that mean none."""
    return np.full(size, -1, np.int32)


def search_labels(state: State, labels: int, queued: int) -> dict[str, Any]:
    """Return the fields that all kinds of labels have, before any search.

    Parameters
    ----------
    state
        The state of the rows.
    labels
        How many labels there are, with that where a search begins.
    queued
        For how many items the queue has room.

    Returns
    -------
    By name, as in ``starmin.heuristics.annealing.paths.path_labels.Labels``.
    """
    pattern = np.repeat(
        np.arange(len(state.patterns.cost)), np.diff(state.patterns.starts)
    )
    by_price = state.patterns.types[
        np.lexsort((-state.worth.price[state.patterns.types], pattern))
    ]
    return {
        "by_price": by_price,
        "highest": state.worth.price[by_price[state.patterns.starts[:-1]]],
        "distance": np.zeros(labels),
        "reached": np.zeros(labels, np.int64),
        "done": np.zeros(labels, np.int64),
        "parent": unset(labels),
        "joined": unset(labels),
        "key": np.zeros(queued),
        "item": unset(queued),
        "path": unset(labels),
        "heads": np.zeros(2, np.int64),
    }
