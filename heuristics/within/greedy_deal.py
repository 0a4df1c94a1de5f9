"""What the annealing of whole classes starts from: a greedy deal to patterns."""

import numpy as np

from starmin.heuristics.within.moves import Dealt, FittingAtoms
from starmin.instances.arrays import Floats, Ints
from starmin.models.within.atoms import Atoms
from starmin.models.within.listing import Listing


def posed(atoms: Atoms, listing: Listing, reduced: Floats, least: int) -> FittingAtoms:
    """Return what fits, the patterns of each atom by what they cost beside its price.

    ``atoms`` are the classes, and ``listing`` has the patterns that they fit;
    ``reduced`` is by pair of a pattern and an atom. A class has ``least`` rows at
    least.
    """
    order = np.lexsort((reduced, listing.atom))
    first = np.searchsorted(listing.atom[order], np.arange(len(atoms) + 1))
    choice = listing.pattern[order]
    return FittingAtoms(
        listing.start, listing.atom, first, choice, listing.cost, atoms.size, least
    )


def dealt_greedily(fitting: FittingAtoms) -> Ints:
    """Deal atoms to patterns: cheap patterns first, all atoms that are left and fit.

    Those that fit no pattern with enough rows go to the cheapest one in use; and where
    there is none, to the dearest that they fit, with atoms of others until it has
    enough. ``fitting`` has a release. Returns the pattern of each atom.
    """
    start, atom, first, choice, cost, size, least = fitting
    dealt = np.full(len(size), -1, np.int64)
    for p in np.argsort(cost, kind="stable").tolist():
        fits = atom[start[p] : start[p + 1]]
        free = fits[dealt[fits] < 0]
        if size[free].sum() >= least:
            dealt[free] = p
    rows = np.bincount(dealt[dealt >= 0], size[dealt >= 0], len(cost)).astype(np.int64)
    for a in np.flatnonzero(dealt < 0).tolist():
        mine = choice[first[a] : first[a + 1]]
        opened = mine[rows[mine] > 0]
        if len(opened):
            p = int(opened[cost[opened].argmin()])
        else:
            p = int(mine[cost[mine].argmax()])
            _gather(fitting, dealt, rows, p, int(size[a]))
        dealt[a] = p
        rows[p] += size[a]
    return dealt


def _gather(fitting: FittingAtoms, dealt: Ints, rows: Ints, p: int, have: int) -> None:
    """Move all atoms of other patterns to one, until it has enough rows."""
    fits = fitting.atom[fitting.start[p] : fitting.start[p + 1]]
    while have + rows[p] < fitting.least:
        others = np.unique(dealt[fits[(dealt[fits] >= 0) & (dealt[fits] != p)]])
        outside = np.setdiff1d(np.arange(len(dealt)), fits)
        whole = np.setdiff1d(others, dealt[outside]).tolist()
        q = whole[int(fitting.cost[whole].argmax())] if whole else -1
        if q < 0:
            return
        rows[p] += rows[q]
        rows[q] = 0
        dealt[dealt == q] = p


def linked(fitting: FittingAtoms, pattern: Ints) -> Dealt:
    """Return a deal with the lists of atoms by pattern."""
    atoms, patterns = len(pattern), len(fitting.cost)
    rows = np.bincount(pattern, fitting.size, patterns).astype(np.int64)
    head = np.full(patterns, -1, np.int64)
    after, before = np.full(atoms, -1, np.int64), np.full(atoms, -1, np.int64)
    for a, p in enumerate(pattern.tolist()):
        after[a] = head[p]
        if head[p] >= 0:
            before[head[p]] = a
        head[p] = a
    return Dealt(pattern.copy(), rows, head, after, before)
