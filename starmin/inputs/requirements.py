"""A requirement as results state it."""

from typing import Any

from starmin.instances import Requirement


def describe(requirement: Requirement | None) -> dict[str, Any]:
    """Return a requirement as JSON states it: k and l always, the rest where asked."""
    asked = {} if requirement is None else requirement.as_json()
    return {"k": None, "l": None} | asked
