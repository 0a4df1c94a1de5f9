"""Which cells of the papers' tables and figures are kept: docs/reproduction.md.

    python benchmarks/papers/reproduction.py [--write docs/reproduction.md]

Each section of the page has a table between two comments, which this script makes: for
each table and figure of the paper, how many of its cells are found in the stores (the
pages of results, and the best known values), and which are not. The status follows
from the count. Nothing is measured.
"""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from reproduced_cells import HOME, BestKnown, Cells
from reproduced_items import PAPERS, Item

PAGE = HOME / "docs" / "reproduction.md"
COUNTED = "<!-- counted -->"
END = "<!-- end -->"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    page = remade(PAGE.read_text("utf-8"), HOME)
    if given.write:
        given.write.write_text(page, "utf-8")
    for paper, items in PAPERS.items():
        print("\n".join([f"\n{paper}\n", *lines(items, HOME)]))


def remade(page: str, home: Path) -> str:
    """Return the page with its tables made again from the stores below ``home``."""
    for paper, items in PAPERS.items():
        before, heading, after = page.partition(f"## {paper}")
        assert heading, f"no section on {paper}"
        counted = "\n".join([COUNTED, "", *lines(items, home), "", END])
        section = re.compile(f"{COUNTED}.*?{END}", re.S)
        kept = section.search(after)
        assert kept, f"no table of {paper}"
        after = after[: kept.start()] + counted + after[kept.end() :]
        page = before + heading + after
    return page


def lines(items: tuple[Item, ...], home: Path) -> Iterator[str]:
    """Yield the table of one paper."""
    yield "| in the paper | shows | status | cells | not here | page |"
    yield "|---|---|---|---:|---|---|"
    for item in items:
        if not item.cells:
            cells = [item.name, item.shows, "*not*", "-", "it has no results", "-"]
        else:
            there = f"{kept(item, home):,} of {wanted(item):,}"
            lacks = (
                "; ".join(filter(None, [*missing(item, home), item.lacks(home)])) or "-"
            )
            pages = dict.fromkeys(
                f"[{c.page.split('/')[-1]}]({c.page}.md)" for c in item.cells
            )
            cells = [item.name, item.shows, status(item, home), there, lacks, *pages]
        yield f"| {' | '.join(cells)} |"


def wanted(item: Item) -> int:
    return sum(cells.wanted() for cells in item.cells)


def kept(item: Item, home: Path) -> int:
    return sum(cells.wanted() - len(cells.absent(home)) for cells in item.cells)


def status(item: Item, home: Path) -> str:
    """Return *complete* only if each cell is kept at the paper's parameters."""
    if not kept(item, home):
        return "*not*"
    whole = kept(item, home) == wanted(item) and not item.lacks(home)
    return "*complete*" if whole else "*part*"


def missing(item: Item, home: Path) -> Iterator[str]:
    """Yield in words which cells are not kept, in one part for each rectangle."""
    several = len(item.cells) > 1
    for cells in item.cells:
        absent = cells.absent(home)
        if not absent:
            continue
        where = f"{named(cells)}: " if several else ""
        yield where + in_words(cells, absent)


def named(cells: Cells | BestKnown) -> str:
    """Return how a rectangle is told apart from the others of its item."""
    if isinstance(cells, BestKnown):
        return cells.instance
    told = dict(cells.where)
    words = [told.get("table", ""), told.get("measure", "")]
    words += [f"by {told['by']}"] if "by" in told else []
    return " ".join(filter(None, words))


def in_words(cells: Cells | BestKnown, absent: list[tuple[str, str]]) -> str:
    """Return whole columns and rows by name, and the number of single cells."""
    if isinstance(cells, BestKnown) or len(absent) == cells.wanted():
        return "all"
    gone = set(absent)
    columns = [c for c in cells.columns if all((r, c) in gone for r in cells.rows)]
    gone -= {(row, column) for row in cells.rows for column in columns}
    left = [column for column in cells.columns if column not in columns]
    rows = [row for row in cells.rows if all((row, c) in gone for c in left)]
    gone -= {(row, column) for row in rows for column in left}
    told = [f"columns {', '.join(columns)}"] if columns else []
    told += [f"rows {', '.join(row.replace(',', '') for row in rows)}"] if rows else []
    told += [f"{len(gone)} cells"] if gone else []
    return " and ".join(told)


if __name__ == "__main__":
    main()
