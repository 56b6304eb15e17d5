"""The methods there are: for which promise, what options they take, and where their code is. One plain table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from tacit.errors import InputError

Search = Callable[..., Any]


@dataclass(frozen=True)
class Option:
    """An option of a method: what it takes, in words and as a test, and what it is when left out."""

    meaning: str
    fits: Callable[[Any], bool]
    wanted: str
    default: Any = None
    is_path: bool = False
    """Whether it names a file, which is relative to the job file."""


@dataclass(frozen=True)
class MethodInfo:
    """A method as users see it; its code, named `module:function`, is imported when it is used."""

    summary: str
    models: tuple[str, ...]
    code: str
    options: Mapping[str, Option] = field(default_factory=dict)

    def search(self) -> Search:
        module, function = self.code.split(":")
        return getattr(import_module(module), function)


_LOSS_NAMES = ("lm", "leaf-share", "height", "bits")
_LOSS_OPTIONS = {
    "loss": Option(
        "the loss that is kept low: lm, leaf-share, height or bits",
        lambda value: value in _LOSS_NAMES,
        f"one of {', '.join(_LOSS_NAMES)}",
        "lm",
    ),
    "item_weights": Option(
        "how much each item matters: a table of item = weight, 1 for the others",
        lambda value: (
            isinstance(value, Mapping)
            and all(isinstance(w, int | float) and not isinstance(w, bool) and 0 <= w <= 1000 for w in value.values())
        ),
        "a table of items with weights between 0 and 1000",
    ),
}

METHODS: dict[str, MethodInfo] = {
    "best": MethodInfo(
        "HgHs and mHgHs, improved by linear programs over the neighbourhood of what they find",
        ("km",),
        "tacit.transactions.searches:search_best",
        _LOSS_OPTIONS,
    ),
    "mhghs": MethodInfo(
        "generalization and suppression together, in m rounds (Liu & Wang 2010)",
        ("km",),
        "tacit.transactions.searches:search_mhghs",
        _LOSS_OPTIONS,
    ),
    "hghs": MethodInfo(
        "the same in one search for the whole m (Liu & Wang 2010)",
        ("km",),
        "tacit.transactions.searches:search_hghs",
        _LOSS_OPTIONS,
    ),
    "apriori": MethodInfo(
        "AA: generalization alone, level by level (Terrovitis, Mamoulis, Kalnis 2008)",
        ("km",),
        "tacit.transactions.searches:search_apriori",
        _LOSS_OPTIONS,
    ),
    "vpa": MethodInfo(
        "AA on parts of the hierarchy, then on all of it (Terrovitis, Mamoulis, Kalnis 2011)",
        ("km",),
        "tacit.transactions.searches:search_vpa",
        _LOSS_OPTIONS,
    ),
    "suppression": MethodInfo(
        "MM: suppression alone, the item with the most minimal moles per loss first (Xu, Wang, Fu, Yu 2008)",
        ("km",),
        "tacit.transactions.searches:search_suppression",
        _LOSS_OPTIONS,
    ),
}

DEFAULT_METHOD = {"km": "best"}
"""The best method for each promise."""


def method_for(model: str, name: str | None) -> tuple[str, MethodInfo]:
    """The method that a job names, or the best one for its promise."""
    name = DEFAULT_METHOD[model] if name is None else name
    if name not in METHODS:
        raise InputError(
            f"method.name is {name!r}, which is not a method tacit knows",
            hint=f"For {model!r} there are: {', '.join(n for n, info in METHODS.items() if model in info.models)}.",
        )
    if model not in METHODS[name].models:
        raise InputError(
            f"method {name!r} does not make {model!r}",
            hint=f"It makes: {', '.join(METHODS[name].models)}. `tacit methods` lists all.",
        )
    return name, METHODS[name]


def checked_options(
    name: str, info: MethodInfo, options: Mapping[str, Any], *, folder: Path | None = None
) -> dict[str, Any]:
    """The options with their defaults filled in; what the method does not know, or cannot take, is refused.

    A file that an option names is taken from `folder`.
    """
    for key, value in options.items():
        if key not in info.options:
            takes = ", ".join(info.options) or "none"
            raise InputError(f"method.{key} is not an option of {name!r}", hint=f"Its options are: {takes}.")
        if not info.options[key].fits(value):
            raise InputError(f"method.{key} is {value!r}, but it must be {info.options[key].wanted}")
    defaults = {key: option.default for key, option in info.options.items() if option.default is not None}
    filled = {**defaults, **options}
    return {key: _from(folder, value) if info.options[key].is_path else value for key, value in filled.items()}


def _from(folder: Path | None, file: str) -> str:
    return str((folder or Path()).absolute() / file)
