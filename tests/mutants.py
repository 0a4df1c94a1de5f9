"""Mutates the checkers of certificates, and asks mutants about kept certificates.

    python -m tests.drawn_proofs --seconds 600 --pool FOLDER/pool.json.gz
    python -m tests.mutants FOLDER                     # the checker of one file, whole
    python -m tests.mutants FOLDER --other 300         # of the other, drawn by a seed

changes one operator, sign, bound, order of arguments or statement at a time. A mutant
is killed by a certificate of ``tests/cases/proofs.json.gz``, or of the pool, that it
judges otherwise; ``--keep`` adds those of the pool that killed one to the former, by
which ``tests/verify/certificates/test_fuzz_certificate.py`` kills it from then on. What
became of each is appended to FOLDER, so that a run goes on where it was ended.

Those that are left are to be read. ``tests/cases/mutants_left.tsv.gz`` says why they
are harmless: file, line, reason in a letter and in words. E: nothing changes. W: work
or limits alone. F: which malformed file is refused, or a message. S: less is proven, or
more refused. T: another test kills it. M: it reads memory that nothing has written.
"""

import argparse
import ast
import gzip
import itertools
import os
import random
import resource
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from starmin.instances.loops import versions
from tests.support import kept_proofs
from tests.support.places import CASES, HOME

SECONDS, MEMORY = 20, 8 * 2**30
MORE = "prices", "trees", "rules"
ENOUGH = 3.0  # seconds of processor in which a mutant is asked about certificates
SLOW = 0.3  # seconds of processor of a certificate that no mutant is asked about
_COMPARED: dict[type, list[str]] = {
    ast.Lt: ["<=", ">="],
    ast.LtE: ["<", ">"],
    ast.Gt: [">=", "<="],
    ast.GtE: [">", "<"],
    ast.Eq: ["!="],
    ast.NotEq: ["=="],
    ast.In: ["not in"],
    ast.NotIn: ["in"],
    ast.Is: ["is not"],
    ast.IsNot: ["is"],
}
_REPLACED: dict[type, list[str]] = {
    ast.Add: ["-"],
    ast.Sub: ["+"],
    ast.Mult: ["+"],
    ast.FloorDiv: ["*"],
    ast.Div: ["*"],
    ast.Mod: ["//"],
    ast.BitAnd: ["|"],
    ast.BitOr: ["&"],
    ast.BitXor: ["|"],
    ast.LShift: [">>"],
    ast.RShift: ["<<"],
}
_OTHER_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


class Mutant(NamedTuple):
    """A file in which some characters are replaced."""

    path: str
    lines: range | None  # None: it is run when the file is imported
    begin: int
    end: int
    new: str

    def text(self, source: str) -> str:
        """Return the file, mutated."""
        return source[: self.begin] + self.new + source[self.end :]

    def shown(self, source: str) -> str:
        """Return the changed lines without what is around them."""
        begin = source.rfind("\n", 0, self.begin) + 1
        end = (source + "\n").find("\n", self.end)
        line = source[begin : self.begin] + self.new + source[self.end : end]
        return " ".join(line.split())


