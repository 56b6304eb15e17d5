"""Taxonomies: the trees along which values are generalized; reading, building, checking and drawing them."""

from tacit.taxonomy.build import KINDS, balanced, build, by_frequency, by_prefix, pick_kind, tells_nothing
from tacit.taxonomy.draw import draw
from tacit.taxonomy.nodes import Fault
from tacit.taxonomy.read import check_hierarchy, read_hierarchy, write_hierarchy
from tacit.taxonomy.scales import dates, intervals
from tacit.taxonomy.tree import NotLeaves, Taxonomy

__all__ = [
    "KINDS",
    "Fault",
    "NotLeaves",
    "Taxonomy",
    "balanced",
    "build",
    "by_frequency",
    "by_prefix",
    "check_hierarchy",
    "dates",
    "draw",
    "intervals",
    "pick_kind",
    "read_hierarchy",
    "tells_nothing",
    "write_hierarchy",
]
