"""Controls QEMU's gdb stub: stops the guest at a given place, and changes its memory and registers.

The packets are those of the GDB manual, appendix E, "GDB Remote Serial Protocol".
"""

import re
import socket
import threading
import time

from commands import output_of
import machine
from build import ROOT

RIP = 16  # number of the register, after the sixteen general ones
UD2 = "0f0b"  # SDM volume 2, UD


def symbols():
    """Returns {function: its offset in the image, which begins at 0 of the ELF}."""
    said = output_of("nm", ROOT / "build/baretick.elf")
    lines = map(str.split, said.splitlines())
    return {name: int(at, 16) for at, kind, name in lines if kind in "tT"}


def instructions(function, kind=""):
    """Returns the offsets of a function's instructions of this kind from its first one."""
    said = output_of("objdump", "-d", f"--disassemble={function}", ROOT / "build/baretick.elf")
    found = re.findall(r"^ *([0-9a-f]+):\t[^\t\n]*\t(.*)", said, re.M)
    return [int(at, 16) - int(found[0][0], 16) for at, what in found if what.startswith(kind)]


class Ended(Exception):
    """QEMU ended while the guest was stopped in part, as it was to."""


class Debugger(threading.Thread):
    """Controls one boot from its first instruction on, or from where its machine was saved, and runs `work(self)` in
    parallel.

    `at(function)` is its address. `options` are words for QEMU. Leave the `with` block after the boot has ended:
    errors in `work` are raised there. `work` may return early; then the guest runs on.
    """

    def __init__(self, folder, at, work):
        super().__init__(daemon=True)
        self.path, self.monitor = folder / "gdb", folder / "monitor"
        self.at, self.work, self.error = at, work, None
        self.options = ["-S", "-gdb", f"unix:{self.path},server=on,wait=off"]

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, error, trace):
        self.join(10)
        if self.error and not kind:
            raise self.error
        assert kind or not self.is_alive(), "the guest was not stopped where the test waited for it"

    def run(self):
        try:
            with self._connect() as self.line:
                self.work(self)
                self._send("D")
        except Ended:
            pass
        except Exception as e:  # set by the thread that waits
            self.error = e

    def _connect(self):
        self._await_the_machine()
        line = socket.socket(socket.AF_UNIX)
        line.settimeout(60)
        line.connect(str(self.path))
        return line

    def _await_the_machine(self):
        """Waits until QEMU has opened its sockets, and has loaded a saved machine."""
        end = time.monotonic() + 30
        while True:
            try:
                if "inmigrate" not in machine.monitor(self.monitor, "info status")[0]:
                    return
            except (FileNotFoundError, ConnectionRefusedError):
                pass
            assert time.monotonic() < end, "QEMU has no machine after 30 s"
            time.sleep(0.01)

    def _send(self, text):
        self.line.sendall(b"$%s#%02x" % (text.encode(), sum(text.encode()) & 0xFF))

    def _packet(self):
        data = b""
        while not re.search(rb"\$[^#]*#..", data):
            piece = self.line.recv(4096)
            if not piece:
                raise ConnectionError("QEMU ended")
            data += piece
        self.line.sendall(b"+")
        return re.search(rb"\$([^#]*)#", data)[1].decode()

    def ask(self, text):
        self._send(text)
        answer = self._packet()
        assert not answer.startswith("E"), (text, answer)
        return answer

    def _run(self, packet):
        """Sets `core` to the number of the one that reached the breakpoint."""
        stop = self.ask(packet)
        self.core = int(re.search(r"thread:([0-9a-f]+);", stop)[1], 16) - 1

    def run_to(self, place):
        """Lets the guest run until one of its cores is about to execute this function or address; then removes the
        breakpoint."""
        address = self.at(place) if isinstance(place, str) else place
        self.ask(f"Z1,{address:x},1")
        try:
            self._run("c")
        except OSError as e:  # a timeout too
            raise ConnectionError(f"{e} before the guest came to {place if place != address else hex(place)}") from None
        found = self.read(RIP)
        assert found == address, f"stopped at {found:x}, not at {address:x}"
        self.ask(f"z1,{address:x},1")

    def run_core_to(self, core, place, function):
        """Lets only this core run, until it is about to execute the instruction at `place` of the function."""
        address = self.at(function) + place
        self.ask(f"Z1,{address:x},1")
        self._run(f"vCont;c:{core + 1:x}")
        found = self.read(RIP)
        assert found == address, f"stopped at {found:x}, not at {address:x}"
        self.ask(f"z1,{address:x},1")

    def run_core_for(self, core, seconds):
        """Lets only this core run, for a time of the guest's clock: the others are as if they were late."""
        self._send(f"vCont;c:{core + 1:x}")
        time.sleep(seconds)
        self.line.sendall(b"\x03")
        self._packet()

    def run_core_to_the_end(self, core):
        """Lets only this core run, until QEMU ends: the others are as if they hung."""
        self.line.settimeout(machine.TIMEOUT)
        try:
            self.ask(f"vCont;c:{core + 1:x}")
        except OSError:
            raise Ended from None

    def read(self, register):
        return int.from_bytes(bytes.fromhex(self.ask("g"))[8 * register :][:8], "little")

    def memory(self, address):
        """Returns eight bytes as a number."""
        return int.from_bytes(bytes.fromhex(self.ask(f"m{address:x},8")), "little")

    def write_byte(self, address, value):
        self.ask(f"M{address:x},1:{value:02x}")

    def plant(self, address, code):
        """Writes code there: bytes as hexadecimal digits."""
        self.ask(f"M{address:x},{len(code) // 2:x}:{code}")

    def plant_ud2(self):
        self.plant(self.read(RIP), UD2)

    def nmi(self):
        """Sends an NMI to every core that accepts it; it arrives when the guest continues."""
        self._send("qRcmd," + b"nmi".hex())
        while self._packet() != "OK":  # the monitor's answer comes first
            pass
