"""Recodings from the top down or level by level, and Anatomy.

Methods: ``mondrian`` (read it first), ``top_down``, ``top_down_specialization``,
``incognito`` and ``anatomy``.
"""

from instances.runs.method import Method

MONDRIAN = Method(
    "heuristics.recoding.mondrian",
    "heuristic",
    requirements=("any",),
    objectives=("stars", "tuples", "gcp"),
    guarantee="none",
    reach="1 million rows x 7 QI columns in seconds",
    source="LeFevre, DeWitt, Ramakrishnan 2006",
)

TOP_DOWN = Method(
    "heuristics.recoding.top_down",
    "heuristic",
    requirements=("any",),
    objectives=("stars", "tuples", "gcp"),
    guarantee="none",
    reach="1 million rows x 7 QI columns",
    source="Xu et al. 2006",
)

TOP_DOWN_SPECIALIZATION = Method(
    "heuristics.recoding.top_down_specialization",
    "heuristic",
    requirements=("any",),
    objectives=("stars", "tuples", "gcp"),
    guarantee="none",
    reach="1 million rows x 7 QI columns",
    source="Fung, Wang, Yu 2005",
)

INCOGNITO = Method(
    "heuristics.recoding.incognito",
    "heuristic",
    requirements=("any",),
    objectives=("stars", "tuples", "gcp"),
    guarantee="optimal among full-domain recodings",
    reach="100,000 rows x 7 QI columns",
    source="LeFevre, DeWitt, Ramakrishnan 2005",
)

ANATOMY = Method(
    "heuristics.recoding.anatomy",
    "heuristic",
    requirements=("l", "k+l"),
    objectives=("stars", "tuples", "gcp"),
    guarantee="none; the most groups there can be",
    reach="10 million rows",
    source="Xiao, Tao 2006",
)

METHODS = (MONDRIAN, TOP_DOWN, TOP_DOWN_SPECIALIZATION, INCOGNITO, ANATOMY)
