"""Check a certificate: recompute, without a solver, the bound that it claims."""

from dataclasses import dataclass
from typing import Any

from starmin.instances import (
    Certificate,
    Objective,
    Requirement,
    Scales,
    Table,
    TableError,
)
from starmin.instances.runs.certificate import describe_objective
from starmin.instances.runs.places import Places
from starmin.instances.tables.row_types import merge_equal_values
from starmin.verify.certificates.kinds import (
    KINDS,
    NONHOMOGENEOUS_PRICES,
    NONHOMOGENEOUS_TREE,
    ONE_FILE,
    Asked,
    recompute,
)
from starmin.verify.certificates.person_tree import PERSONS, person_tree_bound
from starmin.verify.certificates.problem_variants import (
    ADDED,
    DELETED,
    OF_ADDED,
    Meaning,
    expect_capped,
    expect_release,
    table_of_ids,
    usual_problem,
    with_added_rows,
)
from starmin.verify.certificates.rule_family import RULES
from starmin.verify.certificates.stated_problem import (
    check_objective,
    counted_of,
    read_mask_problem,
    read_problem,
)
from starmin.verify.certificates.untrusted import RefusalError, check_mapping
from starmin.verify.certificates.within import WITHIN, within_bound
from starmin.verify.exact import BeyondError, Over, Told, expect_time, until

NONHOMOGENEOUS = "nonhomogeneous"


