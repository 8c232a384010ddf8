"""`baretick once` on a Debian with Secure Boot as it is sold: Microsoft's keys in the firmware, the shim that Microsoft has
signed, GRUB and the kernel that Debian has signed. Our key becomes a machine owner's key in the usual way."""

import shutil
from pathlib import Path

from commands import output_of
import pytest
import small_linux
import test_signed
from test_borrow import AT
from test_once_linux import BARETICK, QUICK, Computer, is_linux, measured
from test_once_signed import measures_by_shim, owner, signed  # noqa: F401 (a fixture)

VARIABLES = Path("/usr/share/OVMF/OVMF_VARS_4M.ms.fd")  # Microsoft's certificates in KEK and db
SHIM, MANAGER = Path("/usr/lib/shim/shimx64.efi.signed"), Path("/usr/lib/shim/mmx64.efi.signed")
GRUB = Path("/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed")
MOKUTIL = shutil.which("mokutil")
PASSWORD = "a password"
DOWN, ENTER = b"\x1b[B", b"\r"
# What MokManager shows on its way to a new key, and what is typed.
ENROLL = {b"Press any key": ENTER, b"Enroll MOK": DOWN + ENTER, b"View key 0": DOWN + ENTER, b"Enroll the key": DOWN + ENTER,
          b"Password": PASSWORD.encode() + ENTER, b"Reboot": ENTER}

# scripts/setup does not install these: on a machine that UEFI has started they change its boot loader.
missing = [package for package, there in {"ovmf": VARIABLES.exists() and test_signed.CODE.exists(), "mokutil": MOKUTIL,
                                          "shim-signed": SHIM.exists() and MANAGER.exists(), "grub-efi-amd64-signed": GRUB.exists(),
                                          "sbsigntool": shutil.which("sbsign")}.items() if not there]
pytestmark = [pytest.mark.others, pytest.mark.long, pytest.mark.skipif(bool(missing), reason=f"packages of Debian: {', '.join(missing)}")]


def loaders(_):
    """Returns the files of Debian's signed loaders. GRUB looks for its configuration in \\EFI\\debian."""
    files = {"EFI/BOOT/BOOTX64.EFI": SHIM, "EFI/BOOT/grubx64.efi": GRUB, "EFI/BOOT/mmx64.efi": MANAGER,
             "EFI/debian/shimx64.efi": SHIM, "EFI/debian/grubx64.efi": GRUB}
    config = f"search --file --set=root /linux\nlinux /linux {small_linux.WORDS}\ninitrd /initrd\nboot\n"
    return {**files, "EFI/debian/grub.cfg": config.encode()}


def test_the_shim_of_microsoft_starts_a_program_with_a_machine_owners_key(program, tmp_path, owner):  # noqa: F811
    certificate = tmp_path / "owner.der"
    output_of("openssl", "x509", "-in", owner[1], "-outform", "DER", "-out", certificate)

    def add(archive):
        small_linux.program_of(archive, MOKUTIL)
        archive.copy(certificate, "owner.der")

    firmware, mine = (test_signed.CODE, VARIABLES), signed(program, tmp_path / "mine.efi", owner)
    c = Computer(tmp_path, mine, loaders, add=add, **{**test_signed.SECURE, "firmware": firmware})
    b = c.start(f"{BARETICK} --yes {QUICK}", "echo linux: refused $?", f"{MOKUTIL} --generate-hash='{PASSWORD}' >/tmp/hash",
                f"{MOKUTIL} --import /owner.der --hash-file /tmp/hash", "echo linux: imported $?", f"{MOKUTIL} --sb-state")
    assert is_linux(b) and "linux: refused 2" in b.text and "machine owner's key" in b.text, str(b)
    assert "linux: imported 0" in b.text and "SecureBoot enabled" in b.text, str(b)
    b = c.start(keys=ENROLL)
    assert not is_linux(b) and b.exit == 0, str(b)
    measures_by_shim(c, "\\EFI\\debian\\shimx64.efi")
    # GRUB, too, asks shim: the entry of `baretick install`.
    config = tmp_path / "grub.cfg"
    config.write_text(f"search --file --set=root /linux\nchainloader /EFI/baretick.efi takeover=borrow finish=reboot {QUICK}\nboot\n")
    for source, name in ((config, "EFI/debian/grub.cfg"), (mine, "EFI/baretick.efi")):
        output_of("mcopy", "-o", "-i", f"{c.esp}@@{AT}", source, f"::/{name}")
    assert measured(b := c.start()), str(b)
