"""Small faults that a source file could have: one comparison, number, word or call changed at a time.

What only words an explanation or a message is left as it is: no promise depends on it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

FLIPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SWAPPED = {"min": "max", "minimum": "maximum", "argmin": "argmax", "and": "or"}
SWAPPED |= {other: one for one, other in SWAPPED.items()}
OF_WORDS = re.compile(r"explain|text|words|told|hint|notes?\b|sentence|title|shown")
"""Functions whose names say that they make texts."""
BUDGET = 32
"""A constant of a module that is at least as large says how much is done at once, and decides nothing."""


@dataclass(frozen=True)
class Mutant:
    """A file with one place changed."""

    file: str
    line: int
    what: str
    before: str
    after: str
    source: str
    """The whole text of the changed file."""


def mutants_of(file: str, source: str) -> Iterator[Mutant]:
    """All mutants of a file, in the order of their places."""
    text = _Text(source)
    found = {}
    for node in _code(ast.parse(source)):
        for start, end, new, what in _changes(node, text):
            found[start, end, new] = text.mutant(file, start, end, new, what)
    return (found[place] for place in sorted(found))


class _Text:
    """A source by places: bytes from its beginning, since that is how a syntax tree counts columns."""

    def __init__(self, source: str) -> None:
        self.bytes = source.encode()
        self.lines = [0]
        for line in self.bytes.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))

    def start(self, node: ast.AST) -> int:
        return self.lines[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self.lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def of(self, node: ast.AST) -> str:
        return self.bytes[self.start(node) : self.end(node)].decode()

    def find(self, pattern: str, start: int, end: int) -> tuple[int, int] | None:
        """Where a word stands between two places."""
        at = re.search(pattern.encode(), self.bytes[start:end])
        return at and (start + at.start(), start + at.end())

    def mutant(self, file: str, start: int, end: int, new: str, what: str) -> Mutant:
        changed = self.bytes[:start] + new.encode() + self.bytes[end:]
        line = self.bytes.count(b"\n", 0, start)
        last = self.bytes.count(b"\n", 0, end)
        before = self.bytes.splitlines()[line : last + 1]
        after = changed.splitlines()[line : last + 1 - self.bytes[start:end].count(b"\n")]
        return Mutant(file, line + 1, what, _joined(before), _joined(after), changed.decode())


def _joined(lines: list[bytes]) -> str:
    return " ".join(line.decode().strip() for line in lines)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that decide something."""
    if isinstance(node, ast.JoinedStr | ast.Raise | ast.Assert | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.FunctionDef) and OF_WORDS.search(node.name):
        return
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Module):
        node.body = [part for part in node.body if not _is_budget(part)]
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _code(child)


def _is_budget(part: ast.stmt) -> bool:
    """Whether this is a line such as _AT_ONCE = 1 << 24."""
    if not isinstance(part, ast.Assign):
        return False
    numbers = [node.value for node in ast.walk(part.value) if isinstance(node, ast.Constant)]
    return any(isinstance(number, int) and number >= BUDGET for number in numbers) or "<<" in ast.unparse(part.value)


Change = tuple[int, int, str, str]


def _changes(node: ast.AST, text: _Text) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        yield from _flipped(node, text)
    elif isinstance(node, ast.BoolOp):
        yield from _other_word(node, text)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        _, end = text.find(r"not\s*", text.start(node), text.end(node)) or (0, 0)
        yield text.start(node), end, "", "without not"
    elif isinstance(node, ast.Constant):
        yield from _other_number(node, text)
    elif isinstance(node, ast.Name | ast.Attribute):
        yield from _other_end(node, text)
    elif isinstance(node, ast.Call):
        yield from _without_chance(node, text)


def _flipped(node: ast.Compare, text: _Text) -> Iterator[Change]:
    for left, right in pairwise([node.left, *node.comparators]):
        place = text.find("[<>!=]=|[<>]", text.end(left), text.start(right))
        if place:
            old = text.bytes[slice(*place)].decode()
            yield *place, FLIPPED[old], f"{old} to {FLIPPED[old]}"


def _other_word(node: ast.BoolOp, text: _Text) -> Iterator[Change]:
    for left, right in pairwise(node.values):
        place = text.find(r"\b(and|or)\b", text.end(left), text.start(right))
        if place:
            old = text.bytes[slice(*place)].decode()
            yield *place, SWAPPED[old], f"{old} to {SWAPPED[old]}"


def _other_number(node: ast.Constant, text: _Text) -> Iterator[Change]:
    value, place = node.value, (text.start(node), text.end(node))
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield *place, f"({value} + 1)", "an integer plus 1"
        if value:
            yield *place, f"({value} - 1)", "an integer minus 1"
    elif isinstance(value, float):
        yield *place, f"({text.of(node)} * 1.001)", "a number a thousandth larger"
        yield *place, f"({text.of(node)} + 0.001)", "a number plus 0.001"


def _other_end(node: ast.Name | ast.Attribute, text: _Text) -> Iterator[Change]:
    name = node.id if isinstance(node, ast.Name) else node.attr
    if name in SWAPPED and isinstance(node.ctx, ast.Load):
        yield text.end(node) - len(name), text.end(node), SWAPPED[name], f"{name} to {SWAPPED[name]}"


def _without_chance(node: ast.Call, text: _Text) -> Iterator[Change]:
    """What is random, in order instead."""
    if isinstance(node.func, ast.Attribute) and node.args:
        given = text.of(node.args[0])
        place = text.start(node), text.end(node)
        if node.func.attr in ("permutation", "permuted"):
            yield *place, f"np.arange({given})", "in order instead of random"
        elif node.func.attr == "random" and ast.unparse(node.func.value) != "np":
            yield *place, f"np.zeros({given})", "equal instead of random"
