"""What is told of columns and other things: as words of options, or taken apart."""

import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from starmin.inputs import declared
from starmin.inputs.hierarchy_options import column_and_tree, is_file, is_several
from starmin.inputs.solve_options import SolveOptions
from starmin.instances.scales.node_losses import LOSS_RULES
from starmin.instances.scales.taxonomies.column_hierarchy import is_rule
from starmin.instances.tables.names import join_names, split_names

# The keys of a settings file: the options of starmin solve, as they are declared.


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
    by: declared.ByColumn | None = None  # what it is of columns; None: nothing

    @property
    def by_list(self) -> bool:
        """Whether it names any number of columns, and not one."""
        return self.by is not None and self.by.listed and not self.by.single

    @property
    def first_word(self) -> str:
        """What is written of a column that it names."""
        return str(self.by.words[0]) if self.by and self.by.words else ""

    @property
    def words(self) -> tuple[str, ...]:
        """The values that there are; none: any of its type."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()


@cache
def keys() -> dict[str, Key]:
    """Return all keys by the names of their parameters.

    >>> key = keys()["time_limit"]
    >>> key.section, key.word, key.type.__name__, key.least
    ('run', 'time-limit', 'float', 0)
    >>> keys()["drop"].by
    ByColumn(key='role', words=('identifier',), type=<class 'str'>, kind=None, \
check=<class 'str'>, is_file=False, single=False)
    """
    return {key.name: key for key in _keys_of(SolveOptions)}


@cache
def column_keys() -> dict[str, tuple[Key, ...]]:
    """Return by key of a column the options that it stands for.

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


def _keys_of(group: Any) -> Iterator[Key]:
    for field in fields(group):
        if is_dataclass(field.type):
            yield from _keys_of(field.type)
            continue
        hint, told, *marks = get_args(field.type)
        if any(isinstance(mark, declared.Passing) for mark in marks):
            continue
        union = get_origin(hint) in (Union, types.UnionType)
        hints = get_args(hint) if union else (hint,)
        kinds = [each for each in hints if each is not types.NoneType]
        # The first name of an option stands where its default would.
        names = (str(told.default), *(told.param_decls or ()))
        flags = [each for each in names if each.startswith("--")]
        word = flags[0] if flags else "--" + field.name.replace("_", "-")
        by = next((mark for mark in marks if isinstance(mark, declared.ByColumn)), None)
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
            any(isinstance(mark, declared.Listed) for mark in marks),
            kinds[0] is Path
            or any(isinstance(mark, declared.FileName) for mark in marks),
            by,
        )


# Names of outputs with that of the table in them: each table has files of its own.

TABLE = "{table}"  # stands for the name of the table that a recipe is used for


def stem_of(source: str) -> str:
    """Return the name of a table without its folder and its ending.

    >>> stem_of("data/may.csv.gz"), stem_of("instance:hospital")
    ('may', 'instance-hospital')
    """
    name = Path(source.replace(":", "-")).name
    stem = name.removesuffix(".gz").rpartition(".")[0] if "." in name else name
    return stem or name


