"""Figures of one or two columns before and after: means, tables, correlations."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from math import log, sqrt

from figures_of_cells import EMPTY, Figure
from report_page import ReportPage
from two_files import NO_VALUE, TwoFiles, place

Counts = dict[tuple[str, str], float]
_FEW = range(2, 61)  # values of a column whose tables are looked at


def of_worth(files: TwoFiles, page: ReportPage) -> Iterator[Figure]:
    """Yield means and shares, by the weights of rows."""
    for line in page.lines("worth"):
        column, figure = line["Column"][0], line["Figure"][0]
        before, after = before_and_after(files, column)
        people = sum(before.values())
        told = sum(after.values())
        yield f"{column}: told", line["Rows that tell it"][1], told / people
        for side, counts in (("Before", before), ("After", after)):
            if figure == "mean":
                numbers = {v: w for v, w in counts.items() if v not in NO_VALUE}
                whole = sum(place(v) * w for v, w in numbers.items())
                value = whole / sum(numbers.values())
            else:
                wanted = _value(figure.removeprefix("share of "))
                value = counts[wanted] / sum(counts.values())
                most = max(before.values())
                yield f"{column}: most frequent", before[wanted], most
            yield f"{column}: {figure}, {side}", line[side][1], value


def before_and_after(
    files: TwoFiles, column: str
) -> tuple[dict[str, float], dict[str, float]]:
    """Return how many people have each value, and are told to have it."""
    before: dict[str, float] = defaultdict(float)
    after: dict[str, float] = defaultdict(float)
    cells = files.cells[column]
    for b, a, w in zip(files.before, files.after, files.weights, strict=True):
        before[b[column]] += w
        some = cells.told(a[column])
        for value in some:
            after[value] += w / len(some)
    return before, after


def _value(text: str) -> str:
    return "" if text in (EMPTY, "(missing)") else text


def crossed(files: TwoFiles, one: str, other: str) -> tuple[Counts, Counts]:
    """Return how many people have each two values, and are told to have them."""
    before: Counts = defaultdict(float)
    published: Counts = defaultdict(float)
    for b, a, w in zip(files.before, files.after, files.weights, strict=True):
        before[b[one], b[other]] += w
        published[a[one], a[other]] += w
    after: Counts = defaultdict(float)
    for (x, y), w in published.items():
        xs, ys = files.cells[one].told(x), files.cells[other].told(y)
        for v in xs:
            for u in ys:
                after[v, u] += w / len(xs) / len(ys)
    return before, after


def of_pairs(files: TwoFiles, page: ReportPage) -> Iterator[Figure]:
    """Yield what columns tell of each other, the worst cells, and the table shown."""
    order = [row[0][0] for row in page.tables["columns"][1:]]
    means = {row[0][0] for row in page.tables["worth"][1:] if row[1][0] == "mean"}
    few = [c for c in order if len(files.cells[c].known) in _FEW]
    tables = {pair: crossed(files, *pair) for pair in combinations(few, 2)}
    known: dict[tuple[str, str], tuple[float, float]] = {}
    for pair in combinations(order, 2):
        if means.issuperset(pair):
            known[pair] = _correlations(files, *pair)
        elif pair in tables:
            size = min(len(files.cells[c].known) for c in pair) - 1
            known[pair] = tuple(sqrt(_square(x) / size) for x in tables[pair])
    yield from _measures(page, known)
    yield from _worst(page, tables)
    yield from _shown(page, tables)


def _measures(
    page: ReportPage, known: dict[tuple[str, str], tuple[float, float]]
) -> Iterator[Figure]:
    lines = page.lines("relations")
    for line in lines:
        pair = tuple(line["Columns"][0].split(" and "))
        for side, value in zip(("Before", "After"), known[pair], strict=True):
            yield f"{' and '.join(pair)}, {side}", line[side][1], value
    changes = sorted((abs(b - a) for b, a in known.values()), reverse=True)
    shown = [abs(x["Before"][1] - x["After"][1]) for x in lines]
    if lines:
        yield "the most changed pairs", shown, changes[: len(shown)]
    for many, some in page.told(r", of (\d+) pairs the (\d+) most changed"):
        yield "pairs", many, len(known)
        yield "pairs shown", some, len(lines)
    page.told(r", from -1 to 1; of other values Cramér's V, from 0 \(nothing\) to 1")


def _worst(
    page: ReportPage, tables: dict[tuple[str, str], tuple[Counts, Counts]]
) -> Iterator[Figure]:
    changes, lines = [], page.lines("worst-cells")
    shares = {}
    for (one, other), (before, after) in tables.items():
        all_before, all_after = sum(before.values()), sum(after.values())
        for v, u in before.keys() | after.keys():
            then, now = before[v, u] / all_before, after[v, u] / (all_after or 1)
            if all_after:
                shares[one, v, other, u] = then, now
                changes.append(abs(now - then))
    for line in lines:
        first, second = (part.split(" = ") for part in line["Cell"][0].split(", "))
        key = (first[0], _value(first[1]), second[0], _value(second[1]))
        for side, value in zip(("Before", "After"), shares[key], strict=True):
            yield f"{line['Cell'][0]}, {side}", line[side][1], value
    shown = [abs(x["Before"][1] - x["After"][1]) for x in lines]
    if lines:
        most = sorted(changes, reverse=True)[: len(shown)]
        yield "the most changed cells", shown, most


def _shown(
    page: ReportPage, tables: dict[tuple[str, str], tuple[Counts, Counts]]
) -> Iterator[Figure]:
    """Yield the table that is shown: of the columns that tell most of each other."""
    lines = page.lines("cross")
    if not lines:
        return
    ((second,),) = page.told(r"Values of (\w+), as shares within each.*:")
    pair = (next(iter(lines[0])), second)
    before, after = tables[pair]
    best = max(tables, key=lambda each: _information(tables[each][0]))
    yield "the columns that tell most", pair, best
    for line in lines:
        row, *rest = line.items()
        first = _value(row[1][0])
        for name, (text, _) in rest:
            shown = text.split(" → ")
            for told, counts in zip(shown, (before, after), strict=True):
                whole = sum(w for (v, _), w in counts.items() if v == first)
                where = f"{pair[1]} = {name} of {pair[0]} = {first}"
                part = counts[first, _value(name)] / whole if whole > 1e-9 else None
                yield where, told, "not told" if part is None else part


def _sums(counts: Counts) -> tuple[dict[str, float], dict[str, float], float]:
    rows: dict[str, float] = defaultdict(float)
    columns: dict[str, float] = defaultdict(float)
    for (v, u), w in counts.items():
        rows[v] += w
        columns[u] += w
    return rows, columns, sum(counts.values())


def _square(counts: Counts) -> float:
    rows, columns, n = _sums(counts)
    if not n:
        return 0.0
    return sum(
        (counts.get((v, u), 0.0) / n - rows[v] * columns[u] / n**2) ** 2
        / (rows[v] * columns[u] / n**2)
        for v in rows
        for u in columns
        if rows[v] > 0 and columns[u] > 0
    )


def _information(counts: Counts) -> float:
    rows, columns, n = _sums(counts)
    return sum(
        w / n * log(w * n / rows[v] / columns[u])
        for (v, u), w in counts.items()
        if w > 0
    )


def _correlations(files: TwoFiles, one: str, other: str) -> tuple[float, float]:
    sums = [[0.0] * 6, [0.0] * 6]
    for b, a, w in zip(files.before, files.after, files.weights, strict=True):
        for at, row in enumerate((b, a)):
            parts = []
            for column in (one, other):
                cell = row[column]
                some = files.cells[column].told(cell) if at else (cell,)
                numbers = [place(v) for v in some if v not in NO_VALUE]
                if numbers:
                    many = len(numbers)
                    squares = sum(x * x for x in numbers) / many
                    parts.append((sum(numbers) / many, squares))
            if len(parts) == 2:
                (x, xx), (y, yy) = parts
                for i, value in enumerate((1.0, x, y, xx, yy, x * y)):
                    sums[at][i] += w * value
    return tuple(map(_correlation, sums))


def _correlation(sums: list[float]) -> float:
    x, y, xx, yy, xy = (each / sums[0] for each in sums[1:])
    return (xy - x * y) / sqrt((xx - x * x) * (yy - y * y))
