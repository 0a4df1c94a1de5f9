"""What an attacker infers from a release, counted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Label = Literal["sound given the model", "statistical"]
SOUND: Label = "sound given the model"
STATISTICAL: Label = "statistical"

MAX_WORST = 10  # cases that are named by row


@dataclass(frozen=True)
class Worst:
    """One of the worst cases."""

    row: int  # of the release, numbered from 1: the first of its class
    why: str  # what is known of it


@dataclass(frozen=True)
class Inference:
    """What one kind of reasoning tells of hidden cells and of people."""

    # whether what is inferred is so wherever the release was made as is assumed
    # (``sound given the model``), likely (``statistical``), or counted from samples
    label: Label
    hidden: int = 0  # cells that the release hides
    narrowed: int = 0  # of these, those of which more is known than their node says
    # of these, those whose value is known, if not of which row of the class
    pinned: int = 0
    # rows with a hidden cell that are known in full, if not which of the class
    whole: int = 0
    certain: int = 0  # rows whose sensitive value is known
    # rows that are linked, or whose sensitive value is guessed, with a chance above 1/k
    # or 1/l, those that are certain among them
    above: int = 0
    # what was inferred and is not so, counted in the unit of the first of ``certain``
    # and ``narrowed`` that is not 0, else in guesses; None without the original, or
    # where its rows are not those of the release in this order, or where nothing is
    # said of single rows: differencing in any order, chances by matchings
    false: int | None = None
    # classes that cannot be, were the release made as is assumed
    contradictions: int = 0
    worst: tuple[Worst, ...] = ()  # the first of the worst cases
    more: Mapping[str, Any] = field(default_factory=dict)  # further counts, by name
    seconds: float = 0.0  # how long it took

    def as_json(self) -> dict[str, Any]:
        """Return the object of this inference in the JSON of ``starmin audit``."""
        content = {name: getattr(self, name) for name in self.__dataclass_fields__}
        content["worst"] = [vars(case) for case in self.worst]
        content["seconds"] = round(self.seconds, 3)
        return content | dict(content.pop("more"))
