"""What the tables and figures of the five papers show, and where that is kept here.

One declaration for each table and figure: rows, columns and parameters are the
paper's, whether or not they are kept. ``reproduction.py`` counts which of them are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from reproduced_cells import BestKnown, Blocks, Cells


@dataclass(frozen=True)
class Item:
    """A table or figure of a paper.

    Attributes
    ----------
    name, shows
        As the paper calls it, and what it shows.
    cells
        What it has to be compared with; none for drawings, examples and pseudo-code.
    smaller
        In which respect the cells kept are not at the paper's parameters: such an item
        is never complete.
    blocks
        Tables of which the cells are complete only if all blocks are measured.
    """

    name: str
    shows: str
    cells: tuple[Cells | BestKnown, ...] = ()
    smaller: str = ""
    blocks: Blocks | None = None

    def lacks(self, home: Path) -> str:
        """Say in which respect the cells are not at the paper's parameters."""
        blocks = self.blocks.lacks(home) if self.blocks else ""
        return "; ".join(filter(None, (self.smaller, blocks)))


def words(*values: object) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


K = words(*range(3, 11))
ROWWISE = "results/nonhomogeneous"


def of_sizes(name: str, *columns: str, data: str = "nonhomogeneous") -> Cells:
    return Cells(ROWWISE, data, (("table", name),), K, columns, ("k",))


def losses(number: int, name: str, shows: str) -> Item:
    """Tables 8 to 18: GCP and seconds of both methods, and the gap between them."""
    columns = ("ring", "ring s", "two_phase", "two_phase s", "Gap %")
    cells = (of_sizes(name, *columns),)
    return Item(f"Table {number}", shows, cells, blocks=blocks(name))


def blocks(*names: str, orders: tuple[str, ...] = ("sorted",)) -> Blocks:
    return Blocks("nonhomogeneous_blocks", names, orders)


def sorting(number: int, shows: str, *names: str) -> Item:
    column, data = "Gap_sort %", "nonhomogeneous_sort"
    cells = tuple(of_sizes(name, column, data=data) for name in names)
    both = blocks(*names, orders=("sorted", "unsorted"))
    return Item(f"Table {number}", shows, cells, blocks=both)


def lower_bounds(number: int, shows: str, *names: str) -> Item:
    cells = tuple(of_sizes(name, "LB_Gap by own_star_set") for name in names)
    return Item(f"Figure {number}", shows, cells, blocks=blocks(*names))


MURAKAMI_UNO = (
    Item("Tables 1 to 3", "the example, as three tables"),
    *(
        Item(
            f"Table {number}",
            f"the example, {row}",
            (
                Cells(
                    ROWWISE,
                    "nonhomogeneous_example",
                    (),
                    (row,),
                    ("stars",),
                    ("release",),
                ),
            ),
        )
        for number, row in (
            (4, "one recoding for all rows"),
            (5, "groups"),
            (6, "without groups"),
        )
    ),
    Item("Table 7", "the columns of its census tables"),
    *(
        losses(8 + i, f"census-{i + 1}00k", f"census, {i + 1}00,000 rows")
        for i in range(5)
    ),
    losses(13, "normal10-100k", "random, deviation 1.0, 100,000 rows"),
    losses(14, "normal15-100k", "random, deviation 1.5, 100,000 rows"),
    losses(15, "normal10-1m", "random, deviation 1.0, a million rows"),
    losses(16, "normal15-1m", "random, deviation 1.5, a million rows"),
    losses(17, "normal10-10m", "random, deviation 1.0, ten million rows"),
    losses(18, "normal15-10m", "random, deviation 1.5, ten million rows"),
    sorting(
        19,
        "sorting before cutting, census, 200,000 to 500,000 rows",
        *(f"census-{i}00k" for i in range(2, 6)),
    ),
    sorting(
        20,
        "sorting before cutting, random, a million and ten million rows",
        *(f"normal{d}-{n}" for n in ("1m", "10m") for d in (10, 15)),
    ),
    Item("Figures 1 to 10", "a hierarchy, the graphs and the steps of the method"),
    lower_bounds(
        11, "gap to the lower bound, census", *(f"census-{i}00k" for i in range(1, 6))
    ),
    lower_bounds(
        12,
        "gap to the lower bound, random",
        *(f"normal{d}-{n}" for n in ("100k", "1m", "10m") for d in (10, 15)),
    ),
)

CHAKARAVARTHY = (
    Item(
        "Figure 1",
        "an example and its optimal 2-anonymous release",
        (BestKnown("chakaravarthy-figure-1", 2, 4),),
    ),
    Item("Figure 2", "a drawing: from a vertex cover to 7-anonymity"),
)

L = words(*range(2, 11))
D = words(*range(1, 8))
SUPPRESSION = words(
    *(f"{t}, {m}" for t in ("SAL", "OCC") for m in ("TP", "TP+", "Hilbert"))
)
DIVERGENCE = words("SAL, TP+", "SAL, TDS", "OCC, TP+", "OCC, TDS")


def three_phase(number: int, shows: str, columns: tuple[str, ...]) -> Item:
    rows = DIVERGENCE if number > 6 else SUPPRESSION
    where = (("figure", str(number)),)
    key = ("table", "method")
    page = "results/three_phase"
    cells = Cells(page, "three_phase", where, rows, columns, key, "x")
    return Item(f"Figure {number}", shows, (cells,))


