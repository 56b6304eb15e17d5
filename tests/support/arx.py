"""A small project as ARX saves one: an archive with data, hierarchies, roles, and parts that nobody may open."""

from __future__ import annotations

import zipfile
from pathlib import Path

DATA = "name;age;zip;ill\n" + "".join(
    f"n{each};{20 + each % 4};{81000 + each % 8};{'flu' if each % 2 else 'gout'}\n" for each in range(40)
)
ZIPS = "".join(f"{81000 + each};810**;*\n" for each in range(8))
ASSIGNED = "<assigment><name>{}</name><type>{}</type><datatype>{}</datatype>{}</assigment>"
DEFINITION = "".join(
    [
        "<definition>",
        ASSIGNED.format("name", "IDENTIFYING_ATTRIBUTE", "String", ""),
        ASSIGNED.format("age", "QUASI_IDENTIFYING_ATTRIBUTE", "Integer", ""),
        ASSIGNED.format("zip", "QUASI_IDENTIFYING_ATTRIBUTE", "String", "<ref>hierarchies/zip.csv</ref>"),
        ASSIGNED.format("ill", "SENSITIVE_ATTRIBUTE", "String", ""),
        "</definition>",
    ]
)
CRITERIA = ("4-anonymity", "distinct-2-diversity for attribute 'ill'")


def project(path: Path, *, criteria: tuple[str, ...] = CRITERIA, more: dict[str, str | bytes] | None = None) -> Path:
    said = "".join(f"<criterion>{each}</criterion>" for each in criteria)
    parts: dict[str, str | bytes] = {
        "project.xml": "<project><name>p</name><separator>;</separator></project>",
        "project.dat": b"\xac\xed\x00\x05 never opened",
        "data/input.csv": DATA,
        "input/definition.xml": DEFINITION,
        "input/config.xml": f"<config><criteria>{said}</criteria></config>",
        "input/config.dat": b"\xac\xed\x00\x05 never opened",
        "input/hierarchies/zip.csv": ZIPS,
        **(more or {}),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path
