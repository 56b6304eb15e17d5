"""PostgreSQL and MariaDB themselves: what each type is read as, and that nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy

from support import servers
from support.commands import tacit, write_job
from tacit.errors import InputError
from tacit.io import read_query
from tacit.io.databases import DRIVERS

POSTGRESQL = """
create table people (id uuid, born date, seen timestamp, wakes time, slept interval, photo bytea, tags text[],
  note text);
insert into people select gen_random_uuid(), date '2001-01-01' + n, timestamp '2024-01-01', time '10:00',
  interval '26h', '\\xff', array['a','b'], 'n' || mod(n, 3) from generate_series(1, 12) n;
insert into people values (gen_random_uuid(), 'infinity', '-infinity', '10:00:01.5', '-1h', '\\xfe', '{}', null);
"""
MARIADB = """
create table people (id int, wakes time, photo blob, code binary(2), note varchar(9)) engine=innodb;
insert into people values (1, '10:00:00', x'ff', x'0102', 'n1'), (2, '-01:00:02', x'fe', x'0103', null);
"""


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    with servers.postgresql() as url:
        fill(url, POSTGRESQL)
        yield url


@pytest.fixture(scope="module")
def mariadb() -> Iterator[str]:
    with servers.mariadb() as url:
        fill(url, MARIADB)
        yield url


def fill(url: str, statements: str) -> None:
    address = sqlalchemy.make_url(url)
    engine = sqlalchemy.create_engine(address.set(drivername=DRIVERS[address.drivername][0]))
    with engine.begin() as connection:
        for statement in statements.split(";\n"):
            if statement.strip():
                connection.exec_driver_sql(statement.strip())
    engine.dispose()


def test_each_type_of_postgresql_has_a_rule(postgresql: str) -> None:
    wanted = {"id", "born", "seen", "wakes", "slept", "tags", "note"}
    table = read_query(postgresql, query="select * from people order by born", wanted=wanted)
    read = table.to_pydict()
    assert len(read["id"][0]) == 36 and isinstance(read["id"][0], str)
    assert read["born"][:1] + read["born"][-1:] == ["2001-01-02", "infinity"]
    assert read["seen"][:1] + read["seen"][-1:] == ["2024-01-01 00:00:00", "-infinity"]
    assert (read["slept"][0], read["slept"][-1]) == ("26:00:00", "-01:00:00")
    assert str(read["wakes"][-1]) == "10:00:01.500000"
    assert (read["tags"][0], read["tags"][-1], read["note"][-1]) == (["a", "b"], [], None)


def test_columns_that_are_not_used_are_not_read(postgresql: str) -> None:
    assert read_query(postgresql, table="people", wanted={"note"}).column_names == ["note"]
    assert read_query(postgresql, query="select * from people", wanted={"note"}).column_names == ["note"]
    with pytest.raises(InputError, match="column 'photo': it holds bytes, not text\n  Leave it out"):
        read_query(postgresql, table="people", wanted={"photo"})


def test_each_type_of_mariadb_has_a_rule(mariadb: str) -> None:
    read = read_query(mariadb, query="select * from people order by id", wanted={"id", "wakes", "note"}).to_pydict()
    assert read == {"id": [1, 2], "wakes": ["10:00:00", "-01:00:02"], "note": ["n1", None]}
    for column in ("photo", "code"):
        with pytest.raises(InputError, match=f"column '{column}': it holds bytes"):
            read_query(mariadb, table="people", wanted={column})


@pytest.mark.parametrize("server", ["postgresql", "mariadb"])
@pytest.mark.parametrize(
    "query",
    [
        "drop table people",
        "select 1; drop table people",
        "with gone as (delete from people returning 1) select * from gone",
        "select * into copied from people",
        "commit",
    ],
)
def test_nothing_is_changed(server: str, query: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(server)
    before = read_query(url, query="select count(*) as n from people").to_pylist()
    with pytest.raises(InputError):
        read_query(url, query=query)
    assert read_query(url, query="select count(*) as n from people").to_pylist() == before


def test_a_function_that_writes_is_refused_by_the_server(postgresql: str) -> None:
    """Nothing in the words of the query tells that it does more than read: the connection is read-only."""
    fill(postgresql, "create sequence counter")
    with pytest.raises(InputError, match="did not run the query"):
        read_query(postgresql, query="select nextval('counter') as n")


def test_a_job(postgresql: str, tmp_path: Path) -> None:
    text = f"""
[input]
source = "{postgresql}"
query = "select id, born, note from people where born < 'infinity' and note like 'n%'"
[columns.id]
role = "identifier"
[columns.born]
role = "quasi"
[columns.note]
role = "quasi"
[privacy]
model = "k"
k = 3
"""
    ended = tacit("anonymize", write_job(tmp_path, text), "--no-report")
    assert ended.code == 0, ended.err
