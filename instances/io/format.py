"""What a kind of file must be able to do."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, Any, ClassVar, NamedTuple

from starmin.instances.errors import TableError
from starmin.instances.io.beside import Beside
from starmin.instances.io.form import Form
from starmin.instances.tables.table import Table


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
    """

    endings: ClassVar[tuple[str, ...]]
    written: ClassVar[bool] = True
    begins: ClassVar[bool] = False
    tells: ClassVar[bool] = True
    writers: ClassVar[tuple[str, ...]] = ()

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
