"""scripts/release, in a clone: what it refuses, and a release without its tests."""

import os
import re
import shutil
import subprocess

from commands import output_of
import pytest
from conftest import ROOT

pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists() or not shutil.which("git"), reason="no git repository here")
TOOLS = ("dpkg-buildpackage", "dh", "dh_python3", "mcopy", "fdisk", "mkfs.vfat")
PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"
missing = [name for name in TOOLS if not shutil.which(name, path=PATH)]
can_package = pytest.mark.skipif(bool(missing), reason=f"missing: {', '.join(missing)}")
# In UTC this is the next day. It is in the past, because debhelper sets only times after that of the commit to it.
LATE, DAY = "2026-11-20T23:30:00 -0500", "2026-11-21"
FILES = {"VERSION": "1.2.3\n", "CHANGELOG.md": f"# Changelog\n\n## [1.2.3] - {DAY}\n\n## [1.2.2] - 2026-11-01\n",
         "CITATION.cff": f"cff-version: 1.2.0\nversion: 1.2.3\ndate-released: {DAY}\n"}


class Clone:
    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_COMMITTER_DATE": LATE, "TZ": "America/New_York"}
        for name in ("author", "committer"):
            self.environment |= {f"GIT_{name.upper()}_NAME": "a", f"GIT_{name.upper()}_EMAIL": "a@b"}
        output_of("git", "clone", "-q", "--shared", ROOT, folder)
        self.commit(FILES)

    def git(self, *words):
        return output_of("git", *words, cwd=self.folder, env=self.environment)

    def commit(self, files):
        """Commits these files, and the command as it is in this tree."""
        for name, text in files.items():
            (self.folder / name).write_text(text)
        shutil.copy(ROOT / "scripts/release", self.folder / "scripts")
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "--message", "release: 1.2.3")

    def release(self, *words):
        ran = subprocess.run([self.folder / "scripts/release", *words], env=self.environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1200, check=False)
        return ran.returncode, ran.stdout

    def refusal(self):
        """Returns the message with which it refuses to release. Nothing is tested, built or tagged."""
        status, said = self.release("--test", "echo tested >&2; false")
        assert status == 1 and said.startswith("release: ") and "tested" not in said, said
        assert not (self.folder / "build/release").exists()
        return said


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path / "clone")


def test_an_uncommitted_file_is_refused(clone):
    (clone.folder / "lib/stray.c").write_text("")
    assert "?? lib/stray.c" in clone.refusal()


def test_a_changed_file_is_refused(clone):
    (clone.folder / "LICENSE").write_text("")
    assert "M LICENSE" in clone.refusal()


@pytest.mark.parametrize("name, text, named", [
    ("VERSION", "1.2\n", ["VERSION", '"1.2"']),
    ("VERSION", "1.2.4\n", ["CHANGELOG.md", "[1.2.3]", f"[1.2.4] - {DAY}"]),
    ("CHANGELOG.md", "# Changelog\n", ["CHANGELOG.md", f"## [1.2.3] - {DAY}"]),
    ("CHANGELOG.md", "## [1.2.3] - unreleased\n", ["CHANGELOG.md", "unreleased", DAY]),
    ("CHANGELOG.md", "## [1.2.3] - 2026-11-20\n", ["CHANGELOG.md", "2026-11-20", DAY]),
    ("CITATION.cff", f"version: 1.2.2\ndate-released: {DAY}\n", ["CITATION.cff", "version: 1.2.3"]),
    ("CITATION.cff", "version: 1.2.3\n", ["CITATION.cff", f"date-released: {DAY}"]),
])
def test_files_that_disagree_are_refused(clone, name, text, named):
    clone.commit({name: text})
    said = clone.refusal()
    assert all(part in said for part in named), said


def test_a_version_that_has_a_tag_is_refused(clone):
    clone.git("tag", "v1.2.3", "HEAD~1")
    assert "tag v1.2.3 exists" in clone.refusal()


@can_package
def test_a_failed_test_ends_the_release(clone):
    status, said = clone.release("--test", "exit 3")
    assert status == 1 and "`exit 3` has failed with exit status 3" in said, said
    assert not (clone.folder / "build").exists() and not clone.git("tag", "--list")


@pytest.mark.parametrize("words", [["--dry"], ["--test"], ["1.2.3"]])
def test_wrong_words_print_the_usage(clone, words):
    status, said = clone.release(*words)
    assert status == 2 and "--dry-run" in said and "--test COMMAND" in said, said


@can_package
@pytest.mark.others
def test_a_release_has_the_files_with_their_sums_and_a_tag(clone):
    """A dry run, which makes all files, and then a release in the same clone."""
    folder = clone.folder / "build/release/1.2.3"
    status, said = clone.release("--dry-run", "--test", "true")
    assert status == 0 and "not tagged" in said, said
    assert not clone.git("tag", "--list")
    sums = (folder / "SHA256SUMS").read_text()
    names = re.findall(r"^[0-9a-f]{64}  (\S+)$", sums, re.MULTILINE)
    assert sorted([*names, "SHA256SUMS"]) == sorted(path.name for path in folder.iterdir())
    assert {"baretick-1.2.3.tar.gz", "baretick-1.2.3.img"} < set(names)
    assert {name.partition("_")[0] for name in names if name.endswith(".deb")} == {"baretick", "baretick-zydis"}
    program = (clone.folder / "build/deb/baretick/build/baretick.efi").read_bytes()
    mounted = subprocess.run(["mcopy", "-i", f"{folder}/baretick-1.2.3.img@@1M", "::EFI/BOOT/BOOTX64.EFI", "-"], capture_output=True, check=True)
    assert mounted.stdout == program and b"1.2.3" in program

    status, said = clone.release("--test", "true")
    assert status == 0 and "git push origin v1.2.3" in said, said
    assert clone.git("cat-file", "-t", "v1.2.3") == "tag\n"
    assert clone.git("rev-parse", "v1.2.3^{commit}") == clone.git("rev-parse", "HEAD")
    assert (folder / "SHA256SUMS").read_text() == sums, "the same commit gives the same files"
