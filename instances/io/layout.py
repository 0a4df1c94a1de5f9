"""What separates the cells of a text file, and where its header is."""

import codecs
import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from starmin.instances.errors import TableError
from starmin.instances.io.atomic import expect_file

SEPARATORS = ",;\t|"  # those that are recognised
NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_DECLARED = re.compile(r'"?sep=(.)"?(\r\n|\r|\n)', re.I)  # as Excel takes it
_OTHERS = " ^~:#@!&$%=/*+\x1c\x1d\x1e\x1f\x01"  # those that are only told of
_NUMBER = re.compile(r"[-+]?[\d.,]+([eE][-+]?\d+)?%?")
_TITLES = 20  # lines above a header
_MOST = 0.9  # share of rows that say what the first one should have been


def undeclared(text: str) -> tuple[str, str | None]:
    """Return a text without a first line ``sep=;``, and what separates cells by it."""
    found = _DECLARED.match(text)
    return (text[found.end() :], found[1]) if found else (text, None)


def strict_rows(
    path: Path,
    text: Iterable[str],
    sep: str,
    above: int,
    longest: int,
    blanks: bool = False,
) -> Generator[tuple[int, list[str]]]:
    """Read the rows of a text, each with the line on which it begins.

    ``above`` is how many lines of the file are above it, and ``longest`` how many
    characters a cell has at most; if ``blanks``, those behind a separator are left out.
    Raises TableError where a quote is broken.
    """
    limit = csv.field_size_limit(longest + 1)
    reader = csv.reader(text, delimiter=sep, strict=True, skipinitialspace=blanks)
    line = above + 1
    try:
        for row in reader:
            yield line, row
            line = above + reader.line_num + 1
    except csv.Error as error:
        why = str(error).replace("unexpected end of data", "a quote is not closed")
        raise TableError(f"{path}: line {line}: {why}; mend the quotes") from None
    finally:
        csv.field_size_limit(limit)


class Layout(NamedTuple):
    """How the lines of a text file are to be read."""

    sep: str  # what separates cells
    skip: int = 0  # lines above the header
    short: bool = False  # whether the rows have a cell more than the header
    titles: tuple[str, ...] = ()  # what the lines above say, if they are titles
    # where all lines are one cell: what would make several of each, if something would
    hint: str = ""


class _Row(NamedTuple):
    line: int  # on which it begins, from 0
    cells: list[str]


class _View(NamedTuple):
    """The rows of a sample by one separator; blank lines are none."""

    sep: str
    rows: list[_Row]

    @classmethod
    def of(cls, text: str, sep: str, cut: bool) -> "_View":
        rows, line = [], 0
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=sep)
        try:
            for cells in reader:
                if cells:
                    rows.append(_Row(line, cells))
                line = reader.line_num
        except csv.Error:
            rows = []
        if cut and len(rows) > 1:
            rows.pop()  # it is not whole
        return cls(sep, rows)

    @property
    def widths(self) -> list[int]:
        return [len(row.cells) for row in self.rows]

    @property
    def share(self) -> float:
        """The share of rows that have as many cells as the first, two at least."""
        widths = self.widths
        if not widths or widths[0] < 2:
            return 0.0
        return widths.count(widths[0]) / len(widths)

    @property
    def short(self) -> bool:
        """Whether all rows have a cell more than the header, as R writes names of rows.

        These names differ; or all rows end with a separator.
        """
        width, *others = self.widths or [0]
        least = 2 if self.sep == "," else 1  # a decimal comma separates no cells
        if len(others) < 2 or width < least or {*others} != {width + 1}:
            return False
        rows = [row.cells for row in self.rows[1:]]
        apart = len({row[0] for row in rows}) == len(rows)
        ended = not any(row[-1] for row in rows)
        return (apart or ended) and _are_names(self.rows[0].cells)

    @property
    def head(self) -> int | None:
        """The first of several rows of one length that begin with names, below others.

        Those above it are shorter; None where there are none.
        """
        widths = self.widths
        ((wide, many),) = Counter(widths or [0]).most_common(1)
        head = widths.index(wide) if widths else 0
        most = many > max(1, _MOST * (len(widths) - head))
        if wide < 2 or not most or not 0 < head <= _TITLES or max(widths[:head]) > wide:
            return None
        cells = self.rows[head].cells
        ended = wide > 2 and not cells[-1]  # all lines end with a separator
        return head if _are_names(cells[:-1] if ended else cells) else None

    @property
    def is_sure(self) -> bool:
        """Whether what is above the head can only be titles."""
        head = self.head or 0
        spaced = any(" " in cell for row in self.rows[:head] for cell in row.cells)
        return self.sep != "," or self.widths[head] > 2 or spaced

    def layout(self, head: int = 0, short: bool = False) -> Layout:
        titles = [self.sep.join(row.cells) for row in self.rows[:head]]
        return Layout(self.sep, self.rows[head].line, short, tuple(titles))


