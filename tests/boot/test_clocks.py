"""clock=: which timer gives seconds, the behaviour without that timer, and the output of `list`."""

import re

import pytest
from machine import SUCCESS, has

ADAPTIVE = "suite=calls bench=direct,direct_inc method=adaptive samples=64"
CLOCKS = ["tsc", "hpet", "pmtimer", "pit"]
OF_A_PROCESS = dict.fromkeys(["cputime", "clock", "thread", "times"], "needs an operating system; only the Linux program has it")


def timers(b, kind="clock"):
    """Returns the values in the output of `list`, by name; the text has the same."""
    found = {t["name"]: t for t in b.of("timer") if t["kind"] == kind}
    text = b.text[b.text.index(f"{kind}=") :]
    for name, timer in found.items():
        said = "initialises" if timer["initialises"] else f"not available: {timer['why']}"
        end = ".*" if timer["initialises"] else ""
        assert re.search(rf"^  {name} +{re.escape(said)}{end}\r?$", text, re.MULTILINE), str(b)
    return found


# 10 ms of a 1.19 MHz clock are 12,000 of its steps; in 200 ms it wraps four times.
@pytest.mark.parametrize("target", [10000, 200000])
@pytest.mark.parametrize("clock", CLOCKS)
def test_adaptive_gives_the_instruction_count_with_each_clock(boot, clock, target):
    """The clock's seconds, by the TSC's frequency measured against it, equal the instruction count."""
    b = boot(f"{ADAPTIVE} clock={clock} target={target}").must(SUCCESS, rows=2)
    assert b.run["clock"] == clock and "clock_refused" not in b.run, b.run
    assert re.search(rf"^clock +{clock}\r?$", b.text, re.MULTILINE), str(b)
    for row, instructions in zip(b.rows, (2, 4)):
        assert row["state"] == "done" and row["clock_failed"] == 0, row
        rel = 1e-6 if clock == "tsc" else 1e-3
        assert row["per_op"]["instructions"] == pytest.approx(instructions, rel=rel), row


@pytest.mark.parametrize("clock", CLOCKS)
def test_ns_rest_on_the_clock(boot, clock):
    """In plain emulation, where ns exist, each clock gives the TSC's frequency, and ns."""
    b = boot(f"suite=calls bench=direct samples=64 clock={clock}", icount=False).must(SUCCESS, rows=1)
    (row,) = b.rows
    hz = b.run["clock_tsc_hz"]
    # A busy host may stop the guest between the readings of two clocks; the test of method=adaptive counts exactly.
    assert hz == pytest.approx(b.run["tsc"]["hz"], rel=5e-2), b.run
    assert row["per_op"]["ns"] == pytest.approx(row["per_op"]["ticks"] * 1e9 / hz, rel=1e-5), row
    if clock != "tsc":
        measured = {s["name"]: s["hz"] for s in b.run["tsc"]["sources"] if "hz" in s}
        assert hz == measured[clock], b.run


@pytest.mark.parametrize(
    "machine, missing",
    [
        ("q35", {}),
        ("q35,hpet=off", {"hpet": "no HPET table"}),
        ("q35,acpi=off", {"hpet": "no HPET table", "pmtimer": "no FADT"}),
    ],
)
def test_list_shows_which_clocks_start(shared, machine, missing):
    b = shared("list", machine=machine).must(SUCCESS, rows=0)
    found = timers(b)
    assert list(found) == [*CLOCKS, *OF_A_PROCESS], str(b)
    assert {n: t["why"] for n, t in found.items() if not t["initialises"]} == missing | OF_A_PROCESS, found
    # Frequency, resolution, cost of a reading. Where instructions are counted the TSC has 1 GHz.
    for name, hz in {"tsc": 1e9, "hpet": 1e8, "pmtimer": 3579545, "pit": 1193182}.items():
        if name in missing:
            continue
        t = found[name]
        assert t["hz"] == pytest.approx(hz, rel=2e-3 if name == "tsc" else 1e-9), t
        assert t["resolution_ns"] == pytest.approx(t["resolution_counts"] * 1e9 / t["hz"], rel=1e-3), t
        assert t["resolution_ns"] >= 0.999e9 / t["hz"] and t["read_ns"] > 0, t
        assert f"resolution {t['resolution_ns']:g} ns" in b.text or t["resolution_ns"] % 1, str(b)
    assert found["tsc"]["resolution_counts"] % 128 == 0 and found["tsc"]["read_ns"] >= 128, found["tsc"]
    # An addition is one instruction of 128 ticks: the ruler's frequency, and the time of its chain of 1024.
    cycle = timers(b, "cycle")
    assert list(cycle) == ["pmc", "aperf", "ruler", "tsc", "null", "rdtscp", "perf"], cycle
    assert cycle["tsc"]["hz"] == found["tsc"]["hz"] and cycle["tsc"]["resolution_counts"] % 128 == 0, cycle["tsc"]
    assert has(cycle["rdtscp"], {"hz": found["tsc"]["hz"], "initialises": True}), cycle["rdtscp"]
    assert cycle["perf"]["why"] == OF_A_PROCESS["times"], cycle["perf"]
    ruler, add_ns = cycle["ruler"], 128e9 / found["tsc"]["hz"]
    assert 1e9 / ruler["hz"] == pytest.approx(add_ns * 66 / 64, rel=1e-3), ruler  # of 64 additions the loop has two more
    assert ruler["read_ns"] == pytest.approx(1024 * add_ns * 66 / 64, rel=0.02), ruler
    assert "counts nothing" in cycle["null"]["none"] and "hz" not in cycle["null"], cycle["null"]


def test_list_leaves_the_firmware_alive(boot):
    """After its timers were tested, the firmware still waits for a key, and continues to boot."""
    b = boot("list", debug_exit=False, keys={b"Press a key": b" "}, done=back_in_firmware)
    assert back_in_firmware(b.serial), str(b)
    assert all(t["initialises"] for name, t in timers(b).items() if name in CLOCKS), str(b)


def back_in_firmware(data):
    return b"BdsDxe" in data[data.find(b"Press a key") :] if b"Press a key" in data else False
