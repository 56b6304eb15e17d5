"""The gate: each rule of it is tried, on every route that there is."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from starlette.routing import Route
from starlette.websockets import WebSocketDisconnect

from support.web import ADDRESS, PORT, load, owner, people, stranger
from tacit.web.app import ROUTES
from tacit.web.door import Door
from tacit.web.limits import Limits, TooMuch

_ID = "0123456789ab"


def _paths() -> list[tuple[str, str]]:
    """Every method and path that the application knows, with something in place of what varies."""
    found = []
    for route in ROUTES:
        assert isinstance(route, Route)
        path = re.sub(r"\{(\w+):int\}", "0", route.path)
        path = path.replace("{name}", "page.css")
        path = re.sub(r"\{\w+\}", _ID, path)
        found += [(method, path) for method in sorted(route.methods or ())]
    return found


def test_no_route_answers_a_stranger(tmp_path: Path) -> None:
    with stranger(tmp_path) as (client, _):
        for method, path in _paths():
            answer = client.request(method, path)
            assert answer.status_code == 403, (method, path)
            assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("path", ["/nothing", "/static/../app.py", "/api/nothing", "/projects/../../etc/passwd"])
def test_what_is_not_there_is_refused_to_strangers_as_well(tmp_path: Path, path: str) -> None:
    with stranger(tmp_path) as (client, _):
        assert client.get(path).status_code == 403


def test_no_route_answers_by_another_name(tmp_path: Path) -> None:
    with owner(tmp_path) as client:
        for method, path in _paths():
            answer = client.request(method, path, headers={"host": f"evil.example:{PORT}"})
            assert answer.status_code == 421, (method, path)


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        (f"127.0.0.1:{PORT}", True), (f"localhost:{PORT}", True), (f"[::1]:{PORT}", True), (f"LOCALHOST:{PORT}", True),
        ("127.0.0.1", False), ("127.0.0.1:80", False),
        (f"127.0.0.1.evil.example:{PORT}", False), (f"127.0.0.2:{PORT}", False),
        (f"localhost.:{PORT}", False), (f"localhost:{PORT}@evil.example", False), ("", False),
        (f"0.0.0.0:{PORT}", False),
        (f"127.1:{PORT}", False), (f"2130706433:{PORT}", False), (f"localhost:{PORT}x", False), ("[::1]", False),
    ],
)  # fmt: skip
def test_which_hosts_are_ours(host: str, is_ours: bool) -> None:
    assert Door(PORT).is_ours(host) is is_ours


def test_two_hosts_are_refused(tmp_path: Path) -> None:
    with owner(tmp_path) as client:
        hosts = [("host", f"127.0.0.1:{PORT}"), ("host", "evil.example")]
        assert client.get("/", headers=hosts).status_code == 421


def test_the_port_counts_where_it_is_not_said() -> None:
    assert Door(80).is_ours("localhost")
    assert not Door(PORT).is_ours("localhost")


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "origin": ADDRESS},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
    ],
)
def test_nothing_is_changed_for_another_site(tmp_path: Path, headers: dict[str, str]) -> None:
    with owner(tmp_path) as client:
        for method, path in _paths():
            if method not in ("GET", "HEAD"):
                assert client.request(method, path, headers=headers).status_code == 403, (method, path)


@pytest.mark.parametrize(
    "headers", [{"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}, {"origin": ADDRESS}, {}]
)
def test_pages_of_ours_and_programs_may_change_something(tmp_path: Path, headers: dict[str, str]) -> None:
    with owner(tmp_path) as client:
        assert client.post("/language", data={"language": "de"}, headers=headers).status_code == 303


def test_the_token_works_once(tmp_path: Path) -> None:
    with stranger(tmp_path) as (client, door):
        token = door.token
        first = client.get(f"/?token={token}")
        assert (first.status_code, first.headers["location"]) == (303, "/")
        cookie = first.headers["set-cookie"]
        assert cookie.startswith(f"tacit-{PORT}=")
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and str(token) not in cookie
        assert client.get("/").status_code == 200
        client.cookies.clear()
        assert client.get(f"/?token={token}").status_code == 403
        assert client.get("/").status_code == 403


def test_whoever_is_in_may_open_the_address_again(tmp_path: Path) -> None:
    with owner(tmp_path) as client:
        again = client.get("/?token=spent")
        assert (again.status_code, again.headers["location"]) == (303, "/")


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-purpose": "prefetch"},
        {"sec-purpose": "prefetch;prerender"},
        {"purpose": "prefetch"},
        {"x-moz": "prefetch"},
        {"x-purpose": "preview"},
    ],
)
def test_a_look_ahead_does_not_spend_the_token(tmp_path: Path, headers: dict[str, str]) -> None:
    with stranger(tmp_path) as (client, door):
        looked = client.get(f"/?token={door.token}", headers=headers)
        assert looked.status_code == 204 and "set-cookie" not in looked.headers
        assert client.get(f"/?token={door.token}").status_code == 303


def test_asking_for_headers_does_not_spend_the_token(tmp_path: Path) -> None:
    with stranger(tmp_path) as (client, door):
        looked = client.head(f"/?token={door.token}")
        assert looked.status_code == 200 and "set-cookie" not in looked.headers
        assert client.get(f"/?token={door.token}").status_code == 303


def test_a_wrong_token_spends_nothing(tmp_path: Path) -> None:
    with stranger(tmp_path) as (client, door):
        assert client.get("/?token=guess").status_code == 403
        assert client.get(f"/?token={door.token}").status_code == 303


def test_a_link_on_another_site_sets_the_cookie_without_a_redirect(tmp_path: Path) -> None:
    with stranger(tmp_path) as (client, door):
        answer = client.get(f"/?token={door.token}", headers={"sec-fetch-site": "cross-site"})
        assert answer.status_code == 200 and "set-cookie" in answer.headers
        assert 'content="0;url=/"' in answer.text


@pytest.mark.parametrize("cookie", ["", "x", "tacit-8765=", "tacit-8764=right"])
def test_other_cookies_open_nothing(tmp_path: Path, cookie: str) -> None:
    with stranger(tmp_path) as (client, _):
        assert client.get("/", headers={"cookie": cookie}).status_code == 403


def test_a_cookie_that_is_there_twice_opens_nothing(tmp_path: Path) -> None:
    with owner(tmp_path) as client:
        value = client.cookies[f"tacit-{PORT}"]
        client.cookies.clear()
        one = {"cookie": f"other={{odd; tacit-{PORT}={value}"}
        assert client.get("/", headers=one).status_code == 200
        two = {"cookie": f"tacit-{PORT}=guess; tacit-{PORT}={value}"}
        assert client.get("/", headers=two).status_code == 403


def test_no_websocket_is_opened(tmp_path: Path) -> None:
    with owner(tmp_path) as client, pytest.raises(WebSocketDisconnect), client.websocket_connect("/"):
        pass


@pytest.mark.parametrize("path", ["/", "/nothing", "/static/page.js", "/api/openapi.json", "/api/nothing", "/?token=x"])
def test_every_answer_has_the_headers(tmp_path: Path, path: str) -> None:
    with owner(tmp_path) as client:
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_only_assets_are_kept_by_browsers(tmp_path: Path) -> None:
    with owner(tmp_path) as client:
        assert client.get("/static/page.css?v=1").headers["cache-control"].startswith("private")
        assert client.get("/?v=1").headers["cache-control"] == "no-store"


def test_scripts_have_the_nonce_of_their_answer_and_none_is_inline(tmp_path: Path) -> None:
    with owner(tmp_path) as client:
        first, second = client.get("/"), client.get("/")
        nonces = [re.search(r"'nonce-([^']+)'", each.headers["content-security-policy"]) for each in (first, second)]
        assert nonces[0] and nonces[1] and nonces[0][1] != nonces[1][1]
        assert set(re.findall(r'nonce="([^"]+)"', first.text)) == {nonces[0][1]}
        assert all(" src=" in tag for tag in re.findall(r"<script[^>]*>", first.text))
        assert not re.search(r"\son\w+=|javascript:|\sstyle=", first.text)


def test_nothing_is_loaded_from_elsewhere(tmp_path: Path) -> None:
    with owner(tmp_path) as client:
        project = load(client, people())
        for step in ("data", "roles", "hierarchies", "promise", "run", "compare"):
            page = client.get(f"{project}/{step}").text
            assert not re.search(r"""(?:src|href|action)=["'](?:https?:)?//""", page)


