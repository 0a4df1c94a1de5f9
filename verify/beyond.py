"""What a checker does not know, or cannot do in its arithmetic or its time."""


class BeyondError(ValueError):
    """Why a claim can be neither accepted nor refused here.

    Examples
    --------
    >>> raise BeyondError("its kind is not known")
    Traceback (most recent call last):
    ...
    starmin.verify.beyond.BeyondError: its kind is not known
    """
