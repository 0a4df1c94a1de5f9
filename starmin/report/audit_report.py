"""What ``starmin audit`` says: what a release tells, one sentence an inference."""

from collections.abc import Mapping
from typing import Literal

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
) -> list[str]:
    """Say what follows from a release for who knows that little was hidden.

    ``released`` is in the order of the table. Sensitive values are inferred for so many
    seconds; classes that are left are counted. Nothing is said of releases that are not
    by groups, and of large ones.
    """
    coding, core = problem.coding, problem.requirement.core
    if coding.recoding not in (SUPPRESSION, GENERALIZATION) or problem.rowwise:
        return []
    if released.counts is not None or released.n > MOST_ROWS:
        return []
    question = Question(coding, max(core.size, 1), max(core.diversity, 1), "optimal")
    try:
        cells = read_cells(released, coding, problem.table)
        found = audit([released], cells, question, problem.table)
    except BeyondError:
        return []
    lines = [
        *_known(found.closure, "Cells are hidden only where rows of a group differ"),
        *_known(found.ends, "Ranges that are not rounded end at values of people"),
    ]
    if found.exclusion is not None and (narrowed := found.exclusion.narrowed):
        lines.append(
            "Whoever knows that as little as possible was hidden can rule out a value "
            f"of {narrowed:,} of the {found.exclusion.hidden:,} hidden cells "
            f"({found.exclusion.label})."
        )
    if question.l < 2 or len(released.sensitive) != 1:
        return lines
    try:
        return [*lines, *_of_values(problem, released, cells, question, seconds)]
    except BeyondError:
        return lines


def _of_values(
    problem: Problem,
    released: Table,
    cells: Mapping[str, Cells],
    question: Question,
    seconds: float,
) -> list[str]:
    """Say what follows for sensitive values, from classes and from types of rows."""
    table, (name,), l = problem.table, released.sensitive, question.l
    (classes,) = classes_of([released], cells, table, [table], question.bounded)
    known = types_in_classes(classes, name)
    if known is None:
        return []
    lines = []
    found = minimality(known, question.k, l, seconds)
    looked_at, number = found.more["looked_at"], classes.number
    of_all = f"in {looked_at:,} of {number:,} classes, as many as {seconds:.0f} s allow"
    where = "in all classes" if looked_at == number else of_all
    drawn = found.more["above_sampled"]
    beside = f"; {drawn:,} by samples" if drawn else ""
    if found.contradictions:
        beside += f"; {found.contradictions:,} classes contradict the model"
    lines.append(
        "Whoever also knows the class of each person, and that as little as possible "
        f"was hidden, knows {name} of {found.certain:,} of {table.n:,} people for "
        f"certain, and guesses that of {found.above:,} with a chance above 1/{l}, "
        f"{where} ({found.label}{beside})."
    )
    rule = type_rule(known, l)
    if rule.more["types"]:
        lines.append(
            f"People who are alike in all quasi-identifiers, {l} or more, some of them "
            f"hidden, are too much alike in {name} to be published as they are: so "
            f"guessed of {rule.more['types']:,} kinds of people, rightly of "
            f"{rule.more['right']:.0%}; of all such kinds {rule.more['base']:.0%} are "
            f"so ({rule.label})."
        )
    return lines


def _known(found: Inference | None, why: str) -> list[str]:
    if found is None or not found.pinned:
        return []
    return [
        f"{why}: so {found.pinned:,} of {found.hidden:,} hidden cells are known, if "
        f"not whose they are, and {found.whole:,} rows in full ({found.label})."
    ]


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
