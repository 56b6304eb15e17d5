"""Fixtures that every test module may use."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from threading import current_thread, main_thread
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tacit.methods import METHODS
from tacit.process.stack import with_room
from tacit.promises import MODELS
from tacit.report.engine import Engine, started_engine
from tacit.shuffle import KEY_BYTES

settings.register_profile(
    "tacit",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("tacit")  # the same examples in every run, however busy the machine is

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


PAIRS_OF_BASKETS = [
    (name, model)
    for name, method in METHODS.items()
    for model in method.models
    if MODELS[model].kind_of_data == "baskets"
]
COMPILES_ALL = "tests/exams/test_exam.py"
SAME_TABLES = {"tests/exams/test_results.py": "tests/exams/test_definitions.py"}
OF_ENGINES = "tests/engines/"
OF_RECORDS = ("tests/exams/", "tests/records/", "tests/audits/test_audit_persons.py", "tests/web/")
OF_BASKETS = ("tests/exams/test_every_promise.py", "tests/baskets/")
WITHOUT_KERNELS = (
    "tests/arrays/test_jit.py",  # its kernels are its own
    "tests/audits/test_independence.py",
    "tests/commands/test_cli_completion.py",
    "tests/commands/test_cli_usage.py",
    "tests/exams/test_complete.py",
    "tests/init/test_exam.py",
    "tests/init/test_rules.py",
    "tests/io/",
    "tests/job/test_job.py",
    "tests/taxonomy/",
    "tests/tools/",
    "tests/values/",
    "tests/test_clock.py",
    "tests/test_tables.py",
)
WITH_SOME = ("tests/io/test_only_what_shows.py", "tests/tools/test_fuzz.py")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Of two processes the second one begins to read the test files at their end. What pytest makes of a file it keeps
    for others: so each rewrites half of them where nothing is kept yet, which takes both ten seconds otherwise."""
    config = session.config
    is_second = getattr(config, "workerinput", {}).get("workerid") == "gw1"
    if not is_second or config.args_source is not config.ArgsSource.TESTPATHS:
        return
    tests = Path(__file__).parent
    for file in sorted(tests.rglob("test_*.py"), reverse=True):
        in_package = (file.parent / "__init__.py").exists()
        if not in_package and str(file.parent) not in sys.path:
            sys.path.insert(0, str(file.parent))
        with suppress(Exception, pytest.skip.Exception):  # pytest comes to it later, and tells
            import_module(f"{file.parent.name}.{file.stem}" if in_package else file.stem)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What needs real data is slow: it runs by `make test-slow`. Beside others, files run in an order of their own."""
    for item in items:
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
    if hasattr(config, "workerinput"):  # several processes share the tests
        items.sort(key=lambda item: turn(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Has one process run a group as a whole, so that what a file sets up is set up once.

    By a scheduler of our own: `--dist loadgroup` of xdist 3.8 has no effect beside pytest 9.2, and does not say so.
    """
    from xdist.scheduler import LoadScopeScheduling

    class InGroups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

    return InGroups(config, log)


def group(test: str) -> str:
    """What one process runs as a whole: a file; the exam in two halves, which share only a few kernels; and the two
    files that look at the same small tables."""
    file = test.partition("::")[0]
    file = SAME_TABLES.get(file, file)
    return f"{file} of baskets" if file == COMPILES_ALL and is_about_baskets(test) else file


def turn(test: str) -> int:
    """Two processes that need a kernel at once both compile it. So one begins with the half of the exam that is about
    baskets, one with the other half, and whoever is done first goes on with what needs no kernel; what needs those
    of records, which take the longest, waits.

    Engines come last: what they load does not bear that its process forks, as some tests do.
    """
    if test.startswith(COMPILES_ALL):
        return 1 if is_about_baskets(test) else 0
    if test.startswith(WITHOUT_KERNELS) and not test.startswith(WITH_SOME):
        return 3
    if test.startswith(OF_ENGINES):
        return 6
    if test.startswith(OF_RECORDS):
        return 5
    return 2 if test.startswith(OF_BASKETS) else 4


def is_about_baskets(test: str) -> bool:
    """Whether the exam is taken by a method for baskets: the name of a test ends with the method and the promise."""
    return test.endswith(tuple(f"{method}-{model}]" for method, model in PAIRS_OF_BASKETS))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool:
    """Kernels that a test compiles find room on the stack, as those of a command do."""
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    with_room(pyfuncitem.obj)(**given)
    return True


CHANCE = Random()


def pytest_sessionstart() -> None:
    """Keys and seeds that a test does not give are not drawn from the operating system: all runs of it are alike."""
    vars(secrets)["token_bytes"] = lambda nbytes=None: CHANCE.randbytes(KEY_BYTES if nbytes is None else nbytes)
    vars(secrets)["randbits"] = CHANCE.getrandbits


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> None:
    """What several tests share is the same, whichever of them comes first."""
    if fixturedef.scope != "function":
        CHANCE.seed(f"{fixturedef.baseid}::{fixturedef.argname}")


@pytest.fixture(autouse=True)
def seeded_chance(request: pytest.FixtureRequest) -> None:
    CHANCE.seed(request.node.nodeid)


@pytest.fixture(scope="session", autouse=True)
def one_engine() -> Iterator[None]:
    """The charts of all releases are drawn by one engine: to start one takes longer than to make most of them.

    It ends with the thread that starts it, so that another thread has one of its own.
    """
    with ExitStack() as running, pytest.MonkeyPatch.context() as patch:

        @cache
        def engine() -> Engine | None:
            return running.enter_context(started_engine())

        def drawing(report: bool) -> AbstractContextManager[Engine | None]:
            if report and current_thread() is not main_thread():
                return started_engine()
            return nullcontext(engine() if report else None)

        patch.setattr("tacit.flow.drawing", drawing)
        yield


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data sets beside the project; what needs them is skipped, saying so, where they are absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real data sets (../shared/data) are not here")
    return SHARED_DATA
