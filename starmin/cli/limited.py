"""``python -P FILE BYTES COMMAND ..``: starmin with limited memory, run as a file.

Python would look for a module in the working folder first, and so for all it imports.
"""

import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve()
resource: Any = None
with suppress(ImportError):  # not on Windows
    resource = import_module("resource")


def limit_memory(most: int) -> None:
    """Let this process allocate so many bytes; 0: as many as there are.

    That is for systems that have such a limit (``resource`` is not None).
    """
    if most:
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def main() -> None:
    """Limit this process, then be the command line."""
    limit_memory(int(sys.argv[1]))
    sys.argv = ["starmin", *sys.argv[2:]]
    from starmin.cli.app import script
    from starmin.process.working_folder import leave_it_out

    leave_it_out()
    script()


if __name__ == "__main__":
    if (home := str(FILE.parents[2])) not in sys.path:  # a checkout, not installed
        sys.path.insert(0, home)
    main()
