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


def test_dcat_has_what_dcat_ap_makes_mandatory(public: Path) -> None:
    found = read(public, "dcat.jsonld")
    assert found["@type"] == "dcat:Dataset" and found["dct:title"]["@value"] == "Visits"
    assert "k-anonymity with k = 3" in found["dct:description"]["@value"]
    assert found["health:numberOfRecords"] == {"@value": "12", "@type": "xsd:nonNegativeInteger"}
    assert "zip: what may be known of a person; generalized" in found["dct:provenance"]["rdfs:label"]
    there = found["dcat:distribution"]
    assert there["@type"] == "dcat:Distribution" and (public / there["dcat:accessURL"]["@id"]).is_file()
    assert int(there["dcat:byteSize"]["@value"]) == (public / "data.csv").stat().st_size
    prefixes = {key.partition(":")[0] for key in _keys(found) if ":" in key}
    assert prefixes <= found["@context"].keys()
