"""`make tables`: the tables of promises, methods and options, written anew wherever the documentation has them.

Every fact is declared once, in the file of the promise or of the method. Here is which page shows which of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tacit.attack.runner import declared
from tacit.methods import METHODS, Method
from tacit.promises import MODELS
from tools.facts import (
    KINDS,
    Model,
    as_toml,
    call,
    code,
    columns_for,
    file_of,
    global_methods,
    kind_of,
    methods_for,
    methods_of,
    moved,
    option_facts,
    parameters,
    promises_of,
    table,
)
from tools.marks import renewed
from tools.templates import OPEN

ROOT = Path(__file__).resolve().parents[1]


def parts(root: Path) -> dict[str, dict[str, str]]:
    """For each file its generated parts, by the names of their marks; a page that is not there yet has none."""
    found = {
        "README.md": {"kinds": kinds()},
        "docs/index.md": {"promises": promise_list(), "methods": method_list(), "decisions": decisions(root)},
        "docs/job.md": {
            "models": models(),
            "parameters": all_parameters(),
            "options": options(),
            "methods": methods(),
            "global": code(*global_methods()),
        },
        "docs/attacks.md": {"attackers": attackers()},
        "docs/choosing.md": {"promises": choices()},
        "docs/deliveries.md": {"global": code(*global_methods())},
        "docs/python.md": {"promises": classes()},
        "src/tacit/__init__.py": {"promises": imports()},
        "src/tacit/promises/__init__.py": {"promises": imports()},
    }
    for name, model in MODELS.items():
        found[f"docs/promises/{name}.md"] = {"promise": promise(model), "methods": methods_making(name)}
    for name, method in METHODS.items():
        found[f"docs/methods/{name}.md"] = {"method": method_facts(method)}
    return {file: made for file, made in found.items() if (root / file).is_file()}


def outdated(root: Path = ROOT) -> dict[Path, str]:
    """The files that do not show what is declared, with what they should hold."""
    found = {}
    for file, made in parts(root).items():
        path = root / file
        text = path.read_text("utf-8")
        try:
            new = renewed(text, path.suffix, made)
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from None
        if new != text:
            found[path] = new
    return found


def attackers() -> str:
    """Every attacker, heading by heading: on which data, what it knows and guesses, how, and what to change."""
    rows = [
        (
            code(each.name), each.heading, ", ".join(each.kinds), each.story, each.rule,
            each.needs or "", "yes" if each.quick else "no", each.advice,
        )
        for each in declared().values()
    ]  # fmt: skip
    return table(("attacker", "heading", "on", "story", "guess", "needs", "quick", "if it is too high"), rows)


def kinds() -> str:
    rows = []
    for kind, words in KINDS.items():
        titles = ", ".join(f"[{model.title}](docs/promises/{model.name}.md)" for model in promises_of(kind))
        rows.append((words.what, titles, words.nobody, f"[{kind}](docs/tutorials/{kind}.md)"))
    return table(("your data", "the promises", "so that nobody", "tutorial"), rows)


def promise_list() -> str:
    return _by_kind(
        {
            kind: [
                f"- [{model.title}](promises/{model.name}.md), `{model.name}`: nobody {model.stops}."
                for model in promises_of(kind)
            ]
            for kind in KINDS
        }
    )


def method_list() -> str:
    return _by_kind(
        {
            kind: [
                f"- [{method.name}](methods/{method.name}.md) for {_promises(method, 'promises/')}: {method.summary}."
                for method in methods_of(kind)
            ]
            for kind in KINDS
        }
    )


def _by_kind(lines: dict[str, list[str]]) -> str:
    blocks = (f"**{KINDS[kind].heading}**\n\n" + "\n".join(listed) for kind, listed in lines.items())
    return "\n" + "\n\n".join(blocks) + "\n"


def decisions(root: Path) -> str:
    """Each decision by the heading of its page, `# 5. Kinds of data are modules`."""
    lines = []
    for page in sorted((root / "docs" / "decisions").glob("*.md")):
        number, _, title = page.read_text("utf-8").partition("\n")[0].removeprefix("# ").partition(". ")
        lines.append(f"- [{number}: {title[:1].lower()}{title[1:]}](decisions/{page.name})")
    return "\n".join(lines)


def models() -> str:
    head = ("model", "parameters", "what is promised", "columns that it needs", "method if none is named")
    rows = [
        (
            f"[`{name}`](promises/{name}.md)",
            code(*model.takes),
            model.says,
            columns_for(model),
            f"[`{model.default_method}`](methods/{model.default_method}.md)",
        )
        for name, model in MODELS.items()
    ]
    return table(head, rows)


def all_parameters() -> str:
    of: dict[tuple[str, str, str, str], list[str]] = {}
    for name, model in MODELS.items():
        for parameter in parameters(model):
            of.setdefault(parameter, []).append(name)
    rows = [
        (f"`{name}`", code(*of[name, *facts]), meaning, accepts, left_out)
        for name, *facts in sorted(of, key=lambda parameter: parameter[0])
        for accepts, meaning, left_out in [facts]
    ]
    return table(("parameter", "of", "what it says", "what it may be", "left out"), rows)


def options() -> str:
    of: dict[tuple[str, str, str, str], list[str]] = {}
    for name, method in METHODS.items():
        for key, option in method.options.items():
            of.setdefault((key, *option_facts(option)), []).append(name)
    rows = [(f"`{key}`", code(*of[key, *facts]), *facts) for key, *facts in of]
    return table(("key", "of", "what it says", "what it takes", "left out"), rows)


def methods() -> str:
    head = ("method", "models", "options", "what is published", "the same in every record", "uses a hierarchy")
    rows = [
        (
            f"[`{name}`](methods/{name}.md)",
            _promises(method, "promises/"),
            code(*method.options),
            method.publishes,
            _yes(method.is_global),
            _yes(method.uses_hierarchy),
        )
        for name, method in METHODS.items()
    ]
    return table(head, rows)


def choices() -> str:
    head = ("the data", "nobody is to be one who", "model")
    rows = [(_data(model), model.stops, f"[`{name}`](promises/{name}.md)") for name, model in MODELS.items()]
    return table(head, rows)


def _data(model: Model) -> str:
    """What somebody has who can ask for it, in words."""
    if model.kind_of_data == "baskets":
        what = "sets of items (purchases, diagnoses, pages)"
    elif model.kind_of_data == "ratings":
        what = "ratings, surveys"
    else:
        what = "a table" + " with a set of items a person" * ("items" in model.roles)
        what += " with sensitive columns" * ("sensitive" in model.roles)
    return what + ", some of them sensitive" * model.about_sensitive_items


def classes() -> str:
    rows = [(f"`{call(model)}`", f"[`{name}`](promises/{name}.md)") for name, model in MODELS.items()]
    return table(("promise", "model of the job file"), rows)


def imports() -> str:
    """For the type checker, which does not see what is found at run time."""
    ordered = sorted(MODELS.values(), key=lambda model: model.__module__)
    return "\n".join(f"    from {model.__module__} import {model.__name__} as {model.__name__}" for model in ordered)


def promise(model: Model) -> str:
    """The head of a promise's page: all that its file says of it."""
    example = "\n".join(f"{key} = {as_toml(value)}" for key, value in model.example.items())
    rows = [(f"`{name}`", meaning, accepts, left_out) for name, accepts, meaning, left_out in parameters(model)]
    return f"""
> {model(**model.example).in_words()}

```toml
[privacy]
model = "{model.name}"
{example}
```

{table(("parameter", "what it says", "what it may be", "left out"), rows)}

- **Columns that it needs**: {columns_for(model)}. In Python: `{call(model)}`.
- **What it stops**: nobody {model.stops}.
- {model.not_stopped}
"""