def filled(told: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return options with the name of the table in those of outputs.

    Options are by name of parameter; ``source`` is how the table is named.

    >>> filled({"out": Path("{table}.public.csv"), "k": 5}, "may.csv")["out"].name
    'may.public.csv'
    """
    return {
        name: type(value)(str(value).replace(TABLE, stem_of(source)))
        if is_output(name) and isinstance(value, Path | str)
        else value
        for name, value in told.items()
    }


def general(told: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return options with ``{table}`` in names of outputs that begin with the table's.

    >>> names = "may.public.csv", "may_k5.csv", "mayor.csv"
    >>> [general({"out": Path(n)}, "may.csv")["out"].name for n in names]
    ['{table}.public.csv', '{table}_k5.csv', 'mayor.csv']
    """
    stem = stem_of(source)
    return {
        name: value.with_name(TABLE + value.name.removeprefix(stem))
        if is_output(name)
        and isinstance(value, Path)
        and value.name.startswith(stem)
        and not value.name[len(stem) : len(stem) + 1].isalnum()
        else value
        for name, value in told.items()
    }


def is_output(name: str) -> bool:
    """Check whether a parameter names a file that is written."""
    key = keys()[name]
    return key.is_file and key.section == "output"


Told = dict[str, Any]  # by parameter: a tuple of names, a dict by column, or a value
_INSTEAD = {  # what ends a search by its work, and by the clock
    "work_limit": ("time_limit", "patience"),
    "time_limit": ("work_limit",),
    "patience": ("work_limit",),
}
SEVERAL = ""  # stands for a column where a hierarchy is one of several columns


def apart(given: Mapping[str, Any]) -> Told:
    """Take apart the values of options; those that have their default are not told.

    ``given`` is by name of parameter; what is no key of a settings file is left out.

    >>> apart({"qi": "age,zip", "steps": "age=5", "k": 3, "star": "*"})
    {'qi': ('age', 'zip'), 'k': 3, 'steps': {'age': '5'}}
    """
    found: Told = {}
    for name, key in keys().items():
        value = given.get(name, key.default)
        if value is not None and value != key.default:
            found[name] = _apart(key, value)
    return found


def joined(told: Told) -> dict[str, Any]:
    """Return the values of options that tell the same.

    >>> joined({"qi": ("age", "a,b"), "steps": {"age": "5"}, "sets": {"c": ";"}})
    {'qi': 'age,"a,b"', 'steps': 'age=5', 'sets': ['c=;']}
    """
    return {name: _joined(keys()[name], value) for name, value in told.items()}


def overruled(told: Told, by: Told) -> Told:
    """Return what is told where something else goes first.

    What is said of columns replaces what was said of these columns, and a limit of work
    one of time.

    >>> told = {"qi": ("age", "zip"), "drop": ("id",)}
    >>> told["steps"] = {"age": "5", "zip": "9"}
    >>> overruled(told, {"drop": ("zip",), "steps": {"x": "10"}, "k": 3})
    {'qi': ('age',), 'drop': ('id', 'zip'), 'steps': {'age': '5', 'x': '10'}, 'k': 3}
    """
    found = dict(told)
    roles = {key.name for key in column_keys()["role"]}
    taken = {c for role in roles for c in names_in(by.get(role))}
    gone = taken - {*names_in(by.get("qi")), *names_in(by.get("sensitive"))}
    for name, value in told.items():
        if keys()[name].by is not None:
            # Of a column that is hidden or kept nothing else is to be known.
            found[name] = without(value, taken if name in roles else gone)
            if not found[name]:
                del found[name]
    for name, value in by.items():
        for other in _INSTEAD.get(name, ()):
            found.pop(other, None)
        key, before = keys()[name], found.get(name)
        if key.by is not None and isinstance(before, dict):
            value = {**before, **value}
        elif key.by is not None and isinstance(before, tuple):
            value = (*before, *(c for c in value if c not in before))
        found[name] = value
    return found


def without(value: Any, columns: Collection[str]) -> Any:
    """Return what a key tells of other columns than these.

    >>> without(("age", "zip"), ["zip"]), without({"age": "5"}, ["age"])
    (('age',), {})
    """
    if isinstance(value, dict):
        return {c: each for c, each in value.items() if c not in columns}
    if isinstance(value, str):
        return "" if value in columns else value
    return tuple(c for c in value if c not in columns)


def names_file(key: Key, text: str, told_of_column: bool = True) -> bool:
    """Check whether a value is the name of a file.

    ``told_of_column`` says whether it is said of one column.
    """
    if not (key.is_file or (key.by is not None and key.by.is_file)):
        return False
    if text.startswith(("{", "instance:")) and told_of_column:
        return False
    return text not in LOSS_RULES and not is_rule(text)


def names_in(value: Any) -> tuple[str, ...]:
    """Return the columns that something is told of."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def role_of(told: Told, column: str) -> str | None:
    """Return the role of a column, in the word of settings files.

    >>> role_of({"qi": ("age",), "weight": "w"}, "w"), role_of({}, "age")
    ('weight', None)
    """
    roles = column_keys()["role"]
    named = (key for key in roles if column in names_in(told.get(key.name)))
    return next((key.first_word for key in named), None)


def _apart(key: Key, value: Any) -> Any:
    by = key.by
    if by is None:
        return split_names(value, f"--{key.word}") if key.listed else value
    if by.listed:
        return split_names(value, f"--{key.word}") if key.by_list else value
    parts = value if key.repeated else split_names(value, f"--{key.word}")
    several = []
    if key.name == "hierarchy":  # some name trees of several columns
        several = [p for p in parts if is_several(p) or is_file(p) or "=" not in p]
    single = [part for part in parts if part not in several]
    parted = {"hierarchy": column_and_tree, "date_format": declared.column_and_form}
    told = declared.pairs_of(single, f"--{key.word}", parted=parted.get(key.name))
    return told | {SEVERAL: tuple(several)} if several else told


def _joined(key: Key, value: Any) -> Any:
    if isinstance(value, dict):
        lines = [*value.get(SEVERAL, ())]
        lines += [f"{column}={told}" for column, told in value.items() if column]
        return lines if key.repeated else join_names(lines)
    return join_names(value) if isinstance(value, tuple) else value
