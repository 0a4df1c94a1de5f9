"""Anonymization as a transformer in the form of scikit-learn."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from starmin.call_arguments import given_of
from starmin.frames.anonymization import Anonymization
from starmin.frames.anonymize import anonymize
from starmin.frames.data_frames import native_of
from starmin.frames.frame_problem import columns_of, read_hierarchies, reading_sets
from starmin.instances import Coding, NotSupportedError, Table, TableError, from_frame
from starmin.instances.arguments import expect_choice
from starmin.instances.arrays import Bools, Ints
from starmin.instances.errors import expect_extra
from starmin.instances.io.frames import arrow_of, eager
from starmin.instances.releases.coding import NONHOMOGENEOUS, PERMUTATION
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import MASK, part_of
from starmin.instances.scales.floors import Floors
from starmin.instances.tables.names import expect_columns
from starmin.verify.cells.cells import Cells, PlainCells
from starmin.verify.cells.read_cells import read_cells

# Publish new rows as a release publishes others: by the vectors of cells it has.

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
    given = columns_of(native.frame)
    expect_columns("the new rows", made.names, given)
    known = {*made.names, *release.call.get("drop", ()), *release.original.names}
    for column in given:
        if column not in known:
            raise TableError(
                f"the new rows have a column {column!r}, which the release was not "
                "made of"
            )
    native = native.select(made.names)
    table = from_frame(native.frame, made.qi, made.sensitive)
    sets = release.call.get("sets")
    table = reading_sets(native, table, sets) if sets else table
    vectors = _Vectors(release.reread(), made, coding, release)
    hierarchy = release.call.get("hierarchy")
    trees = read_hierarchies(
        hierarchy, table, table.qi + table.sensitive, coding.missing
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
        columns = {}
        for j, column in enumerate(table.qi):
            texts, star = self.published.dictionary(column), self.coding.star
            texts = texts if star in texts else (*texts, star)
            codes = np.append(self.codes[:, j], texts.index(star))[chosen]
            columns[column] = codes, texts
        return table.recoded(columns).used()


Output = Literal["default", "pandas", "polars"]
Names = npt.NDArray[np.object_]


class Anonymizer:
    """Anonymize data frames in a pipeline; scikit-learn itself is not needed.

    ``fit_transform`` publishes the rows that were fitted: this is the release, with its
    value, bound and proof in ``release_``. ``transform`` publishes other rows as
    classes of the release are published: each as the cheapest of them that it fits. A
    row that fits none is hidden: its quasi-identifiers are stars.

    Parameters
    ----------
    parameters
        Those of ``anonymize`` but the frame.

    Attributes
    ----------
    release_
        The Anonymization of the frame that was fitted last.
    feature_names_in_, n_features_in_
        Its columns, and how many there were.

    Notes
    -----
    What new rows show, at least k fitted rows show, or k, l and more as it was asked.
    Nothing is promised of the sensitive values of new rows, nor of columns that are no
    quasi-identifiers.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"age": [30, 30, 41, 42], "sex": list("fmff")})
    >>> steps = Anonymizer(k=2)
    >>> steps.fit_transform(frame)["sex"].to_list()
    ['*', '*', 'f', 'f']
    >>> steps.transform(polars.DataFrame({"age": [30, 55], "sex": ["f", "m"]})).rows()
    [('30', '*'), ('*', '*')]
    """

    def __init__(self, **parameters: Any) -> None:
        self._parameters: dict[str, Any] = {}
        self._output: Output = "default"
        self.set_params(**parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters that were set."""
        return dict(self._parameters)

    def set_params(self, **parameters: Any) -> "Anonymizer":
        """Set parameters of ``anonymize``.

        Raises
        ------
        TypeError
            A name that looks like that of a parameter, but is none.
        """
        given_of(anonymize, {"method": "auto", "words": parameters})
        self._parameters |= parameters
        return self

    def set_output(self, *, transform: Output | None = None) -> "Anonymizer":
        """Set the library of what is returned; ``default``: as it came.

        Parameters
        ----------
        transform
            ``default``, ``pandas`` or ``polars``; None changes nothing.
        """
        if transform is not None:
            expect_choice("transform", transform, get_args(Output))
            self._output = transform
        return self

    def fit(self, X: Any, y: Any = None) -> "Anonymizer":
        """Anonymize a frame; ``release_`` is what was found.

        Parameters
        ----------
        X
            The frame, or an array of rows, whose columns are called x0, x1, ...
        y
            Not used, as in every transformer without a target.
        """
        if self._parameters.get("delete_rows") not in (None, False):
            raise ValueError("Expected no delete_rows: a transformer keeps all rows.")
        frame = _framed(X)
        self.release_: Anonymization[Any] = anonymize(frame, **self._parameters)
        self.feature_names_in_: Names = np.array(columns_of(frame), object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Return the release of a frame.

        Parameters
        ----------
        X
            The frame, or an array of rows, whose columns are called x0, x1, ...
        y
            Not used, as in every transformer without a target.

        Raises
        ------
        ValueError
            The frame is infeasible: it has no release.
        """
        return self._returned(self.fit(X)._expect_frame().frame, X)

    def transform(self, X: Any) -> Any:
        """Publish new rows: each as the cheapest published class that it fits.

        The rows that were fitted are published by ``fit_transform``: their release is
        not the same as what this returns of them.

        Parameters
        ----------
        X
            Rows with the columns that were fitted.

        Raises
        ------
        NotSupportedError
            The release has no classes that new rows could join.
        TableError
            A column is missing or unknown, or a value does not fit its rule.
        ValueError
            Nothing was fitted, or what was has no release.
        """
        release, names = self._expect_frame(), [*self.feature_names_in_]
        return self._returned(publish_new(release, _framed(X, names)), X)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """Return the names of the columns that are published, as an array.

        Parameters
        ----------
        input_features
            The names of the columns that were fitted, for whoever tells them again.
        """
        release = self._fitted()
        seen = [*self.feature_names_in_]
        if input_features is not None and [*input_features] != seen:
            raise ValueError(f"Expected input_features to be {seen}.")
        return np.array([] if release.frame is None else columns_of(release.frame), "O")

    def _fitted(self) -> Anonymization[Any]:
        if hasattr(self, "release_"):
            return self.release_
        said = "This Anonymizer is not fitted yet; call fit or fit_transform first."
        try:  # the error of scikit-learn, where it is there
            from sklearn.exceptions import NotFittedError
        except ImportError:
            raise ValueError(said) from None
        raise NotFittedError(said)

    def _expect_frame(self) -> Anonymization[Any]:
        release = self._fitted()
        if release.frame is None:
            raise ValueError(f"There is no release: {release.reason}.")
        return release

    def _returned(self, frame: Any, given: Any) -> Any:
        """Return a frame in the library that was asked for.

        Steps around it may rename its columns in place: it is theirs alone.
        """
        if hasattr(frame, "iloc"):
            frame = frame.copy(deep=False)
        if self._output == "default":
            if hasattr(given, "columns") or isinstance(given, Mapping):
                return frame
            columns = [each.to_list() for each in eager(frame).iter_columns()]
            return np.array(columns, object).T
        if self._output == "polars":
            return eager(frame).to_polars()
        expect_extra("pandas", "set_output")
        return eager(frame).to_pandas()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "release_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        taken = InputTags(categorical=True, string=True, allow_nan=True)
        return Tags(
            "transformer",
            TargetTags(False),
            TransformerTags([]),
            None,
            None,
            input_tags=taken,
        )

    def __repr__(self) -> str:
        told = ", ".join(
            f"{name}={value!r}" for name, value in self._parameters.items()
        )
        return f"Anonymizer({told})"


def _framed(X: Any, names: Sequence[str] | None = None) -> Any:
    """Return a frame; an array is one of columns with numbers for names."""
    if hasattr(X, "toarray"):
        raise TypeError("sparse input is not supported; make it dense (X.toarray())")
    if isinstance(X, list) or (hasattr(X, "__array__") and not hasattr(X, "columns")):
        X = np.asarray(X)
    if not isinstance(X, np.ndarray):
        return X
    if X.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {X.ndim}D array instead. Reshape your data."
        )
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported; split it into two columns.")
    if X.shape[1] == 0:
        raise ValueError(
            f"0 feature(s) (shape={X.shape}) while a minimum of 1 is required."
        )
    if names is not None and X.shape[1] != len(names):
        raise ValueError(
            f"X has {X.shape[1]} features, but Anonymizer is expecting {len(names)} "
            "features as input."
        )
    called = names or [f"x{j}" for j in range(X.shape[1])]
    columns = {name: X[:, j].tolist() for j, name in enumerate(called)}
    return arrow_of(columns, "X")
