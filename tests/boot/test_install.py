"""`baretick install` in Linux, on a made system: what it writes for systemd-boot and GRUB, refuses and reverts.
test_grub.py starts what it has written."""

import argparse
import os
import stat
import subprocess
import sys
from pathlib import Path

from commands import output_of
import build
import made_system
import pytest

sys.path.insert(0, str(build.ROOT / "scripts"))
from once import entry, install, systemd_boot  # noqa: E402
from once.variables import Failed  # noqa: E402

ESP = "boot/efi"
ENTRY, IMAGE = f"{ESP}/loader/entries/baretick.conf", f"{ESP}/EFI/baretick/baretick.efi"
MENU = "menuentry 'Linux' {\n}\n"
LINUX = "title Linux\nlinux /linux\n"
GRUB_LIBRARY = Path("/usr/share/grub/grub-mkconfig_lib")
PROBE = """#!/bin/sh
case "$*" in
*--target=device*) echo /dev/sda1 ;;
*--target=partmap*) echo gpt ;;
*--target=fs_uuid*) echo {uuid} ;;
esac
"""


class Made(made_system.Made):
    """A made system that notes the commands that are run; `refused`: these fail."""

    def __init__(self, root):
        super().__init__(root)
        self.ran, self.refused = [], False

    def run(self, command):
        self.ran.append(command)
        if self.refused:
            raise Failed(f"{command[0]}: exit status 1")

    def add_systemd_boot(self, default="default linux.conf\n", **entries):
        self.write(f"{ESP}/EFI/systemd/systemd-bootx64.efi", b"MZ")
        self.write(f"{ESP}/loader/loader.conf", f"timeout 3\n{default}")
        for name, text in (entries or {"linux": LINUX}).items():
            self.write(f"{ESP}/loader/entries/{name}.conf", text)

    def add_grub(self, folder="boot/grub", tool="usr/sbin/update-grub"):
        self.write(f"{folder}/grub.cfg", MENU)
        Path(self.path("/etc/grub.d")).mkdir(parents=True)
        self.write(tool, "")


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path / "root")


@pytest.fixture
def command(made, tmp_path, capsys):
    """command(word or option, ...): (exit status, output) of `baretick install` on the made system."""
    image = tmp_path / "baretick.efi"
    image.write_bytes(made_system.program())

    def start(*words):
        p = argparse.ArgumentParser()
        install.add(p.add_subparsers())
        status = install.run(p.parse_args(["install", "--image", str(image), *words]), made)
        return status, capsys.readouterr().out

    return start


def grub_entry(made, tmp_path, uuid="1234-ABCD"):
    """Returns what the installed snippet adds to GRUB's configuration. The made ESP is not a mount here, so GRUB's tools
    name its files from the root."""
    probe = tmp_path / "probe"
    probe.write_text(PROBE.format(uuid=uuid))
    probe.chmod(0o755)
    defaults = Path(made.path("/etc/default/baretick"))
    defaults.write_text(defaults.read_text().replace("=/boot/efi", f"={made.path('/boot/efi')}"))
    ran = subprocess.run(["sh", made.path(install.SNIPPET)], capture_output=True, text=True, check=True,
                         env={**os.environ, "sysconfdir": made.path("/etc"), "grub_probe": str(probe)})  # fmt: skip
    root = output_of("grub-mkrelpath", made.path("/boot/efi")).strip()
    return ran.stdout.replace(root, "")


with_grub = pytest.mark.skipif(not GRUB_LIBRARY.exists(), reason=f"no {GRUB_LIBRARY}: package grub-common")


def test_a_dry_run_changes_nothing(made, command):
    made.add_systemd_boot()
    made.add_grub()
    before = made.content()
    status, said = command("--dry-run", "suite=calls")
    assert status == 0 and made.content() == before and made.ran == []
    assert all(name in said for name in ("baretick.efi", "baretick.conf", install.DEFAULTS, install.SNIPPET, "update-grub"))


