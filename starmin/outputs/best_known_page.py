"""The best known values and bounds of problems: as cells, as JSON, as a page."""

from typing import Any

from starmin.instances.catalogue.known import BestKnown, all_known

HEADER = ("problem", "value", "found by", "bound", "proved by", "gap", "proof")
_INTRODUCTION = (
    "The least value and the greatest bound known of problems on tables that come with "
    "starmin or that it generates. A problem is named by its table, the requirement "
    "and what is counted: `census:n=300,seed=1.k5.stars` asks for 5-anonymity of "
    "`instance:census:n=300,seed=1` with the fewest stars. Releases of up to 60,000 "
    "rows and certificates are kept in the folder `instances/best_known` of the "
    "package.",
    "`starmin instances best` prints this list. `starmin submit RELEASE --problem "
    "NAME` verifies a release and says whether it is better. `starmin check` proves a "
    "bound again from its certificate, without a solver. `python "
    "benchmarks/gaps/best_known.py --seconds 60` goes on from what is kept and raises "
    "what it can; with `--page docs/reference/best_known.md` it writes this page.",
)


def page() -> str:
    """Write the page of all problems in Markdown."""
    rows = (HEADER, tuple("---" for _ in HEADER), *map(cells, all_known().values()))
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return "\n\n".join(("# Best known values", *_INTRODUCTION, table)) + "\n"


def as_json_object(known: BestKnown) -> dict[str, Any]:
    """Describe a problem as JSON states it."""
    return {
        "problem": known.name,
        "instance": known.instance,
        "requirement": known.requirement.as_json(),
        "objective": known.kind,
        "value": known.value,
        "found_by": known.found_by,
        "lower_bound": known.bound,
        "bound_by": known.bound_by,
        "optimal": known.optimal,
        "how": known.how,
        "certificate": known.proof,
    }


def cells(known: BestKnown) -> tuple[str, ...]:
    """Write a problem as a line of a table.

    Examples
    --------
    >>> cells(all_known()["hospital.k2.stars"])[:3]
    ('hospital.k2.stars', '2', 'brute_force')
    """
    gap = "optimal" if known.optimal else "unknown"
    if known.bound and not known.optimal:
        gap = f"{(known.value - known.bound) / known.bound:.2%}"
    return (
        known.name,
        f"{known.value:,}",
        known.found_by,
        f"{known.bound:,}",
        known.bound_by,
        gap,
        known.how if known.proof is None else known.proof,
    )
