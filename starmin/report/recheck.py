"""The commands that repeat a release and check it, from what was asked for."""

import inspect
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isinf
from pathlib import Path
from typing import Any

from starmin.auto.dispatch import AUTO
from starmin.inputs.declared import option_words
from starmin.instances.releases.coding import PERMUTATION, SUPPRESSION
from starmin.process.clock import seconds_of
from starmin.registry import find
from starmin.solving import Solution

# Options of the report, and of what else is written or shown; what a settings file
# tells is told.
_NOT_TOLD = (
    *("table", "report", "report_public", "mapping", "check", "report_population"),
    *("progress", "as_json", "quiet", "shuffle_seed", "recipe", "save_recipe"),
    *("earlier", "overwrite"),
)


@dataclass(frozen=True)
class Question:
    """What a command was asked."""

    # command, checker: the functions of the command, and of the one that checks what it
    # wrote
    command: Any
    checker: Any
    given: Mapping[str, Any]  # its parameters

    @property
    def seconds(self) -> float | None:
        """The time limit that was given, or that holds where none is; None: none."""
        if self.given.get("work_limit") is not None:
            return None
        limit = seconds_of(self._method, self.given.get("time_limit"))
        return None if isinf(limit) else limit

    @property
    def repeats(self) -> bool:
        """Whether the same is sure to come out again.

        That is so where no clock steers or ends the search: the method takes none.
        """
        if self.given.get("work_limit") is not None:
            return True
        if self._method == AUTO or self.given.get("patience") is not None:
            return False
        return "time_limit" not in find(self._method).options()

    @property
    def drawn(self) -> bool:
        """Whether something that hides people is drawn, which nobody can do again."""
        apart = self.given["recoding"] == PERMUTATION
        return bool(self.given["shuffle"] or apart or self._method == "anatomy")

    @property
    def _method(self) -> str:
        return str(self.given.get("method") or AUTO)

    def again(self) -> str:
        """Return the line that repeats the command."""
        return command_line(
            self.command, self.given, self.given["table"], leave_out=_NOT_TOLD
        )

    def check(self, certificate: Path | None) -> str | None:
        """Return the line that checks the release; None where none was written."""
        out = self.given["out"]
        if out is None:
            return None
        given = dict(self.given)
        if given.get("margin"):
            given["l"] += given["margin"]  # what the bound is of
        if given["recoding"] == SUPPRESSION:
            given["recoding"] = None
        given["certificate"] = None if given["shuffle"] else certificate
        if not given["shuffle"]:
            given |= {"original": given["table"], "utility": True}
        if given["certificate"] is None:
            given |= dict.fromkeys(("objective", "weights", "keep", "loss"))
        return command_line(self.checker, given, str(out), leave_out=_NOT_TOLD)


def command_line(
    command: Callable[..., Any],
    given: Mapping[str, Any],
    *arguments: str,
    leave_out: tuple[str, ...] = (),
) -> str:
    r"""Write a command of starmin as a line for a shell.

    ``command`` is its function; options that it does not have are left out, and those
    that have their default. ``given`` has values by name of parameter; ``arguments``
    are those that are no options.

    >>> def verify(release, k=None, star="*", hierarchy=None): ...
    >>> given = {"k": 2, "star": "*", "hierarchy": ["a={x{1,2}}"], "seed": 3}
    >>> command_line(verify, given, "it's.csv")
    'starmin verify \'it\'"\'"\'s.csv\' --k 2 --hierarchy \'a={x{1,2}}\''
    """
    words = ["starmin", command.__name__, *arguments]
    for name, parameter in inspect.signature(command).parameters.items():
        value = given.get(name, parameter.default)
        if value != parameter.default and name not in leave_out:
            words += option_words(name, value)
    return shlex.join(words)


class PythonQuestion(Question):
    """What was asked in Python, where a report says how to ask it again."""

    @classmethod
    def of(cls, found: Solution, call: Mapping[str, Any]) -> "PythonQuestion":
        """Return it, of arguments of ``anonymize`` but the frame and defaults."""
        given = {
            "certificate": Path("certificate") if found.certificate else None,
            "recoding": found.problem.coding.recoding,
            "out": None,
        }
        return cls(None, None, {"shuffle": False, **call, **given, "call": call})

    def again(self) -> str:
        """Return the line that asks the same again."""
        # What is too long for a line goes by the name of its own.
        call = self.given["call"].items()
        told = [f"{k}={v!r}" if _plain(v) else f"{k}={k}" for k, v in call]
        return f"release = starmin.anonymize({', '.join(['frame', *told])})"

    def check(self, certificate: Path | None) -> str:
        """Return the line that checks the release, and its certificate if there is."""
        proof = "" if certificate is None else "; release.certificate.check(frame)"
        return f"release.verify(){proof}"


def _plain(value: Any) -> bool:
    """Check whether a value can be written as it is."""
    if isinstance(value, dict):
        return all(map(_plain, (*value, *value.values())))
    if isinstance(value, list | tuple | set):
        return all(map(_plain, value))
    return isinstance(value, str | int | float | None)
