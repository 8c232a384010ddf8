"""The facts of the machine in a report: CPU, board, memory, wrong tables, a UART in memory."""

import re
import struct

import build
import pytest
from machine import NO_REPORT, SUCCESS, has, monitor, qemu
from sharing import EPYC, INTEL, SKYLAKE
from test_machines import exact
from test_serial_tables import table

QUICK = "suite=baseline bench=empty_lfence samples=16 warmup=0"
KIB, MIB = 1024, 1 << 20
L1_SHARED = 1 if build.qemu_version() < (9, 1) else 2  # CPUs that share an L1: from QEMU 9.1 on a core's threads


def head(b, label):
    """Returns the lines of a label in the head as one line."""
    found = re.search(rf"^{label} +(.*(?:\n {{10}}.*)*)", b.text.replace("\r", ""), re.MULTILINE)
    assert found, f"no line {label}\n{b}"
    return re.sub(r"\s+", " ", found[1])


def cache(level, kind, size, ways, shared_by):
    return {"level": level, "type": kind, "size_bytes": size, "line_bytes": 64, "ways": ways, "shared_by": shared_by}


@pytest.mark.parametrize(
    "how, topology, caches",
    [
        (
            SKYLAKE,
            (4, 1, 2, 2),
            [(1, "data", 32 * KIB, 8, L1_SHARED), (1, "instruction", 32 * KIB, 8, L1_SHARED), (2, "unified", 4 * MIB, 16, 2), (3, "unified", 16 * MIB, 16, 4)],
        ),
        (
            EPYC,
            (4, 2, 4, 1),
            [(1, "data", 32 * KIB, 8, 1), (1, "instruction", 64 * KIB, 4, 1), (2, "unified", 512 * KIB, 8, 1), (3, "unified", 8 * MIB, 16, 2)],
        ),
    ],
    ids=["intel", "amd"],
)
def test_topology_and_caches_are_those_that_qemu_was_told(shared, how, topology, caches):
    b = shared(**how).must(SUCCESS)
    t = b.run["topology"]
    assert (t["logical_cpus"], t["packages"], t["cores"], t["threads_per_core"]) == topology, t
    assert b.run["caches"] == [cache(*c) for c in caches], b.run["caches"]
    said = head(b, "topology")
    for n, word in zip((topology[1], topology[2], topology[0]), ("package", "core", "thread")):
        assert f"{n} {word}" in said, said
    assert head(b, "caches").count("L") == len(caches)


def test_a_machine_of_one_core_has_one_package_core_and_thread(shared):
    b = shared(**INTEL).must(SUCCESS)
    assert b.run["topology"]["logical_cpus"] == 1 and head(b, "topology") == "1 package, 1 core, 1 thread"


BOARD = {
    0: {"vendor": "Acme Firmware", "version": "F7b", "date": "12/31/2023"},
    1: {"manufacturer": "Acme", "product": "Rack 1"},
    2: {"manufacturer": "Acme Boards", "product": "X570 Mk2"},
    4: {"max-speed": "100", "current-speed": "60000"},
    17: {"loc_pfx": "DIMM", "manufacturer": "Acme Memory", "speed": "3200"},
}


@pytest.mark.parametrize("entry", ["32", "64"])
def test_board_and_memory_are_those_of_smbios(boot, entry):
    extra = []
    for kind, fields in BOARD.items():
        extra += ["-smbios", ",".join([f"type={kind}", *(f"{k}={v}" for k, v in fields.items())])]
    b = boot(QUICK, machine=f"q35,smbios-entry-point-type={entry}", memory=1024, extra=extra).must(SUCCESS)
    assert b.run["board"] == "Rack 1"
    said = {
        "bios_vendor": "Acme Firmware",
        "bios_version": "F7b",
        "bios_date": "12/31/2023",
        "system_vendor": "Acme",
        "system_product": "Rack 1",
        "board_vendor": "Acme Boards",
        "board_product": "X570 Mk2",
    }
    assert has(b.run["smbios"], said), b.run["smbios"]
    assert all(text in head(b, "board") for text in said.values()), head(b, "board")
    (modules,) = b.run["memory"]["modules"]
    assert has(modules, {"count": 1, "bytes": 1 << 30, "type": "RAM", "mega_transfers_per_s": 3200}), modules
    assert b.run["memory"]["slots"] == 1
    assert head(b, "memory").endswith("; DIMMs 1 x 1024 MiB RAM at 3200 MT/s")
    exact(b)
    # Where instructions are counted the TSC's frequency is the emulator's.
    counted = {s["name"]: s for s in b.run["tsc"]["speeds"]}
    assert has(counted["smbios_maximum"], {"verdict": "not judged", "hz": 10**8}), counted
    assert "off_percent" not in counted["smbios_maximum"]


