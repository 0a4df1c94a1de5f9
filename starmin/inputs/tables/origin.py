"""From what the command line names to a problem, and where its table came from."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from starmin.inputs.recoding_options import read_loss
from starmin.inputs.roles import Roles
from starmin.inputs.tables.loading import load_file
from starmin.inputs.tables.streamed_input import as_told, count_table
from starmin.instances import Beside, Coding, Objective, Problem, Table, TableError
from starmin.instances.io.layout import Form
from starmin.instances.requirements.requirements import Asked
from starmin.instances.streams.count import Budget
from starmin.instances.streams.source import Source
from starmin.instances.tables.table import same_parts
from starmin.process.say import say_later


@dataclass(frozen=True)
class Origin:
    """Where a table came from, which only writing and reports need."""

    source: str  # as the user named it
    # what was recognised of its file; None: nothing, or not a text
    form: Form | None = None
    files: Source | None = None  # of a table that is read in batches
    # what stands beside its cells in its file
    beside: Beside = field(default_factory=Beside)

    def cells(self, table: Table) -> int:
        """Return how many cells of the table are written, at most."""
        names = table.names if self.files is None else self.files.names
        return table.n * len(names)


def open_problem(
    source: str,
    roles: Roles,
    asked: Asked,
    objective: Objective,
    coding: Coding,
    loss: str | None = None,
    files: Source | None = None,
    budget: Budget | None = None,
) -> tuple[Problem, Origin]:
    """Read the table and check everything against it.

    ``source`` is a path, or ``instance:NAME``; ``asked`` is the requirement, as the
    options state it. ``loss`` says how losses are measured, as ``--loss`` does;
    default: NCP. ``files`` and ``budget``, what may be held in memory, are given where
    the table is read in batches and counted. Raises TableError for bad input, or where
    nothing is asked.
    """
    beside, named = Beside(), asked.ids
    if named is not None:
        roles = roles.keeping(named[1])
        if files is not None:
            raise TableError(f"--{named[0]}: rows are not read in batches")
    if files is None:
        read = load_file(source, roles, asked.columns)
        table, beside = read.table, read.beside
        for line in (*read.told, *_hints_of_sets(table)):
            say_later(line)
    else:
        counted = count_table(files, roles, asked.columns, budget)
        files, table = as_told(files, counted, roles, coding)
    if named is not None:
        beside = beside.without(named[1])
    for column in coding.trees:
        if column not in table.qi + table.sensitive:
            raise TableError(
                f"--hierarchy {column}: {table.name} has no such quasi-identifier or "
                "sensitive column"
            )
    before = None
    if files is None:
        before, table = table, coding.floored(table)
    _expect_named_codes(table, beside, coding)
    requirement = asked.on(table)
    if requirement is None:
        raise TableError("nothing is required; name --k, --l or another one")
    coding.expect_levels(objective.kind)
    if objective.by_node:
        scales = coding.scales(table, read_loss(loss) or "ncp")
        objective = replace(objective, scales=scales)
    elif loss is not None:
        raise TableError(f"--loss {loss}: is for --objective gcp")
    problem = Problem(table, requirement, objective, coding, before)
    return problem, Origin(source, roles.form, files, beside)


def _expect_named_codes(table: Table, beside: Beside, coding: Coding) -> None:
    """Raise TableError where missing codes of a file would be numbers among others."""
    codes = beside.codes(table)
    left = {
        column: [code for code in codes[column] if code not in coding.missing]
        for column in codes
        if column in coding.numeric
    }
    named = list(dict.fromkeys(code for found in left.values() for code in found))
    if not named:
        return
    column = next(column for column, found in left.items() if found)
    other = next((c for c in coding.numeric if _has(table, c, named, codes)), None)
    mend = f"--missing {','.join(named)} names them"
    if other is not None:
        mend += f", but column {other!r} has one of them as a value: recode it first"
    raise TableError(
        f"{table.name}: column {column!r} has {left[column][0]}, which the file "
        f"declares to be missing, and would have it in its ranges; {mend}"
    )


def _has(
    table: Table, column: str, named: list[str], codes: dict[str, list[str]]
) -> bool:
    """Return whether a column has one of some codes as a value."""
    here = {*table.used().dictionary(column)} - {*codes.get(column, ())}
    return not here.isdisjoint(named)


def _hints_of_sets(table: Table) -> Iterator[str]:
    """Say which columns look as if their cells were sets."""
    for column in (*table.qi, *table.sensitive):
        if (found := same_parts(table.dictionary(column))) is not None:
            one, other, sep = found
            yield (
                f"column {column!r} has the same parts in another order, as {one!r} "
                f"and {other!r}, which differ; --sets '{column}={sep}' reads cells as "
                "sets"
            )
