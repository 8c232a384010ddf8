"""`baretick once` in Linux, on a made system: what it writes and refuses. The other files test_once_* test the formats,
the way back, and start what it has written."""

import os

import made_system
import media
import pytest
from once import checks, entry, prepare, system, variables
from once_command import image, made, once, own  # noqa: F401 (fixtures among them)

OTHER_GUID = b"\x11" * 16
WORDS = ["suite=calls", "cores=all"]
IMAGE_ON_ESP = "boot/efi/EFI/baretick/once.efi"


# --- preparing ------------------------------------------------------------------------------------


def test_the_entry_is_for_the_esp_and_outside_the_order(made, once, image):
    before = made.content()
    status, said = once("--yes", *WORDS)
    number, found = own(made)
    assert status == 0 and made.reboots == 1
    assert number == 2, "0 and 1 are other entries"
    assert found.partition == made.esp() and found.file == prepare.IMAGE
    assert found.data.endswith(b"\0\0") and entry.text(found.data).split()[1:] == ["takeover=borrow", "finish=reboot", *WORDS]
    assert entry.order(made.variables.get("BootNext")) == [number]
    assert (made.content()[IMAGE_ON_ESP]) == image.read_bytes()
    after = made.content()
    assert {name: after[name] for name in before} == before, "nothing that was there has changed"
    assert "BootNext" in said and "Boot0002" in said and "--result" in said


def test_with_in_order_the_entry_is_last(made, once):
    once("--yes", "--in-order")
    assert entry.order(made.variables.get("BootOrder")) == [1, 0, 2]


def test_a_number_that_only_the_order_names_is_not_taken(made, once):
    made.variables.set("BootOrder", entry.order_bytes([1, 0, 2]))
    once("--yes")
    assert own(made)[0] == 3


def test_a_dry_run_prints_each_step_and_changes_nothing(made, once):
    before = made.content()
    status, said = once("--dry-run", "--in-order", *WORDS)
    assert status == 0 and made.content() == before and made.reboots == 0
    for step in (prepare.STATE, prepare.IMAGE, "Boot0002", "BootOrder", "BootNext", "restart", "suite=calls cores=all"):
        assert step in said, step
    assert "restart" not in once("--dry-run", "--no-reboot", *WORDS)[1]


@pytest.mark.parametrize("answer, restarts", [("y", 1), ("n", 0), ("", 0), (None, 0)])
def test_once_asks_before_it_changes_anything(made, once, monkeypatch, answer, restarts):
    def typed(_):
        if answer is None:  # Ctrl-D
            raise EOFError
        return answer

    before = made.content()
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", typed)
    status, _ = once(*WORDS)
    assert made.reboots == restarts and status == 1 - restarts
    assert (made.content() == before) == (not restarts)


def test_a_refused_restart_is_reported_and_the_run_stays_prepared(made, once, monkeypatch, tmp_path):
    (tmp_path / "reboot").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "reboot").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.sync", lambda: None)
    monkeypatch.setattr(made_system.Made, "reboot", system.System.reboot)
    with pytest.raises(variables.Failed, match="^reboot: exit status 3; .*--undo"):
        once("--yes")
    assert entry.order(made.variables.get("BootNext")) == [own(made)[0]]
    (tmp_path / "reboot").unlink()
    with pytest.raises(variables.Failed, match="^reboot: cannot be run: .*--undo"):
        once("--yes")


def test_without_a_terminal_yes_is_required(made, once, monkeypatch):
    before = made.content()
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(variables.Failed, match="--yes"):
        once(*WORDS)
    assert made.content() == before


def test_entries_of_earlier_runs_are_replaced_and_those_of_others_kept(made, once):
    """An entry with our description and another file is not ours."""
    made.add_entry(3, prepare.DESCRIPTION, made.esp(), prepare.IMAGE.lower(), entry.wide("once=1 a"))
    made.add_entry(4, prepare.DESCRIPTION, made.esp(), "\\other.efi", entry.wide("once=1"))
    made.add_entry(5, prepare.DESCRIPTION, made.esp(), prepare.IMAGE, b"other")
    made.variables.set("BootNext", entry.order_bytes([3]))
    made.variables.set(prepare.WITNESS, b"once=1\n", prepare.WITNESS_GUID)
    status, said = once("--yes")
    entries = made.entries()
    assert status == 0 and sorted(entries) == [0, 1, 2, 4, 5] and "Boot0003" in said
    assert entries[4].file == "\\other.efi" and entries[5].data == b"other"
    assert made.variables.get(prepare.WITNESS, prepare.WITNESS_GUID) is None


def test_an_image_that_the_volume_already_has_is_not_copied(made, once):
    once("--yes", "--no-reboot")
    path = made.path(IMAGE_ON_ESP)
    was = os.stat(path).st_ino
    made.space = checks.REPORT_MOST + checks.SPARE  # room for a report only
    once("--yes", "--no-reboot")
    assert os.stat(path).st_ino == was and made.reboots == 0 and len(made.entries()) == 3


@pytest.mark.parametrize("refused", ["Boot0002", "BootNext", "BootOrder"])
def test_a_full_variable_store_changes_nothing(made, once, refused):
    before = made.content()
    made.variables = made_system.FirmwareWithout(made.variables.folder, refused)
    with pytest.raises(variables.Failed, match=f"{refused}.*no space.*reverted"):
        once("--yes", "--in-order")
    assert made.content() == before and made.reboots == 0


