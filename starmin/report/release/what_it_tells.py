"""What a release tells who knows how it was made, one sentence for each inference."""

from starmin.instances import Problem, Table
from starmin.instances.releases.coding import GENERALIZATION, SUPPRESSION
from starmin.verify.audit.audit_release import Question, audit
from starmin.verify.audit.classes import classes_of
from starmin.verify.audit.inference import Inference
from starmin.verify.audit.minimality_attack import minimality
from starmin.verify.audit.row_types import type_rule, types_in_classes
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.exact import BeyondError

MOST_ROWS = 100_000  # of a table; of larger ones the command tells
SECONDS = 15.0  # of counting worlds, which are the smallest classes' first


def what_it_tells(
    problem: Problem, released: Table, seconds: float = SECONDS
) -> list[str]:
    """Say what follows from a release for who knows that little was hidden.

    Parameters
    ----------
    problem
        The table and what was asked.
    released
        What is published, in the order of the table.
    seconds
        How long sensitive values are inferred; classes that are left are counted.

    Returns
    -------
    list of str
        Empty for releases that are not by groups, and for large ones.
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
        return [*lines, *_of_values(problem, released, question, seconds)]
    except BeyondError:
        return lines


def _of_values(
    problem: Problem, released: Table, question: Question, seconds: float
) -> list[str]:
    """Say what follows for sensitive values, from classes and from types of rows."""
    table, (name,), l = problem.table, released.sensitive, question.l
    cells = read_cells(released, question.coding, table)
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
