"""The .gnu.hash sections of lib/object against those that ld makes from the same names."""

import struct
import subprocess

import pytest
from conftest import ROOT

SOURCES = [ROOT / "tests/hosted/tools/gnu_hash.c", ROOT / "lib/object/gnu_hash.c"]
COUNTS = (1, 2, 3, 5, 15, 16, 17, 33, 38, 64, 67, 99, 131, 200, 300, 600)


def run(*words, **more):
    return subprocess.run([str(w) for w in words], check=True, stdout=subprocess.PIPE, timeout=300, **more).stdout


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """ours(names): the section's bytes"""
    tool = tmp_path_factory.mktemp("tool") / "gnu_hash"
    run("gcc", "-std=c11", "-O1", "-I", ROOT, *SOURCES, "-o", tool)
    return lambda names: run(tool, *names)


def of_ld(names, tmp_path):
    """Returns the section of a shared object that exports these names, made by ld without -O, and the names by symbol."""
    source, made, linked = (tmp_path / n for n in ("a.s", "a.o", "a.so"))
    source.write_text("".join(f".globl {n}\n.type {n}, @function\n{n}: ret\n" for n in names))
    run("as", source, "-o", made)
    run("ld", "-shared", "--hash-style=gnu", made, "-o", linked)
    out = tmp_path / "section"
    run("objcopy", "-O", "binary", "--only-section=.gnu.hash", linked, out)
    return out.read_bytes()


def parts(section, count):
    """((nbuckets, symndx, maskwords, shift2), bloom, {bucket: the chain's hashes without their lowest bit})"""
    buckets, first, words, shift = struct.unpack_from("<4I", section)
    bloom = struct.unpack_from(f"<{words}Q", section, 16)
    rest = struct.unpack_from(f"<{buckets + count}I", section, 16 + 8 * words)
    assert len(section) == 16 + 8 * words + 4 * (buckets + count)
    bucket, chain = rest[:buckets], rest[buckets:]
    chains = {}
    for number, at in enumerate(bucket):
        if at == 0:
            continue
        end = at - first
        while not chain[end] & 1:
            end += 1
        # ld does not define the order within a bucket.
        chains[number] = sorted(c & ~1 for c in chain[at - first:end + 1])
    assert sum(map(len, chains.values())) == count
    return (buckets, first, words, shift), bloom, chains


@pytest.mark.parametrize("count", COUNTS)
def test_a_section_is_that_of_ld(ours, tmp_path, count):
    names = [f"name_{i * i}" for i in range(count)]
    assert parts(ours(names), count) == parts(of_ld(names, tmp_path), count)
