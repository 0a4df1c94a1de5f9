"""Rules over combinations: their program and its bounds.

Read ``rule_program`` first, which settles what can be settled. ``axes`` numbers the
combinations of values, ``choices`` lays out what is left for loops; ``price_function``
is the bound of prices, and ``price_loops`` has its two halves. It is raised there, too,
and what a cheaper mask can show is listed. The methods are ``hitting_sets``,
``rule_prices`` and ``rule_ilp``.

``set_relaxation`` solves the linear relaxation of rules by classes, over the sets that
``set_pool`` keeps. A *region* is some row types and items, apart from those of all
other regions. Within it, ``region_forest`` opens items (some row shows them) and closes
others (no row does), and ``region_prices`` moves prices of the region's types anew
below each of these. The gains of all trees add up.
"""

from functools import partial

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.requirements.requirement import MASK
from starmin.instances.runs.method import Method

_of_rules = partial(
    Method,
    requirements=("rules", "k+rules"),
    objectives=ANY_OBJECTIVE,
    space=MASK,
    counted=True,
)

HITTING_SETS = _of_rules(
    "starmin.models.rules.rule_bounds:hitting_sets",
    "bound",
    guarantee="valid; the optimum where rules count the original or a population",
    reach="30,000 rows x 8 quasi-identifiers in a second",
    source="own",
)

RULE_PRICES = _of_rules(
    "starmin.models.rules.rule_bounds:rule_prices",
    "bound",
    guarantee="valid; never below hitting_sets",
    reach="30,000 rows x 8 quasi-identifiers, triples, in half a minute",
    source="own; Fisher 1981; Kingma, Ba 2015",
)

RULE_ILP = _of_rules(
    "starmin.models.rules.rule_ilp",
    "exact",
    guarantee="optimal",
    reach="hundreds of rows; 30,000 x 8 where prices leave a gap of a few stars",
    source="own; CP-SAT",
)

METHODS = (HITTING_SETS, RULE_PRICES, RULE_ILP)
