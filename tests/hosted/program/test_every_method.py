"""What every method reports of a row: work that was elided, figures of the same kind, remarks, headings."""
import fcntl
import itertools
import re
import subprocess

import made
import pytest
from launch import launches
from read import report
from short_runs import METHODS, SECONDS, ended, output_of, report_of


pytestmark = pytest.mark.launches


def test_the_table_calls_ergodic_what_both_sides_are():
    """A row's figure is a difference: `yes` is printed only if both the body and what is subtracted are ergodic, and no
    line below it says otherwise."""
    words = "suite=baseline,calls method=ensembles ensembles=4 size=32 format=both"
    p = subprocess.run([launches.PROGRAM, *words.split()], capture_output=True, timeout=SECONDS, check=False)
    lines = p.stdout.decode().replace("\r", "\n").splitlines()
    table = [line for line in lines if line and not line.startswith(report.RECORD_START.decode())]
    said = launches.Launch("\n".join(x for x in lines if x.startswith(report.RECORD_START.decode())).encode(), 0, 0)
    rows = {r["name"]: r for r in said.rows.values() if "body" in r}
    assert len(rows) > 60
    for name, row in rows.items():
        sides = {"the body": row["body"], "what is subtracted": row.get("empty", {"ergodic": True})}
        assert row["ergodic"] == all(side["ergodic"] for side in sides.values()), row
        (at,) = [i for i, line in enumerate(table) if line.startswith(f"{name:<24} {row['ops']:>5} ")]
        assert table[at].split()[6] == ("yes" if row["ergodic"] else "NO"), table[at]
        notes = list(itertools.takewhile(lambda line: line.startswith("  ^"), table[at + 1 :]))
        named = {n.split(", ", 1)[1].split(":")[0] for n in notes if n.startswith("  ^ not ergodic, ")}
        assert named == {side for side, s in sides.items() if not s["ergodic"]}, (name, notes)
        for note in notes:
            assert not note.startswith("  ^ not ergodic, ") or re.search(r": \w.*\w$", note), note


# --- what every method owes a row ------------------------------------------------------------------

def one(words, row, allowed=(0, 2)):
    said = ended(words, allowed)
    return said.run["execution"] == "silicon", said.rows[row], said


LAUNCHES = 8  # at most, until one was not disturbed: a neighbour or an interrupt widens an interval


@pytest.fixture(scope="module")
def by_method(shared_run, summed):
    """by_method(method): the launch with the rows of all tests of this section."""
    def start(method):
        suites, rows = "summed,compiler,calls,planted,baseline", "sum,mul_*,inline,direct,direct_straight,elided*,empty_lfence"
        said = shared_run(f"suite={suites}", f"bench={rows}", "samples=256", "ensembles=10", "size=100", "table=rows",
                          f"method={method}", f"objects={summed}")  # fmt: skip
        assert said.status == 2, said.err  # an elided row fails
        return said

    return start


@pytest.fixture
def said(by_method, method):
    ended = by_method(method)
    return report_of(ended.out.encode(), ended.status)


@pytest.mark.parametrize("method", METHODS)
def test_work_that_is_gone_fails_by_every_method(said, method):
    """By its instructions, whatever the figure, the CPU and its load."""
    for name in ("elided_loop", *(["elided"] if method != "adaptive" else [])):
        row = said.rows[f"planted/{name}"]
        assert row["status"] == "wrong" and "the work was elided" in row["why"], row
        assert row["work_judged"] and row["per_op"]["instructions"] == 0 < row["least_instructions"], row


def test_work_that_is_not_counted_is_not_judged():
    out, status = output_of("suite=planted bench=elided samples=64 instructions=off format=both")
    said = report_of(out, status)
    row = said.rows["planted/elided"]
    assert row["status"] == "ok" and row["work_judged"] is False and "stepped" not in row, row
    assert any("instructions=off" in e["message"] for e in said.events if e["kind"] == "warning"), said.events
    assert said.end["work_not_judged"] == 1 and b", the work of 1 not judged)" in out


def test_an_iteration_of_a_loop_is_shown_gross():
    """Independent of this CPU: the fields belong together, and a row that executes nothing has nothing to hide."""
    said = ended("suite=calls bench=inline*,direct* format=both")
    rows = {name.partition("/")[2]: row for name, row in said.rows.items()}
    assert len(rows) == 12
    for name, row in rows.items():
        per_op = row["per_op"]
        if "loop_cycles" in per_op:
            above_zero = per_op["cycles"] + per_op["loop_cycles"] > 0
            assert per_op["loop_cycles"] > 0 and ("gross_cycles" in per_op) == above_zero, row
        else:
            assert "gross_cycles" not in per_op, row
        if name.endswith("_straight"):
            assert "gross_cycles" not in per_op and "hidden" not in per_op, row
        elif "gross_cycles" in per_op:
            assert per_op["gross_cycles"] == pytest.approx(per_op["cycles"] + per_op["loop_cycles"], abs=1e-5), row
        if per_op.get("hidden") or per_op.get("instructions") == 0:
            assert "ipc" not in per_op, row
        if per_op.get("instructions") == 0:
            assert "hidden" not in per_op, row
        elif per_op.get("hidden") in ("all", "part"):  # below half a NOP's time per instruction, on a core of any width
            assert per_op["cycles_hi"] < per_op["instructions"] / 2, row


