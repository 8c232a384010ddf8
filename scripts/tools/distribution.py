"""Libraries that the distribution has, and that a python3 from elsewhere may not find."""
import os
import subprocess
import sys

SYSTEM_PYTHON = "/usr/bin/python3"


class Missing(Exception):
    """A library is missing; the message says how to install it."""


def missing(what, library, packages, e):
    return Missing(f"{what} {library} for this Python ({e}): install the distribution's {packages}, or run scripts/setup --test")


def find(library, module):
    """Returns library(), which imports a module. Raises Missing if only another Python than the distribution's may have it; if
    that has it, continues the command there."""
    try:
        return library()
    except Missing:
        there = os.path.realpath(SYSTEM_PYTHON)
        if os.path.realpath(sys.executable) != there and os.path.exists(there) and not subprocess.run(
                [there, "-c", f"import {module}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, check=False).returncode:
            sys.stdout.flush()
            os.execv(there, [there, *sys.argv])
        raise
