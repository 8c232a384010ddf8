"""`baretick once` in a real Linux: the distribution's kernel under OVMF, started by systemd-boot or by GRUB. QEMU ends at
each reset, so that a test sees what each start was."""

import contextlib
import re
import shutil
import time

from commands import output_of
import machine
import media
import pytest
import small_linux
import variable_store
from once import entry, prepare, variables
from tools import children

pytestmark = [pytest.mark.others, pytest.mark.long]

BARETICK = "python3 /usr/share/baretick/scripts/baretick once"
QUICK = "suite=baseline samples=32"
AGAIN = 10
# Python: runs `once --result` as an ordinary user.
AS_USER = f"import os; os.setgid(65534); os.setuid(65534); os.execvp('python3', {[*BARETICK.split(), '--result']})"
# Prints the folders of the ESP, and the sum of each file of it and of each variable, without counters and times of starts.
CONTENT = ("$b find /boot/efi -type d; "
           "$b find /boot/efi /sys/firmware/efi/efivars -type f ! -name 'MTC-*' ! -name 'LoaderTime*' -exec $b md5sum {} +")


class Computer:
    """A machine that keeps its disks and its variables."""

    def __init__(self, folder, program, loader, tpm=False, firmware=None, add=None, **machine_parts):
        """firmware: another (code, variables); add: as for small_linux.initrd(); machine_parts: arguments of
        machine.qemu()."""
        self.folder, self.has_tpm, self.parts = folder, tpm, machine_parts
        self.esp, self.state = small_linux.disks(folder, program, loader(folder / "loader.efi"), add=add)
        code, variables = firmware or machine.started_firmware()
        self.variables = folder / "kept.fd"
        self.variables.write_bytes(open(variables, "rb").read())
        self.firmware = (code, self.variables)

    @contextlib.contextmanager
    def tpm(self):
        """Runs a TPM 2.0 for one start. Yields QEMU's arguments for it."""
        if not self.has_tpm:
            yield []
            return
        (self.folder / "tpm").mkdir(exist_ok=True)
        line = self.folder / "tpm.line"
        with children.start(["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={self.folder}/tpm", "--terminate",
                             "--ctrl", f"type=unixio,path={line}"]) as process:
            while not line.exists():
                assert process.poll() is None, "swtpm has ended"
                time.sleep(0.01)
            yield ["-chardev", f"socket,id=tpm,path={line}", "-tpmdev", "emulator,id=tpm0,chardev=tpm",
                   "-device", "tpm-tis,tpmdev=tpm0"]
            line.unlink(missing_ok=True)

    def start(self, *lines, until=None, keys=None):
        """Starts it until it resets or is switched off, or until this text is on the serial line: then the power fails.
        lines: what Linux runs, if Linux starts; keys: as for machine.follow(). Returns the Boot."""
        (self.folder / "command").write_text("\n".join(lines) + "\n")
        output_of("mcopy", "-o", "-i", self.state, self.folder / "command", "::/command")
        parts = {**self.parts, "extra": ["-drive", machine.drive("state", self.state), "-device", "virtio-blk-pci,drive=state",
                                         *self.parts.get("extra", ())]}
        seen = []

        def cut(data):
            seen[:] = [bytes(data)]
            return until and until in data

        try:
            with self.tpm() as tpm:
                parts["extra"] += tpm
                b = machine.qemu(self.folder, disk=self.esp, snapshot=False, whole=True, icount=False, memory=1024,
                                 firmware=self.firmware, keys=keys, done=cut, **parts)
        except machine.Broken:
            if not until:
                raise
            # A power cut ends the line in a record.
            b = machine.Boot(b"\n".join(line for line in seen[0].split(b"\n") if b'{"baretick"' not in line), None, 0)
        (self.folder / "vars.fd").replace(self.variables)
        return b


@pytest.fixture
def computer(program, tmp_path):
    return lambda loader=small_linux.systemd_boot, **how: Computer(tmp_path, program, loader, **how)


def is_linux(b):
    return "linux: started" in b.text


def measured(b):
    """Tests whether it was a whole run, which ended in a reset."""
    return not is_linux(b) and b.exit == 0 and b.records and b.end["verdict"] == "pass"


