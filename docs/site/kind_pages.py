"""Writes the page on kinds of certificates: what each proves, and who checks it.

Objectives, entries and the kinds themselves are those that the two checkers declare.
"""

from rst import heading, table

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.verify.certificates.certificate_check import BOXES, KINDS, PERSONS, WITHIN
from starmin.verify.certificates.certificate_check import ONE_FILE as IN_PROCESS
from starmin.verify.certificates.rule_family import RULES
from starmin.verify.checker import command
from starmin.verify.checker.statement import OF_LINES

# The kinds of `starmin verify`, by their objectives; the last three have problems of
# their own, and so have no entry in its table. What has none asks the other checker.
OURS: dict[str, tuple[str, ...]] = {
    **{kind: stated.objectives for kind, stated in KINDS.items()},
    **{kind: command.KINDS[kind][0] for kind in IN_PROCESS},
    PERSONS: ANY_OBJECTIVE,
    WITHIN: ("stars", "gcp"),
    RULES: ANY_OBJECTIVE,
}
# Those of the checker of one file; rules are no entry of its table either.
ONE_FILE: dict[str, tuple[str, ...]] = {
    **{kind: objectives for kind, (objectives, *_) in command.KINDS.items()},
    **{kind: ANY_OBJECTIVE for kind in command.KNOWN if kind not in command.KINDS},
}
# Those that `starmin verify` has judged there.
JUDGED = (BOXES, PERSONS, WITHIN, *IN_PROCESS)
# Of which problems a kind is, and what its proof rests on.
BY_VALUES = ("k", "l by frequency")
BY_ANY = (*BY_VALUES, "l of distinct values")
PROVES: dict[str, tuple[tuple[str, ...], str]] = {
    "prices": (
        BY_ANY,
        "a price for each row, and what the cheapest group of each way to publish rows "
        "leaves of them; with cuts, where the data have some",
    ),
    "group_prices": (BY_ANY, "prices that no group is cheaper than"),
    "residue": (BY_ANY, "the table alone: rows that no group publishes whole"),
    "tree": (
        BY_ANY,
        "prices, cuts, and a tree of cases in each of which they prove the bound",
    ),
    "boxes": (
        BY_ANY,
        "prices and sets of rows, over groups within boxes; with a tree of cases, "
        "where the data have one",
    ),
    "odd_sets": (
        ("k", "l by frequency", "k with l by frequency"),
        "prices of rows and of odd sets of rows",
    ),
    "nonhomogeneous_prices": (
        ("k",),
        "prices of originals, where each row is published by itself",
    ),
    "nonhomogeneous_tree": (
        ("k",),
        "a tree of cases of starred cells, where each row is published by itself",
    ),
    "persons": (
        ("k, l or alpha of persons",),
        "a tree over ways to publish all rows of a person alike",
    ),
    "within": (
        ("k or l, in unions of classes of an earlier release",),
        "prices of these classes",
    ),
    "rules": (
        ("k of combinations of columns",),
        "a price for each row and combination; with trees, where the data have some",
    ),
}


def checked_by(objectives: dict[str, tuple[str, ...]], kind: str) -> str:
    """The objectives that a checker knows for a kind."""
    return ", ".join(f"`{name}`" for name in objectives.get(kind, ())) or "not checked"


def kinds() -> str:
    """The page."""
    lines = [
        *heading("Kinds of certificates"),
        "Made from what the two checkers declare: ``starmin verify``, and the one file",
        ":download:`certificate_checker.py`, which needs nothing but Python. The data",
        "of each kind and the theorem behind it are on",
        ":doc:`the page on certificates </reference/certificate>`. A kind that is not",
        "checked is neither accepted nor refused.",
        "",
    ]
    lines += table(
        ("kind", "for", "proven by"),
        [(f"`{kind}`", "; ".join(asked), by) for kind, (asked, by) in PROVES.items()],
    )
    lines += [*heading("By checker", "-"), "What may be minimised, by kind.", ""]
    header = ("kind", "`starmin verify`", "`certificate_checker.py`", "ranges there")
    rows = [
        (
            f"`{kind}`",
            checked_by(OURS, kind),
            checked_by(ONE_FILE, kind),
            "yes" if kind in OF_LINES else "no",
        )
        for kind in OURS
    ]
    versions = " and ".join(map(str, command.FORMATS))
    lines += [
        *table(header, rows),
        "*Ranges there*: whether ``certificate_checker.py`` checks losses (``gcp``) of",
        "ranges of numbers, beside those of hierarchies. For kinds",
        "that only small tables have there is one checker; ``starmin verify`` asks it:",
        ", ".join(f"``{kind}``" for kind in JUDGED) + ".",
        f"Versions of the format: {versions}.",
        "",
        *heading("Entries of the data", "-"),
    ]
    entries = [
        (f"`{kind}`", listed(needed), listed(allowed))
        for kind, (_, needed, allowed) in command.KINDS.items()
    ]
    return "\n".join([*lines, *table(("kind", "needed", "may be there"), entries)])


def listed(names: set[str]) -> str:
    """Names of entries, in their order."""
    return ", ".join(f"`{name}`" for name in sorted(names)) or "none"
