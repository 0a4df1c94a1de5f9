"""Names of outputs with that of the table in them: each table has files of its own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starmin.recipes.keys import keys

TABLE = "{table}"  # stands for the name of the table that a recipe is used for


def stem_of(source: str) -> str:
    """Return the name of a table without its folder and its ending.

    Examples
    --------
    >>> stem_of("data/may.csv.gz"), stem_of("instance:hospital")
    ('may', 'instance-hospital')
    """
    name = Path(source.replace(":", "-")).name
    stem = name.removesuffix(".gz").rpartition(".")[0] if "." in name else name
    return stem or name


def filled(told: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return options with the name of the table in those of outputs.

    Options are by name of parameter; ``source`` is how the table is named.

    Examples
    --------
    >>> filled({"out": Path("{table}.public.csv"), "k": 5}, "may.csv")["out"].name
    'may.public.csv'
    """
    return {
        name: _replaced(value, TABLE, stem_of(source)) if is_output(name) else value
        for name, value in told.items()
    }


def general(told: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return options with ``{table}`` in names of outputs that begin with the table's.

    Examples
    --------
    >>> general({"out": Path("may.public.csv"), "k": 5}, "may.csv")["out"].name
    '{table}.public.csv'
    """
    stem = stem_of(source)
    return {
        name: value.with_name(TABLE + value.name.removeprefix(stem))
        if is_output(name)
        and isinstance(value, Path)
        and value.name.startswith(f"{stem}.")
        else value
        for name, value in told.items()
    }


def is_output(name: str) -> bool:
    """Check whether a parameter names a file that is written."""
    key = keys()[name]
    return key.is_file and key.section == "output"


def _replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, Path):
        return Path(str(value).replace(old, new))
    return value.replace(old, new) if isinstance(value, str) else value
