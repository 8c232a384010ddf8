"""Debian's GRUB in the small Linux: `baretick install` has grub-mkconfig write the menu from the scripts of Debian's package
and our snippet, and GRUB starts from that menu what `grub-reboot` selects."""

import re
from pathlib import Path

from commands import output_of
import build
import media
import pytest
import small_linux
from test_borrow import AT
from test_once_linux import QUICK, Computer, is_linux, measured, status

PROGRAMS = ("/usr/sbin/grub-probe", "/usr/bin/grub-editenv", "/usr/bin/grub-mkrelpath", "/usr/bin/grub-script-check")
SCRIPTS = ("/usr/sbin/grub-mkconfig", "/usr/sbin/grub-reboot", "/usr/sbin/update-grub", "/usr/share/grub/grub-mkconfig_lib",
           "/etc/grub.d/00_header", "/etc/grub.d/10_linux", "/etc/grub.d/40_custom")  # fmt: skip
missing = [name for name in (*PROGRAMS, *SCRIPTS) if not Path(name).exists()]
pytestmark = [pytest.mark.others, pytest.mark.long,
              pytest.mark.skipif(bool(missing), reason=f"packages grub-common and grub2-common of Debian: no {', '.join(missing)}")]

DISK_MIB = 112
# As users have it, with a serial console. The entry that is selected by its number is that of 40_custom.
DEFAULTS = f'GRUB_DEFAULT=0\nGRUB_TIMEOUT=0\nGRUB_DISTRIBUTOR=Debian\nGRUB_TERMINAL=console\nGRUB_CMDLINE_LINUX="{small_linux.WORDS}"\n'
# What the installed GRUB has in itself: where its folder is.
SCRIPT = "search --file --set=root /boot/grub/grubenv\nset prefix=($root)/boot/grub\nconfigfile $prefix/grub.cfg\n"
FIRST = f"search --file --set=root /linux\nlinux /linux {small_linux.WORDS}\ninitrd /initrd\nboot\n"
MODULES = "linux chain loadenv search_fs_uuid test echo minicmd configfile gzio all_video efi_gop efi_uga"
# The second disk becomes the root of Debian: GRUB must be able to read it.
IN_DEBIAN = f"""$b mkdir /new
$b mount -o bind {small_linux.STATE} /new
for name in bin usr lib lib64 dev proc sys tmp; do $b mkdir -p /new/$name; $b mount -o bind /$name /new/$name; done
$b mkdir -p /new/etc /new/var/lib/baretick /new/boot/efi
$b cp -r /etc/. /new/etc
$b mount -t vfat /dev/vda1 /new/boot/efi
$b mount -t efivarfs efivarfs /new/sys/firmware/efi/efivars
$b chroot /new sh /commands.debian
result=$?
$b umount /new/boot/efi
for name in bin usr lib lib64 dev proc sys/firmware/efi/efivars sys tmp .; do $b umount /new/$name; done
(exit $result)"""


def add(archive):
    for name in PROGRAMS:
        small_linux.program_of(archive, name)
    for name in SCRIPTS:
        archive.copy(name)
    archive.copy(build.ROOT / "packaging/90_baretick", f"{small_linux.SHARE}/packaging/90_baretick")
    archive.file("etc/default/grub", DEFAULTS.encode(), 0o644)
    for name in ("sh", "awk", "basename", "cat", "cmp", "cp", "cut", "dirname", "find", "grep", "head", "id", "ls", "mkdir", "mv", "printf", "rm", "rmdir",
                 "sed", "sort", "stat", "tail", "tr", "umount", "uname"):
        archive.link(f"bin/{name}", "busybox")


@pytest.fixture
def computer(program, tmp_path):
    """A Computer whose second disk has Debian's /boot; GRUB is the loader."""
    c = Computer(tmp_path, program, lambda path: {"EFI/BOOT/BOOTX64.EFI": media.grub_with(path, f"{SCRIPT}{FIRST}", MODULES)}, add=add)
    initrd, environment = tmp_path / "initrd", tmp_path / "grubenv"
    output_of("mcopy", "-i", f"{c.esp}@@{AT}", "::/initrd", initrd)
    output_of("grub-editenv", environment, "create")
    c.state.unlink()
    output_of("mkfs.vfat", "-C", c.state, str(DISK_MIB * 1024))
    output_of("mmd", "-i", c.state, "::/boot", "::/boot/grub")
    for source, name in ((small_linux.kernel()[0], "vmlinuz-6"), (initrd, "initrd.img-6"), (environment, "grub/grubenv")):
        output_of("mcopy", "-i", c.state, source, f"::/boot/{name}")
    return c


def debian(c, *lines):
    """Starts the machine; what the commands of Debian print is in the Boot's text, "linux: status 0" if all succeed."""
    commands = c.folder / "commands.debian"
    commands.write_text("\n".join(("set -e", "export PATH=/bin:/usr/bin:/usr/sbin", *lines)) + "\n")
    output_of("mcopy", "-o", "-i", c.state, commands, "::/commands.debian")
    return c.start(IN_DEBIAN)


def test_grub_starts_the_entry_of_grub_mkconfig_once_and_linux_after_it(computer, tmp_path):
    b = debian(computer, "update-grub", "cp /boot/grub/grub.cfg /boot/before.cfg", f"baretick install {QUICK}", "grub-reboot baretick",
               "cat /boot/grub/grub.cfg")
    assert is_linux(b) and status(b) == [0], str(b)
    menu = re.findall(r"^\s*(?:menuentry|submenu) '([^']*)'", b.text, re.M)
    assert "Debian" in menu[0] and menu[-1] == "baretick", menu
    assert measured(b := computer.start()), str(b)
    b = debian(computer, "cat /proc/cmdline", "ls /boot/efi/baretick", "baretick install --undo",
               "cmp /boot/before.cfg /boot/grub/grub.cfg", "ls /boot/efi/EFI /etc/grub.d /etc/default")
    assert is_linux(b) and status(b) == [0], str(b)
    assert "BOOT_IMAGE=/boot/vmlinuz-6 " in b.text and "0000.jsonl" in b.text.lower(), str(b)
    assert not re.search(r"^(90_)?baretick$", b.text, re.M), str(b)
