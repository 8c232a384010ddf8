"""systemd in the small Linux: the package's service collects a report at boot, `systemctl reboot` starts the program, and
`bootctl set-oneshot` selects what `baretick install` has written."""

import re
import shutil

import build
import pytest
import small_linux
from test_once_linux import QUICK, Computer, is_linux, measured

pytestmark = [pytest.mark.others, pytest.mark.long]

# The commands end with the reboot of the service manager.
REBOOTING = "exec $b sleep 1000"
STORED = "$b ls /var/lib/baretick"


def test_the_service_collects_a_report_at_boot_once(program, tmp_path):
    c = Computer(tmp_path, program, small_linux.systemd_boot, add=small_linux.systemd)
    b = c.start(f"baretick once --yes {QUICK}", REBOOTING)
    assert is_linux(b) and b.exit == 0 and "Restarting" in b.text and "verdict" not in b.text, str(b)
    assert measured(b := c.start()), str(b)
    result = "systemctl show -p Result -p ExecMainStatus baretick-once"
    b = c.start(STORED, result)
    assert is_linux(b) and "verdict: PASS" in b.text and re.search(r"\d+T\d+Z\.jsonl", b.text), str(b)
    assert "Result=success" in b.text and "ExecMainStatus=0" in b.text, str(b)
    b = c.start(STORED, result)
    assert is_linux(b) and "verdict" not in b.text and "Result=success" in b.text, str(b)


def systemd_boot_with_bootctl(path):
    files = small_linux.systemd_boot(path)
    return {**files, "EFI/systemd/systemd-bootx64.efi": files["EFI/BOOT/BOOTX64.EFI"]}


@pytest.mark.skipif(not shutil.which("bootctl"), reason="no bootctl: package systemd-boot of Debian 12, systemd-boot-tools of Debian 13")
def test_bootctl_selects_the_installed_entry_once_and_removing_the_package_reverts_it(program, tmp_path):
    bootctl = shutil.which("bootctl")

    def add(archive):
        small_linux.program_of(archive, bootctl)
        archive.copy(build.ROOT / "packaging/debian/baretick.prerm", "prerm")

    c = Computer(tmp_path, program, systemd_boot_with_bootctl, add=add)
    b = c.start(f"baretick install {QUICK}", f"{bootctl} set-oneshot baretick.conf", "echo linux: set $?")
    assert is_linux(b) and "linux: set 0" in b.text, str(b)
    assert measured(b := c.start()), str(b)
    listed = "$b ls -1 /boot/efi/loader/entries /boot/efi/EFI /sys/firmware/efi/efivars"
    b = c.start("$b ls /boot/efi/baretick", f"baretick once --yes --no-reboot {QUICK}", listed, "$b sh /prerm upgrade", "echo linux: upgraded",
                "$b sh /prerm remove", "echo linux: removed $?", listed)
    assert is_linux(b) and "0000.jsonl" in b.text.lower() and "linux: removed 0" in b.text, str(b)
    before, _, after = b.text.replace("\r", "").partition("linux: removed")
    assert "deleted" not in before.partition("linux: upgraded")[0]
    ours = re.compile(r"^(baretick|baretick\.conf|BootNext)(?:-.*)?$", re.MULTILINE)
    assert set(ours.findall(before)) == {"baretick", "baretick.conf", "BootNext"} and not ours.search(after), str(b)
