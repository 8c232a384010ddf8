"""Every row with every method and with every recipe: each run ends, with a whole report, and no row does what it
cannot do. The speed of the machine does not matter.

A method selects a number of windows, a recipe the code at their two ends, independently of each other. So every row is
run with each method and with each recipe here, not with each pair; test_option_pairs.py has the pairs, with few rows.
Most of the cost of a launch is its first measurement of the recipe in use: seconds if that contains CPUID and a
hypervisor answers it.
"""
import pytest
from conftest import SEVERAL, listed
from short_runs import METHODS, RECIPES, SMALL, ended, judge, recipes, words_of  # noqa: F401

STEPPED = ("doubled", "lfence")  # instructions are counted separately from the windows: in one of many runs
pytestmark = pytest.mark.launches


@pytest.fixture(scope="module")
def names(shared_run):
    """Every row that is measured, as `list` has them."""
    others = ("provoke", "provoke_cores", "quiet", "planted_quiet", "memory", "limits", "insn",
              "privileged", "events", "devices", "exits", "translation", "wakeup")
    return {f"{suite}/{row}" for suite, row in listed(shared_run("list").out) if suite not in others}


def judge_every_row(names, method, recipe):
    words = f"suite=*,compiler,planted {words_of(SMALL)} method={method} recipe={recipe}"
    said = ended(words if (method, recipe) == STEPPED else f"{words} instructions=off")
    assert set(said.rows) == names, words
    done = 0
    for name, row in said.rows.items():
        judge(name, row, words)
        if row["status"] != "unsupported":
            done += 1
            assert row["form"] == "cores" or row.get("method", "doubled") == method, row
    # Not all: an adaptive stretch takes only bodies with a loop.
    assert done > (100 if method != "adaptive" else 60), words


@pytest.mark.parametrize("i", range(len(RECIPES)))
def test_every_row_passes_with_every_method_and_recipe(recipes, names, i):
    """Each recipe with one method, each method with one recipe or two."""
    method, recipe = METHODS[i % len(METHODS)], RECIPES[(i + RECIPES.index(STEPPED[1])) % len(RECIPES)]
    if recipe not in recipes:
        pytest.skip(f"this CPU has no {recipe}")
    judge_every_row(names, method, recipe)


@pytest.mark.parametrize("method", METHODS)
def test_every_row_passes_with_cold_caches(names, method):
    words = f"suite=*,compiler,planted {words_of(SMALL)} method={method} caches=clear instructions=off"
    said = ended(words)
    assert set(said.rows) == names
    for name, row in said.rows.items():
        judge(name, row, words)


@pytest.mark.every_cpu
@pytest.mark.parametrize("method, recipe", zip(METHODS, ("serialize", "lfence", "mfence", "rdtscp", "xfence")))
def test_every_row_between_cores_passes_with_every_method(names, recipes, method, recipe):
    """These rows have no windows, so method and recipe must have no effect on them. The slow recipes are booted in
    tests/boot/test_report_fields.py."""
    if len(SEVERAL) < 2:
        pytest.skip("there is but one CPU")
    words = f"suite=cores cores=all {words_of(SMALL)} method={method}" + f" recipe={recipe}" * (recipe in recipes)
    said = ended(words)
    assert set(said.rows) == {n for n in names if n.startswith("cores/")}
    for name, row in said.rows.items():
        judge(name, row, words)
    # If an emulator's time is noise, some cores may look like a CPU's and others not.
    measured = any(row["status"] == "ok" for row in said.rows.values())
    assert measured or said.run["execution"] == "emulated", words
