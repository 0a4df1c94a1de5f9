"""Two sensitive values: the case beyond which diversity is hard."""

import numpy as np

from starmin.instances import (
    LDiversity,
    NotSupportedError,
    Partition,
    Table,
    why_infeasible,
)


def two_value_optimum(table: Table) -> Partition:
    r"""Solve 2-diversity exactly on a table with two sensitive values.

    The boundary of the hardness results (m = 2): a table with fewer than l sensitive
    values has no l-diverse release, so l = 2, and a 2-diverse group has as many rows
    of one value as of the other. Splitting it into pairs, one row of each, never adds
    a star, so some optimum consists of pairs, and a pair pays two stars for each
    column on which its rows differ: a minimum-weight perfect matching in a bipartite
    graph. With a third value groups of l = 3 rows are needed, and those are triples
    of a 3-dimensional matching.

    An independent check of the methods for the case, not a fast one.

    Raises NotSupportedError for other than two sensitive values in one column, or not
    as many of each.

    Notes
    -----
    O(n^2 d) memory, O(n^3) time: some 2,000 rows.

    References
    ----------
    X. Xiao, K. Yi, Y. Tao, The Hardness and Approximation Algorithms for L-Diversity,
    EDBT 2010, section 4.

    Examples
    --------
    >>> rows = [["0", "a"], ["1", "a"], ["1", "b"], ["2", "b"]]
    >>> table = Table.from_rows(["age", "ill"], rows, ["age"], ["ill"])
    >>> two_value_optimum(table).value(table)
    2
    """
    from scipy.optimize import linear_sum_assignment

    if len(table.sensitive) != 1:
        raise NotSupportedError("Expected one sensitive column.")
    values = table.column(table.sensitive[0])
    if (m := len(np.unique(values))) != 2:
        raise NotSupportedError(f"Expected two sensitive values, got {m}.")
    if (why := why_infeasible(table, LDiversity(2))) is not None:
        raise NotSupportedError(f"Expected as many rows of each value, but {why}.")
    one, other = (np.flatnonzero(values == value) for value in np.unique(values))
    codes = np.stack([table.column(column) for column in table.qi], axis=1)
    differ = codes[one][:, None, :] != codes[other][None, :, :]
    left, right = linear_sum_assignment(differ.sum(axis=2))
    labels = np.empty(table.n, np.int64)
    labels[one[left]] = labels[other[right]] = np.arange(len(one))
    return Partition.from_labels(labels)
