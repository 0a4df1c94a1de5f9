"""Count queries over the levels of the data cube: the table against a release."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from starmin.verify.utility.fit import PAIRS, compare
from starmin.verify.utility.spread import Spread
from starmin.verify.utility.truth import Truth


@dataclass(frozen=True)
class CubeErrors:
    """The errors of all queries of a level."""

    level: int  # how many QI columns the queries group by
    group_bys: int  # how many sets of columns were compared
    kl: float  # the mean Kullback-Leibler divergence of a set of columns
    # the mean over sets of columns of the mean relative error of a count
    relative_error: float


def cube_errors(
    spread: Spread,
    truth: Truth,
    level: int,
    *,
    most: int = 35,
    pairs: int = PAIRS // 20,
    seed: int = 0,
) -> CubeErrors:
    """Answer count queries from a release and from the table.

    The queries of a level are ``SELECT columns, COUNT(*) WHERE sensitive = value GROUP
    BY columns`` for all sets of so many QI columns and all sensitive values.

    ``level`` is from 1 to d. At most ``most`` sets of columns are compared; of more a
    random sample. At most ``pairs`` pairs of a cell and a box are looked at; where
    there are more, and the cells do not fit into an array, cells are sampled, and the
    divergence is estimated by that of the sample. ``seed`` is that of the sample.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009, section
    7.4.
    """
    sets = list(combinations(range(len(truth.sizes)), level))
    if len(sets) > most:
        chosen = np.random.default_rng(seed).choice(len(sets), most, replace=False)
        sets = [sets[at] for at in sorted(chosen.tolist())]
    fits = [compare(spread, truth, s, pairs=pairs, seed=seed) for s in sets]
    return CubeErrors(
        level,
        len(sets),
        float(np.mean([fit.kl for fit in fits])),
        float(np.mean([fit.relative_error for fit in fits])),
    )
