"""Rules for the whole suite: no test depends on speed, and none is skipped where it counts.

With CI=true a skipped or expected-to-fail test or module is a failure that says its reason. Where a
test does not say how many examples it tries, they are `CUTCARD_EXAMPLES`: more at night.
"""

import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

# Neither a slow test nor slow drawing of its inputs is a fault: both go by the clock.
settings.register_profile(
    "house",
    max_examples=int(os.environ.get("CUTCARD_EXAMPLES", "50")),
    deadline=None,
    suppress_health_check=(HealthCheck.too_slow,),
    print_blob=True,
)
settings.load_profile("house")

# The modules whose single tests take longest, the longest first. Each process begins with its
# share, so that none is left to run alone in the end.
LONG = (
    "test_bench.py",
    "test_page_agrees.py",
    "test_rng_test_command.py",
    "test_typescript_told.py",
    "test_rng_certify.py",
    "test_installed.py",
    "test_rng_cluster.py",
    "test_whole_event.py",
    "test_rng_counter_cache.py",
)

# A shell starts what runs in the background deaf to interrupts, and every child would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Have each process begin with its share of the long modules.

    Each is given its part of the items in one piece, and all of them as many.
    """
    count: int = getattr(config, "workerinput", {}).get("workercount", 1)
    modules: dict[str, list[pytest.Item]] = {name: [] for name in LONG}
    rest: list[pytest.Item] = []
    for item in items:
        modules.get(item.path.name, rest).append(item)
    size = len(items)
    items.clear()
    for process in range(count):
        end = size * (process + 1) // count
        for name in LONG[process::count]:
            items += modules[name]
        more = max(0, end - len(items))
        items += rest[:more]
        rest = rest[more:]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail each skipped test in CI."""
    report = yield
    _fail_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fail each skipped module in CI."""
    report = yield
    _fail_skip(report)
    return report


def _fail_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if os.environ.get("CI") != "true" or report.outcome != "skipped":
        return
    where = report.longrepr
    reason = where[2] if isinstance(where, tuple) else getattr(report, "wasxfail", str(where))
    report.outcome = "failed"
    report.longrepr = f"skipped, which is a failure when CI=true: {reason}"
    if hasattr(report, "wasxfail"):
        del report.wasxfail
