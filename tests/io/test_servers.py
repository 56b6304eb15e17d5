"""PostgreSQL and MariaDB themselves: what each type is read as, and that nothing is changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
import sqlalchemy

from support import servers
from support.commands import tacit, write_job
from tacit.errors import InputError
from tacit.io import read_query
from tacit.io.database_output import NewTable
from tacit.io.databases import DRIVERS, tables_of

pytestmark = pytest.mark.slow  # what all databases share, SQLite is asked in every run

POSTGRESQL = """
create type mood as enum ('sad', 'fine');
create table people (id uuid, born date, seen timestamp, wakes time, slept interval, photo bytea, tags text[],
  note text, paid numeric(9, 2), met timestamptz, about jsonb, feels mood, flags bit(3), counts int[], ok boolean,
  weight float8, "odd, ""name" int);
insert into people select gen_random_uuid(), date '2001-01-01' + n, timestamp '2024-01-01', time '10:00',
  interval '26h', '\\xff', array['a','b'], 'n' || mod(n, 3), 1.5 * n, '2024-01-01 12:00+02', '{"a": [1, "é"]}', 'fine',
  b'101', array[1, n], mod(n, 2) = 0, n / 4.0, n from generate_series(1, 12) n;
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
    assert read["wakes"][-1] == "10:00:01.5"
    assert (read["tags"][0], read["tags"][-1], read["note"][-1]) == (["a", "b"], [], None)


def test_more_types_of_postgresql(postgresql: str) -> None:
    names = ["paid", "met", "about", "feels", "flags", "counts", "ok", "weight", 'odd, "name']
    table = read_query(postgresql, query="select * from people order by paid nulls last", wanted=names)
    first, last = table.to_pylist()[0], table.to_pylist()[-1]
    assert (first["paid"], first["about"], first["feels"], first["flags"]) == ("1.50", '{"a": [1, "é"]}', "fine", "101")
    assert first["met"] == datetime(2024, 1, 1, 10, tzinfo=UTC) and first["counts"] == [1, 1]
    assert (first["ok"], first["weight"], first['odd, "name']) == (False, 0.25, 1)
    assert set(last.values()) == {None}


def test_texts_come_as_they_are(postgresql: str) -> None:
    query = r"""select 'a\.b' as a, E'x\ny' as b, '' as c, null::text as d, 'q"z,%s:x' as e, 7 % 4 as f -- end"""
    assert read_query(postgresql, query=query).to_pylist() == [
        {"a": r"a\.b", "b": "x\ny", "c": "", "d": None, "e": 'q"z,%s:x', "f": 3}
    ]
    twice = read_query(postgresql, query="select 1 as a, 2 as a")
    assert twice.num_columns == 2 and twice.column_names[0] == "a"


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


ODD = """
create table odd (t tinyint(1), u bigint unsigned, f float, d double, x decimal(30, 12), y decimal(65, 0), born date,
  seen datetime(3), w time(3), v year, note text character set utf8mb4, e enum('a', 'b'), s set('x', 'y'), j json,
  l varchar(9) character set latin1, `odd ``, "name` int, b bit(3), c binary(2), g point);
insert ignore into odd values (1, 18446744073709551615, 0.1, 0.1, 1.123456789012, repeat('9', 65), '0000-00-00',
  '2020-01-01 10:00:00.123', '-30:00:00.5', 2020, 'é😀', 'a', 'x,y', '{"a": 1}', 'é', -7, b'101', x'ff00', point(1, 2));
insert into odd (t) values (null);
insert into odd (t, w, note, y) values (-1, '838:59:59', '', -5)
"""


