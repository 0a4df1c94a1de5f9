"""One run of the gap harness, as a command that anyone can repeat."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from starmin.registry.methods import find


@dataclass(frozen=True)
class Job:
    """A method on a table under a requirement.

    Attributes
    ----------
    table
        As on the command line: a path, or ``instance:NAME``.
    method
        Of the registry, or ``auto``.
    requirement
        Options such as ``("--k", "5")``.
    roles
        Options that say what the columns are and what is counted.
    seed
        Of the method.
    time_limit
        Seconds of the whole command.

    Examples
    --------
    >>> job = Job("instance:hospital", "forest", ("--k", "2"), time_limit=5.0)
    >>> " ".join(job.command(Path("r.csv"), None))
    'solve instance:hospital --k 2 --method forest --seed 0 --time-limit 5 --out r.csv'
    """

    table: str
    method: str
    requirement: tuple[str, ...]
    roles: tuple[str, ...] = ()
    seed: int = 0
    time_limit: float = 60.0

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
        return " ".join((self.table, *self.requirement, *self.roles))

    @property
    def asked(self) -> str:
        """The requirement as people read it.

        Examples
        --------
        >>> Job("t.csv", "auto", ("--k", "5", "--l", "2")).asked
        'k 5, l 2'
        """
        pairs = zip(self.requirement[::2], self.requirement[1::2], strict=True)
        return ", ".join(f"{name.strip('-')} {value}" for name, value in pairs)

    def row(self) -> dict[str, Any]:
        """Return what the row of the run says before it is run."""
        return {
            "key": self.key,
            "problem": self.problem,
            "table": self.table,
            "asked": self.asked,
            "options": [*self.requirement, *self.roles],
            "method": self.method,
            "kind": self.kind,
            "seed": self.seed,
            "time_limit": self.time_limit,
        }

    def command(self, release: Path | None, certificate: Path | None) -> list[str]:
        """Return the command line, from ``solve`` or ``bound`` on.

        A heuristic is asked for no certificate, which is another method's: what it
        takes is its own.
        """
        verb = "bound" if self.kind == "bound" else "solve"
        roles = self._roles_of_bounds() if verb == "bound" else self.roles
        words = [verb, self.table, *self.requirement, *roles]
        words += ["--method", self.method, "--seed", str(self.seed)]
        words += ["--time-limit", f"{self.time_limit:g}"]
        if release is not None and verb == "solve":
            words += ["--out", str(release)]
        if certificate is not None and self.kind != "heuristic":
            words += ["--certificate", str(certificate)]
        return words

    def bound(self, certificate: Path) -> list[str]:
        """Return the command that bounds the problem, where the method does not."""
        words = ["bound", self.table, *self.requirement, *self._roles_of_bounds()]
        words += ["--time-limit", f"{self.time_limit:g}"]
        return [*words, "--certificate", str(certificate)]

    def _roles_of_bounds(self) -> list[str]:
        """Return the options for a bound, which holds for all releases by groups."""
        if "nonhomogeneous" in self.roles:
            return list(self.roles)
        return self._roles_but("--recoding")

    def _roles_but(self, *without: str) -> list[str]:
        pairs = zip(self.roles[::2], self.roles[1::2], strict=True)
        return [word for pair in pairs if pair[0] not in without for word in pair]

    def check(self, release: Path, certificate: Path | None) -> list[str]:
        """Return the command that verifies what it wrote, from ``verify`` on."""
        goal = ("--objective", "--loss", "--weights", "--keep")  # of a certificate
        roles = self._roles_but(*(goal if certificate is None else ()))
        words = ["verify", str(release), *self.requirement, *roles]
        words += ["--original", self.table]
        return words + (["--certificate", str(certificate)] if certificate else [])


def jobs(
    tables: Sequence[str],
    requirements: Mapping[str, Sequence[str]],
    methods: Sequence[str],
    seeds: Sequence[int],
    roles: tuple[str, ...],
    time_limit: float,
) -> Iterator[Job]:
    """Yield all combinations, a problem after the other.

    Parameters
    ----------
    tables, methods, seeds
        What is combined.
    requirements
        For options such as ``--k`` their values; each combination is one requirement.
    roles, time_limit
        The same for all.

    Examples
    --------
    >>> [job.asked for job in jobs(["t"], {"--k": "25"}, ["auto"], [0], (), 1.0)]
    ['k 2', 'k 5']
    """
    combined = list(product(*requirements.values()))
    for table, values, method, seed in product(tables, combined, methods, seeds):
        pairs = zip(requirements, values, strict=True)
        asked = tuple(word for pair in pairs for word in pair)
        yield Job(table, method, asked, roles, seed, time_limit)
