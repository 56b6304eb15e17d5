"""`make new-method` and `make new-promise`: the files that a new one takes, all of them, to be filled in.

python -m tools.scaffold method records my-method k,l
python -m tools.scaffold promise records my-promise
"""

from __future__ import annotations

import re
import sys
from keyword import iskeyword
from pathlib import Path

from tacit.methods import METHODS
from tacit.promises import MODELS
from tools import templates
from tools.facts import KINDS, file_of

ROOT = Path(__file__).resolve().parents[1]
USAGE = "usage: python -m tools.scaffold method KIND NAME PROMISES | promise KIND NAME"


def method_files(kind: str, name: str, promises: list[str]) -> dict[str, str]:
    """What a method takes: its file, its page, its twin."""
    _check(kind, name, METHODS)
    if not promises or any(MODELS[model].kind_of_data != kind for model in promises if model in MODELS):
        raise SystemExit(f"PROMISES are those about {kind} that it makes, such as {_some(kind)}")
    if unknown := [model for model in promises if model not in MODELS]:
        raise SystemExit(f"{', '.join(unknown)}: no such promise; there are {', '.join(MODELS)}")
    words = _words(kind, name) | {"makes": ", ".join(f'"{model}": search' for model in promises)}
    module = words["module"]
    return {
        f"src/tacit/{kind}/methods/{module}.py": templates.METHOD.format(**words),
        f"docs/methods/{name}.md": templates.METHOD_PAGE.format(**words),
        f"tests/naive/{module}.py": templates.METHOD_TWIN.format(**words),
    }


def promise_files(kind: str, name: str) -> dict[str, str]:
    """What a promise takes: its file, its audit, its page, its definition written out."""
    _check(kind, name, MODELS)
    words = _words(kind, name)
    module = words["module"]
    return {
        f"src/tacit/promises/{module}.py": templates.PROMISE.format(**words),
        f"src/tacit/audits/{module}.py": templates.AUDIT.format(**words),
        f"docs/promises/{name}.md": templates.PROMISE_PAGE.format(**words),
        f"tests/naive/audits/{module}.py": templates.DEFINITION.format(**words),
    }


def _check(kind: str, name: str, taken: object) -> None:
    if kind not in KINDS:
        raise SystemExit(f"KIND is {kind!r}, but it must be one of {', '.join(KINDS)}")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise SystemExit(f"NAME is {name!r}, but it must be as in job files: small letters, numbers and hyphens")
    if iskeyword(file_of(name)):
        raise SystemExit(f"NAME is {name!r}, a word of Python, and no file of that name can be imported")
    if name in taken:  # type: ignore[operator]
        raise SystemExit(f"{name} is there already")


def _words(kind: str, name: str) -> dict[str, str]:
    """What the templates leave room for."""
    found = {"kind": kind, "name": name, "module": file_of(name), "roles": templates.ROLES[kind]}
    found["hint"] = templates.HINTS.get(kind, "")
    found["original"] = ", original: pa.Table" * (kind == "slices")  # whose people an attacker may look for
    found["promise"] = "".join(part.capitalize() for part in name.split("-")) + "Promise"
    for what, path in zip(("data", "recoding", "view"), templates.NAMES[kind], strict=True):
        found[f"{what}_module"], _, found[what] = path.rpartition(".")
    return found


def _some(kind: str) -> str:
    return ",".join(name for name, model in MODELS.items() if model.kind_of_data == kind)


def write(files: dict[str, str], root: Path = ROOT) -> None:
    """All of them, or none if one is there already."""
    if there := [file for file in files if (root / file).exists()]:
        raise SystemExit(f"{', '.join(there)}: there already, nothing was written")
    for file, text in files.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text, encoding="utf-8")
        print(f"wrote: {file}")


def main(arguments: list[str]) -> None:
    match arguments:
        case ["method", kind, name, promises]:
            write(method_files(kind, name, [each for each in promises.split(",") if each]))
        case ["promise", kind, name]:
            write(promise_files(kind, name))
        case _:
            raise SystemExit(USAGE)
    print("next: fill in what is still open, run `make tables`, and see what tests/exams says")


if __name__ == "__main__":
    main(sys.argv[1:])
