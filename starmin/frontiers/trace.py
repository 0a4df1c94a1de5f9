"""The frontier in Python: one call for several requirements."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Unpack

from starmin.auto.dispatch import AUTO
from starmin.call_arguments import Goal, SolveWords, given_of, written_out
from starmin.driver import Driver
from starmin.frames.data_frames import library_of
from starmin.frames.frame_problem import pose
from starmin.frontiers.frontier_outcome import Frontier, FrontierPoint
from starmin.frontiers.frontier_search import points_of, search_frontier
from starmin.inputs.loading import Origin
from starmin.inputs.option_groups import python_words
from starmin.instances import NotSupportedError
from starmin.instances.arguments import expect_whole, plain
from starmin.instances.releases.coding import RecodingName
from starmin.outputs.recodings import expect_publishable
from starmin.outputs.summary import Summary
from starmin.process.faults import InternalError
from starmin.solving import Search

# What a frontier has no use for.
_WITHOUT = ("within", "initial", "pad", "margin", "decoys", "work_limit", "display")


@written_out(SolveWords, *_WITHOUT, "on_progress", "options")
def frontier(
    table: Any,
    k: Sequence[int] = (),
    l: Sequence[int] = (),
    *,
    qi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    recoding: RecodingName | None = None,
    numeric: Collection[str] | None = None,
    hierarchy: Any = None,
    objective: Goal | None = None,
    method: str = AUTO,
    time_limit: float | None = None,
    **words: Unpack[SolveWords],
) -> Frontier:
    """Find what more privacy costs: a release and a bound for each requirement.

    Parameters
    ----------
    table
        A table, or a data frame.
    k, l
        Values of k and of l; each k is combined with each l.
    time_limit
        Seconds for all together; default: 300 for ``auto``, none for a named method.
    workers
        Searches at a time; default: one for each processor.
    words
        Those that ``help`` lists.

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
    told = given_of(frontier, locals(), "table", "k", "l")
    return frontier_of(table, told, whole_numbers("k", k), whole_numbers("l", l))


def whole_numbers(name: str, given: Any) -> list[int]:
    """Return the values of k, or of l, that a call lists, each once."""
    numbers = plain(given)
    if isinstance(numbers, str) or not isinstance(numbers, Iterable):
        raise TypeError(
            f"Expected {name} to be a list of whole numbers, got {given!r}; write "
            f"[{given}]."
        )
    return [expect_whole(name, number, 1) for number in dict.fromkeys(numbers)]


def frontier_of(
    given: Any, told: Mapping[str, Any], ks: Sequence[int], ls: Sequence[int]
) -> Frontier:
    """Find what more privacy costs of a table or frame of which something is asked."""
    for name in (*_WITHOUT, "options"):
        if name in told:
            raise NotSupportedError(f"frontier takes no {name}.")
    if not (ks or ls):
        raise ValueError("Expected values of k or of l, got neither.")
    most = {"k": max(ks, default=None), "l": max(ls, default=None)}
    asked = pose(given, {**told, **most}, "table")
    problem, search = asked.problem, Search.of(asked.told)
    with python_words():
        expect_publishable(problem)
        further = asked.told.get("requirement")
        points = points_of(problem, ks, ls, asked.asked, further)
    control = search.expect(problem)
    driver = Driver(search.method, search.time_limit, control)
    faults: list[str] = []
    with driver:
        found = search_frontier(
            points,
            search.method,
            driver.left,
            {"seed": search.seed},
            workers=search.workers,
            control=driver.control,
            failed=lambda point, error: faults.append(f"{point.words}: {error.why}"),
        )
    origin = Origin(asked.table.name)
    curve = Frontier(
        tuple(
            FrontierPoint(point, Summary.of(point.problem, origin, result))
            for point, result in found.items()
        ),
        driver.clock.elapsed(),
        library=None if asked.native is None else library_of(asked.native.frame),
    )
    if faults:
        raise InternalError("; ".join(faults), curve)
    return curve
