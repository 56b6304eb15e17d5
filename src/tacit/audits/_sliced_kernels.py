"""The inner loop of the audit of sliced tables: what somebody who knows a person concludes from all buckets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import inner, kernel


class Blocks(NamedTuple):
    """Tables that say for known values in which buckets they occur, and with what weight; one after the other.

    The values with code v of block x have the entries start[base[x] + v] to start[base[x] + v + 1] − 1, by bucket.
    """

    base: np.ndarray  # int64 per block
    sign: np.ndarray  # float64 per block: 1, or −1 if the weight divides
    start: np.ndarray  # int64
    bucket: np.ndarray  # int32 per entry
    weight: np.ndarray  # float64 per entry: logarithm


class SensitiveShares(NamedTuple):
    """For each sensitive attribute its block, and for the entries of that block the shares of its values."""

    block: np.ndarray  # int64 per attribute
    base: np.ndarray  # int64 per attribute: of entry e, the values from start[base + e − first entry of the block]
    start: np.ndarray  # int64
    value: np.ndarray  # int32
    share: np.ndarray  # float64


@inner
def _find(bucket, low, high, wanted):
    """The place of a bucket among sorted ones; −1 if it is not there."""
    end = high
    while low < high:
        middle = (low + high) // 2
        if bucket[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and bucket[low] == wanted else -1


@inner
def _narrow(level, low, high, blocks, size, bucket, weight):
    """The buckets of a level that are among the entries low to high − 1, as the next level; gives how many there are.

    The shorter list is gone through, and looked up in the longer one.
    """
    n, before = 0, size[level - 1]
    if high - low < before:
        for entry in range(low, high):
            at = _find(bucket[level - 1], np.int64(0), before, blocks.bucket[entry])
            if at >= 0:
                bucket[level, n] = blocks.bucket[entry]
                weight[level, n] = weight[level - 1, at] + blocks.weight[entry]
                n += 1
    else:
        for at in range(before):
            entry = _find(blocks.bucket, low, high, bucket[level - 1, at])
            if entry >= 0:
                bucket[level, n] = bucket[level - 1, at]
                weight[level, n] = weight[level - 1, at] + blocks.weight[entry]
                n += 1
    return n


@inner
def _follow(codes, blocks, person, levels, previous, size, bucket, weight):
    """Brings the levels up to date for a person: what the one before agreed on stays."""
    changed = False
    for x in range(levels):
        changed |= codes[x, person] != previous[x]
        if changed:
            previous[x] = codes[x, person]
            own = blocks.base[x] + codes[x, person]
            low, high = blocks.start[own], blocks.start[own + 1]
            if x == 0:
                size[0] = high - low
                for at in range(high - low):
                    bucket[0, at], weight[0, at] = blocks.bucket[low + at], blocks.weight[low + at]
            else:
                size[x] = _narrow(x, low, high, blocks, size, bucket, weight)


@inner
def _rarest(codes, blocks, person):
    """The block whose value the person shares with the fewest buckets."""
    rarest, fewest = blocks.base.size, np.int64(2**62)
    for x in range(blocks.base.size):
        own = blocks.base[x] + codes[x, person]
        if blocks.sign[x] > 0 and blocks.start[own + 1] - blocks.start[own] < fewest:
            rarest, fewest = x, blocks.start[own + 1] - blocks.start[own]
    return rarest, fewest


@inner
def _matching(codes, blocks, person, x, levels, room):
    """Which buckets have all known values of a person: of those with the value of block x or, if x is −1, of those that
    match the first levels. Gives how many."""
    bucket, weight, last = room.bucket, room.weight, levels
    first, low, high = levels, np.int64(0), room.size[levels - 1]
    if x >= 0:
        own = blocks.base[x] + codes[x, person]
        first, low, high = np.int64(0), blocks.start[own], blocks.start[own + 1]
    n = 0
    for at in range(low, high):
        here, total, is_match = blocks.bucket[at] if x >= 0 else bucket[last - 1, at], 0.0, True
        if x < 0:
            total = weight[last - 1, at]
        for y in range(first, blocks.base.size):
            own = blocks.base[y] + codes[y, person]
            entry = _find(blocks.bucket, blocks.start[own], blocks.start[own + 1], here)
            if entry < 0:
                is_match = False
                break
            total += blocks.sign[y] * blocks.weight[entry]
        if is_match:
            bucket[last, n], weight[last, n] = here, total
            n += 1
    return n


class Room(NamedTuple):
    """Where `conclude` keeps what it works on; given, because to allocate it there would have to be compiled."""

    size: np.ndarray  # int64 per level
    bucket: np.ndarray  # int32 [level, i]
    weight: np.ndarray  # float64 [level, i]
    mass: np.ndarray  # float64 per value, 0
    touched: np.ndarray  # int32: values that have a mass
    previous: np.ndarray  # int64 per level, −1


def conclude(
    codes: np.ndarray,
    order: np.ndarray,
    levels: int,
    few: int,
    blocks: Blocks,
    sensitive: SensitiveShares,
    log_size: np.ndarray,
    power: float,
    room: Room,
    worst: np.ndarray,
    value: np.ndarray,
    matches: np.ndarray,
) -> None:
    """For each person and sensitive attribute the most probable value and its probability p(t, s), over all buckets.

    `codes` [block, person] are the persons' known values. A bucket of size |B| weighs the product of the blocks'
    weights ÷ |B|^power. Somebody with a value that `few` buckets have is looked up there. The others come in an `order`
    in which neighbours agree on the first blocks, `levels` of them: what matches those is found once for all who agree.
    """
    for start, stop in spans(order.size, "people", first=64):
        _conclude(
            codes, order[start:stop], levels, few, blocks, sensitive, log_size, power, room, worst, value, matches
        )


@kernel
def _conclude(codes, order, levels, few, blocks, sensitive, log_size, power, room, worst, value, matches):
    """The same for some of the people, who come behind those before."""
    bucket, weight, mass, touched = room.bucket, room.weight, room.mass, room.touched
    for at_person in range(order.size):
        person = order[at_person]
        x, fewest = _rarest(codes, blocks, person)
        if fewest > few:
            _follow(codes, blocks, person, levels, room.previous, room.size, bucket, weight)
            x = np.int64(-1)
        n = _matching(codes, blocks, person, x, levels, room)
        for i in range(n):
            weight[levels, i] -= power * log_size[bucket[levels, i]]
        matches[person] = n
        if n == 0:
            continue
        heaviest = weight[levels, 0]
        for i in range(1, n):
            heaviest = max(heaviest, weight[levels, i])
        total = 0.0
        for i in range(n):
            weight[levels, i] = np.exp(weight[levels, i] - heaviest)
            total += weight[levels, i]
        for k in range(sensitive.block.size):
            x, n_touched = sensitive.block[k], 0
            own, first = blocks.base[x] + codes[x, person], blocks.start[blocks.base[x]]
            for i in range(n):
                entry = _find(blocks.bucket, blocks.start[own], blocks.start[own + 1], bucket[levels, i])
                at = sensitive.base[k] + entry - first
                for j in range(sensitive.start[at], sensitive.start[at + 1]):
                    if mass[sensitive.value[j]] == 0.0:
                        touched[n_touched] = sensitive.value[j]
                        n_touched += 1
                    mass[sensitive.value[j]] += weight[levels, i] * sensitive.share[j]
            for i in range(n_touched):
                if mass[touched[i]] / total > worst[k, person]:
                    worst[k, person], value[k, person] = mass[touched[i]] / total, touched[i]
                mass[touched[i]] = 0.0
