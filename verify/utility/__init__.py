"""How well a release answers what the table would: divergence and count queries.

Read ``fit`` (divergence) or ``cube`` (count queries) first; ``spread`` is what a
release says of the rows.
"""

from starmin.verify.utility.cube import CubeErrors, cube_errors
from starmin.verify.utility.fit import Fit, compare
from starmin.verify.utility.spread import Spread, spread_of
from starmin.verify.utility.truth import Truth

__all__ = [
    "CubeErrors",
    "Fit",
    "Spread",
    "Truth",
    "compare",
    "cube_errors",
    "spread_of",
]
