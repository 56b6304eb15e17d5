"""Kernels of LG: one part of the rows after another is split on a node of its generalization, until none can be.

A part is a piece of `order`, the rows; its generalization is a list of nodes that every row of it holds and that
together cover all items of it. Items of a row are leaves in preorder, so those below a node stand together.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

_OPTIONS: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True}
_kernel = njit(**_OPTIONS, nogil=True)
_inner = njit(**_OPTIONS | {"no_cpython_wrapper": True})  # called by kernels only: less to compile

OPEN, TRIED, HOPELESS = 0, 1, 2  # a node of a generalization; one of no use here; one of no use in any smaller part


class Rows(NamedTuple):
    """Row r holds the leaves items[indptr[r]:indptr[r + 1]], rising."""

    indptr: np.ndarray
    items: np.ndarray


class Hierarchy(NamedTuple):
    """A tree in preorder; the children of v are children[first[v]:first[v + 1]].

    Publishing one occurrence of leaf x as node v costs worth[x] · loss[v].
    """

    end: np.ndarray
    first: np.ndarray
    children: np.ndarray
    loss: np.ndarray
    worth: np.ndarray


class Parts(NamedTuple):
    """Parts still to do: where in `order` they begin (each ends where the next one begins), their nodes, and flags."""

    begin: np.ndarray
    start: np.ndarray  # of a part's nodes; one more than there are parts
    nodes: np.ndarray
    flags: np.ndarray


class Room(NamedTuple):
    """Work space for the rows of one part: their classes, and the children that each holds."""

    class_of: np.ndarray  # of the rows, by place in the part
    loss: np.ndarray  # of the rows, at the node that is split
    start: np.ndarray  # of a row's children in `held`
    held: np.ndarray
    table: np.ndarray
    member: np.ndarray  # of the classes: a row that is in it,
    size: np.ndarray  # how many there are,
    total: np.ndarray  # what they lose at the node that is split,
    place: np.ndarray  # and where their rows go; −1 for the leftover part
    sorted: np.ndarray  # rows


@_inner
def _child_of(tree, v, x, low):
    """Where in `children` the child of v stands that is x or above it; not before `low`."""
    high = tree.first[v + 1] - 1
    while low < high:
        middle = (low + high + 1) // 2
        if tree.children[middle] <= x:
            low = middle
        else:
            high = middle - 1
    return low


@_inner
def _first_below(rows, row, v):
    """Where the items of the row below v begin."""
    low, high = rows.indptr[row], rows.indptr[row + 1]
    while low < high:
        middle = (low + high) // 2
        if rows.items[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low


@_inner
def _losses(part, rows, tree, cut, loss):
    """What publishing each node of the cut costs over the rows of the part."""
    for c in range(cut.size):
        loss[c] = 0
    for row in part:
        c = 0
        for j in range(rows.indptr[row], rows.indptr[row + 1]):
            x = rows.items[j]
            while x >= tree.end[cut[c]]:
                c += 1
            loss[c] += tree.worth[x] * tree.loss[cut[c]]


@_inner
def _classify(part, rows, tree, v, most, room):
    """Puts the rows of a part into classes, by which children of v they hold; gives the number of classes.

    It ends where there is one more than `most`, before that one has a row.
    """
    mask = np.int64(15)
    while mask < 2 * part.size:
        mask = 2 * mask + 1
    for slot in range(mask + 1):
        room.table[slot] = -1
    found, top = 0, np.int64(0)
    for i in range(part.size):
        row, start = part[i], top
        child, loss, key = tree.first[v], np.int64(0), np.int64(0)
        for j in range(_first_below(rows, row, v), rows.indptr[row + 1]):
            x = rows.items[j]
            if x >= tree.end[v]:
                break
            child = _child_of(tree, v, x, child)
            loss += tree.worth[x] * tree.loss[v]
            if top == start or room.held[top - 1] != child:
                room.held[top] = child
                top += 1
                key = (key * 1000003 + child + 1) & 0x3FFFFFFFFFF
        room.start[i], room.start[i + 1], room.loss[i] = start, top, loss
        slot = (key ^ (key >> 21)) & mask
        while room.table[slot] >= 0:
            other = room.member[room.table[slot]]
            begin, length = room.start[other], room.start[other + 1] - room.start[other]
            same = length == top - start
            j = 0
            while same and j < length:
                same = room.held[begin + j] == room.held[start + j]
                j += 1
            if same:
                break
            slot = (slot + 1) & mask
        if room.table[slot] < 0:
            if found == most:
                return found + 1
            room.table[slot] = found
            room.member[found], room.size[found], room.total[found] = i, 0, 0
            found += 1
        c = room.table[slot]
        room.class_of[i] = c
        room.size[c] += 1
        room.total[c] += loss
    return found


@_inner
def _balance(part, n_classes, k, room):
    """Decides what goes into the leftover part: rows of small classes, and if those are too few, some others.

    Returns how many rows are left over, and whether that took a whole class. Row i goes to the leftover part if
    class_of[i] or place[class_of[i]] is −1.
    """
    left, spare = 0, 0
    for c in range(n_classes):
        room.place[c] = 0
        if room.size[c] < k:
            room.place[c] = -1
            left += room.size[c]
        else:
            spare += room.size[c] - k
    if left == 0 or left >= k:
        return left, False
    if spare < k - left:
        least = -1
        for c in range(n_classes):
            if room.place[c] == 0 and (least < 0 or room.total[c] < room.total[least]):
                least = c
        room.place[least] = -1
        return left + room.size[least], True
    while left < k:
        least = -1
        for i in range(part.size):
            c = room.class_of[i]
            if c >= 0 and room.size[c] > k and (least < 0 or room.loss[i] < room.loss[least]):
                least = i
        room.size[room.class_of[least]] -= 1
        room.class_of[least] = -1
        left += 1
    return left, False


@_inner
def _rearrange(part, n_classes, left, room):
    """Sorts the rows of a part by class, those left over first; place[c] is where class c begins, −1 if left over."""
    at = np.int64(left)
    for c in range(n_classes):
        if room.place[c] >= 0:
            room.place[c] = at
            room.table[c] = at
            at += room.size[c]
    at = np.int64(0)
    for i in range(part.size):
        c = room.class_of[i]
        if c < 0 or room.place[c] < 0:
            room.sorted[at] = part[i]
            at += 1
        else:
            room.sorted[room.table[c]] = part[i]
            room.table[c] += 1
    for i in range(part.size):
        part[i] = room.sorted[i]


@_inner
def _longer(array, size):
    if size <= array.size:
        return array
    out = np.empty(max(size, 2 * array.size), array.dtype)
    for i in range(array.size):
        out[i] = array[i]
    return out


@_inner
def _pick(cut, flag, loss, tree):
    """The place of the open node that loses most, the first of equals; −1 if none is open."""
    best = -1
    for c in range(cut.size):
        if flag[c] == OPEN and tree.first[cut[c]] < tree.first[cut[c] + 1] and (best < 0 or loss[c] > loss[best]):
            best = c
    return best


@_inner
def _split(part, rows, tree, cut, flag, loss, k, room):
    """Divides a part on the first node that allows it, from the one that loses most on; flags those that do not.

    Returns the place of the node (−1 if none is left), the number of classes, and that of the rows left over. Fewer
    than 2k rows stay together whatever happens, so that a second class ends the hope for a node.
    """
    most = part.size if part.size >= 2 * k else 1
    c = _pick(cut, flag, loss, tree)
    while c >= 0:
        n_classes = _classify(part, rows, tree, cut[c], most, room)
        biggest = 0
        for i in range(min(n_classes, most)):
            biggest = max(biggest, room.size[i])
        flag[c] = HOPELESS
        if biggest >= k and n_classes <= most:
            left, whole = _balance(part, n_classes, k, room)
            if whole:
                flag[c] = TRIED
            if left < part.size:
                _rearrange(part, n_classes, left, room)
                return c, n_classes, left
        c = _pick(cut, flag, loss, tree)
    return c, 0, 0


@_kernel
def anonymize(order, stop, parts, most, rows, tree, k, room, part_of):
    """Splits parts of `order`, the last of which ends at `stop`, as far as k allows, or until `most` are waiting.

    Writes the part of each row that is done. Gives the nodes of those parts, (their ends, nodes), and their cost; and
    the parts that are left, with where the last of them ends.
    """
    node_ends, n_parts, cost = np.empty(64, np.int64), 0, np.int64(0)
    nodes, n_nodes = np.empty(64, np.int32), 0
    begin, start, todo, flags = parts.begin.copy(), parts.start.copy(), parts.nodes.copy(), parts.flags.copy()
    n_todo = begin.size
    while 0 < n_todo < most:
        n_todo -= 1
        part = order[begin[n_todo] : stop]
        cut = todo[start[n_todo] : start[n_todo + 1]].copy()
        flag = flags[start[n_todo] : start[n_todo + 1]].copy()
        loss = np.empty(cut.size, np.int64)
        _losses(part, rows, tree, cut, loss)
        c, n_classes, left = _split(part, rows, tree, cut, flag, loss, k, room)
        if c < 0:
            for row in part:
                part_of[row] = n_parts
            node_ends, nodes = _longer(node_ends, n_parts + 1), _longer(nodes, n_nodes + cut.size)
            for i in range(cut.size):
                nodes[n_nodes] = cut[i]
                n_nodes += 1
                cost += loss[i]
            node_ends[n_parts] = n_nodes
            n_parts += 1
            stop = begin[n_todo]
            continue

        whence, top = begin[n_todo], start[n_todo]
        if left > 0:
            for i in range(cut.size):  # where the part's own nodes stood
                flags[top + i] = flag[i]
            top += cut.size
            n_todo += 1
        for one in range(n_classes):
            if room.place[one] < 0:
                continue
            first, last = room.start[room.member[one]], room.start[room.member[one] + 1]
            begin, start = _longer(begin, n_todo + 1), _longer(start, n_todo + 2)
            todo, flags = _longer(todo, top + cut.size + last - first), _longer(flags, top + cut.size + last - first)
            begin[n_todo] = whence + room.place[one]
            for i in range(cut.size):
                if i != c:
                    todo[top], flags[top] = cut[i], HOPELESS if flag[i] == HOPELESS else OPEN
                    top += 1
                    continue
                for j in range(first, last):
                    todo[top], flags[top] = tree.children[room.held[j]], OPEN
                    top += 1
            n_todo += 1
            start[n_todo] = top
    left_over = Parts(begin[:n_todo], start[: n_todo + 1], todo[: start[n_todo]], flags[: start[n_todo]])
    return node_ends[:n_parts], nodes[:n_nodes], cost, left_over, stop
