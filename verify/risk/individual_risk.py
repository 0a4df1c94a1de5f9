"""The individual risk of Benedetti and Franconi: of rows of a weighted sample."""

import numpy as np
from scipy.special import hyp2f1

from starmin.instances.arrays import Floats, Ints


def individual_risk(sizes: Ints, people: Floats) -> Floats:
    """Return the expected risk 1/F of the rows of classes, by sampling weights.

    A class has f rows in the sample, whose weights sum to F'. Given f, the number F of
    such people in the population is taken as negative binomial with p = f / F', as
    Benedetti and Franconi (1998) do; the risk is the mean of 1/F,

    ``(p^f / f) 2F1(f, f; f + 1; 1 - p)  =  (p / f) 2F1(1, 1; f + 1; 1 - p)``,

    exactly, not by its expansion for large f.

    Parameters
    ----------
    sizes
        f, at least 1.
    people
        F'; where it is below f, the sample is taken as the whole class: the risk is
        1/f.

    Examples
    --------
    >>> [round(float(r), 4) for r in individual_risk(
    ...     np.array([1, 1, 2]), np.array([1.0, 100.0, 40.0]))]
    [1.0, 0.0465, 0.0443]
    """
    f = sizes.astype(np.float64)
    p = np.minimum(f / np.maximum(people, f), 1.0)
    return np.asarray(p / f * hyp2f1(1.0, 1.0, f + 1.0, 1.0 - p), np.float64)
