"""The page of ``starmin audit``: what a release tells, one sentence an inference."""

from importlib.metadata import version
from typing import Any, Literal

from starmin.report.page import Cell, DataTable, number, render, title_of
from starmin.verify.audit.audit_release import Audit, Knows, Model
from starmin.verify.audit.inference import Inference

_MODELS = {
    "optimal": "the release is taken to be made by a search that hides as little "
    "as possible",
    "stages": "the release is taken to be made by stages of rising generality, as "
    "ARX does it",
    "unknown": "nothing is assumed of how the release was made",
}
_KNOWN = {
    "nothing": "nothing but the release",
    "qi": "the quasi-identifiers of all people, too",
    "classes": "the quasi-identifiers of all people, and whose row is in which class",
}
_CELLS = "more is known of {narrowed:,} of {hidden:,} hidden cells than is published"
_SENTENCES = {
    "closure": "Cells are hidden only where rows of a class differ: so " + _CELLS + ", "
    "the value of {pinned:,} and all of {whole:,} rows, if not whose they are.",
    "ends": "Ranges that are not rounded begin and end at values of people: so the "
    "value of {pinned:,} of {hidden:,} cells and all of {whole:,} rows are known, if "
    "not whose they are.",
    "differencing": "Releases of one table are side by side: so " + _CELLS + ", "
    "and the value of {pinned:,}.",
    "minimality": "As little as possible was hidden, which rules out sensitive values: "
    "so those of {certain:,} people are certain, and those of {above:,} are guessed "
    "with a chance above what was promised.",
    "type_rule": "People who are alike and hidden, though they are enough, probably "
    "share a sensitive value too often: {above:,} people are rightly guessed to do so.",
    "definetti": "The whole release teaches which sensitive values go with which "
    "quasi-identifiers: so those of {above:,} people are guessed with a chance above "
    "what was promised.",
    "exclusion": "A row would have been published in a class that hides less, if it "
    "could: so " + _CELLS + ", and the value of {pinned:,}.",
    "counts": "What was not published at an earlier stage has few rows: so " + _CELLS +
    ", and the value of {pinned:,}.",
    "matchings": "If all ways to match people and rows are equally likely, {above:,} "
    "rows are linked with a chance above what was promised.",
}  # fmt: skip


Compared = Literal["no original", "other rows", "row by row"]
_NOT_COMPARED: dict[Compared, str] = {
    "no original": "A dash under “False”: no original was named (--original), so what "
    "is false is not known.",
    "other rows": "A dash under “False”: row by row the release does not agree with "
    "the original that was named, whose rows may stand in another order, so what is "
    "inferred cannot be compared with it. starmin verify --original says where.",
    "row by row": "A dash under “False”: this says nothing of single rows, but how "
    "many there are, or with which chance, so nothing of it can be false.",
}


def audit_page(
    audit: Audit, source: str, model: Model, knows: Knows, compared: Compared
) -> str:
    """Write the page, as text of HTML.

    Parameters
    ----------
    audit
        What was inferred.
    source
        What the user called the release.
    model, knows
        What the attacker takes for granted, and knows.
    compared
        How what was inferred was compared with the original.
    """
    found = {name: each for name, each in audit.inferences.items() if each is not None}
    header = [("Inference", False)]
    header += [(what, True) for what in ("False", "Contradictions", "Seconds")]
    rows = [
        [
            Cell(name.replace("_", " ")),
            number(each.false),
            number(each.contradictions),
            number(each.seconds, 1),
        ]
        for name, each in found.items()
    ]
    return render(
        "audit.html",
        title=f"What is told by {title_of(source)}",
        version=version("starmin"),
        lead=f"This is what follows for an attacker who knows {_KNOWN[knows]}; "
        f"{_MODELS[model]}.",
        sentences=[
            *(sentence(name, each) for name, each in found.items()),
            *(
                f"{name.replace('_', ' ').capitalize()} was not counted: {why}."
                for name, why in audit.not_counted.items()
            ),
        ],
        checks=DataTable(
            "checks",
            "What of it is false (where the original was named), and which classes "
            "cannot be, were the release made as is assumed",
            header,
            rows,
            sortable=False,
        ),
        dash=_NOT_COMPARED[compared]
        if any(each.false is None for each in found.values())
        else "",
        worst=[
            (name.replace("_", " "), f"row {case.row}: {case.why}")
            for name, each in found.items()
            for case in each.worst
        ],
    )


def sentence(name: str, found: Inference) -> str:
    """Say what an inference tells, for who decides on a release.

    ``name`` is that of the inference, as in the JSON; ``found`` is what it counted.

    Examples
    --------
    >>> from starmin.verify.audit.inference import STATISTICAL
    >>> print(sentence("type_rule", Inference(STATISTICAL, above=12))[-46:])
    rightly guessed to do so. This is statistical.
    """
    counts: dict[str, Any] = vars(found)
    return f"{_SENTENCES[name].format(**counts)} This is {found.label}."