def test_stated_speeds_are_judged_by_the_measured_tsc(boot):
    """SMBIOS's maximum below the TSC is wrong, a current speed far above it is another clock, a missing value is not
    wrong. No CPU of QEMU 7.2 has leaf 16h: that of Bochs in test_loaders.py has one, and judges its clocks by the
    measured TSC."""
    b = boot(QUICK, icount=False, extra=["-smbios", "type=4,max-speed=100,current-speed=60000"]).must(SUCCESS)
    speeds = {s["name"]: s for s in b.run["tsc"]["speeds"]}
    hz = b.run["tsc"]["hz"]
    for name, mhz, verdict in (("smbios_maximum", 100, "wrong"), ("smbios_current", 60000, "another clock")):
        s = speeds[name]
        assert s["verdict"] == verdict and s["hz"] == mhz * 10**6, s
        assert s["off_percent"] == pytest.approx((mhz * 1e6 / hz - 1) * 100, rel=1e-3), s
        assert 0 < s["off_half_percent"] < 1, s
        assert f"{name:<16} {mhz}.000 MHz, " in b.text and f"%: {verdict}" in b.text, str(b)
    for name in ("cpuid15", "cpuid16_base", "cpuid16_maximum", "cpuid16_bus"):
        assert speeds[name]["verdict"] == "absent" and "off_percent" not in speeds[name], speeds
    said = head(b, "speeds")
    assert re.search(r"absent: cpuid16_base, cpuid16_maximum, cpuid16_bus \(.*leaf 16h\)", said), said


def test_no_speculation_control_is_claimed_for_a_model_without_one(shared):
    """No model that QEMU emulates has a control; none is reported as available."""
    b = shared(**EPYC).must(SUCCESS)
    assert not any(b.run["mitigations"].values()), b.run["mitigations"]
    assert re.findall(r"(\w+) not supported", head(b, "spec_ctrl")) == ["IBRS", "STIBP", "SSBD"]


def test_a_missing_thermal_status_is_reported(shared):
    b = shared().must(SUCCESS)
    assert set(b.run["thermal"]) == {"why_not"} and b.run["thermal"]["why_not"], b.run["thermal"]
    assert head(b, "thermal").startswith("no status known")
    assert all("throttled" not in row for row in b.rows)


def test_entries_before_a_bad_one_are_used_with_a_warning(boot, shim):
    """A MADT whose last entry is longer than the table: the entries before it are used, with a warning."""
    b = boot("", disk=shim("madt-lies"), extra=["-smp", "2"]).must(SUCCESS)
    (warning,) = [e["message"] for e in b.events("warning") if "MADT" in e["message"]]
    assert "allowed" in warning and "entries before it" in warning, warning
    assert b.run["cores"]["listed_by"] == "madt" and b.run["cores"]["up"] == 2, b.run["cores"]
    assert b.run["masked"]["ioapics"] == 1


def test_a_broken_dbg2_is_reported(boot, tmp_path):
    """Its device is longer than the table."""
    device = struct.pack("<BHBHHHHHHHHH", 0, 400, 1, 2, 38, 0, 0, 0x8000, 0, 0, 22, 34)
    (tmp_path / "dbg2").write_bytes(table(b"DBG2", 0, struct.pack("<II", 44, 1) + device + bytes(20)))
    b = boot(QUICK, extra=["-acpitable", f"file={tmp_path / 'dbg2'}"]).must(SUCCESS)
    assert any("DBG2" in e["message"] for e in b.events("warning")), b.events()


SHARED = 1 << 20


def memory_device(file, registers):
    """Returns QEMU's words for a PCI device whose memory is this file, with these bytes."""
    file.write_bytes(registers)
    backend = f"memory-backend-file,id=uart,share=on,mem-path={file},size={SHARED}"
    return ["-object", backend, "-device", "ivshmem-plain,memdev=uart,addr=0x10"]


@pytest.fixture(scope="module")
def place(program, tmp_path_factory):
    """Returns the address of that memory."""
    folder, found = tmp_path_factory.mktemp("place"), []

    def look():
        (said,) = monitor(folder / "monitor", "info pci")
        found.append(re.search(r"BAR2: 64 bit prefetchable memory at (0x[0-9a-f]+)", said)[1])

    extra = memory_device(folder / "uart", bytes(SHARED))
    b = qemu(folder, program=program, words=QUICK, extra=extra, keys={b'"type":"run"': look})
    assert found, str(b)
    return found[0]


def test_memory_that_holds_every_byte_is_not_a_serial_port(boot, place, tmp_path):
    """Shared memory: a line status that is always ready, a scratch register and a divisor that keep their values. It
    has no loopback, so nothing is printed to it, and the probe restores the bytes that it changed."""
    memory, registers = tmp_path / "uart", bytearray(SHARED)
    registers[5] = 0x60
    b = boot(f"{QUICK} serial=mmio:{place}:1:1", extra=memory_device(memory, registers))
    assert b.status == NO_REPORT and not b.records, str(b)
    assert memory.read_bytes() == registers