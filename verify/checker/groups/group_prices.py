"""What prices prove that no group is cheaper than (section "Kind group_prices")."""

from starmin.verify.checker.groups.group_cost import GroupCost
from starmin.verify.checker.problem.statement import Statement
from starmin.verify.checker.reading import priced_types
from starmin.verify.checker.words import Content, RefusalError


def group_price_bound(problem: Statement, data: Content) -> int:
    """Return the sum of all prices, if no rows published together pay less.

    In units of 1/denominator. Rows that pay less are looked for: the dearest one comes
    first, the others follow by falling price. None pays less when others join.
    """
    unit, prices = priced_types(data, len(problem.types))
    rows = [t for t, copies in enumerate(problem.copies) for _ in range(copies)]
    rows.sort(key=lambda t: -prices[t])
    costs, least = GroupCost(problem), problem.least
    # Rows chosen, their prices, and those that may follow.
    waiting: list[tuple[tuple[int, ...], int, list[int]]] = [((), 0, rows)]
    while waiting:
        chosen, paid, others = waiting.pop()
        missing = least - len(chosen)
        near = []
        for t in others:
            # All that follow are no dearer than this one.
            most = paid + missing * prices[t]
            if costs.of((*chosen, t), below=-(-most // (unit * least))) is not None:
                near.append(t)
        if missing == 1 and near:
            raise RefusalError(f"some {least} rows cost less than their prices")
        for place in range(len(near) - missing + 1):
            t = near[place]
            waiting.append(((*chosen, t), paid + prices[t], near[place + 1 :]))
    return sum(p * m for p, m in zip(prices, problem.copies, strict=True))