def recognise(
    path: Path, text: str, sep: str | None, usual: str, cut: bool = False
) -> Layout:
    r"""Return how a text file is to be read.

    That separator separates its cells which gives most rows as many cells as the
    header, two at least; the usual one wins a tie, and where nothing separates
    anything. Titles stand above the header only where all rows below them have more
    cells, and begin with names.

    ``text`` is the beginning of the content, and ends within a row if ``cut``; ``sep``
    is given if it is known, and ``usual`` is what separates cells in files of its name.
    Raises TableError where the first line has one cell and most others have more.

    >>> recognise(Path("a.csv"), "Made by us\na;b;c\n1;2;3\n", None, ",")
    Layout(sep=';', skip=1, short=False, titles=('Made by us',), hint='')
    """
    text, declared = undeclared(text.removeprefix("\ufeff"))
    sep = sep or declared
    others = sorted(SEPARATORS, key=lambda each: each != usual)
    views = [_View.of(text, each, cut) for each in ([sep] if sep else others)]
    found = _layout_of(path, views, named=sep is not None)
    if found is None:
        view = _View.of(text, sep or usual, cut)
        found = Layout(sep or usual, view.rows[0].line if view.rows else 0)
        if sep is None and {*view.widths} == {1} and len(view.rows) > 1:
            found = found._replace(hint=_hint(text, view, cut))
    return found._replace(skip=found.skip + (declared is not None))


def _layout_of(path: Path, views: Sequence[_View], named: bool) -> Layout | None:
    best = max(views, key=lambda view: view.share)
    if best.share >= 0.5:
        return best.layout()
    for view in views:
        if view.head is not None and not (view.short and view.widths[0] > 1):
            if not named and not view.is_sure:
                break
            return view.layout(view.head)
        if view.short:
            return view.layout(short=True)
    if not named:
        _refuse_lines(path, views)
    return None


def _hint(text: str, view: _View, cut: bool) -> str:
    """Say what would make as many cells of each row as of the names, if it does."""
    for sep in _OTHERS:
        other = _View.of(text, sep, cut)
        if other.share == 1.0 and len(other.rows) == len(view.rows):
            cells = len(other.rows[0].cells)
            return (
                f"{sep!r} would make {cells} cells of each line (--separator {sep!r})"
            )
    many = {len(row.cells[0].split()) for row in view.rows}
    if len(many) > 1 or many <= {1}:
        return ""
    return (
        f"blanks align {many.pop()} cells in each line: put one separator between "
        "them, as a comma"
    )


def _refuse_lines(path: Path, views: Sequence[_View]) -> None:
    """Raise TableError where rows would be taken for cells of one column."""
    for view in views:
        first, *widths = view.widths or [0]
        if first != 1 or len(widths) < 2:
            continue
        ((usual, many),) = Counter(widths).most_common(1)
        if usual > 1 and many >= _MOST * len(widths):
            raise TableError(
                f"{path}: line {view.rows[0].line + 1} has 1 cell, and the others "
                f"{usual} if they are separated by {NAMES[view.sep]}; remove what "
                "stands above the names, or name what separates cells (--separator)"
            )


def _are_names(cells: Sequence[str]) -> bool:
    """Check whether cells may be the names of columns; the first one may be empty."""
    names = [*filter(None, cells)]
    if not all(cells[1:]) or len({*names}) < len(names):
        return False
    return not any(name != name.strip() or _NUMBER.fullmatch(name) for name in names)


