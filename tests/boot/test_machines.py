"""Different machines: CPUs, chipsets, memory, disks, consoles, and ways to end a run."""

import re

import pytest
from conftest import QUICK
from machine import BAD_OPTIONS, CHECK_FAILED, NO_REPORT, SUCCESS
from sharing import BLT_ONLY, EPYC, INTEL, LA57, QEMU64, SKYLAKE
from test_report import RECIPES

NEED_RDTSCP = {"rdtscp", "xfence", "paoloni"}


def supported(b):
    """Returns the recipes whose empty window was measured; the others must say why not."""
    found = set()
    for recipe in RECIPES:
        row = b.row("baseline", f"empty_{recipe}")
        if row["status"] == "unsupported":
            assert row["why"] and f"empty_{recipe}" in b.text, row
        else:
            assert row["status"] == "ok", row
            found.add(recipe)
    return found


@pytest.mark.parametrize("recipe", [r for r in RECIPES if r != "serialize"])
def test_counts_are_exact_with_each_recipe(boot, recipe):
    b = boot(f"suite=calls bench=direct,inline recipe={recipe} samples=64").must(SUCCESS, rows=2)
    assert b.run["options"]["recipe"] == recipe
    for row in b.rows:
        assert row["recipe"] == recipe and row["ticks"]["min"] == row["ticks"]["max"], row
        assert row["per_op"]["instructions"] == {"direct": 2, "inline": 0}[row["name"]], row


@pytest.mark.parametrize("cpu", ["Nehalem", *(pytest.param(cpu, marks=pytest.mark.others) for cpu in ("core2duo", "kvm64"))])
def test_cpus_without_rdtscp_run_the_other_recipes(boot, cpu):
    b = boot(cpu=cpu, whole=True).must(SUCCESS)
    assert supported(b) == set(RECIPES) - NEED_RDTSCP - {"serialize"}


def test_a_cpu_of_qemu_without_rdtscp_has_the_other_recipes(shared):
    assert supported(shared(**QEMU64).must(SUCCESS)) == set(RECIPES) - NEED_RDTSCP - {"serialize"}


@pytest.mark.parametrize("how", [{}, EPYC, SKYLAKE, INTEL], ids=["max", "EPYC", "Skylake-Server", "intel"])
def test_cpus_with_rdtscp_run_its_recipes(shared, how):
    assert supported(shared(**how).must(SUCCESS)) == set(RECIPES) - {"serialize"}


def test_an_atom_with_rdtscp_runs_its_recipes(boot):
    assert supported(boot(cpu="Denverton", whole=True).must(SUCCESS)) == set(RECIPES) - {"serialize"}


def test_execute_disable_that_is_off_is_a_warning(boot):
    """As a setup option may have it: the machine is in working order."""
    b = boot(cpu="max,-nx", whole=True).must(SUCCESS)
    (test,) = [t for t in b.of("selftest") if t["name"] == "protection"]
    assert test["result"] == "not judged", test
    assert any("Execute Disable" in e["message"] for e in b.events("warning")), b.events()


@pytest.mark.parametrize("how", [INTEL, {}, EPYC], ids=["intel", "amd", "amd-model"])
def test_the_default_recipe_of_each_vendor_is_lfence(shared, how):
    """LFENCE serialises on Intel and, after the MSR is set, on AMD."""
    assert shared(**how).must(SUCCESS).row("baseline", "do_nothing")["recipe"] == "lfence"


def test_little_memory_is_enough(boot):
    """test_cores.py has more than 4 GiB."""
    boot(memory=52, whole=True).must(SUCCESS)


def test_too_little_memory_is_reported(boot):
    b = boot("suite=baseline samples=1000000", memory=48, whole=True).must(BAD_OPTIONS, rows=0)
    (error,) = b.events("error")
    for word in ("KiB", "samples="):
        assert word in error["message"] and word in b.text, error


NO_HPET, NO_ACPI = {"machine": "q35,hpet=off"}, {"machine": "q35,acpi=off"}
MACHINES = {
    "no-acpi": NO_ACPI,
    "no-hpet": NO_HPET,
    "vga": {"extra": ["-device", "VGA"]},
    "virtio-gpu": BLT_ONLY,
    "two-cores": {"extra": ["-smp", "2"]},
    "la57-cpu": LA57,
}


def exact(b):
    """All windows of a row have the same ticks."""
    for row in (r for r in b.rows if r["status"] == "ok"):
        assert row["ticks"]["min"] == row["ticks"]["max"], row


