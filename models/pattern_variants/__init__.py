"""Requirements that count other things than rows: bounded, solved, made easier.

Methods: ``known_values_ilp`` (missing sensitive values are any value, or none),
``person_ilp``, ``within_ilp`` and ``within_prices`` (unions of the classes of an
earlier release), ``deletion_ilp`` and ``deletion_prices`` (rows are left out at a
price). Each is the pattern formulation with other counts: ``PatternColumns`` takes what
is dealt to patterns, and ``solve_program`` solves it. Read ``person_ilp`` first.
``outliers`` deletes rows of a release that keeps them. Problems of the usual kind that
are easier are in ``starmin.models.reductions``.
"""

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.runs.method import Method

KNOWN_VALUES_ILP = Method(
    "starmin.models.pattern_variants.known_values_ilp",
    "exact",
    requirements=("known-l", "k+known-l", "known-distinct", "k+known-distinct"),
    objectives=("stars", "gcp"),
    guarantee="optimal",
    reach="some hundred distinct rows; larger tables as far as time allows",
    source="the pattern formulation, with rows for missing values",
)

PERSON_ILP = Method(
    "starmin.models.pattern_variants.person_ilp",
    "exact",
    requirements=("persons", "persons alike"),
    objectives=ANY_OBJECTIVE,
    guarantee="optimal",
    reach="some hundred persons; larger tables as far as time allows",
    source="the pattern formulation, with persons in the place of rows",
    solver="HiGHS",
)

WITHIN_ILP = Method(
    "starmin.models.pattern_variants.within:within_ilp",
    "exact",
    requirements=("within",),
    objectives=("stars", "gcp"),
    guarantee="optimal",
    reach="some hundred classes; more as far as time allows",
    source="the pattern formulation, with classes in the place of rows",
    solver="HiGHS",
)
WITHIN_PRICES = Method(
    "starmin.models.pattern_variants.within:within_prices",
    "bound",
    requirements=("within",),
    objectives=("stars", "gcp"),
    guarantee="the Lagrangian bound of the pattern formulation, nearly",
    reach="20,000,000 pairs of a class and a pattern that it fits",
    source="Lagrangian relaxation, with classes in the place of rows",
)

DELETION_ILP = Method(
    "starmin.models.pattern_variants.row_deletion:deletion_ilp",
    "exact",
    requirements=("deleted rows",),
    objectives=("stars", "gcp"),
    guarantee="optimal",
    reach="some hundred rows; more as far as time allows",
    source="the pattern formulation, with a pattern for deleted rows",
    recodings=("suppression",),
    solver="HiGHS",
)
DELETION_PRICES = Method(
    "starmin.models.pattern_variants.row_deletion:deletion_prices",
    "bound",
    requirements=("deleted rows",),
    objectives=("stars", "gcp"),
    guarantee="the Lagrangian bound of the pattern formulation, nearly",
    reach="30,000 rows x 8 quasi-identifiers in a minute",
    source="Lagrangian relaxation, with prices that are capped",
    recodings=("suppression",),
)

METHODS = (
    KNOWN_VALUES_ILP,
    PERSON_ILP,
    WITHIN_ILP,
    WITHIN_PRICES,
    DELETION_ILP,
    DELETION_PRICES,
)
