"""The time limit of a command or call, and what holds where none is given."""

import math

DEFAULT_TIME_LIMITS = {"auto": 300.0}  # seconds by method; others have no limit
DEFAULT_HELP = f"default: {DEFAULT_TIME_LIMITS['auto']:g} for auto, none for others."


def seconds_of(method: str, time_limit: float | None) -> float:
    """Return the time limit; where none is given, the default of the method.

    Examples
    --------
    >>> seconds_of("forest", None), seconds_of("forest", 2.0), seconds_of("auto", None)
    (inf, 2.0, 300.0)
    """
    return (
        DEFAULT_TIME_LIMITS.get(method, math.inf) if time_limit is None else time_limit
    )
