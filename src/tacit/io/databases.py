"""Tables from databases, by SQLAlchemy URL, read in batches.

What a database says about an error may quote data, and a URL may hold a password: no message repeats them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyarrow as pa

from tacit.errors import InputError
from tacit.io.csv_lines import told_apart
from tacit.io.database_values import BYTES, one_type, to_arrow
from tacit.io.passwords import VARIABLE, asked, with_password
from tacit.io.statements import checked

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

DRIVERS = {
    "postgresql": ("postgresql+psycopg", "postgresql"),
    "mysql": ("mysql+pymysql", "mysql"),
    "mariadb": ("mariadb+pymysql", "mysql"),
}
"""By database: the driver that a URL which names none gets, and the extra of tacit that brings it."""

_PACKAGES = {"psycopg2": "psycopg2-binary", "MySQLdb": "mysqlclient"}
"""Drivers whose package has another name than their module."""
_READ_ONLY = {
    "postgresql": "SET TRANSACTION READ ONLY",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
}
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
    if url.startswith("jdbc:"):  # each driver writes its own, with passwords anywhere
        return f"{':'.join(url.split(':')[:2])}:..."
    if not is_database_url(url):
        return url
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return shown(make_url(url))
    except (ArgumentError, ValueError):
        return f"{url.partition('://')[0]}://..."


def read_query(
    url: str,
    *,
    query: str | None = None,
    table: str | None = None,
    folder: Path | None = None,
    wanted: Collection[str] | None = None,
    left_out: list[str] | None = None,
) -> pa.Table:
    """The rows of a query, or of a whole table; a relative SQLite path starts at `folder`.

    Nothing is changed in the database. Of the columns only those `wanted` are kept, if that is said. Types are kept
    where Arrow has them (see `tacit.io.database_values`); a column that mixes types, as SQLite allows, becomes text.
    Columns of bytes are refused; or, if there is a list `left_out`, left out and named there.
    """
    import sqlalchemy

    if (query is None) == (table is None):
        raise InputError(
            "a database needs either a query or a table",
            hint='Set query = "select ..." or table = "..." under [input].',
        )
    address = parse(url, folder)
    name = shown(address)
    only_reads = None if query is None else checked(query, name)
    with connected(_read_only(address), name) as connection, explained(name):
        if table is not None:
            statement: Any = _whole_table(connection, table, name, wanted)
        else:
            statement = sqlalchemy.text((only_reads or "").replace(":", "\\:"))  # a colon is no parameter
        if connection.dialect.driver == "pymysql":
            from tacit.io.mysql import streamed

            found = streamed(connection, _in_words(connection, statement), wanted, name, left_out)
            if found is not None and found.num_rows:
                return found
        return rows_of(connection, statement, name, wanted, left_out)


def tables_of(url: str, *, ask: bool = True) -> list[str]:
    """The names of the tables and views that a database shows; nobody is asked for a password unless `ask` is set."""
    import sqlalchemy

    address = parse(url, None)
    name = shown(address)
    with connected(_read_only(address), name, ask=ask) as connection, explained(name, "list its tables"):
        inspector = sqlalchemy.inspect(connection)
        return sorted({*inspector.get_table_names(), *inspector.get_view_names()})


def rows_of(
    connection: Connection,
    statement: Any,
    name: str,
    wanted: Collection[str] | None = None,
    left_out: list[str] | None = None,
) -> pa.Table:
    """The rows of a select, by the shortest way from the database to Arrow that there is."""
    if connection.dialect.driver == "psycopg":
        from psycopg import Error

        from tacit.io.postgresql import copied

        text = _in_words(connection, statement)
        try:
            found = copied(connection.connection.driver_connection, text, wanted, name, left_out)
        except Error as error:
            raise _did_not(name, "run the query", error) from None
        if found is not None and found.num_rows:
            return found
    return _fetch(connection, statement, name, wanted, left_out)


def _in_words(connection: Connection, statement: Any) -> str:
    """A select as the database is to read it."""
    return str(statement.compile(dialect=connection.dialect)).replace("%%", "%")


def _did_not(name: str, what: str, error: Exception) -> InputError:
    hint = "Run it in the database's own client to see the reason."
    return InputError(f"the database did not {what} ({type(error).__name__})", file=name, hint=hint)


def _fetch(
    connection: Connection, statement: Any, name: str, wanted: Collection[str] | None, left_out: list[str] | None
) -> pa.Table:
    result = connection.execution_options(stream_results=True, yield_per=_ROWS_AT_ONCE).execute(statement)
    names = told_apart(list(result.keys()), name)
    for absent in sorted(set(wanted or ()) - set(names)):
        hint = f"It has: {', '.join(map(repr, names[:20]))}."
        raise InputError("the data has no such column", file=name, column=absent, hint=hint)
    places = [place for place, each in enumerate(names) if wanted is None or each in wanted]
    chunks: dict[int, list[pa.Array]] = {place: [] for place in places}
    for rows in result.partitions():
        columns = list(zip(*rows, strict=True))
        for place, parts in list(chunks.items()):
            if left_out is not None and any(isinstance(value, BYTES) for value in columns[place]):
                del chunks[place]
                left_out.append(names[place])
            else:
                parts.append(_of_column(names[place], name, to_arrow, columns[place]))
    if not any(chunks.values()):
        raise InputError("the query has no record", file=name, hint="Check its conditions.")
    return pa.table({names[place]: _of_column(names[place], name, one_type, parts) for place, parts in chunks.items()})


def _of_column(column: str, name: str, make: Callable[[Any], Any], values: Any) -> Any:
    """What is made of a column's values; an error says of which."""
    try:
        return make(values)
    except InputError as error:
        raise InputError(error.problem, file=name, column=column, hint=error.hint) from None


