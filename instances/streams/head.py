"""The beginning of a text file that is read in batches."""

import codecs
import csv
import io
from pathlib import Path
from typing import NamedTuple

from starmin.instances.errors import TableError
from starmin.instances.io.form import SAMPLE, check_separator, usual_separator
from starmin.instances.io.layout import recognise
from starmin.instances.io.names import named
from starmin.instances.io.parse_csv import titles_line


class Head(NamedTuple):
    """The names of the columns, and where the rows begin.

    Attributes
    ----------
    names
        Of the columns.
    sep
        What separates cells.
    skip
        Lines above the names.
    told
        Lines that say what was guessed.
    """

    names: tuple[str, ...]
    sep: str
    skip: int
    told: tuple[str, ...]

    @classmethod
    def of(cls, file: Path, sep: str | None, encoding: str) -> "Head":
        """Read the beginning of a file.

        Parameters
        ----------
        file
            Its path.
        sep
            What separates cells; None: it is recognised.
        encoding
            Of the file.

        Raises
        ------
        TableError
            It is empty, or its names are none.
        """
        if sep is not None:
            check_separator(file, sep)
        with file.open("rb") as opened:
            content = opened.read(SAMPLE)
        # What is cut in the midst of a character is left out.
        text = codecs.getincrementaldecoder(encoding)().decode(content)
        text = text.removeprefix("\ufeff")
        cut = len(content) == SAMPLE
        layout = recognise(file, text, sep, usual_separator(file), cut)
        lines = io.StringIO(text, newline="")
        for _ in range(layout.skip):
            lines.readline()
        names = next(csv.reader(lines, delimiter=layout.sep), [])
        if not names:
            raise TableError(f"{file}: an empty file; expected a header and rows")
        names, told = named(file, ["", *names] if layout.short else names)
        return cls(
            tuple(names), layout.sep, layout.skip, titles_line(file, layout) + told
        )
