"""How many rows are suppressed in any release (section "Kind residue")."""

from collections import Counter

from starmin.verify.checker.problem.statement import Statement
from starmin.verify.checker.words import Values


def residue(problem: Statement) -> int:
    """Return how many rows are suppressed in any release (section "Kind residue")."""
    k, l, d = problem.k, problem.l, len(problem.qi)
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
