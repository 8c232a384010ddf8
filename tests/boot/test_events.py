"""Suite events (docs/events.md): each event is delivered once per operation, by a handler with the declared number of
instructions, on CPUs of both vendors from few features to many."""

import re

import pytest
from rows import declared
from test_privileged import MODELS, WORDS, left_in_xapic

# Instructions of an operation, counted by hand in bench/suites/events: the body's, and the handler's. QEMU counts UD2,
# and not an instruction with a page fault or #GP. A delivery ends before the handler, a return begins with its IRETQ.
BY_HAND = {
    "int": 3, "int_delivery": 1, "int_return": 1,
    "bp": 4, "bp_delivery": 1, "bp_return": 2,
    "db": 3, "db_delivery": 1, "db_return": 1,
    "ud": 4, "ud_delivery": 1, "ud_return": 1,
    "gp": 4, "gp_delivery": 0, "gp_return": 1,
    "pf_absent": 4, "pf_absent_delivery": 0, "pf_absent_return": 1,
    "pf_write": 4, "pf_write_delivery": 0, "pf_write_return": 1,
    "pf_execute": 6, "pf_execute_delivery": 2, "pf_execute_return": 1,
    "nmi": 13, "nmi_delivery": 8, "nmi_return": 4,
    "user_int": 3, "user_int_cr3": 5, "user_syscall": 3, "user_syscall_cr3": 5, "user_pf": 4,
    "user_sysenter": 5, "user_sysenter_cr3": 7,
}  # fmt: skip
ONLY_INTEL = {"user_sysenter", "user_sysenter_cr3"}
# The same by FRED: a comparison and a jump more, and no error code to remove.
BY_FRED = {
    "int": 5, "bp": 6, "db": 5, "ud": 6, "gp": 5, "pf_absent": 5, "pf_write": 5, "pf_execute": 7, "nmi": 15,
    "user_int": 5, "user_syscall": 5, "user_sysenter": 7,
}  # fmt: skip
# What QEMU lacks: PCID, VERW that clears buffers, IBRS, FRED, x2APIC.
LACKS = {f"user_{way}_{with_}" for way in ("int", "syscall", "sysenter") for with_ in ("pcid", "verw", "ibrs")}
LACKS |= {"nmi_x2apic", "nmi_x2apic_delivery", "nmi_x2apic_return", "nmi_x2apic_fred"} | {f"{name}_fred" for name in BY_FRED}


@pytest.mark.parametrize("how", [how for how, _ in MODELS.values()], ids=MODELS)
def test_each_event_has_exactly_its_instructions_or_names_what_the_cpu_lacks(shared, how):
    b = shared(f"{WORDS} format=jsonl", **how)
    rows = {row["name"]: row for row in b.rows if row["suite"] == "events"}
    assert set(rows) == {name.split("/")[1] for name in declared() if name.startswith("events/")} == set(BY_HAND) | LACKS
    done = {name: row["per_op"]["instructions"] for name, row in rows.items() if row["status"] == "ok"}
    intel = b.run["cpu"]["vendor"] == "GenuineIntel"
    assert done == {name: n for name, n in BY_HAND.items() if intel or name not in ONLY_INTEL}, str(b)
    for name, row in rows.items():
        assert "changed" not in row, row
        if name in done:
            assert row["stepped"]["why"].startswith("the CPU clears the trap flag"), row
        else:
            assert left_in_xapic(row) or re.match(r"needs .*, which (this CPU does|AMD's CPUs do) not have$", row["why"]), row
