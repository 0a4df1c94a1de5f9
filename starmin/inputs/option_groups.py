"""The options that several commands share, in groups: one object for each group.

A command that is ``with_groups`` has a parameter for a group; on the command line, and
for whoever calls it from Python, each option of the group is a parameter of its own.
"""

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import chain
from typing import Any

from starmin.inputs import options
from starmin.inputs.by_column import pairs_of
from starmin.inputs.declared import with_options
from starmin.inputs.hierarchy_options import CodedTable
from starmin.inputs.recoding_options import (
    limited,
    parse_coding,
    with_floors,
    with_forms,
)
from starmin.inputs.roles import Roles, separators_of
from starmin.inputs.tables.loading import named_table
from starmin.instances import Coding, NotSupportedError, Objective, TableError
from starmin.instances.releases.coding import RecodingName
from starmin.instances.releases.objective import KEEP, WEIGHTS
from starmin.instances.requirements.closeness.t_closeness import T
from starmin.instances.requirements.diversity.diversity import DIVERSITY, L
from starmin.instances.requirements.diversity.recursive_diversity import C
from starmin.instances.requirements.k_anonymity import K
from starmin.instances.requirements.max_share import ALPHA
from starmin.instances.requirements.missing_values import MISSING_SENSITIVE
from starmin.instances.requirements.persons import ALIKE, HOUSEHOLD, PERSON, PSEUDONYM
from starmin.instances.requirements.requirements import Asked
from starmin.instances.requirements.requirements import options as declared
from starmin.instances.streams.count import Budget
from starmin.instances.tables.name_lists import split_names

REQUIREMENT_OPTIONS = declared()


@dataclass(frozen=True)
class ColumnOptions:
    """What the columns of a table are for, and how its file is read."""

    qi: options.Qi = None
    sensitive: options.Sensitive = None
    drop: options.Drop = None
    unchanged: options.Unchanged = None
    weight: options.Weight = None
    sep: options.Sep = None
    encoding: options.Encoding = None
    sheet: options.Sheet = None
    sets: options.Sets = None

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns that are published as they are on purpose, weights among them."""
        named = split_names(self.unchanged or "", "--unchanged")
        return named if self.weight is None else (*named, self.weight)

    @property
    def roles(self) -> Roles:
        """What the options say of the columns."""
        columns = self.qi, self.sensitive, self.drop
        roles = Roles.parse(*columns, self.sep, self.encoding, self.sheet)
        return replace(roles, sets=separators_of(self.sets), aside=self.kept)


@with_options(REQUIREMENT_OPTIONS, options.ASK)
class RequirementOptions:
    """What is asked of every group, as requirements declare it."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that serve the requirement and are no quasi-identifiers."""
        return Asked(vars(self)).columns

    def on(self, coding: Coding) -> Asked:
        """Return what is asked, with the trees of columns and missing values."""
        return Asked(vars(self), coding.trees, coding.missing, read=named_table)


@with_options(
    (DIVERSITY, C, MISSING_SENSITIVE, PERSON, HOUSEHOLD, PSEUDONYM, ALIKE), options.ASK
)
class DiversityOptions:
    """What l-diversity means, for commands that take several values of k and l."""


@with_options((K, L, DIVERSITY, C, ALPHA, T), options.ASK)
class LinkedOptions:
    """What is asked of the values that are common to several releases."""


@with_options((MISSING_SENSITIVE, PERSON, HOUSEHOLD, ALIKE), options.ASK)
class CountingOptions:
    """What a missing sensitive value counts as, and whether persons count, not rows."""


@dataclass(frozen=True)
class HierarchyOptions:
    """Which columns are generalized, by ranges or by taxonomies."""

    numeric: options.Numeric = None
    missing: options.Missing = None
    hierarchy: options.Hierarchy = None
    date_format: options.DateFormat = None

    def coding(
        self,
        recoding: RecodingName | None,
        star: str,
        coded: Callable[[], CodedTable],
    ) -> Coding:
        """Return how a release is coded.

        ``coded`` reads the table; it is called if a folder is named, or what depends on
        values.
        """
        unknown = options.missing_values(self.missing)
        if not self.told:
            return Coding(recoding, star, missing=unknown)
        told = (self.numeric, self.hierarchy, unknown, coded)
        coding = parse_coding(recoding, star, *told)
        return self.limited(with_forms(coding, self.date_format))

    @property
    def told(self) -> bool:
        """Whether anything is told of columns."""
        named = {**vars(self), "missing": None}
        return any(value is not None for value in named.values())

    def limited(self, coding: Coding) -> Coding:
        """Return a coding with the limits that are named, here none."""
        return coding