def content(b):
    """Returns what CONTENT has printed."""
    found = set(re.findall(r"^(?:[0-9a-f]{32}  )?/(?:boot/efi|sys)(?:/.*)?$", b.text, re.M))
    assert any("/BootOrder-" in line for line in found) and any("/BOOTX64.EFI" in line for line in found), str(b)
    return found


def status(b):
    return [int(s) for s in re.findall(r"^linux: status (\d+)", b.text, re.M)]


@pytest.mark.parametrize("loader, times", [(small_linux.systemd_boot, AGAIN), (small_linux.grub, 1)],
                         ids=["systemd-boot", "grub"])
def test_several_starts_from_linux_each_return_to_linux(computer, loader, times):
    c = computer(loader)
    b = c.start(CONTENT, f"{BARETICK} --yes {QUICK}")
    before = content(b)
    for turn in range(times):
        assert is_linux(b) and b.exit == 0 and "Restarting" in b.text, f"{turn}: {b}"
        b = c.start()
        assert measured(b), f"{turn}: {b}"
        then = f"{BARETICK} --yes {QUICK}" if turn < times - 1 else "true"
        b = c.start(f"{BARETICK} --result", "echo linux: result $?", then)
        assert is_linux(b) and "linux: result 0" in b.text and "verdict: PASS" in b.text, f"{turn}: {b}"
    b = c.start(f"{BARETICK} --undo", CONTENT, "$b ls /var/lib/baretick/*.jsonl")
    assert is_linux(b) and len(re.findall(r"^/var/lib/baretick/\S+\.jsonl$", b.text, re.M)) == times, str(b)
    assert content(b) == before, str(b)


def test_linux_comes_back_after_a_power_cut_at_each_step_of_once(computer):
    """The last cut may come after BootNext was set: then the program is started once before Linux."""
    c = computer()
    planned = re.findall(r"^would (.{12})", c.start(f"{BARETICK} --dry-run {QUICK}").text, re.M)
    assert len(planned) > 4, planned
    for text in map(str.encode, planned[:-1]):  # without the restart
        b = c.start(f"{BARETICK} --result", f"{BARETICK} --undo", f"{BARETICK} --yes {QUICK}", until=text)
        assert is_linux(b) and b.exit is None, f"{text}: {b}"
    b = c.start("true")
    if not is_linux(b):
        assert measured(b), str(b)
        b = c.start("true")
    assert is_linux(b) and b.exit == 0, str(b)


@pytest.mark.parametrize("text", [b"borrowing the machine", b"rows", b"verdict: PASS", b"wrote baretick"])
def test_linux_comes_back_after_a_power_cut_in_each_part_of_a_run(computer, text):
    c = computer()
    b = c.start(CONTENT, f"{BARETICK} --yes {QUICK}")
    assert is_linux(b) and "Restarting" in b.text, str(b)
    before = content(b)
    b = c.start(until=text)
    assert not is_linux(b) and b.exit is None, str(b)
    b = c.start(f"{BARETICK} --result", "echo linux: result $?", f"{BARETICK} --undo", "$b rm -rf /boot/efi/baretick", CONTENT)
    assert is_linux(b) and status(b) == [0] and re.search("linux: result [01]", b.text), str(b)
    assert content(b) == before, str(b)


