"""The distribution P(q, s) as linkage plan and simulate take it."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from starmin.inputs import options
from starmin.inputs.declared import Listed, argument, option, usage
from starmin.inputs.loading import load_table
from starmin.inputs.roles import Roles
from starmin.instances import TableError
from starmin.instances.tables.names import split_names
from starmin.models.linkage.broadcast import interval_error
from starmin.models.linkage.contiguous_classes import JointDistribution

_of_p = partial(option, panel="Distribution")

SourceArg = Annotated[
    str | None, argument("TABLE", "A table whose distribution is taken for P.")
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

    numeric: Annotated[
        str | None,
        _of_p(
            "A,B,..", "Quasi-identifiers that are ordered as numbers; others as text."
        ),
        Listed(),
    ] = None
    uniform: Annotated[
        str | None,
        _of_p("Q,A", "Q quasi-identifiers and A sensitive values, all pairs alike."),
    ] = None
    geometric: Annotated[
        str | None,
        _of_p("Q,A,RATIO", "The same, sensitive value j with probability ~ RATIO^j."),
    ] = None


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
        """Read P of a table, or make it where ``table`` is None.

        ``tv`` is how far it may be off, in total variation; ``estimated`` is the
        confidence, where the table is a sample of P.
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
    form = "--uniform Q,A" if uniform is not None else "--geometric Q,A,RATIO"
    parts = (given or "").split(",")
    try:
        size, values = int(parts[0]), int(parts[1])
        ratio = [float(part) for part in parts[2:]]
    except (ValueError, IndexError):
        raise TableError(f"expected {form}, got {given!r}") from None
    if len(ratio) != (geometric is not None) or size < 1 or values < 1:
        raise TableError(f"expected {form}, got {given!r}")
    if ratio:
        return JointDistribution.geometric(size, values, ratio[0])
    return JointDistribution.uniform(size, values)
