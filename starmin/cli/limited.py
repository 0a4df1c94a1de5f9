"""``python -m starmin.cli.limited BYTES COMMAND ..``: starmin with limited memory."""

import resource
import sys


def limit_memory(most: int) -> None:
    """Let this process allocate so many bytes; 0: as many as there are."""
    if most:
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def main() -> None:
    """Limit this process, then be the command line."""
    limit_memory(int(sys.argv[1]))
    sys.argv = ["starmin", *sys.argv[2:]]
    from starmin.cli.app import script

    script()


if __name__ == "__main__":
    main()
