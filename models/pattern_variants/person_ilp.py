"""Groups of persons or households, solved to proven optimality."""

import math
from functools import partial

import numpy as np

from starmin.instances import (
    STARS,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Ints
from starmin.instances.releases.nested_partition import NestedPartition, coarsest_blocks
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import of_kind
from starmin.models.pattern_variants import PERSON_ILP
from starmin.models.pattern_variants.person_program import (
    Items,
    PersonProgram,
    list_person_patterns,
)
from starmin.models.solvers.mip_search import solve_program

MAX_INCIDENCES = 300_000


def person_ilp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    """Solves k-anonymity and diversity exactly where persons or households count.

    The formulation is that of ``starmin.models.pattern_variants.person_program`` over
    all patterns that enough persons fit, solved as it is: rows of a person may be
    parted, or are in one group, or are alike in the columns that a household shares.

    Parameters
    ----------
    table, requirement, objective
        The problem: ``Persons`` of k-anonymity, frequency or distinct diversity and
        caps on shares, one or several.
    time_limit
        Wall-clock seconds; the best release, the bound and the gap are returned.
    seed
        For the solver's random choices.
    display
        Print a line (time, value, bound, gap) to stderr at each improvement.
    initial
        A release to improve on.

    Returns
    -------
    Result
        Without certificate: what is proven is the solver's word.

    Raises
    ------
    NotSupportedError
        Another requirement, or more than 300,000 pairs of a pattern and a person.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Persons
    >>> rows = [["1", "p"], ["1", "p"], ["2", "q"], ["2", "r"]]
    >>> table = Table.from_rows(["a", "id"], rows, qi=["a"])
    >>> person_ilp(table, Persons.of(table, KAnonymity(2), "id")).value
    4
    """
    run = Run(table, requirement, objective, time_limit, display, PERSON_ILP)
    asked = of_kind(requirement, Persons)
    if asked is None:
        raise NotSupportedError("Expected a requirement of persons, got another one.")

    def search() -> Limit | None:
        run.offer(initial or coarsest_blocks(table, requirement, objective))
        run.check_time()
        items = Items.of(table, asked, objective.scales_of(table))
        given = objective, items, MAX_INCIDENCES, run.pace()
        program = PersonProgram(
            table, asked, items, list_person_patterns(table, asked, *given)
        )
        made, release = program.program(), partial(_release, program)
        return solve_program(run, made, PERSON_ILP.name, release, seed=seed)

    return run.carry_out(search)


def _release(persons: PersonProgram, whole: Ints) -> Partition:
    """Return the groups of a point: rows of one pattern."""
    listing, items = persons.listing, persons.items
    dealt = whole[: len(listing.item)]
    if items.whole:
        dealt = dealt * items.copies[listing.item]
    order = np.lexsort((listing.pattern, listing.item))
    of_pattern = np.repeat(listing.pattern[order], dealt[order])
    labels = np.empty(len(items.of_row), np.int64)
    rows: Ints = np.argsort(items.of_row, kind="stable")
    labels[rows] = of_pattern
    groups = Partition.from_labels(labels)
    if (part := persons.shared_part) is None:
        return groups
    blocks = Partition.from_labels(part[labels])
    shared = persons.asked.alike
    return NestedPartition(groups.groups, blocks=blocks.groups, shared=shared)
