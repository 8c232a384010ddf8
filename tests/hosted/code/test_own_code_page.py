"""docs/own-code.md: its template and its compile commands match the tree, and give a figure."""

import re
import shlex
import shutil
from pathlib import Path

from commands import output_of, run_command
import made
import pytest
from conftest import ROOT


PAGE = (ROOT / "docs/own-code.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "docs/examples"
LINES = {m[1]: m[2] for m in re.finditer(r"^ +\| ([\w+]+) \| `([^`]+)` \|$", PAGE, re.MULTILINE)}
ROWS = {"first": ["collatz_27"], "hash": ["fnv1a", "folded"], "spinlock": ["none", "swap", "ticket"],
        "copy": [f"{kind}_{n}" for kind in ("memcpy", "words") for n in (64, 512, 4096)]}
NASM = """%include "baretick.inc"
BARETICK_STATEMENT first, collatz_27, "not those steps, but a multiplication", least_instructions, 1.0
    imul rax, rcx
BARETICK_END
"""


def compile_example(line, name, folder):
    """Runs the commands of the page in a folder with the file and the header's folder."""
    (folder / "bench").mkdir()
    (folder / "bench/api").symlink_to(ROOT / "bench/api")
    words = shlex.split(line)
    source = next(word for word in words if word.startswith("first."))
    if source.endswith(".asm"):
        (folder / source).write_text(NASM)
    else:
        kind = "rs" if source.endswith(".rs") else "c"
        shutil.copy(EXAMPLES / f"{name}.{kind}", folder / source)
    if not shutil.which(words[0]):
        pytest.skip(f"{words[0]} is not installed")
    ran = run_command(*words, cwd=folder)
    assert ran.returncode == 0 and ran.stderr == "", ran.stderr
    return folder / "first.o"


def rows_of(ended):
    return list(ended.report().rows.values())


def test_the_template_is_the_file():
    block = re.search(r"```c\n(.*?)```", PAGE, re.DOTALL)[1]
    assert re.sub(r"^   ", "", block, flags=re.MULTILINE).strip() == (EXAMPLES / "first.c").read_text().strip()


def test_every_compiler_has_a_line():
    assert sorted(LINES) == ["clang", "g++", "gcc", "nasm", "rustc"]


@pytest.mark.parametrize("compiler", LINES)
def test_the_template_is_measured(compiler, run, tmp_path):
    file = compile_example(LINES[compiler], "first", tmp_path)
    suite = "first_rs" if compiler == "rustc" else "first"
    (row,) = rows_of(run(f"objects={file}", f"suite={suite}", "format=jsonl", "samples=64"))
    assert (row["name"], row["status"], row["object"]) == ("collatz_27", "ok", "first.o")


@pytest.mark.parametrize("compiler", ["gcc", "clang", "g++"])
@pytest.mark.parametrize("name", ROWS)
def test_examples_are_measured(compiler, name, run, tmp_path):
    file = compile_example(LINES[compiler], name, tmp_path)
    rows = rows_of(run(f"objects={file}", f"suite={name}", "format=jsonl", "samples=64"))
    assert [row["name"] for row in rows] == ROWS[name]
    assert [row["status"] for row in rows] == ["ok"] * len(rows), [row.get("why") for row in rows]


def test_the_readmes_example_is_measured(run, tmp_path):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (tmp_path / "mine.c").write_text(re.search(r"```c\n(.*?)```", readme, re.DOTALL)[1])
    line = re.search(r"^    (gcc .* mine\.c)$", readme, re.MULTILINE)[1].replace("bench/api", str(ROOT / "bench/api"))
    output_of(*shlex.split(line), cwd=tmp_path)
    (words,) = re.findall(r"^    build/hosted/baretick (objects=mine\.o .*)$", readme, re.MULTILINE)
    (row,) = rows_of(run(*words.replace("mine.o", str(tmp_path / "mine.o")).split(), "format=jsonl", "samples=64"))
    assert (row["suite"], row["name"], row["status"]) == ("mine", "div64", "ok"), row.get("why")


def test_the_example_of_arguments_is_the_file_and_has_their_rows(tmp_path):
    block = re.search(r"^## Arguments\n.*?```c\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)[1]
    assert block in (EXAMPLES / "find.c").read_text()
    file = compile_example(LINES["gcc"], "find", tmp_path)
    said = output_of(ROOT / "build/hosted/check_object", file)
    assert re.findall(r"^find/(\S+): ", said, re.MULTILINE) == [
        f"{name}/{4 ** n}" for name in ("each", "halves") for n in range(1, 6)], said  # fmt: skip


MUSL = Path("/usr/lib/x86_64-linux-musl/libc.a")


def test_a_linked_c_library_is_measured(run, tmp_path):
    """The page's commands. Before `ld -r` the program names that command; after it every result is checked."""
    compiled, linked = re.findall(r"^    ((?:g\+\+|ld) .*libc\..*)$", PAGE, re.MULTILINE)
    if not shutil.which("g++") or not MUSL.exists():
        pytest.skip("needs g++ and musl-dev: scripts/setup --all installs them")
    (tmp_path / "bench").symlink_to(ROOT / "bench")
    shutil.copy(EXAMPLES / "libc.cc", tmp_path)
    output_of(*shlex.split(compiled), cwd=tmp_path)
    ended = run(f"objects={tmp_path / 'libc.o'}", "suite=libc", "format=jsonl", "samples=16")
    for row in rows_of(ended):  # they share one section
        said = re.search(r" to (?:sin|strlen): .*; link it, unless it sets errno: (.*) \(docs/own-code.md\)$", row["why"])
        assert said and said[1] == linked, row
    output_of(*shlex.split(linked), cwd=tmp_path)
    rows = rows_of(run(f"objects={tmp_path / 'linked.o'}", "suite=libc", "format=jsonl", "samples=16"))
    assert sorted(row["name"] for row in rows) == ["memcpy_1000", "sin_half", "sort_64", "strlen_16"]
    assert [row["status"] for row in rows] == ["ok"] * 4, [row.get("why") for row in rows]


@pytest.mark.parametrize("more", [0, 1 << 20])
def test_an_object_with_glibc_is_refused_with_the_library_to_link_instead(run, tmp_path, more):
    """The message names the row, because of its IFUNC, or the object, because of its size or constructors: glibc's strlen
    alone takes about 1 MiB."""
    glibc = Path(output_of("gcc", "-print-file-name=libc.a").strip())
    if not glibc.exists() or not MUSL.exists():
        pytest.skip("needs libc6-dev and musl-dev: scripts/setup --all installs them")
    source = """unsigned long strlen(const char *);
        BARETICK_STATEMENT(text, length, "a length", 10, .check = baretick_counted) {
            const char *hidden = "four"; BARETICK_HIDE(hidden); o->counter += strlen(hidden) == 4; }"""
    path, linked = made.of_source(tmp_path, "text", source, f"{made.C} -fno-builtin"), tmp_path / "linked.o"
    room = made.of_source(tmp_path, "room", f"char room[{more}] = {{1}};" if more else "")
    output_of("ld", "-r", "-o", linked, path, room, glibc)
    report = run(f"objects={linked}", "suite=text,truth", "bench=length,add", "format=jsonl", "samples=16").report()
    whys = [e["message"] for e in report.events if e["kind"] == "error"] + [r["why"] for r in report.rows.values() if "why" in r]
    said = [re.search(r"(1 MiB that an object may have|IFUNC\) is not supported|constructors and destructors are not supported); "
                      r"in place of glibc's libc\.a link (\S+/libc\.a) \(docs/own-code\.md\)", why) for why in whys]
    assert len(said) == 1 and said[0] and (more == 0 or "1 MiB" in said[0][1]) and report.end["verdict"] == "fail", whys
    output_of("ld", "-r", "-o", linked, path, said[0][2])
    (row,) = rows_of(run(f"objects={linked}", "suite=text", "format=jsonl", "samples=16"))
    assert row["status"] == "ok", row


def test_functions_that_set_errno_are_named_before_and_after_linking(run, tmp_path):
    """strtod(3). The advice to link it excepts such functions, and the refusal of the linked object names the cause."""
    if not MUSL.exists():
        pytest.skip("needs musl-dev: scripts/setup --all installs it")
    source = """double strtod(const char *, char **);
        BARETICK_STATEMENT(number, strtod_pi, "a number from text", 10) {
            double x = strtod("3.14", 0); (void)o; BARETICK_KEEP(x); }"""
    path = made.of_source(tmp_path, "number", source)
    (row,) = rows_of(run(f"objects={path}", "suite=number", "format=jsonl", "samples=16"))
    advice = re.search(r" to strtod: the object does not define it; link it, unless it sets errno: (.*) \(docs", row["why"])
    assert row["status"] != "ok" and advice, row
    output_of(*shlex.split(advice[1].replace("/usr/lib/x86_64-linux-musl/libc.a", str(MUSL))), cwd=tmp_path)
    (row,) = rows_of(run(f"objects={tmp_path / 'linked.o'}", "suite=number", "format=jsonl", "samples=16"))
    assert row["status"] != "ok" and "__errno_location: the function sets errno" in row["why"], row
    assert "link it" not in row["why"], row


def test_traps_that_the_page_names_are_rows(shared_run):
    named = set(re.findall(r"`(\w+_trap\w*)`", PAGE))
    listed = set(re.findall(r"^  (\w+_trap\w*) ", shared_run("list").out, re.MULTILINE))
    assert named and named <= listed
