"""The files of a release, by their names: what is none of these somebody else put there, and it is never deleted."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tacit.io.formats import FORMATS, PACKABLE

UNCHECKED = "public.unchecked"
"""What the part to publish is called until the release is in its place."""
_PUBLIC = (
    "README.md", "croissant.json", "dcat.jsonld", *(f"data.{name}" for name in FORMATS),
    *(f"data.{name}.gz" for name in PACKABLE),
)  # fmt: skip
_PRIVATE = (
    "attack.json", "audit.json", "deliveries.json", "job.toml", "key", "recoding.json", "report.html", "rows.csv",
    "signing.html", "utility.json", "witnesses.csv",
)  # fmt: skip
_FOLDERS = {"public": ("data",), "private": ("rows", "recoding"), UNCHECKED: ("data", "work")}
"""Of a release that was made in parts: each holds files named by its part."""
_OF_A_PART = re.compile(r"part-\d{5,}\.(parquet|csv|tsv|dat|json)")
_PARTS = {"public": _PUBLIC, "private": _PRIVATE, UNCHECKED: _PUBLIC}


def foreign_in(folder: Path) -> Iterator[str]:
    """What lies in a release and is not part of one, by its path from there."""
    for path in sorted(folder.iterdir()):
        if path.name not in _PARTS or path.is_symlink() or not path.is_dir():
            yield path.name
        else:
            yield from (f"{path.name}/{file.name}" for file in sorted(path.iterdir()) if not _is_ours(file))


def remove(folder: Path) -> None:
    """Removes a release, finished or not. What is not ours stays where it is, and that is said."""
    try:
        for part in (folder / name for name in _PARTS):
            if part.is_dir() and not part.is_symlink():
                for file in filter(_is_ours, part.iterdir()):
                    _remove(file)
                with suppress(FileNotFoundError):
                    part.rmdir()
        folder.rmdir()
    except FileNotFoundError:
        pass  # renamed into place, or removed by another run at the same time
    except OSError as error:
        warnings.warn(f"could not remove {folder} ({error.strerror}); please look into it yourself", stacklevel=2)


def _is_ours(file: Path) -> bool:
    if file.name in _FOLDERS[file.parent.name] and file.is_dir() and not file.is_symlink():
        return file.parent.name == UNCHECKED or all(map(_is_of_a_part, file.iterdir()))  # engines leave marks behind
    return file.name in _PARTS[file.parent.name] and (file.is_file() or file.is_symlink())


def _is_of_a_part(file: Path) -> bool:
    return _OF_A_PART.fullmatch(file.name) is not None and file.is_file() and not file.is_symlink()


def _remove(file: Path) -> None:
    if file.is_dir() and not file.is_symlink():
        shutil.rmtree(file)
    else:
        file.unlink(missing_ok=True)
