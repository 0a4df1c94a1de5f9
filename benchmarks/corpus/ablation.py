"""What each part of ``auto`` is worth: runs without it, beside runs with all.

    python benchmarks/corpus/ablation.py --out FOLDER --seed 7 [--shapes 24]
        [--tables 6] [--wide 0] [--large FOLDER] [--seconds 6] [--long 15]
        [--parts NAME,NAME+NAME | --together] [--write docs/data]

Problems are shapes, and tables of the corpus of every kind; shapes with 14 columns or
more, and large tables, have a longer limit. Each is solved once by all parts; then once
without each part that had work there, in a process of its own. Names that ``+`` joins,
as the groups of ``--together``, are left out at once. The part ``nothing`` is a second
run of all parts: what differs there is chance. Lines are kept in FOLDER/SEED.jsonl, and
what is there is not run again. ``--write`` keeps a line a part: in how many problems it
had work, by how much value and bound are worse without it, in the middle and at most,
and how many proofs are lost and won.
"""

import argparse
import functools
import itertools
import json
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas
from grid import Line, in_child, kept, prepare, run
from kept import markdown, remake, write_rows
from problems import KINDS, Problem, problem
from shapes import shape

import starmin
import starmin.auto.contest as contest
import starmin.auto.schedule as schedule
from starmin.auto.contest import Guest
from starmin.auto.task import Task
from starmin.heuristics.annealing import pattern_annealing as annealing
from starmin.heuristics.large_neighbourhood import budgets, round_search
from starmin.heuristics.large_neighbourhood import operator_schedule as turns
from starmin.heuristics.large_neighbourhood.ejection_moves import ChainOperator
from starmin.heuristics.large_neighbourhood.operator_schedule import OperatorSchedule
from starmin.heuristics.ruin_and_recreate.ruin_moves import RUIN_AND_RECREATE_PARAMS
from starmin.models.pattern_program.destroy_operators import DestroyOperators
from starmin.models.pattern_program.neighbourhood import OperatorWeights

LARGE, RUIN = ("large_neighbourhood",), ("ruin_and_recreate",)
ANNEALED = (*LARGE, "near_pattern_annealing")
EVERY = "every method"
CENSUS = "census:n=1000000"
_ADULT = "age education marital-status native-country race sex workclass salary-class"
_NIST = "PUMA AGEP SEX MSP HISP RAC1P NOC NPF HOUSING_TYPE OWN_RENT INDP_CAT EDU DVET"
_CENSUS = "age gender race marital_status birth_place education work_class"
_TREES = {"qi": _ADULT.split(), "recoding": "generalization"}
_STARS = {"qi": _ADULT.split()}
_JOB = {"l": 4, "sensitive": "occupation"}
LARGE_TABLES: dict[str, tuple[str | None, dict[str, Any]]] = {
    "adult, stars, k = 2": ("adult.csv", _STARS | {"k": 2}),
    "adult, stars, k = 5": ("adult.csv", _STARS | {"k": 5}),
    "adult, stars, k = 25": ("adult.csv", _STARS | {"k": 25}),
    "adult, stars, l = 4": ("adult.csv", _STARS | _JOB),
    "adult, trees, k = 5": ("adult.csv", _TREES | {"k": 5}),
    "adult, trees, l = 4": ("adult.csv", _TREES | _JOB),
    "nist, stars, k = 5": (
        "nist_acs_national2019.csv",
        {"qi": [*_NIST.split(), "DREM", "DPHY"], "k": 5},
    ),
    "nist, stars, l = 4": (
        "nist_acs_national2019.csv",
        {"qi": _NIST.split()[:10], "l": 4, "sensitive": "PINCP_DECILE"},
    ),
    "census of a million": (None, {"qi": _CENSUS.split(), "k": 5}),
}


@dataclass(frozen=True)
class Part:
    """What can be left out: how, and the methods of which one had work then."""

    leave: Callable[[], None]
    of: tuple[str, ...] = ()


