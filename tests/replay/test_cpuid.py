"""`replay cpuid` of real machines' CPUID, against the statements in their recordings.

Always runs the fixtures; also a whole folder of recordings if BARETICK_CPUID names one.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PROGRAM = ROOT / "build/hosted/replay"
FIXTURES = Path(__file__).parent / "cpuid"
CORE_WORDS = {"Dual": 2, "Triple": 3, "Quad": 4, "Hexa": 6, "Octal": 8}


def stated(path):
    """Returns the `# key: value` lines of a recording."""
    return dict(re.findall(r"^# (\w+): (.*)$", path.read_text(), re.MULTILINE))


def apic_ids(path):
    """Returns the distinct ids of leaf 1 and leaf 0Bh; a recorder that could not move recorded one CPU several times."""
    leaf_1, leaf_b = set(), set()
    for line in path.read_text().splitlines():
        word = line.split()
        if word[:1] == ["cpuid"] and word[2:4] == ["00000001", "00000000"]:
            leaf_1.add(word[5][:2])
        elif word[:1] == ["cpuid"] and word[2] == "0000000b":
            leaf_b.add(word[7])
    return max(leaf_1, leaf_b, key=len)


def decode(paths):
    """Returns {path: the output of replay}."""
    p = subprocess.run([PROGRAM, "cpuid", *paths], capture_output=True, text=True, check=True)
    said = [json.loads(line) for line in p.stdout.splitlines()]
    assert [s["file"] for s in said] == [str(p) for p in paths]
    return dict(zip(paths, said))


def words_of_clock(clock):
    """Returns (packages, all cores, efficiency cores) of `2x QuadCore AMD ...`, `8C+16c Intel ...`."""
    m = re.match(r"(?:(\d+)x )?(?:Mobile )?(?:(\w+?)Core |(\d+)-Core |(\d+)C\+(\d+)c )?", clock)
    packages = int(m[1] or 1)
    if m[4]:
        return packages, packages * (int(m[4]) + int(m[5])), packages * int(m[5])
    return packages, packages * (CORE_WORDS[m[2]] if m[2] else int(m[3] or 1)), 0


def judge_topology(said, words, ids):
    assert said["cpus_recorded"] == int(words["logical_cpus_recorded"])
    recorded = len(ids)
    assert said["logical_cpus"] == recorded
    assert said["packages"] <= said["cores"] <= recorded <= said["cores"] * said["threads_per_core"]
    if "stated_cores" in words:
        assert said["cores"] == int(words["stated_cores"])
        assert said["threads_per_core"] == max(1, int(words["stated_threads_per_core"]))
    kinds = {t["type"]: t["cores"] for t in said["core_types"]}
    if kinds:
        assert sum(kinds.values()) == said["cores"]
        assert sum(t["logical_cpus"] for t in said["core_types"]) == recorded
    if "clock" in words:
        packages, cores, efficiency = words_of_clock(words["clock"])
        if cores <= recorded:  # otherwise only a part of the machine was recorded
            assert (said["packages"], said["cores"]) == (packages, cores)
            assert kinds.get("efficiency", 0) == efficiency and said["hybrid"] == (efficiency > 0)


def judge_caches(said):
    assert said["caches"] and said["tlbs"]
    for cache in said["caches"]:
        assert 1 <= cache["level"] <= 4 and cache["line_bytes"] in (32, 64)
        assert 4096 <= cache["size_bytes"] <= 1 << 30
        assert 1 <= cache.get("shared_by", 1) <= said["logical_cpus"]
        if cache["level"] == 1:
            assert cache.get("shared_by", 1) <= max(2, said["threads_per_core"])
    keys = [(c["level"], c["type"]) for c in said["caches"]]
    assert len(keys) == len(set(keys)) and (1, "data") in keys


# Of features of instructions: leaf, position of the register in a line of a recording, bit (Intel SDM vol. 2A CPUID, AMD
# APM vol. 3 appendix E); whether forms need the vectors of AVX (XCR0 bits 1 and 2) or AVX-512 (also 5 to 7).
FEATURES = {
    "SSE3": ("00000001", 6, 0, 0), "SSSE3": ("00000001", 6, 9, 0), "SSE4.1": ("00000001", 6, 19, 0),
    "AVX": ("00000001", 6, 28, 0x6), "ADX": ("00000007", 5, 19, 0), "BMI1": ("00000007", 5, 3, 0), "SHA": ("00000007", 5, 29, 0),
    "AVX512F": ("00000007", 5, 16, 0xE6), "SSE4A": ("80000001", 6, 6, 0), "XOP": ("80000001", 6, 11, 0),
}  # fmt: skip


def has(path, leaf, register, bit, vectors):
    """Tests a bit of CPU 0, and whether leaf 0Dh has the vectors. They need OSXSAVE, as the recorder's system set it."""
    leaves = {}
    for words in (line.split() for line in path.read_text().splitlines() if line.startswith("cpuid 0 ")):
        leaves.setdefault(words[2], words)
    most = leaves.get(f"{leaf[0]}0000000", [])
    words = leaves.get(leaf) if most and int(most[4], 16) >= int(leaf, 16) else None
    saves = int(leaves["00000001"][6], 16) >> 27 & 1
    components = int(leaves["0000000d"][4], 16) if saves and "0000000d" in leaves else 0
    return bool(words) and bool(int(words[register], 16) >> bit & 1) and components & vectors == vectors


