"""The methods there are: for which promise, what options they take, and where their code is. One plain table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from math import isfinite
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
    is_local: bool = False
    """Whether a value may be published in different ways in different records."""
    climbs: bool = True
    """Whether it generalizes along a hierarchy."""

    def search(self) -> Search:
        module, function = self.code.split(":")
        return getattr(import_module(module), function)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


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

_CONSTRAINTS = {
    "constraints": Option(
        "a TOML file of what an attacker may know, what may be published together, and how much may be left out",
        lambda value: isinstance(value, str | Path) and bool(str(value)),
        "the path of a file",
        is_path=True,
    )
}


def _at_least(least: int, meaning: str, default: int) -> Option:
    return Option(
        meaning,
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least,
        f"a whole number of at least {least}",
        default,
    )


def _one_of(names: tuple[str, ...], meaning: str, default: str) -> Option:
    wanted = f"one of {', '.join(names)}"
    return Option(f"{meaning}: {' | '.join(names)}", lambda value: value in names, wanted, default)


_RELATIONAL = {
    "relational": _one_of(
        ("cluster", "cluster-literal", "mondrian"), "how records are put into clusters at first", "cluster"
    )
}
_BASKETS = {"baskets": _one_of(("coat", "pcta", "apriori"), "how the items of a cluster are generalized", "coat")}
_BOUND_OPTIONS = {
    "merge": _one_of(("r", "t", "rt"), "which clusters are merged: alike in values, in baskets, in both", "rt"),
    "delta": Option(
        "the most that may be lost in what is bounded",
        lambda value: _is_number(value) and value >= 0,
        "a number of at least 0",
        0.65,
    ),
    **_RELATIONAL,
    **_BASKETS,
    "order": _one_of(("btd", "ul"), "how alike baskets are: by bits, or by what their generalization loses", "btd"),
    "rum": _one_of(("ncp", "discernability", "class-size", "minkowski"), "the measure of loss in values", "ncp"),
    "norm": Option(
        'which Minkowski norm, for rum = "minkowski": 2 is the Euclidean one',
        lambda value: value == "inf" or (_is_number(value) and value >= 1),
        'a number of at least 1, or "inf"',
        2,
    ),
}

_LOWER_BOUND = Option(
    "a thorough lower bound on the loss (NCP) of any cut and suppression, or none; left out: a quick one",
    lambda value: isinstance(value, bool),
    "true or false",
)

METHODS: dict[str, MethodInfo] = {
    "best": MethodInfo(
        "HgHs and mHgHs, improved by linear programs over the neighbourhood of what they find",
        ("km",),
        "tacit.baskets.solvers.searches:search_best",
        {**_LOSS_OPTIONS, "bound": _LOWER_BOUND},
    ),
    "mhghs": MethodInfo(
        "generalization and suppression together, in m rounds (Liu & Wang 2010)",
        ("km",),
        "tacit.baskets.solvers.searches:search_mhghs",
        _LOSS_OPTIONS,
    ),
    "hghs": MethodInfo(
        "the same in one search for the whole m (Liu & Wang 2010)",
        ("km",),
        "tacit.baskets.solvers.searches:search_hghs",
        _LOSS_OPTIONS,
    ),
    "apriori": MethodInfo(
        "AA: generalization alone, level by level (Terrovitis, Mamoulis, Kalnis 2008)",
        ("km", "lm"),
        "tacit.baskets.solvers.searches:search_apriori",
        _LOSS_OPTIONS,
    ),
    "vpa": MethodInfo(
        "AA on parts of the hierarchy, then on all of it (Terrovitis, Mamoulis, Kalnis 2011)",
        ("km", "lm"),
        "tacit.baskets.solvers.searches:search_vpa",
        {**_LOSS_OPTIONS, "parts": _at_least(1, "about how many parts of the hierarchy", 8)},
    ),
    "lra": MethodInfo(
        "AA on parts of the records, similar ones together (Terrovitis, Mamoulis, Kalnis 2011)",
        ("km", "lm"),
        "tacit.baskets.solvers.searches:search_lra",
        {**_LOSS_OPTIONS, "partition_size": _at_least(1, "about how many records a part has", 10_000)},
        is_local=True,
    ),
    "suppression": MethodInfo(
        "MM: suppression alone, the item with the most minimal moles per loss first (Xu, Wang, Fu, Yu 2008)",
        ("coherence", "km"),
        "tacit.baskets.solvers.searches:search_suppression",
        _LOSS_OPTIONS,
        climbs=False,
    ),
    "coat": MethodInfo(
        "COAT: items as sets, the rarest first, within constraints (Loukides, Gkoulalas-Divanis, Malin 2011)",
        ("km",),
        "tacit.baskets.solvers.searches:search_coat",
        _CONSTRAINTS,
        climbs=False,
    ),
    "pcta": MethodInfo(
        "PCTA: items as sets, the cheapest merge first, within constraints (Gkoulalas-Divanis, Loukides 2011)",
        ("km",),
        "tacit.baskets.solvers.searches:search_pcta",
        _CONSTRAINTS,
        climbs=False,
    ),
    "partition": MethodInfo(
        "LG: equal baskets, by generalizing each part of the records on its own (He, Naughton 2009)",
        ("transactional-k",),
        "tacit.baskets.solvers.searches:search_partition",
        _LOSS_OPTIONS,
        is_local=True,
    ),
    "cahd": MethodInfo(
        "CAHD: groups of like records, in which sensitive items are rare (Ghinita, Tao, Kalnis 2008)",
        ("cahd",),
        "tacit.baskets.solvers.searches:search_cahd",
        {"alpha": _at_least(1, "alpha · p records on either side are looked at for a group", 3)},
        climbs=False,
    ),
    "rum-bound": MethodInfo(
        "clusters merged as far as a bound on the loss in values permits (Poulis et al. 2013)",
        ("k-km", "k-lm"),
        "tacit.records.solvers.basket_searches:search_rum_bound",
        _BOUND_OPTIONS,
        is_local=True,
    ),
    "tum-bound": MethodInfo(
        "clusters merged until a bound on the loss in baskets is met (Poulis et al. 2013)",
        ("k-km", "k-lm"),
        "tacit.records.solvers.basket_searches:search_tum_bound",
        _BOUND_OPTIONS,
        is_local=True,
    ),
    "rfirst": MethodInfo(
        "values first: small clusters, whose items lose much (Poulis et al. 2013)",
        ("k-km", "k-lm"),
        "tacit.records.solvers.basket_searches:search_rfirst",
        {**_RELATIONAL, **_BASKETS},
        is_local=True,
    ),
    "tfirst": MethodInfo(
        "baskets first: parts alike in items, whose values lose much (Poulis et al. 2013)",
        ("k-km", "k-lm"),
        "tacit.records.solvers.basket_searches:search_tfirst",
        {**_BASKETS, "partition_size": _at_least(1, "about how many records a part has", 10_000)},
        is_local=True,
    ),
}

_SLICING_OPTIONS = {
    "columns": Option(
        "how many columns, or which: lists of attributes, which may overlap; left out: as many as fit best",
        lambda value: (
            (isinstance(value, int) and not isinstance(value, bool) and value >= 1)
            or (isinstance(value, list | tuple) and len(value) > 0 and all(_are_names(one) for one in value))
        ),
        "a whole number of at least 1, or lists of attributes",
    ),
    "overlap": Option(
        "whether an attribute may stand in a second column where that keeps more correlation",
        lambda value: isinstance(value, bool),
        "true or false",
        False,
    ),
    "cluster": Option(
        "how attributes are put together: kmeans or kmedoids",
        lambda value: value in ("kmeans", "kmedoids"),
        "kmeans or kmedoids",
        "kmeans",
    ),
    "domains": Option(
        "attributes that stand together: a table of name = list of attributes",
        lambda value: isinstance(value, Mapping) and all(_are_names(one) for one in value.values()),
        "a table of lists of attributes",
    ),
    "generalize_k": Option(
        "makes every column k-anonymous first; left out: values are published as they are",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
        "a whole number of at least 1",
    ),
    "bins": Option(
        "into how many classes numbers are put to compute correlations",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 2,
        "a whole number of at least 2",
        10,
    ),
    "discretize": Option(
        "classes of equal frequency or of equal width",
        lambda value: value in ("frequency", "width"),
        "frequency or width",
        "frequency",
    ),
}


def _are_names(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0 and all(isinstance(name, str) for name in value)


METHODS |= {
    "slicing": MethodInfo(
        "columns of correlated attributes, permuted inside buckets (Li et al. 2012; Dhumal & Patil)",
        ("sliced-l",),
        "tacit.slices.solvers.searches:search_slicing",
        _SLICING_OPTIONS,
        is_local=True,
        climbs=False,
    ),
    "one-per-column": MethodInfo(
        "slicing with one attribute per column (Dhumal & Patil, Table III)",
        ("sliced-l",),
        "tacit.slices.solvers.searches:search_single",
        is_local=True,
        climbs=False,
    ),
    "bucketization": MethodInfo(
        "Anatomy: sensitive values separated from the quasi-identifiers, in buckets (Xiao, Tao 2006)",
        ("sliced-l",),
        "tacit.slices.solvers.searches:search_bucketization",
        is_local=True,
        climbs=False,
    ),
}

METHODS |= {
    "mondrian": MethodInfo(
        "Mondrian cuts tell who is near; groups of near records, improved record by record (LeFevre et al. 2006)",
        ("k", "l"),
        "tacit.records.solvers.relational_searches:search_mondrian",
        is_local=True,
    ),
    "cluster": MethodInfo(
        "a random record and the k − 1 nearest to it, again and again (Poulis et al. 2013)",
        ("k", "l"),
        "tacit.records.solvers.relational_searches:search_cluster",
        {
            "literal": Option(
                "whether each record is compared with all others, as in the paper: slow on large tables",
                lambda value: isinstance(value, bool),
                "true or false",
                False,
            )
        },
        is_local=True,
    ),
}

_RATINGS = {
    "fill": Option(
        "whether ratings may be invented where only some people of a group rated an issue; otherwise they are blanked",
        lambda value: isinstance(value, bool),
        "true or false",
        False,
    ),
    "duplicates": Option(
        "what to do if a person rated an issue twice: an error, take the last, or take the mean (to a step if any)",
        lambda value: value in ("error", "last", "mean"),
        "one of error, last, mean",
        "error",
    ),
}

METHODS |= {
    "neighbours": MethodInfo(
        "clusters around cores of k − 1 people with close ratings; who has k − 1 close others is left alone",
        ("k-eps",),
        "tacit.ratings.solvers.searches:search_neighbours",
        _RATINGS,
        is_local=True,
        climbs=False,
    ),
    "hamming": MethodInfo(
        "people who rated the same issues are one group, with one interval an issue (Sun, Wang)",
        ("k-eps",),
        "tacit.ratings.solvers.searches:search_hamming",
        _RATINGS,
        is_local=True,
        climbs=False,
    ),
}

DEFAULT_METHOD = {
    "km": "best",
    "lm": "vpa",
    "coherence": "suppression",
    "transactional-k": "partition",
    "cahd": "cahd",
    "k": "mondrian",
    "l": "mondrian",
    "k-km": "rum-bound",
    "k-lm": "rum-bound",
    "sliced-l": "slicing",
    "k-eps": "neighbours",
}
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
            f"method.name is {name!r}, which does not make {model!r}",
            hint=f"It makes: {', '.join(METHODS[name].models)}. `tacit methods` lists all.",
        )
    return name, METHODS[name]


def is_local(model: str, name: str | None) -> bool:
    """Whether the method that a job names, or else the best one for its promise, has names that vary by record."""
    named = METHODS.get(name or "")
    if named is None or model not in named.models:
        named = METHODS[DEFAULT_METHOD[model]]
    return named.is_local


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
        option = info.options[key]
        if not option.fits(value):
            hint = f"It says: {option.meaning}."
            raise InputError(f"method.{key} is {value!r}, but it must be {option.wanted}", hint=hint)
    defaults = {key: option.default for key, option in info.options.items() if option.default is not None}
    filled = {**defaults, **options}
    return {key: _from(folder, value) if info.options[key].is_path else value for key, value in filled.items()}


def _from(folder: Path | None, file: str) -> str:
    return str((folder or Path()).absolute() / file)
