"""User objects that are refused: by the program, by make check-object and by NASM's macro."""

import re

from commands import output_of, run_command
import pytest

import made
from conftest import ROOT
from object_rows import PASS, check, faults, measured, objects
from statuses import BAD_OPTIONS


# --- what is refused -------------------------------------------------------------------------------

REFUSALS = PASS + """
BARETICK_ROW(mine, good, "nothing", .body = pass, .ops = 10, .flags = BARETICK_MAY_BE_ELIDED);
BARETICK_ROW(mine, bad, "nothing", .body = pass, .ops = 10, .room = 9u << 20);
BARETICK_ROW(mine, vast, "nothing", .body = pass, .ops = 10, .truth = 1e308);
BARETICK_ROW(truth, imul, "the program has it", .body = pass, .ops = 10);
static const struct baretick_row old = {.version = 7, .size = sizeof old, .name = "old"};
static const struct baretick_row *const at_old __attribute__((used, section(BARETICK_SECTION))) = &old;
"""


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """A folder with an object with refused rows, a file that is not one, one that is too large, one without rows, a
    good one."""
    folder = tmp_path_factory.mktemp("refused")
    made.of_source(folder, "a", REFUSALS)
    (folder / "b.o").write_text("no object")
    (folder / "c.o").write_bytes(bytes((1 << 20) + 1))
    made.of_source(folder, "d", "int f(void); int f(void) { return 0; }\n")
    made.of_source(folder, "e", "int absent(uint64_t n, struct baretick_object *o);\n"
                   "BARETICK_ROW(mine, absent, \"one that is not there\", .body = absent, .ops = 10);\n"
                   + PASS + "static int calls(uint64_t n, struct baretick_object *o) { return absent(n, o); }\n"
                   "BARETICK_ROW(mine, calls, \"a call of it\", .body = calls, .ops = 10);\n"
                   "BARETICK_ROW(mine, last, \"nothing\", .body = pass, .ops = 10, .flags = BARETICK_MAY_BE_ELIDED);\n", f"{made.C} -ffunction-sections")  # fmt: skip
    return folder


SAID = [
    # The compiler puts the last one first.
    ("a.o: row vast: truth ", "below 1e18"), ("a.o: row bad: room ", "9437184 bytes", "8388608"),
    ("a.o: row imul of suite truth: ", "exists"), ("a.o: row 1: version 7", "version 1"),
    ("b.o: ", "ELF"), ("c.o: ", "1 MiB", "glibc's libc.a", "/usr/lib/"),
    ("d.o: ", "no rows", "section baretick_rows_v1"), ("e.o: .data.rel.ro",),  # named by section and offset
]


def test_a_refused_object_fails_the_run_and_other_rows_are_measured(measured, refused):
    report = measured(refused, "suite=mine,planted", "bench=good,last,calls,adds20", "samples=64")
    assert set(report.rows) == {"mine/good", "mine/last", "mine/calls", "planted/adds20"}
    for name in ("mine/good", "mine/last", "planted/adds20"):
        assert report.rows[name]["status"] == "ok", report.rows[name]
    said = [e["message"] for e in report.events if e["kind"] == "error"]
    assert len(said) == len(SAID), said
    for place, *words in SAID:
        (message,) = [m for m in said if m.startswith(f"object refused: {place}")]
        assert all(w in message for w in words), (message, words)
    calls = report.rows["mine/calls"]
    assert calls["status"] == "wrong" and "to absent: the object does not define it" in calls["why"], calls
    assert report.end["failures"] == len(SAID) + 1


def test_a_name_of_a_refused_row_is_refused_with_the_reason(run, refused):
    ended = run(f"objects={refused}", "suite=mine", "bench=bad")
    assert ended.status == BAD_OPTIONS, ended.err
    for words in ('no row of suite=mine is called "bad"', *(f"; object refused: {place}" for place, *_ in SAID)):
        assert words in ended.err, ended.err


def test_list_names_refused_objects(run, refused):
    out = run(f"objects={refused}", "list").out
    assert all(f"object refused: {place}" in out for place, *_ in SAID), out


@pytest.mark.parametrize("make, words", [
    (lambda folder: folder / "none", "none: No such file or directory; a folder or an object is allowed"),
    (lambda folder: folder, ": no file there ends in .o"),
])  # fmt: skip
def test_a_folder_that_is_missing_or_has_no_object_is_refused(run, tmp_path, make, words):
    path = make(tmp_path)
    ended = run(f"objects={path}", "suite=planted")
    assert ended.status == BAD_OPTIONS and f"objects={path}" in ended.err and words in ended.err, ended.err


def test_objects_beyond_the_limit_are_refused(run, tmp_path):
    good = made.of_source(tmp_path, "x", PASS + 'BARETICK_ROW(m, r, "nothing", .body = pass, .ops = 10);\n')
    many = tmp_path / "many"
    many.mkdir()
    for i in range(33):
        (many / f"{i:02}.o").write_bytes(good.read_bytes())
    out = run(f"objects={many}", "list").out
    assert len(re.findall(r"object refused: (0[1-9]|[12]\d|3[01])\.o: row r of suite m: ", out)) == 31, out
    assert re.search(r"object refused: 32\.o: .*\b32 objects", out), out


