"""The PE file itself: what scripts/build/pe_finish guarantees and refuses, and that two builds give the same bytes."""
import hashlib
import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path

from commands import output_of, run_command
import build
import pytest
from conftest import QUICK
from machine import SUCCESS
from test_steps import WORDS, check_counts

ROOT = Path(__file__).parents[2]
# A blank, a quote, and text that a shell or make would run or expand.
ODD_NAME = "it's a $(touch pwned) $HOME; touch pwned"
SOURCES = ["boot", "kernel", "bench", "lib", "scripts", "linker.ld", "Makefile", "VERSION"]


def needs_xorriso(value):
    missing = not shutil.which("xorriso")
    return pytest.param(value, marks=pytest.mark.skipif(missing, reason="xorriso is not installed"))


def build_elsewhere(folder, *arguments):
    """Builds under the same name, which git cannot determine there."""
    folder.mkdir()
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy(source, folder / name)
    build_id = shlex.quote((ROOT / "build/gen/build_id.h").read_text())
    (folder / "scripts/build/build_id").write_text(f"#!/bin/sh\nprintf %s {build_id}\n")
    output_of("make", "-s", "-j2", *arguments, cwd=folder)
    return folder / "build"


@pytest.fixture(scope="session")
def built():
    """The image that `make` left, of either compiler."""
    return ROOT / "build"


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def functions(elf):
    """Returns {address: (name, lines of disassembly)}. Names of static functions can occur more than once."""
    said = output_of("objdump", "-d", "--no-show-raw-insn", elf)
    found, lines = {}, []
    for line in said.splitlines():
        head = re.match(r"([0-9a-f]+) <(.+)>:$", line)
        if head:
            lines = []
            found[int(head[1], 16)] = head[2], lines
        elif line.strip():
            lines.append(line)
    return found


def check_no_sse_before_the_kernel_enables_it(elf):
    code = functions(elf)
    # The test would notice a vector register.
    assert any("xmm" in line for _, lines in code.values() for line in lines)
    seen, waiting = {}, [at for at, (name, _) in code.items() if name == "_start"]
    while waiting:
        at = waiting.pop()
        name, lines = code[at]
        if at in seen or name in ("kernel_enter", "kernel_borrow", "lent_serve"):
            continue
        seen[at] = name
        for line in lines:
            assert not re.search(r"%[xyz]?mm\d", line), f"{name}: {line.strip()}"
            # Calls and tail calls, and functions whose address is taken (sinks).
            target = re.search(r"([0-9a-f]+) <[A-Za-z_.][\w.]*>$", line)
            if target and int(target[1], 16) in code:
                waiting.append(int(target[1], 16))
    assert {"efi_main", "conout_write", "registry_list", "bench_memory_need"} <= set(seen.values())


def variable(folder, name):
    """Returns the words of a variable of the Makefile."""
    return output_of("make", "-s", f"--eval=words: ; @echo $({name})", "words", cwd=folder).split()


def has_vectors(objects):
    return re.search(r"%[xyz]mm\d", output_of("objdump", "-d", "--no-show-raw-insn", *objects)) is not None


def check_general_rooms_use_no_sse(tree):
    """Objects of the general rooms, disassembled, have no vector register; those of other rooms, and of the files in
    SSE_FILES, do."""
    (objects,) = variable(tree, "OBJ")
    rooms = variable(tree, "GENERAL_ROOMS")
    with_sse = [tree / objects / f"{name}.o" for name in variable(tree, "SSE_FILES")]
    assert rooms and with_sse
    for room in rooms:
        made = sorted(set((tree / objects / room).rglob("*.c.o")) - set(with_sse))
        assert made, f"{room} has no objects"
        assert not has_vectors(made), room
    for made in (sorted((tree / objects / "bench").rglob("*.c.o")), *([file] for file in with_sse)):
        assert has_vectors(made), made


