"""Check a certificate: recompute, without a solver, the bound that it claims."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from instances import (
    Certificate,
    Objective,
    Requirement,
    RowTypes,
    Scales,
    Table,
    TableError,
)
from instances.releases.tuples_as_stars import tuples_as_stars
from instances.runs.certificate import describe_objective
from instances.tables.canonical import canonical_order, merge_equal_values
from verify.certificates.coarse import StatedLosses
from verify.certificates.group_prices import group_price_bound
from verify.certificates.node_prices import node_price_bound
from verify.certificates.nonhomogeneous_node_prices import (
    nonhomogeneous_node_price_bound,
)
from verify.certificates.nonhomogeneous_tree import nonhomogeneous_tree_bound
from verify.certificates.odd_sets import odd_set_bound, read_odd_sets
from verify.certificates.pattern_list import PricedProblem
from verify.certificates.prices import price_bound
from verify.certificates.residue import residue_bound
from verify.certificates.stated_problem import check_objective, read_problem
from verify.certificates.tree import tree_bound
from verify.certificates.tree_file import read_tree
from verify.certificates.untrusted import (
    LARGEST,
    RefusalError,
    check_keys,
    check_mapping,
    whole,
)
from verify.nonhomogeneous.prices import nonhomogeneous_price_bound

NONHOMOGENEOUS = "nonhomogeneous"
_NONHOMOGENEOUS_KIND = "nonhomogeneous_prices"
_NONHOMOGENEOUS_KINDS = (_NONHOMOGENEOUS_KIND, "nonhomogeneous_tree")
_TREE_KIND = "tree"
_RESIDUE_KIND = "residue"


@dataclass(frozen=True)
class CertificateCheck:
    """The verdict on a certificate.

    Attributes
    ----------
    accepted
        Whether the claim is proven.
    bound
        The bound that table and data prove, recomputed: at least the claim if it is
        accepted; None where the certificate cannot be read that far.
    why
        Why it is refused, or None.
    objective
        What the claim is about, as the certificate states it; None where it cannot be
        read that far.
    share
        For ``gcp`` the bound as a share of all that can be lost, else None.
    """

    accepted: bool
    bound: int | None
    why: str | None
    objective: Objective | None = None
    share: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the object under ``certificate`` of ``starmin verify --json``."""
        stated = None if self.objective is None else describe_objective(self.objective)
        return {
            "accepted": self.accepted,
            "bound": self.bound,
            "why": self.why,
            "objective": stated,
            "share": self.share,
        }


def check_certificate(
    certificate: Certificate,
    table: Table,
    requirement: Requirement | None = None,
    objective: Objective | None = None,
    recoding: str = "suppression",
    scales: Scales | None = None,
) -> CertificateCheck:
    """Check whether a certificate proves its claim for a table.

    Everything is recomputed from the table and the certificate's data in integer
    arithmetic, by code of its own. The certificate comes from a file that anyone may
    have written: whatever is in it, the answer is a verdict and not an error.

    Parameters
    ----------
    certificate
        Kinds ``prices`` and ``tree``, ``odd_sets`` (for stars), ``group_prices`` (for
        gcp), ``residue`` (for tuples), ``nonhomogeneous_prices`` (for stars and gcp)
        and ``nonhomogeneous_tree`` (for stars and tuples). The last two are for
        non-homogeneous releases, and so for those by groups.
    table
        The original, its QI and sensitive columns named.
    requirement, objective
        The problem that the bound is wanted for; None: whatever the certificate
        states. Columns without a weight have weight 1.
    recoding
        What releases the bound is wanted for: of groups, or ``nonhomogeneous``.
    scales
        For gcp with hierarchies: how the columns of the table are generalized; default:
        as the objective says.

    Returns
    -------
    The verdict, with the bound that was recomputed and, where refused, the reason.

    See Also
    --------
    verify.certificates.prices.price_bound, verify.certificates.residue.residue_bound,
    verify.nonhomogeneous.prices.nonhomogeneous_price_bound : the proofs.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> data = {"denominator": 2, "prices": [2, 3]}
    >>> from instances import STARS, KAnonymity
    >>> claim = Certificate.of(table, KAnonymity(2), STARS, "prices", 2, data)
    >>> check = check_certificate(claim, table)
    >>> check.accepted, check.bound, str(check.objective)
    (True, 2, 'stars')
    >>> claim = Certificate.of(table, KAnonymity(2), STARS, "prices", 3, data)
    >>> check_certificate(claim, table).why
    'it claims 3; table and data prove 2'
    """
    stated = None
    try:
        rowwise = certificate.kind in _NONHOMOGENEOUS_KINDS
        if recoding == NONHOMOGENEOUS and not rowwise:
            raise RefusalError("it is for releases of groups only")
        if scales is None and objective is not None:
            scales = objective.scales
        table = merge_equal_values(table)
        k, l, stated = read_problem(certificate, table, requirement, scales)
        if objective is not None:
            check_objective(stated, objective, table)
        bound = _recompute(certificate, table, k, l, stated)
    except (RefusalError, TableError, ValueError) as refusal:
        return CertificateCheck(False, None, str(refusal), stated)
    share = bound / max(1, stated.whole(table)) if stated.kind == "gcp" else None
    if certificate.bound > bound:
        why = f"it claims {certificate.bound}; table and data prove {bound}"
        return CertificateCheck(False, bound, why, stated, share)
    return CertificateCheck(True, bound, None, stated, share)


