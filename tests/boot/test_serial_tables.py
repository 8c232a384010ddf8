"""The destination of the report if the firmware's tables name a serial port: the shim installs them."""

import re
import struct

import pytest
from machine import BAD_OPTIONS, SUCCESS, has, monitor, qemu

QUICK = "suite=baseline bench=empty_lfence samples=16 warmup=0 format=both"
MMIO, IO = 0, 1
NOWHERE = 0xFEB00000  # in the hole for devices below 4 GiB, where q35 has no device


def table(signature, revision, body):
    """QEMU's -acpitable, or the firmware to which the shim passes it, sets the checksum."""
    return struct.pack("<4sIBB6s8sI4sI", signature, 36 + len(body), revision, 0, b"MAKER", b"MODEL", 1, b"TEST", 1) + body


def gas(space, bits, access, address):
    return struct.pack("<BBBBQ", space, bits, 0, access, address)


def spcr(space, address, baud=6, interface=0, bits=8, access=1):
    body = struct.pack("<B3x", interface) + gas(space, bits, access, address) + struct.pack("<6xBBBB2x", baud, 0, 1, 0)
    return table(b"SPCR", 2, body + struct.pack("<HH12x", 0xFFFF, 0xFFFF))


def dbg2(space, address):
    device = struct.pack("<BHBHHHHHHHHH", 0, 40, 1, 2, 38, 0, 0, 0x8000, 0, 0, 22, 34)
    return table(b"DBG2", 0, struct.pack("<II", 44, 1) + device + gas(space, 8, 1, address) + struct.pack("<I", 8) + b".\0")


@pytest.fixture
def tables(boot, shim, tmp_path):
    """tables(words, bytes, ...): a boot in which the firmware has these, with a second line at COM2, into a file."""

    def start(words, *raw):
        return boot("", disk=shim("tables", words, tables=raw), extra=["-serial", f"file:{start.line}"])

    start.line = tmp_path / "com2"
    return start


def port_used(data):
    return data.split(b'"serial":{')[1].split(b"}")[0]


@pytest.mark.parametrize("raw, advised", [([], True), ([spcr(IO, 0x3F8)], False)], ids=["no table", "spcr"])
def test_serial_off_is_advised_where_no_table_names_the_port(tables, raw, advised):
    b = tables(QUICK, *raw).must(SUCCESS)
    assert b.run["serial"]["port"] == 0x3F8 and ("use serial=off" in b.text) == advised, str(b)


@pytest.mark.parametrize(
    "raw, words, serial",
    [
        ([spcr(IO, 0x2F8)], "", b'"from":"spcr","port":760,"baud":57600'),
        ([spcr(IO, 0x2F8)], " serial=auto,9600", b'"from":"spcr","port":760,"baud":9600'),
        ([dbg2(IO, 0x2F8)], "", b'"from":"dbg2","port":760,"baud":115200'),
        ([dbg2(IO, 0x3F8), spcr(IO, 0x2F8)], "", b'"from":"spcr","port":760,"baud":57600'),
        ([spcr(IO, 0x3E8), dbg2(IO, 0x2F8)], "", b'"from":"dbg2","port":760,"baud":115200'),
    ],
    ids=["spcr", "option's speed", "dbg2", "spcr before dbg2", "no port at spcr's"],
)
def test_a_port_that_a_table_names_is_used(tables, raw, words, serial):
    b = tables(QUICK + words, *raw)
    assert b.status == SUCCESS and not b.records, str(b)
    line = tables.line.read_bytes()
    assert b'"verdict":"pass"' in line and b"baretick: left firmware" in line
    assert port_used(line) == serial


@pytest.mark.parametrize(
    "raw",
    [
        [spcr(IO, 0)],
        [spcr(IO, 0x2F8, interface=3)],
        [spcr(IO, 0x3E8)],
        [spcr(MMIO, NOWHERE, bits=32, access=3)],
        [spcr(MMIO, 0x1000000)],
        [spcr(IO, 0x2F8)[:60]],
        [dbg2(IO, 0x2F8)[:-30] + bytes(30)],
    ],
    ids=["none", "another kind", "no port", "no port in memory", "inside RAM", "cut", "broken"],
)
def test_com1_is_used_if_a_table_names_no_usable_port(tables, raw):
    b = tables(QUICK, *raw).must(SUCCESS)
    assert has(b.run["serial"], {"from": "com1", "port": 0x3F8, "baud": 115200}), b.run
    assert b.text.count("baretick: left firmware") == 1


# q35's devices there, by OVMF's memory map and tables; the address of the first depends on the release.
ECAM = "PCI configuration space"
TAKEN = {ECAM: None, "the local APIC": 0xFEE00000, "an IO-APIC": 0xFEC00000, "the HPET": 0xFED00000,
         "the firmware's flash": 0xFFFFF000, "RAM": 0x1000000}  # fmt: skip


@pytest.fixture(scope="module")
def address_of(program, tmp_path_factory):
    """address_of(what): of TAKEN; QEMU's monitor says where the firmware has put ECAM."""
    folder, said = tmp_path_factory.mktemp("ecam"), []
    b = qemu(folder, program=program, words=QUICK,
             keys={b'"type":"run"': lambda: said.extend(monitor(folder / "monitor", "info mtree"))})  # fmt: skip
    found = re.search(r"([0-9a-f]{16})-[0-9a-f]{16} .*: pcie-mmcfg", said[0] if said else "")
    assert found, f"{said}\n{b}"
    return lambda what: TAKEN[what] or int(found[1], 16)


@pytest.mark.parametrize("what", [ECAM, "RAM"])
def test_an_address_of_a_table_that_is_not_a_port_is_not_written_to(tables, address_of, what):
    """Nothing is written there, and the report says what it is."""
    address = address_of(what)
    b = tables(QUICK, spcr(MMIO, address, bits=32, access=3)).must(SUCCESS)
    assert b.run["serial"]["from"] == "com1"
    (warning,) = [e for e in b.events("warning") if "not tried" in e["message"]]
    assert f"spcr names address {address:#x}, but it is {what}" in warning["message"], warning


@pytest.mark.parametrize("what", TAKEN)
def test_an_option_whose_address_is_not_a_port_is_refused(boot, address_of, what):
    address = address_of(what)
    b = boot(f"{QUICK} serial=mmio:{address:#x}:4:4").must(BAD_OPTIONS, rows=0)
    (error,) = b.events("error")
    assert f"serial=mmio: address {address:#x} is {what}" in error["message"], error


def test_the_option_comes_before_the_tables(tables):
    b = tables(QUICK + " serial=com1", spcr(IO, 0x2F8)).must(SUCCESS)
    assert b.run["serial"]["from"] == "option"


def test_an_option_names_the_second_port(tables):
    b = tables(QUICK + " serial=com2,57600")
    assert b.status == SUCCESS and not b.records and b'"verdict":"pass"' in tables.line.read_bytes(), str(b)


def test_an_error_goes_to_the_same_port(tables):
    b = tables("samples=no", spcr(IO, 0x2F8))
    assert not b.records and b'"kind":"error"' in tables.line.read_bytes(), str(b)
