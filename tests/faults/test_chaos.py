"""A sample of what `make chaos` does, and that it sees a dealer which breaks its word."""

import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from itertools import cycle
from pathlib import Path

import pytest

from tests.chaos.bench import Bench
from tests.chaos.campaign import Run, play_through
from tests.chaos.clocks import jumping
from tests.chaos.drains import drain
from tests.chaos.fates import FAIL, Fault
from tests.chaos.houses import ROOT, stable
from tests.chaos.kills import MOMENTS
from tests.chaos.network import ATTEMPT, Proxied, Storm
from tests.chaos.plans import BRIEF, SHORT, TINY
from tests.chaos.postgres import database
from tests.chaos.restores import restore
from tests.chaos.shared import LEASE, Place, play_shared
from tests.chaos.syscalls import listed, tracing
from tests.support.postgres import find_programs

_ALL = tuple(fault for faults in MOMENTS.values() for fault in faults)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with stable() as running:
        yield Bench(running, tmp_path, "7")


def require_clean(run: Run, least: int) -> None:
    """Hold a run to have lost and forked nothing, through so many faults at least."""
    ruling = run.ruling
    assert ruling.is_clean, (ruling.lost[:3], ruling.forked[:3], ruling.wrong[:3])
    assert len(run.faults) >= least, run.faults


async def test_a_game_goes_on_through_kills_at_every_step(bench: Bench) -> None:
    final = await bench.undisturbed(SHORT)
    run = await play_through(
        bench.stable,
        SHORT,
        bench.seed,
        bench.folder / "kills",
        cycle(_ALL),
        name="kills",
        undisturbed=final,
    )
    require_clean(run, 30)
    assert {one.split(" ", 1)[1] for one in run.faults} == {
        "before append_all",
        "after append_all",
        "torn write signed.journal",
        "after write signed.journal",
        "after sync signed.journal",
    }


async def test_a_game_goes_on_through_writes_and_syncs_that_fail(bench: Bench) -> None:
    final = await bench.undisturbed(TINY)
    run = await play_through(
        bench.stable,
        TINY,
        bench.seed,
        bench.folder / "failures",
        cycle(Fault(one.step, one.moment, how=FAIL) for one in _ALL),
        name="failures",
        undisturbed=final,
    )
    require_clean(run, 10)


async def test_a_game_goes_on_through_system_calls_that_fail(bench: Bench) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    final = await bench.undisturbed(TINY)
    run = await play_through(
        bench.stable,
        TINY,
        bench.seed,
        bench.folder / "syscalls",
        name="syscalls",
        undisturbed=final,
        attend=tracing(listed()[::8]),
    )
    require_clean(run, 3)


async def test_a_game_goes_on_through_a_network_that_cuts_and_loses(bench: Bench) -> None:
    final = await bench.undisturbed(SHORT)
    storm = Storm()
    run = await play_through(
        bench.stable,
        SHORT,
        bench.seed,
        bench.folder / "network",
        name="network",
        undisturbed=final,
        meanwhile=storm,
        way_of=Proxied,
        attempt=ATTEMPT,
    )
    require_clean(run, 15)
    assert storm.twice


async def test_a_game_goes_on_while_the_clock_is_set_at_every_start(bench: Bench) -> None:
    final = await bench.undisturbed(SHORT)
    run = await play_through(
        bench.stable,
        SHORT,
        bench.seed,
        bench.folder / "clocks",
        cycle((Fault("append_all", "after", nth=3),)),
        name="clocks",
        undisturbed=final,
        prepare=jumping(),
    )
    require_clean(run, 16)


async def test_a_dealer_that_is_told_to_end_loses_no_call_and_ends_with_0(bench: Bench) -> None:
    run = await drain(bench, SHORT)
    require_clean(run, 10)


async def test_a_store_that_is_brought_back_is_refused_and_never_forked(bench: Bench) -> None:
    run = await restore(bench, last=40, every=13)
    require_clean(run, 2)


async def test_a_hand_ends_at_another_dealer_when_its_owner_is_killed(bench: Bench) -> None:
    find_programs()
    async with database() as (_, url):
        faults = (Fault("append_all", "after", nth=6), Fault("append_all", "before", nth=6))
        places = [Place(name, cycle(faults), rest=2.5 * LEASE) for name in "ab"]
        run = await play_shared(bench, "takeovers", url, places, plan=BRIEF)
    require_clean(run, 3)


async def broken(bench: Bench, way: str, *faults: Fault) -> Run:
    """Play through faults with a dealer that is dishonest in a known way."""
    final = await bench.undisturbed(SHORT)
    return await play_through(
        bench.stable,
        SHORT,
        bench.seed,
        bench.folder / way,
        cycle(faults),
        name=way,
        undisturbed=final,
        broken=way,
    )


async def test_a_dealer_that_acknowledges_before_the_commit_is_seen_to_lose(bench: Bench) -> None:
    run = await broken(bench, "acknowledge_early", Fault("append_all", "before", nth=3))
    assert run.ruling.lost


async def test_a_dealer_that_deals_again_is_seen_to_fork(bench: Bench) -> None:
    run = await broken(bench, "deal_again", Fault("append_all", "after", nth=2))
    assert run.ruling.forked


async def test_a_dealer_that_keeps_no_answers_is_seen_to_lose(bench: Bench) -> None:
    run = await broken(bench, "keep_no_answers", Fault("append_all", "after", nth=2))
    assert run.ruling.lost


async def test_a_dealer_that_trusts_any_store_is_seen(bench: Bench) -> None:
    run = await restore(bench, last=40, every=13, broken="trust_any_store")
    assert run.ruling.lost or run.ruling.forked


def test_it_ends_with_one_line_of_what_came_and_what_it_cost() -> None:
    asked = ["--quick", "--only", "drains", "--store", "sqlite", "--seed", "3"]
    ended = subprocess.run(
        [sys.executable, "-m", "tests.chaos", *asked],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert re.fullmatch(r"faults [1-9][0-9]*, lost 0, forked 0\n", ended.stdout)
