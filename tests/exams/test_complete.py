"""Every promise and every method there is has all that belongs to it. CONTRIBUTING.md lists the files."""

from __future__ import annotations

import ast
import inspect
import math
import re
import subprocess
import sys
from dataclasses import Field, fields, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
from tools.facts import file_of, module_of
from tools.marks import without
from tools.templates import OPEN

import naive
from exams.test_boundaries import EDGES
from tacit import InputError, methods
from tacit.job import ROLE_KEYS
from tacit.methods import METHODS
from tacit.promises import CLASSES, MODELS, Promise, promise

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numba", "numpy", "pyarrow", "scipy", "sklearn")
DECLARED = [name for name in Promise.__annotations__ if not hasattr(Promise, name)]
"""What a promise must say of itself."""
BAD = (-1, math.nan, math.inf, -math.inf, "x", "", True, None, [], 0)
"""What a parameter cannot be, unless the promise says otherwise."""
WITHOUT_TWIN = {
    "best": "it is compared with an exhaustive search, and never loses more than hghs and mhghs do",
    "mondrian": "what it knows of groups is compared with the definitions, its outcome with the best partition",
    "rfirst": "the clusters, and what becomes of their items, are those of rum-bound's twin",
    "tfirst": "the parts are those of lra's twin, and what becomes of their items that of rum-bound's",
    "neighbours": "its outcome is compared with the definition, and never costs more than hamming's",
}
"""Methods that are judged otherwise, and how."""
every_promise = pytest.mark.parametrize("name", MODELS)
every_method = pytest.mark.parametrize("name", METHODS)


def twins() -> dict[str, str]:
    """For each method the module in tests/naive that says to be its twin."""
    found: dict[str, str] = {}
    for module in iter_modules(naive.__path__):
        for method in getattr(import_module(f"naive.{module.name}"), "TWIN_OF", ()):
            assert method not in found, f"{method} has two twins"
            found[method] = module.name
    return found


TWINS = twins()