@pytest.mark.parametrize("how", MACHINES.values(), ids=MACHINES)
def test_counts_are_exact_on_every_machine(shared, how):
    exact(shared(**how).must(SUCCESS))


def test_a_machine_with_several_rare_properties_works(boot):
    """An unknown vendor, no pages of 1 GiB, no SMM, five packages of one core. test_screen.py has ramfb and cirrus-vga,
    test_facts.py SMBIOS's other entry point."""
    b = boot(cpu="max,vendor=baretickTest,pdpe1gb=off", machine="q35,smm=off", extra=["-smp", "5,sockets=5"], whole=True)
    exact(b.must(SUCCESS))
    assert b.row("baseline", "do_nothing")["recipe"] == "cpuid"
    assert (b.run["topology"]["packages"], b.run["cores"]["up"]) == (5, 5), b.run["topology"]


@pytest.mark.parametrize(
    "how, missing",
    [(NO_HPET, {"hpet"}), (NO_ACPI, {"hpet", "pmtimer"})],
    ids=["no-hpet", "no-acpi"],
)
def test_missing_clock_sources_are_listed(shared, how, missing):
    """Fewer clocks to measure the TSC with; its frequency is still known, and the report lists the missing clocks."""
    b = shared(**how).must(SUCCESS)
    tsc = b.run["tsc"]
    assert {s["name"] for s in tsc["sources"] if "why_not" in s} == missing | {"cpuid15", "stated"}, tsc
    # 2^7 ticks per instruction of 128 ns: the virtual TSC has 1 GHz.
    assert tsc["hz"] == pytest.approx(1e9, rel=1e-4), tsc
    for name in missing:
        assert f"{name} " in b.text, str(b)


def test_an_ide_disk_on_pc_boots(boot, stick):
    boot("", disk=stick({"baretick.conf": QUICK.encode()}), bus="ide", machine="pc").must(SUCCESS)


@pytest.mark.parametrize(
    "words, how, status",
    [
        ("", {}, NO_REPORT),
        (" takeover=exit", {}, NO_REPORT),
        ("", {"extra": ["-device", "VGA"]}, SUCCESS),
    ],
    ids=["blind", "blind, and not borrowed", "screen"],
)
def test_without_a_serial_port_the_run_continues(boot, words, how, status):
    """The run continues; if nobody can read its report, its exit status shows that."""
    b = boot(QUICK + words, serial=False, **how)
    assert b.status == status and not b.serial, str(b)


def test_a_failure_comes_before_a_report_that_is_nowhere(boot):
    b = boot("suite=provoke bench=wrong samples=16", serial=False)
    assert b.status == CHECK_FAILED, str(b)


@pytest.mark.parametrize("words", ["serial=off", "serial=com2"])
def test_the_firmware_console_shows_that_the_report_is_nowhere(boot, words):
    b = boot(f"{QUICK} {words}")
    assert b.status == NO_REPORT and not b.records, str(b)
    assert re.search("^baretick: .*report .*: no serial port, no screen", b.text, re.M), str(b)


def ended(data):
    return b'"type":"end"' in data and data.rstrip().endswith(b")")


@pytest.mark.parametrize("finish", ["poweroff", "reboot"])
def test_finish_switches_the_machine_off_or_resets_it(boot, finish):
    """QEMU exits with 0 when the machine is switched off and, with -no-reboot, when it is reset."""
    b = boot(f"{QUICK} finish={finish}")
    assert b.exit == 0 and b.end["verdict"] == "pass", str(b)


def test_finish_halt_leaves_the_machine_on(boot):
    b = boot(f"{QUICK} finish=halt", done=ended)
    assert b.exit is None and b.end["verdict"] == "pass", str(b)


@pytest.mark.parametrize("machine", ["q35", "pc"])
def test_qemu_is_switched_off_without_the_exit_device(boot, machine):
    b = boot(machine=machine, debug_exit=False, whole=machine == "pc")
    assert b.exit == 0 and b.end["verdict"] == "pass", str(b)
    exact(b)


@pytest.mark.parametrize("words, whole", [
    ("suite=quiet,baseline,calls bench=gaps,*plt*,empty*,do* samples=64 cycle=pmc,aperf,auto turbo=off dma=off", True),
    ("suite=calls bench=direct,direct_inc method=adaptive samples=64 clock=pit,tsc", False),
], ids=["from power-on", "by the PIT"])  # fmt: skip
def test_two_boots_give_the_same_bytes(boot, words, whole):
    """The gap detector, the choice of a cycle's source, settings and devices are included."""
    first, second = (boot(words, whole=whole) for _ in "12")
    first.must(SUCCESS)
    assert first.serial == second.serial
