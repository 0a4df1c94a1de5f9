"""The numbers of a column in their order, and what their ranges lose."""

import math
from fractions import Fraction
from itertools import pairwise

from starmin.verify.checker.problem.column_floors import Cap
from starmin.verify.checker.problem.decimals import band, exact
from starmin.verify.checker.problem.times import Times
from starmin.verify.checker.reading import listed_in
from starmin.verify.checker.words import Content, RefusalError

MOST_EXACT = 2**53  # lengths up to it are counted as they are
PARTS = 2**32  # that longer ones are counted in
LINE = {"step", "width", "loss", "time", "band"}  # of scales that may be there


class Line:
    """The numbers of a column in their order, and what their ranges lose.

    ``places`` has the place of each text; missing values have the first ones. A range
    from one place to another loses ``ends[high] - begins[low]``, ``shortest`` at least;
    beyond ``reach[low]`` it is hidden, which loses ``whole``. A single place loses what
    ``single`` has of it: nothing, unless it is a top or a bottom.
    """

    def __init__(self, texts: set[str], scale: Content, cap: Cap | None = None) -> None:
        if not {"scale", "missing"} <= set(scale) <= {*LINE, "scale", "missing"}:
            raise RefusalError("a scale of numbers has an entry of unknown name")
        if scale.get("loss", "stars") != "stars":
            raise RefusalError("losses of numbers are by length, or of stars alone")
        absent = {text or "" for text in listed_in(scale["missing"])}
        missing = sorted(text for text in texts if text in absent)
        low, _, high = scale.get("width", "..").partition("..")
        low, high = (
            end.removesuffix("second").removesuffix("month") for end in (low, high)
        )
        shortest = exact(low) if low else Fraction(0)
        step, times = Fraction(0), None
        bands = {text: (text, text) for text in texts - absent}
        if "band" in scale:
            if cap or {"step", "width"} & set(scale):
                raise RefusalError("ranges as values are not rounded or cut off")
            bands = {text: band(text, scale["band"]) for text in bands}
        if "time" in scale:
            if cap:
                raise RefusalError("a top or a bottom is for numbers, not for times")
            times = Times(
                scale["time"], {end for both in bands.values() for end in both}
            )
        elif "step" in scale:
            step = exact(scale["step"])
            shortest = math.ceil(shortest / step) * step
        spans = {text: cap.ends(text) if cap else None for text in texts - absent}

        def number(text: str) -> Fraction:
            return times.number(text) if times else exact(text)

        def value_of(text: str) -> Fraction:
            span = spans[text]
            if span is None or cap is None:
                return number(bands[text][0])
            return span[text == cap.texts[1]]

        def down(value: Fraction) -> Fraction:
            if times and "step" in scale:
                return times.begin(value, scale["step"])
            return value // step * step if step else value

        def up(value: Fraction) -> Fraction:
            if times and "step" in scale:
                return times.end(value, scale["step"])
            return -down(-value)

        known = sorted((value_of(text), text) for text in texts - absent)
        values = [value for value, _ in known]
        begins = [down(value) for value in values]
        ends = [
            number(bands[text][1]) if "band" in scale else up(value)
            for value, text in known
        ]
        if "band" in scale and any(a >= b for a, b in pairwise(ends)):
            raise RefusalError("of ranges as values one is within another one")
        alone = [Fraction(0)] * len(known)
        for place, (_, text) in enumerate(known):
            if cap is None or (span := spans[text]) is None:
                continue
            if text == cap.texts[0]:
                ends[place] = up(cap.greatest)
                alone[place] = ends[place] - span[0]
            else:
                begins[place] = down(cap.least)
                alone[place] = span[1] - begins[place]
        all_of = values if cap is None else [*values, cap.least, cap.greatest]
        edges = [*begins, *ends, *map(down, all_of), *map(up, all_of)]
        first, last = min(edges, default=Fraction(0)), max(edges, default=Fraction(0))
        lengths = [x - first for x in (*all_of, *edges)] + [shortest, *alone]
        parts = math.lcm(*(length.denominator for length in lengths))
        unit = Fraction(math.gcd(*(int(x * parts) for x in lengths)) or 1, parts)
        if (total := last - first) / unit > MOST_EXACT:
            # Too fine for 64 bits: by the ends alone, or rounded down as the search.
            unit = Fraction(
                math.gcd(*(int(x * parts) for x in lengths[len(all_of) :])), parts
            )
            if total / unit > MOST_EXACT:
                unit = total / PARTS
        self.reach, at = list(range(len(missing))), len(missing) - 1
        for place, begin in enumerate(begins, start=len(missing)):
            while at + 1 < len(missing) + len(ends) and (
                not high or ends[at + 1 - len(missing)] <= begin + exact(high)
            ):
                at += 1
            self.reach.append(max(place, at))
        if cap is not None and set(cap.texts) <= set(texts):
            # From the bottom to the top is all of the column.
            self.reach[len(missing)] = min(
                self.reach[len(missing)], len(self.reach) - 2
            )
        self.apart, apart = len(missing), [0] * len(missing)
        free = "loss" in scale
        self.begins = apart + [0 if free else int((x - first) / unit) for x in begins]
        self.ends = apart + [0 if free else int((x - first) / unit) for x in ends]
        self.single = apart + [0 if free else int(x / unit) for x in alone]
        self.shortest = 0 if free else int(shortest / unit)
        self.whole = max(1, *self.ends, 0)
        ordered = [*missing, *(text for _, text in known)]
        self.places = {text: place for place, text in enumerate(ordered)}

    def loss(self, low: int, high: int) -> int:
        """Return what a row pays for the range between two places."""
        if low == high:
            return self.single[low]
        if high > self.reach[low]:
            return self.whole
        return max(self.ends[high] - self.begins[low], self.shortest)
