"""`once` where the machine hangs and has no WDAT: an NMI of the HPET resets it, in the run and while the firmware writes
the report. test_disturbances.py has the watchdog of WDAT.

QEMU exits with 0 when the machine is reset.
"""

import re
import time

import pytest
from machine import CHECK_FAILED, SUCCESS, monitor
from test_disturbances import COMPLETE, wdat_of
from test_early_traps import addresses, at, held  # noqa: F401

ONCE = "suite=quiet quiet_time=1 once=1 deadline=1"
JUMP_TO_ITSELF, SLEEP_FOR_EVER, RETURN_1 = "ebfe", "f4ebfd", "b001c3"  # SDM volume 2: JMP; HLT; MOV AL, RET
END = {"exit": b"verdict: ", "borrow": b"the report is not on the stick"}
RESET = "baretick: once: the program hangs, so the machine is reset: trying the reset register of the ACPI table FADT"


def hung(held, at, where, code, words):  # noqa: F811
    def work(d):
        d.run_to("machine_traps")
        d.plant(d.at(where), code)

    return held(at, words, work)


@pytest.mark.parametrize("takeover", ["exit", "borrow"])
def test_a_run_that_hangs_ends_in_a_reset(held, at, takeover):  # noqa: F811
    b = hung(held, at, "facts_report", JUMP_TO_ITSELF, f"{ONCE} takeover={takeover} finish=reboot")
    assert b.exit == 0 and b.text.rstrip().endswith(RESET), str(b)


def test_a_firmware_that_hangs_ends_in_a_reset(held, at):  # noqa: F811
    b = hung(held, at, "volume_open", SLEEP_FOR_EVER, f"{ONCE} takeover=borrow finish=halt")
    assert b.exit == 0 and "verdict: PASS" in b.text, str(b)


def test_an_nmi_that_the_guard_claims_still_ends_a_row(held, at):  # noqa: F811
    """The guard claims every NMI here, as it claims each that comes shortly before its own."""
    b = hung(held, at, "watchdog_nmi", RETURN_1, "suite=provoke bench=endless samples=16 deadline=1")
    assert b.status == CHECK_FAILED and not b.events("nmi"), str(b)
    assert "hpet" in b.run["deadline_by"], b.run["deadline_by"]
    (row,) = b.rows
    assert row["why"].startswith("it ran longer than deadline=1 seconds"), row


def test_the_hardware_watchdog_guards_the_firmware_too(held, program, tmp_path):  # noqa: F811
    """It is stopped only once the files are written, or their failure is known."""
    port, before = tmp_path / "port", []
    (tmp_path / "wdat").write_bytes(wdat_of(60000, *COMPLETE))
    how = {"extra": ["-debugcon", f"file:{port}", "-acpitable", f"file={tmp_path / 'wdat'}"]}

    def work(d):
        d.run_to("watchdog_lend")
        d.run_to("volume_open")
        before.append(port.read_bytes())

    b = held(addresses(tmp_path, program, **how), f"{ONCE} takeover=borrow", work, **how)
    assert b.status == SUCCESS, str(b)
    assert re.fullmatch(rb"\x60PSP+", before[0]) and port.read_bytes() == before[0] + b"X", (before, port.read_bytes())


def test_a_reset_that_hangs_is_guarded_too(boot, tmp_path):
    """As `once` ends. The watchdog of WDAT is not stopped, unlike above."""
    port = tmp_path / "port"
    (tmp_path / "wdat").write_bytes(wdat_of(60000, *COMPLETE))
    how = {"extra": ["-debugcon", f"file:{port}", "-acpitable", f"file={tmp_path / 'wdat'}"]}
    b = boot(f"{ONCE} takeover=borrow finish=reboot", **how)
    assert b.exit == 0 and "verdict: PASS" in b.text, str(b)
    assert re.fullmatch(rb"\x60PSP+", port.read_bytes()), port.read_bytes()


