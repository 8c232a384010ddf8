"""User objects in the Linux program: compiled as documented, measured, refused; and make check-object."""

import os
import re

from commands import output_of
import pytest

import made
from object_rows import PASS, check, faults, measured, objects
from statuses import SUCCESS


TRIES = 4  # a figure that another program disturbs is measured again
COUNT = """static int count(uint64_t n, struct baretick_object *o)
{ for (; n; n--) { o->counter++; BARETICK_CLOBBER(); } return 0; }
"""


def records(run, kind, path, *words):
    """Returns records of a type that the report's reader does not sort."""
    from read import report

    ended = run(f"objects={path}", "format=jsonl", *words)
    return [r for r in map(report.parse, ended.out.encode().splitlines()) if r["type"] == kind]


def close(row, cycles):
    """Tests whether a value is within its interval, or within 1%."""
    got = row["per_op"]
    return abs(got["cycles"] - cycles) <= max(got["cycles_hi"] - got["cycles"], 0.01 * cycles)


# --- what compilers make ---------------------------------------------------------------------------

def at_hand(kind):
    if not made.at_hand(kind):
        pytest.skip(f"not installed: {made.COMMANDS[kind].split()[0]}")


@pytest.mark.parametrize("kind", made.KINDS)
def test_an_object_of_each_compiler_is_measured(measured, objects, kind):
    """Its rows do their work, as their checks confirm."""
    at_hand(kind)
    rows = measured(objects, f"suite={kind},truth", "bench=chain,count,sum,imul", "samples=64").rows
    for name in ("chain", "count", "sum"):
        row = rows[f"{kind}/{name}"]
        assert row["status"] == "ok" and row["errors"] == 0 and row["object"] == f"{kind}.o", row
        assert row["form"] == "function" and row["doubled"] and row["placements"] > 0, row
    assert "object" not in rows["truth/imul"]


@pytest.mark.parametrize("kind", [k for k in made.KINDS if k not in ("nasm", "rust")])
def test_a_break_ends_one_operation(measured, tmp_path, kind):
    """Its check passes if onbreak runs for each operation that breaks, and for no other."""
    at_hand(kind)
    made.own(kind, tmp_path, "-DBREAKS")
    row = measured(tmp_path, f"suite={kind}", "bench=breaks", "samples=64").rows[f"{kind}/breaks"]
    assert row["status"] == "ok" and row["errors"] == 0, row


@pytest.mark.silicon
@pytest.mark.parametrize("kind", made.KINDS)
def test_a_chain_takes_its_latency_with_each_compiler(measured, objects, kind):
    """Ten dependent products take ten times the documented latency, or ten times the program's own row if there is no
    documentation."""
    at_hand(kind)
    for _ in range(TRIES):
        rows = measured(objects, f"suite={kind},truth", "bench=chain,sum,imul", "samples=512").rows
        chain, one = rows[f"{kind}/chain"], rows["truth/imul"]
        if chain["status"] == "ok" and close(chain, 10 * one.get("truth_cycles", one["per_op"]["cycles"])):
            break
    else:
        pytest.fail(f"{chain['per_op']}, and one product: {one['per_op']}")
    assert chain["placements"] > 1
    # 512 words: at most two per cycle, at least vectors of 8 and as many dependent additions
    assert 512 / 16 < rows[f"{kind}/sum"]["per_op"]["cycles"] < 512 * 64, rows[f"{kind}/sum"]


def test_every_object_of_a_folder_in_order_of_names(run, objects):
    told = records(run, "object", objects, "suite=planted", "bench=adds20", "samples=16")
    assert [t["file"] for t in told] == sorted(p.name for p in objects.glob("*.o")), told
    for t in told:
        assert t["rows"] == 3 and t["bytes"] == (objects / t["file"]).stat().st_size, t


def test_list_shows_the_rows(run, shared_run, objects):
    ended = run(f"objects={objects}", "list")
    assert ended.status == SUCCESS, ended.err
    assert re.search(r"^gcc\r?\n  chain +ten products, each of the one before\r?\n  count +\+\+\*x\r?$", ended.out, re.M)
    assert re.search(r"^object    gcc\.o: \d+ bytes, 3 rows\r?$", ended.out, re.M), ended.out
    assert "gcc.o" not in shared_run("list").out and "gcc.o" not in run("objects=off", "list").out


LONG = """static int chain(uint64_t n, struct baretick_object *o)
{ uint64_t x = 1; (void)o; for (; n; n--) __asm__ volatile(".rept 100\\n\\tadd %0, %0\\n\\t.endr" : "+r"(x) : : "cc");
  return 0; }
BARETICK_ROW(timed, row, "100 additions, one after the other", .body = chain, .ops = 1000000);
"""


