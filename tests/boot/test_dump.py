"""The word `dump`: its recording of the machine, on the stick and the serial line, and what the replay decodes of it."""

import json

import build
import pytest
import report_fields
from commands import output_of, run_command
from machine import NO_REPORT, SUCCESS, has
from read import report
from sharing import EPYC, SKYLAKE

# What identifies a machine or its owner: each is in SMBIOS, or in an ACPI table that is not decoded.
SECRETS = ["SYS-SERIAL", "SKU-OF-OWNER", "BOARD-SERIAL", "BOARD-ASSET", "CASE-SERIAL", "CASE-ASSET", "CPU-SERIAL", "CPU-ASSET",
           "RAM-SERIAL", "RAM-ASSET", "OWNER-TEXT", "LICENCE-KEY"]
UUID = "12345678-9abc-def0-1234-56789abcdef0"
IDENTITIES = [
    "-smbios", f"type=1,manufacturer=Acme,product=Anvil,serial=SYS-SERIAL,sku=SKU-OF-OWNER,uuid={UUID}",
    "-smbios", "type=2,manufacturer=AcmeBoard,serial=BOARD-SERIAL,asset=BOARD-ASSET",
    "-smbios", "type=3,serial=CASE-SERIAL,asset=CASE-ASSET",
    "-smbios", "type=4,serial=CPU-SERIAL,asset=CPU-ASSET",
    "-smbios", "type=11,value=OWNER-TEXT",
    "-smbios", "type=17,serial=RAM-SERIAL,asset=RAM-ASSET,part=Fast4",
]  # fmt: skip


def lines_of(records):
    return [line for r in records if r["type"] == "machine" for line in r["lines"]]


def replay(path):
    return json.loads(output_of(build.ROOT / "build/hosted/replay", "cpuid", path))


def recording(b, tmp_path):
    """Returns what `show --machine` prints of this report, as a file."""
    saved, text = tmp_path / "dump.jsonl", tmp_path / "machine.txt"
    saved.write_bytes(b.serial)
    text.write_text(output_of(build.ROOT / "scripts/baretick", "show", "--machine", saved))
    assert text.read_text().splitlines() == lines_of(b.records)
    return text


@pytest.mark.parametrize("how", [SKYLAKE, EPYC], ids=["intel", "amd"])
def test_the_replay_of_a_dump_decodes_what_a_run_reports(boot, shared, tmp_path, how):
    run = shared(**how).must(SUCCESS).run
    b = boot("dump", **how)
    assert b.status == SUCCESS and b.end["verdict"] == "pass" and b.end["rows"] == 0, str(b)
    said = replay(recording(b, tmp_path))
    assert "error" not in said, said
    places = [line.split()[1] for line in lines_of(b.records) if line.startswith("bytes ")]
    assert len(places) == len(set(places)), "recorded twice"
    assert said["cpus_recorded"] == run["topology"]["logical_cpus"] == len(said["acpi"]["MADT"]["cpus"])
    for name in ("logical_cpus", "packages", "cores", "threads_per_core"):
        assert said[name] == run["topology"][name]
    for name in ("caches", "tlbs", "mitigations"):
        assert said[name] == run[name], name
    assert said["brand"] == run["cpu"]["brand"] and said.get("microcode") == run["cpu"].get("microcode")
    assert has(said["smbios"], run["smbios"]) and run["smbios"]["system_vendor"] == "QEMU"
    assert said["acpi"]["oem_id"] == run["firmware"]["acpi_oem"] == "BOCHS" and said["acpi"]["FADT"]["pm_timer_port"] == 0x608
    assert 0.5 < said["memory"]["conventional_bytes"] / (512 << 20) < 1 and said["pci_functions"] >= 3


def hex_of(lines):
    return "".join(line.split()[2] for line in lines if line.startswith("bytes "))


def test_a_stick_gets_the_dump_without_what_identifies_the_machine(boot, program, stick, tmp_path):
    """The file has the records of the serial line. Read as bytes, no record has a serial number, UUID, asset tag, text of
    the owner or licence key; models and makers are there."""
    table = b"MSDM" + (36 + 11).to_bytes(4, "little") + bytes(28) + b"LICENCE-KEY"
    table = table[:9] + bytes([-sum(table) & 0xFF]) + table[10:]
    (tmp_path / "msdm").write_bytes(table)
    disk = stick({"baretick.conf": b"dump\n"})
    b = boot("", disk=disk, snapshot=False, extra=[*IDENTITIES, "-acpitable", f"file={tmp_path}/msdm"])
    assert b.status == SUCCESS and r"baretick\0000.jsonl" in b.text, str(b)
    output_of("mcopy", "-n", "-i", f"{disk}@@1M", "::/baretick/0000.jsonl", tmp_path / "0000.jsonl")
    saved = [report.parse(line) for line in (tmp_path / "0000.jsonl").read_bytes().splitlines()]
    assert saved == b.records and not report_fields.mistakes(saved)
    lines = lines_of(saved)
    recorded = bytes.fromhex(hex_of(lines)) + "\n".join(lines).encode()
    for secret in SECRETS:
        assert secret.encode() not in recorded, secret
    digits = UUID.replace("-", "")
    for form in (digits, "".join(digits[i:i + 2] for i in (6, 4, 2, 0, 10, 8, 14, 12)) + digits[16:]):
        assert bytes.fromhex(form) not in recorded
    for known in (b"Acme\0", b"Anvil\0", b"AcmeBoard\0", b"Fast4\0", b"MSDM", b"DSDT", b"_S5_"):
        assert known in recorded, known
    said = replay(recording(b, tmp_path))
    assert said["smbios"]["system_product"] == "Anvil" and said["smbios"]["slots"] == 1


@pytest.mark.parametrize("mode, words", [
    ("no-rsdp", "# the firmware names no ACPI tables"),
    ("rsdp-nowhere", "# the RSDP or the root table is not valid"),
    ("rsdp-badsum", "# the RSDP or the root table is not valid"),
    ("mp-none", "# not all cores were recorded: MP services: device error"),
    ("madt-lies", "# logical_cpus_recorded: 3"),
])
def test_a_broken_machine_is_recorded_as_far_as_it_can_be_read(boot, shim, tmp_path, mode, words):
    b = boot("", disk=shim(mode, "dump"), extra=["-smp", "3"])
    assert b.status == SUCCESS, str(b)
    said = [line for line in lines_of(b.records) if line.startswith("#")]
    assert any(line.startswith(words) for line in said), said
    said = replay(recording(b, tmp_path))
    assert "error" not in said and said["cpus_recorded"] == (2 if mode == "mp-none" else 3)
    if mode == "madt-lies":
        assert "MADT" in said["acpi"]["MADT"]["error"]
    else:
        assert said.get("acpi", {}).get("present", False) == (mode == "mp-none")


def test_a_dump_that_is_kept_nowhere_is_not_a_success(boot):
    assert boot("dump serial=off").status == NO_REPORT


def test_a_report_without_a_recording_is_refused_by_name(shared, tmp_path):
    saved = tmp_path / "run.jsonl"
    saved.write_bytes(shared().serial)
    p = run_command(build.ROOT / "scripts/baretick", "show", "--machine", saved)
    assert p.returncode == 2 and f"{saved}: no records `machine`" in p.stderr and "dump" in p.stderr, p.stderr
