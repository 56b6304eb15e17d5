"""Long loops in blocks: a kernel does a part and keeps in arrays where it is, and Python calls it again.

In between Python can be interrupted (Ctrl-C), and whoever watches is told how far it is. How large a block is follows
the clock, so that it takes a fraction of a second on any machine; what comes out must not depend on it.

    for start, stop in spans(rows, "baskets"):          # a loop over rows
        count(start, stop, indptr, items, counts)

    for steps in blocks():                              # a search that keeps its state
        if search(steps, state, ...) == DONE:
            break
        tell("itemsets", state[0] / total)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from threading import Event
from time import monotonic
from typing import TypeVar

import numpy as np

from tacit.arrays.jit import on_compile
from tacit.errors import TacitError

_SECONDS = 0.2  # that a block shall take
_FIRST = 1 << 10  # steps of the first block,
_GROWTH = 8  # and how many times as many the next one has at most
_MOST = 1 << 40
_TOLD_EVERY = 0.25  # seconds
_WORTH_A_THREAD = 1 << 16  # rows

_T = TypeVar("_T")
_A = TypeVar("_A")


class _Watch:
    """Somebody who is told how far a loop is, but not too often."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self.progress, self.told_at = progress, monotonic()

    def tell(self, message: str) -> None:
        if monotonic() - self.told_at >= _TOLD_EVERY:
            self.progress(message)
            self.told_at = monotonic()


class _Stopped(BaseException):
    """Another thread was interrupted, or failed."""


_watch: ContextVar[_Watch | None] = ContextVar("_watch", default=None)
_stop: ContextVar[Event | None] = ContextVar("_stop", default=None)


@contextmanager
def watched(progress: Callable[[str], None]) -> Iterator[None]:
    """Within the context `progress` is told how far long loops are, and once if kernels have to be compiled."""
    before = _watch.set(_Watch(progress))
    try:
        with on_compile(progress):
            yield
    finally:
        _watch.reset(before)


def tell(what: str, share: float) -> None:
    """Tells whoever watches which share of something is done."""
    watch = _watch.get()
    if watch is not None:
        watch.tell(f"{what}: {100 * share:.0f} %")


def blocks(first: int | None = None) -> Iterator[int]:
    """How many steps to do next, again and again; the caller ends it."""
    steps, stop = first or _FIRST, _stop.get()
    while stop is None or not stop.is_set():
        began = monotonic()
        yield steps
        took = max(monotonic() - began, 1e-6)
        steps = min(max(1, int(steps * min(_SECONDS / took, _GROWTH))), _MOST)
    raise _Stopped


def spans(n: int, what: str | None = None, first: int | None = None) -> Iterator[tuple[int, int]]:
    """The numbers below n in pieces (from, up to), as many at a time as a block has steps."""
    start = 0
    for steps in blocks(first):
        stop = min(start + steps, n)
        if stop > start:
            yield start, stop
        if stop == n:
            return
        start = stop
        if what is not None:
            tell(what, start / n)


def up_to(at: np.ndarray, n: int, what: str | None = None, first: int | None = None) -> Iterator[int]:
    """How many steps to do next, until a kernel that keeps in at[0] how far it is has come to n."""
    if at[0] >= n:
        return
    for steps in blocks(first):
        yield steps
        if at[0] >= n:
            return
        if what is not None:
            tell(what, at[0] / n)


def cores() -> int:
    """How many threads can run at once."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def threads_for(rows: int) -> int:
    """In how many threads the columns of so many rows are gone over: few rows are done before a thread has begun."""
    return cores() if rows >= _WORTH_A_THREAD else 1


def side_by_side(
    jobs: Sequence[Callable[[], _T]], told: Callable[[], None] = lambda: None, threads: int | None = None
) -> list[_T]:
    """What the jobs give, done in so many threads (one each); this one tells now and then how far they are.

    When one fails, or this thread is interrupted, the others end with their block; no thread is left behind. The same
    goes for jobs that they have side by side themselves.
    """
    at_once = min(len(jobs), threads or len(jobs))
    if at_once < 2:
        return [job() for job in jobs]
    stopped, stopped_too = Event(), _stop.get()

    def run(job: Callable[[], _T]) -> _T:
        _stop.set(stopped)
        _watch.set(None)  # only one thread tells
        return job()

    with ThreadPoolExecutor(at_once) as pool:
        try:
            waiting = [pool.submit(copy_context().run, run, job) for job in jobs]
            while not all(each.done() for each in waiting):
                wait(waiting, timeout=_SECONDS)  # without a limit, Ctrl-C would wait, too, on some systems
                told()
                if stopped_too is not None and stopped_too.is_set():
                    raise _Stopped
                if any(each.done() and each.exception() is not None for each in waiting):
                    break
            failed = next((each.exception() for each in waiting if each.done() and each.exception()), None)
            if failed is not None:
                raise failed
        except BaseException:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [each.result() for each in waiting]


def pause() -> None:
    """Between two steps of a job side by side with others: it ends here, if they have ended."""
    stopped = _stop.get()
    if stopped is not None and stopped.is_set():
        raise _Stopped


def all_side_by_side(jobs: Sequence[Callable[[], _T]], threads: int | None = None) -> list[_T]:
    """The same for jobs that may refuse what they are given: whose refusal is told does not hang on which is first."""

    def tried(job: Callable[[], _T]) -> tuple[_T | None, TacitError | None]:
        try:
            return job(), None
        except TacitError as refusal:
            return None, refusal

    done = side_by_side([partial(tried, job) for job in jobs], threads=threads)
    for _, refusal in done:
        if refusal is not None:
            raise refusal
    return [result for result, _ in done]  # type: ignore[misc]


def with_aside(aside: Callable[[], _A], work: Callable[[], _T]) -> tuple[_A, _T]:
    """What a job gives that is done in another thread while this one does some work, and what that gives.

    When the work fails, or is interrupted, the job ends with its block.
    """
    stopped = Event()

    def run() -> _A:
        _stop.set(stopped)
        _watch.set(None)
        return aside()

    with ThreadPoolExecutor(1) as pool:
        try:
            waiting = pool.submit(copy_context().run, run)
            done = work()
            while not waiting.done():
                wait([waiting], timeout=_SECONDS)
        except BaseException:
            stopped.set()
            raise
    return waiting.result(), done
