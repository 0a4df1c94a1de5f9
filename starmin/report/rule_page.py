"""The report of a release by rules over combinations: hidden, too rare, and why."""

from typing import Any

from starmin.instances import Requirement, Table
from starmin.instances.requirements.office_rules import CombinationRules
from starmin.instances.tables.names import counted
from starmin.report.page import Cell, DataTable, render
from starmin.verify.releases.mask_check import MaskCheck

_MOST_LISTED = 1000


def rule_page(
    check: MaskCheck, released: Table, requirement: Requirement, **said: Any
) -> str:
    """Write the page, as text of HTML.

    ``check`` is what the release is worth, recomputed from its cells. ``said`` has
    title and lead, and of a release that was just made what is proven, lines for a
    shell with what they do, and the sheet to sign (``verdict``).
    """
    parts = requirement.parts
    return render(
        "rules.html",
        about=(
            f"{counted(released.n, 'row')}, quasi-identifiers: "
            f"{', '.join(released.qi)}; {counted(len(check.rules), 'set')} of columns."
        ),
        columns=DataTable.of(
            "columns",
            "Stars by column",
            "Column|#Stars|%=Of its cells",
            [
                (name, stars, stars / max(1, released.n))
                for name, stars in check.stars_by_column.items()
            ],
        ),
        rules=_rules(check, released.n),
        holds=check.holds,
        rare=counted(len(check.rare), "combination"),
        some=f"{_MOST_LISTED:,}" if len(check.rare) > _MOST_LISTED else None,
        apart=counted(len(check.apart), "row") if check.apart else None,
        violated=_violated(check),
        meant={p.semantics for p in parts if isinstance(p, CombinationRules)},
        persons=f"{persons:,}" if (persons := check.others("persons")) else None,
        others=_others(check),
        **{"proof": None, "again": None, "recheck": None, "sheet": None} | said,
    )


def _rules(check: MaskCheck, rows: int) -> DataTable:
    """List per rule what is shown and what was hidden."""
    header = (
        "Columns|Counted|#k|#Combinations shown|#Rarest|#Too rare|"
        "#Rows that hide some of it|%=Of all rows"
    )
    lines = [
        (
            *(" + ".join(rule.columns), rule.semantics, rule.k, rule.items, rule.least),
            Cell(f"{rule.rare:,}", rule.rare, tone="bad" if rule.rare else "good"),
            *(rule.hidden_rows, rule.hidden_rows / max(1, rows)),
        )
        for rule in check.rules
    ]
    return DataTable.of("rules", "Rules", header, lines, filtered=len(lines) > 20)


def _violated(check: MaskCheck) -> DataTable | None:
    if not check.rare:
        return None
    lines = []
    for each in check.rare[:_MOST_LISTED]:
        pairs = zip(each.columns, each.values, strict=True)
        shown = ", ".join(f"{column} = {value}" for column, value in pairs)
        rows = ", ".join(f"{row:,}" for row in each.rows)
        lines.append((shown, each.count, each.k, rows))
    caption = "Combinations that are shown and too rare"
    header = "Combination|#Occurs|#k|First rows"
    return DataTable.of("violated", caption, header, lines, filtered=True)


def _others(check: MaskCheck) -> DataTable | None:
    if any(rule.others is None for rule in check.rules):
        return None
    header = (
        "Columns|#mu-Argus|#sdcMicro, alpha 1|#sdcMicro, alpha 0|#k-anonymity|#Persons"
    )
    lines = [
        (" + ".join(rule.columns), *vars(rule.others).values()) for rule in check.rules
    ]
    caption = "Rows that others would count as violating a rule"
    return DataTable.of("others", caption, header, lines, filtered=len(lines) > 20)
