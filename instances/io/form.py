"""The separator and the encoding of a text file, recognised from its content."""

import codecs
import gzip
import zlib
from pathlib import Path
from typing import NamedTuple

from starmin.instances.errors import TableError
from starmin.instances.io.atomic import expect_file
from starmin.instances.io.layout import Layout, recognise

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
