"""Other loaders: U-Boot's UEFI, GRUB, systemd-boot, the UEFI shell; and another emulator."""

import argparse
import os
import shutil
import sys

from commands import output_of
import build
import media
import pytest
from bochs import bochs
from conftest import QUICK
from machine import BAD_OPTIONS, SUCCESS, has
from test_borrow import AT, DO_NOT_WAIT, folder
from test_cores import all_up
from test_install import ENTRY, GRUB_LIBRARY, Made, grub_entry
from test_once_boot import Firmware

sys.path.insert(0, str(build.ROOT / "scripts"))
from once import entry, install, systemd_boot  # noqa: E402
from once import esp as esps  # noqa: E402
from once.variables import Failed  # noqa: E402

UBOOT = ["/usr/lib/u-boot/qemu-x86_64/u-boot.rom", "/usr/share/u-boot/qemu-x86_64/u-boot.rom"]

UBOOT_32 = [path.replace("x86_64", "x86") for path in UBOOT]


def quick(b):
    b.must(SUCCESS)
    assert {r["suite"] for r in b.rows} == {"baseline"}, str(b)
    assert b.run["options"]["samples"] == 32, b.run["options"]
    return b


@pytest.mark.others
@pytest.mark.parametrize("machine", ["q35", "pc"])
def test_uboot_starts_baretick_with_load_options(boot, stick, machine):
    """Its load options are a kernel's, SSE is off, the memory map's descriptors have another size, and the selector in
    FS is of another GDT. There is no screen, so the report is also on the stick."""
    disk = stick({"baretick.conf": QUICK.encode()})
    b = quick(boot("", disk=disk, bus="ide", machine=machine, bios=media.find("U-Boot", *UBOOT)))
    assert "U-Boot" in b.run["firmware"]["vendor"], b.run["firmware"]
    (warning,) = [e for e in b.events("warning") if "load options" in e["message"]]
    assert "root=/dev/sdb3" in warning["message"]
    assert b.run["takeover"] == "borrow" and "wrote baretick\\0000.jsonl" in b.text, str(b)


@pytest.mark.others
def test_all_cores_are_used_under_uboot_before_a_reset(boot, stick):
    """It has no MP services."""
    disk = stick({"baretick.conf": f"{QUICK} cores=all finish=reboot".encode()})
    b = boot("", disk=disk, bus="ide", bios=media.find("U-Boot", *UBOOT), extra=["-smp", "2"])
    assert b.exit == 0 and b.end["verdict"] == "pass" and b.run["takeover"] == "borrow", str(b)
    assert b.run["cores"]["up"] == 2 and {row["core"] for row in b.rows if row["status"] == "ok"} == {0, 1}, b.run["cores"]
    assert "wrote baretick\\0000.jsonl" in b.text, str(b)


@pytest.mark.others
def test_a_wrong_conf_is_refused_under_uboot(boot, stick):
    disk = stick({"baretick.conf": b"samples=3"})
    b = boot("", disk=disk, bus="ide", bios=media.find("U-Boot", *UBOOT))
    b.must(BAD_OPTIONS, rows=0)
    assert "samples=3" in b.text


@pytest.mark.others
def test_the_stick_tells_32_bit_firmware_why_nothing_runs(boot, program, tmp_path):
    image = tmp_path / "stick.img"
    output_of(build.ROOT / "scripts/image", program, build.conf(), image)
    b = boot("", disk=image, machine="pc", icount=False, bios=media.find("U-Boot of 32 bits", *UBOOT_32),
             done=lambda data: b"nothing was measured" in data)  # fmt: skip
    assert "baretick needs 64-bit UEFI firmware and a CPU with 64-bit mode; this firmware has 32 bits" in b.text, str(b)


ONE_SHOT = "LoaderEntryOneShot"  # systemd.io/BOOT_LOADER_INTERFACE
# As Debian's /etc/grub.d/00_header has it, for a file on the disk. The first entry represents Linux.
GRUB = """
search --no-floppy --file --set=root /ready.efi
load_env --file ($root)/grub/grubenv
if [ "${{next_entry}}" ] ; then
    set default="${{next_entry}}"
    set next_entry=
    save_env --file ($root)/grub/grubenv next_entry
else
    set default=0
fi
set timeout=0
menuentry 'Linux' {{
    chainloader /ready.efi
}}
{entry}
"""
GRUB_MODULES = "chain loadenv search_fs_uuid test echo minicmd configfile"


def run_install(program, made):
    """Runs `baretick install` on the made system."""
    p = argparse.ArgumentParser()
    install.add(p.add_subparsers())
    assert install.run(p.parse_args(["install", "--image", str(program), *QUICK.split()]), made) == 0


