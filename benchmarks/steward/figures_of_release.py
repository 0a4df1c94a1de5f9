"""Figures of the release as a whole: value, bound, gap, what it tells and loses."""

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import ceil, log

from figures_of_cells import Figure, mean_loss
from report_page import ReportPage, unit
from two_files import TwoFiles

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def of_value(
    files: TwoFiles, page: ReportPage, bound: float | None, groups: int
) -> Iterator[Figure]:
    """Yield the value, the bound of the certificate, and the gap of both."""
    losses = [mean_loss(cells) for cells in files.cells.values()]
    value = sum(losses) / len(losses)
    stars = sum(cells.published["*"] for cells in files.cells.values())
    rows = sum(any(row[c] == "*" for c in files.qi) for row in files.after)
    share = r"([\d.,]+ ?%)"
    yield from _of_bound(page, value, bound, share)
    for (lost,) in page.told(rf"{share} of the detail is lost"):
        yield "lost, in the head", lost, value
    for (lost,) in page.told(rf"It costs {share} mean loss"):
        yield "value", lost, value
    for (lost,) in page.told(rf"^Value{share}(?=mean loss)"):
        yield "value, tile", lost, value
    for hidden, some, whole in page.told(
        r"mean loss; ([\d,]+) stars, in ([\d,]+) of ([\d,]+) rows"
    ):
        yield "stars", hidden, stars
        yield "rows with a star", some, rows
        yield "rows", whole, files.n
    for (lost,) in page.told(rf"^Lost{share}of the information in the cells"):
        yield "lost, tile", lost, value
    for many, classes in page.told(
        r"^Groups([\d,]+)(?:in ([\d,]+) classes of rows that look alike|rows that look)"
    ):
        yield "groups", many, groups
        yield "classes", classes or many, len(files.classes)


def _of_bound(
    page: ReportPage, value: float, bound: float | None, share: str
) -> Iterator[Figure]:
    """Yield the bound, rounded down, wherever it is told; and the gap."""
    if bound is None:
        return
    told = (
        rf"no release with this promise loses less than {share}",
        rf"No release with this promise costs less than {share}",
        rf"^Lower bound{share}\w+$",
        rf"That no release costs less than {share} mean loss",
        rf"A certificate, which was checked, proves {share}",
    )
    for pattern in told:
        for (least,) in page.told(pattern):
            yield "bound", least, floored(least, bound)
    for low, high in page.told(rf"the least is, between {share} and {share}, is not"):
        yield "bound of the range", low, floored(low, bound)
        yield "value of the range", high, value
    for (gap,) in page.told(rf"^Gap{share}\w+$"):
        yield "gap", gap, value / bound - 1


def of_settings(page: ReportPage) -> Iterator[Figure]:
    """Yield what is said of the command that searches again."""
    words = page.commands[0].split() if page.commands else []
    for seed, seconds in page.told(
        r"with the seed (\d+)(?:, for at most ([\d.]+) seconds)?"
    ):
        for name, shown, default in (("seed", seed, 0), ("time-limit", seconds, None)):
            if not shown:
                continue
            said = f"--{name}" in words
            counted = float(words[words.index(f"--{name}") + 1]) if said else default
            yield f"{name} of the command", shown, counted


