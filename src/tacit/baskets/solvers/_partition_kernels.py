"""The loops of LG: one part of the rows after another is split on a node of its generalization, until none can be.

A part is a piece of `order`, the rows; its generalization is a list of nodes that every row of it holds and that
together cover all items of it. Items of a row are leaves in preorder, so those below a node stand together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, tell
from tacit.arrays.jit import inner, kernel
from tacit.baskets.solvers._room import DONE, GO_ON, ROOM, grown

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


class Found(NamedTuple):
    """Parts that are done: where the nodes of each end, and the nodes."""

    ends: np.ndarray
    nodes: np.ndarray


class _Cut(NamedTuple):
    """The generalization of the part at hand."""

    nodes: np.ndarray
    flags: np.ndarray
    loss: np.ndarray  # what publishing each node costs over the rows of the part


# Where it is: what it is doing, at which row; where the last part ends, how many parts are to do and done, nodes and
# cost of those; of the part at hand, how many nodes it has, on which it is split, classes, children that they or rows
# hold, and rows left over
PHASE, AT, STOP, WAITING, PARTS, NODES, COST, SIZE, SPLIT_ON, CLASSES, HELD, LEFT, STATES = range(13)
_TAKING, _LOSING, _PICKING, _CLASSIFYING, _SPARING, _WRITING, _ENDING = range(7)


def anonymize(
    order: np.ndarray,
    stop: int,
    parts: Parts,
    most: int,
    rows: Rows,
    tree: Hierarchy,
    k: int,
    room: Room,
    part_of: np.ndarray,
    state: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, int, Parts, int]:
    """Splits parts of `order`, the last of which ends at `stop`, as far as k allows, or until `most` are waiting.

    Writes the part of each row that is done. Gives the nodes of those parts, (their ends, nodes), and their cost; and
    the parts that are left, with where the last of them ends. `state` is 0 everywhere; others may look where it is.
    """
    first, longest = int(parts.begin[0]), int(np.diff(rows.indptr).max(initial=1))
    state[STOP], state[WAITING] = stop, parts.begin.size
    waiting = Parts(*(array.copy() for array in parts))
    found = Found(np.empty(64, np.int64), np.empty(64, np.int32))
    cut = _Cut(np.empty(longest, np.int32), np.empty(longest, np.int32), np.empty(longest, np.int64))
    for steps in blocks():
        outcome = _anonymize(steps, state, order, waiting, most, rows, tree, k, room, cut, found, part_of)
        if outcome == DONE:
            break
        if outcome == ROOM:
            waiting, found = _with_room(waiting, found, state)
        tell("rows in parts", 1 - (state[STOP] - first) / (stop - first))
    n, n_parts = int(state[WAITING]), int(state[PARTS])
    left = int(waiting.start[n])
    left_over = Parts(waiting.begin[:n], waiting.start[: n + 1], waiting.nodes[:left], waiting.flags[:left])
    return found.ends[:n_parts], found.nodes[: state[NODES]], int(state[COST]), left_over, int(state[STOP])


def _with_room(waiting: Parts, found: Found, state: np.ndarray) -> tuple[Parts, Found]:
    """The same with room for what becomes of one part."""
    todo, size, classes, held = (int(state[each]) for each in (WAITING, SIZE, CLASSES, HELD))
    top = int(waiting.start[todo + 1]) + classes * size + held
    more = Parts(
        grown(waiting.begin, todo + classes + 2), grown(waiting.start, todo + classes + 3),
        grown(waiting.nodes, top), grown(waiting.flags, top),
    )  # fmt: skip
    return more, Found(grown(found.ends, int(state[PARTS]) + 1), grown(found.nodes, int(state[NODES]) + size))


@inner
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


@inner
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


@inner
def _take(state, waiting, cut):
    """Takes the last of the parts that are to do; its nodes stay where they are."""
    state[WAITING] -= 1
    start = waiting.start[state[WAITING]]
    state[SIZE] = waiting.start[state[WAITING] + 1] - start
    for c in range(state[SIZE]):
        cut.nodes[c], cut.flags[c], cut.loss[c] = waiting.nodes[start + c], waiting.flags[start + c], 0
    state[PHASE], state[AT], state[CLASSES], state[HELD] = _LOSING, waiting.begin[state[WAITING]], 0, 0


@inner
def _lose(order, start, stop, rows, tree, cut):
    """Adds what publishing each node of the cut costs over some of the rows of the part."""
    for a in range(start, stop):
        c = 0
        for j in range(rows.indptr[order[a]], rows.indptr[order[a] + 1]):
            x = rows.items[j]
            while x >= tree.end[cut.nodes[c]]:
                c += 1
            cut.loss[c] += tree.worth[x] * tree.loss[cut.nodes[c]]


@inner
def _pick(state, cut, tree):
    """The place of the open node that loses most, the first of equals; −1 if none is open."""
    best = np.int64(-1)
    for c in range(state[SIZE]):
        v = cut.nodes[c]
        if cut.flags[c] == OPEN and tree.first[v] < tree.first[v + 1] and (best < 0 or cut.loss[c] > cut.loss[best]):
            best = c
    return best


@inner
def _mask(n_rows):
    """How many slots, less one, the table of classes has for so many rows."""
    mask = np.int64(15)
    while mask < 2 * n_rows:
        mask = 2 * mask + 1
    return mask


@inner
def _classify(state, upto, first, order, rows, tree, v, most, mask, room):
    """Puts rows of a part, from where it is on, into classes, by which children of v they hold.

    It ends where there is one class more than `most`, before that one has a row; whether it came there.
    """
    found, top = state[CLASSES], state[HELD]
    for a in range(state[AT], upto):
        row, i, start = order[a], a - first, top
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
        c = room.table[slot]
        if c < 0:
            if found == most:
                return True
            c = found
            room.table[slot] = c
            room.member[c], room.size[c], room.total[c] = i, 0, 0
            found += 1
        room.class_of[i] = c
        room.size[c] += 1
        room.total[c] += loss
    state[AT], state[CLASSES], state[HELD] = upto, found, top
    return False


@inner
def _balance(state, c, k, cut, room):
    """Decides what goes into the leftover part: rows of small classes, and if those are too few, a class or some rows.

    Gives what to do next. Row i goes to the leftover part if class_of[i] or place[class_of[i]] is −1.
    """
    left, spare, biggest = np.int64(0), np.int64(0), np.int64(0)
    for one in range(state[CLASSES]):
        biggest = max(biggest, room.size[one])
        room.place[one] = 0
        if room.size[one] < k:
            room.place[one] = -1
            left += room.size[one]
        else:
            spare += room.size[one] - k
    state[LEFT] = left
    if biggest < k:
        return _PICKING
    if 0 < left < k:
        if spare >= k - left:
            return _SPARING
        least = np.int64(-1)
        for one in range(state[CLASSES]):
            if room.place[one] == 0 and (least < 0 or room.total[one] < room.total[least]):
                least = one
        room.place[least] = -1
        state[LEFT] += room.size[least]
        cut.flags[c] = TRIED
    return _WRITING


@inner
def _spare(n_rows, k, room):
    """Moves the row that loses least, of those whose class can spare one, to the leftover part."""
    least = np.int64(-1)
    for i in range(n_rows):
        c = room.class_of[i]
        if c >= 0 and room.size[c] > k and (least < 0 or room.loss[i] < room.loss[least]):
            least = i
    room.size[room.class_of[least]] -= 1
    room.class_of[least] = -1


@inner
def _rearrange(order, first, n_rows, n_classes, left, room):
    """Sorts the rows of a part by class, those left over first; place[c] is where class c begins, −1 if left over."""
    at = left
    for c in range(n_classes):
        if room.place[c] >= 0:
            room.place[c] = at
            room.table[c] = at
            at += room.size[c]
    at = np.int64(0)
    for i in range(n_rows):
        c = room.class_of[i]
        if c < 0 or room.place[c] < 0:
            room.sorted[at] = order[first + i]
            at += 1
        else:
            room.sorted[room.table[c]] = order[first + i]
            room.table[c] += 1
    for i in range(n_rows):
        order[first + i] = room.sorted[i]


@inner
def _write(state, waiting, tree, cut, room):
    """Writes the parts that a part was split into: what is left over, with its own nodes, and one for each class."""
    begin, start, nodes, flags = waiting.begin, waiting.start, waiting.nodes, waiting.flags
    n_todo, size = state[WAITING], state[SIZE]
    whence, top = begin[n_todo], start[n_todo]
    if state[LEFT] > 0:
        for i in range(size):  # where the part's own nodes stood
            flags[top + i] = cut.flags[i]
        top += size
        n_todo += 1
    for one in range(state[CLASSES]):
        if room.place[one] < 0:
            continue
        begin[n_todo] = whence + room.place[one]
        for i in range(size):
            if i != state[SPLIT_ON]:
                nodes[top], flags[top] = cut.nodes[i], HOPELESS if cut.flags[i] == HOPELESS else OPEN
                top += 1
                continue
            for j in range(room.start[room.member[one]], room.start[room.member[one] + 1]):
                nodes[top], flags[top] = tree.children[room.held[j]], OPEN
                top += 1
        n_todo += 1
        start[n_todo] = top
    state[WAITING] = n_todo


@inner
def _end(state, order, begin, cut, found, part_of):
    """Writes down a part that no node can split."""
    for a in range(begin, state[STOP]):
        part_of[order[a]] = state[PARTS]
    for i in range(state[SIZE]):
        found.nodes[state[NODES]] = cut.nodes[i]
        state[NODES] += 1
        state[COST] += cut.loss[i]
    found.ends[state[PARTS]] = state[NODES]
    state[PARTS] += 1
    state[STOP] = begin


@kernel
def _anonymize(steps, state, order, waiting, most, rows, tree, k, room, cut, found, part_of):
    """Goes on for so many rows; says whether it is done, or needs room.

    A part is split on the first node that allows it, from the one that loses most on; those that do not are flagged.
    Fewer than 2k rows stay together whatever happens, so that a second class ends the hope for a node.
    """
    while steps > 0:
        if state[PHASE] == _TAKING:
            if state[WAITING] == 0 or state[WAITING] >= most:
                return DONE
            _take(state, waiting, cut)
        first, n_rows = waiting.begin[state[WAITING]], state[STOP] - waiting.begin[state[WAITING]]
        upto = min(state[STOP], state[AT] + steps)
        if state[PHASE] == _LOSING:
            _lose(order, state[AT], upto, rows, tree, cut)
            steps -= upto - state[AT]
            state[AT] = upto
            if upto < state[STOP]:
                continue
            state[PHASE] = _PICKING
        mask, c = _mask(n_rows), state[SPLIT_ON]
        if state[PHASE] == _PICKING:
            c = _pick(state, cut, tree)
            state[SPLIT_ON], state[AT], state[CLASSES], state[HELD] = c, first, 0, 0
            state[PHASE] = _CLASSIFYING if c >= 0 else _ENDING
            for slot in range(mask + 1 if c >= 0 else 0):
                room.table[slot] = -1
            upto = min(state[STOP], first + max(steps, 1))
        if state[PHASE] == _CLASSIFYING:
            steps -= upto - state[AT]
            too_many = _classify(
                state, upto, first, order, rows, tree, cut.nodes[c], n_rows if n_rows >= 2 * k else 1, mask, room
            )
            if upto < state[STOP] and not too_many:
                continue
            cut.flags[c] = HOPELESS
            state[PHASE] = _PICKING if too_many else _balance(state, c, k, cut, room)
        while state[PHASE] == _SPARING and steps > 0:
            _spare(n_rows, k, room)
            steps -= n_rows
            state[LEFT] += 1
            if state[LEFT] == k:
                state[PHASE] = _WRITING
        if state[PHASE] == _WRITING and state[LEFT] == n_rows:
            state[PHASE] = _PICKING
        if state[PHASE] == _WRITING:
            state[HELD] = 0
            for one in range(state[CLASSES]):
                state[HELD] += room.start[room.member[one] + 1] - room.start[room.member[one]]
            top = waiting.start[state[WAITING] + 1] + state[CLASSES] * state[SIZE] + state[HELD]
            if state[WAITING] + state[CLASSES] + 2 > waiting.begin.size or top > waiting.nodes.size:
                return ROOM
            _rearrange(order, first, n_rows, state[CLASSES], state[LEFT], room)
            _write(state, waiting, tree, cut, room)
            state[PHASE] = _TAKING
        if state[PHASE] == _ENDING:
            if state[PARTS] == found.ends.size or state[NODES] + state[SIZE] > found.nodes.size:
                return ROOM
            _end(state, order, first, cut, found, part_of)
            state[PHASE] = _TAKING
    return GO_ON
