"""What ``starmin.anonymize`` returns: a release as a frame, and what it is worth."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from starmin.frames.data_frames import text_columns
from starmin.frames.native import Native
from starmin.frames.proof import Proof
from starmin.frames.rendering import Rendering, permuted_frames
from starmin.inputs.loading import Origin
from starmin.instances import (
    IntArray,
    NotSupportedError,
    PartialPartition,
    Partition,
    Progress,
    Result,
    Status,
    Table,
    from_frame,
)
from starmin.instances.errors import expect_extra
from starmin.instances.releases.coding import NONHOMOGENEOUS, PERMUTATION
from starmin.instances.releases.ids import public_table, with_classes_of
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import MASK, of_kind, part_of
from starmin.instances.requirements.requirements import shortly
from starmin.instances.requirements.within import Within
from starmin.instances.runs.progress import savable
from starmin.instances.scales.node_losses import Loss
from starmin.instances.tables.names import some_of
from starmin.outputs.claims import shown_bound
from starmin.outputs.recodings import check_required
from starmin.outputs.summary import Summary
from starmin.process.steps import write_file
from starmin.solving import Solution, Worth
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.releases.disclosure import Disclosure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from starmin.verify.nonhomogeneous.check_nonhomogeneous import NonHomogeneousCheck
    from starmin.verify.releases.mask_check import MaskCheck
    from starmin.verify.releases.release_check import ReleaseCheck

FrameT = TypeVar("FrameT")


@dataclass(frozen=True, eq=False, repr=False)
class Anonymization(Worth, Generic[FrameT]):
    """A release of a data frame, and how near it is to the best there can be.

    Generic in the type of the frame: of one of pandas, ``frame`` is one of pandas.

    Attributes
    ----------
    solution
        What ``solve`` found, the release as a table of text.
    native
        The frame that was given.
    rendering
        How cells are written in the frame of the release.
    order
        The places of the rows in the order in which they are published; None: as they
        were.
    history
        What was told of the search: seconds, value, bound.
    loss
        What ``gcp`` counts of a node.
    call
        The arguments of ``anonymize`` by name, without the frame and defaults.
    given
        The table of the frame where floors made another one of it.

    Examples
    --------
    >>> import polars, starmin
    >>> frame = polars.DataFrame({"age": [30, 30, 41, 42], "sex": list("fmff")})
    >>> starmin.anonymize(frame, k=2)
    Anonymization(4 rows, k = 2 by age and sex: 4 stars, optimal; text now: age)
    """

    solution: Solution
    native: Native
    rendering: Rendering
    order: IntArray | None = None
    history: tuple[Progress, ...] = ()
    loss: Loss | None = None
    call: Mapping[str, Any] = field(default_factory=dict, repr=False)
    given: Table | None = field(default=None, repr=False)

    @property
    def _made(self) -> Solution:
        return self.solution

    @property
    def original(self) -> Table:
        """The table of the frame, before any floor."""
        return self.solution.problem.table if self.given is None else self.given

    @cached_property
    def _frames(self) -> tuple[Any, Any]:
        problem, release = self.solution.problem, self.solution.release
        if release is None:
            return None, None
        if self.recoding == PERMUTATION:
            rows, values = permuted_frames(
                self.native, self.original, release, self.order
            )
            return rows.frame, values.frame
        published = self.solution.published
        assert published is not None
        asked = part_of(problem.requirement, Persons)
        native, original = self.native, self.made_of
        if isinstance(best := self.solution.best, PartialPartition):
            native = native.select(original.names, best.kept)
            original = original.take(best.kept)
        made = self.rendering.frame(
            native,
            original,
            published,
            self.order,
            asked.column if asked is not None and asked.pseudonym else None,
        )
        return made.frame, None

    @property
    def frame(self) -> FrameT | None:
        """The release, of the library of the frame; None where there is none."""
        made: FrameT | None = self._frames[0]
        return made

    @property
    def sensitive_values(self) -> Any:
        """Of a permutation, the second frame: how often each group has which value."""
        return self._frames[1]

    @property
    def groups(self) -> IntArray | None:
        """For each published row its group; None where there are none."""
        best = self.solution.best
        if isinstance(best, PartialPartition):
            best = best.of_kept
        if not isinstance(best, Partition):
            return None
        groups = best.groups if self.order is None else best.groups[self.order]
        return Partition(groups).by_first_rows().groups

    @property
    def units(self) -> Result[Any]:
        """Value and bounds as whole numbers, of the common denominator of losses."""
        return self.solution.units

    @property
    def status(self) -> str:
        """``optimal``, ``feasible`` or ``infeasible``."""
        return self.solution.status.value

    @property
    def limit(self) -> str | None:
        """Why the search stopped before it was done, or None."""
        return None if self.solution.limit is None else self.solution.limit.value

    @property
    def method(self) -> str:
        """The method that found the release."""
        return str(self.solution.stats["method"])

    @property
    def time(self) -> float:
        """Seconds of the search."""
        return self.solution.runtime

    @property
    def recoding(self) -> str:
        """How the release is published."""
        return str(self.rendering.coding.recoding)

    @cached_property
    def certificate(self) -> Proof | None:
        """What proves ``certified_bound``: ``check(frame)``, ``write(path)``."""
        found = self.solution.certificate
        if found is None:
            return None
        shown = shown_bound(self.solution.problem, found.bound)
        coding, loss = self.rendering.coding, self.loss
        return Proof(**vars(found), coding=coding, loss=loss, shown=shown)

    def verify(self) -> "ReleaseCheck | NonHomogeneousCheck | MaskCheck":
        """Check the release against the frame it was made of, from its cells alone.

        Returns
        -------
        ReleaseCheck, NonHomogeneousCheck or MaskCheck
            ``holds`` says whether it satisfies what was asked; ``inconsistencies``
            where it does not tell the truth; and what k, l and losses are.

        Raises
        ------
        ValueError
            There is no release.
        """
        from starmin.outputs.original_checks import value_of
        from starmin.verify.nonhomogeneous.check_nonhomogeneous import (
            check_nonhomogeneous,
        )
        from starmin.verify.releases.permutation_check import (
            check_permutation,
            join_permutation,
        )
        from starmin.verify.releases.release_check import ReleaseCheck

        released, problem = self.reread(), self.solution.problem
        asked, coding, original = problem.requirement, problem.coding, self.original
        if self.recoding == PERMUTATION:
            original = problem.table
        if self.order is not None and not asked.may_delete:
            original = original.take(self.order)
        if self.recoding == PERMUTATION:
            beside = from_frame(
                self.sensitive_values, ["group"], original.sensitive, name="values"
            )
            joined = join_permutation(released, beside)
            return check_permutation(joined, asked, original)
        if self.recoding == NONHOMOGENEOUS:
            cells = read_cells(released, coding, original) if coding.told else None
            return check_nonhomogeneous(released, original, asked, coding.star, cells)
        if part_of(asked, Persons) is None and of_kind(asked, Within) is not None:
            classed = problem.table
            if self.order is not None:
                classed = classed.take(self.order)
            released, original = (
                with_classes_of(each, classed) for each in (released, original)
            )
        check = check_required(released, asked, original, coding)
        if not isinstance(check, ReleaseCheck) or part_of(asked, Persons) is not None:
            return check
        value = value_of(released, asked, original, problem.objective, coding)
        return replace(check, value=value)

    @property
    def made_of(self) -> Table:
        """The table of the frame with the columns that are published of it."""
        return public_table(self.original, self.solution.problem.requirement)

    def reread(self) -> Table:
        """Return the frame as a table; where stars or ranges are no text, the text."""
        published, table = self._expect_release(), self.solution.problem.table
        if self.rendering.stars == "text" and not self.rendering.intervals:
            if self.recoding == PERMUTATION:
                return from_frame(self.frame)
            return from_frame(self.frame, table.qi, table.sensitive)
        return published if self.order is None else published.take(self.order)

    def _expect_release(self) -> Table:
        """Return what is published, or raise ValueError where nothing is."""
        if self.solution.published is None:
            raise ValueError(f"There is no release: {self.reason}.")
        return self.solution.published

    @cached_property
    def _summary(self) -> Summary:
        found, release = self.solution, self.solution.release
        origin = Origin(found.problem.table.name)
        told = found.problem, origin, found.units
        return Summary(*told, release, found.runtime, None)

    @property
    def disclosure(self) -> Disclosure:
        """What is published beside the quasi-identifiers, and what that tells.

        ``disclosure.unchanged`` has the columns, and how many rows are unique by them;
        ``disclosure.undone`` the hidden cells that such columns tell.
        """
        return self._summary.disclosure

    def summary(self) -> str:
        """Return what was found in a few lines to read."""
        lines = self._summary.lines()
        return "\n".join(f"{label:<9} {text}" for label, text in lines)

    def as_json(self) -> dict[str, Any]:
        """Return the keys of ``starmin solve --json``."""
        return self._summary.as_json()

    def report(self, path: Path | str, *, population: Any = None) -> None:
        """Write a page on the release: what it hides, risks and is worth, and why.

        Parameters
        ----------
        path
            Of a file ``.html``.
        population
            A table or frame of all people, in columns named alike: the page tells how
            well a journalist finds one of them, before and after.
        """
        expect_extra("report", "report")
        from starmin.frames.frame_problem import people_of
        from starmin.instances.requirements.rule_options import read_population
        from starmin.report.recheck import PythonQuestion
        from starmin.report.release.release_page import release_page
        from starmin.verify.risk.candidates import expect_people

        self._expect_release()
        if self.solution.problem.requirement.space == MASK:
            raise NotSupportedError(
                "A release by rules over combinations has no report."
            )
        question = PythonQuestion.of(self.solution, self.call)
        people = None
        if population is not None:
            people = read_population(people_of(population), None)
            expect_people(people, self.solution.problem.table)
        page = release_page(self._summary, question, people)
        write_file(Path(path), page.encode(errors="replace"))

    def plot(self) -> "Figure":
        """Draw value and bound by time, and what each column has lost."""
        expect_extra("report", "plot")
        from starmin.frames.pictures import draw

        self._expect_release()
        return draw(self.solution, self.history)

    def __repr__(self) -> str:
        return f"Anonymization({self.solution.problem.table.n:,} rows, {self.headline})"

    @property
    def headline(self) -> str:
        """What was asked by which columns, and what was found, on a line."""
        problem = self.solution.problem
        asked = problem.requirement.as_json().items()
        what = ", ".join(f"{name} = {shortly(value)}" for name, value in asked)
        line = f"{what} by {some_of(problem.table.qi)}: {self._found}"
        if self.frame is not None:
            before, now = (text_columns(f) for f in (self.native.frame, self.frame))
            if names := [n for n in self.made_of.qi if n in {*now} - {*before}]:
                line += f"; text now: {some_of(names)}"  # of another type before
        if (told := self.disclosure.unchanged) is not None:
            line += f"; published as they are: {some_of(told.columns)}, by which "
            line += f"{told.unique_rows:,} rows are unique"
        return line

    @property
    def _found(self) -> str:
        """What was found, on half a line."""
        if self.reason is not None:
            return f"infeasible, {self.reason}"
        unit = "" if self.solution.problem.objective.kind == "gcp" else " "
        unit += self.solution.problem.objective.kind
        value = f"{self.value:.2%} lost" if unit == "gcp" else f"{self.value:,}{unit}"
        if self.recoding == PERMUTATION:
            value = f"groups worth {value}"
        if self.solution.status is Status.OPTIMAL:
            return f"{value}, {self.claim}"
        if not self.lower_bound:
            return value
        part = savable(self.value, self.lower_bound)
        return f"{value}, at most {part} of it could be saved"

    def _repr_html_(self) -> str:
        from starmin.frames.rendering import describe

        return describe(self.headline, self._summary.lines(), self.frame)
