"""The oracle of features that meet: releases of few rows, by the words of the pages.

Cells are texts, and what is asked are the values of options; nothing of starmin is
used. ``Oracle.optimum`` tries every release that may be; ``Oracle.judge`` says what is
wrong with any one, and ``Oracle.cost`` counts it.
"""

import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations, product
from math import ceil, floor, log
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tests.support.every_person import partitions

Asked = Mapping[str, Any]
STAR = "*"
DAYS = {"day": 1, "week": 7}
MONTHS = {"month": 1, "quarter": 3, "year": 12}


class Cell(NamedTuple):
    """What is published of a group in a column, and what that loses of 1."""

    text: str
    loss: Fraction = Fraction(0)


HIDDEN = Cell(STAR, Fraction(1))


class Rule(NamedTuple):
    """What is asked of what rows show of some columns."""

    at: tuple[int, ...]
    k: int
    semantics: str
    strata: tuple[str, ...]
    people: Sequence[tuple[Mapping[str, str], int]] | None


class Column:
    """A quasi-identifier: what may be published of which of its values."""

    def __init__(self, name: str, cells: Sequence[str], asked: Asked) -> None:
        def told(option: str) -> Any:
            return asked.get(option, {}).get(name)

        self.name, self.cells, self.values = name, cells, sorted({*cells})
        self.unknown = {"", "?", *asked.get("missing", ())}
        self.hidden = asked.get("hidden", self.unknown)  # where that counts
        self.form = told("date-format") or "%Y-%m-%d"
        self.dated = name in asked.get("dates", ())
        ranged = asked["recoding"] == "generalization"
        self.numeric = ranged and name in asked.get("numeric", ())
        self.top, self.bottom = told("top"), told("bottom")
        self.min_level, self.max_level = told("min-level") or 0, told("max-level")
        self.step, self.rule = told("round"), asked.get("loss", "ncp")
        self.least, self.most = _width(told("width"))
        self.paths = dict[str, list[str]]()
        self.by_tree, self.floor, self.star = False, set[str](), STAR
        if (lines := told("hierarchy")) is not None:
            self.floor = {p[min(self.min_level, len(p) - 1)] for p in lines}
            self.by_tree, root = ranged, lines[0][-1]
            self.star = root if ranged else STAR
            absent = self.unknown.intersection(self.values) - {e[0] for e in lines}
            lines = [*lines, *([value, root] for value in absent)]
            self.paths = {line[0]: list(line) for line in lines}
        self.cell = cache(self._cell)
        self.covered = dict[str, set[str]]()
        self.losses = dict[str, Fraction]()
        if len(self.values) < 9:
            for many in range(1, len(self.values) + 1):
                for some in combinations(self.values, many):
                    if (cell := self.cell(frozenset(some))) is not None:
                        self.covered.setdefault(cell.text, set()).update(some)
                        self.losses[cell.text] = cell.loss
            if self.max_level is None:
                self.covered.setdefault(self.star, {*self.values})
                self.losses.setdefault(self.star, Fraction(1))

    def seen(self, value: str) -> str:
        """Return what a value is published as by itself."""
        if path := self.paths.get(value):
            return [n for n in path if n in self.floor or n == value][-1]
        if value in self.unknown:
            return value
        if self.top is not None and Fraction(value) >= Fraction(self.top):
            return f"{self.top}+"
        if self.bottom is not None and Fraction(value) <= Fraction(self.bottom):
            return f"<={self.bottom}"
        return value

    def _cell(self, values: frozenset[str]) -> Cell | None:
        """Return what rows with these values show; None: they may not be together."""
        seen = {self.seen(value) for value in values}
        if self.by_tree:
            return self._node(values, seen)
        if self.numeric and not values & self.unknown:
            return self._range(values, seen)
        return Cell(*seen) if len(seen) == 1 else HIDDEN

    def _node(self, values: frozenset[str], seen: set[str]) -> Cell | None:
        above = [[self.seen(v), *self.above(v)] for v in values]
        node = next(n for n in above[0] if all(n in path for path in above))
        below = [path for path in self.paths.values() if node in path]
        level = max(path.index(node) for path in below)
        apart = len({self.seen(p[0]) for p in below}) > 1 and len(seen) > 1
        if apart and self.max_level is not None and level > self.max_level:
            return None
        return Cell(node, self.lost(len(below)))

    def above(self, value: str) -> list[str]:
        """Return the nodes above what a value is published as."""
        path = self.paths[value]
        return path[path.index(self.seen(value)) + 1 :]

    def lost(self, leaves: int) -> Fraction:
        """Return what a row loses by a node above so many values."""
        many = len(self.paths)
        if self.rule == "stars":
            return Fraction(leaves == many > 1)
        less = self.rule == "granularity"
        return Fraction(leaves - less, many - less) if leaves > 1 else Fraction(0)

    def _range(self, values: frozenset[str], seen: set[str]) -> Cell:
        known = [self._at(v) for v in self.values if v not in self.unknown]
        first, last = self._down(min(known)), self._up(max(known))
        alike = len(seen) == 1
        top, bottom = f"{self.top}+" in seen, f"<={self.bottom}" in seen
        if not alike and top and bottom:
            return HIDDEN
        lows, highs = [], []
        for at in map(self._at, values):
            low, high = (at, at) if alike else (self._down(at), self._up(at))
            if self.top is not None and at >= Fraction(self.top):
                low, high = max(Fraction(self.top), min(known)), last
                low = low if alike else self._down(low)
            elif self.bottom is not None and at <= Fraction(self.bottom):
                low, high = first, min(Fraction(self.bottom), max(known))
                high = high if alike else self._up(high)
            lows.append(low)
            highs.append(high)
        low, high = min(lows), max(highs)
        if not alike:
            if self.most is not None and high - low > self.most:
                return HIDDEN
            least = self.least or Fraction(0)
            if self.step and not self.dated:
                least = ceil(least / Fraction(self.step)) * Fraction(self.step)
            if high - low < least:
                high = min(low + least, last)
                low = max(min(low, high - least), first)
        lost = (high - low) / (last - first) if last > first else Fraction(0)
        if self.rule == "stars":
            lost = Fraction(0)
        if alike:
            return Cell(*seen, lost)
        ends = self._text(low), self._text(high)
        if self.dated:
            return Cell("..".join(ends), lost)
        if top or bottom:
            return Cell(f"{ends[0]}+" if top else f"<={ends[1]}", lost)
        return Cell(f"[{ends[0]}-{ends[1]}]", lost)

    def _at(self, value: str) -> Fraction:
        if not self.dated:
            return Fraction(value)
        return Fraction(datetime.datetime.strptime(value, self.form).toordinal())

    def _text(self, at: Fraction) -> str:
        if self.dated:
            return datetime.date.fromordinal(int(at)).strftime(self.form)
        return str(int(at)) if at.denominator == 1 else str(float(at))

    def _down(self, at: Fraction) -> Fraction:
        return self._ends(at)[0]

    def _up(self, at: Fraction) -> Fraction:
        return self._ends(at)[1]

    def _ends(self, at: Fraction) -> tuple[Fraction, Fraction]:
        """Return the rounded ends of a range of one number, or day."""
        if self.step is None:
            return at, at
        if not self.dated:
            unit = Fraction(self.step)
            return unit * floor(at / unit), unit * ceil(at / unit)
        if days := DAYS.get(self.step):
            begin = (int(at) - 1) // days * days + 1
            return Fraction(begin), Fraction(begin + days - 1)
        day, many = datetime.date.fromordinal(int(at)), MONTHS[self.step]
        month = (day.year * 12 + day.month - 1) // many * many
        begin = datetime.date(month // 12, month % 12 + 1, 1).toordinal()
        month += many
        end = datetime.date(month // 12, month % 12 + 1, 1).toordinal() - 1
        return Fraction(begin), Fraction(end)


def _width(told: str | None) -> tuple[Fraction | None, Fraction | None]:
    low, _, high = (told or "..").replace("day", "").partition("..")
    return Fraction(low) if low else None, Fraction(high) if high else None


class Oracle:
    """All releases of a table that satisfy what is asked, and what they cost."""

    def __init__(
        self, names: Sequence[str], rows: Sequence[Sequence[str]], asked: Asked
    ) -> None:
        self.names, self.rows, self.asked, self.n = names, rows, asked, len(rows)
        self.qi, self.sensitive = asked["qi"], asked.get("sensitive", ())
        self.columns = [Column(c, self._cells(c), asked) for c in self.qi]
        self.kind = asked["objective"]
        weights = asked.get("weights", {})
        self.weights = [weights.get(column, 1) for column in self.qi]
        self.ids = None
        for option in ("person", "household"):
            if option in asked:
                self.ids = self._cells(asked[option])
        self.by_rules = bool({"combinations", "rules", "parts"} & {*asked})
        self.k, self.l = asked.get("k", 1), asked.get("l", 1)
        if isinstance(asked.get("combinations"), int):
            self.k = 1  # it is that of the combinations
        self.l += asked.get("margin", 0)
        self.fits = cache(self._fits)

    def _cells(self, column: str) -> list[str]:
        at = self.names.index(column)
        return [row[at] for row in self.rows]

    # What is required of a class.

    def _fits(self, rows: frozenset[int]) -> bool:
        """Return whether rows that are published alike may be a class."""
        if self.ids is None:
            return len(rows) >= self.k and all(
                self._diverse([self._cells(column)[r] for r in rows])
                for column in self.sensitive
            )
        people = {self.ids[r] for r in rows}
        return len(people) >= self.k and self._diverse_by_persons(rows, people)

    def _diverse(self, values: list[str]) -> bool:
        """Return whether sensitive values of a class are diverse enough."""
        how, unknown = self.asked.get("missing-sensitive", "value"), {"", "?"}
        free = 0
        if how != "value":
            known = [value for value in values if value not in unknown]
            free = len(values) - len(known) if how == "any" else 0
            values = known
        if not values and not free:
            return True  # nothing is known of anyone
        counts = Counter(values)
        most, size = max(counts.values(), default=0) + free, len(values) + free
        share = Fraction(str(self.asked.get("alpha", 1)))
        if most > share * size:
            return False
        if self.l == 1:
            return True
        form = self.asked.get("diversity", "frequency")
        if form == "distinct":
            return max(1, len(counts)) >= self.l
        if form == "entropy":
            terms = [c / size * log(c / size) for c in counts.values()]
            return -sum(terms) >= log(self.l) - 1e-9
        return self.l * most <= size

    def _diverse_by_persons(self, rows: Iterable[int], people: set[str]) -> bool:
        assert self.ids is not None
        for column in self.sensitive:
            having: dict[str, set[str]] = {}
            for r in rows:
                having.setdefault(self._cells(column)[r], set()).add(self.ids[r])
            most = max(map(len, having.values()))
            if most > Fraction(str(self.asked.get("alpha", 1))) * len(people):
                return False
            distinct = self.asked.get("diversity") == "distinct"
            enough = len(having) if distinct else len(people) / most
            if self.l > 1 and min(enough, len(people)) < self.l:
                return False
        return True

    @property
    def possible(self) -> bool:
        """Whether the table as a whole satisfies what is asked of persons."""
        if self.ids is None:
            return True
        return self._diverse_by_persons(range(self.n), {*self.ids})

    # All releases.

    def optimum(self) -> Fraction | None:
        """Return what the cheapest of all costs; None: there is no release."""
        return self._share(self.least())

    def least(self) -> Fraction | None:
        """Return the least cost of all: stars by their weights, or losses of 1."""
        if not self.possible:
            return None
        if self.by_rules:
            return self._by_rows()
        least = None
        for kept, groups in self._groupings():
            cost = self._price() * (self.n - len(kept))
            if least is not None and cost >= least:
                continue
            if (release := self._published(groups)) is None:
                continue
            cost += sum(self._lost(cells) for cells in release.values())
            if (least is None or cost < least) and self._allowed(release):
                least = cost
        if least is not None and "delete-rows" in self.asked:
            least = least if least <= self._price() * self.n else None
        return least

    def _groupings(self) -> Iterator[tuple[list[int], list[list[list[int]]]]]:
        """Yield the rows that are kept, and for each column their groups."""
        every, d = list(range(self.n)), len(self.qi)
        if "within" in self.asked:
            earlier = [tuple(row) for row in self.asked["within"]]
            parts = [[r for r in every if earlier[r] == e] for e in {*earlier}]
            yield from ((every, [g] * d) for g in _unions(parts))
        elif self.ids is not None and ("pseudonym" in self.asked or self._shared()):
            shared = range(d) if "pseudonym" in self.asked else self._shared()
            own = [j for j in range(d) if j not in shared]
            of = [[r for r in every if self.ids[r] == who] for who in {*self.ids}]
            for outer in _unions(of):
                inside = [list(partitions(b)) if own else [[b]] for b in outer]
                for chosen in product(*inside):
                    inner = [group for groups in chosen for group in groups]
                    yield every, [outer if j in shared else inner for j in range(d)]
        else:
            fewest = 1 if "delete-rows" in self.asked else self.n
            for many in range(self.n, fewest - 1, -1):
                for kept in combinations(every, many):
                    yield from ((list(kept), [g] * d) for g in partitions(list(kept)))

    def _shared(self) -> list[int]:
        """Return the columns that are constant in every household, as published."""
        if "household" not in self.asked:
            return []
        found = []
        for j, column in enumerate(self.columns):
            pairs = {(self.ids[r], column.seen(v)) for r, v in enumerate(column.cells)}
            if len(pairs) == len({*self.ids}):
                found.append(j)
        return found

    def _published(
        self, groups: Sequence[list[list[int]]]
    ) -> dict[int, tuple[Cell, ...]] | None:
        release: dict[int, list[Cell]] = {}
        for column, parts in zip(self.columns, groups, strict=True):
            for part in parts:
                values = frozenset(column.cells[r] for r in part)
                cell = column.cell(values)
                kept = column.name in self.asked.get("keep", ())
                if cell is None or (kept and len({*map(column.seen, values)}) > 1):
                    return None
                for r in part:
                    release.setdefault(r, []).append(cell)
        return {r: tuple(cells) for r, cells in release.items()}

    def _allowed(self, release: Mapping[int, tuple[Cell, ...]]) -> bool:
        classes: dict[tuple[str, ...], list[int]] = {}
        for r, cells in release.items():
            classes.setdefault(tuple(cell.text for cell in cells), []).append(r)
        return all(self.fits(frozenset(rows)) for rows in classes.values())

    def _lost(self, cells: Sequence[Cell]) -> Fraction:
        """Return what a row costs: stars, 1 for a tuple, or its losses."""
        losses = [
            cell.loss if self.kind == "gcp" else Fraction(cell.text == STAR)
            for cell in cells
        ]
        if self.kind == "tuples":
            return Fraction(any(losses))
        pairs = zip(self.weights, losses, strict=True)
        return sum((w * x for w, x in pairs), Fraction(0))

    def _price(self) -> Fraction:
        told = self.asked.get("delete-rows", "0")
        whole = sum(self.weights)
        if told == "row":
            return Fraction(whole)
        return Fraction(told) * (whole if self.kind == "gcp" else 1)

    def _share(self, cost: Fraction | None) -> Fraction | None:
        """Return a cost as it is told: losses as a share of all cells."""
        if cost is None or self.kind != "gcp":
            return cost
        return cost / (self.n * (sum(self.weights) or 1))

    # Rules over combinations, by rows.

    def _by_rows(self) -> Fraction | None:
        """Try everything that each row may show."""
        cells = [[self.choices(c, r) for c in self.columns] for r in range(self.n)]
        sizes = [len(choice) for row in cells for choice in row]
        grid = np.indices(sizes).reshape(self.n, len(self.qi), -1)

        def told(r: int, j: int, of: Callable[[Cell], Any]) -> npt.NDArray[Any]:
            return np.array([of(cell) for cell in cells[r][j]])[grid[r, j]]

        def hides(r: int, j: int) -> npt.NDArray[Any]:
            star = self.columns[j].star
            return told(r, j, lambda cell: cell.text == star)

        fine = np.ones(grid.shape[2], bool)
        for r, at in product(range(self.n), self.linked):
            hidden = [hides(r, j) for j in at if not self._absent(r, j)]
            if hidden:
                fine &= np.all(hidden, axis=0) == np.any(hidden, axis=0)
        for rule in self.rules:
            for r in range(self.n):
                alike = np.zeros(len(fine), int)
                for other, weight in self._counted(r, rule):
                    fits = np.ones(len(fine), bool)
                    for j in rule.at:
                        shown = cells[other][j] if isinstance(other, int) else [HIDDEN]
                        pairs = np.array(
                            [
                                [self._counts(j, own, other, c, rule) for c in shown]
                                for own in cells[r][j]
                            ]
                        )
                        place = grid[other, j] if isinstance(other, int) else 0
                        fits &= pairs[grid[r, j], place]
                    alike += weight * fits
                enough = alike >= rule.k
                if rule.semantics != "classes":
                    if any(self._absent(r, j) for j in rule.at):
                        continue
                    enough |= np.any([hides(r, j) for j in rule.at], axis=0)
                fine &= enough
        if not fine.any():
            return None
        cost = np.zeros(len(fine))
        for r in range(self.n):
            lost = [
                told(r, j, lambda cell, j=j: float(self._lost_alone(j, cell)))
                for j in range(len(self.qi))
            ]
            cost += np.max(lost, axis=0) if self.kind == "tuples" else sum(lost)
        best = int(np.flatnonzero(fine)[np.argmin(cost[fine])])
        release = [
            [choice[grid[r, j, best]] for j, choice in enumerate(row)]
            for r, row in enumerate(cells)
        ]
        return sum(map(self._lost, release), Fraction(0))

    def _lost_alone(self, j: int, cell: Cell) -> Fraction:
        lost = cell.loss if self.kind == "gcp" else Fraction(cell.text == STAR)
        return lost if self.kind == "tuples" else self.weights[j] * lost

    def choices(self, column: Column, r: int) -> list[Cell]:
        """Return all that a row may show in a column."""
        value = column.cells[r]
        own = column.cell(frozenset([value]))
        assert own is not None
        found = [own]
        at = self.columns.index(column)
        tied = {at}.union(*(each for each in self.linked if at in each))
        if {self.qi[j] for j in tied} & {*self.asked.get("keep", ())}:
            return found
        for node in column.above(value) if column.by_tree else ():
            below = {v for v, path in column.paths.items() if node in path}
            if len(below) < len(column.paths):
                column.covered[node] = below
                column.losses[node] = column.lost(len(below))
                found.append(Cell(node, column.losses[node]))
        return [*found, Cell(column.star, HIDDEN.loss)]

    @cached_property
    def linked(self) -> list[list[int]]:
        """The columns that are starred together: sets with a common one are one."""
        found: list[list[int]] = []
        for columns in self.asked.get("linked", ()):
            one = {self.qi.index(column) for column in columns}
            apart = [at for at in found if not one & {*at}]
            found = [*apart, sorted(one.union(*(at for at in found if one & {*at})))]
        return found

    @cached_property
    def rules(self) -> list[Rule]:
        """Sets of columns with their k, what counts, and within which strata."""
        found, all_strata = [], set[str]()
        for part in self.asked.get("parts", [self.asked]):
            needed: dict[tuple[int, ...], int] = {}
            if isinstance(many := part.get("combinations"), int):
                many = {many: part["k"]}
            sets = [
                (at, k)
                for size, k in (many or {}).items()
                for at in combinations(range(len(self.qi)), min(size, len(self.qi)))
            ]
            for columns, k in part.get("rules", ()):
                sets.append((tuple(sorted(map(self.qi.index, columns))), k))
            for at, k in sets:
                least = 1 if part.get("closed", True) else len(at)
                for size in range(least, len(at) + 1):
                    for some in combinations(at, size):
                        needed[some] = max(k, needed.get(some, 0))
            how, strata = part.get("semantics", "shown"), part.get("strata", ())
            all_strata |= {*strata}
            people = part.get("people")
            found += [
                Rule(at, k, how, tuple(strata), people) for at, k in needed.items()
            ]
        if self.k > 1:
            every = tuple(range(len(self.qi)))
            found.append(Rule(every, self.k, "classes", tuple(all_strata), None))
        return found

    def _absent(self, r: int, j: int) -> bool:
        """Return whether a cell counts as hidden already."""
        column = self.columns[j]
        return "missing-hidden" in self.asked and column.cells[r] in column.hidden

    def _counted(self, r: int, rule: Rule) -> Iterator[tuple[Any, int]]:
        """Yield the rows that may count for a row, or people, and how often."""
        yield from rule.people or ()
        for other in range(self.n) if rule.people is None else ():
            cells = map(self._cells, rule.strata)
            same = all(each[other] == each[r] for each in cells)
            absent = any(self._absent(other, j) for j in rule.at)
            if same and (rule.semantics == "classes" or not absent):
                yield other, 1

    def _counts(self, j: int, own: Cell, other: Any, shown: Cell, rule: Rule) -> bool:
        """Return whether another row counts for what a row shows in a column."""
        column = self.columns[j]
        if rule.semantics == "classes":
            return own.text == shown.text
        if own.text == column.star:
            return False  # nothing is asked
        if not isinstance(other, int):
            return other[column.name] in column.covered[own.text]
        if rule.semantics == "source":
            return column.cells[other] in column.covered[own.text]
        hidden = shown.text == column.star
        return not hidden and column.covered[shown.text] <= column.covered[own.text]

    # Any release.

    def holds(self, release: Sequence[Sequence[str]], at: Sequence[int]) -> bool:
        """Return whether texts of the quasi-identifiers satisfy what is asked.

        ``at`` are the rows of the original that they stand for.
        """
        if self.by_rules:
            return self._are_linked(release) and all(
                self._rule_holds(release, rule) for rule in self.rules
            )
        cells = {r: tuple(map(Cell, row)) for r, row in zip(at, release, strict=True)}
        return self.possible and self._allowed(cells) and self.tied(release, at)

    def _hides(self, j: int, row: Sequence[str]) -> bool:
        return row[j] == self.columns[j].star

    def _are_linked(self, release: Sequence[Sequence[str]]) -> bool:
        # By what is shown: it does not tell that nothing was where a star stands.
        def told(j: int, row: Sequence[str]) -> bool:
            absent = "missing-hidden" in self.asked and row[j] in self.columns[j].hidden
            return not absent

        return all(
            len({self._hides(j, row) for j in at if told(j, row)}) < 2
            for row in release
            for at in self.linked
        )

    def _rule_holds(self, release: Sequence[Sequence[str]], rule: Rule) -> bool:
        for r, row in enumerate(release):
            hidden = any(self._hides(j, row) or self._absent(r, j) for j in rule.at)
            if hidden and rule.semantics != "classes":
                continue
            many = sum(
                weight
                for other, weight in self._counted(r, rule)
                if all(
                    self._counts(j, Cell(row[j]), other, Cell(release[other][j]), rule)
                    for j in rule.at
                )
            )
            if many < rule.k:
                return False
        return True

    def tied(self, release: Sequence[Sequence[str]], at: Sequence[int]) -> bool:
        """Return whether rows that hang together are published alike."""
        if "within" in self.asked:
            keys, columns = [tuple(row) for row in self.asked["within"]], None
        elif "pseudonym" in self.asked and self.ids is not None:
            keys, columns = self.ids, None
        elif "household" in self.asked:
            keys, columns = self.ids, self._shared()
        else:
            return True
        ways: dict[Any, set[tuple[str, ...]]] = {}
        for r, row in zip(at, release, strict=True):
            told = tuple(row) if columns is None else tuple(row[j] for j in columns)
            ways.setdefault(keys[r], set()).add(told)
        return all(len(each) == 1 for each in ways.values())

    def true(self, row: Sequence[str], r: int) -> bool:
        """Return whether a released row says nothing false of a row of the table."""
        return all(
            column.cells[r] in column.covered.get(text, ())
            for column, text in zip(self.columns, row, strict=True)
        )

    def cost(self, release: Sequence[Sequence[str]]) -> Fraction:
        """Return what texts of the quasi-identifiers cost, and rows that are gone."""
        lost = [
            self._lost(
                [Cell(t, c.losses[t]) for c, t in zip(self.columns, row, strict=True)]
            )
            for row in release
        ]
        gone = self._price() * (self.n - len(release))
        total = sum(lost, Fraction(0)) + gone
        found = self._share(total)
        assert found is not None
        return found

    def keeps(self, release: Sequence[Sequence[str]], at: Sequence[int]) -> bool:
        """Return whether nothing is hidden in the columns to be kept."""
        return all(
            row[j] == column.seen(column.cells[r])
            for j, column in enumerate(self.columns)
            if column.name in self.asked.get("keep", ())
            for r, row in zip(at, release, strict=True)
        )


def _unions(parts: list[list[int]]) -> Iterator[list[list[int]]]:
    """Yield all partitions of rows that leave these parts whole."""
    for groups in partitions(list(range(len(parts)))):
        yield [[r for p in group for r in parts[p]] for group in groups]
