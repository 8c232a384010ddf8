"""Suite privileged (docs/privileged.md): the instructions of every row, on CPUs of both vendors from few features to
many. What a CPU lacks is named, and no row faults or leaves state changed."""

import re

import build
import pytest
from machine import SUCCESS
from rows import declared
from sharing import INTEL, QEMU64
from test_steps import by_steps

# test_events.py, test_ring0.py, test_translation.py and test_wakeup.py read the same boots.
WORDS = "suite=privileged,events,devices,exits,translation,wakeup samples=16 hist=off"
CONROE = {"cpu": "Conroe", "whole": True}  # Intel, without XSAVE, RDTSCP and SMAP

# Instructions of an operation, counted by hand in the units' sources.
BY_HAND = {
    "rdmsr_tsc": 2, "rdmsr_fs_base": 2, "wrmsr_fs_base": 4, "wrmsr_kernel_gs_base": 4,
    "from_cr0": 1, "from_cr3": 1, "from_dr7": 1, "to_cr0": 1, "to_cr0_wp": 2, "to_cr2": 1, "to_cr3": 1,
    "to_cr3_other": 2, "to_cr4": 1, "to_cr4_pge": 2, "to_cr8": 1, "to_dr0": 1, "to_dr6": 1,
    "clts": 1, "clts_set": 2, "lmsw": 1, "invlpg": 1,
    "cli": 1, "sti_cli": 2, "pushf_popf": 2, "popf_if": 5, "swapgs": 2,
    "lgdt": 1, "lidt": 1, "ltr": 2, "verr": 1, "verw_memory": 1, "load_ds": 1, "load_ss": 1, "load_gs": 1,
    "wbinvd_clean": 1, "wbinvd_dirty": 1, "far_return": 4, "cpuid_0": 3, "cpuid_80000008": 3, "rdtsc": 1,
}  # fmt: skip

# The features that rows need and a version of QEMU may lack, whatever the model; and those that old models lack.
LATE = {"PCID", "RDPID", "RDSEED", "INVPCID", "INVLPGB", "WBNOINVD", "WAITPKG", "IBRS", "IBPB", "STIBP", "SSBD", "IA32_TSC_ADJUST",
         "the APIC timer's TSC-deadline mode", "x2APIC", "XFD", "XFD of AMX tiles", "AMX tiles", "XSAVEC", "XSAVES", "AVX512F"}  # fmt: skip
OLD = {"RDTSCP", "RDRAND", "SMAP", "MONITOR", "XSAVE in use by the system"}
MODELS = {"max": ({}, set()), "intel": (INTEL, set()), "qemu64": (QEMU64, OLD), "Conroe": (CONROE, OLD)}


def rows_of_suite():
    """Returns {name: instructions that it declares}."""
    rows = {name.split("/")[1]: fields for name, fields in declared().items() if name.startswith("privileged/")}
    return {name: int(re.search(r"\.least_instructions = (\d+)", fields)[1]) for name, fields in rows.items()}


def left_in_xapic(row):
    """Tests whether the row needs x2APIC mode on a CPU that has it: QEMU 9 and later."""
    return row["why"] == "needs the local APIC in x2APIC mode; the firmware left it in xAPIC mode" and build.emulates_x2apic()


def refused(row):
    """Tests whether the CPU refused an instruction of the row."""
    return re.match(r"#(UD|GP) .*\(vector (6|13)\) at 4000000[0-9a-f]+ in (privileged|exits)/", row["why"]) is not None


@pytest.mark.parametrize("how, old", MODELS.values(), ids=MODELS)
def test_each_row_has_exactly_its_instructions_or_names_what_the_cpu_lacks(shared, how, old):
    b = shared(f"{WORDS} format=jsonl", **how).must(SUCCESS)
    wanted = rows_of_suite()
    rows = [row for row in b.rows if row["suite"] == "privileged"]
    assert {row["name"] for row in rows} == set(wanted) and set(BY_HAND) <= set(wanted)
    missing = set()
    for row in rows:
        name = row["name"]
        if row["status"] == "ok":
            assert row["per_op"]["instructions"] == by_steps(row) == wanted[name], row
            assert wanted[name] == BY_HAND.get(name, wanted[name]) and "changed" not in row, row
        elif refused(row):
            assert name.startswith("rdpmc"), row  # QEMU has no performance counters
        elif found := re.match(r"needs (.*) \(CPUID\.[^)]*\), which this CPU does not have$", row["why"]):
            missing.add(found[1])
        elif not left_in_xapic(row):
            assert re.match("needs .*, which AMD's CPUs do not have$", row["why"]), row
    assert all(row["status"] == "ok" for row in rows if row["name"] in BY_HAND), str(b)
    assert old <= missing <= old | LATE, missing
    (test,) = [t for t in b.of("selftest") if t["name"] == "instructions"]
    assert test["result"] == "pass", test


def test_a_row_that_the_cpu_refuses_is_reported_and_the_next_one_is_measured(shared):
    b = shared(f"{WORDS} format=jsonl").must(SUCCESS)
    row = b.row("privileged", "rdpmc")
    assert row["status"] == "unsupported" and refused(row) and "per_op" not in row, row
    after = b.rows[b.rows.index(row) + 2]
    assert after["status"] == "ok", after


def test_far_calls_are_those_of_intel(shared):
    b = shared(f"{WORDS} format=jsonl", **INTEL).must(SUCCESS)
    assert b.row("privileged", "far_call")["per_op"]["instructions"] == 2
