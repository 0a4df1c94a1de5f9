"""What a release tells of people beyond its quasi-identifiers, counted."""

from dataclasses import asdict, dataclass
from typing import Any

from starmin.instances import Coding, Table
from starmin.instances.tables.plural import counted
from starmin.verify.releases.range_ends import RangeEnds, range_ends
from starmin.verify.releases.unchanged import (
    Unchanged,
    Undone,
    unchanged_columns,
    undone_cells,
)

_NAMED = 12  # columns that tell hidden cells and are named, at most


@dataclass(frozen=True)
class Disclosure:
    """What a release tells beyond the quasi-identifiers that were named."""

    # the other columns that are published, and whom they single out; None where there
    # are none
    unchanged: Unchanged | None
    # hidden cells that unchanged columns tell; None without the original
    undone: tuple[Undone, ...] | None
    # ends of ranges that are people's values; None where there are none
    range_ends: RangeEnds | None = None

    @classmethod
    def of(
        cls,
        original: Table | None,
        released: Table,
        coding: Coding | None = None,
    ) -> "Disclosure":
        """Count what a release tells.

        ``original`` has the same rows in the same order, without floors; None: it is
        not at hand. Of a counted table, which has no rows, nothing is said. ``coding``
        is that of the release; default: stars.
        """
        unchanged = unchanged_columns(released)
        if original is None or original.counts is not None:
            return cls(unchanged, None)
        ends = range_ends(original, released, coding or Coding())
        return cls(unchanged, undone_cells(original, released), ends)

    @property
    def named(self) -> tuple[Undone, ...]:
        """The columns that tell most, which sentences name."""
        return (self.undone or ())[:_NAMED]

    @property
    def others(self) -> str:
        """What sentences say of the columns that they do not name; often nothing."""
        more = len(self.undone or ()) - _NAMED
        return f"{counted(more, 'more pair')} of columns are so" if more > 0 else ""

    def as_json(self) -> dict[str, Any]:
        """Return the keys ``unchanged``, ``undone`` and ``range_ends``."""
        undone = None if self.undone is None else [asdict(u) for u in self.undone]
        return {
            "unchanged": self.unchanged and self.unchanged.as_json(),
            "undone": undone,
            "range_ends": self.range_ends and self.range_ends.as_json(),
        }

    def lines(self) -> list[tuple[str, str]]:
        """Return label and text, to be read by people."""
        lines = []
        if self.unchanged is not None:
            lines.append(("beside", f"published as they are: {self.unchanged}"))
        lines += [("undone", str(each)) for each in self.named]
        lines += [("undone", self.others)] if self.others else []
        if self.range_ends is not None:
            lines.append(("ends", str(self.range_ends)))
        return lines


NOTHING = Disclosure(None, None)
