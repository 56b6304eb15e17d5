"""What is compared: methods times parameters, from one job file. Everything is checked before anything runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from tacit import __version__
from tacit.errors import InputError
from tacit.job import Job, Method, read_job, write_job
from tacit.methods import METHODS, method_for
from tacit.methods import Method as MethodInfo
from tacit.promises import MODELS, promise

ROWS, SHARE = "input.rows", "sample"
_SEED = 0
"""Where the job has none: a comparison publishes nothing, so that anybody may know the seed, and it can be resumed."""
_PROTECTED = frozenset({"quasi", "sensitive", "items", "rating"})
_BRACKETS = {"[": 1, "{": 1, "]": -1, "}": -1}


class Varied(NamedTuple):
    """A key of the job and the values that it takes in turn, as written."""

    key: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """One method under one setting: the job it is, and how much of the data it gets."""

    job: Job
    settings: Mapping[str, Any]
    """The varied keys that mean something to this cell, with their values."""
    rows: int | None = None
    share: float | None = None
    copy: Path | None = None
    """What a database gave, so that all cells get the same data and it is asked once."""
    digests: tuple[str, ...] = ()
    """Of the files that the cell reads."""
    attacks: bool = False
    """Whether attackers are played against the release."""

    @property
    def name(self) -> str:
        """The same for the same work: the settings, the content of all files, and the version of tacit."""
        job = replace(self.job, output=replace(self.job.output, directory=Path()))
        parts = [__version__, write_job(job), repr((self.rows, self.share)), *self.digests]
        parts += ["attacked"] * self.attacks
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]

    def about(self) -> dict[str, Any]:
        """What the cell is, in the types that JSON has."""
        return {
            "cell": self.name,
            "method": self.job.method.name,
            "model": self.job.promise.name,
            "parameters": self.job.promise.parameters(),
            "settings": dict(self.settings),
            "options": {key: _as_json(value) for key, value in self.job.method.options.items()},
            "seed": self.job.method.seed,
            "tacit": __version__,
        }

    def __str__(self) -> str:
        said = [f"{key.removeprefix('privacy.')} = {value}" for key, value in self.settings.items()]
        return ", ".join([str(self.job.method.name), *said])


def plan(
    file: Path,
    methods: Sequence[str] = (),
    vary: Sequence[str] = (),
    shares: Sequence[float] = (),
    overrides: Sequence[str] = (),
    *,
    attacks: bool = False,
) -> list[Cell]:
    """The cells of a comparison, method by method; a mistake in any of them is an error now, not later.

    A setting that means nothing to a method (an option of another one, a parameter its promise lacks) is left out
    of its cells, and cells that are then the same are one.
    """
    asked = read_job(file, overrides=overrides, for_any_method=True)
    names = [name for name in methods if name] or [method_for(asked.promise.name, asked.method.name).name]
    homes = {name: _model_for(asked, name) for name in names}
    varied = [_varied(text) for text in vary]
    _check_keys(varied, shares, homes)
    _check_options(asked, names)
    cells: dict[str, Cell] = {}
    for name, model in homes.items():
        for values in product(*(each.values for each in varied)):
            given = {each.key: value for each, value in zip(varied, values, strict=True)}
            for share in shares or (None,):
                cell = replace(_cell(file, overrides, name, model, given, share), attacks=attacks)
                cells.setdefault(repr((cell.job, cell.rows, cell.share)), cell)
    return with_digests(cells.values())


def shares_in(text: str | None) -> list[float]:
    """The numbers of `--sample 0.1,0.5,1`."""
    try:
        return [float(part) for part in text.split(",")] if text is not None else []
    except ValueError:
        raise InputError(f"{text!r} holds no shares", file="--sample", hint="Give numbers such as 0.1,0.5,1.") from None


def with_digests(cells: Iterable[Cell]) -> list[Cell]:
    """The cells, knowing the content of the files they read."""
    known: dict[Path, str] = {}
    told = []
    for cell in cells:
        files = [*_files(cell.job), *([cell.copy] if cell.copy else [])]
        for file in files:
            if file not in known:
                known[file] = _sha256(file)
        told.append(replace(cell, digests=tuple(known[file] for file in files)))
    return told


def _cell(
    file: Path, overrides: Sequence[str], name: str, model: str, given: Mapping[str, str], share: float | None
) -> Cell:
    """One cell: the job as if its settings were written in it, with what means nothing to the method left out."""
    rows = _whole(given[ROWS]) if ROWS in given else None
    settings = [f"{key}={text}" for key, text in given.items() if key != ROWS]
    try:
        job = read_job(file, overrides=[*overrides, *settings], for_any_method=True)
    except InputError as error:  # what is varied is read as if it were set, but was given otherwise
        given_as = {f"--set {setting}": f"--vary {setting}" for setting in settings}
        where = given_as.get(str(error.file), error.file)
        raise InputError(error.problem, file=where, line=error.line, column=error.column, hint=error.hint) from None
    info = METHODS[name]
    told = job.promise.parameters()
    if model != job.promise.name:
        told = {field.name: told[field.name] for field in fields(MODELS[model]) if field.name in told}
    options = {key: value for key, value in job.method.options.items() if key in info.options}
    filled = info.checked(options, folder=file.absolute().parent)
    seed = _SEED if job.method.seed is None else job.method.seed
    job = replace(job, promise=promise(model, told), method=Method(name, seed, filled))
    values = {key: _value_of(job, key, text) for key, text in given.items() if _matters(job, info, key)}
    return Cell(job, values | ({} if share is None else {SHARE: share}), rows, share)


def _matters(job: Job, info: MethodInfo, key: str) -> bool:
    table, _, last = key.partition(".")
    if table == "privacy":
        return last in job.promise.parameters()
    return table != "method" or last in info.options or last == "seed"


def _value_of(job: Job, key: str, text: str) -> Any:
    """A varied value as the job holds it, for tables and plots."""
    table, _, last = key.partition(".")
    if key == ROWS:
        return _whole(text)
    if table == "privacy":
        return job.promise.parameters()[last]
    if key == "method.seed":
        return job.method.seed
    if table == "method" and not METHODS[str(job.method.name)].options[last].is_path:
        return _as_json(job.method.options[last])
    return text


def _model_for(job: Job, name: str) -> str:
    """The promise that a method is run under; refuses a method that the job gives none."""
    if name not in METHODS:
        raise InputError(
            f"--methods names {name!r}, which is not a method tacit knows",
            hint=f"There are: {', '.join(METHODS)}.",
        )
    if (model := _home(job, name)) is not None:
        return model
    makes = " or ".join(map(repr, METHODS[name].models))
    raise InputError(
        f"method {name!r} makes {makes}, which a job for {job.promise.name!r} does not describe",
        file=job.file,
        hint=f"For {job.promise.name!r} there are: {', '.join(each for each in METHODS if _home(job, each))}.",
    )


def _home(job: Job, name: str) -> str | None:
    """The job's promise, or one of the method's own that needs nothing else than the job says; None if there is none.

    So `partition`, which makes transactional k-anonymity, stands beside the methods of a k^m-anonymity job.
    """
    if job.promise.name in METHODS[name].models:
        return job.promise.name
    told, roles = job.promise.parameters(), {column.role for column in job.columns} & _PROTECTED
    for model in METHODS[name].models:
        needed = [field.name for field in fields(MODELS[model]) if field.default is MISSING]
        means_the_same = not set(needed) & set(MODELS[model].own_meaning)
        if means_the_same and set(needed) <= set(told) and roles == set(MODELS[model].roles):
            return model
    return None


def _check_keys(varied: Sequence[Varied], shares: Sequence[float], homes: Mapping[str, str]) -> None:
    """Refuses keys that cannot be varied, twice the same one, and shares that are none."""
    keys = [each.key for each in varied]
    for key in keys:
        table, _, last = key.partition(".")
        here = f"--vary {key}"
        if keys.count(key) > 1:
            raise InputError("this key is varied twice", file=here, hint="Give all its values at once: privacy.k=2,5.")
        if key == "method.name":
            raise InputError("methods are not varied here", file=here, hint="Name them as --methods A,B.")
        if key == "privacy.model" or table == "output":
            raise InputError("this key cannot be varied", file=here, hint="Vary privacy.k or method.seed, for example.")
        if table == "method" and last != "seed" and not any(last in METHODS[name].options for name in homes):
            raise InputError(f"no method of {', '.join(homes)} has the option {last!r}", file=here)
    if ROWS in keys and shares:
        raise InputError("the size is given twice", file="--sample", hint=f"Give --sample or --vary {ROWS}, not both.")
    for share in shares:
        if not 0 < share <= 1:
            raise InputError(
                f"{share:g} is no share of the data", file="--sample", hint="Give numbers such as 0.1,0.5,1."
            )


def _check_options(job: Job, names: Sequence[str]) -> None:
    """The job may hold options of its own method that others lack, but none that no method here knows."""
    own = [job.method.name] if job.method.name in METHODS else []
    known = {key for name in (*names, *own) for key in METHODS[name].options}
    for key in job.method.options:
        if key not in known:
            raise InputError(
                f"method.{key} is not an option of {', '.join(names)}",
                file=job.file,
                hint=f"Options here are: {', '.join(sorted(known)) or 'none'}.",
            )


def _varied(text: str) -> Varied:
    """`privacy.k=2,5,10` taken apart; a comma inside brackets or quotes belongs to its value."""
    key, equals, values = text.partition("=")
    parts = tuple(part.strip() for part in _split(values))
    if not equals or not key.strip() or not all(parts):
        raise InputError("this varies no key", file=f"--vary {text}", hint="Write it like privacy.k=2,5,10.")
    return Varied(key.strip(), tuple(dict.fromkeys(parts)))


def _split(text: str) -> list[str]:
    parts, depth, quote = [""], 0, ""
    for sign in text:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        depth += 0 if quote else _BRACKETS.get(sign, 0)
        if sign == "," and not quote and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        hint = "Give whole numbers such as input.rows=1000,10000."
        raise InputError(f"{text!r} is no number of records", file=f"--vary {ROWS}", hint=hint)
    return int(text)


def _files(job: Job) -> Iterator[Path]:
    """The files that a job reads."""
    if isinstance(job.input.source, Path):
        yield job.input.source
    yield from (column.hierarchy for column in job.columns if column.hierarchy is not None)
    for key, option in METHODS[str(job.method.name)].options.items():
        if option.is_path and job.method.options.get(key):
            yield Path(job.method.options[key])


def _sha256(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=file, hint="Check the path.") from None


def _as_json(value: Any) -> Any:
    """An option as it can stand in a table: numbers and texts as they are, anything else as text."""
    return value if isinstance(value, int | float | str | None) else str(value)
