"""Problems in which chosen features meet, as options of each door.

``draw`` makes a table and what is asked of it, by names of options and plain values;
``words``, ``keywords`` and ``recipe`` say the same to commands, Python, and in a
settings file. Files that are named are written to the working folder.
"""

import csv
import datetime
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas

from tests.support.oracle import Oracle

FEATURES = (
    "persons",
    "household",
    "pseudonym",
    "floors",
    "tops",
    "rounding",
    "widths",
    "dates",
    "ranges",
    "trees",
    "rules",
    "strata",
    "linked",
    "missing codes",
    "missing sensitive values",
    "weights",
    "keep",
    "delete rows",
    "within",
    "pad",
    "margin",
    "decoys",
    "shuffle",
    "batches",
    "several sensitive columns",
)
BY_SOLVE_ALONE = {"pad", "margin", "decoys", "shuffle", "stream"}
OF_COSTS = {"objective", "loss", "weights", "keep"}
_NOT_TOLD = {"dates", "by default", "apart"}  # about the problem, not options
_TREES = (
    {"p": "ab", "q": "cd"},
    {"p": "abc", "q": "d"},
    {"p": "ab", "": "cd"},  # leaves below the root
)
_MARK = "NA"


class Problem(NamedTuple):
    """A table, what is asked of it, and the features that meet."""

    names: list[str]
    rows: list[list[str]]
    asked: dict[str, Any]
    features: tuple[str, ...]


class _Draft:
    """A problem in the making: columns by kind, and options."""

    def __init__(self, rng: random.Random, features: Sequence[str], rows: int) -> None:
        self.rng, self.features, self.n = rng, features, rows
        self.kinds = dict.fromkeys("abc"[: rng.choice([2, 2, 3])], "flat")
        self.asked: dict[str, Any] = {}

    def has(self, *features: str) -> bool:
        return any(feature in self.features for feature in features)

    def column(self, kind: str) -> str:
        """Return a column of a kind: one that is there, or another made one."""
        there = [name for name, its in self.kinds.items() if its == kind]
        free = [name for name, its in self.kinds.items() if its == "flat"]
        if there and (not free or self.rng.random() < 0.6):
            return self.rng.choice(there)
        name = self.rng.choice(free or [*self.kinds])
        if not free:  # what was said of it is not for this kind
            for told in self.asked.values():
                if isinstance(told, dict):
                    told.pop(name, None)
        self.kinds[name] = kind
        return name

    def told(self, option: str, column: str, value: Any) -> None:
        """Say something of a column."""
        self.asked.setdefault(option, {})[column] = value

    def cells(self, name: str) -> list[str]:
        """Draw the cells of a column."""
        kind = self.kinds[name]
        if kind == "number":
            known = [
                str(v) for v in self.rng.sample(range(8, 60), self.rng.choice([3, 5]))
            ]
        elif kind == "date":
            form = self.asked.get("date-format", {}).get(name, "%Y-%m-%d")
            days = self.rng.sample(range(200), 4)
            begin = datetime.date(2023, 10, 20)
            known = [(begin + datetime.timedelta(d)).strftime(form) for d in days]
        else:
            known = list("abcd"[: self.rng.choice([2, 3, 4])])
        if kind != "flat" and self.has("missing codes"):
            known.append(_MARK)
        elif self.has("missing codes") and self.has("rules", "strata", "linked"):
            known.append(self.rng.choice([_MARK, ""]))
        if self.has("missing codes") and self.rng.random() < 0.3:
            known.append("?")
        return [self.rng.choice(known) for _ in range(self.n)]


def draw(
    rng: random.Random, features: Sequence[str], rows: int | None = None
) -> Problem:
    """Draw a problem in which these features meet; by default of seven rows at most."""
    draft = _Draft(rng, features, rows or rng.randint(3, 7))
    _columns(draft)
    by_rules = draft.has("rules", "strata", "linked")
    diverse = _requirement(draft, by_rules)
    _costs(draft)
    asked = draft.asked
    if by_rules and rows is None:  # all that rows may show is tried
        each = sum(
            2 if kind in ("flat", "number") else 1.6 for kind in draft.kinds.values()
        )
        draft.n = min(draft.n, int(16 / each))
    columns = {name: draft.cells(name) for name in draft.kinds}
    if draft.has("persons", "household", "pseudonym"):
        columns["id"] = _ids(draft, columns)
    for name in diverse:
        known = "xyz" + ("?" if draft.has("missing sensitive values") else "")
        columns[name] = [rng.choice(known) for _ in range(draft.n)]
    if draft.has("strata"):
        columns["st"] = [rng.choice("uv") for _ in range(draft.n)]
    names = rng.sample([*columns], len(columns))
    cells = [list(row) for row in zip(*(columns[n] for n in names), strict=True)]
    if draft.has("within"):
        _earlier(rng, names, cells, asked)
    return Problem(names, cells, asked, tuple(features))


