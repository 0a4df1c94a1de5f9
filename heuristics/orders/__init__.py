"""Groups of consecutive rows along an order or a line.

Methods that suppress: ``lexicographic_suppression`` (read it first) and
``hilbert_suppression``, in ``suppression``. Methods that generalize: ``hilbert``,
``hilbert_fast``, ``idistance``, ``idistance_fast`` and ``gray_order``, all in
``along_curves``; ``preset`` makes such methods of one function.

``mappings`` puts rows on a line, one of them by ``hilbert_curve``. ``along_order`` cuts
an order into groups, the way that fits the requirement; ``l_groups_by_ncp`` forms
l-diverse ones along a line.

``line_programs`` has the exact programs of one dimension as methods. Rows are put on
the Hilbert curve, those of one column of numbers by these. Each method cuts the line by
another loss, ``k_largest``, ``k_mean`` and ``k_order`` for k-anonymity, ``l_ordered``,
``l_by_dual``, ``l_total`` and ``l_mean`` for l-diversity. What a program minimises on
the line it does not minimise in the table: the programs are in
``starmin.models.one_dimensional``.
"""

from starmin.instances.releases.objective_kinds import BY_STARS
from starmin.instances.runs.method import Method

_SECONDS = "1 million rows x 7 quasi-identifiers in seconds"
_PAPER = "Ghinita, Karras, Kalnis, Mamoulis 2009"

LEXICOGRAPHIC_SUPPRESSION = Method(
    "starmin.heuristics.orders.suppression:lexicographic_suppression",
    "heuristic",
    requirements=("any",),
    objectives=BY_STARS,
    guarantee="none",
    reach="10 million rows",
    source="starmin",
)

HILBERT_SUPPRESSION = Method(
    "starmin.heuristics.orders.suppression:hilbert_suppression",
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


def _on_line(name: str, requirement: str, guarantee: str, reach: str) -> Method:
    return Method(
        f"starmin.heuristics.orders.line_programs:{name}",
        "heuristic",
        requirements=(requirement,),
        objectives=("stars", "gcp"),
        guarantee=f"none; on the line {guarantee}",
        reach=reach,
        source=_PAPER,
    )


K_LARGEST = _on_line("k_largest", "k", "the least largest extent", "10 million rows")
K_MEAN = _on_line("k_mean", "k", "the least mean extent", "10 million rows")
_BY_SIZE = "the least size times extent of consecutive groups"
K_ORDER = _on_line("k_order", "k", _BY_SIZE, "1 million rows")
_FEW = "200 rows, three sensitive values"
L_ORDERED = _on_line("l_ordered", "l", "the least largest extent", _FEW)
L_BY_DUAL = _on_line("l_by_dual", "l", "the least largest extent", _FEW)
L_TOTAL = _on_line("l_total", "l", "the least sum of extents of ordered groups", _FEW)
L_MEAN = _on_line("l_mean", "l", "the least mean extent of ordered groups", _FEW)

METHODS = (
    LEXICOGRAPHIC_SUPPRESSION,
    HILBERT_SUPPRESSION,
    HILBERT,
    HILBERT_FAST,
    IDISTANCE,
    IDISTANCE_FAST,
    GRAY_ORDER,
    K_LARGEST,
    K_MEAN,
    K_ORDER,
    L_ORDERED,
    L_BY_DUAL,
    L_TOTAL,
    L_MEAN,
)
