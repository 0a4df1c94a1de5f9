"""The lines of Python that ask for a release again and check it, for its report."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starmin.report.recheck import Question
from starmin.solving import Solution

_PLAIN = (str, int, float, type(None))


class PythonQuestion(Question):
    """What was asked in Python, where a report says how to ask it again."""

    @classmethod
    def of(cls, found: Solution, call: Mapping[str, Any]) -> "PythonQuestion":
        """Return what was asked.

        ``call`` has the arguments of ``anonymize`` by name, without the frame and
        defaults.
        """
        given = {
            "certificate": Path("certificate") if found.certificate else None,
            "recoding": found.problem.coding.recoding,
            "out": None,
        }
        return cls(None, None, {"shuffle": False, **call, **given, "call": call})

    def again(self) -> str:
        """Return the line that asks the same again."""
        told = [_argument(name, value) for name, value in self.given["call"].items()]
        return f"release = starmin.anonymize({', '.join(['frame', *told])})"

    def check(self, certificate: Path | None) -> str:
        """Return the line that checks the release, and its certificate if there is."""
        proof = "" if certificate is None else "; release.certificate.check(frame)"
        return f"release.verify(){proof}"


def _argument(name: str, value: Any) -> str:
    """Write an argument; what is too long for a line goes by the name of its own."""
    return f"{name}={value!r}" if _plain(value) else f"{name}={name}"


def _plain(value: Any) -> bool:
    """Check whether a value can be written as it is."""
    if isinstance(value, dict):
        return all(map(_plain, (*value, *value.values())))
    if isinstance(value, list | tuple | set):
        return all(map(_plain, value))
    return isinstance(value, _PLAIN)
