"""The bound of prices that no group of rows is cheaper than, with its certificate."""

from fractions import Fraction
from math import floor
from typing import Any

from starmin.instances import Certificate, RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.instances.tables.canonical import canonical_order
from starmin.models.cheapest_groups.diversity import Diversity
from starmin.models.patterns.coarse_losses import CoarseLosses

_PLAIN_ROWS = 500  # the checker of one file looks at each group of more rows for long
_SUMS = 1 << 59  # in size, in the check


def prove_group_prices(
    run: Run[Any],
    types: RowTypes,
    coarse: CoarseLosses,
    prices: Ints,
    diversity: Diversity,
    method: str,
) -> None:
    """Raise the bound of a run to the sum of prices, and certify it.

    ``prices`` are by type, in the ``coarse`` losses: no rows that may be a group, under
    this ``diversity``, pay less together. ``method`` is named as who has found them.
    """
    table = run.table
    bound = coarse.priced(int(prices @ types.counts), table.n)
    order = canonical_order(table, types)
    data: dict[str, Any] = {"denominator": coarse.fine}
    if run.objective.by_node:
        data["unit"] = coarse.unit
    plain = _plain(run, types, coarse, prices, bound)
    if plain is None:
        data["prices"] = prices[order].tolist()
    else:
        data = {"denominator": plain[0], "prices": [plain[1][t] for t in order]}
    if diversity.column > 0:
        data["sensitive"] = table.sensitive[diversity.column]
    claim = table, run.requirement, run.objective, "group_prices", bound, data
    run.raise_bound(bound, method, Certificate.of(*claim))


def _plain(
    run: Run[Any], types: RowTypes, coarse: CoarseLosses, prices: Ints, bound: int
) -> tuple[int, list[int]] | None:
    """Return a denominator and prices in the unit of the objective, for small tables.

    Coarse losses of a row are above the true ones by less than the excess, so each row
    is worth that much less. None where sums would not fit 64 bits, or where they prove
    less than the bound.
    """
    table = run.table
    if table.n > _PLAIN_ROWS:
        return None
    shares = [Fraction(price, coarse.fine) for price in prices.tolist()]
    exact = [(share - coarse.excess) * coarse.per_unit for share in shares]
    row = run.objective.whole(table) // table.n
    highest = max(abs(floor(p)) for p in exact) + 2
    bits = (_SUMS // (table.n * (highest + row))).bit_length() - 1
    if bits < 0:
        return None
    denominator = 1 << bits
    stated = [floor(p * denominator) for p in exact]
    counts = types.counts.tolist()
    total = sum(p * count for p, count in zip(stated, counts, strict=True))
    proves = max(0, -(-total // denominator)) >= bound
    return (denominator, stated) if proves else None