def test_check_object_lists_accepted_rows(objects):
    said = check(objects / "gcc.o")
    assert said.returncode == 0 and not said.stderr, said
    for words in ("gcc/chain: ten products, each of the one before", "body      chain", "ops       500",
                  "gcc/sum: ", "setup     fill", "check     summed", "room      4096",
                  "unit      byte, 4096 an operation", "placed    ", "object    gcc.o: "):  # fmt: skip
        assert words in said.stdout, said.stdout
    assert "refused" not in said.stdout
    assert check(objects).returncode == 0


def test_check_object_prints_the_programs_messages(run, refused):
    """It prints the same messages, and also refuses objects that cannot be placed."""
    said = check(refused)
    assert said.returncode == 1, said
    shown = run(f"objects={refused}", "list").out.splitlines()
    about = [line for line in shown if line.startswith("object")]
    assert about and [line for line in said.stdout.splitlines() if line.startswith("object")] == about
    assert re.search(r"refused   e\.o: \.text\S*\+0x[0-9a-f]+: \S+ to absent: the object does not define it", said.stdout)


@pytest.mark.parametrize("words", [[], [""], ["a", "b"], ["/nowhere.o"]])
def test_check_object_without_an_object_shows_the_usage(words):
    said = check(*words)
    assert said.returncode == 2 and not said.stdout and ("usage: " in said.stderr or "/nowhere.o: No such" in said.stderr)


def test_make_check_object_names_rows_and_fails_for_other_files(faults):
    def make(name):
        return run_command("make", "-s", "check-object", f"OBJECT={name}", cwd=ROOT)

    good = make(faults)
    assert good.returncode == 0 and "faults/ud2: an undefined instruction" in good.stdout, good
    assert make("README.md").returncode != 0


# --- NASM's file -----------------------------------------------------------------------------------

@pytest.mark.parametrize("line, words", [
    ("BARETICK_ROW m, r, \"x\", f, opps, 3", "struct baretick_row has no field opps"),
    ("BARETICK_ROW m, r, \"x\", f, ops", "a field without its value"),
    ("BARETICK_ROW m, r, \"x\", f, truth, 3", "truth is written with a point, as in 3.0"),
])  # fmt: skip
def test_nasm_names_the_error_of_a_row(tmp_path, line, words):
    (tmp_path / "a.asm").write_text(f'%include "baretick.inc"\nf: ret\n{line}\n')
    p = run_command("nasm", "-f", "elf64", "-I", f"{made.API}/", tmp_path / "a.asm", "-o", tmp_path / "a.o")
    assert p.returncode != 0 and words in p.stderr, p.stderr


def test_nasm_takes_every_field(tmp_path):
    (tmp_path / "a.asm").write_text(
        '%include "baretick.inc"\nf: ret\nBARETICK_ROW m, r, "x", f, empty, f, ops, 8, grain, 4, most_ops, 16, room, 4096, '
        "needs, BARETICK_RING0, flags, BARETICK_COLD | BARETICK_NOT_DOUBLED | BARETICK_MAY_BE_ELIDED, setup, f, check, f, before, f, floor, 0.5, least_instructions, 1.5, truth, 2.5, "
        'compared_with, "other", unit, "word", units, 2\n')  # fmt: skip
    output_of("nasm", "-f", "elf64", "-I", f"{made.API}/", tmp_path / "a.asm", "-o", tmp_path / "a.o")
    said = check(tmp_path / "a.o")
    assert said.returncode == 0, said
    for words in ("m/r: x", "body      f", "empty     f", "setup     f", "check     f", "before    f", "ops       8", "grain     4",
                  "most_ops  16", "room      4096", "needs     ring 0", "flags     NOT_DOUBLED COLD MAY_BE_ELIDED", "least     1.5",
                  "truth     2.5", "compared  other", "unit      word, 2 an operation"):  # fmt: skip
        assert words in said.stdout, (words, said.stdout)


def test_former_names_of_fields_are_accepted(tmp_path):
    of_c = made.of_source(tmp_path, "c", PASS + 'BARETICK_ROW(m, r, "x", .body = pass, .beside = "other", .ops = 10, '
                                                ".flags = BARETICK_MAY_VANISH);\n")  # fmt: skip
    (tmp_path / "a.asm").write_text('%include "baretick.inc"\nf: ret\n'
                                    'BARETICK_ROW m, r, "x", f, beside, "other", flags, BARETICK_MAY_VANISH\n')  # fmt: skip
    of_nasm = tmp_path / "a.o"
    output_of("nasm", "-f", "elf64", "-I", f"{made.API}/", tmp_path / "a.asm", "-o", of_nasm)
    for path in (of_c, of_nasm):
        said = check(path)
        assert said.returncode == 0 and "compared  other" in said.stdout and "MAY_BE_ELIDED" in said.stdout, said
