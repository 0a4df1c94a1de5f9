"""The functions of ``import starmin``: the command line without a command line."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from starmin.auto.dispatch import AUTO
from starmin.call_arguments import (
    Goal,
    IdColumns,
    OnProgress,
    Published,
    Sensitivity,
    Taxonomies,
    Wanted,
    control_of,
    counting_ids,
    deleting,
    expect_publishable,
    expect_time_limit,
    given_of,
    is_asked,
    of_kept,
    posed,
    public_only,
    reading_of,
    requirement_of,
    table_given,
    trees_of,
    warn,
)
from starmin.defences.defences import Defences
from starmin.driver import Driver
from starmin.extensions import register_installed
from starmin.frames.recipe_tables import solve_by_recipe, verified_by_recipe
from starmin.inputs.declared import DEFENCES
from starmin.inputs.earlier_releases import nested_claim, nested_in
from starmin.inputs.option_groups import limits_of, python_words
from starmin.instances import (
    Coding,
    NonHomogeneous,
    Objective,
    Partition,
    Requirement,
    Result,
    Table,
)
from starmin.instances.arguments import (
    expect_choice,
    expect_kind,
    expect_names,
    expect_whole,
)
from starmin.instances.releases.coding import RecodingName
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import Stated, of_kind, part_of
from starmin.instances.runs.cores import limited_to
from starmin.instances.runs.method import Method
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.range_notation import RangeStyle
from starmin.instances.tables.table import as_sets
from starmin.registry import METHODS
from starmin.solving import Search, Solution, solve_problem

if TYPE_CHECKING:
    from starmin.verify.releases.release_check import ReleaseCheck


def solve(
    table: Table,
    k: int | None = None,
    l: int | None = None,
    *,
    requirement: Requirement | None = None,
    missing_sensitive: Sensitivity = "value",
    person: str | None = None,
    household: str | None = None,
    pseudonym: bool = False,
    alike: Sequence[str] | None = None,
    method: str = AUTO,
    objective: Goal | None = None,
    time_limit: float | None = None,
    gap: float | None = None,
    patience: float | None = None,
    on_progress: OnProgress | None = None,
    seed: int | None = None,
    workers: int | None = None,
    work_limit: int | None = None,
    display: bool | None = None,
    initial: Partition | NonHomogeneous | None = None,
    within: Table | None = None,
    delete_rows: bool | int | float | str | None = None,
    recoding: RecodingName = "suppression",
    numeric: Collection[str] = (),
    taxonomies: Taxonomies | None = None,
    missing: Collection[str | None] = MISSING,
    rounding: Mapping[str, float | str] | None = None,
    max_level: Mapping[str, int] | None = None,
    min_level: Mapping[str, int] | None = None,
    top: Mapping[str, float | str] | None = None,
    bottom: Mapping[str, float | str] | None = None,
    width: Mapping[str, tuple[float | None, float | None] | str] | None = None,
    date_format: Mapping[str, str] | None = None,
    sets: Mapping[str, str] | None = None,
    pad: bool = False,
    margin: int = 0,
    decoys: float = 0.0,
    recipe: Path | str | None = None,
    **options: Any,
) -> Solution:
    """Find the release of a table that satisfies a requirement at the least cost.

    Parameters
    ----------
    table
        Read by ``read_table`` or taken by ``from_frame``.
    k, l
        k-anonymity, l-diversity (frequency form), or both.
    requirement
        Further ones, joined to these.
    missing_sensitive
        What a missing sensitive value (a missing or empty cell, or ``?``) counts as:
        one more ``value``; ``any`` value, so that what is required holds whatever it
        is; or ``none``, for nobody. With other marks: a requirement ``MissingValues``.
    person, household
        The column with the id of each row's person, or household: these are counted
        instead of rows. It is not published.
    pseudonym
        Publish the ids of persons numbered anew at random; then all rows of a person
        are published alike.
    alike
        Columns that all rows of a household are published alike in, as what they have
        in common where they differ. Default: what is constant in each household.
    method
        A name of ``methods()``; ``auto`` takes what fits.
    objective
        ``stars``, ``tuples``, ``gcp``, or an Objective with weights, columns to keep
        and, for ``gcp``, the scales of generalized columns. Default: ``gcp`` for
        ``generalization`` and where columns are numeric or have taxonomies, else
        ``stars``.
    time_limit
        Seconds; default: 300 for ``auto``, none for a named method. A method that takes
        none runs to its end, with a warning.
    gap
        The search ends where the gap is no larger: 0.01 for one per cent. Default: 0,
        and 1e-6 for losses.
    patience
        It ends after so many seconds without a better value or bound.
    on_progress
        Called with a ``Progress`` at each improvement and at each new step, one call
        at a time. Where it returns a true value the search ends, and what was found is
        returned; what it raises ends the search and is raised.
    seed
        Of whatever is random; default: 0. A method without randomness warns of one.
    workers
        How many cores the search may use; default: all that there are.
    work_limit
        Units of work instead of seconds: the same table, arguments and version then
        give the same release. A million take about a second of one core.
    display
        Show the progress on stderr: a live line in a terminal or a notebook, else a
        line (time, value, bound, gap, what is running) at each improvement. Default:
        the live line alone, of a search that takes longer than two seconds.
    initial
        A release to start from.
    within
        An earlier release of the same rows in the same order, as published: each class
        is a union of its classes, so that both together tell no more than it does.
    delete_rows
        Whether rows may be deleted: at the price of a row that shows nothing (True), or
        at a price of so many stars; for ``gcp`` times what such a row loses. ``best``
        then has the groups of the kept rows. For k-anonymity and diversity by
        frequency, published by suppression.
    recoding
        How the rows of a group are published: with stars (``suppression``), with
        ranges and nodes of taxonomies (``generalization``), or as they are, the
        sensitive values apart (``permutation``). ``nonhomogeneous``: each row with
        stars of its own (k-anonymity alone).
    numeric, taxonomies
        For the objective ``gcp``: the columns with ranges of numbers, and the trees
        whose nodes others have, or the rules that make them of the values, or their
        texts (``hierarchy_rule``); not beside an Objective with scales of its own.
    missing
        What else than a missing cell stands for a missing value.
    rounding, width
        By column of numbers or times: what ends of ranges are multiples of, as ``5`` or
        ``month``; and the least and the greatest length of a range.
    max_level, min_level
        By column with a taxonomy: the highest and the least level whose nodes are
        published.
    top, bottom
        By column of numbers: from which on, or up to which, all are published alike, as
        ``90+`` or ``<=18``.
    date_format, sets
        By column of text: how its times are written, in the signs of ``strptime``; or
        what separates the values of a cell.
    pad, margin, decoys
        Defences against who knows how releases are made
        (``docs/explanation/attacks.md``): hide more of classes that closure tells in
        full; solve l + ``margin`` for a promise of l; hide a row of so large a share of
        the distinct rows that could be published whole, drawn in secret. The value
        counts what they hide; bound and certificate are of the problem without ``pad``
        and ``decoys``. ``defences`` of the result says what was done.
    recipe
        A settings file, as ``starmin new`` proposes: what it tells holds where no
        argument says otherwise, column by column, roles of columns included. What it
        says of files is left out.
    options
        Further arguments of the method.

    Returns
    -------
    Solution
        A Result whose ``published`` is the table to publish, whatever the recoding;
        ``release.tables()`` has the second table of a permutation, too. ``limit`` says
        why the search ended early, if it did. An interrupt
        (Ctrl-C) ends the search, and what was found is returned.

    Raises
    ------
    NotSupportedError
        The method does not take the problem.
    TableError
        The table cannot be published so.
    TypeError, ValueError
        An argument is of another type, a name that is not known, or impossible.
    InternalError
        A bug of starmin struck after a release was found, or the checker refuses the
        certificate: its ``result`` is a Solution with the release, and without a bound.

    Warns
    -----
    UserWarning
        A quasi-identifier has nearly as many values as there are rows; or the method
        does not take the time limit or the seed that was given.

    Examples
    --------
    >>> from starmin.instances.catalogue.catalogue import load_instance
    >>> result = solve(load_instance("hospital"), k=2)
    >>> result.value, result.status.value
    (2, 'optimal')
    """
    if recipe is not None:
        given = given_of(solve, locals())
        with python_words():
            return solve_by_recipe(table, recipe, given)
    limits = limits_of(
        missing=missing,
        rounding=rounding,
        max_level=max_level,
        min_level=min_level,
        top=top,
        bottom=bottom,
        width=width,
        date_format=date_format,
        sets=sets,
    )
    with python_words():
        defences, solved = None, l
        if Stated({"pad": pad, "margin": margin, "decoys": decoys}).asks(DEFENCES):
            defences = Defences(pad, margin, decoys, l, python=True)
            solved = defences.solved
        wanted = Wanted(k, solved, requirement, missing_sensitive)
        ids = IdColumns(person, household, pseudonym, alike)
        published = Published(recoding, numeric, taxonomies)
        problem = posed(table, wanted, ids, objective, published, limits)
        problem = nested_in(deleting(problem, delete_rows), within)
        expect_publishable(problem)
        search = Search(
            method=method,
            time_limit=time_limit,
            gap=gap,
            patience=patience,
            on_progress=on_progress,
            seed=seed,
            workers=workers,
            work_limit=work_limit,
            display=display,
            initial=initial,
        )
        return solve_problem(problem, search, options, defences)


def bound(
    table: Table,
    k: int | None = None,
    l: int | None = None,
    *,
    requirement: Requirement | None = None,
    missing_sensitive: Sensitivity = "value",
    person: str | None = None,
    household: str | None = None,
    pseudonym: bool = False,
    alike: Sequence[str] | None = None,
    method: str = AUTO,
    objective: Goal | None = None,
    time_limit: float | None = None,
    patience: float | None = None,
    on_progress: OnProgress | None = None,
    workers: int | None = None,
    display: bool | None = None,
    within: Table | None = None,
    delete_rows: bool | int | float | str | None = None,
    recoding: RecodingName = "suppression",
    numeric: Collection[str] = (),
    taxonomies: Taxonomies | None = None,
    missing: Collection[str | None] = MISSING,
    rounding: Mapping[str, float | str] | None = None,
    max_level: Mapping[str, int] | None = None,
    min_level: Mapping[str, int] | None = None,
    top: Mapping[str, float | str] | None = None,
    bottom: Mapping[str, float | str] | None = None,
    width: Mapping[str, tuple[float | None, float | None] | str] | None = None,
    date_format: Mapping[str, str] | None = None,
    sets: Mapping[str, str] | None = None,
) -> Result[Any]:
    """Bound the cost of every release from below, with a certificate.

    Parameters are those of ``solve``; methods are those of the kind ``bound``, and
    ``auto`` keeps the best of all that take the problem.

    Examples
    --------
    >>> from starmin.instances.catalogue.catalogue import load_instance
    >>> bound(load_instance("hospital"), l=2).lower_bound
    6
    """
    expect_kind("method", method, str)
    if workers is not None:
        expect_whole("workers", workers, 1)
    if display is not None:
        expect_kind("display", display, bool)
    control = control_of(None, patience, on_progress)
    expect_time_limit(time_limit)
    limits = limits_of(
        missing=missing,
        rounding=rounding,
        max_level=max_level,
        min_level=min_level,
        top=top,
        bottom=bottom,
        width=width,
        date_format=date_format,
        sets=sets,
    )
    with python_words():
        wanted = Wanted(k, l, requirement, missing_sensitive)
        ids = IdColumns(person, household, pseudonym, alike)
        published = Published(recoding, numeric, taxonomies)
        problem = posed(table, wanted, ids, objective, published, limits)
        problem = nested_in(deleting(problem, delete_rows), within)
        quiet = None if display is None else not display
        how = method, time_limit, control
        with limited_to(workers), Driver(*how, quiet=quiet) as driver:
            warn(driver.cautions(problem, {}), stacklevel=3)
            return driver.bound(problem, {"workers": workers})


def verify(
    released: Table | Any,
    k: int | None = None,
    l: int | None = None,
    *,
    qi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    requirement: Requirement | None = None,
    missing_sensitive: Sensitivity = "value",
    person: str | None = None,
    household: str | None = None,
    pseudonym: bool = False,
    alike: Sequence[str] | None = None,
    original: Table | Any = None,
    within: Table | Any = None,
    delete_rows: bool | int | float | str | None = None,
    objective: Goal | None = None,
    star: str = "*",
    numeric: Collection[str] = (),
    taxonomies: Taxonomies | None = None,
    missing: Collection[str | None] = MISSING,
    rounding: Mapping[str, float | str] | None = None,
    max_level: Mapping[str, int] | None = None,
    min_level: Mapping[str, int] | None = None,
    top: Mapping[str, float | str] | None = None,
    bottom: Mapping[str, float | str] | None = None,
    width: Mapping[str, tuple[float | None, float | None] | str] | None = None,
    date_format: Mapping[str, str] | None = None,
    sets: Mapping[str, str] | None = None,
    range_style: RangeStyle = "auto",
    recipe: Path | str | None = None,
) -> "ReleaseCheck":
    """Recompute from its cells whether a release satisfies a requirement.

    Parameters
    ----------
    released
        The release, whoever made it: a table, or a data frame whose cells are text
        where they are stars, ranges or nodes.
    qi, sensitive
        The columns in these roles. Default: those of a table; all of a frame are
        quasi-identifiers.
    k, l, requirement
        k-anonymity, l-diversity (frequency form), a further one; without any, what
        holds is said.
    missing_sensitive
        What a missing sensitive value counts as: one more ``value``, ``any`` or
        ``none``.
    person, household, pseudonym
        The column of the original with the id of each row's person or household, or
        whether the release has such ids: these are counted instead of rows.
    alike
        Columns that all rows of a household are published alike in; default: those that
        are constant in each household of the original.
    original
        The table or frame it was made of: compared cell by cell, if given.
    within
        The release, a table or a frame, whose classes have to be whole in those of
        this one.
    delete_rows, objective
        Whether rows may be deleted, and at which price. With the original, ``value`` is
        what the release costs by this objective (default: stars), its deleted rows
        counted.
    star
        The symbol of a suppressed cell.
    numeric, taxonomies
        Of a release by generalization: the columns with ranges of numbers, and the
        trees whose nodes others have, or rules as for ``solve``.
    missing
        What else than a missing cell stands for a missing value.
    rounding, width
        By column of numbers or times: what ends of ranges are multiples of, as ``5`` or
        ``month``; and the least and the greatest length of a range.
    max_level, min_level
        By column with a taxonomy: the highest and the least level whose nodes are
        published.
    top, bottom
        By column of numbers: from which on, or up to which, all are published alike, as
        ``90+`` or ``<=18``. A cell that tells more, or is below the least level, is
        refused.
    date_format, sets
        By column of text: how its times are written, in the signs of ``strptime``; or
        what separates the values of a cell.
    range_style
        How ranges of numbers are written: as ``ours`` (``[35-45]``), ``arx``
        (``[15, 20[``, ``>=90``), ``pandas`` (``(19.9, 29.0]``), ``sdcmicro``
        (``(15,20]``, ``20-29``), or ``auto``: any of them.
    recipe
        A settings file: the roles of columns, the requirement and the recoding that it
        tells hold where no argument says otherwise.

    Examples
    --------
    >>> released = Table.from_rows(["age"], [["*"], ["*"], ["30"]], qi=["age"])
    >>> verify(released, k=2).holds
    False
    >>> verify({"age": ["*", "*"], "ill": ["flu", "flu"]}, sensitive="ill").k
    2
    """
    from starmin.outputs.original_checks import check_persons, in_release, value_of
    from starmin.verify.releases.release_check import check_release

    if recipe is not None:
        return verify(
            **verified_by_recipe(released, recipe, given_of(verify, locals()))
        )
    with python_words():
        released = table_given("released", released, qi, sensitive)
        if original is not None:
            original = table_given(
                "original", original, released.qi, released.sensitive
            )
        expect_kind("star", star, str)
        expect_choice("range_style", range_style, get_args(RangeStyle))
        limits = limits_of(
            missing=missing,
            rounding=rounding,
            max_level=max_level,
            min_level=min_level,
            top=top,
            bottom=bottom,
            width=width,
            date_format=date_format,
            sets=sets,
        )
        released = as_sets(released, limits["sets"], "sets")
        original = original and as_sets(original, limits["sets"], "sets")
        numeric = expect_names("numeric", numeric)
        for column in (*numeric, *(taxonomies or {})):
            expect_choice("a column with ranges or nodes", column, released.qi)
        there, unknown = released if original is None else original, limits["missing"]
        trees = trees_of(taxonomies, there, unknown, star if original is None else None)
        asked = k is not None or l is not None or requirement is not None
        expected = None
        if asked:
            expected = requirement_of(k, l, requirement, missing_sensitive, unknown)
        if is_asked(delete_rows):
            expected = of_kept(expected, delete_rows)
        elif objective is not None and of_kind(expected, DeletedRows) is None:
            raise ValueError("Expected delete_rows beside objective.")
        cells = None
        coding = Coding(None, star, numeric, trees, range_style=range_style, **limits)
        ids = household if person is None else person
        if expected is not None and ids is not None and original is None and pseudonym:
            expected = in_release(released, expected, ids)
        elif expected is not None and original is not None:
            given = person, household, pseudonym, alike
            original = public_only(original, person, household)
            coarse = coding.floored(original)
            _, expected = counting_ids(coarse, expected, *given, unknown)
        if coding.told:
            from starmin.verify.cells.read_cells import read_cells

            cells = read_cells(released, coding, original)
        if expected is not None and part_of(expected, Persons) is not None:
            return check_persons(released, expected, original, star, cells)
        if ids is not None:
            raise ValueError("Expected the original: it says whose row is whose.")
        reading = reading_of(missing_sensitive, unknown)
        if within is not None:
            within = table_given("within", within, released.qi, ())
            claim = released, original, expected, within.with_roles(released.qi)
            released, original, expected = nested_claim(*claim, coding, "within")
        check = check_release(released, expected, original, star, cells, reading)
        goal = objective
        if not isinstance(goal, Objective):
            goal = Objective(goal or "stars")
        if check.consistent is False:
            return check
        value = value_of(released, expected, original, goal, coding)
        return replace(check, value=value)


def methods() -> tuple[Method, ...]:
    """List all methods: exact ones, heuristics and bounds; then other packages'."""
    register_installed()
    return tuple(METHODS.values())
