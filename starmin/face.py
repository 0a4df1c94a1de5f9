"""The functions of ``import starmin``: the command line without a command line."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack, get_args

from starmin.auto.dispatch import AUTO
from starmin.call_arguments import (
    BoundingWords,
    Goal,
    SolveWords,
    VerifyWords,
    given_of,
    warn,
    written_out,
)
from starmin.driver import Driver
from starmin.extensions import register_installed
from starmin.frames import frame_problem
from starmin.frames.data_frames import native_of
from starmin.inputs.loading import named_table
from starmin.inputs.option_groups import python_words
from starmin.inputs.recoding_options import expect_plain, limits_of
from starmin.instances import Coding, NotSupportedError, Requirement, Table
from starmin.instances.arguments import expect_choice, expect_kind, expect_names
from starmin.instances.releases.coding import NONHOMOGENEOUS, PERMUTATION, RecodingName
from starmin.instances.requirements.requirements import Asked
from starmin.instances.runs.cores import limited_to
from starmin.instances.runs.method import Method
from starmin.instances.scales.range_notation import RangeStyle
from starmin.instances.tables.table import as_sets
from starmin.outputs.recodings import expect_publishable
from starmin.registry import METHODS
from starmin.solving import Search, Solution, solve_problem

if TYPE_CHECKING:
    from starmin.verify.releases.mask_check import MaskCheck
    from starmin.verify.releases.release_check import ReleaseCheck


@written_out(SolveWords)
def solve(
    table: Any,
    k: int | None = None,
    l: int | None = None,
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
) -> Solution:
    """Find the release of a table that satisfies a requirement at the least cost.

    Parameters
    ----------
    table
        A ``Table``, as ``read_table`` returns it, or a data frame.
    words
        Those that ``help`` lists.

    Returns
    -------
    Solution
        Value and bound as people read them: of losses as shares of 1 (``units`` has
        the whole numbers). ``published`` is the table to publish, whatever the
        recoding; ``release.tables()`` has the second table of a permutation, too.
        ``limit`` says why the search ended early, if it did. An interrupt (Ctrl-C)
        ends the search, and what was found is returned.

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
    asked = frame_problem.pose(table, given_of(solve, locals(), "table"), "table")
    with python_words():
        expect_publishable(asked.problem)
        told = asked.told
        options = told.get("options", {})
        return solve_problem(asked.problem, Search.of(told), options, asked.defences)


@written_out(BoundingWords)
def bound(
    table: Any,
    k: int | None = None,
    l: int | None = None,
    *,
    qi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    recoding: RecodingName | None = None,
    numeric: Collection[str] | None = None,
    hierarchy: Any = None,
    objective: Goal | None = None,
    method: str = AUTO,
    time_limit: float | None = None,
    **words: Unpack[BoundingWords],
) -> Solution:
    """Bound the cost of every release from below, with a certificate.

    Methods are those of the kind ``bound``; ``auto`` keeps the best of all that take
    the problem. There is no release: ``lower_bound`` is of losses a share of 1.

    Parameters
    ----------
    table
        A ``Table``, as ``read_table`` returns it, or a data frame.
    words
        Those that ``help`` lists.

    Examples
    --------
    >>> from starmin.instances.catalogue.catalogue import load_instance
    >>> bound(load_instance("hospital"), l=2).lower_bound
    6
    """
    return bounded(
        frame_problem.pose(table, given_of(bound, locals(), "table"), "table")
    )


def bounded(asked: frame_problem.Posed) -> Solution:
    """Bound the cost of what is asked."""
    problem, search = asked.problem, Search.of(asked.told)
    control = search.expect(problem)
    quiet = None if search.display is None else not search.display
    how = search.method, search.time_limit, control
    with python_words():
        if problem.objective.kind != "gcp":
            expect_plain(problem.coding, problem.table, problem.objective.kind)
        with limited_to(search.workers), Driver(*how, quiet=quiet) as driver:
            warn(driver.cautions(problem, {}))
            found = driver.bound(problem, {"workers": search.workers})
    return Solution(found, problem)


