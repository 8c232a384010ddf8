"""scripts/rooms, in trees with one error each, and in one without errors."""

import sys

from commands import run_command
import golden
import pytest
from conftest import ROOT

# Three floors, five rooms; lib/text/str.h comes first in the order, boot last.
CLEAN = {
    "lib/text/str.h": "#include <stddef.h>\n",
    "lib/text/str.c": '#include "lib/text/str.h"\n#include "build_id.h"\n',
    "lib/cpu/cpu.h": '#include "lib/text/str.h"\n',
    "bench/api/bench.h": '#include "lib/cpu/cpu.h"\n',
    "bench/suites/calls/calls.c": '#include "bench/api/bench.h"\n#include "bench/suites/calls/calls.h"\n',
    "bench/suites/calls/calls.h": "",
    "bench/suites/calls/stub.asm": '%include "bench/api/unit.inc"\n',
    "bench/api/unit.inc": "",
    "boot/main.c": '#include "bench/api/bench.h"\n#include "lib/text/str.h"\n',
    "scripts/read/saved.py": "import os\nfrom dataclasses import dataclass\n",
    "scripts/draw/plot.py": "from draw import row as draw_row\nfrom draw.row import BARS\nfrom read import saved\n",
    "scripts/draw/row.py": "",
}


@pytest.fixture
def rooms(tmp_path):
    """rooms({path: text}, word, ...): the script on the clean tree with these files instead of the tree's."""

    def judge(changed, *words):
        for path, text in {**CLEAN, **changed}.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return run_command(sys.executable, ROOT / "scripts" / "rooms", *words, tmp_path)

    return judge


def test_rooms_accepts_a_tree_without_violations(rooms):
    p = rooms({})
    assert (p.returncode, p.stdout, p.stderr) == (0, "", "")


def test_the_order_lists_a_room_after_those_that_it_uses(rooms):
    p = rooms({}, "--order")
    assert p.returncode == 0
    lines = [line.split() for line in p.stdout.splitlines()]
    order = [room for room, *_ in lines]
    assert sorted(order) == sorted(["lib/text", "lib/cpu", "bench/api", "bench/suites", "boot", "scripts/read",
                                    "scripts/draw"])
    for i, (_, *used) in enumerate(lines):
        assert set(used) <= set(order[:i]), lines
    assert dict((room, used) for room, *used in lines)["boot"] == ["lib/text", "bench/api"]
    assert dict((room, used) for room, *used in lines)["scripts/draw"] == ["scripts/read"]


WRONG = {
    "a circle of packages": {"scripts/read/saved.py": "def f():\n    from draw import plot\n"},
    "a circle of modules": {"scripts/draw/row.py": "from draw.plot import BARS\n"},
    "a module that is not there": {"scripts/draw/row.py": "from read import save\n"},
    # Two rooms of one floor, by files that are not in a cycle themselves.
    "rooms": {"lib/text/show.c": '#include "lib/cpu/cpu.h"\n'},
    # Two units of one room; a .c and its .h are one unit.
    "files": {"lib/cpu/a.h": '#include "lib/cpu/b.h"\n', "lib/cpu/b.h": "", "lib/cpu/b.c": '#include "lib/cpu/a.h"\n'},
    "upward": {"lib/text/str.c": '#include "bench/api/bench.h"\n'},
    "upward to a tool": {"kernel/stores.c": '#include "hosted/stores/counts.h"\n', "hosted/stores/counts.h": ""},
    # Through its own room's header and one of another.
    "a report that reaches the engine": {
        "bench/output/row.c": '#include "bench/output/row.h"\n', "bench/output/row.h": '#include "bench/objects/row.h"\n',
        "bench/objects/row.h": '#include "bench/engine/engine.h"\n', "bench/engine/engine.h": ""},
    "missing": {"boot/main.c": '#include "lib/text/gone.h"\n'},
    "missing in assembly": {"bench/suites/calls/stub.asm": '%include "bench/api/gone.inc"\n'},
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_named_as_stored(rooms, kind):
    p = rooms(WRONG[kind], "--order")
    assert p.returncode == 1
    golden.check("rooms", WRONG, kind, p.stdout)


def test_a_tree_without_sources_is_refused(tmp_path):
    for words in ([tmp_path], [tmp_path / "gone"], ["--oder"]):
        p = run_command(sys.executable, ROOT / "scripts" / "rooms", *words)
        assert p.returncode == 2 and p.stderr and not p.stdout
