"""The promises a release can make: one file each that says everything about it. All tables are made from the files."""

from __future__ import annotations

from dataclasses import MISSING, fields
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError
from tacit.promises.base import INFINITE, Promise, exact

if TYPE_CHECKING:
    # promises:start
    from tacit.promises.cahd import Cahd as Cahd
    from tacit.promises.coherence import Coherence as Coherence
    from tacit.promises.k import KAnonymity as KAnonymity
    from tacit.promises.k_eps import KEpsAnonymity as KEpsAnonymity
    from tacit.promises.k_km import KKmAnonymity as KKmAnonymity
    from tacit.promises.k_lm import KLmDiversity as KLmDiversity
    from tacit.promises.km import KmAnonymity as KmAnonymity
    from tacit.promises.l import LDiversity as LDiversity
    from tacit.promises.lm import LmDiversity as LmDiversity
    from tacit.promises.rating_km import RatingKm as RatingKm
    from tacit.promises.sliced_l import SlicedDiversity as SlicedDiversity
    from tacit.promises.t import TCloseness as TCloseness
    from tacit.promises.transactional_k import TransactionalK as TransactionalK
    # promises:end

_ORDER = ("baskets", "records", "slices", "ratings")


def _declared() -> dict[str, type[Promise]]:
    """Every promise that a file of this package declares, by its name in job files; short names first in their kind."""
    found = []
    for module in iter_modules(__path__, f"{__name__}."):
        if not module.name.endswith(".base"):
            classes = vars(import_module(module.name)).values()
            found += [each for each in classes if isinstance(each, type) and each.__module__ == module.name]
    promises = [each for each in found if issubclass(each, Promise)]
    promises.sort(key=lambda each: (_ORDER.index(each.kind_of_data), len(each.name), each.name))
    return {each.name: each for each in promises}


MODELS = _declared()
CLASSES = {model.__name__: model for model in MODELS.values()}

__all__ = ["CLASSES", "INFINITE", "MODELS", "Promise", "exact", "promise", *CLASSES]

globals().update(CLASSES)


def promise(model: str, parameters: dict[str, Any]) -> Promise:
    """The promise that a job file names, with its parameters checked."""
    if model not in MODELS:
        raise InputError(
            f"privacy.model is {model!r}, which is not a promise tacit knows",
            hint=f"Use one of: {', '.join(MODELS)}. `tacit methods` says what each one stops.",
        )
    kind = MODELS[model]
    wanted = {field.name: field.default is MISSING for field in fields(kind)}
    unknown = sorted(set(parameters) - set(wanted))
    if unknown:
        raise InputError(
            f"[privacy] has {', '.join(map(repr, unknown))}, which model {model!r} does not take",
            hint=f"Its parameters are: {', '.join(wanted)}.",
        )
    needed = [name for name, needs in wanted.items() if needs]
    missing = [name for name in needed if name not in parameters]
    if missing:
        raise InputError(f"[privacy] lacks {', '.join(missing)}", hint=f"Model {model!r} needs {', '.join(needed)}.")
    return kind(**parameters)
