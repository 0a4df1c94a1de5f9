"""Say answers on stdout, all else on stderr; show progress there.

Progress is a live line in a terminal, else lines.
"""

import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, Literal, TextIO

from starmin.instances.errors import TableError
from starmin.instances.io.atomic import Standard
from starmin.instances.runs.progress import (
    Listener,
    Progress,
    ProgressLines,
    Shown,
    cells,
)

if TYPE_CHECKING:
    from rich.live import Live


_GOOD = {"optimal": "bold green", "infeasible": "bold red"}
_answers: TextIO | None = None
_is_json = False
_is_verbose = False
_later: list[str] = []


def say(line: str) -> None:
    """Print a line to stderr, beside the answer.

    >>> say("warning: nothing to say")
    """
    note(f"starmin: {' '.join(line.split())}")


def say_later(*lines: str) -> None:
    """Keep lines until the command ends: bad input is told in one line alone."""
    # A file may be read twice.
    _later.extend(line for line in dict.fromkeys(lines) if line not in _later)


def say_kept(forget: bool = False) -> None:
    """Print the lines that were kept, or forget them."""
    lines, _later[:] = _later[:], []
    for line in () if forget else lines:
        say(line)


def note(line: str) -> None:
    """Print how far a command has come to stderr."""
    # In one piece: an interrupt may come between two.
    print(f"{line}\n", end="", file=sys.stderr, flush=True)


def answer(text: str, now: bool = False) -> None:
    """Print what was asked for to stdout; ``now``: somebody waits for the line."""
    print(text, file=answers(), flush=now)


def answer_in(as_json: bool, content: object, lines: list[tuple[str, str]]) -> None:
    """Answer a program by an object of JSON, people by labels and texts."""
    if as_json:
        answer(json.dumps(content))
    else:
        show_lines(lines)


def number_text(value: float | None, unknown: str = "-", digits: int = 6) -> str:
    """Write a whole number, or one that has a fraction."""
    if value is None:
        return unknown
    return f"{value:,}" if isinstance(value, int) else f"{value:.{digits}f}"


def answers() -> TextIO:
    """Return the stream for answers."""
    return _answers or sys.stdout


@contextmanager
def answers_alone() -> Iterator[None]:
    """Keep stdout for answers; what a library prints meanwhile goes to stderr.

    >>> with answers_alone():
    ...     print("a library speaks")
    ...     answer("42")
    42
    """
    global _answers, _is_json, _is_verbose
    before, _answers = _answers, sys.stdout
    stdout = sys.stdout
    Standard.stream, Standard.claim = lambda: stdout, _give_away
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _answers, _is_json, _is_verbose = before, False, False


def want_json(asked: bool) -> bool:
    """Note whether an object is to be the only thing on stdout."""
    global _is_json
    _is_json = asked
    return asked


def want_names(asked: bool) -> bool:
    """Note whether lines for people name methods and the steps of a search."""
    global _is_verbose
    _is_verbose = asked
    return asked


def is_verbose() -> bool:
    """Return whether they do."""
    return _is_verbose


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
        style = _GOOD.get(re.split(" \\(|[,:]", text)[0], "")
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


# The progress of a command on stderr: a live line in a terminal, else lines.

Form = Literal["lines", "json"]
_PER_SECOND = 5  # how often the live line is drawn
_LATE = 2.0  # seconds after which a call that nobody silenced shows its progress
_BAR = 24  # characters of the bar


@contextmanager
def show_progress(
    shown: Shown,
    quiet: bool | None = False,
    limit: float = math.inf,
    form: Form = "lines",
) -> Iterator[tuple[Listener, ...]]:
    """Yield what shows the progress of a search as long as the block lasts.

    ``shown`` turns a cost into the number that people read. ``quiet`` shows nothing;
    None: show it late, and only to who watches a terminal or a notebook. The search
    ends in ``limit`` seconds; a bar shows how many of them have gone by. ``form`` is
    of lines for people, or of JSON for programs, which are told whatever is quiet.
    """
    if form == "json":
        yield (_json_lines(shown),)
        return
    watched = sys.stderr.isatty() or _in_notebook()
    if quiet or (quiet is None and not watched):
        yield ()
    elif watched:
        line, after = LiveLine(shown, limit), _LATE if quiet is None else 0.0
        with _drawn(line.text, line.share, after):
            yield (line,)
    else:
        yield (ProgressLines(shown, named=is_verbose()),)


