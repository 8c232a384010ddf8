"""Where the files of baretick are: in its source tree, or where a package has installed them; and how a file is replaced."""
import contextlib
import errno
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
IN_TREE = os.path.exists(os.path.join(ROOT, "Makefile"))
# A package has ROOT in /usr/share/baretick.
_INSTALLED = "/usr/lib/baretick"
_BUILT = os.path.join(ROOT, "build") if IN_TREE else os.path.normpath(os.path.join(ROOT, "../../lib/baretick"))


def built(name):
    """Returns the path of what the build makes: "baretick.efi", "hosted/baretick"."""
    return os.path.join(_BUILT, name)


def out(name):
    """Returns the folder for reports if the user names none: in build/ of the tree, or in the current folder."""
    return os.path.join(_BUILT, name) if IN_TREE else os.path.join("baretick", name)


def shown(path):
    """Returns a path as a help text shows it: it does not depend on where the tree is, or where a package is built."""
    return os.path.relpath(path, ROOT) if IN_TREE else path.replace(_BUILT, _INSTALLED, 1)


def failed(error, what):
    """Returns the text of an OSError. what: what failed if it names no file."""
    path = error.filename if isinstance(error.filename, str) else what
    there = os.path.abspath(path).startswith(os.path.abspath(out("")))
    return f"{path}: {error.strerror or error}" + ("; --out names another folder" if there else "")


SETUP = "./scripts/setup installs it"
SETUP_TEST = "./scripts/setup --test installs it"


def get(how=SETUP, package="baretick"):
    """Returns how a missing program is obtained: with a command of the tree, or with a package of the distribution."""
    return how if IN_TREE else f"package {package} has it"


def sync_folder(folder):
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as e:
        if e.errno != errno.EINVAL:  # the file system does not sync folders
            raise
    finally:
        os.close(handle)


def replace(path, part, data, prepare=None):
    """Writes bytes to a file that is whole or, after a power cut, not there or as before. part: the path of the file while
    it is written; prepare: called with that file, open, before it gets its name."""
    try:
        with open(part, "wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
            if prepare:
                prepare(f)
        os.replace(part, path)
        sync_folder(os.path.dirname(path) or ".")
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise
