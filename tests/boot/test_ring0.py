"""Suites devices and exits, and suites privileged, events and translation where test_privileged.py, test_events.py and
test_translation.py do not boot: on other cores, on a borrowed machine, in Bochs."""

import re

import pytest
from bochs import bochs, models
from judge import exits
from machine import SUCCESS
from rows import declared
from sharing import QEMU64
from test_events import BY_FRED, BY_HAND
from test_privileged import MODELS, WORDS, refused, rows_of_suite
from test_steps import by_steps
from test_translation import LOADS, WALKS

# Instructions of the rows of suite devices, counted by hand in devices.asm.
DEVICES = {
    "in_80": 1, "out_80": 1, "pic": 1, "pit": 4, "pm_timer": 2, "hpet": 1, "apic_id": 1, "apic_timer": 1, "apic_tpr": 1,
    "apic_eoi": 1, "pci_ports": 5, "pci_ecam": 1,
}  # fmt: skip
# The same of suite exits, in exits.asm. A hypervisor, or the CPU without one, refuses a hypercall.
EXITS = {"cpuid": 3, "xsetbv": 4, "pause": 1, "in_61": 1, "in_4d0": 2, "in_ed": 1}
HYPERCALLS = {"vmcall", "vmmcall"}
# Bochs counts one instruction for the delivery of a fault, and of #DB.
FAULTS = {name + part for name in ("db", "gp", "pf_absent", "pf_write", "pf_execute") for part in ("", "_delivery")} | {"user_pf"}


@pytest.mark.parametrize("how", [how for how, _ in MODELS.values()], ids=MODELS)
def test_each_device_is_accessed_with_exactly_its_instructions(shared, how):
    b = shared(f"{WORDS} format=jsonl", **how)
    rows = [row for row in b.rows if row["suite"] == "devices"]
    assert {row["name"]: row["per_op"]["instructions"] for row in rows if row["status"] == "ok"} == DEVICES, str(b)
    assert all(by_steps(row) == DEVICES[row["name"]] and "changed" not in row for row in rows), str(b)


@pytest.mark.parametrize("how", [how for how, _ in MODELS.values()], ids=MODELS)
def test_what_may_exit_has_exactly_its_instructions_or_is_named(shared, how):
    b = shared(f"{WORDS} format=jsonl", **how)
    rows = {row["name"]: row for row in b.rows if row["suite"] == "exits"}
    assert ["not judged" in event["message"] for event in b.events("exits")] == [True], b.events()
    assert set(rows) == set(EXITS) | HYPERCALLS
    for name, row in rows.items():
        if row["status"] == "ok":
            assert row["per_op"]["instructions"] == by_steps(row) == EXITS[name] and "changed" not in row, row
        else:
            assert refused(row) and name in HYPERCALLS or row["why"].startswith("needs "), row
    assert [name for name in EXITS if rows[name]["status"] != "ok"] in ([], ["xsetbv"]), str(b)


def test_compare_knows_how_often_an_operation_can_exit():
    """Units of two writes, and rows that were counted in devices.asm and control.asm."""
    rows = declared()
    two = {name for name, fields in rows.items() if re.search(r"unit_privileged_(toggle_cr\d|wrmsr_twice|set_clts)\b", fields)}
    assert exits.ACCESSES == dict.fromkeys(two, 2) | {"devices/pit": 3, "devices/pci_ports": 2, "privileged/invlpgb": 2}
    assert set(exits.ACCESSES) <= set(rows)


@pytest.mark.parametrize("words", ["cores=all share=together", "cores=1 takeover=borrow"])
def test_other_cores_and_a_borrowed_machine_run_privileged_rows(boot, words):
    """Each core has separate descriptors, tables and registers."""
    known = rows_of_suite() | BY_HAND | DEVICES
    rows = "pm_timer,hpet,pci_ecam,apic_eoi,to_cr3_other,ltr,load_gs,swapgs,wrmsr_fs_base,popf_if,lgdt,int,db,pf_write,nmi,nmi_delivery,user_syscall_cr3,user_int"
    b = boot(f"{WORDS} bench={rows} {words}", **QEMU64).must(SUCCESS)
    assert len(b.rows) == len(rows.split(",")) * (2 if "all" in words else 1), str(b)
    for row in b.rows:
        assert row["status"] == "ok" and row["per_op"]["instructions"] == known[row["name"]], row


