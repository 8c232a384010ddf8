"""What `baretick once` has prepared, started by OVMF: the command writes to a made system, whose variables and files
OVMF gets; what OVMF leaves is the made system's again. test_once_linux.py does the same in a real Linux."""

import argparse
import os
import sys
from pathlib import Path

from commands import output_of
import build
import machine
import made_system
import media
import pytest
import variable_store
from conftest import QUICK
from machine import SUCCESS
from test_borrow import AT, folder

sys.path.insert(0, str(build.ROOT / "scripts"))
from once import command, entry, prepare  # noqa: E402


LONG = "x" * 250  # the name of a row that does not exist: the reason is longer than the variable


class Firmware:
    """OVMF and a disk, which share variables and files with a made Linux. The disk's own loader replaces Linux: it
    prints "ready"."""

    def __init__(self, folder, program, **files):
        self.folder, self.program = folder, program
        self.code, started = machine.started_firmware()
        self.variables = folder / "prepared.fd"
        self.variables.write_bytes(Path(started).read_bytes())
        self.disk = media.gpt_disk(folder / "disk.img", {"EFI/BOOT/BOOTX64.EFI": build.ready(), **files})
        self.linux = made_system.Made(folder / "root")
        os.unlink(self.linux.path("/dev/sda"))
        os.symlink(self.disk, self.linux.path("/dev/sda"))
        self.give_variables()

    def once(self, *words):
        """Runs the command in the made Linux. Returns its exit status."""
        p = argparse.ArgumentParser()
        command.add(p.add_subparsers())
        return command.run(p.parse_args(["once", "--image", str(self.program), *words]), self.linux)

    def give_variables(self):
        """Gives Linux the firmware's variables instead of its previous ones."""
        for path in Path(self.linux.variables.folder).iterdir():
            path.unlink()
        for name, (attributes, value) in variable_store.read(self.variables).items():
            self.linux.variables.set(name[:-37], value, name[-36:], attributes)

    def take_variables(self):
        for path in Path(self.linux.variables.folder).iterdir():
            name, guid, raw = path.name[:-37], path.name[-36:], path.read_bytes()
            if variable_store.read(self.variables).get(path.name, (0, None))[1] != raw[4:]:
                variable_store.put(self.variables, name, guid, int.from_bytes(raw[:4], "little"), raw[4:])

    def start(self, **how):
        """Starts the machine until it resets; then Linux has what the firmware left. Returns the Boot."""
        self.take_variables()
        if (esp := Path(self.linux.path("/boot/efi/EFI"))).exists():
            output_of("mcopy", "-sno", "-i", f"{self.disk}@@{AT}", esp, "::/")
        b = machine.qemu(self.folder, disk=self.disk, snapshot=False, whole=True, firmware=(self.code, self.variables),
                         **how)
        os.replace(self.folder / "vars.fd", self.variables)
        self.give_variables()
        for name, content in folder(self.disk).items():
            self.linux.write(f"boot/efi/baretick/{name}", content)
        self.linux.write("proc/sys/kernel/random/boot_id", "second\n")
        return b

    def starts_linux(self):
        """Tests whether the next start of the machine is Linux."""
        b = self.start(done=lambda data: b"ready" in data)
        return b"ready" in b.serial and not b.records


@pytest.fixture
def firmware(program, tmp_path):
    return lambda **files: Firmware(tmp_path, program, **files)


@pytest.mark.parametrize("how", [[], ["--in-order"]])
def test_once_starts_it_once_and_leaves_only_its_image(firmware, capsys, how):
    """The firmware starts it by BootNext; it removes all that was prepared but the image, and Linux reads the report."""
    f = firmware()
    before, order = f.linux.entries(), f.linux.variables.get("BootOrder")
    f.once("--yes", *how, *QUICK.split())
    (number,) = prepare.own_numbers(f.linux.variables)
    assert (number in entry.order(f.linux.variables.get("BootOrder"))) == bool(how)
    b = f.start()
    assert b.exit == 0 and b.end["verdict"] == "pass", str(b)
    assert {r["suite"] for r in b.rows} == {"baseline"} and not [e for e in b.events("warning") if "once=" in e["message"]]
    left = f.linux.entries()  # OVMF adds one for its disk
    assert number not in left and {n: left[n] for n in before} == before, left
    assert f.linux.variables.get("BootNext") is None
    after = f.linux.variables.get("BootOrder")
    assert after.startswith(order) and number not in entry.order(after), after
    witness = f.linux.variables.get(prepare.WITNESS, prepare.WITNESS_GUID).decode()
    assert "verdict=pass\nstatus=1\nfile=\\baretick\\0000.jsonl\n" in witness and len(witness) < 1024
    capsys.readouterr()
    assert f.once("--result") == 0
    assert "verdict: PASS" in capsys.readouterr().out
    (stored,) = Path(f.linux.path("/var/lib/baretick")).glob("*.jsonl")
    assert machine.Boot(stored.read_bytes(), 3, 0).must(SUCCESS).rows == b.rows
    if not how:
        assert f.starts_linux()


