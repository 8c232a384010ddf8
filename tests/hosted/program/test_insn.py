"""Suite insn in a process: each form of bench= has its figures or a reason, time= is kept, and a form that faults ends
nothing else. The figures themselves depend on this CPU and are not judged."""

import collections
import json
import os
import re
import signal
import struct
import subprocess

import pytest
from conftest import ROOT, run_on
from read import insn

WORDS = ("suite=insn", "format=jsonl")
FORM = re.compile(r"FORM\(\{([^}]*)\}, (\w+),(\w+),(\w+),(\w+),(\w+),(\w+),(\w+),(\w+),(\w+),(\w+),(\w+)\) /\* (.*) \*/")


def records(ended, kind):
    lines = [json.loads(line) for line in ended.out.splitlines() if line.startswith("{")]
    return [record for record in lines if record["type"] == kind]


def forms(ended):
    return {form.name: form for record in records(ended, "insn") for form in insn.forms_of(record)}


def left(ended):
    return {name: record["why"] for record in records(ended, "insn_left") for name in insn.names_of(record["forms"])}


def one(ended, kind):
    (record,) = records(ended, kind)
    return record


def pairs(form):
    return set(insn.pairs(form))


@pytest.fixture(scope="module")
def few(shared_run):
    return shared_run(*WORDS, "bench=add_r64_r64,mov_r64_m64,movd_r32_xmm,nop,hlt,syscall,lock_add_m64_r64", "time=20")


def test_each_form_has_its_throughput_and_each_pair(few):
    assert few.status in (0, 2), few.err  # self-tests are not this test's
    found = forms(few)
    assert set(found) == {"add r64, r64", "mov r64, m64", "movd r32, xmm", "nop", "lock add m64, r64"}
    assert pairs(found["add r64, r64"]) == {"0>0", "0>f", "1>0", "1>f"}
    assert pairs(found["mov r64, m64"]) == {"1>0", "1b>0", "1i>0"}
    assert pairs(found["nop"]) == set()
    for form in found.values():
        assert "tp" in form.figures and not form.fault, form
        assert all(figure.error is None or figure.error > 0 for figure in form.figures.values()), form


def test_a_latency_across_register_files_is_an_upper_bound(few):
    found = forms(few)
    assert found["movd r32, xmm"].figures["1>0"].at_most
    assert found["mov r64, m64"].figures["1>0"].at_most  # by a store and a load
    # Without a step of a chain whose cost a busy machine may not settle.
    assert not any(found["add r64, r64"].figures[pair].at_most for pair in ("0>0", "1>0"))


def test_forms_that_are_not_run_state_why(few):
    why = left(few)
    assert set(why) == {"hlt", "syscall"} and "ring 0" in why["hlt"] and "calls a kernel" in why["syscall"], why


def test_the_plan_and_the_end_count_the_same_forms(few):
    plan, end = one(few, "insn_plan"), one(few, "insn_end")
    assert plan["forms"] == 7 and plan["run"] == end["reached"] == 5
    assert plan["pairs"] == sum(len(pairs(form)) for form in forms(few).values())
    assert end["faulted"] == end["not_reached"] == 0 and end["passes"] >= 1
    assert (last := one(few, "end"))["forms"] == 5 and last["rows"] == 0 and "curves" not in last
    assert plan["seconds"] == 20 and one(few, "run")["licence"] == "CC0-1.0"
    assert set(end["links"]) >= {"movsxd r64, r32", "test r64, r64"} and len(end["links"]) == len(end["link_cycles"])


def test_the_table_has_a_line_for_each_of_a_few_forms(run):
    out = run("suite=insn", "bench=add_r64_r64,hlt", "time=5", "format=table").out
    assert re.search(r"^add r64, r64 +[\d.]+\??(  [01]>[0f] (<=)?-?[\d.]+\??){4}\r?$", out, re.MULTILINE), out
    assert re.search(r"^hlt +privileged", out, re.MULTILINE) and "1 of 2 forms" in out
    assert re.search(r"^verdict: \w+ \(1 form of instructions, ", out, re.MULTILINE), out[-400:]


def test_forms_whose_time_depends_on_values_have_more_rows(run):
    ended = run(*WORDS, "bench=div_r64,rep_movsb,sqrtps_xmm_xmm", "time=5")
    found = forms(ended)
    assert set(found) == {"div r64", "div r64 [slow]", "sqrtps xmm, xmm", "sqrtps xmm, xmm [slow]", "rep movsb",
                          *(f"rep movsb [rcx={n}]" for n in (0, 1, 2, 4096))}  # fmt: skip
    assert all("tp" in form.figures for form in found.values()), found
    assert {"0>1", "1>1", "2>1"} <= pairs(found["div r64 [slow]"])  # each copy divides the same
    assert all(not form.fault for form in found.values()) and not pairs(found["rep movsb [rcx=0]"])


def test_masks_are_selected_by_a_brace(run):
    plain = run(*WORDS, "bench={evex}_vaddps_zmm_zmm_zmm", "time=1")
    masked = run(*WORDS, "bench={evex}_vaddps_zmm_zmm_zmm_{k}*", "time=1")
    assert {name.partition(" [")[0] for name in (*forms(plain), *left(plain))} == {"{evex} vaddps zmm, zmm, zmm"}
    assert {"{evex} vaddps zmm, zmm, zmm {k}", "{evex} vaddps zmm, zmm, zmm {k}{z}"} <= (
        set(forms(masked)) | set(left(masked)))


