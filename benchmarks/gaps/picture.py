"""The picture of the README: value and bound of one run, as they come together.

    python benchmarks/gaps/picture.py TABLE --out docs/value_and_bound.svg -- --k 5

runs ``starmin solve`` on a table with the options after ``--`` and draws what it prints
while it searches; the numbers are kept beside the picture, as CSV.
"""

import argparse
import csv
import subprocess
import sys
from pathlib import Path

from matplotlib import pyplot as plt

Point = tuple[float, int | None, int | None]


def measure(table: str, options: list[str]) -> list[Point]:
    """Seconds, value and bound, each time that one of them improved."""
    line = [sys.executable, "-m", "starmin", "solve", table, *options]
    said = subprocess.run(line, capture_output=True, text=True, check=True).stderr
    points = []
    for words in map(str.split, said.splitlines()):
        if len(words) == 4 and words[0].endswith("s") and words[0][:1].isdigit():
            numbers = [word.replace(",", "") for word in words[1:3]]
            value, bound = (int(x) if x.isdecimal() else None for x in numbers)
            points.append((float(words[0][:-1].replace(",", "")), value, bound))
    return points


def draw(points: list[Point], title: str, path: Path) -> None:
    """Two steps that approach each other, what lies between them shaded."""
    plt.rcParams["svg.hashsalt"] = "starmin"
    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    seconds = [max(point[0], 0.1) for point in points]
    values = [float("nan") if v is None else v for _, v, _ in points]
    bounds = [float("nan") if b is None else b for _, _, b in points]
    axes.fill_between(seconds, bounds, values, step="post", color="#dddddd", lw=0)
    axes.step(seconds, values, where="post", color="#b03a2e", label="stars published")
    axes.step(seconds, bounds, where="post", color="#1f618d", label="no release below")
    last = values[-1]
    gap = (last - bounds[-1]) / bounds[-1]
    said = f"{last:,.0f} stars, proven within {gap:.2%}"
    axes.annotate(
        said,
        (seconds[-1], bounds[-1]),
        (0, -18),
        textcoords="offset points",
        ha="right",
    )
    axes.set(xscale="log", xlabel="seconds", ylabel="stars", title=title)
    axes.legend(loc="upper right", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", help="a file, or instance:NAME")
    parser.add_argument("--out", type=Path, required=True, help="an SVG file")
    parser.add_argument("--title", default="", help="above the picture")
    parser.add_argument("--again", action="store_true", help="draw the kept numbers")
    parser.epilog = "After --: options of starmin solve."
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    asked, options = parser.parse_args(sys.argv[1:at]), sys.argv[at + 1 :]
    kept = asked.out.with_suffix(".csv")
    if not asked.again:
        with kept.open("w", newline="") as file:
            csv.writer(file).writerows(measure(asked.table, options))
    with kept.open(newline="") as file:
        rows = list(csv.reader(file))
    points = [
        (float(t), int(v) if v else None, int(b) if b else None) for t, v, b in rows
    ]
    draw(points, asked.title, asked.out)


if __name__ == "__main__":
    main()