@pytest.mark.parametrize("method", METHODS)
def test_every_method_measures_the_bare_window(said, method):
    row = said.rows["baseline/empty_lfence"]
    if method == "adaptive":
        assert row["status"] == "unsupported" and "no loop" in row["why"], row
        return
    assert row["status"] == "ok" and "per_op" not in row and "empty" not in row, row
    assert row.get("method", "doubled") == method and row[("ticks" if method == "doubled" else "body")]["min"] > 0, row


SUMMED = """
static int pass(uint64_t n, struct baretick_object *o)
{
    const uint64_t *room = o->room;
    for (; n; n--) {
        uint64_t total = 0;
        for (unsigned i = 0; i < 512; i++)
            total += room[i];
        BARETICK_KEEP(total);
        o->counter++;
        BARETICK_CLOBBER();
    }
    return 0;
}
static int none(uint64_t n, struct baretick_object *o)
{
    for (; n; n--)
        BARETICK_KEEP(n);
    (void)o;
    return 0;
}
BARETICK_ROW(summed, sum, "a pass over 512 words", .body = pass, .empty = none, .ops = 20, .room = 4096,
             .check = baretick_counted, .unit = "byte", .units = 4096);
"""


@pytest.fixture(scope="module")
def summed(for_all_workers):
    """An object with row summed/sum, which takes time on every CPU, with every method."""
    folder = for_all_workers / "objects"
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made_before = folder / "summed.o"
        return made_before if made_before.exists() else made.of_source(folder, "summed", SUMMED)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_reports_the_fields_that_all_methods_share(said, by_method, method):
    """A busy machine may leave a row without an interval, or without a figure; the table says why."""
    row, silicon = said.rows["summed/sum"], said.run["execution"] == "silicon"
    assert {"errors", "disturbed", "nmis", "windows", "sampling_ticks"} <= row.keys(), row
    assert row["units"]["unit"] == "byte" and row["units"].get("per_second", 1) > 0, row
    assert any(e["kind"] == "compared" and "mul_trap" in e["message"] for e in said.events), method
    if not silicon:
        return
    per_op = row["per_op"]
    assert ("per_second" in row["units"]) == (per_op.get("ns", 0) > 0), row
    assert ("cycles_lo" in per_op) == ("cycles_hi" in per_op), row
    if "cycles_lo" in per_op:
        assert per_op["cycles_lo"] <= per_op["cycles"] <= per_op["cycles_hi"], row
    else:
        assert re.search(r"\^ no (interval|figure): ", by_method(method).out), row
    assert row["cycle_source"], row


def test_breaking_even_is_reported_with_its_interval():
    """On a machine of any load, a proven count has a bound on either side, and the words are those of the fields."""
    said = ended("suite=compiler bench=power_formula_*,power_cure_*")
    (event,) = [e for e in said.events if e["kind"] == "breaks_even"]
    assert (event["name"], event["compared_with"]) == ("power_formula", "power_cure"), event
    assert (event["n_least"], event["n_most"]) == (1, 16), event
    n, lo, hi = (event.get(k) for k in ("n", "n_lo", "n_hi"))
    if event["unit"] != "cycles":
        assert lo is None and hi is None, event
    elif hi:
        bounds = f" ({lo} to {hi})" if lo != hi else ""
        assert 1 <= lo <= n <= hi <= 16 and f"breaks even at n = {n}{bounds}" in event["message"], event
    elif lo:
        assert f"no proven difference from n = {lo} to n = 16" in event["message"], event
    else:
        assert n is None and "n = 16" in event["message"], event


@pytest.mark.parametrize("method", METHODS[1:])
def test_a_cost_within_its_error_is_reported_as_none(said, method):
    """The inline row costs nothing: negative or not, the figure is within its error. That is not known if the error of
    the recipe was not judged."""
    row = said.rows["calls/inline"]
    size = abs(row["per_op"]["ticks"])
    if "error_ticks" not in row["per_op"]:
        assert method != "adaptive", row
    elif size <= row["per_op"]["error_ticks"]:
        assert "within its error" in row["doubt"], row
    else:
        assert ("negative" in row.get("doubt", "")) == (row["per_op"]["ticks"] < 0), row