def by(compiler):
    """Builds the tree's image with this compiler, with its objects in their usual place, because tests/hosted needs
    most of them too. Both compilers use the same folder."""
    with build.Lock():
        output_of("make", "-s", "-j2", "-C", ROOT, f"CC={compiler}", f"OBJ=build/obj/{compiler}", "GEN=build/gen", "B=build/tests/turns")
    return ROOT / "build/tests/turns"


@pytest.mark.others
@pytest.mark.long
def test_builds_repeat_in_another_folder_and_after_another_compiler(built, boot, tmp_path):
    """Both compilers can build alternately. The rows as clang compiles them count the same stepped and unstepped. A
    build in another folder, whose name needs quoting, gives the same bytes."""
    check_no_sse_before_the_kernel_enables_it(built / "baretick.elf")
    check_general_rooms_use_no_sse(built.parent)

    by_gcc = digest(by("gcc") / "baretick.efi")
    turns = by("clang")
    check_no_sse_before_the_kernel_enables_it(turns / "baretick.elf")
    efi = shutil.copy(turns / "baretick.efi", tmp_path / "clang.efi")
    check_counts(boot(WORDS, program=Path(efi)))
    assert digest(Path(efi)) != digest(by("gcc") / "baretick.efi") == by_gcc

    assert digest(build_elsewhere(tmp_path / ODD_NAME, "CC=gcc") / "baretick.efi") == by_gcc


@pytest.fixture
def finish(built, tmp_path):
    """finish(change) applies `change` to a copy of the image and runs pe_finish on it."""
    def judge(change=None, elf=built / "baretick.elf"):
        path = tmp_path / "x.efi"
        raw = bytearray((built / "baretick.efi").read_bytes())
        if change:
            raw = change(raw) or raw
        path.write_bytes(raw)
        p = run_command(sys.executable, ROOT / "scripts/build/pe_finish", elf, path)
        return p.returncode, p.stderr, path.read_bytes()
    return judge


def headers(raw):
    coff = struct.unpack_from("<I", raw, 0x3C)[0] + 4
    return coff, coff + 20, coff + 20 + struct.unpack_from("<H", raw, coff + 16)[0]


def test_finishing_twice_changes_nothing(finish, built):
    status, said, raw = finish()
    assert (status, said) == (0, "") and raw == (built / "baretick.efi").read_bytes()


def test_sections_have_their_rights_and_none_is_writable_and_executable(finish):
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
    assert rights[".sbat"] == 0x4
    assert rights[".text"] == 0x6 and rights[".rodata"] == 0x4 and rights[".data"] == 0xC
    assert all(not (r & 2 and r & 8) for r in rights.values())


def test_the_image_has_an_sbat_of_its_version(built):
    """shim's SBAT.md: component, generation, vendor, package, version, URL; the version is this one's."""
    said = output_of("objdump", "-s", "-j", ".sbat", built / "baretick.efi")
    words = re.findall(r"^ [0-9a-f]+ ((?:[0-9a-f]+ ){1,4})", said, re.MULTILINE)
    text = bytes.fromhex("".join(words)).rstrip(b"\0").decode("ascii")
    lines = [line.split(",") for line in text.splitlines()]
    assert text.endswith("\n") and all(len(line) == 6 and all(line) for line in lines), text
    assert [line[:2] for line in lines] == [["sbat", "1"], ["baretick", "1"]]
    assert lines[1][4] == (ROOT / "VERSION").read_text().strip()


def put(where, form, value):
    def change(raw):
        coff, opt, table = headers(raw)
        struct.pack_into(form, raw, {"coff": coff, "opt": opt, "table": table}[where[0]] + where[1],
                   value)
    return change


