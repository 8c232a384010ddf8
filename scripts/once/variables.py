"""UEFI variables through Linux' efivarfs, or a folder with the same files.

A file NAME-GUID has the attributes in four bytes, and then the value. Most files are immutable: the flag is cleared
before they are changed. Each value is written by one call. Source: Linux, Documentation/filesystems/efivarfs.rst.
"""
import array
import contextlib
import errno
import fcntl
import os
import re
import struct

GLOBAL = "8be4df61-93ca-11d2-aa0d-00e098032b8c"  # UEFI 2.10, 3.3: EFI_GLOBAL_VARIABLE
KEPT = 7  # attributes NON_VOLATILE, BOOTSERVICE_ACCESS and RUNTIME_ACCESS (UEFI 2.10, 8.2)
GET_FLAGS, SET_FLAGS = 0x80086601, 0x40086602  # Linux, fs.h: FS_IOC_GETFLAGS, FS_IOC_SETFLAGS
IMMUTABLE = 0x10  # FS_IMMUTABLE_FL
NO_FLAGS = (errno.ENOTTY, errno.EOPNOTSUPP, errno.EINVAL)  # the file system has no such flags


class Failed(Exception):
    """`once` cannot do this; the message names the thing and says why."""


def _say(name, what, e):
    why = {errno.ENOSPC: "the firmware has no space left for variables",
           errno.EROFS: "efivarfs is mounted read-only"}.get(e.errno, e.strerror or str(e))
    return Failed(f"variable {name}: cannot be {what}: {why}")


def _make_changeable(path):
    """Clears the immutable flag of a file, if its file system has such a flag."""
    with open(path, "rb", buffering=0) as f:
        flags = array.array("l", [0])
        try:
            fcntl.ioctl(f, GET_FLAGS, flags, True)
        except OSError as e:
            if e.errno in NO_FLAGS:
                return
            raise
        if flags[0] & IMMUTABLE:
            flags[0] &= ~IMMUTABLE
            fcntl.ioctl(f, SET_FLAGS, flags, True)


class Variables:
    """The variables in a folder. A variable that a caller names without a GUID is one of UEFI's own."""

    def __init__(self, folder):
        self.folder = folder

    def _path(self, name, guid):
        return os.path.join(self.folder, f"{name}-{guid}")

    def get(self, name, guid=GLOBAL):
        """Returns the value; None: there is no such variable."""
        try:
            with open(self._path(name, guid), "rb") as f:
                return f.read()[4:]
        except FileNotFoundError:
            return None
        except OSError as e:
            raise _say(name, "read", e) from None

    def set(self, name, value, guid=GLOBAL, attributes=KEPT):
        """Writes a variable and reads it back."""
        path = self._path(name, guid)
        there = os.path.exists(path)
        try:
            if there:
                _make_changeable(path)
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            try:
                os.write(file, struct.pack("<I", attributes) + value)
            finally:
                os.close(file)
        except OSError as e:
            if not there:  # a refused variable leaves an empty file until the next boot
                with contextlib.suppress(OSError):
                    os.unlink(path)
            raise _say(name, "written", e) from None
        if self.get(name, guid) != value:
            raise Failed(f"variable {name}: the firmware does not return the {len(value)} bytes that were written")

    def delete(self, name, guid=GLOBAL):
        """Deletes a variable. Returns whether it was there."""
        path = self._path(name, guid)
        try:
            _make_changeable(path)
            os.unlink(path)
        except FileNotFoundError:
            return False
        except OSError as e:
            raise _say(name, "deleted", e) from None
        return True

    def boot_numbers(self):
        """Returns the numbers of all variables Boot####, ascending."""
        pattern = re.compile(rf"Boot([0-9A-F]{{4}})-{GLOBAL}")
        return sorted(int(m[1], 16) for m in map(pattern.fullmatch, os.listdir(self.folder)) if m)
