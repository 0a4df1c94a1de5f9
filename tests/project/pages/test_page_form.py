"""Tests of the form of the pages: short paragraphs, few clicks, answers found."""

import re
from pathlib import Path

import pytest

from tests.support.places import HOME

DOCS = HOME / "docs"
README = DOCS.parent / "README.md"
EVERY = [
    README,
    DOCS.parent / "CONTRIBUTING.md",
    *(page for page in sorted(DOCS.rglob("*.md")) if "_build" not in page.parts),
]
LONGEST = 120  # words of a paragraph
# Five questions of each reader: words that one would search for, the page that answers.
QUESTIONS = {
    "steward": {
        "choose columns": "how_to/choose_columns",
        "choose k": "how_to/choose_k",
        "report page": "how_to/read_the_report",
        "publish original certificate": "how_to/publish_safely",
        "next month": "how_to/every_month",
    },
    "data scientist": {
        "pip install": "install",
        "frame polars": "how_to/frames",
        "scikit-learn": "how_to/scikit_learn",
        "SPSS Excel": "how_to/dirty_files",
        "memory batches": "how_to/large_tables",
    },
    "researcher": {
        "pattern program variable": "explanation/formulations",
        "best known values": "reference/best_known",
        "compare heuristics seeds": "how_to/compare_methods",
        "prices certificate": "explanation/certificates",
        "reproduce papers": "reproduction",
    },
    "engineer": {
        "add a method": "contributing",
        "entry points package": "how_to/extend",
        "architecture": "explanation/design",
        "compiled loop": "how_to/write_a_loop",
        "other solvers model": "how_to/export_a_model",
    },
}


def paragraphs(page: Path) -> list[str]:
    """What is neither code nor a table nor a heading, a list item for itself."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    blocks = re.split(r"\n\s*\n|\n(?=(?:- |\d+\. ))", text)
    return [b for b in blocks if not b.lstrip().startswith(("|", "#", "<!--"))]


def links_of(page: Path) -> set[str]:
    """The pages that a page links to, by name; of the index those listed below, too."""
    text = page.read_text()
    found = set()
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        path = (page.parent / target).resolve()
        if path.suffix == ".md" and DOCS in path.parents:
            found.add(str(path.relative_to(DOCS).with_suffix("")))
    for toctree in re.findall(r"```\{toctree\}\n(.*?)```", text, re.S):
        found |= set(re.findall(r"^(?!:)([\w/]+)$", toctree, re.M))
    return found


def whole(page: Path) -> str:
    """The text of a page; of one that includes another, that of the other."""
    text = page.read_text()
    included = re.match(r"```\{include\} (\S+)", text)
    return (page.parent / included[1]).read_text() if included else text


@pytest.mark.parametrize("page", EVERY, ids=lambda page: page.stem)
def test_paragraphs_are_short(page):
    for paragraph in paragraphs(page):
        assert len(paragraph.split()) <= LONGEST, paragraph[:100]


def test_long_paragraphs_are_found(tmp_path):
    page = tmp_path / "a.md"
    page.write_text("# A\n\n" + "word " * 121 + "\n\n| " + "cell " * 200 + "|\n\nb\n")
    assert [len(p.split()) for p in paragraphs(page)] == [121, 1]


def test_every_page_is_two_clicks_from_the_doors():
    index = (DOCS / "index.md").read_text().partition("```{toctree}")[0]
    doors = set(re.findall(r"\]\(([\w/]+)\.md\)", index))
    first = links_of(DOCS / "index.md")
    assert len(doors) >= 12 and doors <= first
    for reader, questions in QUESTIONS.items():
        assert len(questions) == 5, reader
        for words, page in questions.items():
            second = {name for door in doors for name in links_of(DOCS / f"{door}.md")}
            assert page in doors | second, (reader, words, page)


@pytest.mark.parametrize("reader", QUESTIONS)
def test_a_search_for_the_words_of_a_question_finds_the_page(reader):
    """As the search of the site: pages that have all words, titles before texts."""
    texts = {
        str(page.relative_to(DOCS).with_suffix("")): whole(page).lower()
        for page in DOCS.rglob("*.md")
        if "_build" not in page.parts
    }
    for words, page in QUESTIONS[reader].items():
        asked = words.lower().split()
        scores = {
            name: sum(text.split("\n")[0].count(w) * 100 + text.count(w) for w in asked)
            for name, text in texts.items()
            if all(word in text for word in asked)
        }
        best = sorted(scores, key=scores.__getitem__, reverse=True)[:5]
        assert page in best, (words, best)