class _Changes(ast.NodeVisitor):
    """The changes of a file: characters from where to where, and what is there then."""

    def __init__(self, source: str) -> None:
        self.source, self.found = source, list[tuple[bool, int, int, int, str]]()
        self.inside = False
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line.encode()))
        self.starts, self.bytes = starts, source.encode()

    def at(self, line: int, column: int) -> int:
        return len(self.bytes[: self.starts[line - 1] + column].decode())

    def span(self, node: Any) -> tuple[int, int]:
        end = node.end_lineno, node.end_col_offset
        return self.at(node.lineno, node.col_offset), self.at(*end)

    def of(self, node: Any) -> str:
        begin, end = self.span(node)
        return self.source[begin:end]

    def put(self, node: Any, new: str) -> None:
        begin, end = self.span(node)
        if new != self.source[begin:end]:
            self.found.append((self.inside, node.lineno, begin, end, new))

    def visit_Raise(self, node: ast.Raise) -> None:  # its words are not changed
        self.put(node, "pass")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        outer, self.inside = self.inside, True
        for statement in node.body:
            self.visit(statement)
        self.inside = outer

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave texts alone."""

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if isinstance(node.value, ast.Call):
            self.put(node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.put(node, "pass")
        for new in _REPLACED.get(type(node.op), ()):
            self.put(node, f"{self.of(node.target)} {new}= {self.of(node.value)}")
        self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self.put(node, "pass")

    def visit_Break(self, node: ast.Break) -> None:
        self.put(node, "pass")

    def visit_If(self, node: ast.If) -> None:
        for new in "True", "False":
            self.put(node.test, new)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.put(node, f"({self.of(node.body)})")
        self.put(node, f"({self.of(node.orelse)})")
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.put(test, "True")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        parts = [node.left, *node.comparators]
        for place, op in enumerate(node.ops):
            for new in _COMPARED[type(op)]:
                begin = self.span(parts[place])[1]
                end = self.span(parts[place + 1])[0]
                between = self.source[begin:end]
                left = between[: len(between) - len(between.lstrip(") \n"))]
                right = between[len(between.rstrip("( \n")) :]
                new = f"{left} {new} {right}"
                self.found.append((self.inside, node.lineno, begin, end, new))
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        texts = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        for new in () if texts else _REPLACED.get(type(node.op), ()):
            self.put(node, f"(({self.of(node.left)}) {new} ({self.of(node.right)}))")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if not isinstance(node.op, ast.UAdd):
            self.put(node, f"({self.of(node.operand)})")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        word = "or" if isinstance(node.op, ast.And) else "and"
        values = [f"({self.of(value)})" for value in node.values]
        self.put(node, f"({f' {word} '.join(values)})")
        same = "and" if word == "or" else "or"
        for place in range(len(values)):
            left = values[:place] + values[place + 1 :]
            self.put(node, f"({f' {same} '.join(left)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.put(node, str(not node.value))
        elif isinstance(node.value, int):
            self.put(node, str(node.value + 1))
            self.put(node, f"({node.value - 1})")

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _OTHER_CALLS:
            self.put(node.func, _OTHER_CALLS[name])
        plain = [a for a in node.args if not isinstance(a, ast.Starred)]
        if len(plain) > 1 and name not in (*_OTHER_CALLS, "range", "isinstance"):
            for one, other in itertools.pairwise(plain):
                begin, end = self.span(one)[0], self.span(other)[1]
                middle = self.source[self.span(one)[1] : self.span(other)[0]]
                new = self.of(other) + middle + self.of(one)
                self.found.append((self.inside, node.lineno, begin, end, new))
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.slice, ast.Slice) and node.slice.step is None:
            for end in node.slice.lower, node.slice.upper:
                if end is not None and not isinstance(end, ast.Constant):
                    self.put(end, f"({self.of(end)}) + 1")
        self.generic_visit(node)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield all mutants of a file that can be read as Python."""
    source = path.read_text(encoding="utf-8")
    changes = _Changes(source)
    changes.visit(ast.parse(source))
    for inside, line, begin, end, new in dict.fromkeys(changes.found):
        lines = range(line, line + source.count("\n", begin, end) + 1)
        name = str(path.relative_to(HOME))
        found = Mutant(name, lines if inside else None, begin, end, new)
        try:
            ast.parse(found.text(source))
        except SyntaxError:
            continue
        yield found


def in_a_fork(work: Callable[[], str]) -> str:
    """Return what some work says in a process of its own, with a limit."""
    receiving, sending = os.pipe()
    if (child := os.fork()) == 0:
        said = "killed by its end"
        try:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            signal.alarm(SECONDS)  # ends the process, whatever its threads wait for
            said = work()
        except BaseException as error:
            said = f"killed by {type(error).__name__}"
        finally:
            os.write(sending, said.encode()[:4000])
            os._exit(0)
    os.close(sending)
    with os.fdopen(receiving, "rb") as told:
        said = told.read().decode()
    os.waitpid(child, 0)
    return said or "killed by time"


def mutate(mutant: Mutant) -> None:
    """Have the checker imported anew, mutated, in this process."""
    path = HOME / mutant.path
    text = mutant.text(path.read_text(encoding="utf-8"))
    usual = SourceFileLoader.get_code

    def code(self: SourceFileLoader, name: str) -> CodeType | None:
        if Path(self.path).resolve() == path:
            return compile(text, self.path, "exec")
        return usual(self, name)

    setattr(SourceFileLoader, "get_code", code)  # noqa: B010
    for name in [name for name in sys.modules if name.startswith("starmin.verify")]:
        del sys.modules[name]


