"""Passwords of databases: where they are found, and where they never stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import make_url

from tacit.errors import InputError
from tacit.io.passwords import with_password, without_password


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
    ],
)
def test_urls_are_written_without_passwords(url: str, kept: str) -> None:
    assert without_password(url) == kept
