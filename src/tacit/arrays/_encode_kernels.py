"""Inner loops over baskets: `indptr` int64, `items` int32; the output is passed in."""

from __future__ import annotations

from numba import njit

_MULTIPLIER = 0x5BD1E995  # below 2**31, so that its product with 32 bits stays within int64


@njit(cache=True)
def number_baskets(indptr, items, slots, first, hashes, weight, inverse):
    """Numbers different baskets in order of first appearance, with an open-addressed hash table.

    `slots` is the table, -1 everywhere, its size a power of two above the number of baskets. Fills `inverse`
    (the number of each basket), `first` and `weight` (first row and count of each number); returns how many
    numbers there are. Equal hashes are not trusted: the items are compared.
    """
    last = len(slots) - 1
    count = 0
    for row in range(len(indptr) - 1):
        start = indptr[row]
        length = indptr[row + 1] - start
        hashed = length
        for position in range(start, start + length):
            hashed = ((hashed ^ items[position]) * _MULTIPLIER) & 0xFFFFFFFF
            hashed ^= hashed >> 15
        slot = hashed & last
        while True:
            number = slots[slot]
            if number < 0:
                slots[slot] = count
                first[count] = row
                hashes[count] = hashed
                weight[count] = 1
                inverse[row] = count
                count += 1
                break
            if hashes[number] == hashed:
                other = indptr[first[number]]
                same = indptr[first[number] + 1] - other == length
                offset = 0
                while same and offset < length:
                    same = items[other + offset] == items[start + offset]
                    offset += 1
                if same:
                    weight[number] += 1
                    inverse[row] = number
                    break
            slot = (slot + 1) & last
    return count


@njit(cache=True)
def copy_baskets(indptr, items, rows, taken_indptr, taken_items):
    """Copies the baskets of `rows` one after the other; `taken_indptr` says where each goes."""
    for number in range(len(rows)):
        start = indptr[rows[number]]
        target = taken_indptr[number]
        for offset in range(taken_indptr[number + 1] - target):
            taken_items[target + offset] = items[start + offset]
