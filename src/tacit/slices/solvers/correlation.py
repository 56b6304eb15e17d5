"""How strongly attributes depend on each other: the mean-square contingency coefficient (Li et al. 2012, section 4.1).

Numbers are put into classes first, of equal frequency or of equal width. A missing value is a value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays.attributes import Attribute

DISCRETIZATIONS = ("frequency", "width")
_DENSE = 1 << 22


def correlations(attributes: Sequence[Attribute], bins: int = 10, discretize: str = "frequency") -> np.ndarray:
    """The coefficient of every pair of attributes: 0 if they are independent, 1 if the finer tells the coarser."""
    classes = [classes_of(attribute, bins, discretize) for attribute in attributes]
    matrix = np.eye(len(classes))
    for i, one in enumerate(classes):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = mean_square_contingency(one, classes[j])
    return matrix


def mean_square_contingency(one: np.ndarray, other: np.ndarray) -> float:
    """φ² of two columns of codes: Σ (f_ij − f_i f_j)² ÷ (f_i f_j), divided by the number of values, less one, of the
    column that has fewer. A constant column depends on nothing.

    >>> mean_square_contingency(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    >>> mean_square_contingency(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    0.0
    """
    count, other_count = np.bincount(one), np.bincount(other)
    fewest = min(np.count_nonzero(count), np.count_nonzero(other_count)) - 1
    if fewest <= 0:
        return 0.0
    keys = one.astype(np.int64) * other_count.size + other
    if count.size * other_count.size <= _DENSE:
        cells = np.bincount(keys)
        at = np.flatnonzero(cells)
        together = cells[at]
    else:
        at, together = np.unique(keys, return_counts=True)
    # with Σ f_i f_j = 1 over all cells, the sum needs only the cells that occur
    expected = count[at // other_count.size].astype(float) * other_count[at % other_count.size]
    phi = float((together.astype(float) ** 2 / expected).sum()) - 1
    return float(min(max(phi / fewest, 0.0), 1.0))


def classes_of(attribute: Attribute, bins: int, discretize: str) -> np.ndarray:
    """The codes of an attribute, those of numbers in at most so many classes; missing stays on its own."""
    if attribute.numbers is None or len(attribute.texts) <= bins:
        return attribute.codes
    known = len(attribute.texts) - (attribute.missing >= 0)
    class_of_code = np.full(len(attribute.texts), bins, np.int32)
    if discretize == "width":
        class_of_code[:known] = _equal_width(attribute.numbers[:known], bins)
    else:
        count = np.bincount(attribute.codes, minlength=len(attribute.texts))[:known]
        class_of_code[:known] = _equal_frequency(count, bins)
    return class_of_code[attribute.codes]


def _equal_width(numbers: np.ndarray, bins: int) -> np.ndarray:
    width = (numbers[-1] - numbers[0]) or 1.0
    return np.minimum((numbers - numbers[0]) / width * bins, bins - 1).astype(np.int32)


def _equal_frequency(count: np.ndarray, bins: int) -> np.ndarray:
    """The class of each value in order, by the middle of its records among all of them."""
    middle = np.cumsum(count) - count / 2
    return np.minimum(middle / max(count.sum(), 1) * bins, bins - 1).astype(np.int32)
