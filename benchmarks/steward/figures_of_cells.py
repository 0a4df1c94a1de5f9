"""Figures that are counted cell by cell: risk, losses, values, hierarchies, classes."""

from collections import Counter
from collections.abc import Iterator
from math import log

from report_page import ReportPage, read
from two_files import ColumnCells, Row, TwoFiles, ends, is_range

Figure = tuple[str, object, object]  # what it is, what the page says, what is counted
EMPTY = "(empty)"


def of_risk(files: TwoFiles, page: ReportPage) -> Iterator[Figure]:
    """Yield who is found before and after."""
    shown = {
        line[""][0] if "" in line else line["Who"][0]: line
        for line in page.lines("risk-change")
    }
    for side, rows in (("Before", files.before), ("After", files.after)):
        counted = _risks(files, rows)
        for name, line in shown.items():
            yield f"{name}, {side}", line[side][1], counted[name]


def _risks(files: TwoFiles, rows: list[Row]) -> dict[str, float]:
    alike = list(files.rows_alike(rows).values())
    people = [sum(files.weights[i] for i in some) for some in alike]
    risks = [_one_of(len(s), p) for s, p in zip(alike, people, strict=True)]
    least = min(map(len, alike))
    return {
        "Rows like no other": sum(len(some) == 1 for some in alike),
        "Rows in the smallest class": least,
        "Prosecutor, at most": 1 / least,
        "Prosecutor, on average": len(alike) / len(rows),
        "Marketer": len(alike),
        "Journalist, at most": max(risks),
        "Journalist, on average": sum(
            r * len(s) for r, s in zip(risks, alike, strict=True)
        )
        / len(rows),
    }


def _one_of(f: int, people: float) -> float:
    """Return the mean of 1/F of Benedetti and Franconi: of v^(f-1) / (1 + c v), by v.

    F is negative binomial with p = f / people, and c is 1/p - 1; v goes from 0 to 1.
    """
    c = max(people / f, 1.0) - 1
    if c > 1:  # from f to f + 1, which is stable here
        value = log(1 + c) / c
        for power in range(1, f):
            value = (1 / power - value) / c
        return value
    steps = 2000  # Simpson's rule
    points = [(i / steps) ** (f - 1) / (1 + c * i / steps) for i in range(steps + 1)]
    inner = 4 * sum(points[1:-1:2]) + 2 * sum(points[2:-1:2])
    return (points[0] + inner + points[-1]) / (3 * steps)


def of_columns(files: TwoFiles, page: ReportPage) -> Iterator[Figure]:
    """Yield what became of each column: its line, its sentence, its values."""
    pairs = list(zip(files.before, files.after, strict=True))
    changes = {c: sum(b[c] != a[c] for b, a in pairs) for c in files.qi}
    for line in page.lines("columns"):
        column = line["Column"][0]
        cells = files.cells[column]
        stars = cells.published["*"]
        counted = {
            "Values before": len(cells.known),
            "Values after": len(cells.published.keys() - {"*"}),
            "Changed": changes[column],
            "Stars": stars,
            "Share of stars": stars / files.n,
            "Mean loss": mean_loss(cells),
        }
        for name, told in line.items():
            if name != "Column":
                yield f"{column}: {name}", told[1], counted[name]
    total, many = sum(changes.values()), files.n * len(files.qi)
    worst = max(files.qi, key=lambda c: changes[c])
    for n, part, most, name in page.told(
        r"([\d,]+) cells, ([\d.]+ %) of all quasi-identifier cells, were [\w ]+; most "
        r"of them, ([\d,]+), in the column (\w+)\."
    ):
        yield "cells changed", n, total
        yield "share of cells changed", part, total / many
        yield "cells changed of the worst column", most, changes[worst]
        level = changes.get(name) == changes[worst]  # it may be one of several
        yield "the worst column", name, name if level else worst
    for column in files.qi:
        yield from _sentence(files.cells[column], changes[column], files.n, page)
    for place, column in enumerate(_in_order(files, page)):
        yield from _values(files, column, page, f"values-{place}")


def _in_order(files: TwoFiles, page: ReportPage) -> list[str]:
    return [row[0][0] for row in page.tables["columns"][1:]]


def mean_loss(cells: ColumnCells) -> float:
    """Return what a cell of a column loses in the mean."""
    lost = sum(n * cells.loss(cell) for cell, n in cells.published.items())
    return lost / sum(cells.published.values())


