"""How a column of numbers or times is read, found from its texts."""

from collections.abc import Iterable

from starmin.instances.scales.bands import form_of
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.times.notation import TO
from starmin.instances.times.recognise import form_for, notation_of, written_as
from starmin.verify.cells.band_cells import BAND, BandReading
from starmin.verify.cells.readings import NUMBERS, Reading, Text, ends_of
from starmin.verify.cells.time_cells import TimeReading


def reading_of(texts: Iterable[Text], form: str | None = None) -> Reading:
    """Return how a column is read, from those of its texts that are not missing.

    Parameters
    ----------
    texts
        Values, or ranges of them.
    form
        How times are written; None: found out.

    Examples
    --------
    >>> reading_of(["3", "[4-5]"]).ends("[4-5]")
    (Decimal('4'), Decimal('5'))
    >>> low, high = reading_of(["2024-05-31"]).ends("2024-06-02..2024-06-03")
    >>> high - low == 24 * 3600
    True
    """
    texts = list(texts)
    if form_of([text or "" for text in texts]) and not written_as(texts[0] or ""):
        ends = [found for text in texts if (found := BAND.fullmatch(text or ""))]
        both = [end for found in ends for end in (found[2], found[3])]
        return BandReading.of(reading_of(both, form), texts)
    parts = [part for text in texts for part in (text or "").split(TO)]
    form = form_for(parts, form)
    if form is None:
        parts = [part for part in parts if ends_of(part) is None]
        notation, _ = notation_of(parts)
        form = notation.text if notation else None
    return NUMBERS if form is None else TimeReading.of(form, parts)


def reading_of_scale(scale: NumericScale, texts: Iterable[Text]) -> Reading:
    """Return how the values of a scale are read, these being among them."""
    form = scale.measure.as_json.get("time")
    if "band" in scale.measure.as_json:
        return reading_of(texts, form)
    return NUMBERS if form is None else reading_of(texts, form)
