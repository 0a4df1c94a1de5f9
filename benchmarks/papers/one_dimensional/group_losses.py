r"""Measures of loss that the paper on the one-dimensional framework shows besides GCP.

Of g groups, ``sizes`` are the numbers of rows (g), ``ncp`` the normalized certainty
penalties by column (g x d, by ``Scales.ncp``), ``weights`` those of the columns (d;
default: all 1). Groups are not empty.
"""

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats, Ints


def group_ncp(ncp: Floats, weights: npt.ArrayLike | None = None) -> Floats:
    r"""Compute the NCP of each group: :math:`\sum_i w_i \mathrm{NCP}_i(G)`."""
    if weights is None:
        weights = np.ones(ncp.shape[1])
    return ncp @ np.asarray(weights, np.float64)


def weighted_max_ncp(
    sizes: Ints, ncp: Floats, weights: npt.ArrayLike | None = None
) -> float:
    r"""Compute the greatest weighted loss, :math:`\max_G |G| \mathrm{NCP}(G)`."""
    return float((sizes * group_ncp(ncp, weights)).max())


def mean_ncp(ncp: Floats, weights: npt.ArrayLike | None = None) -> float:
    """Return the mean NCP of the groups, whatever their sizes: IL1 normalized."""
    return float(group_ncp(ncp, weights).mean())


def weighted_mean_volume(sizes: Ints, ncp: Floats, distinct: npt.ArrayLike) -> float:
    r"""Return the mean over rows of the volume of their group.

    .. math:: \frac1n \sum_G |G| \prod_i v_i(G), \qquad
              v_i = \mathrm{NCP}_i(G), \text{ or } 1 / m_i \text{ where that is } 0

    Parameters
    ----------
    distinct
        The number of values m_i of each column.
    """
    sides = np.where(ncp > 0, ncp, 1 / np.asarray(distinct, np.float64))
    return float(sizes @ sides.prod(axis=1) / sizes.sum())
