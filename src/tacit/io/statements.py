"""What may be asked of a database: one statement, and one that only reads.

Connections are read-only where the database can do that, so this is about mistakes and about saying what is wrong; it
need not know every dialect of SQL. Texts, names in quotes and comments are left out of account.
"""

from __future__ import annotations

import re

from tacit.errors import InputError

_NO_CODE = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | \[[^\]]*\] | \$(\w*)\$.*?\$\1\$ | --[^\n]* | /\*.*?\*/""",
    re.VERBOSE | re.DOTALL,
)
_READING = ("select", "with", "values", "table", "from")
_INTO = re.compile(r"\binto\b", re.IGNORECASE)
"""What of a select goes to a new table, or to a file of the server."""


def checked(query: str, source: str) -> str:
    """The query without a semicolon at its end; refuses one that does anything but read.

    >>> checked("select 'a;b' -- all of it\\n;", "db")
    "select 'a;b' -- all of it"
    """
    code = _NO_CODE.sub(" x ", query).strip()
    first = re.match(r"[\s(]*(\w*)", _NO_CODE.sub(" ", query))
    if ";" in code.rstrip("; \n\t\r"):
        raise InputError("the query is more than one statement", file=source, hint="Write one select.")
    if first is None or first[1].lower() not in _READING or _INTO.search(code):
        raise InputError("the query does more than read", file=source, hint="Write a select.")
    return re.sub(r"[;\s]+$", "", query)
