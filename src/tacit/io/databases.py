"""Tables from databases, by SQLAlchemy URL, read in batches.

What a database says about an error may quote data, and a URL may hold a password: no message repeats them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tacit.errors import InputError
from tacit.io.csv_lines import check_names

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

DRIVERS = {
    "postgresql": ("postgresql+psycopg", "postgresql"),
    "mysql": ("mysql+pymysql", "mysql"),
    "mariadb": ("mariadb+pymysql", "mysql"),
}
"""By database: the driver that a URL which names none gets, and the extra of tacit that brings it."""

_ROWS_AT_ONCE = 50_000


def is_database_url(text: str) -> bool:
    """Whether a source is a database, not a file.

    >>> is_database_url("postgresql://host/shop"), is_database_url("visits.csv"), is_database_url("C:/x.csv")
    (True, False, False)
    """
    return re.match(r"[A-Za-z][A-Za-z0-9+]+://", text) is not None


def shown_url(url: str) -> str:
    """A database URL as it may be shown: without user, password and options.

    >>> shown_url("mysql://me:a/b@host/shop?ssl_key=x"), shown_url("no address")
    ('mysql://host/shop', 'no address')
    """
    if not is_database_url(url):
        return url
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return _shown(make_url(url))
    except (ArgumentError, ValueError):
        return f"{url.partition('://')[0]}://..."


def read_query(url: str, *, query: str | None = None, table: str | None = None, folder: Path | None = None) -> pa.Table:
    """The rows of a query, or of a whole table; a relative SQLite path starts at `folder`.

    Types are kept where Arrow has them. A column that mixes types, as SQLite allows, becomes text.
    """
    import sqlalchemy

    if (query is None) == (table is None):
        raise InputError(
            "a database needs either a query or a table",
            hint='Set query = "select ..." or table = "..." under [input].',
        )
    address = _parse(url, folder)
    name = _shown(address)
    engine = _engine(address, name)
    try:
        with _connected(engine, name) as connection, _explained(name):
            if table is not None:
                statement: Any = _whole_table(connection, table, name)
            else:
                statement = sqlalchemy.text(query or "")
            return _fetch(connection, statement, name)
    finally:
        engine.dispose()


def _fetch(connection: Connection, statement: Any, name: str) -> pa.Table:
    result = connection.execution_options(stream_results=True, yield_per=_ROWS_AT_ONCE).execute(statement)
    if not result.returns_rows:
        raise InputError("the query gives no rows", file=name, hint="Use a select.")
    names = list(result.keys())
    check_names(names, name)
    chunks: list[list[pa.Array]] = [[] for _ in names]
    for rows in result.partitions():
        for column, values in zip(chunks, zip(*rows, strict=True), strict=True):
            column.append(_to_arrow(values))
    if not chunks[0]:
        raise InputError("the query has no record", file=name, hint="Check its conditions.")
    return pa.table([_one_type(column) for column in chunks], names)


def _to_arrow(values: tuple[Any, ...]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())


def _one_type(batches: list[pa.Array]) -> pa.ChunkedArray:
    """The batches of a column under the narrowest type that holds them all, text if there is no other."""
    try:
        kind = (
            pa.unify_schemas([pa.schema([("", batch.type)]) for batch in batches], promote_options="permissive")
            .field(0)
            .type
        )
    except pa.ArrowTypeError:
        kind = pa.string()
    return pa.chunked_array([batch.cast(kind) for batch in batches], kind)


def _whole_table(connection: Connection, table: str, name: str) -> Any:
    import sqlalchemy

    schema, _, bare = table.rpartition(".")
    inspector = sqlalchemy.inspect(connection)
    known = inspector.get_table_names(schema or None) + inspector.get_view_names(schema or None)
    if bare not in known:
        raise InputError(
            f"there is no table {table!r}",
            file=name,
            hint=f"There are: {', '.join(sorted(known)) or 'none'}.",
        )
    return sqlalchemy.select(sqlalchemy.text("*")).select_from(sqlalchemy.table(bare, schema=schema or None))


def _parse(url: str, folder: Path | None) -> URL:
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        raise InputError(
            "the database URL cannot be understood",
            hint="Write it as postgresql://user:password@host/database, mysql://... or sqlite:///file.db.",
        ) from None
    backend = address.get_backend_name()
    if backend == "sqlite" and address.database not in (None, "", ":memory:"):
        path = (folder or Path()) / str(address.database)
        if not path.is_file():  # SQLite would make an empty one
            raise InputError("there is no such file", file=path, hint="Check the path in the database URL.")
        return address.set(database=str(path))
    if address.drivername in DRIVERS:
        return address.set(drivername=DRIVERS[backend][0])
    return address


def _engine(address: URL, name: str) -> Engine:
    from sqlalchemy import create_engine
    from sqlalchemy.exc import NoSuchModuleError

    backend = address.get_backend_name()
    try:
        return create_engine(address)
    except ModuleNotFoundError:
        extra = DRIVERS[backend][1] if backend in DRIVERS else None
        raise InputError(
            f"the driver for {backend} is not installed",
            file=name,
            hint=f"pip install 'tacit[{extra}]'" if extra else "Install the driver that the URL names.",
        ) from None
    except NoSuchModuleError:
        raise InputError(
            f"{backend!r} is not a database that can be read here",
            hint=f"Databases that tacit brings drivers for: sqlite, {', '.join(DRIVERS)}.",
        ) from None


@contextmanager
def _connected(engine: Engine, name: str) -> Iterator[Connection]:
    from sqlalchemy.exc import SQLAlchemyError

    try:
        connection = engine.connect()
    except SQLAlchemyError as error:
        raise InputError(
            f"no connection to the database ({type(error).__name__})",
            file=name,
            hint="Check host, port, database, user and password, and that the server runs.",
        ) from None
    with connection:
        yield connection


@contextmanager
def _explained(name: str) -> Iterator[None]:
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except SQLAlchemyError as error:
        raise InputError(
            f"the database did not run the query ({type(error).__name__})",
            file=name,
            hint="Run it in the database's own client to see the reason.",
        ) from None


def _shown(address: URL) -> str:
    """The URL without user, password and options; a password with an @ in it reaches into what seems to be the host."""
    backend, host, database = address.get_backend_name(), address.host or "", address.database or ""
    if backend != "sqlite":
        host, database = host.rpartition("@")[2], database.rpartition("@")[2]
    return f"{backend}://{host}/{database}"
