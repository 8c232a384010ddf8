"""Secure Boot, with OVMF's build for it and the test keys that Debian ships: what is signed starts."""

import shutil
import subprocess
from pathlib import Path

import build
import pytest
from conftest import QUICK
from machine import SUCCESS
from media import gpt_disk, tool

CODE = Path("/usr/share/OVMF/OVMF_CODE_4M.secboot.fd")
VARIABLES = Path("/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd")  # PK, KEK and db: the certificate below
CERT = Path("/usr/share/ovmf/PkKek-1-snakeoil.pem")
LOCKED_KEY = Path("/usr/share/ovmf/PkKek-1-snakeoil.key")
PASSWORD = "snakeoil"  # as Debian's ovmf package documents it
SECURE = {
    "machine": "q35,smm=on",
    "firmware": (CODE, VARIABLES),
    "extra": ["-global", "driver=cfi.pflash01,property=secure,value=on"],
}

missing = [t for t in ("sbsign", "sbverify", "openssl") if not shutil.which(t)]
missing += [str(f) for f in (CODE, VARIABLES, CERT, LOCKED_KEY) if not f.exists()]
pytestmark = pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


@pytest.fixture(scope="session")
def key(tmp_path_factory):
    path = tmp_path_factory.mktemp("keys") / "db.key"
    tool("openssl", "rsa", "-in", LOCKED_KEY, "-passin", f"pass:{PASSWORD}", "-out", path)
    return path


def sign(program, signed, key, cert):
    return subprocess.run([build.ROOT / "scripts/sign", program, signed, key, cert],
                          capture_output=True, text=True)


@pytest.fixture
def secure_disk(tmp_path):
    def make(program):
        files = {"EFI/BOOT/BOOTX64.EFI": program, "baretick.conf": QUICK.encode()}
        return gpt_disk(tmp_path / "secure.img", files)

    return make


def test_signed_boots(boot, program, secure_disk, key, tmp_path):
    signed = tmp_path / "signed.efi"
    p = sign(program, signed, key, CERT)
    assert p.returncode == 0, p.stderr
    b = boot("", disk=secure_disk(signed), **SECURE).must(SUCCESS)
    assert {r["suite"] for r in b.rows} == {"baseline"}, str(b)


def refused(boot, disk):
    b = boot("", disk=disk, done=lambda data: b"Access Denied" in data, **SECURE)
    assert "Access Denied" in b.text and not b.records, str(b)


def test_unsigned_does_not(boot, program, secure_disk):
    refused(boot, secure_disk(program))


def test_signed_and_changed_does_not(boot, program, secure_disk, key, tmp_path):
    """One bit of what a self-test prints: nothing but the signature can notice."""
    signed = tmp_path / "signed.efi"
    assert sign(program, signed, key, CERT).returncode == 0
    raw = signed.read_bytes()
    changed = raw.replace(b"self-test", b"Self-test", 1)
    assert changed != raw
    signed.write_bytes(changed)
    refused(boot, secure_disk(signed))


@pytest.mark.parametrize("which, words", [
    (("none.key", CERT), "none.key: no such file"),
    ((None, "none.pem"), "none.pem: no such file"),
    (("", CERT), "make signed KEY="),
    ((CERT, CERT), "sbsign: "),
])
def test_keys_that_cannot_be_used(program, key, tmp_path, which, words):
    p = sign(program, tmp_path / "signed.efi", key if which[0] is None else which[0], which[1])
    assert p.returncode == 1 and words in p.stderr, p.stderr
    assert list(tmp_path.iterdir()) == []


def test_make_signed(program, key, tmp_path):
    """The disk that it makes carries the signed program."""
    shutil.copy(program, tmp_path)
    (tmp_path / "my.conf").write_text(QUICK + "\n")
    subprocess.run(["make", "-s", f"B={tmp_path}", "-o", tmp_path / "baretick.efi", "signed",
                    f"KEY={key}", f"CERT={CERT}", f"CONF={tmp_path}/my.conf"], cwd=build.ROOT,
                   check=True, stdout=subprocess.DEVNULL)
    back = tmp_path / "back.efi"
    tool("mcopy", "-i", f"{tmp_path}/signed/baretick.img@@1M", "::/EFI/BOOT/BOOTX64.EFI", back)
    assert back.read_bytes() == (tmp_path / "signed/baretick.efi").read_bytes()
    tool("sbverify", "--cert", CERT, back)