def main() -> None:
    """Run what is not in the store, and write a line a part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--shapes", type=int, default=24)
    parser.add_argument("--tables", type=int, default=6, help="of each kind")
    parser.add_argument("--wide", type=int, default=0, help="shapes of many columns")
    parser.add_argument("--large", type=Path, help="a folder with adult.csv and others")
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--long", type=float, default=15.0, help="of wide and large")
    parser.add_argument("--parts", help="names; default: each alone")
    parser.add_argument("--together", action="store_true", help="the groups")
    parser.add_argument("--write", type=Path, help="a folder for a CSV file")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    store = asked.out / f"{asked.seed}.jsonl"
    lines = kept(store)
    done = {(line["problem"], line["without"]) for line in lines}
    names = [f"{asked.seed}/{number}" for number in range(asked.shapes)]
    names += [f"{kind}/{asked.seed}/{n}" for kind in KINDS for n in range(asked.tables)]
    limits = dict.fromkeys(names, asked.seconds)
    longer = [*wide_shapes(asked.seed, asked.wide)]
    if asked.large:
        longer += [f"large:{asked.large}:{name}" for name in LARGE_TABLES]
    limits |= dict.fromkeys(longer, asked.long)
    chosen = ["nothing", *map("+".join, TOGETHER)] if asked.together else [*PARTS]
    if asked.parts:
        chosen = asked.parts.split(",")
    prepare()
    with store.open("a", encoding="utf-8") as file:

        def measure(name: str, without: str) -> None:
            if (name, without) not in done:
                line = {"problem": name, "without": without}
                line |= in_child(solve, name, without, limits[name])
                lines.append(line)
                file.write(json.dumps(line) + "\n")
                file.flush()
                print(told(line), file=sys.stderr, flush=True)

        for name in limits:
            measure(name, "")
        worked = {line["problem"]: line for line in lines if not line["without"]}
        for part in chosen:
            of = {
                name for each in part.split("+") for name in PARTS[each].of or (each,)
            }
            for name in limits:
                if of & {*worked[name].get("worked", ()), EVERY}:
                    measure(name, part)
    found = [figures(part, lines) for part in chosen]
    for each in found:
        print(*each.values(), sep="\t")
    if asked.write:
        name = "ablation_together" if asked.together else "ablation"
        write_rows(asked.write / f"{name}.csv", markdown(found))
        remake(asked.write, ("results_pages.py", "ablation"))


def told(line: Line) -> str:
    """Say how a run ended."""
    ended = line.get("fault") or line.get("refused") or line.get("status")
    said = f"{line.get('value')} / {line.get('certified')} {ended}"
    return f"{line['problem']} without {line['without'] or 'nothing'}: {said}"


def solve(name: str, without: str, seconds: float) -> Line:
    """Solve a problem without a part, and note which methods worked."""
    for part in without.split("+") if without else ():
        PARTS[part].leave()
    worked = set[str]()
    _note(Guest, "work", lambda guest: worked.add(guest.method.name))
    _note(Task, "solve", lambda _, method: worked.add(method.name))
    if name.startswith("large:"):
        drawn = large_table(*name.removeprefix("large:").rsplit(":", 1))
    else:
        drawn = problem(name) if name.count("/") == 2 else shape(name)
    line = run(drawn, "auto", seconds)
    line.pop("history", None)
    return line | {"worked": sorted(worked)}


def wide_shapes(seed: int, count: int) -> Iterator[str]:
    """Name the first shapes with many columns whose tables are not tiny."""
    drawn = (shape(f"{seed}/{number}") for number in itertools.count())
    wide = (each.name for each in drawn if each.columns >= 14 and each.rows >= 100)
    return itertools.islice(wide, count)


def large_table(folder: str, name: str) -> Problem:
    """Read a large table, or make one."""
    file, call = LARGE_TABLES[name]
    if file is None:
        frame = pandas.DataFrame(starmin.to_frame(starmin.load_instance(CENSUS)))
        return Problem(name, CENSUS, frame, call)
    frame = pandas.read_csv(Path(folder, file), dtype=str)
    if call.get("recoding"):
        tree = f"{folder}/hierarchies/adult_hierarchy_%s.csv"
        call = call | {"hierarchy": {column: tree % column for column in call["qi"]}}
    return Problem(name, file, frame, call)


def _note(owner: type, name: str, note: Callable[..., None]) -> None:
    """Have a function called before a method of a class is."""
    call = getattr(owner, name)

    @functools.wraps(call)
    def noted(*args: Any, **options: Any) -> Any:
        note(*args[: note.__code__.co_argcount])
        return call(*args, **options)

    setattr(owner, name, noted)


def figures(part: str, lines: list[Line]) -> dict[str, str]:
    """Compare runs without a part to those with all."""
    whole = {line["problem"]: line for line in lines if not line["without"]}
    pairs = [
        (whole[line["problem"]], line)
        for line in lines
        if line["without"] == part and "value" in line
    ]
    pairs = [(a, b) for a, b in pairs if None not in (a.get("value"), b["value"])]
    worse = [_share(b["value"], a["value"]) for a, b in pairs]
    lower = [_share(a["certified"] or 0, b["certified"] or 0) for a, b in pairs]
    proven = [tuple(x["status"] == "optimal" for x in pair) for pair in pairs]
    first = {*schedule.OPENERS.methods, *schedule.BOUNDS.methods}
    method = "methods that come first" if part in first else "methods"
    kinds = {LARGE: LARGE[0], ANNEALED: LARGE[0], RUIN: RUIN[0], (): method}
    of = "together" if "+" in part else kinds.get(PARTS[part].of, "schedule")
    return {
        "part": part.replace("+", ", "),
        "of": of,
        "problems": f"{len(pairs)}",
        "value": f"{100 * statistics.median(worse):.2f}" if pairs else "",
        "value_mean": f"{100 * statistics.fmean(worse):.2f}" if pairs else "",
        "value_most": f"{100 * max(worse):.1f}" if pairs else "",
        "value_least": f"{100 * min(worse):.1f}" if pairs else "",
        "bound": f"{100 * statistics.median(lower):.2f}" if pairs else "",
        "bound_mean": f"{100 * statistics.fmean(lower):.2f}" if pairs else "",
        "bound_most": f"{100 * max(lower):.1f}" if pairs else "",
        "lost": f"{sum(a and not b for a, b in proven)}",
        "won": f"{sum(b and not a for a, b in proven)}",
    }


def _share(more: float, less: float) -> float:
    """By what share of the larger one the first is above the second."""
    largest = max(abs(more), abs(less))
    return (more - less) / largest if largest else 0.0


def _without(name: str) -> None:
    for turn in schedule.SCHEDULE:
        left = tuple(each for each in turn.methods if each != name)
        object.__setattr__(turn, "methods", left)


def _set(owner: Any, **values: object) -> None:
    for name, value in values.items():
        setattr(owner, name, value)


def _ruin(**values: object) -> None:
    params = RUIN_AND_RECREATE_PARAMS
    object.__setattr__(params, "moves", params.moves._replace(**values))


def _operator(*kinds: type) -> None:
    add = OperatorSchedule.add
    _set(
        OperatorSchedule,
        add=lambda self, each: None if isinstance(each, kinds) else add(self, each),
    )


def _kind(number: int) -> None:
    begin = DestroyOperators.__init__

    @functools.wraps(begin)
    def begin_without(self: Any, *args: Any, **options: Any) -> None:
        begin(self, *args, **options)
        self.kinds = self.kinds[:number] + self.kinds[number + 1 :]
        self.weights = OperatorWeights(len(self.kinds), 0.9)
        self.sizes = self.sizes[1:]

    _set(DestroyOperators, __init__=begin_without)


def _known(name: str, *methods: str) -> None:
    known = contest.Board._known

    def tell(self: Any, guest: Guest) -> dict[str, Any]:
        said = known(self, guest)
        if guest.method.name in methods or not methods:
            if name in ("initial", "prices"):
                said[name] = None
            else:
                said.pop(name, None)
        return said

    _set(contest.Board, _known=tell)


def _rows_stay(size: int) -> None:
    moves = annealing.row_moves
    _set(annealing, row_moves=lambda k, *more: None if k == size else moves(k, *more))


def _nothing(*_: object, **__: object) -> None:
    return None


PARTS: dict[str, Part] = {
    name: Part(functools.partial(_without, name))
    for name in schedule.methods_of_schedule()
} | {
    "nothing": Part(_nothing, (EVERY,)),
    "patience with the first of a queue": Part(
        lambda: _set(contest, _PATIENCE=0.0), (*LARGE, *RUIN)
    ),
    "longer slices": Part(lambda: _set(contest, _LONGER=1.0), (*LARGE, *RUIN)),
    "small gains count as none": Part(
        lambda: _set(contest, _LITTLE=0.0), (*LARGE, *RUIN)
    ),
    "prices of others": Part(lambda: _known("prices"), (*LARGE, *RUIN)),
    "releases of others": Part(
        lambda: _known("initial", *LARGE, *RUIN, "box_neighbourhoods", "local_search"),
        (*LARGE, *RUIN),
    ),
    "recombination": Part(lambda: _set(turns.Turns, _recombine=_nothing), LARGE),
    "ejection chains": Part(lambda: _operator(ChainOperator), LARGE),
    "rows along alternating paths, k = 2": Part(lambda: _rows_stay(2), ANNEALED),
    "rows along ejection chains, k = 3": Part(lambda: _rows_stay(3), ANNEALED),
    "dives by rough prices": Part(lambda: _set(budgets, open_search=_nothing), LARGE),
    "ruin and recreate in large_neighbourhood": Part(
        lambda: _set(budgets.RuinInParts, improve=_nothing), LARGE
    ),
    "cuts beside the search": Part(
        lambda: _set(round_search, seeks_cuts=lambda run, params: False), LARGE
    ),
    "neighbourhoods by programs": Part(lambda: _operator(DestroyOperators), LARGE),
    "neighbourhood: nearest types": Part(lambda: _kind(0), LARGE),
    "neighbourhood: near groups": Part(lambda: _kind(1), LARGE),
    "moves: prices": Part(lambda: _known("prices", *RUIN), RUIN),
    "moves: cooling again": Part(lambda: _known("cycle", *RUIN), RUIN),
    "moves: one group less": Part(lambda: _ruin(one_less=0.0), RUIN),
    "moves: for a pattern": Part(lambda: _ruin(by_pattern=0.0), LARGE),
    "moves: groups passed over": Part(lambda: _ruin(skipped=0.0), RUIN),
    "moves: idle groups passed over": Part(lambda: _ruin(idle=1.0, excess=0.0), RUIN),
    "moves: noise": Part(lambda: _ruin(noise=0.0), RUIN),
    "moves: worth of rows": Part(lambda: _ruin(regard=0.0, settled=0.0), RUIN),
}

# Those of which each alone changes next to nothing.
TOGETHER = (
    (
        "ejection chains",
        "dives by rough prices",
        "ruin and recreate in large_neighbourhood",
        "moves: noise",
        "moves: groups passed over",
        "moves: worth of rows",
    ),
    (
        "patience with the first of a queue",
        "longer slices",
        "small gains count as none",
        "prices of others",
        "moves: cooling again",
    ),
    (
        "lexicographic_suppression",
        "gray_order",
        "local_recoding",
        "own_pattern",
        "residue",
    ),
    (
        "lagrangian",
        "distinct_prices",
        "simplex_matching",
        "box_neighbourhoods",
        "bipartite_matching",
    ),
    ("neighbourhood: nearest types", "cuts beside the search", "recombination"),
)

if __name__ == "__main__":
    main()
