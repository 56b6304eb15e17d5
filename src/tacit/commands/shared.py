"""What several commands take and print."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.commands.parts import Argument, option, switch

if TYPE_CHECKING:
    from tacit.release import Release

JOB = Argument("job", "JOB", "The job file (TOML).")
AS_JSON = switch("--json", "Print the result as JSON.", name="as_json")
SETTINGS = option("--set", "KEY=VALUE", "Change the job: privacy.k=10. Repeatable.", name="settings", repeated=True)
FORCE = switch("--force", "Replace the output if it exists, all at once.")
NO_REPORT = switch("--no-report", "Leave out private/report.html.")
DATA_FORMAT = option("--format", "FORMAT", "The data's format, if its name does not tell.", name="data_format")


def show_release(release: Release, directory: Path, as_json: bool) -> None:
    """What was made, and where it is."""
    for note in release.notes:
        print(f"note: {note}", file=sys.stderr)
    if as_json:
        print_json({"directory": str(directory), "audit": release.audit.to_dict(), "utility": release.utility,
                    "notes": list(release.notes)})  # fmt: skip
        return
    print(release)
    print(f"\nTo publish: {directory / 'public'}\nFor you alone: {directory / 'private'}")


def print_json(content: dict[str, Any]) -> None:
    """As JSON that a reader takes whatever the encoding of standard output."""
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(content, ensure_ascii=not is_unicode, indent=2))