def test_once_dump_records_the_machine(firmware, capsys):
    f = firmware()
    f.once("--yes", "dump")
    b = f.start()
    assert b.exit == 0 and not b.rows and prepare.own_numbers(f.linux.variables) == [], str(b)
    capsys.readouterr()
    assert f.once("--result") == 0
    (stored,) = Path(f.linux.path("/var/lib/baretick")).glob("*.jsonl")
    assert f"Report: /var/lib/baretick/{stored.name}" in capsys.readouterr().out
    assert machine.Boot(stored.read_bytes(), 3, 0).records == b.records and b.of("machine")


def test_wrong_words_leave_the_reason_and_reset_the_machine(firmware, capsys):
    """It must not return to the firmware, which would start Linux in the same boot, with another PCR 4. The variable has
    less than 1 KiB, whatever the reason is."""
    f = firmware()
    f.once("--yes", "suite=calls", f"bench={LONG}")
    b = f.start()
    assert b.exit == 0 and b"ready" not in b.serial and b.end["verdict"] == "fail", str(b)
    assert b"trying the firmware (ResetSystem)" in b.serial  # the first of the ways of finish=reboot
    assert 1000 < len(f.linux.variables.get(prepare.WITNESS, prepare.WITNESS_GUID)) < 1024
    capsys.readouterr()
    assert f.once("--result") == 1
    said = capsys.readouterr().out
    assert "measured nothing" in said and LONG in said
    assert prepare.own_numbers(f.linux.variables) == []


def test_an_entry_of_another_program_is_not_touched(firmware):
    """It has the same load options and another description."""
    f = firmware()
    f.once("--yes", *QUICK.split())
    (number,) = prepare.own_numbers(f.linux.variables)
    name = entry.name_of(number)
    own = entry.decode(f.linux.variables.get(name))
    other = entry.encode(entry.Entry("baretick twice", own.path, own.data))
    f.linux.variables.set(name, other)
    b = f.start()
    assert b.end["verdict"] == "pass", str(b)
    assert [e for e in b.events("warning") if "once=" in e["message"] and "no variable" in e["message"]], b.events()
    assert f.linux.variables.get(name) == other
    assert f.linux.variables.get(prepare.WITNESS, prepare.WITNESS_GUID) is None


def test_a_full_volume_leaves_the_verdict_and_the_reason(firmware, capsys, tmp_path):
    f = firmware()
    f.once("--yes", *QUICK.split())
    volume = f"{f.disk}@@{AT}"
    output_of("mcopy", "-sno", "-i", volume, f.linux.path("/boot/efi/EFI"), "::/")
    free = int(output_of("minfo", "-i", volume).split("free clusters=")[1].split()[0])
    with open(tmp_path / "filler", "wb") as file:
        file.truncate((free - 12) * 512)
    output_of("mcopy", "-i", volume, tmp_path / "filler", "::/filler")
    b = f.start()
    assert b.end["verdict"] == "pass", str(b)
    capsys.readouterr()
    assert f.once("--result") == 1
    assert "verdict pass" in (said := capsys.readouterr().out) and "KiB free" in said


def test_the_word_alone_changes_no_variable(boot):
    """It was not started by an entry of ours: BootCurrent and its entry decide."""
    b = boot(f"{QUICK} once=7").must(SUCCESS)
    assert [e for e in b.events("warning") if "once=" in e["message"] and "no variable" in e["message"]], b.events()
    assert b.run["options"]["once"] == 7
