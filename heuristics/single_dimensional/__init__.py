"""The best single-dimensional recodings, by set enumeration with pruning.

Methods: ``single_dimensional`` (read it first), ``least_discernibility`` and
``least_classification_error``. ``search_recodings`` is the loop they share; ``splits``
says what recodings there are, ``set_enumeration`` finds the best, ``recoding_metrics``
what is best.
"""

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.runs.method import Method

SINGLE_DIMENSIONAL = Method(
    "starmin.heuristics.single_dimensional.single_dimensional",
    "heuristic",
    requirements=("any",),
    objectives=ANY_OBJECTIVE,
    guarantee="optimal among single-dimensional recodings",
    reach="tens of splits: hierarchies, or numbers with few values",
    source="after Bayardo, Agrawal 2005",
)

LEAST_DISCERNIBILITY = Method(
    "starmin.heuristics.single_dimensional.least_discernibility",
    "heuristic",
    requirements=("any",),
    objectives=ANY_OBJECTIVE,
    guarantee="least discernibility metric of single-dimensional recodings",
    reach="tens of splits: hierarchies, or numbers with few values",
    source="Bayardo, Agrawal 2005",
)

LEAST_CLASSIFICATION_ERROR = Method(
    "starmin.heuristics.single_dimensional.least_classification_error",
    "heuristic",
    requirements=("any",),
    objectives=ANY_OBJECTIVE,
    guarantee="least classification metric of single-dimensional recodings",
    reach="tens of splits: hierarchies, or numbers with few values",
    source="Bayardo, Agrawal 2005; Iyengar 2002",
)

METHODS = (SINGLE_DIMENSIONAL, LEAST_DISCERNIBILITY, LEAST_CLASSIFICATION_ERROR)
