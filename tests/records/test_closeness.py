"""What groups are compared with under t-closeness: the heights of a hierarchy, wherever its deepest branch stands."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.arrays.attributes import Attribute
from tacit.records.solvers.closeness import closeness_of
from tacit.taxonomy.tree import Taxonomy

_DEEP = (("a", "x", "*"), ("b", "x", "*"))
_FLAT = (("c", "*"), ("d", "*"))


@pytest.mark.parametrize("paths", [_DEEP + _FLAT, _FLAT + _DEEP])
def test_a_climb_is_a_share_of_the_height_of_the_root(paths: tuple[tuple[str, ...], ...]) -> None:
    """The root is two high, whichever branch stands first: from `a` to `x` it is a half, and so is from `x` on."""
    tree = Taxonomy.from_paths(paths)
    leaves = [path[0] for path in paths]
    leaf_of_code = np.array([tree.names.index(leaf) for leaf in leaves], np.int32)
    values = Attribute("v", np.arange(4, dtype=np.int32), tuple(leaves), tree=tree, leaf_of_code=leaf_of_code)
    _, closeness = closeness_of([values], 0.5)
    climbs = {name: 2 * float(closeness.climb[node]) for node, name in enumerate(tree.names)}
    assert climbs == {"*": 0.0, "x": 0.5, "a": 0.5, "b": 0.5, "c": 1.0, "d": 1.0}
