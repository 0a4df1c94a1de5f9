"""The frontier in Python: one call for several requirements."""

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from itertools import product
from operator import and_
from typing import Any

from starmin.auto.dispatch import AUTO
from starmin.call_arguments import (
    Sensitivity,
    counting_ids,
    expect_time_limit,
    objective_of,
    public_only,
    reading_of,
)
from starmin.driver import Driver
from starmin.frames.data_frames import library_of, native_of
from starmin.frames.frame_problem import check_told, coding_of, table_of
from starmin.frontiers.frontier_outcome import Frontier, FrontierPoint
from starmin.frontiers.frontier_search import search_frontier
from starmin.frontiers.points import Point
from starmin.inputs.loading import Origin
from starmin.inputs.option_groups import limits_of, python_words
from starmin.instances import (
    Control,
    KAnonymity,
    LDiversity,
    Objective,
    Problem,
    Reading,
    Requirement,
    Table,
    read_missing,
)
from starmin.instances.arguments import expect_kind, expect_whole, plain
from starmin.instances.releases.coding import SUPPRESSION, RecodingName
from starmin.instances.scales.missing import MISSING
from starmin.instances.tables.table import as_sets
from starmin.outputs.recodings import RECODINGS
from starmin.outputs.summary import Summary
from starmin.process.faults import InternalError


def frontier(
    table: Table | Any,
    k: Sequence[int] = (),
    l: Sequence[int] = (),
    *,
    qi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] = (),
    requirement: Requirement | None = None,
    missing_sensitive: Sensitivity = "value",
    person: str | None = None,
    household: str | None = None,
    pseudonym: bool = False,
    alike: Sequence[str] | None = None,
    recoding: RecodingName | None = None,
    numeric: Collection[str] | None = None,
    hierarchies: Any = None,
    missing: Collection[str | None] = MISSING,
    rounding: Mapping[str, float | str] | None = None,
    max_level: Mapping[str, int] | None = None,
    min_level: Mapping[str, int] | None = None,
    top: Mapping[str, float | str] | None = None,
    bottom: Mapping[str, float | str] | None = None,
    width: Mapping[str, tuple[float | None, float | None] | str] | None = None,
    date_format: Mapping[str, str] | None = None,
    sets: Mapping[str, str] | None = None,
    objective: Objective | None = None,
    method: str = AUTO,
    time_limit: float | None = None,
    gap: float | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Frontier:
    """Find what more privacy costs: a release and a bound for each requirement.

    Parameters
    ----------
    table
        A table, or a data frame.
    k, l
        Values of k and of l; each k is combined with each l.
    qi, sensitive
        The columns of a data frame; a table has its own.
    requirement
        A further one, joined to each.
    missing_sensitive
        What a missing sensitive value counts as: one more ``value``, ``any`` or
        ``none``.
    person, household, pseudonym
        The column with the id of each row's person or household, which are counted
        instead of rows; whether the ids are published, numbered anew.
    alike
        Columns that all rows of a household are published alike in; default: those that
        are constant in each household.
    recoding, numeric
        How groups are published; the columns that are generalized to ranges.
    hierarchies
        Taxonomies, files, nested dicts or frames of levels by column, or a folder of
        files.
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
    objective
        ``stars``, ``tuples``, ``gcp`` or an Objective; default: gcp for generalization,
        else stars.
    method, seed
        The name of a method, or ``auto``; the seed of whatever is random.
    time_limit
        Seconds for all together; default: 300 for ``auto``, none for a named method.
    gap
        The search for a requirement ends where its gap is not above this.
    workers
        Searches at a time; default: one for each processor.

    Returns
    -------
    Frontier
        ``points`` in the order of k and l, each with ``asked``, ``share`` (what its
        release costs, as a share of publishing nothing), ``least_share`` (what every
        release costs at least) and ``result``. A notebook shows the curve. Releases
        have their rows in the order of the table: publish one of them, as two side by
        side show what either hides (``side_by_side`` says how much).

    Raises
    ------
    NotSupportedError
        No method takes the problem.
    TableError, TypeError, ValueError
        The table cannot be published so; an argument is of another type or impossible.
    InternalError
        A bug of starmin struck; its result has the frontier.

    Examples
    --------
    >>> from starmin.instances.catalogue.catalogue import load_instance
    >>> curve = frontier(load_instance("hospital"), k=[2, 3], l=[2])
    >>> [(point.asked.k, point.result.value, point.share) for point in curve.points]
    [(2, 6, 0.2), (3, 15, 0.5)]
    """
    driver = Driver(method, time_limit, Control((), gap))
    frame = None
    ids = [column for column in (person, household) if column is not None]
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
        if isinstance(table, Table):
            table = public_only(table, *ids)
        else:
            native = native_of(table)
            frame, table = native.frame, table_of(native, qi, sensitive, (), ids)
        table = as_sets(table, limits["sets"], "sets")
        coding = coding_of(frame, table, recoding, numeric, hierarchies, **limits)
        check_told(coding, table)
        before, table = table, coding.floored(table)
        expect_kind("objective", objective, (Objective, type(None)))
        goal = objective_of(objective, table, coding)
        RECODINGS[coding.recoding or SUPPRESSION].expect(table, coding)

    def counted(asked: Requirement) -> Requirement:
        told = person, household, pseudonym, alike, coding.missing
        return counting_ids(table, asked, *told)[1]

    reading = reading_of(missing_sensitive, coding.missing)
    with python_words():
        points = [
            Point(a, b, Problem(table, counted(asked), goal, coding, before))
            for a, b, asked in _asked(k, l, requirement, reading)
        ]
    expect_time_limit(time_limit)
    faults: list[str] = []
    with driver:
        found = search_frontier(
            points,
            method,
            driver.left,
            {"seed": seed},
            workers=workers,
            control=driver.control,
            failed=lambda point, error: faults.append(f"{point.words}: {error.why}"),
        )
    origin = Origin(table.name)
    curve = Frontier(
        tuple(
            FrontierPoint(point, Summary.of(point.problem, origin, result))
            for point, result in found.items()
        ),
        driver.clock.elapsed(),
        library=None if frame is None else library_of(frame),
    )
    if faults:
        raise InternalError("; ".join(faults), curve)
    return curve


def _asked(
    ks: Sequence[int],
    ls: Sequence[int],
    further: Requirement | None,
    reading: Reading | None,
) -> list[tuple[int | None, int | None, Requirement]]:
    """Combine each k with each l and with what is required besides."""
    each = {"k": plain(ks), "l": plain(ls)}
    ks, ls = (
        [expect_whole(name, number, 1) for number in numbers]
        for name, numbers in each.items()
    )
    if not (ks or ls):
        raise ValueError("Expected values of k or of l, got neither.")
    asked = []
    for a, b in product(dict.fromkeys(ks) or [None], dict.fromkeys(ls) or [None]):
        parts: list[Requirement] = [] if a is None else [KAnonymity(a)]
        parts += [] if b is None else [LDiversity(b)]
        parts += [] if further is None else [further]
        asked.append((a, b, read_missing(reduce(and_, parts), reading)))
    return asked
