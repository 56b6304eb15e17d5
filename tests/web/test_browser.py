"""The page in a real browser: all kinds of data, editing, comparing, errors, cancel, restart, keyboard, phone, dark."""

from __future__ import annotations

import signal
import sqlite3
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from support.browser import Server, Window, chromium, server
from support.web import people

pytestmark = pytest.mark.slow

Open = Callable[..., Window]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def served(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, list[dict[str, Any]]]]:
    """A server, and the cookie of its owner: the address with the token works once."""
    with server(tmp_path_factory.mktemp("browser") / "workspace") as made:
        first = Window(browser, made.url)
        cookies = first.context.cookies()
        first.close()
        yield made, cookies


@pytest.fixture
def window(browser: Any, served: tuple[Server, list[dict[str, Any]]]) -> Iterator[Open]:
    """What opens a window of the owner's."""
    made: list[Window] = []

    def opened(**options: Any) -> Window:
        state = {"cookies": served[1], "origins": []}
        made.append(Window(browser, f"{served[0].address}/", storage_state=state, locale="en-GB", **options))
        return made[-1]

    yield opened
    for each in made:
        each.close()


def _sample(kind: str, folder: Path, rows: int) -> Path:
    """The first rows of a sample."""
    name = {"records": "patients.csv", "baskets": "visits.dat", "slices": "adults.csv", "ratings": "survey.csv"}[kind]
    lines = (files("tacit") / "samples" / kind / name).read_text("utf-8").splitlines(keepends=True)
    (folder / name).write_text("".join(lines[:rows]), encoding="utf-8")
    return folder / name


def _load(window: Window, file: Path) -> None:
    page = window.page
    page.goto(f"{window.address}/")
    page.locator("#file").set_input_files(file)
    page.get_by_role("button", name="Load", exact=True).first.click()
    page.get_by_role("heading", name="The data", exact=True).wait_for()


def _run(window: Window) -> None:
    page = window.page
    page.goto(f"{window.project()}/run")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("heading", name="Result", exact=True).wait_for()


def _people(window: Window, folder: Path) -> None:
    (folder / "people.csv").write_text(people(), encoding="utf-8")
    _load(window, folder / "people.csv")


def _job(window: Window) -> dict[str, Any]:
    return tomllib.loads(window.page.locator("aside.job pre").inner_text())


@pytest.mark.parametrize(
    ("kind", "rows", "model"),
    [("records", 400, "k-km"), ("baskets", 800, "km"), ("slices", 400, "sliced-l"), ("ratings", 200, "k-eps")],
)
def test_each_kind_of_data_from_upload_to_download(
    window: Open, tmp_path: Path, kind: str, rows: int, model: str
) -> None:
    opened = window(accept_downloads=True)
    page = opened.page
    _load(opened, _sample(kind, tmp_path, rows))
    if kind == "slices":
        page.goto(f"{opened.project()}/roles")
        page.get_by_label("Role of occupation").select_option("sensitive")
        page.locator(".column.sensitive", has_text="occupation").wait_for()
        page.get_by_label("Role of income").select_option("quasi")
        page.locator(".column.quasi", has_text="income").wait_for()
        page.goto(f"{opened.project()}/promise")
        page.locator("input[name=model][value=sliced-l]").check()
        page.locator("aside.job pre", has_text="sliced-l").wait_for()
        page.goto(f"{opened.project()}/data")
    for step in ("Go on to the roles", "Go on to the hierarchies", "Go on to the promise", "Go on to the run"):
        page.get_by_role("link", name=step).click()
        page.locator(".status.good").first.wait_for()
    assert _job(opened)["privacy"]["model"] == model
    _run(opened)
    assert "The promise holds" in page.locator(".verdict").inner_text()
    assert page.locator(".report svg").count() > 0
    for part, inside in (("public", "public/README.md"), ("private", "private/rows.csv")):
        with page.expect_download() as taken:
            page.get_by_role("link", name=f"Download the {part} part").click()
        with zipfile.ZipFile(taken.value.path()) as archive:
            assert inside in archive.namelist()


