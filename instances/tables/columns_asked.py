"""Columns that are asked for and are not there: all of them, in one line."""

from collections.abc import Iterable, Sequence

from starmin.instances.arguments import nearest
from starmin.instances.errors import TableError
from starmin.instances.tables.plural import listed

_TOLD = 20  # columns that are named, of more


def expect_columns(
    name: str, asked: Iterable[str], there: Sequence[str], purpose: str = ""
) -> None:
    """Raise TableError where columns are not there, with all of them and the mend.

    Parameters
    ----------
    name
        What to call the table.
    asked
        The columns that are asked for; one may be asked for twice.
    there
        Those that it has.
    purpose
        What they were asked for, if that helps.

    Examples
    --------
    >>> expect_columns("may.csv", ["age", "sex", "zipp"], ["age", "zip"])
    Traceback (most recent call last):
    ...
    starmin.instances.errors.TableError: may.csv: no columns 'sex', 'zipp' (nearest: \
'zip'); its columns: age, zip; rename columns there, or ask for others
    """
    known = frozenset(there)
    absent = [column for column in dict.fromkeys(asked) if column not in known]
    if not absent:
        return
    told = [f"{column!r}{nearest(column, there)}" for column in absent[:_TOLD]]
    more = f", .. ({len(absent):,} in all)" if len(absent) > _TOLD else ""
    raise TableError(
        f"{name}: no column{'s' * (len(absent) > 1)} {', '.join(told)}{more}"
        f"{purpose and f' {purpose}'}; its columns: {listed(there)}; "
        f"rename {'a column' if len(absent) == 1 else 'columns'} there, or ask for "
        f"{'another' if len(absent) == 1 else 'others'}"
    )