def test_full_variable_stores_are_refused_and_stay_unchanged(computer):
    c = computer()
    own = "$b ls /sys/firmware/efi/efivars | $b grep -c ^Boot0"
    fill = ("i=0; for bytes in 1000 50; do printf '\\7\\0\\0\\0' >/tmp/v; $b head -c $bytes /dev/zero >>/tmp/v; "
            "while $b dd if=/tmp/v bs=2000 of=/sys/firmware/efi/efivars/Fill$i-6d8f2f0b-5a0e-4c53-9d0c-7c0ff1d5b2a7; "
            "do i=$((i+1)); done; i=$((i+1)); done 2>/dev/null; echo linux: filled $i")
    b = c.start(f"echo linux: entries $({own})", fill, f"{BARETICK} --yes {QUICK}", "echo linux: refused $?",
                f"echo linux: entries $({own})",
                "$b dd if=/dev/zero of=/boot/efi/filler bs=1000000 count=90", f"{BARETICK} --yes {QUICK}",
                "echo linux: full $?", f"python3 -c \"{AS_USER}\"", "echo linux: user $?")
    assert "no space left for variables" in b.text and "linux: refused 2" in b.text, str(b)
    assert len(set(re.findall(r"linux: entries (\d+)", b.text))) == 1, str(b)
    assert re.search(r"/boot/efi has \d+ MiB free", b.text) and "linux: full 2" in b.text, str(b)
    assert "need root rights: use sudo" in b.text and "linux: user 2" in b.text, str(b)
    assert is_linux(c.start("true"))


def test_the_chosen_one_of_two_esps_is_used_and_only_our_stale_entry_is_deleted(computer, tmp_path):
    """OVMF's own entry for the first disk names no partition. A stale entry is of an earlier run; another program's has
    the same description."""
    second = media.gpt_disk(tmp_path / "second.img", {}, guid=bytes(range(16)))
    c = computer(extra=["-drive", machine.drive("second", second), "-device", "virtio-blk-pci,drive=second"])
    partition = entry.Partition(1, media.PARTITION_AT, 2048, media.PART_GUID)
    for number, file in ((8, prepare.IMAGE), (9, "\\other.efi")):
        raw = entry.encode(entry.Entry(prepare.DESCRIPTION, entry.path_to(partition, file), entry.wide("once=1")))
        variable_store.put(c.variables, entry.name_of(number), variables.GLOBAL, variables.KEPT, raw)
    mount = "$b mkdir -p /efi; $b mount -t vfat /dev/vdc1 /efi"
    left = "echo linux: entries $($b ls /sys/firmware/efi/efivars | $b grep -o '^Boot000[89]')"
    b = c.start(mount, f"{BARETICK} --yes {QUICK}", "echo linux: refused $?", f"{BARETICK} --yes --esp /efi {QUICK}")
    assert is_linux(b) and "linux: refused 2" in b.text and "/boot/efi, /efi" in b.text and "delete Boot0008" in b.text, str(b)
    assert measured(b := c.start()), str(b)
    b = c.start(mount, "$b ls /efi/baretick /boot/efi/baretick", f"{BARETICK} --result", "echo linux: result $?", left,
                f"{BARETICK} --undo", "$b ls /efi/EFI")
    assert is_linux(b) and "0000.jsonl" in b.text.lower() and "linux: result 0" in b.text, str(b)
    assert "linux: entries Boot0009\n" in b.text.replace("\r", ""), str(b)


@pytest.mark.skipif(not shutil.which("swtpm"), reason="no swtpm: scripts/setup --all installs it")
def test_pcrs_1_and_4_of_linux_are_the_same_afterwards(computer):
    """Also with --in-order, and after an error. An entry that is left in BootOrder changes PCR 1."""
    c = computer(tpm=True)
    pcrs = "for i in 1 4; do echo linux: pcr $i $($b cat /sys/class/tpm/tpm0/pcr-sha256/$i); done"

    def values(b):
        found = re.findall(r"^linux: pcr (\d) ([0-9A-F]{64})$", b.text, re.M)
        assert is_linux(b) and [number for number, _ in found] == ["1", "4"], str(b)
        return found

    c.start("true")  # OVMF adds entries for its disks at the first start
    b = c.start(pcrs, f"{BARETICK} --yes {QUICK}")
    before = values(b)
    for words in (f"--in-order {QUICK}", "suit=calls", None):
        b = c.start()
        assert not is_linux(b) and b.exit == 0, f"{words}: {b}"
        b = c.start(pcrs, f"{BARETICK} --yes {words}" if words else "true")
        assert values(b) == before, words
    c.start(f"{BARETICK} --yes --no-reboot --in-order {QUICK}", "$b rm /sys/firmware/efi/efivars/BootNext-*")
    (one, four), (one_before, four_before) = values(c.start(pcrs)), before
    assert one != one_before and four == four_before