def _columns(draft: _Draft) -> None:
    """Say how columns are published."""
    rng, asked = draft.rng, draft.asked
    ranged = draft.has("rounding", "widths", "dates", "ranges", "trees")
    by_rules = draft.has("rules", "strata", "linked")
    if draft.has("missing codes") and not by_rules:
        ranged = ranged or not draft.has("floors", "tops")
    if draft.has("ranges") or (
        draft.has("missing codes") and ranged and not draft.has("dates", "trees")
    ):
        draft.column("number")
    if draft.has("dates"):
        name = draft.column("date")
        form = rng.choice(["%Y-%m-%d", "%d.%m.%Y"])
        if form != "%Y-%m-%d":
            draft.told("date-format", name, form)
    for feature in ("rounding", "widths"):
        if draft.has(feature):
            kind = "date" if draft.has("dates") and rng.random() < 0.5 else "number"
            name = draft.column(kind)
            if feature == "rounding":
                steps = {"date": ["week", "month", "quarter"], "number": ["5", "10"]}
                draft.told("round", name, rng.choice(steps[kind]))
            else:
                widths = {
                    "date": ["30day..", "..60day"],
                    "number": ["6..", "..12", "5..20"],
                }
                draft.told("width", name, rng.choice(widths[kind]))
    if draft.has("tops"):
        name = draft.column("number")
        for option, value in (("top", "40"), ("bottom", "15")):
            if rng.random() < 0.7 or option == "top":
                draft.told(option, name, value)
    if draft.has("trees", "floors"):
        name = draft.column("tree")
        if draft.has("floors"):
            draft.told("min-level", name, 1)
        if draft.has("trees") and rng.random() < 0.3:
            draft.told("max-level", name, 1)
    if not ranged and draft.has("tops", "floors"):
        ranged = rng.random() < 0.3
    asked["recoding"] = "generalization" if ranged else "suppression"
    for name, kind in draft.kinds.items():
        if kind in ("number", "date") and ranged:
            asked.setdefault("numeric", []).append(name)
        if kind == "date":
            asked.setdefault("dates", []).append(name)
        if kind == "tree":
            tree, root = rng.choice(_TREES), rng.choice(["*", "*", "all"])
            if draft.has("floors"):
                tree = rng.choice(_TREES[:2])
            lines = [
                [v, *([p] if p else []), root] for p, vs in tree.items() for v in vs
            ]
            draft.told("hierarchy", name, lines)
    if draft.has("missing codes"):
        asked["missing"] = [_MARK]


def _requirement(draft: _Draft, by_rules: bool) -> list[str]:
    """Say what is required; return the sensitive columns."""
    rng, asked = draft.rng, draft.asked
    diverse = draft.has(
        "missing sensitive values", "margin", "decoys", "several sensitive columns"
    )
    if by_rules:
        size, k = rng.choice([1, 2]), rng.choice([2, 2, 3])
        if rng.random() < 0.3:
            columns = rng.sample([*draft.kinds], size)
            asked["rules"] = [(columns, k)]
        elif rng.random() < 0.5:
            asked["combinations"], asked["k"] = size, k
        else:
            asked["combinations"] = {size: k}
            if rng.random() < 0.4:
                asked["k"] = 2
        if rng.random() < 0.7:
            asked["semantics"] = rng.choice(["source", "shown", "classes"])
        if draft.has("strata"):
            asked["strata"] = ["st"]
        if draft.has("linked"):
            asked["linked"] = [rng.sample([*draft.kinds], 2)]
        if draft.has("missing codes"):
            asked["missing-hidden"] = True
    elif not diverse or rng.random() < 0.3:
        asked["k"] = rng.choice([2, 2, 3])
    sensitive = []
    if diverse or rng.random() < 0.3:
        sensitive = ["s", "t"] if draft.has("several sensitive columns") else ["s"]
        asked["sensitive"] = sensitive
        if diverse or (not by_rules and rng.random() < 0.6):
            if rng.random() < 0.15 and not draft.has("margin", "decoys"):
                asked["alpha"] = rng.choice([0.5, 0.7])
                asked.setdefault("k", 2)
            else:
                asked["l"] = 2
                if rng.random() < 0.3:
                    asked["diversity"] = "distinct"
    if draft.has("missing sensitive values"):
        asked["missing-sensitive"] = rng.choice(["any", "none"])
    for feature, option in (("persons", "person"), ("household", "household")):
        if draft.has(feature):
            asked[option] = "id"
    if draft.has("pseudonym"):
        asked["pseudonym"] = True
        if "household" not in asked or draft.has("persons"):
            asked["person"] = "id"
    if draft.has("delete rows"):
        asked["delete-rows"] = rng.choice(["row", "1", "2"])
    return sensitive


