"""Passwords of databases: where they are found, and where they never stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import make_url

from tacit.errors import InputError
from tacit.io.passwords import with_password, without_password
from tacit.job import read_job, write_job


def found(url: str) -> object:
    return with_password(make_url(url)).password


def test_a_password_comes_from_the_environment_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "passwords"
    file.write_text("# mine\nhost:3306:shop:me:one\n*:*:*:you:t\\:wo\n", encoding="utf-8")
    file.chmod(0o600)
    monkeypatch.setenv("TACIT_PASSWORD_FILE", str(file))
    monkeypatch.delenv("TACIT_PASSWORD", raising=False)
    assert found("mysql://me@host/shop") == "one" and found("mysql://me@other/shop") is None
    assert found("postgresql://you@x:99/y") == "t:wo" and found("mysql://me:own@host/shop") == "own"
    monkeypatch.setenv("TACIT_PASSWORD", "three")
    assert found("mysql://me@other/shop") == "three" and found("sqlite:///a.db") is None
    assert found("mysql://host/shop") is None


def test_a_file_that_others_may_read_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "passwords"
    file.write_text("*:*:*:*:secret\n", encoding="utf-8")
    file.chmod(0o644)
    monkeypatch.setenv("TACIT_PASSWORD_FILE", str(file))
    monkeypatch.delenv("TACIT_PASSWORD", raising=False)
    with pytest.raises(InputError, match="chmod 600") as error:
        found("mysql://me@host/shop")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("mysql://me:p@ss@host/shop", "mysql://me@host/shop"),
        ("postgresql+x://me:p/w:x@host:99/shop?a=1&password=x&b=2", "postgresql+x://me@host:99/shop?a=1&b=2"),
        ("postgresql://host/shop?password=x", "postgresql://host/shop"),
        ("sqlite:///a.db", "sqlite:///a.db"),
        ("postgresql://host/shop?password=x;y&b=2", "postgresql://host/shop?b=2"),
        ("jdbc:postgresql://host/shop?user=me&password=x", "jdbc:postgresql://host/shop?user=me"),
        (
            "jdbc:sqlserver://host:1433;user=me;password=x&y;encrypt=true",
            "jdbc:sqlserver://host:1433;user=me;encrypt=true",
        ),
        ("jdbc:oracle:thin:me/x@//host:1521/shop", "jdbc:oracle:thin:me@//host:1521/shop"),
        ("jdbc:derby:shop;user=me;password=x;create=true", "jdbc:derby:shop;user=me;create=true"),
        ("jdbc:sqlite:shop.db?password=x", "jdbc:sqlite:shop.db"),
        ("sc://host:15002/;use_ssl=true;token=x", "sc://host:15002/;use_ssl=true"),
    ],
)
def test_urls_are_written_without_passwords(url: str, kept: str) -> None:
    assert without_password(url) == kept


def test_no_message_has_the_password_of_a_jdbc_address_or_a_token(tmp_path: Path) -> None:
    for url in ("jdbc:sqlserver://host;password=secret", "jdbc:oracle:thin:me/secret@host:1521:shop"):
        assert "secret" not in str(InputError("the data has no record", file=url))
    (tmp_path / "job.toml").write_text(
        '[input]\nsource = "a.dat"\n[columns.items]\nrole = "items"\n[privacy]\nmodel = "km"\nk = 2\nm = 2\n'
        '[engine]\nname = "spark"\nremote = "sc://host:15002/;token=secret"\n'
    )
    written = write_job(read_job(tmp_path / "job.toml"))
    assert 'remote = "sc://host:15002/"' in written
    assert "secret" not in written
