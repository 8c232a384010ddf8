"""scripts/checks/climbs: calls that go from a room into one that uses it."""

import re
import shutil

from commands import module_of, output_of, run_command
import pytest
from conftest import ROOT


@pytest.fixture(name="climbs", scope="module")
def fixture_climbs():
    return module_of(ROOT / "scripts/checks/climbs")


RUN = ("run_row", "bench/run/run.c")
SAMPLER = ("sampler", "bench/engine/sampler.c")
STEP = ("stats_step", "lib/stats/step.c")


def test_a_call_into_a_room_that_uses_the_callers_climbs(climbs):
    calls = [(RUN, SAMPLER), (SAMPLER, RUN), (SAMPLER, STEP), (STEP, RUN)]
    assert list(climbs.climbs(calls)) == [(SAMPLER, RUN), (STEP, RUN)]


def test_a_call_within_a_room_does_not_climb(climbs):
    assert not list(climbs.climbs([(SAMPLER, ("gathered", "bench/engine/gathered.c"))]))


@pytest.mark.others
@pytest.mark.native
@pytest.mark.skipif(not shutil.which("gcc"), reason="clang cannot leave files out of its instrumentation")
def test_only_the_platform_is_called_from_below_and_the_frames_to_a_window_are_bounded():
    """One test, because both commands build in one folder. The number of functions that the first calls reach depends
    on the machine, for example on whether it has a counter."""
    ran = run_command(ROOT / "scripts/checks/climbs")
    *found, count = ran.stdout.splitlines()
    assert ran.returncode in (0, 1) and re.match(rf"{len(found)} of the first 200 calls below run_row", count), ran
    assert found and all(re.search(r" calls hosted/[\w./]+: \w+\(\)$", line) for line in found), found
    *frames, count = output_of(ROOT / "scripts/checks/climbs", "--frames").splitlines()
    assert frames[0].endswith(" bench_run()") and frames[-1].endswith(" run_window()"), frames
    assert count.startswith(f"{len(frames)} frames in "), count
