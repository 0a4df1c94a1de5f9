"""The functions of ``import starmin``: the command line without a command line."""

import math
import warnings
from collections.abc import Collection, Mapping
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, Literal

from instances import (
    KAnonymity,
    LDiversity,
    NonHomogeneous,
    Objective,
    Partition,
    Requirement,
    Result,
    Table,
    Taxonomy,
)
from instances.scale import FlatScale
from starmin.choose import AUTO, AUTO_TIME_LIMIT, bound_by, solve_by
from starmin.choose_matched import solve_matched
from starmin.coding import NONHOMOGENEOUS
from starmin.identifiers import identifiers
from verify.method import Method
from verify.methods import METHODS

if TYPE_CHECKING:
    from verify.release import ReleaseCheck

Goal = Objective | Literal["stars", "tuples", "gcp"]


def solve(
    table: Table,
    k: int | None = None,
    l: int | None = None,
    *,
    requirement: Requirement | None = None,
    method: str = AUTO,
    objective: Goal = "stars",
    time_limit: float | None = None,
    seed: int = 0,
    display: bool = False,
    initial: Partition | NonHomogeneous | None = None,
    recoding: Literal["suppression", "nonhomogeneous"] = "suppression",
    **options: Any,
) -> Result[Any]:
    """Find the release of a table that satisfies a requirement at the least cost.

    Parameters
    ----------
    table
        Read by ``read_table`` or taken by ``from_frame``.
    k, l
        k-anonymity, l-diversity (frequency form), or both.
    requirement
        Further ones, joined to these.
    method
        A name of ``methods()``; ``auto`` takes what fits.
    objective
        ``stars``, ``tuples``, ``gcp``, or an Objective with weights, columns to keep
        and, for ``gcp``, the scales of generalized columns.
    time_limit
        Seconds; default: 300 for ``auto``, none for a named method.
    seed
        Of whatever is random.
    display
        Print a line (time, value, bound, gap) to stderr at each improvement.
    initial
        A release to start from.
    recoding
        ``nonhomogeneous``: each row with stars of its own (k-anonymity alone); else
        the rows of a group are published alike.
    options
        Further arguments of the method.

    Returns
    -------
    Result
        ``Release(table, result.best).published`` is the table to publish;
        ``GeneralizedRelease`` and ``PermutedRelease`` are other ways to, and
        ``NonHomogeneousRelease`` is that of the recoding of this name. An interrupt
        (Ctrl-C) ends the search, and what was found is returned.

    Raises
    ------
    NotSupportedError
        The method does not take the problem.

    Warns
    -----
    UserWarning
        A quasi-identifier has nearly as many values as there are rows.

    Examples
    --------
    >>> from instances.catalogue import load_instance
    >>> result = solve(load_instance("hospital"), k=2)
    >>> result.value, result.status.value
    (2, 'optimal')
    """
    if time_limit is None:
        time_limit = AUTO_TIME_LIMIT if method == AUTO else math.inf
    options |= {
        "time_limit": time_limit,
        "seed": seed,
        "display": display,
        "initial": initial,
    }
    asked, goal = _join(k, l, requirement), _objective(objective)
    _warn_identifiers(table, goal)
    by = solve_matched if recoding == NONHOMOGENEOUS else solve_by
    return by(method, table, asked, goal, options)


def bound(
    table: Table,
    k: int | None = None,
    l: int | None = None,
    *,
    requirement: Requirement | None = None,
    method: str = AUTO,
    objective: Goal = "stars",
    time_limit: float | None = None,
    display: bool = False,
    recoding: Literal["suppression", "nonhomogeneous"] = "suppression",
) -> Result[Any]:
    """Bound the cost of every release from below, with a certificate.

    Parameters are those of ``solve``; methods are those of the kind ``bound``, and
    ``auto`` keeps the best of all that take the problem.

    Examples
    --------
    >>> from instances.catalogue import load_instance
    >>> bound(load_instance("hospital"), l=2).lower_bound
    6
    """
    if time_limit is None:
        time_limit = AUTO_TIME_LIMIT if method == AUTO else math.inf
    options = {"time_limit": time_limit, "display": display}
    asked, goal = _join(k, l, requirement), _objective(objective)
    _warn_identifiers(table, goal)
    return bound_by(method, table, asked, goal, options, recoding)


def verify(
    released: Table,
    k: int | None = None,
    l: int | None = None,
    *,
    requirement: Requirement | None = None,
    original: Table | None = None,
    star: str = "*",
    numeric: Collection[str] = (),
    taxonomies: Mapping[str, Taxonomy] | None = None,
) -> "ReleaseCheck":
    """Recompute from its cells whether a release satisfies a requirement.

    Parameters
    ----------
    released
        The release, whoever made it, its QI and sensitive columns named.
    k, l, requirement
        As for ``solve``; without any, what holds is said.
    original
        The table it was made of: compared cell by cell, if given.
    star
        The symbol of a suppressed cell.
    numeric, taxonomies
        Of a release by generalization: the columns with ranges of numbers, and the
        trees whose nodes others have.

    Examples
    --------
    >>> released = Table.from_rows(["age"], [["*"], ["*"], ["30"]], qi=["age"])
    >>> verify(released, k=2).holds
    False
    """
    from verify.release import check_release

    asked = k is not None or l is not None or requirement is not None
    expected = _join(k, l, requirement) if asked else None
    cells = None
    if numeric or taxonomies:
        from verify.read_cells import read_cells

        cells = read_cells(released, numeric, taxonomies or {}, star)
    return check_release(released, expected, original, star, cells)


def methods() -> tuple[Method, ...]:
    """All methods: exact ones, heuristics and bounds."""
    return tuple(METHODS.values())


def _join(k: int | None, l: int | None, requirement: Requirement | None) -> Requirement:
    parts = [] if requirement is None else [requirement]
    if l is not None:
        parts.insert(0, LDiversity(l))
    if k is not None:
        parts.insert(0, KAnonymity(k))
    if not parts:
        raise ValueError("Expected a requirement: k, l or requirement.")
    return reduce(and_, parts)


def _warn_identifiers(table: Table, objective: Objective) -> None:
    """Warn of quasi-identifiers that are as good as identifiers."""
    ranged: set[str] = set()
    if (scales := objective.scales) is not None:
        each = zip(scales.columns, scales.scales, strict=True)
        ranged = {column for column, scale in each if not isinstance(scale, FlatScale)}
    for line in identifiers(table, ranged):
        warnings.warn(line, stacklevel=3)


def _objective(goal: Goal) -> Objective:
    return Objective(goal) if isinstance(goal, str) else goal
