"""The two errors a user can cause; everything else is a bug."""


class TableError(ValueError):
    """Bad input: names the file, row or column, and the mend, in one line.

    Line breaks in a name that the message quotes become blanks.

    Examples
    --------
    >>> raise TableError("people.csv: no column 'agee'; columns: age, sex")
    Traceback (most recent call last):
    ...
    starmin.instances.errors.TableError: people.csv: no column 'agee'; columns: age, sex
    """

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.splitlines()))


class NotSupportedError(ValueError):
    """A method was asked for a case outside those it solves.

    The only error that sweeps over many methods catch.
    """
