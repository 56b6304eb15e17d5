"""The documentation is whole: links lead somewhere, every command, option and key is there, no machine shows."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import tacit
from tacit.baskets.solvers.losses import LOSSES
from tacit.cli import TACIT
from tacit.methods import METHODS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)
FENCED = re.compile(r"^```.*?^```\n", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def text_of(*parts: str) -> str:
    return ROOT.joinpath(*parts).read_text("utf-8")


def anchors(page: Path) -> set[str]:
    """What a link can point at inside a page: its headings, as code hosts write them."""
    headings = HEADING.findall(FENCED.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(FENCED.sub("", page.read_text("utf-8"))):
        if link.startswith("https://"):
            continue
        path, _, fragment = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), f"{page_name(page)} links to {link}"
        assert not fragment or fragment in anchors(target), f"{page_name(page)} links to {link}"


def test_every_page_is_linked_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in LINK.findall(index.read_text("utf-8"))}
    assert set((ROOT / "docs").rglob("*.md")) - {index} <= linked


def commands(group: click.Group, above: str = "tacit") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{above} {name}")
        else:
            yield f"{above} {name}", command


COMMANDS = dict(commands(TACIT))


def section(command: str) -> str:
    """What docs/commands.md says about a command."""
    for part in re.split(r"^## ", text_of("docs", "commands.md"), flags=re.MULTILINE):
        if re.match(rf"`{re.escape(command)}[ `]", part):
            return part
    raise AssertionError(f"docs/commands.md has no section on {command}")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_in_the_docs_and_no_other(command: str) -> None:
    taken = [param for param in COMMANDS[command].params if isinstance(param, click.Option)]
    options = [flag for option in taken for flag in option.opts]
    written = section(command)
    for option in options:
        assert re.search(rf"`{option}[ `]", written), f"{command} {option} is not in docs/commands.md"
    defined = re.findall(r"`(-{1,2}[a-z][a-z-]*)", "\n".join(re.findall(r"^- (.*?):", written, re.MULTILINE)))
    assert set(defined) <= set(options), f"docs/commands.md gives {command} an option that it has not"


def test_every_argument_is_in_the_heading() -> None:
    for command, declared in COMMANDS.items():
        heading = section(command).partition("\n")[0]
        for argument in declared.params:
            assert not isinstance(argument, click.Argument) or str(argument.metavar) in heading


def test_every_key_of_an_audit_is_explained() -> None:
    import pyarrow as pa

    frame = pa.table({"basket": [["a"], ["a", "b"]]})
    found = tacit.audit(frame, tacit.KmAnonymity(k=2, m=2), items="basket").to_dict()
    for key in (*found, *found["level"]):
        assert f"`{key}`" in text_of("docs", "audit.md"), f"docs/audit.md does not explain {key}"


def test_every_public_name_is_in_the_python_page() -> None:
    for name in tacit.__all__:
        assert f"tacit.{name}" in text_of("docs", "python.md"), f"docs/python.md does not mention tacit.{name}"


def test_every_measure_is_explained() -> None:
    from tacit.report.meanings import MEASURES

    for name in MEASURES:
        assert f"`{name}`" in text_of("docs", "measures.md"), f"docs/measures.md does not explain {name}"


@pytest.mark.parametrize(
    ("kind", "promise", "roles"),
    [
        ("Baskets", tacit.KmAnonymity(k=2, m=2), {"items": "basket"}),
        ("Baskets", tacit.Cahd(p=2), {"items": "basket", "sensitive_items": ["c"]}),
        ("Records", tacit.KKmAnonymity(k=2, m=2), {"quasi": "age", "items": "basket"}),
        ("Slices", tacit.SlicedDiversity(l=2), {"quasi": ["age", "sex"], "sensitive": "stars"}),
        ("Ratings", tacit.KEpsAnonymity(k=2, eps=1), {"rating": "stars"}),
        ("Ratings", tacit.RatingKm(k=2, m=1), {"rating": "stars"}),
    ],
)
def test_every_measure_is_explained_where_it_occurs(kind: str, promise: Any, roles: dict[str, Any]) -> None:
    import pyarrow as pa

    frame = pa.table(
        {
            "age": [20, 30, 40, 50] * 5,
            "sex": ["f", "m", "m", "f"] * 5,
            "basket": [["a"], ["a", "b"], ["b", "c"], ["a"]] * 5,
            "stars": [1, 2, 3, 4] * 5,
        }
    )
    parts = re.split(r"^## ", text_of("docs", "measures.md"), flags=re.MULTILINE)
    explained = next(part for part in parts if part.startswith(kind + "\n"))
    for name in tacit.anonymize(frame, promise, seed=1, **roles).utility:
        assert f"`{name}`" in explained, f"docs/measures.md does not explain {name} of {kind.lower()}"


def test_every_method_loss_and_option_is_explained() -> None:
    job = text_of("docs", "job.md")
    for name, info in METHODS.items():
        for word in (name, *info.options):
            assert f"`{word}`" in job, f"docs/job.md does not mention {word}"
    for loss in LOSSES:
        assert f"| `{loss}` |" in text_of("docs", "methods", "hghs.md")


def test_every_key_of_a_job_file_is_explained() -> None:
    from tacit.job import FORMATS, ROLE_KEYS
    from tacit.job.keys import COLUMN, INPUT, METHOD, OUTPUT

    job = text_of("docs", "job.md")
    for word in {*INPUT, *COLUMN, *METHOD, *OUTPUT, *ROLE_KEYS, *FORMATS} - {"role"}:
        assert f"`{word}`" in job, f"docs/job.md does not explain {word}"


def test_the_example_in_the_job_page_is_a_job(tmp_path: Path) -> None:
    from tacit.job import read_job

    blocks = re.findall(r"^```toml\n(.*?)^```", text_of("docs", "job.md"), re.MULTILINE | re.DOTALL)
    assert blocks
    for index, block in enumerate(blocks):
        file = tmp_path / f"{index}.toml"
        file.write_text(block, encoding="utf-8")
        assert read_job(file).promise == tacit.KmAnonymity(k=5, m=2)


def tracked_files() -> list[Path]:
    """The files of the repository, by Git where it is there."""
    if shutil.which("git") and (ROOT / ".git").exists():
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, check=True,
        )  # fmt: skip
        return [ROOT / name.decode() for name in listed.stdout.split(b"\0") if name]
    hidden = re.compile(r"^\.(?!ci)|^__pycache__$")
    return [p for p in ROOT.rglob("*") if p.is_file() and not any(map(hidden.match, p.relative_to(ROOT).parts))]


# Put together here, so that this file does not hold what it looks for.
MACHINE_PATHS = re.compile(r"(?<![\w.~])/(?:work|root|home|Users)/\w")
REGISTRIES = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"), ("pythonhosted", "org"), ("conda", "anaconda", "org"), ("registry", "npmjs", "org"),
        ("deb", "debian", "org"), ("repo", "maven"), ("crates", "io"),
    )
)  # fmt: skip


def test_nothing_names_a_machine_or_a_registry() -> None:
    looked_at = 0
    for path in tracked_files():
        try:
            text = path.read_text("utf-8")
        except (UnicodeDecodeError, FileNotFoundError):  # a picture; a file that is being removed
            continue
        looked_at += 1
        found = MACHINE_PATHS.search(text)
        assert not found, f"{page_name(path)} holds the path of a machine: {found and found[0]}"
        named = [host for host in REGISTRIES if host in text]
        assert not named, f"{page_name(path)} names a registry: {named}"
    assert looked_at > 50


@pytest.mark.parametrize(
    ("text", "expected"), [("in /" + "work/main", True), ("/" + "root/x", True), ("frame/work/main", False)]
)
def test_paths_of_machines_are_told_apart(text: str, expected: bool) -> None:
    assert bool(MACHINE_PATHS.search(text)) is expected
