"""How little diversity is left when l-diverse releases are linked, at worst."""

from itertools import combinations

import numpy as np

from starmin.instances import Table
from starmin.instances.arrays import Bools


def least_linked_diversity(values: int, l: int, releases: int) -> int:
    """Return the least diversity after linking, over all releases there are. Exact.

    With a sensitive values, c releases in each of which the class of a common person
    shows at least l values, at least

    .. math:: \\max(1, \\; c l - (c - 1) a)

    values are common to all, and some releases have no more (Proposition 3.1, here
    also where c does not divide a).

    Each release misses at most a - l values, so all of them miss at most c (a - l),
    and none misses the common person's own. ``extremal_supports`` misses different
    values as long as there are any left, which is the least possible.

    Examples
    --------
    >>> [least_linked_diversity(8, l, releases=2) for l in range(1, 9)]
    [1, 1, 1, 1, 2, 4, 6, 8]
    """
    _check(values, l, releases)
    return max(1, releases * l - (releases - 1) * values)


def extremal_supports(values: int, l: int, releases: int) -> Bools:
    """Find the values the common person's class shows in each release, at worst.

    Releases x values; value 0 is the person's own. Release i misses the i-th run of
    a - l of the other values, which are taken around and around.

    Examples
    --------
    >>> extremal_supports(4, 3, releases=2).astype(int).tolist()
    [[1, 0, 1, 1], [1, 1, 0, 1]]
    """
    _check(values, l, releases)
    shows = np.ones((releases, values), bool)
    for i in range(releases):
        run = np.arange(i * (values - l), (i + 1) * (values - l))
        shows[i, 1 + run % max(values - 1, 1)] = False
    return shows


def extremal_releases(values: int, l: int, releases: int) -> list[Table]:
    """Build l-diverse releases that reveal as much as possible when linked.

    The common person has the quasi-identifier ``x``, whose class shows the values of
    ``extremal_supports``, each once. A second class shows all values.

    Examples
    --------
    >>> from starmin.verify.linkage import attack
    >>> linkage = attack(extremal_releases(8, 4, releases=2))
    >>> linkage.before[:, 0].tolist(), int(linkage.after[0]), linkage.values_of(0)
    ([4, 4], 1, ['s0'])
    """
    tables = []
    for i, shows in enumerate(extremal_supports(values, l, releases)):
        rows = [("x", f"s{s}") for s in np.flatnonzero(shows)]
        rows += [("others", f"s{s}") for s in range(values)]
        name = f"release {i + 1} of {releases}"
        tables.append(Table.from_rows(("q", "s"), rows, ["q"], ["s"], name))
    return tables


def least_linked_diversity_by_search(values: int, l: int, releases: int) -> int:
    """Search exhaustively for the least diversity after linking: small cases only.

    Lists every set of values that can be common to the first i releases, each of
    which shows any set of at least l values that has the person's own.

    Notes
    -----
    At most 4^(a-1) intersections for each release: up to a = 10 in a second.

    Examples
    --------
    >>> least_linked_diversity_by_search(6, 4, releases=2)
    2
    """
    _check(values, l, releases)
    shown = np.array(
        [
            1 | sum(1 << s for s in others)
            for size in range(l - 1, values)
            for others in combinations(range(1, values), size)
        ]
    )
    common = shown
    for _ in range(releases - 1):
        common = np.unique(common[:, None] & shown)
    return min(int(mask).bit_count() for mask in common)


def _check(values: int, l: int, releases: int) -> None:
    if not 1 <= l <= values:
        raise ValueError(f"Expected 1 <= l <= {values} (sensitive values), got {l}.")
    if releases < 1:
        raise ValueError(f"Expected releases >= 1, got {releases}.")
