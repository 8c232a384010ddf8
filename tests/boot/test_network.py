"""Starts from a network by the firmware's PXE, with the configuration that is next to the program. QEMU's own network
has the servers for DHCP and TFTP."""

import shutil

import pytest
from conftest import QUICK
from machine import BAD_OPTIONS, SUCCESS
from tools.qemu import find_firmware

pytestmark = pytest.mark.others

MAC = "52-54-00-12-34-56"


@pytest.fixture
def pxe(boot, program, tmp_path):
    """pxe({name: text}): starts the program from a server with these files in its folder `rack`."""

    def start(files):
        rack = tmp_path / "tftp" / "rack"
        rack.mkdir(parents=True)
        shutil.copy(program, rack)
        for name, text in files.items():
            (rack / name).write_text(text)
        net = [
            "-netdev", f"user,id=net,tftp={tmp_path}/tftp,bootfile=rack/{program.name}",
            "-device", f"virtio-net-pci,netdev=net,mac={MAC.replace('-', ':')},romfile=",
        ]  # fmt: skip
        return boot("", program=None, icount=False, whole=True, firmware=find_firmware(), extra=net)

    return start


def test_a_configuration_of_its_mac_is_used_instead_of_the_common_one(pxe):
    b = pxe({f"{MAC}.conf": QUICK, "baretick.conf": "suite=calls"}).must(SUCCESS)
    assert {r["suite"] for r in b.rows} == {"baseline"}, str(b)
    assert b.run["options_from"] == f"{MAC}.conf", b.run["options_from"]


def test_without_one_the_common_configuration_is_used(pxe):
    b = pxe({"baretick.conf": QUICK, "52-54-00-12-34-57.conf": "suite=calls"}).must(SUCCESS)
    assert {r["suite"] for r in b.rows} == {"baseline"}, str(b)
    assert b.run["options_from"] == "baretick.conf", b.run["options_from"]


def test_a_server_for_the_report_of_a_program_from_elsewhere_is_an_error(boot):
    b = boot(f"{QUICK} upload=http://rack:s3cret@10.0.2.2/").must(BAD_OPTIONS)
    (error,) = b.events("error")
    assert "upload=" in error["message"] and "auto, off" in error["message"] and b"s3cret" not in b.serial, error


def test_a_wrong_word_of_it_is_an_error_that_names_the_file(pxe):
    b = pxe({f"{MAC}.conf": "suite=baseline\nsample=32"}).must(BAD_OPTIONS)
    (error,) = b.events("error")
    assert f"{MAC}.conf, line 2" in error["message"] and "samples=" in error["message"], error
