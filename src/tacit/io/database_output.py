"""A release as a table of a database: all of it, audited as read back before anybody sees it, or nothing.

Where making a table is part of a transaction (PostgreSQL, SQLite), all is one transaction. Elsewhere (MySQL, MariaDB)
the table is made under another name, and gets its own by one renaming at the end; whatever fails before leaves nothing.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tacit.errors import InputError
from tacit.io.databases import connected, explained, parse, rows_of, shown, shown_url
from tacit.io.text import as_text

if TYPE_CHECKING:
    from sqlalchemy import Connection

_TRANSACTIONAL = ("postgresql", "sqlite")
_ROWS_AT_ONCE = 5_000


@dataclass
class NewTable:
    """A table in the making: write, read back, audit, then `keep`."""

    connection: Connection
    name: str
    aside: str
    shown: str
    exists: bool
    lists: tuple[str, ...] = ()

    @property
    def dialect(self) -> str:
        return self.connection.dialect.name

    def quoted(self, name: str) -> str:
        prepare = self.connection.dialect.identifier_preparer
        schema, _, bare = name.rpartition(".")
        return f"{prepare.quote(schema)}.{prepare.quote(bare)}" if schema else prepare.quote(bare)

    def write(self, table: pa.Table) -> None:
        """Makes the table and fills it. Lists are arrays in PostgreSQL, and JSON elsewhere."""
        self.lists = tuple(field.name for field in table.schema if pa.types.is_nested(field.type))
        quote = self.connection.dialect.identifier_preparer.quote
        columns = ", ".join(f"{quote(field.name)} {self._type(field.type)}" for field in table.schema)
        with explained(self.shown, "write the release"):
            if self.exists and self.dialect in _TRANSACTIONAL:
                self._run(f"drop table {self.quoted(self.name)}")
            self._run(f"create table {self.quoted(self.aside)} ({columns})")
            rows = pa.table({name: self._written(table[name]) for name in table.column_names})
            if self.connection.dialect.driver == "psycopg":
                from tacit.io.postgresql import copy_into

                copy_into(self.connection.connection.driver_connection, self.quoted(self.aside), rows, quote)
                return
            self._insert(rows)

    def _insert(self, rows: pa.Table) -> None:
        import sqlalchemy

        schema, _, bare = self.aside.rpartition(".")
        columns: list[Any] = [sqlalchemy.column(name) for name in rows.column_names]
        into = sqlalchemy.table(bare, *columns, schema=schema or None).insert()
        for batch in rows.to_batches(max_chunksize=_ROWS_AT_ONCE):
            self.connection.execute(into, batch.to_pylist())

    def _type(self, kind: pa.DataType) -> str:
        if pa.types.is_nested(kind):
            return "text[]" if self.dialect == "postgresql" else _text_type(self.dialect)
        if pa.types.is_integer(kind):
            return "bigint"
        if pa.types.is_floating(kind):
            return "double precision"
        return "date" if pa.types.is_date(kind) else _text_type(self.dialect)

    def _written(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Texts, numbers and days; lists as what the database reads as a list."""
        kind = column.type
        if pa.types.is_nested(kind):
            make = _array_text if self.dialect == "postgresql" else _json_text
            return pa.chunked_array([[make(each) for each in column.to_pylist()]], pa.string())
        plain = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_date(kind)
        return column if plain else as_text(column).cast(pa.string())

    def read(self) -> pa.Table:
        """What was written, as the database gives it to this connection alone."""
        import sqlalchemy

        with explained(self.shown, "read the release back"):
            rows = rows_of(self.connection, sqlalchemy.text(f"select * from {self.quoted(self.aside)}"), self.shown)
        for name in self.lists:
            if not pa.types.is_nested(rows[name].type):
                lists = [None if each is None else json.loads(each) for each in rows[name].to_pylist()]
                rows = rows.set_column(rows.column_names.index(name), name, pa.array(lists, pa.list_(pa.string())))
        return rows

    def keep(self) -> None:
        """The release is in order: its table gets its name, for everybody to see."""
        with explained(self.shown, "keep the release"):
            if self.dialect not in _TRANSACTIONAL:
                old = f"{self.aside}_old"
                moves = [f"{self.quoted(self.name)} to {self.quoted(old)}"] if self.exists else []
                moves.append(f"{self.quoted(self.aside)} to {self.quoted(self.name)}")
                self._run(f"rename table {', '.join(moves)}")
                if self.exists:
                    self._run(f"drop table {self.quoted(old)}")
            self.connection.commit()
        self.aside = ""

    def undo(self) -> None:
        with suppress(Exception):
            self.connection.rollback()
            if self.aside and self.dialect not in _TRANSACTIONAL:
                self._run(f"drop table if exists {self.quoted(self.aside)}")
                self.connection.commit()

    def _run(self, statement: str) -> None:
        has_marks = self.connection.dialect.paramstyle in ("format", "pyformat")
        self.connection.exec_driver_sql(statement.replace("%", "%%") if has_marks else statement)


