"""`baretick once` on a made system, for the tests of the command."""

import argparse

import made_system
import pytest
from once import command, entry, prepare


@pytest.fixture
def made(tmp_path):
    return made_system.Made(tmp_path / "root")


@pytest.fixture
def image(tmp_path):
    path = tmp_path / "baretick.efi"
    path.write_bytes(made_system.program())
    return path


@pytest.fixture
def once(made, image, capsys):
    """once(word or option, ...): (exit status, output) of the command on the made system."""

    def start(*words):
        p = argparse.ArgumentParser()
        command.add(p.add_subparsers())
        status = command.run(p.parse_args(["once", "--image", str(image), *words]), made)
        return status, capsys.readouterr().out

    return start


def own(made):
    """Returns the only number of an entry of ours, and the entry."""
    ((number, found),) = [(n, e) for n, e in made.entries().items() if e.description == prepare.DESCRIPTION]
    return number, found


def restart(made):
    """Linux starts again: BootNext is used up."""
    made.variables.delete("BootNext")
    made.write("proc/sys/kernel/random/boot_id", "second\n")


def token_of(found):
    return entry.text(found.data).split()[0].removeprefix("once=")