# The separator and the encoding of a text file, recognised from its content.

TABBED = (".tsv", ".txt")  # separated by tabs, unless it is known better
SAMPLE = 1 << 16  # bytes that separators are counted in
_MARKS = {  # the longer ones first: that of UTF-32 begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}
_WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")


class Form(NamedTuple):
    """How a text file is written."""

    sep: str  # what separates the cells of a line
    encoding: str  # a name that Python knows


class Text(NamedTuple):
    """What a text file holds."""

    content: bytes  # in UTF-8
    form: Form  # form, layout: how it is written, and where its header is
    layout: Layout


def is_text(path: Path) -> bool:
    """Check whether the name of a file is that of a text file."""
    return str(path).endswith((".csv", ".csv.gz", *TABBED))


def usual_separator(path: Path) -> str:
    """Return what separates cells in a file of this name, where nothing is known."""
    return "\t" if path.suffix in TABBED else ","


def bytes_of(path: Path) -> bytes:
    """Return what is in a file, or in the file that is packed in it.

    Raises TableError where it cannot be read.
    """
    expect_file(path)
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.suffix == ".gz" else content
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise TableError(f"{path}: cannot be read ({why})") from None


def read_text(path: Path, sep: str | None = None, encoding: str | None = None) -> Text:
    """Return the content of a text file in UTF-8, and how it is written.

    Its bytes may be packed by gzip. ``sep`` is one ASCII character, and ``encoding`` a
    name that Python knows; what is None is recognised. Raises TableError where the file
    cannot be read, is not written in the encoding that was named, or its lines say
    different things on what separates cells.

    Notes
    -----
    Without a name the encoding is UTF-8, UTF-16 or UTF-32 if a mark at the beginning
    or NUL bytes between the letters say so, else UTF-8 if all bytes are, else
    Windows-1252, or Latin-1 if not even that fits.
    With UTF-8 that was named and does not fit, the content is returned as it is; who
    parses it names the line.
    """
    if sep is not None:
        check_separator(path, sep)
    if encoding is not None:
        check_encoding(path, encoding)
    content = bytes_of(path)
    encoding = encoding or encoding_of(content)
    if codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig"):
        try:
            content = content.decode(encoding).encode()
        except UnicodeError:
            raise TableError(
                f"{path}: not {encoding} text; name its encoding"
            ) from None
    text = content[:SAMPLE].decode("utf-8-sig", errors="ignore")
    cut = len(content) > SAMPLE
    layout = recognise(path, text, sep, usual_separator(path), cut)
    return Text(content, Form(layout.sep, encoding), layout)


def check_separator(path: Path, sep: str) -> None:
    """Raise TableError where no cells could be separated so."""
    if len(sep) != 1 or not sep.isascii() or sep in '"\r\n\0':
        raise TableError(
            f"{path}: expected a separator of one ASCII character, got {sep!r}"
        )


def check_encoding(path: Path, encoding: str) -> None:
    """Raise TableError where Python knows no encoding of text by this name."""
    try:
        b"".decode(encoding)
        "".encode(encoding)
    except (LookupError, UnicodeError, ValueError):
        raise TableError(
            f"{path}: expected an encoding such as utf-8 or windows-1252, got "
            f"{encoding!r}"
        ) from None


def encoding_of(content: bytes) -> str:
    """Return the encoding that a text is most likely in."""
    if known := marked_or_wide(content):
        return known
    for encoding in ("utf-8", "windows-1252"):
        try:
            content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def marked_or_wide(content: bytes) -> str | None:
    """Return the encoding that the beginning of a text shows, or None.

    By its mark; without one, by NUL bytes that UTF-16 or UTF-32 has in each ASCII
    character: read so there is none, but line breaks, of which they have one each.
    """
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return encoding
    wide = content.count(0) >= max(1, content.count(b"\n"))
    for encoding in _WIDE if wide else ():
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(content)
        except UnicodeDecodeError:
            continue
        if "\0" not in text and ("\n" in text or "\r" in text):
            return encoding
    return None
