"""`make deb`: the packages in clean Debian trees of two releases. They are made as root with mmdebstrap, which downloads
them once, to build/trees."""

import fcntl
import os
import re
import shutil
import subprocess
from pathlib import Path

from commands import run_command
import pytest
from made_reports import ROOT

RELEASES = ("bookworm", "trixie")
NEEDED = ("dpkg-buildpackage", "dh", "dh_python3", "mmdebstrap", "unshare", "git")
missing = [name for name in NEEDED if not shutil.which(name)]
if not missing and b"installed" != subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", "build-essential"],
                                                  capture_output=True, check=False).stdout:
    missing.append("build-essential")
if os.geteuid():
    missing.append("root rights")
if not (ROOT / ".git").exists():
    missing.append("a git repository")
pytestmark = [pytest.mark.others, pytest.mark.skipif(bool(missing), reason=f"missing: {', '.join(missing)}")]

OLD = (ROOT / "VERSION").read_text().strip()  # as packages were numbered at first
LEFT_BY_OLD = "usr/share/baretick/scripts/tools/deleted_since.py"
SNIPPET, FORMER_SNIPPET = "etc/grub.d/90_baretick", "etc/grub.d/20_baretick"
# What dpkg and apt themselves keep. Logs name the package for ever.
DPKG = ("/var/lib/dpkg/", "/var/log/dpkg.log", "/var/lib/apt/", "/var/cache/apt/", "/var/log/apt/", "/var/cache/debconf/")
DEBHELPER = "/var/lib/systemd/deb-systemd-helper-enabled/"  # services of removed packages, until they are purged
USED = ("/var/lib/baretick/20260101T000000Z.jsonl", "/etc/default/baretick")


def run(*command, allowed=(0,), **how):
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         timeout=900, check=False, **how)
    assert ran.returncode in allowed, f"{command}: exit status {ran.returncode}: {ran.stdout}"
    return ran.stdout


@pytest.fixture(scope="module")
def packages():
    """Returns {name: path} of the packages of the last commit. Workers share them."""
    folder = ROOT / "build/tests/deb"
    folder.mkdir(parents=True, exist_ok=True)
    commit = folder / run("git", "rev-parse", "HEAD", cwd=ROOT).strip()
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not commit.exists():
            for former in folder.glob("[0-9a-f]" * 40):
                shutil.rmtree(former)
            new = folder / "new"
            run("make", "-s", "deb", f"B={new.relative_to(ROOT)}", cwd=ROOT)
            new.rename(commit)
    return {path.name.partition("_")[0]: path for path in (commit / "deb").glob("*.deb")}


@pytest.fixture(scope="module")
def old(packages, tmp_path_factory):
    """The package with a lower version, with a file that the new one does not have, and with another name of a
    configuration file."""
    folder = tmp_path_factory.mktemp("old")
    run("dpkg-deb", "-R", packages["baretick"], folder / "tree")
    control = folder / "tree/DEBIAN/control"
    control.write_text(re.sub(r"^Version: .*", f"Version: {OLD}", control.read_text(), flags=re.MULTILINE))
    (folder / "tree" / LEFT_BY_OLD).write_text("# of an earlier version\n")
    (folder / "tree" / SNIPPET).rename(folder / "tree" / FORMER_SNIPPET)
    names = folder / "tree/DEBIAN/conffiles"
    names.write_text(names.read_text().replace(SNIPPET, FORMER_SNIPPET))
    for script in ("preinst", "postinst", "postrm", "prerm"):  # they rename it
        path = folder / "tree/DEBIAN" / script
        if path.exists():
            path.write_text(re.sub("^dpkg-maintscript-helper mv_conffile .*$", "", path.read_text(), flags=re.MULTILINE))
    run("dpkg-deb", "--root-owner-group", "-b", folder / "tree", folder / "old.deb")
    return folder / "old.deb"


class Tree:
    """A clean tree of a release, with Python."""

    def __init__(self, release, folder):
        kept = ROOT / f"build/trees/clean-{release}.tar"
        if not kept.exists():
            kept.parent.mkdir(exist_ok=True)
            made = kept.with_suffix(".new.tar")
            ran = run_command("mmdebstrap", "--variant=minbase", "--include=python3", release, made,
                              "http://deb.debian.org/debian")
            if ran.returncode:
                pytest.skip(f"no tree of {release}: mmdebstrap: {ran.stderr.strip().rpartition(chr(10))[2]}")
            made.replace(kept)
        self.folder = folder
        run("tar", "-xf", kept, "-C", folder)

    def run(self, *command, allowed=(0,)):
        return run("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"',
                   self.folder, *command, allowed=allowed, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})

    def install(self, package):
        """As docs/package.md does it. The clean tree has what the package depends on."""
        shutil.copy(package, self.folder / "tmp/package.deb")
        said = self.run("apt-get", "install", "-y", "--no-install-recommends", "/tmp/package.deb")
        os.unlink(self.folder / "tmp/package.deb")
        return said

    def files(self):
        """Returns {name: content of a link, or number of bytes} of everything, without what dpkg itself keeps."""
        found = {}
        for top, folders, names in os.walk(self.folder):
            for path in (Path(top, name) for name in folders + names):
                name = f"/{path.relative_to(self.folder)}"
                if not name.startswith(DPKG) and not name.startswith("/proc/"):
                    found[name] = os.readlink(path) if path.is_symlink() else 0 if path.is_dir() else path.lstat().st_size
        return found


