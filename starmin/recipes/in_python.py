"""A settings file as the keyword arguments of ``starmin.anonymize``."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from starmin.instances import TableError
from starmin.instances.scales.missing import MISSING
from starmin.recipes.keys import keys
from starmin.recipes.recipe import Recipe
from starmin.recipes.told import SEVERAL, overruled

_CALLED = {"steps": "rounding", "hierarchy": "hierarchies"}
_NAMES = {argument: name for name, argument in _CALLED.items()}
# Options of searches that are no arguments of their own.
_SEARCH = {"gap", "patience", "workers", "work_limit"}


def keywords_of(
    recipe: Path | str, given: Mapping[str, Any], arguments: Collection[str]
) -> dict[str, Any]:
    r"""Return what a settings file tells, as arguments; what is given goes before it.

    What the arguments ``given``, by name, say of columns replaces what the file says of
    these columns. ``arguments`` are the names that there are. Files, the form of a
    table, and outputs are left out: a frame has none.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.toml")
    ...     _ = path.write_text(
    ...         'columns.age = {role = "quasi-identifier", round = 5}\n'
    ...         'columns.name.role = "identifier"\nrun.seed = 3'
    ...     )
    ...     keywords_of(path, {"drop": ["age"], "seed": 4}, ["qi", "drop", "seed"])
    {'seed': 4, 'drop': ('name', 'age')}
    """
    told = Recipe.read(Path(recipe)).told
    known = {name: value for name, value in told.items() if name not in ("initial",)}
    by = {_NAMES.get(name, name): _as_told(name, v) for name, v in given.items()}
    ours = {name: value for name, value in by.items() if name in keys()}
    merged = overruled(known, ours) | {n: v for n, v in by.items() if n not in keys()}
    found: dict[str, Any] = {}
    for name, value in merged.items():
        argument = _CALLED.get(name, name)
        if argument in arguments or argument in _SEARCH:
            in_file = name in known and name not in ours
            found[argument] = _as_argument(name, value, in_file)
    return found


def _as_told(name: str, value: Any) -> Any:
    """Return an argument in the form in which files are read."""
    key = keys().get(_NAMES.get(name, name))
    if key is None or key.by is None or isinstance(value, Mapping):
        return dict(value) if isinstance(value, Mapping) else value
    if key.by_list:
        return (value,) if isinstance(value, str) else tuple(value)
    return value


def _as_argument(name: str, value: Any, in_file: bool) -> Any:
    """Return what a file tells in the form of an argument."""
    if name == "missing" and in_file:
        return (*MISSING, *value)
    key = keys().get(name)
    if not isinstance(value, dict) or key is None or key.by is None:
        return value
    if several := value.get(SEVERAL):
        if len(value) > 1 or len(several) > 1:
            raise TableError(
                "hierarchies of single columns beside a folder of them are for the "
                "command line; name all by column"
            )
        return several[0]
    if key.by.type is int:
        return {column: int(each) for column, each in value.items()}
    return value
