"""A small Linux for UEFI, made of the distribution's kernel, busybox and Python. It runs commands of scripts/baretick, and
then restarts or switches off. Making it needs no root rights."""

import lzma
import os
import py_compile
import re
import shutil
import stat
import sys
from pathlib import Path

from commands import output_of, run_command
import build
import media
import pytest

MODULES = ("virtio_pci", "virtio_blk", "vfat", "nls_cp437", "nls_ascii", "nls_utf8", "efivarfs")
PYTHON = "/usr/bin/python3"  # whose library the distribution has
STATE = "/var/lib/baretick"
SHARE = "usr/share/baretick"  # as the package has it
SYSTEMD = "/lib/systemd/systemd"
# The disk with the ESP is vda, the one with STATE is vdb. `reboot` unmounts first: a FAT volume has no journal.
INIT = f"""#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs dev /dev
for module in $($b cat /modules/order); do $b insmod /modules/$module || echo "linux: no $module"; done
until [ -b /dev/vda1 ] && [ -b /dev/vdb ]; do $b usleep 10000; done
$b mount -t efivarfs efivarfs /sys/firmware/efi/efivars
$b mount -t vfat /dev/vda1 /boot/efi
$b mount -t vfat /dev/vdb {STATE}
export PATH=/bin:/usr/bin HOME=/
echo "linux: started"
$b cp {STATE}/command /tmp/command
[ ! -x {SYSTEMD} ] || exec {SYSTEMD}
. /commands
"""
COMMANDS = f"""b=/bin/busybox
. /tmp/command
echo "linux: status $?"
$b sync
$b umount /boot/efi {STATE}
$b poweroff -f
"""
REBOOT = f"""#!/bin/busybox sh
/bin/busybox sync
/bin/busybox umount /boot/efi {STATE}
/bin/busybox reboot -f
"""
TARGETS = ("multi-user", "basic", "sysinit", "local-fs", "sockets", "timers", "paths", "slices", "reboot", "shutdown", "umount", "final")
UNITS = ("systemd-reboot.service",)
CONSOLE = """[Service]
StandardOutput=tty
StandardError=tty
TTYPath=/dev/console
"""
AFTER = """[Unit]
After=baretick-once.service
[Service]
Type=oneshot
ExecStart=/bin/busybox sh /commands
Environment=PATH=/bin:/usr/bin
"""
WORDS = "console=ttyS0 quiet panic=-1 mitigations=off"
CONFIG = b"timeout 0\ndefault linux.conf\n"
ENTRY = b"title Linux\nlinux /linux\ninitrd /initrd\noptions " + WORDS.encode() + b"\n"


def kernel():
    """Returns the kernel's file and the folder of its modules; skips the test if no kernel is installed."""
    for image in sorted(Path("/boot").glob("vmlinuz-*"), reverse=True):
        modules = Path("/lib/modules", image.name.removeprefix("vmlinuz-"))
        if modules.is_dir() and os.access(image, os.R_OK):
            return image, modules
    pytest.skip("no kernel in /boot that can be read: scripts/setup --all installs one")


def busybox():
    found = shutil.which("busybox")
    if not found:
        pytest.skip("no busybox: scripts/setup --all installs it")
    return Path(found)


def with_busybox(*folders):
    """Returns an archive with busybox and these folders."""
    archive = Archive()
    for name in folders:
        archive.folder(name)
    archive.copy(busybox(), "bin/busybox")
    for path in libraries(busybox()):
        archive.copy(path)
    return archive


def libraries(program):
    """Returns the shared libraries of a program, its loader too."""
    said = run_command("ldd", program).stdout
    return {Path(name) for name in re.findall(r"(/\S+) \(0x", said)}


class Archive:
    """A cpio archive in the format of the kernel's initrd (Linux, Documentation/driver-api/early-userspace)."""

    def __init__(self):
        self.parts, self.names = [], set()

    def _put(self, name, mode, content=b"", mtime=0):
        if name in self.names:
            return
        self.names.add(name)
        raw = name.encode() + b"\0"
        fields = (len(self.names), mode, 0, 0, 1, mtime, len(content), 0, 0, 0, 0, len(raw), 0)
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + raw
        self.parts += [head, bytes(-len(head) % 4), content, bytes(-len(content) % 4)]

    def folder(self, name):
        for parent in reversed([Path(name), *Path(name).parents[:-1]]):
            self._put(str(parent), stat.S_IFDIR | 0o755)

    def file(self, name, content, mode=0o755, mtime=0):
        self.folder(os.path.dirname(name) or "bin")
        self._put(name, stat.S_IFREG | mode, content, mtime)

    def link(self, name, target):
        self.folder(os.path.dirname(name))
        self._put(name, stat.S_IFLNK | 0o777, target.encode())

    def copy(self, path, name=None):
        path = Path(path)
        info = path.stat()
        self.file(name or str(path).lstrip("/"), path.read_bytes(), info.st_mode & 0o777, int(info.st_mtime))

    def bytes(self):
        self._put("TRAILER!!!", 0)
        return b"".join(self.parts)


def modules(archive, folder, names=MODULES):
    """Adds modules, and what they need, in an order in which they can be loaded. The kernel has the others built in."""
    needs = {}
    for line in (folder / "modules.dep").read_text().splitlines():
        path, _, others = line.partition(":")
        needs[Path(path).name.partition(".")[0].replace("-", "_")] = (path, others.split())
    order = []

    def add(path):
        for other in reversed(needs[Path(path).name.partition(".")[0].replace("-", "_")][1]):
            if other not in order:
                add(other)
        if path not in order:
            order.append(path)

    for module in names:
        if module in needs:
            add(needs[module][0])
    for path in order:
        raw = (folder / path).read_bytes()
        raw = lzma.decompress(raw) if path.endswith(".xz") else raw
        archive.file(f"modules/{Path(path).name.removesuffix('.xz')}", raw)
    archive.file("modules/order", "\n".join(Path(p).name.removesuffix(".xz") for p in order).encode())


