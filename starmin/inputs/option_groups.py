"""The options that several commands share, in groups: one object for each group.

A command that is ``with_groups`` has a parameter for a group; on the command line, and
for whoever calls it from Python, each option of the group is a parameter of its own.
"""

import functools
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import chain
from typing import Annotated, Any

from starmin.inputs import options
from starmin.inputs.declared import ByColumn, of_run, of_table, pairs_of, with_options
from starmin.inputs.hierarchy_options import CodedTable
from starmin.inputs.loading import named_table
from starmin.inputs.recoding_options import parse_coding, with_limits
from starmin.inputs.roles import Roles
from starmin.instances import Coding, NotSupportedError, Objective, TableError
from starmin.instances.releases.coding import RecodingName
from starmin.instances.releases.objective import KEEP, WEIGHTS
from starmin.instances.requirements.diversity import ALPHA, DIVERSITY, C, L
from starmin.instances.requirements.k_anonymity import K
from starmin.instances.requirements.missing_values import MISSING_SENSITIVE
from starmin.instances.requirements.persons import ALIKE, HOUSEHOLD, PERSON, PSEUDONYM
from starmin.instances.requirements.requirements import Asked
from starmin.instances.requirements.requirements import options as declared
from starmin.instances.requirements.t_closeness import T
from starmin.instances.scales.floors import expect_end
from starmin.instances.scales.numbers import Width, expect_step
from starmin.instances.streams.count import Budget
from starmin.instances.tables.names import split_names
from starmin.instances.times.signs import signs_of

REQUIREMENT_OPTIONS = declared()


