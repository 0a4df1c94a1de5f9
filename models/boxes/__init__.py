"""The program over groups in boxes, for small tables with ranges, trees and stars.

``box_program`` is the method; read it first, then ``box_search``: its first prices, its
steps, and what writes down what was proven. The folder ``master`` has the program, its
cuts and its tree, ``walk`` finds the boxes that are worth something at prices.
``incumbent`` reads the groups of a release, and makes releases of the groups that the
program has.
"""

from starmin.instances.runs.method import DIVERSE, Method, Need

BOX_PROGRAM = Method(
    "starmin.models.boxes.box_program",
    "exact",
    requirements=DIVERSE,
    objectives=("stars", "gcp"),
    guarantee="optimal, with a certificate of it",
    reach="150 rows x 3-6 columns with ranges in seconds, 300 rows in a minute",
    source="starmin; Barnhart et al. 1998 (branch and price)",
    needs=(Need("types", a_second=200, most=5_000),),
    pauses=True,
    aliases=("range_ilp",),
)

METHODS = (BOX_PROGRAM,)
