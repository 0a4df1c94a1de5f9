"""Rows of the page on the corpus, counted from the lines that ``run.py`` keeps."""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

Line = dict[str, Any]
Row = dict[str, str]
WITHIN = (0.0, 0.1, 1.0, 5.0, 10.0, 50.0)  # per cent
AT_THE_END = 0.75  # of the seconds of a run
BEHIND = 0.005


def by_kind(lines: Sequence[Line]) -> dict[str, list[Line]]:
    """Group lines by the kind of their problem; all of them together come last."""
    found: dict[str, list[Line]] = defaultdict(list)
    for line in sorted(lines, key=kind_of):
        found[kind_of(line)].append(line)
    return {**found, "all": [*lines]}


def kind_of(line: Line) -> str:
    return str(line["problem"]).partition("/")[0]


def solved(lines: Sequence[Line]) -> list[Line]:
    """Return runs of ``auto`` that found a release, and one that holds."""
    return [line for line in lines if line["method"] == "auto" and holds(line)]


def holds(line: Line) -> bool:
    return line.get("value") is not None and "fault" not in line


def gap(line: Line) -> float:
    """Return how far a value is above its certified bound; infinite without one."""
    value, bound = line["value"], line["certified"]
    if value == bound or value == 0:
        return 0.0
    return math.inf if not bound else float(value / bound - 1)


def shares(lines: Sequence[Line], known: Line) -> Iterator[Row]:
    """Yield a row for each kind of problem."""
    for kind, some in by_kind(lines).items():
        own = solved(some)
        gaps = sorted(map(gap, own))
        proven = gaps.count(0.0)
        integral = statistics.fmean([primal_integral(x, known) for x in own] or [0])
        others = any(line["method"] != "auto" for line in some)
        worse = sum(behind(line, some) > BEHIND for line in own)
        asked = [line for line in some if line["method"] == "auto"]
        yield {
            "kind": kind,
            "limit": f"{some[0]['limit']:g} s",
            "problems": str(len(asked)),
            "with a release": str(len(own)),
            "proven": str(proven),
            "share proven": f"{100 * proven / max(1, len(own)):.0f} %",
            "gap, median": quantile(gaps, 0.5),
            "gap, 90 %": quantile(gaps, 0.9),
            "gap, greatest": quantile([*filter(math.isfinite, gaps)], 1.0),
            "no bound": str(gaps.count(math.inf)),
            "behind another method": str(worse) if others else "-",
            "primal integral": f"{integral:.2f} %",
            "faults": str(sum("fault" in line for line in some)),
        }


def profile(lines: Sequence[Line]) -> Iterator[Row]:
    """Yield for each gap how many problems of each kind are within it."""
    kinds = {kind: [*map(gap, solved(x))] for kind, x in by_kind(lines).items()}
    for most in WITHIN:
        counts = {
            kind: str(sum(100 * each <= most for each in gaps))
            for kind, gaps in kinds.items()
        }
        yield {"gap at most": f"{most:g} %"} | counts


def worst(lines: Sequence[Line], known: Line, count: int) -> Iterator[Row]:
    """Yield the problems with the greatest gaps; of equal ones the slowest first."""
    some = solved(lines)
    some.sort(key=lambda line: (gap(line), line["seconds"]), reverse=True)
    for rank, line in enumerate(some[:count], 1):
        yield {
            "rank": str(rank),
            "problem": line["problem"],
            "table": line["table"],
            "rows": str(line["rows"]),
            "asked": told(line),
            "value": number(line["value"]),
            "certified": number(line["certified"]),
            "gap": quantile([gap(line)], 1.0),
            "reason": reason(line, known),
        }


def run_row(line: Line, known: Line) -> Row:
    """Return the row of a run."""
    found = holds(line)
    return {
        "problem": line["problem"],
        "table": line["table"],
        "rows": str(line["rows"]),
        "kind": kind_of(line),
        "asked": told(line),
        "method": line["method"],
        "limit": f"{line['limit']:g}",
        "status": line.get("status") or ("refused" if "refused" in line else "fault"),
        "value": number(line.get("value")),
        "certified": number(line.get("certified")),
        "gap %": in_full(gap(line)) if found else "-",
        "seconds": f"{line['seconds']:.2f}" if "seconds" in line else "-",
        "primal integral": f"{primal_integral(line, known):.2f}" if found else "-",
    }


