"""A report as it is read: its tables, its sentences, and what was looked at in them."""

import re
from html.parser import HTMLParser
from pathlib import Path

Told = tuple[str, float | None]  # the text of a cell, and its exact value
_BLOCKS = {"p", "li", "div", "summary", "figcaption", "h1", "h2", "h3", "figure"}
_UNREAD = {"style", "script", "title"}


class ReportPage(HTMLParser):
    """The tables of a page by their id, and its sentences; cells looked at are marked.

    Commands, whose options are no figures, are kept apart.

    Parameters
    ----------
    path
        Of the page.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tables: dict[str, list[list[Told]]] = {}
        self.prose: list[str] = [""]
        self.commands: list[str] = []
        self.seen: set[tuple[str, int, int]] = set()
        self._table, self._cell, self._unread = "", False, 0
        self._command = False
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self._unread += tag in _UNREAD or tag == "svg"
        if tag == "svg":
            self.prose.append(told.get("aria-label") or "")
        if tag == "table":
            self._table = told["id"] or ""
            self.tables[self._table] = []
        elif tag == "tr":
            self.tables[self._table].append([])
        elif tag in ("th", "td"):
            key = told.get("data-key")
            self.tables[self._table][-1].append(("", float(key) if key else None))
            self._cell = True
        elif tag == "pre":
            self.commands.append("")
            self._command = True
        elif tag in _BLOCKS:
            self.prose.append("")

    def handle_endtag(self, tag: str) -> None:
        self._unread -= tag in _UNREAD or tag == "svg"
        self._cell = self._cell and tag not in ("th", "td")
        self._command = self._command and tag != "pre"
        if tag in _BLOCKS:
            self.prose.append("")

    def handle_data(self, data: str) -> None:
        if self._unread:
            return
        if self._command:
            self.commands[-1] += data
        elif self._cell:
            text, key = self.tables[self._table][-1][-1]
            self.tables[self._table][-1][-1] = (text + data.strip(), key)
        else:
            self.prose[-1] += data

    def lines(self, table: str) -> list[dict[str, Told]]:
        """Return the lines of a table, by its header; all cells count as looked at."""
        if table not in self.tables:
            return []
        head, *rows = self.tables[table]
        for i, row in enumerate(rows):
            self.seen |= {(table, i, j) for j in range(len(row))}
        names = [text.removesuffix("↕").strip() for text, _ in head]
        return [dict(zip(names, row, strict=True)) for row in rows]

    def told(self, pattern: str) -> list[tuple[str, ...]]:
        """Return what the groups of a pattern are in all sentences; they are marked."""
        found: list[tuple[str, ...]] = []
        for i, text in enumerate(self.prose):
            one = " ".join(text.split())
            found += [match.groups() for match in re.finditer(pattern, one)]
            self.prose[i] = re.sub(pattern, "", one)
        return found

    def left(self, names: list[str]) -> list[str]:
        """Return all figures that were not looked at.

        Parameters
        ----------
        names
            Words with digits that are no figures: columns.
        """
        cells = [
            f"{table}: {row[0][0]}: {text}"
            for table, (_, *rows) in self.tables.items()
            for i, row in enumerate(rows)
            for j, (text, _) in enumerate(row)
            if (table, i, j) not in self.seen and re.search(r"\d", text)
        ]
        words = "|".join(re.escape(name) for name in names)
        prose = [re.sub(rf"\b({words})\b", "", text).strip() for text in self.prose]
        return [*cells, *(text for text in prose if re.search(r"\d", text))]


def read(text: str) -> float:
    """Read a number as it is printed, a percentage as a share."""
    value = float(text.replace(",", "").replace("%", "").replace("<", "").strip())
    return value / 100 if "%" in text else value


def unit(text: str) -> float:
    """Return what the last printed digit of a number counts."""
    digits = text.replace(",", "").replace("%", "").strip()
    places = len(digits.partition(".")[2])
    return 10.0**-places / (100 if "%" in text else 1)
