"""Suite wakeup (docs/wakeup.md): how a core's wait ends, by its timer and by another core, and the parts of an interrupt;
on CPUs of both vendors from few features to many, with the local APIC in both modes."""

import re

import build
import pytest
from bochs import bochs
from machine import SUCCESS
from rows import declared
from test_borrow import DO_NOT_WAIT, shell_disk
from test_cores import smp
from test_privileged import MODELS, WORDS, left_in_xapic

# Instructions of an operation, counted by hand in bench/suites/wakeup. A window that begins when the timer is due and
# ends in the handler has 7: from the TSC's reading before the timer was armed to the write, and the handler's up to its
# reading, without those of the empty window. QEMU's timer fires a count later, which is 1 of 128 ticks.
LATE = 1 / 128
BY_HAND = {"self": 23, "self_send": 5, "self_delivery": 5, "self_eoi": 6, "self_return": 7,
           "hlt_oneshot": 7 + LATE, "spin_oneshot": 8}  # fmt: skip
MWAIT = {"mwait_00_oneshot": 7 + LATE}
X2APIC = {"self_x2apic": 27, "self_x2apic_send": 5, "self_x2apic_delivery": 8, "self_x2apic_eoi": 7, "self_x2apic_return": 7}
OTHERS = {"hlt_ipi", "ipi_send", "ipi_delivery", "ipi_handler", "ipi_answer"}
OTHERS_X2APIC = {f"ipi_x2apic_{part}" for part in ("send", "delivery", "handler", "answer")}
EVENTS = {"nmi_x2apic": 15, "nmi_x2apic_delivery": 10, "nmi_x2apic_return": 4,
          "rdmsr_x2apic_id": 2, "rdmsr_x2apic_tpr": 2, "wrmsr_x2apic_eoi": 4, "wrmsr_x2apic_tpr": 4}  # fmt: skip
LACKS = re.compile(r"needs .* \(CPUID\.[^)]*\), which this CPU does not have$")


def figures(b, *suites, of="instructions"):
    """Returns {name: figure} of the rows that ran, which left no state changed."""
    rows = [row for row in b.rows if row["suite"] in suites]
    assert not any("changed" in row for row in rows), str(b)
    return {row["name"]: row["per_op"].get(of) for row in rows if row["status"] == "ok"}


@pytest.mark.parametrize("how", [how for how, _ in MODELS.values()], ids=MODELS)
def test_each_wait_ends_once_or_names_what_the_cpu_lacks(shared, how):
    b = shared(f"{WORDS} format=jsonl", **how)
    rows = {row["name"]: row for row in b.rows if row["suite"] == "wakeup"}
    assert set(rows) == {name.split("/")[1] for name in declared() if name.startswith("wakeup/")}
    has_mwait = LACKS.match(rows["mwait_00_oneshot"].get("why", "")) is None
    assert figures(b, "wakeup") == pytest.approx(BY_HAND | (MWAIT if has_mwait else {}), abs=1e-3), str(b)
    for name, row in rows.items():
        if row["status"] == "ok":
            assert row["stepped"]["why"].startswith("the CPU clears the trap flag"), row
        else:
            alone = name in OTHERS | {"mwait_00_ipi", "mwait_00_store"} and row["why"].startswith("needs two cores")
            assert alone or left_in_xapic(row) or LACKS.match(row["why"]), row


def test_each_core_is_woken_by_others(boot):
    """QEMU's MWAIT does not wait where there are several CPUs."""
    b = boot("suite=wakeup cores=all bench=hlt_*,ipi_*,self,mwait_00_* samples=16 hist=off", **smp(3), whole=True)
    b.must(SUCCESS)
    assert {row["name"] for row in b.rows if row["status"] == "ok"} == OTHERS | {"self", "hlt_oneshot"}, str(b)
    for matrix in b.of("matrix"):
        assert {pair[1] for pair in matrix["pairs"]} == {0, 1, 2}, matrix
    assert {row["core"] for row in b.rows if row["name"] == "hlt_oneshot"} == {0, 1, 2}
    for row in b.rows:
        if row["name"].startswith("mwait_00") and "deadline" not in row["name"]:
            assert row["why"] == "needs an MWAIT that waits; it ends at once here", row


