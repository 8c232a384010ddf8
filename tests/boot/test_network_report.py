"""The way of a report back to a server, by HTTP and by TFTP, with Debian's nginx, tftpd-hpa and dnsmasq, and with the
configurations that are shipped: it arrives whole, or not as a report."""

import re
import shutil
from pathlib import Path

import pytest
from conftest import QUICK
from machine import SUCCESS
from read import report
from wire import FAR, MAC, RECEIVERS, SERVER, need, wire  # noqa: F401

pytestmark = [pytest.mark.others, pytest.mark.long]

NAME = re.compile(rf"{MAC}_\d{{8}}T\d{{6}}\.jsonl")
BORROW = f"{QUICK} takeover=borrow"


def whole(wire, b, tftp=False):
    """Asserts that one report arrived, that it is the one on the serial line, and that the console names it."""
    assert "baretick: sent " in b.text, str(b)
    if tftp:
        assert wire.receive().returncode == 0
    else:
        assert not wire.reports("incoming")
    ((name, content),) = wire.reports().items()
    assert NAME.fullmatch(name), name
    assert [report.parse(line) for line in content.splitlines()] == b.records
    assert f"{name}\n" in b.text, str(b)


@need("dnsmasq", "in.tftpd")
def test_a_program_from_tftp_sends_its_report_there(wire):
    wire.for_pxe()
    (wire.root / f"{MAC}.conf").write_text(BORROW)
    b = wire.boot().must(SUCCESS)
    assert b.run["options_from"] == f"{MAC}.conf"
    whole(wire, b, tftp=True)


@need("dnsmasq", "nginx")
def test_a_program_from_http_sends_its_report_there(wire):
    wire.for_http()
    (wire.root / "baretick.conf").write_text(BORROW)
    b = wire.boot(http=True).must(SUCCESS)
    assert b.run["options_from"] == "baretick.conf"
    whole(wire, b)


# The server is started again after the program's first try.
@need("dnsmasq", "in.tftpd")
def test_tftpd_that_was_killed_gets_the_report_from_the_next_try(wire):
    """It is on another network."""
    wire.for_pxe()
    server = wire.tftpd(wire.far())
    (wire.root / "baretick.conf").write_text(f"{QUICK} upload=tftp://{FAR}/reports")
    b = wire.boot(keys={b"borrowing the machine": lambda: wire.kill(server),
                        b"try 1 of 4 failed": lambda: wire.tftpd(FAR)})  # fmt: skip
    assert "try 1 of 4 failed" in b.text, str(b)
    whole(wire, b.must(SUCCESS), tftp=True)


@need("dnsmasq", "nginx")
def test_nginx_that_was_killed_gets_the_report_from_the_next_try(wire):
    """Through a second server in the place of a TLS proxy, on another network, with the login of a machine."""
    login = "rack:s3cret"
    wire.far()
    server = wire.for_http(login=login, change=lambda text: text + PROXY)
    (wire.root / "baretick.conf").write_text(f"{QUICK} upload=http://{login}@{FAR}:8080/reports")
    b = wire.boot(http=True, keys={b"borrowing the machine": lambda: wire.kill(server),
                                   b"try 1 of 4 failed": wire.restart_nginx})  # fmt: skip
    assert "try 1 of 4 failed" in b.text, str(b)
    whole(wire, b.must(SUCCESS))
    assert b"s3cret" not in b.serial and b.run["options"]["upload"] == f"http://{FAR}:8080/reports/"


PROXY = f"""
server {{
    listen 8080;
    client_max_body_size 17m;
    location / {{
        proxy_pass http://{SERVER};
    }}
}}
"""


@need("dnsmasq", "nginx")
def test_a_wrong_password_leaves_no_file(wire):
    wire.for_http(login="rack:s3cret")
    (wire.root / "baretick.conf").write_text(f"{QUICK} upload=http://rack:wrong@{SERVER}/reports")
    b = wire.boot(http=True).must(SUCCESS)
    assert "HTTP status: 401" in b.text and "the report was not sent" in b.text, str(b)
    assert not wire.reports() and not wire.reports("incoming")


@need("dnsmasq", "in.tftpd", "nginx", "openssl")
@pytest.mark.parametrize("trusts", ["server", "other", None])
def test_https_needs_an_authority_that_the_firmware_trusts(wire, trusts):
    """OVMF has its authorities from QEMU, as variable TlsCaCertificate."""
    trusted = {name: wire.certificate(name) for name in ("server", "other")}
    wire.for_pxe()
    keys = f"ssl_certificate {wire.folder}/server.pem; ssl_certificate_key {wire.folder}/server.key;"
    wire.nginx(change=lambda text: text.replace("listen 80;", f"listen 80; listen 443 ssl; {keys}"))
    (wire.root / "baretick.conf").write_text(f"{QUICK} upload=https://{SERVER}/reports")
    b = wire.boot(extra=["-fw_cfg", f"name=etc/edk2/https/cacerts,file={trusted[trusts]}"] if trusts else []).must(SUCCESS)
    if trusts == "server":
        whole(wire, b)
        return
    assert "https: the firmware" in b.text and "the report was not sent" in b.text, str(b)
    assert ("TlsCaCertificate" in b.text) == (trusts is None), str(b)
    assert not wire.reports()


@need("dnsmasq", "in.tftpd")
def test_a_full_disk_of_tftpd_is_found_by_reading_the_report_back(wire):
    wire.run("mount", "-t", "tmpfs", "-o", "size=8k,mode=777", "none", wire.root / "incoming")
    wire.for_pxe()
    (wire.root / "baretick.conf").write_text(BORROW)
    b = wire.boot().must(SUCCESS)
    assert "try 4 of 4 failed" in b.text and "the report was not sent" in b.text, str(b)


@need("dnsmasq", "in.tftpd", "nginx")
@pytest.mark.parametrize("name, own", [("snponly.efi", False), ("ipxe.efi", False), ("ipxe.efi", True)])
def test_a_program_from_ipxe_sends_its_report_by_the_firmware_s_http(wire, name, own):
    """The script that is shipped. own: iPXE is not started by PXE, and uses its own driver of the device."""
    ipxe = Path("/usr/lib/ipxe") / name
    if not ipxe.exists():
        pytest.skip("no iPXE: scripts/setup --all installs it")
    wire.dnsmasq("--dhcp-match=set:ipxe,175", "--dhcp-boot=tag:!ipxe,loader.efi", "--dhcp-boot=tag:ipxe,baretick.ipxe")
    wire.tftpd()
    wire.nginx()
    shutil.copy(ipxe, wire.root / "loader.efi")
    shutil.copy(RECEIVERS / "baretick.ipxe", wire.root)
    (wire.root / f"{MAC}.conf").write_text(f"{QUICK} upload=http://{SERVER}/reports")
    b = wire.boot(extra=["-kernel", ipxe] if own else []).must(SUCCESS)
    assert b.run["options_from"].startswith("baretick.conf"), b.run["options_from"]
    whole(wire, b)
