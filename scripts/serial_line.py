"""A serial line to listen to, by termios(3): nothing but the standard library is asked for. A file, a pipe or
a pseudo-terminal does as well, so that a recorded line can be played."""
import errno
import fcntl
import os
import select
import stat
import termios

# The standard's names are B9600 and so on; 8 data bits, no parity, 1 stop bit, no flow control.
SPEEDS = {int(name[1:]): getattr(termios, name) for name in dir(termios)
          if name[0] == "B" and name[1:].isdecimal() and name != "B0"}
IFLAG, OFLAG, CFLAG, LFLAG, ISPEED, OSPEED = range(6)
READ_BYTES = 65536


class Line:
    """Raises OSError where the path cannot be opened. Only one may listen: two would share the bytes."""

    def __init__(self, path, baud):
        self.fd = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        self._before, self._path = None, path
        try:
            self.is_serial = os.isatty(self.fd)
            if self.is_serial:
                self._set(baud)
            elif stat.S_ISDIR(os.fstat(self.fd).st_mode):
                raise IsADirectoryError(errno.EISDIR, "it is a folder, no serial line", path)
        except termios.error as e:
            os.close(self.fd)
            raise OSError(e.args[0], e.args[1], path) from None
        except OSError:
            os.close(self.fd)
            raise

    def _set(self, baud):
        fcntl.ioctl(self.fd, termios.TIOCEXCL)
        self._before = termios.tcgetattr(self.fd)
        mode = termios.tcgetattr(self.fd)
        mode[IFLAG] = termios.IGNBRK
        mode[OFLAG] = mode[LFLAG] = 0
        mode[CFLAG] = termios.CS8 | termios.CREAD | termios.CLOCAL
        mode[ISPEED] = mode[OSPEED] = SPEEDS[baud]
        termios.tcsetattr(self.fd, termios.TCSANOW, mode)
        # It succeeds where any part of it was done: tcsetattr(3).
        if termios.tcgetattr(self.fd)[ISPEED] != SPEEDS[baud]:
            raise OSError(errno.EINVAL, f"it cannot do {baud} baud", self._path)

    def read(self, seconds):
        """Bytes; None where none came within `seconds`; b"" where the line is gone, or the file ended."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return None
        try:
            return os.read(self.fd, READ_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return b""  # EIO: the adapter was pulled out

    def close(self):
        if self._before:
            try:
                termios.tcsetattr(self.fd, termios.TCSANOW, self._before)
                fcntl.ioctl(self.fd, termios.TIOCNXCL)
            except (OSError, termios.error):
                pass  # the adapter is gone, and its settings with it
        os.close(self.fd)
