"""The job file: one TOML file that says everything about a release.

Every mistake is an `InputError` that names the file, the line, the key, and what to write instead.
Data files and hierarchies are not opened here.
"""

from __future__ import annotations

import json
import re
import reprlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.job.keys import COLUMN, ENGINE, FLAG, INPUT, JOIN, METHOD, OUTPUT, RELEASE, Key, choice
from tacit.job.model import BLANK, ROLE_KEYS, About, Column, Engine, Input, Job, Join, Method, Output
from tacit.methods import method_for
from tacit.promises import MODELS, Promise, promise

_BACKSLASH = "In double quotes a backslash begins a sign. Write a path with / in it, or in single quotes."
_DEEP_KEY = re.compile(r"""(?:^|[{,\[])\s*(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){32}""", re.MULTILINE)
_OF_COLUMN = re.compile(r"""columns\.(?![\w-]+\.[\w-]+\s*$)([^"']+)\.([\w-]+)\s*""", re.ASCII)
_Keys = tuple[str, ...]  # of a value: the key, after the tables above it
_Place = tuple[str | Path, int | None]  # a file and a line, or the option of the command line


def read_job(path: Path, *, overrides: Sequence[str] = (), for_any_method: bool = False) -> Job:
    """Read and check a job file; `overrides` such as `privacy.k=10` count as if they were written in it.

    The options must be those of the job's method, unless the job is read `for_any_method`: to compare several.
    """
    text, places = _read_text(path), dict[_Keys, _Place]()
    tree = _parse(path, text)
    for line, keys in _lines(text):
        _note(places, keys, (path, line))
    for override in overrides:
        for keys, value in _leaves(_parse_override(override)):
            _set(tree, keys, value)
            places.pop(keys, None)
            _note(places, keys, (f"--set {override}", None))
    return _Reader(path, tree, places).job(for_any_method)


def _leaves(tree: Mapping[str, Any], above: _Keys = ()) -> Iterator[tuple[_Keys, Any]]:
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key), value


def _note(places: dict[_Keys, _Place], keys: _Keys, place: _Place) -> None:
    """A key, and each table above it, stands where it is seen first."""
    for length in range(1, len(keys) + 1):
        places.setdefault(keys[:length], place)


def _lines(text: str) -> Iterator[tuple[int, _Keys]]:
    """The lines on which keys and tables begin, which tomllib does not tell; good enough for messages."""
    blocks = re.compile(r'""".*?"""|\'\'\'.*?\'\'\'', flags=re.S)
    without_blocks = blocks.sub(lambda block: '""' + "\n" * block[0].count("\n"), text)
    table: _Keys = ()
    for line, statement in enumerate(without_blocks.split("\n"), start=1):
        key = re.match(r"""\s*((?:"[^"]*"|'[^']*'|[^"'=#\[])+)=""", statement)
        try:
            if key:
                yield line, table + next(_leaves(tomllib.loads(f"{key[1]} = 0")))[0]
            elif statement.lstrip().startswith("["):
                table = next(_leaves(tomllib.loads(statement)))[0]
                yield line, table
        except tomllib.TOMLDecodeError:
            continue  # a line inside a list


def _read_text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        hint = "Check the path, or make a job file with `tacit init DATA -o job.toml`."
        if (path / "private" / "job.toml").is_file():
            hint = f"This is a release: its job file is {path / 'private' / 'job.toml'}."
        raise InputError(f"cannot read the job file: {error.strerror}", file=path, hint=hint) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        hint = "Save it as UTF-8 in your editor, and make sure that it is the job file and not the data."
        raise InputError("the job file is not UTF-8 text", file=path, line=line, hint=hint) from None


