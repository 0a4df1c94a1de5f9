"""Recodings from the top down, level by level or by sets of splits, and Anatomy.

Methods: ``mondrian`` (read it first), ``top_down``, ``top_down_specialization``,
``incognito`` and ``local_recoding`` in ``levels``, ``full_domain`` and ``anatomy``.

The best single-dimensional recodings are found by set enumeration with pruning:
``single_dimensional`` (read it first), ``least_discernibility`` and
``least_classification_error`` share a file. ``set_enumeration`` says what recodings
there are, what is best, and finds it.
"""

from functools import partial

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.runs.method import Method, Need

_heuristic = partial(
    Method, kind="heuristic", requirements=("any",), objectives=ANY_OBJECTIVE
)

MONDRIAN = _heuristic(
    "starmin.heuristics.recoding.mondrian",
    guarantee="none",
    reach="1 million rows x 7 quasi-identifiers in seconds",
    source="LeFevre, DeWitt, Ramakrishnan 2006",
    needs=(Need("cells", a_second=300_000),),  # it takes a fifth of that
)

TOP_DOWN = _heuristic(
    "starmin.heuristics.recoding.top_down",
    guarantee="none",
    reach="1 million rows x 7 quasi-identifiers",
    source="Xu et al. 2006",
)

TOP_DOWN_SPECIALIZATION = _heuristic(
    "starmin.heuristics.recoding.top_down_specialization",
    guarantee="none",
    reach="1 million rows x 7 quasi-identifiers",
    source="Fung, Wang, Yu 2005",
)

INCOGNITO = _heuristic(
    "starmin.heuristics.recoding.levels:incognito",
    guarantee="optimal among full-domain recodings",
    reach="100,000 rows x 7 quasi-identifiers",
    source="LeFevre, DeWitt, Ramakrishnan 2005",
)

FULL_DOMAIN = _heuristic(
    "starmin.heuristics.recoding.full_domain",
    objectives=("stars", "gcp"),
    guarantee="optimal levels among full-domain recodings with suppression",
    reach="300,000 rows x 9 quasi-identifiers in a minute",
    source="here; after Kohlmayer et al. 2012",
)

LOCAL_RECODING = _heuristic(
    "starmin.heuristics.recoding.levels:local_recoding",
    objectives=("stars", "gcp"),
    guarantee="none",
    reach="30,000 rows x 8 quasi-identifiers in seconds",
    source="here; after Prasser et al. 2020",
)

ANATOMY = _heuristic(
    "starmin.heuristics.recoding.anatomy",
    requirements=("l", "k+l"),
    guarantee="none; the most groups there can be",
    reach="10 million rows",
    source="Xiao, Tao 2006",
)

SINGLE_DIMENSIONAL = _heuristic(
    "starmin.heuristics.recoding.single_dimensional",
    guarantee="optimal among single-dimensional recodings",
    reach="tens of splits: hierarchies, or numbers with few values",
    source="after Bayardo, Agrawal 2005",
)

LEAST_DISCERNIBILITY = _heuristic(
    "starmin.heuristics.recoding.single_dimensional:least_discernibility",
    guarantee="least discernibility metric of single-dimensional recodings",
    reach="tens of splits: hierarchies, or numbers with few values",
    source="Bayardo, Agrawal 2005",
)

LEAST_CLASSIFICATION_ERROR = _heuristic(
    "starmin.heuristics.recoding.single_dimensional:least_classification_error",
    guarantee="least classification metric of single-dimensional recodings",
    reach="tens of splits: hierarchies, or numbers with few values",
    source="Bayardo, Agrawal 2005; Iyengar 2002",
)

METHODS = (
    MONDRIAN,
    TOP_DOWN,
    TOP_DOWN_SPECIALIZATION,
    INCOGNITO,
    FULL_DOMAIN,
    LOCAL_RECODING,
    ANATOMY,
    SINGLE_DIMENSIONAL,
    LEAST_DISCERNIBILITY,
    LEAST_CLASSIFICATION_ERROR,
)
