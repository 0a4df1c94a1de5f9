"""Frames of pandas."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from starmin.frames.libraries.native import Ends, Labels, Native
from starmin.instances import IntArray
from starmin.instances.arrays import Bools, Floats


class PandasFrame(Native):
    """A frame of pandas: the index stays."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame.copy(deep=False)
        self.index_names = tuple(
            repr(name) for name in frame.index.names if name is not None
        )
        if not self.index_names and frame.index.dtype.kind not in "iu":
            self.index_names = ("without a name",)

    def select(self, names: Sequence[str], rows: IntArray | None = None) -> Native:
        frame = self.frame[list(names)]
        if rows is not None:
            frame = frame.iloc[rows].reset_index(drop=True)
        frame.attrs = {}
        return PandasFrame(frame)

    def is_category(self, name: str) -> bool:
        import pandas as pd

        return isinstance(self.frame[name].dtype, pd.CategoricalDtype)

    def put_text(self, name: str, codes: IntArray, labels: Labels) -> None:
        import pandas as pd

        old = self.frame[name].dtype
        texts = np.array(labels, object)[codes]
        if isinstance(old, np.dtypes.ObjectDType) or pd.api.types.is_string_dtype(old):
            self.frame[name] = pd.Series(texts, self.frame.index, dtype=old)
        else:
            self.frame[name] = pd.Series(texts.tolist()).array

    def put_categories(self, name: str, codes: IntArray, labels: Labels) -> None:
        import pandas as pd

        texts = [text for text in labels if text is not None]
        place: dict[str | None, int] = {text: i for i, text in enumerate(texts)}
        new = np.array([place.get(text, -1) for text in labels])[codes]
        self.frame[name] = pd.Categorical.from_codes(new, categories=texts)

    def put_missing(self, name: str, rows: Bools) -> None:
        import pandas as pd

        old = self.frame[name]
        kind = old.dtype.kind if isinstance(old.dtype, np.dtype) else None
        if kind in ("i", "u"):
            old = old.astype(str(old.dtype).replace("i", "I").replace("uI", "UI"))
        elif kind == "b":
            old = old.astype("boolean")
        kept = np.where(rows, -1, np.arange(len(rows)))
        new = old.array.take(kept, allow_fill=True)
        if kind == "O":
            new = pd.Series(new, old.index, dtype=object)
        if self.is_category(name):
            new = new.remove_unused_categories()
        self.frame[name] = new

    def put_ranges(self, name: str, low: Ends, high: Ends) -> None:
        import pandas as pd

        if low.dtype.kind in "mM":
            zone = getattr(self.frame[name].dtype, "tz", None)
            old = self.frame[name].dtype
            kind = old if isinstance(old, np.dtype) and old.kind in "mM" else low.dtype
            moments = [pd.Series(each.astype(kind)) for each in (low, high)]
            if zone is not None:
                moments = [m.dt.tz_localize("UTC").dt.tz_convert(zone) for m in moments]
            self.frame[name] = pd.arrays.IntervalArray.from_arrays(
                *moments, closed="both"
            )
            return
        ends = [_whole(low), _whole(high)]
        if self.frame[name].dtype.kind not in "iu" or ends[0].dtype != ends[1].dtype:
            ends = [low, high]
        self.frame[name] = pd.arrays.IntervalArray.from_arrays(*ends, closed="both")

    def put_intervals(self, name: str, codes: IntArray, labels: Labels) -> bool:
        import pandas as pd

        old = self.frame[name]
        known = old.cat.categories if self.is_category(name) else pd.Index(old.unique())
        if not isinstance(known.dtype, pd.IntervalDtype):
            return False
        found = joined_intervals(known.dropna(), labels)
        if found is None:
            return False
        kept = [text for text in labels if text is not None]
        place = {text: i for i, text in enumerate(kept)}
        at = np.array([-1 if text is None else place[text] for text in labels])[codes]
        if self.is_category(name):
            self.frame[name] = pd.Categorical.from_codes(at, categories=found)
        else:
            self.frame[name] = found.array.take(at, allow_fill=True)
        return True

    def put_numbers(self, name: str, numbers: IntArray) -> None:
        self.frame[name] = numbers


def joined_intervals(known: Any, labels: Labels) -> Any:
    """Return the intervals that labels write, None where one of them is none.

    ``known`` are the intervals of the column, whose ends those of the published labels
    are.

    Examples
    --------
    >>> import pandas as pd
    >>> known = pd.IntervalIndex.from_breaks([20, 30, 40])
    >>> list(joined_intervals(known, ["(20, 40]", None]))
    [Interval(20, 40, closed='right')]
    >>> joined_intervals(known, ["(20, 40]", "*"])
    """
    import pandas as pd

    pairs = [(str(each)[1:-1].split(", "), each) for each in known]
    lower = {texts[0]: each.left for texts, each in pairs}
    upper = {texts[-1]: each.right for texts, each in pairs}
    ends = [text[1:-1].split(", ") for text in labels if text is not None]
    if any(len(e) != 2 or e[0] not in lower or e[1] not in upper for e in ends):
        return None
    found = pd.IntervalIndex.from_tuples(
        [(lower[low], upper[high]) for low, high in ends],
        closed=known.closed,
        dtype=known.dtype,
    )
    same = [str(each) for each in found] == [t for t in labels if t is not None]
    return found if same else None


def _whole(ends: Floats) -> npt.NDArray[Any]:
    """Return numbers as whole ones where all of them are."""
    whole = np.isfinite(ends).all() and (ends == np.floor(ends)).all()
    return ends.astype(np.int64) if whole else ends