@pytest.mark.parametrize("method", METHODS)
def test_every_method_reports_operations_per_second(said, method):
    """If a clock is trusted, and the figure is above its error; unknown values are left out."""
    row = said.rows["summed/sum"]
    per_op = row["per_op"]
    if "operations_per_second" in row:
        assert row["seconds_valid"] is True, row
        assert row["operations_per_second"] == pytest.approx(1e9 / per_op["ns"], rel=1e-3), row
    else:
        assert per_op["ticks"] <= per_op.get("error_ticks", 0) or per_op.get("cycles_lo", 0) <= 0, row
    if method != "adaptive":  # an empty row has no loop
        row = said.rows["baseline/empty_lfence"]
        assert "operations_per_second" not in row and row.get("seconds_valid") is not True, row


@pytest.mark.native  # an emulator's seconds may stay within their error
def test_adaptive_reports_seconds_and_operations_per_second(summed):
    """For seconds that are more than their error."""
    words, name = f"suite=summed bench=sum objects={summed}", "summed/sum"
    for _ in range(LAUNCHES):
        _, row, _ = one(f"{words} method=adaptive", name)
        if "operations_per_second" in row:
            break
        assert not row["seconds_valid"] or row["per_op"]["error_ticks"] >= abs(row["per_op"]["ticks"]), row
    else:
        pytest.skip(f"in {LAUNCHES} launches no time was more than its error")
    assert row["seconds_valid"] is True and row["units_done"] == 4096 * row["operations"], row
    assert row["operations_per_second"] == pytest.approx(row["operations"] / row["seconds"], rel=1e-3)
    assert row["per_op"]["ns"] == pytest.approx(row["seconds"] / row["operations"] * 1e9, rel=1e-3)
    # Bytes per second in addition to operations per second, in the record and in the table.
    assert row["units"]["per_second"] == pytest.approx(4096 * row["operations_per_second"], rel=1e-3)
    words = [*words.split(), "method=adaptive", "format=table"]
    p = subprocess.run([launches.PROGRAM, *words], capture_output=True, timeout=SECONDS, check=False)
    table = p.stdout.decode()
    assert "ops/s" in table and re.search(r"= 4096 bytes an operation", table), table


@pytest.mark.parametrize(
    "words, named",
    [
        ("method=kbest warmup=3 layout=fixed target=100 k=4", {"warmup", "layout", "target"}),
        ("method=adaptive samples=64 seed=2", {"samples", "seed"}),
        ("method=plain samples=64 hist=off", {"hist"}),
        ("k=5 size=16 samples=64", {"k", "size"}),
        ("method=ensembles ensembles=4 size=16", set()),
        ("layout=fixed seed=2 samples=64", {"seed"}),
        ("layout=sweep seed=2 samples=16", {"seed"}),
        ("layout=shuffle seed=2 samples=64 quiet_time=1 gaps_max=1 share=alone", {"quiet_time", "gaps_max", "share"}),
        ("cores=0 share=together samples=64", set()),
        # The later suite= counts: no row has windows there.
        ("suite=quiet bench=* quiet_time=1 samples=64 retry_budget=0 caches=clear layout=fixed",
         {"samples", "retry_budget", "caches", "layout"}),
        ("method=plain samples=64 rounds=3", {"rounds"}),
        ("time=3 samples=64", {"time"}),
        # seed= draws the orders and places of a curve, which has no windows.
        ("suite=memory bench=tlb_4k seed=7 samples=64 method=plain", {"samples"}),
        ("suite=limits bench=stores seed=7 samples=64 method=doubled", {"samples"}),
    ],
)
def test_words_without_effect_are_named(words, named):
    said = ended(f"suite=calls bench=direct {words}")
    told = [e["message"] for e in said.events if e["kind"] == "warning" and "no effect" in e["message"]]
    assert {m.split("=")[0] for m in told} == named and len(told) == len(named), told


@pytest.mark.parametrize(
    "method, heads",
    [
        ("doubled", ["ops", "min", "median", "p99"]),
        ("plain", ["ops", "min", "mean", "max", "sd"]),
        ("kbest", ["ops", "smallest", "K-th", "samples", "agree"]),
        ("ensembles", ["ops", "least", "max-min", "var(var)", "var(min)", "ergodic"]),
        ("adaptive", ["operations", "us", "ops/s"]),
    ],
)
def test_the_heading_is_that_of_the_columns(by_method, method, heads):
    lines = by_method(method).out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("calls  "))
    row = next(line for line in lines[at:] if line.lstrip("\r ").startswith("direct "))
    columns = lines[at].split()[1:]
    assert columns[: len(heads)] == heads and len(row.split()) == len(columns) + 1, (lines[at], row)
