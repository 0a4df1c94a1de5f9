"""What a model predicts from what, as a formula: ``income ~ age + education``."""

from dataclasses import dataclass

from starmin.instances import Table, TableError
from starmin.instances.tables.column_names import expect_columns


@dataclass(frozen=True)
class Formula:
    """What is learned from what.

    Attributes
    ----------
    target
        The column that is predicted.
    features
        Those it is predicted by.
    """

    target: str
    features: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Formula":
        """Read a formula as ``income ~ age + education``.

        Raises
        ------
        TableError
            It is none.

        Examples
        --------
        >>> Formula.parse("income ~ age + education")
        Formula(target='income', features=('age', 'education'))
        """
        left, tilde, right = text.partition("~")
        features = tuple(each.strip() for each in right.split("+"))
        target = left.strip()
        if not tilde or not target or not all(features):
            raise TableError(f"--check: expected 'TARGET ~ COLUMN + ..', got {text!r}")
        if target in features or len(set(features)) < len(features):
            raise TableError(f"--check: a column is named twice in {text!r}")
        return cls(target, features)

    def expect(self, table: Table) -> None:
        """Raise TableError where the table lacks a column.

        Parameters
        ----------
        table
            The original.
        """
        named = self.target, *self.features
        expect_columns(f"--check: {table.name}", named, table.names)