@pytest.mark.parametrize("look", ["light", "dark", "phone", "german"])
def test_axe_finds_nothing_on_any_screen(window: Open, tmp_path: Path, look: str) -> None:
    options: dict[str, Any] = {"color_scheme": "dark" if look == "dark" else "light", "reduced_motion": "reduce"}
    if look == "phone":
        options |= {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    opened = window(**options)
    page = opened.page
    _people(opened, tmp_path)
    project = opened.project()
    page.goto(f"{project}/hierarchies/3")
    page.locator("section:has(#build) button").click()
    page.locator("#tree").wait_for()
    page.goto(f"{project}/compare")
    page.locator("form.card button").click()
    page.locator(".point").first.wait_for()
    _run(opened)
    result = page.url
    if look == "german":
        page.get_by_role("button", name="Deutsch").click()
        page.locator("html[lang=de]").wait_for()
    steps = ["data", "roles", "columns/1", "hierarchies", "hierarchies/3", "promise", "run", "compare", "nothing"]
    try:
        for address in (f"{opened.address}/", result, *(f"{project}/{step}" for step in steps)):
            page.goto(address)
            assert not opened.violations(), address
            assert not opened.is_wider_than_the_screen(), address
        page.goto(f"{project}/data")
        page.locator("details:has(#join-key) summary").click()
        assert not opened.violations(), "the form that joins a table"
        sqlite3.connect(tmp_path / "shop.db").execute("create table people (age)").connection.close()
        page.goto(f"{opened.address}/")
        page.locator("#url").fill(f"sqlite:///{tmp_path / 'shop.db'}")
        page.locator("button[name=list]").click()
        page.locator("select#table").wait_for()
        assert not opened.violations(), "the tables of a database"
        assert not opened.is_wider_than_the_screen()
    finally:
        opened.wrong = [said for said in opened.wrong if "404" not in said]


def test_a_hierarchy_is_edited_with_the_mouse(window: Open, tmp_path: Path) -> None:
    opened = window()
    page = opened.page
    _people(opened, tmp_path)
    page.goto(f"{opened.project()}/hierarchies/3")
    page.locator("section:has(#build) button").click()
    for name in ("Linz", "Wels"):
        page.get_by_role("checkbox", name=name, exact=True).check()
    page.locator("#name").fill("Upper Austria")
    page.get_by_role("button", name="Group", exact=True).click()
    page.get_by_role("checkbox", name="Upper Austria").wait_for()
    page.locator("#tree .leaf", has_text="Graz").drag_to(page.locator("summary .grip", has_text="Upper Austria"))
    page.locator("details[data-node='Upper Austria'] summary small", has_text="3 values").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.locator("details[data-node='Upper Austria'] summary small", has_text="2 values").wait_for()


def test_a_hierarchy_is_edited_with_the_keyboard(window: Open, tmp_path: Path) -> None:
    opened = window()
    page = opened.page
    _people(opened, tmp_path)
    page.goto(f"{opened.project()}/hierarchies/3")
    page.locator("section:has(#build) button").click()
    page.locator("#tree input").first.focus()
    page.keyboard.press("F2")
    page.keyboard.type("Austria")
    page.keyboard.press("Enter")
    page.get_by_role("checkbox", name="Austria", exact=True).wait_for()
    page.locator("#tree input").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("g")
    page.keyboard.type("Two towns")
    page.keyboard.press("Enter")
    page.locator("details[data-node='Two towns'] summary small", has_text="2 values").wait_for()
    last = page.get_by_role("checkbox", name="Wels", exact=True)
    last.focus()
    page.keyboard.press("m")
    page.locator("#under").select_option(label="\u00a0\u00a0Two towns")
    page.keyboard.press("Enter")
    page.locator("details[data-node='Two towns'] summary small", has_text="3 values").wait_for()
    page.get_by_role("checkbox", name="Wels", exact=True).focus()
    page.keyboard.press("Alt+ArrowUp")
    page.locator("#tree li li li:nth-child(2) > input[aria-label=Wels]").wait_for()


def test_a_point_of_the_frontier_is_taken_with_a_click(window: Open, tmp_path: Path) -> None:
    opened = window()
    page = opened.page
    _people(opened, tmp_path)
    page.goto(f"{opened.project()}/promise")
    page.locator("input[name=model][value=k]").check()
    page.locator(".model.chosen", has_text="k-anonymity").first.wait_for()
    page.goto(f"{opened.project()}/compare")
    page.get_by_role("checkbox", name="cluster").check()
    page.get_by_label("Values of k").fill("2, 6")
    page.locator("form.card button").click()
    page.locator("[data-live]").wait_for()
    page.locator(".point").nth(3).wait_for()
    page.locator("[data-live]").wait_for(state="detached")
    lefts = [page.locator(".point").nth(at).bounding_box()["x"] for at in range(4)]
    assert max(lefts) - min(lefts) > 100, "points stand where the picture has them"
    page.get_by_role("button", name="Take cluster, k = 6").first.click()
    page.get_by_role("heading", name="What is promised").wait_for()
    job = _job(opened)
    assert (job["privacy"]["k"], job["method"]["name"]) == (6, "cluster")


def test_a_slider_changes_the_job_and_estimates_tell_its_cost(window: Open, tmp_path: Path) -> None:
    opened = window()
    page = opened.page
    _people(opened, tmp_path)
    page.goto(f"{opened.project()}/promise")
    slider = page.get_by_role("slider", name="k", exact=True)
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.locator("aside.job pre", has_text="k = 6").wait_for()
    assert page.locator("#privacy-k").input_value() == "6"
    page.get_by_role("button", name="Estimate", exact=True).click()
    page.locator(".estimates tr.now", has_text="k = 6").first.wait_for()


def test_mistakes_are_told_beside_their_field(window: Open, tmp_path: Path) -> None:
    opened = window()
    page = opened.page
    _people(opened, tmp_path)
    page.goto(f"{opened.project()}/promise")
    page.locator("#privacy-k").fill("many")
    page.locator("#privacy-k").press("Enter")
    page.locator("#p-privacy-k", has_text="whole number").wait_for()
    assert page.locator("#privacy-k").get_attribute("aria-describedby") == "p-privacy-k"
    (tmp_path / "odd.exe").write_text("nothing")
    page.goto(f"{opened.address}/")
    page.locator("#file").set_input_files(tmp_path / "odd.exe")
    page.get_by_role("button", name="Load", exact=True).first.click()
    page.locator("#file-problem", has_text="does not tell its format").wait_for()


def test_cancel_ends_a_run(window: Open, tmp_path: Path) -> None:
    opened = window()
    page = opened.page
    (tmp_path / "many.csv").write_text(people(60_000), encoding="utf-8")
    _load(opened, tmp_path / "many.csv")
    page.goto(f"{opened.project()}/run")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("heading", name="No release").wait_for()
    assert "Cancelled" in page.locator(".verdict").inner_text()
    page.get_by_role("link", name="Run again").click()
    page.get_by_role("button", name="Start", exact=True).wait_for()


def test_work_survives_the_end_of_the_server(browser: Any, tmp_path: Path) -> None:
    """Even a kill: what was done is there, what was under way is shown as failed."""
    with server(tmp_path / "workspace") as first:
        opened = Window(browser, first.url, locale="en-GB")
        (tmp_path / "many.csv").write_text(people(60_000), encoding="utf-8")
        _load(opened, tmp_path / "many.csv")
        opened.page.goto(f"{opened.project()}/run")
        opened.page.get_by_role("button", name="Start", exact=True).click()
        opened.page.get_by_role("button", name="Cancel").wait_for()
        first.stop(signal.SIGKILL)
        opened.context.close()
    with server(tmp_path / "workspace") as second:
        again = Window(browser, second.url, locale="en-GB")
        again.page.get_by_role("link", name="many.csv").click()
        again.page.goto(f"{again.project()}/run")
        assert "failed" in again.page.locator("table").inner_text()
        again.close()


def test_the_whole_way_by_keyboard_alone(window: Open, tmp_path: Path) -> None:
    opened = window()
    page = opened.page

    def go_to(name: str) -> None:
        """Tabs until the focus is on what has this name."""
        for _ in range(150):
            page.keyboard.press("Tab")
            found = page.evaluate("(document.activeElement.innerText || document.activeElement.ariaLabel || '').trim()")
            if found.startswith(name):
                return
        raise AssertionError(f"{name} cannot be reached by the keyboard")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText") == "Skip to the content"
    go_to("What people like")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.get_by_role("heading", name="The data", exact=True).wait_for()
    for step in ("Go on to the roles", "Go on to the hierarchies", "Go on to the promise", "Go on to the run", "Start"):
        go_to(step)
        with page.expect_navigation():
            page.keyboard.press("Enter")
    page.get_by_role("heading", name="Result", exact=True).wait_for()


def test_everything_works_without_javascript(window: Open, tmp_path: Path) -> None:
    opened = window(java_script_enabled=False)
    page = opened.page
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    page.locator("#file").set_input_files(tmp_path / "people.csv")
    page.get_by_role("button", name="Load", exact=True).first.click()
    page.get_by_role("heading", name="The data", exact=True).wait_for()
    project = opened.project()
    page.goto(f"{project}/roles")
    page.get_by_label("Role of town").select_option("identifier")
    page.get_by_role("button", name="Save the roles").click()
    assert _job(opened)["columns"]["town"]["role"] == "identifier"
    page.goto(f"{project}/run")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("heading", name="Result", exact=True).wait_for()


def test_html_in_the_data_is_shown_as_text(window: Open, tmp_path: Path) -> None:
    evil = "<img src=x onerror=document.title='owned'>"
    rows = "".join(f'"{evil}{row % 3}",{20 + row % 5},"=1+1"\n' for row in range(40))
    (tmp_path / "evil.csv").write_text(f'"{evil}",age,note\n{rows}', encoding="utf-8")
    opened = window()
    page = opened.page
    _load(opened, tmp_path / "evil.csv")
    page.goto(f"{opened.project()}/roles")
    for index in range(2):
        page.locator(f"#role-{index}").select_option("quasi")
        page.locator(f".column:nth-child({index + 1}).quasi").wait_for()
    _run(opened)
    assert page.title() != "owned" and page.locator("main img").count() == 0
