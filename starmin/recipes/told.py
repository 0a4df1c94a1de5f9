"""What is told of columns and other things: as words of options, or taken apart."""

from collections.abc import Mapping
from typing import Any

from starmin.inputs.by_column import column_and_form, pairs_of
from starmin.inputs.hierarchy_files import column_and_tree, is_file, is_several
from starmin.instances.hierarchies.parse_rule import is_rule
from starmin.instances.scales.node_losses import LOSS_RULES
from starmin.instances.tables.name_lists import join_names, split_names
from starmin.recipes.keys import Key, column_keys, keys

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

    Examples
    --------
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

    Examples
    --------
    >>> joined({"qi": ("age", "a,b"), "steps": {"age": "5"}, "sets": {"c": ";"}})
    {'qi': 'age,"a,b"', 'steps': 'age=5', 'sets': ['c=;']}
    """
    return {name: _joined(keys()[name], value) for name, value in told.items()}


def overruled(told: Told, by: Told) -> Told:
    """Return what is told where something else goes first.

    What is said of columns replaces what was said of these columns, and a limit of work
    one of time.

    Examples
    --------
    >>> told = {"qi": ("age", "zip"), "drop": ("id",)}
    >>> told["steps"] = {"age": "5", "zip": "9"}
    >>> overruled(told, {"drop": ("zip",), "steps": {"x": "10"}, "k": 3})
    {'qi': ('age',), 'drop': ('id', 'zip'), 'steps': {'age': '5', 'x': '10'}, 'k': 3}
    """
    found = dict(told)
    roles = [key.name for key in column_keys()["role"]]
    taken = {c for role in roles for c in _columns(by.get(role))}
    for role in roles:
        if left := tuple(c for c in _columns(told.get(role)) if c not in taken):
            found[role] = left if keys()[role].by_list else left[0]
        else:
            found.pop(role, None)
    gone = taken - {*_columns(by.get("qi")), *_columns(by.get("sensitive"))}
    for name, value in told.items():
        key = keys()[name]
        if key.by is None or key.by.key == "role":
            continue
        # Of a column that is hidden or kept nothing else is to be known.
        if isinstance(value, dict):
            found[name] = {c: each for c, each in value.items() if c not in gone}
        else:
            found[name] = tuple(c for c in value if c not in gone)
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


def names_file(key: Key, text: str, told_of_column: bool = True) -> bool:
    """Check whether a value is the name of a file.

    ``told_of_column`` says whether it is said of one column.
    """
    if not (key.is_file or (key.by is not None and key.by.is_file)):
        return False
    if text.startswith(("{", "instance:")) and told_of_column:
        return False
    return text not in LOSS_RULES and not is_rule(text)


def _columns(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _apart(key: Key, value: Any) -> Any:
    by = key.by
    if by is None:
        return split_names(value, f"--{key.word}") if key.listed else value
    if by.listed:
        return split_names(value, f"--{key.word}") if key.by_list else value
    parts = value if key.repeated else split_names(value, f"--{key.word}")
    several = [part for part in parts if key.name == "hierarchy" and _is_several(part)]
    single = [part for part in parts if part not in several]
    parted = {"hierarchy": column_and_tree, "date_format": column_and_form}
    told = pairs_of(single, f"--{key.word}", parted=parted.get(key.name))
    return told | {SEVERAL: tuple(several)} if several else told


def _is_several(part: str) -> bool:
    """Return whether a hierarchy names trees of several columns."""
    return is_several(part) or is_file(part) or "=" not in part


def _joined(key: Key, value: Any) -> Any:
    if isinstance(value, dict):
        lines = [*value.get(SEVERAL, ())]
        lines += [f"{column}={told}" for column, told in value.items() if column]
        return lines if key.repeated else join_names(lines)
    return join_names(value) if isinstance(value, tuple) else value