def loaded():
    """Returns the files of all modules that the command loads."""
    code = ("import runpy, sys\nsys.argv = ['baretick', 'once', '--help']\ntry:\n"
            "    runpy.run_path('scripts/baretick', run_name='__main__')\nexcept SystemExit:\n    pass\n"
            "print(*(m.__file__ for m in list(sys.modules.values()) if getattr(m, '__file__', None)), sep='\\n')")
    said = output_of(PYTHON, "-c", code, cwd=build.ROOT)
    return [Path(line) for line in said.splitlines() if line.endswith((".py", ".so"))]


def compiled(archive, path, name, kept):
    """Adds the bytecode of a module: compiling takes a simulated CPU longer than all else that the command does."""
    py_compile.compile(str(path), cfile=str(kept), dfile=f"/{name}", doraise=True,
                       invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    folder, stem = os.path.split(name.removesuffix(".py"))
    archive.copy(kept, f"{folder}/__pycache__/{stem}.{sys.implementation.cache_tag}.pyc")


def python(archive, kept):
    """Adds the distribution's Python, and what the command loads of its library and of scripts/."""
    program = Path(os.path.realpath(PYTHON))
    archive.copy(program, "bin/python3")
    needed = libraries(program)
    encodings = Path("/usr/lib", program.name, "encodings")
    for path in {*loaded(), *encodings.glob("utf_*.py"), encodings / "ascii.py"}:
        is_ours = path.is_relative_to(build.ROOT)
        name = f"{SHARE}/{path.relative_to(build.ROOT)}" if is_ours else str(path).lstrip("/")
        archive.copy(path, name)
        if path.suffix == ".so":
            needed |= libraries(path)
        else:
            compiled(archive, path, name, kept)
    for path in needed:
        archive.copy(path)


def program_of(archive, path):
    """Adds a program with its libraries."""
    archive.copy(path)
    for library in libraries(path):
        archive.copy(library)


def systemd(archive):
    """Adds systemd, which then is the first process, with the unit of the package, enabled as `systemctl enable` does
    it. What the units print is on the console; the commands of a test run after it."""
    if not os.path.exists(SYSTEMD):
        pytest.skip(f"no {SYSTEMD}")
    folder = Path(SYSTEMD).parent
    for name in ("systemd", "systemd-executor", "systemd-shutdown"):  # the second one since version 254
        if (folder / name).exists():
            program_of(archive, folder / name)
    program_of(archive, "/bin/systemctl")
    for unit in (*UNITS, *(f"{name}.target" for name in TARGETS)):
        archive.copy(folder / "system" / unit)
    unit = "baretick-once.service"
    archive.copy(build.ROOT / f"packaging/debian/baretick.{unit}", f"lib/systemd/system/{unit}")
    own = "etc/systemd/system"
    for name in (unit, "commands.service"):
        archive.link(f"{own}/multi-user.target.wants/{name}", f"../{name}" if name != unit else f"/lib/systemd/system/{name}")
    archive.link(f"{own}/default.target", "/lib/systemd/system/multi-user.target")
    archive.file(f"{own}/{unit}.d/console.conf", CONSOLE.encode(), 0o644)
    archive.file(f"{own}/commands.service", f"{AFTER}{CONSOLE}".encode(), 0o644)
    archive.file("etc/machine-id", b"0123456789abcdef0123456789abcdef\n", 0o644)


def initrd(folder, program, add):
    """Returns the root of the small Linux, with the scripts and an image of ours; add(archive) adds more."""
    image, own_modules = kernel()
    archive = with_busybox("proc", "sys", "dev", "tmp", "boot/efi", STATE.lstrip("/"))
    archive.file("init", INIT.encode())
    archive.file("commands", COMMANDS.encode())
    archive.file("bin/reboot", REBOOT.encode())
    modules(archive, own_modules)
    python(archive, folder / "module.pyc")
    for name in ("VERSION", "scripts/baretick", "scripts/read/fields.json"):
        archive.copy(build.ROOT / name, f"{SHARE}/{name}")
    archive.copy(program, "usr/lib/baretick/baretick.efi")
    archive.link("usr/bin/baretick", f"../../{SHARE}/scripts/baretick")
    archive.link("usr/bin/env", "../../bin/busybox")
    if add:
        add(archive)
    return image, archive.bytes()


def disks(folder, program, loader, mib=112, add=None):
    """Makes the disk with the ESP, which `loader` ({name: content}) starts Linux from, and the one with STATE. add: as
    for initrd()."""
    image, root = initrd(folder, program, add)
    files = {"linux": image, "initrd": root, **loader}
    esp = media.gpt_disk(folder / "esp.img", files, mib)
    state = folder / "state.img"
    output_of("mkfs.vfat", "-C", state, str(32 * 1024))
    return esp, state


def grub(path):
    """Returns the files of GRUB as the loader."""
    config = f"linux /linux {WORDS}\ninitrd /initrd\nboot\n"
    return {"EFI/BOOT/BOOTX64.EFI": media.grub_with(path, f"search --file --set=root /linux\n{config}", "linux")}


def systemd_boot(_):
    loader = media.find("systemd-boot", "/usr/lib/systemd/boot/efi/systemd-bootx64.efi")
    return {"EFI/BOOT/BOOTX64.EFI": loader, "loader/loader.conf": CONFIG, "loader/entries/linux.conf": ENTRY}
