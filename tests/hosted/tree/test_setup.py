"""scripts/setup without a tool and without root rights: it calls sudo, or names it if it is missing.

`scripts/test-on` runs it completely, in a fresh tree of another release.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from commands import output_of, run_command
import pytest
from conftest import ROOT

HIDDEN = {"nasm", "iasl", "rustc", "sudo", "id", "apt-get", "apt-cache"}
STAND_INS = {
    "id": "echo 1000",
    "apt-cache": "cat {log}.lists 2>/dev/null; exit 0",
    "apt-get": 'echo "apt-get $*" >>{log}; case " $* " in *" nasm "*) ln -s /bin/true {bin}/nasm ;; esac; '
               'case $* in *acpica-tools*) ln -s /bin/true {bin}/iasl ;; esac',
    "sudo": 'echo "sudo $*" >>{log}; exec "$@"',
}


@pytest.fixture
def setup(tmp_path):
    """setup(sudo, words): its output, its status, and the programs that were called; only these are hidden. There are
    stand-ins for the package manager."""
    folder, log = tmp_path / "bin", tmp_path / "log"
    folder.mkdir()
    log.touch()
    for place in os.get_exec_path() + ["/usr/sbin", "/sbin"]:
        for tool in Path(place).iterdir() if Path(place).is_dir() else ():
            if tool.name not in HIDDEN and not (folder / tool.name).exists():
                (folder / tool.name).unlink(missing_ok=True)
                (folder / tool.name).symlink_to(tool)
    for name, text in STAND_INS.items():
        (folder / name).write_text("#!/bin/sh\n" + text.format(log=log, bin=folder) + "\n")
        (folder / name).chmod(0o755)

    def start(sudo, *words):
        if not sudo:
            (folder / "sudo").unlink()
        done = subprocess.run(
            [ROOT / "scripts/setup", *words], env={**os.environ, "PATH": str(folder)}, timeout=300,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout, done.returncode, log.read_text().splitlines()

    return start


def test_setup_alone_installs_what_a_run_needs_and_names_the_rest(setup):
    """Nothing of the tests: they take four times as much."""
    said, status, called = setup(sudo=True)
    assert status == 0 and "everything that is needed is installed" in said, said
    assert re.search(r"\(--test installs them\): .*\biasl\b", said) and "rustc" not in said, said
    (line,) = [x for x in called if x.startswith("sudo ") and "install" in x]
    assert line.endswith(" nasm"), called


def test_the_packages_of_a_run_are_no_tools_of_the_tests():
    text = (ROOT / "scripts/setup").read_text()
    run = re.search(r"^REQUIRED='\n(.*?)^'", text, re.DOTALL | re.MULTILINE)[1]
    for needed in ("qemu-system-x86", "ovmf", "nasm", "gnu-efi", "gcc"):
        assert needed in run, needed
    for other in ("clang", "cppcheck", "shellcheck", "cmocka", "pytest", "bochs"):
        assert other not in run, other


def test_sudo_installs_what_is_missing(setup):
    said, status, called = setup(True, "--test")
    assert status == 0 and "everything that is needed is installed" in said, said
    assert "sudo apt-get update -q" in called, called
    (line,) = [x for x in called if x.startswith("sudo ") and "acpica-tools" in x]
    assert line.startswith("sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y"), called


def test_without_sudo_the_command_for_root_is_named(setup):
    said, status, called = setup(False, "--test")
    assert status == 1 and "still missing: NASM, iasl" in said, said
    assert re.search("as root: .*apt-get install .*acpica-tools", said), said
    assert called == [], called


def test_setup_names_packages_of_skipped_tests_and_installs_them_with_all(setup):
    said, status, _ = setup(True, "--test", "--dry-run")
    assert status == 0 and "(--all installs them)" in said and "rustc" in said.split("(--all installs them)")[1], said
    (line,) = [x for x in said.splitlines() if "would install" in x and "acpica-tools" in x]
    assert "rustc" not in said.split("would install")[1]
    said, status, called = setup(True, "--all", "--dry-run")
    assert status == 0 and "--all" not in said and not called, said
    assert any("would install" in x and " rustc" in x for x in said.splitlines()), said
    assert setup(True, "--al")[1] == 2


def test_a_package_that_this_release_lacks_is_named_and_the_others_are_installed(setup, tmp_path):
    (tmp_path / "log.lists").write_text("Package: acpica-tools\nVersion: 1\n\nPackage: nasm\nVersion: 1\n")
    said, status, called = setup(True, "--all")
    assert status == 0 and "this release has no package rustc" in said, said
    (line,) = [x for x in called if x.startswith("sudo env")]
    assert line.endswith(" acpica-tools nasm"), called


def has_lists():
    """Tests whether apt has lists of a Debian's packages, as after `apt-get update`."""
    if not (shutil.which("apt-get") and shutil.which("apt-cache")) or "ID=debian" not in Path("/etc/os-release").read_text():
        return False
    return "\n" in run_command("apt-cache", "show", "qemu-system-x86").stdout


@pytest.mark.others
def test_the_readme_states_what_apt_downloads_and_what_that_takes_on_disk():
    """Without an option, with --test and with --all. apt-get's simulations take 15 s of CPU time."""
    if not has_lists():
        pytest.skip("no lists of Debian's packages here: apt-get update makes them")
    ran = output_of(ROOT / "scripts/setup", "--size")
    computed = re.findall(r"(\d+) MB to download .* (\d+) MB on disk", ran)
    readme = (ROOT / "README.md").read_text()
    section = re.search(r"`./scripts/setup`\s+downloads .*?\n## ", readme, re.DOTALL)[0]
    stated = re.findall(r"(\d+)\s+MB[^(]*\(([\d.]+)\s+GB", section)  # Debian 12, 13, with --test, with --all
    release = int(re.search(r'VERSION_ID="(\d+)"', Path("/etc/os-release").read_text())[1]) - 12
    if release not in (0, 1):
        pytest.skip("README.md states the sizes of Debian 12 and 13")
    stated = stated[release::2]
    assert len(computed) == len(stated) == 3 and "with --all" in ran.splitlines()[-1], ran
    for (download, disk), states in zip(computed, stated):
        for says, number in ((int(download), int(states[0])), (int(disk), 1000 * float(states[1]))):
            # Releases and their updates differ.
            assert abs(says - number) <= 0.15 * number, f"README.md states {number} MB; scripts/setup --size: {ran}"


def test_size_installs_nothing_and_reports_missing_lists_of_apt(setup):
    said, status, called = setup(True, "--size", "--all")
    assert status == 1 and "apt-get update" in said, said
    assert called and all("--print-uris" in line for line in called), called


def test_another_release_has_a_sysfs():
    """scripts/flash reads it, and so do its tests."""
    text = (ROOT / "scripts/test-on").read_text()
    assert re.search(r'^\s*mount -t sysfs\b[^#\n]*"\$tree/sys"', text, re.MULTILINE)
