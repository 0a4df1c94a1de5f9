"""From what the command line names to an Objective, and to a star symbol."""

from starmin.inputs.options import Kind
from starmin.inputs.roles import split
from starmin.instances import Objective, TableError
from starmin.instances.releases.coding import RecodingName


def default_objective(recoding: RecodingName, ranged: bool) -> Kind:
    """Return what is minimised where nothing is said of it.

    Parameters
    ----------
    recoding
        How rows are published.
    ranged
        Whether columns have ranges of numbers or hierarchies.
    """
    if recoding == "generalization" or (recoding == "nonhomogeneous" and ranged):
        return "gcp"
    return "stars"


def make_objective(kind: Kind, weights: str | None, keep: str | None) -> Objective:
    """Return the objective, its weights given as ``COLUMN=W,..``.

    Examples
    --------
    >>> make_objective("stars", "age=3,sex=1", None).weights
    {'age': 3, 'sex': 1}
    """
    costs: dict[str, int] = {}
    for part in split(weights or "", "--weights"):
        column, _, number = part.rpartition("=")
        if not column or not number.isascii() or not number.isdigit():
            raise TableError(
                f"--weights: expected COLUMN=W with a whole number W >= 0, got {part!r}"
            )
        if column in costs:
            raise TableError(f"--weights: column {column!r} is named twice")
        costs[column] = int(number)
    try:
        return Objective(kind, costs, split(keep or "", "--keep"))
    except ValueError as error:
        raise TableError(f"--weights: {error}") from None


def check_symbol(star: str) -> None:
    """Raise TableError where ``star`` could not be written to a file."""
    if not star or any(c in star for c in "\0\r\n"):
        raise TableError(f"--star: expected a symbol on one line, got {star!r}")
