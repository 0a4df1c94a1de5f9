"""One run of the gap harness, as a command that anyone can repeat."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from operator import and_
from pathlib import Path
from typing import Any

from starmin.auto.dispatch import ACCURACY_CONSTRAINED_METHODS, AUTO
from starmin.inputs.loading import load_file
from starmin.inputs.spec import Spec
from starmin.instances import (
    Coding,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    TableError,
    read_missing,
)
from starmin.instances.arguments import nearest
from starmin.instances.catalogue.known import BestKnown, known_of
from starmin.instances.releases.coding import NONHOMOGENEOUS
from starmin.instances.requirements.missing_values import stated_reading
from starmin.instances.requirements.requirements import Asked
from starmin.instances.tables.names import split_names
from starmin.registry import find, supporting


def whole_list(text: str | None, option: str, least: int = 0) -> list[int]:
    """Parse whole numbers joined by commas, each one once; None has none."""
    if text is None:
        return []
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) >= least for part in parts):
        what = f"whole numbers >= {least} joined by commas"
        raise TableError(f"{option}: expected {what}, got {text!r}")
    return list(dict.fromkeys(map(int, parts)))


def chosen_methods(text: str | None, spec: Spec) -> list[str]:
    """Choose the methods to run: those that are named, or all that take the problem.

    ``text`` has names joined by commas; None: all that take the problem. ``spec`` is a
    problem of the sweep; others differ in the numbers k and l, and in the table. Where
    persons or households count, those that take distinct diversity take it.
    """
    if text is not None:
        names = list(dict.fromkeys(split_names(text, "--methods")))
        for name in names:
            if name != AUTO:
                find(name)
        return names
    asked = vars(spec.asked)
    kinds: dict[str, type[KAnonymity | LDiversity]] = {"k": KAnonymity, "l": LDiversity}
    parts = [kind(asked[n]) for n, kind in kinds.items() if asked[n] is not None]
    stated = Asked(asked)
    requirement = read_missing(reduce(and_, parts), stated_reading(stated))
    if stated.ids is not None:
        requirement = DistinctDiversity(2)
    problem = requirement, spec.goal
    takers = supporting(*problem, "heuristic", "bound", recoding=spec.recoding)
    return [AUTO, *(method.name for method in takers)]


def expect_bounded(coding: Coding, objective: Objective) -> None:
    """Raise TableError where a bound would not be one for what is published."""
    recoding, kind = coding.recoding, objective.kind
    ranged = {*coding.numeric, *coding.trees}
    if recoding in ("suppression", "permutation"):
        ranged -= {*coding.floors.min_levels}
        if ranged:
            raise TableError(
                "--numeric and --hierarchy: are for --recoding generalization"
            )
    if ranged and kind != "gcp":
        raise TableError(
            f"--objective {kind}: its bounds are for suppression; with --numeric or "
            "--hierarchy --objective gcp --loss stars counts published stars"
        )


TOLD = (
    *("n", "d", "status", "limit", "value", "lower_bound", "certified_bound"),
    *("certificate_checked", "claim", "tolerance", "bound_method"),
    *("groups", "gcp", "runtime", "reason"),
)


@dataclass(frozen=True)
class Job:
    """A method on a table under a requirement.

    >>> job = Job(Spec.of("instance:hospital", {"k": 2}), "forest", time_limit=5.0)
    >>> " ".join(job.command(Path("r.csv"), None))
    'solve instance:hospital --k 2 --method forest --seed 0 --time-limit 5 --out r.csv'
    """

    spec: Spec  # the table, and what is asked of its release
    method: str  # of the registry, or ``auto``
    seed: int = 0
    time_limit: float = 60.0  # seconds of the whole command
    workers: int | None = None  # cores that it may use; None: all
    bounded: bool = False  # whether what it finds needs no bound of another command

    @property
    def kind(self) -> str:
        """Of the method: ``exact``, ``heuristic`` or ``bound``."""
        return "exact" if self.method == "auto" else find(self.method).kind

    @property
    def key(self) -> str:
        """What tells it from other jobs, in a store and between sessions."""
        return " ".join(self.command(None, None))

    @property
    def problem(self) -> str:
        """What is the same for all methods that compete."""
        return " ".join((self.spec.table, *self.options()))

    def options(self) -> list[str]:
        """Return the options that state the problem."""
        return self.spec.words()

    @property
    def asked(self) -> str:
        """The requirement as people read it.

        >>> Job(Spec.of("t.csv", {"k": 5, "l": 2}), "auto").asked
        'k 5, l 2'
        """
        told = ((name, vars(self.spec.asked)[name]) for name in ("k", "l"))
        return ", ".join(f"{name} {n}" for name, n in told if n is not None)

    def row(self) -> dict[str, Any]:
        """Return what the row of the run says before it is run."""
        return {
            "key": self.key,
            "problem": self.problem,
            "table": self.spec.table,
            "asked": self.asked,
            "options": self.options(),
            "method": self.method,
            "kind": self.kind,
            "seed": self.seed,
            "time_limit": self.time_limit,
            "workers": self.workers,
        }

    def command(self, release: Path | None, certificate: Path | None) -> list[str]:
        """Return the command line, from ``solve`` or ``bound`` on.

        A heuristic is asked for no certificate, which is another method's: what it
        takes is its own.
        """
        words = self._words("bound" if self.kind == "bound" else "solve")
        words += ["--method", self.method, "--seed", str(self.seed), *self._limits()]
        if release is not None and self.kind != "bound":
            words += ["--out", str(release)]
        if certificate is not None and self.kind != "heuristic":
            words += ["--certificate", str(certificate)]
        return words

    def bound(self, certificate: Path) -> list[str]:
        """Return the command that bounds the problem, where the method does not."""
        limits = self._limits()
        return [*self._words("bound"), *limits, "--certificate", str(certificate)]

    def _limits(self) -> list[str]:
        cores = [] if self.workers is None else ["--workers", str(self.workers)]
        return ["--time-limit", f"{self.time_limit:g}", *cores]

    def _words(self, command: str) -> list[str]:
        """Return a command on the problem; a bound holds for all releases by groups."""
        of_all = command == "bound" and self.spec.recoding != NONHOMOGENEOUS
        words = self.spec.words(*(("recoding",) if of_all else ()))
        return [command, self.spec.table, *words]

    def traced(self, path: Path) -> list[str]:
        """Return the options by which the command writes its trajectory."""
        return ["--trajectory", str(path)]

    def read(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the answer of the command says of the run."""
        return {name: answer[name] for name in TOLD}

    @property
    def bounded_apart(self) -> bool:
        """Whether another command bounds what it finds."""
        return self.kind == "heuristic" and not self.bounded

    def check(
        self, release: Path, certificate: Path | None, value: float | None = None
    ) -> list[str]:
        """Return the command, from ``verify`` on, for what it wrote and valued so."""
        goal = ("objective", "loss", "weights", "keep")  # of a certificate
        asked = self.spec.words(*(goal if certificate is None else ()))
        words = ["verify", str(release), *asked, "--original", self.spec.table]
        return words + (["--certificate", str(certificate)] if certificate else [])


