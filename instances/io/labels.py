"""What files of SPSS and Stata say in words of their columns and codes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

LABELLED = (".sav", ".dta")


@dataclass(frozen=True)
class Labels:
    """The labels of a file.

    Attributes
    ----------
    columns
        By column what it is, in words.
    values
        By column, by the text of a value, what the value stands for.
    measures
        By column ``nominal``, ``ordinal`` or ``scale``; only SPSS has them.
    title
        Of the file.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    title: str = ""

    def options(
        self, names: Sequence[str], numbers: Collection[str], spss: bool
    ) -> dict[str, Any]:
        """Return the arguments of the writer of pyreadstat.

        Parameters
        ----------
        names
            The columns that are written.
        numbers
            Those of them that are written as numbers; others are text.
        spss
            Whether the file is one of SPSS. Stata labels whole numbers alone.
        """
        values = {
            name: _numbered(known, int | float if spss else int)
            if name in numbers
            else known
            for name, known in self.values.items()
            if name in names and (spss or name in numbers)
        }
        given: dict[str, Any] = {
            "file_label": self.title,
            "column_labels": {name: self.columns.get(name, "") for name in names},
            "variable_value_labels": {c: known for c, known in values.items() if known},
        }
        if spss:
            of = self.measures
            given["variable_measure"] = {c: of[c] for c in names if c in of}
        return given


def _numbered(known: Mapping[str, str], kind: Any) -> dict[Any, str]:
    """Return the labels by number, of those numbers that can have one."""
    numbers = {float(text): label for text, label in known.items()}
    whole = {int(n) if n.is_integer() else n: label for n, label in numbers.items()}
    return {n: label for n, label in whole.items() if isinstance(n, kind)}
