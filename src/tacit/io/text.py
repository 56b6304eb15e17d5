"""Arrow columns as text."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError


def as_text(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The values as `large_string`, which no amount of text overflows; null stays null."""
    if pa.types.is_dictionary(values.type):
        values = pc.cast(values, values.type.value_type)
    try:
        return pc.cast(one_zero(values), pa.large_string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise no_text(values.type) from None


def one_zero(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The values, but zero without a sign, which is equal to the one with it and would stand out by it.

    >>> one_zero(pa.array([-0.0, 1.0])).to_pylist()
    [0.0, 1.0]
    """
    kind = values.type
    has_two = pa.types.is_float32(kind) or pa.types.is_float64(kind)
    return pc.add(values, pa.scalar(0, kind)) if has_two else values


def no_text(kind: pa.DataType) -> InputError:
    """The error for values that have no text of their own."""
    return InputError(f"values of type {kind} cannot be written as text", hint="Convert the column first.")


def without_extensions(table: pa.Table) -> pa.Table:
    """The table with ids such as UUIDs as text, and other extension types as what they are stored as."""
    for position, field in enumerate(table.schema):
        if isinstance(field.type, pa.BaseExtensionType):
            column = table.column(position)
            if field.type.extension_name == "arrow.uuid":
                plain = pa.array([None if each is None else str(each) for each in column.to_pylist()], pa.string())
            else:
                plain = column.cast(field.type.storage_type)
            table = table.set_column(position, field.name, plain)
    return table


def text_bytes(strings: pa.Array) -> memoryview:
    """The text of a `large_string` array without nulls, end to end."""
    _, offsets, data = strings.buffers()
    if not len(strings) or data is None:
        return memoryview(b"")
    bounds = memoryview(offsets).cast("q")
    return memoryview(data)[bounds[strings.offset] : bounds[strings.offset + len(strings)]]


def concatenate(*parts: pa.Array | str, between: str = "") -> pa.Array:
    """The `large_string` arrays and constants of each row put together, with `between` in between."""
    texts = [pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*texts, pa.scalar(between, pa.large_string()))
