# SPDX-License-Identifier: MIT
"""The plug-in of pytest: `pytest --hybridnet`. Without that option it does nothing.

A test that takes the fixture ``net`` has a network of its own, which runs before it begins and is gone when it ends.
The verdict on it is asked before it is removed. A failure under another verdict than *trusted* says nothing about what
is tested: the test is run again, and at last reported as inconclusive, which is no failure. A network that could not be
made or removed in time has no verdict; then that on this computer meanwhile takes its place.

A test with the marker ``explore`` fails if one of many trials of its application does: `hybridnet.testing.explored`.

In simulated time the load of the computer does not count, so every failure says something. Then the whole of pytest
runs in a kernel of its own.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import runtestprotocol  # as what runs tests again has it

from hybridnet.describe.topo import Topo
from hybridnet.errors import EnvironmentLackError, HybridnetError, UsageError
from hybridnet.observe.results.limits import Limits
from hybridnet.observe.results.verdict import Verdict
from hybridnet.system.simulated_time import REAL, SIMULATED, TIMES, time_is_simulated
from hybridnet.testing.judged import why_inconclusive
from hybridnet.testing.kept import FOLDER, folder_of, keep
from hybridnet.testing.matching import match
from hybridnet.testing.waiting import wait_until
from hybridnet.testing.watched import Watched, may_be_load

if TYPE_CHECKING:
    from hybridnet.run.net import Net

__all__ = ["Networks", "pytest_addoption", "pytest_cmdline_main", "pytest_configure"]

AUTO = "auto"
TRIES = 3
"""How often a test is run at most, while its verdicts say nothing of it."""
MARKER = "network"
MARKER_TAKES = (
    "network(topo=, controller=, **options): of the fixture net: a topology as `hybridnet run --topo` takes it, such "
    'as "tree,2", or a class or an object of one; controllers as --controller takes them, or objects; and what '
    "hybridnet.Net takes besides"
)
EXPLORE = "explore"
EXPLORE_TAKES = (
    "explore(app=, topo=, seeds=, invariants=, schedule=, controllers=, protocols=, arguments=, repetitions=): trials "
    "of an SDN application, as `hybridnet explore` runs them, before the test's own body; what is found fails the test"
)
FAILURE, VERDICTS = pytest.StashKey[str](), pytest.StashKey[list[Verdict]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hybridnet", "networks: fixtures net, wait_until and match, of hybridnet")
    group.addoption("--hybridnet", action="store_true", help="give them, and judge failures by the verdict")
    group.addoption(
        "--hybridnet-time",
        choices=(AUTO, *TIMES),
        default=AUTO,
        help="in which time networks run; auto: simulated, where `hybridnet setup-kernel` has made its kernel and "
        "xdist is not used, else real, as root (default: auto)",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("hybridnet"):
        config.addinivalue_line("markers", MARKER_TAKES)
        config.addinivalue_line("markers", EXPLORE_TAKES)
        config.pluginmanager.register(Networks(config), "hybridnet-networks")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Run all of it again, in simulated time, where that is wanted and not so yet."""
    if (
        not config.getoption("hybridnet")
        or config.option.help
        or _time(config) == REAL
        or time_is_simulated()
    ):
        return None
    from hybridnet.kernel.whole_run import run_again

    here = config.invocation_params.dir
    words = [sys.executable, "-m", "pytest", *map(str, config.invocation_params.args)]
    try:
        return run_again(words, here / FOLDER, 1, _say)
    except (UsageError, EnvironmentLackError) as error:
        raise pytest.UsageError(str(error)) from error
    except HybridnetError as error:
        _say(f"error: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        _say("interrupted")
        return pytest.ExitCode.INTERRUPTED


def _say(line: str) -> None:
    if not line.startswith(".pytest_cache"):
        print(f"hybridnet: {line}", file=sys.stderr)


def _time(config: pytest.Config) -> str:
    if time_is_simulated():
        return SIMULATED
    asked = str(config.getoption("hybridnet_time"))
    processes = config.getoption("numprocesses", None) or hasattr(config, "workerinput")
    if asked == SIMULATED and processes:
        raise pytest.UsageError("--hybridnet-time simulated: there is one processor in it; leave out -n")
    if asked != AUTO:
        return asked
    if processes:
        return REAL
    from hybridnet.kernel.build import find_kernel

    try:
        find_kernel()
    except EnvironmentLackError:
        return REAL
    return SIMULATED


class Networks:
    """What pytest asks where tests may have networks."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_report_header(self) -> str:
        return f"hybridnet: networks in {_time(self._config)} time"

    @pytest.fixture
    def net(self, request: pytest.FixtureRequest) -> Iterator[Any]:
        """A network that runs: the one that the marker ``network`` describes, or the test's parameter ``net``."""
        item = request.node
        try:
            net, limits = _described(request)
        except HybridnetError as error:
            pytest.fail(str(error), pytrace=False)
        with self._watched(item, limits):
            net.start()
        try:
            yield net
            verdict = net.verdict()
            item.stash.setdefault(VERDICTS, []).append(verdict)
            if (said := item.stash.get(FAILURE, None)) is not None:
                keep(self._folder(item), item.nodeid, said, net, verdict)
        finally:
            with self._watched(item, limits):
                net.stop()

    @contextmanager
    def _watched(self, item: pytest.Item, limits: Limits) -> Iterator[None]:
        """An error of what is done here is the test's, in one line; the verdict on this computer says what it is worth.

        Nothing of this excuses a test that had failed before.
        """
        with Watched(limits) as watched:
            try:
                yield
            except HybridnetError as error:
                if FAILURE not in item.stash:
                    verdict = watched.verdict()
                    if may_be_load(error):
                        item.stash.setdefault(VERDICTS, []).append(verdict)
                    keep(self._folder(item), item.nodeid, str(error), None, verdict)
                pytest.fail(str(error), pytrace=False)

    @pytest.fixture(name="wait_until")
    def wait_until_fixture(self) -> Callable[..., Any]:
        """See `hybridnet.testing.waiting.wait_until`."""
        return wait_until

    @pytest.fixture(name="match")
    def match_fixture(self) -> Callable[..., Any]:
        """See `hybridnet.testing.matching.match`."""
        return match

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, object, object]:
        """Before the body of a test with the marker ``explore``: its trials."""
        marker = pyfuncitem.get_closest_marker(EXPLORE)
        if marker is not None:
            self._explore(pyfuncitem, marker)
        return (yield)

    def _explore(self, item: pytest.Function, marker: pytest.Mark) -> None:
        from hybridnet.testing.explored import explore, keep_counterexample, topology_of

        try:
            if marker.args or "net" in item.fixturenames:
                raise UsageError(
                    f'{EXPLORE}: write @pytest.mark.{EXPLORE}(app="my_app.py", ...), with names, above a test without '
                    "the fixture net: its network is another one"
                )
            report = explore(marker.kwargs, _topology(topology_of(marker.kwargs)))
        except HybridnetError as error:
            pytest.fail(str(error), pytrace=False)
        folder = self._folder(item)
        shutil.rmtree(folder, ignore_errors=True)
        if report.counterexample is not None:
            keep_counterexample(folder, item.nodeid, report)
            pytest.fail(report.text(), pytrace=False)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.failed:
            item.stash[FAILURE] = report.longreprtext
        return report

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        if "net" not in getattr(item, "fixturenames", ()):
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for _ in range(TRIES):
            verdicts = item.stash[VERDICTS] = list[Verdict]()
            if FAILURE in item.stash:
                del item.stash[FAILURE]
            reports = runtestprotocol(item, nextitem=nextitem, log=False)
            failed = [report for report in reports if report.failed]
            why = why_inconclusive(bool(failed), verdicts)
            if why is None:
                break
        if not failed:
            shutil.rmtree(self._folder(item), ignore_errors=True)
        for report in reports:
            if report.failed and why is not None:
                _be_inconclusive(report, why)
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
        if getattr(report, "hybridnet_inconclusive", None) is None:
            return None
        return "inconclusive", "I", ("INCONCLUSIVE", {"yellow": True})

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        reports = terminalreporter.stats.get("inconclusive", [])
        if reports:
            terminalreporter.section(f"inconclusive: failed {TRIES} times, and the verdict was never trusted")
        for report in reports:
            terminalreporter.line(f"{report.nodeid}: {report.hybridnet_inconclusive}")

    def _folder(self, item: pytest.Item) -> Path:
        return folder_of(self._config.invocation_params.dir, item.nodeid)


