"""Suite translation (docs/translation.md): each page walk happens, with the declared instructions, for pages of each size
and with 4 and 5 levels of page tables, on CPUs of both vendors from few features to many. TLB shootdowns invalidate the
page on every core."""

import re

import pytest
from machine import SUCCESS
from rows import declared
from test_privileged import MODELS, WORDS
from test_steps import by_steps

LOADS = 3  # instructions of an operation, counted by hand in translation.asm
LEVELS = {"4k": 4, "2m": 3, "1g": 2}  # entries that a walk reads with 4 levels
WALKS = {f"walk_{size}_{n}" for size, most in LEVELS.items() for n in range(1, most + 1)}
FIVE = {f"walk_{size}_{most + 1}" for size, most in LEVELS.items()}  # rows that need 5 levels
OTHERS = {"hit", "accessed", "walk_4k_1_memory", "walk_4k_4_memory"}
SHOOTDOWN = {f"shootdown{part}" for part in ("", "_send", "_handler", "_invalidate", "_acknowledge")}
HUGE = {name for name in WALKS | FIVE if "1g" in name}


def walks(b):
    return {row["name"]: row for row in b.rows if row["suite"] == "translation"}


def measured(rows):
    """Returns the names of the walks with a figure, each of which has its instructions."""
    done = {name: row for name, row in rows.items() if row["status"] == "ok" and name not in SHOOTDOWN}
    for row in done.values():
        assert row["per_op"]["instructions"] == by_steps(row) == LOADS and "changed" not in row, row
    return set(done)


def shot(b):
    """Returns {part: ticks by the number of cores that were interrupted} of a boot with several cores."""
    rows = {row["name"].removeprefix("shootdown"): row for row in b.rows if row["name"] in SHOOTDOWN}
    assert len(rows) == len(SHOOTDOWN) and all(row["status"] == "ok" and row["form"] == "cores" for row in rows.values()), str(b)
    for row in rows.values():
        assert row["per_op"]["ticks"] == row["by_cores"][-1]["ticks"], row
        assert all(s["least_ticks"] <= s["ticks"] <= s["greatest_ticks"] for s in row["by_cores"]), row
    return {part: {s["cores"]: s["ticks"] for s in row["by_cores"]} for part, row in rows.items()}


@pytest.mark.parametrize("how", [how for how, _ in MODELS.values()], ids=MODELS)
def test_each_walk_has_exactly_its_instructions_or_names_what_is_missing(shared, how):
    rows = walks(shared(f"{WORDS} format=jsonl", **how))
    assert set(rows) == WALKS | FIVE | OTHERS | SHOOTDOWN == {name.split("/")[1] for name in declared() if name.startswith("translation/")}
    assert measured(rows) == (WALKS | OTHERS) - HUGE
    for name in FIVE | HUGE:  # the firmware has 4 levels, and 512 MiB have no GiB of one type
        assert re.match(r"needs (CR4\.LA57, |5 levels .*\(CPUID\.7\.0:ECX\[16\]\)|pages of 1 GiB .*EDX\[26\]|free memory in 1 GiB )",
                        rows[name]["why"]), rows[name]  # fmt: skip


def test_with_5_levels_and_2_gib_of_memory_every_walk_runs_on_each_core(boot, shim):
    """Each core has separate page tables."""
    words = "suite=translation samples=16 hist=off cores=all share=together"
    b = boot("", disk=shim("la57", words), cpu="max,la57=on", memory=2560, extra=["-smp", "2"], whole=True).must(SUCCESS)
    for core in (0, 1):
        rows = {row["name"]: row for row in b.rows if row["core"] == core}
        assert measured(rows) == WALKS | FIVE | OTHERS, str(b)
    assert set(shot(b)[""]) == {1}, str(b)


def test_a_borrowed_machine_walks_and_invalidates_a_page_on_1_2_and_3_other_cores(boot):
    words = "suite=translation bench=accessed,walk_*m_3,shootdown* cores=all samples=16 hist=off takeover=borrow"
    b = boot(words, extra=["-smp", "4"]).must(SUCCESS)
    for core in range(4):
        assert measured({row["name"]: row for row in b.rows if row["core"] == core}) == {"accessed", "walk_2m_3"}, str(b)
    parts = shot(b)
    for cores in (1, 2, 3):
        ticks = {part: by_cores.pop(cores) for part, by_cores in parts.items()}
        assert ticks["_invalidate"] == b.run["ticks_per_instruction"], ticks  # INVLPG alone
        assert 0 < ticks["_send"] < ticks[""] and 0 < ticks["_acknowledge"] and 0 < ticks["_handler"], ticks
    assert not any(parts.values()), parts


def test_shootdowns_need_a_second_core(shared):
    b = shared(f"{WORDS} format=jsonl").must(SUCCESS)
    assert all(b.row("translation", name)["why"].startswith("needs two cores") for name in SHOOTDOWN)