def all_jobs(
    firsts: Sequence[Job],
    tables: Sequence[str],
    methods: Sequence[str],
    seeds: Sequence[int],
) -> Iterator[Job]:
    """Yield all combinations, a problem after the other.

    ``firsts`` has a job for each thing that is asked; all else is the same for all.

    >>> asked = [Job(Spec.of("t", {"k": k}), "") for k in (2, 5)]
    >>> asked.append(PrivacyJob(Spec("t"), "", max_loss=0.2))
    >>> [job.asked for job in all_jobs(asked, ["t"], ["auto"], [0])]
    ['k 2', 'k 5', 'loss 0.2']
    """
    for table, first, method, seed in product(tables, firsts, methods, seeds):
        spec = replace(first.spec, table=table)
        yield replace(first, spec=spec, method=method, seed=seed)


# Runs on problems whose optima are known.

KNOWN_AS = "known:"


def spec_of(known: BestKnown) -> Spec:
    """Return a problem of the list of best known values, as commands state it."""
    spec = Spec.of(f"instance:{known.instance}", known.asked)
    usual = spec.kind == known.kind == "stars"
    return spec if usual else spec.but(objective=known.kind)


def known_jobs(
    words: Sequence[str], methods: str | None, seeds: Sequence[int], **limits: Any
) -> tuple[list[Job], list[dict[str, Any]]]:
    """Return the jobs on all problems that ``known:WORD`` names, and what is known.

    The second list has a row for each problem, as of a run that found the optimum.
    """
    problems = {known.name: known for w in words for known in known_of(w)}
    jobs, rows = list[Job](), list[dict[str, Any]]()
    for known in problems.values():
        spec = spec_of(known)
        for method, seed in product(chosen_methods(methods, spec), seeds):
            jobs.append(Job(spec, method, seed, bounded=True, **limits))
        row = jobs[-1].row()
        row |= {"key": f"{jobs[-1].problem} best known", "method": "best known"}
        row |= {"kind": "release", "seed": None, "time_limit": None, "outcome": "ok"}
        row |= {"status": "optimal", "value": known.value, "lower_bound": known.bound}
        row |= {"bound_method": known.bound_by, "certified_bound": known.bound}
        rows.append(row)
    return jobs, rows