def test_a_borrowed_machine_gets_its_timer_back(boot, program, tmp_path):
    """The firmware's clock is the local APIC's timer, by which it waits for the cores that it lends to the second run."""
    words = "baretick.efi suite=wakeup bench=hlt_*,spin_oneshot,self,ipi_* cores=all takeover=borrow finish=return samples=16 hist=off"
    disk = shell_disk(tmp_path / "shell.img", program, words, words)
    b = boot("", disk=disk, runs=2, **smp(2), whole=True, keys=DO_NOT_WAIT)
    assert "the shell continues" in b.text and [r["verdict"] for r in b.of("end")] == ["pass", "pass"], str(b)
    done = [row["name"] for row in b.rows if row["status"] == "ok"]
    assert all(done.count(name) == 2 for name in OTHERS) and done.count("hlt_oneshot") == 4, str(b)


@pytest.mark.skipif(not build.emulates_x2apic(), reason="this QEMU emulates no x2APIC")
def test_x2apic_rows_have_exactly_their_instructions(boot, shim):
    words = "suite=wakeup,events,privileged bench=*x2apic* samples=16 hist=off"
    b = boot("", disk=shim("x2apic", words), whole=True).must(SUCCESS)
    assert figures(b, "wakeup", "events", "privileged") == X2APIC | EVENTS, str(b)


@pytest.mark.skipif(not build.emulates_x2apic(), reason="this QEMU emulates no x2APIC")
def test_x2apic_rows_of_several_cores_and_of_the_timer_run(boot, shim):
    """Without counting: WRMSR of the timer's count ends QEMU 10 ("Bad icount read")."""
    words = "suite=wakeup cores=all bench=*x2apic*,hlt_oneshot,spin_oneshot,hlt_ipi samples=16 hist=off"
    b = boot("", disk=shim("x2apic", words), whole=True, icount=False, **smp(2)).must(SUCCESS)
    done = set(figures(b, "wakeup"))
    assert done == OTHERS_X2APIC | set(X2APIC) | {"hlt_oneshot", "spin_oneshot", "hlt_ipi"}, str(b)


@pytest.mark.others
@pytest.mark.long
def test_bochs_runs_the_rows_of_x2apic_the_tsc_deadline_and_ibrs(shim, tmp_path):
    """One tick of its TSC is an instruction, except for events: the other core has turns between. Its model tigerlake
    has SPEC_CTRL."""
    words = ("suite=wakeup,events,privileged bench=*x2apic*,*ibrs,*ibpb,*stibp,*ssbd,*spec_ctrl,rdpid,rdseed,wrmsr_tsc_deadline,spin_*,hlt_* "
             "cores=all samples=16 hist=off rounds=1 format=jsonl")  # fmt: skip
    b = bochs(tmp_path, shim("x2apic", words), cores=2, model="tigerlake")
    assert b.end["verdict"] == "pass" and b.run["masked"]["x2apic"] is True, str(b)
    done = figures(b, "wakeup", "events", "privileged", of="ticks")
    ibrs = {"user_int_ibrs": 9, "user_syscall_ibrs": 11, "user_sysenter_ibrs": 15, "wrmsr_ibrs": 6, "wrmsr_stibp": 6,
            "wrmsr_ssbd": 6, "wrmsr_ibpb": 4, "wrmsr_spec_ctrl": 4, "rdmsr_spec_ctrl": 2, "rdpid": 1, "wrmsr_tsc_deadline": 4}  # fmt: skip
    assert {name: done.get(name) for name in ibrs} == ibrs, str(b)
    assert {"rdseed", "spin_deadline", "hlt_deadline", "spin_oneshot", "hlt_oneshot", "hlt_ipi"} | OTHERS_X2APIC | set(X2APIC | EVENTS) <= set(done), str(b)
