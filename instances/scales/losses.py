r"""What groups lose by generalization: the measures of the literature, vectorised.

Of g groups, ``sizes`` are the numbers of rows (g), ``ncp`` the normalized certainty
penalties by column (g x d, by ``Scales.ncp``), ``weights`` those of the columns (d;
default: all 1), ``extents`` lengths in one dimension (g). Groups are not empty.
"""

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats, Ints
from starmin.instances.scales.scales import Scales
from starmin.instances.scales.taxonomy_scale import TaxonomyScale


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


def mean_extent(extents: npt.NDArray[np.number]) -> float:
    """Compute IL1 in one dimension: the mean over groups of their extents."""
    return float(extents.mean())


def max_extent(extents: npt.NDArray[np.number]) -> float:
    """Compute IL_inf in one dimension: the greatest extent of a group."""
    return float(extents.max())


def discernibility(sizes: Ints) -> int:
    r"""Charge each row the size of its group: :math:`\sum_G |G|^2`."""
    return int(sizes @ sizes)


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


def ncp_of_others(
    scales: Scales, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
) -> Floats:
    r"""NCP by column after Murakami and Uno: a value's alternatives are what is lost.

    Of a categorical column :math:`(\text{leaves} - 1) / (\text{root's leaves} - 1)`,
    which is 0 for a single leaf by itself; of a numeric one, or a star, the usual NCP.
    Columns of one value lose nothing.

    References
    ----------
    K. Murakami, T. Uno, Optimization algorithm for k-anonymization of datasets with
    low information loss, Int. J. Information Security 17, 2018.
    """
    extents = scales.extents(low, high)
    shares = extents / scales.domains
    for j, scale in enumerate(scales.scales):
        if isinstance(scale, TaxonomyScale) and scale.size > 1 and scale.rule == "ncp":
            shares[:, j] = np.maximum(extents[:, j] - 1, 0) / (scale.domain - 1)
    return shares


def _weights(ncp: Floats, weights: npt.ArrayLike | None) -> Floats:
    if weights is None:
        return np.ones(ncp.shape[1])
    return np.asarray(weights, np.float64)
