"""A table that the command line names, and what is asked of its release, checked."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from starmin.inputs.loading import load_file
from starmin.inputs.recoding_options import Coding, read_loss
from starmin.inputs.roles import Roles
from starmin.inputs.streamed_input import count_table
from starmin.instances import (
    Beside,
    MissingValues,
    Objective,
    Requirement,
    Table,
    TableError,
)
from starmin.instances.io.form import Form
from starmin.instances.requirements.asked import Asked
from starmin.instances.streams.count import Budget
from starmin.instances.streams.source import Source
from starmin.instances.tables.sets import same_parts
from starmin.process.say import say_later


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
    beside: Beside = field(default_factory=Beside)

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
        beside = Beside()
        if files is None:
            read = load_file(source, roles, asked.columns)
            table, beside = read.table, read.beside
            for line in (*read.told, *_hints_of_sets(table)):
                say_later(line)
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
        return cls(source, table, requirement, objective, coding, form, files, beside)

    @property
    def published_as_counted(self) -> bool:
        """Whether the objective charges groups for what is published of them."""
        recoding, kind = self.coding.recoding, self.objective.kind
        if recoding == "permutation":
            return False
        ranged = self.coding.numeric or self.coding.qi_trees(self.table)
        return recoding != "generalization" or kind == "gcp" or not ranged

    @property
    def missing_sensitive(self) -> str | None:
        """What a missing sensitive value counts as; None without such a column."""
        if not self.table.sensitive:
            return None
        parts = self.requirement.parts
        read = [p.reading.meaning for p in parts if isinstance(p, MissingValues)]
        return read[0] if read else "value"

    @property
    def without_value(self) -> dict[str, int]:
        """How many rows lack a value, by sensitive column that has such rows."""
        table, unknown = self.table, {None, *self.coding.missing}
        lost = {}
        for column in table.sensitive:
            codes = table.column(column)
            missing = np.array([t in unknown for t in table.dictionary(column)])[codes]
            counts = missing if table.counts is None else missing * table.counts
            lost[column] = int(counts.sum())
        return {column: many for column, many in lost.items() if many}

    @property
    def cells(self) -> int:
        """How many cells are written, at most."""
        names = self.table.names if self.files is None else self.files.names
        return self.table.n * len(names)

    def shown(self, value: int | None) -> int | float | None:
        """Return a value or bound as people read it: a GCP is a share of 1."""
        return self.objective.shown(self.table, value)


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
