"""Check a certificate: recompute, without a solver, the bound that it claims."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from instances import (
    Certificate,
    KAnonymity,
    LDiversity,
    Objective,
    Requirement,
    RowTypes,
    Table,
    TableError,
)
from instances.canonical import canonical_order, merge_equal_values
from instances.certificate import describe_objective, describe_table
from verify.nonhomogeneous.prices import nonhomogeneous_price_bound
from verify.prices import price_bound
from verify.residue import residue_bound

NONHOMOGENEOUS = "nonhomogeneous"
_NONHOMOGENEOUS_KIND = "nonhomogeneous_prices"
_SMALL = 2**62  # whole numbers beyond it do not fit the arithmetic


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
    """

    accepted: bool
    bound: int | None
    why: str | None
    objective: Objective | None = None

    def as_json(self) -> dict[str, Any]:
        """The object under ``certificate`` of ``starmin verify --json``."""
        stated = None if self.objective is None else describe_objective(self.objective)
        return {
            "accepted": self.accepted,
            "bound": self.bound,
            "why": self.why,
            "objective": stated,
        }


class _RefusalError(Exception):
    """What is wrong with a certificate, in words."""


def check_certificate(
    certificate: Certificate,
    table: Table,
    requirement: Requirement | None = None,
    objective: Objective | None = None,
    recoding: str = "suppression",
) -> CertificateCheck:
    """Whether a certificate proves its claim for a table.

    Everything is recomputed from the table and the certificate's data in integer
    arithmetic, by code of its own. The certificate comes from a file that anyone may
    have written: whatever is in it, the answer is a verdict and not an error.

    Parameters
    ----------
    certificate
        Kinds ``prices`` (for stars), ``residue`` (for tuples) and
        ``nonhomogeneous_prices`` (for stars, whether rows are in groups or not).
    table
        The original, its QI and sensitive columns named.
    requirement, objective
        The problem that the bound is wanted for; None: whatever the certificate
        states. Columns without a weight have weight 1.
    recoding
        What releases the bound is wanted for: of groups, or ``nonhomogeneous``.

    See Also
    --------
    verify.prices.price_bound, verify.residue.residue_bound,
    verify.nonhomogeneous.prices.nonhomogeneous_price_bound : the proofs.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> data = {"denominator": 2, "prices": [2, 3]}
    >>> from instances import STARS
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
        if recoding == NONHOMOGENEOUS and certificate.kind != _NONHOMOGENEOUS_KIND:
            raise _RefusalError("it is for releases of groups only")
        table = merge_equal_values(table)
        k, l, stated = _read_problem(certificate, table, requirement)
        if objective is not None:
            _check_objective(stated, objective, table)
        bound = _recompute(certificate, table, k, l, stated)
    except (_RefusalError, TableError, ValueError) as refusal:
        return CertificateCheck(False, None, str(refusal), stated)
    if certificate.bound > bound:
        why = f"it claims {certificate.bound}; table and data prove {bound}"
        return CertificateCheck(False, bound, why, stated)
    return CertificateCheck(True, bound, None, stated)


def _read_problem(
    certificate: Certificate, table: Table, requirement: Requirement | None
) -> tuple[int, int, Objective]:
    """Its k, l and objective, after a look at the table."""
    _whole(certificate.bound, "its bound", -_SMALL)
    _check_table(certificate.table, table)
    k, l = _read_requirement(certificate.requirement, requirement)
    return k, l, _read_objective(certificate.objective, table)


def _recompute(
    certificate: Certificate, table: Table, k: int, l: int, objective: Objective
) -> int:
    if l > 1 and not table.sensitive:
        raise _RefusalError("it is for l-diversity; the table has no sensitive column")
    if max(k, l) > table.n:
        raise _RefusalError(
            f"it is for groups of {max(k, l)} rows; the table has {table.n}, "
            "and no release at all"
        )
    if not isinstance(certificate.kind, str) or certificate.kind not in _KINDS:
        known = ", ".join(_KINDS)
        raise _RefusalError(f"its kind is none of: {known}")
    kind, prove = _KINDS[certificate.kind]
    if objective.kind != kind:
        raise _RefusalError(f"a proof of this kind is for the objective {kind!r} only")
    _check_mapping(certificate.data, "its data")
    return prove(certificate.data, table, k, l, objective)


def _by_prices(
    data: Mapping[str, Any], table: Table, k: int, l: int, objective: Objective
) -> int:
    _check_keys(data, "its data", {"denominator", "prices"}, {"sensitive"})
    denominator = _whole(data["denominator"], "its denominator", 1)
    types = table.sensitive_types if l > 1 else table.row_types
    prices = _read_prices(data["prices"], table, types)
    column = 0
    if "sensitive" in data:
        if l == 1 or data["sensitive"] not in table.sensitive:
            raise _RefusalError("the sensitive column in its data is none")
        column = table.sensitive.index(data["sensitive"])
    return price_bound(table, types, k, l, objective, prices, denominator, column)


def _by_nonhomogeneous_prices(
    data: Mapping[str, Any], table: Table, k: int, l: int, objective: Objective
) -> int:
    _check_keys(data, "its data", {"denominator", "prices"}, set())
    denominator = _whole(data["denominator"], "its denominator", 1)
    if l > 1:
        raise _RefusalError("a proof of this kind is for k-anonymity only")
    prices = _read_prices(data["prices"], table, table.row_types)
    return nonhomogeneous_price_bound(table, k, objective, prices, denominator)


def _read_prices(
    written: object, table: Table, types: RowTypes
) -> npt.NDArray[np.int64]:
    if not isinstance(written, list) or len(written) != len(types):
        raise _RefusalError(f"its prices are not a list of {len(types)} numbers")
    for position, price in enumerate(written, start=1):
        _whole(price, f"price {position}", -_SMALL)
    prices = np.empty(len(types), np.int64)
    prices[canonical_order(table, types)] = written
    return prices


def _by_residue(
    data: Mapping[str, Any], table: Table, k: int, l: int, objective: Objective
) -> int:
    _check_keys(data, "its data", set(), set())
    return residue_bound(table, k, l, objective)


_Proof = Callable[[Mapping[str, Any], Table, int, int, Objective], int]
_KINDS: dict[str, tuple[str, _Proof]] = {
    "prices": ("stars", _by_prices),
    "residue": ("tuples", _by_residue),
    _NONHOMOGENEOUS_KIND: ("stars", _by_nonhomogeneous_prices),
}


def _check_table(stated: object, table: Table) -> None:
    content = _check_mapping(stated, "its table")
    for key, value in describe_table(table).items():
        if key != "name" and not _same(content.get(key), value):
            raise _RefusalError(f"it is for another table: {key} differs")


def _read_requirement(stated: object, wanted: Requirement | None) -> tuple[int, int]:
    content = _check_mapping(stated, "its requirement")
    _check_keys(content, "its requirement", set(), {"k", "l"})
    if not content:
        raise _RefusalError("its requirement is empty")
    k, l = (
        _whole(content[key], f"{key} of its requirement", 2) if key in content else 1
        for key in ("k", "l")
    )
    if wanted is not None:
        for part in wanted.parts:
            if type(part) not in (KAnonymity, LDiversity):
                raise _RefusalError(f"no proof is known for {type(part).__name__}")
        if not _same(content, wanted.as_json()):
            raise _RefusalError(
                f"it is for another requirement: {content}, not {wanted.as_json()}"
            )
    return k, l


def _read_objective(stated: object, table: Table) -> Objective:
    content = _check_mapping(stated, "its objective")
    _check_keys(content, "its objective", {"kind", "weights", "keep"}, set())
    kind, keep = content["kind"], content["keep"]
    weights = _check_mapping(content["weights"], "its weights")
    if kind not in ("stars", "tuples"):
        raise _RefusalError("its objective is neither stars nor tuples")
    if not isinstance(keep, list | tuple):
        raise _RefusalError("its kept columns are not a list")
    if not all(isinstance(column, str) for column in (*weights, *keep)):
        raise _RefusalError("a column of its objective is not named by text")
    for weight in weights.values():
        _whole(weight, "a weight", 0)
    objective = Objective(kind, dict(weights), tuple(keep))
    objective.check(table)
    return objective


def _check_objective(stated: Objective, wanted: Objective, table: Table) -> None:
    if _meaning(stated, table) != _meaning(wanted, table):
        raise _RefusalError(f"it is for the objective {stated}, not for {wanted}")


def _meaning(objective: Objective, table: Table) -> tuple[object, ...]:
    """Equal for objectives that charge the same."""
    weights = [objective.weights.get(column, 1) for column in table.qi]
    return objective.kind, weights, set(objective.keep)


def _check_mapping(content: object, what: str) -> Mapping[str, Any]:
    if not isinstance(content, Mapping):
        raise _RefusalError(f"{what} is not an object with named entries")
    return content


def _check_keys(
    content: Mapping[str, Any], what: str, needed: set[str], possible: set[str]
) -> None:
    if missing := needed - set(content):
        raise _RefusalError(f"{what}: no entry {min(missing)!r}")
    if set(content) - needed - possible:
        raise _RefusalError(f"{what}: an entry of unknown name")


def _whole(number: object, what: str, least: int) -> int:
    """The number, if it is a whole one of 62 bits and at least ``least``."""
    if type(number) is not int or not least <= number < _SMALL:
        raise _RefusalError(f"{what} is not a whole number from {least}")
    return number


def _same(one: object, other: object) -> bool:
    """Whether both are the same as JSON, where 1 is neither 1.0 nor true."""
    try:
        return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return False
