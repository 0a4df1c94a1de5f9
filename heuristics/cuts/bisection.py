"""Cutting an order of rows in two, again and again, under any requirement."""

import numpy as np

from starmin.instances import GroupStats, Requirement, Table
from starmin.instances.arrays import Bools, Ints

# A stretch is cut at the first of these shares of it at which both parts hold.
_FRACTIONS = (0.5, 0.375, 0.625, 0.25, 0.75, 0.125, 0.875)


def bisect(table: Table, order: Ints, starts: Ints, requirement: Requirement) -> Ints:
    """Cut stretches of the order in two as long as both parts satisfy a requirement.

    Of a stretch the middle is tried first, then cuts at other eighths. ``order`` has
    the rows in the order to be cut; the stretches begin at ``starts``, and each
    satisfies the requirement. Returns where the final stretches begin.
    """
    low, high = starts, np.append(starts[1:], len(order))
    final = [starts]
    while len(low):
        cut = np.zeros(len(low), np.int64)
        for fraction in _FRACTIONS:
            open_ = np.flatnonzero(cut == 0)
            at = low[open_] + ((high - low)[open_] * fraction).astype(np.int64)
            inside = (at > low[open_]) & (at < high[open_])
            open_, at = open_[inside], at[inside]
            if len(open_):
                good = _both_hold(
                    table, order, low[open_], at, high[open_], requirement
                )
                cut[open_[good]] = at[good]
        done = cut > 0
        final.append(cut[done])
        low, high = (
            np.concatenate([low[done], cut[done]]),
            np.concatenate([cut[done], high[done]]),
        )
    return np.sort(np.concatenate(final))


def _both_hold(
    table: Table,
    order: Ints,
    low: Ints,
    cut: Ints,
    high: Ints,
    requirement: Requirement,
) -> Bools:
    """Check for each stretch whether both of its parts satisfy the requirement."""
    sizes = np.stack([cut - low, high - cut], axis=1).ravel()
    labels = np.repeat(np.arange(len(sizes)), sizes)
    begin = np.cumsum(sizes) - sizes
    first = np.stack([low, cut], axis=1).ravel()
    places = np.arange(len(labels)) + np.repeat(first - begin, sizes)
    holds = requirement.holds(GroupStats.of(table, labels, order[places]))
    return np.asarray(holds.reshape(-1, 2).all(axis=1), bool)