FRED = "wildcat_lake"  # the first model of Bochs with FRED


@pytest.mark.others
@pytest.mark.long
@pytest.mark.skipif(FRED in models(), reason="needs a Bochs whose TSC counts instructions: 3.0 or older")
def test_bochs_runs_the_rows_whose_features_qemu_lacks(stick, tmp_path):
    """PCIDs, INVPCID, TSC_ADJUST, the TSC deadline, RDPMC, AVX-512, XSAVEC and XSAVES."""
    rows = "x*,*pcid*,invpcid*,*tsc_adjust,*tsc_deadline*,to_cr3*,rdpmc*,far_call,ltr,sti_cli,*_delivery,*_return,user*"
    devices = "pm_timer,hpet,pci_ports,pci_ecam"  # Bochs has no ACPI tables
    walks = "accessed,walk_4k_?,walk_2m_?"
    words = WORDS.replace(",wakeup", "")  # test_wakeup.py has Bochs, too
    b = bochs(tmp_path, stick({"baretick.conf": f"{words} takeover=exit rounds=1 bench={rows},{devices},{walks}".encode()}))
    assert b.end["verdict"] == "pass" and b.run["execution"] == "instructions", str(b)
    done = {row["name"]: row["per_op"]["instructions"] for row in b.rows if row["status"] == "ok"}
    lacks = {row["name"] for row in b.rows} - set(done)
    assert lacks == {"pm_timer", "hpet", "pci_ecam", "rdpmc_fixed", "nmi_x2apic_delivery", "nmi_x2apic_return"} | {
        f"user_{way}_{with_}" for way in ("int", "syscall", "sysenter") for with_ in ("verw", "ibrs", "fred")} | {"walk_4k_5", "walk_2m_4"} | {
        f"{name}_tiles" for name in ("xsave", "xsaveopt", "xsavec", "xsaves", "xrstor", "xrstors")}, str(b)  # fmt: skip
    assert refused(b.row("privileged", "rdpmc_fixed")), str(b)
    assert [b.row("devices", name)["why"] for name in ("pm_timer", "hpet")] == ["no FADT", "no HPET table"], str(b)
    known = rows_of_suite() | DEVICES | EXITS | BY_HAND | dict.fromkeys(WALKS | {"accessed"}, LOADS) | {f"user_{way}_pcid": BY_HAND[f"user_{way}_cr3"] for way in ("int", "syscall", "sysenter")}
    assert done == {name: known[name] + (name in FAULTS) for name in done}
    assert (done["to_cr3_pcids_keep"], done["invpcid_3"], done["wrmsr_tsc_deadline"]) == (2, 2, 4)


@pytest.mark.others
@pytest.mark.long
def test_an_interrupt_that_was_masked_while_it_was_delivered_ends_no_row(stick, tmp_path):
    """In Bochs, the firmware's timer interrupt is being delivered when the machine is borrowed. Then it comes as the
    local APIC's spurious interrupt, whose vector is 15 there, once interrupts are enabled."""
    words = "suite=privileged bench=sti_cli,popf_if samples=16 takeover=borrow"
    b = bochs(tmp_path, stick({"baretick.conf": words.encode()}))
    assert b.end["verdict"] == "pass" and [row["status"] for row in b.rows] == ["ok"] * 2, str(b)


