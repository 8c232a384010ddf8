"""Disturbances of a machine, and measures against them: settings that a CPU lacks, PCI devices that are stopped,
warnings about watchdogs, advice. tests/unit has the CPUs that have the settings."""

import re
import struct

import pytest
from machine import SUCCESS, monitor
from sharing import INTEL
from test_serial_tables import gas, table

ROW = "suite=baseline bench=empty_lfence samples=16 warmup=0"


def controls(b):
    return {s["name"]: s for s in b.run["controls"]}


def warnings(b, part):
    return [e["message"] for e in b.events("warning") if part in e["message"]]


# --- settings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how, why",
    [
        (
            {},
            {
                "turbo": "no core performance boost (CPUID 8000_0007 EDX[9])",
                "prefetch": "no prefetch control (CPUID 8000_0021 EAX[13])",
                "freq": "no P-states (CPUID 8000_0007 EDX[7])",
            },
        ),
        (
            INTEL,
            {
                "turbo": "no turbo (CPUID 6 EAX[1])",
                "prefetch": "was written, but does not read back",  # QEMU has the MSR, and it reads as 0
                "freq": "no SpeedStep (CPUID 1 ECX[7])",
            },
        ),
    ],
    ids=["amd", "intel"],
)
def test_settings_that_the_cpu_lacks_are_reported_as_not_available(boot, how, why):
    b = boot(f"{ROW} turbo=off prefetch=off freq=base", **how).must(SUCCESS, rows=1)
    for name, words in why.items():
        s = controls(b)[name]
        assert s["asked"] and not s["in_force"] and words in s["why_not"], s
        assert s["cores"] == s["cores_failed"] == 1, s
        (warning,) = warnings(b, f"{name}= is not in force on 1 of 1 cores")
        assert words in warning
        assert re.search(rf"^(controls)? +{name} ", b.text, re.M), str(b)
    assert b.run["smi_counter"] is False and "smis" not in b.rows[0] and "smis" not in b.end
    assert re.search("^smi +not counted: .*hypervisor", b.text, re.M), str(b)


def test_with_keep_no_control_is_changed(shared):
    b = shared().must(SUCCESS)
    assert not any(s["asked"] for s in b.run["controls"]), b.run["controls"]
    assert "dma" not in b.run and not warnings(b, "is not in force"), str(b)


def test_turbo_is_tried_on_each_core(boot):
    b = boot(f"{ROW} turbo=off cores=all", extra=["-smp", "2"], icount=False).must(SUCCESS, rows=2)
    assert controls(b)["turbo"]["cores"] == 2
    assert warnings(b, "turbo= is not in force on 2 of 2 cores"), str(b)


# --- PCI --------------------------------------------------------------------------------------------

DEVICES = ["-device", "qemu-xhci", "-device", "pcie-root-port,id=root0", "-device", "ich9-ahci,bus=root0"]
DEVICES += ["-device", "VGA", "-device", "virtio-net-pci", "-device", "i82801b11-bridge"]


def commands(folder, functions):
    """Returns the command registers, read through QEMU's monitor from configuration space in memory. QEMU ends."""
    (tree,) = monitor(folder / "monitor", "info mtree")
    base = int(re.search(r"([0-9a-f]{16})-[0-9a-f]{16} [^\n]*pcie-mmcfg-mmio", tree)[1], 16)
    places = ([int(x, 16) for x in re.split("[:.]", at)[1:]] for at in functions)
    reads = [f"xp /1hx {base + (bus << 20 | device << 15 | function << 12) + 4:#x}" for bus, device, function in places]
    *said, _ = monitor(folder / "monitor", *reads, "quit")
    return {at: int(re.findall(r": (0x[0-9a-f]{4})", text)[0], 16) for at, text in zip(functions, said)}


@pytest.mark.parametrize("word", ["off", "keep"])
def test_dma_off_stops_bus_masters_and_dma_keep_leaves_them(boot, tmp_path, word):
    seen = {}
    functions = [f"0000:00:{device:02x}.0" for device in range(0, 8)] + ["0000:00:1f.2", "0000:01:00.0"]

    def look():
        seen.update(commands(tmp_path, functions))

    b = boot(f"{ROW} finish=halt dma={word}", extra=DEVICES, keys={b"verdict: ": look})
    assert b.end["verdict"] == "pass", str(b)
    masters = {at for at, command in seen.items() if command != 0xFFFF and command & 4}
    if word == "keep":
        assert "0000:00:1f.2" in masters and "0000:01:00.0" in masters, seen
        return
    dma = b.run["dma"]
    fate = {f["at"]: f["fate"] for f in dma["listed"]}
    assert fate["0000:00:1f.2"] == "stopped" and fate["0000:01:00.0"] == "stopped", fate
    assert dma["way"] == "ports" and dma["stuck"] == 0 and dma["functions"] >= dma["masters"] > 0, dma
    assert sum(dma[f] for f in ("stopped", "stuck", "bridge", "iommu", "console")) == dma["masters"]
    assert {f["class"][:2] for f in dma["listed"] if f["fate"] == "bridge"} == {"06"}, dma
    assert {f["class"] for f in dma["listed"] if f["fate"] == "console"} <= {"0300"}, dma
    for at, left in fate.items():
        if at in seen:
            assert (at in masters) == (left in ("bridge", "console")), (at, left, seen)
    assert re.search(r"0000:00:1f\.2 8086:2922 class 0106  stopped", b.text), str(b)


