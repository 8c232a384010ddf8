"""`baretick insn`: the table of instructions of a report, the differences of two, and its conversions."""

import pytest
from made_insn import record
from made_reports import END, head, report, row, whole
from read import insn, saved

ADD = {"form": "add r64, r64", "cycles": {"tp": "0.25(1)", "0>0": "1.00(2)", "1>0": "1.00(2)", "1>f": "1.1(2)?"}}
LOAD = {"form": "mov r64, m64", "cycles": {"tp": "0.50", "1>0": "<7.5(?)", "1b>0": "4.0"}, "line": "0.333(2)"}
XOR = {"form": "xor r64, r64", "cycles": {"tp": "0.25"}, "same": "0.17"}
LCP = {"form": "add r16, imm16", "cycles": {"tp": "0.25"}, "straight": "3.0", "slots": 2, "lcp": True}
NOP = {"form": "nop", "cycles": {"tp": "0.20"}}
CPUID = {"form": "cpuid", "cycles": {"tp": "-", "0>0": "-"}, "fault": "SIGILL at 0x1"}
PLAN = {"type": "insn_plan", "core": 0, "licence": "CC0-1.0"}
SLOWER = {**ADD, "cycles": {"tp": "0.265(10)", "0>0": "1.50(2)", "1>0": "1.03", "1>f": "1.2(2)"}}
SHLX = {"form": "shlx r64, r64, r64", "cycles": {"tp": "0.50", "1>0": "1.00", "2>0": "1.00"}, "history": "tp 1.40 1>0 2.80"}
LEFT = {"type": "insn_left", "core": 0, "why": "privileged", "forms": [["hlt", ""]]}
NAMES = ["imul r64, r64, imm8", "mov r64, m64", "mov m64, r64", None]
BLOCKED = whole(others=({"type": "insn_plan", "core": 0, "blockers": NAMES}, record(
    {**ADD, "shares": "02"}, {**XOR, "shares": "."}, NOP, {**LCP, "shares": "0?1"})))
THIRD = {**ADD, "cycles": {"tp": "0.333", "0>0": "1.00", "1>0": "1.00", "1>f": "1.00"}}
CORES = [{"type": "core", "core": i, "usable": True, "core_type": kind} for i, kind in enumerate(("P", "P", "E"))]
HYBRID = whole(others=(*CORES, record(ADD, XOR), record(ADD, core=1), record(THIRD, core=2)))
PAIRS = {"type": "matrix", "suite": "made", "name": "core_to_core", "unit": "ticks", "pairs": []}
ROWS = whole(row("a", 1))


def of(*forms):
    return whole(others=(PLAN, record(*forms), LEFT))


GROUPED = {"type": "insn", "core": 0, "forms": [["add", "r32,r32", "r32,m32"], ["sub", 0], ["nop", ""], ["xor", 0]],
           "pairs": ["0>0 1>0", "1>0", ""], "pairs_of": [0, 1, 2],
           "cycles": ["0.25 1.00 2.00 0.50 <7", "0.24 1.0 1.0 0.51 <8", "0.17", "0.23 1.0 1.0 0.52 <9"],
           "slots": "1 1 1 1 1 1 1", "shares": "0 1 0 1 . 0 1"}  # fmt: skip
OWN = {key: GROUPED[key] for key in ("forms", "pairs", "pairs_of")}
OTHERS = {key: value for key, value in GROUPED.items() if key not in OWN}
# Of the second core's records, each has the forms of another record.
AS = [head(), {**GROUPED}, LEFT, {**OTHERS, "core": 1, "as": 1}, {"type": "insn_left", "core": 1, "why": "privileged", "as": 2}, END]
WRONG = [
    {"forms": [["add", 1], ["sub", "r32,r32"]]}, {"forms": [["add", "r32,r32"], ["sub", 0], ["xor", 1]]},
    {"forms": [["add", "r32,r32"], ["sub", 7]]}, {"pairs_of": [0, 1, 2, 0]}, {"pairs_of": [0, 1]},
    {"cycles": ["0.25 1.00 2.00 0.50 <7", "0.24 1.0 1.0 0.51", "0.17", "0.23 1.0 1.0 0.52 <9"]},
    {"cycles": ["0.25 1.00 2.00 0.50 <7", "0.24 1.0 1.0 0.51 <8 9", "0.17", "0.23 1.0 1.0 0.52 <9"]},
]  # fmt: skip
LENGTHS = ({"pairs_of": []}, {"cycles": []}, {"slots": "1 1"}, {"pairs_of": [1]}, {"forms": []})
REFUSED = [*({**GROUPED, **wrong} for wrong in WRONG), *({**record(ADD), **wrong} for wrong in LENGTHS)]

