"""Figures of (l, eps)-diversity: samples needed, and how safe they are.

    python benchmarks/papers/attacks/linkage_figures.py --out FOLDER [--write docs/data]

writes, each as CSV, PNG and SVG:

samples_by_eps, samples_by_l
    N = ln(l B / eps) / gamma against eps and against l, for uniform and geometric
    sensitive values: the figures of section 5 of Rameshwar and Tandon, with
    gamma = rho P_S(l).
safety
    The failure rate of linked releases over eps by Monte Carlo, with Clopper-Pearson
    intervals, for N by the paper's bound, by the union bound over the actual classes,
    by negative association, and (one release) exact.

``--write`` keeps samples and rates as ``linkage_samples.csv`` and
``linkage_safety.csv`` in a folder.
"""

import argparse
import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from kept import merge_rows

from starmin.models.linkage.contiguous_classes import JointDistribution
from starmin.models.linkage.plans import (
    Measure,
    bound_on_classes,
    bound_on_samples,
    plan,
)
from starmin.verify.linkage import simulate

Row = dict[str, Any]
EPSILONS = tuple(float(eps) for eps in np.geomspace(1e-6, 0.1, 21))
SHOWN = ("1e-06", "0.0001", "0.01", "0.1")  # eps of the samples that are kept
SAFETY_EPS = 0.1
SAFETY_MEASURES: tuple[Measure, ...] = ("paper", "union", "association", "exact")


def marginals(values: int, ratio: float) -> dict[str, np.ndarray]:
    """The two distributions of the sensitive attribute."""
    return {
        "uniform": JointDistribution.uniform(1, values).sorted_marginal,
        "geometric": JointDistribution.geometric(1, values, ratio).sorted_marginal,
    }


def samples(marginal: np.ndarray, l: int, eps: float, rho: float) -> int:
    """The paper's sample size for gamma = rho P_S(l)."""
    gamma = rho * float(marginal[l - 1])
    classes = bound_on_classes(marginal, l, gamma)
    return bound_on_samples(l, classes, eps, gamma, "paper")


def samples_by_eps(values: int, ratio: float) -> list[Row]:
    """Figures 1a and 2a."""
    return [
        {"marginal": name, "rho": rho, "l": l, "eps": eps, "samples": n}
        for name, marginal in marginals(values, ratio).items()
        for rho in (0.01, 0.1)
        for l in (2, 5)
        for eps in EPSILONS
        for n in [samples(marginal, l, eps, rho)]
    ]


def samples_by_l(values: int, ratio: float) -> list[Row]:
    """Figures 1b and 2b."""
    return [
        {"marginal": name, "rho": rho, "eps": eps, "l": l, "samples": n}
        for name, marginal in marginals(values, ratio).items()
        for rho in (0.01, 0.1)
        for eps in (0.01, 0.0001)
        for l in range(2, min(10, values) + 1)
        for n in [samples(marginal, l, eps, rho)]
    ]


def safety(runs: int, seed: int) -> list[Row]:
    """The failure rate of the linked releases, for each sample size."""
    rows: list[Row] = []
    for name, ratio in (("uniform", 1.0), ("geometric", 0.7)):
        joint = JointDistribution.geometric(12, 8, ratio)
        for l in range(2, 7):
            gamma = 0.3 * float(joint.sorted_marginal[l - 1])
            for releases in range(1, 5):
                made = plan(joint, l, SAFETY_EPS, gamma, releases=releases)
                for measure in SAFETY_MEASURES:
                    n = made.samples(measure)
                    if n is None:
                        continue
                    found = simulate(made.masses, l, n, releases, runs=runs, seed=seed)
                    rows.append(
                        {
                            "marginal": name,
                            "measure": measure,
                            "releases": releases,
                            "l": l,
                            "samples": n,
                            "eps": SAFETY_EPS,
                            "rate": found.rate,
                            "low": found.low,
                            "high": found.high,
                        }
                    )
    return rows


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """One line for each row."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def draw_samples(rows: Sequence[Row], x: str, by: tuple[str, str], path: Path) -> None:
    """Samples against eps or l, one panel for each marginal."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for panel, name in zip(panels, ("uniform", "geometric"), strict=True):
        chosen = [row for row in rows if row["marginal"] == name]
        for key in sorted({tuple(row[c] for c in by) for row in chosen}):
            line = [row for row in chosen if tuple(row[c] for c in by) == key]
            label = ", ".join(f"{c} = {v:g}" for c, v in zip(by, key, strict=True))
            panel.plot(
                [r[x] for r in line], [r["samples"] for r in line], ".-", label=label
            )
        panel.set(title=f"{name} sensitive values", xlabel=x, ylabel="samples N")
        panel.set_yscale("log")
        if x == "eps":
            panel.set_xscale("log")
        panel.grid(alpha=0.3)
        panel.legend(fontsize="small")
    save(figure, path)


