"""The bound on losses that prices of row types prove, recomputed in integers."""

from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Ints
from starmin.verify.beyond import BeyondError
from starmin.verify.certificates.patterns.node_tree import NodeWalk

_LARGEST = 2**62


def node_price_bound(
    table: Table,
    types: RowTypes,
    k: int,
    l: int,
    objective: Objective,
    prices: Ints,
    denominator: int,
    sensitive: int = 0,
) -> int:
    """Compute a loss below which these prices allow no release by groups.

    As ``starmin.verify.certificates.prices.star_prices.price_bound`` for stars, over
    all vectors of nodes: of trees, ranges of numbers and stars. A group is published as
    the smallest node of each column that covers its rows.

    What need not be looked at. Column after column a node is chosen
    (``starmin.verify.certificates.patterns.node_tree``): a set S of types that fit the
    nodes chosen so far, at a loss of c so far, is cut down to those below a node of the
    next column.
    What lies below that node, in this column and those to come, has a subset of these
    for members and loses c or more, and c and the loss of the node once it is chosen.
    So fills that are worth nothing at c, and types that cost more than all others are
    worth, are left out as there. Where the types left have a smaller node in common
    than the one chosen, or fewer than l values of a sensitive column, what a release
    publishes as a pattern below S has a type that was dropped, as it publishes the
    smallest nodes. So it is worth 0 or more, and the pattern may count as 0. With l,
    types are also left out that are in no l rows of l values worth less than 0
    together; what a release publishes with such a type can be worth less than 0, but
    then others of its rows are a fill of a smaller pattern and can be counted there
    (docs/reference/certificate.md has the proof).

    Equal values of the table are merged; ``types`` is ``table.row_types`` if l is 1,
    else ``table.sensitive_types``. ``k`` and ``l`` are 1 where the requirement asks for
    none, and at most n. The objective is ``gcp``: its scales, weights and kept columns
    count. ``prices`` are by row type, in units of 1/``denominator``, a positive
    integer. ``sensitive`` is the position of the sensitive column whose diversity is
    used; leaving out the condition on the others keeps the bound valid.

    Raises ValueError where the sums do not fit 64 bits, or too many patterns cost less
    than the prices of their rows to be checked.

    Examples
    --------
    >>> import numpy as np
    >>> from starmin.instances import Scales
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> prices = np.array([8, 8, 8])
    >>> node_price_bound(table, table.row_types, 2, 1, objective, prices, 1)
    8
    >>> node_price_bound(table, table.row_types, 3, 1, objective, prices, 1)
    24
    """
    highest = max(abs(int(prices.min())), abs(int(prices.max())))
    # A fill has n rows at most, and one costs all that can be lost at most: what is
    # added up for a pattern stays below this, and patterns are added up in Python.
    most = highest * table.n + denominator * objective.whole(table)
    if most >= _LARGEST:
        raise BeyondError("prices, losses and rows multiply beyond 64 bits")
    walk = NodeWalk(
        *(table, types, objective, prices, denominator, k, l, sensitive),
    )
    total = int((prices * types.counts).sum()) + walk.total()
    return max(0, -(-total // denominator))
