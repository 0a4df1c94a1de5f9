"""The files of a frontier: the page, the figure, the numbers, releases and proofs."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from instances import TableError, check_writable, write_atomically
from starmin.frontiers.frontier import Frontier, FrontierPoint
from starmin.frontiers.points import Point
from starmin.inputs.roles import Roles


@dataclass(frozen=True)
class FrontierFiles:
    """The folder that a frontier is written to.

    Attributes
    ----------
    folder
        It is there.
    roles
        With the form of the table, which releases take.
    """

    folder: Path
    roles: Roles

    @classmethod
    def make(cls, folder: Path, roles: Roles) -> "FrontierFiles":
        """Make the folder, and check that files can be written to it.

        Raises
        ------
        TableError
            It cannot be made, or nothing can be written there.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TableError(f"--out: {folder}: {error.strerror}") from error
        check_writable(folder / "frontier.csv")
        return cls(folder, roles)

    @property
    def page(self) -> Path:
        """The page to read."""
        return self.folder / "report.html"

    def release(self, point: Point) -> Path:
        """Name the release of a point."""
        return self.folder / f"{_stem(point)}.csv"

    def certificate(self, point: Point) -> Path:
        """Name the certificate of a point."""
        return self.folder / f"{_stem(point)}.certificate.json"

    def write(self, outcome: Frontier, checks: Sequence[tuple[str, str]]) -> None:
        """Write everything; a file that was there before is replaced.

        Parameters
        ----------
        outcome
            The finished frontier.
        checks
            Of each release what was asked, and the command that checks it.
        """
        from starmin.frontiers.page import frontier_page  # matplotlib takes a second

        for each in outcome.points:
            self._write_point(each)
        self._write("frontier.json", json.dumps(outcome.as_json(), indent=1) + "\n")
        self._write("frontier.csv", _csv(outcome))
        page, figure = frontier_page(outcome, checks)
        self._write("report.html", page)
        for name, content in figure.files().items() if figure else ():
            with write_atomically(self.folder / name) as file:
                file.write(content)

    def _write_point(self, each: FrontierPoint) -> None:
        """Write the release of a point and its certificate, where there are any."""
        if each.summary.release is not None:
            path = self.release(each.asked)
            for suffix, table in each.summary.release.tables().items():
                self.roles.write(table, Path(f"{path}{suffix}"))
        if (proof := each.summary.result.certificate) is not None:
            proof.write(self.certificate(each.asked))

    def _write(self, name: str, text: str) -> None:
        with write_atomically(self.folder / name) as file:
            file.write(text.encode(errors="replace"))


def _stem(point: Point) -> str:
    named = (("k", point.k), ("l", point.l))
    return ".".join(f"{name}{number}" for name, number in named if number is not None)


def _csv(outcome: Frontier) -> str:
    """Write one line for each point."""
    rows = [_flat(each) for each in outcome.points]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _flat(each: FrontierPoint) -> dict[str, object]:
    """Leave out of a row what is no single number or word."""
    left_out = ("requirement", "sensitive", "out")
    return {key: value for key, value in each.row().items() if key not in left_out}
