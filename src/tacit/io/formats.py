"""The file formats there are, and which one a file is in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from tacit.errors import InputError
from tacit.io.labels import Labels

FORMATS = (
    *("csv", "tsv", "parquet", "feather", "dat", "jsonl", "ndjson"),
    *("xlsx", "ods", "sav", "zsav", "dta", "sas7bdat", "xpt"),
)
PACKABLE = FORMATS[:7]
"""Each also gzipped as a whole, with `.gz` after the ending; the others are packed by themselves, or never are."""
WRITTEN_AS = {"ods": "xlsx", "sas7bdat": "xpt"}
"""What is read and cannot be written: the format of the same program, or of its kind, that takes its place."""
EXTRAS = {
    **dict.fromkeys(("xlsx", "ods"), "excel"),
    **dict.fromkeys(("sav", "zsav", "dta", "sas7bdat", "xpt"), "statistics"),
}
"""The extra of tacit that a format needs, if it needs one."""

JSON_LINES = ("jsonl", "ndjson")

DELIMITERS = (",", ";", "\t", "|")
"""What a CSV file's delimiter is looked for among, in order of preference."""

_AS_CSV = "Save it as .xlsx or CSV (UTF-8) there, and name that file."
_OTHERS = {
    **dict.fromkeys(("xls", "xlsm", "xlsb"), ("Excel", _AS_CSV)),
    **dict.fromkeys(("numbers",), ("a spreadsheet", _AS_CSV)),
    **dict.fromkeys(("por",), ("SPSS", "Save it as .sav or CSV there, and name that file.")),
    **dict.fromkeys(("deid",), ("ARX", "Make a job of it with `tacit init PROJECT.deid`.")),
    **dict.fromkeys(("rds", "rdata"), ("R", "Save it as CSV or Parquet there, and name that file.")),
    **dict.fromkeys(
        ("json", "xml"), ("another kind than tables", "Make a CSV, Parquet or JSON lines (.jsonl) file of it.")
    ),
    **dict.fromkeys(("db", "sqlite", "sqlite3"), ("SQLite", 'Name it as a database: source = "sqlite:///FILE".')),
    **dict.fromkeys(
        ("zip", "7z", "bz2", "xz", "zst"), ("an archive", "Unpack it first; of packed files only .gz is read.")
    ),
}
"""Endings of files that people have and that are not read: whose they are, and what to do."""


@dataclass(frozen=True)
class FileFormat:
    """All that is needed to write a file the way another one was written."""

    name: str
    gzipped: bool = False
    delimiter: str | None = None  # csv and tsv; None as long as no one has looked into the file
    encoding: str = "utf-8"
    bom: bool = False  # whether a mark that it is UTF-8 comes first, as spreadsheets want it
    line_end: str = "\n"
    sheet: str | None = None  # of a workbook; None: the first one
    labels: Labels | None = field(default=None, compare=False, repr=False)  # what a file of statistics says of columns

    @property
    def delimited(self) -> bool:
        return self.name in ("csv", "tsv")

    @property
    def is_text(self) -> bool:
        """Whether it is text in an encoding, with line ends, that people choose."""
        return self.name in ("csv", "tsv", "dat")

    @property
    def has_lists(self) -> bool:
        return self.name in ("parquet", "feather", *JSON_LINES)

    @property
    def is_workbook(self) -> bool:
        return EXTRAS.get(self.name) == "excel"

    @property
    def is_statistics(self) -> bool:
        return EXTRAS.get(self.name) == "statistics"

    @property
    def extension(self) -> str:
        """The end of a file name, without the first dot: `csv`, `parquet.gz`."""
        return f"{self.name}.gz" if self.gzipped else self.name

    def written_like(self, other: FileFormat) -> FileFormat:
        """The same format in the other's encoding and with its line ends, if both are text; with its labels."""
        if not (self.is_text and other.is_text):
            return replace(self, labels=other.labels)
        return replace(self, encoding=other.encoding, bom=other.bom, line_end=other.line_end)

    def with_delimiter(self, delimiter: str | None) -> FileFormat:
        """The same format with this delimiter, if it can be one."""
        if delimiter is not None and (len(delimiter.encode()) != 1 or delimiter in '"\r\n'):
            raise InputError(
                f"the delimiter {delimiter!r} cannot separate the fields of a file",
                hint="A delimiter is one ASCII character other than a quote or a line break.",
            )
        return replace(self, delimiter=delimiter)


def format_named(name: str) -> FileFormat:
    """The format that a job file names.

    >>> found = format_named("csv.gz")
    >>> found.name, found.gzipped, found.delimiter
    ('csv', True, None)
    """
    base = name.lower().removeprefix(".")
    gzipped = base.endswith(".gz")
    base = base.removesuffix(".gz")
    if base not in (PACKABLE if gzipped else FORMATS):
        raise InputError(f"{name!r} is not a format tacit knows", hint=f"Use one of: {_known()}.")
    return FileFormat(base, gzipped, "\t" if base == "tsv" else None)


def detect_format(path: Path, format: str | None = None) -> FileFormat:
    """The format of a file by its name, or the one given; the file itself is not opened.

    >>> detect_format(Path("visits.dat.gz")).extension
    'dat.gz'
    >>> detect_format(Path("export.txt"), "csv").name
    'csv'
    """
    name = path.name.lower()
    if format is not None:
        return format_named(format if format.endswith(".gz") or not name.endswith(".gz") else f"{format}.gz")
    if not tells_format(path):
        program, advice = _OTHERS.get(_ending(name), ("", ""))
        if program:
            raise InputError(f"this is a file of {program}, which is not read", file=path, hint=advice)
        raise InputError(
            "the ending of the file's name does not tell its format",
            file=path,
            hint=f'Known endings: {_known()}. Otherwise say it: format = "csv" under [input].',
        )
    return format_named(_ending(name) + ".gz" * name.endswith(".gz"))


def tells_format(path: Path) -> bool:
    """Whether the name of a file tells its format."""
    name = path.name.lower()
    return _ending(name) in (PACKABLE if name.endswith(".gz") else FORMATS)


def _ending(name: str) -> str:
    return Path(name.removesuffix(".gz")).suffix.removeprefix(".")


def _known() -> str:
    return f"{', '.join(FORMATS)}; {', '.join(PACKABLE)} also with .gz"
