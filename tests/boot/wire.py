"""A separate network for QEMU's machine: a namespace with a TAP device, in which Debian's servers run on 10.9.0.1. It
needs root, or a user who may create namespaces; tftpd-hpa needs root."""

import base64
import contextlib
import functools
import hashlib
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
import uuid
from pathlib import Path

from commands import output_of, run_command
import build
import machine
import pytest
import variable_store
from tools import children
from tools.qemu import QEMU, find_firmware

sys.path.insert(0, str(build.ROOT / "scripts"))
from once import entry, variables as efi  # noqa: E402

SERVER, MAC = "10.9.0.1", "52-54-00-12-34-56"
FAR = "10.8.0.1"  # the same server on another network, with SERVER as the gateway
TAP = "baretick0"
RECEIVERS = build.ROOT / "packaging" / "receivers"
# Debian has the servers there.
SBIN = "/usr/sbin:/sbin"
# As nobody else: the namespaces of a user, in which it is root.
UNSHARE = ["unshare", "-nm"] if os.geteuid() == 0 else ["unshare", "-rnm"]
SLOT = 5  # of the network device on the PCI bus


@functools.cache
def missing(*programs):
    """Returns what is missing for such a network with these servers, or None."""
    for name in ("unshare", "nsenter", "ip", *programs):
        if not shutil.which(name, path=f"{os.environ['PATH']}:{SBIN}"):
            return f"{name} is not installed: scripts/setup --all installs it"
    if "in.tftpd" in programs and os.geteuid() != 0:
        return "in.tftpd sets its groups, which only root may do in a namespace"
    made = subprocess.run([*UNSHARE, "ip", "tuntap", "add", TAP, "mode", "tap"], capture_output=True, check=False)
    return f"no namespace with a TAP device here: {made.stderr.decode().strip()}" if made.returncode else None


def need(*programs):
    """Marks a test that is skipped if one of these servers, or the right to make a network, is missing."""
    why = missing(*programs)
    return pytest.mark.skipif(why is not None, reason=str(why))


def device_path(http):
    """Returns the path of the device from which OVMF starts by HTTP, or else by PXE (UEFI 2.10 section 10.3)."""
    path = struct.pack("<BBHII", 2, 1, 12, 0x0A0341D0, 0) + struct.pack("<BBHBB", 1, 1, 6, 0, SLOT)
    path += struct.pack("<BBH32sB", 3, 11, 37, bytes.fromhex(MAC.replace("-", "")), 1)
    path += struct.pack("<BBH23x", 3, 12, 27)
    return path + (struct.pack("<BBH", 3, 24, 4) if http else b"") + struct.pack("<BBH", 0x7F, 0xFF, 4)


