"""A person's own objects: from the stick, from `make run` and `make image`, refused, faulting, under Secure Boot."""

import math
import re
import sys

from commands import output_of, run_command
import build
import made
import media
import pytest
from machine import BAD_OPTIONS, CHECK_FAILED, NO_REPORT, SUCCESS, has
from test_borrow import DO_NOT_WAIT, shell_disk
from test_count import counts_of, once_and_twice
from test_image_file import ODD_NAME, read_from
from test_image_file import make as make_here
from test_run import command, report_of
from test_serial_tables import MMIO, NOWHERE, spcr
from test_signed import SECURE, key, pytestmark as needs_secure_boot, secure_disk, signed  # noqa: F401


FOLDER = "baretick/objects"
KINDS = ("gcc", "clang", "nasm")
ARGS = (4, 16, 64)
GROWTHS = {  # the curve of each, and how many iterations its loop has
    "constant": ("constant", lambda n: 20), "log": ("log n", lambda n: 10 * math.log2(n)), "linear": ("n", lambda n: n),
    "n_log_n": ("n log n", lambda n: n * math.log2(n)), "square": ("n^2", lambda n: n * n),
}  # fmt: skip
REFUSED = """
static int nothing(uint64_t n, struct baretick_object *o) { (void)n; (void)o; return 0; }
BARETICK_ROW(mine, good, "nothing", .body = nothing, .ops = 10, .flags = BARETICK_MAY_BE_ELIDED);
BARETICK_ROW(mine, bad, "nothing", .body = nothing, .ops = 0);
"""


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """{name: path}: one of each compiler, one with a refused row, one whose bodies do not come back."""
    folder = tmp_path_factory.mktemp("objects")
    paths = {f"{kind}.o": made.own(kind, folder) for kind in (*KINDS, "faults", "grows")}
    return {**paths, "refused.o": made.of_source(folder, "refused", REFUSED)}


def on_stick(objects, *names):
    return {f"{FOLDER}/{name}": objects[name] for name in names}


def test_every_window_of_an_object_is_what_a_plugin_counts(boot, stick, objects, tmp_path):
    """Objects of three compilers are measured in order of names, a refused row is reported, other files are ignored."""
    out = tmp_path / "counts"
    files = on_stick(objects, "nasm.o", "clang.o", "gcc.o", "grows.o", "refused.o")
    files.update({f"{FOLDER}/README.TXT": b"mine", f"{FOLDER}/x.o/a": b"a folder", f"{FOLDER}/vast.o": bytes((1 << 20) + 1)})
    files["baretick.conf"] = b"suite=gcc,clang,nasm,grows,mine samples=32 instructions=off"
    b = boot("", disk=stick(files), extra=["-plugin", f"{build.plugin()},out={out}"]).must(CHECK_FAILED, rows=25)

    told = b.of("object")
    assert [t["file"].lower() for t in told] == ["clang.o", "gcc.o", "grows.o", "nasm.o", "refused.o"], told
    assert [t["rows"] for t in told] == [3, 3, 18, 3, 1], told
    assert re.search(r"object    gcc\.o: \d+ bytes, 3 rows", b.text, re.I), b.text
    bad, vast = sorted(error["message"].lower() for error in b.events("error"))
    assert all(part in bad for part in ("refused.o", "row bad", "ops is 0", "1 to 1000000")), bad
    assert "vast.o: larger than the 1 mib" in vast and "/libc.a (docs/own-code.md)" in vast, vast
    assert b.end["failures"] == 2 and b.run["firmware"]["secure_boot"] is False

    counts, step = counts_of(out), b.run["ticks_per_instruction"]
    for row in b.rows:
        assert row["status"] == "ok" and row["errors"] == 0 and row["object"].lower().endswith(".o"), row
        body, body2 = once_and_twice(counts, row, "B")
        empty, empty2 = once_and_twice(counts, row, "E")
        assert row["ticks"]["min"] == row["ticks"]["max"] == body * step, row
        assert row["net"]["instructions"] == body - empty, row
        ours = round(row["per_op"]["instructions"] * row["ops"], 3)
        assert (body2 - body) - (empty2 - empty) == ours, row
    # Ten products, and the loop's two instructions.
    assert all(b.row(kind, "chain")["per_op"]["instructions"] == 12 for kind in KINDS)
    assert all(1 <= b.row(kind, "count")["per_op"]["instructions"] <= 3 for kind in KINDS)
    for name, (curve, iterations) in GROWTHS.items():
        by_arg = {arg: b.row("grows", f"{name}/{arg}")["per_op"]["instructions"] for arg in ARGS}
        assert by_arg[64] - by_arg[4] == 2 * (iterations(64) - iterations(4)), by_arg  # an iteration is two instructions
        (grown,) = [e for e in b.events("growth") if e["name"] == name]
        assert (grown["fits"], grown["curve"], grown["unit"]) == (True, curve, "instructions"), grown