# Runs of the accuracy-constrained problem: most privacy under a bound on losses.

_COMMON = ("objective", "loss")  # options of other commands
_TAKEN = ("n", "d", "limit", "groups", "gcp", "runtime")


@dataclass(frozen=True)
class PrivacyJob(Job):
    """A method that finds the most privacy of which no group loses more than a bound.

    What is compared is least where privacy is most: the largest share that a sensitive
    value has of its group, 1 / l, or a row of its group, 1 / k. A method that is exact
    proves its own value.

    >>> job = PrivacyJob(Spec("instance:hospital"), "ac", max_loss=0.5)
    >>> job.problem, job.asked
    ('instance:hospital --recoding suppression --max-loss 0.5', 'loss 0.5')
    """

    bounded: bool = True
    max_loss: float = 1.0  # the bound, from 0 to 1

    @property
    def kind(self) -> str:
        """Of the method: ``exact`` or ``heuristic``."""
        return ACCURACY_CONSTRAINED_METHODS[self.method].kind

    @property
    def asked(self) -> str:
        """The bound as people read it."""
        return f"loss {self.max_loss:g}"

    def command(self, release: Path | None, certificate: Path | None) -> list[str]:
        """Return the command line, from ``accuracy-constrained`` on."""
        words = ["accuracy-constrained", self.spec.table, *self.options()]
        words += ["--method", self.method, "--seed", str(self.seed), *self._limits()]
        return words if release is None else [*words, "--out", str(release)]

    def traced(self, path: Path) -> list[str]:
        """Return nothing: it has no value before its last."""
        return []

    def read(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the answer of the command says, as of other methods."""
        value = 1 / answer["privacy"]
        proven = self.kind == "exact" and answer["limit"] is None
        return {name: answer[name] for name in _TAKEN} | {
            "status": "optimal" if proven else "feasible",
            "value": value,
            "lower_bound": value if proven else None,
        }

    def check(
        self, release: Path, certificate: Path | None, value: float | None = None
    ) -> list[str]:
        """Return the command that verifies the release has the privacy it claims.

        Where that is less than 2 there is none: every release satisfies it.
        """
        form = ACCURACY_CONSTRAINED_METHODS[self.method].requirements[0]
        privacy = 1 if value is None else math.floor(1 / value + 1e-9)
        if privacy < 2:
            return []
        asked = [f"--{form}", str(privacy)]
        rest = self.spec.words(*_COMMON, "weights", "keep")
        words = ["verify", str(release), *asked, *rest]
        return [*words, "--original", self.spec.table]

    def options(self) -> list[str]:
        """Return the options: the recoding too, as the command has another default."""
        rest = self.spec.words("recoding", *_COMMON)
        recoding = ["--recoding", self.spec.recoding]
        return [*rest, *recoding, "--max-loss", f"{self.max_loss:g}"]


def chosen_privacy_methods(text: str | None, spec: Spec) -> list[str]:
    """Choose methods that measure privacy alike: those named, or all of one form.

    ``text`` has names joined by commas; None: all for l where a column is sensitive,
    else for k. Raises NotSupportedError where the accuracy-constrained problem has no
    such method, and TableError where some measure k and others l, which nothing
    compares.
    """
    of = ACCURACY_CONSTRAINED_METHODS
    if text is None:
        read = load_file(spec.table, spec.input().roles)
        form = "l" if read.table.sensitive else "k"
        return [name for name, each in of.items() if form in each.requirements]
    names = list(dict.fromkeys(split_names(text, "--methods")))
    for name in (name for name in names if name not in of):
        raise NotSupportedError(
            f"Expected a method of the accuracy-constrained problem, got {name!r}"
            f"{nearest(name, of)}; these are: {', '.join(of)}."
        )
    if len({of[name].requirements for name in names}) > 1:
        raise TableError("--methods: expected methods for k alone, or for l alone")
    return names


def bounds_list(text: str) -> list[float]:
    """Parse shares from 0 to 1 joined by commas, each one once.

    >>> bounds_list("0.2,0.4")
    [0.2, 0.4]
    """
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = [math.nan]
    if not all(0 <= each <= 1 for each in found):
        raise TableError(
            f"--max-loss: expected numbers from 0 to 1 joined by commas, got {text!r}"
        )
    return list(dict.fromkeys(found))