class Wire:
    """The network, and the folder of its servers with the program and `reports`."""

    def __init__(self, folder, program):
        self.folder, self.processes = folder, []
        self.root = folder / "srv"
        for name in ("reports", "incoming"):
            (self.root / name).mkdir(parents=True)
            (self.root / name).chmod(0o777)
        shutil.copy(program, self.root / "baretick.efi")
        up = (f"ip link set lo up && ip tuntap add {TAP} mode tap && ip addr add {SERVER}/24 dev {TAP} && "
              f"ip link set {TAP} up && echo up && exec cat")  # fmt: skip
        self.holder = children.start([*UNSHARE, "sh", "-c", up], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.holder.stdout.readline() == b"up\n"
        self.inside = ["nsenter", "-t", str(self.holder.pid), "-n", "-m"]
        if os.geteuid() != 0:
            self.inside += ["-U", "--preserve-credentials"]

    def close(self):
        for process in self.processes:
            self.kill(process)
        self.holder.kill()
        self.holder.wait()
        for pipe in (self.holder.stdin, self.holder.stdout):
            pipe.close()

    @staticmethod
    def kill(process):
        """Ends a server and the processes that it has started, as kill -9 does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def run(self, *command, **how):
        return subprocess.run([*self.inside, *command], check=True, **how)

    def start(self, *command):
        """Starts a server. Returns the process, which is nsenter's and then the server's."""
        with open(self.folder / f"{command[0]}.log", "ab") as log:
            process = children.start([*self.inside, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                     start_new_session=True, env={**os.environ, "PATH": f"{os.environ['PATH']}:{SBIN}"})  # fmt: skip
        self.processes.append(process)
        return process

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    # --- the servers ---

    def dnsmasq(self, *options):
        """Answers by DHCP, and with these options by TFTP."""
        self.start("dnsmasq", "--conf-file=/dev/null", "--user=root", "--no-daemon", "--no-ping", "--port=0",
                   "--log-dhcp", f"--interface={TAP}", "--bind-interfaces", "--dhcp-range=10.9.0.10,10.9.0.50,1h",
                   f"--dhcp-leasefile={self.folder}/leases", *options)  # fmt: skip

    def for_pxe(self):
        """Starts dnsmasq and tftpd-hpa for PXE."""
        self.dnsmasq("--dhcp-boot=baretick.efi")
        return self.tftpd()

    def for_http(self, **how):
        self.dnsmasq("--dhcp-vendorclass=set:http,HTTPClient", "--dhcp-option-force=tag:http,60,HTTPClient",
                     f"--dhcp-boot=tag:http,http://{SERVER}/baretick.efi")  # fmt: skip
        return self.nginx(**how)

    def far(self):
        """Gives the server its other address, and returns it."""
        self.run("ip", "addr", "add", f"{FAR}/32", "dev", "lo")
        return FAR

    def tftpd(self, address=SERVER):
        options = "".join(line.split("=", 1)[1] for line in (RECEIVERS / "tftpd-hpa").read_text().splitlines()
                          if line.startswith("TFTP_OPTIONS=")).strip('"').replace("/etc/", f"{RECEIVERS}/").split()  # fmt: skip
        return self.start("in.tftpd", "--foreground", "--listen", "--user", "root", "--address", f"{address}:69",
                          *options, str(self.root))  # fmt: skip

    def nginx(self, login=None, change=lambda text: text):
        """Starts nginx with the configuration that is shipped, with our folder and, without a login, no password.

        change: what is different in this test. Returns once it listens.
        """
        own = (RECEIVERS / "nginx.conf").read_text().replace("/srv/baretick", str(self.root))
        passwords = self.folder / "htpasswd"
        if login:
            name, password = login.split(":", 1)
            digest = base64.b64encode(hashlib.sha1(password.encode()).digest()).decode()
            passwords.write_text(f"{name}:{{SHA}}{digest}\n")
            own = own.replace("/etc/nginx/baretick.htpasswd", str(passwords))
        else:
            own = own.replace("auth_basic baretick;", "auth_basic off;")
        (self.folder / "site.conf").write_text(change(own))
        paths = "".join(f"{kind}_temp_path {self.folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (self.folder / "nginx.conf").write_text(
            f"user root; worker_processes 1; pid {self.folder}/nginx.pid; error_log stderr; events {{}}\n"
            f"http {{ access_log {self.folder}/access.log; {paths} include {self.folder}/site.conf; }}\n")  # fmt: skip
        return self.restart_nginx()

    def restart_nginx(self):
        server = self.start("nginx", "-c", f"{self.folder}/nginx.conf", "-e", "stderr", "-g", "daemon off; master_process off;")
        self.until(lambda: "80" in self.run("ss", "-ltnH", capture_output=True).stdout.decode(), "nginx listens")
        return server

    def certificate(self, name):
        """Makes a certificate for the server's address, and its key: name.pem, name.key. Returns a list of authorities
        with it for the firmware (UEFI 2.10 section 32.4.1, EFI_SIGNATURE_LIST), as a file."""
        made = [self.folder / f"{name}.{end}" for end in ("pem", "key", "der", "list")]
        pem, key, der, authorities = map(str, made)
        for words in (["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-addext",
                       f"subjectAltName=IP:{SERVER}", "-keyout", key, "-out", pem],
                      ["x509", "-in", pem, "-outform", "DER", "-out", der]):  # fmt: skip
            output_of("openssl", *words)
        content = made[2].read_bytes()
        x509 = uuid.UUID("a5c059a1-94e4-4aa7-87b5-ab155c2bf072").bytes_le
        made[3].write_bytes(x509 + struct.pack("<III16x", 44 + len(content), 0, 16 + len(content)) + content)
        return authorities

    @staticmethod
    def until(holds, what, seconds=60):
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, f"not within {seconds} s: {what}"
            time.sleep(0.02)

    # --- the machine ---

    def boot(self, http=False, extra=(), **how):
        """Starts the machine by PXE, or by HTTP, until it ends. Returns the machine.Boot."""
        code, variables = find_firmware()
        own = self.folder / "prepared.fd"
        shutil.copy(variables, own)
        whole = entry.encode(entry.Entry("network", device_path(http), b""))
        variable_store.put(own, "Boot0042", efi.GLOBAL, efi.KEPT, whole)
        variable_store.put(own, "BootNext", efi.GLOBAL, efi.KEPT, b"\x42\x00")
        net = ["-netdev", f"tap,id=net,ifname={TAP},script=no,downscript=no", "-device",
               f"virtio-net-pci,netdev=net,mac={MAC.replace('-', ':')},romfile=,addr={SLOT:#x}", *extra]  # fmt: skip
        return machine.qemu(self.folder, icount=False, whole=True, firmware=(code, own), extra=net, **how)

    # --- what the servers have ---

    def fill(self, size):
        """Replaces the folder of the servers by a disk of this size, without the program."""
        self.run("mount", "-t", "tmpfs", "-o", f"size={size}", "none", self.root)
        self.run("mkdir", "-m", "777", self.root / "reports", self.root / "incoming")

    def reports_at(self, where="reports"):
        return Path(f"/proc/{self.holder.pid}/root{self.root}") / where

    def receive(self):
        """Copies whole reports from tftpd's uploads to the reports, as baretick-receive.service does."""
        (line,) = [line for line in (RECEIVERS / "baretick-receive.service").read_text().splitlines() if line.startswith("ExecStart=")]
        program, *words = line.split("=", 1)[1].split()
        words = [self.reports_at(word.removeprefix("/srv/tftp/")) if word[0] == "/" else word for word in words]
        return run_command(build.ROOT / "scripts" / Path(program).name, *words)

    def reports(self, where="reports"):
        return {path.name: path.read_bytes() for path in self.reports_at(where).iterdir()}


@pytest.fixture
def wire(program, tmp_path, monkeypatch):
    """A network; QEMU runs in it."""
    w = Wire(tmp_path, program)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / QEMU).write_text(f"#!/bin/sh\nexec {' '.join(w.inside)} {shutil.which(QEMU)} \"$@\"\n")
    (tools / QEMU).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    yield w
    w.close()