def _costs(draft: _Draft) -> None:
    """Say what is minimised, and what is done after the search."""
    rng, asked = draft.rng, draft.asked
    usual = "gcp" if asked["recoding"] == "generalization" else "stars"
    asked["objective"] = usual
    if rng.random() < 0.2:
        asked["objective"] = rng.choice(["stars", "tuples"])
    elif rng.random() < 0.5:
        asked["by default"] = True
    by_tree = asked["objective"] == "gcp" and "tree" in draft.kinds.values()
    if by_tree and rng.random() < 0.3:
        asked["loss"] = rng.choice(["granularity", "stars"])
    some = [*draft.kinds]
    if draft.has("weights"):
        asked["weights"] = {c: rng.randint(0, 3) for c in rng.sample(some, 2)}
    if draft.has("keep"):
        asked["keep"] = [rng.choice(some)]
    for feature, option, value in (
        ("pad", "pad", True),
        ("margin", "margin", 1),
        ("decoys", "decoys", rng.choice([0.5, 1.0])),
        ("shuffle", "shuffle", True),
        ("batches", "stream", True),
    ):
        if draft.has(feature):
            asked[option] = value
    asked["qi"] = [*draft.kinds]
    asked["apart"] = rng.random() < 0.3


def _ids(draft: _Draft, columns: dict[str, list[str]]) -> list[str]:
    """Draw ids; what has to be constant for each of them is made so."""
    rng = draft.rng
    ids = [rng.choice("pqrstu"[: max(3, draft.n - 1)]) for _ in range(draft.n)]
    constant = rng.randint(0, len(draft.kinds)) if draft.has("household") else 0
    if draft.has("pseudonym"):
        constant = len(draft.kinds)
    for name in [*draft.kinds][:constant]:
        first = dict(zip(ids, columns[name], strict=True))
        columns[name] = [first[who] for who in ids]
    return ids


def _earlier(
    rng: random.Random, names: Sequence[str], rows: list[list[str]], asked: Any
) -> None:
    """Draw an earlier release of the table."""
    oracle = Oracle(names, rows, {**asked, "keep": []})
    whole = [
        [c.cell(frozenset([c.cells[r]])).text for c in oracle.columns]
        for r in range(oracle.n)
    ]
    asked["within"] = drawn_release(rng, oracle, coarse=False) or whole


