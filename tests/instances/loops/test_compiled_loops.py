"""Tests that all loops are compiled alike, and that Python calls no inner loop."""

import ast
import doctest
import gc
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

from starmin.instances.loops.compiled import inner
from tests.support.places import HOME

PACKAGES = ("starmin", "verify", "heuristics", "models", "instances")
FILES = sorted(file for each in PACKAGES for file in (HOME / each).rglob("*.py"))
CALLERS = [
    *FILES,
    *(HOME / "tests").rglob("*.py"),
    *(HOME / "benchmarks").rglob("*.py"),
]
DECORATORS = {"compiled", "inner", "inlined"}


@pytest.fixture(autouse=True)
def garbage_waits():
    """Look for none among the nodes of all files; that takes as long as to make them.

    There is none: they are all in use.
    """
    gc.disable()
    yield
    gc.enable()


def is_loop(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef):
        return False
    return any(
        isinstance(d, ast.Name) and d.id in DECORATORS for d in node.decorator_list
    )


def outside_loops(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not is_loop(child):
            yield child
            yield from outside_loops(child)


def examples(tree: ast.AST) -> Iterator[ast.AST]:
    """What the examples of docstrings call, each at the line of its function."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        text = ast.get_docstring(node) or ""
        for example in doctest.DocTestParser().get_examples(text):
            for each in ast.walk(ast.parse(example.source)):
                if isinstance(each, ast.Name):
                    each.lineno = getattr(node, "lineno", 1)
                yield each


def imported(tree: ast.AST) -> dict[str, object]:
    """What the names stand for that are imported from files with loops."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module.split(".")[0] not in PACKAGES:
                continue
            module = import_module(node.module)
            for name in node.names:
                found[name.asname or name.name] = getattr(module, name.name, None)
    return found


def is_inner(value: object) -> bool:
    options = getattr(value, "targetoptions", {})
    return isinstance(value, Dispatcher) and "no_cpython_wrapper" in options


@cache
def inner_names() -> frozenset[str]:
    """The names of all functions with a decorator of ours that Python must not call."""
    pattern = re.compile(r"^@(?:inner|inlined)\b[^\n]*\n(?:@[^\n]*\n)*def (\w+)", re.M)
    return frozenset(n for file in FILES for n in pattern.findall(file.read_text()))


def wrong_calls(file: Path) -> list[str]:
    text = file.read_text()
    if inner_names().isdisjoint(re.findall(r"\w+", text)):
        return []  # it names none: most files
    tree = ast.parse(text)
    names = imported(tree)
    if file in FILES and any(is_loop(node) for node in ast.walk(tree)):
        home = file.relative_to(HOME).with_suffix("")
        names |= vars(import_module(".".join(("starmin", *home.parts))))
    if not (inner_loops := {name for name in names if is_inner(names[name])}):
        return []
    code = [*outside_loops(tree), *examples(tree)]
    used = (node for node in code if isinstance(node, ast.Name))
    return [f"{file}:{each.lineno}" for each in used if each.id in inner_loops]


def test_python_calls_no_inner_loop():
    """It has no function that Python could call; the process would end."""
    assert [line for file in CALLERS for line in wrong_calls(file)] == []


def test_such_a_call_is_noticed(tmp_path):
    (file := tmp_path / "example.py").write_text(
        "from starmin.heuristics.annealing.pattern_moves import _mend\n"
        "def name():\n"
        '    """>>> _mend(1, 2, 3.0)"""\n'
    )
    assert wrong_calls(file) == [f"{file}:2"]
    text = (
        "from starmin.heuristics.annealing.pattern_moves import _mend\n"
        "_mend(1, 2, 3.0)\n"
    )
    (file := tmp_path / "caller.py").write_text(text)
    assert wrong_calls(file) == [f"{file}:2"]


def lost_stores(tree: ast.AST) -> list[str]:
    """Assignments into fields in loops with a comprehension: numba drops them."""
    found = []
    for loop in filter(is_loop, ast.walk(tree)):
        nodes = list(ast.walk(loop))
        if any(isinstance(node, ast.ListComp | ast.GeneratorExp) for node in nodes):
            found += [
                ast.unparse(node)
                for node in nodes
                if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
                if isinstance(node.value, ast.Attribute)
            ]
    return found


def test_no_loop_with_a_comprehension_assigns_into_a_field():
    """Numba removes such an assignment as if nobody read the field again."""
    texts = [file.read_text() for file in FILES]
    with_loops = [
        text for text in texts if re.search(r"^\s*@(compiled|in)", text, re.M)
    ]
    assert len(with_loops) > 80
    assert [s for text in with_loops for s in lost_stores(ast.parse(text))] == []
    lost = "@compiled\ndef name(s, n):\n    a = [i for i in n]\n    s.x[0] = len(a)\n"
    assert lost_stores(ast.parse(lost)) == ["s.x[0]"]


@pytest.mark.parametrize("word", ["numba.njit", "numba.jit", "from numba import"])
def test_each_loop_is_compiled_by_our_decorators(word):
    """Others would be kept elsewhere, and not be shipped."""
    found = [file for file in FILES if word in file.read_text()]
    assert {file.name for file in found} <= {"kept_loops.py", "versions.py"}


def test_inner_loops_keep_their_function_in_python():
    @inner
    def double(x):
        return 2 * x

    assert is_inner(double) and double.py_func(2) == 4
