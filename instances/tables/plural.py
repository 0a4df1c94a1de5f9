"""Numbers of things, in words."""


def counted(number: int, thing: str, things: str | None = None) -> str:
    """Write so many things; ``things`` is the plural, an s appended if it is not named.

    Examples
    --------
    >>> counted(1, "row"), counted(12_000, "row"), counted(0, "class", "classes")
    ('1 row', '12,000 rows', '0 classes')
    """
    many = things or f"{thing}s"
    return f"{number:,} {thing if number == 1 else many}"
