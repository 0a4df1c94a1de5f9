"""What ``starmin.audit`` and ``starmin audit`` do: from tables to inferences."""

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, get_args

from starmin.call_arguments import renamed
from starmin.frames.anonymization import Anonymization
from starmin.frames.frame_problem import expect_ranged, in_roles, read_hierarchies
from starmin.frames.shown import ShownAudit
from starmin.instances import Coding, NotSupportedError, Requirement, Table, arguments
from starmin.instances.releases.coding import (
    GENERALIZATION,
    PERMUTATION,
    SUPPRESSION,
    RecodingName,
)
from starmin.instances.requirements.requirement import MASK
from starmin.instances.requirements.requirements import Asked
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.range_notation import RangeStyle
from starmin.verify.audit.audit_release import Audit, Knows, Model, Question
from starmin.verify.audit.audit_release import audit as inferred
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.nonhomogeneous.check_nonhomogeneous import NonHomogeneousCheck
from starmin.verify.releases.release_check import ReleaseCheck, check_release

if TYPE_CHECKING:
    from starmin.instances.requirements.requirement import Core


@renamed
def audit(
    releases: Any,
    k: int | None = None,
    l: int | None = None,
    *,
    qi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] = (),
    requirement: Requirement | None = None,
    original: Any = None,
    model: Model = "unknown",
    knows: Knows = "nothing",
    star: str = "*",
    numeric: Collection[str] = (),
    hierarchy: Any = None,
    missing: Collection[str | None] = MISSING,
    range_style: RangeStyle = "auto",
    time_limit: float = math.inf,
) -> Audit:
    """Infer what a release tells an attacker who knows how it was made.

    Parameters
    ----------
    releases
        A release, or a list of several of one table: what ``anonymize`` returned, which
        says all below but ``model`` and ``knows`` by itself; a table, its QI and
        sensitive columns named; or a data frame.
    k, l, requirement
        What the groups were asked to satisfy; without any, what holds is taken.
    qi, sensitive
        The columns of data frames, as for ``anonymize``.
    original
        The table, or data frame: what is inferred is compared with it.
    model
        How the release was made: ``optimal``, that is by a search which no single move
        of a row would improve; by ``stages`` of rising generality, as ARX does; or
        ``unknown``.
    knows
        What the attacker knows beside the releases: ``nothing``; ``qi``, the
        quasi-identifiers of all people; or ``classes``, whose row is in which class as
        well. More than nothing needs the original.
    star, missing
        The symbol of a suppressed cell; what else stands for a missing value.
    numeric, hierarchy
        Of a release by generalization: the columns with ranges of numbers, and the
        hierarchies whose nodes others have.
    range_style
        How ranges are written: ``ours``, ``arx``, ``pandas``, ``sdcmicro``, or
        ``auto``: any of them.
    time_limit
        Seconds that each inference may take. Minimality by classes looks at as many as
        it can and says at how many; others are not counted if they take longer.

    Returns
    -------
    Audit
        For each kind of inference what it tells; None where it does not apply. It shows
        itself: ``plot()`` draws which share of the hidden cells each narrows.

    Raises
    ------
    NotSupportedError
        A release by permutation, or by rules over combinations.

    Examples
    --------
    >>> released = Table.from_rows(["sex"], [["*"], ["*"], ["f"], ["m"]], qi=["sex"])
    >>> found = audit(released)
    >>> found.closure.pinned, found.closure.whole
    (2, 2)
    """
    given = list(releases if isinstance(releases, list | tuple) else [releases])
    if not given:
        raise ValueError("Expected a release or more, got none.")
    made = given[0] if isinstance(given[0], Anonymization) else None
    tables = [_released(each, qi, sensitive) for each in given]
    if original is None and made is not None:
        original = made.made_of
        if made.order is not None and tables[0].n == original.n:  # no row was deleted
            original = original.take(made.order)
    elif original is not None:
        original = _released(original, qi or tables[0].qi, sensitive)
    arguments.expect_kind("star", star, str)
    arguments.expect_choice("range_style", range_style, get_args(RangeStyle))
    arguments.expect_choice("model", model, get_args(Model))
    arguments.expect_choice("knows", knows, get_args(Knows))
    arguments.expect_number("time_limit", time_limit)
    if knows != "nothing" and original is None:
        raise ValueError("Expected the original: it says what the attacker knows.")
    numeric = arguments.expect_names("numeric", numeric)
    expect_ranged(numeric, tables[0])
    there, alone = (tables[0], star) if original is None else (original, None)
    trees = read_hierarchies(hierarchy, there, tables[0].qi, missing, alone)
    way: RecodingName = GENERALIZATION if numeric or trees else SUPPRESSION
    coding = Coding(way, star, numeric, trees, tuple(missing), range_style=range_style)
    if made is not None:
        coding = made.solution.problem.coding
        star = coding.star
    arguments.expect_kind("requirement", requirement, (Requirement, type(None)))
    stated = Asked({"k": k, "l": l}, trees, tuple(missing), python=True)
    asked = stated.on(there, requirement)
    cells = read_cells(tables[0], coding, original)
    checks = [
        check_release(released, asked, original, star, cells) for released in tables
    ]
    aligned = [rows_of(check, original) for check in checks]
    if asked is None and made is not None:
        asked = made.solution.problem.requirement
    core = None if asked is None else asked.core
    question = question_of(coding, core, checks[0], model, knows)
    found = inferred(tables, cells, question, original, aligned, time_limit)
    return ShownAudit(**vars(found))


def _released(
    given: Any, qi: Sequence[str] | None, sensitive: str | Sequence[str]
) -> Table:
    """Return the table of a release, whatever it is given as."""
    if isinstance(given, Table):
        return given
    if not isinstance(given, Anonymization):
        return in_roles(given, {"qi": qi, "sensitive": sensitive})[1]
    problem = given.solution.problem
    if given.recoding == PERMUTATION or problem.requirement.space == MASK:
        raise NotSupportedError(
            "audit takes no release by permutation or by rules over combinations."
        )
    return given.reread()


def rows_of(check: ReleaseCheck, original: Table | None) -> Table | None:
    """Return the original's rows in the order of a release; None: that is unknown."""
    if original is None or not check.consistent:
        return None
    return original if check.kept is None else original.take(check.kept)


def question_of(
    coding: Coding,
    core: "Core | None",
    check: ReleaseCheck | NonHomogeneousCheck,
    model: Model,
    knows: Knows,
) -> Question:
    """Return what is asked, with the greatest k and l that hold if none are stated."""
    measured = check.k, 1
    if isinstance(check, ReleaseCheck):
        measured = check.k, int(check.measures.get("l") or 1)
    k, l = measured if core is None else (core.size, core.diversity)
    return Question(coding, max(k, 1), max(l, 1), model, knows)
