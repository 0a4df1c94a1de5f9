"""What prices of types and of odd sets prove (section "Kind odd_sets")."""

from collections.abc import Iterator
from itertools import pairwise

from starmin.verify.checker.groups.group_cost import GroupCost
from starmin.verify.checker.problem.statement import Statement
from starmin.verify.checker.reading import listed_in, numbers, priced_types, whole
from starmin.verify.checker.words import Content, RefusalError


def odd_set_bound(problem: Statement, data: Content) -> int:
    """Return what no release costs less than, in units of 1/denominator."""
    unit, prices = priced_types(data, len(problem.types))
    sets = [numbers(one, range(len(prices))) for one in listed_in(data["sets"])]
    paid = [whole(price, 0) for price in listed_in(data["set_prices"])]
    if len(sets) != len(paid):
        raise RefusalError("its sets are not as many as their prices")
    sets_of: list[list[int]] = [[] for _ in prices]
    for s, one in enumerate(sets):
        if not one or len(set(one)) < len(one):
            raise RefusalError("a set has no type, or one twice")
        if sum(problem.copies[t] for t in one) % 2 == 0:
            raise RefusalError(f"set {s} of its data has an even number of rows")
        for t in one:
            sets_of[t].append(s)
    full = [
        price + sum(paid[s] for s in some)
        for price, some in zip(prices, sets_of, strict=True)
    ]
    costs = GroupCost(problem)
    for group, cost in dear_groups(problem, unit, full, costs):
        odd = set[int]()
        for t in group:
            odd ^= set(sets_of[t])
        earned = sum(prices[t] for t in group) + sum(paid[s] for s in odd)
        if earned > len(group) * unit * cost:
            raise RefusalError("a group is paid more than it costs")
    return sum(p * m for p, m in zip(prices, problem.copies, strict=True)) + sum(paid)


def dear_groups(
    problem: Statement, unit: int, full: list[int], costs: GroupCost
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Visit pairs and triples whose full prices are more than they cost.

    Under 2-diversity they are of different sensitive values.
    """
    order = sorted(range(len(full)), key=lambda t: -full[t])
    values = problem.values[0] if problem.diverse else None
    # Types that differ in their values alone lose nothing together.
    least = 0 if problem.diverse else least_difference(problem, costs)
    for place, first in enumerate(order):
        for at in range(place, len(order)):
            second = order[at]
            both = full[first] + full[second]
            if at == place and problem.copies[first] < 2:
                continue
            if at > place and both <= 2 * unit * least:
                break
            if values and values[first] == values[second]:
                continue
            cost = costs.of((first, second), below=-(-both // (2 * unit)))
            if cost is None:
                continue
            yield (first, second), cost
            for third in order[at:]:
                in_all = both + full[third]
                if in_all <= 3 * unit * cost:
                    break
                group = (first, second, third)
                if group.count(third) > problem.copies[third]:
                    continue
                if values and values[third] in (values[first], values[second]):
                    continue
                of_three = costs.of(group, below=-(-in_all // (3 * unit)))
                if of_three is not None:
                    yield group, of_three


def least_difference(problem: Statement, costs: GroupCost) -> int:
    """Return what two types that differ lose at least, neighbours in some column."""
    least = []
    for column, line in enumerate(problem.lines):
        if problem.kept[column]:
            continue
        if line is None:
            above = [
                chain[-2][1]
                for chain in problem.chains[column].values()
                if len(chain) > 1
            ]
            least += [problem.units[column] * loss for loss in above]
        else:
            texts = sorted(line.places, key=line.places.__getitem__)
            for both in pairwise(texts):
                lost = costs.of_two(column, *both)
                least += [] if lost is None else [lost]
    return min(least, default=0)
