"""Machines that differ: CPUs, chipsets, memory, disks, consoles, and how a run ends."""

import pytest
from conftest import QUICK
from machine import BAD_OPTIONS, CHECK_FAILED, NO_REPORT, SUCCESS
from test_report import RECIPES

INTEL = "max,vendor=GenuineIntel,family=6,model=85,stepping=7"
NEED_RDTSCP = {"rdtscp", "xfence", "paoloni"}


def supported(b):
    """The recipes whose empty window was measured; the others must say why not."""
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
def test_each_recipe(boot, recipe):
    b = boot(f"suite=calls bench=direct,inline recipe={recipe} samples=64").must(SUCCESS, rows=2)
    assert b.run["options"]["recipe"] == recipe
    for row in b.rows:
        assert row["recipe"] == recipe and row["ticks"]["min"] == row["ticks"]["max"], row
        assert row["per_op"]["instructions"] == {"direct": 2, "inline": 0}[row["name"]], row


@pytest.mark.parametrize("cpu", ["qemu64", "core2duo", "kvm64", "Nehalem"])
def test_cpus_without_rdtscp(boot, cpu):
    b = boot(cpu=cpu).must(SUCCESS)
    assert supported(b) == set(RECIPES) - NEED_RDTSCP - {"serialize"}


@pytest.mark.parametrize("cpu", ["max", "EPYC", "Skylake-Server", "Denverton", INTEL])
def test_cpus_with_rdtscp(boot, cpu):
    b = boot(cpu=cpu).must(SUCCESS)
    assert supported(b) == set(RECIPES) - {"serialize"}


@pytest.mark.parametrize(
    "cpu, recipe",
    [
        (INTEL, "lfence"),
        ("max", "lfence"),
        ("EPYC", "lfence"),
        ("max,vendor=baretickTest", "cpuid"),
    ],
    ids=["intel", "amd", "amd-model", "unknown"],
)
def test_default_recipe_of_each_vendor(boot, cpu, recipe):
    """LFENCE serialises on Intel and, once asked to, on AMD; of others nothing is known."""
    b = boot("suite=calls bench=direct samples=32", cpu=cpu).must(SUCCESS, rows=1)
    assert b.rows[0]["recipe"] == recipe


@pytest.mark.parametrize("memory", [52, 64, 128, 4096])
def test_memory_sizes(boot, memory):
    boot(memory=memory).must(SUCCESS)


def test_too_little_memory_is_said(boot):
    b = boot("suite=baseline samples=1000000", memory=48).must(BAD_OPTIONS, rows=0)
    (error,) = b.events("error")
    for word in ("KiB", "samples="):
        assert word in error["message"] and word in b.text, error


MACHINES = {
    "pc": {"machine": "pc"},
    "no-acpi": {"machine": "q35,acpi=off"},
    "no-hpet": {"machine": "q35,hpet=off"},
    "no-smm": {"machine": "q35,smm=off"},
    "vga": {"extra": ["-device", "VGA"]},
    "cirrus": {"extra": ["-device", "cirrus-vga"]},
    "virtio-gpu": {"extra": ["-device", "virtio-gpu-pci"]},
    "ramfb": {"extra": ["-device", "ramfb"]},
    "two-cores": {"extra": ["-smp", "2"]},
    "five-cores-one-package-each": {"extra": ["-smp", "5,sockets=5"]},
    "la57-cpu": {"cpu": "max,la57=on"},
    "no-1g-pages": {"cpu": "max,pdpe1gb=off"},
    "smbios-64": {"machine": "q35,smbios-entry-point-type=64"},
}


@pytest.mark.parametrize("how", MACHINES.values(), ids=MACHINES)
def test_machines(boot, how):
    b = boot(**how).must(SUCCESS)
    for row in (r for r in b.rows if r["status"] == "ok"):
        assert row["ticks"]["min"] == row["ticks"]["max"], row


@pytest.mark.parametrize(
    "how, missing",
    [({"machine": "q35,hpet=off"}, {"hpet"}), ({"machine": "q35,acpi=off"}, {"hpet", "pmtimer"})],
    ids=["no-hpet", "no-acpi"],
)
def test_clock_sources_that_are_missing(boot, how, missing):
    """Less to measure the TSC with; it is still known, and the report says what is not there."""
    b = boot(**how).must(SUCCESS)
    tsc = b.run["tsc"]
    assert {s["name"] for s in tsc["sources"] if "why_not" in s} == missing | {"cpuid15", "stated"}, tsc
    # 2^7 ticks an instruction of 128 ns: the virtual TSC is 1 GHz.
    assert tsc["hz"] == pytest.approx(1e9, rel=1e-4), tsc
    for name in missing:
        assert f"{name} " in b.text, str(b)


def test_ide_disk_on_pc(boot, stick):
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
def test_no_serial_port(boot, words, how, status):
    """The run goes on; where nobody can read its report, its exit status says so."""
    b = boot(QUICK + words, serial=False, **how)
    assert b.status == status and not b.serial, str(b)


def test_a_failure_comes_before_a_report_that_is_nowhere(boot):
    b = boot("suite=provoke bench=wrong samples=16", serial=False)
    assert b.status == CHECK_FAILED, str(b)


@pytest.mark.parametrize("words", ["serial=off", "serial=com2"])
def test_serial_port_that_is_not_used(boot, words):
    """Off, or not there: the firmware's own console, which is COM1, tells where the report is not."""
    b = boot(f"{QUICK} {words}")
    assert b.status == NO_REPORT and not b.records, str(b)
    assert "baretick: the report is nowhere: there is no serial port, no screen" in b.text, str(b)


def test_second_serial_port(boot, tmp_path):
    line = tmp_path / "com2"
    b = boot(QUICK + " serial=com2,57600", extra=["-serial", f"file:{line}"])
    assert b.status == SUCCESS and not b.records and b'"verdict":"pass"' in line.read_bytes(), str(b)


def ended(data):
    return b'"type":"end"' in data and data.rstrip().endswith(b")")


@pytest.mark.parametrize("finish", ["poweroff", "reboot"])
def test_finish(boot, finish):
    """QEMU leaves with 0 when the machine is switched off, and, told so, when it is reset."""
    b = boot(f"{QUICK} finish={finish}")
    assert b.exit == 0 and b.end["verdict"] == "pass", str(b)


def test_finish_halt(boot):
    b = boot(f"{QUICK} finish=halt", done=ended)
    assert b.exit is None and b.end["verdict"] == "pass", str(b)


@pytest.mark.parametrize("machine", ["q35", "pc"])
def test_without_the_exit_device(boot, machine):
    """Nobody listens at 0xf4: QEMU is switched off all the same."""
    b = boot(machine=machine, debug_exit=False)
    assert b.exit == 0 and b.end["verdict"] == "pass", str(b)


def test_two_boots_give_the_same_bytes(boot):
    first, second = (boot("suite=baseline,calls bench=*plt*,empty*,do* samples=64", whole=True) for _ in "12")
    first.must(SUCCESS)
    assert first.serial == second.serial
