"""`baretick once` and `baretick install` on a made system, with a power cut before each change of a file or a variable:
`--undo` restores everything, and is itself repeated after a power cut."""

import argparse
import os
from pathlib import Path

import made_system
import pytest
from once import command, entry, install, prepare, variables
from test_install import ENTRY, IMAGE, MENU, Made

COMMANDS = {"once": command, "install": install}
# What changes a file, a folder or a variable. A write is cut when its bytes are flushed: then they are in another file.
CHANGES = ((os, "makedirs"), (os, "fsync"), (os, "replace"), (os, "unlink"), (os, "rmdir"), (os, "chmod"),
           (variables.Variables, "set"), (variables.Variables, "delete"))  # fmt: skip


class Cut(BaseException):
    """The power is cut."""


class WithGrub(Made):
    """Its update-grub writes a menu that has our entry if the snippet of Debian's GRUB would print one."""

    def run(self, wanted):
        super().run(wanted)
        snippet = Path(self.path(install.SNIPPET))
        there = os.access(snippet, os.X_OK) and Path(self.root, IMAGE).exists()
        begin = "### BEGIN\n" if snippet.exists() else ""
        self.write("boot/grub/grub.cfg", f"{MENU}{begin}" + ("menuentry 'baretick'\n" if there else ""))


@pytest.fixture
def made(tmp_path):
    made = WithGrub(tmp_path / "root")
    for name in ("var/lib/dpkg/status", "etc/default/grub", "boot/efi/EFI/debian/shimx64.efi"):
        made.write(name, "")
    return made


@pytest.fixture
def start(made, tmp_path, capsys):
    """start("once" or "install", word or option, ...): what the command prints on the made system."""
    image = tmp_path / "baretick.efi"
    image.write_bytes(made_system.program())

    def run(name, *words):
        p = argparse.ArgumentParser()
        COMMANDS[name].add(p.add_subparsers())
        assert COMMANDS[name].run(p.parse_args([name, "--image", str(image), *words]), made) == 0
        return capsys.readouterr().out

    return run


def is_cut(monkeypatch, taken, act):
    """Runs a command whose power is cut before its change number `taken`, from 0. Returns whether it was cut."""
    left = [taken]

    def counted(change):
        def instead(*args, **how):
            if not left[0]:
                raise Cut
            left[0] -= 1
            return change(*args, **how)

        return instead

    with monkeypatch.context() as m:
        for place, name in CHANGES:
            m.setattr(place, name, counted(getattr(place, name)))
        try:
            act()
        except Cut:
            return True
    return False


def everything(made):
    """Returns {name: bytes, None for a folder} of the made system."""
    return {str(path.relative_to(made.root)): None if path.is_dir() else path.read_bytes()
            for path in Path(made.root).rglob("*") if not path.is_symlink()}


def next_start(made):
    """Returns the number of the entry that the firmware starts next."""
    return entry.order(made.variables.get("BootNext") or made.variables.get("BootOrder"))[0]


def nothing(_):
    """No earlier run."""


def earlier_run(made):
    """Leaves what an earlier run can leave: the program's former version, an entry that the firmware has ignored, and
    the variable."""
    made.write("boot/efi/EFI/baretick/once.efi", b"former")
    made.add_entry(3, prepare.DESCRIPTION, made.esp(), prepare.IMAGE, entry.wide("once=1 a"))
    made.variables.set("BootNext", entry.order_bytes([3]))
    made.variables.set(prepare.WITNESS, b"once=1\n", prepare.WITNESS_GUID)


@pytest.mark.parametrize("left_by", [nothing, earlier_run])
def test_once_is_reverted_after_a_power_cut_before_each_change(made, start, monkeypatch, left_by):
    """BootNext is set last. Up to it the next start is as before."""
    before, taken, was_cut = everything(made), 0, True
    while was_cut:
        left_by(made)
        first = next_start(made)
        was_cut = is_cut(monkeypatch, taken, lambda: start("once", "--yes", "--in-order"))
        assert next_start(made) in ((first, made_system.LINUX) if was_cut else (2,)), taken
        start("once", "--undo")
        assert everything(made) == before, taken
        taken += 1
    assert taken > 10


@pytest.mark.parametrize("name, words", [("once", ["--yes", "--in-order"]), ("install", [])])
def test_undo_is_continued_after_a_power_cut_before_each_change(made, start, monkeypatch, name, words):
    """A report, and the folder that the program has made for it, are there too; only the report stays."""
    made.add_systemd_boot()
    made.add_grub()
    before, taken, was_cut = everything(made), 0, True
    while was_cut:
        start(name, *words)
        made.write("boot/efi/baretick/0000.jsonl", b"")
        os.unlink(made.path("/boot/efi/baretick/0000.jsonl"))
        was_cut = is_cut(monkeypatch, taken, lambda: start(name, "--undo"))
        start(name, "--undo")
        assert everything(made) == before, taken
        taken += 1
    assert taken > 5


def test_install_is_reverted_after_a_power_cut_before_each_change(made, start, monkeypatch):
    """No menu ever has an entry whose program is missing."""
    made.add_systemd_boot()
    made.add_grub()
    before, taken, was_cut = everything(made), 0, True
    while was_cut:
        was_cut = is_cut(monkeypatch, taken, lambda: start("install"))
        found = everything(made)
        assert IMAGE in found or (ENTRY not in found and b"baretick" not in found["boot/grub/grub.cfg"]), taken
        start("install", "--undo")
        assert everything(made) == before, taken
        taken += 1
    assert taken > 10


@pytest.mark.parametrize("name, words", [("once", ["--yes", "--in-order"]), ("install", ["suite=calls"])])
def test_a_dry_run_prints_the_steps_that_are_taken(made, start, monkeypatch, name, words):
    """Word for word, after "would"; then the restart, and what to do after it."""
    made.add_systemd_boot()
    made.add_grub()
    earlier_run(made)
    monkeypatch.setattr(command.time, "time", lambda: 1000000000)
    before = everything(made)
    planned = start(name, "--dry-run", *(word for word in words if word != "--yes")).splitlines()
    assert everything(made) == before and all(line.startswith("would ") for line in planned) and len(planned) > 4
    planned = [line.removeprefix("would ") for line in planned if line != "would restart the machine"]
    assert start(name, *words).splitlines()[:len(planned)] == planned


def test_undo_names_the_esp_that_is_not_mounted_and_can_be_repeated(made, start):
    """Everything else is reverted at once."""
    before, mounts = everything(made), Path(made.path("/proc/self/mountinfo"))
    start("once", "--yes")
    mounted = mounts.read_text()
    mounts.write_text("".join(line for line in mounted.splitlines(True) if "/boot/efi" not in line))
    for _ in range(2):
        with pytest.raises(variables.Failed, match="/boot/efi.*mount"):
            start("once", "--undo")
        assert next_start(made) == made_system.LINUX and prepare.own_numbers(made.variables) == []
    mounts.write_text(mounted)
    start("once", "--undo")
    assert everything(made) == before