def _parse(path: Path, text: str) -> dict[str, Any]:
    if (deep := _DEEP_KEY.search(text)) is not None:  # tomllib takes a time that grows with the square of its depth
        at = text.count("\n", 0, deep.end()) + 1
        raise InputError("a key is far too deep", file=path, line=at, hint="Keys are as deep as columns.age.role.")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5000 digits is a plain ValueError
        problem, _, place = str(error).partition(" (at line ")
        line = int(place.split(",")[0]) if place else None
        hint = 'Tables and keys stand once, and texts in quotes: [privacy], then model = "km", then k = 5.'
        if line is not None and re.search(r'"[^"]*\\', text.split("\n")[line - 1]):
            hint = _BACKSLASH
        raise InputError(f"this is not TOML: {problem}", file=path, line=line, hint=hint) from None


def _parse_override(override: str) -> dict[str, Any]:
    """An override as a tree: a line of TOML, but a text needs no quotes, as shells take them away."""
    key, equals, word = override.partition("=")
    key = _quoted(key)
    tree: dict[str, Any] = {}
    with suppress(ValueError, RecursionError):
        tree = tomllib.loads(f"{key} = 0")
        for keys, _ in list(_leaves(tree)):
            _set(tree, keys, word.strip() or word)
    with suppress(ValueError, RecursionError):
        tree = tomllib.loads(f"{key}{equals}{word}")
    if not equals or not tree:
        raise InputError("this sets no key", file=f"--set {override}", hint="Write it like privacy.k=10.")
    return tree


def _quoted(key: str) -> str:
    """A key with the quotes that the name of a column such as Größe needs in TOML: shells take them away.

    >>> _quoted("columns.Größe.round"), _quoted("columns.first name.role "), _quoted("columns.age.role")
    ('columns."Größe".round', 'columns."first name".role', 'columns.age.role')
    """
    found = _OF_COLUMN.fullmatch(key)
    return key if found is None else f"columns.{json.dumps(found[1], ensure_ascii=False)}.{found[2]}"


def _set(tree: dict[str, Any], keys: _Keys, value: Any) -> None:
    *above, last = keys
    for key in above:
        if not isinstance(tree.get(key), dict):
            tree[key] = {}
        tree = tree[key]
    tree[last] = value


def _dotted(keys: _Keys) -> str:
    return ".".join(key if re.fullmatch(r"[\w-]+", key) else f'"{key}"' for key in keys)


def _meant(word: str, allowed: Sequence[str]) -> list[str]:
    """What was probably meant, if anything: a word of it, what begins with it, or what is close."""
    bare = word.lower()
    words = [part for part in re.split(r"[^a-z]+", bare) if part in allowed]
    begun = [each for each in allowed if len(bare) > 1 and each.startswith(bare)]
    return (words or begun or get_close_matches(bare, allowed, n=1))[:1]


def _suggestion(word: str, allowed: Sequence[str]) -> str:
    return "".join(f"Did you mean {meant!r}? " for meant in _meant(word, allowed))


