"""What the last lines of a run say: what is lost, what could be saved, what helps."""

import math
from collections.abc import Mapping
from typing import Any

from starmin.instances import Limit, Problem, Result, Status, Table, as_number
from starmin.instances.releases.coding import GENERALIZATION
from starmin.instances.runs.progress import savable
from starmin.outputs.claims import plain_claim
from starmin.verify.cells.cells import Cells, PlainCells
from starmin.verify.cells.read_cells import read_cells

MUCH = 0.3  # of the information: where more is lost, something is to be done
_CODES = 12  # different numbers up to which a column of them may be one of codes
# Why a search ended, and whether more of that may help.
MORE_TIME = {
    None: "the search ended by itself, more time does not help",
    Limit.TIME: "time was up, more may help",
    Limit.WORK: "the limit of work was reached, more may help",
    Limit.ITERATIONS: "the limit of rounds was reached, more may help",
    Limit.PATIENCE: "nothing improved for a while, more patience may help",
    Limit.GAP: "that little was asked for, more time may help",
    Limit.CALLBACK: "the caller ended the search, more time may help",
    Limit.INTERRUPTED: "the search was interrupted, more time may help",
    Limit.MEMORY: "memory was full, more of it may help",
}


def status_words(found: Result[Any], as_counted: bool = True) -> str:
    """Say what could be saved at most, and whether more time may help.

    ``as_counted``: the release loses what the search counted.

    >>> status_words(Result(None, 3, 2, 0.1, limit=Limit.TIME))
    'feasible, at most 33.34% of it could be saved; time was up, more may help'
    """
    value, bound = found.value, found.lower_bound
    if value is None:
        told = "nothing is published" if bound is None else "a bound, nothing published"
        return f"{told}; {MORE_TIME[found.limit]}" if found.limit else told
    if found.status is Status.OPTIMAL:
        least = "nothing" if value == bound else "next to nothing"
        return f"{plain_claim(found)}: {least} could be saved"
    of = "it" if as_counted else "the cost of its groups"
    part = f"at most {savable(value, bound)} of {of} could be saved"
    if not bound:
        part = "how much could be saved is not known"
    return f"feasible, {part}; {MORE_TIME[found.limit]}"


def share_text(share: float) -> str:
    """Write a share of all information; one above all of it as a multiple.

    >>> share_text(0.1234), share_text(1.3)
    ('12.34%', '1.3000 times all')
    """
    return f"{share:.2%}" if share <= 1 else f"{share:.4f} times all"


def losses_of(problem: Problem, original: Table, released: Table) -> dict[str, float]:
    """Return how much of all its information each quasi-identifier has lost."""
    coding = problem.coding
    cells: dict[str, Cells] = dict.fromkeys(original.qi, PlainCells(coding.star))
    if coding.recoding == GENERALIZATION or coding.told:
        cells |= read_cells(released, coding, original)
    lost = dict[str, float]()
    for column in original.qi:
        found = released.text_counts(column)
        lost[column] = float(cells[column].lost(found) / original.n)
    return lost


def advice(problem: Problem, original: Table, released: Table) -> str | None:
    """Say which column costs most, and what helps; None where little is lost."""
    lost = losses_of(problem, original, released)
    total = math.fsum(lost.values())
    if not lost or total < MUCH * len(lost):
        return None
    column = max(lost, key=lambda name: lost[name])
    part = f"{lost[column] / total:.0%} of what is lost"
    return f"{column} costs most: {part}; {_help(problem, original, column, lost)}"


def _help(
    problem: Problem, original: Table, column: str, lost: Mapping[str, float]
) -> str:
    coding, ways = problem.coding, list[str]()
    texts = [t for t in original.dictionary(column) if t not in coding.missing]
    if column in coding.trees:
        ways.append("a finer hierarchy")
    elif column not in coding.numeric:
        numbers = len(texts) > _CODES and all(as_number(t) is not None for t in texts)
        ways.append("ranges" if numbers else "a hierarchy")
    if len(lost) > 1:
        ways.append("fewer quasi-identifiers")
    several = len(ways) > 1 or len(lost) > 1
    told = " or ".join(ways or ["a smaller k or l"])
    return f"{told} {'help' if several else 'helps'}"