SIZES = words(*range(100_000, 600_001, 100_000))
XIAO_YI_TAO = (
    Item("Tables 1 to 5", "an example and its releases"),
    Item("Table 6", "the columns of its census tables"),
    Item("Figure 1", "a reduction, as an example"),
    three_phase(2, "stars by l, d = 4", L),
    three_phase(3, "stars by d, l = 6", D),
    three_phase(4, "seconds by l, d = 4", L),
    three_phase(5, "seconds by d, l = 6", D),
    three_phase(6, "seconds by rows", SIZES),
    three_phase(7, "divergence by l, d = 4", L),
    three_phase(8, "divergence by d, l = 6", D),
)

DIVERSE = words("hilbert", "idistance", "mondrian_by_places")
ANONYMOUS = (*DIVERSE, "hilbert_fast", "idistance_fast")
CONSTRAINED = words("accuracy_constrained", "ipcsd_1d", "ipcsd_mondrian")
QUERIED = words("hilbert", "idistance", "mondrian", "anatomy")
PERMUTED = words("perm_hilb", "perm_idist", "anatomy")
AXES = {
    "k": words(10, 20, 50, 100),
    "l": words(*range(2, 14)),
    "d": words(*range(2, 8)),
    "n": words(50_000, 100_000, 200_000, 400_000),
    "E": words(0.2, 0.3, 0.4, 0.5, 0.6),
    "correlation": words(0, 0.1, 0.2, 0.3, 0.4, 0.5),
    "level": words(*range(1, 8)),
}


def on_a_line(
    number: int, rows: tuple[str, ...], axes: str, *measures: str, table: str = "census"
) -> Iterator[Cells]:
    """Yield one rectangle for each axis and measure."""
    for axis, measure in product(axes.split(), measures):
        yield Cells(
            "results/hilbert_framework",
            "hilbert_framework",
            (
                ("figure", str(number)),
                ("table", table),
                ("measure", measure),
                ("by", axis),
            ),
            rows,
            AXES[axis],
            ("method",),
            "x",
        )


LOSS = ("GCP", "seconds")
PRIVACY = ("privacy", "seconds")
GHINITA = (
    Item("Figures 1 to 21, Tables I to III", "examples, pseudo-code, parameters"),
    *(
        Item(
            f"Figure {number}",
            shows,
            (
                *on_a_line(number, ANONYMOUS, axis, *LOSS),
                *on_a_line(number, ("top_down",), axis, *LOSS[:1]),
            ),
        )
        for number, shows, axis in (
            (22, "k-anonymity by k", "k"),
            (23, "k-anonymity by n, k = 50", "n"),
            (24, "k-anonymity by d, k = 50", "d"),
        )
    ),
    *(
        Item(
            f"Figure {number}",
            shows,
            tuple(on_a_line(number, DIVERSE, axis, *LOSS, table=table)),
        )
        for number, shows, axis, table in (
            (25, "l-diversity by l", "l", "census"),
            (26, "l-diversity by n, l = 10", "n", "census"),
            (27, "l-diversity by d", "d", "census"),
            (28, "l-diversity by correlation, l = 5", "correlation", "correlated"),
        )
    ),
    *(
        Item(
            f"Figure {number}",
            f"{measure} by l and n",
            tuple(on_a_line(number, DIVERSE, "l n", measure)),
        )
        for number, measure in (
            (29, "weighted maximum NCP"),
            (30, "mean NCP"),
            (31, "weighted mean volume"),
        )
    ),
    *(
        Item(
            f"Figure {number}",
            shows,
            tuple(on_a_line(number, CONSTRAINED, axis, *PRIVACY)),
        )
        for number, shows, axis in (
            (32, "most privacy by E, d = 3", "E"),
            (33, "most privacy by d, E = 0.4", "d"),
            (34, "most privacy by n, d = 3, E = 0.4", "n"),
        )
    ),
    *(
        Item(
            f"Figure {number}",
            f"count queries, {recoding}, by l, level, d and n",
            tuple(on_a_line(number, rows, "l level d n", "KL-divergence")),
        )
        for number, recoding, rows in (
            (35, "generalization", QUERIED),
            (36, "permutation", PERMUTED),
        )
    ),
)


EPS = words("1e-06", "0.0001", 0.01, 0.1)


def samples(
    name: str, shows: str, rows: Iterator[str], columns: tuple[str, ...]
) -> Item:
    """Figures 1 and 2: the text has no numbers for its settings, so they are ours."""
    key = ("values", "rho", "l")
    page, data = "results/linkage", "linkage_samples"
    cells = Cells(page, data, (), tuple(rows), columns, key, "eps")
    return Item(name, shows, (cells,), "values, rho, l and eps are ours")


def settings(values: str, ls: Iterable[int]) -> Iterator[str]:
    return (f"{values}, {rho}, {l}" for rho in (0.01, 0.1) for l in ls)


RAMESHWAR_TANDON = tuple(
    samples(f"Figure {number}{part}", f"samples by {axis}, {values} values", rows, eps)
    for number, values in ((1, "uniform"), (2, "geometric"))
    for part, axis, rows, eps in (
        ("a", "eps", settings(values, (2, 5)), EPS),
        ("b", "l", settings(values, range(2, 11)), EPS[1:3]),
    )
)

PAPERS = {
    "Chakaravarthy, Pandit, Sabharwal 2010": CHAKARAVARTHY,
    "Xiao, Yi, Tao 2010": XIAO_YI_TAO,
    "Ghinita, Karras, Kalnis, Mamoulis 2009": GHINITA,
    "Murakami, Uno 2018": MURAKAMI_UNO,
    "Rameshwar, Tandon 2025": RAMESHWAR_TANDON,
}
