"""`baretick stores`: what ends a trace, its command line, its table, its speed."""
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path

from commands import output_of, run_command
import golden
import pytest
from conftest import ROOT
from traces import BARETICK, FLAGS, PROGRAM, SECONDS, baretick, compiler, counts, followed, planted  # noqa: F401

from assembly import stores  # noqa: E402
import made  # noqa: E402
from launch import start  # noqa: E402

pytestmark = [pytest.mark.launches, pytest.mark.usefixtures("stores")]

# --- what ends a trace -----------------------------------------------------------------------------

@pytest.mark.parametrize("text, word, steps", [
    ("nop; syscall", "it leaves the code for the kernel", 1),
    ("nop; nop; int3", "it leaves the code for the kernel", 2),
    ("xbegin $+6", "a transaction does not survive single steps", 0),
    ("mov eax, ss; mov ss, eax", "the instruction after it would not be traced", 1),
    ("fxsave [r14]", "which bytes it touches depends on what state is in use", 0),
    ("xor eax, eax; mov [rax], rbx", "SIGSEGV, address 0", 2),
    ("nop; ud2", "SIGILL", 2),
    ("xor eax, eax; jmp rax", "SIGSEGV, address 0", 2),
    ("cli", "SIGSEGV", 1),
])
def test_an_instruction_that_cannot_be_stepped_ends_the_trace_with_the_reason(text, word, steps):
    ran = baretick(text, "--asm")
    assert ran.returncode == 1, ran
    assert re.search(rf"^the trace ended after {steps} steps?: {re.escape(word)}$", ran.stdout, re.MULTILINE), ran
    assert re.search(r"^    .*at (snippet|0x0)", ran.stdout, re.MULTILINE), ran


def test_an_instruction_that_faults_has_done_nothing():
    (trace,) = followed("mov rax, [r14]; lock cmpxchg16b [r14 + 8]", "--init", "mov [r14], rax", status=1)
    assert trace["ended"]["why"] == "SIGSEGV" and trace["ended"]["text"].startswith("lock cmpxchg16b")
    assert counts(trace, "stores", "loads") == (0, 1)


@pytest.mark.parametrize("flag, text", [
    ("avx512f", "mov eax, 3; kmovw k1, eax; vpscatterdd [r14 + zmm2*4]{k1}, zmm3"),
    ("avx2", "vpcmpeqd xmm1, xmm1; vpgatherdd xmm0, [r14 + xmm2*4], xmm1"),
])
def test_an_element_that_faults_after_others_ends_the_trace(flag, text):
    """A processor may take the step's trap between the two."""
    if flag not in FLAGS:
        pytest.skip(f"this CPU has no {flag}")
    index = "mov eax, 0x40000000; vmovd xmm2, eax; vpslldq xmm2, xmm2, 4"  # of element 1
    (trace,) = followed(text, "--init", index, status=1)
    assert re.fullmatch(r"SIGSEGV, address [0-9a-f]+", trace["ended"]["why"])
    assert trace["ended"]["text"].startswith(text.split("; ")[-1].split()[0])


def test_a_body_without_an_end_is_bounded():
    (trace,) = followed("provoke/endless", "--steps", 1000, status=1)
    assert trace["steps"] == 1000 and "within 1000 steps" in trace["ended"]["why"]
    assert trace["ended"]["function"] == "endless_body" and trace["ended"]["text"].startswith("jmp")


def test_steps_before_the_first_counted_one_are_limited():
    (trace,) = followed("nop", "--asm", "--init", "jmp $", "--steps", 1000, status=1)
    assert trace["steps"] == 0
    assert "100000 steps" in trace["ended"]["why"] and "to be counted" in trace["ended"]["why"], trace["ended"]


def test_few_steps_are_the_counted_ones():
    """Not the steps before the body: saving registers, filling areas."""
    (trace,) = followed("mov [r14], rax", "--steps", 1, status=1)
    assert counts(trace, "steps", "stores") == (1, 1)
    assert "not ended" in trace["ended"]["why"] and "within 1 step" in trace["ended"]["why"], trace["ended"]
    assert trace["ended"]["text"] == "dec r15"


