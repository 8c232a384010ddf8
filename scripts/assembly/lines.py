"""Source lines of instructions, by addr2line, if there is debug information; names of functions in their language, by
c++filt."""
import glob
import os
import subprocess


def _run(*words, said=None):
    """Returns the output of a command; "" if it fails. said: its standard input, because there may be too many lines
    for words."""
    text = None if said is None else "".join(f"{line}\n" for line in said)
    try:
        return subprocess.run(words, input=text, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def _found(said):
    """Returns [(function, file:line)] from the output of `addr2line -f`; None for each that is not known."""
    lines = said.splitlines()
    found = []
    for function, place in zip(lines[::2], lines[1::2]):
        place = place.partition(" (discriminator")[0]
        known = not place.endswith((":0", ":?"))
        found.append((None if function == "??" else function, os.path.normpath(place) if known else None))
    return found


def of_section(path, section, offsets):
    """Returns file:line of each offset into a section of an object."""
    said = _run("addr2line", "-f", "-j", section, "-e", path, said=map(hex, offsets))
    found = [place for _, place in _found(said)]
    return found if len(found) == len(offsets) else [None] * len(offsets)


def of_program(path, addresses):
    """Returns (function, file:line) of each address of a linked program."""
    found = _found(_run("addr2line", "-f", "-e", path, said=map(hex, addresses)))
    return found if len(found) == len(addresses) else [(None, None)] * len(addresses)


def that_define(tree, objects, below):
    """Returns the objects of this part of a tree by the symbols that they define: {name: [path]}. Leaves out objects
    whose source was deleted."""
    paths = sorted(glob.glob(os.path.join(objects, below, "**/*.o"), recursive=True))
    paths = [p for p in paths if os.path.exists(os.path.join(tree, os.path.relpath(p, objects)[: -len(".o")]))]
    defined = {}
    for line in _run("nm", "-A", "--defined-only", *paths).splitlines() if paths else ():
        path, _, rest = line.partition(":")
        defined.setdefault(rest.split()[-1], []).append(path)
    return defined


def readable(names):
    """Returns {name: the name in C++ or Rust, without its arguments}."""
    names = sorted(set(names))
    said = _run("c++filt", "-p", said=names).splitlines()
    return dict(zip(names, said if len(said) == len(names) else names))
