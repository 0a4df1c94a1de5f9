"""Steer an annealing: its constants, and which changes for the worse it accepts."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from starmin.instances.loops.compiled import compiled, inlined


@inlined
def most_increase(temperature: float, draw: float) -> float:
    """Return the largest increase in cost that a move may bring, drawn beforehand.

    Metropolis accepts an increase of x with probability exp(-x / temperature), that is
    if x is at most ``-temperature log(1 - draw)`` for a uniform draw. The limit is
    drawn before the move is tried, so a search for the move can end beyond it.
    ``temperature`` is the mean increase that is accepted, in the unit of costs; 0
    accepts none. ``draw`` is from [0, 1), by the caller's own generator.

    Metropolis et al., Equation of state calculations by fast computing machines.
    Journal of Chemical Physics 21, 1953.

    Examples
    --------
    >>> round(most_increase(2.0, 0.5), 3)
    1.386
    """
    return float(-temperature * np.log(1 - draw))


@compiled
def seed_moves(seed: int) -> None:
    """Seed the random choices of all compiled moves of the calling thread.

    Numba keeps one hidden generator for each thread, which ``np.random`` means inside
    compiled functions. Seed it before each search, in the thread that searches.
    """
    np.random.seed(seed)


class MoveParams(NamedTuple):
    """Constants that steer the moves of the annealing."""

    # exponent of the draw of a pattern for a row: 1 draws evenly among those that cost
    # less, more draws the cheapest ones oftener
    towards_cheap: float = 1.5
    # for l-diversity: share of the moves in which a pattern takes all rows that cost
    # less in it; in the others only rows that their patterns can spare
    all_better: float = 0.5
    # patterns with that many times k or l rows are refilled or trimmed, not closed
    large: int = 8
    # width, rows_tried: patterns that are tried for orphans before the best of them
    # opens: at least ``width``, and more for small groups, so that groups of so many
    # rows are tried
    width: int = 2
    rows_tried: int = 16
    # share of these that is passed over at random, so that the same move can end
    # otherwise
    skipped: float = 0.1
    # what orphans pay at least, as a multiple of their prices: a move that is too dear
    # at that is given up before places are sought for them
    dearer: float = 1.05
    # how patterns that lack rows are mended: 0 refills them the most, 1 closes them
    eager: float = 0.3
    # highest excess cost, in the unit of costs, for which rows of a pattern that cannot
    # spare them are ranked by what breaking it up gains
    breaking: float = 3.0
    noise: float = 2.0  # width of the noise on that ranking, in the unit of costs
    # alternating paths, for k = 2: stars by which a row may exceed what is allowed
    # while others of its path may pay less than their prices
    path_slack: float = 0.5
    steps: int = 60  # how many pairs the search for such a path tries to break up


MOVE_PARAMS = MoveParams()


@dataclass(frozen=True)
class AnnealingParams:
    """Constants that steer the annealing."""

    # share of the time for the prices of the Lagrangian bound
    price_share: float = 0.25
    # share of what is left then after which the temperature has reached its least
    anneal_share: float = 0.85
    # hot, cold: the temperature, in mean prices of a star: ``hot`` times the size of a
    # group, which falls to 0, and ``cold``, which stays
    hot: float = 0.3
    cold: float = 0.02
    # the temperature at which a further round begins, as a share of ``hot``
    reheat: float = 0.7
    # batch, batch_per_type: proposals between two looks at the clock, and as many for
    # each row type at least: after them all rows that others can spare are moved
    batch: int = 500
    batch_per_type: float = 0.025
    # first_batch, batch_seconds: proposals of the first batch of an annealing in one
    # thread, and up to how many seconds a batch may take for the next one to be twice
    # as long
    first_batch: int = 50
    batch_seconds: float = 0.1
    # batches between two looks at the clock where several threads anneal: each has to
    # wait for the interpreter then
    batches_at_once: int = 4
    # batches at the least temperature between two deals of all rows at least cost
    batches_between: int = 20
    # time that such a deal is expected to take, by pair of an open pattern and a row
    # type that fits it; it is left out where less time remains
    seconds_per_arc: float = 1e-5
    # path_hot, path_worth: for k = 2, where rows move along alternating paths: the
    # highest temperature, in stars, and how many proposals one such move, or one along
    # chains, counts for
    path_hot: float = 0.05
    path_worth: int = 20
    # chain_hot, chain_begin: for k = 3: as ``path_hot``, for ejection chains, and the
    # heat from which on these are all there is
    chain_hot: float = 0.1
    chain_begin: float = 0.5
    moves: MoveParams = MOVE_PARAMS  # constants of the moves themselves


ANNEALING_PARAMS = AnnealingParams()
