"""Tables and figures of papers that are made again, with the papers' own numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_MURAKAMI, _XIAO = "Murakami, Uno", "Xiao, Yi, Tao"
_CHAKARAVARTHY = "Chakaravarthy, Pandit, Sabharwal"
_ROWWISE = {"recoding": "nonhomogeneous"}


@dataclass(frozen=True)
class Shown:
    """A table or figure of a paper: rows are values of one option, columns methods."""

    name: str  # the paper's authors, and what they call it
    shows: str
    instance: str  # ``{n}`` is replaced by the number of rows
    rows: int  # of the paper's table
    varied: str  # the option, or ``d``: how many columns
    values: tuple[int, ...]
    methods: Mapping[str, str]  # by the names that the paper has for them
    # the numbers of the paper, by method; none: it is a drawing without numbers
    paper: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    columns: int = 0  # quasi-identifiers, the first of them; 0: all
    share: bool = False  # values are shares of all cells
    usual: int = 100_000  # rows, at most, where none are named
    why: str = ""  # what of it is otherwise than in the paper, in any case

    def n(self, rows: int | None) -> int:
        """Return how many rows are solved."""
        if "{n}" not in self.instance:
            return self.rows
        return rows or min(self.rows, self.usual)

    def lacks(self, n: int) -> str:
        """Say what is otherwise than in the paper; nothing where it is complete."""
        fewer = f"{n:,} of {self.rows:,} rows" if n < self.rows else ""
        return "; ".join(filter(None, (fewer, self.why)))

    def status(self, n: int) -> str:
        """Say whether it is complete."""
        return f"part: {self.lacks(n)}" if self.lacks(n) else "complete"


def _losses(
    number: int, shows: str, instance: str, rows: int, *paper: tuple[float, ...]
) -> Shown:
    """Tables 8 to 18 of Murakami and Uno: rings, and two phases."""
    methods = {"Wong's": "ring", "Two-phase": "two_phase"}
    return Shown(
        f"{_MURAKAMI}: Table {number}",
        shows,
        instance,
        rows,
        "k",
        tuple(range(3, 11)),
        methods,
        dict(zip(methods, paper, strict=True)),
        _ROWWISE,
        share=True,
        why="the paper's table is not public, ours is generated with its columns",
    )


def _stars(number: int, shows: str, varied: str, values: range) -> Iterator[Shown]:
    """Figures 2 and 3 of Xiao, Yi and Tao, each of two census tables."""
    methods = {
        "TP": "three_phase",
        "TP+": "three_phase_hybrid",
        "Hilbert": "hilbert_suppression",
    }
    fixed = {"d": 4} if varied == "l" else {"l": 6}
    for name, sensitive in (("SAL", "income"), ("OCC", "occupation")):
        yield Shown(
            f"{_XIAO}: Figure {number} ({name})",
            f"{shows}, {name}",
            f"census:n={{n}},sensitive={sensitive}",
            600_000,
            varied,
            tuple(values),
            methods,
            options={k: v for k, v in fixed.items() if k == "l"},
            columns=fixed.get("d", 0),
            why="one choice of columns; the figure has no numbers to compare with, and "
            "its tables are not public",
        )


def _example(
    name: str, shows: str, instance: str, n: int, optimum: int, **options: str
) -> Shown:
    """One number of an example: the optimum for k = 2."""
    method = "matching_mip" if options else "pattern_ilp"
    return Shown(
        name,
        shows,
        instance,
        n,
        "k",
        (2,),
        {"optimum": method},
        {"optimum": (optimum,)},
        options,
    )


SHOWN = (
    _example(
        f"{_CHAKARAVARTHY}: Figure 1",
        "an example and its optimal release",
        "chakaravarthy-figure-1",
        4,
        optimum=4,
    ),
    _example(
        f"{_MURAKAMI}: Table 5", "the example, groups", "murakami-uno", 7, optimum=15
    ),
    _example(
        f"{_MURAKAMI}: Table 6",
        "the example, without groups",
        "murakami-uno",
        7,
        optimum=12,
        recoding="nonhomogeneous",
    ),
    _losses(
        8,
        "census, 100,000 rows",
        "census:n={n},sensitive=none",
        100_000,
        (0.14, 0.16, 0.18, 0.19, 0.21, 0.22, 0.22, 0.23),
        (0.12, 0.14, 0.16, 0.17, 0.18, 0.19, 0.20, 0.21),
    ),
    _losses(
        9,
        "census, 200,000 rows",
        "census:n={n},sensitive=none",
        200_000,
        (0.12, 0.14, 0.15, 0.17, 0.18, 0.19, 0.20, 0.21),
        (0.10, 0.12, 0.14, 0.15, 0.16, 0.17, 0.18, 0.19),
    ),
    _losses(
        10,
        "census, 300,000 rows",
        "census:n={n},sensitive=none",
        300_000,
        (0.10, 0.12, 0.14, 0.15, 0.16, 0.17, 0.18, 0.19),
        (0.09, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17),
    ),
    _losses(
        11,
        "census, 400,000 rows",
        "census:n={n},sensitive=none",
        400_000,
        (0.10, 0.11, 0.13, 0.14, 0.15, 0.16, 0.17, 0.18),
        (0.08, 0.10, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16),
    ),
    _losses(
        12,
        "census, 500,000 rows",
        "census:n={n},sensitive=none",
        500_000,
        (0.09, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17),
        (0.08, 0.09, 0.10, 0.11, 0.12, 0.13, 0.14, 0.14),
    ),
    _losses(
        13,
        "random, deviation 1.0, 100,000 rows",
        "normal:n={n},d=10,tenths=10",
        100_000,
        (0.31, 0.35, 0.38, 0.40, 0.41, 0.42, 0.43, 0.44),
        (0.21, 0.26, 0.29, 0.31, 0.34, 0.36, 0.38, 0.39),
    ),
    _losses(
        14,
        "random, deviation 1.5, 100,000 rows",
        "normal:n={n},d=10,tenths=15",
        100_000,
        (0.40, 0.44, 0.47, 0.49, 0.50, 0.51, 0.52, 0.52),
        (0.27, 0.33, 0.36, 0.39, 0.41, 0.42, 0.44, 0.46),
    ),
    _losses(
        15,
        "random, deviation 1.0, a million rows",
        "normal:n={n},d=10,tenths=10",
        1_000_000,
        (0.08, 0.11, 0.13, 0.14, 0.16, 0.17, 0.18, 0.19),
        (0.05, 0.07, 0.09, 0.10, 0.11, 0.12, 0.13, 0.14),
    ),
    _losses(
        16,
        "random, deviation 1.5, a million rows",
        "normal:n={n},d=10,tenths=15",
        1_000_000,
        (0.28, 0.31, 0.33, 0.35, 0.36, 0.37, 0.38, 0.38),
        (0.20, 0.24, 0.27, 0.29, 0.31, 0.33, 0.34, 0.36),
    ),
    _losses(
        17,
        "random, deviation 1.0, ten million rows",
        "normal:n={n},d=10,tenths=10",
        10_000_000,
        (0.04, 0.06, 0.07, 0.08, 0.09, 0.10, 0.11, 0.11),
        (0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.08, 0.09),
    ),
    _losses(
        18,
        "random, deviation 1.5, ten million rows",
        "normal:n={n},d=10,tenths=15",
        10_000_000,
        (0.15, 0.18, 0.20, 0.21, 0.22, 0.23, 0.24, 0.25),
        (0.11, 0.14, 0.16, 0.18, 0.19, 0.20, 0.22, 0.23),
    ),
    *_stars(2, "stars by l, d = 4", "l", range(2, 11)),
    *_stars(3, "stars by d, l = 6", "d", range(1, 8)),
)
