"""Who may come in: a secret of this start, exchanged once for a cookie; elsewhere than on this machine, a password."""

from __future__ import annotations

import ipaddress
import secrets
import time
from dataclasses import dataclass, field
from hmac import compare_digest

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_ATTEMPTS, _WITHIN = 10, 60.0
"""So many wrong passwords in so many seconds, and nobody is let in for a while."""


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach such an address."""
    return host in LOOPBACK


@dataclass
class Door:
    """What a start of the server knows of its owner. Whoever exchanges the token, or the password, is that owner."""

    port: int
    host: str = LOOPBACK[0]
    password: str | None = field(default=None, repr=False)
    names: tuple[str, ...] = ()
    """Names of this machine by which others call it; for another host than loopback only."""
    token: str | None = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _failures: list[float] = field(default_factory=list, repr=False)

    @property
    def cookie(self) -> str:
        """Its name holds the port: browsers do not tell the ports of a machine apart."""
        return f"tacit-{self.port}"

    def cookie_header(self) -> str:
        return f"{self.cookie}={self._secret}; Path=/; HttpOnly; SameSite=Strict"

    def is_ours(self, host: str) -> bool:
        """Whether a `Host` names this server: a page elsewhere whose name was made to lead here does not (DNS
        rebinding). Addresses cannot be made to lead anywhere, so elsewhere than on loopback any address will do."""
        name, port = _divided(host)
        if port != self.port:
            return False
        if is_loopback(self.host):
            return name in LOOPBACK
        return name in (*LOOPBACK, self.host, *self.names) or _is_address(name)

    def spend(self, given: str) -> bool:
        """Whether this is the token of the start, which is worth nothing afterwards."""
        if self.token is None or not compare_digest(given.encode(), self.token.encode()):
            return False
        self.token = None
        return True

    def knows(self, cookie: str | None) -> bool:
        return cookie is not None and compare_digest(cookie.encode(), self._secret.encode())

    def admits(self, password: str) -> bool | None:
        """Whether this is the password; None if there were too many wrong ones of late."""
        now = time.monotonic()
        self._failures = [failed for failed in self._failures if now - failed < _WITHIN]
        if len(self._failures) >= _ATTEMPTS or self.password is None:
            return None
        if compare_digest(password.encode(), self.password.encode()):
            return True
        self._failures.append(now)
        return False


def _divided(host: str) -> tuple[str, int | None]:
    """A `Host` as name and port; a port that is not said is that of HTTP."""
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        name, port = host, "80"
    bare = name[1:-1] if name.startswith("[") and name.endswith("]") else name
    return bare.lower(), int(port) if port.isascii() and port.isdigit() else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
