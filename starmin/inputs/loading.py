"""From what the command line names to tables, checked."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from instances import (
    Labels,
    NonHomogeneous,
    Objective,
    Partition,
    Requirement,
    Table,
    TableError,
    expect_k,
    group_by,
    read_labels,
    read_table,
    write_table,
)
from instances.io.form import Form, is_text, read_text, usual_separator
from instances.io.labels import LABELLED
from instances.streams.count import Budget
from instances.streams.source import Source
from starmin.inputs.catalogue import load_instance
from starmin.inputs.identifiers import identifiers, unchanged
from starmin.inputs.names import split
from starmin.inputs.recoding_options import NONHOMOGENEOUS, Coding, read_loss
from starmin.inputs.requirements import Asked
from starmin.inputs.streams import count_table
from starmin.process.say import say
from verify.cells.consistency import find_inconsistencies
from verify.nonhomogeneous.check import graph_of
from verify.nonhomogeneous.matcher import Matcher
from verify.releases.release import check_release

INSTANCE = "instance:"
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class Roles:
    """What the options say of the columns.

    Attributes
    ----------
    qi, sensitive
        Names; None: the default of the command line.
    drop
        Columns that are not published.
    sep, encoding
        Of a text file; None: recognised.
    form
        What was recognised of the table, once it was; None: nothing, or not a text.
    labels
        Of the columns and values of the table, where its file has some.
    """

    qi: tuple[str, ...] | None = None
    sensitive: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    sep: str | None = None
    encoding: str | None = None
    form: Form | None = None
    labels: Labels | None = None

    @classmethod
    def parse(
        cls,
        qi: str | None,
        sensitive: str | None,
        drop: str | None,
        sep: str | None = None,
        encoding: str | None = None,
    ) -> "Roles":
        """Read the texts of the options; an empty one names no column.

        Parameters
        ----------
        qi, sensitive, drop
            Names of columns, separated by commas; None where not given.
        sep, encoding
            Of a text file; None: recognised.
        """
        return cls(
            None if qi is None else split(qi, "--qi"),
            None if sensitive is None else split(sensitive, "--sensitive"),
            split(drop or "", "--drop"),
            separator(sep),
            encoding,
        )

    def of_file(self, source: str) -> "Roles":
        """Return the roles with the form of a file, which its release takes as well.

        A separator that is usual in files of its name is not kept: a release of
        another name has what is usual there. Labels of columns and values are kept.
        """
        path = Path(source)
        if path.suffix in LABELLED and path.is_file():
            return replace(self, labels=read_labels(path))
        if source.startswith(INSTANCE) or not (is_text(path) and path.is_file()):
            return self
        form, _ = read_text(path, self.sep, self.encoding)
        usual = self.sep is None and form.sep == usual_separator(path)
        sep = None if usual else form.sep
        return replace(self, sep=sep, encoding=form.encoding, form=form)

    def write(self, table: Table, path: Path) -> None:
        """Write a table in the form of the file that it was made of."""
        write_table(table, path, self.sep, self.encoding or "utf-8", self.labels)


@dataclass(frozen=True)
class Problem:
    """A table as the user named it, and what is asked of its release."""

    source: str
    table: Table
    requirement: Requirement
    objective: Objective
    coding: Coding = field(default_factory=Coding)
    form: Form | None = None
    files: Source | None = None  # of a table that is read in batches

    @classmethod
    def load(
        cls,
        source: str,
        roles: Roles,
        asked: Asked,
        objective: Objective,
        coding: Coding | None = None,
        loss: str | None = None,
        files: Source | None = None,
        budget: Budget | None = None,
    ) -> "Problem":
        """Read the table and check everything against it.

        Parameters
        ----------
        source
            A path, or ``instance:NAME``.
        roles
            What the columns are for.
        asked
            The requirement, as the options state it.
        objective
            What is minimised.
        coding
            How the release is coded; default: by stars.
        loss
            How losses are measured, as ``--loss`` says; default: NCP.
        files, budget
            Where the table is read in batches and counted: its files, and what may be
            held in memory.

        Raises
        ------
        TableError
            Bad input, or nothing is asked.
        """
        if files is None:
            table = load_table(source, roles, asked.columns)
        else:
            table = count_table(files, roles, asked.columns, budget)
        requirement = asked.on(table)
        if requirement is None:
            raise TableError("nothing is required; name --k, --l or another one")
        coding = coding or Coding()
        for column in coding.trees:
            if column not in table.qi + table.sensitive:
                raise TableError(
                    f"--hierarchy {column}: {table.name} has no such QI or sensitive "
                    "column"
                )
        if objective.kind == "gcp":
            scales = coding.scales(table, read_loss(loss) or "ncp")
            objective = replace(objective, scales=scales)
        elif loss is not None:
            raise TableError(f"--loss {loss}: is for --objective gcp")
        objective.check(table)
        form = roles.form
        return cls(source, table, requirement, objective, coding, form, files)

    @property
    def published_as_counted(self) -> bool:
        """Whether the objective charges groups for what is published of them."""
        recoding, kind = self.coding.recoding, self.objective.kind
        if recoding == "permutation":
            return False
        ranged = self.coding.numeric or self.coding.qi_trees(self.table)
        return recoding != "generalization" or kind == "gcp" or not ranged

    @property
    def cells(self) -> int:
        """How many cells are written, at most."""
        names = self.table.names if self.files is None else self.files.names
        return self.table.n * len(names)

    def shown(self, value: int | None) -> int | float | None:
        """Return a value or bound as people read it: a GCP is a share of 1."""
        return self.objective.shown(self.table, value)


def load_table(source: str, roles: Roles, other: Sequence[str] = ()) -> Table:
    """Return the table that a user names: a path, or ``instance:NAME``.

    Columns of ``other`` are quasi-identifiers only if the roles name them.
    """
    qi, sensitive = roles.qi, roles.sensitive or ()
    if not source.startswith(INSTANCE):
        sep, encoding = roles.form or (roles.sep, roles.encoding)
        table = read_table(source, qi, sensitive, roles.drop, sep, encoding)
    else:
        table = load_instance(source.removeprefix(INSTANCE)).drop(roles.drop)
        if roles.sensitive is None:
            sensitive = tuple(c for c in table.sensitive if c not in (qi or ()))
        default = tuple(c for c in table.qi if c not in sensitive)
        table = table.with_roles(default if qi is None else qi, sensitive)
    if qi is None and set(other) & set(table.qi):
        return table.with_roles([c for c in table.qi if c not in other], sensitive)
    return table


def load_release(
    path: str, original: str | None, roles: Roles, other: Sequence[str]
) -> tuple[Table, Table | None]:
    """Return a release and, if named, its original, under the same roles.

    The roles of an instance are those of its release, unless they are named. What
    ``--drop`` names is left out of the original, and of the release if it is there.

    Parameters
    ----------
    path, original
        Of the release, and of its original or None.
    roles
        What the columns are for.
    other
        Columns that are neither QI nor sensitive, but are asked for.
    """
    source = None
    if original is not None:
        source = load_table(original, Roles(sep=roles.sep, encoding=roles.encoding))
        if original.startswith(INSTANCE):
            default = Roles(source.qi, source.sensitive)
            roles = replace(
                roles,
                qi=default.qi if roles.qi is None else roles.qi,
                sensitive=roles.sensitive or default.sensitive,
            )
    released = load_table(path, replace(roles, drop=()), other)
    for column in roles.drop:
        if column not in released.names + (source.names if source else ()):
            raise TableError(f"{path}: no column {column!r} to drop")
    released = released.drop([c for c in roles.drop if c in released.names])
    if source is None:
        return released, None
    source = source.drop([c for c in roles.drop if c in source.names])
    if set(released.qi + released.sensitive) <= set(source.names):
        source = source.with_roles(released.qi, released.sensitive)
    return released, source


def coded_columns(
    source: str, roles: Roles, other: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the columns of a table that may have a hierarchy."""
    table = load_table(source, roles, other)
    return table.qi + table.sensitive


