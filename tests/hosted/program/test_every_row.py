"""Every row with every method and with every recipe, and every pair of options' extreme values: each run ends, with a
whole report, and no row does what it cannot do. The speed of the machine does not matter.

A method selects a number of windows, a recipe the code at their two ends, independently of each other. So every row is
run with each method and with each recipe here, not with each pair; test_option_pairs.py has the pairs, with few rows.
Most of the cost of a launch is its first measurement of the recipe in use: seconds if that contains CPUID and a
hypervisor answers it.
"""

import fcntl
import itertools
import re
import signal
import subprocess
import sys

from launch import launches
import pytest
from read import report
from conftest import ROOT, SEVERAL, listed
from statuses import FAULTED

sys.path.insert(0, str(ROOT / "tests/objects"))

import made  # noqa: E402

METHODS = ("doubled", "plain", "kbest", "ensembles", "adaptive")
RECIPES = ("plain", "rdtscp", "xfence", "paoloni", "cpuid", "mfence", "lfence", "serialize")
SMALL = {
    "samples": "16", "warmup": "1", "layout": "fixed", "most": "32", "ensembles": "2", "size": "16",
    "target": "10", "watch": "1", "hist": "off",
    "retry_budget": "0",
}  # fmt: skip
SECONDS = 600  # a hundred times what a run takes; a run that does not end is killed
STEPPED = ("doubled", "lfence")  # instructions are counted separately from the windows: in one of many runs
pytestmark = pytest.mark.launches
# Messages that a row may have with so few windows, or on a busy CPU; wrong work has other messages.
OF_TIME = ("not the documented figure", "did not come to the start")
GONE = ("planted/vanished", "planted/vanished_loop")  # their work is gone, and every machine says so


