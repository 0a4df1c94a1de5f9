"""What a release tells who knows how it was made, one sentence for each inference."""

from starmin.instances import Problem, Table
from starmin.instances.releases.coding import GENERALIZATION, SUPPRESSION
from starmin.verify.audit.audit import Question, audit
from starmin.verify.audit.inference import Inference
from starmin.verify.beyond import BeyondError
from starmin.verify.cells.read_cells import coded_cells

MOST_ROWS = 100_000  # of a table; of larger ones the command tells


def what_it_tells(problem: Problem, released: Table) -> list[str]:
    """Say what follows from a release for who knows that little was hidden.

    Parameters
    ----------
    problem
        The table and what was asked.
    released
        What is published, in the order of the table.

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
        cells = coded_cells(released, coding, problem.table)
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
            f"of {narrowed:,} of the {found.exclusion.hidden:,} hidden cells."
        )
    return lines


def _known(found: Inference | None, why: str) -> list[str]:
    if found is None or not found.pinned:
        return []
    return [
        f"{why}: so {found.pinned:,} of {found.hidden:,} hidden cells are known, if "
        f"not whose they are, and {found.whole:,} rows in full."
    ]
