"""scripts/tools/children.py: what the tests start, such as an emulator, ends with them."""
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tools import children

SCRIPTS = Path(children.__file__).parents[1]
PARENT = f"""
import sys
sys.path.insert(0, {str(SCRIPTS)!r})
from tools import children
child = children.start([sys.executable, "-c", "import signal; print(flush=True); signal.pause()"])
print(child.pid, flush=True)
child.wait()
"""
SECONDS = 60


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_child_ends_with_a_parent_that_is_killed(how):
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        lines = parent.stdout.readline() + parent.stdout.readline()  # both processes run; in either order
        child = os.pidfd_open(int(lines))
        try:
            parent.send_signal(how)
            assert select.select([child], [], [], SECONDS)[0], "the child continues"
        finally:
            os.close(child)


def test_a_child_is_started_as_by_popen():
    with children.start(["sh", "-c", "echo $WORD; exit 3"], stdout=subprocess.PIPE, env={"WORD": "said"}) as child:
        assert child.stdout.read() == b"said\n"
    assert child.returncode == 3