def output_of(words, allowed=(0, 2)):
    """Returns (the output of a run that must end, its exit status); a run that does not end is killed."""
    p = subprocess.Popen(launches.command(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)  # fmt: skip
    try:
        out, err = p.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        p.send_signal(signal.SIGKILL)
        p.communicate()
        pytest.fail(f"no end after {SECONDS} s: {words}\nAn option whose greatest number makes a run long has a "
                    f'smaller one in GREATEST of {__file__}, like: "samples": 1024,')
    if b"it did not come to its end before deadline=" in out:
        allowed = (*allowed, FAULTED)  # on a busy machine a second can pass between two calls of a row
    assert p.returncode in allowed, f"exit status {p.returncode}: {words}\n{err.decode()}"
    return out, p.returncode


def ended(words, allowed=(0, 2)):
    """Returns the report of such a run."""
    return report_of(*output_of(words, allowed))


def report_of(out, status):
    """Returns the report in this output, with or without a table."""
    records = [line for line in out.splitlines() if line.startswith(report.RECORD_START)]
    return launches.Launch(b"\n".join(records), status, 0)


def words_of(values):
    return " ".join(f"{key}={value}" for key, value in values.items())


def judge(name, row, words):
    where = f"{name}: {row.get('why')}, {row.get('errors')} errors: {words}"
    assert row["status"] in ("ok", "wrong", "unsupported"), where
    if row["status"] == "unsupported":
        assert row["why"], where
        return
    assert row.get("errors", 0) == 0, where
    if "deadline=1" in words.split() and "it ran longer than deadline=1 seconds" in row.get("why", ""):
        return  # a second is an extreme value, and enough on an idle machine alone
    if row.get("work_judged"):
        assert ("the work is gone" in row.get("why", "")) == (name in GONE), where
    assert row["status"] == "ok" or name in GONE or any(why in row["why"] for why in OF_TIME), where
    assert row["form"] in ("cores", "empty") or "ticks" in row["per_op"], where


@pytest.fixture(scope="module")
def recipes():
    """The recipes that this CPU has."""
    said = ended("suite=planted bench=adds20 samples=16")
    here = [r for r in RECIPES if "why" not in said.linearity[r]]
    assert set(said.linearity) == set(RECIPES) and len(here) >= 4
    return here


@pytest.fixture(scope="module")
def names(shared_run):
    """Every row that is measured, as `list` has them."""
    others = ("provoke", "provoke_cores", "gaps", "memory", "insn")
    return {f"{suite}/{row}" for suite, row in listed(shared_run("list").out) if suite not in others}


def judge_every_row(names, method, recipe):
    words = f"suite=*,compiler,planted,quiet {words_of(SMALL)} method={method} recipe={recipe}"
    said = ended(words if (method, recipe) == STEPPED else f"{words} instructions=off")
    assert set(said.rows) == names, words
    done = 0
    for name, row in said.rows.items():
        judge(name, row, words)
        if row["status"] != "unsupported":
            done += 1
            assert row["form"] == "cores" or row.get("method", "doubled") == method, row
    # Not all: an adaptive stretch takes only bodies with a loop.
    assert done > (100 if method != "adaptive" else 60), words


@pytest.mark.parametrize("i", range(len(RECIPES)))
def test_every_row_with_every_method_and_every_recipe(recipes, names, i):
    """Each recipe with one method, each method with one recipe or two."""
    method, recipe = METHODS[i % len(METHODS)], RECIPES[(i + RECIPES.index(STEPPED[1])) % len(RECIPES)]
    if recipe not in recipes:
        pytest.skip(f"this CPU has no {recipe}")
    judge_every_row(names, method, recipe)


@pytest.mark.parametrize("method", METHODS)
def test_every_row_with_cold_caches(names, method):
    words = f"suite=*,compiler,planted {words_of(SMALL)} method={method} caches=clear instructions=off"
    said = ended(words)
    assert set(said.rows) == names
    for name, row in said.rows.items():
        judge(name, row, words)


@pytest.mark.every_cpu
@pytest.mark.parametrize("method, recipe", zip(METHODS, ("serialize", "lfence", "mfence", "rdtscp", "xfence")))
def test_every_row_between_cores_with_every_method(names, recipes, method, recipe):
    """These rows have no windows, so method and recipe must have no effect on them. The slow recipes are booted in
    tests/boot/test_report_fields.py."""
    if len(SEVERAL) < 2:
        pytest.skip("there is but one CPU")
    words = f"suite=cores cores=all {words_of(SMALL)} method={method}" + f" recipe={recipe}" * (recipe in recipes)
    said = ended(words)
    assert set(said.rows) == {n for n in names if n.startswith("cores/")}
    for name, row in said.rows.items():
        judge(name, row, words)
    # If an emulator's time is noise, some cores may look like a CPU's and others not.
    measured = any(row["status"] == "ok" for row in said.rows.values())
    assert measured or said.run["execution"] == "emulated", words


# --- pairs of options ------------------------------------------------------------------------------

# Values of options that the table does not list, and the greatest value for which a test can wait: a row of a million
# windows, thirty times over, tests nothing else.
EXAMPLES = {
    "suite": ["truth,calls"],
    "bench": ["add,direct,turn_2"],
    "clock": ["tsc", "pit,hpet,auto", "tsc,hpet,pmtimer,pit", "cputime", "clock,tsc", "thread"],
    "cycle": ["ruler", "null", "tsc", "rdtscp", "pmc,perf,aperf,auto"],
    "cores": ["bsp", "all", "types", "0"],
    "epsilon": ["0.05", "0", "1000"],
    "serial": ["auto", "off", "com4", "io:0x2e8,115200", "mmio:0x10000000:4:4"],
    "objects": ["off"],
}
# Not among the pairs: a launch with one of them takes seconds for its first measurement alone, and it differs from the
# others only in the window's code, which all rows run above.
SLOW_RECIPES = {"plain", "paoloni", "cpuid"}
GREATEST = {
    "samples": 1024, "warmup": 100, "most": 1024, "ensembles": 64, "size": 64, "target": 2000, "watch": 20,
    "rounds": 16, "time": 5,
}  # fmt: skip
# The pairs that options_check_pairs() refuses.
IMPOSSIBLE = [
    {"takeover": "exit", "finish": "return"},
    {"dma": "off", "takeover": "borrow"},
    {"dma": "off", "finish": "return"},
]


def options():
    """Returns each key of the documentation's table with its extreme values: all words, the ends of a range of numbers."""
    table = (ROOT / "docs" / "options.md").read_text().split("<!-- options -->")[1].split("<!-- /options -->")[0]
    found = {}
    for key, values in re.findall(r"^\| `(\w+)=` \| `([^`]*)` \|", table, re.MULTILINE):
        found[key] = EXAMPLES.get(key) or extremes(key, values.replace("\\|", "|"))
    return found


def extremes(key, values):
    found = []
    for word in values.split("|"):
        if bounds := re.fullmatch(r"(\d+)\.\.(\d+)", word):
            low, high = map(int, bounds.groups())
            found += [str(low), str(min(high, GREATEST.get(key, high)))]
        else:
            assert re.fullmatch(r"[a-z_]+", word), (
                f'EXAMPLES needs values of {key}= ({values}), as a line like:\n    "{key}": ["VALUE", "VALUE"],')
            found.append(word)
    return found


def impossible(values):
    return any(all(values.get(k) == v for k, v in pair.items()) for pair in IMPOSSIBLE)


def covering(keys):
    """Yields runs, each a value of every key, so that every possible pair of values of two keys is in one of them."""
    todo = {
        frozenset((a, b))
        for one, two in itertools.combinations(keys, 2)
        for a in ((one, v) for v in keys[one])
        for b in ((two, v) for v in keys[two])
        if not impossible(dict((a, b)))
    }
    while todo:
        run = dict(min(todo, key=sorted))
        for key in sorted(keys, key=lambda k: -len(keys[k])):
            if key in run:
                continue
            fits = [v for v in keys[key] if not impossible({**run, key: v})]
            run[key] = max(fits, key=lambda v: sum(frozenset(((key, v), o)) in todo for o in run.items()))
        todo -= {frozenset(pair) for pair in itertools.combinations(run.items(), 2)}
        yield run


def test_every_pair_of_values_is_in_a_run():
    keys = {"a": ["1", "2", "3"], "b": ["1", "2"], "takeover": ["auto", "exit"], "finish": ["auto", "return"]}
    runs = list(covering(keys))
    seen = {frozenset(p) for r in runs for p in itertools.combinations(r.items(), 2)}
    assert len(runs) < 12 and not any(impossible(r) for r in runs)
    assert len(seen) == 6 + 2 * (6 + 4) + 3  # all except exit with return
    assert extremes("most", "auto|32..1000000") == ["auto", "32", "1024"]
    with pytest.raises(AssertionError, match=r'EXAMPLES needs values of door=(?s:.*)"door": '):
        extremes("door", "X:Y|off")


PARTS = 4  # so that no other test waits long for this one


def judge_pairs(recipes, part, wanted):
    """Runs those of this part's runs for which wanted(values) is true."""
    keys = options()
    assert len(keys) > 30
    cpus = len(SEVERAL)
    keys["recipe"] = [r for r in keys["recipe"] if r in {*recipes, "auto"} - SLOW_RECIPES]
    runs = [run for run in covering(keys) if wanted(run)][part::PARTS]
    assert runs
    for run in runs:
        words = words_of(run)
        if run["format"] == "table":  # has no records
            out, _ = output_of(words)
            assert re.search(rb"^verdict: \w+ \((\d+) rows", out, re.MULTILINE)[1] in (b"3", b"%d" % (3 * cpus)), words
            continue
        said = ended(words)
        assert said.end["rows"] in (3, 3 * cpus) and len(said.rows) == (0 if run["format"] == "lines" else 3), words
        for name, row in said.rows.items():
            if said.status != FAULTED:
                judge(name, row, words)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_pair_of_extreme_values(recipes, part):
    judge_pairs(recipes, part, lambda run: run["cores"] != "all")


@pytest.mark.every_cpu
@pytest.mark.parametrize("part", range(PARTS))
def test_every_pair_of_extreme_values_on_all_cores(recipes, part):
    judge_pairs(recipes, part, lambda run: run["cores"] == "all")



@pytest.mark.parametrize("pair", IMPOSSIBLE)
def test_what_is_impossible_is_refused(pair):
    said = ended(words_of(pair), allowed=(3,))
    (message,) = [e["message"] for e in said.events]
    assert all(f"{k}={v}" in message for k, v in pair.items())


@pytest.mark.parametrize(
    "words",
    [
        "samples=1000000 layout=fixed warmup=0",
        "samples=1000000 method=plain",
        "warmup=1000",
        "method=kbest most=1000000 k=32 epsilon=0",
        "method=ensembles ensembles=100000 size=2",
        "method=ensembles ensembles=2 size=1000000",
    ],
)
def test_the_greatest_value_by_itself(words):
    said = ended(f"suite=baseline bench=do_nothing deadline={SECONDS} instructions=off {words}")  # the shortest windows
    judge("baseline/do_nothing", said.rows["baseline/do_nothing"], words)


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
        suites, rows = "summed,compiler,calls,planted,baseline", "sum,mul_*,inline,direct,direct_straight,vanished*,empty_lfence"
        said = shared_run(f"suite={suites}", f"bench={rows}", "samples=256", "ensembles=10", "size=100", "table=rows",
                          f"method={method}", f"objects={summed}")  # fmt: skip
        assert said.status == 2, said.err  # a vanished row fails
        return said

    return start


@pytest.fixture
def said(by_method, method):
    ended = by_method(method)
    return report_of(ended.out.encode(), ended.status)


@pytest.mark.parametrize("method", METHODS)
def test_work_that_is_gone_fails_by_every_method(said, method):
    """By its instructions, whatever the figure, the CPU and its load."""
    for name in ("vanished_loop", *(["vanished"] if method != "adaptive" else [])):
        row = said.rows[f"planted/{name}"]
        assert row["status"] == "wrong" and "the work is gone" in row["why"], row
        assert row["work_judged"] and row["per_op"]["instructions"] == 0 < row["least_instructions"], row


def test_adaptive_names_the_row_that_has_a_loop(by_method):
    ended_so = by_method("adaptive")
    rows = report_of(ended_so.out.encode(), ended_so.status).rows
    assert rows["planted/vanished"]["why"].endswith("no loop that could turn more often; planted/vanished_loop has one")
    assert rows["calls/direct_straight"]["why"].endswith("; calls/direct has one")
    assert rows["baseline/empty_lfence"]["why"].endswith("no loop that could turn more often")


def test_work_that_is_not_counted_is_not_judged():
    out, status = output_of("suite=planted bench=vanished samples=64 instructions=off format=both")
    said = report_of(out, status)
    row = said.rows["planted/vanished"]
    assert row["status"] == "ok" and row["work_judged"] is False and "steps" not in row, row
    assert any("instructions=off" in e["message"] for e in said.events if e["kind"] == "warning"), said.events
    assert said.end["work_not_judged"] == 1 and b", the work of 1 not judged)" in out


def test_a_turn_of_a_loop_is_shown_gross():
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
def test_every_method_has_the_same_figures_beside_it(said, by_method, method):
    """A busy machine may leave a row without an interval, or without a figure; the table says why."""
    row, silicon = said.rows["summed/sum"], said.run["execution"] == "silicon"
    assert {"errors", "disturbed", "nmis", "windows", "sampling_ticks"} <= row.keys(), row
    assert row["units"]["unit"] == "byte" and row["units"]["per_second"] > 0, row
    assert any(e["kind"] == "beside" and "mul_trap" in e["message"] for e in said.events), method
    if not silicon:
        return
    per_op = row["per_op"]
    assert ("cycles_lo" in per_op) == ("cycles_hi" in per_op), row
    if "cycles_lo" in per_op:
        assert per_op["cycles_lo"] <= per_op["cycles"] <= per_op["cycles_hi"], row
    else:
        assert re.search(r"\^ no (interval|figure): ", by_method(method).out), row
    assert per_op["ns"] > 0 and row["cycle_source"], row


def test_breaking_even_is_told_with_its_interval():
    """On a machine of any load, a proven count has a bound on either side, and the words are those of the fields."""
    said = ended("suite=compiler bench=power_formula_*,power_cure_*")
    (event,) = [e for e in said.events if e["kind"] == "breaks_even"]
    assert (event["name"], event["beside"]) == ("power_formula", "power_cure"), event
    assert (event["n_least"], event["n_most"]) == (1, 16), event
    n, lo, hi = (event.get(k) for k in ("n", "n_lo", "n_hi"))
    if event["unit"] != "cycles":
        assert lo is None and hi is None, event
    elif hi:
        bounds = f" ({lo} to {hi})" if lo != hi else ""
        assert 1 <= lo <= n <= hi <= 16 and f"breaks even at n = {n}{bounds}" in event["message"], event
    elif lo:
        assert f"no difference for sure from n = {lo} up to n = 16" in event["message"], event
    else:
        assert n is None and "does not break even up to n = 16" in event["message"], event


@pytest.mark.parametrize("method", METHODS[1:])
def test_no_cost_says_so(said, method):
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
def test_every_method_tells_operations_a_second(said, method):
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
def test_adaptive_says_what_its_users_want(summed):
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
        ("layout=shuffle seed=2 samples=64 watch=5 share=alone", {"watch", "share"}),
        ("cores=0 share=together samples=64", set()),
        # The later suite= counts: no row has windows there.
        ("suite=gaps bench=* watch=5 samples=64 caches=clear layout=fixed", {"samples", "caches", "layout"}),
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
