"""GRUB, for which `baretick install` writes a snippet of its configuration. Source: Debian's grub2, grub-mkconfig."""
import os
import re

from once.variables import Failed
from tools import places

FOLDERS = ("/boot/grub", "/boot/grub2")
SNIPPET, DEFAULTS = "/etc/grub.d/90_baretick", "/etc/default/baretick"
OWN_SNIPPET = os.path.join(places.ROOT, "packaging/90_baretick")
PACKAGE = "/var/lib/dpkg/info/baretick.list"  # there: the package owns the snippet
UPDATES = {"update-grub": "/usr/sbin/update-grub", "grub-mkconfig": "/usr/sbin/grub-mkconfig", "grub2-mkconfig": "/usr/sbin/grub2-mkconfig"}
ENTRIES = re.compile(r"^\s*(menuentry|submenu|blscfg)\b(?!.*--id baretick)", re.MULTILINE)


def folder(system):
    """Returns GRUB's folder with its configuration, or None."""
    return next((f for f in FOLDERS if os.path.exists(system.path(f"{f}/grub.cfg")) and os.path.isdir(system.path("/etc/grub.d"))), None)


def update_command(system, menu):
    """Returns the command that writes GRUB's configuration. Raises Failed."""
    for name, path in UPDATES.items():
        if os.path.exists(system.path(path)):
            return [path] if name == "update-grub" else [path, "-o", f"{menu}/grub.cfg"]
    raise Failed(f"{menu}/grub.cfg is there, and none of {', '.join(UPDATES.values())}: install GRUB's tools")


def check_default(system, menu):
    """Raises Failed if the new entry would be the only one, which GRUB starts by itself."""
    if not ENTRIES.search(system.text(f"{menu}/grub.cfg") or ""):
        raise Failed(f"{menu}/grub.cfg has no entry: the new one would be the only one, which GRUB starts each time")


def snippet():
    with open(OWN_SNIPPET, "rb") as f:
        return f.read()


def owns_snippet(system):
    """Tests whether the snippet is `baretick install`'s, not the package's."""
    return not os.path.exists(system.path(PACKAGE))