def _recompute(
    certificate: Certificate, table: Table, k: int, l: int, objective: Objective
) -> int:
    """Recompute the bound by the proof of its kind, or refuse."""
    if l > 1 and not table.sensitive:
        raise RefusalError("it is for l-diversity; the table has no sensitive column")
    if max(k, l) > table.n:
        raise RefusalError(
            f"it is for groups of {max(k, l)} rows; the table has {table.n}, "
            "and no release at all"
        )
    if not isinstance(certificate.kind, str) or certificate.kind not in _KINDS:
        known = ", ".join(_KINDS)
        raise RefusalError(f"its kind is none of: {known}")
    kinds, prove = _KINDS[certificate.kind]
    if objective.kind not in kinds:
        known = " or ".join(map(repr, kinds))
        raise RefusalError(f"a proof of this kind is for the objective {known} only")
    check_mapping(certificate.data, "its data")
    if objective.kind == "tuples" and certificate.kind != _RESIDUE_KIND:
        table, objective = tuples_as_stars(table, objective)
    claim = {"claim": certificate.bound} if certificate.kind == _TREE_KIND else {}
    return prove(certificate.data, table, k, l, objective, **claim)


def _by_prices(
    data: Mapping[str, Any], table: Table, k: int, l: int, objective: Objective
) -> int:
    """Recompute the bound of prices of row types."""
    losses = objective.kind == "gcp"
    possible = {"sensitive", "unit"} if losses else {"sensitive"}
    check_keys(data, "its data", {"denominator", "prices"}, possible)
    problem = _priced(data, table, k, l, objective)
    given = problem.prices, problem.denominator, problem.sensitive
    if not losses:
        return price_bound(table, problem.types, k, l, objective, *given)
    stated = StatedLosses(data, table, objective)
    bound = node_price_bound(table, problem.types, k, l, stated.objective, *given)
    return stated.proven(bound)


def _by_group_prices(
    data: Mapping[str, Any], table: Table, k: int, l: int, objective: Objective
) -> int:
    """Recompute the bound of prices that no group is cheaper than."""
    check_keys(data, "its data", {"denominator", "prices"}, {"unit"})
    problem = _priced(data, table, k, l, objective)
    stated = StatedLosses(data, table, objective)
    given = stated.objective, problem.prices, problem.denominator
    return stated.proven(group_price_bound(table, problem.types, max(k, l), *given))


def _by_tree(
    data: Mapping[str, Any],
    table: Table,
    k: int,
    l: int,
    objective: Objective,
    claim: int,
) -> int:
    """Recompute the bound of a tree, as far as its claim."""
    needed = {"denominator", "prices", "patterns", "cuts", "nodes"}
    check_keys(data, "its data", needed, {"sensitive", "rounds"})
    problem = _priced(data, table, k, l, objective)
    tree = read_tree(data, canonical_order(table, problem.types))
    return tree_bound(problem, tree, claim)


