"""Prints ten figures, picked by a seed, with the store and the command of each.

    python docs/site/trace_figures.py [--seed 58] [--count 10] [--stores FOLDER]

One is from the README, the others from a page each: page and line, the figure, the
store that keeps it, the command that makes it. Stores that are in the tree, or in a
folder that ``starmin reproduce --all --out`` has written, are opened, and the line that
has the figure is named. The last lines say how many figures were found so, and how many
have no command, since they are no measurements or their text names the call.
"""

import argparse
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kept_stores import files_of, find
from measured_numbers import HOME, measured

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


def is_kept(each: Traced, stores: Path | None = None) -> bool:
    """Whether the store of a figure can be opened, and is not its page itself."""
    return each.store not in (each.page, NO_STORE) and bool(
        files_of(each.store, stores)
    )


def place(each: Traced, stores: Path | None = None) -> str:
    """Where the store has the figure, opened and read; else why it was not."""
    if each.store == each.page:
        return "the command writes this page"
    if not is_kept(each, stores):
        return "not kept here: the command makes it anew"
    label, _, figure = each.figure.rpartition(": ")
    found = find(figure, each.store, label, stores)
    if found is None:
        return "opened: NOT FOUND"
    root = HOME if found.file.is_relative_to(HOME) else stores
    path = found.file.relative_to(root) if root else found.file
    return f"opened: {path}:{found.line} has it"


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=58)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument(
        "--stores", type=Path, help="what `starmin reproduce --all` wrote"
    )
    asked = parser.parse_args()
    for each in picked(asked.seed, asked.count):
        print(f"{each}\n    {place(each, asked.stores)}")
    every = [*figures()]
    kept = [each for each in every if is_kept(each, asked.stores)]
    found = sum(place(each, asked.stores).endswith("has it") for each in kept)
    print(
        f"{len(kept):,} figures have stores that are kept; {found:,} were found there"
    )
    told = sum(not each.command for each in every)
    print(f"of {len(every):,} figures {told} have a reason in place of a command")


if __name__ == "__main__":
    main()
