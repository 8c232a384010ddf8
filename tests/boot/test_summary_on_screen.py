"""The summary, read from QEMU's picture of it: it shows the whole summary, and each figure is that of its row."""

import re

from picture import dump, layout, where
from test_screen import HINT, VERDICT, Watch, lines_of

LINES, COLUMNS = 20, 80
WAYS = ("direct", "plt", "got", "register", "virtual")
FORMS = ("", "_inc", "_straight", "_c")
COLUMNS_OF_CALLS = ("", "_inc", "_straight", "_inc_straight", "_c", "_inc_c")
# All lines that the summary can have, and a row that fails.
ROWS = ("empty_lfence,do_nothing,direct*,plt*,got*,register*,virtual*,random_16,turn_16,cold,warm,"
        "pingpong,tsc_skew,wake,ipi,wrong")


def summary(lines):
    """Returns its lines, from the first to the last."""
    lines = [line for line in lines if HINT not in line]
    return lines[lines.index(next(line for line in lines if line.startswith("summary "))) :]


def figures(b, core=0):
    """Returns its expected lines, from the records."""
    def op(suite, name):
        (row,) = [r for r in b.rows if (r["suite"], r["name"], r["core"]) == (suite, name, core)]
        return row["per_op"]["instructions"]

    yield "calls     " + "".join(f"{form:>17}" for form in ("empty", "++*x", "straight", "compiled"))
    for way in WAYS:
        yield f"{way:<10}" + "".join(f"{op('calls', way + form):17.3f}" for form in FORMS)
    random, turn = op("calls", "random_16"), op("calls", "turn_16")
    yield f"targets   random_16 {random:.3f}, turn_16 {turn:.3f}, apart {random - turn:.3f}"
    yield f"sum       cold {op('sum', 'cold'):.3f}, warm {op('sum', 'warm'):.3f}"


def must_be_whole(b, watch, size):
    """The end of the serial output is on the screen, in at most this number of lines and columns."""
    assert watch.size == size
    said = [line for line in lines_of(b) if not line.startswith("{")]
    while not said[-1]:
        said.pop()
    shown = summary([line for line in watch.text if line])
    assert shown == summary(said), f"{shown}\n{summary(said)}"
    assert len(shown) + 1 <= LINES, shown  # one for the hint about the keys
    assert max(map(len, shown)) <= COLUMNS - 1
    rows = layout(*size)[2]
    assert watch.text[rows - 1].startswith("verdict: "), "the verdict is not on the last row"
    return shown


def test_the_screen_of_800x600_shows_the_summary_and_columns(boot, tmp_path):
    watch = Watch(tmp_path, after=VERDICT)
    b = boot("suite=baseline,calls,sum samples=16 instructions=off finish=halt", extra=("-device", "VGA,xres=800,yres=600"), done=watch)
    shown = must_be_whole(b, watch, (800, 600))
    assert re.match("summary +instructions/op: .*not time", shown[0])
    masked = ", model masked" if b.run["cpu"]["model_masked"] else ""  # as with QEMU's `max`
    assert shown[1].startswith(f"machine   {b.run['cpu']['brand']}{masked}, 1 core, under ")  # the rest may be cut
    assert shown[2] == f"clock     one instruction is {b.run['ticks_per_instruction']} ticks of the TSC"
    step = b.run["ticks_per_instruction"]
    window = b.row("baseline", "empty_lfence")["ticks"]["median"] / step
    nothing = b.row("baseline", "do_nothing")["per_op"]["instructions"]
    assert shown[3] == f"window    empty_lfence {window:.0f} instructions, do_nothing {nothing:.3f} a call"
    assert shown[4:-1] == list(figures(b))
    assert shown[-1] == f"verdict: PASS ({b.end['rows']} rows, 0 failures)"
    # The rows in columns are above it.
    for way in WAYS:
        counts = [b.row("calls", way + form)["per_op"]["instructions"] for form in COLUMNS_OF_CALLS]
        line = f"{way:<24}" + " ".join(f"{count:8.3f}" for count in counts)
        assert line in [said.split("\r")[-1] for said in lines_of(b)], line


def test_the_screen_of_1024x768_shows_the_longest_summary(boot, tmp_path):
    """Two cores, and a failure: the maximum number of lines."""
    watch = Watch(tmp_path, after=VERDICT)
    words = f"suite=baseline,calls,cores,provoke,sum bench={ROWS} cores=all samples=16 instructions=off finish=halt"
    extra = ("-smp", "2", "-device", "VGA,xres=1024,yres=768")
    b = boot(words, extra=extra, done=watch, whole=True)
    shown = must_be_whole(b, watch, (1024, 768))
    assert shown[0].endswith(", core 0 of 2") and ", 2 cores, " in shown[1]
    wanted = list(figures(b))
    assert shown[4 : 4 + len(wanted)] == wanted
    way = {r["name"]: r["per_op"]["ticks"] for r in b.rows if r["suite"] == "cores"}
    cores = " ".join(shown[4 + len(wanted) : -2])
    for name, ticks in way.items():
        assert re.search(rf"\b{name} {ticks:.3f} ticks", cores), cores
    assert len(way) == 4 and cores.startswith("cores ") and cores.endswith(", not judged")
    assert shown[-2] == "failed    provoke/wrong @0, provoke/wrong @1"
    assert shown[-1] == f"verdict: FAIL ({b.end['rows']} rows, 2 failures)"


class Below:
    """`done`: looks at the picture, once the firmware continues, until it contains the wanted text."""

    def __init__(self, folder):
        self.folder, self.at = folder, None

    def __call__(self, data):
        text = data.replace(b"\r", b"").decode(errors="replace")
        if "Press a key" not in text:
            return False
        lines = [line for line in text.splitlines() if not line.startswith("{")]
        end = next(i for i, line in enumerate(lines) if line.startswith("verdict: "))
        self.wanted = summary(lines[: end + 1])
        self.at = where(*dump(self.folder), self.wanted)
        return self.at is not None


def test_the_summary_remains_on_a_borrowed_machines_screen(boot, tmp_path):
    """The firmware's own lines are below it and do not overwrite it."""
    look = Below(tmp_path)
    words = "suite=calls,sum bench=direct*,warm samples=16 takeover=borrow finish=return"
    boot(words, extra=("-device", "VGA,xres=800,yres=600"), done=look)
    assert look.at is not None, f"not whole in the picture: {look.wanted}"
    assert look.at + len(look.wanted) * 16 < 600 - 2 * 16, "no lines of the firmware below"
