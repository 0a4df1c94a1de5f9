"""The problem that a certificate states, and whether it is the one asked about."""

from collections.abc import Mapping
from typing import Any

from starmin.instances import (
    Certificate,
    MissingValues,
    Objective,
    Requirement,
    Scales,
    Table,
    TableError,
)
from starmin.instances.releases.objective_kinds import OBJECTIVES
from starmin.instances.requirements.requirements import known_part
from starmin.instances.runs.certificate import describe_table, fingerprint
from starmin.instances.scales.node_losses import Rule
from starmin.instances.scales.numbers import Width
from starmin.verify.certificates.problem_variants import (
    DELETED,
    KEYS,
    UNITS,
    Counted,
    Meaning,
    read_counted,
    read_meaning,
)
from starmin.verify.certificates.rule_family import (
    RULES,
    Family,
    family_of,
    read_family,
)
from starmin.verify.certificates.untrusted import (
    LARGEST,
    RefusalError,
    check_keys,
    check_mapping,
    least_of,
    parts_of,
    same,
    texts_in,
    whole,
)
from starmin.verify.checker.reading import WITHIN

_MOST_BITS = 4_096  # of a bound: the common denominator of losses may be long


# What there is beside numbers: whether missing sensitive values are no value of their
# own, whose ids are counted, if not rows, or what rules ask of masks.
Beside = Meaning | Counted | Family | None


def read_problem(
    certificate: Certificate,
    table: Table,
    requirement: Requirement | None,
    scales: Scales | None = None,
) -> tuple[int, int, int, Objective, Beside]:
    """Read the problem that a certificate states; refuse it if it is another one.

    Hierarchies are too long to be part of it: it is refused where they are not those of
    ``scales``, by which the columns are generalized, for gcp with hierarchies. Anyone
    may have written the certificate. It must be for the table, and for the
    ``requirement``; None: for any that counts no population.

    Returned are k, l, the number of distinct values, and the objective; 1 for what is
    not required; and what there is beside.
    """
    _check_frame(certificate, table)
    stated = certificate.requirement
    among = stated if isinstance(stated, dict) else {}
    name = next((name for name in (DELETED, WITHIN) if name in among), None)
    beside: Beside
    if certificate.kind == RULES:
        k = l = distinct = 1
        if requirement is None:
            beside = read_family(stated, table.qi)
        else:
            beside = family_of(requirement, table.qi)
            _check_wanted(stated, requirement)
    elif name is not None:
        _check_wanted(stated, requirement)
        inner = {entry: each for entry, each in stated.items() if entry != name}
        k, l, distinct, beside = _read_requirement(inner, None)
        if beside is not None:
            raise RefusalError("its missing sensitive values are no value of their own")
    elif not among.keys().isdisjoint(UNITS):
        beside = read_counted(stated, table)
        _check_wanted(stated, requirement)
        k, l, distinct = 1, 1, beside.least
    else:
        k, l, distinct, beside = _read_requirement(stated, requirement)
    objective = _read_objective(certificate.objective, table, scales)
    return k, l, distinct, objective, beside


def _check_frame(certificate: Certificate, table: Table) -> None:
    """Refuse a bound that is no number, and a table that is described otherwise.

    Of fine losses a bound may be beyond 64 bits.
    """
    bound: object = certificate.bound
    if type(bound) is not int or bound < -LARGEST:
        raise RefusalError(f"its bound is not a whole number from {-LARGEST}")
    if bound.bit_length() > _MOST_BITS:
        raise RefusalError(f"its bound has more than {_MOST_BITS} bits")
    given = {"floors": {}, **describe_table(table)}
    known = {*given, "fingerprint"}
    content = check_keys(certificate.table, "its table", possible=known)
    floors = content.get("floors", {})
    if not same(floors, given["floors"]):
        told = [
            f"{column} {name} {each[name]}"
            for column, each in check_mapping(floors, "its floors").items()
            for name in ("min_level", "top", "bottom")
            if isinstance(each, Mapping) and name in each
        ]
        raise RefusalError(
            f"it is for a table with {', '.join(told) or 'no floors'}, "
            "and no other ones"
        )
    for key, value in given.items():
        if key not in ("name", "floors") and not same(content.get(key), value):
            raise RefusalError(f"it is for another table: {key} differs")
    # Old certificates have it. Without it a bound is a proof as well, as it is
    # recomputed from this table.
    if "fingerprint" in content and not same(
        content["fingerprint"], fingerprint(table)
    ):
        raise RefusalError("it is for another table: fingerprint differs")


