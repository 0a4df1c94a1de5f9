"""The command line with a requirement that starmin does not have.

It is the one of the example package of docs, all of it one class in one file.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "docs" / "extension"))

from starmin_extension.spread import Spread

import starmin
from starmin.cli.app import main

if __name__ == "__main__":
    starmin.register(Spread)
    raise SystemExit(main())
