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
    "fileObject": "cr:fileObject",
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


def write_metadata(release: Release, folder: Path, data: Path) -> None:
    """Both files, beside the data that they are about."""
    for name, content in (("croissant.json", croissant(release, data)), ("dcat.jsonld", dcat(release, data))):
        (folder / name).write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def croissant(release: Release, data: Path) -> dict[str, Any]:
    """The release as a data set of Croissant."""
    columns = [(name, release.table.schema.field(name).type) for name in release.table.column_names]
    about: dict[str, Any] = {
        "@context": _CROISSANT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": _title(release),
        "description": _description(release),
        "size": f"{release.table.num_rows} records",
        "isLiveDataset": False,
        "rai:dataReleaseMaintenancePlan": "The promise is about this file alone.",
        "rai:personalSensitiveInformation": promised(release),
        "rai:dataPreprocessingProtocol": _changed(release),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": data.name,
                "name": data.name,
                "contentUrl": data.name,
                "contentSize": f"{data.stat().st_size} B",
                "encodingFormat": _media(release),
                "sha256": file_sha256(data),
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "records",
                "name": "records",
                "field": [_field(release, name, kind, data.name) for name, kind in columns],
            }
        ],
    }
    operator = release.job.about.operator
    return about | ({"creator": {"@type": "sc:Organization", "name": operator}} if operator else {})


def _field(release: Release, name: str, kind: pa.DataType, file: str) -> dict[str, Any]:
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return {
        "@type": "cr:Field",
        "@id": f"records/{name}",
        "name": name,
        "description": _meaning(release, name),
        "dataType": _data_type(kind),
        **({"repeated": True} if is_list else {}),
        "source": {"fileObject": {"@id": file}, "extract": {"column": name}},
    }


def dcat(release: Release, data: Path) -> dict[str, Any]:
    """The release as a data set of DCAT-AP; the number of records as in its extension for health."""
    size, operator = data.stat().st_size, release.job.about.operator
    about: dict[str, Any] = {
        "@context": _DCAT,
        "@id": "#dataset",
        "@type": "dcat:Dataset",
        "dct:title": {"@value": _title(release), "@language": "en"},
        "dct:description": {"@value": _description(release), "@language": "en"},
        "dct:accessRights": {"@type": "dct:RightsStatement", "rdfs:label": promised(release)},
        "dct:provenance": {"@type": "dct:ProvenanceStatement", "rdfs:label": _changed(release)},
        "health:numberOfRecords": {"@value": str(release.table.num_rows), "@type": "xsd:nonNegativeInteger"},
        "dcat:keyword": ["anonymized data", release.job.promise.title],
        "dcat:distribution": {
            "@id": "#distribution",
            "@type": "dcat:Distribution",
            "dct:title": data.name,
            "dcat:accessURL": {"@id": data.name},
            "dcat:downloadURL": {"@id": data.name},
            "dcat:mediaType": {"@id": f"https://www.iana.org/assignments/media-types/{_media(release)}"},
            "dcat:byteSize": {"@value": str(size), "@type": "xsd:nonNegativeInteger"},
            "spdx:checksum": {
                "@type": "spdx:Checksum",
                "spdx:algorithm": {"@id": _SHA256},
                "spdx:checksumValue": {"@value": file_sha256(data), "@type": "xsd:hexBinary"},
            },
        },
    }
    return about | ({"dct:publisher": {"@type": "foaf:Agent", "foaf:name": operator}} if operator else {})


def _title(release: Release) -> str:
    return release.job.about.title or f"Anonymized {release.job.promise.kind_of_data}"


def _description(release: Release) -> str:
    promise = release.job.promise
    records = f"{release.table.num_rows:,} records in random order, without identifiers, anonymized by tacit."
    return f"{records} {promised(release)} This is {promise.title} with {parameters(promise)}. {promise.not_stopped}"


def _changed(release: Release) -> str:
    """What was generalized, column by column, and what it cost."""
    columns = (f"{name}: {_meaning(release, name)}" for name in release.table.column_names)
    return f"{'; '.join(columns)}. Loss: {release.kind.cost_in_words(release.utility)}."


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
