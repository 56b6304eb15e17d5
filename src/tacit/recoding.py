"""The decision behind a release: frozen, printable, to JSON and back, and all that is needed to recode new data."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io.text import concatenate, text_bytes

if TYPE_CHECKING:
    from tacit.shuffle import Shuffle

VERSION = 2
"""Of recoding.json. Version 1 has no such key, and lists of numbers where slices are."""

RECODINGS = {
    "cut": "tacit.baskets.recoding:CutRecoding",
    "local": "tacit.baskets.local_recodings:LocalRecoding",
    "groups": "tacit.baskets.local_recodings:GroupRecoding",
    "parts": "tacit.engines.recoding_parts:PartsRecoding",
    "records": "tacit.records.recoding:RecordRecoding",
    "slices": "tacit.slices.recoding:SliceRecoding",
    "intervals": "tacit.ratings.recoding:IntervalRecoding",
    "ranges": "tacit.ratings.ranges:RangeRecoding",
}
"""Where each kind of recoding lives; its code is imported when one is read."""

_ENCODER = json.JSONEncoder(ensure_ascii=False)
_MARK = "\x1f"
_MARKING_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(f",{_MARK}", ": "))


class Comparable(ABC):
    """Equal if what JSON would hold is equal: arrays have no equality of their own."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The content in the types that JSON has; arrays of numbers as `numbers_text` writes them."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]


class Recoding(Comparable):
    """What every decision has: a kind, a text to read, and a form for JSON; equal decisions are equal."""

    kind: ClassVar[str]

    @classmethod
    @abstractmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """The decision that `to_dict` wrote."""

    def drawn(self, hidden: Shuffle) -> Self:
        """The decision with all that it leaves to chance drawn; most leave nothing."""
        return self


def numbers_text(numbers: np.ndarray) -> str:
    """Whole numbers as one text with blanks between, which takes a tenth of the room and time of a list of them.

    >>> numbers_text(np.array([3, -1, 12]))
    '3 -1 12'
    """
    texts = concatenate(pc.cast(pa.array(numbers), pa.large_string()), " ")
    return bytes(text_bytes(texts)).decode().rstrip()


def numbers_from(content: str | Sequence[int], kind: type[np.integer[Any]]) -> np.ndarray:
    """The numbers that `numbers_text` wrote; a list is how version 1 has some.

    >>> numbers_from("3 -1 12", np.int32).tolist(), numbers_from("", np.int64).tolist()
    ([3, -1, 12], [])
    """
    if not isinstance(content, str) or not content:
        return np.array(list(content), kind)
    parts = pc.split_pattern(pa.array([content], pa.large_string()), " ").flatten()
    return np.from_dlpack(pc.cast(parts, pa.from_numpy_dtype(kind))).copy()


def text(content: Any) -> str:
    """A text that can be written again; what JSON escapes may be half a character."""
    if not isinstance(content, str):
        raise TypeError("this should be a text")
    content.encode()
    return content


def to_json(recoding: Recoding) -> str:
    """The content of private/recoding.json."""
    return _laid_out({"kind": recoding.kind, "version": VERSION, **recoding.to_dict()}, "\n") + "\n"


def from_json(content: str | bytes, *, file: Path | None = None) -> Recoding:
    """The recoding that `to_json` wrote, be it that of the version before."""
    try:
        return _from_dict(json.loads(content if isinstance(content, str) else content.decode()), file)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, pa.ArrowException):
        hint = "Restore the file, or make the release again with `tacit anonymize`."
        raise InputError("this is not a recoding that tacit saved", file=file, hint=hint) from None


def _from_dict(content: Any, file: Path | None) -> Recoding:
    version = content.get("version", 1)
    if version not in (1, VERSION):
        raise InputError(
            f"this is a recoding of version {version}, and this tacit knows none above {VERSION}",
            file=file,
            hint="Use the tacit that saved it, or make the release again with `tacit anonymize`.",
        )
    module, name = RECODINGS[content["kind"]].split(":")
    kind: type[Recoding] = getattr(import_module(module), name)
    return kind.from_dict(content)


def _laid_out(content: Any, line: str) -> str:
    """JSON with a line for each entry of a mapping and each list in a list: easy to look through, and soon written."""
    write, deeper = _ENCODER.encode, line + " "
    if isinstance(content, Mapping) and content:
        entries = (f"{write(str(key))}: {_laid_out(value, deeper)}" for key, value in content.items())
        return f"{{{deeper}{f',{deeper}'.join(entries)}{line}}}"
    if isinstance(content, list) and content and isinstance(content[0], list | Mapping):
        return f"[{deeper}{_each_laid_out(content, deeper)}{line}]"
    return write(content)


def _each_laid_out(content: list[Any], line: str) -> str:
    """The entries of a list, a line for each.

    Many lists are written at once and told apart afterwards: in the text of JSON no sign of control stands for itself.
    """
    text = _MARKING_ENCODER.encode(content)[1:-1]
    between = f"],{_MARK}["
    if all(isinstance(entry, list) for entry in content) and text.count(between) == len(content) - 1:
        return text.replace(between, f"],{line}[").replace(_MARK, " ")
    return f",{line}".join(map(_ENCODER.encode, content))