# Bounds


def test_a_file_that_says_it_is_too_large_is_not_read(tmp_path: Path) -> None:
    with owner(tmp_path, Limits(upload=1000)) as client:
        assert client.post("/projects", files={"file": ("a.csv", b"x" * 2000)}).status_code == 413
        assert not list((tmp_path / "workspace" / "scratch").iterdir())


def test_a_file_that_does_not_say_its_size_is_bounded_as_well(tmp_path: Path) -> None:
    with owner(tmp_path, Limits(upload=1000)) as client:
        pieces = iter([b"x" * 600, b"x" * 600])
        assert client.post("/api/projects?name=a.csv", content=pieces).status_code == 413
        assert not list((tmp_path / "workspace" / "scratch").iterdir())
        assert client.get("/api/projects").json() == {"projects": []}


def test_forms_are_bounded(tmp_path: Path) -> None:
    with owner(tmp_path, Limits(form=500)) as client:
        assert client.post("/language", data={"language": "x" * 1000}).status_code == 413


def test_parts_of_a_form_are_bounded(tmp_path: Path) -> None:
    with owner(tmp_path, Limits(parts=3)) as client:
        many = [("field", (None, b"x")) for _ in range(5)]
        assert client.post("/projects", files=many).status_code == 413


def test_one_file_at_a_time(tmp_path: Path) -> None:
    with owner(tmp_path) as client:
        two = [("file", ("a.csv", b"a\n1\n")), ("file", ("b.csv", b"a\n1\n"))]
        assert client.post("/projects", files=two).status_code == 413
        assert not list((tmp_path / "workspace" / "scratch").iterdir())


