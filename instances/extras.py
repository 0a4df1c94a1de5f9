"""Parts that need further libraries, and what installs these."""

from importlib.util import find_spec

from starmin.instances.errors import TableError

EXTRAS = {
    "dask": ("distributed",),
    "formats": ("python_calamine", "openpyxl", "pyreadstat", "polars"),
    "pandas": ("pandas",),
    "report": ("matplotlib", "jinja2"),
}


def lacking(extra: str) -> str:
    """Return which libraries an extra lacks and how to install it, or nothing.

    Examples
    --------
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

    Examples
    --------
    >>> expect_extra("report", "--report")
    """
    if why := lacking(extra):
        raise TableError(f"{asked}: {why}")