def runs_once(f):
    """Starts the machine, which must run the program once and save its report; returns the Boot."""
    b = f.start()
    assert b.exit == 0 and b.end["verdict"] == "pass", str(b)
    assert {r["suite"] for r in b.rows} == {"baseline"} and b.run["options"]["samples"] == 32, str(b)
    assert "0000.jsonl" in folder(f.disk)
    return b


def test_grub_starts_what_grub_reboot_selects(program, tmp_path):
    reboot = shutil.which("grub-reboot") or "/usr/sbin/grub-reboot"
    if not (os.path.exists(reboot) and GRUB_LIBRARY.exists()):
        pytest.skip("no grub-reboot: package grub2-common")
    made = Made(tmp_path / "made")
    made.add_grub()
    f = Firmware(tmp_path, program, **{"ready.efi": build.ready()})
    run_install(program, made)
    volume = f.disk.read_bytes()[AT:AT + 90]
    uuid = f"{int.from_bytes(volume[69:71], 'little'):04X}-{int.from_bytes(volume[67:69], 'little'):04X}"  # FAT32's serial number
    (tmp_path / "boot/grub").mkdir(parents=True)
    output_of("grub-editenv", tmp_path / "boot/grub/grubenv", "create")
    output_of(reboot, f"--boot-directory={tmp_path / 'boot'}", "baretick")
    loader = media.grub_with(tmp_path / "grub.efi", GRUB.format(entry=grub_entry(made, tmp_path, uuid)), GRUB_MODULES)
    image = f"{f.disk}@@{AT}"
    output_of("mcopy", "-no", "-i", image, loader, "::/EFI/BOOT/BOOTX64.EFI")
    output_of("mcopy", "-sno", "-i", image, tmp_path / "boot/grub", made.path("/boot/efi/EFI"), "::/")
    runs_once(f)
    output_of("mcopy", "-no", "-i", image, "::/grub/grubenv", tmp_path / "after")
    assert "next_entry=baretick" not in (tmp_path / "after").read_text() and "next_entry=" in (tmp_path / "after").read_text()


@pytest.fixture
def systemd_boot_on(program, tmp_path):
    """systemd_boot_on(made): a Firmware that starts systemd-boot, with the made system's entries and program."""

    def make(made):
        loader = media.find("systemd-boot", "/usr/lib/systemd/boot/efi/systemd-bootx64.efi")
        f = Firmware(tmp_path, program, **{"EFI/BOOT/BOOTX64.EFI": loader, "ready.efi": build.ready(), "EFI/baretick/baretick.efi": program})
        output_of("mcopy", "-sno", "-i", f"{f.disk}@@{AT}", made.path("/boot/efi/loader"), "::/")
        return f

    return make


LINUX = "title Linux\nefi /ready.efi\n"


def test_systemd_boot_starts_what_set_oneshot_selects(program, tmp_path, systemd_boot_on):
    made = Made(tmp_path / "made")
    made.add_systemd_boot(linux=LINUX)
    run_install(program, made)
    f = systemd_boot_on(made)
    # What `bootctl set-oneshot baretick.conf` writes.
    f.linux.variables.set(ONE_SHOT, entry.wide("baretick.conf"), systemd_boot.GUID)
    runs_once(f)
    assert f.linux.variables.get(ONE_SHOT, systemd_boot.GUID) is None
    assert f.starts_linux()


@pytest.mark.others
@pytest.mark.long
@pytest.mark.parametrize("default, entries, variable", [
    ("", {"arch": LINUX}, None),
    ("", {"arch": f"{LINUX}sort-key arch\n"}, None),
    ("", {"3f2a91c4-6.1.0": LINUX}, None),
    ("", {"linux+0-3": f"{LINUX}sort-key linux\n"}, None),
    ("default fedora-*\n", {"arch": LINUX}, None),
    ("default *\n", {"arch": LINUX, "fedora": LINUX}, None),
    ("default *\n", {"arch": LINUX}, None),
    ("", {"arch": LINUX}, ("LoaderEntryDefault", "ARCH.conf")),
    ("default @saved\n", {"linux": LINUX}, ("LoaderEntryLastBooted", "baretick.conf")),
])  # fmt: skip
def test_install_refuses_where_systemd_boot_would_start_the_entry_by_itself(tmp_path, systemd_boot_on, default, entries, variable):
    """The entry is written although `install` refuses. Then systemd-boot decides."""
    made = Made(tmp_path / "made")
    made.add_systemd_boot(default, **entries)
    if variable:
        made.variables.set(variable[0], entry.wide(variable[1]), systemd_boot.GUID)
    try:
        systemd_boot.check_default(made, esps.choose(made))
        is_refused = False
    except Failed:
        is_refused = True
    made.write(ENTRY, systemd_boot.entry_text(install.IMAGE, [*install.WORDS, *QUICK.split()]))
    f = systemd_boot_on(made)
    if variable:
        f.linux.variables.set(variable[0], entry.wide(variable[1]), systemd_boot.GUID)
    b = f.start(done=lambda data: b"ready" in data)
    assert bool(b.records) == is_refused, str(b)


