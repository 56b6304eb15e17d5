"""Days and moments of PostgreSQL that Python has not, such as `infinity`: as PostgreSQL writes them."""

from __future__ import annotations

from typing import Any

from psycopg import DataError
from psycopg.adapt import Loader
from psycopg.types.datetime import DateLoader, TimestampLoader, TimestamptzLoader


def read_all_days(connection: Any) -> None:
    """Has a connection give a text where it has no other value for a day."""
    for name, loader in (("date", DateLoader), ("timestamp", TimestampLoader), ("timestamptz", TimestamptzLoader)):
        connection.adapters.register_loader(name, _or_text(loader))


def _or_text(loader: type[Loader]) -> type[Loader]:
    class OrText(loader):  # type: ignore[misc, valid-type]
        def load(self, data: Any) -> Any:
            try:
                return super().load(data)
            except DataError:
                return bytes(data).decode()

    return OrText