def _priced(
    data: Mapping[str, Any], table: Table, k: int, l: int, objective: Objective
) -> PricedProblem:
    """Return the problem with the prices of its row types."""
    denominator = whole(data["denominator"], "its denominator", 1)
    types = table.sensitive_types if l > 1 else table.row_types
    prices = _read_prices(data["prices"], table, types)
    column = 0
    if "sensitive" in data:
        if l == 1 or data["sensitive"] not in table.sensitive:
            raise RefusalError("the sensitive column in its data is none")
        column = table.sensitive.index(data["sensitive"])
    return PricedProblem(table, types, objective, k, l, prices, denominator, column)


def _by_nonhomogeneous_prices(
    data: Mapping[str, Any], table: Table, k: int, l: int, objective: Objective
) -> int:
    """Recompute the bound of prices of originals."""
    losses = objective.kind == "gcp"
    needed = {"denominator", "prices", *(["least"] if losses else [])}
    check_keys(data, "its data", needed, set())
    denominator = whole(data["denominator"], "its denominator", 1)
    if l > 1:
        raise RefusalError("a proof of this kind is for k-anonymity only")
    types = table.row_types
    prices = _read_prices(data["prices"], table, types)
    if not losses:
        return nonhomogeneous_price_bound(table, k, objective, prices, denominator)
    least = _read_prices(data["least"], table, types)
    return nonhomogeneous_node_price_bound(
        table, k, objective, prices, least, denominator
    )


def _by_nonhomogeneous_tree(
    data: Mapping[str, Any], table: Table, k: int, l: int, objective: Objective
) -> int:
    """Recompute the bound of a tree of starred cells."""
    check_keys(data, "its data", {"denominator", "nodes"}, set())
    denominator = whole(data["denominator"], "its denominator", 1)
    if l > 1:
        raise RefusalError("a proof of this kind is for k-anonymity only")
    rows = {"patterns": [[row] for row in range(table.n)], "cuts": []}
    tree = read_tree({**rows, "nodes": data["nodes"]}, np.arange(table.n))
    return nonhomogeneous_tree_bound(table, k, objective, tree, denominator)


def _by_odd_sets(
    data: Mapping[str, Any], table: Table, k: int, l: int, objective: Objective
) -> int:
    """Recompute the bound of prices of row types and of odd sets."""
    needed = {"denominator", "prices", "sets", "set_prices"}
    check_keys(data, "its data", needed, set())
    denominator = whole(data["denominator"], "its denominator", 1)
    if k < 2:
        raise RefusalError("a proof of this kind is for k-anonymity only")
    types = table.row_types
    prices = _read_prices(data["prices"], table, types)
    odd_sets = read_odd_sets(data, canonical_order(table, types))
    return odd_set_bound(table, objective, prices, odd_sets, denominator)


def _read_prices(
    written: object, table: Table, types: RowTypes
) -> npt.NDArray[np.int64]:
    """Return the prices in the order of the types, refused if they are none."""
    if not isinstance(written, list) or len(written) != len(types):
        raise RefusalError(f"its prices are not a list of {len(types)} numbers")
    for position, price in enumerate(written, start=1):
        whole(price, f"price {position}", -LARGEST)
    prices = np.empty(len(types), np.int64)
    prices[canonical_order(table, types)] = written
    return prices


def _by_residue(
    data: Mapping[str, Any], table: Table, k: int, l: int, objective: Objective
) -> int:
    """Recompute the residue bound."""
    check_keys(data, "its data", set(), set())
    return residue_bound(table, k, l, objective)


_Proof = Callable[..., int]
_KINDS: dict[str, tuple[tuple[str, ...], _Proof]] = {
    "prices": (("stars", "tuples", "gcp"), _by_prices),
    "group_prices": (("gcp",), _by_group_prices),
    _RESIDUE_KIND: (("tuples",), _by_residue),
    _TREE_KIND: (("stars", "tuples", "gcp"), _by_tree),
    "odd_sets": (("stars",), _by_odd_sets),
    _NONHOMOGENEOUS_KIND: (("stars", "gcp"), _by_nonhomogeneous_prices),
    "nonhomogeneous_tree": (("stars", "tuples"), _by_nonhomogeneous_tree),
}