def shell(tmp_path, program, name, words):
    script = f"fs0:\r\n{name} {words}\r\necho the shell continues\r\nreset -s\r\n".encode()
    return media.gpt_disk(
        tmp_path / "shell.img", {"baretick.efi": program, "startup.nsh": script}
    )


@pytest.mark.parametrize("name", ["baretick", "fs0:\\BARETICK.EFI"])
def test_the_uefi_shell_starts_baretick_with_options(boot, program, tmp_path, name):
    quick(boot("", disk=shell(tmp_path, program, name, QUICK), keys=DO_NOT_WAIT))


def test_uefi_shell_is_given_back_its_prompt(boot, program, tmp_path):
    """Without QEMU's exit device, a wrong word ends in the shell, not in a halted machine."""
    disk = shell(tmp_path, program, "baretick.efi", "suite=baseline samples=3")
    b = boot("", disk=disk, cpu="max,-hypervisor", whole=True, keys=DO_NOT_WAIT)
    assert "samples=3" in b.text and "the shell continues" in b.text, str(b)
    assert b.exit == 0 and b.end["verdict"] == "fail", str(b)


@pytest.mark.others
@pytest.mark.long
def test_bochs_starts_baretick_with_x2apic_and_without_acpi(shim, tmp_path):
    """CPUID says 3.5 GHz there, and the TSC counts at another rate. No ACPI, no PM timer, and no exit device. x2APIC,
    which QEMU's emulated CPUs lack before 9.0, as a firmware may leave it; test_steps.py has Bochs without it. There a
    TLB shootdown sends its interrupts by MSR."""
    b = bochs(tmp_path, shim("x2apic", f"{QUICK} suite=baseline,translation bench=empty*,shootdown cores=all"), cores=3)
    assert b.end["verdict"] == "pass" and b.end["rows"] == len(b.rows) > 5, str(b)
    assert b.run["options"]["samples"] == 32, b.run["options"]
    ok = [(row["core"], row["name"]) for row in b.rows if row["status"] == "ok"]
    assert {(core, "empty_rdtscp") for core in range(3)} | {(0, "shootdown")} <= set(ok), str(b)
    assert [s["cores"] for s in b.row("translation", "shootdown")["by_cores"]] == [1, 2], str(b)
    assert b.run["tsc"]["hz"] == pytest.approx(50e6, rel=0.02), b.run["tsc"]
    stated = b.run["tsc"]["sources"][-1]
    assert (stated["name"], stated["by"], stated["hz"]) == ("stated", "cpuid_15h_model_crystal", 3504000000)
    assert any("states a TSC of 3504000000 Hz" in e["message"] for e in b.events("warning")), b.events()
    # Leaf 16h, whose base clock is not the TSC's there, is compared with the measured TSC.
    hz = b.run["tsc"]["hz"]
    speeds = {s["name"]: s for s in b.run["tsc"]["speeds"]}
    for name in ("cpuid16_base", "cpuid16_maximum"):
        s = speeds[name]
        assert s["verdict"] == "another clock" and s["hz"] in (3500000000, 4000000000), s
        assert s["off_percent"] == pytest.approx((s["hz"] / hz - 1) * 100, rel=1e-3), s
        assert f"{name:<16} {s['hz'] // 10**6}.000 MHz, " in b.text, str(b)
    assert has(speeds["cpuid16_bus"], {"verdict": "another clock", "hz": 100000000}), speeds
    assert speeds["stated"]["verdict"] == "wrong", speeds
    # Thermal status reads 0 there; the topology is as configured.
    assert has(b.run["thermal"], {s: {"throttled_since_reset": False} for s in ("core", "package")})
    assert all(row["throttled"] is False for row in b.rows if row["status"] == "ok" and row["form"] != "cores")
    assert b.run["topology"]["logical_cpus"] == b.run["cores"]["count"]
    assert b.run["masked"]["x2apic"] is True, b.run["masked"]
    all_up(b, 3, "mp_services")
