"""Other loaders: U-Boot's UEFI, GRUB, systemd-boot, the UEFI shell; and another emulator."""

import media
import pytest
from bochs import bochs
from conftest import QUICK
from machine import BAD_OPTIONS, SUCCESS, has
from test_borrow import DO_NOT_WAIT
from test_cores import all_up

UBOOT = ["/usr/lib/u-boot/qemu-x86_64/u-boot.rom", "/usr/share/u-boot/qemu-x86_64/u-boot.rom"]


def quick(b):
    b.must(SUCCESS)
    assert {r["suite"] for r in b.rows} == {"baseline"}, str(b)
    assert b.run["options"]["samples"] == 32, b.run["options"]
    return b


@pytest.mark.others
@pytest.mark.parametrize("machine", ["q35", "pc"])
def test_uboot_starts_it_with_its_own_load_options(boot, stick, machine):
    """Its load options are a kernel's, SSE is off, the memory map's descriptors have another size."""
    disk = stick({"baretick.conf": QUICK.encode()})
    b = quick(boot("", disk=disk, bus="ide", machine=machine, bios=media.find("U-Boot", *UBOOT)))
    assert "U-Boot" in b.run["firmware"]["vendor"], b.run["firmware"]
    (warning,) = [e for e in b.events("warning") if "load options" in e["message"]]
    assert "root=/dev/sdb3" in warning["message"]


@pytest.mark.others
def test_a_wrong_conf_is_refused_under_uboot(boot, stick):
    disk = stick({"baretick.conf": b"samples=3"})
    b = boot("", disk=disk, bus="ide", bios=media.find("U-Boot", *UBOOT))
    b.must(BAD_OPTIONS, rows=0)
    assert "samples=3" in b.text


def test_grub_starts_it_with_options(boot, program, tmp_path):
    loader = media.grub(tmp_path / "grub.efi", QUICK)
    files = {"EFI/BOOT/BOOTX64.EFI": loader, "baretick.efi": program}
    quick(boot("", disk=media.gpt_disk(tmp_path / "grub.img", files)))


def test_systemd_boot_starts_it_with_options(boot, program, tmp_path):
    loader = media.find("systemd-boot", "/usr/lib/systemd/boot/efi/systemd-bootx64.efi")
    entry = f"title baretick\nefi /baretick.efi\noptions {QUICK}\n"
    files = {
        "EFI/BOOT/BOOTX64.EFI": loader,
        "baretick.efi": program,
        "loader/loader.conf": b"timeout 0\ndefault baretick.conf\n",
        "loader/entries/baretick.conf": entry.encode(),
    }
    quick(boot("", disk=media.gpt_disk(tmp_path / "systemd.img", files)))


def shell(tmp_path, program, name, words):
    script = f"fs0:\r\n{name} {words}\r\necho the shell continues\r\nreset -s\r\n".encode()
    return media.gpt_disk(
        tmp_path / "shell.img", {"baretick.efi": program, "startup.nsh": script}
    )


@pytest.mark.parametrize("name", ["baretick", "fs0:\\BARETICK.EFI"])
def test_the_uefi_shell_starts_it_with_options(boot, program, tmp_path, name):
    quick(boot("", disk=shell(tmp_path, program, name, QUICK), keys=DO_NOT_WAIT))


def test_uefi_shell_is_given_back_its_prompt(boot, program, tmp_path):
    """Without QEMU's exit device, a wrong word ends in the shell, not in a halted machine."""
    disk = shell(tmp_path, program, "baretick.efi", "suite=baseline samples=3")
    b = boot("", disk=disk, cpu="max,-hypervisor", whole=True, keys=DO_NOT_WAIT)
    assert "samples=3" in b.text and "the shell continues" in b.text, str(b)
    assert b.exit == 0 and b.end["verdict"] == "fail", str(b)


@pytest.mark.others
@pytest.mark.long
def test_bochs_starts_it_with_x2apic_and_without_acpi(shim, tmp_path):
    """CPUID says 3.5 GHz there, and the TSC counts at another rate. No ACPI, no PM timer, and no exit device. x2APIC,
    which QEMU's emulated CPUs lack before 9.0, as a firmware may leave it; test_steps.py has Bochs without it."""
    b = bochs(tmp_path, shim("x2apic", QUICK), cores=3)
    assert b.end["verdict"] == "pass" and b.end["rows"] == len(b.rows) > 5, str(b)
    assert b.run["options"]["samples"] == 32, b.run["options"]
    assert b.row("baseline", "empty_rdtscp")["status"] == "ok"
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
    assert all(row["throttled"] is False for row in b.rows if row["status"] == "ok")
    assert b.run["topology"]["logical_cpus"] == b.run["cores"]["count"]
    assert b.run["masked"]["x2apic"] is True, b.run["masked"]
    all_up(b, 3, "mp_services")
