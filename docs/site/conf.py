"""The documentation as a site: ``make docs``, without a network."""

import sys
from pathlib import Path

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
