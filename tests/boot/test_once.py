"""`baretick once` in Linux, on a made system: what it writes, refuses, finds again and reverts. The other files
test_once_* start what it has written."""

import argparse
import errno
import os
import sys
import zlib

import build
import made_system
import media
import pytest

sys.path.insert(0, str(build.ROOT / "scripts"))
from once import checks, command, entry, gpt, prepare, result, system, variables  # noqa: E402

OTHER_GUID = b"\x11" * 16
WORDS = ["suite=calls", "cores=all"]
IMAGE_ON_ESP = "boot/efi/EFI/baretick/once.efi"


@pytest.fixture
def made(tmp_path):
    return made_system.Made(tmp_path / "root")


@pytest.fixture
def image(tmp_path):
    path = tmp_path / "baretick.efi"
    path.write_bytes(made_system.program())
    return path


@pytest.fixture
def once(made, image, capsys):
    """once(word or option, ...): (exit status, output) of the command on the made system."""

    def start(*words):
        p = argparse.ArgumentParser()
        command.add(p.add_subparsers())
        status = command.run(p.parse_args(["once", "--image", str(image), *words]), made)
        return status, capsys.readouterr().out

    return start


def own(made):
    """Returns the only number of an entry of ours, and the entry."""
    ((number, found),) = [(n, e) for n, e in made.entries().items() if e.description == prepare.DESCRIPTION]
    return number, found


def restart(made):
    """Linux starts again: BootNext is used up."""
    made.variables.delete("BootNext")
    made.write("proc/sys/kernel/random/boot_id", "second\n")


def token_of(found):
    return entry.text(found.data).split()[0].removeprefix("once=")


def record(seq, kind, **members):
    inner = f'{{"baretick":1,"seq":{seq},"type":"{kind}"' + "".join(f',"{k}":{v}' for k, v in members.items())
    return f'{inner},"crc":"{zlib.crc32(inner.encode()):08x}"}}\r\n'.encode()


# --- formats --------------------------------------------------------------------------------------


def test_an_entry_has_the_bytes_that_uefi_states():
    """Compared with an entry that was written by hand from UEFI 2.10, sections 3.1.3 and 10.3.5."""
    partition = entry.Partition(2, 0x800, 0x100000, bytes(range(16)))
    raw = entry.encode(entry.Entry("ab", entry.path_to(partition, "\\x.efi"), b"\x07"))
    drive = bytes.fromhex("04012a00 02000000 0008000000000000 0000100000000000 000102030405060708090a0b0c0d0e0f 0202")
    file = bytes.fromhex("04041200 5c0078002e006500660069000000")
    assert raw == bytes.fromhex("01000000 4000 610062000000") + drive + file + bytes.fromhex("7fff0400 07")
    found = entry.decode(raw)
    assert (found.description, found.file, found.partition, found.data) == ("ab", "\\x.efi", partition, b"\x07")


@pytest.mark.parametrize("raw", [b"", b"\1\0\0\0\0", b"\1\0\0\0\4\0a\0", b"\1\0\0\0\xff\0a\0\0\0\x7f\xff\4\0"])
def test_a_cut_entry_is_refused(raw):
    with pytest.raises(entry.Wrong):
        entry.decode(raw)


@pytest.mark.parametrize("path", [b"\4\1\3\0", b"\4\1\xff\xff" + bytes(40), b"\4\4", b"\4\1\x2a\0" + bytes(38)])
def test_an_invalid_device_path_names_no_partition(path):
    assert entry.Entry("", path).partition is None and entry.Entry("", path).file == ""


def test_a_description_with_characters_beyond_ucs2_is_refused():
    with pytest.raises(entry.Wrong, match="U\\+FFFF"):
        entry.wide("\U0001f600")


def test_a_partition_is_found_in_a_gpt(tmp_path):
    disk = tmp_path / "disk"
    begin, _ = media.gpt(9000, 5000)
    disk.write_bytes(begin)
    kind, partition = gpt.find(disk, 1)
    assert kind == gpt.ESP and partition == entry.Partition(1, media.PARTITION_AT, 5001 - media.PARTITION_AT, media.PART_GUID)
    for at, why in ((512, "no GPT"), (530, "header"), (1030, "entries")):
        damaged = bytearray(begin)
        damaged[at] ^= 1
        disk.write_bytes(damaged)
        with pytest.raises(gpt.Wrong, match=why):
            gpt.find(disk, 1)
    disk.write_bytes(begin)
    with pytest.raises(gpt.Wrong, match="no partition 129"):
        gpt.find(disk, 129)


def test_a_partition_is_found_on_a_disk_with_sectors_of_4096_bytes(tmp_path):
    begin, _ = media.gpt(9000, 5000)
    (tmp_path / "disk").write_bytes(bytes(4096) + begin[512:1024].ljust(4096, b"\0") + begin[1024:])
    kind, partition = gpt.find(tmp_path / "disk", 1, 4096)
    assert kind == gpt.ESP and partition.start == media.PARTITION_AT