def test_every_instruction_of_a_large_body_is_counted(tmp_path):
    """Each of them is listed, however many there are."""
    n = 66000  # more than 16 bits count
    path = made.of_source(tmp_path, "big", f"""
        static int f(uint64_t n, struct baretick_object *o) {{
            for (; n; n--) __asm__ volatile(".rept {n}; movb $1, (%0); .endr" :: "r"(o->room) : "memory");
            return 0; }}
        BARETICK_ROW(big, f, "many instructions", .body = f, .ops = 1, .room = 64);""")
    (trace,) = followed(path, "--operations", 2)
    assert counts(trace, "stores", "dead_bytes", "silent_stores") == (2 * n, 2 * n - 1, 2 * n - 1)
    assert sum(i["stores"] == 2 for i in trace["by_instruction"]) == n


def test_a_long_trace_shows_its_progress_on_a_terminal():
    words = [BARETICK, "stores", "provoke/endless", "--steps", "120000", "--json"]
    terminal, other = pty.openpty()
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=other) as p:
        os.close(other)
        out = p.stdout.read()
    shown = os.read(terminal, 65536)
    os.close(terminal)
    assert b"\r50000 steps\r100000 steps\r" in shown and shown.endswith(b" \r"), shown
    assert json.loads(out)["steps"] == 120000
    assert baretick("provoke/endless", "--steps", "60000").stderr == ""


def test_missing_work_is_reported():
    (trace,) = followed("provoke/wrong", status=1)
    assert "counter" in trace["wrong"] and "operations" in trace["wrong"], trace["wrong"]
    assert "the call did not do its work: the counter" in baretick("provoke/wrong").stdout


