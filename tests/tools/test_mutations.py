"""The mutants of a source: every kind of fault, at its place, and none in what is only said."""

from __future__ import annotations

import ast

import pytest

from mutations import mutants_of


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("x = a < b", ["x = a <= b"]),
        ("x = a <= b > c", ["x = a < b > c", "x = a <= b >= c"]),
        ("x = a == b", ["x = a != b"]),
        ("x = a is None", []),
        ("x = a and b or c", ["x = a or b or c", "x = a and b and c"]),
        ("x = not a", ["x = a"]),
        ("x = not (a or b)", ["x = (a or b)", "x = not (a and b)"]),
        ("x = a[1]", ["x = a[(1 + 1)]", "x = a[(1 - 1)]"]),
        ("x = 0", ["x = (0 + 1)"]),
        ("x = True", []),
        ("_AT_ONCE = 1 << 24", []),
        ("_MANY = np.int64(256)", []),
        ("x = 1e-9", ["x = (1e-9 + 0.001)", "x = (1e-9 * 1.001)"]),
        ("x = min(a)", ["x = max(a)"]),
        ("x = a.max()", ["x = a.min()"]),
        ("np.maximum.at(a, b, c)", ["np.minimum.at(a, b, c)"]),
        ("x = rng.permutation(n)", ["x = np.arange(n)"]),
        ("x = rng.random(len(a))", ["x = np.zeros(len(a))"]),
        ("x = 'ℓ', a < b", ["x = 'ℓ', a <= b"]),
        ("raise ValueError(1)", []),
        ("x = f'{a < 1}'", []),
    ],
)
def test_every_kind_of_fault(line: str, wanted: list[str]) -> None:
    source = f"# ℓ\n{line}\n"
    found = list(mutants_of("m.py", source))
    assert sorted(mutant.after for mutant in found) == sorted(wanted)
    for mutant in found:
        assert (mutant.line, mutant.before) == (2, line)
        assert mutant.source == f"# ℓ\n{mutant.after}\n"
        ast.parse(mutant.source)


def test_what_is_only_said_is_left_as_it_is() -> None:
    source = "def _explain(a):\n    return a > 1\n\ndef f(a: int = 3) -> int:\n    return a\n"
    assert [(mutant.line, mutant.what) for mutant in mutants_of("m.py", source)] == [
        (4, "an integer plus 1"),
        (4, "an integer minus 1"),
    ]


def test_a_condition_over_several_lines() -> None:
    (mutant,) = mutants_of("m.py", "x = (\n    a\n    < b\n)\n")
    assert (mutant.line, mutant.after, mutant.source) == (3, "<= b", "x = (\n    a\n    <= b\n)\n")
