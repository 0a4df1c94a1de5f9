"""What all forms of l-diversity have in common."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self, cast

from starmin.instances.arguments import expect_whole
from starmin.instances.option import Option
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.requirements.stated import Stated
from starmin.instances.tables.table import Table

L = Option("l", int, "l-diversity: no sensitive value in more than 1/L of the rows.")
DIVERSITY = Option(
    "diversity",
    Literal["frequency", "distinct", "entropy", "recursive"],
    "The form of --l.",
    "frequency",
    needs="l",
)


class Diversity(Requirement):
    """Every group has different sensitive values, l in some sense.

    With several sensitive columns each of them must satisfy it.
    """

    options: ClassVar[tuple[Option, ...]] = (L, DIVERSITY)
    of_sensitive = True
    reads_missing = True
    kind: ClassVar[str]  # of diversity, as options name it
    l: int  # a field of each form

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", expect_whole("l", self.l, 2))

    @classmethod
    def _asking(cls, l: int) -> Self:
        make: Callable[[int], Self] = cast(Any, cls)  # each form has its fields
        return make(l)

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> Self | None:
        if stated[L] is None or stated[DIVERSITY] != cls.kind:
            return None
        return cls._asking(stated[L])

    @classmethod
    def example(cls, table: Table) -> Self | None:
        return cls._asking(2) if table.sensitive else None

    def as_json(self) -> dict[str, Any]:
        return {"l": self.l, "diversity": self.kind}
