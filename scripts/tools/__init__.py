"""What each command imports first. It refuses a Python that is too old, so this file and the commands themselves keep to
the syntax of Python 3.6; and it lets standard output take any text, in whatever encoding."""
import os
import sys

if sys.version_info < (3, 9):
    sys.exit("%s: Python %d.%d (%s) is too old: 3.9 or later is needed; `make PYTHON=...` names another one"
             % (os.path.basename(sys.argv[0]), sys.version_info[0], sys.version_info[1], sys.executable))
for stream in (sys.stdout, sys.stderr):
    if hasattr(stream, "reconfigure"):  # not closed
        stream.reconfigure(errors="backslashreplace")
