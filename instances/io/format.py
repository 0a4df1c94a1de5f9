"""What a kind of file must be able to do."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, Any, ClassVar, NamedTuple

from starmin.instances.errors import TableError
from starmin.instances.io.beside import Beside
from starmin.instances.io.form import Form
from starmin.instances.tables.table import Table

_SHOWN = 70  # characters of a name
Check = Callable[[str], str | None]


class Asked(NamedTuple):
    """How a file is to be read or written, as far as that was named.

    Attributes
    ----------
    sep, encoding
        Of a text file.
    sheet
        Of a spreadsheet, by its name, or its number from 1.
    """

    sep: str | None = None
    encoding: str | None = None
    sheet: str | None = None


@dataclass(frozen=True)
class Raw:
    """What was read of a file.

    Attributes
    ----------
    columns
        A table of Arrow.
    coded
        Whether its columns are coded already, each with a dictionary of distinct texts
        that all occur.
    beside
        What stands beside the cells; types that it does not state are those of
        ``columns``.
    form
        How a text file is written.
    told
        Lines that say what was guessed.
    """

    columns: Any
    coded: bool = False
    beside: Beside = field(default_factory=Beside)
    form: Form | None = None
    told: tuple[str, ...] = ()


class Format(ABC):
    """A kind of file, by the ending of its name.

    Attributes
    ----------
    endings
        Of the names of such files.
    written
        Whether they can be written, too.
    writers
        Libraries of an extra that write them.
    begins
        Whether the first rows are read without the others.
    tells
        Whether they say what stands beside the cells of a table.
    most_rows, most_columns
        How many they have room for; None: any number.
    mend
        What to do where they have no room.
    """

    endings: ClassVar[tuple[str, ...]]
    written: ClassVar[bool] = True
    begins: ClassVar[bool] = False
    tells: ClassVar[bool] = True
    writers: ClassVar[tuple[str, ...]] = ()
    most_rows: ClassVar[int | None] = None
    most_columns: ClassVar[int | None] = None
    mend: ClassVar[str] = "name a file .csv or .parquet"

    @abstractmethod
    def read(self, path: Path, asked: Asked) -> Raw:
        """Read a file that is there.

        Raises
        ------
        TableError
            It is not what its name says, or a library is not installed.
        """

    def first(self, path: Path, asked: Asked, rows: int) -> Raw:
        """Read the first rows, or more.

        Raises
        ------
        TableError
            As ``read``.
        """
        return self.read(path, asked)

    def beside(self, path: Path) -> Beside:
        """Read what stands beside the cells, as far as that needs no cells."""
        return Beside()

    def why_no_name(self, name: str) -> str | None:
        """Say why a column cannot be called so; None: it can."""
        return None

    def text_check(self, asked: Asked) -> Check | None:
        """Return what says why a name or cell cannot be a text; None: it can be any."""
        return None

    def left_out(self, table: Table, beside: Beside) -> Iterator[str]:
        """Yield what a file cannot say of what stands beside the cells."""
        return iter(())

    def expect(
        self, table: Table, path: Path, asked: Asked, columns: Sequence[str]
    ) -> None:
        """Raise TableError where a file cannot hold a table.

        Parameters
        ----------
        table
            What is to be written.
        path
            The name of the file, for messages.
        asked
            Of a text file.
        columns
            Those whose cells are looked at.
        """
        sizes = (
            ("rows", table.n, self.most_rows),
            ("columns", len(table.names), self.most_columns),
        )
        for what, many, most in sizes:
            if most is not None and many > most:
                raise TableError(
                    f"{path}: {many:,} {what}, and a file {path.suffix} holds "
                    f"{most:,}; {self.mend}"
                )
        seen: dict[str, str] = {}
        check = self.text_check(asked)
        for name in table.names:
            why = self.why_no_name(name) or (check(name) if check else None)
            if (other := seen.setdefault(self.folded(name), name)) != name:
                why = f"and {other!r} are one name"
            if why is not None:
                shown = f"{path}: column {name[:_SHOWN]!r}"
                raise TableError(f"{shown}: {why}; rename it, or {self.mend}")
        if check is None:
            return
        for column in columns:
            for code, text in enumerate(table.dictionary(column)):
                if text and (why := check(text)) is not None:
                    row = int((table.column(column) == code).argmax()) + 1
                    shown = f"{path}: row {row}, column {column[:_SHOWN]!r}"
                    raise TableError(f"{shown}: {why}; {self.mend}")

    def folded(self, name: str) -> str:
        """Return what is equal for names that are one name in such a file."""
        return name

    def write(
        self, table: Table, beside: Beside, file: IO[bytes], path: Path, asked: Asked
    ) -> None:
        """Write a table.

        Parameters
        ----------
        table, beside
            What is published, and what may stand beside it: nothing of either is
            hidden.
        file
            Where to.
        path
            Its name, for messages.
        asked
            Of a text file.

        Raises
        ------
        TableError
            It cannot be written so, or a library is not installed.
        """
        raise TableError(f"{path}: files of this kind are read alone")


def library(name: str, path: Path) -> Any:
    """Return a library of the extra, or say what is to be installed."""
    try:
        return import_module(name)
    except ImportError:
        raise TableError(
            f"{path}: files {path.suffix} need further libraries; install them: "
            "pip install 'starmin[formats]'"
        ) from None


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn what a library raises into one line that names the file."""
    try:
        yield
    except TableError:
        raise
    except Exception as error:
        # The libraries raise errors of many kinds, some of them of compiled code.
        why = " ".join(str(error).split()) or type(error).__name__
        raise TableError(f"{path}: cannot be read or written ({why})") from None