@pytest.mark.others
@pytest.mark.skipif(FRED not in models(), reason=f"needs a Bochs with the CPU model {FRED}: newer than 3.0, with FRED")
@pytest.mark.parametrize("cores", [1, 2])
def test_fred_delivers_each_event_with_exactly_its_instructions(stick, tmp_path, cores):
    """VERW, TPAUSE, UMWAIT, WBNOINVD and MWAIT below C1, too, which no other emulator has. A fault ends only its
    row. With several cores, the TSC of Bochs does not count instructions; with one it does."""
    words = ("suite=events,privileged,wakeup,provoke,truth samples=16 hist=off rounds=1 cores=all share=together "
             "bench=*_fred,*_verw,user_*_ibrs,tpause_*,umwait_*,mwait_20_*,mwait_60_*,wbnoinvd_*,ring3_fred_ud2,add")  # fmt: skip
    b = bochs(tmp_path, stick({"baretick.conf": words.encode()}), cores=cores, model=FRED)
    ways = ("int", "syscall", "sysenter")
    known = {f"{name}_fred": n for name, n in BY_FRED.items()} | {f"user_{way}_verw": BY_HAND[f"user_{way}"] + 1 for way in ways}
    known |= {"user_int_ibrs": 9, "user_syscall_ibrs": 11, "user_sysenter_ibrs": 15}
    events = [row for row in b.rows if row["suite"] == "events" and row["name"] != "nmi_x2apic_fred"]
    assert len(events) == cores * len(known), str(b)
    for row in events:
        assert row["status"] == "ok" and "changed" not in row, row
        if cores == 1:
            assert row["per_op"]["ticks"] == known[row["name"]] + (row["name"].removesuffix("_fred") in FAULTS), row
    late = [row for row in b.rows if row["suite"] == "privileged"]
    assert len(late) == cores * 6 and all(row["status"] == "ok" and "changed" not in row for row in late), str(b)
    if cores == 1:
        ticks = {row["name"]: row["per_op"]["ticks"] for row in late if "wbnoinvd" not in row["name"]}
        assert ticks == {"tpause_c01": 4, "tpause_c02": 4, "umwait_c01": 5, "umwait_c02": 5}, ticks
    waits = [row["name"] for row in b.rows if row["suite"] == "wakeup" and row["status"] == "ok" and "changed" not in row]
    # UMWAIT in 2 states ends by the timer's modes or its deadline, MWAIT in 2 states by the timer's modes. Another core
    # ends each of these states by an interrupt or a store. MONITOR of Bochs ends the MWAIT of all other cores
    # (cpu/mwait.cc: invlpg), so MWAIT does not wait where two cores try it at once.
    assert len(waits) == (2 * 3 + 2 * 2 if cores == 1 else cores * 2 * 3 + 4 * 2), str(b)
    faults = [row for row in b.rows if row["suite"] == "provoke"]
    assert len(faults) == cores and all("#UD invalid opcode (vector 6) at " in row["why"] for row in faults), str(b)
    assert [row["status"] for row in b.rows if row["suite"] == "truth"] == ["ok"] * cores, str(b)


AMX = "sapphire_rapids"  # the first model of Bochs with AMX


@pytest.mark.others
@pytest.mark.skipif(AMX not in models(), reason=f"needs a Bochs with the CPU model {AMX}: newer than 3.0, with AMX")
@pytest.mark.parametrize("cores", [1, 2])
def test_amx_tiles_are_saved_and_restored_with_exactly_their_instructions(stick, tmp_path, cores):
    """XCR0 is as before after each row."""
    words = "suite=privileged,truth samples=16 hist=off rounds=1 cores=all share=together bench=*_tiles,xrstor*,add"
    b = bochs(tmp_path, stick({"baretick.conf": words.encode()}), cores=cores, model=AMX)
    rows = [row for row in b.rows if row["name"] != "wrmsr_xfd_tiles"]
    states = [row for row in rows if row["suite"] == "privileged"]
    assert len(states) == cores * (4 + 2 * 7) and len(rows) == len(states) + cores, str(b)
    assert all(row["status"] == "ok" and "changed" not in row for row in rows), str(b)
    assert {row["per_op"]["instructions"] for row in states} == {3}, str(b)
