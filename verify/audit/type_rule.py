"""The type rule: a row type that could be published whole, but is not."""

import numpy as np

from starmin.verify.audit.inference import STATISTICAL, Inference
from starmin.verify.audit.minimality.types_in_classes import TypesInClasses


def type_rule(known: TypesInClasses, l: int) -> Inference:
    """Guess that a type with rows enough, some of them hidden, is not diverse.

    Were it so by itself, its rows would be published as they are, at no cost. Who knows
    the quasi-identifiers of all people so learns that some value is too frequent in it.

    Parameters
    ----------
    known
        Row types and classes.
    l
        No value has more than the share 1/l of a class.

    Returns
    -------
    Inference
        ``above`` counts the people of types that are rightly called so; among its
        further counts are ``types`` (so called), ``right`` (the share of these that
        are so) and ``base`` (of all types with l rows or more).
    """
    classes = known.classes
    sizes = known.sizes
    width = known.counts.shape[1]
    at = known.of_row * width + known.values
    counts = np.bincount(at, minlength=len(sizes) * width).reshape(-1, width)
    skewed = counts.max(axis=1) * l > sizes
    whole = np.asarray(~classes.hidden.any(axis=1))
    shown = np.bincount(known.of_row[whole[classes.of_row]], minlength=len(sizes))
    enough = sizes >= l
    called = enough & (shown < sizes)
    right = called & skewed
    number = int(np.count_nonzero(called))
    hits = int(np.count_nonzero(right))
    return Inference(
        STATISTICAL,
        above=int(sizes[right].sum()),
        false=number - hits,
        more={
            "types": number,
            "right": hits / number if number else None,
            "base": float(skewed[enough].mean()) if enough.any() else None,
        },
    )
