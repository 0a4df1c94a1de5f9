"""Check a certificate: recompute, without a solver, the bound that it claims."""

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from starmin.instances import (
    Certificate,
    Objective,
    Requirement,
    Scales,
    Table,
    TableError,
)
from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.runs.certificate import describe_objective
from starmin.instances.runs.places import Places
from starmin.instances.tables.row_types import canonical_order, merge_equal_values
from starmin.verify.certificates.asked import Asked, read_prices
from starmin.verify.certificates.problem_variants import (
    ADDED,
    DELETED,
    OF_ADDED,
    Counted,
    expect_capped,
    expect_release,
    of_ids,
    usual_problem,
    with_added_rows,
)
from starmin.verify.certificates.rule_family import RULES, Family
from starmin.verify.certificates.stated_problem import (
    Beside,
    check_objective,
    read_problem,
)
from starmin.verify.certificates.untrusted import (
    RefusalError,
    check_keys,
    check_mapping,
)
from starmin.verify.checker.reading import WITHIN
from starmin.verify.exact import BeyondError, Over, Told, until

# What each kind of certificate holds, and the proof that recomputes its bound.

PRICES = "prices"
GROUP_PRICES = "group_prices"
TREE = "tree"
BOXES = "boxes"
RESIDUE = "residue"
NONHOMOGENEOUS_PRICES = "nonhomogeneous_prices"
NONHOMOGENEOUS_TREE = "nonhomogeneous_tree"
PERSONS = "persons"


def _by_prices(asked: Asked) -> int:
    """Recompute the bound of prices of row types, maybe with cuts."""
    problem, stated = asked.priced()
    if "cuts" in asked.data:
        from starmin.verify.certificates.prices.loss_bounds import (
            cut_price_bound,
            read_cuts,
        )

        cuts = read_cuts(asked.data, canonical_order(asked.table, problem.types))
        return stated.proven(cut_price_bound(problem, cuts))
    from starmin.verify.certificates.prices import node_prices

    if asked.objective.by_node:
        return stated.proven(node_prices.node_price_bound(problem))
    return node_prices.price_bound(problem, asked.where)


def _by_group_prices(asked: Asked) -> int:
    """Recompute the bound of prices that no group is cheaper than."""
    from starmin.verify.certificates.prices.group_prices import group_price_bound

    problem, stated = asked.priced()
    return stated.proven(group_price_bound(problem))


def _by_tree(asked: Asked) -> int:
    """Recompute the bound of a tree, as far as its claim."""
    from starmin.verify.certificates.prices.proof_tree import tree_bound
    from starmin.verify.certificates.prices.tree_file import read_tree

    problem, stated = asked.priced()
    tree = read_tree(asked.data, canonical_order(asked.table, problem.types))
    needed = stated.needed(asked.claim)
    return stated.proven(tree_bound(problem, tree, needed, asked.told))


def _by_boxes(asked: Asked) -> int:
    """Recompute the bound of prices and sets of rows, as far as its claim."""
    from starmin.verify.certificates.one_file import bound_by_boxes

    return bound_by_boxes(asked)


def _by_nonhomogeneous_prices(asked: Asked) -> int:
    """Recompute the bound of prices of originals."""
    from starmin.verify.certificates.prices import node_prices

    if asked.l > 1:
        raise RefusalError("a proof of this kind is for k-anonymity only")
    problem, stated = asked.priced()
    if not asked.objective.by_node:
        return node_prices.nonhomogeneous_price_bound(problem)
    least = read_prices(asked.data["least"], asked.table, problem.types)
    bound = node_prices.nonhomogeneous_node_price_bound(problem, least)
    return stated.proven(bound)


def _by_odd_sets(asked: Asked) -> int:
    """Recompute the bound of prices of row types and of odd sets."""
    from starmin.verify.certificates.group_bounds import odd_set_bound, read_odd_sets

    if max(asked.k, asked.l) < 2:
        raise RefusalError("it is for groups of fewer than two rows")
    l = asked.l if "sensitive" in asked.data else 1
    problem, stated = asked._replace(l=l).priced()
    order = canonical_order(asked.table, problem.types)
    return stated.proven(odd_set_bound(problem, read_odd_sets(asked.data, order)))


def _by_residue(asked: Asked) -> int:
    """Recompute the residue bound."""
    from starmin.verify.certificates.group_bounds import residue_bound

    _, table, k, l, distinct, objective, *_ = asked
    return residue_bound(table, k, l, objective, distinct)


class Kind(NamedTuple):
    """A kind of certificate."""

    objectives: tuple[str, ...]
    prove: Callable[[Asked], int]
    # needed, possible: the entries of its data; a unit is one of losses alone
    needed: Set[str] = frozenset()
    possible: Set[str] = frozenset()


