"""The arguments of ``starmin.solve`` and its sisters, checked and put together."""

import math
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from inspect import signature
from operator import and_
from typing import Any, Literal, NamedTuple, TypeAlias, TypeGuard, cast, get_args

from starmin.inputs.option_groups import in_python
from starmin.instances import (
    Coding,
    Control,
    KAnonymity,
    LDiversity,
    Objective,
    Persons,
    Problem,
    Progress,
    Reading,
    Requirement,
    Table,
    Taxonomy,
    from_frame,
    read_missing,
)
from starmin.instances.arguments import (
    expect_choice,
    expect_function,
    expect_kind,
    expect_names,
    expect_number,
    expect_seconds,
    plain,
)
from starmin.instances.releases.coding import (
    GENERALIZATION,
    PERMUTATION,
    SUPPRESSION,
    RecodingName,
)
from starmin.instances.releases.objective_kinds import ObjectiveName
from starmin.instances.releases.release import check_columns, check_symbols
from starmin.instances.requirements.deleted_rows import DeletedRows, price_text
from starmin.instances.requirements.missing_values import Meaning
from starmin.instances.requirements.requirement import Unit
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.node_losses import Loss
from starmin.instances.scales.taxonomies.column_hierarchy import (
    hierarchy_rule,
    tree_of_column,
)
from starmin.instances.scales.taxonomies.hierarchy_rules import HierarchyRule
from starmin.instances.tables.table import as_sets

# Rows that may be deleted, as arguments of Python ask for it.


def deleting(problem: Problem, price: bool | int | float | str | None) -> Problem:
    """Return a problem in which rows may be deleted, if that is asked for.

    ``price`` is the argument ``delete_rows``: None or False, True, or a price.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Table
    >>> problem = Problem(Table.from_rows(["a"], [["0"]], qi=["a"]), KAnonymity(2))
    >>> deleting(problem, True).requirement
    DeletedRows(inner=KAnonymity(k=2), price='row')
    >>> deleting(problem, False) is problem
    True
    """
    if not is_asked(price):
        return problem
    return replace(problem, requirement=of_kept(problem.requirement, price))


def is_asked(
    price: bool | int | float | str | None,
) -> TypeGuard[bool | int | float | str]:
    """Return whether rows may be deleted; a price of 0 is one, and refused later.

    Examples
    --------
    >>> is_asked(None), is_asked(False), is_asked(0), is_asked(True)
    (False, False, True, True)
    """
    return price is not None and price is not False


def of_kept(asked: Requirement | None, price: bool | int | float | str) -> DeletedRows:
    """Return what is asked of the rows that are kept, if some may be deleted.

    ``asked`` is of all rows; ``price`` is that of a row that is deleted, or True.
    Raises ValueError where nothing is asked.
    """
    if asked is None:
        raise ValueError("Expected k, l or a requirement beside delete_rows.")
    return DeletedRows(asked, price_text(price))


Taxonomies: TypeAlias = Mapping[str, Taxonomy | HierarchyRule | str]
Goal: TypeAlias = Objective | ObjectiveName
Sensitivity: TypeAlias = Literal["value", "any", "none"]
OnProgress: TypeAlias = Callable[[Progress], object]
STAR = "*"


def requirement_of(
    k: int | None,
    l: int | None,
    requirement: Requirement | None,
    missing_sensitive: str = "value",
    missing: Collection[str | None] = MISSING,
) -> Requirement:
    """Join k-anonymity, l-diversity and a further requirement; one is needed.

    ``missing_sensitive`` says what a missing sensitive value counts as, and ``missing``
    what stands for one.
    """
    expect_kind("requirement", requirement, (Requirement, type(None)))
    parts = [] if requirement is None else [requirement]
    if l is not None:
        parts.insert(0, LDiversity(l))
    if k is not None:
        parts.insert(0, KAnonymity(k))
    if not parts:
        raise ValueError("Expected a requirement: k, l or requirement.")
    return read_missing(reduce(and_, parts), reading_of(missing_sensitive, missing))


