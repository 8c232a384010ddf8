"""The results of the rows of history.asm, recipe by recipe: docs/window.md "The history of registers and flags"."""

RECIPES = ("plain", "rdtscp", "xfence", "paoloni", "cpuid", "mfence", "lfence", "serialize")
METHODS = ("doubled", "plain", "kbest", "ensembles", "adaptive")
SMALL = "samples=64 ensembles=4 size=16 target=100"
# Each method with the recipe that most CPUs have, and each recipe with a method.
PAIRS = [(method, "lfence") for method in METHODS]
PAIRS += [(METHODS[i % len(METHODS)], recipe) for i, recipe in enumerate(RECIPES) if recipe != "lfence"]

HAS_CPUID = ("paoloni", "cpuid")
WRITES_RCX = (*HAS_CPUID, "rdtscp")
WRITES_FLAGS = HAS_CPUID  # XOR, for CPUID's leaf


def hold(recipe):
    """The rows that must hold; the others must fail, which shows that a row can."""
    return {
        "alike": True,
        "registers": True,
        "rbx_stated": True,
        "rcx_stated": recipe not in WRITES_RCX,
        "flags_clear": recipe not in WRITES_FLAGS,
        "flags_xored": recipe in WRITES_FLAGS,
    }


# Rows of suite `planted` that look at the same in straight copies and in a loop; a loop alone has an iteration for adaptive.
NOTES = ("history", "history_loop")
SUITES = f"suite=history,planted bench={','.join([*hold('lfence'), *NOTES])}"


def judge(records, recipe, method):
    """records: those of the rows that SUITES chooses"""
    rows = {r["name"]: r for r in records if r["suite"] == "history"}
    noted = {r["name"]: r["status"] for r in records if r["suite"] == "planted"}
    assert noted == {"history": "unsupported" if method == "adaptive" else "ok", "history_loop": "ok"}, records
    assert set(rows) == set(hold(recipe)), rows
    for name, holds in hold(recipe).items():
        row = rows[name]
        assert row["recipe"] == recipe and row["status"] == ("ok" if holds else "wrong"), row
        assert holds or "another value than is stated" in row["why"], row
