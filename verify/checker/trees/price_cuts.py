"""What patterns are worth at given prices, also with cuts (section "Kind prices")."""

from starmin.verify.checker.problem.statement import Statement
from starmin.verify.checker.reading import listed_in, numbers, whole
from starmin.verify.checker.trees.fills import by_frequency, by_rows, cheapest
from starmin.verify.checker.trees.walk import Listed
from starmin.verify.checker.words import Content, RefusalError


def value_of(
    problem: Statement, cost: int, members: list[int], prices: list[int]
) -> int:
    """Return what the best fill of a pattern is worth, 0 where that is positive.

    By one sensitive column, and for distinct values by rows alone, as for the list.
    """
    priced = sorted((cost - prices[t], t) for t in members)
    if problem.l > 1 and problem.distinct == 1:
        worth = by_frequency(problem, priced, problem.values[0], 1, problem.n)
    else:
        worth = by_rows(problem, priced, 1, problem.n)
    return min(0, worth or 0)


def value_with_cuts(
    problem: Statement, unit: int, prices: list[int], data: Content, listed: Listed
) -> int:
    """Return what the patterns of cuts are worth, less what cuts allow.

    These patterns are taken from the list (section "Kind prices", cuts).
    """
    if problem.l > 1 or problem.distinct > 1:
        raise RefusalError("prices with cuts are for k-anonymity")
    every = range(len(problem.types))
    named = [
        problem.cover(numbers(types, every)) for types in listed_in(data["patterns"])
    ]
    if len(set(named)) < len(named):
        raise RefusalError("a pattern of its cuts is stated twice")
    fitting = [problem.fitting(key) for key in named]
    reduced = [
        {t: unit * cost - prices[t] for t in members} for cost, members in fitting
    ]
    opening, total = [0] * len(named), 0
    for cut in listed_in(data["cuts"]):
        if len(listed_in(cut)) != 3:
            raise RefusalError("a cut does not have three entries")
        inside, multiplier = set(numbers(cut[0], every)), whole(cut[2], 0)
        q, rest = divmod(sum(problem.copies[t] for t in inside), problem.least)
        total -= multiplier * (problem.least - rest) * q
        for p in set(numbers(cut[1], range(len(named)))):
            opening[p] += multiplier * (problem.least - rest)
            for t in reduced[p]:
                reduced[p][t] -= multiplier * (t not in inside)
    for key, costs, extra in zip(named, reduced, opening, strict=True):
        listed.pop(key, None)
        priced = sorted((each, problem.copies[t]) for t, each in costs.items())
        worth, _ = cheapest(priced, problem.least)
        total += 0 if worth is None else min(0, worth + extra)
    return total
