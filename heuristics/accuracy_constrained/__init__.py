"""The accuracy-constrained problem: the most privacy under a bound on each loss.

``accuracy_constrained`` is the heuristic of Ghinita et al. 2009, section 5, and what it
becomes for k-anonymity; read ``max_privacy`` first. ``iterative_direct`` is a binary
search with a direct method; ``presets`` has them as the command calls them;
``along_numbers`` has exact ones for one column of numbers. ``adjust_privacy`` has
compiled loops.
"""

from starmin.instances.runs.method import ACCURACY_CONSTRAINED, Method

_PRESETS = "starmin.heuristics.accuracy_constrained.presets"
_EXACT = "starmin.heuristics.accuracy_constrained.along_numbers"


def _method(
    function: str,
    requires: str,
    guarantee: str,
    reach: str,
    called: str = "",
    home: str = _PRESETS,
) -> Method:
    return Method(
        f"{home}:{function}",
        "exact" if home == _EXACT else "heuristic",
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
        home=_EXACT,
    ),
    _method(
        "l_dual",
        "l",
        "optimal; one numeric column only",
        "200 rows, three sensitive values",
        home=_EXACT,
    ),
)
