r"""What groups lose by generalization: the measures of the literature, vectorised.

Of g groups, ``sizes`` are the numbers of rows (g), ``ncp`` the normalized certainty
penalties by column (g x d, by ``Scales.ncp``), ``weights`` those of the columns (d;
default: all 1). Groups are not empty.
"""

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats, Ints


def group_ncp(ncp: Floats, weights: npt.ArrayLike | None = None) -> Floats:
    r"""Compute the NCP of each group: :math:`\sum_i w_i \mathrm{NCP}_i(G)`.

    Examples
    --------
    >>> group_ncp(np.array([[0.5, 1.0], [0.0, 0.25]]), [2, 1]).tolist()
    [2.0, 0.25]
    """
    return ncp @ _weights(ncp, weights)


def gcp(sizes: Ints, ncp: Floats, weights: npt.ArrayLike | None = None) -> float:
    r"""Compute the global certainty penalty: 0 if nothing is lost, 1 if all is.

    .. math:: \frac{\sum_G |G| \mathrm{NCP}(G)}{n \sum_i w_i}

    ``Partition.value`` has it exactly, in whole units.
    """
    scale = sizes.sum() * _weights(ncp, weights).sum()
    return float(sizes @ group_ncp(ncp, weights) / scale) if scale else 0.0


def discernibility(sizes: Ints) -> int:
    r"""Charge each row the size of its group: :math:`\sum_G |G|^2`."""
    return int(sizes @ sizes)


def _weights(ncp: Floats, weights: npt.ArrayLike | None) -> Floats:
    if weights is None:
        return np.ones(ncp.shape[1])
    return np.asarray(weights, np.float64)
