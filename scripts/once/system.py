"""The running Linux as `once` sees it: its files, its mounts, its disks. Tests use a folder in place of /."""
import collections
import os
import re
import shutil
import subprocess

from launch import launches
from once.variables import Failed, Variables

EFIVARS = "/sys/firmware/efi/efivars"
AUTOMOUNTED = ("/efi", "/boot", "/boot/efi")  # systemd mounts the ESP there at the first access
CONTAINER_MARKS = ("/run/systemd/container", "/run/host/container-manager", "/.dockerenv", "/run/.containerenv")


# device: "MAJOR:MINOR"; root: the mounted folder of the file system, usually /; where: as Linux sees it.
Mount = collections.namedtuple("Mount", "device root where kind writable")


def _unescape(word):
    """Decodes the octal escapes of mountinfo, as in "\\040" for a blank (proc_pid_mountinfo(5))."""
    return re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), word)


def parse_mounts(text):
    found = []
    for line in text.splitlines():
        own, _, fs = line.partition(" - ")
        words, fs = own.split(" "), fs.split(" ")
        if len(words) < 6 or len(fs) < 3:
            continue
        writable = "ro" not in words[5].split(",") and "ro" not in fs[2].split(",")
        found.append(Mount(words[2], _unescape(words[3]), _unescape(words[4]), fs[0], writable))
    return found


class System:
    """root: the folder that is used in place of /; hosted: the Linux program."""
    hosted = launches.PROGRAM

    def __init__(self, root="/"):
        self.root = root
        self.variables = Variables(self.path(EFIVARS))

    def path(self, name):
        """Returns where a file with this absolute name is."""
        return os.path.join(self.root, name.lstrip("/"))

    def text(self, name):
        """Returns the text of a file without blanks around it; None if it cannot be read."""
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as f:
                return f.read().strip()
        except OSError:
            return None

    def mounts(self):
        """Returns all mounts; a later one hides an earlier one at the same place."""
        for name in AUTOMOUNTED:
            os.path.isdir(self.path(name) + "/.")
        found = parse_mounts(self.text("/proc/self/mountinfo") or "")
        return list({mount.where: mount for mount in found}.values())

    def partition_of(self, mount):
        """Returns (path of the disk, number of the partition, bytes of a sector); None: no partition of a disk."""
        place = os.path.realpath(self.path(f"/sys/dev/block/{mount.device}"))
        disk = os.path.dirname(place)
        number, sector = (self._number(os.path.join(*names)) for names in
                          ((place, "partition"), (disk, "queue/logical_block_size")))
        if number is None:
            return None
        return self.path("/dev/" + os.path.basename(disk).replace("!", "/")), number, sector or 512

    @staticmethod
    def _number(path):
        try:
            with open(path, encoding="ascii") as f:
                return int(f.read())
        except (OSError, ValueError):
            return None

    def free(self, mount):
        """Returns the bytes that are free on a mounted volume."""
        s = os.statvfs(self.path(mount.where))
        return s.f_bavail * s.f_frsize

    def is_root(self):
        return self.root != "/" or os.geteuid() == 0

    def is_container(self):
        """Tests for the files of container managers, and for the variable that they give to the first process."""
        first = (self.text("/proc/1/environ") or "").split("\0")
        return any(os.path.exists(self.path(mark)) for mark in CONTAINER_MARKS) or any(v.startswith("container=") for v in first)

    def is_uefi(self):
        return os.path.isdir(self.path(os.path.dirname(EFIVARS)))

    def boot_id(self):
        """Returns an identifier of this start of Linux."""
        return self.text("/proc/sys/kernel/random/boot_id") or ""

    def run(self, command):
        """Runs a command of the system. Raises Failed with its last line."""
        try:
            ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 encoding="utf-8", errors="backslashreplace", check=False)
        except OSError as e:
            raise Failed(f"{command[0]}: cannot be run: {e.strerror or e}") from None
        if ran.returncode:
            raise Failed(f"{' '.join(command)}: exit status {ran.returncode}: {ran.stdout.strip().rpartition(chr(10))[2]}")

    def reboot(self):
        """Restarts the machine in the way of its service manager, which may refuse it: systemd does while another program
        holds a lock, and asks who is at a terminal. Raises Failed."""
        os.sync()
        systemd = os.path.isdir(self.path("/run/systemd/system")) and shutil.which("systemctl")
        command = [systemd, "reboot"] if systemd else ["reboot"]
        try:
            status = subprocess.run(command, check=False).returncode
        except OSError as e:
            raise Failed(f"{command[0]}: cannot be run: {e.strerror or e}") from None
        if status:
            raise Failed(f"{' '.join(command)}: exit status {status}")
