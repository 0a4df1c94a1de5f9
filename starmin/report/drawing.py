"""A figure of a report: inline in its page, and as files beside it."""

import io
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
from markupsafe import Markup
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# In a page a colour is a variable of its style sheet, which knows of dark screens.
INK, FAINT, RULE, LIGHT = "#1b1f24", "#59636e", "#d5dae0", "#b8c4d2"
SERIES = (
    *("#1f5fa8", "#c2410c", "#15803d", "#7e22ce"),
    *("#0f766e", "#a16207", "#be185d", "#475569"),
)
_VARIABLES = {"#ffffff": "--paper", INK: "--ink", FAINT: "--faint", RULE: "--rule"}
_VARIABLES |= {LIGHT: "--light"}
_VARIABLES |= {color: f"--series-{i}" for i, color in enumerate(SERIES, 1)}
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "starmin",
    "pdf.fonttype": 42,  # letters as letters, which publishers ask for
    "text.parse_math": False,
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlecolor": FAINT,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": FAINT,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "text.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
}
WIDTH = 4.4  # inches, with 9 points: read on a phone, and two beside each other
_LONGEST = 28  # characters of a label


@dataclass(frozen=True)
class Drawing:
    """A finished figure."""

    name: str  # stem of its files
    title: str  # title, text: what it is, and how to read it
    text: str
    alt: str  # what it shows, for those who do not see it
    svg: bytes  # svg, png, pdf: the files; an empty one is not written
    png: bytes
    pdf: bytes

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        text: str,
        alt: str,
        figure: Figure,
        png: bool = True,
    ) -> "Drawing":
        """Render a figure that was made within ``style``; ``png``: for PNG and PDF."""
        vectors, pixels, paper = io.BytesIO(), io.BytesIO(), io.BytesIO()
        with warnings.catch_warnings():
            # Names in scripts that the font of the PNG lacks.
            warnings.filterwarnings("ignore", "Glyph .* missing")
            bare: Any = {"Date": None, "Creator": None}
            figure.savefig(vectors, format="svg", metadata=bare)
            if png:
                # Laid out once: to measure each text again takes as long as to draw it.
                figure.set_layout_engine("none")
                bare = {"Software": None}
                figure.savefig(pixels, format="png", dpi=180, metadata=bare)
                bare = {"CreationDate": None, "Creator": None}
                figure.savefig(paper, format="pdf", metadata=bare)
        files = (vectors.getvalue(), pixels.getvalue(), paper.getvalue())
        return cls(name, title, text, alt, *files)

    def files(self) -> dict[str, bytes]:
        """Return the files by name."""
        files = {"png": self.png, "svg": self.svg, "pdf": self.pdf}
        return {f"{self.name}.{kind}": file for kind, file in files.items() if file}

    @property
    def inline(self) -> Markup:
        """The figure as an element of a page, in the page's font and colours."""
        root = _plain(ElementTree.fromstring(self.svg), self.name)
        root.attrib = {
            "viewBox": root.attrib["viewBox"],
            "role": "img",
            "aria-label": self.alt,
        }
        return Markup(ElementTree.tostring(root, "unicode"))  # it escapes


@contextmanager
def style() -> Iterator[None]:
    """Set the look of all figures, and of nothing else that this process draws."""
    with mpl.rc_context(_STYLE):
        yield


class Picture(Figure):
    """A figure that a notebook shows, whether or not it draws others itself."""

    def _repr_png_(self) -> bytes:
        pixels = io.BytesIO()
        self.savefig(pixels, format="png", dpi=144)
        return pixels.getvalue()


def new_figure(height: float, panels: int = 1) -> tuple[Picture, list[Axes]]:
    """Make a figure with panels above each other, of this height in inches in all."""
    figure = Picture(figsize=(WIDTH, height), layout="constrained")
    return figure, list(figure.subplots(panels, 1, squeeze=False)[:, 0])


def label(name: str) -> str:
    """Write a name as text of a figure: on one line, not too long.

    >>> label("a" * 40)
    'aaaaaaaaaaaaa…aaaaaaaaaaaaaa'
    """
    shown = "".join("�" if unicodedata.category(c)[0] == "C" else c for c in name)
    if len(shown) <= _LONGEST:
        return shown
    head = (_LONGEST - 1) // 2
    return f"{shown[:head]}…{shown[head + 1 - _LONGEST :]}"


def plain_ticks(*axes: Any) -> None:
    """Write at least two plain numbers on each logarithmic axis.

    At powers of ten; over less than two decades at 2 and 5 as well, and over less than
    one at even steps.
    """
    for axis in axes:
        axis.set_major_formatter(ticker.FuncFormatter(lambda x, _: f"{x:,.10g}"))
        axis.set_minor_formatter(ticker.NullFormatter())
        low, high = axis.get_view_interval()
        if low > 0 and high < 10 * low:
            axis.set_major_locator(ticker.MaxNLocator(5, min_n_ticks=3))
        elif low > 0 and high < 100 * low:
            axis.set_minor_formatter(ticker.FuncFormatter(_few))


def _few(x: float, position: int | None) -> str:
    return f"{x:,.3g}" if f"{x:.0e}"[0] in "25" else ""


def percent_ticks(axis: Any) -> None:
    """Show an axis of shares of 1 in percent."""
    axis.set_major_formatter(ticker.PercentFormatter(1.0))


def _plain(root: ElementTree.Element, name: str) -> ElementTree.Element:
    """Strip namespaces, metadata and styles; make names unique."""
    for element in root.iter():
        for child in list(element):
            if child.tag.endswith(("}metadata", "}style")):
                element.remove(child)
        element.tag = element.tag.rpartition("}")[2]
        told = element.attrib.items()
        element.attrib = {k.rpartition("}")[2]: _value(k, v, name) for k, v in told}
    return root


def _value(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key.endswith("href"):
        return f"#{name}-{value.removeprefix('#')}"
    value = value.replace("url(#", f"url(#{name}-")
    if key == "style":
        kept = [p for p in value.split(";") if not p.strip().startswith("font-family")]
        value = ";".join(kept)
        for color, variable in _VARIABLES.items():
            value = value.replace(color, f"var({variable})")
    return value
