"""``python -m starmin.gaps.limited BYTES COMMAND ..``: starmin with limited memory."""

import resource
import sys


def main() -> None:
    """Limit this process, then be the command line."""
    most = int(sys.argv[1])
    if most:
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    sys.argv = ["starmin", *sys.argv[2:]]
    from starmin.cli import script

    script()


if __name__ == "__main__":
    main()