def test_a_form_that_does_not_exist_is_refused(run):
    ended = run("suite=insn", "bench=ad_r64_r64", "format=table")
    assert ended.status == 3 and "ad_r64_r64" in ended.err and "such as add_r64_r64" in ended.err


@pytest.fixture(scope="module")
def short(shared_run):
    return shared_run(*WORDS, "time=1")


def test_time_is_kept_and_no_form_is_lost(short):
    plan, end = one(short, "insn_plan"), one(short, "insn_end")
    was_run, was_not = forms(short), left(short)
    assert plan["forms"] == len(was_run) + len(was_not) and not set(was_run) & set(was_not)
    assert end["reached"] + end["not_reached"] == plan["run"] and end["reached"] == len(was_run)
    assert end["not_reached"] == sum("time=" in why for why in was_not.values())
    # One form more may begin within the time, and on a busy machine it waits for the CPU.
    assert end["seconds"] >= 1 or not end["out_of_time"]
    assert end["out_of_time"] or end["not_reached"] == 0


def test_the_records_take_about_the_estimated_bytes(short):
    """Of a run that is cut short, so with fewer figures than said."""
    written = sum(len(line) for line in short.out.splitlines() if '"type":"insn' in line)
    assert written < 1.5 * one(short, "insn_plan")["bytes"]


@pytest.mark.parametrize("which", ["few", "short"])
def test_the_end_counts_throughputs_and_latencies_and_those_without_a_mark(which, request):
    ended = request.getfixturevalue(which)
    end = one(ended, "insn_end")
    found = [figure for form in forms(ended).values() for name, figure in form.figures.items() if name == "tp" or ">" in name]
    assert end["figures"] == len(found) > 0 and end["settled"] == sum(figure.settled for figure in found)


@pytest.mark.silicon
def test_the_estimate_of_a_datasheet_is_at_most_a_tenth_above_its_records(run):
    out = run("datasheet", "format=jsonl").out
    kinds = ("insn", "insn_left", "curve", "limit", "forward", "matrix")
    written = sum(len(line) + 2 for line in out.splitlines() if json.loads(line)["type"] in kinds)
    (plan,) = [json.loads(line) for line in out.splitlines() if '"type":"insn_plan"' in line]
    assert written <= plan["all_bytes"] <= 1.1 * written


def test_a_stopped_run_has_the_forms_so_far(running):
    process, end = running("suite=insn", "time=600")
    run_on(process, ticks=100)  # a second of CPU time: the passes over all forms take longer
    os.kill(process.pid, signal.SIGINT)
    ended = end()
    assert ended.status == 5, ended.err
    (stopped,) = (e for e in ended.report().events if e["kind"] == "stopped")
    assert "insn/insn was under way" in stopped["message"]
    was_run, was_not = forms(ended), left(ended)
    assert one(ended, "insn_plan")["forms"] == len(was_run) + len(was_not)
    assert one(ended, "insn_end")["reached"] == len(was_run)


def form_bytes(mnemonic, opcode):
    """A form of the table as its 20 bytes in the program."""
    names = re.findall(r'^NAME\("(.*)"\)', (ROOT / "lib/insn/table.def").read_text(), re.MULTILINE)
    at = {name: sum(len(n) + 1 for n in names[:i]) for i, name in enumerate(names)}
    for found in FORM.finditer((ROOT / "lib/insn/table.def").read_text()):
        template = bytes(int(b, 16) for b in found[1].split(",") if b)
        if found[13] != mnemonic or template != opcode:
            continue
        length, prefixes, encoding, name, lists, properties, flags, feature, why, decorations, tail = (
            int(n, 0) for n in found.groups()[1:12])
        assert name == at[mnemonic]
        return struct.pack("<7sBHHHBBBBBx", template, length | prefixes << 4 | encoding << 6, name, lists, properties,
                           flags, feature, why, decorations, tail)
    raise AssertionError(f"{mnemonic} is not in the table")


Planted = collections.namedtuple("Planted", "out")


@pytest.mark.native
def test_a_form_that_faults_is_reported_and_the_run_continues(tmp_path, program):
    """In a copy of the program, CPUID is UD2."""
    was = form_bytes("cpuid", bytes((0x0F, 0xA2)))
    text = (ROOT / "build/hosted/baretick").read_bytes()
    assert text.count(was) == 1
    path = tmp_path / "baretick"
    path.write_bytes(text.replace(was, bytes((0x0F, 0x0B)) + was[2:]))
    path.chmod(0o755)
    done = subprocess.run([path, *WORDS, "bench=cpuid,add_r64_r64", "time=10"], capture_output=True, timeout=200,
                          stdin=subprocess.DEVNULL, check=False)  # fmt: skip

    ended = Planted(done.stdout.decode())
    found = forms(ended)
    assert done.returncode in (0, 2), done.stderr
    assert "SIGILL" in found["cpuid"].fault and not found["cpuid"].figures
    assert not found["add r64, r64"].fault and len(pairs(found["add r64, r64"])) == 4
    assert one(ended, "insn_end")["faulted"] == 1
