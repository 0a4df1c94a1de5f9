"""Check a release by masks, whoever made it: every combination that is too rare."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from starmin.instances import Requirement, Table
from starmin.instances.arrays import Bools, Ints
from starmin.instances.requirements.requirements import measures
from starmin.instances.tables.canonical import merge_equal_values
from starmin.verify.cells.consistency import Inconsistency, as_written
from starmin.verify.certificates.rules.family import ColumnSet, Family, family_of
from starmin.verify.releases.deleted_rows import compare_rows

MAX_VIOLATIONS = 20
MAX_ROWS = 10


@dataclass(frozen=True)
class RareItem:
    """A combination that is shown and occurs too seldom.

    Attributes
    ----------
    columns, values
        What is shown; a star where classes are counted.
    count, k
        How often it occurs, and how often it must.
    rows
        The first rows that show it, numbered from 1: at most 10.
    """

    columns: tuple[str, ...]
    values: tuple[str | None, ...]
    count: int
    k: int
    rows: tuple[int, ...]

    @property
    def why(self) -> str:
        """In words."""
        cells = zip(self.columns, self.values, strict=True)
        label = ", ".join(f"{column}={value!r}" for column, value in cells)
        return f"{label}: {self.count:,}, fewer than k = {self.k}"


@dataclass(frozen=True)
class RuleCheck:
    """One rule: what is shown of its columns.

    Attributes
    ----------
    columns, k, semantics
        The rule.
    items
        Combinations that are shown.
    rare, rare_rows
        Those that occur too seldom, and the rows that show one of them.
    least
        How often the rarest occurs; None where none is shown.
    hidden_rows
        Rows that do not show all of the columns.
    """

    columns: tuple[str, ...]
    k: int
    semantics: str
    items: int
    rare: int
    rare_rows: int
    least: int | None
    hidden_rows: int


@dataclass(frozen=True)
class MaskCheck:
    """What a release by masks is worth, recomputed from its cells.

    Attributes
    ----------
    holds
        Whether no rare combination is shown and linked columns are starred together.
    rules
        One entry for each rule.
    rare
        All combinations that are shown and too rare.
    apart
        Rows, numbered from 1, in which linked columns are not starred together.
    stars, stars_by_column
        Suppressed QI cells.
    gcp
        Their share of all.
    inconsistencies
        Where it differs from the original, row by row; None if none was given.
    reordered
        Whether it differs, and agrees with the original in some other order of rows.
    missing_rows
        How many rows of the original are not in the release.
    """

    holds: bool
    rules: tuple[RuleCheck, ...]
    rare: tuple[RareItem, ...]
    apart: tuple[int, ...]
    stars: int
    stars_by_column: dict[str, int]
    gcp: float
    inconsistencies: tuple[Inconsistency, ...] | None = None
    reordered: bool = False
    missing_rows: int | None = None

    @property
    def consistent(self) -> bool | None:
        """Whether it agrees with the original; None if it cannot be compared."""
        if self.inconsistencies is None or self.reordered:
            return None
        return not self.inconsistencies

    @property
    def violations_total(self) -> int:
        """Rare combinations, and rows that star a part of linked columns."""
        return len(self.rare) + len(self.apart)

    def as_json(self) -> dict[str, Any]:
        """Return the keys of ``starmin verify --json``."""
        violations = [
            {"group": None, "rows": list(each.rows), "why": each.why}
            for each in self.rare[:MAX_VIOLATIONS]
        ]
        if self.apart and len(violations) < MAX_VIOLATIONS:
            why = "linked columns are not starred together"
            rows = list(self.apart[:MAX_ROWS])
            violations.append({"group": None, "rows": rows, "why": why})
        content: dict[str, Any] = {
            "holds": self.holds,
            **{measure.key: None for measure in measures()},
            "stars": self.stars,
            "gcp": self.gcp,
            "groups": None,
            "violations": violations,
            "violations_total": self.violations_total,
            "rules": [asdict(rule) for rule in self.rules],
            "stars_by_column": self.stars_by_column,
        }
        if self.inconsistencies is not None:
            content["consistent"] = self.consistent
            content["inconsistencies"] = [
                asdict(each) | {"rows": list(each.rows)}
                for each in self.inconsistencies
            ]
            content["reordered"] = self.reordered
            content["missing_rows"] = self.missing_rows
        return content


def check_mask(
    released: Table,
    requirement: Requirement,
    original: Table | None = None,
    star: str = "*",
) -> MaskCheck:
    """Find every combination of values that a release shows and that is too rare.

    Parameters
    ----------
    released
        The release, its QI columns named.
    requirement
        Rules over combinations, k-anonymity, or several of them.
    original
        The table it was made of; rules that count the original need it.
    star
        The symbol of a suppressed cell.

    Raises
    ------
    ValueError
        A rule counts the original and there is none.

    Examples
    --------
    >>> from starmin.instances.requirements.rules import Combinations
    >>> rows = [["0", "x"], ["0", "*"], ["0", "x"], ["1", "*"]]
    >>> released = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> check = check_mask(released, Combinations(2, 2))
    >>> check.holds, [each.why for each in check.rare]
    (False, ["a='1': 1, fewer than k = 2"])
    """
    family = family_of(requirement, released.qi)
    released = merge_equal_values(released)
    starred = _starred(released, star)
    compared = None if original is None else compare_rows(released, original, star)
    rules, rare = list[RuleCheck](), list[RareItem]()
    for asked in family.sets:
        source = asked.population
        if asked.semantics == "source" and source is None:
            if original is None:
                raise ValueError("Expected the original, which a rule counts.")
            source = as_written(original, released)
        found = _Shown(released, starred, family, asked, source)
        rules.append(found.summary())
        rare += found.rare()
    apart = _apart(released, starred, family)
    by_column = starred.sum(axis=0)
    return MaskCheck(
        not rare and not apart,
        tuple(rules),
        tuple(rare),
        apart,
        int(by_column.sum()),
        dict(zip(released.qi, by_column.tolist(), strict=True)),
        float(starred.mean()),
        None if compared is None else compared.inconsistencies,
        compared is not None and compared.reordered,
        None if compared is None else compared.missing,
    )


def _starred(released: Table, star: str) -> Bools:
    starred = np.zeros((released.n, released.d), bool)
    for j, column in enumerate(released.qi):
        texts = released.dictionary(column)
        if star in texts:
            starred[:, j] = released.column(column) == texts.index(star)
    return starred


def _apart(released: Table, starred: Bools, family: Family) -> tuple[int, ...]:
    apart = np.zeros(released.n, bool)
    for linked in family.linked:
        some = starred[:, [released.qi.index(column) for column in linked]]
        apart |= some.any(axis=1) & ~some.all(axis=1)
    return tuple((np.flatnonzero(apart) + 1).tolist())


class _Shown:
    """What rows show of the columns of one rule, and how often that occurs."""

    def __init__(
        self,
        released: Table,
        starred: Bools,
        family: Family,
        asked: ColumnSet,
        source: Table | None,
    ) -> None:
        at = [released.qi.index(column) for column in asked.columns]
        absent = [
            np.array([text in family.hidden for text in released.dictionary(column)])[
                released.column(column)
            ]
            for column in asked.columns
        ]
        hides = starred[:, at] | np.array(absent, bool).T
        self.asked, self.released, self.hides = asked, released, hides
        classes = asked.semantics == "classes"
        self.rows = np.flatnonzero(classes | ~np.any(hides, axis=1))
        names = (*asked.strata, *asked.columns)
        keys: list[Ints] = [
            released.column(name)[self.rows].astype(np.int64) for name in names
        ]
        if source is None:
            _, self.first, self.item, self.counts = _distinct(keys)
            return
        keys, others, weights = _joined(released, self.rows, keys, names, source)
        _, self.first, inverse, _ = _distinct(
            [np.concatenate(pair) for pair in zip(keys, others, strict=True)]
        )
        self.item = inverse[: len(self.rows)]
        counts = np.bincount(inverse[len(self.rows) :], weights, len(self.first))
        self.counts = counts.astype(np.int64)

    @property
    def _showing(self) -> Ints:
        """How many rows show each combination."""
        return np.bincount(self.item, minlength=len(self.counts))

    def summary(self) -> RuleCheck:
        """Return the figures of the rule."""
        asked, shown = self.asked, self._showing > 0
        rare = shown & (self.counts < asked.k)
        return RuleCheck(
            asked.columns,
            asked.k,
            asked.semantics,
            int(shown.sum()),
            int(rare.sum()),
            int(self._showing[rare].sum()),
            int(self.counts[shown].min()) if shown.any() else None,
            int(np.any(self.hides, axis=1).sum()),
        )

    def rare(self) -> Iterator[RareItem]:
        """Visit the combinations that are shown and too rare."""
        failing = (self._showing > 0) & (self.counts < self.asked.k)
        order = np.argsort(self.item, kind="stable")
        starts = np.searchsorted(self.item[order], np.arange(len(self.counts) + 1))
        names = (*self.asked.strata, *self.asked.columns)
        for item in np.flatnonzero(failing).tolist():
            rows = self.rows[order[starts[item] : starts[item + 1]]][:MAX_ROWS]
            cells = [
                self.released.dictionary(name)[self.released.column(name)[rows[0]]]
                for name in names
            ]
            count, ones = int(self.counts[item]), tuple((rows + 1).tolist())
            yield RareItem(names, tuple(cells), count, self.asked.k, ones)


def _distinct(keys: Sequence[Ints]) -> tuple[Any, Ints, Ints, Ints]:
    """Return distinct vectors, first places, for each place its vector, and counts."""
    if len(keys[0]) == 0:
        none = np.zeros(0, np.int64)
        return none, none, none, none
    packed = np.zeros(len(keys[0]), np.int64)
    for key in keys:
        _, code = np.unique(key, return_inverse=True)
        _, packed = np.unique(
            packed * (int(code.max()) + 1) + code, return_inverse=True
        )
    found = np.unique(
        packed, return_index=True, return_inverse=True, return_counts=True
    )
    values, first, inverse, counts = found
    return values, first, inverse, counts


def _joined(
    released: Table,
    rows: Ints,
    keys: list[Ints],
    names: Sequence[str],
    source: Table,
) -> tuple[list[Ints], list[Ints], Ints]:
    """Give the texts of two tables common codes; how often each row of one counts."""
    own, others = list[Ints](), list[Ints]()
    for key, name in zip(keys, names, strict=True):
        code: dict[str | None, int] = {}
        mine = [code.setdefault(text, len(code)) for text in released.dictionary(name)]
        theirs = [code.setdefault(text, len(code)) for text in source.dictionary(name)]
        own.append(np.array(mine, np.int64)[key])
        others.append(np.array(theirs, np.int64)[source.column(name)])
    weights = source.counts
    if weights is None:
        weights = np.ones(source.codes.shape[1], np.int64)
    return own, others, weights
