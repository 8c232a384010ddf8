"""Commands against their stored output, whole.

A case is files, {name: bytes} or a function that returns them, and commands: words of `baretick`, run in the folder of the
files, `cat FILE`, `ls FOLDER`, or `page FILE [SECTION]`, which prints the text of a page of HTML. data/said/NAME.txt has a
section for each case of test_NAME.py;
    UPDATE=1 python3 -m pytest tests/hosted -k as_stored
writes all stored texts anew, and with the file of one test those of this test. Read what changed: a test of this kind is
as good as the text that is stored. A table of one-line cases is in the stored text alone: check_table().
"""

import html
import json
import os
import re
import shlex
from pathlib import Path

import pytest
from made_reports import ROOT, baretick

STORED = ROOT / "tests/hosted/data/said"


def page_text(text, section=None):
    """The text of a page or of a section: a line for each heading, paragraph and line of a table."""
    if section:
        text = re.search(rf'<section id="{section}".*?</section>', text, re.DOTALL)[0]
    text = re.sub(r'<p class="verdict (\w+)">', r"<p>[\1] ", text)
    text = re.sub(r"<(script|style)>.*?</\1>", "", text, flags=re.DOTALL)
    text = re.sub(r"</t[hd]>\s*(?=<t[hd])", " | ", text)
    text = re.sub(r"</?(h\d|p|tr|li|div|section|table|summary|caption|footer|title)\b[^>]*>", "\n", text)
    lines = (re.sub(r"\s+", " ", html.unescape(line)).strip() for line in re.sub("<[^>]*>", "", text).splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def ran(command):
    name, *words = shlex.split(command)
    if name == "ls":
        return "".join(f"{file}\n" for file in sorted(os.listdir(words[0])))
    if name in ("cat", "page"):
        text = Path(words[0]).read_text(encoding="utf-8")
        return text if name == "cat" else page_text(text, *words[1:])
    done = baretick(name, *words)
    assert "Traceback" not in done.stderr, done.stderr
    if "--format json" in command and done.stdout:
        found = json.loads(done.stdout)
        done.stdout = "".join(f"{json.dumps(one)}\n" for one in (found if isinstance(found, list) else [found]))
    # The words of a usage wrap otherwise with each release of Python.
    done.stderr = re.sub(r"^usage: .*?(?=^baretick)", "", done.stderr, flags=re.MULTILINE | re.DOTALL)
    err = "".join(f"! {line}\n" for line in done.stderr.splitlines())
    return done.stdout + err + (f"[status {done.returncode}]\n" if done.returncode else "")


def transcript(commands):
    found = "".join(f"$ {command}\n{ran(command)}" for command in commands)
    # The last digits of a double depend on the release of Python.
    found = re.sub(r"\d+\.\d{8,}", lambda number: f"{float(number[0]):.7g}", found)
    return "\n".join(line.rstrip() for line in found.splitlines()) + "\n"


def sections(path):
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    parts = re.split(r"^== (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def check(stem, cases, name, found):
    """Checks found, the text of this one of the cases, against its section of data/said/STEM.txt."""
    path = STORED / f"{stem}.txt"
    if os.environ.get("UPDATE"):
        assert "PYTEST_XDIST_WORKER" not in os.environ, "UPDATE=1 goes without -n: workers would overwrite each other's text"
        stored = {**sections(path), name: found}
        path.write_text("".join(f"== {n}\n{stored[n]}" for n in cases if n in stored), encoding="utf-8")
    stored = sections(path)
    assert stored.keys() <= set(cases), "a stored section has no case"
    assert found == stored.get(name), f"UPDATE=1 renews {path.relative_to(ROOT)}"


def checks(found):
    """The lines of scripts/silicon's checks: what holds (None: not judged, or shown only), of what, its figure, its limit."""
    return "".join(f"{check.holds}: {check.what}: {check.figure} ({check.limit})\n" for check in found)


@pytest.fixture
def said(request, tmp_path, monkeypatch):
    """said(cases, name): checks the output of this one of the test file's cases."""

    def run(cases, name):
        files, *commands = cases[name]
        monkeypatch.chdir(tmp_path)
        for file, content in (files() if callable(files) else files).items():
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            Path(file).write_bytes(content)
        check(request.path.stem.removeprefix("test_"), cases, name, transcript(commands))

    return run


def check_table(name, of):
    """Checks data/said/NAME.txt: each line that begins with `$ ` is a case, and the lines after it are of(that line)."""
    path = STORED / f"{name}.txt"
    stored = path.read_text(encoding="utf-8")
    cases = re.findall(r"^\$ (.*)$", stored, re.MULTILINE)
    found = "".join(f"$ {case}\n" + "".join(f"{line}\n" for line in of(case).splitlines()) for case in cases)
    if os.environ.get("UPDATE"):
        path.write_text(found, encoding="utf-8")
    assert cases and found.splitlines() == path.read_text(encoding="utf-8").splitlines(), f"UPDATE=1 renews {path.relative_to(ROOT)}"
