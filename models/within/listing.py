"""The patterns that enough whole classes fit, as a list."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from starmin.instances import (
    NotSupportedError,
    Objective,
    Partition,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.requirements.within import CLASS
from starmin.instances.scales.scale import Scale
from starmin.models.persons.one_row_each import merged_until_valid

# What is dealt where releases are nested: the classes of the earlier one, whole.


@dataclass(frozen=True, eq=False)
class Atoms:
    """Classes that are published whole, by their number.

    Examples
    --------
    >>> from starmin.instances import STARS, KAnonymity
    >>> from starmin.instances.requirements.within import nested_within
    >>> table = Table.from_rows(["a"], [["x"], ["y"], ["y"]], qi=["a"])
    >>> table, _ = nested_within(table, KAnonymity(2), np.array([5, 5, 3]))
    >>> atoms = Atoms.of(table, STARS)
    >>> atoms.low.tolist(), atoms.high.tolist(), atoms.size.tolist()
    ([[0], [1]], [[1], [1]], [2, 1])
    """

    # low, high: A x d: the least and the greatest position of their rows by column. An
    # atom fits a node that covers both.
    low: Ints
    high: Ints
    size: Ints  # how many rows each has
    of_row: Int32s  # the atom of each row

    def __len__(self) -> int:
        return len(self.size)

    @classmethod
    def of(cls, table: Table, objective: Objective) -> "Atoms":
        """Return the atoms of a table that has the column of classes."""
        places = objective.scales_of(table).row_positions(table).astype(np.int64)
        of_row = table.column(CLASS)
        size = np.bincount(of_row).astype(np.int64)
        low = np.full((len(size), table.d), np.iinfo(np.int64).max)
        high = np.full((len(size), table.d), -1)
        np.minimum.at(low, of_row, places)
        np.maximum.at(high, of_row, places)
        return cls(low, high, size, of_row)


# From the patterns that whole classes are dealt to, to a release.


def offer_unions(run: Run, atoms: Atoms, of_atom: Ints) -> None:
    """Offer the release of classes that are dealt to patterns.

    Where diversity is asked for as well, groups that fail are merged with others, each
    with the one where that costs least. ``atoms`` are the classes of the earlier
    release, ``of_atom`` the pattern of each.
    """
    groups = Partition.from_labels(of_atom[atoms.of_row])
    given = run.table, run.requirement, run.objective
    if groups.violation(*given) is not None:
        merged = merged_until_valid(groups, *given, run)
        if merged is None:
            return
        groups = merged
    run.offer(groups)


MOST_PAIRS = 20_000_000  # of a pattern and a class that fits it
_MOST_NODES = 3_000  # of a column


class Listing(NamedTuple):
    """Patterns, and the atoms that fit each.

    The atoms of pattern p stand from ``start[p]`` to ``start[p + 1]``.
    """

    nodes: Ints  # P x d
    cost: Ints  # of a row in each pattern
    start: Ints
    atom: Ints

    @property
    def pattern(self) -> Ints:
        """The pattern of each pair."""
        return np.repeat(np.arange(len(self.cost)), np.diff(self.start))


def list_patterns(
    table: Table,
    atoms: Atoms,
    objective: Objective,
    least: int,
    check: Callable[[], None] = lambda: None,
) -> Listing:
    """List the patterns that atoms of at least ``least`` rows fit.

    Column after column each pair of a pattern begun and an atom is continued by all
    nodes that cover the atom. A pattern is left out where all who fit have a lower node
    in common than the one chosen: with that node the same atoms cost no more.

    ``least`` is how many rows a class has at least. ``check`` is called at each column;
    it raises where the time is over. Raises NotSupportedError where there are more than
    20,000,000 pairs, a column has more than 3,000 nodes, or one has a highest level.
    """
    if objective.scales is not None and objective.scales.roofs:
        raise NotSupportedError("Expected no highest level (--max-level) of classes.")
    scales = objective.scales_of(table)
    kept = objective.kept(table)
    pattern, atom = np.zeros(len(atoms), np.int64), np.arange(len(atoms))
    nodes = np.zeros((1, 0), np.int64)
    for j, scale in enumerate(scales.scales):
        check()
        numbers, first, option = _options(atoms, scale, j, bool(kept[j]))
        many = np.diff(first)[atom]
        if many.sum() > MOST_PAIRS:
            raise NotSupportedError(
                f"Expected at most {MOST_PAIRS:,} pairs of a class and a pattern, got "
                "more; publish fewer quasi-identifiers, or coarser ones."
            )
        at = np.repeat(first[atom] - np.cumsum(many) + many, many)
        at += np.arange(len(at))
        pattern, atom, node = (
            np.repeat(pattern, many),
            np.repeat(atom, many),
            option[at],
        )
        found = group_by([pattern, node], [len(nodes), len(numbers)])
        begun = np.column_stack(
            [nodes[pattern[found.first]], numbers[node[found.first]]]
        )
        wanted = np.bincount(found.inverse, atoms.size[atom], found.size) >= least
        order = np.argsort(found.inverse, kind="stable")
        starts = np.searchsorted(found.inverse[order], np.arange(found.size))
        for c, other in enumerate(scales.scales[: j + 1]):
            low = np.minimum.reduceat(atoms.low[atom[order], c], starts)
            high = np.maximum.reduceat(atoms.high[atom[order], c], starts)
            wanted &= other.nodes(low, high) == begun[:, c]
        new = np.cumsum(wanted) - 1
        order = order[wanted[found.inverse[order]]]
        pattern, atom, nodes = new[found.inverse[order]], atom[order], begun[wanted]
        if len(nodes) == 0:
            break
    if len(nodes) == 0:
        nodes = np.zeros((0, table.d), np.int64)
    start = np.searchsorted(pattern, np.arange(len(nodes) + 1))
    return Listing(nodes, objective.node_costs(table, nodes), start, atom)


def _options(atoms: Atoms, scale: Scale, j: int, kept: bool) -> tuple[Ints, Ints, Ints]:
    """Return the nodes of a column, and for each atom those that cover it.

    Raises NotSupportedError where there are too many nodes.
    """
    places = np.unique(np.concatenate([atoms.low[:, j], atoms.high[:, j]]))
    if len(places) > _MOST_NODES:
        raise NotSupportedError(
            f"Expected at most {_MOST_NODES:,} values of a column, got {len(places):,}."
        )
    one, other = np.triu_indices(len(places))
    if kept:
        one = other = np.arange(len(places))
    numbers = np.unique(scale.nodes(places[one], places[other]))
    if len(numbers) > _MOST_NODES:
        raise NotSupportedError(
            f"Expected at most {_MOST_NODES:,} nodes of a column, got {len(numbers):,}."
        )
    begins, ends = scale.spans(numbers)
    both = np.column_stack([atoms.low[:, j], atoms.high[:, j]])
    ranges, of_range = np.unique(both, axis=0, return_inverse=True)
    covers: Bools = (begins <= ranges[:, :1]) & (ends >= ranges[:, 1:])
    of_range = of_range.reshape(-1)
    many = covers.sum(axis=1)
    first = np.concatenate([[0], np.cumsum(many)])
    _, options = np.nonzero(covers)
    lengths = many[of_range]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    at = np.repeat(first[of_range] - starts[:-1], lengths) + np.arange(lengths.sum())
    return numbers, starts, options[at]
