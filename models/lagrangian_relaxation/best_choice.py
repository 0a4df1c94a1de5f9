"""The best choice of rows in one pattern: loops that all who price or trim call.

A valid choice has at most h copies of each sensitive value among at least ``l h`` of
them, for some h, its *cap*. ``price_bound`` shows why bisection finds the best cap.
"""

from typing import Any, NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import Loop, compiled, inlined, inner
from starmin.models.price_unit import INFEASIBLE


class Choices(NamedTuple):
    """The members of all patterns, those of each in order of their reduced costs."""

    reduced: Ints  # reduced cost of each member
    copies: Ints  # number of copies of each member
    values: Ints  # sensitive value of each member
    used: Ints  # room for a count of each value; all zero before and after a call


@inlined
def best_cap_by(
    choose: Loop, choices: Any, low: int, high: int, k: int, l: int, guess: int
) -> int:
    """Return the least cap of ``low`` to ``high`` from which on values fall no more.

    By bisection, which begins near the cap ``guess`` (0 for none). ``choose`` is a loop
    that takes ``choices``, a cap h and how many copies there must be, and returns value
    and copies of the best choice; the value is ``INFEASIBLE`` where copies are too few.
    ``k`` and ``l`` are the requirement.
    """
    probes = 0 if guess > 0 else 2
    while low < high:
        h = (low + high) // 2
        if probes < 2:
            h = max(low, min(high - 1, guess - (probes == 1 and high == guess)))
        probes += 1
        here, total = choose(choices, h, max(k, l * h))
        if here == INFEASIBLE:
            # Too few copies: of k for this h, or of l h since h is too large.
            falls = l * h <= total < k
        else:
            falls = choose(choices, h + 1, max(k, l * (h + 1)))[0] < here
        if falls:
            low = h + 1
        else:
            high = h
    return low


@inner
def most_of_a_value(choices: Choices, a: int, b: int) -> int:
    """Return how many copies the most frequent value has."""
    used, values, copies = choices.used, choices.values, choices.copies
    most = np.int64(0)
    for i in range(a, b):
        used[values[i]] += copies[i]
        most = max(most, used[values[i]])
    for i in range(a, b):
        used[values[i]] = 0
    return int(most)


@compiled
def highest_cap(have: Ints | Int32s, k: int, l: int) -> int:
    """Return the highest cap of a choice among copies of values; 0 if there is none.

    Examples
    --------
    >>> highest_cap(np.array([5, 1, 1]), 3, 2), highest_cap(np.array([5, 1]), 3, 2)
    (2, 0)
    """
    cap, total = have.max(), have.sum()
    while cap > 0 and total < max(k, l * cap):
        if total < k:
            return 0
        # No cap above total / l has enough copies, for fewer are left below.
        cap = total // l
        total = np.minimum(have, cap).sum()
    return int(cap)


@inner
def choose(choices: Choices, a: int, b: int, h: int, need: int) -> tuple[int, int]:
    """Return value and copies of the best choice for this h; or INFEASIBLE.

    It has at most h copies of a value and at least ``need`` copies in all.
    """
    reduced, copies = choices.reduced, choices.copies
    values, used = choices.values, choices.used
    total, value = np.int64(0), np.int64(0)
    for i in range(a, b):
        take = min(copies[i], h - used[values[i]])
        if reduced[i] >= 0:
            if total >= need:
                break
            take = min(take, need - total)
        used[values[i]] += take
        total += take
        value += take * reduced[i]
    for i in range(a, b):
        used[values[i]] = 0
    return (int(value) if total >= need else INFEASIBLE), int(total)


@inner
def _choose_among(span: tuple[Choices, int, int], h: int, need: int) -> tuple[int, int]:
    """Return value and copies of the best choice among those of one pattern."""
    value, total = choose(span[0], span[1], span[2], h, need)
    return value, total


@inner
def best_cap(
    choices: Choices, a: int, b: int, low: int, high: int, k: int, l: int
) -> int:
    """Return the least cap of ``low`` to ``high`` from which on values fall no more."""
    return int(best_cap_by(_choose_among, (choices, a, b), low, high, k, l, 0))
