"""Rows that may be deleted, as arguments of Python ask for it."""

from dataclasses import replace
from typing import TypeGuard

from starmin.instances import Problem, Requirement
from starmin.instances.requirements.deleted_rows import DeletedRows, price_text


def deleting(problem: Problem, price: bool | int | float | str | None) -> Problem:
    """Return a problem in which rows may be deleted, if that is asked for.

    ``price`` is the argument ``delete_rows``: None or False, True, or a price.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Table
    >>> problem = Problem(Table.from_rows(["a"], [["0"]], qi=["a"]), KAnonymity(2))
    >>> deleting(problem, True).requirement
    DeletedRows(inner=KAnonymity(k=2), price='row')
    >>> deleting(problem, False) is problem
    True
    """
    if not is_asked(price):
        return problem
    return replace(problem, requirement=of_kept(problem.requirement, price))


def is_asked(
    price: bool | int | float | str | None,
) -> TypeGuard[bool | int | float | str]:
    """Return whether rows may be deleted; a price of 0 is one, and refused later.

    Examples
    --------
    >>> is_asked(None), is_asked(False), is_asked(0), is_asked(True)
    (False, False, True, True)
    """
    return price is not None and price is not False


def of_kept(asked: Requirement | None, price: bool | int | float | str) -> DeletedRows:
    """Return what is asked of the rows that are kept, if some may be deleted.

    ``asked`` is of all rows; ``price`` is that of a row that is deleted, or True.
    Raises ValueError where nothing is asked.
    """
    if asked is None:
        raise ValueError("Expected k, l or a requirement beside delete_rows.")
    return DeletedRows(asked, price_text(price))
