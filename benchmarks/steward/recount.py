"""Counts what a report says again, from the original and the release alone.

    python benchmarks/steward/recount.py BEFORE AFTER REPORT --qi A,B,.. [--weight W]

Plain Python: nothing of ours is imported. Exit code 1: a figure is another.
"""

import argparse
import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

Rows = list[dict[str, str]]


class Tables(HTMLParser):
    """All tables of a page by their id: text and key of each cell."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[list]]] = {}
        self.name, self.cell, self.items = "", False, []
        self.item = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        told = dict(attrs)
        if tag == "table":
            self.name = told["id"]
            self.tables[self.name] = []
        elif tag == "tr":
            self.tables[self.name].append([])
        elif tag in ("th", "td"):
            key = told.get("data-key")
            self.tables[self.name][-1].append(["", key and float(key)])
            self.cell = True
        elif tag == "li":
            self.items.append("")
            self.item = True

    def handle_endtag(self, tag: str) -> None:
        self.cell = self.cell and tag not in ("th", "td")
        self.item = self.item and tag != "li"

    def handle_data(self, data: str) -> None:
        if self.cell:
            self.tables[self.name][-1][-1][0] += data.strip()
        elif self.item:
            self.items[-1] += data

    def rows(self, name: str) -> dict[str, list[list]]:
        """Rows below the header, by the text of the first cell."""
        return {row[0][0]: row[1:] for row in self.tables.get(name, [])[1:]}


class Cells:
    """What the cells of a column may be: values of the original."""

    def __init__(self, column: str, before: Rows) -> None:
        self.column, self.known = column, Counter(row[column] for row in before)
        self.cache: dict[str, tuple[str, ...] | None] = {}

    def of(self, cell: str) -> tuple[str, ...] | None:
        """Return the values; None: nothing is told."""
        if cell not in self.cache:
            inside = self._of(cell)
            all_of = inside is not None and len(inside) == len(self.known)
            self.cache[cell] = None if all_of and len(self.known) > 1 else inside
        return self.cache[cell]

    def _of(self, cell: str) -> tuple[str, ...] | None:
        if cell == "*":
            return None
        if cell in self.known:
            return (cell,)
        if re.fullmatch(r"\d+\*", cell):  # what begins so
            return tuple(v for v in self.known if v.startswith(cell[:-1]))
        low, high = ends(cell)
        inside = [v for v in self.known if v and low <= place(v) <= high]
        return tuple(inside)


def ends(cell: str) -> tuple[float, float]:
    """The ends of a range, of numbers or dates."""
    if found := re.fullmatch(r"\[?(-?[\d.]+)-(-?[\d.]+)\]?", cell):
        return float(found[1]), float(found[2])
    if found := re.fullmatch(r"(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)", cell):
        return place(found[1]), place(found[2])
    raise SystemExit(f"what is {cell!r}?")


def place(value: str) -> float:
    """A number or a date as a number."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return float(date.fromisoformat(value).toordinal())
    return float(value)


def risk_figures(rows: Rows, qi: list[str]) -> dict[str, float]:
    """What the table of risk says of a table."""
    sizes = Counter(tuple(row[c] for c in qi) for row in rows)
    return {
        "Rows like no other": [*sizes.values()].count(1),
        "Rows in the smallest class": min(sizes.values()),
        "Prosecutor, at most": 1 / min(sizes.values()),
        "Prosecutor, on average": len(sizes) / len(rows),
        "Marketer": len(sizes),
    }


def checks(
    before: Rows, after: Rows, page: Tables, qi: list[str], weights: list[float]
) -> Iterator[tuple[str, float | None, float | None]]:
    """Yield each figure: what it is, what the page says, what is counted."""
    shown = page.rows("risk-change")
    for at, rows in enumerate((before, after)):
        for name, value in risk_figures(rows, qi).items():
            yield name, shown[name][at][1], value
    cells = {column: Cells(column, before) for column in qi}
    heads = [head[0].rstrip(" ↕") for head in page.tables["columns"][0]][1:]
    for column, line in page.rows("columns").items():
        told = dict(zip(heads, line, strict=True))
        pairs = list(zip(before, after, strict=True))
        counted = {
            "Values before": len({b[column] for b in before}),
            "Values after": len({a[column] for a in after} - {"*"}),
            "Changed": sum(b[column] != a[column] for b, a in pairs),
        }
        for name, value in counted.items():
            if name in told:
                yield f"{column}: {name}", told[name][1], value
    total = sum(weights)
    for column, (figure, old, new, _) in page.rows("worth").items():
        known = [cells[column].of(row[column]) for row in after]
        if figure[0] == "mean":
            value_of = {v: place(v) for v in cells[column].known if v not in ("", "N")}
        else:
            wanted = figure[0].removeprefix("share of ").replace("(missing)", "")
            value_of = {v: float(v == wanted) for v in cells[column].known}
        then = [
            (w, value_of.get(b[column])) for b, w in zip(before, weights, strict=True)
        ]
        yield f"{column}: before", old[1], _mean(then)
        now = [
            (w / len(some), value_of.get(v))
            for some, w in zip(known, weights, strict=True)
            for v in some or ()
        ]
        yield f"{column}: after", new[1], _mean(now)
    for where, (old, new) in page.rows("worst-cells").items():
        one, other = (part.split(" = ") for part in where.split(", "))
        both = [(c, "" if v == "(missing)" else v) for c, v in (one, other)]
        hits = [
            w * all(b[c] == v for c, v in both)
            for b, w in zip(before, weights, strict=True)
        ]
        yield where, old[1], sum(hits) / total
        some = all_told = 0.0
        for row, w in zip(after, weights, strict=True):
            sets = [cells[c].of(row[c]) for c, _ in both]
            if None not in sets:
                all_told += w
                part = w
                for inside, (_, v) in zip(sets, both, strict=True):
                    part *= (v in inside) / len(inside)
                some += part
        yield f"{where}, after", new[1], some / all_told


def _mean(pairs: list[tuple[float, float | None]]) -> float | None:
    told = [(w, value) for w, value in pairs if value is not None]
    people = sum(w for w, _ in told)
    return sum(w * value for w, value in told) / people if people else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("before", "after", "report"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--qi", required=True)
    parser.add_argument("--weight")
    asked = parser.parse_args()
    tables = []
    for path in (asked.before, asked.after):
        with path.open(newline="") as file:
            tables.append(list(csv.DictReader(file)))
    before, after = tables
    qi = asked.qi.split(",")
    weights = [float(row[asked.weight]) if asked.weight else 1.0 for row in before]
    page = Tables(asked.report.read_text("utf-8"))
    wrong = right = 0
    for what, shown, counted in checks(before, after, page, qi, weights):
        if shown is None or counted is None:
            same = shown == counted
        else:
            same = abs(shown - counted) <= 1e-6 * max(1.0, abs(counted))
        if not same:
            wrong += 1
            print(f"{what}: the page says {shown}, counted {counted}")
        else:
            right += 1
    print(f"{right} figures are as counted, {wrong} are not")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