def read_initial(
    path: Path, problem: Problem, roles: Roles
) -> Partition | NonHomogeneous:
    """Return the classes of a release as a partition of the table it was made of.

    It is read as one by generalization if that is what is to be published, else as one
    by suppression; or, if it is to be non-homogeneous, with its matchings.

    Raises
    ------
    TableError
        It is not a release of this table, or it violates what is asked.
    """
    table, coding = problem.table, problem.coding
    released = read_table(
        path, table.qi, table.sensitive, sep=roles.sep, encoding=roles.encoding
    )
    if coding.recoding == NONHOMOGENEOUS:
        return _read_matched(path, problem, released)
    cells = None
    if coding.recoding == "generalization":
        cells = coding.cells(released, table)
    check = check_release(released, problem.requirement, table, coding.star, cells)
    if check.inconsistencies:
        difference = check.inconsistencies[0]
        rows = ", ".join(map(str, difference.rows))
        where = f" (rows {rows})" if rows else ""
        raise TableError(f"--initial: {path}: {difference.why}{where}")
    if not check.holds:
        violation = check.violations[0]
        raise TableError(f"--initial: {path}: class {violation.group}: {violation.why}")
    columns = [released.column(c) for c in released.qi]
    start = Partition(group_by(columns, released.qi_cardinalities).inverse)
    if start.starred(table)[:, problem.objective.kept(table)].any():
        raise TableError(f"--initial: {path}: it stars a column of --keep")
    return start


