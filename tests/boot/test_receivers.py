"""nginx and tftpd-hpa with the configurations that are shipped: kill -9 in the middle of an upload, a client that stops,
a full disk. No machine is booted: a client sends a stored report to a real server."""

import random
import subprocess
import sys

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
    return subprocess.run([build.ROOT / "scripts" / "baretick", "report", wire.reports_at(), "--to", "csv"],
                          capture_output=True, text=True, check=False)  # fmt: skip


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
def test_a_part_that_tftpd_leaves_is_never_read_as_a_report(wire):
    server = wire.tftpd()
    client = Client(wire, WRQ, f"reports/{NAME}", part=20000)
    wire.kill(server)
    client.kill()
    ((_, content),) = wire.reports().items()
    assert REPORT.startswith(content) and len(content) < len(REPORT)
    said = page(wire)
    assert said.returncode == 1 and len(said.stdout.splitlines()) <= 1, said
    # The next try overwrites it.
    wire.tftpd()
    assert Client(wire, WRQ, f"reports/{NAME}").answer() == "done"
    assert wire.reports() == {NAME: REPORT}
    assert page(wire).returncode == 0


@need("in.tftpd")
def test_what_tftpd_writes_to_a_full_disk_is_never_read_as_a_report(wire):
    """tftpd-hpa acknowledges all of it, so only reading it back shows what is missing."""
    wire.fill("16k")
    wire.tftpd()
    assert Client(wire, WRQ, f"reports/{NAME}").answer() in ("done", "3")  # 3: disk full, RFC 1350
    ((_, content),) = wire.reports().items()
    assert len(content) < len(REPORT) and page(wire).returncode == 1
