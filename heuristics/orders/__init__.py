"""Groups of consecutive rows along an order or a line.

Methods that suppress: ``lexicographic_suppression`` (read it first) and
``hilbert_suppression``. Methods that generalize: ``hilbert``, ``hilbert_fast``,
``idistance``, ``idistance_fast`` and ``gray_order``. ``starmin.heuristics.cuts`` cuts
an order into groups for each kind of requirement.
"""

from starmin.instances.releases.objective_kinds import BY_STARS
from starmin.instances.runs.method import Method

LEXICOGRAPHIC_SUPPRESSION = Method(
    "starmin.heuristics.orders.lexicographic_suppression",
    "heuristic",
    requirements=("any",),
    objectives=BY_STARS,
    guarantee="none",
    reach="10 million rows",
    source="starmin",
)

HILBERT_SUPPRESSION = Method(
    "starmin.heuristics.orders.hilbert_suppression",
    "heuristic",
    requirements=("any",),
    objectives=BY_STARS,
    guarantee="none",
    reach="1 million rows x 7 quasi-identifiers in seconds",
    source="Ghinita, Karras, Kalnis, Mamoulis 2009",
)

HILBERT = Method(
    "starmin.heuristics.orders.hilbert",
    "heuristic",
    requirements=("any",),
    objectives=("stars", "gcp"),
    guarantee="none; best of consecutive groups for k",
    reach="1 million rows x 7 quasi-identifiers in seconds",
    source="Ghinita, Karras, Kalnis, Mamoulis 2009",
    aliases=("hilb",),
)

HILBERT_FAST = Method(
    "starmin.heuristics.orders.hilbert_fast",
    "heuristic",
    requirements=("any",),
    objectives=("stars", "gcp"),
    guarantee="none",
    reach="10 million rows",
    source="Ghinita, Karras, Kalnis, Mamoulis 2009",
    aliases=("hilb_fast",),
)

IDISTANCE = Method(
    "starmin.heuristics.orders.idistance",
    "heuristic",
    requirements=("any",),
    objectives=("stars", "gcp"),
    guarantee="none; best of consecutive groups for k",
    reach="1 million rows x 7 quasi-identifiers in seconds",
    source="Ghinita, Karras, Kalnis, Mamoulis 2009",
    aliases=("idist",),
)

IDISTANCE_FAST = Method(
    "starmin.heuristics.orders.idistance_fast",
    "heuristic",
    requirements=("any",),
    objectives=("stars", "gcp"),
    guarantee="none",
    reach="1 million rows x 7 quasi-identifiers in seconds",
    source="Ghinita, Karras, Kalnis, Mamoulis 2009",
    aliases=("idist_fast",),
)

GRAY_ORDER = Method(
    "starmin.heuristics.orders.gray_order",
    "heuristic",
    requirements=("any",),
    objectives=("stars", "gcp"),
    guarantee="none; best of consecutive groups for k",
    reach="1 million rows x 7 quasi-identifiers in seconds",
    source="starmin",
)

METHODS = (
    LEXICOGRAPHIC_SUPPRESSION,
    HILBERT_SUPPRESSION,
    HILBERT,
    HILBERT_FAST,
    IDISTANCE,
    IDISTANCE_FAST,
    GRAY_ORDER,
)
