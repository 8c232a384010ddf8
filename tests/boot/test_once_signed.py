"""`baretick once` with Secure Boot: the firmware starts a program that its db accepts, shim one with a machine owner's
key. Others are refused."""

import re
import struct
import subprocess
from pathlib import Path

from commands import output_of
import made_system
import media
import pytest
import small_linux
import test_signed
import variable_store
from once import checks, entry, prepare
from once.variables import Failed
from test_image_file import sign
from test_once_linux import BARETICK, QUICK, Computer, is_linux, measured
from test_signed import CERT, SHIM, key  # noqa: F401 (a fixture)

MOK_LIST = ("MokList", checks.SHIM_GUID, 3)  # attributes: NON_VOLATILE, BOOTSERVICE_ACCESS


def der(tag, content):
    length = len(content)
    return bytes([tag, length] if length < 0x80 else [tag, 0x82, *struct.pack(">H", length)]) + content


def certificate(owner, version=True):
    """Returns what `once` reads of a certificate (RFC 5280, 4.1)."""
    name = der(0x30, der(0x31, der(0x0C, owner.encode())))
    fields = [der(0x02, b"\1"), der(0x30, b""), der(0x30, b"issuer"), der(0x30, b""), name, der(0x30, bytes(300))]
    return der(0x30, der(0x30, (der(0xA0, der(0x02, b"\2")) if version else b"") + b"".join(fields)) + der(0x30, b""))


def lists(*certificates):
    """Returns a signature list per certificate, after one of another kind (UEFI 2.10, 32.4.1)."""
    other = bytes(16) + struct.pack("<III", 28 + 48, 0, 48) + bytes(48)
    return other + b"".join(checks.X509 + struct.pack("<III", 44 + len(c), 0, 16 + len(c)) + bytes(16) + c
                            for c in certificates)


# --- on a made system ------------------------------------------------------------------------------------


@pytest.fixture
def made(tmp_path):
    """A made system with Secure Boot on, one certificate in db and two machine owner's keys."""
    made = made_system.Made(tmp_path / "root")
    made.variables.set("SecureBoot", b"\1", attributes=6)
    made.variables.set("db", lists(certificate("of the db")), checks.DB_GUID)
    made.variables.set("MokListRT", lists(certificate("first")), checks.SHIM_GUID, 6)
    made.variables.set("MokListRT1", lists(certificate("second", version=False)), checks.SHIM_GUID, 6)
    return made


def accepted(made, tmp_path, owner):
    path = tmp_path / "signed.efi"
    path.write_bytes(made_system.program(b"a signature with " + certificate(owner) if owner else b""))
    return checks.read_image(made, path)[1]


def test_the_firmware_starts_what_its_db_accepts_and_shim_the_rest(made, tmp_path):
    assert accepted(made, tmp_path, "of the db") is False
    assert accepted(made, tmp_path, "first") is True and accepted(made, tmp_path, "second") is True


@pytest.mark.parametrize("owner, words", [("another", "neither in the firmware's db.*mokutil"), ("", "not signed.*mokutil")])
def test_a_program_that_nobody_accepts_is_refused(made, tmp_path, owner, words):
    with pytest.raises(Failed, match=words):
        accepted(made, tmp_path, owner)
    made.variables.set("SecureBoot", b"\0", attributes=6)
    assert accepted(made, tmp_path, owner) is False


def test_cut_lists_and_certificates_name_nobody():
    whole, one = lists(certificate("first"), certificate("second")), certificate("first")
    for cut in range(len(whole)):
        assert len(list(checks.certificates(whole[:cut]))) <= 1
    assert len(list(checks.certificates(whole))) == 2
    assert checks.subject(one) and not any(checks.subject(one[:cut]) for cut in range(20))


