"""The price of plain package names: a file of the user's may stand in the way."""

import sys
from importlib.util import find_spec
from pathlib import Path

FLOORS = ("verify", "heuristics", "models", "instances")
_HOME = Path(__file__).resolve().parents[1]


def refuse_shadows() -> None:
    """Raise ImportError where another file is found under the name of a floor.

    Python looks beside the user's script first, so a ``models.py`` there would be
    imported in place of the package that starmin needs.
    """
    for floor in FLOORS:
        found = _origin(floor)
        if found is not None and _HOME not in Path(found).resolve().parents:
            raise ImportError(
                f"starmin needs its own package {floor!r}, but {found} is in the way; "
                "rename that file or start Python elsewhere"
            )


def _origin(floor: str) -> str | None:
    """Return the file that ``import floor`` takes."""
    loaded = sys.modules.get(floor)
    if loaded is not None:
        return getattr(loaded, "__file__", None)
    spec = find_spec(floor)
    return None if spec is None else spec.origin
