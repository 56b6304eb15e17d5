"""The inner loop of the audit of sliced tables: what somebody who knows a person concludes from all buckets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit


class Blocks(NamedTuple):
    """Tables that say for known values in which buckets they occur, and with what weight; one after the other.

    The values with number v of block x have the entries start[base[x] + v] to start[base[x] + v + 1] − 1, by bucket.
    """

    base: np.ndarray  # int64 per block
    sign: np.ndarray  # float64 per block: 1, or −1 if the weight divides
    start: np.ndarray  # int64
    bucket: np.ndarray  # int32 per entry
    weight: np.ndarray  # float64 per entry: logarithm


class Secrets(NamedTuple):
    """For each sensitive attribute its block, and for the entries of that block the shares of its values."""

    block: np.ndarray  # int64 per attribute
    base: np.ndarray  # int64 per attribute: of entry e, the values from start[base + e − first entry of the block]
    start: np.ndarray  # int64
    value: np.ndarray  # int32
    share: np.ndarray  # float64


@njit(cache=True)
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


@njit(cache=True)
def _matching(person, numbers, blocks, log_size, power, found, place, weight):
    """Buckets that match a person: their number; `place` [block, match] are the entries, `weight` the logarithms."""
    seed, fewest = 0, np.int64(2**62)
    for x in range(blocks.base.size):
        if numbers[x, person] < 0:
            return 0
        at = blocks.base[x] + numbers[x, person]
        if blocks.sign[x] > 0 and blocks.start[at + 1] - blocks.start[at] < fewest:
            seed, fewest = x, blocks.start[at + 1] - blocks.start[at]
    n = 0
    at = blocks.base[seed] + numbers[seed, person]
    for entry in range(blocks.start[at], blocks.start[at + 1]):
        here, total, is_match = blocks.bucket[entry], 0.0, True
        for x in range(blocks.base.size):
            there = entry
            if x != seed:
                own = blocks.base[x] + numbers[x, person]
                there = _find(blocks.bucket, blocks.start[own], blocks.start[own + 1], here)
            if there < 0:
                is_match = False
                break
            place[x, n] = there
            total += blocks.sign[x] * blocks.weight[there]
        if is_match:
            found[n], weight[n] = here, total - power * log_size[here]
            n += 1
    return n


@njit(cache=True)
def conclude(numbers, blocks, secrets, log_size, power, n_values, worst, value, matches):
    """For each person and sensitive attribute the most probable value and its probability p(t, s), over all buckets.

    `numbers` [block, person] are the persons' known values. A bucket of size |B| weighs the product of the blocks'
    weights ÷ |B|^power.
    """
    n_buckets, n_blocks = log_size.size, blocks.base.size
    found, weight = np.empty(n_buckets, np.int32), np.empty(n_buckets)
    place = np.empty((n_blocks, n_buckets), np.int64)
    mass, touched = np.zeros(n_values), np.empty(n_values, np.int32)
    for person in range(numbers.shape[1]):
        n = _matching(person, numbers, blocks, log_size, power, found, place, weight)
        matches[person] = n
        if n == 0:
            continue
        heaviest = weight[0]
        for i in range(1, n):
            heaviest = max(heaviest, weight[i])
        total = 0.0
        for i in range(n):
            weight[i] = np.exp(weight[i] - heaviest)
            total += weight[i]
        for k in range(secrets.block.size):
            x, n_touched = secrets.block[k], 0
            first = blocks.start[blocks.base[x]]
            for i in range(n):
                at = secrets.base[k] + place[x, i] - first
                for j in range(secrets.start[at], secrets.start[at + 1]):
                    if mass[secrets.value[j]] == 0.0:
                        touched[n_touched] = secrets.value[j]
                        n_touched += 1
                    mass[secrets.value[j]] += weight[i] * secrets.share[j]
            for i in range(n_touched):
                if mass[touched[i]] / total > worst[k, person]:
                    worst[k, person], value[k, person] = mass[touched[i]] / total, touched[i]
                mass[touched[i]] = 0.0
