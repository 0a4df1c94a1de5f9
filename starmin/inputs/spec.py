"""What is asked of a table, before it is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from functools import cached_property
from typing import Any

from starmin.inputs import loading
from starmin.inputs.declared import option_words
from starmin.inputs.loading import Origin
from starmin.inputs.option_groups import (
    ColumnOptions,
    CostOptions,
    GeneralizationOptions,
    RequirementOptions,
    ungrouped,
)
from starmin.inputs.options import Kind
from starmin.inputs.recoding_options import read_loss
from starmin.inputs.roles import Roles
from starmin.instances import (
    Beside,
    Coding,
    Objective,
    Problem,
    Requirement,
    Table,
    TableError,
)
from starmin.instances.arguments import nearest
from starmin.instances.releases.coding import SUPPRESSION, RecodingName
from starmin.instances.requirements.requirements import Asked
from starmin.instances.scales.node_losses import Loss
from starmin.instances.streams.count import Budget
from starmin.instances.streams.source import Source
from starmin.process.say import say_later


@dataclass(frozen=True)
class Spec:
    """A table by name, and what is asked of its release: text, numbers and names.

    The commands make one of their options, the harness one for each problem. It is
    frozen and equal by value; ``words`` are the options that say the same. The options
    are in groups that the commands share.

    >>> spec = Spec.of("t.csv", {"k": 5, "qi": "age,sex", "method": "auto"})
    >>> spec.words()
    ['--k', '5', '--qi', 'age,sex']
    """

    table: str  # a path, or ``instance:NAME``
    asked: RequirementOptions = field(default_factory=RequirementOptions)
    columns: ColumnOptions = field(default_factory=ColumnOptions)
    recoding: RecodingName = SUPPRESSION
    star: str = "*"
    ranges: GeneralizationOptions = field(default_factory=GeneralizationOptions)
    objective: Kind | None = None  # None: what is usual for the recoding
    costs: CostOptions = field(default_factory=CostOptions)

    @classmethod
    def of(cls, table: str, given: Mapping[str, Any]) -> "Spec":
        """Return what the options of a command ask; those of other things are left out.

        ``table`` is a path, or ``instance:NAME``; ``given`` has values of options, by
        the names of their parameters.
        """
        return cls(table).but(**{k: v for k, v in given.items() if k in _NAMES})

    def but(self, **options: Any) -> "Spec":
        """Return it with other values of some options, each by its own name."""
        frozen = {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()}
        changed: dict[str, Any] = {}
        for name, own in vars(self).items():
            if not is_dataclass(own):
                changed |= {name: frozen[name]} if name in frozen else {}
            elif inside := {k: v for k, v in frozen.items() if k in vars(own)}:
                changed[name] = replace(getattr(self, name), **inside)
        return replace(self, **changed)

    def words(self, *without: str) -> list[str]:
        """Return the options that ask the same on the command line.

        Options named in ``without`` are left out, and so are those with their default.
        """
        usual = ungrouped(vars(Spec(self.table)))
        told = ungrouped(vars(self)).items()
        asked = ((k, v) for k, v in told if v != usual[k] and k not in without)
        return [word for k, v in asked for word in option_words(k, v)]

    @property
    def kind(self) -> Kind:
        """What is minimised: the objective that is named, or the usual one."""
        told = bool(self.ranges.numeric or self.ranges.hierarchy)
        return self.objective or default_objective(self.recoding, told)

    @property
    def goal(self) -> Objective:
        """The objective; its scales come with the table."""
        return self.costs.objective(self.kind)

    def input(self, stream: bool | None = None, quiet: bool = False) -> "Input":
        """Look at the file of the table, and read what is named beside it.

        ``stream`` says whether the table is to be read in batches, whatever it is;
        None: it is read as a whole, even if that is refused of a folder. ``quiet`` says
        nothing of the progress.
        """
        named = self.columns.roles
        files = None
        if stream is not None:
            files = loading.files_of(self.table, stream, named, quiet)
        roles = named.of_file(self.table) if files is None else named
        return Input(self, named, roles, files)


_NAMES = ungrouped(vars(Spec("t"))).keys() - {"table"}


@dataclass(frozen=True)
class Input:
    """A table that was found, and how what is asked reads; it is not read yet."""

    spec: Spec  # what is asked
    named: Roles  # what the options say of the columns
    roles: Roles  # the same, with the form of the file
    files: Source | None  # of a table that is read in batches

    @cached_property
    def coding(self) -> Coding:
        """How the release is coded."""
        spec, other = self.spec, self.spec.asked.columns
        return spec.ranges.coding(
            spec.recoding,
            spec.star,
            lambda: loading.coded_table(spec.table, self.roles, other),
        )

    @property
    def asked(self) -> Asked:
        """The requirement, as it is stated."""
        return self.spec.asked.on(self.coding)

    def open(self, budget: Budget | None = None) -> tuple[Problem, Origin]:
        """Read the table and check everything against it.

        ``budget`` is what counting may use, where the table is read in batches. Raises
        TableError for bad input, or where nothing is asked.
        """
        spec, asked, coding = self.spec, self.asked, self.coding
        roles, files, beside, named = self.roles, self.files, Beside(), asked.ids
        if named is not None:
            roles = roles.keeping(named[1])
            if files is not None:
                raise TableError(f"--{named[0]}: rows are not read in batches")
        if files is None:
            read = loading.load_file(spec.table, roles, asked.columns)
            table, beside = read.table, read.beside
            say_later(*read.told, *loading.hints_of_sets(table))
        else:
            counted = loading.count_table(files, roles, asked.columns, budget)
            files, table = loading.as_told(files, counted, roles, coding)
        if named is not None:
            beside = beside.without(named[1])
        loss = read_loss(vars(spec.costs)["loss"])
        problem = posed(table, asked, coding, spec.goal, loss, floored=bool(files))
        loading.expect_named_codes(problem.table, beside, coding)
        return problem, Origin(spec.table, roles.form, files, beside)


def posed(
    table: Table,
    asked: Asked,
    coding: Coding,
    goal: Objective,
    loss: Loss | None = None,
    further: Requirement | None = None,
    floored: bool = False,
) -> Problem:
    """Return the problem that words state: a command's, a call's, a file's.

    ``loss`` says what the objective counts of a node; None: by NCP. ``further`` is a
    requirement beside what is ``asked``, and ``floored`` says whether the table has its
    floors already. Errors are in the words of the command line.

    >>> from starmin.instances.scales.floors import Floors
    >>> table = Table.from_rows(["age"], [["17"], ["93"], ["90"]], qi=["age"])
    >>> coding = Coding(floors=Floors(top={"age": "90"}))
    >>> problem = posed(table, Asked({"k": 2}), coding, Objective("stars"))
    >>> problem.table.rows(), problem.original.rows()[1]
    ([('17',), ('90+',), ('90+',)], ('93',))
    """
    for column in coding.trees:
        if column not in table.qi + table.sensitive:
            raise TableError(
                f"--hierarchy {column}: {table.name} has no such quasi-identifier or "
                f"sensitive column{nearest(column, table.qi + table.sensitive)}"
            )
    before = None
    if not floored:
        before, table = table, coding.floored(table)
    requirement = asked.on(table, further)
    if requirement is None:
        raise TableError("nothing is required; name --k, --l or another one")
    coding.expect_levels(goal.kind)
    if goal.by_node and goal.scales is None:
        goal = replace(goal, scales=coding.scales(table, loss or "ncp"))
    elif loss is not None:
        named = loss if isinstance(loss, str) else "by node"
        raise TableError(f"--loss {named}: is for --objective gcp")
    return Problem(table, requirement, goal, coding, before)


def default_objective(recoding: RecodingName | None, ranged: bool) -> Kind:
    """Return what is minimised where nothing is said of it.

    ``recoding`` is None of a release that is read, as its columns tell; ``ranged`` says
    whether columns have ranges of numbers or hierarchies.
    """
    if recoding == "generalization" or (
        recoding in (None, "nonhomogeneous") and ranged
    ):
        return "gcp"
    return "stars"
