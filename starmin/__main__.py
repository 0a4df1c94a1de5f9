"""python -m starmin"""

from starmin.cli import script

script()