def test_both_ways_from_mariadb_give_the_same(mariadb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By connectorx, and by the driver written in Python where there is none."""
    pytest.importorskip("connectorx", reason="connectorx is not installed")
    fill(mariadb, ODD)
    found = []
    for query in ("select * from odd -- all: 100 %", "select note as `a:b`, count(*) as n from odd group by note"):
        for is_there in (True, False):
            with monkeypatch.context() as patch:
                if not is_there:
                    patch.setitem(sys.modules, "connectorx", None)
                else:
                    patch.setattr("tacit.io.databases._fetch", None)  # whoever takes the slow way fails
                left_out: list[str] = []
                found.append((read_query(mariadb, query=query, left_out=left_out), left_out))
    for (quick, no_bytes), (slow, no_bytes_either) in (found[:2], found[2:]):
        assert (sorted(no_bytes), quick.to_pylist()) == (no_bytes_either, slow.to_pylist())
    assert found[1][1] == ["b", "c", "g"]
    assert found[0][0]["w"].to_pylist() == ["-30:00:00.500000", None, "838:59:59"]
    assert found[0][0]["note"].to_pylist() == ["é😀", None, ""]


def test_rows_in_an_order_keep_it(mariadb: str) -> None:
    backwards = read_query(mariadb, query="select id from people order by id desc")
    assert backwards["id"].to_pylist() == [2, 1]


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


RELEASED = """
[input]
source = "{url}"
query = "select note, id from people where note is not null"
[columns.note]
role = "quasi"
[columns.id]
role = "identifier"
[privacy]
model = "k"
k = 1
[output]
database = "{url}"
table = "{table}"
"""


def run(url: str, folder: Path, table: str, *words: str) -> tuple[int, str]:
    job = write_job(folder, RELEASED.format(url=url, table=table))
    ended = tacit("anonymize", job, "-o", folder / table, "--no-report", "--no-attack", *words)
    return ended.code, ended.err


def tables(url: str) -> list[str]:
    return [name for name in tables_of(url) if name.startswith(("released", "tacit_"))]


@pytest.mark.parametrize("server", ["postgresql", "mariadb"])
def test_a_release_becomes_a_table(server: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    url = request.getfixturevalue(server)
    code, err = run(url, tmp_path, "released")
    assert code == 0, err
    rows = read_query(url, table="released").to_pydict()
    original = read_query(url, query="select note from people where note is not null").to_pydict()
    assert list(rows) == ["note"] and sorted(rows["note"]) == sorted(original["note"])
    assert (tmp_path / "released" / "public" / "data.csv").is_file()
    code, err = run(url, tmp_path, "released", "--force")
    assert code == 0, err
    (tmp_path / "elsewhere").mkdir()
    code, err = run(url, tmp_path / "elsewhere", "released")
    assert code == 2 and "the table 'released' exists already" in err
    assert tables(url) == ["released"]


@pytest.mark.parametrize("server", ["postgresql", "mariadb"])
def test_a_table_that_fails_its_audit_never_was(
    server: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = request.getfixturevalue(server)
    before, whole = tables(url), NewTable.read

    def changed(table: NewTable) -> pa.Table:
        found = whole(table)
        return found.set_column(0, "note", pa.array(["of nobody"] * found.num_rows))

    monkeypatch.setattr(NewTable, "read", changed)
    code, err = run(url, tmp_path, "released_not")
    assert code == 1, err
    assert tables(url) == before and not (tmp_path / "released_not").exists()


def test_a_password_is_never_told(tmp_path: Path, mariadb: str) -> None:
    address = mariadb.replace("mariadb://root@", "mariadb://root:geh%40eim@")
    job = write_job(tmp_path, RELEASED.format(url=address, table="released_too"))
    ended = tacit("anonymize", job, "--no-report", "--no-attack", "--json")
    assert ended.code == 0, ended.err
    files = [path.read_text("utf-8") for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert tacit("init", address, "--table", "released_too", "-o", tmp_path / "new.toml").code == 0
    told = "".join([ended.out, ended.err, *files, (tmp_path / "new.toml").read_text("utf-8")])
    assert "root@127.0.0.1" in told and "geh@eim" not in told and "geh%40eim" not in told


HOSPITAL = """
create table patients (id int, age int, sex varchar(1), zip varchar(5)) engine=innodb;
create table billing (patient int, income int, insurer varchar(1), illness varchar(3)) engine=innodb;
insert into patients select seq, 20 + mod(seq * 7, 50), if(mod(seq, 2), 'm', 'f'), 1000 + mod(seq * 3, 5)
  from seq_1_to_80;
insert into billing select seq, 1000 + 500 * mod(seq, 4), elt(1 + mod(seq, 3), 'A', 'B', 'C'),
  elt(1 + mod(seq * 5, 4), 'I10', 'E11', 'J18', 'F32') from seq_1_to_80;
"""
SLICES = """
[input]
source = "{url}"
table = "patients"
[[input.join]]
table = "billing"
key = "id"
on = "patient"
columns = ["income", "insurer", "illness"]
[columns]
id = {{ role = "identifier" }}
age = {{ role = "quasi", type = "number" }}
sex = {{ role = "quasi" }}
zip = {{ role = "quasi", type = "category" }}
income = {{ role = "sensitive" }}
insurer = {{ role = "sensitive" }}
illness = {{ role = "sensitive" }}
[privacy]
model = "sliced-l"
l = 2
[method]
name = "slicing"
columns = [["sex", "income"], ["sex", "insurer"], ["age", "zip"], ["illness"]]
overlap = true
seed = 1
[output]
database = "{url}"
table = "released_slices"
"""


def test_hospital_tables_become_overlapping_slices_in_the_database(mariadb: str, tmp_path: Path) -> None:
    """The second paper's process: tables of a hospital, several sensitive attributes, shown and written back."""
    fill(mariadb, HOSPITAL)
    job = write_job(tmp_path, SLICES.format(url=mariadb))
    ended = tacit("anonymize", job, "--no-report", "--no-attack")
    assert ended.code == 0, ended.err
    assert tacit("audit", job, tmp_path / "out" / "public" / "data.csv", "--original").code == 0
    written = read_query(mariadb, table="released_slices")
    names = [name.partition(".")[2] for name in written.column_names if name != "bucket"]
    assert written.num_rows == 80 and {"income", "insurer", "illness"} <= set(names)
    assert len(names) > len(set(names))  # some attribute stands in several slices
