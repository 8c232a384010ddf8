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


def test_counts_ascend_and_have_figures(limit):
    assert limit["status"] == "ok", limit
    counts = [p[0] for p in limit["figures"]]
    assert counts == sorted(set(counts)) and 7 <= len(counts) <= 96, counts
    assert 1 <= limit["rounds"] <= 4 and limit["rounds"] <= limit["visits"], limit
    assert limit["operations"] >= len(counts) * limit["visits"]
    for count, figure, half in limit["figures"]:
        assert figure is not None, count
        assert half is None or half >= 0, count


def test_steps_are_between_counts_of_the_curve(limit):
    counts = [p[0] for p in limit["figures"]]
    assert limit["judged"] == ("spoiled" not in limit) and (limit["judged"] or limit["steps"] == []), limit
    for step in limit["steps"]:
        assert {step["at"], step["from"], step["to"]} <= set(counts), step
        assert step["from"] <= step["at"] < step["to"] and step["before"] < step["after"], step
    assert [s["at"] for s in limit["steps"]] == sorted({s["at"] for s in limit["steps"]}), limit
    assert len(limit["steps"]) <= (1 if limit["rule"] == "leaves" else 6)


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


def test_the_suite_runs_on_request_only(run, shared_run):
    ended = run("suite=limit*")
    assert ended.status == 3 and "suite=limits" in ended.err, ended.err
    assert "limits  (only when suite= names it)" in shared_run("list").out


def test_words_without_an_effect_are_named(run):
    """seed= draws places, patterns and orders; samples= is the number of windows; a curve has no windows."""
    report = run("suite=limits", "bench=stores", "format=jsonl", "seed=7", "samples=64").report()
    said = [e["message"].split("=")[0] for e in report.events if "has no effect" in e["message"]]
    assert "samples" in said and "seed" not in said, said
    assert [limit["name"] for limit in report.limits] == ["stores"]


def test_each_core_has_a_curve(run):
    report = run("suite=limits", "bench=returns", "format=jsonl", "cores=all").report()
    assert [limit["core"] for limit in report.limits] == list(range(max(1, len(report.cores))))
