"""What a model predicts from what, as a formula: ``income ~ age + education``."""

from dataclasses import dataclass

from starmin.instances import Table, TableError
from starmin.instances.tables.names import expect_columns


@dataclass(frozen=True)
class Formula:
    """What is learned from what."""

    target: str  # the column that is predicted
    features: tuple[str, ...]  # the columns it is predicted by

    @classmethod
    def parse(cls, text: str) -> "Formula":
        """Read a formula as ``income ~ age + education``.

        Raises TableError where it is none.

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
        """Raise TableError where the table, the original, lacks a column."""
        named = self.target, *self.features
        expect_columns(f"--check: {table.name}", named, table.names)
