"""What follows for hidden cells if as little as possible was hidden."""

from collections.abc import Iterator

from figures_of_cells import Figure
from report_page import ReportPage
from two_files import TwoFiles


def of_inferences(files: TwoFiles, page: ReportPage) -> Iterator[Figure]:
    """Yield how many hidden cells are known, or have a value that is ruled out."""
    hidden = sum(
        len(rows)
        * sum(c not in files.cells[q].known for q, c in zip(files.qi, k, strict=True))
        for k, rows in files.classes.items()
    )
    for some, many, whole in page.told(
        r"where rows of a group differ: so ([\d,]+) of ([\d,]+) hidden cells are "
        r"known, if not whose they are, and ([\d,]+) rows in full"
    ):
        known, in_full = _closed(files)
        yield "cells known by closure", some, known
        yield "hidden cells", many, hidden
        yield "rows known by closure", whole, in_full
    for some, many in page.told(
        r"can rule out a value of ([\d,]+) of the ([\d,]+) hidden cells"
    ):
        yield "cells with a value ruled out", some, _narrowed(files)
        yield "hidden cells, again", many, hidden


def _closed(files: TwoFiles) -> tuple[int, int]:
    """Count cells that are known since rows of a class differ where one is hidden.

    A hidden cell that may be one of two values is each of them once in its class; a
    range or a node that has more below it says less.
    """
    known = in_full = 0
    for cells, rows in files.classes.items():
        here, hidden = 0, 0
        for column, cell in zip(files.qi, cells, strict=True):
            if cell in files.cells[column].known:
                continue
            hidden += 1
            if cell == "*" and len(files.cells[column].all_of(cell)) == 2:
                here += 2
        known += here
        in_full += len(rows) if hidden == 1 and here == len(rows) else 0
    return known, in_full


def _narrowed(files: TwoFiles) -> int:
    """Count the hidden cells of which a value is ruled out.

    A row of a class with more than k rows would have moved to a cheaper class that it
    fits: so it fits none. A value is out where these classes have all combinations of
    the class with this value. Where all values are out, the class itself could be
    improved, and nothing is known of its cells.
    """
    at = [{v: i for i, v in enumerate(files.cells[c].known)} for c in files.qi]
    classes = []
    for cells, rows in files.classes.items():
        box = [
            sum(1 << at[j][v] for v in files.cells[c].all_of(cells[j]))
            for j, c in enumerate(files.qi)
        ]
        cost = sum(files.cells[c].loss(cells[j]) for j, c in enumerate(files.qi))
        classes.append((box, cost, len(rows), cells))
    k = min(size for _, _, size, _ in classes)
    count = 0
    for box, cost, size, cells in classes:
        if size <= k:
            continue
        near = [
            other
            for other, price, _, _ in classes
            if price < cost - 1e-9
            and all(a & b for a, b in zip(box, other, strict=True))
        ]
        inside = [[a & b for a, b in zip(box, other, strict=True)] for other in near]
        for j, column in enumerate(files.qi):
            if cells[j] in files.cells[column].known or not inside:
                continue
            out = [
                _covered(
                    [b for b in inside if b[j] >> at[j][v] & 1],
                    [1 << at[j][v] if i == j else a for i, a in enumerate(box)],
                )
                for v in files.cells[column].all_of(cells[j])
            ]
            count += size * (any(out) and not all(out))
    return count


def _covered(boxes: list[list[int]], whole: list[int]) -> bool:
    """Check whether boxes have all combinations of a box: value by value, where not."""
    if not boxes:
        return False
    if any(all(a & b == a for a, b in zip(whole, box, strict=True)) for box in boxes):
        return True
    for j, part in enumerate(whole):
        if any(box[j] & part != part for box in boxes):
            break
    kinds: dict[tuple[bool, ...], int] = {}
    rest = part
    while rest:
        bit = rest & -rest
        rest ^= bit
        kinds.setdefault(tuple(bool(box[j] & bit) for box in boxes), bit)
    if any(not any(kind) for kind in kinds):
        return False
    return all(
        _covered(
            [box for box, has in zip(boxes, kind, strict=True) if has],
            [bit if i == j else a for i, a in enumerate(whole)],
        )
        for kind, bit in kinds.items()
    )
