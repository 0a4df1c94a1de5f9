"""The schedule of ``auto``: which methods have turns at a problem, in which order.

It is one list. Each turn begins with the best release and the best prices of those
before it, and ends where its time is up, or release and bound meet.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starmin.auto.schedule.turns import Growth, Pace, Turn, Where

SMALL = 300  # rows of tables whose boxes are listed whatever the time
_LARGE, _SMALL = (500, math.inf), (0, SMALL)  # rows
_STARS = Where("stars", rows=_LARGE)
# The relaxation of so many pairs is solved in time, and that of more by multipliers.
_LISTED = Pace("pairs", 2_000)
_PRICED = Pace("pairs", 30_000, more_than=2_000)
# Boxes of larger tables are listed in time where few contain a row.
_MIDDLE = Where("losses", (SMALL + 1, 2_000))
_FEW_BOXES = replace(_MIDDLE, pace=Pace("pairs", 2e7))
_MOMENT = 2.0  # seconds for a first look by each search, whatever the limit
# Where there is so much time, searches end before it.
_LONG = replace(_MIDDLE, pace=Pace("rows", 20))
# Searches alternate where slices are short, or patterns too many to be listed: else
# `large_neighbourhood` has them all, and would lose much where it is broken off.
_SHORT = Where("losses", (0, 2_000))
_UNLISTED = Where("losses", pace=Pace("pairs", more_than=1e8))
# Pairs and triples: for large tables, and wherever losses are minimised.
_TWO = (
    Where("stars", _LARGE, least=2, diverse=False, pace=Pace("couples", 6e6)),
    Where("losses", least=2, diverse=False, pace=Pace("couples", 6e6)),
    Where("losses", least=2, diverse=True, pace=Pace("couples", 6e5)),
)


def _unpriced() -> Mapping[str, Any]:
    """Have `pattern_ilp` refuse what it cannot list: others find more in that time."""
    from starmin.models.pattern_ilp.pattern_ilp import PatternIlpParams  # loads HiGHS

    return {"params": PatternIlpParams(priced=False)}


SCHEDULE = (
    Turn(
        ("gray_order", "mondrian", "local_recoding"),
        (Where("losses"),),
        share=0.5,
        starts=True,
    ),
    Turn(
        ("lexicographic_suppression",),
        (Where("losses"),),
        share=0.5,
        starts=True,
        stars=True,
    ),
    Turn(("lexicographic_suppression",), (_STARS,), share=0.1, starts=True),
    Turn(
        ("lagrangian_diving",),
        (Where("stars", rows=_LARGE, pace=_LISTED),),
        share=0.1,
        starts=True,
    ),
    Turn(
        ("local_search",),
        (Where("stars", rows=_LARGE, distinct=True, pace=_PRICED),),
        share=0.5,
        starts=True,
    ),
    Turn(
        ("large_neighbourhood",),
        _TWO,
        per=("types", 1_800),
        most=10.0,
        growth=Growth(gap=0.1, share=0.3),
    ),
    Turn(("simplex_matching",), _TWO, share=0.75),
    Turn(
        ("ruin_and_recreate",),
        (Where("losses", rows=_SMALL),),
        share=0.1,
        per=("rows", 150),
    ),
    Turn(("box_program",), (Where("losses", rows=_SMALL),), share=0.75, waits=0.1),
    Turn(("large_neighbourhood",), (_FEW_BOXES,), share=0.25, most=_MOMENT),
    Turn(("ruin_and_recreate",), (_MIDDLE,), share=0.3, most=_MOMENT),
    Turn(("box_program",), (_FEW_BOXES,), share=0.8, waits=0.1),
    Turn(("box_neighbourhoods",), (_LONG,), share=0.25),
    Turn(
        ("large_neighbourhood",),
        (Where("stars", rows=_LARGE, diverse=False, pace=_LISTED),),
        share=0.15,
        per=("pairs", 4_000),
        once=True,
    ),
    Turn(
        ("large_neighbourhood",),
        (Where("losses", rows=_LARGE, diverse=False, pace=_LISTED),),
        share=0.4,
        per=("pairs", 4_000),
        once=True,
    ),
    Turn(("tuple_ilp", "bipartite_matching"), ends=True),
    Turn(
        ("pattern_ilp",),
        (
            Where(rows=(0, 499)),
            Where("tuples"),
            Where(pace=_LISTED),
            Where("stars", distinct=True, pace=_PRICED),
        ),
        ends=True,
        given=_unpriced,
    ),
    Turn(
        ("ruin_and_recreate",),
        (
            Where(
                "losses",
                rows=_LARGE,
                diverse=True,
                pace=Pace("pairs", more_than=5e9),
            ),
        ),
        ends=True,
    ),
    Turn(
        ("large_neighbourhood", "ruin_and_recreate"),
        (_SHORT, _UNLISTED),
        share=0.75,
        per=("rows", 1_000),
        contest=True,
        ends=True,
    ),
    Turn(("large_neighbourhood", "ruin_and_recreate"), ends=True),
    Turn(("local_search",), (Where("stars", distinct=True),), share=0.8, ends=True),
    Turn(("local_search",), ends=True),
    # The last search may end early.
    Turn(("ruin_and_recreate",), (Where("losses"),), per=("rows", 150), after=True),
    Turn(("distinct_prices",), after=True),
    Turn(
        ("gray_order", "mondrian", "hilbert", "idistance", "top_down"),
        (Where("losses"),),
    ),
    Turn(
        ("lexicographic_suppression", "hilbert_suppression", "mondrian", "top_down"),
        (Where("stars"), Where("tuples")),
    ),
)


def methods_of_schedule() -> list[str]:
    """Return the names of all methods that have a turn, each once.

    Examples
    --------
    >>> methods_of_schedule()[0]
    'gray_order'
    """
    return list(dict.fromkeys(name for turn in SCHEDULE for name in turn.methods))
