"""How many seeds random tests take."""

import os


def seeds(count: int, first: int = 0) -> range:
    """Return so many seeds, or as many as the environment variable FUZZ says.

    Parameters
    ----------
    count
        How many without that variable.
    first
        The first seed.
    """
    return range(first, first + (int(os.environ.get("FUZZ", "0")) or count))
