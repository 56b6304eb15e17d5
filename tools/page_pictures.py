"""The pictures of `tacit serve` (docs/images/serve-*.png): a browser goes through the page with the samples."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SIZE = {"width": 1180, "height": 760}
_PATIENCE = 120_000
"""Milliseconds."""


def draw_pages(folder: Path, browser: str) -> Iterator[str]:
    """Takes the pictures into the folder; gives the name of each when it is there."""
    from playwright.sync_api import sync_playwright

    with _served() as address, sync_playwright() as driver:
        window = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = window.new_page(viewport=SIZE, locale="en-GB", color_scheme="light", reduced_motion="reduce")
        page.set_default_timeout(_PATIENCE)
        page.goto(address)
        for name, show in (("roles", _roles), ("hierarchy", _hierarchy), ("result", _result), ("compare", _compare)):
            show(page)
            page.screenshot(path=str(folder / f"serve-{name}.png"))
            yield f"serve-{name}"
        window.close()


@contextmanager
def _served() -> Iterator[str]:
    """A server with a workspace that goes with it; its address with the secret."""
    with tempfile.TemporaryDirectory() as workspace:
        words = ("serve", "--port", "0", "--no-browser", "--json", "--workspace", workspace)
        process = subprocess.Popen([sys.executable, "-m", "tacit", *words], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()
            process.wait()


def _sample(page: Any, title: str) -> None:
    page.goto("/".join(page.url.split("/")[:3]) + "/")
    page.get_by_role("button", name=title).click()
    page.get_by_role("heading", name="The data", exact=True).wait_for()


def _go_to(page: Any, step: str) -> None:
    page.goto("/".join([*page.url.split("/")[:5], step]))


def _roles(page: Any) -> None:
    _sample(page, "Patients with diagnoses")
    _go_to(page, "roles")


def _hierarchy(page: Any) -> None:
    _go_to(page, "hierarchies")
    page.locator("main a[href*='/hierarchies/']").last.click()
    page.locator("details[data-node=infections] > summary").click()
    page.get_by_role("checkbox", name="infections", exact=True).check()


def _result(page: Any) -> None:
    _go_to(page, "run")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("heading", name="Result", exact=True).wait_for()


def _compare(page: Any) -> None:
    _sample(page, "Visits of a web site")
    _go_to(page, "compare")
    for method in page.locator("input[name=method]").all():
        method.set_checked(method.get_attribute("value") in ("best", "apriori"))
    page.get_by_role("button", name="Compare", exact=True).click()
    page.locator(".point").nth(7).wait_for()
    page.locator("[data-live]").wait_for(state="detached")
    page.evaluate("window.scrollTo(0, 0)")
