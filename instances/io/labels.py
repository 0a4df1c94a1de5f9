"""What files of SPSS, Stata and SAS say in words of their columns and codes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace


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

    def without(self, column: str) -> "Labels":
        """Return the labels of all other columns."""
        return Labels(
            {c: text for c, text in self.columns.items() if c != column},
            {c: texts for c, texts in self.values.items() if c != column},
            {c: kind for c, kind in self.measures.items() if c != column},
            self.title,
        )

    def only(
        self, published: Mapping[str, Collection[str | None]], whole: Collection[str]
    ) -> "Labels":
        """Return the labels of the columns, and of the values, that are published.

        Parameters
        ----------
        published
            By column the texts that occur.
        whole
            Columns in which nothing was hidden, whose values keep all labels.

        Examples
        --------
        >>> labels = Labels(values={"area": {"1": "north", "2": "Chief's village"}})
        >>> labels.only({"area": ["1", "*"]}, whole=[]).values
        {'area': {'1': 'north'}}
        """
        values = {}
        for column, texts in published.items():
            known = self.values.get(column, {})
            if column not in whole:
                occur = set(texts)
                known = {text: said for text, said in known.items() if text in occur}
            if known:
                values[column] = known
        return replace(
            self,
            columns={c: said for c, said in self.columns.items() if c in published},
            values=values,
            measures={c: kind for c, kind in self.measures.items() if c in published},
        )
