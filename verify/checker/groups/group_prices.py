"""What prices prove that no group is cheaper than (section "Kind group_prices")."""

from collections import Counter

from starmin.verify.checker.groups.group_cost import GroupCost
from starmin.verify.checker.problem.statement import Statement
from starmin.verify.checker.reading import priced_types
from starmin.verify.checker.words import Content, RefusalError


def group_price_bound(problem: Statement, data: Content) -> int:
    """Return the sum of all prices, if no rows published together pay less.

    In units of 1/denominator. Rows that pay less are looked for: the dearest one comes
    first, the others follow by falling price. None pays less when others join. Of a
    sensitive value there are no more than the share 1/l of them, rounded up.
    """
    unit, prices = priced_types(data, len(problem.types))
    rows = [t for t, copies in enumerate(problem.copies) for _ in range(copies)]
    rows.sort(key=lambda t: -prices[t])
    costs, least = GroupCost(problem), problem.least
    values = problem.values[0] if problem.l > 1 else [""] * len(prices)
    alike = -(-least // problem.l)  # rows of a value
    for place, dearest in enumerate(rows):
        if prices[dearest] <= 0:
            break
        # Rows chosen, their prices, and those that may follow.
        waiting: list[tuple[tuple[int, ...], int, list[int]]]
        waiting = [((dearest,), prices[dearest], rows[place + 1 :])]
        while waiting:
            chosen, paid, others = waiting.pop()
            missing = least - len(chosen)
            near, of_value = [], Counter(values[t] for t in chosen)
            for t in others:
                if of_value[values[t]] == alike:
                    continue
                # Others that come with it may be as dear as the last one chosen.
                most = paid + (missing - 1) * prices[chosen[-1]] + prices[t]
                if costs.of((*chosen, t), below=-(-most // (unit * least))) is not None:
                    near.append(t)
            if missing == 1 and near:
                raise RefusalError(f"some {least} rows cost less than their prices")
            for at, t in enumerate(near[: max(0, len(near) - missing + 1)]):
                waiting.append(((*chosen, t), paid + prices[t], near[at + 1 :]))
    return sum(p * m for p, m in zip(prices, problem.copies, strict=True))
