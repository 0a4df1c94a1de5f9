"""Publish new rows as a release publishes others: by the vectors of cells it has."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from starmin.frames.anonymization import Anonymization
from starmin.frames.frame_hierarchies import read_hierarchies
from starmin.frames.frame_problem import columns_of, reading_sets
from starmin.frames.libraries.library_of import native_of
from starmin.instances import Coding, NotSupportedError, Table, TableError, from_frame
from starmin.instances.arrays import Bools, Ints
from starmin.instances.releases.coding import NONHOMOGENEOUS, PERMUTATION
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import MASK, part_of
from starmin.instances.scales.floors import Floors
from starmin.instances.tables.column_names import expect_columns
from starmin.verify.cells.cells import Cells, PlainCells
from starmin.verify.cells.read_cells import read_cells

Text = str | None


def publish_new(release: Anonymization[Any], frame: Any) -> Any:
    """Return new rows as the cheapest vector of published cells that each fits.

    What fits no vector is hidden: all of its quasi-identifiers are stars. Columns that
    are no quasi-identifiers stay as they are. The release was made of other rows with
    the same columns: those that it has not are refused, those that it left out may be
    there.

    Raises NotSupportedError where the release has no such vectors: a permutation, stars
    by row, ids numbered anew. Raises TableError where a column is missing or unknown,
    or a value does not fit the rule of its column.

    Examples
    --------
    >>> import polars, starmin
    >>> frame = polars.DataFrame({"age": [30, 30, 41, 42], "sex": list("fmff")})
    >>> release = starmin.anonymize(frame, k=2)
    >>> publish_new(release, frame[:2].with_columns(age=polars.Series([42, 30])))
    shape: (2, 2)
    ┌─────┬─────┐
    │ age ┆ sex │
    │ --- ┆ --- │
    │ str ┆ str │
    ╞═════╪═════╡
    │ *   ┆ f   │
    │ 30  ┆ *   │
    └─────┴─────┘
    """
    expect_vectors(release)
    made = release.made_of
    native, coding = native_of(frame), release.rendering.coding
    _expect_columns(release, columns_of(native.frame), made.names)
    native = native.select(made.names)
    table = from_frame(native.frame, made.qi, made.sensitive)
    sets = release.call.get("sets")
    table = reading_sets(native, table, sets) if sets else table
    vectors = _Vectors(release.reread(), made, coding, release)
    hierarchies = release.call.get("hierarchies")
    trees = read_hierarchies(
        hierarchies, table, table.qi + table.sensitive, coding.missing
    )
    above = {
        column: {path[0]: frozenset(path) for path in trees[column].paths}
        for column in table.qi
        if column in trees
    }
    ends = Floors(top=coding.floors.top, bottom=coding.floors.bottom)
    capped = ends.on(table, {}, coding.missing)  # as 90+, which has no end
    chosen = vectors.of_rows(capped, above)
    published = vectors.put(table, chosen)
    return release.rendering.frame(
        native, table, published, like=(made, vectors.published)
    ).frame


def expect_vectors(release: Anonymization[Any]) -> None:
    """Raise NotSupportedError for a release that says nothing of new rows."""
    asked = release.solution.problem.requirement
    ids = part_of(asked, Persons)
    numbered = ids is not None and ids.pseudonym
    if release.recoding in (PERMUTATION, NONHOMOGENEOUS):
        what = f"a release by {release.recoding}"
    elif asked.space == MASK:
        what = "a release by rules over combinations"
    elif numbered:
        what = "a release whose ids are numbered anew"
    else:
        return
    raise NotSupportedError(
        f"{what} has no classes that new rows could join; fit_transform alone is there."
    )


def _expect_columns(
    release: Anonymization[Any], given: list[str], wanted: tuple[str, ...]
) -> None:
    expect_columns("the new rows", wanted, given)
    known = {*wanted, *release.call.get("drop", ()), *release.original.names}
    for column in given:
        if column not in known:
            raise TableError(
                f"the new rows have a column {column!r}, which the release was not "
                "made of"
            )


class _Vectors:
    """The different rows of cells that a release publishes, the cheapest first."""

    def __init__(
        self, published: Table, made: Table, coding: Coding, release: Anonymization[Any]
    ) -> None:
        self.published, self.coding = published, coding
        self.cells: dict[str, Cells]
        if coding.told:
            self.cells = read_cells(published, coding, release.original)
        else:
            self.cells = dict.fromkeys(published.qi, PlainCells(coding.star))
        codes = np.stack([published.column(c) for c in published.qi], axis=1)
        rows, counts = np.unique(codes.astype(np.int64), axis=0, return_counts=True)
        order = np.lexsort((-counts, self._costs(rows, release)))
        self.codes = rows[order]
        # A value that was published as it was stands for itself alone.
        self.values = {c: {*made.dictionary(c)} for c in published.qi}

    def _costs(self, rows: Ints, release: Anonymization[Any]) -> Ints:
        """Return what is lost of a row that is published so, in whole numbers."""
        goal = release.solution.problem.objective
        weights = goal.column_weights(self.published)
        lost = np.zeros(len(rows))
        for j, column in enumerate(self.published.qi):
            texts, star = self.published.dictionary(column), self.coding.star
            by_node = [
                float(self.cells[column].loss(text)) if goal.by_node else text == star
                for text in texts
            ]
            lost += weights[j] * np.array(by_node, float)[rows[:, j]]
        if goal.kind == "tuples":
            lost = np.sign(lost)
        return np.rint(lost * 2**30).astype(np.int64)

    def of_rows(
        self, table: Table, above: dict[str, dict[str, frozenset[str]]]
    ) -> Ints:
        """Return for each row of a table the place of its vector; -1: none.

        ``above`` has by column with a tree, for each value, the nodes above it and
        itself.
        """
        kinds, place = np.unique(
            np.stack([table.column(c) for c in table.qi], axis=1),
            axis=0,
            return_inverse=True,
        )
        fits = [
            self._fits(column, table.dictionary(column), above.get(column))
            for column in table.qi
        ]
        chosen = np.full(len(kinds), -1, np.int64)
        for at, kind in enumerate(kinds):
            good = np.ones(len(self.codes), bool)
            for j, code in enumerate(kind):
                good &= fits[j][self.codes[:, j], code]
            if good.any():
                chosen[at] = int(np.argmax(good))
        found: Ints = chosen[place.ravel()]
        return found

    def _fits(
        self,
        column: str,
        values: tuple[Text, ...],
        above: dict[str, frozenset[str]] | None,
    ) -> Bools:
        """Return which published cells of a column stand for which new values."""
        texts, plain = self.published.dictionary(column), self.values[column]
        covers: Callable[[Text, Text], bool] = self.cells[column].covers
        found = np.zeros((len(texts), len(values)), bool)
        places = {value: at for at, value in enumerate(values)}
        for row, text in enumerate(texts):
            if text == self.coding.star:
                found[row] = True
            elif above is not None:
                for at, value in enumerate(values):
                    found[row, at] = text == value or text in above.get(value or "", ())
            elif text in places:
                found[row, places[text]] = True
            if above is None and text != self.coding.star and text not in plain:
                found[row] |= np.array([covers(text, value) for value in values], bool)
        return found

    def put(self, table: Table, chosen: Ints) -> Table:
        """Return the table with the cells of the chosen vectors."""
        codes, dictionaries = table.codes.copy(), table.texts.copy()
        for j, column in enumerate(table.qi):
            at = table.names.index(column)
            texts, star = self.published.dictionary(column), self.coding.star
            texts = texts if star in texts else (*texts, star)
            codes[at] = np.append(self.codes[:, j], texts.index(star))[chosen]
            dictionaries[at] = texts
        return replace(table, codes=codes, dictionaries=dictionaries).used()
