"""Groups near to one another, solved to optimality by the program of boxes.

``box_neighbourhoods`` is the method. It chooses the groups of a neighbourhood and
remembers which cannot be improved.
"""

from starmin.instances.runs.method import Method, Need

BOX_NEIGHBOURHOODS = Method(
    "starmin.heuristics.box_neighbourhoods.box_neighbourhoods",
    "heuristic",
    requirements=("k", "l", "k+l", "distinct", "distinct+k"),
    objectives=("stars", "gcp"),
    guarantee="none; never worse than its start",
    reach="2,000 rows x 4 columns with ranges; gains where other searches have ended",
    source="starmin; Shaw 1998 (large neighbourhoods)",
    needs=(Need("rows", a_second=20),),
    pauses=True,
)

METHODS = (BOX_NEIGHBOURHOODS,)