def draw_safety(rows: Sequence[Row], path: Path) -> None:
    """Failure rate over eps against l; one panel for each marginal and measure."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(
        2, 4, figsize=(14, 6.5), sharex=True, sharey=True, layout="constrained"
    )
    for i, name in enumerate(("uniform", "geometric")):
        for j, measure in enumerate(SAFETY_MEASURES):
            panel = panels[i, j]
            for releases in range(1, 5):
                line = [
                    row
                    for row in rows
                    if (row["marginal"], row["measure"], row["releases"])
                    == (name, measure, releases)
                ]
                if not line:
                    continue  # exact is for one release
                rate = np.array([row["rate"] for row in line]) / SAFETY_EPS
                low = np.array([row["low"] for row in line]) / SAFETY_EPS
                high = np.array([row["high"] for row in line]) / SAFETY_EPS
                panel.errorbar(
                    [row["l"] + 0.08 * (releases - 2.5) for row in line],
                    rate,
                    [rate - low, high - rate],
                    fmt=".-",
                    capsize=2,
                    label=f"{releases} linked",
                )
            panel.axhline(1, color="black", lw=0.8)
            panel.set(title=f"{name}, N {measure}", xlabel="l")
            panel.grid(alpha=0.3)
        panels[i, 0].set_ylabel("failure rate / eps")
    panels[0, 0].legend(fontsize="small")
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    """As PNG and SVG, equal bytes for equal figures."""
    import matplotlib as mpl

    mpl.rcParams["svg.hashsalt"] = "starmin"
    figure.savefig(path.with_suffix(".png"), dpi=150)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    figure.savefig(path.with_suffix(".pdf"), metadata={"CreationDate": None})


def kept_samples(values: int, ratio: float) -> list[dict[str, str]]:
    """Samples by values, rho, l and eps, as the page of results has them."""
    return [
        {
            "values": name,
            "rho": f"{rho:g}",
            "l": str(l),
            "eps": eps,
            "samples": str(samples(marginal, l, float(eps), rho)),
        }
        for name, marginal in marginals(values, ratio).items()
        for rho in (0.01, 0.1)
        for l in range(2, min(10, values) + 1)
        for eps in SHOWN
    ]


def kept_safety(rows: Sequence[Row]) -> list[dict[str, str]]:
    """Rates over eps, from the least to the most over values and l."""
    kept = []
    for measure in SAFETY_MEASURES:
        line = {"N by": str(measure)}
        for c in range(1, 5):
            asked = (measure, c)
            some = [r for r in rows if (r["measure"], r["releases"]) == asked]
            rates = sorted(row["rate"] / row["eps"] for row in some)
            ends = dict.fromkeys(f"{rate:.2g}" for rate in (rates[:1] + rates[-1:]))
            line[f"c = {c}"] = " to ".join(ends) or "-"
        kept.append(line)
    return kept


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the figures."""
    parser = argparse.ArgumentParser(description="Figures of (l, eps)-diversity.")
    parser.add_argument("--out", type=Path, required=True, help="folder")
    parser.add_argument("--values", type=int, default=20, help="sensitive values")
    parser.add_argument("--ratio", type=float, default=0.8, help="of the geometric")
    parser.add_argument("--runs", type=int, default=20_000, help="of the Monte Carlo")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--csv-only", action="store_true", help="no figures")
    parser.add_argument("--write", type=Path, help="a folder for two CSV files")
    asked = parser.parse_args(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    by_eps = samples_by_eps(asked.values, asked.ratio)
    by_l = samples_by_l(asked.values, asked.ratio)
    safe = safety(asked.runs, asked.seed)
    drawn: list[tuple[str, list[Row], Callable[[Path], None]]] = [
        (
            "samples_by_eps",
            by_eps,
            lambda p: draw_samples(by_eps, "eps", ("rho", "l"), p),
        ),
        ("samples_by_l", by_l, lambda p: draw_samples(by_l, "l", ("rho", "eps"), p)),
        ("safety", safe, lambda p: draw_safety(safe, p)),
    ]
    for name, rows, draw in drawn:
        write_csv(rows, asked.out / f"{name}.csv")
        if not asked.csv_only:
            draw(asked.out / name)
        print(asked.out / name)
    if asked.write:
        key = ("values", "rho", "l", "eps")
        kept = kept_samples(asked.values, asked.ratio)
        merge_rows(asked.write / "linkage_samples.csv", kept, key)
        merge_rows(asked.write / "linkage_safety.csv", kept_safety(safe), ("N by",))


if __name__ == "__main__":
    main()