CASES = {
    "each form has a line": ({"r": of(ADD, LOAD, XOR, CPUID)}, "insn r", "insn r --all", "insn r --format json"),
    "a glob chooses forms by either name": (
        {"r": of(ADD, LOAD, XOR)}, *(f"insn r '{glob}'" for glob in ("add*", "add_r64_r64", "add r64, r64", "a??_r64*", "hlt"))),
    "differences are larger than both errors": (
        {"a": of(ADD, LOAD), "b": of(SLOWER, {**LOAD, "cycles": {**LOAD["cycles"], "1>0": "<9"}})},
        "insn a --diff b --format csv", "insn a --diff a"),
    "single cores are compared whatever their numbers are": (
        {"a": of(ADD), "b": whole(others=(PLAN, record({**ADD, "cycles": {**ADD["cycles"], "tp": "0.50"}}, core=3)))},
        "insn a --diff b"),
    "reports without a common form are not compared": ({"a": of(ADD), "b": of(XOR)}, "insn a --diff b"),
    "programs get every figure": ({"r": of(ADD, LOAD)}, "convert r --to csv"),
    "notes: a prefix, a decoder, another history": (
        {"r": of(LCP, {**ADD, "complex": True}, XOR, SHLX)}, "insn r", "insn r --format json", "convert r --to csv"),
    "each type of core has a column, and one core is shown on request": (
        {"r": HYBRID}, "insn r --format json", "insn r --core 1 --format json", "insn r --core 7", "insn r --core 7 --diff r",
        "insn r --core 7 --published r"),
    "one core is compared on request": ({"r": HYBRID, "b": of(THIRD)}, "insn r --diff b --core 0 --format csv", "insn r --diff b --core 2"),
    "blockers are named": ({"r": BLOCKED}, "insn r --format json"),
    "a report with rows keeps its CSV of rows": ({"r": whole(row("a", 1), others=(record(ADD),))}, "convert r --to csv"),
    "a datasheet with a map of cores has its forms as CSV": (
        {"r": whole(row("core_to_core", 1), others=(record(ADD), PAIRS))}, "convert r --to csv"),
    "a report without the suite is refused": ({"r": ROWS}, "insn r"),
    "a damaged record is reported and the rest is printed": ({"r": of(ADD).replace(b"0.25(1)", b"0.35(1)")}, "insn r --all"),
    "a group may have the operands of another": ({"r": whole(others=(GROUPED,))}, "insn r"),
    # The forms of a record are not known if its other record is lost; a record without forms is refused.
    "a record may have the forms of another core's": (
        {"r": report(AS), "lost": report([AS[0], *AS[2:]]), "none": report([AS[0], OTHERS])},
        "insn r --core 0 --all", "insn r --core 1 --all", "insn lost", "insn none"),
    "groups that contradict each other, or whose columns differ in length, are refused": (
        {f"{n}": whole(others=(wrong,)) for n, wrong in enumerate(REFUSED)}, *(f"insn {n}" for n in range(len(REFUSED)))),
}


@pytest.mark.parametrize("name", CASES)
def test_what_insn_says_is_as_stored(said, name):
    said(CASES, name)


def test_a_reader_gets_blockers_and_whether_they_are_settled():
    forms = insn.forms(saved.take("r", BLOCKED))
    assert [form.shares for form in forms] == [[0, 2], [], None, [1]]
    assert [form.unsettled for form in forms] == [[], [], [], [0]]
    forms = list(insn.forms_of(GROUPED))
    assert [insn.pairs(form) for form in forms] == 2 * [["0>0", "1>0"], ["1>0"]] + [[]] + [["0>0", "1>0"], ["1>0"]]
    assert forms[3].figures["1>0"].at_most and forms[4].shares == []


def test_a_record_of_an_older_version_has_the_figures_of_each_form():
    older = {**GROUPED, "forms": [["add", "r32,r32", "r32,m32"], ["sub", "r32,r32", "r32,m32"], ["nop", ""],
                                  ["xor", "r32,r32", "r32,m32"]],
             "pairs_of": [0, 1, 0, 1, 2, 0, 1],
             "cycles": ["0.25 1.00 2.00", "0.50 <7", "0.24 1.0 1.0", "0.51 <8", "0.17", "0.23 1.0 1.0", "0.52 <9"]}  # fmt: skip
    assert list(insn.forms_of(older)) == list(insn.forms_of(GROUPED))


def test_a_record_with_another_shape_is_passed_over(tmp_path):
    path = tmp_path / "report.jsonl"
    for wrong in ({"pairs_of": ["0"]}, {"cycles": 1}, {"slots": [1]}, {"forms": ["add r64, r64"]}):
        path.write_bytes(whole(others=({**record(ADD), **wrong},)))
        found = saved.read(path)
        assert found.damage and insn.forms(found) == [], wrong


@pytest.mark.parametrize("text, value, error, at_most, settled", [
    ("0.257(4)", 0.257, 0.004, False, True), ("1.00", 1, 0.02, False, True), ("12", 12, 2, False, True),
    ("<8.9(?)?", 8.9, None, True, False), ("1230(50)", 1230, 50, False, True), ("-0.01(12)?", -0.01, 0.12, False, False),
])  # fmt: skip
def test_figures_are_read(text, value, error, at_most, settled):
    (form,) = insn.forms_of(record({"form": "nop", "cycles": {"tp": text}}))
    assert form.figures == {"tp": (value, error, at_most, settled)}


def test_names_of_forms_join_mnemonic_and_operands():
    assert insn.names_of([["lock add", "m64,r64", "m8,r8"], ["rep movsb", "", "[rcx=0]"]]) == [
        "lock add m64, r64", "lock add m8, r8", "rep movsb", "rep movsb [rcx=0]"]  # fmt: skip
