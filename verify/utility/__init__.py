"""How well a release answers what the table would: divergence and count queries.

Read ``fit`` first, for divergence and count queries; ``spread`` is what a release says
of the rows.
"""

from starmin.verify.utility.fit import CubeErrors, Fit, Truth, compare, cube_errors
from starmin.verify.utility.spread import Spread, spread_of

__all__ = [
    "CubeErrors",
    "Fit",
    "Spread",
    "Truth",
    "compare",
    "cube_errors",
    "spread_of",
]
