"""nginx and tftpd-hpa with the configurations that are shipped: kill -9 in the middle of an upload, a client that stops,
a full disk. No machine is booted: a client sends a stored report to a real server."""

import random
import subprocess
import sys

from commands import run_command
import build
import pytest
from tools import children
from wire import MAC, need, wire  # noqa: F401

sys.path.append(str(build.ROOT / "tests" / "hosted"))
import made_fleet  # noqa: E402

pytestmark = pytest.mark.others

NAME = f"{MAC}_20261126T072951.jsonl"
REPORT = made_fleet.Machine(random.Random(1), rows=300).report(1)
LOGIN = "rack:s3cret"

# PUT a file: its first `part` bytes, then wait for the end of the input. Prints the status.
PUT = """
import base64, socket, sys
name, file, part = sys.argv[1], open(sys.argv[2], "rb").read(), int(sys.argv[3])
line = socket.create_connection(("10.9.0.1", 80))
login = base64.b64encode(b"rack:s3cret").decode()
line.sendall(f"PUT /{name} HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Basic {login}\\r\\n"
             f"Content-Length: {len(file)}\\r\\n\\r\\n".encode() + file[:part])
print("sent", flush=True)
if part < len(file):
    sys.stdin.read()
print(line.recv(100).split()[1].decode())
"""
# Write a file by TFTP, likewise. Prints "done" or the code of an error.
WRQ = """
import socket, sys
name, file, part = sys.argv[1], open(sys.argv[2], "rb").read(), int(sys.argv[3])
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
line.settimeout(10)
line.sendto(b"\\0\\2" + name.encode() + b"\\0octet\\0", ("10.9.0.1", 69))
for block in range(len(file) // 512 + 2):
    answer, server = line.recvfrom(600)
    if answer[:2] == b"\\0\\5":
        sys.exit(print(answer[3]))
    assert answer == b"\\0\\4" + block.to_bytes(2, "big"), answer
    if block * 512 > len(file):
        sys.exit(print("done"))
    if block * 512 >= part:
        print("sent", flush=True)
        sys.stdin.read()
    line.sendto(b"\\0\\3" + (block + 1).to_bytes(2, "big") + file[block * 512:][:512], server)
"""


class Client:
    """A client that sends the report, or its first `part` bytes until it is told to continue."""

    def __init__(self, wire, program, name, part=None, content=REPORT):
        file = wire.folder / "sent"
        file.write_bytes(content)
        self.process = children.start([*wire.inside, sys.executable, "-c", program, name, str(file), str(part or len(content))],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip
        if part:
            assert self.process.stdout.readline() == "sent\n"

    def answer(self):
        return self.process.communicate(timeout=60)[0].split()[-1]

    def kill(self):
        self.process.kill()
        self.process.communicate()


def page(wire):
    """Returns what `baretick report` says of the folder of reports."""
    return run_command(build.ROOT / "scripts" / "baretick", "report", wire.reports_at(), "--to", "csv")


@need("nginx")
def test_nginx_keeps_no_part_of_an_upload_as_a_report(wire):
    server = wire.nginx(login=LOGIN)
    assert len(REPORT) > 50000  # several of nginx's buffers
    # The client stops.
    client = Client(wire, PUT, f"reports/{NAME}", part=20000)
    wire.until(lambda: wire.reports("incoming"), "nginx has a part of the upload")
    client.kill()
    wire.until(lambda: not wire.reports("incoming"), "nginx deletes the part")
    assert not wire.reports()
    # The server stops.
    client = Client(wire, PUT, f"reports/{NAME}", part=20000)
    wire.until(lambda: wire.reports("incoming"), "nginx has a part of the upload")
    wire.kill(server)
    client.kill()
    assert not wire.reports() and len(wire.reports("incoming")) == 1
    # The next upload after that arrives.
    wire.restart_nginx()
    assert Client(wire, PUT, f"reports/{NAME}").answer() == "201"
    assert wire.reports() == {NAME: REPORT}
    assert page(wire).returncode == 0


@need("nginx")
def test_nginx_takes_only_reports_and_refuses_them_on_a_full_disk(wire):
    wire.fill("16k")
    wire.nginx(login=LOGIN)
    for name in ("baretick.conf", "reports/x.jsonl", "reports/../baretick.efi", f"incoming/{NAME}"):
        assert Client(wire, PUT, name).answer() in ("403", "404", "405"), name
    assert Client(wire, PUT, f"reports/{NAME}").answer()[0] == "5"
    assert not wire.reports() and not wire.reports("incoming")
    assert Client(wire, PUT, f"reports/{NAME}", content=REPORT[:4000]).answer() == "201"


@need("nginx")
def test_nginx_refuses_a_file_above_its_limit(wire):
    wire.nginx(login=LOGIN)
    assert Client(wire, PUT, f"reports/{NAME}", part=100, content=bytes(18 << 20)).answer() == "413"
    assert not wire.reports()


@need("in.tftpd")
def test_a_report_to_tftpd_arrives_whole_or_not_at_all(wire):
    """tftpd is killed at several bytes, and each part stays in the folder of uploads."""
    parts = {}
    for number, part in enumerate((512, 20000, len(REPORT) // 512 * 512)):
        name = f"{MAC}_{number}.jsonl"
        server = wire.tftpd()
        client = Client(wire, WRQ, f"reports/{name}", part=part)
        wire.kill(server)
        client.kill()
        assert wire.receive().returncode == 0
        assert not wire.reports()
        parts[name] = wire.reports("incoming")[name]
        assert REPORT.startswith(parts[name]) and len(parts[name]) < len(REPORT)
    # The next try overwrites the part; the machine can read it back before and after it is received.
    wire.tftpd()
    assert Client(wire, WRQ, f"/reports/{MAC}_1.jsonl").answer() == "done"
    wire.until(lambda: wire.reports("incoming") == {**parts, f"{MAC}_1.jsonl": REPORT}, "tftpd has written all")
    said = wire.receive()
    assert said.returncode == 0 and f"{MAC}_1.jsonl" in said.stdout, said
    assert wire.reports() == {f"{MAC}_1.jsonl": REPORT}
    assert page(wire).returncode == 0
    assert f"{MAC}_1.jsonl" in wire.reports("incoming")


@need("in.tftpd")
def test_tftpd_on_a_full_disk_leaves_no_part_among_the_reports(wire):
    """It acknowledges all of it, so only reading it back shows what is missing."""
    wire.fill("16k")
    wire.tftpd()
    assert Client(wire, WRQ, f"reports/{NAME}").answer() in ("done", "3")  # 3: disk full, RFC 1350
    assert len(wire.reports("incoming")[NAME]) < len(REPORT)
    assert wire.receive().returncode == 0 and not wire.reports()


@need("in.tftpd")
def test_a_disk_without_room_for_a_copy_has_no_part_among_the_reports(wire):
    wire.fill(f"{len(REPORT) // 1024 + 20}k")
    wire.tftpd()
    assert Client(wire, WRQ, f"reports/{NAME}").answer() == "done"
    wire.until(lambda: wire.reports("incoming")[NAME] == REPORT, "tftpd has written all")
    said = wire.receive()
    assert said.returncode == 2 and NAME in said.stderr, said
    assert not wire.reports()


@need("in.tftpd")
def test_tftpd_takes_only_reports(wire):
    wire.tftpd()
    for name in ("baretick.efi", "reports/x.jsonl", f"reports/{NAME}.conf", f"{NAME}", f"reports/../{NAME}"):
        assert Client(wire, WRQ, name).answer() in ("0", "1", "2"), name
    assert not wire.reports() and not wire.reports("incoming")
