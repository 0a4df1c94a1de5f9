"""The figures of the downstream check: least squares by Gauss, of own features."""

from collections import Counter
from collections.abc import Iterator

from figures_of_cells import Figure
from report_page import ReportPage
from two_files import NO_VALUE, TwoFiles, place

Line = list[float]
_MANY, _VALUES = 12, 20  # numbers from which a column is one; values with an indicator


class _Feature:
    """A column as numbers: one, or an indicator for each of the frequent values."""

    def __init__(self, files: TwoFiles, column: str) -> None:
        self.files, self.column = files, column
        self.cells = files.cells.get(column)
        counts = Counter(row[column] for row in files.before)
        known = [v for v in counts if v not in NO_VALUE]
        self.top = sorted(known, key=lambda v: (-counts[v], v))[:_VALUES]
        self.is_number = len(known) > _MANY and all(map(_is_number, known))

    def line(self, cell: str, after: bool) -> Line | None:
        """Return the mean of what a cell may be; None where nothing is told."""
        some = (cell,)
        if after and self.cells is not None:
            some = self.cells.told(cell)
        lines = [self._one(v) for v in some if v not in NO_VALUE]
        return [sum(x) / len(lines) for x in zip(*lines, strict=True)] or None

    def _one(self, value: str) -> Line:
        if self.is_number:
            return [place(value)]
        return [float(value == each) for each in self.top]

    def lines(self, after: bool) -> list[Line | None]:
        """Return those of all rows."""
        rows = self.files.after if after else self.files.before
        found = {
            cell: self.line(cell, after) for cell in {r[self.column] for r in rows}
        }
        return [found[row[self.column]] for row in rows]


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def of_model(
    files: TwoFiles, page: ReportPage, formula: str | None
) -> Iterator[Figure]:
    """Yield how well models predict that were trained on original and release.

    Rows 1, 3, 5, .. train, the others test as they are in the original.
    """
    shown = page.lines("model")
    if not shown or formula is None:
        return
    target, features = formula.split("~")
    goal = _Feature(files, target.strip())
    parts = [_Feature(files, name.strip()) for name in features.split("+")]
    truth = goal.lines(after=False)
    test = [i for i in range(1, files.n, 2) if truth[i] is not None]
    x_test = _filled([part.lines(after=False) for part in parts])
    base = [y for i in range(0, files.n, 2) if (y := truth[i]) is not None]
    mean = [sum(each) / len(base) for each in zip(*base, strict=True)]
    scores = [_measured([mean] * len(test), [truth[i] for i in test], goal.is_number)]
    for after in (False, True):
        x = _filled([part.lines(after) for part in parts])
        y = goal.lines(after)
        train = [i for i in range(0, files.n, 2) if y[i] is not None]
        fit = _fit([x[i] for i in train], [y[i] for i in train])
        found = [[_dot(x_test[i], b) for b in fit] for i in test]
        scores.append(_measured(found, [truth[i] for i in test], goal.is_number))
    for line, score in zip(shown, scores, strict=True):
        measure = next(name for name in line if name != "Trained on")
        yield f"{measure} of {line['Trained on'][0]}", line[measure][1], score


def _filled(columns: list[list[Line | None]]) -> list[Line]:
    """Join features; what is not known is the mean of what trains."""
    found: list[Line] = [[1.0] for _ in columns[0]]
    for lines in columns:
        known = [line for line in lines[::2] if line is not None]
        mean = [sum(x) / len(known) for x in zip(*known, strict=True)]
        for row, line in zip(found, lines, strict=True):
            row += mean if line is None else line
    return found


def _fit(x: list[Line], y: list[Line]) -> list[Line]:
    """Return the coefficients of each output; what is redundant has 0."""
    width, outputs = len(x[0]), len(y[0])
    gram = [[0.0] * (width + outputs) for _ in range(width)]
    for line, out in zip(x, y, strict=True):
        whole = [*line, *out]
        for i, value in enumerate(line):
            if value:
                row = gram[i]
                for j, other in enumerate(whole):
                    row[j] += value * other
    for i in range(1, width):  # so much of a ridge, as the downstream check has
        gram[i][i] *= 1 + 1e-6
    used = []
    scale = [gram[i][i] for i in range(width)]
    for i in range(width):
        if gram[i][i] <= 1e-9 * max(scale[i], 1.0):
            continue
        used.append(i)
        head = [value / gram[i][i] for value in gram[i]]
        for j in range(width):
            if j != i and (factor := gram[j][i]):
                gram[j] = [a - factor * b for a, b in zip(gram[j], head, strict=True)]
        gram[i] = head
    fit = [[0.0] * width for _ in range(outputs)]
    for i in used:
        for o in range(outputs):
            fit[o][i] = gram[i][width + o]
    return fit


def _dot(one: Line, other: Line) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _measured(found: list[Line], truth: list[Line | None], numeric: bool) -> float:
    known = [line for line in truth if line is not None]
    if not numeric:
        pairs = zip(found, known, strict=True)
        return sum(t[f.index(max(f))] for f, t in pairs) / len(known)
    mean = sum(t[0] for t in known) / len(known)
    around = sum((t[0] - mean) ** 2 for t in known)
    off = sum((t[0] - f[0]) ** 2 for f, t in zip(found, known, strict=True))
    return 1 - off / around
