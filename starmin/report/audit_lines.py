"""What an audit found, in lines for people."""

from starmin.verify.audit.audit_release import Audit
from starmin.verify.audit.inference import Inference


def audit_lines(audit: Audit) -> list[tuple[str, str]]:
    """Return a label and a text for each inference, and for its worst cases.

    Parameters
    ----------
    audit
        What was found.

    Examples
    --------
    >>> from starmin.verify.audit.inference import SOUND
    >>> audit_lines(Audit(closure=Inference(SOUND, hidden=9, narrowed=2, pinned=2)))
    [('closure', '2 of 9 hidden cells narrowed, 2 pinned (sound given the model)')]
    """
    lines = []
    for name, found in audit.inferences.items():
        if found is None:
            continue
        label = name.replace("_", " ")
        lines.append((label, f"{said(found)} ({found.label})"))
        lines += [("worst", f"row {each.row}: {each.why}") for each in found.worst[:3]]
    lines += [
        (name.replace("_", " "), f"not counted: {why}")
        for name, why in audit.not_counted.items()
    ]
    return lines or [("nothing", "no inference applies")]


def said(found: Inference) -> str:
    """Say what was counted, leaving out what is 0."""
    parts = []
    if found.hidden:
        parts.append(f"{found.narrowed:,} of {found.hidden:,} hidden cells narrowed")
    if found.pinned:
        parts.append(f"{found.pinned:,} pinned")
    if found.whole:
        parts.append(f"{found.whole:,} rows known in full")
    if found.certain or not found.hidden:
        parts.append(f"{found.certain:,} people certain")
    if found.above:
        parts.append(f"{found.above:,} above what was promised")
    if found.false is not None:
        parts.append(f"{found.false:,} false")
    if found.contradictions:
        parts.append(f"{found.contradictions:,} contradictions to the model")
    looked_at = found.more.get("looked_at")
    if looked_at is not None and looked_at < found.more["classes"]:
        parts.append(f"in {looked_at:,} of {found.more['classes']:,} classes")
    return ", ".join(parts)