def resolved(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def is_written(*files: str) -> None:
    """They are there, and nothing of them is as `make new-method` or `make new-promise` left it."""
    for file in files:
        assert (ROOT / file).is_file(), f"{file} is missing"
        is_open = OPEN in (ROOT / file).read_text("utf-8").lower()
        assert not is_open, f"{file} is {OPEN}"


def has_sections(page: str, *headings: str) -> None:
    """Each with something below it that was written by hand, but for what is generated."""
    text = (ROOT / page).read_text("utf-8")
    for heading in headings:
        _, found, rest = text.partition(f"\n## {heading}\n")
        assert found, f"{page} has no section {heading!r}"
        assert rest.partition("\n## ")[0].strip(), f"{page} says nothing under {heading!r}"


@every_promise
def test_a_promise_has_all_its_files(name: str) -> None:
    module = module_of(MODELS[name])
    assert module == file_of(name)
    page = f"docs/promises/{name}.md"
    is_written(f"src/tacit/promises/{module}.py", f"tests/naive/audits/{module}.py", page)
    has_sections(page, "Definition", "By hand", "Methods", "The audit")
    assert "```python" in without((ROOT / page).read_text("utf-8")), f"{page} has no example that runs"


@every_promise
def test_a_promise_says_all_of_itself(name: str) -> None:
    model = MODELS[name]
    assert [fact for fact in DECLARED if not hasattr(model, fact)] == []
    parameters = {field.name for field in fields(model)}
    assert set(model.takes) == set(model.accepts) == parameters
    assert all((model.name, model.title, model.stops, model.says, model.not_stopped.endswith(".")))
    assert set(model.roles) <= set(ROLE_KEYS)
    import_module(f"tacit.{model.kind_of_data}.kind")


@every_promise
def test_a_promise_can_be_made(name: str) -> None:
    model = MODELS[name]
    for given in filter(None, (model.example, model.weakest)):
        made = promise(name, dict(given))
        assert promise(name, made.parameters()) == made
        assert len(made.in_words()) > 40
        assert isinstance(made.bound, Fraction)
        assert 0 <= made.bound <= 1


@every_promise
def test_a_promise_says_what_its_own_attacker_finds_or_learns(name: str) -> None:
    """Else no attack would ever be held to its bound."""
    model = MODELS[name]
    for given in filter(None, (model.example, model.weakest)):
        made = promise(name, dict(given))
        known: dict[str, Any] = {"quasi": "quasi" in made.roles, "items": made.items_known or 0}
        told = [each for each in (made.finds(**known), made.learns(**known)) if each is not None]
        assert max(told, default=None) == made.bound


@every_promise
def test_a_promise_refuses_what_a_parameter_cannot_be(name: str) -> None:
    model = MODELS[name]
    for field in fields(model):
        for bad in [value for value in BAD if not may_be(model, field, value)]:
            with pytest.raises(InputError, match=rf"^privacy\.{field.name} is "):
                model(**{**model.example, field.name: bad})


def may_be(model: type[Promise], field: Field[Any], value: object) -> bool:
    """Whether the promise says that it takes such a value."""
    says = model.accepts[field.name]
    if isinstance(value, bool):
        return "`true`" in says
    if value == math.inf:
        return '`"inf"`' in says
    if value == 0 and field.name != "k":
        return True  # a share or a distance may be 0: tests/exams/test_definitions.py tries what is taken
    return value is None and field.default is None


@every_promise
def test_a_promise_has_an_audit(name: str) -> None:
    model = MODELS[name]
    assert model.audit == f"tacit.audits.{module_of(model)}"
    is_written(f"src/{model.audit.replace('.', '/')}.py")
    taken = list(inspect.signature(resolved(f"{model.audit}:audit")).parameters)
    assert taken[:2] == ["view", "promise"]


@every_promise
def test_a_promise_is_written_out(name: str) -> None:
    for function in ("holds", "best_guess"):
        taken = list(inspect.signature(resolved(f"naive.audits.{module_of(MODELS[name])}:{function}")).parameters)
        assert taken[:3] == ["table", "promise", "roles"]
    taken = list(inspect.signature(resolved(f"naive.audits.{module_of(MODELS[name])}:attack")).parameters)
    assert taken == ["table", "original", "promise", "roles", "paths"]


@every_promise
def test_a_promise_has_tables_at_its_bounds(name: str) -> None:
    """tests/exams/test_boundaries.py takes them from the definition, written out, or has some of its own."""
    has_some = hasattr(import_module(f"naive.audits.{module_of(MODELS[name])}"), "at_the_bound")
    assert has_some != (name in EDGES), "its definition needs a function at_the_bound: a table for each parameter"


@every_promise
def test_a_promise_is_kept_by_its_default_method_and_refused_where_it_cannot_be(name: str) -> None:
    model = MODELS[name]
    assert model.default_method in METHODS
    assert name in METHODS[model.default_method].models
    assert list(inspect.signature(resolved(model.reach)).parameters) == ["data", "promise", "job"]


def room_of(method: str) -> str:
    """The kind of data in whose room its file lies."""
    rooms = {model.kind_of_data for model in MODELS.values()}
    (found,) = (room for room in rooms if (ROOT / f"src/tacit/{room}/methods/{file_of(method)}.py").is_file())
    return found


@every_method
def test_a_method_has_all_its_files(name: str) -> None:
    page = f"docs/methods/{name}.md"
    is_written(f"src/tacit/{room_of(name)}/methods/{file_of(name)}.py", page)
    assert len(without((ROOT / page).read_text("utf-8"))) > 300, f"{page} says hardly anything"


@every_method
def test_a_method_says_all_of_itself(name: str) -> None:
    method = METHODS[name]
    assert method.summary and method.publishes
    assert method.models, "it makes no promise"
    for model in method.models:
        assert model in MODELS, f"{model} is no promise"
        assert MODELS[model].kind_of_data == room_of(name)
        taken = inspect.signature(method.makes[model]).parameters
        assert list(taken)[:2] == ["data", "promise"]
    for key, option in method.options.items():
        assert option.meaning and option.wanted, f"{key} has no meaning"
        assert option.default is None or option.fits(option.default), f"{key} cannot be its default"


@every_method
def test_a_method_has_a_twin(name: str) -> None:
    assert (name in TWINS) != (name in WITHOUT_TWIN), "either a module of tests/naive is its twin, or a reason why not"
    if name in TWINS:
        is_written(f"tests/naive/{TWINS[name]}.py")


def test_no_twin_is_of_a_method_that_is_gone() -> None:
    assert {*TWINS, *WITHOUT_TWIN} <= set(METHODS)


def test_methods_can_be_listed_without_what_a_search_needs() -> None:
    code = (
        f"from tacit.methods import METHODS; len(METHODS); import sys; print([m for m in {HEAVY} if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_method_of_a_promise_that_is_gone_is_told() -> None:
    with pytest.raises(LookupError, match="the method 'best' makes gone, which no file in promises/ declares"):
        methods._of_known_promises(replace(METHODS["best"], makes={"km": print, "gone": print}))


def asks_which_promise(node: ast.AST) -> bool:
    """Whether code asks for a promise by its class, compares its name, or lists several by name."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
        return any(isinstance(each, ast.Name) and each.id in CLASSES for each in ast.walk(node.args[1]))
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        named = [each for side in sides for each in ast.walk(side) if isinstance(each, ast.Constant)]
        asked = any("promise.name" in ast.unparse(side) for side in sides)
        return asked and any(each.value in MODELS for each in named if isinstance(each.value, str))
    listed = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    names = [each.value if isinstance(each, ast.Constant) else None for each in listed]
    return len(names) > 1 and all(name in MODELS for name in names)


@pytest.mark.parametrize(
    "code",
    [
        'job.promise.name == "k"', '(promise.name, x) != ("k", 3)', 'promise.name in ("k", "l")',
        "isinstance(promise, (KAnonymity, LDiversity))", '{"k": 1, "k-km": 2}', '("cahd", "sliced-l")',
    ],
)  # fmt: skip
def test_whoever_asks_is_found(code: str) -> None:
    assert any(map(asks_which_promise, ast.walk(ast.parse(code))))
    assert not any(map(asks_which_promise, ast.walk(ast.parse('facts["k"], x.name == "age", ("k", "people")'))))


def test_nobody_asks_which_promise_it_is() -> None:
    """What is particular to a promise stands in its file; a method says in its own which ones it makes."""
    package = ROOT / "src" / "tacit"
    quoted = "|".join(f'"{name}"' for name in MODELS)
    names = re.compile("|".join([*CLASSES, r"promise\.name", f"({quoted}).*\\n?.*({quoted})"]))
    files = [file for file in package.rglob("*.py") if file.parent.name not in ("promises", "methods")]
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"  # type: ignore[attr-defined]
        for file in files
        if names.search(text := file.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if asks_which_promise(node)
    ]
    assert found == []