def test_the_shim_that_started_linux_is_used_else_one_on_the_esp(made):
    """The made Linux was started by \\EFI\\debian\\shimx64.efi."""
    esp = checks.disk.choose(made)
    made.write("boot/efi/EFI/arch/SHIMX64.EFI", "")
    assert checks.shim_on(made, esp) == "\\EFI\\debian\\shimx64.efi"
    made.variables.delete("BootCurrent")
    assert checks.shim_on(made, esp) == "\\EFI\\arch\\shimx64.efi"
    Path(made.path("/boot/efi/EFI/arch/SHIMX64.EFI")).unlink()
    with pytest.raises(Failed, match="no shim"):
        checks.shim_on(made, esp)


def test_the_entry_for_shim_names_the_program_first_and_is_recognised(made):
    run = prepare.Run(made, checks.disk.choose(made), b"", "baretick.efi", ["suite=calls"], 7, shim="\\EFI\\debian\\shimx64.efi")
    found = run.entry()
    assert found.file == "\\EFI\\debian\\shimx64.efi"
    assert entry.text(found.data).split()[:2] == [prepare.IMAGE, "once=7"] and prepare.is_own(entry.encode(found))
    other = entry.Entry(found.description, found.path, entry.wide("\\EFI\\other.efi once=7"))
    assert not prepare.is_own(entry.encode(other))


# --- in the small Linux, under OVMF with Secure Boot ----------------------------------------------------------


@pytest.fixture
def owner(tmp_path):
    """Returns (key, certificate) of a machine owner, PEM files."""
    files = tmp_path / "owner.key", tmp_path / "owner.pem"
    output_of("openssl", "req", "-new", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=a machine's owner/",
         "-keyout", files[0], "-out", files[1])
    return files


def signed(program, path, pair):
    made = sign(program, path, *pair)
    assert made.returncode == 0, made.stderr
    return path


def measures_by_shim(c, shim):
    """Runs `once` on a computer whose shim trusts the image: start, measurement, result and undo."""
    b = c.start(f"{BARETICK} --yes {QUICK}")
    assert is_linux(b) and f"{shim}, which starts" in b.text and "Restarting" in b.text, str(b)
    b = c.start()
    assert measured(b) and not [e for e in b.events("warning") if "once=" in e["message"]], str(b)
    b = c.start(f"{BARETICK} --result", "echo linux: result $?", f"{BARETICK} --undo", "$b ls /sys/firmware/efi/efivars")
    assert is_linux(b) and "linux: result 0" in b.text and "verdict: PASS" in b.text, str(b)
    assert not re.search("BootNext-|BaretickOnce-", b.text)


@pytest.mark.others
@pytest.mark.long
@pytest.mark.skipif(bool(test_signed.missing) or not SHIM.exists(), reason=f"not installed: {test_signed.missing or SHIM}")
def test_shim_starts_a_program_with_a_machine_owners_key(program, tmp_path, key, owner):  # noqa: F811
    """Debian's shim starts systemd-boot, that Debian's signed kernel. Without the key in shim's list `once` refuses."""
    ours = key, CERT
    shim = signed(SHIM, tmp_path / "shim.efi", ours)
    loader = signed(media.find("systemd-boot", "/usr/lib/systemd/boot/efi/systemd-bootx64.efi"), tmp_path / "boot.efi", ours)
    mine = signed(program, tmp_path / "mine.efi", owner)

    def files(path):
        return {**small_linux.systemd_boot(path), "EFI/BOOT/BOOTX64.EFI": shim, "EFI/BOOT/grubx64.efi": loader,
                "EFI/debian/shimx64.efi": shim}

    how = test_signed.SECURE
    c = Computer(tmp_path, mine, files, **how)
    b = c.start(f"{BARETICK} --yes {QUICK}", "echo linux: refused $?")
    assert is_linux(b) and "linux: refused 2" in b.text and "machine owner's key" in b.text, str(b)
    made = subprocess.run(["openssl", "x509", "-in", owner[1], "-outform", "DER"], capture_output=True, check=True).stdout
    name, guid, attributes = MOK_LIST
    variable_store.put(c.variables, name, guid, attributes, lists(made)[76:])
    measures_by_shim(c, "shimx64.efi")
