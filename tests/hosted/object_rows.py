"""Objects with user rows, and runs of them: for the tests of user objects."""

from commands import run_command
import pytest

import made
from conftest import ROOT
from statuses import CHECK_FAILED, SUCCESS


CHECK_OBJECT = ROOT / "build/hosted/check_object"
PASS = "static int pass(uint64_t n, struct baretick_object *o) { (void)n; (void)o; return 0; }\n"


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """A folder with an object of every compiler at hand."""
    folder = tmp_path_factory.mktemp("objects")
    for kind in made.KINDS:
        if made.at_hand(kind):
            made.own(kind, folder)
    return folder


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    return made.own("faults", tmp_path_factory.mktemp("faults"))


@pytest.fixture
def measured(run):
    """measured(path, word, ...): the report of a run over these objects, and its exit status."""

    def start(path, *words):
        ended = run(f"objects={path}", "format=jsonl", *words)
        report = ended.report()
        assert ended.status in (SUCCESS, CHECK_FAILED), f"{ended.status}: {ended.err}"
        assert (report.end["verdict"] == "pass") == (ended.status == SUCCESS), report.end
        return report

    return start


def check(*words):
    return run_command(CHECK_OBJECT, *words)
