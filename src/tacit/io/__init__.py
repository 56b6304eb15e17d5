"""Tables from files and databases, and back to files."""

from tacit.io.databases import is_database_url, read_query, shown_url
from tacit.io.files import inspect_format, line_of_record, read_table, sha256_as_written, write_table
from tacit.io.formats import FORMATS, PACKABLE, FileFormat, detect_format, format_named, tells_format
from tacit.io.spreadsheet import Escaping

__all__ = [
    "FORMATS",
    "PACKABLE",
    "Escaping",
    "FileFormat",
    "detect_format",
    "format_named",
    "inspect_format",
    "is_database_url",
    "line_of_record",
    "read_query",
    "read_table",
    "sha256_as_written",
    "shown_url",
    "tells_format",
    "write_table",
]
