"""The documentation as a site: ``make docs``, without a network."""

import csv
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

project = "starmin"
author = copyright = "The starmin authors"  # noqa: A001
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "myst_parser",
    "mathml",
    "method_pages",
    "reference_pages",
]
exclude_patterns = ["site", "_build"]
html_math_renderer = "mathml"
html_theme = "alabaster"
html_theme_options = {
    "description": "Fewest stars, and a proof",
    "page_width": "1100px",
    "fixed_sidebar": False,
}
html_sidebars = {"**": ["about.html", "searchfield.html", "navigation.html"]}
html_static_path = ["static"]
html_css_files = ["wide_tables.css"]
html_copy_source = False
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
napoleon_google_docstring = False
python_maximum_signature_line_length = 88
smartquotes = False  # options begin with two dashes
myst_heading_anchors = 3

# Pages that have moved: each address leads to the new one.
FORWARD = """<!DOCTYPE html><meta charset="utf-8"><title>Moved</title>
<meta http-equiv="refresh" content="0; url={to}.html"><a href="{to}.html">{to}</a>
"""


def forward(app: Any, error: Exception | None) -> None:
    """Write a page at each former address."""
    if error is None and app.builder.format == "html":
        with (HERE / "moved.csv").open(newline="") as table:
            for row in csv.DictReader(table):
                page = Path(app.outdir, f"{row['from']}.html")
                page.write_text(FORWARD.format_map(row))


def setup(app: Any) -> None:
    """Have them written when all others are."""
    app.connect("build-finished", forward)
