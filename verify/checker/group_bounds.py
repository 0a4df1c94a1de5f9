"""Bound what groups cost by prices alone, by odd sets, and by residues."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from starmin.verify.checker.reading import (
    Content,
    RefusalError,
    Values,
    listed_in,
    numbers,
    whole,
)
from starmin.verify.checker.statement import Statement

# What a row pays in a group of some types.


class GroupCost:
    """Costs of groups, by what two of their types cost in each column.

    No node or range loses less than one within it, which is looked at first. So what a
    group is published as in a column loses what two of its rows lose alone.
    """

    def __init__(self, problem: Statement) -> None:
        self.problem, columns = problem, range(len(problem.qi))
        if not all(map(self.grows, columns)):
            raise RefusalError("losses fall where ranges grow")
        several = [len({type_[j] for type_ in problem.types}) for j in columns]
        # Most groups are dear by the columns of many values.
        self.columns = sorted(columns, key=lambda j: -several[j])
        self.of_two = cache(self._of_two)

    def grows(self, column: int) -> bool:
        """Return whether no range of a column loses less than one within it."""
        line = self.problem.lines[column]
        if line is None:
            chains = self.problem.chains[column].values()
            losses = [[loss for _, loss in chain] for chain in chains]
            return all(each == sorted(each, reverse=True) for each in losses)
        count = len(line.places)
        return all(
            line.loss(low, high) <= line.loss(low, high + 1)
            and line.loss(low + 1, high + 1) <= line.loss(low, high + 1)
            for low in range(count)
            for high in range(low, count - 1)
        )

    def of(self, types: Sequence[int], below: int | None = None) -> int | None:
        """Return what a row pays in a group, as far as it is below a number.

        None where that is as much or more, or where the group is none, as its rows
        differ in a column that is kept.
        """
        total = 0
        for column in self.columns:
            texts = sorted({self.problem.types[t][column] for t in types})
            dearest = 0
            for place, first in enumerate(texts):
                for second in texts[place:] if len(texts) == 1 else texts[place + 1 :]:
                    lost = self.of_two(column, first, second)
                    if lost is None:
                        return None
                    dearest = max(dearest, lost)
            total += dearest
            if below is not None and total >= below:
                return None
        return total

    def _of_two(self, column: int, first: str, second: str) -> int | None:
        """Return what two texts lose in a column; None where it is kept."""
        problem = self.problem
        if first != second and problem.kept[column]:
            return None
        unit, line = problem.units[column], problem.lines[column]
        if line is not None:
            low, high = sorted((line.places[first], line.places[second]))
            return unit * line.loss(low, high)
        both = problem.chains[column][first], problem.chains[column][second]
        common = [a for a, b in zip(*both, strict=False) if a == b]
        return unit * common[-1][1]


# What prices prove that no group is cheaper than (section "Kind group_prices").


def group_price_bound(problem: Statement, data: Content) -> int:
    """Return the sum of all prices, if no rows published together pay less.

    In units of 1/denominator. Rows that pay less are looked for: the dearest one comes
    first, the others follow by falling price. None pays less when others join. Of a
    sensitive value there are no more than the share 1/l of them, rounded up.
    """
    unit, prices = problem.priced_in(data)
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


# What prices of types and of odd sets prove (section "Kind odd_sets").


def odd_set_bound(problem: Statement, data: Content) -> int:
    """Return what no release costs less than, in units of 1/denominator."""
    unit, prices = problem.priced_in(data)
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


# How many rows are suppressed in any release (section "Kind residue").


def residue(problem: Statement) -> int:
    """Return how many rows are suppressed in any release (section "Kind residue")."""
    l, d = problem.l, len(problem.qi)
    k = max(problem.k, problem.distinct)
    rows: dict[Values, Counter[Values]] = {}
    for type_, copies in zip(problem.types, problem.copies, strict=True):
        rows.setdefault(type_[:d], Counter())[type_[d:]] += copies
    suppressed = Counter[Values]()
    of_value = Counter[tuple[Values, int, str]]()
    for type_, sensitive in rows.items():
        own, kept = sensitive.total(), type_[1:]
        stays, heights = own, list[int]()
        columns = len(next(iter(sensitive)))
        counts = [Counter[str]() for _ in range(columns)]
        for values, copies in sensitive.items():
            for count, value in zip(counts, values, strict=True):
                count[value] += copies
        for count in counts:
            heights.append(greatest_height(count, l))
            stays = min(stays, sum(min(c, heights[-1]) for c in count.values()))
            stays = stays if len(count) >= problem.distinct else 0
        suppressed[kept] += own - stays if stays >= k else own
        for j, count in enumerate(counts):
            left = heights[j] if stays >= k else 0
            for value, copies in count.items():
                of_value[kept, j, value] += max(0, copies - left)
    bounds = {kept: max(some, k) for kept, some in suppressed.items() if some}
    for (kept, _, _), copies in of_value.items():
        bounds[kept] = max(bounds.get(kept, 0), l * copies)
    return sum(bounds.values())


def greatest_height(count: Counter[str], l: int) -> int:
    """Return the greatest h such that l h rows have at most h of each value."""
    low, high = 0, count.total() // l
    while low < high:
        h = (low + high + 1) // 2
        fits = sum(min(copies, h) for copies in count.values()) >= l * h
        low, high = (h, high) if fits else (low, h - 1)
    return low
