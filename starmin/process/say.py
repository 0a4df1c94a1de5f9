"""What a command says: answers on stdout, all else on stderr."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TextIO

from starmin.instances.errors import TableError
from starmin.instances.io.atomic import Standard

_GOOD = {"optimal": "bold green", "infeasible": "bold red"}
_answers: TextIO | None = None
_is_json = False
_later: list[str] = []


def say(line: str) -> None:
    """Print a line to stderr, beside the answer.

    Examples
    --------
    >>> say("warning: nothing to say")
    """
    print(f"starmin: {' '.join(line.split())}", file=sys.stderr, flush=True)


def say_later(line: str) -> None:
    """Keep a line until the command ends: bad input is told in one line alone."""
    if line not in _later:  # a file may be read twice
        _later.append(line)


def say_kept(forget: bool = False) -> None:
    """Print the lines that were kept, or forget them."""
    lines, _later[:] = _later[:], []
    for line in () if forget else lines:
        say(line)


def note(line: str) -> None:
    """Print how far a command has come to stderr."""
    print(line, file=sys.stderr, flush=True)


def answer(text: str) -> None:
    """Print what was asked for to stdout."""
    print(text, file=answers())


def answers() -> TextIO:
    """Return the stream for answers."""
    return _answers or sys.stdout


@contextmanager
def answers_alone() -> Iterator[None]:
    """Keep stdout for answers; what a library prints meanwhile goes to stderr.

    Examples
    --------
    >>> with answers_alone():
    ...     print("a library speaks")
    ...     answer("42")
    42
    """
    global _answers, _is_json
    before, _answers = _answers, sys.stdout
    stdout = sys.stdout
    Standard.stream, Standard.claim = lambda: stdout, _give_away
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _answers, _is_json = before, False


def want_json(asked: bool) -> bool:
    """Note whether an object is to be the only thing on stdout."""
    global _is_json
    _is_json = asked
    return asked


def _give_away(path: Path) -> None:
    """Leave stdout to an output: what is answered goes to stderr from now on."""
    global _answers
    if _is_json:
        raise TableError(f"{path}: --json has standard output; name a file")
    _answers = sys.stderr


def show_lines(lines: list[tuple[str, str]]) -> None:
    """Print labels and texts to stdout, in colour on a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=answers(), highlight=False, soft_wrap=True)
    for label, told in lines:
        text = _on_one_line(told)
        style = _GOOD.get(text.split(" (")[0].split(",")[0], "")
        console.print(Text.assemble((f"{label:<9}", "dim"), " ", (text, style)))


def _on_one_line(text: str) -> str:
    """Return a text without line breaks, as names of columns have in spreadsheets."""
    return re.sub(r"[\r\n]+", " ", text)


def show_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table to stdout; a pipe gets lines of cells joined by tabs."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=answers(), highlight=False)
    if not console.is_terminal:
        for row in (header, *rows):
            answer("\t".join(_on_one_line(str(cell)) for cell in row))
        return
    table = Table(*header, box=box.SIMPLE)
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)