def test_mounts_are_read_with_their_escapes():
    text = "36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 - vfat /dev/root ro,errors=continue\nnonsense\n"
    assert system.parse_mounts(text) == [system.Mount("98:0", "/mnt1", "/mnt 2", "vfat", False)]


# --- variables ------------------------------------------------------------------------------------


def test_a_variable_has_its_attributes_first(made):
    made.variables.set("Boot0007", b"abc")
    path = made.path(f"{system.EFIVARS}/Boot0007-{variables.GLOBAL}")
    with open(path, "rb") as f:
        assert f.read() == b"\7\0\0\0abc"
    assert made.variables.get("Boot0007") == b"abc" and 7 in made.variables.boot_numbers()
    assert made.variables.delete("Boot0007") and not made.variables.delete("Boot0007")
    assert made.variables.get("Boot0007") is None


def test_a_variable_that_firmware_changes_is_reported(made, monkeypatch):
    monkeypatch.setattr(made.variables, "get", lambda *_: b"other")
    with pytest.raises(variables.Failed, match="Boot0007.*3 bytes"):
        made.variables.set("Boot0007", b"abc")


@pytest.mark.parametrize("number, words", [(errno.ENOSPC, "no space"), (errno.EROFS, "read-only"), (errno.EIO, "Input/output")])
def test_a_refused_variable_is_named_and_leaves_no_file(made, monkeypatch, number, words):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    before = made.content()
    monkeypatch.setattr(os, "write", refuse)
    with pytest.raises(variables.Failed, match=f"Boot0007.*{words}"):
        made.variables.set("Boot0007", b"abc")
    assert made.content() == before


def test_the_immutable_flag_is_cleared_and_others_are_kept(made, monkeypatch):
    flags = {"now": variables.IMMUTABLE | 0x80}

    def ioctl(_, request, value, _mutate):
        if request == variables.GET_FLAGS:
            value[0] = flags["now"]
        else:
            flags["now"] = value[0]

    monkeypatch.setattr(variables.fcntl, "ioctl", ioctl)
    made.variables.set("BootOrder", b"\1\0")
    assert flags["now"] == 0x80


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


@pytest.mark.parametrize("answer, restarts", [("y", 1), ("n", 0), ("", 0)])
def test_once_asks_before_it_changes_anything(made, once, monkeypatch, answer, restarts):
    before = made.content()
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: answer)
    status, _ = once(*WORDS)
    assert made.reboots == restarts and status == 1 - restarts
    assert (made.content() == before) == (not restarts)


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
    "no UEFI": (bios, "not started by UEFI"),
    "no efivarfs": (lambda made: efivars(made, None), "efivarfs is not mounted"),
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


@pytest.mark.parametrize("word", ["finish=halt", "takeover=exit", "once=1", "list", "a b", 'x="y"'])
def test_words_that_once_sets_itself_or_that_measure_nothing_are_refused(made, once, word):
    before = made.content()
    with pytest.raises(variables.Failed, match=word.split("=")[0]):
        once("--yes", word)
    assert made.content() == before


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


# --- the way back ---------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [[], ["--in-order"]])
def test_undo_restores_variables_and_files(made, once, words):
    before = made.content()
    once("--yes", *words)
    assert made.content() != before
    status, said = once("--undo")
    assert status == 0 and made.content() == before
    for part in ("Boot0002", prepare.IMAGE, prepare.STATE):
        assert part in said
    assert not os.path.exists(made.path("/boot/efi/EFI/baretick"))
    assert "Nothing" in once("--undo")[1]


@pytest.mark.parametrize("taken", range(6))
def test_undo_restores_all_after_a_power_cut_at_each_step(made, once, taken, monkeypatch):
    """Until the last step the next start is as before."""
    before = made.content()
    steps = prepare.steps

    class Cut(BaseException):
        pass

    def cut(run):
        def stop():
            raise Cut

        todo = steps(run)
        return todo[:taken] + [("", stop)] if taken < len(todo) else todo

    monkeypatch.setattr(prepare, "steps", cut)
    try:
        once("--yes", "--in-order")
    except Cut:
        assert made.variables.get("BootNext") is None
        assert entry.order(made.variables.get("BootOrder"))[:2] == [1, 0]
    once("--undo")
    assert made.content() == before


def test_a_report_is_printed_and_moved(made, once):
    once("--yes", *WORDS)
    number, found = own(made)
    token = token_of(found)
    restart(made)
    made.variables.delete(entry.name_of(number))
    whole = record(0, "run", options=f'{{"once":{token}}}') + record(1, "end", verdict='"pass"')
    made.write("boot/efi/baretick/0000.jsonl", record(0, "run", options='{"once":1}'))
    made.write("boot/efi/baretick/0001.jsonl", whole)
    made.write("boot/efi/baretick/0001.txt", "the table\r\nverdict: PASS\r\n")
    made.variables.set(prepare.WITNESS, f"once={token}\nstatus=1\nfile=\\baretick\\0001.jsonl\n".encode(),
                       prepare.WITNESS_GUID)
    for _ in range(2):  # the second one from where it is stored
        _, said = once("--result")
        assert "the table\nverdict: PASS\n" in said
        ((stored, kept),) = [(n, c) for n, c in made.content().items() if n.startswith("var") and n.endswith(".jsonl")]
        assert kept == whole and "/" + stored in said
        assert [n for n in made.content() if n.startswith("boot/efi/baretick")] == ["boot/efi/baretick/0000.jsonl"]