def judge_forms(path, said):
    """A CPU that lacks a feature lacks its forms, which name it. One that has it names another feature at most."""
    forms = said["insn"]
    assert forms["run"] > 1500 and all(n > 0 for n in forms["lacks"].values())
    for name, where in FEATURES.items():
        assert (name in forms["lacks"]) != has(path, *where), (name, forms)


def judge(path, said):
    words = stated(path)
    assert "error" not in said
    judge_forms(path, said)
    judge_topology(said, words, apic_ids(path))
    judge_caches(said)
    judge_speeds(path, said)
    assert path.name.startswith(said["vendor"])
    assert said["model_masked"] is False  # each was recorded on a machine that states its real model
    if "name" in words:
        assert re.sub(" +", " ", said["brand"]) == re.sub(" +", " ", words["name"])
    assert said["hypervisor"] == ("hypervisor" in words)
    assert said.get("hypervisor_id") == words.get("hypervisor")
    assert ("tsc_hz" in said) == (said["tsc_source"] != "calibrate")
    assert said["core_cycle_counter"] in ("fixed1", "amd_pmc", "aperf", "none")


def off_by(path, said):
    """Returns the difference of the stated frequency from the recorder's measurement; None if either is missing."""
    measured = stated(path).get("measured_tsc_mhz")
    if not measured or "tsc_hz" not in said:
        return None
    return abs(said["tsc_hz"] / (float(measured) * 1e6) - 1)


def judge_speeds(path, said):
    """The clocks that a CPU states, against the recorder's TSC: zero and missing values are not errors, nor is a turbo
    clock."""
    speeds = {s["name"]: s for s in said["speeds"]}
    measured = stated(path).get("measured_tsc_mhz")
    leaf = next((line.split()[4:7] for line in path.read_text().splitlines()
                 if re.match("cpuid 0 00000016 ", line)), None)  # fmt: skip
    for name, value in zip(("cpuid16_base", "cpuid16_maximum", "cpuid16_bus"), leaf or "000"):
        mhz, s = int(value, 16) & 0xFFFF, speeds[name]
        assert (s["verdict"] == "absent") == (mhz == 0) == ("why_not" in s), s
        assert s.get("hz", 0) == mhz * 10**6, s
        if "off_ppm" in s:
            assert s["off_ppm"] == pytest.approx((mhz / float(measured) - 1) * 1e6, abs=2), s
    for s in speeds.values():
        judged = measured and s["verdict"] != "absent"
        assert (s["verdict"] in ("agrees", "wrong", "another clock")) == bool(judged), s
        assert ("off_ppm" in s) == bool(judged and s["name"] != "cpuid16_bus"), s
        assert s["verdict"] != "wrong", s  # none of these machines states a wrong one
    for name in ("cpuid15", "stated"):
        assert speeds[name]["verdict"] in ("absent", "agrees", "not judged"), speeds[name]


def judge_number_of_forms(decoded):
    """No form is lost: each either runs or has the feature that is missing."""
    assert len({said["insn"]["run"] + sum(said["insn"]["lacks"].values()) for said in decoded.values()}) == 1


def judge_clocks(decoded):
    """The limits: never wrong by 0.5%, within 0.25% for nine of ten, stated for 85% of the measured ones."""
    off = {p.name: off_by(p, s) for p, s in decoded.items()}
    measured = [p for p in decoded if "measured_tsc_mhz" in stated(p)]
    known = {n: o for n, o in off.items() if o is not None}
    assert len(known) >= 0.85 * len(measured), [p.name for p in measured if p.name not in known]
    assert all(o <= 0.005 for o in known.values()), known
    assert sum(o <= 0.0025 for o in known.values()) >= 0.9 * len(known), known


@pytest.fixture(scope="module", name="fixtures")
def decoded_fixtures():
    return decode(sorted(FIXTURES.glob("*.txt")))


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.txt")), ids=lambda p: p.stem)
def test_the_decoded_machine_is_the_one_that_its_recording_states(fixtures, path):
    judge(path, fixtures[path])


@pytest.mark.parametrize("bit, masked", [(24, True), (23, True), (31, False)])
def test_a_model_with_vectors_that_it_never_had_is_masked(tmp_path, bit, masked):
    """A Skylake whose leaf 7 reports AMX or AVX512-FP16, as a hypervisor leaves it that masks only the model."""
    text = (FIXTURES / "GenuineIntel00506E3_Skylake.txt").read_text()
    leaf = re.compile(r"^(cpuid \w+ 00000007 00000000 \w+ \w+ \w+ )(\w+)$", re.MULTILINE)
    assert leaf.search(text)
    path = tmp_path / "GenuineIntel_masked.txt"
    path.write_text(leaf.sub(lambda m: f"{m[1]}{int(m[2], 16) | 1 << bit:08x}", text))
    assert decode([path])[path]["model_masked"] is masked


def test_tsc_frequencies_of_the_fixtures_are_those_measured(fixtures):
    judge_clocks(fixtures)


def test_each_form_runs_or_lacks_a_feature_on_each_machine(fixtures):
    judge_number_of_forms(fixtures)


def test_a_folder_of_recordings_agrees_with_its_contents():
    folder = os.environ.get("BARETICK_CPUID")
    if not folder:
        pytest.skip("BARETICK_CPUID names no folder of recordings")
    decoded = decode(sorted(Path(folder).glob("*.txt")))
    assert decoded, folder
    wrong = {}
    for path, said in decoded.items():
        try:
            judge(path, said)
        except AssertionError as e:
            wrong[path.name] = str(e)
    assert not wrong, "\n".join(f"{name}: {what}" for name, what in wrong.items())
    judge_clocks(decoded)
    judge_number_of_forms(decoded)