def reading_of(
    missing_sensitive: str, missing: Collection[str | None] = MISSING
) -> Reading | None:
    """Return how missing sensitive values are counted; None: as one more value."""
    meanings = ("value", "any", "none")
    expect_choice("missing_sensitive", missing_sensitive, meanings)
    if missing_sensitive == "value":
        return None
    return Reading(cast(Meaning, missing_sensitive), (None, *missing))


def counting_ids(
    table: Table,
    asked: Requirement,
    person: str | None,
    household: str | None,
    pseudonym: bool,
    alike: Sequence[str] | None = None,
    missing: Collection[str | None] = MISSING,
) -> tuple[Table, Requirement]:
    """Return what is required of persons or households, and the table with their ids.

    ``asked`` counts rows; ``person`` or ``household`` is the column with the id of each
    row's person or household, which are counted instead; ``alike`` are the columns that
    are published alike in each household. ``pseudonym`` says whether the
    ids are published, numbered anew, and ``missing`` what is no id. A column of ids is
    no quasi-identifier.
    """
    expect_kind("pseudonym", pseudonym, bool)
    ids = household if person is None else person
    if alike is not None and household is None:
        raise ValueError("Expected household beside alike.")
    if ids is None and not pseudonym:
        return table, asked
    expect_kind("person or household", ids, str)
    if person is not None and household is not None:
        raise ValueError("Expected person or household, got both.")
    table = public_only(table, ids)
    unit: Unit = "household" if person is None else "person"
    told = str(ids), unit, pseudonym, missing, alike
    return table, Persons.of(table, asked, *told)


def public_only(table: Table, *ids: str | None) -> Table:
    """Return a table whose columns of ids are no quasi-identifiers."""
    qi = [column for column in table.qi if column not in ids]
    if not qi or len(qi) == len(table.qi):
        return table
    return table.with_roles(qi, table.sensitive)


def warn(lines: Iterable[str], stacklevel: int = 4) -> None:
    """Warn the caller of the caller's caller of what is to be known of a problem."""
    for line in lines:
        warnings.warn(in_python(line), stacklevel=stacklevel)


def given_of(
    function: Callable[..., Any], arguments: Mapping[str, Any], *without: str
) -> dict[str, Any]:
    """Return the arguments of a call that are no defaults, by name.

    ``arguments`` are the local names of what was called; those in ``without`` are left
    out.

    Examples
    --------
    >>> def asked(table, k=2, l=None, **options): ...
    >>> given_of(asked, {"table": 0, "k": 3, "l": None, "options": {"n": 1}}, "table")
    {'k': 3, 'n': 1}
    """
    told: dict[str, Any] = {}
    for name, parameter in signature(function).parameters.items():
        value = arguments[name]
        if parameter.kind is parameter.VAR_KEYWORD:
            told |= value
        elif name not in without and value is not parameter.default:
            told[name] = plain(value)
            if "Any" not in str(parameter.annotation):
                _expect_no_frame(name, told[name])
    return told


def _expect_no_frame(name: str, value: object) -> None:
    """Raise TypeError for a frame: what is asked of its truth is asked of its cells."""
    if hasattr(value, "columns") and hasattr(value, "shape"):
        kind = type(value).__name__
        raise TypeError(f"Expected {name} to be no frame, got a {kind}.")