def _be_inconclusive(report: Any, why: str) -> None:
    """Report no failure: pytest knows no fourth outcome that is not red."""
    crash = getattr(report.longrepr, "reprcrash", None)
    said = str(report.longreprtext if crash is None else crash.message).removeprefix("Failed: ").strip()
    [first, *_] = said.split("\n")
    why = f"{why}; what failed ({report.when}): {first}"
    report.outcome = "skipped"
    path, line, _ = report.location
    report.longrepr = (path, line or 0, f"Inconclusive: {why}")
    report.hybridnet_inconclusive = why


def _described(request: pytest.FixtureRequest) -> tuple[Net, Limits]:
    """The network that a test describes, and what it tolerates."""
    from hybridnet.cli.network import controllers_of
    from hybridnet.run.net import Net

    marker = request.node.get_closest_marker(MARKER)
    words: dict[str, Any] = {} if marker is None else dict(marker.kwargs)
    topo = getattr(request, "param", words.pop("topo", None))
    if topo is None:
        raise pytest.UsageError(
            f'{request.node.nodeid}: net: which network? Write @pytest.mark.{MARKER}(topo="tree,2") above the test, or '
            'parametrize("net", ["tree,2", "linear,4"], indirect=True)'
        )
    made = _topology(topo)
    named = words.pop("controller", [])  # none named: hybridnet's own
    if isinstance(named, str):
        named = [named]
    texts = named if isinstance(named, list) and all(isinstance(each, str) for each in named) else None
    net = Net(made, controller=named if texts is None else controllers_of(texts or None, made), **words)
    return net, words.get("limits") or Limits()


def _topology(topo: Any) -> Topo:
    from hybridnet.cli.topology import find_topology

    if isinstance(topo, str):
        return find_topology(None, topo)
    made = topo() if callable(topo) else topo
    if not isinstance(made, Topo):
        raise UsageError(
            f"net: {made!r} is no topology; write a class of hybridnet.Topo, or text such as 'tree,2'"
        )
    return made
