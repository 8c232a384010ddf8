"""scripts/checks/size in a small tree whose counts are known."""

import re

from commands import run_command
import pytest
from conftest import ROOT

TREE = {
    "bench/api/bench.h": "struct part {\n    int x, y;\n};\nstruct bench {\n    int a;\n    char b[7];\n    struct part part;\n};\n",
    "bench/api/platform.h": "struct platform {\n    void (*run)(int a, int b);\n};\n",
    "bench/result/row.h": "struct row {\n    enum { ONE, TWO } kind;\n    const char *why;\n};\n",
    "bench/output/show.h": "void show(int form);\nvoid show_all(void);\n",
    "bench/output/show.c": '#include "bench/output/show.h"\n\nvoid show(int form)\n{\n    switch (form) {\n    case FORM_LOOP:\n'
                           '        fmt("json_u64(%d)", form); /* json_f64() */\n    }\n    json_u64(1);\n}\n\nvoid show_all(void)\n{\n'
                           "}\n",
    "bench/run/run.c": '#include "bench/output/show.h"\n\nint run(void)\n{\n    show(1);\n    return 0;\n}\n',
    "bench/suites/one.c": "/* FORM_LOOP */\nstatic int body(void)\n{\n    return 0;\n}\n",
    "bench/api/fields/row.def": 'FIELD("row.a", NUMBER, "")\nFIELD("row.b", NUMBER, "")\n',
    "lib/text/json.c": "void json_u64(int x)\n{\n    json_raw(x);\n}\n",
    "lib/output/show.h": "/* long */\n" * 60,
    "lib/insn/table.def": "FORM(1)\n" * 500,
    "kernel/start.asm": "extern run\n",
    "scripts/one": "#!/bin/sh\n",
    "tests/unit/test_one.c": "/* counted */\n",
    "Makefile": "$(addprefix $(UNIT)/test_,one): $(UNIT)/tests/unit/made.o\n",
    "tests/unit/one.h": "/* not counted */\n",
}
COUNTS = {
    "source files": 10, "source files under 60 lines": 9, "rooms": 9, "rooms in bench": 5, "headers with one user": 1,
    "functions with one user": 3,  # show(), run() and json_u64()
    "switches by the kind of a row": 1, "files that name a kind of row": 1, "declared fields": 2, "calls of json_*": 1,
    "lines that print": 14, "members of struct bench": 3, "members of struct platform": 1, "members of struct row": 2,
    "names of headers that occur twice": 1, "unit tests that link chosen objects": 1, "lines of tests": 1,
}  # fmt: skip


@pytest.fixture
def tree(tmp_path):
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    lines = sum(text.count("\n") for name, text in TREE.items() if not name.startswith(("tests/", "lib/insn/", "Makefile")))
    (tmp_path / "scripts/checks").mkdir()
    bounds = {"lines of the product": lines, **COUNTS}
    bounds_of(tmp_path).write_text("# bound, goal\n" + "".join(f"{bound} -  {what}\n" for what, bound in bounds.items()))
    return tmp_path


def bounds_of(tree):
    return tree / "scripts/checks/size.txt"


def size(tree, *words):
    ran = run_command(ROOT / "scripts/checks/size", *words, tree)
    return ran.returncode, ran.stdout + ran.stderr


def test_each_measure_counts_what_it_says(tree):
    status, said = size(tree)
    counted = {what: int(now) for now, what in re.findall(r"^ *(\d+) +\d+ +-  (.+)$", said, re.MULTILINE)}
    assert counted == {**COUNTS, "lines of the product": counted["lines of the product"]} and status == 0, said


def test_what_grew_fails_and_is_named(tree):
    (tree / "bench/run/plan.c").write_text("int plan(void)\n{\n    return 0;\n}\n")
    status, said = size(tree)
    above = re.findall(r"-  (.*?)   above its bound", said)
    assert status == 1 and above == ["lines of the product", "source files", "source files under 60 lines"], said
    assert "source files: bench/run/plan.c" in size(tree, "--list", "source files")[1]


def test_update_lowers_bounds_and_raises_none(tree):
    (tree / "bench/run/plan.c").write_text("int plan(void)\n{\n    return 0;\n}\n")
    (tree / "tests/unit/test_one.c").write_text("")
    (tree / "Makefile").write_text("")
    before = bounds_of(tree).read_text()
    assert size(tree, "--update")[0] == 1
    after = bounds_of(tree).read_text()
    assert re.findall(r"(\d+) -  (?:unit tests that|lines of tests)", after) == ["0", "0"]
    assert re.findall(r"(\d+) -  source", after) == re.findall(r"(\d+) -  source", before) and after[0] == "#"


def test_a_measure_without_a_bound_is_named(tree):
    bounds_of(tree).write_text(bounds_of(tree).read_text().replace("  rooms\n", "  chambers\n"))
    status, said = size(tree)
    assert status == 1 and "chambers, rooms" in said, said
