"""Suite limits in a process: what a curve over a count consists of. The figures themselves are the machine's; tests/unit
has simulated ones, and tests/boot counts the instructions."""

import pytest
from curve_runs import check_of_rows, record_of

NAMES = ("btb_64", "code_8", "returns", "rob", "targets", "width")


@pytest.fixture(scope="module")
def ended(shared_run):
    return shared_run("suite=limits", f"bench={','.join(NAMES)}", "format=both")


@pytest.fixture(scope="module", params=NAMES)
def limit(ended, request):
    return record_of(request.param, ended.report_in_table().limits, NAMES)


def test_the_run_passes_without_rows(ended):
    check_of_rows(ended, NAMES)


def test_the_table_shows_the_found_limits(ended, limit):
    text = ended.out.replace("\r", "")
    (line,) = [x for x in text.splitlines() if x.startswith(f"{limit['name']} ")]
    if not limit["judged"]:
        assert f"not judged: {limit['spoiled']}" in line
    elif not limit["steps"]:
        assert "no step up to" in line
    else:
        per = limit.get("per", 1)
        assert f" {limit['steps'][0]['at'] / per:.{1 if per > 1 else 0}f} " in line, line


def test_each_core_has_a_curve(run):
    report = run("suite=limits", "bench=returns", "format=jsonl", "cores=all").report()
    assert [limit["core"] for limit in report.limits] == list(range(max(1, len(report.cores))))
