"""The certificate of a bound by prices of items."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from starmin.instances import Certificate, Requirement
from starmin.instances.arrays import Bools, Ints
from starmin.instances.tables.canonical import canonical_order
from starmin.models.rules.rule_program import RuleProgram
from starmin.models.rules.trees.region_forest import RegionTree

KIND = "rules"


def rule_certificate(
    program: RuleProgram,
    requirement: Requirement,
    per_cost: int,
    prices: Ints,
    bound: int,
    trees: Sequence[RegionTree] = (),
) -> Certificate:
    """Write prices by entry of ``program.choices.item`` as a certificate.

    Parameters
    ----------
    program, requirement
        The problem.
    per_cost, prices
        Whole numbers of so many to a unit of the objective.
    bound
        What they prove, with the trees.
    trees
        Of regions apart from each other, from these prices on.
    """
    data: dict[str, Any] = {
        "denominator": per_cost,
        "prices": written_prices(program, prices),
    }
    if trees:
        data["trees"] = written_trees(program, trees)
    return Certificate.of(
        program.table, requirement, program.objective, KIND, bound, data
    )


def written_prices(program: RuleProgram, prices: Ints) -> list[list[int]]:
    """Return prices by row type of the table: its number, then terms and prices.

    Types are numbered in canonical order, as docs/reference/certificate.md has it.
    """
    ranks = _ranks(program)
    every = np.arange(len(program))
    return sorted(_priced(program, ranks, every, prices, prices != 0))


def written_trees(
    program: RuleProgram, trees: Sequence[RegionTree]
) -> list[list[dict[str, Any]]]:
    """Return trees as lists of nodes, where an item is closed before it is opened."""
    ranks = _ranks(program)
    return [_written_tree(program, ranks, tree) for tree in trees]


def _written_tree(
    program: RuleProgram, ranks: list[list[int]], tree: RegionTree
) -> list[dict[str, Any]]:
    nodes, ahead, leaves = list[dict[str, Any]](), [0], tree.numbered()
    region, items = tree.region, program.choices.item
    while ahead:
        number = ahead.pop()
        if number in tree.splits:
            item, closed, opened = tree.splits[number]
            e = int(tree.local.entries_of(item)[0])
            term = int(program.terms.number[program.choices.term[e]])
            nodes.append({"item": [ranks[program.owner[e]][0], term]})
            ahead += [opened, closed]
            continue
        own = list[list[int]]()
        if (leaf := leaves.get(number)) is not None:
            prices, other = np.zeros((2, len(items)), np.int64)
            prices[region.movable] = leaf.prices
            other[region.movable] = leaf.prices != tree.first
            other[np.isin(items, leaf.closed)] = 0
            own = _priced(program, ranks, region.types, prices, other != 0)
        nodes.append({"prices": own})
    return nodes


def _priced(
    program: RuleProgram,
    ranks: list[list[int]],
    types: Ints,
    prices: Ints,
    some: Bools,
) -> list[list[int]]:
    """Return the prices of some entries: by row type its number, terms and prices."""
    choices, numbers = program.choices, program.terms.number
    listed = list[list[int]]()
    for t in types.tolist():
        part = slice(choices.starts[t], choices.starts[t + 1])
        own = some[part]
        pairs = np.stack([numbers[choices.term[part][own]], prices[part][own]], 1)
        if len(pairs):
            listed += [[rank, *pairs.ravel().tolist()] for rank in ranks[t]]
    return listed


def _ranks(program: RuleProgram) -> list[list[int]]:
    """Return by open type the canonical numbers of its row types."""
    names = [*program.table.qi, *program.strata]
    wide = program.table.with_roles(names)
    order = canonical_order(wide, wide.row_types)
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(len(order))
    ranks: list[list[int]] = [[] for _ in range(len(program))]
    types = np.flatnonzero(~program.reduced.settled)
    for t, place in zip(types.tolist(), program.same.tolist(), strict=True):
        ranks[place].append(int(numbers[t]))
    return ranks
