"""What promises, methods and options say of themselves, in the words of the documentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, fields
from typing import Any, NamedTuple

from tacit.methods import METHODS, Method, Option
from tacit.promises import MODELS, Promise

Model = type[Promise]


class Words(NamedTuple):
    """A kind of data, as the documentation calls it."""

    heading: str
    what: str
    nobody: str


KINDS = {
    "baskets": Words(
        "Baskets",
        "**baskets**: what people bought, visited, ticked",
        "finds a person, or learns a sensitive item, by a few known items",
    ),
    "records": Words(
        "Records",
        "**records**: a row a person, perhaps with a basket",
        "finds a person, or learns what is sensitive, by what is known of both halves",
    ),
    "slices": Words(
        "Tables with several sensitive attributes",
        "**tables** with sensitive columns that must keep what goes together",
        "tells a sensitive value, knowing all the rest",
    ),
    "ratings": Words("Ratings", "**ratings**: surveys, stars for films", "finds a person by the person's ratings"),
}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """As Markdown. A bar in a cell is no border."""
    lines = [tuple(head), ("---",) * len(head), *((cell.replace("|", r"\|") for cell in row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def code(*names: str) -> str:
    return ", ".join(f"`{name}`" for name in names)


def moved(text: str, to_docs: str) -> str:
    """Text whose links are those of docs/, for a page elsewhere: `to_docs` leads from there to docs/."""
    return re.sub(r"\]\((?!https:)", f"]({to_docs}", text)


def as_toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else f"{value}"


def file_of(name: str) -> str:
    """The name of a Python file, and so of a module, for a name of a job file."""
    return name.replace("-", "_")


def module_of(model: Model) -> str:
    return model.__module__.rpartition(".")[2]


def kind_of(method: Method) -> str:
    return MODELS[method.models[0]].kind_of_data


def methods_for(model: str) -> list[str]:
    """The methods that make a promise, the default one first."""
    making = [name for name, method in METHODS.items() if model in method.models]
    return sorted(making, key=lambda name: name != MODELS[model].default_method)


def methods_of(kind: str) -> list[Method]:
    return [method for method in METHODS.values() if kind_of(method) == kind]


def promises_of(kind: str) -> list[Model]:
    return [model for model in MODELS.values() if model.kind_of_data == kind]


def global_methods() -> list[str]:
    return [name for name, method in METHODS.items() if method.is_global]


def call(model: Model) -> str:
    """How it is made in Python: `tacit.LDiversity(k, l, kind="frequency")`."""
    given = [each.name if each.default is MISSING else f"{each.name}={_python(each.default)}" for each in fields(model)]
    return f"tacit.{model.__name__}({', '.join(given)})"


def _python(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def columns_for(model: Model) -> str:
    """The columns that a job must have for it."""
    sensitive = ", some items declared `sensitive`" if model.about_sensitive_items else ""
    return code(*model.roles) + sensitive


def parameters(model: Model) -> list[tuple[str, str, str, str]]:
    """Of each parameter its name, what it may be, what it means, and what it is when left out."""
    found = []
    for each in fields(model):
        meaning, otherwise = _parted(model.takes[each.name])
        default = "needed" if each.default is MISSING else _default(each.default, otherwise)
        found.append((each.name, model.accepts[each.name], meaning, default))
    return found


def option_facts(option: Option) -> tuple[str, str, str]:
    """Of an option what it says, what it takes, and what it is when left out."""
    meaning, otherwise = _parted(option.meaning)
    said = meaning + (f". {option.more}" if option.more else "")
    return said, option.wanted, _default(option.default, otherwise)


def _parted(meaning: str) -> tuple[str, str]:
    """A meaning, and what it says of leaving it out."""
    said, _, otherwise = meaning.partition("; left out: ")
    return said, otherwise


def _default(value: Any, otherwise: str) -> str:
    return otherwise or "–" if value is None else code(as_toml(value))
