"""Tests that no certificate, however damaged, is accepted for more than the truth.

For minutes of it: ``python -m tests.fuzz_certificates --seconds 600``.
"""

import json
import random
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starmin.instances import STARS, TUPLES, Objective, Table, read_table
from starmin.models.bounds.pattern_lp import pattern_lp
from starmin.models.bounds.residue import residue
from starmin.models.nonhomogeneous.degree_prices import degree_prices
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates import certificate_check
from starmin.verify.certificates.patterns import batches
from starmin.verify.certificates.prices import group_prices
from starmin.verify.checker import unions
from tests.fuzz_certificates import LOSSES, PRICES, RESIDUE, ROWS, WITHIN, hunt
from tests.support import kept_proofs
from tests.support.fuzzing import TRIES, damaged, starmin, tries
from tests.support.rowwise import rowwise_optimum as brute_force_rows
from tests.support.small_problems import ask

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-9, 99),
    st.sampled_from([2**31, 2**62 - 1, 2**62, 2**63, -(2**63), 10**40, 1e308]),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.integers(-3, 9), max_size=8),
    st.dictionaries(st.sampled_from(["k", "l", "age"]), st.integers(-1, 4), max_size=2),
)


def problems():
    """Small tables, each with a requirement, its proof, its optimum and its options."""
    for seed in range(6):
        rng = random.Random(seed)
        rows = [[rng.choice("abc") for _ in "uvs"] for _ in range(7)]
        rows[0][2], rows[1][2] = "a", "b"
        table = Table.from_rows("uvs", rows, ["u", "v"], ["s"])
        plain = table.with_roles(["u", "v"])
        for kind in ("prices", "diverse", "residue", "rows"):
            diverse = kind in ("diverse", "residue")
            requirement = ask(1, 2) if diverse else ask(2 + seed % 2, 1)
            problem = table if diverse else plain
            objective = TUPLES if kind == "residue" else STARS
            if kind == "rows":
                optimum = brute_force_rows(problem, requirement)
                found = degree_prices(problem, requirement, time_limit=1.0)
            else:
                optimum = brute_force(problem, requirement, objective).value
                method = residue if kind == "residue" else pattern_lp
                found = method(problem, requirement, objective=objective)
            if optimum is not None and found.certificate is not None:
                yield kind, problem, requirement, optimum, found.certificate


