"""What is never published of a column, decided before any group is formed."""

from abc import ABC, abstractmethod
from typing import Any


class Floor(ABC):
    """The coarsest cells that a column starts from, whoever is in a group.

    A table with floors holds the coarse cells themselves; how they were made stands
    beside them, so that losses are counted from the values below.
    """

    @abstractmethod
    def as_json(self) -> dict[str, Any]:
        """Return what makes it, and nothing of the cells."""