@contextmanager
def new_table(url: str, table: str, *, force: bool = False) -> Iterator[NewTable]:
    """A table that is there for all when it was kept; when the block raises, or ends without that, it never was."""
    address = parse(url, None, must_exist=False)
    name = shown(address)
    file = Path(str(address.database)) if address.get_backend_name() == "sqlite" else None
    is_new = file is not None and not file.exists()
    try:
        with connected(address, name, reads_only=False) as connection:
            _begin(connection)
            exists = _exists(connection, table, name)
            if exists and not force:
                hint = "Choose another one under [output], or replace it with --force."
                raise InputError(f"the table {table!r} exists already", file=name, hint=hint)
            transactional = connection.dialect.name in _TRANSACTIONAL
            schema, dot, _ = table.rpartition(".")
            aside = table if transactional else f"{schema}{dot}tacit_{secrets.token_hex(6)}"
            made = NewTable(connection, table, aside, name, exists)
            try:
                yield made
            except BaseException:
                made.undo()
                raise
            if made.aside:
                made.undo()
    finally:
        if is_new and file is not None and file.exists() and not file.stat().st_size:
            file.unlink()


def _begin(connection: Connection) -> None:
    """One transaction for all, in which rows come back in the order in which they went in."""
    if connection.dialect.name == "sqlite":  # its driver begins none for statements that make tables
        connection.exec_driver_sql("begin immediate")
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("set local max_parallel_workers_per_gather = 0")
        connection.exec_driver_sql("set local synchronize_seqscans = off")


def check_table(url: str, table: str, *, force: bool = False, reads: Iterable[tuple[str, str]] = ()) -> None:
    """Refuses, before anything is computed, a table that exists, and a database that cannot be reached.

    Nor is a table replaced that the release is made from: `reads` has databases, each with the name of a table, or a
    query, in which the name stands.
    """
    bare = table.rpartition(".")[2]
    for other, asked in reads:
        if _same_database(url, other) and re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", asked, re.IGNORECASE):
            hint = "The original would be gone with it. Choose another name for table under [output]."
            raise InputError(f"the table {table!r} is read, so it is not replaced", file=shown_url(url), hint=hint)
    with new_table(url, table, force=force):
        pass


def _same_database(one: str, other: str) -> bool:
    """Whether two URLs may mean the same database: hosts and users have many names, so these do not count."""
    addresses = [parse(url, None, must_exist=False) for url in (one, other)]
    kinds = {address.get_backend_name().replace("mariadb", "mysql") for address in addresses}
    names = [str(address.database) for address in addresses]
    return len(kinds) == 1 and len(set(map(os.path.realpath, names) if kinds == {"sqlite"} else names)) == 1


def _exists(connection: Any, table: str, name: str) -> bool:
    import sqlalchemy

    schema, _, bare = table.rpartition(".")
    with explained(name, "list its tables"):
        inspector = sqlalchemy.inspect(connection)
        if bare in inspector.get_view_names(schema or None):
            raise InputError(f"{table!r} is a view", file=name, hint="Choose another name under [output].")
        return bare in inspector.get_table_names(schema or None)


def _text_type(dialect: str) -> str:
    return "longtext character set utf8mb4" if dialect in ("mysql", "mariadb") else "text"


def _json_text(items: Any) -> str | None:
    return None if items is None else json.dumps([str(each) for each in items], ensure_ascii=False)


def _array_text(items: Any) -> str | None:
    """A list as PostgreSQL writes arrays."""
    if items is None:
        return None
    escaped = (str(each).replace("\\", "\\\\").replace('"', '\\"') for each in items)
    return "{" + ",".join(f'"{each}"' for each in escaped) + "}"
