"""One run of the gap harness, as a command that anyone can repeat."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from starmin.inputs.spec import Spec
from starmin.instances.releases.coding import NONHOMOGENEOUS
from starmin.registry.methods import find

TOLD = (
    "n",
    "d",
    "status",
    "limit",
    "value",
    "lower_bound",
    "certified_bound",
    "certificate_checked",
    "claim",
    "bound_method",
    "groups",
    "gcp",
    "runtime",
    "reason",
)


@dataclass(frozen=True)
class Job:
    """A method on a table under a requirement.

    Examples
    --------
    >>> job = Job(Spec.of("instance:hospital", {"k": 2}), "forest", time_limit=5.0)
    >>> " ".join(job.command(Path("r.csv"), None))
    'solve instance:hospital --k 2 --method forest --seed 0 --time-limit 5 --out r.csv'
    """

    spec: Spec  # the table, and what is asked of its release
    method: str  # of the registry, or ``auto``
    seed: int = 0
    time_limit: float = 60.0  # seconds of the whole command
    workers: int | None = None  # cores that it may use; None: all

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
        return " ".join((self.spec.table, *self.spec.words()))

    @property
    def asked(self) -> str:
        """The requirement as people read it.

        Examples
        --------
        >>> Job(Spec.of("t.csv", {"k": 5, "l": 2}), "auto").asked
        'k 5, l 2'
        """
        asked = vars(self.spec.asked)
        told = ((name, asked[name]) for name in ("k", "l"))
        return ", ".join(f"{name} {n}" for name, n in told if n is not None)

    def row(self) -> dict[str, Any]:
        """Return what the row of the run says before it is run."""
        return {
            "key": self.key,
            "problem": self.problem,
            "table": self.spec.table,
            "asked": self.asked,
            "options": self.spec.words(),
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
        verb = "bound" if self.kind == "bound" else "solve"
        asked = self._words_of_bound() if verb == "bound" else self.spec.words()
        words = [verb, self.spec.table, *asked]
        words += ["--method", self.method, "--seed", str(self.seed)]
        words += self._limits()
        if release is not None and verb == "solve":
            words += ["--out", str(release)]
        if certificate is not None and self.kind != "heuristic":
            words += ["--certificate", str(certificate)]
        return words

    def bound(self, certificate: Path) -> list[str]:
        """Return the command that bounds the problem, where the method does not."""
        words = ["bound", self.spec.table, *self._words_of_bound()]
        return [*words, *self._limits(), "--certificate", str(certificate)]

    def _limits(self) -> list[str]:
        cores = [] if self.workers is None else ["--workers", str(self.workers)]
        return ["--time-limit", f"{self.time_limit:g}", *cores]

    def _words_of_bound(self) -> list[str]:
        """Return the options for a bound, which holds for all releases by groups."""
        if self.spec.recoding == NONHOMOGENEOUS:
            return self.spec.words()
        return self.spec.words("recoding")

    def traced(self, path: Path) -> list[str]:
        """Return the options by which the command writes its trajectory."""
        return ["--trajectory", str(path)]

    def read(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the answer of the command says of the run."""
        return {name: answer[name] for name in TOLD}

    @property
    def bounded_apart(self) -> bool:
        """Whether another command bounds what it finds."""
        return self.kind == "heuristic"

    def check(
        self, release: Path, certificate: Path | None, value: float | None = None
    ) -> list[str]:
        """Return the command that verifies what it wrote, from ``verify`` on.

        ``value`` is what the run said of the release.
        """
        goal = ("objective", "loss", "weights", "keep")  # of a certificate
        asked = self.spec.words(*(goal if certificate is None else ()))
        words = ["verify", str(release), *asked, "--original", self.spec.table]
        return words + (["--certificate", str(certificate)] if certificate else [])


def all_jobs(
    spec: Spec,
    tables: Sequence[str],
    numbers: Mapping[str, Sequence[int]],
    methods: Sequence[str],
    seeds: Sequence[int],
    time_limit: float,
    workers: int | None = None,
) -> Iterator[Job]:
    """Yield all combinations, a problem after the other.

    Tables, methods and seeds are combined, and so are the values that ``numbers`` has
    for ``k`` and ``l``; each combination of these is one requirement. All else is the
    same for all.

    Examples
    --------
    >>> spec = Spec("t")
    >>> [job.asked for job in all_jobs(spec, ["t"], {"k": [2, 5]}, ["auto"], [0], 1.0)]
    ['k 2', 'k 5']
    """
    combined = list(product(*numbers.values()))
    for table, values, method, seed in product(tables, combined, methods, seeds):
        asked = dict(zip(numbers, values, strict=True))
        one = replace(spec.but(**asked), table=table)
        yield Job(one, method, seed, time_limit, workers)
