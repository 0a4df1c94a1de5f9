"""The lines of Python that make a release again and check it, for its report."""

from pathlib import Path

from starmin.report.recheck import Question
from starmin.solution import Solution


class PythonQuestion(Question):
    """What was asked in Python, where a report says how to ask it again."""

    @classmethod
    def of(cls, found: Solution, shuffled: bool) -> "PythonQuestion":
        """Return what was asked.

        Parameters
        ----------
        found
            What was found.
        shuffled
            Whether the rows are published in another order.
        """
        given = {
            "certificate": Path("certificate") if found.certificate else None,
            "shuffle": shuffled,
            "recoding": found.problem.coding.recoding,
            "out": None,
        }
        return cls(None, None, given | {"problem": found.problem})

    def again(self) -> str:
        """Return the line that makes the release again."""
        problem = self.given["problem"]
        told = {"qi": list(problem.table.qi)}
        if problem.table.sensitive:
            told["sensitive"] = list(problem.table.sensitive)
        told |= problem.requirement.as_json() | {"recoding": self.given["recoding"]}
        arguments = ", ".join(f"{name}={value!r}" for name, value in told.items())
        return f"release = starmin.anonymize(frame, {arguments})"

    def check(self, certificate: Path | None) -> str:
        """Return the line that checks the release, and its certificate if there is."""
        proof = "" if certificate is None else "; release.certificate.check(frame)"
        return f"release.verify(){proof}"
