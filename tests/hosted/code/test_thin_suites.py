"""scripts/build/thin_suites: of each row, the suites' object keeps only the pointers to its code."""

import re

from commands import output_of, run_command
from test_loops import ROOT

THIN = ROOT / "scripts/build/thin_suites"
LINKER_SCRIPT = ROOT / "bench/objects/suites.ld"
ROW_BYTES = 40

SOURCE = """
#define BODY(name) int name(void) { return __LINE__; }
BODY(first) BODY(second) BODY(third) BODY(not_kept)
struct row { int (*code[4])(void); const char *name, *what; int (*more)(void); };
#define ROW(name_, ...) static const struct row bench_##name_ = {__VA_ARGS__, #name_, "a row", not_kept}; \\
    __attribute__((used, section("baretick_rows"))) static const struct row *row_##name_ = &bench_##name_
ROW(one, {first, 0, second});
ROW(two, {0, 0, 0, third});
const char *check(void) { return "a message of code"; }
"""


def made(tmp_path, source):
    path = tmp_path / "rows.c"
    path.write_text(source)
    flags = ["-O2", "-fPIE", "-ffunction-sections", "-fdata-sections", "-fno-asynchronous-unwind-tables"]
    output_of("gcc", *flags, "-c", path, "-o", tmp_path / "rows.o")
    output_of("ld", "-r", "--unique", "-T", LINKER_SCRIPT, tmp_path / "rows.o", "-o", tmp_path / "linked.o")
    output_of("objcopy", "--strip-debug", "-R", "baretick_rows", tmp_path / "linked.o")
    return run_command(THIN, tmp_path / "linked.o"), tmp_path / "linked.o"


def said(option, path):
    return output_of("readelf", "-W", option, path)


def test_the_pointers_to_code_stay_where_they_are_in_a_row(tmp_path):
    ran, path = made(tmp_path, SOURCE)
    assert ran.returncode == 0, ran.stderr
    rows = {m[2]: int(m[1], 16) for m in re.finditer(r"([0-9a-f]{16}) +40 OBJECT .* bench_(\w+)", said("-s", path))}
    assert sorted(rows.values()) == [0, ROW_BYTES] and set(rows) == {"one", "two"}, rows
    table = re.search(r"'\.rela\.data\.rel\.ro\.rows'.*?\n\n", said("-r", path) + "\n\n", re.DOTALL)[0]
    found = {int(m[1], 16): m[2] for m in re.finditer(r"^([0-9a-f]{12,16}) .* (\w+) \+ 0$", table, re.MULTILINE)}
    assert found == {rows["one"]: "first", rows["one"] + 16: "second", rows["two"] + 24: "third"}, table
    assert b"a message of code" in path.read_bytes() and said("-h", path)
    # The rest is an object that links.
    output_of("ld", "-r", path, "-o", tmp_path / "again.o")


def test_code_that_reads_a_description_is_refused(tmp_path):
    ran, _ = made(tmp_path, SOURCE + "const char *name(void) { return (&bench_one)[0].name + (long)&bench_two; }\n")
    assert ran.returncode != 0 and "description" in ran.stderr, ran
