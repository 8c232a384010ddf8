"""Finds QEMU and a UEFI firmware for it, and tests whether KVM can run that firmware."""
import contextlib
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

from tools import children, places

QEMU = "qemu-system-x86_64"
EXIT_DEVICE = "isa-debug-exit,iobase=0xf4,iosize=0x04"

# Code and variables, by distribution. QEMU's own firmware descriptors have priority.
FIRMWARE = [
    # Debian, Ubuntu
    ("/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"),
    ("/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd"),
    # Fedora, RHEL
    ("/usr/share/edk2/ovmf/OVMF_CODE_4M.qcow2", "/usr/share/edk2/ovmf/OVMF_VARS_4M.qcow2"),
    ("/usr/share/edk2/ovmf/OVMF_CODE.fd", "/usr/share/edk2/ovmf/OVMF_VARS.fd"),
    # Arch
    ("/usr/share/edk2/x64/OVMF_CODE.4m.fd", "/usr/share/edk2/x64/OVMF_VARS.4m.fd"),
    ("/usr/share/edk2-ovmf/x64/OVMF_CODE.fd", "/usr/share/edk2-ovmf/x64/OVMF_VARS.fd"),
    # openSUSE
    ("/usr/share/qemu/ovmf-x86_64-4m-code.bin", "/usr/share/qemu/ovmf-x86_64-4m-vars.bin"),
    ("/usr/share/qemu/ovmf-x86_64-code.bin", "/usr/share/qemu/ovmf-x86_64-vars.bin"),
    # Gentoo; QEMU's own installation
    ("/usr/share/edk2-ovmf/OVMF_CODE.fd", "/usr/share/edk2-ovmf/OVMF_VARS.fd"),
    ("/usr/share/qemu/edk2-x86_64-code.fd", "/usr/share/qemu/edk2-i386-vars.fd"),
]
DESCRIPTORS = ["/etc/qemu/firmware/*.json", "/usr/share/qemu/firmware/*.json"]
# Firmwares that only start signed programs, or need more than a plain machine.
UNWANTED = {"secure-boot", "enrolled-keys", "requires-smm"}


class Missing(Exception):
    """Something that a run needs is not installed."""


def find_qemu():
    path = shutil.which(QEMU)
    if not path:
        raise Missing(f"{QEMU} not found in PATH; {places.get(package='qemu-system-x86')}")
    return path


def _described():
    """Yields the pairs that the distribution's descriptors name (QEMU docs/interop/firmware.json)."""
    for path in sorted(p for pattern in DESCRIPTORS for p in glob.glob(pattern)):
        try:
            with open(path, encoding="utf-8") as f:
                d = json.load(f)
            flash = d["mapping"]
            machines = [m for t in d["targets"] if t["architecture"] == "x86_64"
                        for m in t["machines"]]
            if (flash["device"] != "flash" or UNWANTED & set(d.get("features", []))
                    or not any("q35" in m for m in machines)):
                continue
            yield flash["executable"]["filename"], flash["nvram-template"]["filename"]
        except (OSError, ValueError, KeyError, TypeError):
            continue  # a descriptor of another kind, or broken: the built-in list remains


def find_firmware():
    """Returns paths of code and variables. OVMF_CODE and OVMF_VARS of the environment have priority."""
    code, variables = os.environ.get("OVMF_CODE"), os.environ.get("OVMF_VARS")
    if code or variables:
        for name, path in (("OVMF_CODE", code), ("OVMF_VARS", variables)):
            if not path:
                raise Missing(f"{name} is not set; OVMF_CODE and OVMF_VARS go together")
            if not os.path.isfile(path):
                raise Missing(f"{name}: no file {path}")
        return code, variables
    for code, variables in [*_described(), *FIRMWARE]:
        if os.path.isfile(code) and os.path.isfile(variables):
            return code, variables
    raise Missing(f"no UEFI firmware for QEMU (OVMF) found; {places.get(package='ovmf')}, or set "
                  "OVMF_CODE and OVMF_VARS to its two files")


def flash(path, readonly):
    """Returns the -drive argument of one flash chip; commas in a path are doubled."""
    kind = "qcow2" if path.endswith(".qcow2") else "raw"
    return ("if=pflash,unit=%d,format=%s%s,file=%s"
            % (0 if readonly else 1, kind, ",readonly=on" if readonly else "", path.replace(",", ",,")))


def base_arguments(code, variables):
    """Returns arguments for a machine with this firmware and nothing else. `variables` is written to: pass a copy."""
    return ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-drive", flash(code, True), "-drive", flash(variables, False)]


def start(arguments, **kwargs):
    """Starts QEMU so that the terminal's Ctrl-C does not reach it; it ends with this program."""
    return children.start([find_qemu(), *arguments], start_new_session=True, **kwargs)


def stop(process):
    if process.poll() is None:
        process.kill()
    process.wait()


def _state(monitor):
    """Returns QEMU's state by its monitor, like `running` or `paused (internal-error)`; None: it does not answer yet, or is
    about to end."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s, contextlib.suppress(OSError):
        s.settimeout(1)
        s.connect(monitor)
        s.sendall(b"info status\n")
        said = b""
        while part := s.recv(4096):
            said += part
            if found := re.search(rb"VM status: ([^\r\n]+)[\r\n]", said):
                return found[1].decode()
    return None


def why_no_kvm(code, variables, machine, seconds=2.5):
    """Returns why KVM cannot be used, or None if the firmware ran under it and wrote to its console.

    /dev/kvm can exist, open and start a machine, and still be unable to run the firmware: then QEMU
    is in `internal-error`, or aborts. `machine`: the arguments that select CPU and memory.
    """
    if not os.path.exists("/dev/kvm"):
        return "there is no /dev/kvm"
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "/dev/kvm may not be opened by this user"
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="baretick-kvm-") as d:
        own = shutil.copy(variables, os.path.join(d, "vars" + os.path.splitext(variables)[1]))
        os.chmod(own, 0o600)
        monitor, log = os.path.join(d, "monitor"), os.path.join(d, "serial")
        p = start([*base_arguments(code, own), *machine, "-accel", "kvm",
                   "-monitor", f"unix:{monitor},server=on,wait=off", "-serial", f"file:{log}"],
                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            while time.monotonic() < until:
                if p.poll() is not None:
                    words = p.stderr.read().decode("utf-8", "replace").strip().splitlines()
                    how = f"signal {-p.returncode}" if p.returncode < 0 else f"exit {p.returncode}"
                    return f"QEMU ended by {how}" + (f": {words[-1]}" if words else "")
                status = _state(monitor)
                if status not in (None, "running"):
                    return f"the firmware does not run under it (QEMU says {status})"
                if status and os.path.exists(log) and os.path.getsize(log) > 0:
                    return None
                time.sleep(0.05)
            return f"the firmware wrote nothing within {seconds} s"
        finally:
            stop(p)
            p.stderr.close()
