"""The problems of the quality benchmark, and what other tools make of them."""

from dataclasses import dataclass
from functools import reduce
from operator import and_
from pathlib import Path

from starmin.instances import KAnonymity, LDiversity, Requirement, Table, read_table

ADULT, KDD = "adult.csv", "census_kdd_9.csv.gz"


@dataclass(frozen=True)
class Case:
    """A table with its roles.

    Attributes
    ----------
    name, title
        In the store, and as a heading.
    file
        In the data folder.
    qi, sensitive
        The columns used; others are dropped.
    """

    name: str
    title: str
    file: str
    qi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()

    def read(self, data: Path) -> Table:
        """The table, with these columns alone."""
        kept = {*self.qi, *self.sensitive}
        names = read_table(data / self.file).names
        others = [column for column in names if column not in kept]
        return read_table(data / self.file, sensitive=self.sensitive, drop=others)

    @staticmethod
    def requirement(asked: str) -> Requirement:
        """The requirement of a text such as ``k=5`` or ``k=5,l=2``."""
        makers = {"k": KAnonymity, "l": LDiversity}
        parts = (part.split("=") for part in asked.split(","))
        return reduce(and_, [makers[form](int(number)) for form, number in parts])


_FIVE = ("sex", "race", "marital-status", "education", "workclass")
_SEVEN = (*_FIVE, "age", "native-country")
_KDD = (
    "age",
    "sex",
    "marital_status",
    "race",
    "class_of_worker",
    "birth_self",
    "occupation_code",
    "industry_code",
)

_CASES = (
    (
        Case("adult8", "Adult, all 8 columns but salary-class", ADULT,
             (*_SEVEN, "occupation")),
        ("k=2", "k=3", "k=5", "k=10", "k=25"),
    ),
    (
        Case("adult5", "Adult, 5 columns, occupation sensitive", ADULT, _FIVE,
             ("occupation",)),
        ("l=2", "l=4"),
    ),
    (
        Case("adult7", "Adult, 7 columns, occupation sensitive", ADULT, _SEVEN,
             ("occupation",)),
        ("l=2", "l=4", "l=6"),
    ),
    (
        Case("census9", "Census-Income KDD, 299,285 rows, 9 columns", KDD,
             (*_KDD, "education")),
        ("k=2", "k=5", "k=10", "k=25"),
    ),
    (
        Case("census8", "Census-Income KDD, 8 columns, education sensitive", KDD, _KDD,
             ("education",)),
        ("l=2", "l=4"),
    ),
)  # fmt: skip

CASES = tuple((case, asked) for case, all_asked in _CASES for asked in all_asked)

# Stars of other tools, where they were measured; their own bounds are not known.
OTHERS: dict[tuple[str, str], dict[str, int]] = {
    ("adult8", f"k={k}"): {"ARX": stars}
    for k, stars in ((2, 18510), (3, 25714), (5, 33046), (10, 42074), (25, 53321))
}
for _l, _stars in ((2, 13442), (4, 47132)):
    OTHERS["adult5", f"l={_l}"] = {"ARX, made l-diverse by us": _stars}
