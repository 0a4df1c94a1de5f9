"""Heuristics for non-homogeneous k-anonymity: each row has stars of its own.

Methods: ``rematching`` (read it first), ``two_phase``, ``two_phase_to_the_end``,
``freeform`` beside it, ``ring``, and ``blocks`` for millions of rows. ``cycles``
cancels negative cycles, ``release_of`` in ``ring`` makes a release of matchings.

Sparse matchings between originals and released rows: ``near_edges`` lists candidate
edges, ``complete`` adds some where they have no perfect matching, ``layers`` weighs
them, layer by layer, and ``mask_prices`` finds prices of originals and masks at them.
"""

from functools import partial

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.runs.method import Method

_heuristic = partial(
    Method,
    kind="heuristic",
    requirements=("k",),
    objectives=ANY_OBJECTIVE,
    guarantee="none",
    recodings=("nonhomogeneous",),
)

REMATCHING = _heuristic(
    "starmin.heuristics.nonhomogeneous.rematching",
    reach="100,000 rows x 10 quasi-identifiers in two minutes; any number in blocks",
    source="starmin",
)

BLOCKS = _heuristic(
    "starmin.heuristics.nonhomogeneous.blocks",
    reach="10 million rows x 10 quasi-identifiers",
    source="Murakami, Uno 2018",
)

TWO_PHASE = _heuristic(
    "starmin.heuristics.nonhomogeneous.two_phase",
    reach="100,000 rows x 10 quasi-identifiers in seconds; any number in blocks",
    source="Murakami, Uno 2018",
)

TWO_PHASE_TO_THE_END = _heuristic(
    "starmin.heuristics.nonhomogeneous.two_phase:two_phase_to_the_end",
    reach="10,000 rows x 8 quasi-identifiers in seconds",
    source="Murakami, Uno 2018",
)

FREEFORM = _heuristic(
    "starmin.heuristics.nonhomogeneous.two_phase:freeform",
    reach="100,000 rows x 10 quasi-identifiers in seconds",
    source="Doka, Xue, Tsoumakos, Karras 2015",
)

RING = _heuristic(
    "starmin.heuristics.nonhomogeneous.ring",
    reach="10 million rows",
    source="Wong, Mamoulis, Cheung 2010",
)

METHODS = (REMATCHING, BLOCKS, TWO_PHASE, TWO_PHASE_TO_THE_END, FREEFORM, RING)
