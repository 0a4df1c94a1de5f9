"""The distribution P(q, s) as linkage plan and simulate take it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from starmin.inputs import options
from starmin.inputs.by_column import Listed
from starmin.inputs.loading import load_table
from starmin.inputs.roles import Roles
from starmin.instances import TableError
from starmin.instances.tables.names import split_names
from starmin.models.linkage import JointDistribution, interval_error

_P = "Distribution"

SourceArg = Annotated[
    str | None,
    typer.Argument(
        metavar="TABLE",
        help="A table whose distribution is taken for P.",
        show_default=False,
    ),
]
Numeric = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,..",
        help="Quasi-identifiers that are ordered as numbers; others as text.",
        rich_help_panel=_P,
    ),
    Listed(),
]
Uniform = Annotated[
    str | None,
    typer.Option(
        metavar="Q,A",
        help="Q quasi-identifiers and A sensitive values, all pairs alike.",
        rich_help_panel=_P,
    ),
]
Geometric = Annotated[
    str | None,
    typer.Option(
        metavar="Q,A,RATIO",
        help="The same, sensitive value j with probability ~ RATIO^j.",
        rich_help_panel=_P,
    ),
]
Tv = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        help="How far P may be from the truth, in total variation.",
        rich_help_panel=_P,
    ),
]
Estimated = Annotated[
    float | None,
    typer.Option(
        metavar="CONFIDENCE",
        help="TABLE is an i.i.d. sample: deduct the error it has with this confidence.",
        rich_help_panel=_P,
    ),
]


@dataclass(frozen=True)
class FileOptions:
    """What the columns of files are for, and how these are read."""

    qi: options.Qi = None
    sensitive: options.Sensitive = None
    drop: options.Drop = None
    sep: options.Sep = None
    encoding: options.Encoding = None

    @property
    def roles(self) -> Roles:
        """What the options say of the columns."""
        columns = self.qi, self.sensitive, self.drop
        return Roles.parse(*columns, self.sep, self.encoding)


@dataclass(frozen=True)
class SourceOptions(FileOptions):
    """The distribution: that of a table, or one of two that are made."""

    numeric: Numeric = None
    uniform: Uniform = None
    geometric: Geometric = None


@contextmanager
def usage() -> Iterator[None]:
    """Turn a refused parameter into a refusal of the command."""
    try:
        yield
    except TableError:
        raise
    except ValueError as error:
        raise TableError(str(error)) from None


@dataclass(frozen=True)
class Source:
    """Where P comes from, as named on the command line, and how far it may be off."""

    joint: JointDistribution
    tv: float
    cell_error: float

    @classmethod
    def load(
        cls,
        table: str | None,
        asked: SourceOptions,
        tv: float = 0.0,
        estimated: float | None = None,
    ) -> "Source":
        """Read or make P.

        Parameters
        ----------
        table
            A file, or ``instance:NAME``; None where P is made.
        asked
            Its columns; or the sizes of the alphabets of a product, where P is made.
        tv
            How far P may be off, in total variation.
        estimated
            The confidence, where the table is a sample of P.
        """
        uniform, geometric = asked.uniform, asked.geometric
        if [table, uniform, geometric].count(None) != 2:
            raise TableError("name one of TABLE, --uniform and --geometric")
        if estimated is not None and table is None:
            raise TableError("--estimated needs TABLE, the sample")
        with usage():
            if table is not None:
                read = load_table(table, asked.roles)
                columns = split_names(asked.numeric or "", "--numeric")
                joint, error = JointDistribution.from_table(read, columns), 0.0
                if estimated is not None:
                    values = len(joint.sensitive_values)
                    error = interval_error(values, read.n, estimated)
                return cls(joint, tv, error)
            return cls(_product(uniform, geometric), tv, 0.0)

    def as_json(self) -> dict[str, Any]:
        """Return the sizes of the alphabets, and the errors."""
        return {
            "quasi_identifiers": self.joint.size,
            "sensitive_values": len(self.joint.sensitive_values),
            "tv": self.tv,
            "cell_error": self.cell_error,
        }


def _product(uniform: str | None, geometric: str | None) -> JointDistribution:
    given = uniform if uniform is not None else geometric
    option = "--uniform Q,A" if uniform is not None else "--geometric Q,A,RATIO"
    parts = (given or "").split(",")
    try:
        size, values = int(parts[0]), int(parts[1])
        ratio = [float(part) for part in parts[2:]]
    except (ValueError, IndexError):
        raise TableError(f"expected {option}, got {given!r}") from None
    if len(ratio) != (geometric is not None) or size < 1 or values < 1:
        raise TableError(f"expected {option}, got {given!r}")
    if ratio:
        return JointDistribution.geometric(size, values, ratio[0])
    return JointDistribution.uniform(size, values)
