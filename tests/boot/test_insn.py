"""Suite insn on the bare machine, with counted instructions: every form is executed, or the reason why not is known."""

import re

import pytest
from build import ROOT
from machine import SUCCESS
from read import insn

LEAST = 1500  # forms of the baseline x86-64 with SSE2 and x87, which every CPU of QEMU has


def forms_of_the_table():
    """How many forms the generated table has."""
    return len(re.findall(r"^FORM\(", (ROOT / "lib/insn/table.def").read_text(encoding="utf-8"), re.MULTILINE))


def assert_estimate_is_near(bytes_said, serial):
    """The estimate is at most a tenth above the bytes of the records, and never below."""
    written = sum(len(line) + 1 for line in serial.split(b"\n") if re.search(rb'"type":"insn(_left)?"', line))
    assert written <= bytes_said <= 1.1 * written, (written, bytes_said)


@pytest.mark.long
def test_every_form_is_executed_or_refused_and_none_is_lost(boot):
    b = boot("suite=insn").must(SUCCESS, rows=0)
    (plan,), (end,) = b.of("insn_plan"), b.of("insn_end")
    ran = {form.name: form for record in b.of("insn") for form in insn.forms_of(record)}
    why = {name: record["why"] for record in b.of("insn_left") for name in insn.names_of(record["forms"])}
    assert plan["forms"] == len(ran) + len(why) and not set(ran) & set(why)
    # Rows of other values, such as "div r64 [slow]", are additional ones of their forms.
    assert len({name.partition(" [")[0] for name in (*ran, *why)}) == forms_of_the_table()
    assert plan["run"] == end["reached"] == len(ran) > LEAST and end["not_reached"] == 0
    assert all(why.values()) and why["hlt"].startswith("privileged")
    faulted = {name for name, form in ran.items() if form.fault}
    # QEMU's CPU, or the control registers, may lack a feature that CPUID lists. These forms are few, each with its fault.
    assert len(faulted) == end["faulted"] < 50, faulted
    assert plan["pairs"] == sum(len(insn.pairs(form)) for form in ran.values()) > LEAST
    for name, form in ran.items():
        # At least the instruction itself, and a few that set its registers again.
        assert name in faulted or form.figures["tp"].value >= 1, form
    # Equal strings do not end REPE, and REPNE has strings that differ everywhere.
    compared = [name for name in ran if re.fullmatch(r"repn?e (cmps|scas)[bwdq] \[rcx=4096\]", name)]
    assert len(compared) == 16 and all(4096 <= ran[name].figures["tp"].value < 4120 for name in compared), compared
    assert_estimate_is_near(plan["bytes"], b.serial)
    assert ran["add r64, r64"].figures["tp"].value == ran["movaps xmm, m128"].figures["tp"].value == 1
