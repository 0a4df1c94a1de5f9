"""The program over groups in boxes, for small tables with ranges, trees and stars.

``box_program`` is the method; read it first. ``root`` bounds the problem by column
generation (``relaxation``, ``master``) with cuts (``row_sets``, ``separation``),
``tree`` splits what is left (``branching``), ``incumbent`` makes releases of groups.
``walk`` finds the boxes that are worth something at prices (``walk_splits`` chooses
nodes, ``walk_admit`` drops what ``walk_bounds`` says), ``fills`` their cheapest groups,
``geometry`` what they cost; ``box_data`` is what these loops read.
"""

from starmin.instances.runs.method import Method

BOX_PROGRAM = Method(
    "starmin.models.boxes.box_program",
    "exact",
    requirements=("k", "l"),
    objectives=("stars", "gcp"),
    guarantee="optimal, with a certificate of it",
    reach="150 rows x 3-6 QI columns with ranges in seconds, 300 rows in a minute",
    source="starmin; Barnhart et al. 1998 (branch and price)",
)

METHODS = (BOX_PROGRAM,)