def methods_making(model: str) -> str:
    default = MODELS[model].default_method
    rows = [
        (
            f"[`{name}`](../methods/{name}.md)" + " (the default)" * (name == default),
            METHODS[name].summary,
            moved(METHODS[name].publishes, "../"),
        )
        for name in methods_for(model)
    ]
    return table(("method", "what it does", "what is published"), rows)


def method_facts(method: Method) -> str:
    """The head of a method's page: all that its file says of it."""
    reuse = "yes: `tacit apply` can use the decision for new data" if method.is_global else "no: `tacit apply` refuses"
    rows = [
        ("promises", _promises(method, "../promises/")),
        ("what is published", moved(method.publishes, "../")),
        ("the same in every record", reuse),
        ("[options](../job.md#options)", code(*method.options) or "none"),
    ]
    return table(("in a job file", f'`name = "{method.name}"`'), rows)


def _promises(method: Method, folder: str) -> str:
    return ", ".join(
        f"[`{name}`]({folder}{name}.md)" + " (the default)" * (MODELS[name].default_method == method.name)
        for name in method.models
    )


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def still_open(root: Path = ROOT) -> list[str]:
    """What tables would be made of, and nobody has written yet."""
    promises = [f"src/tacit/promises/{file_of(name)}.py" for name in MODELS]
    methods = [f"src/tacit/{kind_of(method)}/methods/{file_of(name)}.py" for name, method in METHODS.items()]
    return [file for file in (*promises, *methods) if OPEN in (root / file).read_text("utf-8").lower()]


def main() -> None:
    if files := still_open():
        raise SystemExit(f"{', '.join(files)}: {OPEN}, and so no table was written")
    for path, text in outdated().items():
        path.write_text(text, encoding="utf-8")
        print(f"renewed: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
