"""Draws a small report page with numbers, which the page on reports explains.

    python docs/site/pictures/report.py --measure june.html

takes what is drawn from the report of the tutorial on a hospital file.
"""

import re
import textwrap
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from canvas import LINE, WIDTH, Canvas
from keeping import read_json, remake

NAME = "report"
HEADINGS = ("risk-part", "columns-part", "learned", "worth-part", "expert")
WHO = ("Rows like no other", "Rows in the smallest class", "Prosecutor, at most")
EXPERT = ("Value", "Lower bound", "Gap")
LEFT, INSIDE = 32, 44  # where the page begins, and its text
HEIGHT = 562
LETTERS = 44  # of a line
ENDS = (300, 400)  # of the numbers before and after


class Texts(HTMLParser):
    """The text of each element of a page that has some, with tag and class."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self.within: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin an element."""
        if tag not in ("meta", "input", "br"):
            self.within.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """End an element."""
        while self.within and self.within.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        words = " ".join(data.split())
        if words and self.within:
            tag, told = self.within[-1]
            self.found.append((tag, told.get("id") or told.get("class") or "", words))


def measured(path: str) -> dict[str, Any]:
    """Read a report: its first sentences, headings, and a few numbers."""
    page = Texts()
    page.feed(Path(path).read_text("utf-8"))
    words = [text for _, _, text in page.found]
    by_place = {(tag, place): text for tag, place, text in page.found}
    lead = by_place["p", "lead"]
    cost = re.search(r"[\d.]+ % of the .*$", lead)
    hidden = (re.match(r"(\w+): ([\d.]+ %) of the cells are hidden", w) for w in words)
    (rows,) = {w for each in words for w in re.findall(r"at least (\d+) rows", each)}
    worth = words.index("Rows that tell it") + 1
    titles = [text if tag == "dt" else "" for tag, _, text in page.found]
    return {
        "title": by_place["h1", ""],
        "promise": re.split(r"(?<=\.) ", lead)[0],
        "cost": cost[0] if cost else "",
        "headings": [by_place["h2", place] for place in HEADINGS],
        "who": [[who, *words[words.index(who) + 1 :][:2]] for who in WHO],
        "columns": [list(told.groups()) for told in hidden if told],
        "learned": f"A person is found among {rows} rows or more.",
        "worth": words[worth : worth + 4],
        "expert": [[name, words[titles.index(name) + 1]] for name in EXPERT],
    }


def kept() -> dict[str, Any]:
    """What is drawn of a report."""
    found: dict[str, Any] = read_json(NAME)
    return found


def caption(page: dict[str, Any]) -> str:
    """Name the parts by their numbers."""
    parts = ["the promise and its cost", *map(_small, page["headings"])]
    told = "; ".join(f"{n} {part}" for n, part in enumerate(parts, 1))
    return f"The parts of a report page: {told}."


def _small(heading: str) -> str:
    return heading[0].lower() + heading[1:]


def drawn(page: dict[str, Any]) -> str:
    """The page from top to bottom, a number at each part."""
    canvas = Canvas(HEIGHT, caption(page))
    canvas.box((LEFT, 1), (WIDTH - LEFT - 1, HEIGHT - 2), None, edge="line", round_by=6)
    y = 28.0
    canvas.text((INSIDE, y), page["title"], size=18, bold=True)
    canvas.number((14, y + LINE + 2), 1)
    for words in (page["promise"], page["cost"]):
        for line in textwrap.wrap(words, LETTERS):
            y += LINE
            canvas.text((INSIDE, y + 6), line)
    parts = (_who, _columns, _learned, _worth, _expert)
    for number, part in enumerate(parts, 2):
        y += LINE + 18
        canvas.path([(INSIDE, y - LINE), (WIDTH - 14, y - LINE)], "between")
        canvas.number((14, y - 5), number)
        canvas.text((INSIDE, y), page["headings"][number - 2], size=15.5, bold=True)
        y = part(canvas, page, y)
    return canvas.svg()


def _row(canvas: Canvas, cells: Sequence[str], y: float) -> None:
    """A name, and two numbers to the right of it."""
    canvas.text((INSIDE, y), cells[0])
    for x, cell in zip(ENDS, cells[1:], strict=True):
        canvas.text((x, y), cell, anchor="end")


def _who(canvas: Canvas, page: dict[str, Any], y: float) -> float:
    for cells in page["who"]:
        y += LINE
        _row(canvas, cells, y + 4)
    return y


def _columns(canvas: Canvas, page: dict[str, Any], y: float) -> float:
    for name, share in page["columns"]:
        y += LINE
        canvas.text((INSIDE, y + 4), name)
        long = 2 * float(share.removesuffix(" %"))
        canvas.box((110, y - 8), (200, 13), "between")
        canvas.box((110, y - 8), (long, 13), "hidden")
        canvas.text((ENDS[1], y + 4), share, anchor="end")
    return y


def _learned(canvas: Canvas, page: dict[str, Any], y: float) -> float:
    canvas.text((INSIDE, y + LINE + 4), page["learned"])
    return y + LINE


def _worth(canvas: Canvas, page: dict[str, Any], y: float) -> float:
    _, *cells = page["worth"]
    _row(canvas, cells, y + LINE + 4)
    return y + LINE


def _expert(canvas: Canvas, page: dict[str, Any], y: float) -> float:
    wide = (WIDTH - 14 - INSIDE) / len(page["expert"])
    for place, (name, number) in enumerate(page["expert"]):
        x = INSIDE + wide * place
        canvas.box((x, y + 10), (wide - 6, 46), "paper", round_by=4)
        canvas.text((x + 8, y + 28), name, "faint")
        canvas.text((x + 8, y + 48), number, bold=True)
    return y + 40


if __name__ == "__main__":
    remake(NAME, kept, drawn, caption, measured)
