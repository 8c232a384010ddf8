"""Reads a serial line, by pyserial. Files and pipes work without it, so that a recorded line can be replayed."""
import errno
import os
import select
import stat
import termios

from tools import distribution

# 8 data bits, no parity, 1 stop bit, no flow control.
SPEEDS = (1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, 1000000, 1500000, 2000000,
          3000000, 4000000)
READ_BYTES = 65536


def library():
    """Imports pyserial. Raises distribution.Missing."""
    try:
        import serial
    except ImportError as e:
        raise distribution.missing("a serial line needs", "pyserial", "python3-serial (pacman: python-pyserial)",
                                   e) from None
    return serial


class Line:
    """Raises OSError if the path cannot be opened, distribution.Missing if pyserial is missing. Opens it exclusively,
    because two readers would each get a part of the bytes."""

    def __init__(self, path, baud):
        self.fd = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        self._port = None
        self.is_serial = os.isatty(self.fd)
        try:
            if self.is_serial:
                self._open(path, baud)
            elif stat.S_ISDIR(os.fstat(self.fd).st_mode):
                raise IsADirectoryError(errno.EISDIR, "it is a folder, no serial line", path)
        except Exception:
            self.close()
            raise

    def _open(self, path, baud):
        self._port = library().Serial(path, baud, exclusive=True)
        os.close(self.fd)
        self.fd = self._port.fileno()
        # tcsetattr() succeeds if any part of the setting was applied (tcsetattr(3)).
        wanted = getattr(termios, f"B{baud}")
        if wanted not in termios.tcgetattr(self.fd)[4:6]:
            raise OSError(errno.EINVAL, f"it cannot do {baud} baud", path)

    def read(self, seconds):
        """Returns bytes; None if none arrived within `seconds`; b"" if the line is gone, or at the end of the file."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return None
        try:
            return os.read(self.fd, READ_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return b""  # EIO: the adapter was unplugged

    def close(self):
        if self._port:
            self._port.close()
        else:
            os.close(self.fd)
