"""The job file: one TOML file that says everything about a release, read into a checked `Job` and written back."""

from tacit.job.model import (
    BLANK,
    FORMATS,
    NEVER_WRITTEN,
    PACKABLE,
    ROLE_KEYS,
    About,
    Column,
    Engine,
    Input,
    Job,
    Join,
    Method,
    Output,
)
from tacit.job.read import read_job
from tacit.job.write import write_job

__all__ = [
    "BLANK",
    "FORMATS",
    "NEVER_WRITTEN",
    "PACKABLE",
    "ROLE_KEYS",
    "About",
    "Column",
    "Engine",
    "Input",
    "Job",
    "Join",
    "Method",
    "Output",
    "read_job",
    "write_job",
]
