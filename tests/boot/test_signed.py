"""Secure Boot, with OVMF's build for it and the test keys that Debian ships: a signed program starts, from the
firmware (test_own_objects.py) and from shim.
"""

import shutil
import subprocess
from pathlib import Path

from commands import output_of
from tools import pe
import pytest
from conftest import QUICK
from machine import SUCCESS
from media import gpt_disk
from test_image_file import ODD_NAME, ROOT, sign

CODE = Path("/usr/share/OVMF/OVMF_CODE_4M.secboot.fd")
VARIABLES = Path("/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd")  # PK, KEK and db: the certificate below
CERT = Path("/usr/share/ovmf/PkKek-1-snakeoil.pem")
LOCKED_KEY = Path("/usr/share/ovmf/PkKek-1-snakeoil.key")
SHIM = Path("/usr/lib/shim/shimx64.efi")
PASSWORD = "snakeoil"  # as documented in Debian's ovmf package
SECURE = {
    "machine": "q35,smm=on",
    "firmware": (CODE, VARIABLES),
    "extra": ["-global", "driver=cfi.pflash01,property=secure,value=on"],
}

missing = [t for t in ("sbsign", "sbverify", "openssl") if not shutil.which(t)]
missing += [str(f) for f in (CODE, VARIABLES, CERT, LOCKED_KEY) if not f.exists()]
pytestmark = pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")

needs_shim = pytest.mark.skipif(not SHIM.exists(), reason=f"not installed: {SHIM}")


@pytest.fixture(scope="session")
def key(tmp_path_factory):
    path = tmp_path_factory.mktemp("keys") / "db.key"
    output_of("openssl", "rsa", "-in", LOCKED_KEY, "-passin", f"pass:{PASSWORD}", "-out", path)
    return path


@pytest.fixture
def secure_disk(tmp_path):
    def make(first, **others):
        files = {"EFI/BOOT/BOOTX64.EFI": first, "baretick.conf": QUICK.encode()}
        files.update({f"EFI/BOOT/{name}.efi": path for name, path in others.items()})
        return gpt_disk(tmp_path / "secure.img", files)

    return make


@pytest.fixture
def signed(key, tmp_path):
    """signed(program): a signed copy."""

    def make(program):
        path = tmp_path / f"signed-{program.name}"
        p = sign(program, path, key, CERT)
        assert p.returncode == 0, p.stderr
        return path

    return make


def starts(boot, disk):
    b = boot("", disk=disk, **SECURE).must(SUCCESS)
    assert {r["suite"] for r in b.rows} == {"baseline"}, str(b)


def is_refused(boot, disk, words):
    b = boot("", disk=disk, done=lambda data: words.encode() in data, **SECURE)
    assert words in b.text and not b.records, str(b)


def test_an_unsigned_program_is_refused(boot, program, secure_disk):
    is_refused(boot, secure_disk(program), "Access Denied")


@needs_shim
def test_shim_starts_the_signed_program(boot, program, secure_disk, signed):
    """shim starts grubx64.efi in its folder, whatever that is."""
    starts(boot, secure_disk(signed(SHIM), grubx64=signed(program)))


@needs_shim
def test_shim_asks_for_its_sbat(boot, program, secure_disk, signed, tmp_path):
    """The same without a section of that name: this shows that the shim of the test above does not accept everything."""
    without = tmp_path / "without.efi"
    changed = pe.Image(program.read_bytes().replace(b".sbat\0\0\0", b".none\0\0\0", 1))
    changed.put32(changed.opt + 64, changed.checksum())
    without.write_bytes(changed.raw)
    is_refused(boot, secure_disk(signed(SHIM), grubx64=signed(without)), "Security Violation")


@pytest.mark.parametrize("which, words", [
    (("none.key", CERT), "none.key: no such file"),
    ((None, "none.pem"), "none.pem: no such file"),
    (("", CERT), "make signed KEY="),
    ((CERT, CERT), "sbsign: "),
])
def test_keys_that_cannot_be_used_are_refused(program, key, tmp_path, which, words):
    p = sign(program, tmp_path / "signed.efi", key if which[0] is None else which[0], which[1])
    assert p.returncode == 1 and words in p.stderr, p.stderr
    assert list(tmp_path.iterdir()) == []


def test_make_signed_signs_program_and_image(program, key, tmp_path):
    """The disk that it makes has the signed program. Names of a key are words, whatever they contain."""
    shutil.copy(program, tmp_path)
    key = shutil.copy(key, tmp_path / f"{ODD_NAME}.key")
    cert = shutil.copy(CERT, tmp_path / f"{ODD_NAME}.pem")
    (tmp_path / "my.conf").write_text(QUICK + "\n")
    subprocess.run(["make", "-s", f"B={tmp_path}", "-o", tmp_path / "baretick.efi", "signed",
                    f"KEY={key}", f"CERT={cert}", f"CONF={tmp_path}/my.conf"], cwd=ROOT,
                   check=True, stdout=subprocess.DEVNULL)
    back = tmp_path / "back.efi"
    output_of("mcopy", "-i", f"{tmp_path}/signed/baretick.img@@1M", "::/EFI/BOOT/BOOTX64.EFI", back)
    assert back.read_bytes() == (tmp_path / "signed/baretick.efi").read_bytes()
    output_of("sbverify", "--cert", CERT, back)
