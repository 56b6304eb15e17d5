"""Files of a workspace: for their owner alone, and written whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Any

FIRST_JOB = "first-job.toml"
"""A job that comes with the data: it takes the place of the one that is drafted."""


def private_folder(folder: Path) -> Path:
    """A directory for its owner alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    return folder


def read_json(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text("utf-8")))


def write_json(file: Path, content: Any) -> None:
    write_text(file, json.dumps(content, ensure_ascii=False, indent=1))


def write_text(file: Path, text: str) -> None:
    """All of it or nothing: whoever reads meanwhile finds what was there before."""
    whole = file.with_name(f".{secrets.token_hex(6)}")
    with os.fdopen(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        out.write(text)
    whole.replace(file)
