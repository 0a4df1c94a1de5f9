"""Prints ten figures, picked by a seed, with the store and the command of each.

    python docs/site/trace_figures.py [--seed 58] [--count 10]

One is from the README, the others from a page each: page and line, the figure, the
store that keeps it, the command that makes it. The last line says of how many figures
the command is lost.
"""

import argparse
import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from measured_numbers import LOST, measured

NO_STORE = "none: the command prints it"


class Traced(NamedTuple):
    """A figure of measurement.

    Attributes
    ----------
    page, line
        Where it stands.
    figure
        As the page has it, in a table with its row and column.
    store
        The file or folder that keeps it.
    command
        What makes it, from the root.
    note
        What the list says of it besides.
    """

    page: str
    line: int
    figure: str
    store: str
    command: str
    note: str

    def __str__(self) -> str:
        """The line that is printed."""
        lines = [f"{self.page}:{self.line}", self.figure, f"store: {self.store}"]
        lines += [self.command, *([self.note] if self.note else [])]
        return "\n    ".join(lines)


def figures() -> Iterator[Traced]:
    """All figures of all pages; the command is empty where it is not known."""
    for block, (command, entry) in measured():
        listed = entry.store if entry else ""
        kept = re.search(r"--(?:store|out|write) ([\w./]+)", command)
        store = listed or (kept[1] if kept else NO_STORE)
        for line, figure in block.figures():
            note = entry.reason if entry else ""
            yield Traced(block.page, line, figure, store, command, note)


def picked(seed: int, count: int) -> list[Traced]:
    """Figures with a command: one of the README, others of a page each."""
    by_page: dict[str, list[Traced]] = {}
    for each in figures():
        if each.command:
            by_page.setdefault(each.page, []).append(each)
    first, *others = by_page
    draw = random.Random(seed)
    pages = [first, *draw.sample(others, min(count - 1, len(others)))]
    return [draw.choice(by_page[page]) for page in pages]


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=58)
    parser.add_argument("--count", type=int, default=10)
    asked = parser.parse_args()
    for each in picked(asked.seed, asked.count):
        print(each)
    every = [*figures()]
    blocks = [block for block, (_, e) in measured() if e and e.reason.startswith(LOST)]
    lost = sum(len([*block.figures()]) for block in blocks)
    print(f"of {len(every):,} figures {lost}, in {len(blocks)} blocks, were {LOST}")


if __name__ == "__main__":
    main()
