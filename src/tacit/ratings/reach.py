"""What no method can keep on some ratings: too few people, a sensitive rating that too many gave."""

from __future__ import annotations

from typing import Any

from tacit.errors import PromiseError
from tacit.job import Job
from tacit.ratings.data import Ratings
from tacit.ratings.solvers.diversity import reachable_l


def enough_for_ratings(data: Ratings, promise: Any, job: Job) -> None:
    """Fewer than k people cannot hide each other."""
    check_people(len(data), promise.k)


def check_people(people: int, k: int) -> None:
    """Refuses fewer than k people."""
    if 0 < people < k:
        reach = f"k = {people} could be reached" if people > 1 else "No k above 1 could be reached"
        raise PromiseError(f"k = {k}, but there are only {people:,} people.\n  {reach}.")


def enough_people(data: Ratings, promise: Any, job: Job) -> None:
    """Fewer than k people cannot hide each other, nor people of whom too many gave one sensitive rating."""
    check_people(len(data), promise.k)
    if len(data) == 0:
        return
    if promise.l is not None and reachable_l(data) < promise.l - 1e-12:
        raise PromiseError(
            f"l = {promise.l:g}, but one sensitive rating was given by more than 1/{promise.l:g} of all people.\n"
            f"  l = {reachable_l(data):.4g} could be reached."
        )
