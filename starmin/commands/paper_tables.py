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


def _losses(number: int, rows: int, tenths: int | None, *paper: str) -> Shown:
    """Tables 8 to 18 of Murakami and Uno: rings, and two phases, in hundredths.

    Of the census; or of normal numbers, ``tenths`` being ten times their deviation.
    """
    methods = {"Wong's": "ring", "Two-phase": "two_phase"}
    many = {10**6: "a million", 10**7: "ten million"}.get(rows, f"{rows:,}")
    shows, instance = "census", "census:n={n},sensitive=none"
    if tenths is not None:
        shows = f"random, deviation {tenths / 10}"
        instance = f"normal:n={{n}},d=10,tenths={tenths}"
    shares = [tuple(int(each) / 100 for each in told.split()) for told in paper]
    return Shown(
        f"{_MURAKAMI}: Table {number}",
        f"{shows}, {many} rows",
        instance,
        rows,
        "k",
        tuple(range(3, 11)),
        methods,
        dict(zip(methods, shares, strict=True)),
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
    _losses(8, 100_000, None, "14 16 18 19 21 22 22 23", "12 14 16 17 18 19 20 21"),
    _losses(9, 200_000, None, "12 14 15 17 18 19 20 21", "10 12 14 15 16 17 18 19"),
    _losses(10, 300_000, None, "10 12 14 15 16 17 18 19", "9 11 12 13 14 15 16 17"),
    _losses(11, 400_000, None, "10 11 13 14 15 16 17 18", "8 10 11 12 13 14 15 16"),
    _losses(12, 500_000, None, "9 11 12 13 14 15 16 17", "8 9 10 11 12 13 14 14"),
    _losses(13, 100_000, 10, "31 35 38 40 41 42 43 44", "21 26 29 31 34 36 38 39"),
    _losses(14, 100_000, 15, "40 44 47 49 50 51 52 52", "27 33 36 39 41 42 44 46"),
    _losses(15, 1_000_000, 10, "8 11 13 14 16 17 18 19", "5 7 9 10 11 12 13 14"),
    _losses(16, 1_000_000, 15, "28 31 33 35 36 37 38 38", "20 24 27 29 31 33 34 36"),
    _losses(17, 10_000_000, 10, "4 6 7 8 9 10 11 11", "3 4 5 6 7 8 8 9"),
    _losses(18, 10_000_000, 15, "15 18 20 21 22 23 24 25", "11 14 16 18 19 20 22 23"),
    *_stars(2, "stars by l, d = 4", "l", range(2, 11)),
    *_stars(3, "stars by d, l = 6", "d", range(1, 8)),
)