@pytest.mark.parametrize("takeover", ["exit", "borrow"])
def test_nothing_is_left_of_the_guard(boot, tmp_path, takeover):
    """No NMI comes, the registers of HPET and IO-APIC are as without it, and nothing is warned of."""
    seen = []
    for words in (ONCE, ONCE.replace(" once=1", "")):

        def look():
            # HPET: configuration, and each comparator's; the pins of the IO-APIC.
            end = time.monotonic() + 30
            while "HLT=1" not in monitor(tmp_path / "monitor", "info registers")[0]:
                assert time.monotonic() < end, "the program does not end"
            reads = [f"xp /1wx {0xFED00000 + offset:#x}" for offset in (0x10, 0x100, 0x120, 0x140)]
            *said, pins, _ = monitor(tmp_path / "monitor", *reads, "info pic", "quit")
            seen.append([re.findall(r": (0x\w+)", s) for s in said] + re.findall(r"pin \d+ .*", pins))

        b = boot(f"{words} takeover={takeover} finish=halt", keys={END[takeover]: look})
        assert b.end["verdict"] == "pass" and not b.events("nmi"), str(b)
        assert not [w for w in b.events("warning") if "power cycle" in w["message"]], b.events("warning")
    assert seen[0] == seen[1] and len(seen[0]) > 4, seen


def test_without_a_timer_a_warning_gives_the_reason(boot):
    b = boot(ONCE, machine="q35,hpet=off")
    assert b.status == SUCCESS, str(b)
    (warning,) = [w["message"] for w in b.events("warning") if "power cycle" in w["message"]]
    assert "no ACPI table WDAT; HPET: no HPET table" in warning, warning


BMC = ["-device", "ipmi-bmc-sim,id=bmc", "-device", "isa-ipmi-kcs,bmc=bmc"]
LONG = "suite=quiet quiet_time=30 deadline=1"  # longer than the BMC's 20 s


@pytest.mark.parametrize("takeover", ["exit", "borrow"])
def test_the_watchdog_of_a_bmc_is_fed(boot, shim, takeover):
    b = boot("", disk=shim("bmc-watchdog", f"{LONG} once=1 takeover={takeover}"), extra=BMC)
    assert b.status == SUCCESS, str(b)
    (warning,) = [w["message"] for w in b.events("warning") if "BMC" in w["message"]]
    assert warning == "the watchdog of the BMC runs: it is fed now, and resets the machine 20 s after the end"


def test_only_a_remote_run_feeds_it(boot, shim):
    b = boot("", disk=shim("bmc-watchdog", LONG), extra=BMC)
    assert b.exit == 0 and "verdict" not in b.text, str(b)


def test_a_bmc_whose_watchdog_does_not_run_is_left_alone(boot, shim):
    b = boot("", disk=shim("", ONCE), extra=BMC)
    assert b.status == SUCCESS and not [w for w in b.events("warning") if "BMC" in w["message"]], str(b)


def test_a_bmc_that_does_not_answer_is_tried_again_and_reported(held, program, tmp_path):  # noqa: F811
    how = {"extra": BMC}

    def work(d):
        d.run_to("machine_traps")
        # struct ipmi_watchdog: it runs, and allows 200 tenths of a second. MOV BYTE, MOV DWORD, XOR, RET.
        d.plant(d.at("ipmi_watchdog_get"), "c60701" "c74704c8000000" "31c0" "c3")
        d.plant(d.at("ipmi_watchdog_feed"), "488d0501000000" "c3" + b"busy\0".hex())  # LEA of the text, RET

    b = held(addresses(tmp_path, program, **how), "suite=quiet quiet_time=8 once=1 deadline=1", work, **how)
    assert b.status == SUCCESS, str(b)
    head, end = [w["message"] for w in b.events("warning") if "BMC" in w["message"]]
    assert "cannot be fed: busy" in head and "10 times in a row: busy" in end, (head, end)


def test_a_bmc_whose_time_is_short_is_warned_of(boot, shim):
    b = boot("", disk=shim("bmc-watchdog", f"{ONCE} deadline=11"), extra=BMC)
    assert b.status == SUCCESS, str(b)
    assert [w for w in b.events("warning") if "allows 20 s, and 2 times deadline= is 22 s" in w["message"]], str(b)