@dataclass(frozen=True)
class GeneralizationOptions(HierarchyOptions):
    """Hierarchies, and how far they are used."""

    steps: options.Round = None
    width: options.Width = None
    max_level: options.MaxLevel = None
    min_level: options.MinLevel = None
    top: options.Top = None
    bottom: options.Bottom = None

    def limited(self, coding: Coding) -> Coding:
        """Return a coding with round ends, widths, highest levels and floors."""
        coding = limited(coding, self.steps, self.max_level, self.width)
        return with_floors(coding, self.min_level, self.top, self.bottom)


@with_options(Objective.options, options.GOAL)
class CostOptions:
    """What the objective counts of a cell, as it declares it."""

    def objective(self, kind: options.Kind) -> Objective:
        """Return the objective of this kind."""
        told = vars(self)
        return make_objective(kind, told["weights"], told["keep"])


@with_options((WEIGHTS, KEEP), options.GOAL)
class StarCostOptions:
    """What a star costs by column, where losses are counted by one rule."""


@dataclass(frozen=True)
class BatchOptions:
    """How a table is read in batches."""

    stream: options.Stream = False
    memory_rows: options.MemoryRows = None
    dask: options.DaskCounts = None

    @contextmanager
    def budget(self) -> Iterator[Budget]:
        """Yield what counting may use, connected to a Dask cluster if one is named.

        Raises TableError where Dask is not installed, or nobody answers at the address.
        """
        rows = self.memory_rows
        budget = Budget() if rows is None else Budget(rows)
        if self.dask is None:
            yield budget
            return
        from starmin.process.dask_workers import dask_workers

        with ExitStack() as stack:
            try:
                executor, workers = stack.enter_context(dask_workers(self.dask))
            except ValueError as error:
                raise TableError(str(error)) from None
            yield Budget(budget.most, executor=executor, workers=workers)


def with_groups(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command each option of its groups as a parameter of its own.

    Its groups are the keyword parameters whose annotation is a dataclass.

    Examples
    --------
    >>> def widest(*, costs: CostOptions, star: str = "*") -> int:
    ...     return len(costs.weights or star)
    >>> list(inspect.signature(with_groups(widest)).parameters)
    ['loss', 'weights', 'keep', 'star']
    >>> with_groups(widest)(weights="age=3")
    5
    """
    declared = inspect.signature(command, eval_str=True)
    parameters = [*chain(*map(_each_option, declared.parameters.values()))]
    counts = Counter(each.name for each in parameters)
    if twice := [name for name, many in counts.items() if many > 1]:
        raise NotSupportedError(
            f"Expected options with names of their own; {twice[0]!r}, which a "
            f"requirement declares, is an option of {command.__name__} already."
        )
    expanded = declared.replace(parameters=parameters)
    groups: dict[str, tuple[Any, list[str]]] = {
        name: (each.annotation, [option.name for option in _each_option(each)])
        for name, each in declared.parameters.items()
        if is_dataclass(each.annotation)
    }

    @functools.wraps(command)
    def grouped(*arguments: Any, **given: Any) -> int:
        values = expanded.bind(*arguments, **given)
        values.apply_defaults()
        told = values.arguments
        for name, (group, names) in groups.items():
            told[name] = group(**{option: told.pop(option) for option in names})
        return command(**told)

    grouped.__annotations__ = {each.name: each.annotation for each in parameters}
    vars(grouped)["__signature__"] = expanded
    return grouped


def _each_option(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """Return the parameters of a group's options; of what is no group, itself."""
    if not is_dataclass(parameter.annotation):
        return [parameter]
    return [
        parameter.replace(name=each.name, default=each.default, annotation=each.type)
        for each in fields(parameter.annotation)
    ]


def ungrouped(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of parameters with each option of a group for itself.

    Examples
    --------
    >>> ungrouped({"costs": CostOptions(weights="age=3"), "k": 2})
    {'loss': None, 'weights': 'age=3', 'keep': None, 'k': 2}
    """
    flat: dict[str, Any] = {}
    for name, value in given.items():
        flat |= vars(value) if is_dataclass(value) else {name: value}
    return flat


def make_objective(
    kind: options.Kind, weights: str | None, keep: str | None
) -> Objective:
    """Return the objective, its weights given as ``COLUMN=W,..``.

    Examples
    --------
    >>> make_objective("stars", "age=3,sex=1", None).weights
    {'age': 3, 'sex': 1}
    """
    form = "COLUMN=W with a whole number W >= 0"
    costs = pairs_of(split_names(weights or "", "--weights"), "--weights", form)
    for column, number in costs.items():
        if not number.isascii() or not number.isdigit():
            raise TableError(f"--weights: expected {form}, got '{column}={number}'")
    try:
        numbers = {column: int(number) for column, number in costs.items()}
        return Objective(kind, numbers, split_names(keep or "", "--keep"))
    except ValueError as error:
        raise TableError(f"--weights: {error}") from None
