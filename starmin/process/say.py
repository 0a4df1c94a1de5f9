"""What a command says besides its answer."""

import sys


def say(line: str) -> None:
    """Print a line to stderr.

    Examples
    --------
    >>> say("warning: nothing to say")
    """
    print(f"starmin: {' '.join(line.split())}", file=sys.stderr, flush=True)
