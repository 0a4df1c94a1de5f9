"""The files of a frontier: the page, the figure, the numbers, releases and proofs."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from starmin.frontiers.frontier_outcome import Frontier, FrontierPoint
from starmin.frontiers.points import Point
from starmin.inputs.roles import Roles
from starmin.instances import check_writable, write_atomically
from starmin.instances.errors import lacking
from starmin.instances.io.atomic import make_folder
from starmin.instances.tables.random_orders import secret_order
from starmin.outputs.files import Outputs
from starmin.process.say import say
from starmin.process.steps import Steps


@dataclass(frozen=True)
class FrontierFiles:
    """The folder that a frontier is written to."""

    folder: Path  # it is there
    roles: Roles  # with the form of the table, which releases take
    # whether each release has its rows in an order of its own, which nobody can draw
    # again
    shuffle: bool = False

    @classmethod
    def make(cls, folder: Path, roles: Roles, shuffle: bool) -> "FrontierFiles":
        """Make the folder, and check that files can be written to it.

        Raises TableError where it cannot be made, or nothing can be written there.
        """
        make_folder(folder, "--out")
        check_writable(folder / "frontier.csv")
        return cls(folder, roles, shuffle)

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

    def publish(self, each: FrontierPoint, steps: Steps) -> FrontierPoint:
        """Write the release of a point, if it has one; where that fails, plainly.

        A file that was there before is replaced. ``steps`` is told of what was written,
        and of what failed; the point that is returned says where its release is.
        """
        summary, out = each.summary, None
        if summary.release is not None:
            outputs = Outputs(self.release(each.asked))
            n = summary.problem.table.n
            order = secret_order(n, None) if self.shuffle else None
            out = outputs.publish(summary.release, order, self.roles, steps)
        return replace(each, summary=replace(summary, out=out))

    def write(
        self, outcome: Frontier, checks: Sequence[tuple[str, str]], steps: Steps
    ) -> None:
        """Write all but the releases; a file that was there before is replaced.

        ``checks`` has for each release what was asked, and the command that checks it.
        ``steps`` is told of what was written, and of what failed.
        """
        for each in outcome.points:
            if (proof := each.summary.result.certificate) is not None:
                path = self.certificate(each.asked)
                with steps.step("certificate", path):
                    proof.write(path)
        path = self.folder / "frontier.json"
        with steps.step("result", path):
            text = json.dumps(outcome.as_json(), indent=1) + "\n"
            self._write(path.name, text.encode(errors="replace"))
        path = self.folder / "frontier.csv"
        with steps.step("result", path):
            self._write(path.name, _csv(outcome).encode(errors="replace"))
        if why := lacking("report"):
            say(f"{self.page} is not written: {why}")
            return
        with steps.step("report", self.page):
            # It loads matplotlib.
            from starmin.frontiers.frontier_page import frontier_page

            page, figure = frontier_page(outcome, checks)
            self._write(self.page.name, page.encode(errors="replace"))
            for name, content in figure.files().items() if figure else ():
                self._write(name, content)

    def _write(self, name: str, content: bytes) -> None:
        with write_atomically(self.folder / name) as file:
            file.write(content)


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
    left_out = ("requirement", "sensitive", "unchanged", "undone", "range_ends", "out")
    return {key: value for key, value in each.row().items() if key not in left_out}
