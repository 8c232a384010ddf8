"""The blank line after the declarations of a function: its absence is reported, and the line is inserted."""

from commands import run_command
import pytest
from conftest import ROOT

TOOL = ROOT / "scripts/checks/declarations"
GOOD = """\
static int first(int a)
{
    const struct point *p = at(a);
    static const char *const words[] = {
        "one; two",
        "{",
    };
    uint64_t sum = 0, *q;
    const struct point *const *all = at(&sum), *const last = p;
    bool (*is)(int);
    /* What it counts. */
    unsigned long n = p->x;

    sum += n;
    return sum;
}

int second(void)
{
    return 1;
}

void third(int a)
{
    a *b;
}

void fourth(struct x *x)
{
    (void)x;
    call(x);
    x->y = 1;
}
"""


def checked(tmp_path, text, *words):
    path = tmp_path / "a.c"
    path.write_text(text)
    ran = run_command(TOOL, *words, path)
    return ran.returncode, ran.stdout, path.read_text()


def test_correct_sources_are_left_alone(tmp_path):
    assert checked(tmp_path, GOOD) == (0, "", GOOD)


@pytest.mark.parametrize("last", ["unsigned long n = p->x;", "bool (*is)(int);", "struct row row = {0}, *next;",
                                  "const struct bench *const *rows = registry(&n);"])
def test_a_missing_blank_line_is_named_and_added(tmp_path, last):
    good = f"void f(void)\n{{\n    int a;\n    {last}\n\n    for (;;)\n        g(a);\n}}\n"
    bad = good.replace("\n\n", "\n")
    status, said, left = checked(tmp_path, bad)
    assert status == 1 and said.startswith(f"{tmp_path}/a.c:5: ") and said.count("\n") == 1 and left == bad, said
    assert checked(tmp_path, bad, "--fix") == (0, "", good)


def test_wrong_words_get_the_usage():
    ran = run_command(TOOL, "--fxi", "a.c")
    assert ran.returncode == 2 and "Usage" in ran.stderr
