"""Options as words of a command line."""

from pathlib import Path
from typing import Any

_FLAGS = {
    "as_json": "--json",
    "steps": "--round",
    "sep": "--separator",
}  # of parameters named otherwise


def option_words(name: str, value: Any) -> list[str]:
    """Return an option with its value as words.

    Parameters
    ----------
    name
        Of the parameter.
    value
        True for a flag; a list or tuple repeats the option.

    Examples
    --------
    >>> option_words("max_level", "age=2"), option_words("sets", ["a=;", "b=|"])
    (['--max-level', 'age=2'], ['--sets', 'a=;', '--sets', 'b=|'])
    >>> option_words("star", "-")
    ['--star=-']
    """
    flag = _FLAGS.get(name) or "--" + name.replace("_", "-")
    if value is True:
        return [flag]
    if isinstance(value, list | tuple):
        return [word for each in value for word in (flag, str(each))]
    text = str(value)
    if text.startswith("-") and not isinstance(value, Path):
        return [f"{flag}={text}"]
    return [flag, text]
