"""Check a release by masks, whoever made it: every combination that is too rare."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from starmin.instances import Requirement, Table, group_by
from starmin.instances.arrays import Bools, Ints
from starmin.instances.requirements.requirements import measures
from starmin.instances.tables.row_types import merge_equal_values
from starmin.verify.cells.cells import (
    ComparedRows,
    Meanings,
    PlainCells,
    as_written,
    lost_cells,
)
from starmin.verify.certificates.rule_family import ColumnSet, Family, family_of
from starmin.verify.exact import expect_time
from starmin.verify.releases.deleted_rows import compare_rows
from starmin.verify.releases.shown_nodes import Counts, ShownNodes
from starmin.verify.texts import places_in

# What other tools would count as violated in a release that has stars by row.

MOST_PAIRS = 4096  # of two sets of hidden columns that occur


@dataclass(frozen=True)
class OtherCounts:
    """Rows that violate one rule, by how others read a star."""

    # rows that show the whole combination, if fewer than k rows do. A row with a star
    # shows no combination
    mu_argus: int
    # rows that fewer than k rows agree with where both show a value: a star matches
    # whatever there is. None where there are too many sets of hidden columns
    sdcmicro_alpha_1: int | None
    # the same where a star matches nothing: rows with a star agree with no row, and
    # count as violated
    sdcmicro_alpha_0: int
    # rows that fewer than k rows are published like, a star being a value
    k_anonymity: int
    # rows of the original that agree with fewer than k rows of the release where these
    # show a value; None without the original
    persons: int | None


def count_by_others(
    cells: Ints, hidden: Bools, k: int, original: Ints | None = None
) -> OtherCounts:
    """Count what violates one rule.

    ``cells`` are codes, rows x columns of the rule, and of its strata, which are never
    hidden. ``hidden``, of the same shape, says whether a cell is starred. ``k`` rows
    are asked for. ``original`` is rows x columns of the original, in the same codes.

    >>> cells = np.array([[0, 0], [0, 0], [0, 1]])
    >>> count_by_others(cells, np.array([[0, 0], [0, 1], [0, 0]], bool), 2, cells)
    ... # doctest: +NORMALIZE_WHITESPACE
    OtherCounts(mu_argus=2, sdcmicro_alpha_1=0, sdcmicro_alpha_0=3, k_anonymity=3,
                persons=0)
    """
    alike = np.where(hidden, -1, cells)
    first, rows = _distinct(alike)
    cells, hidden, alike = cells[first], hidden[first], alike[first]
    whole = ~hidden.any(axis=1)
    rare = int(rows[whole & (rows < k)].sum())
    patterns = list(_patterns(hidden))
    wild: Ints | None = None
    if len(patterns) ** 2 <= MOST_PAIRS:
        wild = np.zeros(len(rows), np.int64)
        for mine, own in patterns:
            for theirs, others in patterns:
                expect_time()
                both = ~(mine | theirs)
                pair = cells[own][:, both], cells[others][:, both]
                wild[own] += _agreeing(*pair, rows[others])
    persons = None
    if original is not None:
        first, people = _distinct(original)
        original = original[first]
        found = np.zeros(len(original), np.int64)
        for starred, own in patterns:
            expect_time()
            pair = original[:, ~starred], cells[own][:, ~starred]
            found += _agreeing(*pair, rows[own])
        persons = int(people[found < k].sum())
    return OtherCounts(
        rare,
        None if wild is None else int(rows[wild < k].sum()),
        rare + int(rows[~whole].sum()),
        int(rows[rows < k].sum()),
        persons,
    )


def _patterns(hidden: Bools) -> Iterator[tuple[Bools, Ints]]:
    """Visit the sets of hidden columns that occur, each with its rows."""
    sets = group_by(list(hidden.T))
    for number, pattern in enumerate(hidden[sets.first]):
        yield pattern, np.flatnonzero(sets.inverse == number)


def _distinct(rows: Ints) -> tuple[Ints, Ints]:
    """Return the first of each of the distinct rows, and how many there are."""
    kinds = group_by([np.zeros(len(rows), np.int64), *(rows + 1).T])
    return kinds.first, kinds.counts


def _agreeing(rows: Ints, others: Ints, times: Ints) -> Ints:
    """Return for each row how many of the others are equal to it."""
    both = np.concatenate([rows, others])
    kinds = group_by([np.zeros(len(both), np.int64), *both.T])
    ours, theirs = np.split(kinds.inverse, [len(rows)])
    return np.bincount(theirs, times, kinds.size).astype(np.int64)[ours]


MAX_VIOLATIONS = 20
MAX_ROWS = 10


@dataclass(frozen=True)
class RareItem:
    """A combination that is shown and occurs too seldom."""

    # columns, values: what is shown; a star where classes are counted
    columns: tuple[str, ...]
    values: tuple[str | None, ...]
    count: int  # count, k: how often it occurs, and how often it must
    k: int
    rows: tuple[int, ...]  # the first rows that show it, numbered from 1: at most 10

    @property
    def why(self) -> str:
        """In words."""
        cells = zip(self.columns, self.values, strict=True)
        label = ", ".join(f"{column}={value!r}" for column, value in cells)
        return f"{label}: {self.count:,}, fewer than k = {self.k}"


@dataclass(frozen=True)
class RuleCheck:
    """One rule: what is shown of its columns."""

    columns: tuple[str, ...]
    k: int
    semantics: str
    items: int  # combinations that are shown
    # rare, rare_rows: those that occur too seldom, and the rows that show one of them
    rare: int
    rare_rows: int
    least: int | None  # how often the rarest occurs; None where none is shown
    hidden_rows: int  # rows that do not show all of the columns
    # rows that other tools would count as violating it; None where nodes of taxonomies
    # are published, which they do not read
    others: OtherCounts | None


@dataclass(frozen=True)
class MaskCheck(ComparedRows):
    """What a release by masks is worth, recomputed from its cells."""

    # whether no rare combination is shown and linked columns are starred together
    holds: bool
    rules: tuple[RuleCheck, ...]  # one entry for each rule
    rare: tuple[RareItem, ...]  # all combinations that are shown and too rare
    # rows, numbered from 1, in which linked columns are not starred together
    apart: tuple[int, ...]
    stars: int  # stars, stars_by_column: suppressed QI cells
    stars_by_column: dict[str, int]
    gcp: float  # their share of all

    @property
    def violations_total(self) -> int:
        """Rare combinations, and rows that star a part of linked columns."""
        return len(self.rare) + len(self.apart)

    def others(self, key: str) -> int | None:
        """Return the sum of what others count, by field; None where that is unknown."""
        counts = [getattr(rule.others, key, None) for rule in self.rules]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

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
            content |= self.compared_json() | {"missing_rows": self.missing_rows}
        return content


def check_mask(
    released: Table,
    requirement: Requirement,
    original: Table | None = None,
    star: str = "*",
    cells: Meanings | None = None,
    coarse: Table | None = None,
) -> MaskCheck:
    """Find every combination of values that a release shows and that is too rare.

    The requirement is rules over combinations, k-anonymity, or several of them.
    ``original`` is the table the release was made of; rules that count the original
    need it. Of counted tables no rows are compared. ``cells`` are nodes of taxonomies.
    ``coarse`` is the original as its floors leave it, in which rules count; None: it
    has none. Raises ValueError where a rule counts the original and there is none, and
    TableError where cells are ranges of numbers.

    >>> from starmin.instances.requirements.office_rules import Combinations
    >>> rows = [["0", "x"], ["0", "*"], ["0", "x"], ["1", "*"]]
    >>> released = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> check = check_mask(released, Combinations(2, 2))
    >>> check.holds, [each.why for each in check.rare]
    (False, ["a='1': 1, fewer than k = 2"])
    """
    family = family_of(requirement, released.qi)
    released = merge_equal_values(released)
    compared: dict[str, Any] = {}
    if original is not None and released.counts is None:
        compared = vars(compare_rows(released, original, star, cells))
    shown = ShownNodes(released, family, star, cells or {})
    rules, rare = list[RuleCheck](), list[RareItem]()
    counted = original if coarse is None else coarse
    for asked in family.sets:
        source = asked.population
        if asked.semantics == "source" and source is None:
            if counted is None:
                raise ValueError("Expected the original, which a rule counts.")
            source = as_written(counted, released)
        counts = shown.counts(asked, source)
        others = None
        if not cells and released.counts is None:
            others = _by_others(released, shown.hides(asked), asked, counted)
        rules.append(_summary(asked, counts, others, shown.copies))
        rare += _rare(released, asked, counts)
    apart = _apart(shown, family, released.qi)
    meanings = dict.fromkeys(released.qi, PlainCells(star)) | dict(cells or {})
    lost = lost_cells(released, meanings) / (released.n * released.d)
    by_column = (shown.starred * shown.copies[:, np.newaxis]).sum(axis=0)
    return MaskCheck(
        not rare and not apart,
        tuple(rules),
        tuple(rare),
        apart,
        int(by_column.sum()),
        dict(zip(released.qi, by_column.tolist(), strict=True)),
        float(lost),
        **compared,
    )


def _apart(shown: ShownNodes, family: Family, qi: Sequence[str]) -> tuple[int, ...]:
    """Find rows in which a part of linked columns is starred, and another shown."""
    apart = np.zeros(len(shown.starred), bool)
    for linked in family.joined:
        at = [qi.index(column) for column in linked]
        every = (shown.starred | shown.absent)[:, at].all(axis=1)
        apart |= shown.starred[:, at].any(axis=1) & ~every
    return tuple((np.flatnonzero(apart) + 1).tolist())


def _by_others(
    released: Table, hides: Bools, asked: ColumnSet, original: Table | None
) -> OtherCounts:
    """Count what other tools would, within strata."""
    names = (*asked.strata, *asked.columns)
    own = [released.column(name).astype(np.int64) for name in names]
    theirs: Ints | None = None
    if original is not None:
        source = as_written(original, released)
        recoded = [
            places_in(source, name, released.dictionary(name), True) for name in names
        ]
        theirs = np.stack(recoded, axis=1)
    hidden = np.zeros((released.n, len(names)), bool)
    hidden[:, len(asked.strata) :] = hides
    return count_by_others(np.stack(own, axis=1), hidden, asked.k, theirs)


def _summary(
    asked: ColumnSet, counts: Counts, others: OtherCounts | None, copies: Ints
) -> RuleCheck:
    """Return the figures of a rule."""
    rare = counts.often < asked.k
    return RuleCheck(
        asked.columns,
        asked.k,
        asked.semantics,
        len(counts.often),
        int(rare.sum()),
        int(copies[counts.rows[rare[counts.item]]].sum()),
        int(counts.often.min()) if len(counts.often) else None,
        counts.hidden,
        others,
    )


def _rare(released: Table, asked: ColumnSet, counts: Counts) -> Iterator[RareItem]:
    """Visit the combinations that are shown and too rare."""
    order = np.argsort(counts.item, kind="stable")
    starts = np.searchsorted(counts.item[order], np.arange(len(counts.often) + 1))
    names = (*asked.strata, *asked.columns)
    for item in np.flatnonzero(counts.often < asked.k).tolist():
        rows = counts.rows[order[starts[item] : starts[item + 1]]][:MAX_ROWS]
        cells = [
            released.dictionary(name)[released.column(name)[rows[0]]] for name in names
        ]
        ones = tuple((rows + 1).tolist())
        yield RareItem(names, tuple(cells), int(counts.often[item]), asked.k, ones)