def _whole_table(connection: Connection, table: str, name: str, wanted: Collection[str] | None) -> Any:
    """What reads a table: the wanted columns, or all of them where not all that is wanted is there."""
    import sqlalchemy

    schema, _, bare = table.rpartition(".")
    inspector = sqlalchemy.inspect(connection)
    known = inspector.get_table_names(schema or None) + inspector.get_view_names(schema or None)
    if bare not in known:
        problem = f"there is no table {table!r}" if table else "a table is needed, and none is named"
        raise InputError(problem, file=name, hint=f"There are: {', '.join(sorted(known)) or 'none'}.")
    columns = [column["name"] for column in inspector.get_columns(bare, schema or None)]
    chosen = [column for column in columns if wanted is None or column in wanted]
    if wanted is not None and len(chosen) < len(wanted):
        chosen = columns
    return sqlalchemy.select(
        sqlalchemy.table(bare, *(sqlalchemy.column(each) for each in chosen), schema=schema or None)
    )


def parse(url: str, folder: Path | None, *, must_exist: bool = True) -> URL:
    """A database URL, with the driver that it means; of SQLite the file."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        raise _not_understood() from None
    backend = address.get_backend_name()
    if backend == "sqlite" and address.database not in (None, "", ":memory:"):
        path = (folder or Path()) / str(address.database)
        meant = (folder or Path()) / unquote(str(address.database))  # SQLAlchemy reads "%3F" as "?" since 2.1
        path = meant if meant.is_file() and not path.is_file() else path
        if must_exist and not path.is_file():  # SQLite would make an empty one
            raise InputError("there is no such file", file=path, hint="Check the path in the database URL.")
        return address.set(database=str(path))
    if address.drivername in DRIVERS:
        return address.set(drivername=DRIVERS[backend][0])
    return address


def _not_understood(name: str | None = None) -> InputError:
    return InputError(
        "the database URL cannot be understood",
        file=name,
        hint="Write it as postgresql://user:password@host/database, mysql://... or, with three strokes, "
        "sqlite:///file.db; what follows a question mark must be known to the driver.",
    )


def _read_only(address: URL) -> URL:
    """A file of SQLite is opened for reading; other databases are told when they are connected."""
    if address.drivername in ("sqlite", "sqlite+pysqlite") and address.database not in (None, "", ":memory:"):
        path = Path(str(address.database)).absolute()
        options = {"mode": "ro", "uri": "true"} | ({"immutable": "1"} if _is_left_alone(path) else {})
        return address.set(database=path.as_uri()).update_query_dict(options)
    return address


def _is_left_alone(path: Path) -> bool:
    """Whether a file with a log of what is to be written has none at the moment: nobody writes it, and SQLite, which
    would make one even to read, need not."""
    with suppress(OSError), path.open("rb") as file:
        is_logged = file.read(_HEAD).endswith(_LOGGED)
        return is_logged and not path.with_name(f"{path.name}-wal").exists()
    return False


_HEAD, _LOGGED = 20, b"\x02"
"""The head of a file of SQLite, up to the version for reading: that of files that keep a log (WAL)."""


def engine_for(address: URL, name: str) -> Engine:
    from sqlalchemy import create_engine
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    backend = address.get_backend_name()
    try:
        return create_engine(address)
    except ModuleNotFoundError as error:
        ours = address.drivername == DRIVERS.get(backend, ("", ""))[0]
        package = f"'tacit[{DRIVERS[backend][1]}]'" if ours else _PACKAGES.get(str(error.name), error.name)
        raise InputError(
            f"the driver for {backend} is not installed", file=name, hint=f"pip install {package}"
        ) from None
    except NoSuchModuleError:
        raise InputError(
            f"{backend!r} is not a database that can be read here",
            hint=f"Databases that tacit brings drivers for: sqlite, {', '.join(DRIVERS)}. "
            "For another one install the package that SQLAlchemy's documentation names for it.",
        ) from None
    except (ArgumentError, ValueError, TypeError):  # sqlite://file.db has a host; ?timeout=soon is no number
        raise _not_understood(name) from None


@contextmanager
def connected(address: URL, name: str, *, reads_only: bool = True, ask: bool = True) -> Iterator[Connection]:
    """A connection, with a password from where passwords are (see `tacit.io.passwords`); whoever is there is asked."""
    from sqlalchemy.exc import SQLAlchemyError

    address = with_password(address)
    while True:
        engine = engine_for(address, name)
        try:
            connection = engine.connect()
            if reads_only:
                _only_reading(connection)
            break
        except SQLAlchemyError as error:
            engine.dispose()
            again = asked(address, name) if ask else None
            if again is None:
                raise InputError(
                    f"no connection to the database ({type(error).__name__})",
                    file=name,
                    hint="Check host, port, database, user and password, and that the server runs. "
                    f"A password that the URL lacks is taken from {VARIABLE}; see docs/databases.md.",
                ) from None
            address = again
        except (ValueError, TypeError):  # what the driver makes of the words behind a question mark
            engine.dispose()
            raise _not_understood(name) from None
    try:
        with connection:
            yield connection
    finally:
        engine.dispose()


def _only_reading(connection: Connection) -> None:
    """Has the database refuse whatever would change it, and give days that Python has not as text."""
    from sqlalchemy import text

    if connection.dialect.name in _READ_ONLY:
        connection.execute(text(_READ_ONLY[connection.dialect.name]))
    if connection.dialect.driver == "psycopg":
        from tacit.io.postgresql import read_all_days

        read_all_days(connection.connection.driver_connection)


@contextmanager
def explained(name: str, what: str = "run the query") -> Iterator[None]:
    """What the database refuses, as an error that quotes nothing."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except SQLAlchemyError as error:
        raise _did_not(name, what, error) from None
    except UnicodeDecodeError:  # names of columns in a damaged file of SQLite
        hint = "Look at it with the database's own client: a file may be damaged."
        raise InputError("a name in the database is no text", file=name, hint=hint) from None


def shown(address: URL) -> str:
    """The URL without user, password and options; a password with an @ in it reaches into what seems to be the host."""
    backend, host, database = address.get_backend_name(), address.host or "", address.database or ""
    if backend != "sqlite":
        host, database = host.rpartition("@")[2], database.rpartition("@")[2]
    return f"{backend}://{host}/{database}"
