"""Heuristics for non-homogeneous k-anonymity: each row has stars of its own.

Methods: ``rematching`` (read it first), ``two_phase``, ``two_phase_to_the_end``,
``freeform``, ``ring``, and ``blocks`` for tables of millions of rows. ``cycles``
cancels negative cycles, ``release_of`` in ``ring`` makes a release of matchings.

Sparse matchings between originals and released rows: ``near_edges`` lists candidate
edges, ``complete`` adds some where they have no perfect matching, ``layers`` weighs
them, layer by layer, and ``mask_prices`` finds prices of originals and masks at them.
"""

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.runs.method import Method

REMATCHING = Method(
    "starmin.heuristics.nonhomogeneous.rematching",
    "heuristic",
    requirements=("k",),
    objectives=ANY_OBJECTIVE,
    guarantee="none",
    reach="100,000 rows x 10 quasi-identifiers in two minutes; any number in blocks",
    source="starmin",
    recodings=("nonhomogeneous",),
)

BLOCKS = Method(
    "starmin.heuristics.nonhomogeneous.blocks",
    "heuristic",
    requirements=("k",),
    objectives=ANY_OBJECTIVE,
    guarantee="none",
    reach="10 million rows x 10 quasi-identifiers",
    source="Murakami, Uno 2018",
    recodings=("nonhomogeneous",),
)

TWO_PHASE = Method(
    "starmin.heuristics.nonhomogeneous.two_phase",
    "heuristic",
    requirements=("k",),
    objectives=ANY_OBJECTIVE,
    guarantee="none",
    reach="100,000 rows x 10 quasi-identifiers in seconds; any number in blocks",
    source="Murakami, Uno 2018",
    recodings=("nonhomogeneous",),
)

TWO_PHASE_TO_THE_END = Method(
    "starmin.heuristics.nonhomogeneous.two_phase:two_phase_to_the_end",
    "heuristic",
    requirements=("k",),
    objectives=ANY_OBJECTIVE,
    guarantee="none",
    reach="10,000 rows x 8 quasi-identifiers in seconds",
    source="Murakami, Uno 2018",
    recodings=("nonhomogeneous",),
)

FREEFORM = Method(
    "starmin.heuristics.nonhomogeneous.freeform",
    "heuristic",
    requirements=("k",),
    objectives=ANY_OBJECTIVE,
    guarantee="none",
    reach="100,000 rows x 10 quasi-identifiers in seconds",
    source="Doka, Xue, Tsoumakos, Karras 2015",
    recodings=("nonhomogeneous",),
)

RING = Method(
    "starmin.heuristics.nonhomogeneous.ring",
    "heuristic",
    requirements=("k",),
    objectives=ANY_OBJECTIVE,
    guarantee="none",
    reach="10 million rows",
    source="Wong, Mamoulis, Cheung 2010",
    recodings=("nonhomogeneous",),
)

METHODS = (REMATCHING, BLOCKS, TWO_PHASE, TWO_PHASE_TO_THE_END, FREEFORM, RING)
