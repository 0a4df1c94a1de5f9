"""Runs of the accuracy-constrained problem: most privacy under a bound on losses."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from starmin.auto.accuracy_methods import ACCURACY_CONSTRAINED_METHODS
from starmin.gaps.job import Job
from starmin.inputs.spec import Spec
from starmin.inputs.tables.loading import load_file
from starmin.instances import NotSupportedError, TableError
from starmin.instances.arguments import nearest
from starmin.instances.tables.name_lists import split_names

_COMMON = ("objective", "loss")  # options of other commands
_TAKEN = ("n", "d", "limit", "groups", "gcp", "runtime")


@dataclass(frozen=True)
class PrivacyJob(Job):
    """A method that finds the most privacy of which no group loses more than a bound.

    What is compared is least where privacy is most: the largest share that a sensitive
    value has of its group, 1 / l, or a row of its group, 1 / k. A method that is exact
    proves its own value.

    Examples
    --------
    >>> job = PrivacyJob(Spec("instance:hospital"), "ac", max_loss=0.5)
    >>> job.problem, job.asked
    ('instance:hospital --recoding suppression --max-loss 0.5', 'loss 0.5')
    """

    max_loss: float = 1.0  # the bound, from 0 to 1

    @property
    def kind(self) -> str:
        """Of the method: ``exact`` or ``heuristic``."""
        return ACCURACY_CONSTRAINED_METHODS[self.method].kind

    @property
    def problem(self) -> str:
        """What is the same for all methods that compete."""
        return " ".join((self.spec.table, *self._words()))

    @property
    def asked(self) -> str:
        """The bound as people read it."""
        return f"loss {self.max_loss:g}"

    def row(self) -> dict[str, Any]:
        """Return what the row of the run says before it is run."""
        return super().row() | {"options": self._words()}

    def command(self, release: Path | None, certificate: Path | None) -> list[str]:
        """Return the command line, from ``accuracy-constrained`` on."""
        words = ["accuracy-constrained", self.spec.table, *self._words()]
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

    @property
    def bounded_apart(self) -> bool:
        """Whether another command bounds it: none does."""
        return False

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

    def _words(self) -> list[str]:
        """Return the options: the recoding too, as the command has another default."""
        rest = self.spec.words("recoding", *_COMMON)
        recoding = ["--recoding", self.spec.recoding]
        return [*rest, *recoding, "--max-loss", f"{self.max_loss:g}"]


def privacy_jobs(
    spec: Spec,
    tables: Sequence[str],
    losses: Sequence[float],
    methods: Sequence[str],
    seeds: Sequence[int],
    time_limit: float,
    workers: int | None = None,
) -> Iterator[PrivacyJob]:
    """Yield all combinations, a problem after the other.

    Examples
    --------
    >>> made = privacy_jobs(Spec("t"), ["t"], [0.2, 0.4], ["ac"], [0], 1.0)
    >>> [job.asked for job in made]
    ['loss 0.2', 'loss 0.4']
    """
    for table, loss, method, seed in product(tables, losses, methods, seeds):
        one = replace(spec, table=table)
        yield PrivacyJob(one, method, seed, time_limit, workers, loss)


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
    for name in names:
        if name not in of:
            raise NotSupportedError(
                "Expected a method of the accuracy-constrained problem, got "
                f"{name!r}{nearest(name, of)}; these are: {', '.join(of)}."
            )
    if len({of[name].requirements for name in names}) > 1:
        raise TableError("--methods: expected methods for k alone, or for l alone")
    return names


def bounds_list(text: str) -> list[float]:
    """Parse shares from 0 to 1 joined by commas, each one once.

    Examples
    --------
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