_PRICED = frozenset({"denominator", "prices"})
_ROUNDED = frozenset({"sensitive", "unit"})
KINDS: dict[str, Kind] = {
    PRICES: Kind(ANY_OBJECTIVE, _by_prices, _PRICED, _ROUNDED),
    GROUP_PRICES: Kind(("stars", "gcp"), _by_group_prices, _PRICED, _ROUNDED),
    RESIDUE: Kind(("tuples",), _by_residue),
    TREE: Kind(
        ANY_OBJECTIVE,
        _by_tree,
        _PRICED | {"patterns", "cuts", "nodes"},
        _ROUNDED | {"rounds", "counts"},
    ),
    BOXES: Kind(
        ("stars", "gcp"),
        _by_boxes,
        _PRICED | {"sets", "multipliers"},
        {"sensitive", "nodes"},
    ),
    "odd_sets": Kind(
        ("stars", "gcp"), _by_odd_sets, _PRICED | {"sets", "set_prices"}, _ROUNDED
    ),
    NONHOMOGENEOUS_PRICES: Kind(
        ("stars", "gcp"), _by_nonhomogeneous_prices, _PRICED, {"unit"}
    ),
}
# Those that only small tables have: the checker of one file recomputes their bounds, as
# it does for boxes, persons, and releases within an earlier one.
ONE_FILE = (NONHOMOGENEOUS_TREE,)


def recompute(kind: str, asked: Asked) -> int:
    """Recompute the bound by the proof of its kind, or refuse."""
    data, table, k, l, distinct, objective, *_ = asked
    if max(l, distinct) > 1 and not table.sensitive:
        raise RefusalError("it is for l-diversity; the table has no sensitive column")
    if (least := max(k, l, distinct)) > table.n:
        raise RefusalError(
            f"it is for groups of {least} rows; the table has {table.n}, "
            "and no release at all"
        )
    objectives, prove, needed, possible = KINDS[kind]
    if objective.kind not in objectives:
        known = " or ".join(map(repr, objectives))
        raise RefusalError(f"a proof of this kind is for the objective {known} only")
    if distinct > 1 and kind in (PRICES, GROUP_PRICES):
        # Groups with so many values have so many rows: a bound for these holds.
        asked = asked._replace(k=max(k, distinct), distinct=1)
    elif distinct > 1 and kind not in (TREE, BOXES, RESIDUE):
        raise RefusalError("for distinct diversity no proofs of this kind are known")
    if kind != RESIDUE:
        asked = asked.by_stars()
    if kind == PRICES and "cuts" in data and l == 1:
        needed = needed | {"cuts", "patterns"}
    if kind == NONHOMOGENEOUS_PRICES and objective.by_node:
        needed = needed | {"least"}
    if not objective.by_node:
        possible = possible - {"unit"}
    check_keys(data, "its data", needed, possible)
    return prove(asked)


# The verdict on a certificate.

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
        return vars(self) | {"objective": stated}


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
        kind: object = certificate.kind
        if not isinstance(kind, str):
            raise RefusalError("its kind is not named by text")
        known = [*KINDS, *ONE_FILE, RULES, PERSONS, WITHIN]
        if kind not in known:
            raise BeyondError(f"its kind is none of: {', '.join(known)}")
        rowwise = kind in (NONHOMOGENEOUS_PRICES, NONHOMOGENEOUS_TREE)
        if recoding == NONHOMOGENEOUS and not rowwise:
            raise RefusalError("it is for releases of groups only")
        if scales is None and objective is not None:
            scales = objective.scales
        table = merge_equal_values(table)
        with until(over):
            problem = read_problem(certificate, table, requirement, scales)
            k, l, distinct, stated, beside = problem
            if objective is not None:
                check_objective(stated, objective, table)
            data = check_mapping(certificate.data, "its data")
            given = data, table, k, l, distinct, stated
            asked = Asked(*given, certificate.bound, told, where)
            bound = _recomputed(certificate, asked, beside)
    except BeyondError as unknown:
        return CertificateCheck(None, None, str(unknown), stated)
    except (RefusalError, TableError, ValueError) as refusal:
        return CertificateCheck(False, None, str(refusal), stated)
    except RecursionError:
        return CertificateCheck(False, None, "it is nested too deeply", stated)
    share = bound / max(1, stated.whole(table)) if stated.by_node else None
    why = None
    if certificate.bound > bound:
        why = f"it claims {certificate.bound}; table and data prove {bound}"
    return CertificateCheck(why is None, bound, why, stated, share)


def _recomputed(certificate: Certificate, asked: Asked, beside: Beside) -> int:
    """Recompute a bound, by the usual problem that it is one of where there is one."""
    if isinstance(beside, Family):
        from starmin.verify.certificates.item_price_bound import rule_bound

        return rule_bound(asked, beside)
    kind, wanted = certificate.kind, certificate.requirement
    if (kind == WITHIN) != (WITHIN in wanted):
        raise RefusalError("its kind is not for what its requirement asks")
    if kind == WITHIN:
        from starmin.verify.certificates.one_file import bound_within

        return bound_within(asked, wanted[WITHIN])
    if DELETED in wanted:
        price, diverse = wanted[DELETED], max(asked.l, asked.distinct) > 1
        if ADDED in asked.data and not diverse and kind in OF_ADDED:
            asked, less = with_added_rows(asked, price)
            return max(0, recompute(kind, asked) - less)
        expect_capped(kind, asked, price)
    if isinstance(beside, Counted):
        expect_release(asked, beside)
    if kind == PERSONS:
        if not isinstance(beside, Counted) or not beside.together:
            raise RefusalError("rows of a person may be published differently")
        from starmin.verify.certificates.one_file import bound_by_persons

        return bound_by_persons(of_ids(asked, beside), beside.least)
    if kind in ONE_FILE:
        from starmin.verify.certificates.one_file import bound_by_one_file

        return bound_by_one_file(certificate, asked)
    if isinstance(beside, Counted):
        asked = of_ids(asked, beside)
    elif beside is not None:
        asked = usual_problem(asked, beside)
    return recompute(kind, asked)