def test_what_is_installed_is_reverted_to_the_last_byte(made, command):
    made.add_systemd_boot()
    made.add_grub()
    before = made.content()
    status, said = command("suite=calls", "bench=plt*")
    assert status == 0 and "bootctl set-oneshot baretick.conf" in said and "grub-reboot baretick" in said
    found = made.content()
    assert found[IMAGE] == made_system.program()
    assert found[ENTRY].decode() == "title baretick\nefi /EFI/baretick/baretick.efi\noptions takeover=borrow finish=reboot suite=calls bench=plt*\n"
    assert os.stat(made.path(install.SNIPPET)).st_mode & stat.S_IXUSR and made.ran == [["/usr/sbin/update-grub"]]
    assert command("suite=calls", "bench=plt*")[0] == 0 and made.content() == found
    command("--undo")
    assert made.content() == before and made.ran[-1] == ["/usr/sbin/update-grub"]
    assert command("--undo")[1].strip() == "Nothing to undo."


@pytest.mark.parametrize("folder, tool, words", [
    ("boot/grub", "usr/sbin/grub-mkconfig", ["/usr/sbin/grub-mkconfig", "-o", "/boot/grub/grub.cfg"]),
    ("boot/grub2", "usr/sbin/grub2-mkconfig", ["/usr/sbin/grub2-mkconfig", "-o", "/boot/grub2/grub.cfg"])])
def test_the_tool_of_each_distribution_writes_grubs_menu(made, command, folder, tool, words):
    made.add_grub(folder, tool)
    _, said = command()
    assert made.ran == [words] and ENTRY not in made.content()
    assert f"`{os.path.basename(folder)}-reboot baretick`" in said


def test_a_snippet_of_the_package_is_left_alone(made, command):
    made.add_grub()
    made.write("var/lib/dpkg/info/baretick.list", "")
    made.write("etc/grub.d/90_baretick", "the package's")
    command()
    command("--undo")
    assert made.content()["etc/grub.d/90_baretick"] == b"the package's" and "etc/default/baretick" not in made.content()


def test_a_changed_snippet_is_kept_and_named(made, command):
    made.add_grub()
    command()
    made.write("etc/grub.d/90_baretick", "changed")
    assert install.SNIPPET in command("--undo")[1] and made.content()["etc/grub.d/90_baretick"] == b"changed"


