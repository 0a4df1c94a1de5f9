"""All groups of so many rows of a small table, by definition."""

import itertools
from collections import Counter

from starmin.verify.utility.penalty import Penalty


def groups_of(table, objective, k, l=1):
    """By definition: all groups of k rows that may be, and what each row pays.

    No sensitive value is in more than k / l of them, rounded up.
    """
    penalty, rows = Penalty(table, objective), [row[: table.d] for row in table.rows()]
    kept = [table.qi.index(column) for column in objective.keep]
    for chosen in itertools.combinations(range(table.n), k):
        own = [rows[i] for i in chosen]
        values = Counter(table.rows()[i][table.d] for i in chosen) if l > 1 else {"": 0}
        if max(values.values()) > -(-k // l):
            continue
        agree = all(len({row[j] for row in own}) == 1 for j in kept)
        if agree and penalty.allows(own):
            yield chosen, penalty.of(own) // k