@pytest.mark.silicon
def test_long_windows_are_compensated(run, tmp_path):
    """In windows of 20 ms and more every minimum contains timer interrupts, and those of each window are subtracted.
    tests/unit/bench/engine/test_method.c checks that the rest is nearer to the truth, with a clock that does not
    drift."""
    path = made.of_source(tmp_path, "timed", LONG)
    words = ("suite=timed", "method=kbest", "most=32")
    report = run(f"objects={path}", "format=jsonl", *words, "compensate=on").report()
    found, body = report.run["compensate"], report.rows["timed/row"]["body"]
    if "why_not" in found:
        pytest.skip(f"no timer interrupts are seen here: {found['why_not']}")
    window = body["min_as_read"]
    assert window * 1e3 / report.run["tsc"]["hz"] > 10, body
    least = int(window / found["interval_ticks"])  # in each window
    if least == 0:
        pytest.skip(f"a timer interrupt comes every {found['interval_ms']} ms, which is longer than this window")
    assert body["timer_interrupts"] >= least * body["n"], (found, body)
    taken_off = body["min_as_read"] - body["min"]
    assert taken_off >= 0.9 * least * found["cost_ticks"] and body["min"] == body["kbest"], (found, body)
    as_it_is = run(f"objects={path}", "format=jsonl", *words).report().rows["timed/row"]["body"]
    assert not {"min_as_read", "timer_interrupts"} & as_it_is.keys(), as_it_is


@pytest.mark.parametrize("words", [["method=plain"], ["method=doubled"], ["method=kbest"], ["method=ensembles", "ensembles=4", "size=16"], ["method=adaptive", "target=100"], ["layout=sweep"], ["layout=fixed"], ["caches=clear"], ["method=plain", "recipe=mfence"]])  # fmt: skip
def test_every_method_measures_a_user_row_or_refuses_it(measured, objects, words):
    """A method that needs a loop to double refuses a row without one, with the reason."""
    rows = measured(objects, "suite=gcc", "samples=64", *words).rows
    assert len(rows) == 3
    for name, row in rows.items():
        if row["status"] == "unsupported":
            assert row["why"], row
        else:
            assert row["status"] == "ok" and "ticks" in row["per_op"], row
    assert rows["gcc/count"]["status"] == "ok" or "caches=clear" in words, rows["gcc/count"]


# --- what goes wrong in a body ---------------------------------------------------------------------

def symbol_bytes(path, name, offset):
    """Returns the object's machine code from this offset after a symbol on."""
    said = output_of("objdump", "-d", f"--disassemble={name}", path)
    lines = [re.match(r" +([0-9a-f]+):\t((?:[0-9a-f]{2} )+)", line) for line in said.splitlines()]
    found = [(int(m[1], 16), m[2].split()) for m in lines if m]
    return next(code for at, code in found if at - found[0][0] == offset)


# row, how its message begins, its function, the first bytes of the instruction
ENDS = {
    "ud2": ("SIGILL at ", "undefined", ["0f", "0b"]),
    "divide": ("SIGFPE at ", "divides", ["f7"]),
    "store": ("SIGSEGV, address 200000000000, at ", "stores", ["c7"]),
    "endless": (" seconds and was ended at ", "never_ends", ["eb"]),
}


@pytest.mark.every_cpu
@pytest.mark.parametrize("share", ["alone", "together"])
def test_a_body_that_does_not_come_back_costs_its_row_alone(measured, faults, share):
    """The message has signal, address, symbol and offset in the object; the other rows are measured."""
    cores = ["cores=0-1", "share=together"] if share == "together" and len(os.sched_getaffinity(0)) > 1 else []
    report = measured(faults, "suite=faults", "samples=64", "deadline=1", *cores)
    assert report.end["verdict"] == "fail" and len(report.rows) == 8
    for name, (begins, function, code) in ENDS.items():
        row = report.rows[f"faults/{name}"]
        at = re.search(rf" in {function}\+0x([0-9a-f]+)$", row["why"])
        assert row["status"] == "wrong" and row["n"] == 0 and begins in row["why"] and at, row
        assert symbol_bytes(faults, function, int(at[1], 16))[: len(code)] == code, row
    assert report.rows["faults/fails"]["why"] == "every operation failed"
    assert report.rows["faults/wrong"]["why"] == "the check does not like it"
    for name in ("a_good_one", "z_good_one"):
        assert report.rows[f"faults/{name}"]["status"] == "ok", report.rows[f"faults/{name}"]


# --- fields of a row -------------------------------------------------------------------------------

FIELDS = (
    PASS
    + COUNT
    + """
#define ROOM (6u << 20)
static void fill(struct baretick_object *o)
{
    volatile uint8_t *room = (volatile uint8_t *)o->room;
    for (uint64_t i = 0; i < ROOM; i += 4096)
        room[i] = (uint8_t)(i >> 12);
    room[ROOM - 1] = 77;
}
static int walk(uint64_t n, struct baretick_object *o)
{
    const volatile uint8_t *room = (const volatile uint8_t *)o->room;
    for (; n; n--)
        for (uint64_t i = 0; i < ROOM; i += 4096)
            if (room[i] != (uint8_t)(i >> 12))
                return 1;
    return room[ROOM - 1] != 77 || (uint64_t)o->room % 4096 != 0;
}
BARETICK_ROW(fields, room, "a step through 6 MiB", .body = walk, .ops = 2, .room = ROOM, .setup = fill);
BARETICK_ROW(fields, small, "a count next to it", .body = count, .ops = 10, .room = 1, .check = baretick_counted);
BARETICK_ROW(fields, cold, "a count in cold memory", .body = count, .ops = 10, .flags = BARETICK_COLD);
BARETICK_ROW(fields, once, "as many operations in each window", .body = count, .ops = 10, .most_ops = 10,
             .flags = BARETICK_NOT_DOUBLED, .check = baretick_counted);
BARETICK_ROW(fields, ring0, "a privileged one", .body = pass, .ops = 10, .needs = BARETICK_RING0);
BARETICK_ROW(fields, gone, "nothing", .body = pass, .ops = 1000, .floor = 1);
BARETICK_ROW(fields, untrue, "nothing that takes a thousand cycles", .body = count, .ops = 1000, .truth = 1000);
BARETICK_ROW(fields, set, "as small", .body = count, .ops = 10, .compared_with = "small", .unit = "word", .units = 3);
"""
)


