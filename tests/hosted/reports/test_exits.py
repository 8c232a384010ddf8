"""What exits to a hypervisor, by the figures of two reports: `baretick compare` with rows of suite exits."""

import pytest
from made_reports import head, report, row, whole, END

KVM = {"virtualised": True, "hypervisor": "KVMKVMKVM"}
# Core cycles (4 per ns) without a hypervisor, and with one whose exit takes 4000 and one of user space 24000.
WITHOUT = {"exits/cpuid": 400, "exits/in_ed": 4000, "devices/pit": 12000, "devices/pci_ports": 8000, "exits/xsetbv": 200,
           "privileged/to_cr3": 500, "privileged/wbinvd_dirty": 9000, "privileged/to_cr0_wp": 600, "made/add": 1,
           "privileged/to_cr3_other": 1000, "wakeup/self": 2000}
EXIT = {"exits/cpuid": 4000, "exits/in_ed": 24000, "devices/pit": 3 * 24000, "devices/pci_ports": 2 * 4400, "exits/xsetbv": 5200,
        "privileged/to_cr3_other": 2 * 5000, "wakeup/self": 3 * 4000}


def rows(figures):
    return [row(name.split("/")[1], cycles, half=cycles / 100, suite=name.split("/")[0]) for name, cycles in figures.items()]


def of(figures, **changes):
    return report([head(**changes), *rows(figures), END])


def noisy(name, ticks):
    """As under an emulator on a busy machine: figures are missing or below zero, and most windows are too long."""
    found = row(name.split("/")[1], 1, suite=name.split("/")[0])
    return {**found, "ops": 10, "per_op": {"ticks": -5.0}, "ticks": {**found["ticks"], "min": 10 * ticks}}


BARE, UNDER = of(WITHOUT), of({name: cycles + EXIT.get(name, 0) for name, cycles in WITHOUT.items()}, **KVM)
EVENT = {"type": "event", "kind": "exits", "message": "nothing exits: this machine has no hypervisor"}
LOADER = b"\x1b[2J\x1b[01;01Hbaretick: leaving firmware\r\n"
PLAIN = whole(row("a", 3))


def pair(old, new, *words):
    return {"old": old, "new": new}, *(f"compare old new --across hypervisor {more}" for more in words or ("",))


CASES = {
    # An exit as long as that of a missing port is handled in user space. Accesses are counted: three of the PIT, two of
    # PCI's ports and of the row with two page tables; how many an interrupt has is not known.
    "operations that cost an exit more exit": pair(BARE, UNDER, "", "--format json"),
    "the order of the reports does not matter": pair(UNDER, BARE, "--format json"),
    "nothing exits without a hypervisor": pair(BARE, BARE, "", "--format json"),
    "one report shows what it says of exits": (
        {"r": whole(*rows(WITHOUT), others=[EVENT])}, "show r", "report r -o page.html --plots 0", "page page.html"),
    "a hypervisor that does not intercept CPUID gives no scale": pair(BARE, of(WITHOUT, **KVM)),
    "an uncertain figure is not decided": pair(BARE, report([
        head(**KVM), *rows({"exits/cpuid": 4400, "exits/in_ed": 28000}), row("to_cr3", 3000, half=2500, suite="privileged"), END])),
    "reports without suite exits have no such part": pair(PLAIN, PLAIN, "", "--format json"),
    # With format=jsonl the serial line has one other line, which the firmware's loader prints.
    "a serial line of records alone is read as a log": pair(BARE, LOADER + UNDER),
    "the shortest window counts where figures have no interval": pair(
        *(report([run, *(noisy(*made) for made in (("exits/cpuid", ticks), ("made/add", 20))), END])
          for run, ticks in ((head(), 20), (head(**KVM), 2000))), "--format json"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_said_of_exits_is_as_stored(said, name):
    said(CASES, name)
