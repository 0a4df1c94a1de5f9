"""What ``starmin audit`` says: what a release tells, one sentence an inference."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal

from starmin.instances import Problem, Table
from starmin.instances.releases.coding import GENERALIZATION, SUPPRESSION
from starmin.report.page import DataTable, render, title_of
from starmin.verify.audit.audit_release import Audit, Knows, Model, Question, audit
from starmin.verify.audit.classes import classes_of, type_rule, types_in_classes
from starmin.verify.audit.inference import Inference
from starmin.verify.audit.minimality_attack import minimality
from starmin.verify.cells.cells import Cells
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.exact import BeyondError

MOST_ROWS = 100_000  # of a table; of larger ones the command tells
SECONDS = 15.0  # of counting worlds, which are the smallest classes' first


def what_it_tells(
    problem: Problem, released: Table, seconds: float = SECONDS
) -> dict[str, Any]:
    """Infer what a release tells who knows that little was hidden.

    ``released`` is in the order of the table. Sensitive values are inferred for so many
    seconds; classes that are left are counted. Nothing is said of releases that are not
    by groups, and of large ones.
    """
    coding, core = problem.coding, problem.requirement.core
    if coding.recoding not in (SUPPRESSION, GENERALIZATION) or problem.rowwise:
        return {}
    if released.counts is not None or released.n > MOST_ROWS:
        return {}
    question = Question(coding, max(core.size, 1), max(core.diversity, 1), "optimal")
    try:
        cells = read_cells(released, coding, problem.table)
        found = vars(audit([released], cells, question, problem.table))
    except BeyondError:
        return {}
    if question.l > 1 and len(released.sensitive) == 1:
        with suppress(BeyondError):
            found |= _of_values(problem.table, released, cells, question, seconds)
    return found


def _of_values(
    table: Table,
    released: Table,
    cells: Mapping[str, Cells],
    question: Question,
    seconds: float,
) -> dict[str, Any]:
    """Return what follows for sensitive values, from classes and from types of rows."""
    (name,), l = released.sensitive, question.l
    (classes,) = classes_of([released], cells, table, [table], question.bounded)
    if (known := types_in_classes(classes, name)) is None:
        return {}
    return {
        "of": {"name": name, "l": l, "n": table.n, "seconds": seconds},
        "classes": classes.number,
        "minimality": minimality(known, question.k, l, seconds),
        "type_rule": type_rule(known, l),
    }


Compared = Literal["no original", "other rows", "row by row"]


def audit_lines(audit: Audit) -> list[tuple[str, str]]:
    """Return a label and a text for each inference, and for its worst cases.

    >>> from starmin.verify.audit.inference import SOUND
    >>> audit_lines(Audit(closure=Inference(SOUND, hidden=9, narrowed=2, pinned=2)))
    [('closure', '2 of 9 hidden cells narrowed, 2 pinned (sound given the model)')]
    """
    lines = []
    for name, found in audit.inferences.items():
        if found is None:
            continue
        label = name.replace("_", " ")
        lines.append((label, f"{said(found)} ({found.label})"))
        lines += [("worst", f"row {each.row}: {each.why}") for each in found.worst[:3]]
    lines += [
        (name.replace("_", " "), f"not counted: {why}")
        for name, why in audit.not_counted.items()
    ]
    return lines or [("nothing", "no inference applies")]


def said(found: Inference) -> str:
    """Say what was counted, leaving out what is 0."""
    hidden, classes = found.hidden, found.more.get("classes", 0)
    looked_at = found.more.get("looked_at", classes)
    parts = (
        (hidden, f"{found.narrowed:,} of {hidden:,} hidden cells narrowed"),
        (found.pinned, f"{found.pinned:,} pinned"),
        (found.whole, f"{found.whole:,} rows known in full"),
        (found.certain or not hidden, f"{found.certain:,} people certain"),
        (found.above, f"{found.above:,} above what was promised"),
        (found.false is not None, f"{found.false or 0:,} false"),
        (found.contradictions, f"{found.contradictions:,} contradictions to the model"),
        (looked_at < classes, f"in {looked_at:,} of {classes:,} classes"),
    )
    return ", ".join(text for there, text in parts if there)


def audit_page(
    audit: Audit, source: str, model: Model, knows: Knows, compared: Compared
) -> str:
    """Write the page, as text of HTML.

    ``source`` is what the user called the release; ``model`` and ``knows`` are what the
    attacker takes for granted, and knows. ``compared`` is how what was inferred was
    compared with the original.
    """
    found = {name: each for name, each in audit.inferences.items() if each is not None}
    unknown = any(each.false is None for each in found.values())
    rows = [
        (name.replace("_", " "), each.false, each.contradictions, each.seconds)
        for name, each in found.items()
    ]
    return render(
        "audit.html",
        title=f"What is told by {title_of(source)}",
        knows=knows,
        model=model,
        found={
            name: vars(each) | {"label": each.label} for name, each in found.items()
        },
        not_counted=audit.not_counted,
        checks=DataTable.of(
            "checks",
            "What of it is false (where the original was named), and which classes "
            "cannot be, were the release made as is assumed",
            "Inference|#False|#Contradictions|#1Seconds",
            rows,
            sortable=False,
        ),
        compared=compared if unknown else None,
        worst=[
            (name.replace("_", " "), f"row {case.row}: {case.why}")
            for name, each in found.items()
            for case in each.worst
        ],
    )