def _read_matched(path: Path, problem: Problem, released: Table) -> NonHomogeneous:
    """Return a release with matchings that show that it satisfies what is asked."""
    table, star = problem.table, problem.coding.star
    k = expect_k(problem.requirement)
    cells = None
    if problem.coding.told:
        cells = problem.coding.cells(released, table)
    if differences := find_inconsistencies(released, table, star, cells):
        raise TableError(f"--initial: {path}: {differences[0].why}")
    matcher = Matcher(graph_of(released, table, star, cells))
    if (matchings := matcher.matchings(k)) is None:
        raise TableError(f"--initial: {path}: fewer than k = {k} matchings")
    start = NonHomogeneous.from_matchings(table, matchings)
    if why := start.violation(table, problem.requirement, problem.objective):
        raise TableError(f"--initial: {path}: {why}")
    return start


def separator(sep: str | None) -> str | None:
    """Return the character that ``--sep`` names."""
    return "\t" if sep == r"\t" else sep


def tell_form(source: str, named: Roles, form: Form | None, quiet: bool) -> None:
    """Say how a file was read where nobody named it and it is not the usual way.

    Parameters
    ----------
    source
        The file.
    named
        With the separator and the encoding that were named, if they were.
    form
        How it was read; None: not a text file.
    quiet
        Whether nothing is said.
    """
    if form is None or quiet:
        return
    other_sep = named.sep is None and form.sep != usual_separator(Path(source))
    if other_sep or (named.encoding is None and not form.encoding.startswith("utf-8")):
        cells = _NAMES.get(form.sep, repr(form.sep))
        say(
            f"{source}: read as {form.encoding}, separated by {cells}; --separator and "
            "--encoding overrule"
        )


def warn_unchanged(table: Table, purpose: Sequence[str]) -> None:
    """Say which columns, but those of ``purpose``, are published unchanged."""
    if columns := unchanged(table, purpose):
        say(
            f"warning: published unchanged: {', '.join(columns)}; they may identify "
            "people (--drop leaves them out, --qi protects them)"
        )


def warn_identifiers(table: Table, coding: Coding) -> None:
    """Say which quasi-identifiers are as good as identifiers."""
    for line in identifiers(table, {*coding.numeric, *coding.trees}):
        say(f"warning: {line}")
