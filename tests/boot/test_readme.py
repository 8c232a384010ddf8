"""The report that README.md shows is what its command prints today."""

import re
from pathlib import Path

from machine import SUCCESS

README = Path(__file__).parents[2] / "README.md"


def rows(text):
    """A row's name and figures: not the compiler's rows, which differ between compilers."""
    found = re.findall(r"^([a-z0-9_]+(?<!_c)) +(\d+(?: +[\d.]+){5})$", text, re.MULTILINE)
    return {name: figures.split() for name, figures in found}


def test_the_pasted_report_is_true(boot):
    pasted = README.read_text().split("<!-- report -->")[1].split("<!-- /report -->")[0]
    words = re.search(r"^options   (suite=\S+ bench=\S+)", pasted, re.MULTILINE)[1]
    b = boot(words).must(SUCCESS)
    text = b.text.replace("\r", "\n")
    assert rows(pasted) and rows(pasted) == rows(text)
    for line in pasted.splitlines():
        if line.startswith(("self-test interr", "self-test lin", "lfence", "recipe")):
            assert line in text.splitlines(), line
