"""Tell users of their errors; all else that is raised is a bug."""

from importlib.util import find_spec


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


# Parts that need further libraries, and what installs these.

EXTRAS = {
    "dask": ("distributed",),
    "formats": ("python_calamine", "openpyxl", "pyreadstat", "polars"),
    "page": ("starlette", "uvicorn", "python_multipart", "jinja2"),
    "pandas": ("pandas",),
    "report": ("matplotlib", "jinja2"),
}


def lacking(extra: str) -> str:
    """Return which libraries an extra lacks and how to install it, or nothing.

    >>> lacking("report")
    ''
    """
    missing = [name for name in EXTRAS[extra] if find_spec(name) is None]
    if not missing:
        return ""
    verb = "is" if len(missing) == 1 else "are"
    names = " and ".join(missing)
    return f"{names} {verb} not installed; pip install 'starmin[{extra}]'"


def expect_extra(extra: str, asked: str) -> None:
    """Raise TableError where what is asked for needs a library that is not there.

    >>> expect_extra("report", "--report")
    """
    if why := lacking(extra):
        raise TableError(f"{asked}: {why}")
