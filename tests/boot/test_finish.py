"""finish=reboot and finish=poweroff where the firmware's ResetSystem does not work; the shim's modes make it so.

QEMU exits with 0 when the machine is switched off and, with -no-reboot, when it is reset.
"""

import re

import pytest
from conftest import QUICK
from test_early_traps import at, held  # noqa: F401

FIRMWARE, FADT, CF9 = "the firmware (ResetSystem)", "the reset register of the ACPI table FADT", "port CF9h"
KEYBOARD, TRIPLE, PM1 = "port 64h (keyboard controller)", "a triple fault", "S5 by PM1a and PM1b of the ACPI tables"
REBOOT, POWEROFF = "reboot", "poweroff"


def tried(b):
    """Returns the ways that the console names, in order; nothing follows them."""
    lines = b.text.split("verdict: PASS")[1].splitlines()[1:]
    lines = [line for line in lines if line and "wrote baretick" not in line]
    found = [re.fullmatch(r"baretick: finish=\w+: trying (.*)", line) for line in lines]
    assert all(found), lines
    return [m[1] for m in found]


@pytest.mark.parametrize("takeover", ["exit", "borrow"])
@pytest.mark.parametrize("modes, finish, ways", [
    ("", REBOOT, [FIRMWARE]),
    ("reset-boot-code", REBOOT, [FIRMWARE]),
    ("reset-boot-code", POWEROFF, [FIRMWARE]),
    ("reset-returns", REBOOT, [FIRMWARE, FADT]),
    ("reset-hangs", REBOOT, [FIRMWARE, FADT]),
    ("reset-returns no-reset-reg", REBOOT, [FIRMWARE, CF9]),
    ("reset-returns", POWEROFF, [FIRMWARE, PM1]),
])  # fmt: skip
def test_the_machine_ends_in_the_first_way_that_works(boot, shim, modes, finish, ways, takeover):
    b = boot("", disk=shim(modes, f"{QUICK} takeover={takeover} finish={finish}"))
    assert b.exit == 0 and b.run["takeover"] == takeover, str(b)
    assert tried(b) == ways, str(b)


def test_a_hang_is_ended_where_the_other_cores_are_stopped(boot, shim):
    """Before, a core's timer ends rows."""
    b = boot("", disk=shim("reset-hangs", f"{QUICK} cores=all takeover=exit finish=reboot"), extra=["-smp", "2"])
    assert b.exit == 0 and tried(b) == [FIRMWARE, FADT], str(b)


@pytest.mark.parametrize("finish, way", [(REBOOT, FADT), (POWEROFF, PM1)])
def test_a_fault_in_the_firmware_is_not_the_end(boot, shim, finish, way):
    b = boot("", disk=shim("reset-faults", f"{QUICK} finish={finish}"))
    assert b.exit == 0 and tried(b) == [FIRMWARE, way], str(b)


@pytest.mark.parametrize("takeover", ["exit", "borrow"])
def test_a_machine_that_is_not_qemu_is_switched_off_too(boot, shim, takeover):
    """By the values of the DSDT; without the hypervisor's bit of CPUID, ports of QEMU are not known."""
    words = f"{QUICK} takeover={takeover} finish=poweroff"
    b = boot("", disk=shim("reset-returns", words), cpu="max,-hypervisor")
    assert b.exit == 0 and "hypervisor" not in b.run["cpu"] and tried(b) == [FIRMWARE, PM1], str(b)


def test_a_hang_in_the_firmware_is_ended_when_switching_off(boot, shim):
    b = boot("", disk=shim("reset-hangs", f"{QUICK} finish=poweroff"))
    assert b.exit == 0 and tried(b) == [FIRMWARE, PM1], str(b)


@pytest.mark.parametrize("broken, last", [
    (["call_firmware", "by_fadt", "by_cf9"], KEYBOARD),
    (["call_firmware", "by_fadt", "by_cf9", "by_keyboard"], TRIPLE),
])  # fmt: skip
def test_the_last_ways_reset_the_machine_too(held, at, broken, last):  # noqa: F811
    """The functions of the ways before them are replaced by a return."""

    def work(d):
        d.run_to("machine_traps")
        for name in broken:
            d.plant(d.at(name), "c3")  # SDM volume 2, RET

    b = held(at, f"{QUICK} finish=reboot", work)
    assert b.exit == 0 and tried(b)[-1] == last, str(b)


def test_a_fault_while_a_fault_is_reported_ends_as_asked(held, at):  # noqa: F811
    """The report of an early fault calls the function that has faulted."""

    def work(d):
        d.run_to("machine_traps")
        d.run_to("cpu_setup")
        d.plant_ud2()

    b = held(at, f"{QUICK} finish=reboot", work)
    assert b.exit == 0 and b.text.rstrip().endswith(f"baretick: finish=reboot: trying {FIRMWARE}"), str(b)
