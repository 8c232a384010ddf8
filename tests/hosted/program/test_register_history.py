"""Every body has the history that docs/window.md "The history of registers and flags" states, the same in all windows,
in a process; tests/boot has the bare machine.
"""

import re

from commands import output_of
import made
import pytest
import register_history as history
from conftest import ROOT


OK, CHECK_FAILED, WRONG_OPTIONS = 0, 2, 3
LEAST_WINDOWS = 8  # of each row that is compared


@pytest.fixture(scope="module")
def bodies(tmp_path_factory):
    return made.own("history", tmp_path_factory.mktemp("history"))


@pytest.mark.parametrize("method, recipe", history.PAIRS)
def test_every_body_finds_the_documented_history(run, bodies, method, recipe):
    words = f"{history.SUITES} {history.SMALL} method={method} recipe={recipe} format=jsonl"
    ended = run(f"objects={bodies}", *words.split())
    if ended.status == WRONG_OPTIONS:
        assert f"recipe={recipe}" in ended.out + ended.err
        pytest.skip("this CPU has not this recipe")
    assert ended.status == CHECK_FAILED, ended.err
    rows = ended.report().rows.values()
    history.judge(rows, recipe, method)
    assert method == "adaptive" or all(row["windows"] >= LEAST_WINDOWS for row in rows)


# --- the way in, decoded -----------------------------------------------------------------------------

# Of the code that enters a window, and the recipes; any other instruction counts as one that writes the flags.
LEAVES_FLAGS = set("""push mov lea pushf pushfq pop stmxcsr fnstcw nop js jns jne call lfence mfence serialize rdtsc
                      rdtscp cpuid""".split())
STARTS = {"plain": "plain", "rdtscp": "rdtscp", "paoloni": "paoloni", "cpuid": "cpuid", "mfence": "mfence",
          "lfence": "lfence", "serialize": "serialize", "xfence": "xfence_mfence", "xfence on Intel": "xfence_lfence"}
PROGRAM = ROOT / "build/hosted/baretick"
HEAD = 12  # of struct unit: size of the code first


def objdump(*words):
    return output_of("objdump", *words, PROGRAM)


@pytest.fixture(scope="module")
def addresses():
    found = output_of("nm", PROGRAM)
    return {name: int(at, 16) for at, _, name in (line.split() for line in found.splitlines() if len(line.split()) == 3)}


def unit(addresses, name):
    """Returns the instructions of a unit: [(mnemonic, operands)]."""
    at = addresses[f"unit_{name}"]
    words = re.search(rf"^ 0*{at:x} (\w{{8}})", objdump("-s", f"--start-address={at}", f"--stop-address={at + 4}"), re.M)
    end = at + HEAD + int.from_bytes(bytes.fromhex(words[1]), "little")
    shown = objdump("-D", "-z", "-M", "intel", "--no-show-raw-insn", f"--start-address={at + HEAD}", f"--stop-address={end}")
    lines = [line.split("\t")[1].split("#")[0].strip() for line in shown.splitlines() if re.match(r"\s+[0-9a-f]+:\t", line)]
    return [tuple((line + " ").split(" ", 1)) for line in lines]


def writers(instructions):
    return [(name, operands.strip()) for name, operands in instructions if name not in LEAVES_FLAGS]


@pytest.mark.parametrize("recipe", STARTS)
def test_the_last_to_write_flags_before_a_body_is_the_documented_one(addresses, recipe):
    way = unit(addresses, "window_enter") + unit(addresses, f"start_{STARTS[recipe]}")
    last = ("xor", "eax,eax") if recipe in history.WRITES_FLAGS else ("cmp", "eax,0x63")
    assert writers(way)[-1] == last and ("dec", "rcx") in writers(way), way
    assert not writers(unit(addresses, "call_function")[:3])  # to the call of a C body


def test_every_recipe_of_the_program_is_decoded(addresses):
    starts = {name.removeprefix("unit_start_") for name in addresses if name.startswith("unit_start_")}
    assert starts == set(STARTS.values())
    assert {recipe.split()[0] for recipe in STARTS} == set(history.RECIPES)


@pytest.mark.parametrize("after", ["dec", "add", "sub", "test", "inc", "popf", "popfq", "neg"])
def test_a_later_writer_of_flags_is_noticed(addresses, after):
    way = unit(addresses, "window_enter")
    assert writers([*way, (after, "eax,0x63")])[-1] != ("cmp", "eax,0x63")
