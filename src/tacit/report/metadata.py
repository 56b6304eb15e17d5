"""What machines read of a release: public/croissant.json (Croissant 1.1) and public/dcat.jsonld (DCAT-AP).

Both say how many records there are, what the columns are, what was generalized and what is promised. They hold no
value of the data, no day and no place: the same release has the same bytes. Who publishes it adds licence and address.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tacit.io.fingerprint import file_sha256
from tacit.report.words import parameters, promised

if TYPE_CHECKING:
    from tacit.release import Release

_MEDIA = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "parquet": "application/vnd.apache.parquet",
    "feather": "application/vnd.apache.arrow.file",
    "dat": "text/plain",
    "jsonl": "application/jsonlines",
    "ndjson": "application/jsonlines",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "sav": "application/x-spss-sav",
    "zsav": "application/x-spss-sav",
    "dta": "application/x-stata-dta",
    "xpt": "application/x-sas-xport",
}
_CROISSANT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "column": "cr:column",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "extract": "cr:extract",
    "field": "cr:field",
    "containedIn": "cr:containedIn",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "includes": "cr:includes",
    "recordSet": "cr:recordSet",
    "repeated": "cr:repeated",
    "source": "cr:source",
}
_DCAT = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "health": "http://healthdataportal.eu/ns/health#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "spdx": "http://spdx.org/rdf/terms#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_SHA256 = "http://spdx.org/rdf/terms#checksumAlgorithm_sha256"
_ROLES = {
    "quasi": "what may be known of a person; generalized until the promise holds",
    "sensitive": "what nobody is to learn of a person; published as in the original",
    "items": "a set of items; generalized until the promise holds",
    "rating": "a rating; changed until the promise holds",
    "plain": "as in the original; the promise does not cover it",
    "person": "a fresh number, which tells nothing",
}


def write_metadata(release: Release, folder: Path, data: Path, rows: int | None = None) -> None:
    """Both files, beside the data that they are about: a file, or a folder of them with so many rows."""
    rows = release.table.num_rows if rows is None else rows
    for name, content in (
        ("croissant.json", croissant(release, data, rows)),
        ("dcat.jsonld", dcat(release, data, rows)),
    ):
        (folder / name).write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def _files(data: Path) -> list[tuple[str, Path]]:
    """The data files by their names beside the metadata."""
    return (
        [(f"{data.name}/{each.name}", each) for each in sorted(data.iterdir())]
        if data.is_dir()
        else [(data.name, data)]
    )


def croissant(release: Release, data: Path, rows: int) -> dict[str, Any]:
    """The release as a data set of Croissant; several files are a set of them."""
    columns = [(name, release.table.schema.field(name).type) for name in release.table.column_names]
    about: dict[str, Any] = {
        "@context": _CROISSANT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": _title(release),
        "description": _description(release, rows),
        "size": f"{rows} records",
        "isLiveDataset": False,
        "rai:dataReleaseMaintenancePlan": "The promise is about this file alone.",
        "rai:personalSensitiveInformation": promised(release),
        "rai:dataPreprocessingProtocol": _changed(release),
        "distribution": _distribution(release, data),
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "records",
                "name": "records",
                "field": [_field(release, name, kind, data) for name, kind in columns],
            }
        ],
    }
    operator = release.job.about.operator
    return about | ({"creator": {"@type": "sc:Organization", "name": operator}} if operator else {})


def _distribution(release: Release, data: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {
            "@type": "cr:FileObject",
            "@id": name,
            "name": name,
            "contentUrl": name,
            "contentSize": f"{file.stat().st_size} B",
            "encodingFormat": _media(release),
            "sha256": file_sha256(file),
        }
        for name, file in _files(data)
    ]
    if data.is_dir():
        held = [{"@id": each["@id"]} for each in found]
        found.append({
            "@type": "cr:FileSet", "@id": data.name, "name": data.name, "containedIn": held,
            "includes": f"{data.name}/part-*", "encodingFormat": _media(release),
        })  # fmt: skip
    return found


def _field(release: Release, name: str, kind: pa.DataType, data: Path) -> dict[str, Any]:
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return {
        "@type": "cr:Field",
        "@id": f"records/{name}",
        "name": name,
        "description": _meaning(release, name),
        "dataType": _data_type(kind),
        **({"repeated": True} if is_list else {}),
        "source": {"fileSet" if data.is_dir() else "fileObject": {"@id": data.name}, "extract": {"column": name}},
    }


def dcat(release: Release, data: Path, rows: int) -> dict[str, Any]:
    """The release as a data set of DCAT-AP; the number of records as in its extension for health."""
    operator, files = release.job.about.operator, _files(data)
    distributions = [_distributed(release, name, file, "" if len(files) == 1 else f"-{at}")
                     for at, (name, file) in enumerate(files)]  # fmt: skip
    about: dict[str, Any] = {
        "@context": _DCAT,
        "@id": "#dataset",
        "@type": "dcat:Dataset",
        "dct:title": {"@value": _title(release), "@language": "en"},
        "dct:description": {"@value": _description(release, rows), "@language": "en"},
        "dct:accessRights": {"@type": "dct:RightsStatement", "rdfs:label": promised(release)},
        "dct:provenance": {"@type": "dct:ProvenanceStatement", "rdfs:label": _changed(release)},
        "health:numberOfRecords": {"@value": str(rows), "@type": "xsd:nonNegativeInteger"},
        "dcat:keyword": ["anonymized data", release.job.promise.title],
        "dcat:distribution": distributions[0] if len(files) == 1 else distributions,
    }
    return about | ({"dct:publisher": {"@type": "foaf:Agent", "foaf:name": operator}} if operator else {})


def _distributed(release: Release, name: str, file: Path, mark: str) -> dict[str, Any]:
    return {
        "@id": f"#distribution{mark}",
        "@type": "dcat:Distribution",
        "dct:title": name,
        "dcat:accessURL": {"@id": name},
        "dcat:downloadURL": {"@id": name},
        "dcat:mediaType": {"@id": f"https://www.iana.org/assignments/media-types/{_media(release)}"},
        "dcat:byteSize": {"@value": str(file.stat().st_size), "@type": "xsd:nonNegativeInteger"},
        "spdx:checksum": {
            "@type": "spdx:Checksum",
            "spdx:algorithm": {"@id": _SHA256},
            "spdx:checksumValue": {"@value": file_sha256(file), "@type": "xsd:hexBinary"},
        },
    }


def _title(release: Release) -> str:
    return release.job.about.title or f"Anonymized {release.job.promise.kind_of_data}"


def _description(release: Release, rows: int) -> str:
    promise = release.job.promise
    records = f"{rows:,} records in random order, without identifiers, anonymized by tacit."
    return f"{records} {promised(release)} This is {promise.title} with {parameters(promise)}. {promise.not_stopped}"


def _changed(release: Release) -> str:
    """What was generalized, column by column, and what it cost."""
    columns = (f"{name}: {_meaning(release, name)}" for name in release.table.column_names)
    return f"{'; '.join(columns)}. Loss: {release.kind.cost_in_words(release.utility, in_public=True)}."


def _meaning(release: Release, name: str) -> str:
    bare = name.partition(".")[2] if release.job.promise.kind_of_data == "slices" else name
    roles = {column.name: column.role for column in release.job.columns}
    if release.job.promise.kind_of_data == "slices":
        return "as in the original; only values of one slice and bucket belong together" if bare else "random numbers"
    return _ROLES.get(roles.get(bare, ""), "which records form a group")


def _media(release: Release) -> str:
    return "application/gzip" if release.format.gzipped else _MEDIA[release.format.name]


def _data_type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _data_type(kind.value_type)
    checks = (
        (pa.types.is_boolean, "sc:Boolean"),
        (pa.types.is_integer, "sc:Integer"),
        (pa.types.is_floating, "sc:Float"),
        (pa.types.is_date, "sc:Date"),
        (pa.types.is_timestamp, "sc:DateTime"),
    )
    return next((name for is_one, name in checks if is_one(kind)), "sc:Text")
