"""A release cut into parts, to be annealed side by side."""

from dataclasses import dataclass, replace

import numpy as np

from heuristics.annealing.state import Ints
from models.neighbourhoods.whole_groups import random_order
from models.patterns.patterns import Patterns
from models.pricing.pattern_pool import PatternPool


@dataclass(frozen=True, eq=False)
class Part:
    """Some groups of a release, and the patterns that their rows may take.

    Attributes
    ----------
    pool
        The patterns for these rows; its types are of no table.
    loads
        Copies by incidence of this pool.
    at
        For each of its incidences the place in the pool that was cut.
    """

    pool: PatternPool
    loads: Ints
    at: Ints


def cut(
    pool: PatternPool, loads: Ints, parts: int, k: int, rng: np.random.Generator
) -> list[Part]:
    """Cut a release into parts of about as many rows, each of groups that are alike.

    Groups are put in a line along which rows are alike, by a random order of the
    columns, and the line is cut. Copies of a row type may be in several parts.

    Parameters
    ----------
    pool
        The patterns of the release, and those that it may have instead.
    loads
        The release, as copies by incidence of the pool.
    parts
        How many parts.
    k
        Patterns that fewer rows of a part fit are left out.
    rng
        Source of the order.

    Returns
    -------
    Those parts that have rows.
    """
    patterns = pool.patterns
    rank = np.empty(len(pool.types))
    rank[random_order(pool.types.codes, rng)] = np.arange(len(pool.types))
    rows = np.bincount(patterns.pattern, loads, minlength=len(patterns))
    of_rows = np.bincount(patterns.pattern, loads * rank[patterns.types], len(patterns))
    line = np.argsort(of_rows / np.maximum(rows, 1), kind="stable")
    before = np.cumsum(rows[line]) - rows[line]
    number = np.empty(len(patterns), np.int64)
    number[line] = before * parts // max(1, int(rows.sum()))
    chosen = [loads * (number == n)[patterns.pattern] for n in range(parts)]
    return [_part(pool, each, k) for each in chosen if each.any()]


def _part(pool: PatternPool, loads: Ints, k: int) -> Part:
    """Keep the types of these loads, and what a group of them may be."""
    patterns, types = pool.patterns, pool.types
    counts = np.bincount(patterns.types, loads, len(types)).astype(np.int64)
    reach = np.bincount(patterns.pattern, counts[patterns.types], len(patterns))
    keep = (counts[patterns.types] > 0) & (reach >= k)[patterns.pattern]
    own = np.flatnonzero(counts)
    thin = patterns.thin(keep)
    number = np.cumsum(counts > 0) - 1
    inside = Patterns(
        thin.nodes,
        thin.cost,
        thin.starts,
        number[thin.types].astype(thin.types.dtype),
        counts[own],
    )
    of_part = replace(
        types,
        codes=types.codes[own],
        sensitive=types.sensitive[own],
        counts=counts[own],
        inverse=types.inverse[:0],
        row_counts=None,
    )
    at = np.flatnonzero(keep)
    small = PatternPool(of_part, inside, pool.prices[own], pool.least[at])
    return Part(small, loads[at], at)
