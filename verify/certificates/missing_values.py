"""What is proven of diversity with missing sensitive values: by which usual problem."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from starmin.instances import Table
from starmin.instances.scales.missing import MISSING
from starmin.verify.certificates.untrusted import RefusalError

KEYS = {"missing_sensitive", "missing"}


class Meaning(NamedTuple):
    """What a requirement states of missing sensitive values."""

    counted: bool  # whether each may be any value; else it counts for nobody
    unknown: frozenset[str | None]  # the texts that stand for one


def read_meaning(part: Mapping[str, Any]) -> Meaning:
    """Read what a part of a requirement states of missing values; refuse nonsense."""
    meaning, unknown = part.get("missing_sensitive"), part.get("missing", [*MISSING])
    if meaning not in ("any", "none") or "l" not in part:
        raise RefusalError("its requirement reads missing values in no known way")
    if not isinstance(unknown, list) or not all(
        isinstance(text, str | None) for text in unknown
    ):
        raise RefusalError("missing values of its requirement are not a list of texts")
    return Meaning(meaning == "any", frozenset({None, *unknown}))


def usual_problem(
    table: Table, k: int, l: int, distinct: int, meaning: Meaning
) -> tuple[Table, int, int, int]:
    """Return a usual problem whose bounds hold for one with missing values.

    If any value may be meant, missing values may be one of their own: the table as it
    is. If they count for nobody and k is at least what diversity asks, each becomes a
    value that no other row has. A group that is allowed has k rows then, of each
    value no larger a share than before, and as many values. If k is less, a
    group has rows without a known value, which are left out, or more than k others: the
    rows with a known value in that column where most have one, and diversity there.

    Of ``k``, ``l`` and ``distinct``, 1 is for what is not asked. Returned are the
    table, k, l and the number of different values.
    """
    if meaning.counted:
        return table, k, l, distinct
    missing = {}
    for column in table.sensitive:
        lost = [text in meaning.unknown for text in table.dictionary(column)]
        missing[column] = np.array(lost)[table.column(column)]
    if k >= max(l, distinct):
        if table.counts is not None:
            raise RefusalError("missing values of a counted table are not told apart")
        return _told_apart(table, missing), k, l, distinct
    column = min(table.sensitive, key=lambda each: int(missing[each].sum()))
    rows = np.flatnonzero(~missing[column])
    if len(rows) == 0:
        raise RefusalError("no sensitive value is known")
    return table.with_roles(table.qi, (column,)).take(rows), 1, l, distinct


def _told_apart(table: Table, missing: Mapping[str, Any]) -> Table:
    """Return the table with different values where one is missing."""
    codes, dictionaries = table.codes.copy(), list(table.dictionaries)
    for column, where in missing.items():
        place = table.names.index(column)
        fresh = tuple(f"\0{i}" for i in range(int(where.sum())))
        codes[place, where] = len(dictionaries[place]) + np.arange(len(fresh))
        dictionaries[place] += fresh
    return replace(table, codes=codes, dictionaries=tuple(dictionaries))
