"""Slow twin of the last step of the frontier: records that move or change places, on Python's lists and sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Rows = frozenset[int]
DIGITS = 9


def moved(
    clusters: Sequence[Rows], near: Sequence[Sequence[int]], k: int, lost: Callable[[Rows], float],
    loses_items: Callable[[Rows], bool], rounds: int,
) -> list[Rows]:  # fmt: skip
    """`near`: for each record the nearest others; `lost` of a cluster is infinite if it cannot be one."""
    now, changed, n = list(clusters), set(range(len(clusters))), len(near)
    for _ in range(rounds):
        where = {record: index for index, rows in enumerate(now) for record in rows}
        goes: list[tuple[float, int, int, Rows, Rows]] = []
        swaps: list[tuple[float, int, int, Rows, Rows]] = []
        for place in range(max(map(len, near))):
            for one in range(n):
                other = near[one][place] if place < len(near[one]) else -1
                if other < 0 or where[one] == where[other] or not {where[one], where[other]} & changed:
                    continue
                here, there = now[where[one]], now[where[other]]
                if not loses_items(here) and not loses_items(there):
                    continue
                at = where[one], where[other]
                before = lost(here) + lost(there)
                if len(here) > k:
                    new = here - {one}, there | {one}
                    goes.append((before - sum(map(lost, new)), *at, *new))
                new = here - {one} | {other}, there - {other} | {one}
                swaps.append((before - sum(map(lost, new)), *at, *new))
        changed = set()
        for gain, a, b, one_now, other_now in sorted(goes + swaps, key=lambda each: -round(each[0] * n, DIGITS)):
            if round(gain * n, DIGITS) > 0 and not {a, b} & changed:
                now[a], now[b] = one_now, other_now
                changed |= {a, b}
        if not changed:
            break
    return now
