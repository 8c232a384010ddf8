"""Machines in the state in which other firmwares leave them, made by the shim (shim.c lists the modes)."""

import re

import pytest
from machine import BAD_OPTIONS, FAULT, SUCCESS


def measured(b):
    b.must(SUCCESS)
    done = [r for r in b.rows if r["status"] == "ok"]
    assert len(done) >= 5, str(b)
    for row in done:
        assert row["ticks"]["min"] == row["ticks"]["max"], row
    return b


def test_the_shim_without_changes_gives_an_ordinary_run(boot, shim):
    b = measured(boot("", disk=shim("")))
    assert b.run["options"]["samples"] == 32 and not b.events("warning"), b.events()


# Each mode of the CPU and of the boot services is in two of these, next to different ones, and each RSDP in one.
@pytest.mark.parametrize(
    "modes",
    [
        "sse-off la57 no-conout rsdp-nowhere",
        "mess descsize rsdp-badsum",
        "exit-fails-once rsdp-rev0 sse-off descsize",
        "sse-off mess la57 descsize exit-fails-once no-conout no-rsdp",
    ],
)
def test_any_state_of_the_cpu_at_handover_is_accepted(boot, shim, modes):
    measured(boot("", disk=shim(modes), cpu="max,la57=on"))


@pytest.mark.parametrize("memory", [512, 6144], ids=["below 4 GiB", "above 4 GiB too"])
def test_every_entry_of_a_long_memory_map_is_used(boot, shim, memory):
    b = measured(boot("", disk=shim("map-long"), memory=memory, whole=memory > 512))
    assert not b.events("warning"), b.events()


@pytest.mark.parametrize("takeover", ["exit", "borrow"])
def test_a_map_that_has_outgrown_its_buffer_is_read(boot, shim, takeover):
    measured(boot("", disk=shim("map-grows", f"suite=baseline samples=32 takeover={takeover}")))


def test_tables_of_an_old_rsdp_are_used(boot, shim):
    """Revision 0 has only an RSDT, even if the ACPI 2.0 GUID names it: the PM timer is found."""
    b = measured(boot("", disk=shim("rsdp-rev0")))
    (pmtimer,) = [s for s in b.run["tsc"]["sources"] if s["name"] == "pmtimer"]
    assert "hz" in pmtimer, pmtimer


def test_boot_services_that_never_end_are_reported(boot, shim):
    """A bounded number of tries, no other firmware call after the first, and a clear message."""
    b = boot("", disk=shim("exit-fails", "format=lines"))
    assert b.status == FAULT and b.end["verdict"] == "fail", str(b)
    assert re.search(r"^error: .*ExitBootServices", b.text, re.M), str(b)
    assert "BT run/verdict@0 1 failures fail" in b.text, str(b)


def test_errors_are_reported_without_a_console(boot, shim):
    b = boot("", disk=shim("no-conout", "suite=baseline samples=3"))
    assert b.status == BAD_OPTIONS and b.text.count("samples=3") == 1, str(b)
    assert b.events("error"), str(b)