def in_full(share: float) -> str:
    """Write a gap in per cent with all that pictures need of it."""
    return "none" if math.isinf(share) else f"{100 * share:.4g}"


def told(line: Line) -> str:
    """Say what is asked, in short."""
    asked = line["asked"]
    names = [name for name in ("k", "l", "alpha", "t") if name in asked]
    parts = [f"{name} = {asked[name]}" for name in names]
    numeric, trees = len(asked.get("numeric") or ()), len(line.get("trees") or ())
    how = [f"{numeric} of numbers"] if numeric and "recoding" in asked else []
    how += [f"{trees} with a hierarchy"] if trees else []
    columns = f"{len(asked['qi'])} column{'s' * (len(asked['qi']) != 1)}"
    return ", ".join([*parts, columns, *how])


def reason(line: Line, known: Line) -> str:
    """Say why a gap is left, as far as the run and other runs show it."""
    if not (left := gap(line)):
        return f"proven after {line['seconds']:.1f} s"
    said = []
    value, bound = known[line["problem"]]["value"], known[line["problem"]]["bound"]
    if math.isinf(left):
        said.append("no bound that a certificate proves")
    if line["bound"] and line["certified"] and line["bound"] > line["certified"]:
        said.append(f"a bound of {number(line['bound'])} without a certificate")
    if value is not None and value < line["value"]:
        said.append(f"a release of {number(value)} is known")
    if bound is not None and line["certified"] and bound > line["certified"]:
        said.append(f"a bound of {number(bound)} is known")
    if line["seconds"] < AT_THE_END * line["limit"]:
        said.append(f"the search was done after {line['seconds']:.1f} s")
    for word, at, moved in (("value", 1, "fell"), ("bound", 2, "rose")):
        last = last_change(line["history"], at)
        if last is None:
            continue
        if last >= AT_THE_END * line["limit"]:
            said.append(f"the {word} still {moved} when time ended")
        else:
            said.append(f"the {word} {moved} until {last:.1f} s")
    return "; ".join(said)


def last_change(history: Sequence[Sequence[float | None]], at: int) -> float | None:
    """Return when the value or the bound changed for the last time."""
    changes = [
        now[0]
        for before, now in zip([[0, None, None], *history], history, strict=False)
        if now[at] is not None and now[at] != before[at]
    ]
    return changes[-1] if changes else None


def behind(line: Line, lines: Sequence[Line]) -> float:
    """Return by how much a run of ``auto`` is worse than the best other method."""
    others = [
        other["value"]
        for other in lines
        if other["problem"] == line["problem"] and other["method"] != "auto"
        if holds(other)
    ]
    if not others or line["value"] <= (best := min(others)):
        return 0.0
    return float(line["value"] / best - 1) if best else math.inf


def primal_integral(line: Line, known: Line) -> float:
    """Return the mean gap to the best known value over a run, in per cent."""
    best, whole = known[line["problem"]]["value"], max(line["limit"], 1e-9)
    before, at, total = 100.0, 0.0, 0.0
    for seconds, value, _ in line["history"]:
        until = min(seconds, whole)
        total += before * (until - at)
        at = until
        if value is not None:
            before = 100 * (1 - best / value) if value else 0.0
    return (total + before * (whole - at)) / whole


def quantile(sorted_values: Sequence[float], share: float) -> str:
    """Return a quantile of shares as a percentage."""
    if not sorted_values:
        return "-"
    place = math.ceil(share * len(sorted_values)) - 1
    value = sorted_values[max(0, place)]
    return "none" if math.isinf(value) else per_cent(value)


def per_cent(share: float) -> str:
    """Write a share; what is not 0 is not written as 0."""
    return "< 0.01 %" if 0 < share < 5e-5 else f"{100 * share:.2f} %"


def number(value: float | None) -> str:
    """Write a value: stars as they are, losses with four digits."""
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.4g}"