@pytest.fixture(scope="module")
def proofs(tmp_path_factory):
    """The problems, their proofs as text, in a folder of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("proofs"))
        found = []
        for number, (kind, table, requirement, optimum, proof) in enumerate(problems()):
            lines = [",".join(row) for row in (table.names, *table.rows())]
            Path(f"{number}.csv").write_text("\n".join(lines) + "\n")
            proof.write(Path("proof.json"))
            words = ["--qi", "u,v", *(["--sensitive", "s"] if table.sensitive else [])]
            if kind == "rows":
                words += ["--recoding", "nonhomogeneous"]
            for name, value in requirement.as_json().items():
                words += [f"--{name}", str(value)]
            text = Path("proof.json").read_text()
            found.append((f"{number}.csv", words, optimum, text))
        assert len(found) > 15
        yield found


def verdict(file: str, words: list[str], content: bytes) -> dict | None:
    """What ``verify`` says of a certificate; None where it is none."""
    Path("proof.json").write_bytes(content)
    claim = ("--original", file, "--certificate", "proof.json", "--json", "--quiet")
    code, out, _ = starmin("verify", file, *words, *claim)
    return None if code == 2 else json.loads(out)["certificate"]


def never_wrong(found: dict | None, optimum: int, content: bytes) -> None:
    """An accepted claim is true: no more than brute force says."""
    if found is not None and found["accepted"]:
        assert json.loads(content)["bound"] <= found["bound"] <= optimum
    elif found is not None:
        assert found["why"] and "\n" not in found["why"]


def test_proofs_are_accepted_before_they_are_damaged(proofs):
    for file, words, optimum, text in proofs:
        found = verdict(file, words, text.encode())
        assert found["accepted"], found
        never_wrong(found, optimum, text.encode())


@tries(40)
@given(st.data())
def test_damaged_files(proofs, data):
    file, words, optimum, text = data.draw(st.sampled_from(proofs))
    content = data.draw(damaged(text.encode()))
    never_wrong(verdict(file, words, content), optimum, content)


def places(content, at=()):
    """The paths to all values in JSON."""
    yield at
    children = content.items() if isinstance(content, dict) else []
    children = enumerate(content) if isinstance(content, list) else children
    for key, value in children:
        yield from places(value, (*at, key))


@tries(40)
@given(st.data())
def test_other_values_in_any_place(proofs, data):
    file, words, optimum, text = data.draw(st.sampled_from(proofs))
    whole = {"all": json.loads(text)}
    for _ in range(data.draw(st.integers(1, 3))):
        *path, last = data.draw(st.sampled_from(list(places(whole))[1:]))
        at = whole
        for step in path:
            at = at[step]
        at[last] = data.draw(JUNK)
    content = json.dumps(whole["all"]).encode()
    never_wrong(verdict(file, words, content), optimum, content)


@tries(40)
@given(st.data())
def test_other_prices_and_claims(proofs, data):
    file, words, optimum, text = data.draw(st.sampled_from(proofs))
    proof = json.loads(text)
    proof["bound"] = data.draw(st.integers(0, 2 * optimum + 2))
    if "prices" in proof["data"]:
        size = len(proof["data"]["prices"])
        unit = proof["data"]["denominator"] = data.draw(st.sampled_from([1, 2, 3, 64]))
        price = st.integers(-unit, 4 * unit)
        prices = data.draw(st.lists(price, min_size=size, max_size=size))
        proof["data"]["prices"] = prices
    content = json.dumps(proof).encode()
    found = verdict(file, words, content)
    never_wrong(found, optimum, content)
    assert found["accepted"] == (found["bound"] >= proof["bound"])


def optimum_of(file: str, words: list[str], objective: Objective) -> int:
    """What the best release of a file costs, by an objective that a proof states."""
    table = read_table(file, ["u", "v"], ["s"] if "--sensitive" in words else [])
    number = int(words[-1])
    requirement = ask(number, 1) if words[-2] == "--k" else ask(1, number)
    if "nonhomogeneous" in words:
        return brute_force_rows(table, requirement)
    return brute_force(table, requirement, objective).value


@tries(30)
@given(st.data())
def test_proofs_of_other_problems(proofs, data):
    file, words, _, _ = data.draw(st.sampled_from(proofs))
    _, asked, _, text = data.draw(st.sampled_from(proofs))
    found = verdict(file, words, text.encode())
    if found["accepted"]:  # it may prove something of this table, too
        assert words[-2:] == asked[-2:]
        objective = Objective(found["objective"]["kind"])
        never_wrong(found, optimum_of(file, words, objective), text.encode())


def test_no_lie_is_accepted():
    tried = Counter()
    for seed in range(TRIES or 25):
        runs, false = hunt(seed, 25)
        assert not false
        tried += runs
    assert set(tried) == {LOSSES, PRICES, RESIDUE, ROWS, WITHIN}


def test_lies_are_accepted_where_sums_wrap(monkeypatch):
    """The lies are good enough: a checker with sums in 64 bits believes some."""
    monkeypatch.setattr(batches, "exact_sum", lambda numbers: int(numbers.sum()))
    assert any(hunt(seed, 40)[1] for seed in (52, 67, 78))


def test_lies_about_unions_are_accepted_where_no_class_makes_up_for_rows(monkeypatch):
    """The lies are good enough: a checker that forgets such classes believes some."""

    def forgetful(losses, least):
        taken = [(loss, rows) for loss, rows in losses if loss < 0]
        enough = sum(rows for _, rows in taken) >= least
        return sum(loss for loss, _ in taken) if enough else 0

    monkeypatch.setattr(unions, "cheapest_union", forgetful)
    assert any(hunt(seed, 40)[1] for seed in (6, 74, 78))


def test_kept_certificates_are_judged_as_ever():
    found = kept_proofs.kept()
    for proof, one, other in found:
        told = kept_proofs.alone(proof), kept_proofs.by_verify(proof)
        assert told == (one, other), proof
    assert len({proof.kind for proof, _, _ in found}) >= 11


def test_leaves_are_told_as_they_are_checked(monkeypatch):
    kinds, done = set(), []
    telling = partial(
        certificate_check.check_certificate, told=lambda *n: done.append(n)
    )
    monkeypatch.setattr(certificate_check, "check_certificate", telling)
    for proof, _, verdict in kept_proofs.kept():
        done.clear()
        assert kept_proofs.by_verify(proof) == verdict
        assert [checked for checked, _ in done] == list(range(1, len(done) + 1))
        if isinstance(verdict, int) and done:
            assert done[-1] == (len(done), len(done))
            kinds.add(proof.kind)
    assert kinds == {"boxes", "nonhomogeneous_tree", "persons", "tree"}


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_for_cheap_groups_goes_on_where_it_paused(threads, monkeypatch):
    """It pauses after each row that is looked at, and has room for two levels."""
    monkeypatch.setattr(group_prices, "_CELLS", 1)
    monkeypatch.setattr(group_prices, "_TYPES", 1)
    monkeypatch.setattr(group_prices, "cores", lambda: threads)
    for proof, _, verdict in kept_proofs.kept():
        if proof.kind == "group_prices":
            assert kept_proofs.by_verify(proof) == verdict, proof
            with monkeypatch.context() as little_room:
                little_room.setattr(group_prices, "_ROOM", 0)
                assert kept_proofs.by_verify(proof) in (verdict, kept_proofs.BEYOND)


def test_patterns_that_are_looked_at_in_small_batches_are_worth_the_same(monkeypatch):
    for proof, _, verdict in kept_proofs.kept():
        if proof.kind in ("prices", "tree"):
            monkeypatch.setattr(batches, "BATCH", 4)
            assert kept_proofs.by_verify(proof) == verdict, proof