def _read_requirement(
    stated: Any, wanted: Requirement | None
) -> tuple[int, int, int, Meaning | None]:
    """Read k, l and distinct values; refuse them where others are wanted."""
    bounds, meanings = list[tuple[int, int, int]](), set[Meaning | None]()
    for part in parts_of(stated):
        known = {"k", "l", "diversity", *KEYS}
        content = check_keys(part, "its requirement", possible=known)
        meaning = read_meaning(content) if KEYS & set(content) else None
        if not set(content) & {"k", "l"}:
            raise RefusalError("its requirement is empty")
        by_values = "diversity" in content
        if by_values and (content["diversity"] != "distinct" or "l" not in content):
            raise RefusalError("its diversity is neither by frequency nor distinct")
        each = least_of(content, "k"), least_of(content, "l")
        bounds.append((each[0], 1, each[1]) if by_values else (*each, 1))
        if "l" in content:
            meanings.add(meaning)
    if len(meanings) > 1:
        raise RefusalError("its requirement reads missing values in two ways")
    if wanted is not None:
        # A bound for what every group satisfies anyhow is one for the requirement.
        easier = known_part(wanted)
        if easier is not None and same(stated, easier.as_json()):
            wanted = easier
        for part in wanted.parts:
            asked = part.inner if isinstance(part, MissingValues) else part
            if not asked.core.exact:
                raise RefusalError(f"no proof is known for {type(part).__name__}")
        _check_wanted(stated, wanted)
    k, l, distinct = (max(least) for least in zip(*bounds, strict=True))
    return k, l, distinct, meanings.pop() if meanings else None


def _check_wanted(stated: Mapping[str, Any], wanted: Requirement | None) -> None:
    """Refuse a requirement where another one is wanted."""
    if wanted is not None and not same(stated, wanted.as_json()):
        raise RefusalError(
            f"it is for another requirement: {stated}, not {wanted.as_json()}"
        )


def _read_objective(stated: object, table: Table, scales: Scales | None) -> Objective:
    """Read the objective, each entry checked."""
    needed = {"kind", "weights", "keep"}
    content = check_keys(stated, "its objective", needed, {"scales"})
    kind, keep = content["kind"], content["keep"]
    weights = check_mapping(content["weights"], "its weights")
    if not isinstance(kind, str) or kind not in OBJECTIVES:
        known = ", ".join(OBJECTIVES)
        raise RefusalError(f"its objective is none of {known}")
    by_node = OBJECTIVES[kind].by_node
    if by_node != ("scales" in content):
        raise RefusalError("scales of its objective are for gcp, and needed there")
    if not isinstance(keep, list | tuple):
        raise RefusalError("its kept columns are not a list")
    if not all(isinstance(column, str) for column in (*weights, *keep)):
        raise RefusalError("a column of its objective is not named by text")
    for weight in weights.values():
        whole(weight, "a weight", 0)
    scales = _check_scales(content["scales"], table, scales) if by_node else None
    objective = Objective(OBJECTIVES[kind].name, dict(weights), tuple(keep), scales)
    objective.check(table)
    return objective


def _check_scales(stated: object, table: Table, scales: Scales | None) -> Scales:
    """Return the scales, refused if they are not those stated.

    They are made anew where that takes no hierarchy.
    """
    content = check_mapping(stated, "its scales")
    if scales is None:
        scales = _numeric_scales(content, table)
    scales.check(table)
    if not same(content, scales.as_json()):
        raise RefusalError(
            "it is for other hierarchies, ranges, levels, losses or missing values"
        )
    return scales


def _numeric_scales(content: Mapping[str, Any], table: Table) -> Scales:
    """Return the scales that are stated of columns of numbers; a tree is refused.

    What is missing in one column and a number in another makes other scales than those
    stated, which is refused.
    """
    columns, missing = list[str](), set[str | None]()
    steps, widths, forms = dict[str, str](), dict[str, Width](), dict[str, str]()
    loss: Rule = "ncp"
    for column, scale in content.items():
        stated = check_mapping(scale, "a scale of its objective")
        if not isinstance(column, str) or stated.get("scale") != "numeric":
            raise RefusalError("it is for hierarchies; name them with --hierarchy")
        missing.update(texts_in(stated.get("missing"), "missing values of its scales"))
        columns.append(column)
        for name, into, what in (
            ("step", steps, "a step of rounding"),
            ("time", forms, "a form of times"),
        ):
            if (told := stated.get(name)) is not None:
                if not isinstance(told, str):
                    raise RefusalError(f"{what} in its scales is no text")
                into[column] = told
        if (width := stated.get("width")) is not None:
            try:
                widths[column] = Width.parse(width)
            except TableError:
                raise RefusalError("a width in its scales is none") from None
        if stated.get("loss") == "stars":
            loss = "stars"
    told = steps, None, widths, forms
    return Scales.of(table, columns, None, missing, loss, *told)


def check_objective(stated: Objective, wanted: Objective, table: Table) -> None:
    """Refuse an objective that charges otherwise than the one wanted."""
    if _meaning(stated, table) != _meaning(wanted, table):
        raise RefusalError(f"it is for the objective {stated}, not for {wanted}")


def _meaning(objective: Objective, table: Table) -> tuple[object, ...]:
    """Return what is equal for objectives that charge the same."""
    weights = [objective.weights.get(column, 1) for column in table.qi]
    scales = objective.scales_of(table).as_json()
    return objective.kind, weights, set(objective.keep), scales
