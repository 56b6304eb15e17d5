"""The walk of swaps as its page tells it, with sets and no bookkeeping."""

from __future__ import annotations

HOLDS = 5


def swap(rows: list[set[int]], limit: list[int], worth: list[float], start: set[int], most_steps: int) -> set[int]:
    """The best choice met on a walk from the choice `start`."""
    by_worth = sorted((v for v in range(len(worth)) if worth[v] > 0), key=lambda v: (-worth[v], v))
    kept, best = set(start), set(start)
    held_until, out_until = dict.fromkeys(by_worth, 0), dict.fromkeys(by_worth, 0)
    step = idle = 0
    while idle < most_steps:
        step += 1
        idle += 1
        resting = {v for v in by_worth if out_until[v] >= step}
        chosen, after = -1, set[int]()
        for v in by_worth:
            tried = turned(v, kept, rows, limit, worth, by_worth, resting)
            allowed = held_until[v] < step or value(tried, worth) > value(best, worth)
            if allowed and (chosen < 0 or value(tried, worth) > value(after, worth)):
                chosen, after = v, tried
        if chosen < 0:
            break
        kept = after
        held_until[chosen] = step + HOLDS
        if chosen not in kept:
            out_until[chosen] = step + HOLDS
        if value(kept, worth) > value(best, worth):
            best, idle = set(kept), 0
    return best


def turned(
    v: int,
    kept: set[int],
    rows: list[set[int]],
    limit: list[int],
    worth: list[float],
    by_worth: list[int],
    resting: set[int],
) -> set[int]:
    """The choice with v in or out, others out of its way, and what then has room in."""

    def full(choice: set[int], w: int) -> list[set[int]]:
        return [row for row, most in zip(rows, limit, strict=True) if w in row and len(row & choice) == most]

    choice = kept - {v}
    if v not in kept:
        while blocking := full(choice, v):
            hits = {u: sum(u in row for row in blocking) for u in sorted(choice)}
            choice.remove(max((u for u in hits if hits[u]), key=lambda u: (hits[u] / worth[u], -u)))
        choice.add(v)
    for w in by_worth:
        if w not in choice and w != v and w not in resting and not full(choice, w):
            choice.add(w)
    return choice


def value(choice: set[int], worth: list[float]) -> float:
    return sum(worth[v] for v in choice)