def tell_json(content: dict[str, Any]) -> None:
    """Print an object of JSON to stderr, in a line of its own."""
    note(json.dumps(content))


def _json_lines(shown: Shown) -> Listener:
    """Return what prints an object for each improvement and each new step."""

    def tell(now: Progress) -> None:
        tell_json(
            {
                "seconds": round(now.seconds, 3),
                "value": shown(now.value),
                "bound": shown(now.lower_bound),
                "gap": now.gap,
                "method": now.running,
            }
        )

    return tell


class LiveLine:
    """One line that says what is known by now; its clock goes on between two events."""

    def __init__(self, shown: Shown, limit: float = math.inf) -> None:
        self._shown, self._limit = shown, limit
        self._now: Progress | None = None
        self._since = 0.0

    def __call__(self, now: Progress) -> None:
        """Take the latest event."""
        self._now, self._since = now, time.perf_counter()

    def text(self) -> str:
        """Write the line as it is now; before the first event what ends it."""
        now = self._now
        if now is None:
            limit = f"searches for at most {self._limit:,.0f} s"
            return limit if self._limit < math.inf else ""
        seconds = self._seconds()
        value, bound, part = cells(now, self._shown)
        line = f"{seconds:7.1f} s  value {value}  bound {bound}  savable {part}"
        return f"{line}  {now.running}" if is_verbose() else line

    def share(self) -> float | None:
        """Return which share of the limit has gone by; None: there is no limit."""
        if self._now is None or not 0 < self._limit < math.inf:
            return None
        return min(1.0, self._seconds() / self._limit)

    def _seconds(self) -> float:
        assert self._now is not None
        return self._now.seconds + time.perf_counter() - self._since


@contextmanager
def show_leaves(quiet: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """Yield what shows in a terminal how many leaves of a proof tree are checked."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    done = [0, 0]

    def text() -> str:
        return f"{done[0]:,} of {done[1]:,} leaves checked" if done[1] else ""

    def tell(now: int, of_all: int) -> None:
        done[:] = now, of_all

    with _drawn(text):
        yield tell


@contextmanager
def _drawn(
    text: Callable[[], str],
    share: Callable[[], float | None] = lambda: None,
    after: float = 0.0,
) -> Iterator[None]:
    """Draw a line of text on stderr several times a second, ``after`` so many seconds.

    ``share`` returns what a bar before it shows; None: there is none.
    """
    lives: list[Live] = []

    def start() -> None:
        from rich.errors import LiveError

        live = _live(text, share)
        with suppress(LiveError):  # a display of the caller's is there already
            live.start()
            lives.append(live)

    timer = Timer(after, start)
    timer.daemon = True
    timer.start() if after else start()
    try:
        yield
    finally:
        timer.cancel()
        if after:
            timer.join()
        for live in lives:
            live.stop()


def _live(text: Callable[[], str], share: Callable[[], float | None]) -> "Live":
    """Return what draws a line of text, and a bar before it."""
    from rich.console import Console
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    def draw() -> Text | Table:
        line = Text(text(), no_wrap=True, overflow="ellipsis")
        if (part := share()) is None:
            return line
        row = Table.grid(padding=(0, 1))
        row.add_row(ProgressBar(1.0, part, _BAR), line)
        return row

    return Live(
        console=Console(stderr=True),
        get_renderable=draw,
        refresh_per_second=_PER_SECOND,
        transient=True,
        redirect_stdout=False,
    )


def _in_notebook() -> bool:
    """Check whether a notebook shows what a live display draws."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return (
        type(shell).__name__ == "ZMQInteractiveShell"
        and find_spec("ipywidgets") is not None
    )
