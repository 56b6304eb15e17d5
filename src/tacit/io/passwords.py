"""Passwords of databases: from the environment, from a file of their owner's, or asked for; kept nowhere.

The environment is TACIT_PASSWORD. The file is ~/.config/tacit/passwords, or what TACIT_PASSWORD_FILE names: lines of
`host:port:database:user:password` as PostgreSQL's .pgpass has them, `*` for anything, readable by its owner alone.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy import URL

VARIABLE = "TACIT_PASSWORD"
FILE_VARIABLE = "TACIT_PASSWORD_FILE"
_OTHERS = 0o077
_FIELD = re.compile(r"((?:[^:\\]|\\.)*)(?::|$)")


def with_password(address: URL) -> URL:
    """The address with a password, if it names a user and none, and one is known."""
    if address.get_backend_name() == "sqlite" or address.password is not None or not address.username:
        return address
    found = os.environ.get(VARIABLE) or _from_file(address)
    return address if found is None else address.set(password=found)


def asked(address: URL, name: str) -> URL | None:
    """The address with a password that somebody at the terminal gave; None if there is nobody, or one was given."""
    if address.password is not None or not address.username or not sys.stdin.isatty():
        return None
    from getpass import getpass

    try:
        given = getpass(f"Password of {address.username} at {name}: ")
    except EOFError:
        return None
    return address.set(password=given) if given else None


def with_given(url: str, password: str) -> str:
    """A URL with a password that was given beside it.

    >>> with_given("mysql://me@host/shop", "a/b"), with_given("mysql://me@host/shop", "")
    ('mysql://me:a%2Fb@host/shop', 'mysql://me@host/shop')
    """
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(url).set(password=password).render_as_string(hide_password=False) if password else url
    except (ArgumentError, ValueError):
        return url  # whoever connects says that it cannot be understood


def without_password(url: str) -> str:
    """A URL as it may be written down: without its password; what it says besides stays.

    >>> without_password("mysql://me:secret@host/shop?charset=utf8"), without_password("data.csv")
    ('mysql://me@host/shop?charset=utf8', 'data.csv')
    """
    if url.startswith("jdbc:"):  # of Oracle, the password stands behind the user
        url = re.sub(r"^(jdbc:[^/@]*)/[^/@][^@]*@", r"\1@", url)
    if "://" not in url and not url.startswith("jdbc:"):
        return url
    scheme, colon, rest = url.partition("://") if "://" in url else ("", "", url)
    who, at, where = rest.rpartition("@")
    bare = where
    for signs, sign in (("?&", "&"), (";", ";")):  # JDBC and Spark Connect set words apart by semicolons
        secret = rf"([{signs}])(?:password|passwd|pwd|token)=[^{sign}]*{sign}?"
        bare = re.sub(secret, r"\1", bare, flags=re.IGNORECASE).rstrip(signs)
    return f"{scheme}{colon}{who.partition(':')[0] if colon else who}{at}{bare}"


def _from_file(address: URL) -> str | None:
    file = Path(os.environ.get(FILE_VARIABLE) or Path.home() / ".config" / "tacit" / "passwords")
    try:
        mode = file.stat().st_mode
        if os.name == "posix" and stat.S_IMODE(mode) & _OTHERS:
            hint = f"chmod 600 {file}"
            raise InputError("others may read this file of passwords, so it is not used", file=file, hint=hint)
        lines = file.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        raise InputError("the file of passwords cannot be read", file=file) from None
    port = str(address.port) if address.port else {"postgresql": "5432"}.get(address.get_backend_name(), "3306")
    wanted = (address.host or "localhost", port, address.database or "", address.username or "")
    for line in lines:
        fields = [re.sub(r"\\(.)", r"\1", each) for each in _FIELD.findall(line)][:5]
        fits = len(fields) == 5 and all(each in ("*", value) for each, value in zip(fields, wanted, strict=False))
        if fits and not line.startswith("#"):
            return fields[4]
    return None