@dataclass(frozen=True)
class CertificateCheck:
    """The verdict on a certificate."""

    # whether the claim is proven; None: it cannot be checked here, as the kind of proof
    # is not known. Then nothing is said for or against the claim
    accepted: bool | None
    # what table and data prove, recomputed: at least the claim if it is accepted; None
    # where the certificate cannot be read that far
    bound: int | None
    why: str | None  # why it is refused or cannot be checked, or None
    # what the claim is about, as the certificate states it; None where it cannot be
    # read that far
    objective: Objective | None = None
    # for ``gcp`` the bound as a share of all that can be lost, else None
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
    told: Told | None = None,
    where: Places | None = None,
    over: Over | None = None,
) -> CertificateCheck:
    """Check whether a certificate proves its claim for a table.

    Everything is recomputed from the table and the certificate's data in integer
    arithmetic, by code of its own. The certificate comes from a file that anyone may
    have written: whatever is in it, the answer is a verdict and not an error. A kind of
    proof that is not known is neither accepted nor refused, nor is one for whose check
    there was no time.

    The bound is wanted for ``requirement`` and ``objective``; None: whatever is stated.
    Columns without a weight have weight 1. Releases are of groups, or ``recoding`` is
    ``nonhomogeneous``. ``scales`` say for gcp with hierarchies how columns are
    generalized; default: as the objective says. ``told`` is called with the number of
    leaves of a tree that are checked, and of all; ``where`` says where ranges of the
    patterns of a large table are looked at side by side, None: one after the other,
    here; ``over`` is asked every second or so whether the time for checks is over.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> data = {"denominator": 2, "prices": [2, 3]}
    >>> from starmin.instances import STARS, KAnonymity
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
        _expect_known(certificate.kind)
        rowwise = certificate.kind in (NONHOMOGENEOUS_PRICES, NONHOMOGENEOUS_TREE)
        if recoding == NONHOMOGENEOUS and not rowwise:
            raise RefusalError("it is for releases of groups only")
        if scales is None and objective is not None:
            scales = objective.scales
        table = merge_equal_values(table)
        with until(over):
            if certificate.kind == RULES:
                return _check_rules(certificate, table, requirement, objective, scales)
            problem = read_problem(certificate, table, requirement, scales)
            k, l, distinct, stated, meaning = problem
            if objective is not None:
                check_objective(stated, objective, table)
            data = check_mapping(certificate.data, "its data")
            given = data, table, k, l, distinct, stated
            asked = Asked(*given, certificate.bound, told, where)
            bound = _recomputed(certificate, asked, meaning)
    except BeyondError as unknown:
        return CertificateCheck(None, None, str(unknown), stated)
    except (RefusalError, TableError, ValueError) as refusal:
        return CertificateCheck(False, None, str(refusal), stated)
    return _verdict(certificate, table, stated, bound)


def _verdict(
    certificate: Certificate, table: Table, stated: Objective, bound: int
) -> CertificateCheck:
    """Return whether what was recomputed is what is claimed."""
    share = bound / max(1, stated.whole(table)) if stated.by_node else None
    if certificate.bound > bound:
        why = f"it claims {certificate.bound}; table and data prove {bound}"
        return CertificateCheck(False, bound, why, stated, share)
    return CertificateCheck(True, bound, None, stated, share)


def _recomputed(certificate: Certificate, asked: Asked, meaning: Meaning | None) -> int:
    """Recompute a bound, by the usual problem that it is one of where there is one."""
    kind, wanted = certificate.kind, certificate.requirement
    data, table, k, l, distinct, stated = asked[:6]
    if (kind == WITHIN) != (WITHIN in wanted):
        raise RefusalError("its kind is not for what its requirement asks")
    if kind == WITHIN:
        if stated.once:
            raise RefusalError("a proof of this kind is for stars and gcp only")
        return within_bound(data, table, wanted[WITHIN], max(k, l, distinct), stated)
    if DELETED in wanted:
        price = wanted[DELETED]
        if ADDED in data and max(l, distinct) == 1 and kind in OF_ADDED:
            larger, rest, less = with_added_rows(data, price, k, table, stated)
            claim = asked.claim + less
            asked = asked._replace(data=rest, table=larger, claim=claim)
            return max(0, recompute(kind, asked) - less)
        expect_capped(kind, data, price, table, stated)
    counted = counted_of(wanted, table)
    if counted is not None:
        expect_release(table, counted, stated)
    if kind == PERSONS:
        if counted is None or not counted.together:
            raise RefusalError("rows of a person may be published differently")
        if counted.column in table.qi:
            raise RefusalError("its requirement counts a quasi-identifier")
        return person_tree_bound(data, table, counted.column, counted.least, stated)
    if kind in ONE_FILE:
        return _by_one_file(certificate, table)
    if counted:
        table = table_of_ids(table, counted)
    usual = table, k, l, distinct
    if meaning is not None:
        usual = usual_problem(*usual, meaning)
    table, k, l, distinct = usual
    return recompute(kind, asked._replace(table=table, k=k, l=l, distinct=distinct))


def _by_one_file(certificate: Certificate, table: Table) -> int:
    """Have the checker that needs nothing but Python recompute a bound, in process."""
    from starmin.verify import checker
    from starmin.verify.checker.columns import Given
    from starmin.verify.checker.command import WRONG
    from starmin.verify.checker.proven import recomputed
    from starmin.verify.checker.statement import Statement

    rows = [[text or "" for text in row] for row in table.rows()]
    if table.counts is not None:
        many = table.counts.tolist()
        rows = [row for row, n in zip(rows, many, strict=True) for _ in range(n)]
    # The cells of the table are those that its floors leave.
    content = vars(certificate) | {
        "table": {**certificate.table, "floors": {}},
        "requirement": dict(certificate.requirement),
        "objective": dict(certificate.objective),
        "data": dict(certificate.data),
    }
    try:
        problem = Statement(Given([*table.names], rows, content, {}), expect_time)
        return recomputed(problem, content)
    except checker.BeyondError as why:
        raise BeyondError(str(why)) from None
    except checker.RefusalError as why:
        raise RefusalError(str(why)) from None
    except BeyondError:
        raise
    except WRONG as error:
        raise RefusalError(
            f"an entry is missing or of another kind ({error})"
        ) from None


def _check_rules(
    certificate: Certificate,
    table: Table,
    requirement: Requirement | None,
    objective: Objective | None,
    scales: Scales | None,
) -> CertificateCheck:
    """Check a bound for masks by rules over combinations."""
    from starmin.verify.certificates.item_price_bound import rule_bound

    family, stated = read_mask_problem(certificate, table, requirement, scales)
    if objective is not None:
        check_objective(stated, objective, table)
    data = check_mapping(certificate.data, "its data")
    bound = rule_bound(data, table, family, stated, certificate.bound)
    return _verdict(certificate, table, stated, bound)


def _expect_known(kind: object) -> None:
    """Refuse a kind that is none, and say of another one that it is not known."""
    if not isinstance(kind, str):
        raise RefusalError("its kind is not named by text")
    known = [*KINDS, *ONE_FILE, RULES, PERSONS, WITHIN]
    if kind not in known:
        raise BeyondError(f"its kind is none of: {', '.join(known)}")