def floored(shown: str, value: float) -> float:
    """Round a bound down to the digits that are shown."""
    step = Fraction(unit(shown)).limit_denominator(10**9)
    return float(Fraction(value) // step * step)


def of_verdict(files: TwoFiles, page: ReportPage) -> Iterator[Figure]:
    """Yield what the first part says: promise, people who stand alone, three rows."""
    k = min(map(len, files.classes.values()))
    rest = [c for c in files.after[0] if c not in files.qi]
    losses = [mean_loss(cells) for cells in files.cells.values()]
    before = Counter(tuple(row[c] for c in files.qi) for row in files.before)
    for asked, names in page.told(
        r"^Each row looks like at least (\d+) rows by (.*)\.$"
    ):
        yield "k of the verdict", min(int(asked), k), int(asked)
        yield "columns of the verdict", len(names.split(", ")), len(files.qi)
    for (names,) in page.told(
        r"^From whomWhoever knows no more of a person than (.*?)\."
    ):
        yield "columns that are known", _many(names), len(files.qi)
    for then, now, names in page.told(
        r"^Stand alone([\d,]+) → ([\d,]+)people by (.*), before and now$"
    ):
        yield "alone before", then, sum(many == 1 for many in before.values())
        yield "alone now", now, sum(len(rows) == 1 for rows in files.classes.values())
        yield "columns of those alone", _many(names), len(files.qi)
    for lost, names in page.told(r"^Lost([\d.,]+ ?%)of what (.*) tell$"):
        yield "lost, in the verdict", lost, sum(losses) / len(losses)
        yield "columns of what is lost", _many(names), len(files.qi)
    for some, n, names in page.told(
        r"^([\d,]+) of ([\d,]+) people stands? alone by (.*), which (?:is|are) pub"
    ):
        yield "alone by what is published", some, _uniques(files, rest)
        yield "people", n, files.n
        yield "columns as they are", _many(names), len(rest)
    for line in page.lines("three-rows"):
        column = line["Column"][0]
        for name, (shown, _) in line.items():
            if name != "Column":
                i = int(name.removeprefix("Row ").replace(",", "")) - 1
                old, new = files.before[i][column], files.after[i][column]
                yield name, shown, old if old == new else f"{old} → {new}"


def of_promise(files: TwoFiles, page: ReportPage) -> Iterator[Figure]:
    """Yield what is said of k, and of the columns beside the quasi-identifiers."""
    k = min(map(len, files.classes.values()))
    rest = [c for c in files.after[0] if c not in files.qi]
    alone = _uniques(files, rest)
    both = _uniques(files, [*files.qi, *rest])
    for n, many in page.told(r"([\d,]+) rows, (\d+) quasi-identifiers"):
        yield "rows of the head", n, files.n
        yield "quasi-identifiers", many, len(files.qi)
    for (asked,) in page.told(r"Asked: k = (\d+)"):
        yield "k holds", min(int(asked), k), int(asked)
    for names, word in page.told(
        r"By (.*), nobody in this table can be told apart from fewer than (\w+) others"
    ):
        yield "columns of the promise", _many(names), len(files.qi)
        yield "others", _WORDS.index(word) if word in _WORDS else word, k - 1
    for names, some, n, together in page.told(
        r"Beside these columns, (.*) (?:is|are) published as (?:it is|they are): "
        r"([\d,]+) of ([\d,]+) rows are unique by (?:it|them), ([\d,]+) with"
    ):
        yield "columns beside", _many(names), len(rest)
        yield "unique by columns beside", some, alone
        yield "rows", n, files.n
        yield "unique with these columns", together, both
    for some, n, together in page.told(
        r"([\d,]+) of ([\d,]+) rows are unique by (?:it|them), ([\d,]+) with"
    ):
        yield "unique by columns beside, again", some, alone
        yield "rows", n, files.n
        yield "unique with these columns, again", together, both
    for names, least, chance in page.told(
        r"of a person than (.*) finds a group of at least (\d+) rows and picks the "
        r"right one with a probability of at most ([\d.]+ %)"
    ):
        yield "columns of finding", _many(names), len(files.qi)
        yield "least group", least, k
        yield "chance, rounded up", chance, ceil(1000 / k - 1e-6) / 1000
    for line in page.lines("risk"):
        name = line["Measure"][0]
        if name in ("k", "Risk to be found"):
            yield f"{name} holds", line["Holds"][1], k if name == "k" else 1 / k
        elif name == "Requirement":
            yield "requirement", line["Meaning"][0], f"k {page_k(page)}"


def _many(names: str) -> int:
    """Count columns that are listed: the first by name, the others by a number."""
    named, _, others = names.rpartition(" and ")
    if found := re.fullmatch(r"(\d+) other columns?", others):
        return len(named.split(", ")) + int(found[1])
    return len(named.split(", ")) + 1 if named else 1


def page_k(page: ReportPage) -> int:
    """Return the k that was asked for."""
    rows = page.tables["risk"][1:]
    return int(next(row[1][1] for row in rows if row[0][0] == "k") or 0)


def _uniques(files: TwoFiles, columns: list[str]) -> int:
    counts = Counter(tuple(row[c] for c in columns) for row in files.after)
    return [*counts.values()].count(1)


def of_utility(files: TwoFiles, page: ReportPage) -> Iterator[Figure]:
    """Yield how far the release is from the original, combination by combination."""
    same = sum(
        n for c in files.cells.values() for v, n in c.published.items() if v in c.known
    )
    kl, error, many = _divergence(files)
    losses = [mean_loss(cells) for cells in files.cells.values()]
    counted = {
        "Cells published as they are": same / files.n / len(files.qi),
        "Information lost": sum(losses) / len(losses),
        "KL": kl,
        "Relative error": error,
    }
    for line in page.lines("utility"):
        yield line["Measure"][0], line["Value"][1], counted[line["Measure"][0]]
    for (shown,) in page.told(r"^KL([\d.]+)nats from the original"):
        yield "KL, tile", shown, kl
    for (shown,) in page.told(r"KL and error are of all ([\d,]+) combinations"):
        yield "combinations", shown, many


def _divergence(files: TwoFiles) -> tuple[float, float, int]:
    """Return KL, mean relative error, and the number of combinations that occur.

    A row of the release counts evenly for the combinations of what its cells may be.
    """
    classes = list(files.classes.items())
    masks: list[dict[str, int]] = [{} for _ in files.qi]
    mass = []
    for at, (cells, rows) in enumerate(classes):
        share = len(rows) / files.n
        for mask, column, cell in zip(masks, files.qi, cells, strict=True):
            inside = files.cells[column].all_of(cell)
            share /= len(inside)
            for value in inside:
                mask[value] = mask.get(value, 0) | 1 << at
        mass.append(share)
    truth = files.rows_alike(files.before)
    kl = error = 0.0
    for cells, rows in truth.items():
        here = -1
        for mask, value in zip(masks, cells, strict=True):
            here &= mask.get(value, 0)
        told = 0.0
        while here:
            low = here & -here
            told += mass[low.bit_length() - 1]
            here ^= low
        real = len(rows) / files.n
        kl += real * log(real / told)
        error += abs(real - told) / real
    return kl, error / len(truth), len(truth)


def of_drawings(files: TwoFiles, page: ReportPage) -> Iterator[Figure]:
    """Yield what the texts of the drawings say to those who do not see them."""
    for column, cells in files.cells.items():
        after: Counter[str] = Counter()
        for cell, n in cells.published.items():
            for value in (some := cells.told(cell)):
                after[value] += n / len(some)
        for (text,) in page.told(rf"(?<=^Bars of the values of {column}\. )(.*)"):
            for part in text.rstrip(".").split("; "):
                value, figures = part.rsplit(": ", 1)
                rows, told = (word.split()[0] for word in figures.split(", "))
                key = "" if value == "(empty)" else value
                yield f"drawn rows of {column} = {value}", rows, cells.known[key]
                yield f"told rows of {column} = {value}", told, after[key]
    for (text,) in page.told(r"^Bars of the columns by what their cells are (.*)"):
        for column, cells in files.cells.items():
            found = text.split(f"{column}: ", 1)[1].split(".  ")[0]
            yield from _levels(column, cells.published, cells.known, found, files.n)


def _levels(
    column: str, published: Counter[str], known: Counter[str], text: str, n: int
) -> Iterator[Figure]:
    """Yield the shares of one bar."""
    kinds: Counter[str] = Counter()
    nodes = sorted({len(c) for c in published if c[1:].endswith("*")}, reverse=True)
    for cell, many in published.items():
        kind = "a range"
        if cell == "*":
            kind = "a star"
        elif cell in known:
            kind = "the value"
        elif cell.endswith("*"):
            kind = f"level {1 + nodes.index(len(cell))}"
        kinds[kind] += many
    for kind, many in kinds.items():
        after = text.partition(f"{kind} ")[2].split(" %")[0]
        yield f"drawn {column}: {kind}", f"{after} %", many / n