# --- watchdogs --------------------------------------------------------------------------------------


def wdat(flags):
    body = struct.pack("<IHBBB3xIIIB3xI", 96, 0xFF, 0xFF, 0xFF, 0xFF, 600, 1023, 2, flags, 0)
    return table(b"WDAT", 1, body)


def wddt(status):
    return table(b"WDDT", 1, struct.pack("<HHH", 1, 1, 0x8086) + gas(1, 0, 0, 0x460) + struct.pack("<HHHHH", 1000, 2, 600, status, 0))


@pytest.mark.parametrize(
    "raw, name, state",
    [(wdat(0x81), "WDAT", "enabled"), (wdat(0x80), "WDAT", "not enabled"), (wddt(3), "WDDT", "enabled")],
    ids=["wdat", "wdat off", "wddt"],
)
def test_a_hardware_watchdog_is_warned_of(boot, shim, raw, name, state):
    b = boot("", disk=shim("tables", ROW, tables=[raw])).must(SUCCESS, rows=1)
    (warning,) = warnings(b, "hardware watchdog")
    assert f"(ACPI table {name}), {state} by the table" in warning and "may reset the machine" in warning


def wdat_of(max_count, *entries):
    """A WDAT of 1 ms a count, with instructions for port e9h: (action, instruction, value)."""
    body = struct.pack("<IHBBB3xIIIB3xI", 96, 0xFF, 0xFF, 0xFF, 0xFF, 1, max_count, 2, 0x80, len(entries))
    return table(b"WDAT", 1, body + b"".join(
        struct.pack("<BBxx", action, instruction) + gas(1, 8, 1, 0xE9) + struct.pack("<II", value, 0xFF)
        for action, instruction, value in entries
    ))  # fmt: skip


WRITE, WRITE_COUNTDOWN = 2, 3
COMPLETE = [(1, WRITE, ord("P")), (6, WRITE_COUNTDOWN, 0), (9, WRITE, ord("S")), (11, WRITE, ord("X"))]
ONCE = "suite=quiet quiet_time=1 once=1 deadline=1"


def guarded(boot, shim, folder, raw, words=ONCE):
    """A boot, and what it wrote to the port."""
    how = {"extra": ["-debugcon", f"file:{folder / 'port'}"], "whole": True}
    b = boot("", disk=shim("tables", words, tables=[raw]), **how)
    return b, (folder / "port").read_bytes()


def test_a_remote_run_is_guarded_by_the_hardware_watchdog(boot, shim, tmp_path):
    """Set, started, fed during the run, stopped at its end."""
    b, port = guarded(boot, shim, tmp_path, wdat_of(2000, *COMPLETE))
    assert b.status == SUCCESS, str(b)
    assert re.fullmatch(rb"\xd0PSP+X", port), port
    assert not warnings(b, "watchdog"), b.events("warning")


@pytest.mark.parametrize("raw, why", [
    (wdat_of(1999, *COMPLETE), "allows 1 s at most, and 2 times deadline= is 2 s"),
    (wdat_of(2000, *COMPLETE[:3]), "stops it"),
    (wdat_of(2000, *COMPLETE[1:]), "restart its time"),
], ids=["short", "no stop", "no reset"])  # fmt: skip
def test_a_watchdog_that_cannot_guard_is_not_started(boot, shim, tmp_path, raw, why):
    b, port = guarded(boot, shim, tmp_path, raw)
    assert b.status == SUCCESS and b"S" not in port, (port, str(b))
    assert any(why in w and "HPET ends a run that hangs" in w for w in warnings(b, "once:")), b.events("warning")


def test_only_a_remote_run_starts_the_watchdog(boot, shim, tmp_path):
    b, port = guarded(boot, shim, tmp_path, wdat_of(2000, *COMPLETE), ONCE.replace(" once=1", ""))
    assert b.status == SUCCESS and port == b"", (port, str(b))


# --- advice -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("icount", [True, False], ids=["counted", "emulated"])
def test_an_emulators_settings_are_not_judged(boot, icount):
    b = boot(ROW, icount=icount).must(SUCCESS, rows=1)
    advice = b.one("advice")
    assert advice["topic"] == "emulated" and advice["change"], advice
    assert re.search(r"^advice +an emulator executes this", b.text, re.M), str(b)