def test_ctrl_c_reverts_the_steps_before_it(made, once, monkeypatch):
    before, change = made.content(), made.variables.set

    def interrupted(name, *value, **how):
        if name == "BootNext":
            raise KeyboardInterrupt
        change(name, *value, **how)

    monkeypatch.setattr(made.variables, "set", interrupted)
    with pytest.raises(KeyboardInterrupt):
        once("--yes", "--in-order")
    assert made.content() == before and made.reboots == 0


# --- refusals -------------------------------------------------------------------------------------


def efivars(made, line):
    made.write("proc/self/mountinfo", "")
    if line:
        made.mount("0:30", system.EFIVARS, line[0], line[1])


def bios(made):
    os.rename(made.path("/sys/firmware/efi"), made.path("/sys/firmware/none"))


def secure(made):
    made.variables.set("SecureBoot", b"\1", attributes=6)


def no_esp(made):
    made.write("proc/self/mountinfo", "")
    made.mount("0:30", system.EFIVARS, "efivarfs")
    made.disk("sdb", "8:17", "/boot", kind=OTHER_GUID)
    made.disk("sdc", "8:33", "/mnt", file_system="ext4")


def two_esps(made):
    made.disk("sdb", "8:17", "/efi", guid=OTHER_GUID)
    made.variables.delete("BootCurrent")


def read_only_esp(made):
    made.write("proc/self/mountinfo", "")
    made.mount("0:30", system.EFIVARS, "efivarfs")
    made.mount("8:1", "/boot/efi", "vfat", "ro")


REFUSED = {
    "container": (lambda made: made.write("run/systemd/container", "lxc"), "container"),
    "container without systemd": (lambda made: made.write("proc/1/environ", "PATH=/bin\0container=lxc\0"), "container"),
    "not root": (lambda made: setattr(made, "is_root", lambda: False), "need root rights: use sudo"),
    "no UEFI": (bios, "not started by UEFI"),
    "32 bits": (lambda made: made.write("sys/firmware/efi/fw_platform_size", "32\n"), "firmware has 32 bits.*64"),
    "no efivarfs": (lambda made: efivars(made, None), "efivarfs is not mounted.*efi=runtime"),
    "efivarfs read-only": (lambda made: efivars(made, ("efivarfs", "ro,nosuid")), "efivarfs is mounted read-only"),
    "Secure Boot": (secure, "Secure Boot is on.*not signed"),
    "no ESP": (no_esp, "no EFI system partition"),
    "two ESPs": (two_esps, "several .*/boot/efi, /efi.*--esp"),
    "ESP read-only": (read_only_esp, "/boot/efi is mounted read-only"),
    "ESP full": (lambda made: setattr(made, "space", 5 << 20), "/boot/efi has 5 MiB free: 18 MiB are needed"),
    "another BootNext": (lambda made: made.variables.set("BootNext", b"\0\0"), "BootNext .*Boot0000"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_once_names_missing_requirements_and_changes_nothing(made, once, case):
    change, message = REFUSED[case]
    change(made)
    before = made.content()
    with pytest.raises(variables.Failed, match=message):
        once("--yes", *WORDS)
    assert made.content() == before and made.reboots == 0


@pytest.mark.parametrize("word", ["finish=halt", "takeover=exit", "once=1", "list", "a b", 'x="y"', "upload=http://rack:s3cret@h/"])
def test_words_that_once_sets_itself_or_that_cannot_work_are_refused(made, once, word):
    before = made.content()
    with pytest.raises(variables.Failed, match=word.split("=")[0]) as failed:
        once("--yes", word)
    assert made.content() == before and "s3cret" not in str(failed.value)


def test_a_wrong_word_is_refused_before_the_restart(made, once, tmp_path):
    """The Linux program checks the words if it is built. Here a script replaces it."""
    made.hosted = tmp_path / "hosted"
    made.hosted.write_text('#!/bin/sh\n[ "$*" = "help suite=calls" ] && exit\n'
                           'echo "baretick: command line, word 2: $*: no such word" >&2\necho more >&2\nexit 3\n')
    made.hosted.chmod(0o755)
    before = made.content()
    with pytest.raises(variables.Failed, match="^help suit=calls: no such word$"):
        once("--yes", "suit=calls")
    assert made.content() == before
    assert once("--yes", "suite=calls")[0] == 0


def test_another_file_is_not_a_program(once, image):
    image.write_bytes(b"#!/bin/sh\n")
    with pytest.raises(variables.Failed, match="not a PE image"):
        once("--yes")


def test_the_esp_that_linux_was_started_from_is_chosen(made, once):
    made.disk("sdb", "8:17", "/efi", guid=OTHER_GUID)
    once("--yes")
    assert own(made)[1].partition.guid == media.PART_GUID
    once("--yes", "--esp", "/efi/")
    assert own(made)[1].partition.guid == OTHER_GUID
    assert os.path.exists(made.path("/efi/EFI/baretick/once.efi"))
    with pytest.raises(variables.Failed, match="--esp /mnt.*/boot/efi, /efi"):
        once("--yes", "--esp", "/mnt")
