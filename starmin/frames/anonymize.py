"""From a data frame to its release: the first function to call."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, get_args

from starmin.call_arguments import Goal, OnProgress, Sensitivity, given_of
from starmin.frames.anonymization import Anonymization, FrameT
from starmin.frames.data_frames import native_of
from starmin.frames.frame_problem import (
    FRAME,
    columns_of,
    limits_told,
    pose,
    reading_sets,
    serving_columns,
    table_of,
)
from starmin.frames.rendering import Rendering, Stars
from starmin.inputs.option_groups import python_words
from starmin.instances import NonHomogeneous, Partition, Progress, Requirement
from starmin.instances.arguments import (
    expect_choice,
    expect_function,
    expect_kind,
    expect_names,
    nearest,
)
from starmin.instances.releases.coding import RecodingName
from starmin.instances.releases.release import deleted_rows
from starmin.instances.requirements.office_rules import Semantics
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.node_losses import Loss
from starmin.instances.tables.random_orders import secret_order
from starmin.instances.times.signs import Period
from starmin.process.faults import InternalError
from starmin.recipes.by_recipe import expect_columns
from starmin.recipes.recipe import keywords_of
from starmin.solving import Search, Solution, solve_problem
from starmin.verify.releases.disclosure import Disclosure

Diversity = Literal["frequency", "distinct", "entropy", "recursive"]
Distance = Literal["equal", "ordered", "hierarchical"]


def anonymize(
    frame: FrameT,
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
    person: str | None = None,
    household: str | None = None,
    pseudonym: bool = False,
    alike: Sequence[str] | None = None,
    combinations: int | str | Mapping[int, int] | None = None,
    rules: Sequence[tuple[Sequence[str], int]] | Path | str | None = None,
    strata: Sequence[str] | None = None,
    linked: Sequence[str | Sequence[str]] | None = None,
    missing_hidden: bool = False,
    semantics: Semantics | None = None,
    population: Any = None,
    population_count: str | None = None,
    requirement: Requirement | None = None,
    missing_sensitive: Sensitivity = "value",
    delete_rows: bool | int | float | str | None = None,
    recoding: RecodingName | None = None,
    numeric: Collection[str] | None = None,
    hierarchies: Any = None,
    missing: Collection[str | None] = MISSING,
    rounding: Mapping[str, float | str] | None = None,
    max_level: Mapping[str, int] | None = None,
    min_level: Mapping[str, int] | None = None,
    top: Mapping[str, float] | None = None,
    bottom: Mapping[str, float] | None = None,
    width: Mapping[str, tuple[float | None, float | None] | str] | None = None,
    date_format: Mapping[str, str] | None = None,
    sets: Mapping[str, str] | None = None,
    objective: Goal | None = None,
    loss: Loss | Mapping[str, Mapping[str, float]] | None = None,
    weights: Mapping[str, int] | None = None,
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    star: str = "*",
    stars: Stars = "text",
    intervals: bool = False,
    shuffle: bool = False,
    pad: bool = False,
    margin: int = 0,
    decoys: float = 0.0,
    method: str = "auto",
    time_limit: float | None = None,
    gap: float | None = None,
    patience: float | None = None,
    seed: int | None = None,
    workers: int | None = None,
    work_limit: int | None = None,
    initial: Anonymization[Any] | Partition | NonHomogeneous | None = None,
    within: Any = None,
    on_progress: OnProgress | None = None,
    display: bool | None = None,
    recipe: Path | str | None = None,
    unchanged: Collection[str] = (),
    weight: str | None = None,
    **options: Any,
) -> Anonymization[FrameT]:
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
    person, household
        The column with the id of each row's person, or household: these are counted
        instead of rows. It is not published.
    pseudonym
        Publish the ids of persons numbered anew at random; then all rows of a person
        are published alike.
    alike
        Columns that all rows of a household are published alike in, as what they have
        in common where they differ. Default: what is constant in each household.
    requirement
        A further one, joined to these.
    missing_sensitive
        What a missing sensitive value counts as: one more ``value``; ``any`` value, so
        that what is required holds whatever it is; or ``none``, for nobody.
    combinations, rules, strata, linked, missing_hidden, semantics
        Rules of statistical offices, by which each row has stars of its own: every
        combination of so many columns at least k times (``3``, ``{1: 20, 2: 10}``);
        sets of columns with their k, or a file of them; columns within whose values
        rows are counted; sets of columns that are starred together; whether missing
        cells count as hidden already; and whether ``source``, ``shown`` or ``classes``
        count.
    population, population_count
        A frame or file of people: what a row shows of the columns of a rule fits at
        least k of them (k-map); and its column of how many people a row stands for.
    recoding
        ``suppression`` (stars), ``generalization`` (ranges and nodes of hierarchies),
        ``permutation`` (sensitive values apart) or ``nonhomogeneous`` (stars for each
        row by itself). Default: generalization where ``numeric`` or ``hierarchies``
        are given, else suppression.
    numeric
        Columns of numbers or times that are generalized to ranges; default: for
        generalization, those of such types that have no hierarchy.
    hierarchies
        By column a Taxonomy, a file in ARX's form, a nested dict, a list of widths of
        ranges as ``[5, 10]``, or a frame of levels; or a folder of files.
    missing
        What else than a missing cell stands for a missing value.
    rounding, max_level
        By column of numbers: ranges begin and end at multiples; of times: at those of
        a period, as ``month`` or ``15minute``. By column with a hierarchy: the highest
        level whose nodes are published.
    min_level, top, bottom
        What is never published, whoever is in a group. By column with a hierarchy: the
        least level whose nodes are published. By column of numbers: from which on, or
        up to which, all are published alike, as ``90+`` or ``<=18``.
    width
        By column of numbers: the least and the greatest length of ranges, each a
        number or None, or of times a text as ``7day..30day``. Shorter ranges are
        widened; for longer ones a star is published.
    date_format
        By column of text in ``numeric``: how its times are written, in the signs of
        ``strptime``; default: ISO 8601.
    sets
        By column of text whose cells hold several values: what separates them. Cells
        with the same values, in whatever order, are published alike.
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
    delete_rows
        Whether rows may be deleted: at the price of a row that shows nothing (True), or
        at a price of so many stars. They are not in ``frame``.
    pad, margin, decoys
        Defences against who knows how releases are made: hide more of classes that are
        known in full; solve l + ``margin``; hide a share of rows drawn in secret.
    method
        The name of a method; ``auto`` chooses.
    time_limit, gap, patience, work_limit
        What ends the search: seconds (default: 300 for ``auto``), a gap of 0.01 for one
        per cent, seconds without a better value or bound, or units of work.
    seed, workers
        Of whatever is random, default 0; how many cores are used, default all.
    initial
        A release to start from; it may be an earlier one of the same frame.
    on_progress
        Called with a ``Progress`` at each improvement, value and bound as the release
        has them: for ``gcp`` as shares of 1. A true value that it returns ends the
        search.
    display
        Whether progress is shown on stderr; default: a live line of a search that takes
        longer than two seconds.
    within
        An earlier release of the same rows in the same order, or its frame: each class
        is a union of its classes, so that both together tell no more than it does.
    recipe
        A settings file, as ``starmin new`` proposes: what it tells holds where no
        argument says otherwise, column by column. What it says of files is left out.
    unchanged, weight
        Columns that are published as they are on purpose, without a warning, and the
        one of sampling weights: no quasi-identifiers by default.
    options
        Further arguments of the method.

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
    InternalError
        A bug of starmin struck after a release was found, or the checker refuses the
        certificate: its ``result`` is an Anonymization with the release, without a
        bound.

    Warns
    -----
    UserWarning
        Of columns that are published as they are, with how many rows are unique by them
        and which hidden cells they tell; of ends of ranges that are people's values;
        and of quasi-identifiers that are as good as identifiers.

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
    call = given_of(anonymize, locals(), "frame")
    if recipe is not None:
        given = {name: value for name, value in call.items() if name != "recipe"}
        told = keywords_of(recipe, given, PARAMETERS)
        named = [*told.get("qi", ()), *told.get("drop", ()), *told.get("strata", ())]
        named += [told["k_column"]] if "k_column" in told else []
        expect_columns(FRAME, columns_of(frame), Path(recipe), named)
        return anonymize(frame, **told)
    _check_names(options)
    expect_choice("stars", stars, get_args(Stars))
    expect_kind("intervals", intervals, bool)
    expect_kind("shuffle", shuffle, bool)
    with python_words():
        native = native_of(frame)
        ids = person if household is None else household
        drop = [column for column in expect_names("drop", drop) if column != ids]
        kept = expect_names("unchanged", unchanged)
        table = table_of(native, qi, sensitive, drop, serving_columns(call), kept)
        if separators := limits_told(call)["sets"]:
            table = reading_sets(native, table, separators)
        original, posed = table, pose(table, native.frame, call)
        problem, coding = posed.problem, posed.coding
    expect_function("on_progress", on_progress)
    history: list[Progress] = []

    def hear(progress: Progress) -> object:
        history.append(progress)
        costs: dict[str, Any] = {
            name: problem.shown(getattr(progress, name))
            for name in ("value", "lower_bound")
        }
        return on_progress is not None and on_progress(replace(progress, **costs))

    def release(found: Solution) -> Anonymization[FrameT]:
        found = replace(found, runtime=perf_counter() - started)  # of all methods
        return Anonymization(
            found,
            native,
            Rendering(coding, stars, intervals),
            secret_order(table.n - deleted_rows(found.best), None) if shuffle else None,
            tuple(history),
            posed.losses,
            call,
            original,
        )

    started = perf_counter()
    try:
        with python_words():
            search = Search(
                method=method,
                time_limit=time_limit,
                gap=gap,
                patience=patience,
                seed=seed,
                workers=workers,
                work_limit=work_limit,
                display=display,
                initial=initial.best if isinstance(initial, Anonymization) else initial,
                on_progress=hear,
            )
            found = solve_problem(problem, search, options, posed.defences)
    except InternalError as error:
        error.result = release(error.result)
        raise
    made = release(found)
    if found.best is not None:
        index = [] if shuffle else native.index_names
        stated = {*expect_names("unchanged", unchanged), weight}
        _warn_disclosure(made.disclosure, index, stated)
    return made


def _check_names(options: Mapping[str, Any]) -> None:
    """Raise TypeError for a name that looks like that of an argument."""
    for name in options:
        if name not in PARAMETERS and (close := nearest(name, PARAMETERS)):
            raise TypeError(f"anonymize has no argument {name!r}{close}.")


def _warn_disclosure(
    told: Disclosure, index: Sequence[str], stated: Collection[str | None]
) -> None:
    """Warn of columns, and an index, that are published as they are; of range ends."""
    seen = told.unchanged
    is_new = seen is not None and bool({*seen.columns} - {*stated})
    kept = [str(seen)] if is_new else []
    kept += [f"the index {name}" for name in index]
    if kept:
        warnings.warn(
            f"published as they are: {'; '.join(kept)}; they may identify people (drop "
            "leaves columns out, qi protects them)",
            stacklevel=3,
        )
    for each in told.named:
        warnings.warn(f"{each}: it is published as it is", stacklevel=3)
    if told.others:
        warnings.warn(f"{told.others}: disclosure.undone names them", stacklevel=3)
    if (ends := told.range_ends) is not None:
        steps = ", ".join(
            f"{c!r}: {repr(step) if Period.parse(step) else step}"
            for c, step in ends.columns.items()
        )
        warnings.warn(f"{ends} (rounding={{{steps}}} hides them)", stacklevel=3)


PARAMETERS = tuple({*signature(anonymize).parameters} - {"frame", "options"})
