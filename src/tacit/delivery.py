"""`tacit apply`: new data of the same kind, recoded as an earlier release was, whatever kind of data that is of."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.io.directory import check_target
from tacit.job import Engine
from tacit.release import Release, saved_release
from tacit.shuffle import fresh_key
from tacit.steps.stages import Progress, silent

LOCAL = Engine()
SEED_DOES_NOTHING = (
    "the seed has no part in a delivery: nothing is searched, and the order is drawn from a key of its own "
    "(private/key; --key makes the same files again)"
)


def apply_release(
    directory: Path,
    data: Path,
    target: Path,
    *,
    unseen: str = "refuse",
    force: bool = False,
    report: bool = True,
    format: str | None = None,
    key: bytes | None = None,
    seed: int | None = None,
    engine: Engine = LOCAL,
    progress: Progress = silent,
    **of_baskets: Any,
) -> Release:
    """Recodes a new delivery as the release in `directory` was, and saves it as a release of its own.

    The saved recoding is all it needs: the old data are not opened. `of_baskets` is what deliveries of baskets alone
    can do: see `tacit.baskets.delivery`.
    """
    if engine.name != "local":
        from tacit.engines.delivery import apply_release as on_engine

        for option in ("union", "extend"):
            if of_baskets.get(option):
                raise InputError(f"--{option} has no form on an engine", hint=f"Leave --{option} out.")
        if unseen not in ("refuse", "suppress"):
            raise InputError(f"--unseen is {unseen!r}, but it must be refuse or suppress")
        return on_engine(
            directory, data, target, engine=engine, unseen=unseen, force=force, report=report, format=format, key=key,
            progress=progress,
        )  # fmt: skip
    saved = saved_release(directory)
    common: dict[str, Any] = {"force": force, "report": report, "format": format, "progress": progress}
    if saved.recoding.kind != "ranges":
        baskets = import_module("tacit.baskets.delivery")
        return baskets.apply_release(directory, data, target, unseen=unseen, key=key, seed=seed, **common, **of_baskets)
    if unseen not in ("refuse", "suppress"):
        raise InputError(f"--unseen is {unseen!r}, but it must be refuse or suppress")
    for option in ("union", "extend"):
        if of_baskets.get(option):
            hint = f"Leave --{option} out: each delivery of ratings is audited by itself."
            raise InputError(f"--{option} is for baskets, and this release has ratings", file=directory, hint=hint)
    check_target(target, force=force, reads=[data])
    ratings = import_module("tacit.ratings.delivery")
    notes = () if seed is None else (SEED_DOES_NOTHING,)
    return ratings.apply_ranges(
        saved, saved.recoding, data, target, unseen=unseen, key=key or fresh_key(), notes=notes, **common
    )
