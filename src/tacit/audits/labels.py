"""What published items are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tacit.baskets.data import ItemColumns


def labels_of(items: ItemColumns) -> tuple[list[str], np.ndarray]:
    """The name of each item, and whether it is declared sensitive. Items of several columns go by the column, too."""
    vocabulary = items.baskets.vocabulary
    columns = [items.columns[number] for number in items.column_of.tolist()]
    secrets = {column.name: set(column.sensitive_items) for column in items.columns}
    pairs = list(zip(columns, vocabulary, strict=True))
    sensitive = np.array([label in secrets[column.name] for column, label in pairs], bool)
    if len(items.columns) == 1:
        return list(vocabulary), sensitive
    labels = [f"{column.name}: {label}" for column, label in pairs]
    if len(set(labels)) < len(labels):  # such as `b: x` of column `a`, and `x` of column `a: b`
        labels = [f"{column.name!r}: {label}" for column, label in pairs]
    return labels, sensitive
