"""`baretick stores` against a QEMU plugin (stores_plugin.c): the same bodies' loads and stores, by number and size."""

import json
import zlib

from commands import run_command
import build
import made
import pytest
from machine import SUCCESS


PROGRAM = build.ROOT / "build/hosted/stores"
ROWS = ("chain,count,sum,half*,copied*,counter*,store_*,silent_*,buffer_*,memset_*,copy_*,to_mem*,volatile_*,statement,"
        "void_function,lazy_first_c,plt_c,retpoline_c,virtual_types_c")
SIZES = (1, 2, 4, 8)
KINDS = ("gcc", "clang", "nasm", "stores_gcc", "stores_clang")


@pytest.fixture(autouse=True)
def zydis():
    if not PROGRAM.exists():
        pytest.skip("build/hosted/stores is missing: ./scripts/setup --test installs Zydis, make hosted builds it")


def counted_of(path):
    """Returns by tag: {(loads of 1, 2, 4, 8 bytes, stores of the same)}."""
    *lines, last = path.read_text().splitlines()
    assert last == "end", last
    found = {}
    for line in lines:
        tag, _, *counts = line.split()
        found.setdefault(int(tag, 16), set()).add(tuple(map(int, counts)))
    return found


def followed(objects, row, operations):
    """Returns the program's counts in the form of the plugin's."""
    own = [f"objects={objects}"] if row["suite"] in KINDS else []
    ran = run_command(PROGRAM, *own, f"operations={operations}", f"{row['suite']}/{row['name']}")
    assert ran.returncode == 0, ran.stdout[:1000]
    trace = json.loads(ran.stdout.splitlines()[0])
    counts = []
    for sizes in (trace["loads_by_size"], trace["stores_by_size"]):
        pieces = dict.fromkeys(SIZES, 0)
        for size, n in sizes.items():
            assert int(size) in SIZES or int(size) % 8 == 0, trace
            pieces[min(int(size), 8)] += n * max(1, int(size) // 8)
        counts += pieces.values()
    total = sum(n * size for n, size in zip(counts, SIZES * 2))
    assert total == trace["load_bytes"] + trace["store_bytes"], trace
    return tuple(counts)


@pytest.mark.long
def test_loads_and_stores_are_those_that_a_plugin_counts(boot, stick, tmp_path):
    """C bodies of the suites and of objects of three compilers, called with a window's operations and with twice as
    many."""
    objects = tmp_path / "objects"
    objects.mkdir()
    for kind in KINDS:
        made.own(kind, objects)
    files = {f"baretick/objects/{kind}.o": objects / f"{kind}.o" for kind in KINDS}
    # Bodies that are single-stepped are called with fewer operations.
    files["baretick.conf"] = (f"suite=gcc,clang,nasm,stores_*,compiler,calls bench={ROWS} samples=16 "
                              "instructions=off").encode()
    out = tmp_path / "counts"
    b = boot("", disk=stick(files), extra=["-plugin", f"{build.plugin('stores_plugin')},out={out}"]).must(SUCCESS)

    counts = counted_of(out)
    suites = {row["suite"] for row in b.rows}
    assert suites == {*KINDS, "compiler", "calls"}, suites
    stored = 0
    for row in b.rows:
        ours = {followed(objects, row, n) for n in (row["ops"], 2 * row["ops"])[: 1 + row["doubled"]]}
        theirs = counts[zlib.crc32(f"{row['suite']}/{row['name']}/B".encode())]
        theirs |= counts.get(zlib.crc32(f"{row['suite']}/{row['name']}/B2".encode()), set())
        assert ours == theirs, (row["suite"], row["name"], ours, theirs)
        stored += sum(sum(c[4:]) for c in ours)
    assert len(b.rows) > 40 and stored > 20000
