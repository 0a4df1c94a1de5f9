"""Every experiment, one after the other; it goes on where it was stopped.

    python benchmarks/all.py [DATA] --out FOLDER [--only NAME] [--quick]
    python benchmarks/all.py --list

What an experiment prints is in FOLDER/NAME.log, what it writes in FOLDER/NAME; one that
ended well leaves FOLDER/NAME.done and is not repeated. ``--quick`` runs small versions,
in minutes, with their own FOLDER/quick. The rows of pages under docs are kept with
``--pages`` only; ``docs/site/results_pages.py`` then remakes these pages. DATA is the
folder of the real tables; experiments that need a file that is not there are passed
over, with a line that says so. Tables of papers that need none, in minutes and beside
the papers' numbers: `starmin reproduce --list`.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Experiment:
    """A script and how to call it.

    Attributes
    ----------
    name, script
        What it is called in FOLDER; the file below this folder.
    minutes
        About, on one core.
    arguments
        ``{data}`` and ``{all}`` are replaced by the folders, ``{out}`` by that of the
        experiment.
    quick
        Those of a small version; None: there is none, it is passed over.
    needs
        Files of the data folder.
    page
        What ``--write`` makes: rows that are kept, or a page.
    """

    name: str
    script: str
    minutes: int
    arguments: str = ""
    quick: str | None = None
    needs: tuple[str, ...] = ()
    page: str | None = None

    def command(
        self, data: Path | None, out: Path, quick: bool, pages: bool
    ) -> list[str]:
        """The command line."""
        words = (self.quick or "") if quick else self.arguments
        line = [sys.executable, str(HERE / f"{self.script}.py")]
        paths = {"data": data or "", "all": out, "out": out / self.name}
        line += [word.format(**paths) for word in words.split()]
        if pages and self.page:
            line += ["--write", str(HERE.parent / self.page)]
        return line


EIGHT = "sex,age,race,marital-status,education,native-country,workclass,occupation"
ADULT, KDD = "adult.csv", "census_kdd_9.csv.gz"
ARMY, ACS = "military.csv.gz", "nist_acs_national2019.csv"
EXPERIMENTS = (
    Experiment(
        "best_known",
        "gaps/best_known",
        30,
        "--seconds 60",
        "--seconds 1 --only hospital",
    ),
    Experiment(
        "corpus_survey", "corpus/survey", 90, "--out {out}", "--out {out} --part 0/400"
    ),
    Experiment(
        "corpus_ranges",
        "corpus/run",
        60,
        "--out {all}/corpus --kind ranges --count 100 "
        "--methods auto,ruin_and_recreate,local_recoding,column_generation",
        "--out {all}/corpus --kind ranges --count 3 --limits 2",
    ),
    Experiment(
        "corpus_diverse",
        "corpus/run",
        30,
        "--out {all}/corpus --kind diverse --count 100 --methods auto,local_search",
        "--out {all}/corpus --kind diverse --count 3 --limits 2",
    ),
    Experiment(
        "corpus_grid",
        "corpus/grid",
        180,
        "--out {all}/grid --seed 7 --seconds 5",
        "--out {all}/grid --seed 7 --seconds 1 --count 3",
    ),
    Experiment(
        "corpus_ablation",
        "corpus/ablation",
        120,
        "--out {all}/ablation --seed 7",
        "--out {all}/ablation --seed 7 --shapes 1 --tables 0 --seconds 1",
    ),
    Experiment(
        "corpus_small_diverse",
        "corpus/small_diverse",
        10,
        "--seed h53 --l 2",
        "--seed h53 --l 2 --count 1 --limit 2",
    ),
    Experiment(
        "corpus_box_neighbourhoods",
        "corpus/box_neighbourhoods",
        5,
        "--seconds 8",
        "--seconds 1 --names ranges/90612/10",
        page="docs/data/box_neighbourhoods.csv",
    ),
    Experiment(
        "corpus_box_overlaps",
        "corpus/box_overlaps",
        2,
        "--seconds 12",
        "--seconds 2 --only Adler",
        page="docs/data/box_overlaps.csv",
    ),
    Experiment(
        "box_cuts",
        "gaps/box_cuts",
        2,
        "{data}/adult.csv",
        "{data}/adult.csv --k 5",
        needs=(ADULT,),
        page="docs/data/box_cuts.csv",
    ),
    Experiment(
        "corpus_stars",
        "corpus/run",
        30,
        "--out {all}/corpus --kind stars --count 100 --methods auto,local_search",
        "--out {all}/corpus --kind stars --count 3 --limits 2",
    ),
    Experiment(
        "corpus", "corpus/page", 1, "{all}/corpus", "{all}/corpus", page="docs/data"
    ),
    Experiment(
        "reductions", "papers/optimum/reductions", 1, quick="", page="docs/data"
    ),
    Experiment(
        "ac_gap",
        "papers/one_dimensional/accuracy_constrained_gap",
        1,
        quick="--tables 20",
    ),
    Experiment(
        "flow_tree", "gaps/matching_flow_tree", 10, quick="--tables 3 --seconds 5"
    ),
    Experiment(
        "largest_matchings",
        "gaps/largest_matchings",
        30,
        "--store {out}.csv",
        "--store {out}.csv --seconds 1 --seeds 1",
        page="docs/data/matchings_proven.csv",
    ),
    Experiment(
        "orders",
        "papers/one_dimensional/one_dimensional_orders",
        2,
        quick="--tables 3 --rows 7",
        page="docs/data/one_dimensional_orders.csv",
    ),
    Experiment(
        "line_speed",
        "papers/one_dimensional/one_dimensional_speed",
        3,
        "",
        "--rows 0.5",
        page="docs/data",
    ),
    Experiment(
        "matching_settings",
        "papers/nonhomogeneous/matching_settings",
        1,
        quick="",
        page="docs/data",
    ),
    Experiment(
        "combinations",
        "gaps/combinations",
        8,
        "{data}",
        "{data} --seconds 2 --only shown",
        (ADULT,),
        page="docs/data/combinations.csv",
    ),
    Experiment("k_map", "gaps/k_map", 1, "", "--rows 2000", page="docs/data/k_map.csv"),
    Experiment(
        "combinations_in_batches",
        "gaps/combinations_in_batches",
        5,
        "",
        "--rows 20000 --seconds 5",
        page="docs/data/combinations_in_batches.csv",
    ),
    Experiment(
        "nonhomogeneous_losses",
        "papers/nonhomogeneous/nonhomogeneous_losses",
        20,
        "--store {out}.csv",
        "--store {out}.csv --rows 3000 --k 3 --bound-seconds 20",
    ),
    Experiment(
        "accuracy_constrained_gap",
        "papers/one_dimensional/accuracy_constrained_gap",
        5,
        quick="--tables 20",
    ),
    Experiment(
        "matching_flow_tree",
        "gaps/matching_flow_tree",
        60,
        quick="--tables 2 --seconds 5",
    ),
    Experiment(
        "facility_location",
        "papers/optimum/facility_location",
        3,
        quick="--tables 1",
        page="docs/data/facility_location.csv",
    ),
    Experiment(
        "single_dimensional",
        "papers/optimum/single_dimensional",
        1,
        "{data}",
        "{data}",
        (ADULT,),
        page="docs/data/single_dimensional.csv",
    ),
    Experiment(
        "three_phase_utility",
        "papers/three_phase/three_phase_utility",
        60,
        "--out {out}",
        page="docs/data/three_phase.csv",
    ),
    Experiment(
        "linkage_speed",
        "papers/attacks/linkage_speed",
        1,
        "",
        "--rows 5000",
        page="docs/data/linkage_speed.csv",
    ),
    Experiment(
        "linkage_figures",
        "papers/attacks/linkage_figures",
        5,
        "--out {out}",
        "--out {out} --runs 200 --csv-only",
        page="docs/data",
    ),
    Experiment(
        "linkage_adult",
        "papers/attacks/linkage_adult",
        5,
        "{data}/adult.csv --out {out}",
        "{data}/adult.csv --out {out} --time-limit 5",
        needs=(ADULT,),
        page="docs/data/linkage_adult.csv",
    ),
    Experiment(
        "definetti",
        "papers/attacks/definetti",
        1,
        "{data}",
        "{data} --rows 3000",
        needs=(ADULT,),
    ),
    Experiment(
        "audit",
        "papers/attacks/audit",
        40,
        "{data} --out {out}",
        "{data} --out {out} --rows 2000 --seconds 3",
        needs=(ADULT, "releases/arx_adult_k5.csv.gz"),
        page="docs/data/attacks.csv",
    ),
    Experiment(
        "audit_defences",
        "papers/attacks/audit_defences",
        45,
        "{data} --out {out}",
        "{data} --out {out} --rows 1500 --seconds 3 --audit 3",
        needs=(ADULT, KDD),
        page="docs/data",
    ),
    Experiment(
        "three_phase_speed",
        "papers/three_phase/three_phase_speed",
        2,
        "",
        "--most 1",
        page="docs/data/three_phase_speed.csv",
    ),
    Experiment(
        "three_phase",
        "papers/three_phase/three_phase_paper",
        15,
        "--out {out}",
        "--out {out} --rows 2000",
        page="docs/data/three_phase.csv",
    ),
    Experiment(
        "hilbert_framework",
        "papers/one_dimensional/hilbert_framework",
        30,
        "{data} --out {out}",
        "{data} --out {out} --rows 1000 --most 10000",
        page="docs/data/hilbert_framework.csv",
    ),
    Experiment(
        "exact",
        "gaps/exact",
        25,
        "{data} --store {out}.jsonl --long",
        "{data} --store {out}.jsonl --only 2|30",
        needs=(ADULT,),
        page="docs/data/exact.csv",
    ),
    Experiment(
        "proof_trees",
        "gaps/proof_trees",
        12,
        "{data}",
        "{data} --only cover",
        needs=(ADULT,),
        page="docs/data/proof_trees.csv",
    ),
    Experiment(
        "nonhomogeneous",
        "papers/nonhomogeneous/nonhomogeneous",
        600,
        "--out {out}",
        "--out {out} --tables census-20k --k 3 --bound-seconds 5",
        page="docs/data/nonhomogeneous.csv",
    ),
    Experiment(
        "nonhomogeneous_groups",
        "papers/nonhomogeneous/nonhomogeneous",
        5,
        "--out {out} --tables census-20k,normal10-20k --k 3,10 "
        "--methods ring,ring_suppression,two_phase,rematching,own_star_set",
        "--out {out} --tables census-20k --k 3 --methods ring,ring_suppression",
        page="docs/data/nonhomogeneous_rings.csv",
    ),
    Experiment(
        "nonhomogeneous_census",
        "papers/nonhomogeneous/nonhomogeneous",
        90,
        "--out {out} --methods ring,two_phase,own_star_set --workers 1 "
        "--tables census-200k,census-300k,census-400k,census-500k",
        page="docs/data/nonhomogeneous.csv",
    ),
    Experiment(
        "nonhomogeneous_by_k",
        "papers/nonhomogeneous/nonhomogeneous_by_k",
        90,
        "--out {out} --tables census-100k,census-200k,census-300k,census-400k,"
        "census-500k,normal10-100k,normal15-100k,normal10-1m,normal15-1m "
        "--methods ring,two_phase,own_star_set",
        "--out {out} --tables census-20k --k 3",
        page="docs/data",
    ),
    Experiment(
        "nonhomogeneous_ten_million",
        "papers/nonhomogeneous/nonhomogeneous_by_k",
        20,
        "--out {all}/nonhomogeneous_by_k --tables normal10-10m --most 10 "
        "--methods ring,two_phase,own_star_set",
        page="docs/data",
    ),
    Experiment(
        "nonhomogeneous_ten_million_wider",
        "papers/nonhomogeneous/nonhomogeneous_by_k",
        10,
        "--out {all}/nonhomogeneous_by_k --tables normal15-10m --most 2 "
        "--methods ring,two_phase,own_star_set",
        page="docs/data",
    ),
    Experiment(
        "nonhomogeneous_unsorted",
        "papers/nonhomogeneous/nonhomogeneous_by_k",
        15,
        "--out {all}/nonhomogeneous_by_k --unsorted --methods two_phase "
        "--tables census-200k,census-300k,census-400k,census-500k",
        page="docs/data",
    ),
    Experiment(
        "nonhomogeneous_unsorted_samples",
        "papers/nonhomogeneous/nonhomogeneous_by_k",
        5,
        "--out {all}/nonhomogeneous_by_k --unsorted --methods two_phase --most 1 "
        "--tables normal10-1m,normal15-1m,normal10-10m,normal15-10m",
        page="docs/data",
    ),
    Experiment(
        "nonhomogeneous_to_the_end",
        "papers/nonhomogeneous/nonhomogeneous_by_k",
        20,
        "--out {all}/nonhomogeneous_by_k --tables census-100k --k 3,6,10 "
        "--methods first_phase,two_phase_to_the_end",
        page="docs/data",
    ),
    Experiment(
        "gaps",
        "gaps/gaps",
        800,
        "{data} --store {out}.jsonl",
        "{data} --store {out}.jsonl --seeds 2 --most 4",
        needs=(ADULT, KDD, ARMY, ACS),
        page="docs/data/gaps.csv",
    ),
    Experiment(
        "open_rule",
        "gaps/open_rule",
        3,
        "{data}/adult.csv --drop salary-class --k 5",
        "{data}/adult.csv --drop salary-class --k 5 --seconds 5",
        needs=(ADULT,),
    ),
    Experiment(
        "measured_table",
        "gaps/measured_table",
        1,
        "{all}/exact.jsonl {all}/gaps.jsonl",
        "{all}/exact.jsonl {all}/gaps.jsonl",
        page="docs/data/measured.csv",
    ),
    Experiment(
        "generalization",
        "gaps/generalization",
        240,
        "{data} --store {out}.jsonl",
        "{data} --store {out}.jsonl --only 25|10",
        needs=(ADULT, KDD, ACS),
        page="docs/data/generalization.csv",
    ),
    Experiment(
        "any_time",
        "speed/any_time",
        17,
        "{data} --store {out}.json",
        "{data} --case k=5 --limit 8 --at 2,4",
        needs=(ADULT, KDD),
        page="docs/data/any_time.csv",
    ),
    Experiment(
        "first_second",
        "speed/first_second",
        1,
        quick="--times 1",
        page="docs/data/first_second.csv",
    ),
    Experiment(
        "pattern_walks",
        "speed/pattern_walks",
        2,
        "{data}/adult.csv",
        "{data}/adult.csv --runs 1",
        needs=(ADULT,),
        page="docs/data/pattern_walks.csv",
    ),
    Experiment(
        "cores",
        "speed/cores",
        6,
        f"--table {{data}}/adult.csv --qi {EIGHT} --csv {{out}}.csv",
        "--tables small --threads 1,2 --seconds 3",
        needs=(ADULT,),
    ),
    Experiment(
        "fresh_copy",
        "speed/fresh_copy",
        20,
        "{data}/adult.csv",
        needs=(ADULT,),
        page="docs/data/fresh_copy.csv",
    ),
    Experiment(
        "limits",
        "speed/limits",
        20,
        f"{{data}}/adult.csv --qi {EIGHT} --out {{out}}.csv",
        "{data}/adult.csv --qi sex,race,workclass --limits 1 --method mondrian",
        needs=(ADULT,),
        page="docs/data/limits.csv",
    ),
    Experiment(
        "limits_diversity",
        "speed/limits",
        15,
        f"{{data}}/adult.csv --qi {EIGHT.removesuffix(',occupation')} --k 0 --l 4"
        " --sensitive occupation --out {out}.csv",
        "{data}/adult.csv --qi sex,race,workclass --limits 1 --method mondrian"
        " --k 0 --l 2 --sensitive occupation",
        needs=(ADULT,),
    ),
    Experiment(
        "scale",
        "speed/scale",
        60,
        "--out {out}",
        "--out {out} --rows 0.1",
        page="docs/data/scale.csv",
    ),
    Experiment(
        "cluster",
        "speed/cluster",
        12,
        "--out {out}",
        "--out {out} --rows 0.1",
        page="docs/data/cluster.csv",
    ),
    Experiment(
        "frontier",
        "gaps/frontier",
        8,
        "{data} --one --out {out}.csv",
        "{data} --seconds 10",
        needs=(ADULT,),
    ),
    Experiment(
        "where_the_gap_is",
        "gaps/where_the_gap_is",
        90,
        "{data} --exact 40 --store {out}.jsonl",
        "{data} --only adult|1000|8|k2| --seconds 2 --exact 5",
        needs=(ADULT, KDD, ACS),
        page="docs/data/samples.csv",
    ),
    Experiment(
        "where_the_gap_is_losses",
        "gaps/where_the_gap_is",
        15,
        "{data} --recoding generalization --exact 25 --store {out}.jsonl",
        "{data} --recoding generalization --only 250|8|k2| --seconds 2 --exact 5",
        needs=(ADULT, "hierarchies"),
        page="docs/data/samples_losses.csv",
    ),
    Experiment(
        "steward",
        "steward/steward",
        4,
        "{data} --out {out}",
        "{data} --out {out} --rows 2000 --seconds 10",
        needs=(ACS,),
    ),
    Experiment(
        "quality",
        "quality/quality",
        300,
        "{data} --out {out}",
        "{data} --out {out} --only adult5 --methods mondrian --bound-limit 5",
        needs=(ADULT, KDD),
        page="docs/data",
    ),
    Experiment(
        "reproduction", "papers/reproduction", 1, quick="", page="docs/reproduction.md"
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "data", type=Path, nargs="?", help="the folder of the real tables"
    )
    parser.add_argument("--out", type=Path, help="folder of what they write")
    parser.add_argument("--only", default="", help="names, with commas")
    parser.add_argument("--quick", action="store_true", help="small versions")
    parser.add_argument("--pages", action="store_true", help="remake pages of docs")
    parser.add_argument("--list", action="store_true", help="show them, run none")
    asked = parser.parse_args()
    names = [each.name for each in EXPERIMENTS]
    only = [name for name in asked.only.split(",") if name]
    if unknown := [name for name in only if name not in names]:
        parser.error(f"no experiment {unknown[0]!r}; these are: {', '.join(names)}")
    chosen = [each for each in EXPERIMENTS if not only or each.name in only]
    if asked.list:
        for each in chosen:
            print(f"{each.name:24}{each.minutes:5} minutes")
        return
    if asked.out is None:
        parser.error("name --out, the folder of what they write (--list needs none)")
    if asked.quick:  # what is small there is not done here
        asked.out /= "quick"
    asked.out.mkdir(parents=True, exist_ok=True)
    sys.exit(1 if run_all(chosen, asked) else 0)


def run_all(chosen: Sequence[Experiment], asked: argparse.Namespace) -> int:
    """Run what is not done; how many failed."""
    failed = 0
    for each in chosen:
        done = asked.out / f"{each.name}.done"
        missing = [
            file
            for file in each.needs
            if asked.data and not (asked.data / file).exists()
        ]
        if asked.data is None and each.needs and not done.exists():
            print(f"{each.name:24} passed over: it needs DATA, for {each.needs[0]}")
        elif done.exists():
            print(f"{each.name:24} done before")
        elif missing:
            print(f"{each.name:24} passed over: no {asked.data / missing[0]}")
        elif asked.quick and each.quick is None:
            print(f"{each.name:24} passed over: it has no small version")
        else:
            failed += not run(each, asked, done)
    return failed


def run(each: Experiment, asked: argparse.Namespace, done: Path) -> bool:
    """Run one; whether it ended well."""
    print(f"{each.name:24} ", end="", flush=True)
    started = time.perf_counter()
    line = each.command(asked.data, asked.out, asked.quick, asked.pages)
    log = asked.out / f"{each.name}.log"
    with log.open("ab") as file:
        code = subprocess.run(line, stdout=file, stderr=subprocess.STDOUT).returncode
    print(f"{time.perf_counter() - started:.0f} s", end="")
    print("" if code == 0 else f", failed ({code}); see {log}")
    if code == 0:
        done.write_text(" ".join(line) + "\n")
    return code == 0


if __name__ == "__main__":
    main()
