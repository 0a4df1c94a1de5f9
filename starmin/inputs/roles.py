"""What the columns of a table are for, and in what form its file is."""

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from starmin.instances import Beside, Table, TableError, check_writable, write_table
from starmin.instances.io.layout import Form, is_text, read_text, usual_separator
from starmin.instances.io.write import expect_fits
from starmin.instances.tables.names import expect_columns, split_names
from starmin.process.say import say

# What a model predicts from what, as a formula: ``income ~ age + education``.


@dataclass(frozen=True)
class Formula:
    """What is learned from what."""

    target: str  # the column that is predicted
    features: tuple[str, ...]  # the columns it is predicted by

    @classmethod
    def parse(cls, text: str) -> "Formula":
        """Read a formula as ``income ~ age + education``.

        Raises TableError where it is none.

        >>> Formula.parse("income ~ age + education")
        Formula(target='income', features=('age', 'education'))
        """
        left, tilde, right = text.partition("~")
        features = tuple(each.strip() for each in right.split("+"))
        target = left.strip()
        if not tilde or not target or not all(features):
            raise TableError(f"--check: expected 'TARGET ~ COLUMN + ..', got {text!r}")
        if target in features or len(set(features)) < len(features):
            raise TableError(f"--check: a column is named twice in {text!r}")
        return cls(target, features)

    def expect(self, table: Table) -> None:
        """Raise TableError where the table, the original, lacks a column."""
        named = self.target, *self.features
        expect_columns(f"--check: {table.name}", named, table.names)


INSTANCE = "instance:"
_READING = ("sep", "encoding", "sheet", "sets")


@dataclass(frozen=True)
class Roles:
    """What the options say of the columns."""

    # qi, sensitive: names; None: the default of the command line
    qi: tuple[str, ...] | None = None
    sensitive: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()  # columns that are not published
    sep: str | None = None  # sep, encoding: of a text file; None: recognised
    encoding: str | None = None
    sheet: str | None = None  # of a spreadsheet; None: chosen
    # by column of sets: what separates the parts of a cell
    sets: Mapping[str, str] = field(default_factory=dict)
    # what was recognised of the table, once it was; None: nothing, or not a text
    form: Form | None = None
    # what stands beside the cells of the table in its file, once it was read
    beside: Beside | None = None
    # columns that are published as they are: weights, and those named so
    aside: tuple[str, ...] = ()

    @classmethod
    def parse(
        cls,
        qi: str | None,
        sensitive: str | None,
        drop: str | None,
        sep: str | None = None,
        encoding: str | None = None,
        sheet: str | None = None,
    ) -> "Roles":
        """Read the texts of the options; an empty one names no column.

        Names of columns are separated by commas; None where not given. ``sep`` and
        ``encoding`` are of a text file; None: recognised. ``sheet`` is of a
        spreadsheet; None: chosen.
        """
        return cls(
            None if qi is None else split_names(qi, "--qi"),
            None if sensitive is None else split_names(sensitive, "--sensitive"),
            split_names(drop or "", "--drop"),
            separator(sep),
            encoding,
            sheet,
        )

    @property
    def reading(self) -> "Roles":
        """How a file is read, and nothing of its columns."""
        return replace(Roles(), **{name: getattr(self, name) for name in _READING})

    def keeping(self, column: str | None) -> "Roles":
        """Return the roles where a column is read although it is dropped."""
        return replace(self, drop=tuple(c for c in self.drop if c != column))

    def of_file(self, source: str) -> "Roles":
        """Return the roles with the form of a file, which its release takes as well.

        A separator that is usual in files of its name is not kept: a release of
        another name has what is usual there.
        """
        path = Path(source)
        if source.startswith(INSTANCE) or not (is_text(path) and path.is_file()):
            return self
        form = read_text(path, self.sep, self.encoding).form
        usual = self.sep is None and form.sep == usual_separator(path)
        sep = None if usual else form.sep
        return replace(self, sep=sep, encoding=form.encoding, form=form)

    def write(self, table: Table, path: Path) -> None:
        """Write a table in the form of the file that it was made of."""
        encoding = self.encoding or "utf-8"
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            write_table(table, path, self.sep, encoding, beside=self.beside)
        for each in told:
            say(f"warning: {each.message}")

    def expect_fits(
        self, table: Table, path: Path, hidden: Collection[str] = ()
    ) -> None:
        """Raise TableError where a file cannot hold a table, whatever becomes of some.

        ``hidden`` are columns whose cells may be written as others.
        """
        as_they_are = [column for column in table.names if column not in hidden]
        encoding = self.encoding or "utf-8"
        expect_fits(table, path, self.sep, encoding, as_they_are)


def check_out(out: Path | None, table: str) -> None:
    """Raise TableError where ``--out`` cannot be written, or is the table itself."""
    if out is None:
        return
    if not table.startswith(INSTANCE) and out.resolve() == Path(table).resolve():
        raise TableError(f"--out: {out} is read by this command; name another file")
    check_writable(out)


def separator(sep: str | None) -> str | None:
    """Return the character that ``--sep`` names."""
    return "\t" if sep == r"\t" else sep
