"""Fixtures of the boot tests; README.md in this folder says what they need and how to run them."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "objects")]

import build  # noqa: E402
import machine  # noqa: E402
import media  # noqa: E402
import sharing  # noqa: E402

# What most tests run: enough rows and windows for a report, few enough to be fast.
QUICK = "suite=baseline samples=32"


# Debian has mkfs.vfat and fdisk there.
os.environ["PATH"] += ":/usr/sbin:/sbin"


def pytest_configure(config):
    config.addinivalue_line("markers", "check: one of the three boots of `make check`")
    config.addinivalue_line("markers", "others: needs another compiler or emulator than most, or a very large machine; `make test-others`")
    config.addinivalue_line("markers", "long: takes ten seconds or more, and is begun first")
    if not hasattr(config, "workerinput"):  # workers inherit it
        os.environ[machine.SAVED] = tempfile.mkdtemp(prefix="baretick-machines-")


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(machine.SAVED))


def pytest_collection_modifyitems(items):
    """Deals out the tests so that no worker has a long one left when the others have finished."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session")
def program():
    """The image under test."""
    efi = build.ROOT / "build" / "baretick.efi"
    assert efi.exists(), f"{efi} is missing: run make first"
    return efi


@pytest.fixture
def boot(program, tmp_path):
    """boot(words, **how): boots baretick, loaded by the firmware itself; see machine.qemu."""

    def start(words=QUICK, **how):
        if "disk" not in how and "program" not in how:
            how["program"] = program
        return machine.qemu(tmp_path, words=words, **how)

    return start


@pytest.fixture
def shared(program, tmp_path):
    """shared(words, **how): the same boot, once for all tests that ask for it: for tests that only read its results."""

    def start(words=QUICK, **how):
        return sharing.boot(tmp_path, program, words=words, **how)

    return start


@pytest.fixture
def stick(program, tmp_path):
    """stick({name: content}): a disk that boots baretick, with these files on it."""

    def make(files, **how):
        content = {"EFI/BOOT/BOOTX64.EFI": program, **files}
        return media.gpt_disk(tmp_path / "stick.img", content, **how)

    return make


@pytest.fixture
def shim(program, tmp_path):
    """shim(modes, options): a disk whose boot program changes the machine, then starts baretick.

    conf: the content of baretick.conf; tables: ACPI tables, for the mode of that name. Without conf and takeover= it
    exits boot services, where many of the modes begin.
    """

    def make(modes, options=QUICK, conf=None, tables=()):
        if isinstance(options, str):
            if not conf and "takeover=" not in options:
                options += " takeover=exit"
            options = options.encode("utf-16-le") + b"\0\0"
        content = {
            "EFI/BOOT/BOOTX64.EFI": build.shim(),
            "baretick.efi": program,
            "shim.txt": modes.encode() + b"\n" + options,
            **{f"table{i}": table for i, table in enumerate(tables)},
        }
        if conf:
            content["baretick.conf"] = conf
        return media.gpt_disk(tmp_path / "shim.img", content)

    return make


@pytest.fixture
def disturbed(boot, tmp_path):
    """disturbed(command, ..., seen=[words, ...]): a run in which QEMU's monitor gets these commands while the first
    row is measured; their answers are in .answers. Shows the table, because the disturbance may cut a record.

    On a busy host the row can be over before QEMU gets the commands. Then the report lacks the words or, if none are
    named, there is no answer, and a longer row is tried. The two longer ones take more than the guest's usual deadline.
    """

    def start(*commands, seen, **how):
        for samples in (4096, 65536, 300000):
            answers = []

            def give():
                try:
                    answers[:] = machine.monitor(tmp_path / "monitor", *commands)
                except OSError:
                    pass  # QEMU ended too early, so there are no answers

            words = f"suite=calls bench=direct,got samples={samples} deadline=3600 format=table"
            b = boot(words, keys={b"row 1 of 2": give}, **how)
            b.answers = answers
            if all(words in b.text for words in seen) if seen else answers:
                break
        return b

    return start
