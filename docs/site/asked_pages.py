"""Writes the pages on requirements and on losses, from what the program declares.

Options, what they ask, measures and kinds of certificates are those of the code; the
names that other programs have for them stand here.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kind_pages import ONE_FILE, OURS, PROVES
from rst import heading, table

import starmin
from starmin.instances.releases.objective_kinds import OBJECTIVES
from starmin.instances.requirements.requirements import REQUIREMENTS
from starmin.instances.scales.node_losses import LOSS_RULES, rule_losses

NONE = "-"
# Of each class: its title, what certificates call it, and its name in ARX and sdcMicro.
NAMED: dict[str, tuple[str, str, str, str]] = {
    "KAnonymity": ("k-anonymity", "k", "k-anonymity", "`kAnon`"),
    "LDiversity": ("l-diversity by frequency", "l by frequency", NONE, NONE),
    "DistinctDiversity": (
        "distinct l-diversity",
        "l of distinct values",
        "distinct l-diversity",
        "`ldiversity` (measured)",
    ),
    "EntropyDiversity": (
        "entropy l-diversity",
        "",
        "entropy l-diversity",
        "`ldiversity` (measured)",
    ),
    "RecursiveDiversity": (
        "recursive (c, l)-diversity",
        "",
        "recursive (c, l)-diversity",
        "`ldiversity` (measured)",
    ),
    "MaxShare": ("a greatest share, (alpha, k)-anonymity", "", NONE, NONE),
    "TCloseness": ("t-closeness", "", "t-closeness, equal or ordered distance", NONE),
    "HierarchicalCloseness": (
        "t-closeness over a hierarchy",
        "",
        "t-closeness, hierarchical distance",
        NONE,
    ),
    "PerRowK": ("a k for each row", "", NONE, NONE),
    "Rules": (
        "rules over named columns",
        "k of combinations of columns",
        "k-map, with a population",
        NONE,
    ),
    "Combinations": (
        "combinations of so many columns",
        "k of combinations of columns",
        NONE,
        "`localSuppression` with `combs`",
    ),
    "MissingValues": ("missing sensitive values", "", NONE, NONE),
    "Persons": ("persons of several rows", "k, l or alpha of persons", NONE, NONE),
    "Within": (
        "nested releases",
        "k or l, in unions of classes of an earlier release",
        NONE,
        NONE,
    ),
    "DeletedRows": ("deleted rows", "", "suppression limit", NONE),
}
OBJECTIVES_ELSEWHERE = {
    "stars": "hidden cells; number of suppressions (sdcMicro)",
    "tuples": "tuple minimisation (Xiao, Yi, Tao 2010)",
    "gcp": "global certainty penalty (Ghinita and others 2009)",
}
LOSSES_ELSEWHERE = {
    "ncp": "normalized certainty penalty (Xu and others 2006)",
    "granularity": "1 - granularity (ARX); Murakami and Uno 2018",
    "stars": "hidden cells",
}
TREE = "{health{nurse,doctor},office{clerk,typist,lawyer}}"


def requirements() -> str:
    """The page on what may be asked of every group."""
    lines = [
        *heading("Requirements"),
        "Made from what each requirement declares. Each one is recounted from the",
        "cells of a release by ``starmin verify``, which names the classes that fail.",
        "",
    ]
    rows = []
    for kind in REQUIREMENTS:
        title, _, arx, sdcmicro = NAMED[kind.__name__]
        rows.append((title, flags(kind), measure(kind), certified(kind), arx, sdcmicro))
    header = ("asked", "options", "measured as", "certificates", "ARX", "sdcMicro")
    lines += table(header, rows)
    lines += [
        "*Measured as*: what ``verify`` says of any release, whatever was asked.",
        "*Certificates*: kinds whose proof is made for it; where there is none, a",
        "bound of a weaker requirement, as that of k alone, may be certified.",
        "",
    ]
    for kind in REQUIREMENTS:
        lines += heading(NAMED[kind.__name__][0], "-")
        if kind.options:
            told = [(f"`{option.flag}`", option.help) for option in kind.options]
            lines += table(("option", "says"), told)
        lines += [f".. autoclass:: {path_of(kind)}", "   :no-index:", ""]
    return "\n".join(lines)


def flags(kind: Any) -> str:
    """What states it on the command line."""
    return ", ".join(f"`{each.flag}`" for each in kind.options) or NONE


def measure(kind: Any) -> str:
    """The key of what is measured of it in any release."""
    return f"`{kind.measure.key}`" if kind.measure else NONE


def certified(kind: Any) -> str:
    """The kinds of certificates that are made for it."""
    name = NAMED[kind.__name__][1]
    kinds = [f"`{each}`" for each, (asked, _) in PROVES.items() if name in asked]
    return ", ".join(kinds) or NONE


def path_of(kind: Any) -> str:
    """Where it is found in Python."""
    public = kind.__name__ in starmin.__all__
    return f"{'starmin' if public else kind.__module__}.{kind.__name__}"


def losses() -> str:
    """The page on what is minimised, and what categories and ranges lose."""
    lines = [
        *heading("Objectives and losses"),
        "Made from what is declared. ``starmin verify`` computes each of them from the",
        "cells of a release, by code that shares nothing with the search.",
        "",
        *heading("Objectives", "-"),
    ]
    rows = [
        (
            f"`{name}`",
            each.help,
            "yes" if each.weighted else "no",
            NONE if each.cap is None else str(each.cap),
            by(OURS, name),
            by(ONE_FILE, name),
            OBJECTIVES_ELSEWHERE[name],
        )
        for name, each in OBJECTIVES.items()
    ]
    header = ("`--objective`", "minimises", "weights", "a row pays at most")
    header += ("kinds, `starmin verify`", "kinds, `certificate_checker.py`", "known as")
    lines += table(header, rows)
    lines += [
        *heading("Losses of categories and ranges", "-"),
        "With ``--objective gcp`` a cell loses from 0 to 1, and a column counts by its",
        "weight. The example is a cell published as *office*, of the hierarchy",
        f"``{TREE}``.",
        "",
    ]
    rows = [
        (
            f"`{name}`",
            rule.help,
            "by length" if rule.of_ranges else "nothing",
            office(name),
            LOSSES_ELSEWHERE[name],
        )
        for name, rule in LOSS_RULES.items()
    ]
    header = ("`--loss`", "a category loses", "a range", "`office`", "known as")
    lines += table(header, rows)
    lines += [
        "A file instead of a rule has the header ``column,node,loss``, and a loss for",
        "each category: a number such as ``0.25`` or ``1/3``. Only shares of what the",
        "root loses matter; values lose nothing, no category more than one above it.",
        "A star loses 1 by every rule.",
        "",
    ]
    return "\n".join(lines)


def by(kinds: dict[str, Sequence[str]], objective: str) -> str:
    """The kinds of certificates of an objective that a checker knows."""
    known = [f"`{kind}`" for kind, of in kinds.items() if objective in of]
    return ", ".join(known) or NONE


def office(name: Any) -> str:
    """What the category of the example loses, as a share of the root's loss."""
    tree = starmin.Taxonomy.parse(TREE)
    found = rule_losses(tree, name)
    share = Fraction(int(found[tree.labels.index("office")]), int(max(found)))
    return str(share)
