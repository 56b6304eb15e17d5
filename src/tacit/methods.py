"""The methods there are. Each is a file in the room of its kind of data that says what users see of it, beside its
code; the tables are made from the files, without loading what a search needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError
from tacit.promises import MODELS, Promise

Search = Callable[..., Any]
"""Takes data and a promise, and by name the seed, who is told of progress, and the options; gives a recoding."""
Reach = Callable[[Any, int, Mapping[str, Any]], str]
"""Says what is reached of a promise where so many people can hide each other, from the data and the options."""

if TYPE_CHECKING:
    METHODS: dict[str, Method]


@dataclass(frozen=True)
class Option:
    """An option of a method: what it takes, in words and as a test, and what it is when left out."""

    meaning: str
    fits: Callable[[Any], bool]
    wanted: str
    default: Any = None
    is_path: bool = False
    """Whether it names a file, which is relative to the job file."""
    more: str = ""
    """What the documentation says beyond the meaning, as it is written there; its links are those of docs/job.md."""
    idle: Callable[[Mapping[str, Any]], tuple[str, str] | None] = lambda options: None
    """Why it would change nothing beside the other options that are given, and what to do; None if it would."""


@dataclass(frozen=True)
class Method:
    """A method as users see it, and its search for each promise that it makes."""

    name: str
    summary: str
    makes: Mapping[str, Search]
    options: Mapping[str, Option] = field(default_factory=dict)
    publishes: str = ""
    """What its releases look like, as the documentation writes it."""
    is_global: bool = False
    """Whether a value is published in the same way in every record, so that the decision can be used for others."""
    draws: bool = False
    """Whether its search draws what hides people: it is given `hidden` for that."""
    uses_hierarchy: bool = True
    """Whether it generalizes along a hierarchy."""
    on_engines: bool = False
    """Whether it has a form on an engine: `tacit.engines` can make its release in shares of the data."""
    asks_supports: bool = False
    """Whether its search for a promise that holds by supports asks no more than whether enough people hold sets of
    nodes, so that it needs no basket that tells it nothing new."""
    in_gray_order: bool = False
    """Whether baskets that are next to each other in the order of the Gray code are published together."""
    takes_columns: bool = False
    """Whether it puts attributes into columns of a sliced table, which can be given to `slicing`, too."""
    in_sets: Callable[[Mapping[str, Any], bool], bool] = lambda options, is_nameless: False
    """Whether its search looks for sets of items, too, with these options and where the hierarchy names nothing (or
    something): for these it needs every basket."""
    caution: Callable[[Mapping[str, Any]], str] = lambda options: ""
    """What owner and recipients must know of a release that was made with these options; nothing if it is empty."""
    reach: Reach = lambda data, people, options: f"No method can reach more than k = {people}"
    """What it reaches where there are too few people for the promise."""

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self.makes)

    def search(self, promise: Promise) -> Search:
        """Its search for a promise. What is decided about single records is decided in the order of their content."""
        from tacit.arrays.order import as_it_is, in_content_order

        search = self.makes[promise.name]
        return as_it_is(search) if self.is_global else in_content_order(search, self.draws)

    def checked(self, options: Mapping[str, Any], *, folder: Path | None = None) -> dict[str, Any]:
        """The options with their defaults filled in; what the method does not know, or cannot take, is refused.

        A file that an option names is taken from `folder`.
        """
        for key, value in options.items():
            if key not in self.options:
                takes = ", ".join(self.options) or "none"
                raise InputError(f"method.{key} is not an option of {self.name!r}", hint=f"Its options are: {takes}.")
            option = self.options[key]
            if not option.fits(value):
                hint = f"It says: {option.meaning}."
                raise InputError(f"method.{key} is {value!r}, but it must be {option.wanted}", hint=hint)
            if value != option.default and (idle := option.idle(options)):
                raise InputError(f"method.{key} would change nothing: {idle[0]}", hint=idle[1])
        defaults = {key: option.default for key, option in self.options.items() if option.default is not None}
        filled = {**defaults, **options}
        return {key: _from(folder, value) if self.options[key].is_path else value for key, value in filled.items()}


def _from(folder: Path | None, file: str) -> str:
    return str((folder or Path()).absolute() / file)


def __getattr__(name: str) -> Any:
    if name == "METHODS":
        return _declared()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _declared() -> dict[str, Method]:
    """Every method that a file in a room declares as METHOD, by name: of each room the default ones first."""
    found: list[Method] = []
    defaults = [model.default_method for model in MODELS.values()]
    for room in dict.fromkeys(model.kind_of_data for model in MODELS.values()):
        package = import_module(f"tacit.{room}.methods")
        here = [import_module(each.name).METHOD for each in iter_modules(package.__path__, f"{package.__name__}.")]
        found += sorted(here, key=lambda method: (method.name not in defaults, method.name))
    return {method.name: method for method in map(_of_known_promises, found)}


def _of_known_promises(method: Method) -> Method:
    """The method; one that makes what no file declares is a mistake of ours, told before anything runs."""
    if unknown := [model for model in method.makes if model not in MODELS]:
        raise LookupError(f"the method {method.name!r} makes {', '.join(unknown)}, which no file in promises/ declares")
    return method


def method_for(model: str, name: str | None) -> Method:
    """The method that a job names, or the best one for its promise."""
    methods, name = _declared(), MODELS[model].default_method if name is None else name
    if name not in methods:
        fitting = ", ".join(each.name for each in methods.values() if model in each.makes)
        meant = "".join(f"Did you mean {each!r}? " for each in get_close_matches(name.lower(), methods, n=1))
        raise InputError(
            f"method.name is {name!r}, which is not a method tacit knows",
            hint=f"{meant}For {model!r} there are: {fitting}.",
        )
    if model not in methods[name].makes:
        raise InputError(
            f"method.name is {name!r}, which does not make {model!r}",
            hint=f"It makes: {', '.join(methods[name].models)}. `tacit methods` lists all.",
        )
    return methods[name]


def is_local(model: str, name: str | None) -> bool:
    """Whether the method that a job names, or else the best one for its promise, has names that vary by record."""
    methods = _declared()
    named = methods.get(name or "")
    fits = named is not None and model in named.makes
    return not (named if named is not None and fits else methods[MODELS[model].default_method]).is_global


def whole(least: int, meaning: str, default: int | None = None, more: str = "") -> Option:
    """An option that takes whole numbers from `least` up."""
    return Option(
        meaning,
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least,
        f"a whole number of at least {least}",
        default,
        more=more,
    )


def one_of(names: tuple[str, ...], meaning: str, default: str, more: str = "") -> Option:
    """An option that takes one of some names."""
    wanted = f"one of {', '.join(names)}"
    return Option(f"{meaning}: {' | '.join(names)}", lambda value: value in names, wanted, default, more=more)


def flag(meaning: str, default: bool | None = None, more: str = "") -> Option:
    """An option that is true or false."""
    return Option(meaning, lambda value: isinstance(value, bool), "true or false", default, more=more)