def drawn_release(
    rng: random.Random, oracle: Oracle, coarse: bool
) -> list[list[str]] | None:
    """Draw any release that says nothing false; None where none was found."""
    for _ in range(9):
        if oracle.by_rules:
            return [
                [
                    rng.choice(oracle.choices(column, r)).text
                    for column in oracle.columns
                ]
                for r in range(oracle.n)
            ]
        many = rng.randint(1, 2) if coarse else max(2, oracle.n // 2)
        labels = [rng.randrange(many) for _ in range(oracle.n)]
        found = []
        for r in range(oracle.n):
            group = [o for o in range(oracle.n) if labels[o] == labels[r]]
            cells = [
                column.cell(frozenset(column.cells[o] for o in group))
                for column in oracle.columns
            ]
            found.append([cell.text if cell else "" for cell in cells])
            if None in cells:
                break
        else:
            return found
    return None


# The same in the words of each door.


def words(problem: Problem, without: set[str] = frozenset()) -> list[str]:
    """Return the options of a command, and write the files that they name."""
    found: list[str] = []
    for option, value in problem.asked.items():
        if option in _NOT_TOLD or option in without:
            continue
        if option == "objective" and "by default" in problem.asked:
            continue
        for said in _said(option, value, problem.asked["apart"]):
            found += [f"--{option}", *([] if said is True else [said])]
    ids = {"id"} & {*problem.names} - {*_named(problem)}
    return [*found, *(["--drop", "id"] if ids else [])]


def _said(option: str, value: Any, apart: bool) -> list[Any]:
    """Return how often an option is repeated, with which words."""
    if option == "within":
        return ["earlier.csv"]
    if option == "rules":
        lines = [["columns", "k"], *(["+".join(c), k] for c, k in value)]
        _write("rules.csv", lines)
        return ["rules.csv"]
    if option == "hierarchy":
        for column, lines in value.items():
            _write(f"tree_{column}.csv", lines, ";")
        return [f"{column}=tree_{column}.csv" for column in value]
    if option == "combinations" and isinstance(value, dict):
        return [",".join(f"{size}:{k}" for size, k in value.items())]
    if option == "linked":
        return [";".join(map(",".join, value))]
    if isinstance(value, dict):
        parts = [f"{column}={told}" for column, told in value.items()]
        return parts if apart or option == "date-format" else [",".join(parts)]
    if isinstance(value, list):
        return value if apart else [",".join(value)]
    return [value if value is True else str(value)]


def _named(problem: Problem) -> set[str]:
    asked = problem.asked
    return {
        *(asked["qi"]),
        *asked.get("sensitive", ()),
        *asked.get("strata", ()),
        asked.get("person", ""),
        asked.get("household", ""),
    }


def _write(name: str, lines: Sequence[Sequence[Any]], mark: str = ",") -> None:
    with Path(name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=mark, lineterminator="\n").writerows(lines)


def write_files(problem: Problem) -> None:
    """Write the table, the files that options name, and the settings file."""
    _write("t.csv", [problem.names, *problem.rows])
    if "within" in problem.asked:
        qi = problem.asked["qi"]
        order = sorted(qi, key=problem.names.index)
        rows = [[row[qi.index(c)] for c in order] for row in problem.asked["within"]]
        _write("earlier.csv", [order, *rows])
    words(problem)
    Path("asked.toml").write_text(recipe(problem), encoding="utf-8")


_ROLES = {
    "qi": "quasi-identifier",
    "sensitive": "sensitive",
    "person": "person",
    "household": "household",
}
_OF_COLUMNS = {"round", "width", "top", "bottom", "min-level", "max-level"}


def recipe(problem: Problem) -> str:
    """Return a settings file that asks the same."""
    asked = problem.asked
    first = [*asked["qi"], *asked.get("sensitive", ())]  # in the order of options
    names = [*first, *(n for n in problem.names if n not in first)]
    columns: dict[str, dict[str, Any]] = {name: {} for name in names}
    for option, role in _ROLES.items():
        named = asked.get(option, [])
        for column in [named] if isinstance(named, str) else named:
            columns[column]["role"] = role
    if "id" in columns:
        columns["id"].setdefault("role", "identifier")
    sections: dict[str, dict[str, Any]] = {}
    for option, value in asked.items():
        if option in _ROLES or option in _NOT_TOLD:
            continue
        if option in _OF_COLUMNS:
            for column, told in value.items():
                columns[column][option] = told
        elif option == "hierarchy":
            for column in value:
                columns[column]["hierarchy"] = f"tree_{column}.csv"
        elif option == "numeric":
            for column in value:
                dated = column in asked.get("dates", ())
                columns[column]["kind"] = "date" if dated else "numeric"
        elif option == "date-format":
            for column, form in value.items():
                columns[column]["format"] = form
        elif option == "weights":
            for column, cost in value.items():
                columns[column]["cost"] = cost
        elif option == "keep":
            for column in value:
                columns[column]["keep"] = True
        elif option != "objective" or "by default" not in asked:
            several = option in ("missing", "strata")
            told = value if several else _said(option, value, False)[0]
            plain = isinstance(value, int | float)
            sections.setdefault(_section(option), {})[option] = value if plain else told
    lines = ["[columns]"]
    for name, told in columns.items():
        inside = ", ".join(f"{k} = {json.dumps(v)}" for k, v in told.items())
        lines.append(f"{name} = {{ {inside} }}" if inside else f"{name} = {{}}")
    for section, told in sections.items():
        lines.append(f"[{section}]")
        lines += [f"{k} = {json.dumps(v)}" for k, v in told.items()]
    return "\n".join(lines) + "\n"


def _section(option: str) -> str:
    for section, options in {
        "objective": ("recoding", "objective", "loss"),
        "table": ("missing",),
        "defences": ("pad", "margin", "decoys"),
        "run": ("stream",),
        "output": ("shuffle",),
    }.items():
        if option in options:
            return section
    return "requirement"


def keywords(problem: Problem) -> dict[str, Any]:
    """Return the arguments of ``anonymize`` that ask the same."""
    found: dict[str, Any] = {}
    for option, value in problem.asked.items():
        if option in _NOT_TOLD or option == "stream":
            continue
        if option == "objective" and "by default" in problem.asked:
            continue
        name = option.replace("-", "_")
        if option == "hierarchy":
            value = {column: f"tree_{column}.csv" for column in value}
        elif option == "within":
            value = pandas.read_csv("earlier.csv", dtype=str, keep_default_na=False)
        elif option in ("top", "bottom"):
            value = {column: int(told) for column, told in value.items()}
        elif option == "missing":
            value = ["", "?", *value]
        found[name] = value
    if "id" in problem.names and "id" not in _named(problem):
        found["drop"] = ["id"]
    return found