def table_given(
    what: str,
    given: Any,
    qi: Sequence[str] | None,
    sensitive: str | Sequence[str] | None,
    drop: Sequence[str] = (),
) -> Table:
    """Return a table, or that of a frame, its columns in their roles.

    Errors call it ``what``. Where names of columns are None, they are those of a table;
    of a frame all are quasi-identifiers and none is sensitive. The columns of ``drop``
    are left out.
    """
    named = expect_names("sensitive", _list(sensitive))
    qi = None if qi is None else expect_names("qi", qi)
    if not isinstance(given, Table):
        if isinstance(given, str) or hasattr(given, "__fspath__"):
            expect_table(what, given)
        return from_frame(given, qi, named, drop, what)
    table = given.drop([c for c in drop if c in given.names])
    if qi is None and sensitive is None:
        return table
    secret = table.sensitive if sensitive is None else named
    public = [c for c in table.qi if c not in secret] if qi is None else qi
    return table.with_roles(public, secret)


def _list(names: str | Sequence[str] | None) -> Sequence[str] | None:
    return (names,) if isinstance(names, str) else names


def expect_table(what: str, table: object) -> None:
    """Raise TypeError for what is no table, a frame or the name of a file, say."""
    hint = "; starmin.anonymize takes a frame, starmin.read_table a file"
    if getattr(table, "solution", None) is not None:  # as ``anonymize`` returns it
        hint = "; its table is .solution.published"
    expect_kind(what, table, Table, hint)


def expect_time_limit(time_limit: float | None) -> None:
    """Raise for what is no number of seconds."""
    if time_limit is not None:
        expect_seconds("time_limit", time_limit)


def control_of(
    gap: float | None, patience: float | None, on_progress: OnProgress | None
) -> Control:
    """Return what ends a search early, and who hears of it."""
    if gap is not None:
        expect_number("gap", gap)
        if not gap >= 0:  # nor is NaN
            raise ValueError(f"Expected gap >= 0, got {gap!r}.")
    if patience is not None:
        expect_seconds("patience", patience)
    expect_function("on_progress", on_progress)
    return Control(
        () if on_progress is None else (on_progress,),
        gap,
        math.inf if patience is None else float(patience),
    )


def objective_of(
    goal: Goal | None,
    table: Table,
    coding: Coding,
    loss: Loss | None = None,
    weights: Mapping[str, int] | None = None,
    keep: Collection[str] = (),
) -> Objective:
    """Return the objective, with the scales that a coding has for the columns.

    Where ``goal`` is None, it is what is usual for the coding. ``weights`` and ``keep``
    are parts of an objective that is named; losses are measured by NCP by default.
    """
    if not isinstance(goal, Objective):
        nodes = {*coding.qi_trees(table)} - {*coding.floors.min_levels}
        ranged = coding.numeric or nodes or coding.recoding == GENERALIZATION
        kind = goal or ("gcp" if ranged else "stars")
        goal = Objective(kind, weights or {}, tuple(keep))
    elif weights or keep:
        raise ValueError("weights and keep are parts of the Objective that is given.")
    coding.expect_levels(goal.kind)
    if goal.by_node and goal.scales is None:
        return replace(goal, scales=coding.scales(table, loss or "ncp"))
    if loss is not None:
        raise ValueError(f"loss={loss!r} is for the objective 'gcp'.")
    return goal


def coding_of(
    recoding: str,
    table: Table,
    numeric: Collection[str],
    taxonomies: Taxonomies | None,
    goal: Goal | None,
    **limits: Any,
) -> Coding:
    """Return how releases of a table are coded, as ``solve`` is told of it.

    ``numeric`` are the columns with ranges of numbers; ``taxonomies`` are the trees
    whose nodes others have, or the rules that make them. The goal must be one that has
    a use for what is told of columns. ``limits`` are more of what ``Coding`` holds.
    """
    expect_choice("recoding", recoding, get_args(RecodingName))
    missing = limits.get("missing", MISSING)
    numeric = expect_names("numeric", numeric)
    trees = trees_of(taxonomies, table, missing)
    for column in (*numeric, *trees):
        expect_choice("a column with ranges or nodes", column, table.qi)
    coding = Coding(cast(RecodingName, recoding), STAR, numeric, trees, **limits)
    ranged = {*numeric, *trees}
    if recoding != GENERALIZATION:
        ranged -= {*coding.floors.min_levels}
    named = Objective(goal) if isinstance(goal, str) else goal
    if ranged and named is not None and (not named.by_node or named.scales):
        raise ValueError(
            "numeric and taxonomies are for the objective 'gcp' without scales of its "
            f"own, got {named.kind!r}{' with scales' if named.scales else ''}."
        )
    return coding


