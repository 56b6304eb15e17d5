"""Gzipped files: any reader takes them for what they are, and the same content makes the same bytes."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tacit.io import FileFormat, read_table, sha256_as_written, write_table
from tacit.io.fingerprint import file_sha256
from tacit.io.raw import packed


def texts() -> list[bytes]:
    """None, a little, and much text that repeats itself."""
    numbers = np.random.default_rng(1).integers(0, 5000, 300_000)
    return [b"", b"a b\n", b"x" * (1 << 18), " ".join(map(str, numbers.tolist())).encode()]


def pack(content: bytes, most: int) -> bytes:
    """The content packed, in writes of at most so many bytes."""
    file = io.BytesIO()
    with packed(file, gzipped=True) as sink:
        for start in range(0, len(content), most):
            assert sink.write(content[start : start + most]) == len(content[start : start + most])
        assert sink.tell() == len(content)
    assert not file.closed
    return file.getvalue()


@pytest.mark.parametrize("content", texts())
def test_it_is_one_member_with_the_same_content(content: bytes) -> None:
    found = pack(content, 1 << 30)
    assert gzip.decompress(found) == content
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    assert unpacker.decompress(found) == content
    assert unpacker.eof and not unpacker.unused_data


def test_no_time_and_no_name() -> None:
    assert pack(b"a", 1)[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"


@pytest.mark.parametrize("content", texts())
def test_the_bytes_do_not_depend_on_how_it_is_written(content: bytes) -> None:
    assert pack(content, 77_777) == pack(content, 1 << 30)


@pytest.mark.parametrize("name", ["dat", "csv", "parquet", "feather"])
def test_big_tables_come_back(name: str, tmp_path: Path) -> None:
    table = pa.table({"items": np.random.default_rng(2).integers(0, 10**9, 60_000).astype(str)})
    format, path = FileFormat(name, gzipped=True), tmp_path / f"table.{name}.gz"
    write_table(table, path, format)
    assert read_table(path, format=format)["items"].to_pylist() == table["items"].to_pylist()
    assert file_sha256(path) == sha256_as_written(table, format)
