"""Patterns for searches in wide tables, where all of them are too many to list."""

import numpy as np
import numpy.typing as npt

from instances import Objective, Partition, RowTypes, Run, Table, group_by
from models.bounds.prices import DENOMINATOR
from models.column_generation.pricing import priced_patterns
from models.patterns.patterns import Patterns

Ints = npt.NDArray[np.int64]

MOST_PAIRS = 2**26  # of a set of starred columns and a row type
_TRIES = 6
_FIRST_THRESHOLD = 2.0  # stars
_AMPLE, _ENOUGH = 4, 3  # times the incidences wanted, and a part of them


def is_wide(table: Table, types: RowTypes, objective: Objective) -> bool:
    """Whether all closed patterns are too many to list."""
    may_star = int((~objective.kept(table)).sum())
    return bool(2**may_star * len(types) > MOST_PAIRS)


def generated_patterns(
    run: Run,
    types: RowTypes,
    prices: Ints,
    k: int,
    l: int,
    per_type: int,
    initial: Partition | None = None,
) -> Patterns:
    """Patterns whose best fills are worth little at good prices.

    Fills must be worth less than a threshold, which is doubled until there are
    enough.

    Parameters
    ----------
    run
        The problem and its clock.
    types, prices
        The row types and their prices, in units of 1/DENOMINATOR.
    k, l
        The requirement; 1 where there is none.
    per_type
        Incidences wanted, by row type.
    initial
        A release whose patterns shall be among them.

    Returns
    -------
    Patterns
        And with them the coarsest pattern of each type.
    """
    table, objective = run.table, run.objective
    wanted = per_type * len(types)
    star = float(objective.column_weights(table).mean()) * DENOMINATOR
    found: Patterns | None = None
    threshold, factor = _FIRST_THRESHOLD, 2.0
    for _ in range(_TRIES):
        more = priced_patterns(
            table,
            types,
            objective,
            prices,
            k,
            l,
            threshold=int(threshold * star),
            most_incidences=_AMPLE * wanted,
            check=run.check_time,
        )
        if more is None:
            factor = 0.25
        found = more or found
        if found is not None and (more is None or _ENOUGH * len(found.types) > wanted):
            break
        threshold *= factor
    always = Partition.coarsest(table, objective.keep)
    patterns = patterns_of(table, types, objective, always)
    if initial is not None:
        patterns = union(patterns_of(table, types, objective, initial), patterns)
    return patterns if found is None else union(patterns, found)


def patterns_of(
    table: Table, types: RowTypes, objective: Objective, partition: Partition
) -> Patterns:
    """The patterns that the groups of a partition are published as, in full.

    Examples
    --------
    >>> from instances import STARS
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> one = patterns_of(table, table.row_types, STARS, Partition.single(table))
    >>> one.starred.tolist(), one.types.tolist()
    ([[True, True]], [0, 1, 2])
    """
    masks, of_group = np.unique(partition.starred(table), axis=0, return_inverse=True)
    mask_of_row = of_group.ravel()[partition.groups]
    starred, members = [], []
    for number, mask in enumerate(masks):
        kept = np.flatnonzero(~mask)
        groups = group_by(
            [np.zeros(len(types), np.int32), *types.codes[:, kept].T],
            [1, *(table.qi_cardinalities[j] for j in kept)],
        )
        used = np.zeros(groups.size, bool)
        used[groups.inverse[types.inverse[mask_of_row == number]]] = True
        inside = np.flatnonzero(used[groups.inverse])
        order = inside[np.argsort(groups.inverse[inside], kind="stable")]
        members += np.split(order, np.cumsum(groups.counts[used])[:-1])
        starred += [mask] * int(used.sum())
    masks = np.array(starred)
    return Patterns(
        masks,
        objective.row_costs(table, masks),
        np.concatenate([[0], np.cumsum([len(one) for one in members])]),
        np.concatenate(members).astype(np.int32),
        types.counts,
    )


def union(some: Patterns, others: Patterns) -> Patterns:
    """All of ``some``, and of the others those that are not among them."""
    bits = 1 << np.arange(some.starred.shape[1], dtype=np.int64)
    width = len(some.counts)
    known = (some.starred @ bits)[some.pattern] * width + some.types
    # Two patterns with the same stars and one member in common are the same.
    first = (others.starred @ bits) * width + others.types[others.starts[:-1]]
    new = others.select(~np.isin(first, known))
    return Patterns(
        np.concatenate([some.starred, new.starred]),
        np.concatenate([some.cost, new.cost]),
        np.concatenate([some.starts, some.starts[-1] + new.starts[1:]]),
        np.concatenate([some.types, new.types]),
        some.counts,
    )
