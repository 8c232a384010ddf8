"""`baretick once` in Linux: boot entries, device paths, GPTs and variables, in bytes."""

import errno
import os

import media
import pytest
from once import entry, system, variables
from once_command import made  # noqa: F401 (a fixture)


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
    kind, partition = entry.find(disk, 1)
    assert kind == entry.ESP and partition == entry.Partition(1, media.PARTITION_AT, 5001 - media.PARTITION_AT, media.PART_GUID)
    for at, why in ((512, "no GPT"), (530, "header"), (1030, "entries")):
        damaged = bytearray(begin)
        damaged[at] ^= 1
        disk.write_bytes(damaged)
        with pytest.raises(entry.NoPartition, match=why):
            entry.find(disk, 1)
    disk.write_bytes(begin)
    with pytest.raises(entry.NoPartition, match="no partition 129"):
        entry.find(disk, 129)


def test_a_partition_is_found_on_a_disk_with_sectors_of_4096_bytes(tmp_path):
    begin, _ = media.gpt(9000, 5000)
    (tmp_path / "disk").write_bytes(bytes(4096) + begin[512:1024].ljust(4096, b"\0") + begin[1024:])
    kind, partition = entry.find(tmp_path / "disk", 1, 4096)
    assert kind == entry.ESP and partition.start == media.PARTITION_AT


def test_mounts_are_read_with_their_escapes():
    text = "36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 - vfat /dev/root ro,errors=continue\nnonsense\n"
    assert system.parse_mounts(text) == [system.Mount("98:0", "/mnt1", "/mnt 2", "vfat", False)]


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