@dataclass(frozen=True)
class ColumnOptions:
    """What the columns of a table are for, and how its file is read."""

    qi: options.Qi = None
    sensitive: options.Sensitive = None
    drop: options.Drop = None
    unchanged: Annotated[
        str | None,
        of_table(
            "--unchanged A,B,..",
            "Columns that are published as they are, on purpose: no warning names "
            "them.",
        ),
        ByColumn("role", ("unchanged",)),
    ] = None
    weight: Annotated[
        str | None,
        of_table(
            "--weight COLUMN",
            "Sampling weights: how many people each row stands for; no "
            "quasi-identifier by default.",
        ),
        ByColumn("role", ("weight",), single=True),
    ] = None
    sep: options.Sep = None
    encoding: options.Encoding = None
    sheet: options.Sheet = None
    sets: Annotated[
        list[str] | None,
        of_table(
            "--sets COLUMN=CHAR",
            "Cells of a column are sets: what CHAR separates, in any order. Repeat "
            "for others.",
        ),
        ByColumn("separator", kind="set"),
    ] = None

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
        sets = pairs_of(self.sets or (), "--sets", "COLUMN=CHAR")
        return replace(roles, sets=sets, aside=self.kept)


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

    numeric: Annotated[
        str | None,
        of_table(
            "A,B,..",
            "Quasi-identifiers of numbers, published as ranges as [35-45]; or of "
            "times as 2024-05-31, 2024-05-31T07:05Z, 07:05, '2 days 07:05:00', as "
            "ranges 2024-05-01..2024-05-31.",
        ),
        ByColumn("kind", ("numeric", "date")),
    ] = None
    missing: options.Missing = None
    hierarchy: options.Hierarchy = None
    date_format: Annotated[
        list[str] | None,
        of_table(
            "--date-format COLUMN=FORM",
            "How the times of a --numeric column are written, in the signs of "
            "strptime, as admitted=%d.%m.%Y; with the last year of two digits, as "
            "'born=%d.%m.%y to 2026'. Repeat for others. [default: ISO 8601, years not "
            "in the future]",
        ),
        ByColumn("format", kind="date", check=signs_of),
    ] = None

    def coding(
        self, recoding: RecodingName | None, star: str, coded: Callable[[], CodedTable]
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
        return with_limits(coding, vars(self))

    @property
    def told(self) -> bool:
        """Whether anything is told of columns."""
        named = {**vars(self), "missing": None}
        return any(value is not None for value in named.values())


@dataclass(frozen=True)
class GeneralizationOptions(HierarchyOptions):
    """Hierarchies, and how far they are used."""

    steps: Annotated[
        str | None,
        of_table(
            "--round COLUMN=STEP,..",
            "Ranges of a --numeric column begin and end at multiples of STEP; of "
            "times with a period as 15minute, hour, day, week, month, quarter, year, "
            "decade. Recommended: else their ends are people's values, which are then "
            "known.",
        ),
        ByColumn("round", check=expect_step),
    ] = None
    width: Annotated[
        str | None,
        of_table(
            "--width COLUMN=LOW..HIGH,..",
            "Ranges of a --numeric column are at least LOW and at most HIGH long: "
            "shorter ones are widened, a star is published for longer ones. LOW.. or "
            "..HIGH: one of both. Of times: 7day..30day.",
        ),
        ByColumn("width", check=Width.parse),
    ] = None
    max_level: Annotated[
        str | None,
        of_table(
            "--max-level COLUMN=LEVEL,..",
            "No category above this level of a --hierarchy is published: 0 are the "
            "values, 1 the categories above them, ..",
        ),
        ByColumn("max-level", type=int),
    ] = None
    min_level: Annotated[
        str | None,
        of_table(
            "--min-level COLUMN=LEVEL,..",
            "Nothing finer than this level of a --hierarchy is ever published, as a "
            "law may ask; nor where cells are published as they are or as stars.",
        ),
        ByColumn("min-level", type=int),
    ] = None
    top: Annotated[
        str | None,
        of_table(
            "--top COLUMN=NUMBER,..",
            "Numbers from this one on are published alike, as 90+.",
        ),
        ByColumn("top", check=expect_end),
    ] = None
    bottom: Annotated[
        str | None,
        of_table(
            "--bottom COLUMN=NUMBER,..",
            "Numbers up to this one are published alike, as <=18.",
        ),
        ByColumn("bottom", check=expect_end),
    ] = None


@with_options(Objective.options, options.GOAL)
class CostOptions:
    """What the objective counts of a cell, as it declares it."""

    def objective(self, kind: options.Kind) -> Objective:
        """Return the objective of this kind.

        >>> CostOptions(weights="age=3,sex=1").objective("stars").weights
        {'age': 3, 'sex': 1}
        """
        told = {name: text or "" for name, text in vars(self).items()}
        form = "COLUMN=W with a whole number W >= 0"
        costs = pairs_of(split_names(told["weights"], "--weights"), "--weights", form)
        for column, number in costs.items():
            if not number.isascii() or not number.isdigit():
                raise TableError(f"--weights: expected {form}, got '{column}={number}'")
        try:
            numbers = {column: int(number) for column, number in costs.items()}
            return Objective(kind, numbers, split_names(told["keep"], "--keep"))
        except ValueError as error:
            raise TableError(f"--weights: {error}") from None


@with_options((WEIGHTS, KEEP), options.GOAL)
class StarCostOptions:
    """What a star costs by column, where losses are counted by one rule."""


@dataclass(frozen=True)
class BatchOptions:
    """How a table is read in batches."""

    stream: Annotated[
        bool,
        of_run(
            "--stream",
            "Read the table in batches: only its distinct rows are held in memory. So "
            "is a folder of files.",
        ),
    ] = False
    memory_rows: Annotated[
        int | None,
        of_run(
            "ROWS",
            "Of a table that is read in batches, distinct rows that are held while "
            "they are counted; more are kept on disk. [default: 20000000]",
            min=1000,
        ),
    ] = None
    dask: Annotated[
        str | None,
        of_run(
            "tcp://HOST:PORT",
            "The scheduler of a Dask cluster. Of a table that is read in batches, its "
            "workers count a file each, bound its rows, search parts, and check "
            "releases and certificates. They read the files by the same paths.",
        ),
    ] = None

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

        with dask_workers(self.dask) as (executor, workers):
            yield Budget(budget.most, executor=executor, workers=workers)


def with_groups(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command each option of its groups as a parameter of its own.

    Its groups are the keyword parameters whose annotation is a dataclass; a group may
    have groups inside.

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
    groups = {
        name: each.annotation
        for name, each in declared.parameters.items()
        if is_dataclass(each.annotation)
    }

    @functools.wraps(command)
    def grouped(*arguments: Any, **given: Any) -> int:
        values = expanded.bind(*arguments, **given)
        values.apply_defaults()
        told = values.arguments
        return command(
            **{name: _taken(kind, told) for name, kind in groups.items()}, **told
        )

    grouped.__annotations__ = {each.name: each.annotation for each in parameters}
    vars(grouped)["__signature__"] = expanded
    return grouped


def _each_option(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a group's options; of what is no group, itself."""
    if not is_dataclass(parameter.annotation):
        yield parameter
        return
    for each in fields(parameter.annotation):
        own = parameter.replace(name=each.name, default=each.default)
        yield from _each_option(own.replace(annotation=each.type))


def _taken(group: Any, told: dict[str, Any]) -> Any:
    """Return a group with the values of its options, which leave what is told."""
    return group(
        **{
            each.name: _taken(each.type, told)
            if is_dataclass(each.type)
            else told.pop(each.name)
            for each in fields(group)
        }
    )


def ungrouped(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of parameters with each option of a group for itself.

    >>> ungrouped({"costs": CostOptions(weights="age=3"), "k": 2})
    {'loss': None, 'weights': 'age=3', 'keep': None, 'k': 2}
    """
    flat: dict[str, Any] = {}
    for name, value in given.items():
        flat |= ungrouped(vars(value)) if is_dataclass(value) else {name: value}
    return flat


# Errors in the words of Python.

# Options that are called otherwise as arguments; others have their own names.
_CALLED = {"separator": "sep"}
_ALIKE = (
    *("qi", "sensitive", "drop", "unchanged", "weight", "sets", "recoding", "star"),
    *("numeric", "missing", "date-format", "width", "top", "bottom", "min-level"),
    *("max-level", "objective", "loss", "weights", "keep", "original", "within"),
    *("method", "time-limit", "gap", "patience", "seed", "workers", "initial"),
    *("shuffle", "population", "pad", "margin", "decoys", "range-style", "sheet"),
    *("separator", "hierarchy", "round", "encoding", "work-limit", "certificate"),
)


@cache
def _known() -> dict[str, str]:
    """Return the names of arguments by those of options, without hyphens before."""
    words = [*_ALIKE, *(o.flag.removeprefix("--") for o in REQUIREMENT_OPTIONS)]
    return {word: _CALLED.get(word, word.replace("-", "_")) for word in words}


def in_python(line: str) -> str:
    """Return a line that names arguments where it named options.

    >>> in_python("column 'age': expected a number or a missing value (--missing)")
    "column 'age': expected a number or a missing value (missing)"
    >>> in_python("'--' is no value of --date-format age=%d.%m.%Y")
    "'--' is no value of date_format age=%d.%m.%Y"
    """
    return re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda m: _known().get(m[1], m[0]), line)


@contextmanager
def python_words() -> Iterator[None]:
    """Have errors of the block name arguments instead of options.

    >>> with python_words():
    ...     raise TableError("no column 'ag' to round (--round)")
    Traceback (most recent call last):
    ...
    starmin.instances.errors.TableError: no column 'ag' to round (round)
    """
    try:
        yield
    except (TableError, NotSupportedError) as error:
        if len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (in_python(error.args[0]),)
        raise
