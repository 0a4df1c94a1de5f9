"""Constants that steer the annealing."""

from dataclasses import dataclass

from starmin.heuristics.annealing.move_params import MOVE_PARAMS, MoveParams


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
