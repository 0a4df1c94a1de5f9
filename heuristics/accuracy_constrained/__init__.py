"""The accuracy-constrained problem: the most privacy under a bound on each loss.

``accuracy_constrained`` is the heuristic of Ghinita et al. 2009, section 5, and what it
becomes for k-anonymity; read ``max_privacy`` first. ``presets`` has the methods as the
command calls them: also a binary search with a direct method, and exact ones for one
column of numbers. ``adjust_privacy`` has compiled loops.
"""

from starmin.instances.runs.method import ACCURACY_CONSTRAINED, Kind, Method

_PRESETS = "starmin.heuristics.accuracy_constrained.presets"


def _method(
    function: str,
    requires: str,
    guarantee: str,
    reach: str,
    called: str = "",
    kind: Kind = "heuristic",
) -> Method:
    return Method(
        f"{_PRESETS}:{function}",
        kind,
        requirements=(requires,),
        objectives=("gcp",),
        guarantee=guarantee,
        reach=reach,
        source="Ghinita, Karras, Kalnis, Mamoulis 2009",
        family=ACCURACY_CONSTRAINED,
        called=called,
    )


METHODS = (
    _method("ac", "l", "none", "1 million rows"),
    _method("ac_line", "l", "none", "1 million rows", called="ac-line"),
    _method("ipcsd_1d", "l", "none", "1 million rows", called="ipcsd-1d"),
    _method("ipcsd_mondrian", "l", "none", "1 million rows", called="ipcsd-mondrian"),
    _method("k", "k", "optimal along one numeric column", "1 million rows"),
    _method(
        "k_dual",
        "k",
        "optimal; one numeric column only",
        "10 million rows",
        kind="exact",
    ),
    _method(
        "l_dual",
        "l",
        "optimal; one numeric column only",
        "200 rows, three sensitive values",
        kind="exact",
    ),
)