class _Reader:
    """Checks the tree of a job, table by table, and knows where each key stands for the errors it raises."""

    def __init__(self, path: Path, tree: dict[str, Any], places: Mapping[_Keys, _Place]) -> None:
        self.path, self.folder, self.tree, self.places = path, path.absolute().parent, tree, places

    def job(self, for_any_method: bool) -> Job:
        self.check_keys((), self.tree, ("input", "columns", "privacy", "method", "engine", "release", "output"))
        source = self.input()
        columns = self.columns(is_dat=source.is_dat)
        made = self.promise()
        self.check_roles(source.layout, columns, made.name)
        method = self.method()
        if not for_any_method:
            self.check_method(made.name, method)
        about = About(**self.values(("release",), self.table("release"), RELEASE))
        engine = self.engine(columns)
        return Job(source, columns, made, self.output(), method, self.path.absolute(), about, engine)

    def input(self) -> Input:
        given = self.table("input")
        joins = given.pop("join", [])
        values = self.values(("input",), given, INPUT)
        if "source" not in values:
            raise self.error(("input",), "input.source is missing", 'Write source = "visits.csv" in [input].')
        source = values.pop("source")
        if re.match(r"[A-Za-z]:[^\x00-\x1f]*[\x07-\x0d]", source):  # what became of D:\temp
            raise self.error(("input", "source"), "input.source holds a tab, or a sign like it", _BACKSLASH)
        is_url = "://" in source or source.startswith("jdbc:")
        chosen = [key for key in ("query", "table") if key in values]
        is_workbook = Input(Path(source), format=values.get("format")).is_workbook and not is_url
        if len(chosen) != (1 if is_url else 0) and not (is_workbook and chosen == ["table"]):
            kind, found = "database" if is_url else "file", " and ".join(chosen) or "neither query nor table"
            hint = 'A file takes neither (but a workbook a table: its sheet); a database takes one: table = "visits".'
            problem = f"input.source is a {kind}, but [input] has {found}"
            raise self.error(("input", *chosen[-1:]), problem, hint)
        joined = self.joins(joins, is_database=is_url, is_workbook=is_workbook)
        if joined and values.get("layout") == "long":
            hint = "Leave layout out: a row of the persons' table is a person."
            raise self.error(("input", "join"), "input.join is for a table with one row per person", hint)
        return Input(self.database(source) if is_url else self.folder / source, **values, join=joined)

    def joins(self, tables: Any, *, is_database: bool, is_workbook: bool) -> tuple[Join, ...]:
        here = ("input", "join")
        if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
            raise self.error(here, "input.join must be a list of tables", "Write [[input.join]], and its keys below.")
        joins = []
        for table in tables:
            values = self.values(here, table, JOIN)
            source = values.pop("source", None)
            is_url = is_database if source is None else "://" in source
            is_file = not is_url and source is not None
            has_sheets = Input(Path(source), format=values.get("format")).is_workbook if is_file else is_workbook
            problem = (
                "has no key" if "key" not in values
                else "needs items or columns, one of them" if ("items" in values) == ("columns" in values)
                else "has a name, which is for items" if "name" in values and "items" not in values
                else "has no source, which only tables of the same database or workbook need not have"
                if source is None and not (is_database or is_workbook)
                else "needs a query or a table, one of them" if is_url and ("query" in values) == ("table" in values)
                else "needs a table, the sheet of the workbook"
                if source is None and not is_url and "table" not in values
                else "has a query or a table, but it is a file"
                if not is_url and {"query", *([] if has_sheets else ["table"])} & values.keys()
                else None
            )  # fmt: skip
            if problem is not None:
                hint = 'Write for example: source = "diagnoses.csv", key = "patient", items = "code".'
                raise self.error(here, f"an input.join {problem}", hint)
            where = None if source is None else self.database(source) if is_url else self.folder / source
            joins.append(Join(source=where, **values))
        return tuple(joins)

    def columns(self, *, is_dat: bool) -> tuple[Column, ...]:
        tables = self.table("columns")
        if is_dat:
            for other in (name for name in tables if name != "items"):
                hint = "Describe it in [columns.items], or leave [columns] out."
                raise self.error(("columns", other), "a .dat file has the one column 'items'", hint)
            given = {"role": "items"} | self.table("columns", "items")
            return (self.column("items", {"separator": BLANK} | given if given["role"] == "items" else given),)
        if not tables:
            hint = 'Describe each column that matters: [columns.products], then role = "items".'
            raise self.error(("columns",), "no column is described", hint)
        return tuple(self.column(name, self.table("columns", name)) for name in tables)

    def column(self, name: str, table: dict[str, Any]) -> Column:
        here = ("columns", name)
        self.check_keys(here, table, tuple(COLUMN))
        if "role" not in table:
            hint = f"Set role to one of {', '.join(ROLE_KEYS)}."
            raise self.error(here, f"{_dotted(here)} has no role", hint)
        role = self.value((*here, "role"), table["role"], COLUMN["role"])
        for key in (key for key in table if key not in ("role", *ROLE_KEYS[role])):
            fitting = " or ".join(each for each, keys in ROLE_KEYS.items() if key in keys)
            hint = f"{key} is for a column with the role {fitting}."
            raise self.error((*here, key), f"{_dotted((*here, key))} does not fit the role {role!r}", hint)
        values = self.values(here, table, {**COLUMN, "sensitive": FLAG} if role == "rating" else COLUMN)
        if role == "items":
            values["sensitive_items"] = values.pop("sensitive", ())
        if "hierarchy" in values:
            values["hierarchy"] = self.folder / values["hierarchy"]
        self.check_style(here, values)
        return Column(name, **values)

    def check_style(self, here: _Keys, values: Mapping[str, Any]) -> None:
        """What says how a column's numbers or days are written fits no other type, and no hierarchy."""
        if values.get("thousands", "") == values.get("decimal", "."):
            hint = 'Say both, such as thousands = "." and decimal = ",", or thousands = "," alone.'
            raise self.error((*here, "thousands"), f"{_dotted((*here, 'thousands'))} is the decimal sign, too", hint)
        if "first_year" in values and "YYYY" in values.get("date_format", "YYYY"):
            hint = 'It is for days with years of two digits, such as date_format = "D.M.YY".'
            raise self.error((*here, "first_year"), f"{_dotted((*here, 'first_year'))} does not fit the column", hint)
        for key, fitting in (("decimal", "number"), ("thousands", "number"), ("date_format", "date")):
            others = [other for other in ("hierarchy", "date_format") if other in values and other != key]
            if key in values and (values.get("type", fitting) != fitting or others):
                hint = f"It is for a column of type {fitting!r} without a hierarchy; values of one are names."
                raise self.error((*here, key), f"{_dotted((*here, key))} does not fit the column", hint)

    def promise(self) -> Promise:
        parameters = self.table("privacy")
        if "model" not in parameters:
            hint = 'Say what is promised, such as [privacy], model = "km", k = 5, m = 2.'
            raise self.error(("privacy",), "privacy.model is missing", hint)
        model = self.value(("privacy", "model"), parameters.pop("model"), choice(*MODELS))
        self.check_keys(("privacy",), parameters, [each.name for each in fields(MODELS[model])])
        with self.placed("privacy"):
            return promise(model, parameters)

    def method(self) -> Method:
        options = self.table("method")
        chosen = {key: options.pop(key) for key in METHOD if key in options}
        return Method(**self.values(("method",), chosen, METHOD), options=options)

    def check_method(self, model: str, method: Method) -> None:
        with self.placed("method"):
            method_for(model, method.name).checked(method.options)

    @contextmanager
    def placed(self, table: str) -> Iterator[None]:
        """Errors about a key of this table say where it stands."""
        try:
            yield
        except InputError as error:
            named = re.match(rf"{table}\.(\w+)", error.problem)
            raise self.error((table, named[1]) if named else (table,), error.problem, error.hint) from None

    def engine(self, columns: Sequence[Column]) -> Engine:
        values = self.values(("engine",), self.table("engine"), ENGINE)
        engine = Engine(**values)
        for key, fitting in (("remote", ("spark", "sail")), ("master", ("spark",)), ("key", ("spark", "sail"))):
            if key in values and engine.name not in fitting:
                if self.is_set(("engine", "name")) and not self.is_set(("engine", key)):
                    values = {name: value for name, value in values.items() if name != key}
                    engine = Engine(**values)  # the file has it for the engine that it names itself
                    continue
                hint = f"It is for name = {' or '.join(map(repr, fitting))}; leave it out for {engine.name!r}."
                raise self.error(("engine", key), f"engine.{key} does not fit the engine {engine.name!r}", hint)
        if engine.remote and engine.master:
            hint = "Keep remote for a Spark Connect server, or master for a cluster that this process joins."
            raise self.error(("engine", "master"), "[engine] has both remote and master", hint)
        shown = [column for column in columns if column.name == engine.key and column.role != "identifier"]
        if shown:
            hint = "It tells records apart, so it must not be published: give it the role identifier, or leave it out."
            raise self.error(("engine", "key"), f"engine.key names a column with the role {shown[0].role!r}", hint)
        return engine

    def output(self) -> Output:
        values = self.values(("output",), self.table("output"), OUTPUT)
        if ("database" in values) != ("table" in values):
            given = "database" if "database" in values else "table"
            hint = 'Write both: database = "postgresql://user@host/shop" and table = "visits_public".'
            raise self.error(("output", given), "output.database and output.table need each other", hint)
        if "database" in values:
            if "://" not in values["database"]:
                hint = "Write it as postgresql://user@host/database, mysql://... or sqlite:///file.db."
                raise self.error(("output", "database"), "output.database is no URL of a database", hint)
            values["database"] = self.database(values["database"])
        return Output(self.folder / values.pop("directory", "out"), **values)

    def check_roles(self, layout: str, columns: Sequence[Column], model: str) -> None:
        """What no table shows by itself: the columns must suit the layout and the promise."""
        by_role = {role: [column.name for column in columns if column.role == role] for role in ROLE_KEYS}
        for role in ("person", "household", "items", "rating") if layout == "long" else ("person", "household"):
            for name in by_role[role][1:]:
                problem = f"{_dotted(('columns', name))} is a second {role} column, but there can be only one"
                hint = "Keep one of them; a column that is not listed is not published."
                raise self.error(("columns", name), problem, hint)
        reasons = dict.fromkeys(MODELS[model].roles, f"the model {model!r}")
        if layout == "long":
            reasons |= dict.fromkeys(("person", "items"), "the long layout")
        for role, reason in reasons.items():
            if not by_role[role]:
                hint = f'Give the column its role in [columns.NAME]: role = "{role}".'
                raise self.error((), f"{reason} needs a column with the role {role!r}; there is none", hint)

    def table(self, *here: str) -> dict[str, Any]:
        table: Any = self.tree
        for key in here:
            table = table.get(key, {})
        if not isinstance(table, dict):
            hint = f"Write a line [{_dotted(here)}], and its keys below."
            raise self.error(here, f"{_dotted(here)} must be a table", hint)
        return dict(table)

    def check_keys(self, here: _Keys, table: Mapping[str, Any], allowed: Sequence[str]) -> None:
        for key in table:
            if key not in allowed:
                hint = f"{_suggestion(key, allowed)}Here you can use: {', '.join(allowed)}."
                raise self.error((*here, key), f"{_dotted((*here, key))} is not a key of a job file", hint)

    def values(self, here: _Keys, table: Mapping[str, Any], kinds: Mapping[str, Key]) -> dict[str, Any]:
        self.check_keys(here, table, tuple(kinds))
        return {key: self.value((*here, key), value, kinds[key]) for key, value in table.items()}

    def value(self, keys: _Keys, value: Any, kind: Key) -> Any:
        if kind.fits(value):
            return kind.held(value)
        meant = _meant(value, kind.choices) if isinstance(value, str) else []
        hint = "".join(f"Did you mean {each!r}? " for each in meant)
        hint += f"Write for example: {keys[-1]} = {json.dumps(meant[0]) if meant else kind.example}"
        problem = f"{_dotted(keys)} is {reprlib.repr(value)}, but it must be {kind.wanted}"
        raise self.error(keys, problem, hint)

    def is_set(self, keys: _Keys) -> bool:
        """Whether a value is from the command line, not from the file."""
        return keys in self.places and not isinstance(self.places[keys][0], Path)

    def error(self, keys: _Keys, problem: str, hint: str | None) -> InputError:
        while keys and keys not in self.places:  # a key of an inline table stands where the table stands
            keys = keys[:-1]
        file, line = self.places.get(keys, (self.path, None))
        return InputError(problem, file=file, line=line, hint=hint)

    def database(self, url: str) -> str:
        """A database URL; the file that an SQLite URL names is relative to the job file too."""
        local = re.fullmatch(r"(sqlite(?:\+\w+)?:///)(?!/|:memory:|file:)(.+)", url)
        return f"{local[1]}{(self.folder / local[2]).as_posix()}" if local else url
