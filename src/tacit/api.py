"""The Python API: the same as the commands, on frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import Any

from tacit import audits
from tacit.arrays.encode import is_list
from tacit.attack.result import Findings
from tacit.audits import foreign
from tacit.audits.foreign import Marks
from tacit.audits.result import AuditResult
from tacit.engines.session import is_spark_frame
from tacit.errors import InputError
from tacit.flow import make_release
from tacit.io.fingerprint import table_sha256
from tacit.io.frames import to_table
from tacit.io.keys import key_from, read_key
from tacit.job import Column, Engine, Input, Job, Method, Output
from tacit.job.settings import Settings, check_named, with_settings
from tacit.process.stack import with_room
from tacit.promises import Promise
from tacit.release import Release
from tacit.shuffle import fresh_key
from tacit.steps.judging import checked
from tacit.steps.recoding import refuse_worthless
from tacit.steps.stages import silent
from tacit.taxonomy import Taxonomy

Names = str | Sequence[str] | None
Hierarchy = str | Path | Taxonomy

_FRAME = "the frame"


@with_room
def anonymize(
    frame: Any,
    promise: Promise,
    *,
    items: Names = None,
    person: str | None = None,
    household: str | None = None,
    layout: str | None = None,
    plain: Names = None,
    identifier: Names = None,
    quasi: Names = None,
    sensitive: Names = None,
    rating: Names = None,
    scale: tuple[float, float] | None = None,
    step: float | None = None,
    sensitive_items: Sequence[str | int] = (),
    hierarchy: Hierarchy | Mapping[str, Hierarchy] | None = None,
    separator: str | None = None,
    missing: Sequence[str] = ("",),
    column_settings: Settings | None = None,
    method: str | None = None,
    seed: int | None = None,
    key: bytes | str | Path | None = None,
    key_column: str | None = None,
    strict: bool = False,
    **options: Any,
) -> Release:
    """Make a release of a pandas, Polars, Arrow or Spark frame; it is audited before it is given back.

    `items` names the column, or columns, with a basket in each row: a list, or text divided by `separator`. `person`
    says whose row it is: persons are counted, however many rows they have, and so are households if `household` is
    named. With `layout="long"` the frame has one row per person and item instead; that is what a `person` beside one
    column of items means where these are neither lists nor divided by a `separator`, and nothing else is known of the
    person. Columns that are not named are not published.
    `rating` names the ratings, which lie on `scale` in steps of `step`; of a survey with one column an issue,
    `sensitive` names those that are sensitive. `column_settings` says more about single columns, with the keys of the
    job file: `{"age": {"type": "number", "weight": 2.0, "missing": "suppress"}}`.

    `seed` makes the search repeatable. What hides people is drawn from a key that is fresh each time; `key`, as bytes,
    hexadecimal digits or a file, makes a release again. Of a Spark DataFrame the work is done where it lives, `data` is
    one, too, and `key_column` may name the column that tells its records apart. With `strict`, a release of which an
    attribute, or most items, tell nothing any more is a `PromiseError`.

    >>> import pyarrow as pa
    >>> from tacit import KmAnonymity
    >>> frame = pa.table({"basket": [["beer"], ["wine"], ["milk"], ["milk", "tea"], ["milk", "tea"]]})
    >>> tree = Taxonomy.from_paths([["beer", "drink", "*"], ["wine", "drink", "*"], ["milk", "*"], ["tea", "*"]])
    >>> release = anonymize(frame, KmAnonymity(k=2, m=2), items="basket", hierarchy=tree, seed=1)
    >>> release.audit.satisfied
    True
    >>> sorted(release.data["basket"].to_pylist())
    [['drink'], ['drink'], ['milk'], ['milk', 'tea'], ['milk', 'tea']]
    """
    roles = {"items": items, "person": person, "household": household, "plain": plain, "identifier": identifier,
             "quasi": quasi, "sensitive": sensitive, "rating": rating}  # fmt: skip
    shape = _layout(layout, frame, promise, roles, separator)
    hierarchies = _by_column(hierarchy, _names(items), [*_names(items), *_names(quasi), *_names(sensitive)])
    files = {name: Path(tree).absolute() for name, tree in hierarchies.items() if not isinstance(tree, Taxonomy)}
    trees = {name: tree for name, tree in hierarchies.items() if isinstance(tree, Taxonomy)}
    chosen = Method(method, seed, options)
    job = _job(
        promise, roles, shape, chosen, sensitive_items, separator, missing, files, (scale, step), column_settings
    )
    if is_spark_frame(frame):
        from tacit.engines.flow import anonymize_frame

        release = anonymize_frame(frame, on_its_engine(job, key_column), trees, _key(key) or fresh_key(), silent)
        if strict:
            refuse_worthless(release)
        return release
    table, into_frame = to_table(frame, [column.name for column in job.columns])
    made_from = {"frame as Arrow": table_sha256(table)}
    release = make_release(table, job, hierarchies=trees, made_from=made_from, key=_key(key))
    if strict:
        refuse_worthless(release)
    return replace(checked(release, release.table), into_frame=into_frame)


@with_room
def audit(
    frame: Any,
    promise: Promise,
    *,
    items: Names = None,
    person: str | None = None,
    household: str | None = None,
    layout: str | None = None,
    quasi: Names = None,
    sensitive: Names = None,
    rating: Names = None,
    scale: tuple[float, float] | None = None,
    step: float | None = None,
    sensitive_items: Sequence[str | int] = (),
    separator: str | None = None,
    missing: Sequence[str] = ("",),
    hierarchy: Mapping[str, str | Path] | None = None,
    column_settings: Settings | None = None,
    allow_columns: Names = None,
    suppressed: str = "group",
    missing_matches: bool = False,
    shown: str = "range",
) -> AuditResult:
    """Check a published frame, whoever made it, against a promise.

    A column that has no role is named in the result; if it tells people apart, no promise holds beside it, unless it is
    among `allow_columns`. Of another program's file, `suppressed="drop"` leaves out records with nothing but `*` in the
    quasi-identifiers, and `missing_matches` takes a missing one for any value.

    `shown` says how ratings are published as ranges: "range", or "middle" if a number in the middle stands for each.

    No hierarchy is needed, but for a promise about distances between sensitive values: then `hierarchy` has the files.

    >>> import pyarrow as pa
    >>> from tacit import KmAnonymity
    >>> print(audit(pa.table({"basket": [["tea"], ["tea", "milk"]]}), KmAnonymity(k=2, m=1), items="basket").worst)
    {'itemset': ['milk'], 'support': 1}
    """
    roles = {"items": items, "person": person, "household": household, "quasi": quasi, "sensitive": sensitive,
             "rating": rating}  # fmt: skip
    shape = _layout(layout, frame, promise, roles, separator)
    job = _job(
        promise, roles, shape, Method(options=_shown(shown, promise)), sensitive_items, separator, missing,
        {name: Path(file).absolute() for name, file in (hierarchy or {}).items()}, (scale, step), column_settings,
    )  # fmt: skip
    if is_spark_frame(frame):
        from tacit.engines.verdicts import audit_frame

        return audit_frame(frame, on_its_engine(job), _names(allow_columns))
    table, _ = to_table(frame, None)
    view = audits.read_view(table, job, allow_columns=_names(allow_columns))
    if suppressed not in ("group", "drop"):
        raise InputError(f"suppressed is {suppressed!r}, but it must be group or drop")
    marks = Marks(suppressed == "drop", missing_matches)
    return foreign.audit(view, job, marks) if marks else audits.audit(view, job)


def on_its_engine(job: Job, key_column: str | None = None) -> Job:
    """The job for a frame that lives on an engine."""
    return replace(job, engine=Engine("spark", key=key_column))


def _shown(shown: str, promise: Promise) -> dict[str, str]:
    if shown not in ("range", "middle"):
        raise InputError(f"shown is {shown!r}, but it must be range or middle")
    return {"shown": shown} if promise.shows_ranges else {}


@with_room
def attack(
    original: Any,
    published: Any | None,
    promise: Promise,
    *,
    items: Names = None,
    person: str | None = None,
    household: str | None = None,
    weight: str | None = None,
    layout: str | None = None,
    plain: Names = None,
    identifier: Names = None,
    quasi: Names = None,
    sensitive: Names = None,
    rating: Names = None,
    scale: tuple[float, float] | None = None,
    step: float | None = None,
    sensitive_items: Sequence[str | int] = (),
    hierarchy: Hierarchy | Mapping[str, Hierarchy] | None = None,
    separator: str | None = None,
    missing: Sequence[str] = ("",),
    column_settings: Settings | None = None,
    method: str | None = None,
    method_options: Mapping[str, Any] | None = None,
    rows: Any = None,
    control: Any = None,
    reference: Any = None,
    earlier: Mapping[str, tuple[Any, Any]] | None = None,
    known: Names = None,
    population: float | None = None,
    threshold: float | None = None,
    attackers: Names = None,
    quick: bool = False,
    exact: bool = False,
    seed: int = 0,
) -> Findings:
    """Play attackers against a published frame, whoever made it; None: against the original as if it were published.

    The columns are named as in `anonymize`. `rows[i]` is the place of the original record of published record i (of
    slices: a list for each slice), `release.original` of a release; without it some attacks cannot be judged, and say
    so. `control` has people who are not in the release, `reference` those of the population, `population` says how
    many these are, `earlier` other releases of the same people by name, each as (frame, rows), for somebody who holds
    them, too. `method` with its options is what made the file, for attackers who know it.
    `attackers` names those to play; left out: all that fit.

    >>> import pyarrow as pa
    >>> from tacit import KAnonymity
    >>> frame = pa.table({"age": ["31", "32", "33", "34"], "ill": ["flu", "cold", "flu", "flu"]})
    >>> found = attack(frame, None, KAnonymity(k=2), quasi="age", sensitive="ill", attackers="known-values")
    >>> found["risk"]["uniques"], found["attacks"][0]["success"]
    (4, 1.0)
    """
    from tacit.attack.flow import Plan, attack_tables
    from tacit.attack.people import another_release

    if original is None:
        raise InputError(
            "there is no original", hint="Attacks are judged by it: give the data before anything was done."
        )
    roles = {"items": items, "person": person, "household": household, "weight": weight, "plain": plain,
             "identifier": identifier, "quasi": quasi, "sensitive": sensitive, "rating": rating}  # fmt: skip
    shape = _layout(layout, original, promise, roles, separator)
    hierarchies = _by_column(hierarchy, _names(items), [*_names(items), *_names(quasi), *_names(sensitive)])
    files = {name: Path(tree).absolute() for name, tree in hierarchies.items() if not isinstance(tree, Taxonomy)}
    trees = {name: tree for name, tree in hierarchies.items() if isinstance(tree, Taxonomy)}
    chosen = Method(method, None, dict(method_options or {}))
    job = _job(
        promise, roles, shape, chosen, sensitive_items, separator, missing, files, (scale, step), column_settings
    )
    job = replace(job, input=replace(job.input, population=population))
    _check_attackers(_names(attackers))
    plan = Plan(
        known=tuple(_names(known)) or None, quick=quick, exact=exact, seed=seed, threshold=threshold,
        only=tuple(_names(attackers)) or None,
    )  # fmt: skip
    table, shown, others, people = (
        None if each is None else to_table(each, None)[0] for each in (original, published, control, reference)
    )
    before_now = [
        another_release(name, to_table(frame, None)[0], _rows(whose, frame), table, job)
        for name, (frame, whose) in (earlier or {}).items()
    ]
    return attack_tables(
        table, shown, job, hierarchies=trees, rows=_rows(rows, shown), control=others, reference=people,
        earlier=before_now, plan=plan,
    )  # fmt: skip


def _rows(given: Any, published: Any) -> Any:
    """Which record is whose, as an array."""
    if given is None or published is None:
        return None
    import numpy as np

    wrong = InputError("rows must be whole numbers: the place of the original record of each published one")
    try:
        rows = np.asarray(given)
    except ValueError:  # lists that are not of one length
        raise wrong from None
    if not np.issubdtype(rows.dtype, np.integer) or rows.ndim not in (1, 2):
        raise wrong
    return rows.astype(np.int64)


def _check_attackers(named: Sequence[str]) -> None:
    from tacit.attack.runner import declared

    for name in named:
        if name not in declared():
            raise InputError(f"{name!r} is no attacker", hint=f"There are: {', '.join(declared())}.")


def _job(
    promise: Promise,
    roles: Mapping[str, Names],
    layout: str,
    method: Method,
    sensitive_items: Sequence[str | int],
    separator: str | None,
    missing: Sequence[str],
    hierarchies: Mapping[str, Path] | None = None,
    ratings: tuple[tuple[float, float] | None, float | None] = (None, None),
    settings: Settings | None = None,
) -> Job:
    """The arguments as a job, which is all that the flow knows."""
    if not isinstance(promise, Promise):
        raise InputError(f"{promise!r} is not a promise", hint="Give one such as tacit.KmAnonymity(k=5, m=2).")
    sensitive_ratings = _names(roles["sensitive"]) if "rating" in promise.roles else []
    if sensitive_ratings:
        every = dict.fromkeys((*_names(roles["rating"]), *sensitive_ratings))
        roles = {**roles, "sensitive": None, "rating": list(every)}
    role_of: dict[str, str] = {}
    for role, names in roles.items():
        for name in _names(names):
            if name in role_of:
                raise InputError(f"the column is named as {role_of[name]} and as {role}", column=name)
            role_of[name] = role
    for role in promise.roles if layout == "wide" else ("person", "items", *promise.roles):
        named = len(_names(roles[role]))
        if not named or (layout == "long" and named > 1):
            raise InputError(f"{named} columns with the role {role!r} were named", hint=f'Name one: {role}="...".')
    if separator == "":
        raise InputError("an empty separator divides nothing", hint='Leave it out for lists, or give one such as " ".')
    if method.seed is not None and (type(method.seed) is not int or method.seed < 0):
        raise InputError(f"seed is {method.seed!r}, but it must be a whole number of at least 0")
    settings = settings or {}
    check_named(settings, role_of)
    columns = []
    for name, role in role_of.items():
        hierarchy = (hierarchies or {}).get(name)
        if role == "items":
            sensitive = _items(sensitive_items)
            columns.append(Column(name, role, hierarchy=hierarchy, separator=separator, sensitive_items=sensitive))
        elif role == "rating":
            scale, step = ratings
            columns.append(Column(name, role, scale=scale, step=step, sensitive=name in sensitive_ratings))
        else:
            columns.append(Column(name, role, hierarchy=hierarchy))
    columns = [with_settings(column, settings) for column in columns]
    return Job(
        Input(_FRAME, layout=layout, missing=tuple(missing)), tuple(columns), promise, Output(Path("out")), method
    )


def _layout(given: str | None, frame: Any, promise: Promise, roles: Mapping[str, Names], separator: str | None) -> str:
    """The layout that is said or, where a person and one column of single items are all that is named, the long one."""
    if given is not None:
        if given not in ("wide", "long"):
            raise InputError(f"layout is {given!r}, but it must be wide or long")
        return given
    items = _names(roles["items"])
    if roles["person"] is None or not isinstance(promise, Promise):
        return "wide"
    if promise.kind_of_data == "ratings":
        return "long"
    if promise.kind_of_data != "baskets" or separator is not None or len(items) != 1 or roles["household"] is not None:
        return "wide"
    if is_spark_frame(frame):
        is_listed = items[0] in frame.columns and frame.schema[items[0]].dataType.typeName() != "array"
        return "long" if is_listed else "wide"
    table, _ = to_table(frame, items)
    return "wide" if items[0] in table.column_names and is_list(table[items[0]].type) else "long"


def _key(given: bytes | str | Path | None) -> bytes | None:
    if isinstance(given, Path):
        return read_key(given)
    return key_from(given.hex() if isinstance(given, bytes) else given) if given is not None else None


def _names(given: Names) -> list[str]:
    if given is None:
        return []
    return list(map(str, [given] if isinstance(given, str | int) else given))


def _items(given: str | Sequence[str | int]) -> tuple[str, ...]:
    """The names of items; a number is meant as the data's text of it."""
    listed = [given] if isinstance(given, str | int) else list(given)
    odd = next((item for item in listed if not isinstance(item, str | Integral) or isinstance(item, bool)), None)
    if odd is not None:
        raise InputError(f"sensitive_items has {odd!r}, which names no item", hint="Give the items by their texts.")
    return tuple(str(item) for item in listed)


def _by_column(
    hierarchy: Hierarchy | Mapping[str, Hierarchy] | None, baskets: Sequence[str], columns: Sequence[str]
) -> dict[str, Hierarchy]:
    """The hierarchy of each column that has one; a single one is for every column of baskets."""
    if hierarchy is None:
        return {}
    by_column = dict(hierarchy) if isinstance(hierarchy, Mapping) else dict.fromkeys(baskets, hierarchy)
    unknown = sorted(set(by_column) - set(columns))
    if unknown:
        raise InputError(
            f"hierarchy names {', '.join(map(repr, unknown))}, which is no column that can have one",
            hint=f"These can: {', '.join(columns)}.",
        )
    return by_column
