"""Loops in blocks: all of it is done, whoever watches is told, and no thread is left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import islice

import pytest

from support.waiting import PATIENCE
from tacit.arrays import blocks as module
from tacit.arrays.blocks import all_side_by_side, blocks, pause, side_by_side, spans, tell, watched, with_aside
from tacit.errors import InputError


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one step, however quick the machine is; every word is told."""
    monkeypatch.setattr(module, "_FIRST", 1)
    monkeypatch.setattr(module, "_GROWTH", 1)
    monkeypatch.setattr(module, "_TOLD_EVERY", 0)


@pytest.mark.parametrize("n", [0, 1, 5, 100_000])
def test_spans_are_all_numbers_in_order(n: int) -> None:
    assert [i for start, stop in spans(n) for i in range(start, stop)] == list(range(n))


def test_blocks_are_never_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0)
    assert list(islice(blocks(), 3)) == [module._FIRST, 1, 1]


@pytest.mark.usefixtures("tiny")
def test_whoever_watches_is_told_how_far_a_loop_is() -> None:
    told: list[str] = []
    with watched(told.append):
        for _ in spans(4, "baskets"):
            pass
        tell("threats", 1)
    tell("nobody", 1)
    assert told == ["baskets: 25 %", "baskets: 50 %", "baskets: 75 %", "threats: 100 %"]


def test_it_is_not_told_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "monotonic", iter([0.0, 0.1, 0.3, 0.3, 0.4, 0.6, 0.6]).__next__)
    told: list[str] = []
    with watched(told.append):
        for share in (0.1, 0.2, 0.3, 0.4):
            tell("baskets", share)
    assert told == ["baskets: 20 %", "baskets: 40 %"]


def test_jobs_side_by_side_give_their_results_in_order() -> None:
    assert side_by_side([lambda: 1, lambda: 2, lambda: 3]) == [1, 2, 3]


def for_ever(began: threading.Event) -> Callable[[], None]:
    def job() -> None:
        for _ in blocks():
            began.set()

    return job


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_when_one_job_fails_the_others_end_with_their_block(error: type[BaseException]) -> None:
    began = threading.Event()

    def fail() -> None:
        began.wait()
        raise error

    before = threading.active_count()
    with pytest.raises(error):
        side_by_side([for_ever(began), fail])
    assert threading.active_count() == before


@pytest.mark.usefixtures("tiny")
def test_an_interruption_ends_all_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    began = threading.Event()

    def interrupted(*_: object, **__: object) -> None:
        began.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "wait", interrupted)
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        side_by_side([for_ever(began), for_ever(began)])
    assert threading.active_count() == before


@pytest.mark.usefixtures("tiny")
def test_jobs_of_a_job_end_with_it() -> None:
    began = threading.Event()

    def fail() -> None:
        began.wait()
        raise ValueError

    before = threading.active_count()
    with pytest.raises(ValueError):
        side_by_side([lambda: side_by_side([for_ever(began), for_ever(began)]), fail])
    assert threading.active_count() == before


def test_a_job_is_done_beside_some_work() -> None:
    """Each waits for the other, so neither is done first."""
    both = threading.Barrier(2, timeout=PATIENCE)
    assert with_aside(lambda: both.wait() >= 0, lambda: both.wait() >= 0) == (True, True)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_when_the_work_fails_the_job_beside_it_ends_with_its_block(error: type[BaseException]) -> None:
    began = threading.Event()

    def fail() -> None:
        began.wait()
        raise error

    before = threading.active_count()
    with pytest.raises(error):
        with_aside(for_ever(began), fail)
    assert threading.active_count() == before


def test_what_the_job_beside_it_raises_is_told() -> None:
    def fail() -> None:
        raise ValueError

    with pytest.raises(ValueError):
        with_aside(fail, lambda: 1)


def test_which_refusal_is_told_does_not_hang_on_who_is_first() -> None:
    later = threading.Event()

    def first() -> None:
        later.wait(PATIENCE)
        raise InputError("the first")

    def second() -> None:
        later.set()
        raise InputError("the second")

    with pytest.raises(InputError, match="the first"):
        all_side_by_side([first, second])
    assert all_side_by_side([lambda: 1, lambda: 2]) == [1, 2]


def test_a_job_ends_at_its_pause_when_another_fails() -> None:
    began, ended = threading.Event(), threading.Event()

    def steps() -> None:
        began.set()
        try:
            while True:
                pause()
        finally:
            ended.set()

    def fail() -> None:
        began.wait(PATIENCE)
        raise ValueError

    with pytest.raises(ValueError):
        side_by_side([steps, fail])
    assert ended.is_set()
