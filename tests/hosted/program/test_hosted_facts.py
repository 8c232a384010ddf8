"""The facts about the CPU in the report of the Linux program, against those of the system."""

import os
import re
import subprocess
from pathlib import Path

from launch import launches
import pytest
from conftest import CPUS as ALLOWED
from conftest import ONE

QUICK = ["suite=planted", "bench=adds20", "samples=16", "retry_budget=0", "format=jsonl"]
CPUS = Path("/sys/devices/system/cpu")
pytestmark = pytest.mark.native  # the system knows its own CPU
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@pytest.fixture(scope="module")
def said(program):
    """The `run` record; one launch serves all tests."""
    os.sched_setaffinity(0, ALLOWED)  # the process may use all that the system has
    p = subprocess.run([program, *QUICK], stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    os.sched_setaffinity(0, ONE)
    run = launches.Launch(p.stdout, p.returncode, 0).run
    assert run, p.stderr.decode()
    return run


def cpuinfo(cpu):
    """Returns /proc/cpuinfo of one CPU."""
    for block in Path("/proc/cpuinfo").read_text().split("\n\n"):
        found = dict(re.findall(r"^(\S[^\t:]*)\s*: ?(.*)$", block, re.MULTILINE))
        if found.get("processor") == str(cpu):
            return found
    raise AssertionError(f"/proc/cpuinfo has no CPU {cpu}")


def listed(text):
    """Returns "0-2,5" as a set."""
    found = set()
    for part in text.strip().split(","):
        low, _, high = part.partition("-")
        found |= set(range(int(low), int(high or low) + 1))
    return found


def test_the_cpu_is_named_as_the_system_names_it(said):
    system = cpuinfo(said["process"]["cpu"])
    cpu = said["cpu"]
    assert cpu["vendor"] == system["vendor_id"]
    assert (cpu["family"], cpu["model"]) == (int(system["cpu family"]), int(system["model"]))
    assert cpu["stepping"] == int(system["stepping"])
    assert cpu["brand"] == system["model name"].strip()
    if "microcode" in system:
        assert cpu["microcode"] == int(system["microcode"], 16)
    assert said["virtualised"] == ("hypervisor" in system["flags"].split())
    assert said["tsc"]["invariant"] == ("constant_tsc" in system["flags"].split() and "nonstop_tsc" in system["flags"].split())


def test_caches_are_those_that_the_system_reports(said):
    """They are the same as in sysfs, with sharers counted among the CPUs that this process may use."""
    folder = CPUS / f"cpu{said['process']['cpu']}" / "cache"
    found = sorted(folder.glob("index*"), key=lambda p: int(p.name[5:]))
    if not found:
        pytest.skip("the system does not tell the caches")
    expected = []
    for index in found:
        read = {f.name: f.read_text().strip() for f in index.iterdir() if f.is_file() and os.access(f, os.R_OK)}
        if not {"size", "coherency_line_size", "ways_of_associativity", "shared_cpu_list"} <= set(read):
            pytest.skip("the system does not tell all of the caches")
        one = {
            "level": int(read["level"]),
            "type": read["type"].lower(),
            "size_bytes": int(read["size"][:-1]) * UNITS[read["size"][-1]],
            "line_bytes": int(read["coherency_line_size"]),
            "ways": int(read["ways_of_associativity"]),
            "shared_by": len(listed(read["shared_cpu_list"]) & set(ALLOWED)),
        }
        expected.append(one)
    assert said["caches"] == expected


def test_the_topology_is_that_of_the_system(said):
    places = set()
    for cpu in ALLOWED:
        topology = CPUS / f"cpu{cpu}" / "topology"
        if not topology.exists():
            pytest.skip("the system does not tell the topology")
        places.add(tuple(int((topology / name).read_text()) for name in ("physical_package_id", "core_id")))
    t = said["topology"]
    assert t["logical_cpus"] == len(ALLOWED)
    assert t["packages"] == len({package for package, _ in places})
    assert t["cores"] == len(places)


def test_the_memory_is_that_of_the_system(said):
    total = re.search(r"^MemTotal: +(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    assert said["memory"]["bytes"] == int(total[1]) * 1024


def test_controls_are_not_claimed_to_be_on_or_off(said):
    """An MSR says whether they are."""
    assert not any(name.endswith("_on") for name in said["mitigations"])


def test_a_stated_frequency_is_not_used_where_a_clock_answers(said):
    stated = said["tsc"]["sources"][-1]
    assert stated["name"] == "stated"
    if "hz" in stated:
        assert stated["by"] in ("hypervisor", "cpuid_15h_model_crystal") and said["tsc"]["source"] != "stated"
    else:
        assert stated["why_not"]