@written_out(VerifyWords)
def verify(
    released: Any,
    k: int | None = None,
    l: int | None = None,
    *,
    qi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    recoding: RecodingName | None = None,
    numeric: Collection[str] | None = None,
    hierarchy: Any = None,
    objective: Goal | None = None,
    **words: Unpack[VerifyWords],
) -> "ReleaseCheck | MaskCheck":
    """Recompute from its cells whether a release satisfies a requirement.

    Without a requirement it says what holds. Where rows may be deleted, ``value`` is
    what the release costs by the objective (default: stars), its deleted rows counted.

    Parameters
    ----------
    released
        The release, whoever made it: a table, or a data frame whose cells are text
        where they are stars, ranges or nodes.
    words
        Those that ``help`` lists.

    Examples
    --------
    >>> released = Table.from_rows(["age"], [["*"], ["*"], ["30"]], qi=["age"])
    >>> verify(released, k=2).holds
    False
    >>> verify({"age": ["*", "*"], "ill": ["flu", "flu"]}, sensitive="ill").k
    2
    """
    return checked(released, given_of(verify, locals(), "released"))


def checked(given: Any, stated: dict[str, Any]) -> "ReleaseCheck | MaskCheck":
    """Recompute what a release satisfies of what arguments state, and what it costs."""
    from starmin.outputs.original_checks import value_of
    from starmin.outputs.recodings import check_cells
    from starmin.verify.releases.mask_check import MaskCheck
    from starmin.verify.releases.release_check import ReleaseCheck

    with python_words():
        told = frame_problem.told_by(stated)
        if (recoding := told.get("recoding")) in (PERMUTATION, NONHOMOGENEOUS):
            raise NotSupportedError(
                f"verify checks no release by {recoding}; the verify() of what "
                "anonymize returned and the command starmin verify do."
            )
        star, style = told.get("star", "*"), told.get("range_style", "auto")
        expect_kind("star", star, str)
        expect_choice("range_style", style, get_args(RangeStyle))
        expect_kind("requirement", told.get("requirement"), (Requirement, type(None)))
        limits = limits_of(told)
        released, original = _both(given, told)
        released = as_sets(released, limits["sets"], "sets")
        original = original and as_sets(original, limits["sets"], "sets")
        there, alone = (released, star) if original is None else (original, None)
        known = there.qi + there.sensitive, limits["missing"], alone
        trees = frame_problem.read_hierarchies(told.get("hierarchy"), there, *known)
        numeric = expect_names("numeric", told.get("numeric"))
        frame_problem.expect_ranged(numeric, released)
        coding = Coding(None, star, numeric, trees, range_style=style, **limits)
        asked = Asked(
            frame_problem.stated_of(told), trees, coding.missing, True, named_table
        )
        earlier = told.get("within")
        if earlier is not None:
            earlier = frame_problem.earlier_of(earlier, released.qi)
        claim = released, original, asked, coding, earlier, told.get("requirement")
        found = check_cells(*claim)
        deleting = told.get("delete_rows") not in (None, False)
        if deleting and found.requirement is None:
            raise ValueError("Expected k, l or a requirement beside delete_rows.")
        deletes = found.requirement is not None and found.requirement.may_delete
        if "objective" in stated and not deletes:
            raise ValueError("Expected delete_rows beside objective.")
        check = found.check
        assert isinstance(check, ReleaseCheck | MaskCheck)
        if not deletes or check.consistent is False:
            return check
        goal = frame_problem.goal_of({"objective": "stars"} | told, coding, there)
        value = value_of(released, found.requirement, original, goal, coding)
        assert isinstance(check, ReleaseCheck)
        return replace(check, value=value)


def _both(given: Any, told: Mapping[str, Any]) -> tuple[Table, Table | None]:
    """Return a release and its original, if there is one, in the same roles."""
    ids = told.get("household") or told.get("person")
    drop = [c for c in expect_names("drop", told.get("drop")) if c != ids]
    there = (
        given.names
        if isinstance(given, Table)
        else frame_problem.columns_of(native_of(given, "released").frame)
    )
    left = {"drop": [c for c in drop if c in there]}
    _, released = frame_problem.in_roles(given, {**told, **left}, "released")
    if told.get("original") is None:
        return released, None
    _, original = frame_problem.in_roles(told["original"], {"drop": drop}, "original")
    return released, original.with_roles(released.qi, released.sensitive)


def methods() -> tuple[Method, ...]:
    """List all methods: exact ones, heuristics and bounds; then other packages'."""
    register_installed()
    return tuple(METHODS.values())
