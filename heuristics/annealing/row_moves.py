"""Moves of single rows along paths and chains: for which k, and from when on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starmin.heuristics.annealing.annealing_params import AnnealingParams
from starmin.heuristics.annealing.annealing_state import State
from starmin.heuristics.annealing.chains.chain_labels import (
    empty_labels as empty_chains,
)
from starmin.heuristics.annealing.chains.chain_moves import move_along_chains
from starmin.heuristics.annealing.paths.path_labels import empty_labels as empty_paths
from starmin.heuristics.annealing.paths.path_moves import move_along_paths


@dataclass(frozen=True)
class RowMoves:
    """Moves of rows that take the place of opening patterns in an annealing."""

    # makes the labels of their searches for a state
    empty_labels: Callable[[State], Any]
    # makes so many moves at a temperature: of a state, its labels, the moves, the
    # temperature and the mean cost of a star
    move: Callable[[State, Any, int, float, float], None]
    begin: float  # the heat from which on they are all there is
    hot: float  # their temperature at that heat, in stars; it falls to 0 with the heat

    def temperature(self, heat: float) -> float:
        """Return the temperature at a heat, in stars."""
        return self.hot * min(1.0, heat / self.begin)


def row_moves(k: int, l: int, params: AnnealingParams) -> RowMoves | None:
    """Return the moves of rows for a requirement, if there are any.

    Parameters
    ----------
    k, l
        The requirement; 1 where there is none.
    params
        Constants that steer the annealing.
    """
    if l > 1:
        return None
    by_k = {
        2: RowMoves(empty_paths, move_along_paths, 1.0, params.path_hot),
        3: RowMoves(
            empty_chains, move_along_chains, params.chain_begin, params.chain_hot
        ),
    }
    return by_k.get(k)
