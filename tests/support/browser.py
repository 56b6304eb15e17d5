"""A real server and a real browser: Debian's Chromium, driven by Playwright. Where there is none, tests are skipped."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
_AXE = Path(__file__).parent / "axe" / "axe.min.js"
_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PATIENCE = 300_000
"""Milliseconds after which a test gives up: nothing is expected to take as long, however busy the machine is."""


class Server:
    """`tacit serve` in a process of its own."""

    def __init__(self, workspace: Path) -> None:
        words = [sys.executable, "-m", "tacit", "serve", "--port", "0", "--no-browser", "--json", "--workspace"]
        self.process = subprocess.Popen([*words, str(workspace)], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url: str = json.loads(self.process.stdout.readline())["url"]
        self.address = self.url.partition("/?")[0]

    def stop(self, signum: int = signal.SIGTERM) -> None:
        self.process.send_signal(signum)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def server(workspace: Path) -> Iterator[Server]:
    made = Server(workspace)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.stop()


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser; the test is skipped where there is none."""
    if not Path(CHROMIUM).is_file():
        pytest.skip("there is no chromium on this machine: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        arguments = ["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


class Window:
    """A page, and all that went wrong in it."""

    def __init__(self, browser: Any, url: str, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", self._heard)
        self.page.on("request", self._asked)
        self.address = url.partition("/?")[0].rstrip("/")
        self.page.goto(url)

    def _heard(self, message: Any) -> None:
        if message.type == "error" and "status of 400" not in message.text:
            self.wrong.append(message.text)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.wrong.append(f"asked elsewhere: {request.url}")

    def project(self) -> str:
        """The address of the project that is open."""
        return "/".join(self.page.url.split("/")[:5])

    def violations(self) -> list[str]:
        """What axe-core finds on the page: rule, and where.

        Points of a picture may lie close to each other: the table below it has a button of full size for each, which is
        what WCAG 2.5.8 asks for then, and what axe cannot know.
        """
        self.page.evaluate(_AXE.read_text("utf-8"))
        found = self.page.evaluate("tags => axe.run(document, {runOnly: tags})", _TAGS)
        return [
            f"{each['id']}: {node['target']} {node['failureSummary']}"
            for each in found["violations"]
            for node in each["nodes"]
            if not (each["id"] == "target-size" and node["target"][0].startswith("#pt"))
        ]

    def is_wider_than_the_screen(self) -> bool:
        """A phone widens its window to what is too wide for it; its screen stays as it is."""
        wide = "document.documentElement.scrollWidth > Math.min(window.innerWidth, screen.width) + 1"
        return bool(self.page.evaluate(wide))

    def close(self) -> None:
        self.context.close()
        assert not self.wrong, self.wrong