def trees_of(
    taxonomies: Taxonomies | None,
    table: Table,
    missing: Collection[str | None] = MISSING,
    released: str | None = None,
) -> dict[str, Taxonomy]:
    """Return the trees of columns, those that rules state made of the table's values.

    ``taxonomies`` has by column a tree, a rule or its text; ``missing`` stands for a
    missing value. ``released`` is, of a release without its original, the symbol of a
    suppressed cell.
    """
    hint = " (a Taxonomy by column)"
    expect_kind("taxonomies", taxonomies, (Mapping, type(None)), hint)
    found = {}
    for column, told in (taxonomies or {}).items():
        tree = hierarchy_rule(told) if isinstance(told, str) else told
        kinds = Taxonomy, HierarchyRule
        expect_kind(
            f"the taxonomy of {column}", tree, kinds, " (or the text of a rule)"
        )
        expect_choice("a column with ranges or nodes", column, table.names)
        found[column] = tree_of_column(tree, table, column, missing, released)
        warn(found[column].told)
    return found


def expect_publishable(problem: Problem) -> None:
    """Raise TableError where groups of a table cannot be published so."""
    table, coding = problem.table, problem.coding
    if coding.recoding == PERMUTATION:
        check_columns(table)
    elif coding.recoding == GENERALIZATION:
        check_symbols(table, problem.objective.scales_of(table), coding.star)


# From the arguments of ``starmin.solve`` and ``bound`` to a problem.


class Wanted(NamedTuple):
    """What is required of groups, as the arguments of ``solve`` say it."""

    k: int | None
    l: int | None
    requirement: Requirement | None
    missing_sensitive: str


class IdColumns(NamedTuple):
    """The columns with ids of persons and households, and how rows of one are tied."""

    person: str | None = None
    household: str | None = None
    pseudonym: bool = False
    alike: Sequence[str] | None = None


class Published(NamedTuple):
    """How groups are published, and which columns are ranged or have trees."""

    recoding: str = SUPPRESSION
    numeric: Collection[str] = ()
    taxonomies: Taxonomies | None = None


def posed(
    table: Table,
    wanted: Wanted,
    ids: IdColumns,
    goal: Goal | None,
    published: Published,
    limits: Mapping[str, Any],
) -> Problem:
    """Return the problem of a table as its sets and floors leave it.

    ``wanted`` is what is required of its groups, ``ids`` says whose rows are whose,
    ``goal`` is its ``objective``, ``published`` how its groups are published, and
    ``limits`` what ``limits_of`` returns.

    Examples
    --------
    >>> from starmin.inputs.option_groups import limits_of
    >>> table = Table.from_rows(["age"], [["17"], ["93"], ["90"]], qi=["age"])
    >>> wanted = Wanted(k=2, l=None, requirement=None, missing_sensitive="value")
    >>> limits = limits_of(top={"age": 90})
    >>> problem = posed(table, wanted, IdColumns(), None, Published(), limits)
    >>> problem.table.rows()
    [('17',), ('90+',), ('90+',)]
    """
    expect_table("table", table)
    table = as_sets(table, limits["sets"], "sets")
    missing = limits["missing"]
    asked = requirement_of(*wanted, missing)
    table = public_only(table, ids.person, ids.household)
    recoding, numeric, trees = published
    coding = coding_of(recoding, table, numeric, trees, goal, **limits)
    before, table = table, coding.floored(table)
    table, asked = counting_ids(table, asked, *ids, missing)
    return Problem(table, asked, objective_of(goal, table, coding), coding, before)
