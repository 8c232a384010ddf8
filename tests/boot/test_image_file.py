"""The PE file itself: what scripts/pe_finish promises and refuses, and what two builds have in common."""
import hashlib
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ["boot", "kernel", "bench", "lib", "scripts", "linker.ld", "Makefile", "VERSION"]


def build_elsewhere(folder, *arguments):
    folder.mkdir()
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy(source, folder / name)
    subprocess.run(["make", "-s", "-j2", *arguments], cwd=folder, check=True)
    return folder / "build"


@pytest.fixture(scope="session")
def built():
    """What `make` left, whichever compiler it was."""
    return ROOT / "build"


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def functions(elf):
    """{name: lines of disassembly}"""
    said = subprocess.run(["objdump", "-d", "--no-show-raw-insn", elf], check=True,
                          capture_output=True, text=True).stdout
    found, name = {}, None
    for line in said.splitlines():
        head = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        if head:
            name = head[1]
            found[name] = []
        elif name and line.strip():
            found[name].append(line)
    return found


def check_no_sse_before_the_kernel_enables_it(elf):
    code = functions(elf)
    assert any("xmm" in line for lines in code.values() for line in lines)  # the test can see it
    seen, waiting = set(), ["_start"]
    while waiting:
        name = waiting.pop()
        if name in seen or name == "kernel_enter":
            continue
        seen.add(name)
        for line in code[name]:
            assert not re.search(r"%[xyz]?mm\d", line), f"{name}: {line.strip()}"
            # Calls and tail calls, and functions whose address is taken (sinks).
            target = re.search(r"<([A-Za-z_.][\w.]*)>$", line)
            if target and target[1] in code:
                waiting.append(target[1])
    assert {"efi_main", "conout_write", "registry_list", "bench_memory_need"} <= seen


def test_builds(tmp_path):
    """Two places, one of them with a blank in its name, give the same bytes; compilers can take turns."""
    here = build_elsewhere(tmp_path / "a place")
    by_gcc = digest(here / "baretick.efi")
    assert digest(build_elsewhere(tmp_path / "elsewhere") / "baretick.efi") == by_gcc
    check_no_sse_before_the_kernel_enables_it(here / "baretick.elf")

    subprocess.run(["make", "-s", "-j2", "CC=clang"], cwd=here.parent, check=True)
    assert digest(here / "baretick.efi") != by_gcc
    check_no_sse_before_the_kernel_enables_it(here / "baretick.elf")

    subprocess.run(["make", "-s", "-j2"], cwd=here.parent, check=True)
    assert digest(here / "baretick.efi") == by_gcc


@pytest.fixture
def finish(built, tmp_path):
    """finish(change) applies `change` to a copy of the image and lets pe_finish judge it."""
    def judge(change=None, elf=built / "baretick.elf"):
        path = tmp_path / "x.efi"
        raw = bytearray((built / "baretick.efi").read_bytes())
        if change:
            raw = change(raw) or raw
        path.write_bytes(raw)
        p = subprocess.run([sys.executable, str(ROOT / "scripts/pe_finish"), str(elf), str(path)],
                           capture_output=True, text=True)
        return p.returncode, p.stderr, path.read_bytes()
    return judge


def headers(raw):
    coff = struct.unpack_from("<I", raw, 0x3C)[0] + 4
    return coff, coff + 20, coff + 20 + struct.unpack_from("<H", raw, coff + 16)[0]


def test_finishing_twice_changes_nothing(finish, built):
    status, said, raw = finish()
    assert (status, said) == (0, "") and raw == (built / "baretick.efi").read_bytes()


def test_rights_and_flags(finish):
    raw = finish()[2]
    coff, opt, table = headers(raw)
    assert struct.unpack_from("<H", raw, opt + 70)[0] & 0x100  # NX_COMPAT
    assert struct.unpack_from("<I", raw, coff + 4)[0] == 0     # TimeDateStamp
    rights = {}
    for i in range(struct.unpack_from("<H", raw, coff + 2)[0]):
        at = table + 40 * i
        name = raw[at:at + 8].rstrip(b"\0").decode()
        rights[name] = struct.unpack_from("<I", raw, at + 36)[0] >> 28
        assert struct.unpack_from("<I", raw, at + 12)[0] % 4096 == 0
    assert rights[".text"] == 0x6 and rights[".rodata"] == 0x4 and rights[".data"] == 0xC
    assert all(not (r & 2 and r & 8) for r in rights.values())


def put(where, form, value):
    def change(raw):
        coff, opt, table = headers(raw)
        struct.pack_into(form, raw, {"coff": coff, "opt": opt, "table": table}[where[0]] + where[1],
                         value)
    return change


@pytest.mark.parametrize("change, words", [
    (put(("coff", 0), "<H", 0x14C), "not x86-64"),
    (put(("opt", 0), "<H", 0x10B), "not PE32+"),
    (put(("opt", 68), "<H", 11), "subsystem is 11"),
    (put(("opt", 32), "<I", 512), "section alignment is 512"),
    (put(("opt", 16), "<I", 0), "entry point is not in executable memory"),
    (put(("opt", 56), "<I", 4096), "SizeOfImage"),
    (put(("opt", 152), "<Q", 0), "base relocation directory is empty"),
    (put(("table", 12), "<I", 0x1010), "not on a page"),
    (put(("table", 0), "8s", b".strange"), "does not know"),
    (lambda raw: raw + bytes(256 * 1024), "at most 262144"),
    (lambda raw: raw[:len(raw) // 2], "leaves the file"),
    (lambda raw: b"ZM" + raw[2:], "does not begin with MZ"),
])
def test_what_pe_finish_refuses(finish, change, words):
    status, said, _ = finish(change)
    assert status == 1 and words in said, said


def test_a_section_that_the_linker_script_forgot(finish, tmp_path, built):
    odd = tmp_path / "odd.elf"
    extra = tmp_path / "extra"
    extra.write_bytes(b"data")
    subprocess.run(["objcopy", "--add-section", ".forgotten=" + str(extra),
                    "--set-section-flags", ".forgotten=alloc,load,data",
                    built / "baretick.elf", odd], check=True, stderr=subprocess.DEVNULL)
    status, said, _ = finish(elf=odd)
    assert status == 1 and ".forgotten" in said, said


def test_the_disk_image_is_the_same_each_time(built, tmp_path):
    images = []
    for i in range(2):
        images.append(tmp_path / f"{i}.img")
        subprocess.run([ROOT / "scripts/image", built / "baretick.efi", images[-1]], check=True,
                       stdout=subprocess.DEVNULL)
    assert digest(images[0]) == digest(images[1])


@pytest.mark.parametrize("size, words", [(None, "no such file"), (65537, "more than 64 KiB")])
def test_a_conf_that_cannot_be_used(built, tmp_path, size, words):
    conf = tmp_path / "my.conf"
    if size:
        conf.write_bytes(b"#" * size)
    p = subprocess.run([ROOT / "scripts/image", built / "baretick.efi", tmp_path / "x.img", conf],
                       capture_output=True, text=True)
    assert p.returncode == 1 and words in p.stderr and not (tmp_path / "x.img").exists()
