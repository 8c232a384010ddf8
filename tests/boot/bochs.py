"""Boots Bochs, the second emulated machine: x2APIC, invariant TSC, no ACPI under OVMF."""

import os
import pty
import shutil
import subprocess
import time

from machine import TIMEOUT, Boot, follow
from media import find
from tools import children

# memory, CPU and clock as tested with Bochs 2.7; with sync=none the TSC counts at `ips`.
CONFIG = """\
megs: 256
romimage: file={ovmf}, address={rom:#x}
vgaromimage: file={vga}
cpu: model={model}, count={cores}, ips=50000000, reset_on_triple_fault=0
clock: sync=none, time0=946684800
pci: enabled=1, chipset=i440fx
com1: enabled=1, mode=file, dev={folder}/serial
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=disk, mode=volatile, path={disk}
boot: disk
display_library: term
speaker: enabled=0
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
panic: action=fatal
error: action=report
log: {folder}/log
"""


def models():
    """The CPU models of this Bochs; none without Bochs."""
    if not shutil.which("bochs"):
        return []
    return subprocess.run(["bochs", "-help", "cpu"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout.split()


def bochs(folder, disk, cores=1, timeout=TIMEOUT, model="corei7_skylake_x"):
    """Runs from power-on until the report's last line has arrived, then ends Bochs."""
    serial = folder / "serial"
    serial.touch()
    ovmf = find("OVMF in one file", "/usr/share/ovmf/OVMF.fd", "/usr/share/edk2/ovmf/OVMF.fd")
    vga = find("Bochs's VGA BIOS", "/usr/share/bochs/VGABIOS-lgpl-latest")
    rom = 2**32 - os.path.getsize(ovmf)  # its last bytes contain the reset vector
    (folder / "bochsrc").write_text(
        CONFIG.format(ovmf=ovmf, rom=rom, vga=vga, cores=cores, folder=folder, disk=disk, model=model)
    )
    (folder / "commands").write_text("c\n")  # Debian's build has the debugger, which starts with a prompt

    def ended(_):
        """The table's last line has come, or with format=jsonl the whole last record."""
        text = serial.read_bytes()
        tail = text[-400:]
        alone = b'"format":"jsonl"' in text and b'"type":"end"' in tail
        return b"verdict: " in tail or (alone and tail.endswith(b"\n"))

    began = time.monotonic()
    terminal, end = pty.openpty()  # its text display needs a terminal
    process = children.start(
        ["bochs", "-q", "-f", folder / "bochsrc", "-rc", folder / "commands"],
        stdin=end, stdout=end, stderr=end, env=dict(os.environ, TERM="vt100"),
        start_new_session=True,
    )  # fmt: skip
    os.close(end)
    follow(process, terminal, timeout=timeout, done=ended)
    os.close(terminal)
    log = (folder / "log").read_text(errors="replace")
    return Boot(serial.read_bytes(), None, time.monotonic() - began, log)