# row, how its message begins, the function
ENDS = {
    "ud2": ("#UD invalid opcode (vector 6)", "undefined"),
    "divide": ("#DE ", "divides"),
    "store": ("#PF ", "stores"),
    "endless": ("it ran longer than deadline=1 seconds", "never_ends"),
}


def test_a_body_that_does_not_come_back_costs_its_row_alone(boot, stick, objects):
    """Vector, address, symbol and offset in the object are reported; the other rows are measured, on both cores."""
    words = b"suite=faults samples=16 deadline=1 cores=0-1 share=together"
    disk = stick({**on_stick(objects, "faults.o"), "baretick.conf": words})
    b = boot("", disk=disk, extra=["-smp", "2"])
    assert b.status == CHECK_FAILED and not b.events("fault") and len(b.rows) == 16, str(b)
    for row in b.rows:
        if row["name"] in ENDS:
            begins, function = ENDS[row["name"]]
            assert row["status"] == "wrong" and row["n"] == 0 and row["why"].startswith(begins), row
            assert re.search(rf" at 4000000[0-9a-f]{{5}} in {function}\+0x[0-9a-f]+$", row["why"]), row
        else:
            assert (row["status"] == "ok") == row["name"].endswith("good_one"), row
    vectors = {row["name"]: re.search(r"\(vector (\d+)\)", row["why"]) for row in b.rows if row["name"] in ENDS}
    assert [vectors[name][1] for name in ("ud2", "divide", "store")] == ["6", "0", "14"]


def test_objects_are_chosen_by_name(boot, stick, objects):
    """By a glob, with which the others are not read; a large room, and a stack protector, on two cores at once."""
    large = made.of_source(objects["gcc.o"].parent, "large", LARGE, f"{made.C} -fstack-protector-all")
    files = {**on_stick(objects, "gcc.o", "nasm.o", "refused.o"), f"{FOLDER}/large.o": large}
    files["baretick.conf"] = b"objects=n*,l*.o suite=nasm,large samples=16 cores=all share=together"
    b = boot("", disk=stick(files), extra=["-smp", "2"]).must(SUCCESS, rows=8)
    assert [t["file"].lower() for t in b.of("object")] == ["large.o", "nasm.o"], b.of("object")
    assert all(row["status"] == "ok" for row in b.rows), b.rows
    assert b.run["options"]["objects"] == "n*,l*.o"


LARGE = """
void __stack_chk_fail(void);
void __stack_chk_fail(void) { __builtin_trap(); }
#define ROOM (6u << 20)
static int walk(uint64_t n, struct baretick_object *o)
{
    volatile uint8_t *room = (volatile uint8_t *)o->room;
    for (; n; n--)
        for (uint64_t i = 0; i < ROOM; i += 4096)
            room[i]++;
    return (uint64_t)room % 4096 != 0;
}
static const char *walked(const struct baretick_object *o, uint64_t operations)
{
    const uint8_t *room = (const uint8_t *)o->room;
    (void)operations;
    return room[0] == room[ROOM - 4096] && room[0] ? NULL : "not all of the room was gone through";
}
BARETICK_ROW(large, walk, "a step through 6 MiB", .body = walk, .ops = 2, .room = ROOM, .check = walked);
"""


def test_objects_off_reads_no_object(boot, stick, objects):
    disk = stick({**on_stick(objects, "gcc.o"), "baretick.conf": b"objects=off suite=gcc"})
    b = boot("", disk=disk).must(BAD_OPTIONS, rows=0)
    (error,) = b.events("error")
    assert 'no suite is called "gcc"' in error["message"] and not b.of("object"), str(b)


def test_a_borrowed_machine_has_its_memory_back(boot, program, objects, tmp_path):
    """The firmware's map counts as much loader data after a run with objects as before it."""
    words = "baretick.efi suite=gcc,faults bench=count,ud2,a_good_one samples=16 takeover=borrow finish=return"
    disk = shell_disk(tmp_path / "shell.img", program, "memmap", words, "memmap", words, "memmap",
                      files=on_stick(objects, "gcc.o", "faults.o", "refused.o"))  # fmt: skip
    b = boot("", disk=disk, runs=2, keys=DO_NOT_WAIT)
    assert b.exit == 0 and "the shell continues" in b.text, str(b)
    assert len(b.rows) == 6 and len(b.of("object")) == 6, str(b)
    pages = re.findall(r"^ *LoaderData *: +([\d,]+) Pages", b.text, re.M)
    assert len(pages) == 3 and len(set(pages)) == 1, pages


def test_make_run_takes_a_folder(program, objects, tmp_path):
    folder = tmp_path / ODD_NAME.replace("/", "")
    folder.mkdir()
    for name in ("gcc.o", "nasm.o"):
        (folder / name).write_bytes(objects[name].read_bytes())
    (folder / "gcc.c").write_text("what it was made of")
    with build.Lock():
        said, status = command("make", "run", f"OUT={tmp_path / 'out'}", "ACCEL=tcg", "ICOUNT=1",
                               f"OBJECTS={folder}", "ARGS=suite=gcc,nasm samples=16")  # fmt: skip
    assert status == 0, said
    b = report_of(tmp_path / "out").must(SUCCESS, rows=6)
    assert {row["object"].lower() for row in b.rows} == {"gcc.o", "nasm.o"}
    assert b.row("gcc", "chain")["per_op"]["instructions"] == 12


