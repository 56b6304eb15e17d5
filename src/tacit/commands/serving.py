"""The page in the browser: `serve`."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.commands.parts import PATH, Number, command
from tacit.commands.shared import AS_JSON, QUIET
from tacit.commands.telling import Telling
from tacit.errors import InputError


@command
@click.option("--port", metavar="N", type=Number(int, 0), default=8765, help="The port; 0: any that is free. [x>=0]")
@click.option("--host", metavar="H", default="127.0.0.1", help="The address to listen on; another needs a password.")
@click.option("--no-browser", is_flag=True, help="Do not open the page in the browser.")
@click.option(
    "--workspace", metavar="DIR", type=PATH, help="Where projects are kept; default: nowhere, they go at exit."
)
@click.option(
    "--max-upload", metavar="MIB", type=Number(int, 1), default=2048, help="The largest file that is taken. [x>=1]"
)
@QUIET
@AS_JSON
@click.pass_obj
def serve(
    telling: Telling, port: int, host: str, no_browser: bool, workspace: Path | None, max_upload: int, as_json: bool
) -> None:
    """Open the page in the browser: from data to a release without a command; and an HTTP API for programs."""
    try:
        from tacit.web.serve import serve as run
    except ImportError as error:
        raise InputError(
            f"the page needs packages that are not installed ({error.name})",
            hint="Install them with: pip install 'tacit[serve]'",
        ) from None
    from tacit.web.limits import Limits

    if port > 65535:
        raise InputError(f"{port} is no port", file="--port", hint="Choose one from 0 to 65535.")
    size = max_upload * 2**20
    limits = Limits(upload=size, unpacked=max(2 * size, Limits.unpacked))
    run(host, port, workspace, browser=not no_browser, as_json=as_json, quiet=telling.quiet, limits=limits)