def test_who_sends_nothing_is_not_waited_for() -> None:
    from starlette.datastructures import Headers

    async def silent() -> dict[str, object]:
        await asyncio.sleep(3600)
        return {}

    receive = Limits(silence=0.01).receiver(silent, Headers(), "/projects")
    with pytest.raises(TooMuch) as refused:
        asyncio.run(receive())  # type: ignore[arg-type]
    assert refused.value.status == 408


# Another host than loopback


def _remote() -> Door:
    return Door(PORT, "0.0.0.0", "correct horse", ("data.example",))


def test_elsewhere_the_password_opens_the_page(tmp_path: Path) -> None:
    with stranger(tmp_path, _remote()) as (client, _):
        assert client.get("/").headers["location"] == "/login"
        assert "password" in client.get("/login").text
        assert client.post("/login", data={"password": "wrong"}).status_code == 403
        assert client.get("/").status_code == 303
        opened = client.post("/login", data={"password": "correct horse"})
        assert (opened.status_code, opened.headers["location"]) == (303, "/")
        assert client.get("/").status_code == 200


def test_elsewhere_programs_get_no_page_without_the_cookie(tmp_path: Path) -> None:
    with stranger(tmp_path, _remote()) as (client, _):
        assert client.get("/api/jobs").status_code == 403


def test_passwords_cannot_be_tried_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncio, "sleep", _at_once(asyncio.sleep))
    with stranger(tmp_path, _remote()) as (client, _):
        codes = [client.post("/login", data={"password": f"guess {number}"}).status_code for number in range(12)]
        assert codes == [403] * 10 + [429] * 2
        assert client.post("/login", data={"password": "correct horse"}).status_code == 429


def _at_once(sleep):  # type: ignore[no-untyped-def]
    return lambda seconds, *more: sleep(min(seconds, 0.05), *more)


def test_elsewhere_names_are_checked_too() -> None:
    door = _remote()
    assert (
        door.is_ours(f"192.168.1.7:{PORT}")
        and door.is_ours(f"data.example:{PORT}")
        and door.is_ours(f"[fe80::1]:{PORT}")
    )
    assert not door.is_ours(f"evil.example:{PORT}") and not door.is_ours("192.168.1.7:80")


def test_loopback_has_no_login(tmp_path: Path) -> None:
    with stranger(tmp_path) as (client, _):
        assert client.get("/login").status_code == 403
        assert client.post("/login", data={"password": ""}).status_code == 403


def test_secrets_are_not_part_of_what_is_shown_of_a_door() -> None:
    door = Door(PORT, "0.0.0.0", "correct horse")
    assert "correct horse" not in repr(door) and str(door.token) not in repr(door)


@pytest.mark.parametrize(
    "referer", ["http://evil.example/projects/0123456789ab/roles", "//evil.example/x", "javascript:x"]
)
def test_no_request_says_where_an_answer_leads(tmp_path: Path, referer: str) -> None:
    """Neither a parameter nor the page that somebody comes from: what leads on is made of our own names."""
    with owner(tmp_path) as client:
        sent = {"language": "de", "next": "http://evil.example/", "return_to": "//evil.example"}
        answer = client.post("/language?next=http://evil.example/", data=sent, headers={"referer": referer})
        assert answer.status_code == 303 and answer.headers["location"].startswith("/")
        assert "evil" not in answer.headers["location"] and not answer.headers["location"].startswith("//")
