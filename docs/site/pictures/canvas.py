"""Writes small SVG pictures: for light and dark pages, and for a telephone.

A picture is 420 units wide and has no background. Where it is shown 380 pixels wide,
its smallest text has 13 pixels. Colours are named by what they are for, and each has a
light and a dark form, which the reader's page chooses.
"""

from collections.abc import Sequence
from html import escape

WIDTH = 420
SMALLEST = 14.5  # units: 13 pixels and a little more at 380 pixels
LINE = 20  # from one line of text to the next
COLOURS = {  # light page, dark page
    "ink": ("#1f2328", "#e6e8eb"),
    "faint": ("#59636e", "#a5adb8"),
    "line": ("#b5bcc5", "#56606c"),
    "paper": ("#f1f3f6", "#23292f"),
    "hidden": ("#333b44", "#d5d9de"),
    "on_hidden": ("#ffffff", "#16191d"),
    "mark": ("#9a3412", "#fbb27c"),
    "on_mark": ("#ffffff", "#16191d"),
    "value": ("#b03a2e", "#ff8a7a"),
    "bound": ("#1f5fa8", "#7db4f0"),
    "between": ("#e3e6ea", "#2e353d"),
    "band_1": ("#d7e6f5", "#1d3a57"),
    "band_2": ("#fbe1c8", "#553618"),
    "band_3": ("#d8ecd4", "#21442a"),
    "band_4": ("#f5d8d8", "#572a2a"),
    "band_5": ("#e5dcf1", "#3d2f58"),
}
BANDS = [name for name in COLOURS if name.startswith("band")]
FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
Point = tuple[float, float]


def plain(number: float) -> str:
    """A number with at most one digit after the point."""
    return f"{round(number, 1):g}"


class Canvas:
    """A picture that grows shape by shape.

    Parameters
    ----------
    height
        In units.
    title
        What the picture shows, for who does not see it.
    """

    def __init__(self, height: float, title: str) -> None:
        self.height = height
        self.title = title
        self.shapes: list[str] = []
        self.used: set[tuple[str, str]] = set()

    def _colour(self, kind: str, role: str) -> str:
        self.used.add((kind, role))
        return f"{kind}-{role}"

    def text(
        self,
        at: Point,
        words: str,
        role: str = "ink",
        *,
        size: float = SMALLEST,
        anchor: str = "start",
        bold: bool = False,
    ) -> None:
        """A line of text; ``anchor`` is start, middle or end."""
        if size < SMALLEST:
            raise ValueError(f"{words!r} is too small to be read: {size} units.")
        x, y = map(plain, at)
        weight = ' font-weight="bold"' if bold else ""
        self.shapes.append(
            f'<text x="{x}" y="{y}" font-size="{plain(size)}" text-anchor="{anchor}"'
            f'{weight} class="{self._colour("fill", role)}">{escape(words)}</text>'
        )

    def box(
        self,
        at: Point,
        size: Point,
        role: str | None = None,
        *,
        edge: str | None = None,
        round_by: float = 0,
    ) -> None:
        """A rectangle: filled, with an edge, or both."""
        (x, y), (width, height) = map(plain, at), map(plain, size)
        self.shapes.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" '
            f'rx="{plain(round_by)}"{self._look(role, edge)}/>'
        )

    def dot(self, at: Point, radius: float, role: str) -> None:
        """A filled circle."""
        x, y = map(plain, at)
        look = self._look(role, None)
        self.shapes.append(f'<circle cx="{x}" cy="{y}" r="{plain(radius)}"{look}/>')

    def number(self, at: Point, digit: int) -> None:
        """A number in a circle, which the page explains."""
        self.dot(at, 12, "mark")
        below = (at[0], at[1] + 5.2)
        self.text(below, str(digit), "on_mark", anchor="middle", bold=True)

    def path(
        self, points: Sequence[Point], role: str, *, width: float = 1, dash: str = ""
    ) -> None:
        """A line through points."""
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.shapes.append(
            f'<polyline points="{_joined(points)}" stroke-width="{plain(width)}" '
            f'fill="none"{dashes} class="{self._colour("stroke", role)}"/>'
        )

    def arrow(self, points: Sequence[Point], role: str) -> None:
        """A line with a tip; its last part goes right or down."""
        (x, y), before = points[-1], points[-2]
        self.path([*points[:-1], (x, y)], role, width=1.5)
        back, aside = 8, 4.5
        if before[0] == x:
            wings = [(x - aside, y - back), (x + aside, y - back)]
        else:
            wings = [(x - back, y - aside), (x - back, y + aside)]
        self.area([(x, y), *wings], role)

    def area(self, points: Sequence[Point], role: str) -> None:
        """What lies within points."""
        look = self._look(role, None)
        self.shapes.append(f'<polygon points="{_joined(points)}"{look}/>')

    def _look(self, role: str | None, edge: str | None) -> str:
        names = [self._colour("fill", role)] if role else []
        names += [self._colour("stroke", edge)] if edge else []
        empty = "" if role else ' fill="none"'
        return f'{empty} class="{" ".join(names)}"'

    def svg(self) -> str:
        """The picture as a file."""
        rules = [
            [
                f".{kind}-{role}{{{kind}:{COLOURS[role][dark]}}}"
                for kind, role in sorted(self.used)
            ]
            for dark in (0, 1)
        ]
        size = f'viewBox="0 0 {WIDTH} {plain(self.height)}" width="{WIDTH}"'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
            f'height="{plain(self.height)}" role="img" font-family="{FONT}">'
        )
        lines = [head, f"<title>{escape(self.title)}</title>", "<style>"]
        lines += [*rules[0], "@media (prefers-color-scheme: dark) {", *rules[1], "}"]
        return "\n".join([*lines, "</style>", *self.shapes, "</svg>"]) + "\n"


def _joined(points: Sequence[Point]) -> str:
    return " ".join(f"{plain(x)},{plain(y)}" for x, y in points)
