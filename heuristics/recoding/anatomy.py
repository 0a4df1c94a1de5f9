"""The groups of Anatomy: sensitive values mixed evenly, whatever the other columns."""

import numpy as np

from starmin.heuristics.recoding import ANATOMY
from starmin.instances import (
    STARS,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.tables.random_orders import secret_order


def anatomy(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    shuffle_seed: int | None = None,
    display: bool = False,
) -> Result:
    """Form as many l-diverse groups as there can be, without a look at the columns.

    No group is larger than it must be, so permutation publication, which keeps the
    quasi-identifiers and tells the sensitive values by group, loses least about the
    link between them; for suppression it is a bad partition.

    The idea: sort the rows by sensitive value, in random order within a value, and
    deal them out in turn to ``n // l`` groups.

    It does not bound what is guessed of a person: over all groups the columns tell
    which values go with whom (Kifer, Attacks on privacy and deFinetti's theorem, SIGMOD
    2009; ``benchmarks/papers/attacks/definetti.py`` measures it).

    Why it is right. A value has at most ``n / l`` rows, hence at most ``n // l``: its
    rows, dealt one after the other, all go to different groups. So every group has at
    least l rows and each value at most once. With k > l, ``ceil(k / l)`` groups at a
    time are joined.

    Parameters
    ----------
    table, requirement
        One sensitive column; frequency l-diversity, or this and k-anonymity.
    shuffle_seed
        Of the order of the rows within a value; for tests alone. Default: the system's
        generator for secrets. Who knows the order, the groups and how often each value
        occurs finds out who has which value.

    Raises
    ------
    NotSupportedError
        Another requirement, columns to keep, not one sensitive column.

    Notes
    -----
    O(n) after a sort.

    References
    ----------
    X. Xiao, Y. Tao, Anatomy: simple and effective privacy preservation, VLDB 2006; they
    take a row of each of the l values that are most frequent, which has the same
    outcome: values once in a group, fewer than l rows left over and then dealt out.

    Examples
    --------
    >>> from starmin.instances import LDiversity
    >>> rows = [["0", "a"], ["0", "a"], ["1", "b"], ["1", "b"], ["1", "c"]]
    >>> table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
    >>> anatomy(table, LDiversity(2)).best.sizes.tolist()
    [3, 2]
    """
    apart = len(objective.apart(table))
    if len(table.sensitive) != 1 or apart:
        raise NotSupportedError(
            "Expected one sensitive column and no column to be kept or with a highest "
            f"level, got {len(table.sensitive)} sensitive columns and {apart} others."
        )
    run = Run(table, requirement, objective, display=display, method=ANATOMY)

    def search() -> None:
        k, l = requirement.core.size, requirement.core.diversity
        shuffled = secret_order(table.n, shuffle_seed)
        values = table.column(table.sensitive[0])[shuffled]
        rows = shuffled[np.argsort(values, kind="stable")]
        joined = -(-k // l)
        dealt = np.arange(table.n) % (table.n // l) // joined
        groups = np.empty(table.n, np.int32)
        # The last groups, if too few to be joined, join the ones before.
        groups[rows] = np.minimum(dealt, max(table.n // l // joined, 1) - 1)
        run.offer(Partition(groups))

    return run.carry_out(search)
