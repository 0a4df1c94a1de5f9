"""Tests of all sources: the budget of CONTRIBUTING.md, and what holds for each file."""

import ast
import gc
import re
import subprocess
from collections import Counter, defaultdict

import pytest

from starmin.registry import METHODS
from tests.support.places import HOME

FLOORS = "starmin", "verify", "heuristics", "models", "instances"
HEADS = "files", "lines", "body"
SECTION = re.compile(r"^\s*(Parameters|Returns|Yields|Attributes)\n\s*-{3,}", re.M)
SMALL = 120  # lines
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
ELSEWHERE = re.compile(r"^\s*(As (for|in|of) ``|As for the |See above)", re.MULTILINE)


def files():
    listed = subprocess.run(
        ["git", "ls-files", "*.py"],
        cwd=HOME,
        capture_output=True,
        text=True,
        check=False,
    )
    names = listed.stdout.split()
    if not names:
        pytest.skip("not a checkout")
    return [name for name in names if name.split("/")[0] in FLOORS]


@pytest.fixture(scope="module")
def nodes():
    """All nodes of each file's tree, the tree first.

    Nothing of them is garbage, and to look for it takes as long as to make them.
    """
    gc.disable()
    yield {
        name: [*ast.walk(ast.parse((HOME / name).read_text("utf-8")))]
        for name in files()
    }
    gc.enable()


def body_of(text, nodes):
    """Count lines without docstrings, signatures, imports, comments and blank ones."""
    lines = text.splitlines()
    left = {at for at, line in enumerate(lines, 1) if line.strip()}
    left -= {at for at in left if lines[at - 1].lstrip().startswith("#")}
    for node in nodes:
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            left -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            left -= set(range(node.lineno, node.body[0].lineno))
        if isinstance(node, ast.Import | ast.ImportFrom):
            left -= set(range(node.lineno, node.end_lineno + 1))
    return len(left)


def sections_within(nodes):
    """Count sections of docstrings of what no user calls."""
    said = [
        node.value
        for every in nodes.values()
        for node in every
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    called = re.compile(r"starmin(\.\w+)+(:\w+)?")
    public = {re.split("[.:]", text)[-1] for text in said if called.fullmatch(text)}
    public |= {
        node.value
        for node in nodes["starmin/__init__.py"]
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    count = 0

    def look(name, node, shown):
        nonlocal count
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, DOCUMENTED):
                if isinstance(node, ast.ClassDef):
                    here = shown and not inner.name.startswith("_")
                else:
                    own = name.rsplit("/", 1)[1] == f"{inner.name}.py"
                    command = name.startswith("starmin/commands/")
                    here = inner.name in public or own or command
                said = ast.get_docstring(inner) or ""
                count += 0 if here else len(SECTION.findall(said))
                look(name, inner, here)
            else:
                look(name, inner, shown)

    for name, every in nodes.items():
        look(name, every[0], False)
    return count


def small_files(texts, nodes):
    """Count short files that one other file alone imports."""
    modules = {}
    for name in texts:
        module = name[:-3].replace("/", ".").removesuffix(".__init__")
        modules[module if module.startswith("starmin") else f"starmin.{module}"] = name
    importers = defaultdict(set)
    for name, every in nodes.items():
        for node in every if not name.endswith("__init__.py") else ():
            found = []
            if isinstance(node, ast.Import):
                found = [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom):
                inner = [f"{node.module}.{each.name}" for each in node.names]
                found = [node.module or "", *inner]
            for module in found:
                if modules.get(module, name) != name:
                    importers[modules[module]].add(name)
    return sum(
        len(text.splitlines()) < SMALL and len(importers[name]) == 1
        for name, text in texts.items()
        if not name.endswith("__init__.py")
    )


def rows_of_budget():
    text = (HOME / "CONTRIBUTING.md").read_text("utf-8")
    rows = text.split("## Budget")[1].split("\n## ")[0].splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {row[0].strip("`"): row[1:] for row in cells if len(row) > 1}


def test_the_tree_keeps_within_its_budget(nodes):
    """Raise a number of the table only with a sentence there on what left, or why."""
    texts = {name: (HOME / name).read_text("utf-8") for name in nodes}
    used = defaultdict(Counter)
    for name, text in texts.items():
        used[name.split("/")[0]].update(
            files=1, lines=len(text.splitlines()), body=body_of(text, nodes[name])
        )
    every = sum(used.values(), Counter())
    said = rows_of_budget()
    over = [
        f"{floor}: {counts[head]:,} {head}, at most {most}"
        for floor, counts in [*used.items(), ("all", every)]
        for head, most in zip(HEADS, said[floor], strict=False)
        if counts[head] > int(most.replace(",", ""))
    ]
    for what, count in (
        ("sections inside", sections_within(nodes)),
        ("small files", small_files(texts, nodes)),
    ):
        if count > int(said[what][0].replace(",", "")):
            over.append(f"{what}: {count:,}, at most {said[what][0]}")
    assert not over


def test_a_docstring_says_its_own_facts(nodes):
    found = [
        (name, text)
        for name, every in nodes.items()
        for node in every
        if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node))
    ]
    assert len(found) > 1000
    assert [each for each in found if ELSEWHERE.search(each[1])] == []


def test_only_interfaces_have_more_than_ten_parameters(nodes):
    methods = {(m.target.rpartition(".")[2], m.name) for m in METHODS.values()}
    calls = "face", "auditing", "trace", "anonymize"
    for name, every in nodes.items():
        stem = name.rsplit("/", 1)[-1][:-3]
        for node in every:
            if not isinstance(node, ast.FunctionDef):
                continue
            given = node.args
            arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            if (
                len([each for each in arguments if each.arg not in ("self", "cls")])
                > 10
            ):
                is_method = (stem, node.name) in methods
                is_command = name.startswith("starmin/commands/")
                assert is_method or is_command or stem in calls, (name, node.name)