def test_a_trace_that_is_interrupted_shows_its_counts():
    p = subprocess.Popen([PROGRAM, "steps=100000000", "provoke/endless"], stdout=subprocess.PIPE, text=True,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    stat = Path(f"/proc/{p.pid}/stat")
    while int(stat.read_text().rsplit(")", 1)[1].split()[12]) < 10:  # ticks in the kernel: it is stepping
        time.sleep(0.01)
    p.send_signal(signal.SIGINT)
    out, _ = p.communicate(timeout=SECONDS)
    (trace,), _ = stores.read(out)
    assert p.returncode == 1 and trace["ended"]["why"] == "it was stopped" and trace["steps"] > 0


# --- words -----------------------------------------------------------------------------------------

def test_wrong_words_are_named_as_stored():
    """Without the words of NASM, which differ by its releases."""
    def said(words):
        ran = baretick(*shlex.split(words))
        assert ran.returncode == 2 and not ran.stdout, ran
        return re.sub(r'(the snippet: ".*": |SIGILL at ).*', r"\1...", ran.stderr.splitlines()[-1])

    golden.check_table("stores_refused", said)
    assert "the snippet is not UTF-8: 'nop; \\udcff'" in baretick("nop; \udcff").stderr


@pytest.fixture
def inline(tmp_path):
    """An object whose row has the name of one of the program's rows, and one with a new name."""
    rows = "".join(f'BARETICK_ROW(mine, {name}, "{name}", .body = f, .ops = 2);\n' for name in ("inline", "other"))
    return made.of_source(tmp_path, "mine", "static int f(uint64_t n, struct baretick_object *o) "
                          f"{{ o->counter += n; return 0; }}\n{rows}")


def test_row_selects_among_the_rows_of_the_object(inline):
    assert [t["suite"] for t in followed(inline, "--row", "inline")] == ["mine"]
    ran = baretick(inline, "--row", "direct")
    assert ran.returncode == 2 and all(
        part in ran.stderr for part in ("direct", str(inline), "mine/inline", "mine/other"))


def test_a_folder_stands_for_its_objects(inline, monkeypatch):
    made.own("stores_gcc", inline.parent)
    found = followed(f"{inline.parent}/", "--operations", 2)
    assert {t["object"] for t in found} == {"mine.o", "stores_gcc.o"}
    assert any("stores.c:" in i.get("line", "") for t in found for i in t["by_instruction"])
    (inline.parent / "few").mkdir()
    monkeypatch.chdir(inline.parent)
    ran = baretick("few")
    assert ran.returncode == 2 and ran.stderr.endswith("; a folder is few/\n")


def test_a_file_that_is_not_an_object_is_refused(tmp_path):
    (tmp_path / "a.o").write_text("no object")
    ran = baretick(tmp_path / "a.o")
    assert ran.returncode == 2 and "a.o" in ran.stderr and not ran.stdout, ran


def test_without_zydis_the_package_to_install_is_named(tmp_path, monkeypatch):
    made = run_command("make", "-C", ROOT, "stores", "HAS_ZYDIS=")
    assert made.returncode == 2 and "Zydis" in made.stderr and "./scripts/setup" in made.stderr
    fake = tmp_path / "stores"
    fake.write_text("#!/bin/sh\necho stores: error while loading shared libraries: libZydis.so.4.0 >&2\nexit 127\n")
    fake.chmod(0o755)
    monkeypatch.setattr(stores, "PROGRAM", str(fake))
    with pytest.raises(start.Failed, match="libZydis.so.4.0(?s:.*)./scripts/setup --test installs it"):
        stores.program("a/b")
    monkeypatch.setattr(stores, "PROGRAM", str(tmp_path / "none"))
    with pytest.raises(start.Failed, match="`make stores` builds it"):
        stores.program("a/b")


def test_bash_completes_stores_and_its_options():
    script = output_of(BARETICK, "completion", "bash")
    for words, last in (("baretick sto", "stores"), ("baretick stores --ver", "--verify")):
        ask = f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _baretick; echo ${{COMPREPLY[@]}}"
        assert output_of("bash", "-c", f"{script}\n{ask}").strip() == last


# --- the table -------------------------------------------------------------------------------------

def listed(text, title):
    """Returns the figures of a list, one line each."""
    part = re.search(rf"^{title}$(.*?)(?=^$|\Z)", text, re.MULTILINE | re.DOTALL)
    return [tuple(map(int, m[1].split())) for m in re.finditer(r"^((?: *\d+)+)   ", part[1], re.MULTILINE)] if part else []


def test_the_worst_come_first_in_100_columns(planted):
    ran = baretick(planted)
    assert ran.returncode == 0 and max(map(len, ran.stdout.splitlines())) <= 100
    copied = ran.stdout[:ran.stdout.index("/copied_cure: ")]
    dead, silent = listed(copied, "dead stores"), listed(copied, "silent stores")
    for found in (dead, silent):
        assert found and [f[0] for f in found] == sorted((f[0] for f in found), reverse=True) and all(f[0] for f in found)
    assert dead[0] == (16 * 99, 16 * 100, 100) and silent[0] == (99, 100)
    few = baretick(planted, "--row", "copied", "--top", 1).stdout
    assert re.search(r"^\.\.\. and \d+ more; --top 0 shows all$", few, re.MULTILINE) and len(listed(few, "dead stores")) == 1


def test_a_load_is_listed_by_either_rule():
    (line,) = listed(baretick("mov [r14], r15; mov rbx, [r14]; mov rcx, [r14]").stdout, "silent loads, reread loads")
    assert line == (0, 1000, 1000)
    (line,) = listed(baretick("mov [r14], rax; mov rbx, [r14]").stdout, "silent loads, reread loads")
    assert line == (999, 0, 1000)
    said = baretick("mov rbx, [r14]", "--operations", 1).stdout
    assert not listed(said, "silent loads, reread loads") and "1 load of 8 bytes: 0 loads (0%) silent" in said


def test_long_names_are_cut():
    call = {"address": 0x1234, "function": "g" * 200, "offset": 1}
    record = {"text": "vpscatterdd " * 10, "address": 0x1234, "function": "f" * 200, "offset": 1, "calls": [call] * 5,
              **dict.fromkeys(stores.COUNTS, 10 ** 8)}
    for _, _, columns in stores.LISTS:
        shown = list(stores.table([record], columns))
        assert max(map(len, shown)) <= 100 and sum("..." in line for line in shown) == 2 + 5
    assert stores.place({**record, "line": "/src/" + "d" * 5 + ".c:7"}, 40) == "f" * 22 + "...+0x1, ddddd.c:7"


# --- speed -----------------------------------------------------------------------------------------

@pytest.mark.silicon
def test_stores_steps_at_half_the_bare_rate_or_more():
    """Compared with plain steps, alternating in the same process, by its CPU time: other programs' load is in neither."""
    speed = json.loads(output_of(PROGRAM, "speed=1", "operations=5000", "compiler/silent_cure"))
    assert speed["type"] == "speed" and speed["steps_per_second"] >= speed["bare"] / 2 > 1000, speed
