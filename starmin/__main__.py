"""python -m starmin"""

from starmin.cli import script

if __name__ == "__main__":  # processes that are started anew read this file, too
    script()
