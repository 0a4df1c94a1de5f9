"""The keys of a settings file: the options of starmin solve, as they are declared."""

import types
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from starmin.inputs.by_column import ByColumn, FileName, Listed, Passing
from starmin.inputs.solve_options import SOLVE_GROUPS


@dataclass(frozen=True)
class Key:
    """A key of a settings file."""

    name: str  # of the option's parameter
    word: str  # of the key: the option's name on the command line without its hyphens
    section: str  # in which the key stands: the panel of the option in help texts
    type: Any  # of its value: int, float, str, bool, Path or a Literal of words
    help: str  # help, default: of the option
    default: Any = None
    least: float | None = None  # least, most: of a number
    most: float | None = None
    # whether the option is repeated on the command line for further values
    repeated: bool = False
    listed: bool = False  # whether its value is a list of texts
    is_file: bool = False  # whether it names a file
    by: ByColumn | None = None  # what it is of columns; None: nothing

    @property
    def by_list(self) -> bool:
        """Whether it names any number of columns, and not one."""
        return self.by is not None and self.by.listed and not self.by.single

    @property
    def words(self) -> tuple[str, ...]:
        """The values that there are; none: any of its type."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()


@cache
def keys() -> dict[str, Key]:
    """Return all keys by the names of their parameters.

    Examples
    --------
    >>> key = keys()["time_limit"]
    >>> key.section, key.word, key.type.__name__, key.least
    ('run', 'time-limit', 'float', 0)
    >>> keys()["drop"].by
    ByColumn(key='role', words=('identifier',), type=<class 'str'>, kind=None, \
check=<class 'str'>, is_file=False, single=False)
    """
    return {key.name: key for group in SOLVE_GROUPS for key in _keys_of(group)}


@cache
def column_keys() -> dict[str, tuple[Key, ...]]:
    """Return by key of a column the options that it stands for.

    Examples
    --------
    >>> [key.name for key in column_keys()["kind"]]
    ['numeric']
    """
    found: dict[str, tuple[Key, ...]] = {}
    for key in keys().values():
        if key.by is not None:
            found[key.by.key] = (*found.get(key.by.key, ()), key)
    return found


@cache
def section_keys() -> dict[str, dict[str, Key]]:
    """Return by section its keys, by their words; those of columns are not there."""
    found: dict[str, dict[str, Key]] = {}
    for key in keys().values():
        if key.by is None or key.name == "hierarchy":  # of several columns, a folder
            found.setdefault(key.section, {})[key.word] = key
    return found


def _keys_of(group: type) -> Iterator[Key]:
    for field in fields(group):
        hint, told, *marks = get_args(field.type)
        if any(isinstance(mark, Passing) for mark in marks):
            continue
        kinds = [each for each in _alternatives(hint) if each is not types.NoneType]
        # The first name of an option stands where its default would.
        names = (str(told.default), *(told.param_decls or ()))
        flags = [each for each in names if each.startswith("--")]
        word = flags[0] if flags else "--" + field.name.replace("_", "-")
        by = next((mark for mark in marks if isinstance(mark, ByColumn)), None)
        yield Key(
            field.name,
            word.removeprefix("--"),
            told.rich_help_panel.partition(" ")[0].lower(),
            kinds[0],
            told.help,
            None if field.default is MISSING else field.default,
            told.min,
            told.max,
            get_origin(kinds[0]) is list,
            any(isinstance(mark, Listed) for mark in marks),
            kinds[0] is Path or any(isinstance(mark, FileName) for mark in marks),
            by,
        )


def _alternatives(hint: Any) -> tuple[Any, ...]:
    union = get_origin(hint) in (Union, types.UnionType)
    return get_args(hint) if union else (hint,)
