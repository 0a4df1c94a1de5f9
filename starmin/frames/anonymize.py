"""From a data frame to its release: the first function to call."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, Unpack, get_args

from starmin.call_arguments import AnonymizeWords, Goal, given_of, warn, written_out
from starmin.frames.anonymization import Anonymization, FrameT
from starmin.frames.data_frames import native_of
from starmin.frames.frame_problem import Posed, pose
from starmin.frames.rendering import Rendering, Stars
from starmin.inputs.option_groups import python_words
from starmin.instances import Progress, arguments
from starmin.instances.releases.coding import RecodingName
from starmin.instances.releases.release import deleted_rows
from starmin.instances.tables.random_orders import secret_order
from starmin.instances.times.signs import Period
from starmin.outputs.recodings import expect_publishable
from starmin.process.faults import InternalError
from starmin.solving import Search, Solution, solve_problem
from starmin.verify.releases.disclosure import Disclosure


@written_out(AnonymizeWords)
def anonymize(
    frame: FrameT,
    qi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    k: int | None = None,
    l: int | None = None,
    *,
    recoding: RecodingName | None = None,
    numeric: Collection[str] | None = None,
    hierarchy: Any = None,
    objective: Goal | None = None,
    method: str = "auto",
    time_limit: float | None = None,
    **words: Unpack[AnonymizeWords],
) -> Anonymization[FrameT]:
    """Anonymize a data frame at the least cost, and prove how little is possible.

    Parameters
    ----------
    frame
        Of pandas, polars, Arrow, or another library that narwhals reads. A frame that
        is computed later is computed. The frame of a ``Table`` is one of Arrow.
    words
        Those that ``help`` lists.

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
    return anonymized(pose(frame, given_of(anonymize, locals(), "frame")), frame)


def anonymized(asked: Posed, frame: FrameT) -> Anonymization[FrameT]:
    """Find the release of a frame, or table, of which something is asked."""
    told, problem = asked.told, asked.problem
    stars, shuffle = told.get("stars", "text"), told.get("shuffle", False)
    intervals, hears = told.get("intervals", False), told.get("on_progress")
    arguments.expect_choice("stars", stars, get_args(Stars))
    arguments.expect_kind("intervals", intervals, bool)
    arguments.expect_kind("shuffle", shuffle, bool)
    arguments.expect_function("on_progress", hears)
    native = native_of(frame) if asked.native is None else asked.native
    history: list[Progress] = []

    def hear(progress: Progress) -> object:
        history.append(progress)
        return hears is not None and hears(progress)

    def release(found: Solution) -> Anonymization[FrameT]:
        # Of all methods.
        units = replace(found.units, runtime=perf_counter() - started)
        rows = asked.table.n - deleted_rows(found.best)
        return Anonymization(
            replace(found, units=units),
            native,
            Rendering(problem.coding, stars, intervals),
            secret_order(rows, None) if shuffle else None,
            tuple(history),
            asked.losses,
            told,
            asked.table,
        )

    started = perf_counter()
    try:
        with python_words():
            expect_publishable(problem)
            search = replace(Search.of(told), on_progress=hear)
            options = told.get("options", {})
            found = solve_problem(problem, search, options, asked.defences)
    except InternalError as error:
        error.result = release(error.result)
        raise
    made = release(found)
    if found.best is not None:
        index = [] if shuffle else native.index_names
        kept = arguments.expect_names("unchanged", told.get("unchanged"))
        warn(_seen(made.disclosure, index, {*kept, told.get("weight")}))
    return made


def _seen(
    told: Disclosure, index: Sequence[str], stated: Collection[str | None]
) -> Iterator[str]:
    """Yield what columns and an index tell as they are published, and range ends."""
    seen = told.unchanged
    is_new = seen is not None and bool({*seen.columns} - {*stated})
    kept = [str(seen)] if is_new else []
    kept += [f"the index {name}" for name in index]
    if kept:
        yield (
            f"published as they are: {'; '.join(kept)}; they may identify people (drop "
            "leaves columns out, qi protects them)"
        )
    for each in told.named:
        yield f"{each}: it is published as it is"
    if told.others:
        yield f"{told.others}: disclosure.undone names them"
    if (ends := told.range_ends) is not None:
        steps = ", ".join(
            f"{c!r}: {repr(step) if Period.parse(step) else step}"
            for c, step in ends.columns.items()
        )
        yield f"{ends} (round={{{steps}}} hides them)"