@pytest.fixture(scope="module")
def fields(tmp_path_factory):
    return made.of_source(tmp_path_factory.mktemp("fields"), "fields", FIELDS)


def test_fields_of_a_row_do_what_they_say(measured, fields):
    report = measured(fields, "suite=fields", "samples=64")
    rows = {name.partition("/")[2]: row for name, row in report.rows.items()}
    assert rows["room"]["status"] == rows["small"]["status"] == "ok" and rows["room"]["errors"] == 0, rows["room"]
    assert rows["small"]["doubled"] and not rows["once"]["doubled"] and not rows["cold"]["doubled"]
    assert rows["cold"]["cold"] and not rows["small"]["cold"]
    assert rows["once"]["status"] == "ok", rows["once"]
    assert rows["ring0"]["status"] == "unsupported" and "ring 0" in rows["ring0"]["why"], rows["ring0"]
    assert rows["gone"]["status"] == "wrong" and "the work was elided" in rows["gone"]["why"], rows["gone"]
    untrue = rows["untrue"]  # it is judged if a CPU executes it on an exclusive core
    assert untrue.get("truth_cycles") == 1000 or report.run["execution"] == "emulated", untrue
    assert not untrue.get("exclusive") or "not the documented figure" in untrue["why"], untrue
    assert rows["set"]["units"]["unit"] == "word" and rows["set"]["units"]["per_op"] == 3, rows["set"]


@pytest.mark.every_cpu
def test_a_large_room_works_on_two_cores_at_once(measured, fields):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs")
    report = measured(fields, "suite=fields", "bench=room,small", "samples=32", "cores=0-1", "share=together")
    assert report.end["rows"] == 4 and report.end["failures"] == 0, report.rows


# --- arguments -------------------------------------------------------------------------------------

def test_a_name_selects_all_its_arguments(measured, tmp_path):
    """One row is selected by its whole name. The fit over the arguments is reported, or that it needs three."""
    path = made.own("grows", tmp_path)
    report = measured(path, "suite=grows*", "bench=linear,square/64,fails", "samples=64")
    assert report.rows.pop("grows_wrong/fails/16")["status"] == "wrong"
    assert report.rows.pop("grows_wrong/fails/4")["status"] == report.rows.pop("grows_wrong/fails/64")["status"] == "ok"
    assert {name: row["arg"] for name, row in report.rows.items()} == {
        "grows/linear/4": 4, "grows/linear/16": 16, "grows/linear/64": 64, "grows/square/64": 64}  # fmt: skip
    for row in report.rows.values():
        assert row["status"] == "ok" and row["errors"] == 0, row  # its check has received the argument
    growth = {e["name"]: e for e in report.events if e["kind"] == "growth"}
    assert growth.keys() == {"linear", "square", "fails"}
    assert growth["fails"]["points"] == 2 and "2 arguments, of which 1 failed: no fit" in growth["fails"]["message"]
    assert growth["linear"]["points"] == 3 and {"curve", "coefficient", "error", "fits"} <= growth["linear"].keys()
    assert growth["square"]["points"] == 1 and not growth["square"]["fits"], growth
    assert "no fit: it needs 3" in growth["square"]["message"] and "curve" not in growth["square"], growth


def test_nasm_declares_arguments(tmp_path):
    fields = {"range": "args_from, 8, args_to, 512, args_multiply, 8", "steps": "args_from, 1, args_to, 6, args_step, 2",
              "list": "args_list, {7, 5}"}  # fmt: skip
    rows = "".join(f'BARETICK_ROW m, {name}, "x", f, {words}\n' for name, words in fields.items())
    (tmp_path / "a.asm").write_text(f'%include "baretick.inc"\nf: ret\n{rows}')
    output_of("nasm", "-f", "elf64", "-I", f"{made.API}/", tmp_path / "a.asm", "-o", tmp_path / "a.o")
    said = check(tmp_path / "a.o")
    assert said.returncode == 0, said
    names = re.findall(r"^m/(\S+): x\n(?:    .*\n)*?    arg       (\d+)$", said.stdout, re.M)
    assert names == [(f"{name}/{arg}", arg) for name, args in (("list", "57"), ("range", ("8", "64", "512")), ("steps", "1356"))
                     for arg in args], said.stdout  # fmt: skip
