"""build/baretick.iso: firmware can boot it as a CD and as a disk."""

import shutil

from commands import output_of
import build
import pytest
from conftest import QUICK
from machine import SUCCESS

pytestmark = pytest.mark.skipif(not shutil.which("xorriso"), reason="xorriso is not installed")


@pytest.fixture(scope="session")
def iso(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("iso")
    conf = folder / "baretick.conf"
    conf.write_text(QUICK + "\n")
    output_of(build.ROOT / "scripts/image", program, conf, folder / "baretick.iso")
    return folder / "baretick.iso"


@pytest.mark.parametrize("bus, takeover", [("cdrom", "exit"), ("usb", "borrow")])
def test_the_iso_boots_and_reads_its_options(boot, iso, bus, takeover):
    """Options come from baretick.conf on the FAT volume, with its other files. There is no screen: the report is
    written to the volume if that can be written."""
    b = boot("", disk=iso, bus=bus).must(SUCCESS)
    assert b.run["takeover"] == takeover, b.run
    assert {r["suite"] for r in b.rows} == {"baseline"} and b.run["options"]["samples"] == 32, str(b)


def test_linux_finds_the_same_files_on_the_iso(iso, program, tmp_path):
    output_of("xorriso", "-osirrox", "on", "-indev", f"stdio:{iso}", "-extract", "/", tmp_path / "cd")
    found = {str(p.relative_to(tmp_path / "cd")) for p in (tmp_path / "cd").rglob("*") if p.is_file()}
    assert found >= {"EFI/BOOT/BOOTX64.EFI", "EFI/BOOT/BOOTIA32.EFI", "baretick.conf", "baretick/README.TXT"}
    assert (tmp_path / "cd/EFI/BOOT/BOOTX64.EFI").read_bytes() == program.read_bytes()