def test_run_names_the_error_of_the_folder(program, tmp_path):
    for path, words in ((tmp_path / "none", "no such folder or file"), (tmp_path, "no file there ends in .o")):
        said, status = command(sys.executable, "scripts/run", "--accel", "tcg", "--out", tmp_path / "out",
                               "--objects", path, "suite=baseline")  # fmt: skip
        assert status != 0 and f"OBJECTS={path}: {words}" in said and "{" not in said, said


# --- what a medium takes ---------------------------------------------------------------------------


def test_make_image_takes_a_folder(program, objects, tmp_path):
    """It is made again when a file in it changes."""
    (tmp_path / "baretick.efi").write_bytes(program.read_bytes())
    folder = tmp_path / "my objects"
    folder.mkdir()
    (folder / "a.o").write_bytes(objects["gcc.o"].read_bytes())
    (folder / "notes").write_text("no object")
    for changed in (objects["gcc.o"], objects["nasm.o"]):
        (folder / "a.o").write_bytes(changed.read_bytes())
        p = make_here(tmp_path, "image", f"OBJECTS={folder}")
        assert p.returncode == 0, p.stderr
        assert read_from(tmp_path / "baretick.img", f"{FOLDER}/a.o", tmp_path) == changed.read_bytes()
    listed = output_of("mdir", "-b", "-i", f"{tmp_path}/baretick.img@@1M", f"::/{FOLDER}").split()
    assert listed == [f"::/{FOLDER}/a.o"], listed


def too_many(folder, good):
    for i in range(33):
        (folder / f"{i}.o").write_bytes(good)


def too_large(folder, _):
    (folder / "a.o").write_bytes(bytes((1 << 20) + 1))


def is_folder(folder, _):
    (folder / "a.o").mkdir()


@pytest.mark.parametrize("fill, file, words", [
    (None, "none", "none: no such folder or file"),
    (lambda folder, _: None, "", ": no file there ends in .o"),
    (too_many, "", ": 33 objects; at most 32 are allowed"),
    (too_large, "", "a.o: more than 1 MiB"),
    (is_folder, "", "a.o is not a file"),
    (lambda folder, good: (folder / "a.c").write_bytes(good), "a.c", "a.c: the name of an object ends in .o"),
])  # fmt: skip
def test_objects_that_an_image_does_not_take_are_refused(program, objects, tmp_path, fill, file, words):
    folder = tmp_path / "objects"
    folder.mkdir()
    if fill:
        fill(folder, objects["gcc.o"].read_bytes())
    path = folder / file if file else folder
    p = run_command(build.ROOT / "scripts/image", program, build.conf(), tmp_path / "x.img", path)
    assert p.returncode == 1 and "OBJECTS" in p.stderr and words in p.stderr, p.stderr
    assert not (tmp_path / "x.img").exists()


# --- Secure Boot -----------------------------------------------------------------------------------


@needs_secure_boot
def test_secure_boot_keeps_objects_out(boot, program, objects, signed, tmp_path):  # noqa: F811
    """A signed image starts, runs no unsigned code, and writes to no address that only an option names."""
    files = {"EFI/BOOT/BOOTX64.EFI": signed(program), **on_stick(objects, "gcc.o")}
    words = b"suite=baseline bench=empty_lfence samples=16"
    disk = media.gpt_disk(tmp_path / "secure.img", {**files, "baretick.conf": words})
    b = boot("", disk=disk, **SECURE).must(SUCCESS, rows=1)
    assert b.run["firmware"]["secure_boot"] is True and not b.of("object"), str(b)
    (warning,) = [e for e in b.events("warning") if "Secure Boot" in e["message"]]
    assert has(warning, {"kind": "warning"}) and "\\baretick\\objects are not loaded" in warning["message"], warning

    conf = words + f" serial=mmio:{NOWHERE:#x}:4:4 takeover=exit".encode()
    disk = media.gpt_disk(tmp_path / "mmio.img", {**files, "baretick.conf": conf})
    b = boot("", disk=disk, **SECURE).must(BAD_OPTIONS, rows=0)
    (error,) = b.events("error")
    words = f"serial=mmio: Secure Boot is on: address {NOWHERE:#x} is refused"
    assert words in error["message"], error

    (tmp_path / "spcr").write_bytes(spcr(MMIO, NOWHERE, bits=32, access=3))
    named = ["-acpitable", f"file={tmp_path / 'spcr'}"]
    b = boot("", disk=disk, **{**SECURE, "extra": [*SECURE["extra"], *named]})
    assert b.status == NO_REPORT and "Nothing was measured" not in b.text, str(b)  # no port is there