@pytest.mark.parametrize("taken", range(5))
def test_a_report_is_not_lost_by_a_power_cut_while_it_is_moved(made, once, monkeypatch, taken):
    """Two files are copied and deleted in turn, and then the end is noted."""
    once("--yes")
    token = token_of(own(made)[1])
    restart(made)
    whole = record(0, "run", options=f'{{"once":{token}}}') + record(1, "end", verdict='"pass"')
    made.write("boot/efi/baretick/0000.jsonl", whole)
    made.write("boot/efi/baretick/0000.txt", "the table\r\n")
    left = [taken]

    def cut_before(change):
        def instead(*args):
            if not left[0]:
                raise InterruptedError("the power is cut")
            left[0] -= 1
            return change(*args)

        return instead

    with monkeypatch.context() as m:
        for place, name in ((result.disk, "write"), (result.os, "unlink"), (type(made), "save")):
            m.setattr(place, name, cut_before(getattr(place, name)))
        with pytest.raises(InterruptedError):
            once("--result")
    _, said = once("--result")
    assert "the table" in said and "Report: /var/lib/baretick/" in said, said
    assert not [n for n in made.content() if n.startswith("boot/efi/baretick")]


def test_a_result_is_collected_once_for_each_run(made, once):
    """By the service at each start of Linux, also where no run was prepared."""
    assert once("--collect") == (0, "")
    for _ in range(2):
        once("--yes")
        restart(made)
        whole = record(0, "run", options=f'{{"once":{token_of(own(made)[1])}}}') + record(1, "end", verdict='"fail"')
        made.write("boot/efi/baretick/0000.jsonl", whole)
        status, said = once("--collect")
        assert status == result.NOT_PASSED and "/var/lib/baretick/" in said and once("--collect") == (0, "")
        made.write("proc/sys/kernel/random/boot_id", "third\n")


def test_a_report_is_found_without_the_variable(made, once):
    once("--yes")
    token = token_of(own(made)[1])
    restart(made)
    made.write("boot/efi/baretick/0007.jsonl", record(0, "run", options=f'{{"once":{token}}}'))
    status, said = once("--result")
    assert status == result.NOT_PASSED and "damaged: no record `end`" in said


def test_result_states_why_there_is_no_report(made, once):
    once("--yes")
    number, found = own(made)
    token, name = token_of(found), entry.name_of(number)
    with pytest.raises(variables.Failed, match="not been restarted"):
        once("--result")
    made.write("proc/sys/kernel/random/boot_id", "second\n")

    def why():
        status, said = once("--result")
        assert status == result.NOT_PASSED and said.startswith("No report")
        return said

    assert f"BootNext, which still is {name}" in why()
    restart(made)
    assert f"did not start {name}" in why() and "BootCurrent is Boot0001 (debian)" in why() and "--in-order" in why()
    made.variables.delete(name)
    assert f"{name} is deleted" in why()

    def leave(text):
        made.variables.set(prepare.WITNESS, text.encode(), prepare.WITNESS_GUID)

    leave(f"once={token}\n")
    assert "did not finish" in why()
    leave(f"once={token}\nerror=no such word: suit=\n")
    assert "measured nothing: no such word: suit=" in why()
    leave(f"once={token}\nverdict=pass\nstatus=1\nfile=\\baretick\\0000.jsonl\n")
    assert "verdict pass" in why() and "status 1" in why() and "0000.jsonl" in why()
    leave(f"once={token}\nverdict=fail\nstatus=2\nerror=the volume is read-only\n")
    assert "verdict fail" in why() and "not written: the volume is read-only" in why()
    leave("once=1\nstatus=1\n")
    assert f"{name} is deleted" in why(), "the variable of another run"


def test_runs_have_different_numbers_even_if_the_clock_is_set_back(made, once, monkeypatch):
    """So a stored report is never overwritten."""
    monkeypatch.setattr(command.time, "time", lambda: 1000000000.5)
    once("--yes")
    assert token_of(own(made)[1]) == "1000000000"
    once("--yes")
    assert token_of(own(made)[1]) == "1000000001"
    once("--undo")
    made.write(prepare.stored_name(1000000000).lstrip("/") + ".txt", "")
    once("--yes")
    assert token_of(own(made)[1]) == "1000000001"


def test_result_without_a_prepared_run_is_refused(once):
    with pytest.raises(variables.Failed, match="no run was prepared"):
        once("--result")


def test_a_hostile_file_name_in_the_variable_stays_on_the_esp(made, once):
    once("--yes")
    token = token_of(own(made)[1])
    restart(made)
    made.variables.set(prepare.WITNESS, f"once={token}\nstatus=1\nfile=\\..\\..\\x.jsonl\n".encode(), prepare.WITNESS_GUID)
    with pytest.raises(variables.Failed, match="not a name of a file"):
        once("--result")