@pytest.fixture(params=RELEASES)
def tree(request, tmp_path):
    yield Tree(request.param, tmp_path)
    shutil.rmtree(tmp_path)


def check_commands(tree):
    """Runs the installed command, which may write nothing but what it is told to."""
    before = tree.files()
    assert "once" in tree.run("baretick", "--help") and "baretick" in tree.run("baretick", "--version")
    assert "calls" in tree.run("baretick", "list")
    hosted = "baretick run --hosted suite=baseline bench=empty* samples=32 format=jsonl >/tmp/r.jsonl"
    tree.run("sh", "-c", hosted)
    assert "baseline" in tree.run("baretick", "show", "/tmp/r.jsonl")
    tree.run("baretick", "report", "/tmp/r.jsonl", "-o", "/tmp/r.html")
    assert "baseline" in (tree.folder / "tmp/r.html").read_text(encoding="utf-8")
    for command in (["once", "--dry-run"], ["install", "--dry-run"]):
        assert re.search("UEFI|container", tree.run("baretick", *command, allowed=(2,))), command
    assert "baretick-zydis" in tree.run("baretick", "stores", "calls/direct", allowed=(2,))
    assert "_baretick" in tree.run("bash", "-c", ". /usr/share/bash-completion/completions/baretick && complete -p baretick")
    assert set(tree.files()) - set(before) == {"/tmp/r.jsonl", "/tmp/r.html"}
    for name in ("r.jsonl", "r.html"):
        os.unlink(tree.folder / "tmp" / name)


def test_install_upgrade_and_purge_leave_nothing(tree, packages, old):
    clean = tree.files()
    tree.install(old)
    assert {f"/{LEFT_BY_OLD}", f"/{FORMER_SNIPPET}"} <= set(tree.files())
    for name in USED:
        path = tree.folder / name[1:]
        path.parent.mkdir(exist_ok=True)
        path.write_text("# used\n")
    tree.install(packages["baretick"])
    installed = tree.files()
    assert not {f"/{LEFT_BY_OLD}", f"/{FORMER_SNIPPET}"} & set(installed) and set(USED) <= set(installed)
    assert {"/usr/bin/baretick", "/usr/lib/baretick/baretick.efi", f"/{SNIPPET}",
            "/usr/share/man/man1/baretick.1.gz", "/usr/share/man/man1/baretick-once.1.gz"} <= set(installed)
    assert not [name for name in installed if name.startswith("/etc/systemd") and "baretick" in name], "the service is enabled"
    check_commands(tree)
    tree.run("dpkg", "--remove", "baretick")
    left = {name for name in tree.files() if name not in clean and not name.startswith(DEBHELPER)}
    assert left == {"/var/lib/baretick", *USED, "/etc/grub.d", f"/{SNIPPET}"} - set(clean), left
    tree.run("dpkg", "--purge", "baretick")
    assert tree.files() == clean


def test_the_package_of_a_later_commit_has_a_greater_version(packages):
    """The version has the time of the commit."""
    version = run("dpkg-deb", "-f", packages["baretick"], "Version").strip()
    commit = packages["baretick"].parents[1].name
    time = run("git", "log", "-1", "--date=format-local:%Y%m%d%H%M%S", "--format=%cd", commit, cwd=ROOT, env={**os.environ, "TZ": "UTC"}).strip()
    assert version == f"{OLD}+{time}"
    for earlier, later in ((OLD, version), (f"{OLD}+20260101000000", version), (version, f"{OLD}.1")):
        run("dpkg", "--compare-versions", earlier, "lt", later)


def test_no_file_depends_on_where_the_package_was_built(packages, tmp_path):
    """Man pages and completions are made by the packaged command. Two builds in different folders have the same bytes."""
    run("git", "clone", "-q", ROOT, tmp_path / "clone")
    run("git", "checkout", "-q", packages["baretick"].parents[1].name, cwd=tmp_path / "clone")
    run("make", "-s", "deb", cwd=tmp_path / "clone")
    for name, path in packages.items():
        assert (tmp_path / "clone/build/deb" / path.name).read_bytes() == path.read_bytes(), name
    run("dpkg-deb", "-x", packages["baretick"], tmp_path / "content")
    page = run("zcat", tmp_path / "content/usr/share/man/man1/baretick-once.1.gz")
    assert "(/usr/lib/baretick/baretick.efi)" in page


@pytest.mark.skipif(not shutil.which("lintian"), reason="no lintian")
def test_lintian_reports_no_error_and_no_warning(packages):
    said = run("lintian", "--allow-root", "--fail-on", "error,warning", *packages.values())
    assert not re.search("^[EW]:", said, re.MULTILINE), said