class Bench:
    """Certificates, what the checker says of them, and by which of its lines."""

    def __init__(self, one_file: bool, pool: list[kept_proofs.Kept]) -> None:
        self.verdict = kept_proofs.alone if one_file else kept_proofs.by_verify
        self.pool, self.kills = pool, Counter[int]()
        self.seconds = dict[int, float]()
        self.lines = dict[int, set[tuple[str, int]]]()
        self.told = [one if one_file else other for _, one, other in pool]
        for i, (proof, _, _) in enumerate(pool):
            begun = time.process_time()
            same = self.verdict(proof) == self.told[i]
            took = time.process_time() - begun
            if same and took < SLOW:  # it may be of another version
                self.seconds[i], self.lines[i] = took, self.lines_run(proof)

    def lines_run(self, proof: kept_proofs.Proof) -> set[tuple[str, int]]:
        found, where = set[tuple[str, int]](), str(HOME / "verify")
        named = dict[str, str]()

        def inside(frame: Any, event: str, given: Any) -> Any:
            found.add((named[frame.f_code.co_filename], frame.f_lineno))
            return inside

        def entered(frame: Any, event: str, given: Any) -> Any:
            name = frame.f_code.co_filename
            if name not in named:
                full = str(Path(name).resolve()) if "verify" in name else ""
                named[name] = full[len(str(HOME)) + 1 :] * full.startswith(where)
            return inside(frame, event, given) if named[name] else None

        for tracer in threading.settrace, sys.settrace:
            tracer(entered)
        try:
            self.verdict(proof)
        finally:
            for tracer in threading.settrace, sys.settrace:
                tracer(None)
        return found

    def judge(self, mutant: Mutant) -> str:
        """Return by which certificate a mutant is killed, or that it is left."""
        reach = [*self.lines]
        if mutant.lines is not None:
            at = {(mutant.path, line) for line in mutant.lines}
            reach = [i for i in reach if at & self.lines[i]]
        reach.sort(key=lambda i: (-self.kills[i], self.seconds[i]))

        def work() -> str:
            mutate(mutant)
            end = time.process_time() + ENOUGH
            for i in reach:
                if self.verdict(self.pool[i][0]) != self.told[i]:
                    return f"killed by {i}"
                if time.process_time() > end:
                    break
            return "left"

        return in_a_fork(work) if reach else "left: not reached"


def interpreted(loop: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Return a loop as it is: each mutant would be compiled anew."""
    return loop


def drawn(files: list[Path], many: int | None) -> list[Mutant]:
    """Draw mutants by a seed; three times as many of prices, trees and rules."""
    found = [mutant for path in files for mutant in mutants_of(path)]
    rng = random.Random(73)
    weight = {m: 3 if {*m.path.split("/")} & set(MORE) else 1 for m in found}
    found.sort(key=lambda m: rng.random() ** (1 / weight[m]), reverse=True)
    return found[:many]


def harmless() -> set[tuple[str, str]]:
    """Return file and line of the mutants that are known to be harmless."""
    file = CASES / "mutants_left.tsv.gz"
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    return {(line.split("\t")[0], line.split("\t")[1]) for line in lines}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--other", type=int)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    one_file = given.other is None
    setattr(versions, "compile_loop", lambda: interpreted)  # noqa: B010
    home = HOME / "verify" / ("checker" if one_file else "certificates")
    files = [path for path in sorted(home.rglob("*.py")) if path.stem != "join"]
    mutants = drawn(files, given.other)
    file, known = given.folder / "pool.json.gz", kept_proofs.kept()
    pool = kept_proofs.kept(file)
    bench = Bench(one_file, [*pool, *known])
    print(f"{len(mutants)} mutants, {len(bench.lines)} certificates", flush=True)
    became = given.folder / f"{home.name}.txt"
    lines = became.read_text().splitlines() if became.exists() else []
    done = {tuple(line.split("\t")[:4]): line.split("\t")[4:] for line in lines}
    end = time.monotonic() + given.seconds
    with became.open("a") as told:
        for mutant in mutants:
            key = mutant.path, str(mutant.begin), str(mutant.end), repr(mutant.new)
            if key not in done and time.monotonic() < end:
                source = (HOME / mutant.path).read_text(encoding="utf-8")
                line = source.count("\n", 0, mutant.begin) + 1
                done[key] = [bench.judge(mutant), f"{line}: {mutant.shown(source)}"]
                told.write("\t".join([*key, *done[key]]) + "\n")
                told.flush()
            number = done.get(key, [""])[0].removeprefix("killed by ")
            if number.isdigit():
                bench.kills[int(number)] += 1
    if given.keep:
        new = [pool[i] for i in sorted(+bench.kills) if i < len(pool)]
        kept_proofs.keep([*known, *(each for each in new if each not in known)])
    known_left = harmless()
    for path in sorted({mutant.path for mutant in mutants}):
        of = [said for key, said in done.items() if key[0] == path]
        left = [line for said, line in of if said.startswith("left")]
        new = [
            line for line in left if (path, line.partition(": ")[2]) not in known_left
        ]
        killed = len(of) - len(left)
        print(f"{path}: {len(of)} made, {killed} killed, {len(left)} left")
        for line in new:
            print(f"    to be read: {line}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
