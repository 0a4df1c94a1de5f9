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
from starmin.instances.io.layout import Form
from starmin.instances.tables.table import Table

_SHOWN = 70  # characters of a name
Check = Callable[[str], str | None]


class Asked(NamedTuple):
    """How a file is to be read or written, as far as that was named."""

    sep: str | None = None  # sep, encoding: of a text file
    encoding: str | None = None
    sheet: str | None = None  # of a spreadsheet, by its name, or its number from 1


@dataclass(frozen=True)
class Raw:
    """What was read of a file."""

    columns: Any  # a table of Arrow
    # whether its columns are coded already, each with a dictionary of distinct texts
    # that all occur
    coded: bool = False
    # what stands beside the cells; types that it does not state are those of
    # ``columns``
    beside: Beside = field(default_factory=Beside)
    form: Form | None = None  # how a text file is written
    told: tuple[str, ...] = ()  # lines that say what was guessed


class Format(ABC):
    """A kind of file, by the ending of its name."""

    endings: ClassVar[tuple[str, ...]]  # of the names of such files
    written: ClassVar[bool] = True  # whether they can be written, too
    begins: ClassVar[bool] = False  # whether the first rows are read without the others
    # whether they say what stands beside the cells of a table
    tells: ClassVar[bool] = True
    writers: ClassVar[tuple[str, ...]] = ()  # libraries of an extra that write them
    # most_rows, most_columns: how many they have room for; None: any number
    most_rows: ClassVar[int | None] = None
    most_columns: ClassVar[int | None] = None
    # what to do where they have no room
    mend: ClassVar[str] = "name a file .csv or .parquet"

    @abstractmethod
    def read(self, path: Path, asked: Asked) -> Raw:
        """Read a file that is there.

        Raises TableError where it is not what its name says, or a library is not
        installed.
        """

    def first(self, path: Path, asked: Asked, rows: int) -> Raw:
        """Read the first rows, or more.

        Raises TableError as ``read`` does.
        """
        return self.read(path, asked)

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

        Only the cells of ``columns`` are looked at; ``path`` is for messages, and
        ``asked`` counts for a text file.
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

        ``table`` is what is published, ``beside`` what may stand beside it: nothing of
        either is hidden. ``path`` is a name for messages, and ``asked`` counts for a
        text file. Raises TableError where it cannot be written so, or a library is not
        installed.
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
