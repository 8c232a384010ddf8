"""scripts/flash: refusals, judged on simulated machines (no device is touched), and writing, on a loop device if that
is permitted."""

import os
import shutil

from commands import output_of, run_command
import build
import pytest
from conftest import QUICK
from machine import SUCCESS

FLASH = build.ROOT / "scripts/flash"
MIB = 1 << 20
IMAGE_BYTES = 2 * MIB
GIB = 1 << 30


@pytest.fixture
def image(tmp_path):
    """A file with a GPT's first bytes (UEFI 2.10, 5.3) and text that must be read back from a stick."""
    return image_for(512, tmp_path / "some image.img")


def image_for(sector, path):
    """Writes such a file for a device with sectors of this size."""
    path.write_bytes((bytes(sector) + b"EFI PART" + b"baretick" * (IMAGE_BYTES // 8))[:IMAGE_BYTES])
    return path


class Machine:
    """A tree with the parts of /sys, /proc and /dev that flash reads."""

    def __init__(self, root):
        self.root = root
        self.write("proc/self/mountinfo", "21 1 0:20 / /proc rw,nosuid shared:5 - proc proc rw\n")
        self.write("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n")
        self.write("dev/null", "no number")

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def add(self, path, text):
        with open(self.root / path, "a") as f:
            f.write(text)

    def disk(self, name="sdb", number="8:16", bytes_=8 * GIB, parent="devices/usb/", **files):
        """Returns where its files are, below sys/; files: more of them, or other values."""
        place = f"sys/{parent}{name}"
        standard = {"dev": number, "size": str(bytes_ // 512), "ro": "0", "removable": "1"}
        if "partition" not in files:
            standard["queue/logical_block_size"] = "512"
        for file, value in {**standard, **files}.items():
            self.write(f"{place}/{file}", value + "\n")
        link = self.root / "sys/dev/block" / number
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(self.root / place)
        self.write(f"dev/{name}", number + "\n")
        return place

    def partition(self, name="sdb1", number="8:17", disk="sdb"):
        self.disk(name, number, GIB, f"devices/usb/{disk}/", partition="1")

    def mount(self, number, where, source, tags="shared:1 "):
        self.add("proc/self/mountinfo", f"30 21 {number} / {where} rw {tags}- ext4 {source} rw\n")

    def flash(self, image, device="/dev/sdb", *flags):
        p = run_command(FLASH, *flags, image, device, env={**os.environ, "FLASH_TEST_ROOT": str(self.root)})
        assert p.returncode in (0, 1), p.stderr
        assert ("would be written" in p.stdout) == (p.returncode == 0), p.stdout + p.stderr
        return p.returncode == 0, p.stdout + p.stderr


@pytest.fixture
def fake(tmp_path):
    return Machine(tmp_path / "machine")


def test_a_stick_is_accepted_with_its_name_and_size(fake, image):
    fake.disk(**{"device/vendor": "Acme    ", "device/model": "Stick 3  "})
    fake.partition()
    taken, said = fake.flash(image)
    assert taken and "Acme Stick 3" in said and "8589 MB" in said, said


DOUBTFUL = {
    "is not removable": lambda fake: fake.disk(removable="0"),
    "has 257 GiB: more than a stick's 256": lambda fake: fake.disk(bytes_=257 * GIB),
    "is mounted at /media/stick": lambda fake: (fake.disk(), fake.mount("8:16", "/media/stick", "/dev/sdb")),
    "is mounted at /media/a stick": lambda fake: (
        fake.disk(), fake.partition(), fake.mount("8:17", r"/media/a\040stick", "/dev/sdb1", tags="")),
    # btrfs: the number belongs to no device.
    "is mounted at /data": lambda fake: (fake.disk(), fake.partition(), fake.mount("0:45", "/data", "/dev/sdb1")),
}


@pytest.mark.parametrize("words", DOUBTFUL)
def test_a_doubtful_device_is_refused_unless_forced(fake, image, words):
    DOUBTFUL[words](fake)
    taken, said = fake.flash(image)
    assert not taken and f"/dev/sdb {words}; allowed with --force" in said, said
    assert "nothing was written" in said
    assert fake.flash(image, "/dev/sdb", "--yes")[0] is False  # --yes answers the question; it does not force
    taken, said = fake.flash(image, "/dev/sdb", "--force")
    assert taken and f"{words}: forced" in said, said


REFUSED = [
    ("sdb1", "/dev/sdb1 is a partition of /dev/sdb: name the whole stick", lambda fake: (fake.disk(), fake.partition())),
    ("sdb", "is swapped to (/dev/sdb1)",
     lambda fake: (fake.disk(), fake.partition(), fake.add("proc/swaps", "/dev/sdb1 partition 1000 0 -2\n"))),
    ("sdb", "is part of md0", lambda fake: fake.write(fake.disk() + "/holders/md0/dev", "9:0")),
    ("sdb", "is part of dm-3",
     lambda fake: (fake.disk(), fake.partition(), fake.write("sys/devices/usb/sdb/sdb1/holders/dm-3/dev", "254:3"))),
    ("dm-0", "is a mapped device", lambda fake: fake.disk("dm-0", "254:0", **{"dm/name": "vg-root"})),
    ("md0", "is a mapped device", lambda fake: fake.disk("md0", "9:0", **{"md/level": "raid1"})),
    ("sr0", "is an optical drive", lambda fake: fake.disk("sr0", "11:0")),
    ("zram0", "is memory", lambda fake: fake.disk("zram0", "253:0")),
    ("sdb", "is write-protected", lambda fake: fake.disk(ro="1")),
    ("sdb", "has no medium in it", lambda fake: fake.disk(bytes_=0)),
    ("sdb", f"has {IMAGE_BYTES - 512} bytes, fewer than the image's {IMAGE_BYTES}", lambda fake: fake.disk(bytes_=IMAGE_BYTES - 512)),
    ("vda", "holds this system: / is mounted from it",
     lambda fake: (fake.disk("vda", "254:0"), fake.partition("vda1", "254:1", "vda"), fake.mount("254:1", "/", "/dev/root"))),
    ("sdb", "has sectors of 4096 bytes, and", lambda fake: fake.disk(**{"queue/logical_block_size": "4096"})),
    ("sdb", "make image SECTOR=4096", lambda fake: fake.disk(**{"queue/logical_block_size": "4096"})),
    ("sdb", "does not say the size of its sectors", lambda fake: fake.disk(**{"queue/logical_block_size": ""})),
    ("sdb", "does not say its size", lambda fake: fake.disk(size="")),
    ("sdb", "no block device; a whole stick is needed", lambda fake: None),
    ("null", "no block device; a whole stick is needed", lambda fake: None),
    ("sdb", "the kernel knows no device 8:16", lambda fake: fake.write("dev/sdb", "8:16\n")),
    ("sdb", "mountinfo cannot be read", lambda fake: (fake.disk(), (fake.root / "proc/self/mountinfo").unlink())),
]


@pytest.mark.parametrize("device, words, arrange", REFUSED)
def test_some_devices_are_refused_even_with_force(fake, image, device, words, arrange):
    arrange(fake)
    for flags in ([], ["--force", "--yes"]):
        taken, said = fake.flash(image, f"/dev/{device}", *flags)
        assert not taken and words in said, said


def test_devices_of_exactly_the_limits_are_accepted(fake, image):
    fake.disk(bytes_=IMAGE_BYTES)
    fake.disk("sdc", "8:32", 256 * GIB)
    assert fake.flash(image)[0] and fake.flash(image, "/dev/sdc")[0]


def test_an_image_for_large_sectors_is_accepted_only_where_they_are(fake, tmp_path):
    image = image_for(4096, tmp_path / "large.img")
    fake.disk(**{"queue/logical_block_size": "4096"})
    fake.disk("sdc", "8:32")
    assert fake.flash(image)[0]
    taken, said = fake.flash(image, "/dev/sdc", "--force")
    assert not taken and "/dev/sdc has sectors of 512 bytes, and" in said and "SECTOR=512" in said, said


def test_a_mount_of_another_stick_does_not_count(fake, image):
    """8:1 and 18:16 are not 8:16; a swap file is not a device."""
    fake.disk()
    fake.disk("sda1", "8:1", partition="1")
    fake.mount("8:1", "/", "/dev/sda1")
    fake.mount("18:16", "/mnt", "none")
    fake.add("proc/swaps", "/swapfile file 1000 0 -2\n")
    assert fake.flash(image)[0]


@pytest.mark.parametrize("content, words", [
    (None, "no file to read"),
    (b"", "no disk image"),
    (b"MZ" + bytes(4096), "no disk image"),
])
def test_files_that_are_not_images_are_refused(fake, tmp_path, content, words):
    fake.disk()
    path = tmp_path / "x.img"
    if content is not None:
        path.write_bytes(content)
    taken, said = fake.flash(path)
    assert not taken and words in said, said


@pytest.mark.parametrize("words", [[], ["--write", "a", "b"], ["a"], ["a", "b", "c"]])
def test_wrong_words_show_the_usage(words):
    p = run_command(FLASH, *words)
    assert p.returncode == 2 and "IMAGE DEVICE" in p.stderr


# --- a device ------------------------------------------------------------------------------------


@pytest.fixture
def loop(tmp_path):
    """A loop device over a file of twice the image's size, and that file."""
    backing = tmp_path / "stick"
    backing.write_bytes(b"\xff" * (2 * IMAGE_BYTES))
    yield from set_up(backing)


def set_up(backing, sector=512):
    losetup = shutil.which("losetup")
    if not losetup:
        pytest.skip("losetup is not installed")
    p = run_command(losetup, "-f", "--show", "-b", str(sector), backing)
    if p.returncode != 0:
        pytest.skip(f"no loop device may be set up here: {p.stderr.strip()}")
    yield p.stdout.strip(), backing
    output_of(losetup, "-d", p.stdout.strip())


def write(image, device, *flags, answer=""):
    p = run_command(FLASH, *flags, image, device, input=answer)
    return p.returncode, p.stdout + p.stderr


@pytest.mark.parametrize("flags, answer, status, words", [
    (["--force"], "yes\n", 0, "written and read back"),
    ([], "yes\n", 1, "is not removable"),  # a loop device is not removable
    (["--force"], "y\n", 1, "not confirmed"),
    (["--force"], "", 1, "not confirmed"),
    (["--force", "--check"], "yes\n", 0, "would be written"),
])
def test_only_with_consent_the_image_is_written_and_verified(image, loop, flags, answer, status, words):
    device, backing = loop
    found, said = write(image, device, *flags, answer=answer)
    assert found == status and words in said, said
    written = image.read_bytes() if "read back" in words else b"\xff" * IMAGE_BYTES
    assert backing.read_bytes() == written + b"\xff" * IMAGE_BYTES


def test_a_device_that_is_open_exclusively_is_refused(image, loop):
    """Opened exclusively, like a mount in another namespace: no list shows it, but the kernel knows."""
    device, backing = loop
    holder = os.open(device, os.O_RDONLY | os.O_EXCL)
    try:
        status, said = write(image, device, "--force", "--yes")
        assert status == 1 and "it is in use" in said, said
    finally:
        os.close(holder)
    assert backing.read_bytes() == b"\xff" * (2 * IMAGE_BYTES)
    assert write(image, device, "--force", "--yes")[0] == 0


@pytest.mark.parametrize("sector, bus", [(512, "usb"), (4096, "usb-4096")])
def test_a_written_stick_boots(boot, program, tmp_path, sector, bus):
    """A stick is larger than the image, so the second GPT is not at its end; it boots nevertheless. An image for
    sectors of another size is refused, and the stick keeps its content."""
    backing, conf = tmp_path / "stick", tmp_path / "x.conf"
    image, other = tmp_path / "x.img", tmp_path / "other.img"
    conf.write_text(QUICK)
    output_of(build.ROOT / "scripts/image", f"--sector={sector}", program, conf, image)
    output_of(build.ROOT / "scripts/image", f"--sector={4096 + 512 - sector}", program, conf, other)
    with open(backing, "wb") as f:
        f.truncate(512 * MIB)
    for device, _ in set_up(backing, sector):
        status, said = write(other, device, "--force", "--yes")
        assert status == 1 and f"has sectors of {sector} bytes" in said, said
        with open(backing, "rb") as f:
            assert not any(f.read(MIB))
        status, said = write(image, device, "--force", "--yes")
        assert status == 0, said
    b = boot("", disk=backing, bus=bus).must(SUCCESS)
    assert {r["suite"] for r in b.rows} == {"baseline"}, str(b)


def test_a_stick_that_loses_data_fails_the_verification(image, loop, tmp_path):
    """Verification must notice a `dd` that reports success without writing."""
    device, _ = loop
    fake_dd = tmp_path / "bin" / "dd"
    fake_dd.parent.mkdir()
    real = shutil.which("dd")
    fake_dd.write_text(f'#!/bin/sh\ncase "$*" in *of=*) exit 0 ;; esac\nexec {real} "$@"\n')
    fake_dd.chmod(0o755)
    p = run_command(FLASH, "--force", "--yes", image, device,
                    env={**os.environ, "PATH": f"{fake_dd.parent}:{os.environ['PATH']}"})
    assert p.returncode == 1 and "does not give back what was written" in p.stderr, p.stderr
