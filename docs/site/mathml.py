"""Formulas as MathML: written into the page when it is built, shown by any browser."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util.math import wrap_displaymath


def inline(page: Any, node: nodes.math) -> None:
    """A formula in a line of text."""
    page.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(page: Any, node: nodes.math_block) -> None:
    """A formula of its own; lines that end in ``\\\\`` are aligned at ``&``."""
    latex = wrap_displaymath(node.astext(), None, False)
    for environment in ("equation*", "split", "gather"):
        latex = latex.replace(rf"\begin{{{environment}}}", "")
        latex = latex.replace(rf"\end{{{environment}}}", "")
    latex = latex.replace("align*", "aligned").strip()
    if "\\\\" in latex and "aligned" not in latex:
        latex = rf"\begin{{aligned}}{latex}\end{{aligned}}"
    page.body.append(f'<div class="math">{convert(latex, display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx calls."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
