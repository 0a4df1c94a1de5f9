"""Constants that steer the annealing."""

from dataclasses import dataclass

from starmin.heuristics.annealing.move_params import MOVE_PARAMS, MoveParams


@dataclass(frozen=True)
class AnnealingParams:
    """Constants that steer the annealing.

    Attributes
    ----------
    price_share
        Share of the time for the prices of the Lagrangian bound.
    anneal_share
        Share of what is left then after which the temperature has reached its least.
    hot, cold
        The temperature, in mean prices of a star: ``hot`` times the size of a group,
        which falls to 0, and ``cold``, which stays.
    reheat
        The temperature at which a further round begins, as a share of ``hot``.
    batch, batch_per_type
        Proposals between two looks at the clock, and as many for each row type at
        least: after them all rows that others can spare are moved.
    first_batch, batch_seconds
        Proposals of the first batch of an annealing in one thread, and up to how many
        seconds a batch may take for the next one to be twice as long.
    batches_at_once
        Batches between two looks at the clock where several threads anneal: each has
        to wait for the interpreter then.
    batches_between
        Batches at the least temperature between two deals of all rows at least cost.
    seconds_per_arc
        Time that such a deal is expected to take, by pair of an open pattern and a row
        type that fits it; it is left out where less time remains.
    path_hot, path_worth
        For k = 2, where rows move along alternating paths: the highest temperature, in
        stars, and how many proposals one such move, or one along chains, counts for.
    chain_hot, chain_begin
        For k = 3: as ``path_hot``, for ejection chains, and the heat from which on
        these are all there is.
    moves
        Constants of the moves themselves.
    """

    price_share: float = 0.25
    anneal_share: float = 0.85
    hot: float = 0.3
    cold: float = 0.02
    reheat: float = 0.7
    batch: int = 500
    batch_per_type: float = 0.025
    first_batch: int = 50
    batch_seconds: float = 0.1
    batches_at_once: int = 4
    batches_between: int = 20
    seconds_per_arc: float = 1e-5
    path_hot: float = 0.05
    path_worth: int = 20
    chain_hot: float = 0.1
    chain_begin: float = 0.5
    moves: MoveParams = MOVE_PARAMS


ANNEALING_PARAMS = AnnealingParams()