def _sentence(
    cells: ColumnCells, changed: int, n: int, page: ReportPage
) -> Iterator[Figure]:
    """Yield what the list says in words of a column."""
    stars, name = cells.published["*"], cells.column
    for (hidden,) in page.told(rf"(?<=^{name}: )([\d.]+ %) of the cells are hidden"):
        yield f"{name}: said to be hidden", hidden, stars / n
    for (same,) in page.told(
        rf"(?<=^{name}: )(?:, )?([\d.]+ %)(?: of the cells are)? published as they are"
    ):
        yield f"{name}: said to be as they are", same, 1 - changed / n
    coarse = sorted(
        ends(cell)[1] - ends(cell)[0] if is_range(cell) else len(cells.all_of(cell))
        for cell, many in cells.published.items()
        if cell != "*" and cell not in cells.known
        for _ in range(many)
    )
    middle = coarse[(len(coarse) - 1) // 2] if coarse else None
    for (length,) in page.told(
        rf"(?<=^{name}: ).*as ranges, ([\d.,]+)(?: days?)? from"
    ):
        yield f"{name}: median range", length, middle
    for size, whole in page.told(
        rf"(?<=^{name}: ).*as categories, of (\d+) of ([\d,]+) values"
    ):
        yield f"{name}: median category", size, middle
        yield f"{name}: values of the hierarchy", whole, len(cells.known)


def _values(
    files: TwoFiles, column: str, page: ReportPage, table: str
) -> Iterator[Figure]:
    """Yield the values of a column that were changed most often."""
    counts: dict[str, list[int]] = {v: [0, 0, 0] for v in files.cells[column].known}
    for b, a in zip(files.before, files.after, strict=True):
        line = counts[b[column]]
        line[0] += 1
        line[1] += b[column] != a[column]
        line[2] += a[column] == "*"
    shown = page.lines(table)
    for line in shown:
        value = line["Value"][0]
        rows, changed, stars = counts["" if value == EMPTY else value]
        counted = {
            "Rows": rows,
            "Changed": changed,
            "Stars": stars,
            "Share hidden": changed / rows,
        }
        for name, told in line.items():
            if name != "Value":
                yield f"{column} = {value}: {name}", told[1], counted[name]
    most = sorted((c[1] for c in counts.values()), reverse=True)[: len(shown)]
    if shown and "Changed" in shown[0]:
        yield f"{column}: most changed", [read(x["Changed"][0]) for x in shown], most
    for some, whole in page.told(rf"(?<=^){column} \((\d+)(?: of ([\d,]+))? values?\)"):
        yield f"{column}: values listed", some, len(shown)
        yield f"{column}: all values", whole or some, len(counts)


def of_hierarchies(files: TwoFiles, page: ReportPage) -> Iterator[Figure]:
    """Yield how many rows are published as each node."""
    for table in [name for name in page.tables if name.startswith("nodes-")]:
        column = page.tables["columns"][int(table.removeprefix("nodes-")) + 1][0][0]
        cells, depth = files.cells[column], 0
        lengths = sorted({len(c) for c in cells.published if c.endswith("*")})
        depth = len(lengths)
        for line in page.lines(table):
            node = line["Node"][0].strip()
            single = node == "single values"
            rows = cells.published[node]
            if single:
                rows = sum(cells.published[v] for v in cells.known)
            level = 0 if single else depth - 1 - lengths.index(len(node)) + 1
            below = 1 if single else len(cells.all_of(node))
            yield f"{column} {node}: level", line["Level"][1], level
            yield f"{column} {node}: values below", line["Values below"][1], below
            yield f"{column} {node}: rows", line["Rows published as it"][1], rows
            yield f"{column} {node}: share", line["Share"][1], rows / files.n


def of_classes(files: TwoFiles, page: ReportPage) -> Iterator[Figure]:
    """Yield how many classes have how many rows."""
    sizes = Counter(len(rows) for rows in files.classes.values())
    shown = {line["Rows"][1]: line["Classes"][1] for line in page.lines("sizes")}
    if len(shown) == len(sizes):
        for size, many in sizes.items():
            yield f"classes of {size} rows", shown.get(float(size)), many
    every = sorted(sizes.elements())
    for least, middle, most, many in page.told(
        r"Class sizes: least (\d+), median ([\d.]+), greatest ([\d,]+), over ([\d,]+)\."
    ):
        yield "least class", least, every[0]
        yield (
            "median class",
            middle,
            (every[(len(every) - 1) // 2] + every[len(every) // 2]) / 2,
        )
        yield "greatest class", most, every[-1]
        yield "classes drawn", many, len(every)
