"""Opens the stores that keep figures of pages, and finds a figure in them.

A store is a file or a folder of the tree, or lies where ``starmin reproduce --all`` has
put what it measured. Cells of stores are numbers as they were measured; a figure is one
of them, rounded as the page has it, as it is or as a share in per cent.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from measured_numbers import HOME

PLACEHOLDERS = re.compile(r"^(FOLDER|FILE)\b")
CELL = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")
FIGURE = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


class Found(NamedTuple):
    """Where a store has a figure.

    Attributes
    ----------
    file, line
        The place.
    """

    file: Path
    line: int


def files_of(store: str, stores: Path | None = None) -> list[Path]:
    """The files of a store; none where it is not kept.

    Parameters
    ----------
    store
        As the list of measured numbers has it: paths from the root, FOLDER and FILE
        for what the reader names.
    stores
        A folder that ``starmin reproduce --all --out`` has written.
    """
    found: list[Path] = []
    for word in store.split():
        inside = HOME / word
        if not PLACEHOLDERS.match(word) and inside.exists():
            found += _files(inside)
        elif stores is not None:
            name = PLACEHOLDERS.sub("", word).strip("/")
            found += [path for path in _files(stores) if str(path).endswith(name)]
    return list(dict.fromkeys(found))


def _files(path: Path) -> list[Path]:
    """A file, or those below a folder that are text."""
    if path.is_file():
        return [path]
    below = (p for p in sorted(path.rglob("*")) if p.is_file())
    return [p for p in below if p.suffix in (".csv", ".json", ".jsonl", ".md")]


@cache
def cells_of(file: Path) -> tuple[tuple[float, ...], ...]:
    """The numbers of each line."""
    lines = file.read_text("utf-8").split("\n")
    return tuple(tuple(_numbers(line)) for line in lines)


def _numbers(line: str) -> Iterator[float]:
    """Those of a JSON object, or of a line of CSV; names and long texts have none."""
    text = line.strip().removesuffix(",")
    if text.startswith("{"):
        try:
            yield from _values(json.loads(text))
        except ValueError:  # an object of several lines
            return
        return
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text) if "|" in text else text
    yield from (float(cell) for cell in CELL.findall(text))


def _values(kept: object) -> Iterator[float]:
    """The numbers of a JSON value; of a value and a bound the gap, too."""
    if isinstance(kept, dict):
        value, bound = kept.get("value"), kept.get("lower_bound", kept.get("bound"))
        if isinstance(value, int | float) and isinstance(bound, int | float) and bound:
            yield value / bound - 1
    if isinstance(kept, dict | list):
        for each in kept.values() if isinstance(kept, dict) else kept:
            yield from _values(each)
    elif isinstance(kept, int | float):
        yield float(kept)


def find(
    figure: str, store: str, near: str = "", stores: Path | None = None
) -> Found | None:
    """Find a figure in its store; None if it has no such number.

    Parameters
    ----------
    figure
        As the page has it: a number, with a unit or without.
    store, stores
        Where to look, as for ``files_of``.
    near
        Words beside the figure: of several files, one whose name they have is first.
    """
    number = FIGURE.search(figure)
    if number is None:
        return None
    text = number[0].replace(",", "")
    places = len(text.partition(".")[2])
    wanted, scales = float(text), (1, 100) if "%" in figure else (1,)
    files = files_of(store, stores)
    words = re.sub(r"\W+", "-", near)
    for file in sorted(files, key=lambda file: not words.startswith(file.stem)):
        for line, cells in enumerate(cells_of(file), 1):
            if any(round(s * c, places) == wanted for c in cells for s in scales):
                return Found(file, line)
    return None
