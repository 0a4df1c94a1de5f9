"""What is measured shows itself: as lines of text, in a notebook as HTML, as a plot."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from starmin.frames.rendering import describe
from starmin.inputs.option_groups import in_python
from starmin.instances.errors import expect_extra
from starmin.verify.audit.audit_release import Audit
from starmin.verify.risk.table_risk import Risk

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class _Shown(ABC):
    """Shows a headline and lines; ``more`` is a table below them in a notebook."""

    @abstractmethod
    def _told(self) -> tuple[str, Sequence[tuple[str, str]], Mapping[str, list[str]]]:
        """Return the headline, labelled lines, and the table by column."""

    def __repr__(self) -> str:
        headline, lines, _ = self._told()
        return "\n".join((headline, *(f"{label:<11} {text}" for label, text in lines)))

    def _repr_html_(self) -> str:
        import pyarrow as pa

        headline, lines, more = self._told()
        return describe(headline, lines, pa.table(dict(more)) if more else None)


class ShownRisk(_Shown, Risk):
    """The risk of a table, as ``starmin.risk`` returns it."""

    def _told(self) -> tuple[str, Sequence[tuple[str, str]], Mapping[str, list[str]]]:
        from starmin.report.risk_report import HEADER, candidate_cells, risk_lines

        cells = zip(*map(candidate_cells, self.columns), strict=True)
        notes = (("warning", in_python(note)) for note in self.notes)
        lines = [*risk_lines(self), *notes]
        columns = {name: [*each] for name, each in zip(HEADER, cells, strict=True)}
        return f"Risk of {self.classes.rows:,} rows", lines, columns

    def plot(self) -> "Figure":
        """Draw how many rows are in classes of which sizes."""
        expect_extra("report", "plot")
        from starmin.report.risk_report import class_sizes

        return class_sizes(self)[0]


class ShownAudit(_Shown, Audit):
    """What releases tell, as ``starmin.audit`` returns it."""

    def _told(self) -> tuple[str, Sequence[tuple[str, str]], Mapping[str, list[str]]]:
        from starmin.report.audit_report import audit_lines

        return "Audit", audit_lines(self), {}

    def plot(self) -> "Figure":
        """Draw for each inference which share of the hidden cells it narrows."""
        expect_extra("report", "plot")
        from starmin.report.drawing import SERIES, new_figure, percent_ticks, style

        found: dict[str, Any] = {
            name.replace("_", " "): each.narrowed / each.hidden
            for name, each in self.inferences.items()
            if each is not None and each.hidden
        }
        with style():
            figure, (axes,) = new_figure(1.0 + 0.3 * len(found))
            axes.barh([*found], [*found.values()], color=SERIES[0])
            axes.invert_yaxis()
            axes.set(title="Hidden cells of which more is known", xlim=(0, 1))
            percent_ticks(axes.xaxis)
        return figure