@pytest.mark.parametrize("change, words", [
    (put(("coff", 0), "<H", 0x14C), "machine is 0x14c, not x86-64: 0x8664 is allowed"),
    (put(("opt", 0), "<H", 0x10B), "not PE32+: its magic is 0x10b, 0x20b is allowed"),
    (put(("coff", 16), "<H", 0), "an optional header of 0 bytes: 112 or more"),
    (put(("coff", 2), "<H", 0), "has no section"),
    (put(("opt", 68), "<H", 11), "subsystem is 11"),
    (put(("opt", 32), "<I", 512), "section alignment is 512"),
    (put(("opt", 16), "<I", 0), "entry point is not in executable memory"),
    (put(("opt", 56), "<I", 4096), "SizeOfImage"),
    (put(("opt", 152), "<Q", 0), "base relocation directory is empty"),
    (put(("table", 12), "<I", 0x1010), "not on a page"),
    (put(("table", 0), "8s", b".strange"), "does not know"),
    (lambda raw: raw.replace(b".sbat\0\0\0", b".rela\0\0\0", 1), "has no section .sbat"),
    (lambda raw: raw + bytes(2 << 20), "at most 2097152"),
    (lambda raw: raw[:len(raw) // 2], "leaves the file"),
    (lambda raw: b"ZM" + raw[2:], "does not begin with MZ"),
    (lambda raw: raw[:200], "is cut"),
])
def test_pe_finish_refuses_each_damage_by_name(finish, change, words):
    status, said, _ = finish(change)
    assert status == 1 and words in said, said


def no_program(raw):
    """(name, bytes, words): files that are not programs, made from one that is."""
    half = raw[:len(raw) // 2]
    changed = bytearray(raw)
    changed[len(raw) // 2] ^= 1
    driver = bytearray(raw)
    put(("opt", 68), "<H", 11)(driver)
    yield "empty", b"", "no program: is empty"
    yield "text", b"suite=calls\n", "no program: is not a PE image: it does not begin with MZ"
    yield "dos", b"MZ" + bytes(100), "no program: is not a PE image: no PE signature"
    yield "tiny", b"MZ", "no program: is cut: 4 bytes at 0x3c are needed, the file ends at 0x2"
    yield "half", half, f" leaves the file: its "
    yield "changed", bytes(changed), "it was changed or cut after it was made"
    yield "driver", bytes(driver), "subsystem is 11: 10, an EFI application, is allowed"


def test_a_file_that_is_not_a_program_is_not_put_on_a_medium_or_signed(built, tmp_path):
    """Each is refused by name and with the reason, and no result file is left."""
    key = tmp_path / "key.pem"
    key.touch()
    for name, content, words in no_program((built / "baretick.efi").read_bytes()):
        program, out = tmp_path / f"{name}.efi", tmp_path / f"out {name}"
        program.write_bytes(content)
        for p in (image(program, build.conf(), out / "x.img"), sign(program, out / "x.efi", key, key)):
            assert p.returncode == 1 and f"{program}: " in p.stderr and words in p.stderr, p.stderr
            assert not p.stdout and not out.exists()


@pytest.mark.parametrize("kind", ["img", needs_xorriso("iso")])
def test_a_medium_replaces_no_folder_program_or_conf(built, tmp_path, kind):
    """No image is written into its own object folder; the program and its options are not overwritten."""
    program, conf = tmp_path / f"program.{kind}", tmp_path / f"conf.{kind}"
    shutil.copy(built / "baretick.efi", program)
    conf.write_text("suite=calls\n")
    folder, pipe = tmp_path / f"folder.{kind}", tmp_path / f"pipe.{kind}"
    folder.mkdir()
    os.mkfifo(pipe)
    for target, words in ((folder, "is a folder"), (pipe, "is not a file"), (program, "another name"),
                    (conf, "another name")):
        p = image(program, conf, target)
        assert p.returncode == 1 and f"{target}: " in p.stderr and words in p.stderr, p.stderr
    assert list(folder.iterdir()) == [] and conf.read_text() == "suite=calls\n"
    assert program.read_bytes() == (built / "baretick.efi").read_bytes()


def test_a_signature_does_not_replace_its_key(program, tmp_path):
    key, folder = tmp_path / "key.pem", tmp_path / "folder"
    key.write_text("mine")
    folder.mkdir()
    for target, words in ((key, "another name"), (folder, "is a folder")):
        p = sign(program, target, key, key)
        assert p.returncode == 1 and words in p.stderr, p.stderr
    assert key.read_text() == "mine" and list(folder.iterdir()) == []


def test_a_section_that_the_linker_script_lacks_is_refused(finish, tmp_path, built):
    odd = tmp_path / "odd.elf"
    extra = tmp_path / "extra"
    extra.write_bytes(b"data")
    subprocess.run(["objcopy", "--add-section", ".forgotten=" + str(extra),
                    "--set-section-flags", ".forgotten=alloc,load,data",
                    built / "baretick.elf", odd], check=True, stderr=subprocess.DEVNULL)
    status, said, _ = finish(elf=odd)
    assert status == 1 and ".forgotten" in said, said


def image(program, conf, path):
    return run_command(ROOT / "scripts/image", program, conf, path)


def sign(program, signed, key, cert):
    return run_command(ROOT / "scripts/sign", program, signed, key, cert)


@pytest.mark.parametrize("kind", ["img", needs_xorriso("iso")])
def test_an_image_is_the_same_each_time(built, tmp_path, kind):
    images = [tmp_path / f"{i}.{kind}" for i in range(2)]
    for path in images:
        p = image(built / "baretick.efi", build.conf(), path)
        assert p.returncode == 0, p.stderr
        step = time.time() // 2  # FAT stores times in units of 2 s: the second image would have another
        while time.time() // 2 == step and path == images[0]:
            time.sleep(0.05)
    assert digest(images[0]) == digest(images[1])


@pytest.mark.parametrize("size, words", [(None, "no such file"), (65537, "more than 64 KiB")])
def test_a_conf_that_cannot_be_used_is_refused(built, tmp_path, size, words):
    conf = tmp_path / "my.conf"
    if size:
        conf.write_bytes(b"#" * size)
    p = image(built / "baretick.efi", conf, tmp_path / "x.img")
    assert p.returncode == 1 and words in p.stderr and not (tmp_path / "x.img").exists()


def test_an_image_of_another_kind_is_refused(built, tmp_path):
    p = image(built / "baretick.efi", build.conf(), tmp_path / "x.vmdk")
    assert p.returncode == 2 and ".img" in p.stderr and ".iso" in p.stderr


@pytest.mark.parametrize("sector, kind", [("1024", "img"), ("x", "img"), ("4096", "iso")])
def test_sectors_that_a_medium_cannot_have_are_refused(built, tmp_path, sector, kind):
    path = tmp_path / f"x.{kind}"
    p = run_command(ROOT / "scripts/image", f"--sector={sector}", built / "baretick.efi", build.conf(), path)
    assert p.returncode == 1 and f"--sector={sector}" in p.stderr and "allowed" in p.stderr, p.stderr
    assert not path.exists()


def test_the_conf_has_every_option_with_its_default(boot, stick):
    """Without its #, each line is a word that the program accepts, and that changes nothing."""
    conf = build.conf().read_text()
    assert all(line.startswith("#") for line in conf.splitlines() if line)
    lines = re.findall(r"^#(\w+=.*)$", conf, re.MULTILINE)
    said = "".join(line + "\n" for line in lines) + QUICK
    options = boot("", disk=stick({"baretick.conf": said.encode()})).must(SUCCESS).run["options"]
    given = dict(word.split("=", 1) for word in QUICK.split())
    standard = dict(line.split("=", 1) for line in lines)
    assert list(standard) == list(options)
    for key, value in {**standard, **given}.items():
        # A value can have parts that the word left out: serial=auto,115200
        assert str(options[key]).startswith(value), (key, value, options[key])


def make(folder, *arguments):
    """make, with its results in this folder, and the program under test and its options' file as they are."""
    program, conf = folder / "baretick.efi", folder / "baretick.conf"
    if not conf.exists():
        shutil.copy(build.conf(), conf)
    return run_command("make", "-s", "-j2", f"B={folder}", "-o", program, "-o", conf, *arguments, cwd=ROOT)


def read_from(image, name, tmp_path):
    """Reads a file on the disk image's volume, which begins at 1 MiB."""
    output_of("mcopy", "-n", "-i", f"{image}@@1M", f"::/{name}", tmp_path / "back")
    raw = (tmp_path / "back").read_bytes()
    (tmp_path / "back").unlink()
    return raw


def test_make_image_makes_a_stick_with_program_options_and_readme(program, tmp_path):
    shutil.copy(program, tmp_path)
    p = make(tmp_path, "image")
    assert p.returncode == 0, p.stderr
    disk = tmp_path / "baretick.img"
    assert read_from(disk, "EFI/BOOT/BOOTX64.EFI", tmp_path) == program.read_bytes()
    assert read_from(disk, "EFI/BOOT/BOOTIA32.EFI", tmp_path) == program.with_name("bootia32.efi").read_bytes()
    assert read_from(disk, "baretick.conf", tmp_path) == build.conf().read_bytes()
    assert b"NNNN.jsonl" in read_from(disk, "baretick/README.TXT", tmp_path)

    own = tmp_path / ODD_NAME
    for text in ("suite=calls\n", "suite=sum\n"):  # another text in the same file makes another image
        own.write_text(text)
        p = make(tmp_path, "image", f"CONF={own}")
        assert p.returncode == 0, p.stderr
        assert read_from(disk, "baretick.conf", tmp_path) == text.encode()
    p = make(tmp_path, "image", f"CONF={own}.none")
    assert p.returncode != 0 and f"{own}.none: no such file" in p.stderr
    assert not list(ROOT.glob("pwned*")) and not list(tmp_path.glob("pwned*"))


STAND_IN = """#!{python}
import json, sys
with open({out!r}, "w") as f:
    json.dump(sys.argv[1:], f)
"""


def make_runs(marker, name):
    """Returns a text that creates the file if make expands it. Only variables of make's command line are at risk."""
    return f"$(shell touch {marker}.{name})x"


def test_words_of_make_run_reach_no_shell(program, tmp_path):
    """Each variable is one word of scripts/run, and ARGS its words, whatever they contain."""
    shutil.copy(program, tmp_path)
    marker = tmp_path / "pwned"
    out, python = tmp_path / "said.json", tmp_path / "python"
    python.write_text(STAND_IN.format(python=sys.executable, out=str(out)))
    python.chmod(0o755)
    odd = {name: f"{ODD_NAME} {name}" for name in ("ACCEL", "ICOUNT", "SMP", "MEM", "OUT", "CPU", "TIMEOUT")}
    text = f"{ODD_NAME} {make_runs(marker, 'ARGS')} bench=*"
    odd = {name: f"{value} {make_runs(marker, name)}" for name, value in odd.items()}
    p = make(tmp_path, "run", f"PYTHON={python}", f"ARGS={text}", *(f"{k}={v}" for k, v in odd.items()))
    assert p.returncode == 0, p.stderr
    script, *words = json.loads(out.read_text())
    split = words.index("--")
    assert script == "scripts/run" and words[split + 1:] == text.split()
    odd["EFI"] = tmp_path / "baretick.efi"
    assert sorted(words[:split]) == sorted(f"--{k.lower()}={v}" for k, v in odd.items())
    assert not list(ROOT.glob("pwned*")) and not list(tmp_path.glob("pwned*"))


@pytest.mark.parametrize("target", ["image", "signed", "run"])
def test_make_expands_nothing_a_person_gives(program, tmp_path, target):
    """Nor in a recipe's environment: each variable, with each goal that takes words."""
    shutil.copy(program, tmp_path)
    lines = re.findall(r"^unexport ([A-Z_ ]+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    names = " ".join(lines).split()
    used = set(re.findall(r"\$\((?:call given,|call option,[\w-]+,|value )([A-Z_]+)\)",
                          (ROOT / "Makefile").read_text()))
    assert used and used <= set(names), "a variable that make would give to commands"
    given = {name: make_runs(tmp_path / "pwned", name) for name in names}
    p = make(tmp_path, target, "PYTHON=false", *(f"{k}={v}" for k, v in given.items()))
    assert p.returncode != 0 and not list(tmp_path.glob("pwned*")), p.stderr
