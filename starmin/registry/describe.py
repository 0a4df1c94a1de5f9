"""Describe a method: for JSON, and as a page to be read."""

import inspect
import math
from typing import Any

from starmin.instances.runs.method import Method


def describe(method: Method) -> dict[str, Any]:
    """Return what the declaration of a method says, as JSON states it."""
    return {
        "name": method.name,
        "kind": method.kind,
        "requirements": list(method.requirements),
        "objectives": list(method.objectives),
        "recodings": list(method.recodings),
        "guarantee": method.guarantee,
        "reach": method.reach,
        "source": method.source,
        "former_names": list(method.aliases),
        "package": method.package,
        "file": _file(method),
    }


def describe_fully(method: Method) -> dict[str, Any]:
    """Add what its function says: the docstring, and the options with their defaults.

    Beside what ``describe`` returns it has ``options``, defaults by name (null where
    there is none or no limit), and ``docstring``.
    """
    options = {name: _plain(value) for name, value in _defaults(method).items()}
    return describe(method) | {"options": options, "docstring": _docstring(method)}


def page(method: Method) -> str:
    """Write a method for reading: its declaration, its options, its docstring."""
    options = [f"{n} = {_shown(v)}" for n, v in _defaults(method).items()]
    facts = {
        "kind": method.kind,
        "requires": ", ".join(method.requirements),
        "minimises": ", ".join(method.objectives),
        "published by": ", ".join(method.recodings),
        "guarantee": method.guarantee,
        "finishes up to": method.reach,
        "source": method.source,
        "options": f"\n{'':16}".join(options),
        "file": _file(method),
    }
    if method.aliases:
        facts["former names"] = ", ".join(method.aliases)
    lines = [f"{label:<14}  {text}" for label, text in facts.items()]
    return "\n".join((method.name, "", *lines, "", _docstring(method)))


def _file(method: Method) -> str:
    """Return the path of its module within its project."""
    return method.module.replace(".", "/") + ".py"


def _docstring(method: Method) -> str:
    return inspect.getdoc(method.load()) or ""


def _defaults(method: Method) -> dict[str, Any]:
    """Return the default of each option that its function takes."""
    parameters = inspect.signature(method.load()).parameters
    return {
        name: parameter.default
        for name, parameter in parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
        and parameter.default is not parameter.empty
    }


def _plain(value: Any) -> Any:
    """Return a default as JSON has it; other objects as Python writes them."""
    if value is None or value == math.inf:
        return None
    return value if isinstance(value, bool | int | float | str) else repr(value)


def _shown(value: Any) -> str:
    if value is None or value == math.inf:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
