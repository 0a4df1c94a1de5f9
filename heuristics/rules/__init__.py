"""Masks for rules over combinations: rows that answer each other, and offices' way.

``rule_search`` is the method; read it first. ``rows`` holds what each row hides and who
shows what. ``answers`` lets a row show what costs least given the others, repairs what
too few show, and moves: rows that pay much show what is cheaper, or combinations are
opened or closed. In ``neighbourhoods`` integer programs choose what some types show
among sets that cost little. ``office_greedy`` is what is done today, as a baseline.
"""

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.requirements.requirement import MASK
from starmin.instances.runs.method import Method

_FORMS = ("rules", "k+rules")

RULE_SEARCH = Method(
    "starmin.heuristics.rules.rule_search",
    "heuristic",
    requirements=_FORMS,
    objectives=ANY_OBJECTIVE,
    guarantee="none; the optimum where rules count the original or a population",
    reach="30,000 rows x 8 quasi-identifiers, pairs and triples, in a minute",
    source="own",
    space=MASK,
    counted=True,
)

OFFICE_GREEDY = Method(
    "starmin.heuristics.rules.office_greedy",
    "heuristic",
    requirements=_FORMS,
    objectives=ANY_OBJECTIVE,
    guarantee="none",
    reach="30,000 rows x 8 quasi-identifiers in seconds",
    source="statistical offices; Hundepool and others 2012",
    space=MASK,
    counted=True,
)

METHODS = (RULE_SEARCH, OFFICE_GREEDY)
