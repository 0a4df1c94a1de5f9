"""Groups of consecutive rows along an order or a line.

Methods that suppress: ``lexicographic_suppression`` (read it first) and
``hilbert_suppression``. Methods that generalize: ``hilbert``, ``hilbert_fast``,
``idistance``, ``idistance_fast`` and ``gray_order``, all in ``along_curves``.
``starmin.heuristics.cuts`` cuts an order into groups for each kind of requirement.
"""

from starmin.instances.releases.objective_kinds import BY_STARS
from starmin.instances.runs.method import Method

_SECONDS = "1 million rows x 7 quasi-identifiers in seconds"
_PAPER = "Ghinita, Karras, Kalnis, Mamoulis 2009"

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
    reach=_SECONDS,
    source=_PAPER,
)


def _along(
    name: str, guarantee: str, reach: str, aliases: tuple[str, ...], source: str
) -> Method:
    return Method(
        f"starmin.heuristics.orders.along_curves:{name}",
        "heuristic",
        requirements=("any",),
        objectives=("stars", "gcp"),
        guarantee=guarantee,
        reach=reach,
        source=source,
        aliases=aliases,
    )


_BEST = "none; best of consecutive groups for k", _SECONDS
_FAST = "none", "10 million rows"
HILBERT = _along("hilbert", *_BEST, ("hilb",), _PAPER)
HILBERT_FAST = _along("hilbert_fast", *_FAST, ("hilb_fast",), _PAPER)
IDISTANCE = _along("idistance", *_BEST, ("idist",), _PAPER)
IDISTANCE_FAST = _along("idistance_fast", *_FAST, ("idist_fast",), _PAPER)
GRAY_ORDER = _along("gray_order", *_BEST, (), "starmin")

METHODS = (
    LEXICOGRAPHIC_SUPPRESSION,
    HILBERT_SUPPRESSION,
    HILBERT,
    HILBERT_FAST,
    IDISTANCE,
    IDISTANCE_FAST,
    GRAY_ORDER,
)