def test_ctrl_c_reverts_everything(made, command, monkeypatch):
    made.add_grub()
    before, runs = made.content(), []

    def interrupted(_):
        runs.append(1)
        if len(runs) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(made, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        command()
    assert made.content() == before and len(runs) == 2, "GRUB's menu is written again"


def test_a_failed_update_reverts_everything(made, command):
    made.add_systemd_boot()
    made.add_grub()
    made.refused, before = True, made.content()
    with pytest.raises(Failed, match="update-grub.*everything was reverted"):
        command()
    assert made.content() == before


def with_loader(default, variable=None, **entries):
    """Returns what arranges systemd-boot; variable: what `bootctl set-default` has written."""

    def arrange(made):
        made.add_systemd_boot(default, **entries)
        if variable:
            made.variables.set("LoaderEntryDefault", entry.wide(variable), systemd_boot.GUID)

    return arrange


def with_grub_and(change):
    return lambda made: (made.add_grub(), change(made))


def read_only(made):
    mounts = Path(made.path("/proc/self/mountinfo"))
    mounts.write_text(mounts.read_text().replace("/boot/efi rw", "/boot/efi ro"))


REFUSED = [
    ("no boot loader", lambda made: None),
    ("container", with_grub_and(lambda made: made.write(".dockerenv", ""))),
    ("read-only", with_grub_and(read_only)),
    ("Secure Boot", with_grub_and(lambda made: made.variables.set("SecureBoot", b"\1"))),
    ("MiB free", with_grub_and(lambda made: setattr(made, "space", 1 << 20))),
    ("grub-mkconfig", lambda made: (made.write("boot/grub/grub.cfg", MENU), os.makedirs(made.path("/etc/grub.d")))),
    ("no line `default`", with_loader("", arch=LINUX)),
    ("no line `default`", with_loader("default fedora-*\n", arch=LINUX, broken="title Broken\n")),
    (r"is b\*, in .*loader.conf", with_loader("default linux.conf\ndefault B*\n", arch=LINUX, linux=LINUX)),
    ("is @saved, in .*loader.conf.*each time", with_loader("default @saved\n", linux=LINUX)),
    ("is @saved, in .*LoaderEntryDefault", with_loader("default linux.conf\n", "@saved")),
    # No tries are left.
    ("no line `default`", with_loader("", **{"linux+0-3": LINUX + "sort-key linux\n"})),
    ("grub.cfg has no entry", with_grub_and(lambda made: made.write("boot/grub/grub.cfg", "# no entry\n"))),
]


@pytest.mark.parametrize("said, arrange", REFUSED)
def test_what_cannot_work_is_refused_and_nothing_is_changed(made, command, said, arrange):
    arrange(made)
    before = made.content()
    with pytest.raises(Failed, match=said):
        command()
    assert made.content() == before and made.ran == []


@pytest.mark.parametrize("default, names, chosen", [("default arch.conf\n", ["arch"], None), ("", ["linux"], None), ("", ["3f2a91c4-6.1.0"], None),
                                                    ("default *\n", ["linux+3", "arch"], None), ("", ["arch"], "ARCH.conf")])
def test_an_entry_that_is_never_the_default_is_accepted(made, command, default, names, chosen):
    with_loader(default, chosen, **{name: LINUX for name in names})(made)
    assert command()[0] == 0 and command()[0] == 0


def without_a_file(made):
    made.write(f"{ESP}/loader/loader.conf", "default auto-windows\n")
    made.variables.set("LoaderEntries", b"".join(map(entry.wide, ("arch.conf", "auto-windows"))), systemd_boot.GUID, 6)


OTHERS = {
    "with a sort-key": lambda made: made.write(f"{ESP}/loader/entries/arch.conf", f"{LINUX}sort-key arch\n"),
    "unified": lambda made: made.write(f"{ESP}/EFI/Linux/arch.efi", b""),
    "on another partition": lambda made: (made.disk("sdb", "8:17", "/boot", kind=entry.XBOOTLDR, guid=b"\x11" * 16),
                                          made.write("boot/loader/entries/ubuntu.conf", LINUX)),
    "without a file": without_a_file,
}


@pytest.mark.parametrize("kind", OTHERS)
def test_an_entry_after_others_of_each_kind_is_accepted(made, command, kind):
    made.add_systemd_boot("", arch=LINUX)
    with pytest.raises(Failed, match="would be the first one"):
        command()
    OTHERS[kind](made)
    assert command()[0] == 0


@with_grub
def test_the_snippet_finds_the_partition_and_quotes_the_words(made, command, tmp_path):
    made.add_grub()
    command("suite=calls", "bench=plt*,it's", "cores=$x")
    text = grub_entry(made, tmp_path)
    assert text.startswith("menuentry 'baretick' --class baretick --id baretick {\n") and text.endswith("}\n")
    assert "search --no-floppy --fs-uuid --set=root 1234-ABCD" in text
    words = r"'takeover=borrow' 'finish=reboot' 'suite=calls' 'bench=plt*,it'\''s' 'cores=$x'"
    assert f"    chainloader /EFI/baretick/baretick.efi {words}\n" in text


@with_grub
def test_without_the_program_or_where_it_is_switched_off_there_is_no_entry(made, command, tmp_path):
    made.add_grub()
    command()
    defaults = Path(made.path(install.DEFAULTS))
    defaults.write_text(defaults.read_text().replace("# GRUB_DISABLE", "GRUB_DISABLE"))
    assert grub_entry(made, tmp_path) == ""
    defaults.write_text(defaults.read_text().replace("GRUB_DISABLE", "# GRUB_DISABLE"))
    assert "chainloader" in grub_entry(made, tmp_path)
    os.unlink(made.path(f"/{IMAGE}"))
    assert grub_entry(made, tmp_path) == ""
