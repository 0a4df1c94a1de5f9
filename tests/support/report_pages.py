"""Sweeps and pages for the tests of the reports."""

from html.parser import HTMLParser

from starmin.gaps.job import Job
from starmin.gaps.standings import standings, with_gaps
from starmin.inputs.spec import Spec

NASTY = 'data/it\'s "<script>alert(1)</script>" & $x_{1}$ ]]>-->.csv'
_VALUES = {
    "auto": (100, 900, 3_000),
    "forest": (130, 1_100, 3_900),
    "mondrian": (110, 1_500, None),
}


def sweep():
    """Rows and standings: three tables, one of a nasty name, and what goes wrong."""
    tables = (("instance:hospital", 10, 3), (NASTY, 1_000, 3), ("wide.csv", 1_000, 7))
    rows = []
    for i, (table, n, d) in enumerate(tables):
        for method, values in _VALUES.items():
            row = Job(Spec.of(table, {"k": 5}), method).row()
            row |= {"seconds": 1.5 * (i + 1) + len(method) / 10, "mebibytes": 200 + i}
            if values[i] is None:
                row |= {"outcome": "crash", "why": "it's </td><b>broken</b>"}
            else:
                bound = values[i] - 5 if method == "auto" else None
                row |= {"outcome": "ok", "value": values[i], "lower_bound": bound}
                row |= {"n": n, "d": d, "gcp": 0.1}
            rows.append(row)
        row = Job(Spec.of(table, {"k": 5}), "own_pattern").row() | {"outcome": "ok"}
        rows.append(row | {"seconds": 1.0, "lower_bound": 80, "n": n, "d": d})
    found = standings(rows)
    return with_gaps(rows, found), found


class Page(HTMLParser):
    """What a page consists of: tags with attributes, and the texts by tag."""

    VOID = ("meta", "link", "input", "br", "img", "hr")

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.open = [], [], []
        self.codes = []  # the whole texts of elements of code
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "code":
            self.codes.append("")

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, "tags are closed in order"

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))
        if "code" in self.open:
            self.codes[-1] += data

    def all(self, tag):
        """The attributes of all elements of a tag."""
        return [attrs for name, attrs in self.tags if name == tag]

    def text(self, tag):
        """The text of all elements of a tag."""
        return " ".join(text for name, text in self.texts if name == tag)


def assert_alone(text):
    """A page loads nothing, runs one script, and is whole."""
    page = Page(text)
    assert page.open == []
    policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none'") and "sha256-" in policy
    assert len(page.all("script")) == 1 and page.all("script") == [{}]
    for tag, attrs in page.tags:
        assert tag not in ("img", "link", "iframe", "object", "embed", "base", "form")
        for name, value in attrs.items():
            assert not name.startswith("on"), (tag, name)
            if name in ("src", "href", "srcset", "action", "data"):
                assert value.startswith("#"), (tag, value)
            if name == "style":
                assert "url(#" in value or "url(" not in value, value
    assert "url(" not in page.text("style") and "@import" not in page.text("style")
    assert page.all("html") == [{"lang": "en"}]
    headers = page.all("th")
    assert headers and all(h["scope"] in ("row", "col") for h in headers)
    assert len(page.all("caption")) == len(page.all("table"))
    assert all(svg["role"] == "img" and svg["aria-label"] for svg in page.all("svg"))
    names = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(names) == len(set(names)), "names are unique"
    return page
