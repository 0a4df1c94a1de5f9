"""From a data frame to its release: the first function to call."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from inspect import signature
from operator import and_
from typing import Any, Literal, get_args

from instances import (
    NonHomogeneous,
    Objective,
    Partition,
    Progress,
    Requirement,
    Table,
    TableError,
    from_frame,
)
from instances.arguments import expect_choice, expect_kind, expect_names, nearest
from instances.io.frames import arrow_of
from instances.scales.missing import MISSING
from instances.scales.node_losses import Loss
from instances.scales.numbers import expect_step
from instances.tables.secret_order import secret_order
from starmin.commands.search import as_published
from starmin.face import Goal, OnProgress, RecodingName, solve
from starmin.frames.anonymization import Anonymization
from starmin.frames.hierarchies import read_hierarchies
from starmin.frames.libraries import native_of
from starmin.frames.native import Native
from starmin.frames.rendering import Rendering, Stars
from starmin.inputs.identifiers import unchanged
from starmin.inputs.loading import Problem
from starmin.inputs.recoding_options import (
    GENERALIZATION,
    NONHOMOGENEOUS,
    PERMUTATION,
    Coding,
)
from starmin.inputs.requirements import Asked
from starmin.outputs.recodings import RECODINGS
from starmin.solution import Solution

Diversity = Literal["frequency", "distinct", "entropy", "recursive"]
Distance = Literal["equal", "ordered", "hierarchical"]
_NAME = "frame"


def anonymize(
    frame: Any,
    qi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] = (),
    k: int | None = None,
    l: int | None = None,
    *,
    diversity: Diversity = "frequency",
    c: float | None = None,
    alpha: float | None = None,
    t: float | None = None,
    distance: Distance | None = None,
    k_column: str | None = None,
    requirement: Requirement | None = None,
    recoding: RecodingName | None = None,
    numeric: Collection[str] | None = None,
    hierarchies: Any = None,
    missing: Collection[str | None] = MISSING,
    rounding: Mapping[str, float] | None = None,
    max_level: Mapping[str, int] | None = None,
    objective: Goal | None = None,
    loss: Loss | Mapping[str, Mapping[str, float]] | None = None,
    weights: Mapping[str, int] | None = None,
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    star: str = "*",
    stars: Stars = "text",
    intervals: bool = False,
    shuffle: bool = False,
    method: str = "auto",
    time_limit: float | None = None,
    seed: int | None = None,
    initial: Anonymization | Partition | NonHomogeneous | None = None,
    on_progress: OnProgress | None = None,
    display: bool = False,
    **options: Any,
) -> Anonymization:
    """Anonymize a data frame at the least cost, and prove how little is possible.

    Parameters
    ----------
    frame
        Of pandas, polars, Arrow, or another library that narwhals reads. A frame that
        is computed later is computed.
    qi
        The quasi-identifiers; default: all columns that are neither sensitive nor
        dropped. Other columns are published as they are, with a warning.
    sensitive
        The sensitive column, or several.
    k, l
        k-anonymity, l-diversity, or both.
    diversity, c
        The form of l-diversity; ``c`` is that of the recursive one.
    alpha
        No sensitive value in more than this share of the rows of a group.
    t, distance
        t-closeness, and the distance between sensitive values.
    k_column
        The column with the number of rows that each row asks for.
    requirement
        A further one, joined to these.
    recoding
        ``suppression`` (stars), ``generalization`` (ranges and nodes of hierarchies),
        ``permutation`` (sensitive values apart) or ``nonhomogeneous`` (stars for each
        row by itself). Default: generalization where ``numeric`` or ``hierarchies``
        are given, else suppression.
    numeric
        Columns that are generalized to ranges; default: for generalization, those of
        numbers that have no hierarchy.
    hierarchies
        By column a Taxonomy, a file in ARX's form, a nested dict or a frame of levels;
        or a folder of files.
    missing
        What else than a missing cell stands for a missing value.
    rounding, max_level
        By column of numbers: ranges begin and end at multiples. By column with a
        hierarchy: the highest level whose nodes are published.
    objective, loss
        ``stars``, ``tuples``, ``gcp`` or an Objective; for ``gcp`` what it counts of a
        node: ``ncp``, ``granularity``, ``stars``, or losses by column and node.
        Default: ``gcp`` for generalization, else ``stars``.
    weights, keep
        Cost of a star by column; columns that are not to be touched.
    drop
        Columns that are left out of the release.
    star, stars
        The symbol of a suppressed cell; ``stars="missing"`` makes it a missing cell.
    intervals
        Ranges of numbers as values instead of text.
    shuffle
        Publish the rows in a random order, numbered anew.
    method, time_limit, seed, initial, on_progress, display
        As for ``solve``; ``initial`` may be an earlier release of the same frame.
    options
        Further arguments of ``solve`` (``gap``, ``patience``) and of the method.

    Returns
    -------
    Anonymization
        ``frame`` is the release, in the library that the frame came in, with its index
        and the order of its columns and rows. Beside it: value, bounds and gap, the
        certificate, ``verify()``, ``report()``, ``plot()``.

    Raises
    ------
    TableError
        The frame, a column or a hierarchy is not what it should be.
    NotSupportedError
        No method takes the problem.
    TypeError, ValueError
        An argument is of another type, a name that is not known, or impossible.

    Warns
    -----
    UserWarning
        Of columns that are published unchanged, and of quasi-identifiers that are as
        good as identifiers.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"age": [30, 30, 41, 42], "sex": list("fmff")})
    >>> release = anonymize(frame, k=2)
    >>> release.value, release.lower_bound, release.verify().holds
    (4, 4, True)
    >>> release.frame
      age sex
    0  30   *
    1  30   *
    2   *   f
    3   *   f
    """
    _check_names(options)
    expect_choice("stars", stars, get_args(Stars))
    expect_kind("intervals", intervals, bool)
    expect_kind("shuffle", shuffle, bool)
    native = native_of(_expect_frame(frame))
    table = _table(native, qi, sensitive, drop, k_column)
    trees = read_hierarchies(hierarchies, table.qi + table.sensitive)
    if recoding is None:
        told = numeric or any(column in table.qi for column in trees)
        recoding = "generalization" if told else "suppression"
    expect_choice("recoding", recoding, get_args(RecodingName))
    if numeric is None:
        numbers = _numbers(native.frame, table) if recoding == GENERALIZATION else []
        numeric = [column for column in numbers if column not in trees]
    coding = Coding(
        recoding,
        star,
        expect_names("numeric", numeric),
        trees,
        (None, *missing),
        {c: expect_step(str(step)) for c, step in (rounding or {}).items()},
        max_level or {},
    )
    asked = Asked(
        *(k, l, diversity, c, alpha, t, k_column, distance, trees), python=True
    )
    _check_told(coding, table)
    losses = _exact(loss)
    problem = Problem(
        _NAME,
        table,
        _requirement(asked.on(table), requirement),
        _objective(objective, losses, weights, keep, coding, table),
        coding,
    )
    RECODINGS[recoding].expect(table, coding)
    if recoding != PERMUTATION:
        _warn_unchanged(table, native, asked.columns)
    if on_progress is not None and not callable(on_progress):
        raise TypeError(f"Expected on_progress to be a function, got {on_progress!r}.")
    history: list[Progress] = []

    def hear(progress: Progress) -> object:
        history.append(progress)
        return on_progress is not None and on_progress(progress)

    found = solve(
        table,
        requirement=problem.requirement,
        method=method,
        objective=problem.objective,
        time_limit=time_limit,
        seed=seed,
        display=display,
        initial=initial.best if isinstance(initial, Anonymization) else initial,
        recoding=recoding,
        on_progress=hear,
        **options,
    )
    return Anonymization(
        Solution.of(as_published(problem, found), problem),
        native,
        Rendering(coding, stars, intervals),
        secret_order(table.n, None) if shuffle else None,
        tuple(history),
        losses,
    )


def _check_names(options: Mapping[str, Any]) -> None:
    """Raise TypeError for a name that looks like that of an argument."""
    for name in options:
        if name not in PARAMETERS and (close := nearest(name, PARAMETERS)):
            raise TypeError(f"anonymize has no argument {name!r}{close}.")


def _expect_frame(frame: Any) -> Any:
    if isinstance(frame, Table | str) or hasattr(frame, "__fspath__"):
        raise TypeError(
            f"Expected a data frame, got one of type {type(frame).__name__}; "
            "starmin.solve takes a Table, starmin.read_table a file."
        )
    return arrow_of(frame, _NAME) if isinstance(frame, Mapping) else frame


def _table(
    native: Native,
    qi: Sequence[str] | None,
    sensitive: str | Sequence[str],
    drop: Collection[str],
    k_column: str | None,
) -> Table:
    """Return the table of a frame, its columns in their roles."""
    sensitive = (sensitive,) if isinstance(sensitive, str) else sensitive
    table = from_frame(native.frame, qi, sensitive, expect_names("drop", drop), _NAME)
    if qi is None and k_column in table.qi:
        return table.with_roles([c for c in table.qi if c != k_column], table.sensitive)
    return table


def _check_told(coding: Coding, table: Table) -> None:
    """Raise where a column is told of that is not there, or to no purpose."""
    for column in coding.trees:
        if column not in table.qi + table.sensitive:
            raise TableError(
                f"hierarchies: no QI or sensitive column {column!r}"
                f"{nearest(column, table.qi + table.sensitive)}"
            )
    if coding.recoding in (GENERALIZATION, NONHOMOGENEOUS):
        return
    for what, columns in (
        ("numeric", coding.numeric),
        ("hierarchies", coding.qi_trees(table)),
    ):
        if columns:
            raise ValueError(
                f"{what} of quasi-identifiers is for recoding='generalization', got "
                f"{coding.recoding!r}."
            )


def _requirement(asked: Requirement | None, further: Requirement | None) -> Requirement:
    """Return both requirements as one."""
    expect_kind("requirement", further, (Requirement, type(None)))
    parts = [part for part in (asked, further) if part is not None]
    if not parts:
        raise ValueError("Expected a requirement: k, l or another one.")
    return reduce(and_, parts)


def _exact(loss: Loss | Mapping[str, Mapping[str, float]] | None) -> Loss | None:
    """Return losses of nodes as fractions, as their decimals say; a rule as it is."""
    if not isinstance(loss, Mapping):
        return loss
    return {
        column: {node: Fraction(str(share)) for node, share in shares.items()}
        for column, shares in loss.items()
    }


def _warn_unchanged(table: Table, native: Native, purpose: Collection[str]) -> None:
    """Warn of columns, and of an index, that are published as they are."""
    kept = unchanged(table, purpose)
    kept += [f"the index {name!r}" for name in native.index_names]
    if kept:
        warnings.warn(
            f"published unchanged: {', '.join(kept)}; they may identify people (drop "
            "leaves columns out, qi protects them)",
            stacklevel=3,
        )


def _numbers(frame: Any, table: Table) -> list[str]:
    """Return the QI columns of a frame that are of numbers."""
    import narwhals as nw

    schema = nw.from_native(frame, eager_only=True).schema
    return [column for column in table.qi if schema[column].is_numeric()]


def _objective(
    goal: Goal | None,
    loss: Loss | None,
    weights: Mapping[str, int] | None,
    keep: Collection[str],
    coding: Coding,
    table: Table,
) -> Objective:
    """Return the objective, with what is told of the columns."""
    ranged = coding.recoding == GENERALIZATION or (
        coding.recoding == NONHOMOGENEOUS and coding.told
    )
    if not isinstance(goal, Objective):
        goal = Objective(
            goal or ("gcp" if ranged else "stars"), weights or {}, tuple(keep)
        )
    elif weights or keep:
        raise ValueError("weights and keep are parts of the Objective that is given.")
    if goal.kind == "gcp" and goal.scales is None:
        return replace(goal, scales=coding.scales(table, loss or "ncp"))
    if loss is not None:
        raise ValueError(f"loss={loss!r} is for the objective 'gcp'.")
    return goal


PARAMETERS = tuple(
    {*signature(anonymize).parameters, *signature(solve).parameters}
    - {"frame", "table", "taxonomies", "options"}
)
