"""A requirement as results state it."""

from typing import Any

from starmin.instances import Requirement


def describe(requirement: Requirement | None) -> dict[str, Any]:
    """Return a requirement as JSON states it: k and l always, the rest where asked."""
    asked = {} if requirement is None else requirement.as_json()
    return {"k": None, "l": None} | asked


def shortly(value: Any) -> str:
    """Write what a requirement states as JSON on a line.

    Examples
    --------
    >>> shortly({"1": 20, "2": 10}), shortly([{"columns": ["a", "b"], "k": 5}])
    ('1:20,2:10', 'a+b:5')
    >>> shortly(5), shortly(["sex"]), shortly([["a", "b"], ["c", "d"]])
    ('5', 'sex', 'a,b;c,d')
    >>> shortly([None, "", "?", "NA"])
    '(empty),?,NA'
    """
    if isinstance(value, dict):
        if value.keys() == {"columns", "k"}:
            return f"{'+'.join(value['columns'])}:{value['k']}"
        return ",".join(f"{name}:{shortly(each)}" for name, each in value.items())
    if isinstance(value, list):
        between = ";" if any(isinstance(each, list) for each in value) else ","
        return between.join(dict.fromkeys(map(shortly, value)))
    return "(empty)" if value is None or value == "" else str(value)
