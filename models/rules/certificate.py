"""The certificate of a bound by prices of items."""

import numpy as np

from starmin.instances import Certificate, Requirement
from starmin.instances.arrays import Ints
from starmin.instances.tables.canonical import canonical_order
from starmin.models.rules.program import RuleProgram

KIND = "rules"


def rule_certificate(
    program: RuleProgram,
    requirement: Requirement,
    per_cost: int,
    prices: Ints,
    bound: int,
) -> Certificate:
    """Write prices by entry of ``program.choices.item`` as a certificate.

    Parameters
    ----------
    program, requirement
        The problem.
    per_cost, prices
        Whole numbers of so many to a unit of the objective.
    bound
        What they prove.
    """
    data = {"denominator": per_cost, "prices": written_prices(program, prices)}
    return Certificate.of(
        program.table, requirement, program.objective, KIND, bound, data
    )


def written_prices(program: RuleProgram, prices: Ints) -> list[list[int]]:
    """Return prices by row type of the table: its number, then terms and prices.

    Types are numbered in canonical order, as docs/certificate.md has it.
    """
    choices, numbers = program.choices, program.term_numbers
    own: list[list[int]] = []
    for t in range(len(program)):
        part = slice(choices.starts[t], choices.starts[t + 1])
        some = prices[part] != 0
        pairs = np.stack([numbers[choices.term[part][some]], prices[part][some]], 1)
        own.append(pairs.ravel().tolist())
    types = np.flatnonzero(~program.reduced.settled)
    rank = _ranks(program)[types]
    return [
        [int(rank[i]), *own[program.same[i]]]
        for i in np.argsort(rank).tolist()
        if own[program.same[i]]
    ]


def _ranks(program: RuleProgram) -> Ints:
    """Return the canonical number of each row type."""
    names = [*program.table.qi, *program.strata]
    wide = program.table.with_roles(names)
    order = canonical_order(wide, wide.row_types)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks
