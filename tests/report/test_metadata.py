"""What machines read of a release: it says what the standards ask for, and no value of a person."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from support.commands import tacit, write_job

SECRETS = ("Zebulon", "99177")
DATA = "name,zip,ill\n" + "".join(
    f"{'Zebulon' if not each else f'n{each}'},{99177 if not each else 10000 + each % 3},{'ab'[each % 2]}\n"
    for each in range(12)
)
JOB = """
[input]
source = "data.csv"
[columns.name]
role = "identifier"
[columns.zip]
role = "quasi"
type = "number"
[columns.ill]
role = "sensitive"
[privacy]
model = "k"
k = 3
[method]
seed = 1
[release]
title = "Visits"
operator = "Clinic of X"
"""


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("metadata")
    (folder / "data.csv").write_text(DATA, encoding="utf-8")
    job = write_job(folder, JOB)
    assert tacit("anonymize", job, "--no-report", "--no-attack").code == 0
    key = folder / "out" / "private" / "key"
    assert tacit("anonymize", job, "-o", folder / "again", "--no-report", "--no-attack", "--key", key).code == 0
    for name in ("croissant.json", "dcat.jsonld"):
        assert (folder / "again" / "public" / name).read_bytes() == (folder / "out" / "public" / name).read_bytes()
    return folder / "out" / "public"


def read(public: Path, name: str) -> dict[str, Any]:
    text = (public / name).read_text("utf-8")
    assert not any(secret in text for secret in SECRETS)
    content: dict[str, Any] = json.loads(text)
    return content


def test_croissant_has_what_its_specification_asks_for(public: Path) -> None:
    found = read(public, "croissant.json")
    assert (found["@type"], found["conformsTo"]) == ("sc:Dataset", "http://mlcommons.org/croissant/1.1")
    assert found["@context"]["@vocab"] == "https://schema.org/"
    assert found["@context"]["cr"] == "http://mlcommons.org/croissant/"
    assert found["name"] == "Visits" and found["creator"]["name"] == "Clinic of X"
    assert "12 records" in found["description"] and "k = 3" in found["description"]
    (file,) = found["distribution"]
    assert file["@type"] == "cr:FileObject" and file["encodingFormat"] == "text/csv"
    assert file["sha256"] == sha256((public / file["contentUrl"]).read_bytes()).hexdigest()
    (records,) = found["recordSet"]
    assert [field["name"] for field in records["field"]] == ["zip", "ill"]
    ids = [file["@id"], records["@id"], *(field["@id"] for field in records["field"])]
    assert len(set(ids)) == len(ids)
    for field in records["field"]:
        assert field["@type"] == "cr:Field" and field["dataType"] == "sc:Text"
        assert field["source"] == {"fileObject": {"@id": file["@id"]}, "extract": {"column": field["name"]}}
    unknown = _keys(found) - found["@context"].keys() - _SCHEMA_ORG
    assert not {key for key in unknown if ":" not in key and not key.startswith("@")}


_SCHEMA_ORG = {
    "name", "description", "size", "isLiveDataset", "distribution", "contentUrl", "contentSize", "encodingFormat",
    "sha256", "creator",
}  # fmt: skip


def _keys(content: Any) -> set[str]:
    if isinstance(content, list):
        return set().union(*map(_keys, content))
    if not isinstance(content, dict):
        return set()
    return set(content).union(*(_keys(value) for key, value in content.items() if key != "@context"))


_LITERAL, _NODE = "a literal", "a node"
_DCAT_AP = {
    "dcat:Dataset": {
        "dct:title": (_LITERAL, 1, 99), "dct:description": (_LITERAL, 1, 99), "dcat:distribution": (_NODE, 0, 99),
        "dcat:keyword": (_LITERAL, 0, 99), "dct:publisher": (_NODE, 0, 1), "dct:accessRights": (_NODE, 0, 1),
        "dct:provenance": (_NODE, 0, 99), "health:numberOfRecords": ("xsd:nonNegativeInteger", 0, 1),
    },
    "dcat:Distribution": {
        "dcat:accessURL": (_NODE, 1, 99), "dcat:downloadURL": (_NODE, 0, 99), "dct:title": (_LITERAL, 0, 99),
        "dcat:mediaType": (_NODE, 0, 1), "dcat:byteSize": ("xsd:nonNegativeInteger", 0, 1),
        "spdx:checksum": (_NODE, 0, 1),
    },
    "spdx:Checksum": {"spdx:algorithm": (_NODE, 1, 1), "spdx:checksumValue": ("xsd:hexBinary", 1, 1)},
    "foaf:Agent": {"foaf:name": (_LITERAL, 1, 99)},
    "dct:RightsStatement": {"rdfs:label": (_LITERAL, 0, 99)},
    "dct:ProvenanceStatement": {"rdfs:label": (_LITERAL, 0, 99)},
}  # fmt: skip
"""Of each class in DCAT-AP 3 the properties that we use: what their values are, how many at least and at most."""


def _breaches(node: dict[str, Any]) -> list[str]:
    """What in a node, and in those below it, DCAT-AP does not allow."""
    known = _DCAT_AP[node["@type"]]
    found = [f"{node['@type']} has no {name}" for name, (_, least, _) in known.items() if least and name not in node]
    for name, value in node.items():
        if name.startswith("@"):
            continue
        values = value if isinstance(value, list) else [value]
        kind, _, most = known[name]
        found += [f"{name}: {len(values)} of them"] if len(values) > most else []
        found += [f"{name}: {each} is not {kind}" for each in values if _kind(each) != kind]
        found += [breach for each in values if isinstance(each, dict) and "@type" in each and _kind(each) == _NODE
                  for breach in _breaches(each)]  # fmt: skip
    return found


def _kind(value: Any) -> str:
    """What a value of JSON-LD is: a literal of a type, one of none, or a node, be it named or described."""
    if isinstance(value, dict):
        return str(value.get("@type", _LITERAL)) if "@value" in value else _NODE
    return _LITERAL


def test_dcat_has_what_dcat_ap_makes_mandatory(public: Path) -> None:
    found = read(public, "dcat.jsonld")
    assert found["@type"] == "dcat:Dataset" and not _breaches(found)
    assert found["dct:title"]["@value"] == "Visits" and found["dct:publisher"]["foaf:name"] == "Clinic of X"
    assert "k-anonymity with k = 3" in found["dct:description"]["@value"]
    assert found["health:numberOfRecords"]["@value"] == "12"
    assert "zip: what may be known of a person; generalized" in found["dct:provenance"]["rdfs:label"]
    there = found["dcat:distribution"]
    assert there["@type"] == "dcat:Distribution" and (public / there["dcat:accessURL"]["@id"]).is_file()
    assert int(there["dcat:byteSize"]["@value"]) == (public / "data.csv").stat().st_size
    checksum = there["spdx:checksum"]["spdx:checksumValue"]["@value"]
    assert checksum == sha256((public / "data.csv").read_bytes()).hexdigest()
    prefixes = {key.partition(":")[0] for key in _keys(found) if ":" in key}
    assert prefixes <= found["@context"].keys()


@pytest.mark.parametrize(
    ("damage", "breach"),
    [
        ({"dct:title": None}, "dcat:Dataset has no dct:title"),
        ({"dct:description": {"@id": "#x"}}, "dct:description: {'@id': '#x'} is not a literal"),
        ({"dcat:distribution": {"@type": "dcat:Distribution"}}, "dcat:Distribution has no dcat:accessURL"),
        ({"dct:accessRights": [{"@id": "#a"}, {"@id": "#b"}]}, "dct:accessRights: 2 of them"),
    ],
)
def test_the_check_of_dcat_ap_finds_what_is_wrong(public: Path, damage: dict[str, Any], breach: str) -> None:
    damaged = {key: value for key, value in (read(public, "dcat.jsonld") | damage).items() if value is not None}
    assert _breaches(damaged) == [breach]
