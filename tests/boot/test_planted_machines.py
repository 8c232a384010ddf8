"""Faults of real machines, planted into a recorded one (README.md, "The impersonator"): for each the sentence that the
program must say."""

import re

import impersonated
import pytest
from impersonated import BORROW, CARRIED, EXIT, KEEPS

SKYLAKE = CARRIED / "GenuineIntel00506E3_Skylake.txt"
ALDER_LAKE = CARRIED / "GenuineIntel0090672_AlderLake_01_LC_BC.txt"  # its leaf 15h has a crystal
EMERALD_RAPIDS = CARRIED / "GenuineIntel00C06F2_EmeraldRapids_03.txt"  # MSR 10Ah bit 21: it has XAPIC_DISABLE
ZEN = CARRIED / "AuthenticAMD0800F11_K17_Zen2.txt"
SHORT = "suite=baseline bench=do_nothing samples=16 hist=off instructions=off console=serial "
ROW = SHORT + EXIT
THERM_STATUS, TSC_ADJUST, PREFETCH, GLOBAL_CTRL, MICROCODE = 0x19C, 0x3B, 0x1A4, 0x38F, 0x8B
APIC_BASE, XAPIC_DISABLE_STATUS, PACKAGE_THERM_STATUS, PERF_STATUS = 0x1B, 0xBD, 0x1B1, 0x198
PROCHOT_NOW, POWER_LIMIT_NOW = 1 << 2, 1 << 10  # SDM vol. 4 table 2-2


@pytest.fixture(name="planted")
def planted_boot(program, tmp_path):
    """planted(recording, words, cpus, change, ...): boots a machine with a fault, which must not fail."""

    def start(path, words=ROW, cpus=(0,), change=None, **faults):
        shown = impersonated.Shown(path, cpus, change=change)
        b = impersonated.boot(tmp_path, program, shown, words, **faults)
        assert b.end["verdict"] == "pass", str(b)
        b.lines = [line.strip() for line in b.text.replace("\r", "").split("\n")]
        return b

    return start


def test_a_locked_prefetch_control_a_hot_core_smis_and_tsc_adjust_are_reported(planted):
    """In one machine: MSR 1A4h keeps its value, PROCHOT and the package's limit of power are asserted from the start, an
    SMI of 250 us each 20 ms."""
    b = planted(SKYLAKE, ROW + " prefetch=off", change={TSC_ADJUST: 12345}, flags={PREFETCH: KEEPS},
                changes=[(0, THERM_STATUS, PROCHOT_NOW), (0, PACKAGE_THERM_STATUS, POWER_LIMIT_NOW)], smi=(0, 20000, 250))  # fmt: skip
    assert ("warning: prefetch= is not in force on 1 of 1 cores: was written, but does not read back: the firmware may "
            "have locked it") in b.lines  # fmt: skip
    assert "^ throttled by core_prochot package_power_limit" in b.lines, str(b)
    assert "TSC_ADJUST 12345" in b.lines, str(b)
    smis = b.end["smis"]
    assert 0 < smis <= b.log.cores[0]["smis"] and b.rows[0]["smis"] > 0, b.log.cores
    assert f"verdict: PASS (1 row, 0 failures, the work of 1 not judged, {smis} SMIs)" in b.lines, str(b)


def test_smis_are_the_gaps_that_suite_quiet_finds(planted):
    """An SMI of 500 us each 100.3 ms: ten in a second, as the planted interval is not a part of it."""
    b = planted(SKYLAKE, "suite=quiet quiet_time=1 " + EXIT, smi=(20000, 100300, 500))
    gaps = b.one("gaps")
    lengths = [ticks / b.hz * 1e6 for _, ticks in gaps["first"]]
    assert len(lengths) == gaps["gaps"] in (9, 10) and all(500 <= length < 510 for length in lengths), gaps
    assert abs(gaps["smis"] - gaps["gaps"]) <= 1, gaps  # one may come before the first reading or after the last
    period, = gaps["periods"]
    assert abs(period["ticks"] / b.hz * 1e6 / 100300 - 1) < 0.001, period


@pytest.mark.parametrize("words, faults, sentence", [
    ("cycle=pmc,auto", {"cycles": (1, 2)}, "not pmc: counts, but not core cycles: it is wrong for a chain of additions"),
    ("cycle=pmc,auto", {"change": {GLOBAL_CTRL: None}}, "not pmc: MSR 38Dh or 38Fh faults"),
    ("cycle=aperf,auto", {"aperf": (3, 2)}, "not aperf: counts, but not core cycles: it is wrong for a chain of additions"),
])  # fmt: skip
def test_a_counter_that_lies_or_is_withheld_is_not_used(planted, words, faults, sentence):
    b = planted(SKYLAKE, f"{ROW} {words}", **faults)
    assert sentence in b.lines and b.run["cycle"] == "ruler", str(b)


def test_a_row_without_prefetchers_switches_them_off_and_back(planted):
    b = planted(SKYLAKE, "suite=memory bench=stride_1k_off,stride_64 samples=16 hist=off instructions=off console=serial " + EXIT)
    assert [(curve["name"], curve["prefetch"]) for curve in b.of("curve")] == [("stride_1k_off", "off"), ("stride_64", "on")]
    control = b.log.msr[PREFETCH]
    assert control["writes"] == 2 and control["after"] == control["before"], control


def test_amd_counts_smis_by_an_event(planted):
    b = planted(ZEN, smi=(0, 20000, 250))
    assert "smi       counted by event 2Bh of a performance counter" in b.lines, str(b)
    smis = b.end["smis"]
    assert 0 < smis <= b.log.cores[0]["smis"], b.log.cores
    assert f"verdict: PASS (1 row, 0 failures, the work of 1 not judged, {smis} SMIs)" in b.lines, str(b)


@pytest.mark.others
@pytest.mark.parametrize("path", [ZEN, CARRIED / "AuthenticAMD0B40F40_K20_GraniteRidge_02.txt"], ids=lambda p: p.stem)
def test_the_nmi_of_amds_counter_ends_a_row(planted, path):
    """With and without PerfMonV2. It counts core cycles, so a core of 125 MHz is fast enough."""
    assert "counter" in planted(path, shift=3).run["deadline_by"]


def test_a_leaf_15h_that_states_another_rate_is_reported(planted):
    b = planted(ALDER_LAKE, tsc_hz=3.0e9)
    assert "warning: sources of the TSC's frequency disagree; see tsc" in b.lines, str(b)
    wrong = [s["name"] for s in b.run["tsc"]["speeds"] if s["verdict"] == "wrong"]
    assert "cpuid15" in wrong and abs(b.run["tsc"]["hz"] / 3.0e9 - 1) < 0.005, b.run["tsc"]


@pytest.mark.others
def test_a_machine_with_a_cpus_proportions_is_judged_to_be_silicon(planted):
    """IMUL takes three cycles, an instruction 8 ns. A CPU executes the two instructions that end a loop of 64 adds next
    to these; here they take time, which the counters leave out."""
    b = planted(SKYLAKE, ROW.replace("instructions=off", "") + " cycle=pmc,auto turbo=off", shift=3, model=True, cycles=(64, 66))
    assert b.run["execution"] == "silicon" and not b.events(), b.events()
    judged = {test["name"]: test["result"] for test in b.of("selftest")}
    assert {judged[name] for name in ("tsc_sources", "linearity", "core_counter", "deadline")} == {"pass"}, judged
    assert "self-test core_counter     PASS: core cycles an addition of the ruler: pmc 1.0000, aperf 1.0000" in b.lines, str(b)
    asked = [advice["topic"] for advice in b.of("advice") if advice["change"]]
    assert asked == [], b.of("advice")


@pytest.mark.parametrize("change, said, why", [
    ({}, "APERF/MPERF 1.100 while busy; freq= asked for 1.273; status ratio 26", None),
    ({(0, 6, 0): (0x7F5, 2, 8, 0)}, "not known: no APERF and MPERF (CPUID 6 ECX[0]); freq= asked for 1.273; status ratio 26",
     "no APERF and MPERF (CPUID 6 ECX[0])"),
], ids=["aperf", "status"])  # fmt: skip
def test_freq_reports_the_clock_that_it_got(planted, change, said, why):
    """It asks for 28 times the bus clock, of which the TSC has 22, and gets 1.1 times the TSC's."""
    hz, instructions = 2208000000, 7812500
    b = planted(SKYLAKE, ROW + " freq=max", change={PERF_STATUS: 26 << 8, **change}, tsc_hz=hz,
                aperf=(hz * 11, instructions * 10))  # fmt: skip
    assert f"ratio     {said}" in b.lines, str(b)
    clock = b.run["core_clock"]
    assert (clock["asked"], clock["status"], clock.get("why_not")) == (1.2727, "ratio 26", why), clock
    assert why or abs(clock["ratio"] - 1.1) < 0.001, clock


@pytest.mark.others
def test_a_clock_that_freq_did_not_get_is_a_warning_on_silicon(planted):
    b = planted(SKYLAKE, ROW + " freq=max", shift=3, model=True, cycles=(64, 66), aperf=(2208 * 11, 125 * 10))
    assert b.run["execution"] == "silicon"
    assert re.search(r"^warning: freq= asked for 1.273 times the TSC's clock, and busy cores got 1.067", b.text, re.M), str(b)


@pytest.mark.long
def test_the_offset_the_microcode_and_the_features_of_another_core_are_found(planted):
    """Core 1 has no BMI2."""
    ticks, revision = 5_000_000, 0xF0
    b = planted(SKYLAKE, ROW + " cores=all", cpus=(0, 1), tsc_offset=(0, ticks), changes=[(0, MICROCODE, revision << 32, 1)],
                change={(1, 7, 0): (0, 0x029C66AF, 0, 0)})  # fmt: skip
    first, second = b.of("core")
    assert (first["microcode"], second["microcode"]) == (b.recorded["microcode"], revision)
    assert "features" not in first and second["features"] == "CPUID 7.EBX 00000100 on the boot core only", second
    assert abs(second["tsc_offset_ticks"] - ticks) <= second["tsc_offset_error_ticks"] < ticks / 2, second
    assert re.search(r"^\*?  1     2   0    1   0  - +f0 +\d+ \+- \d+$", b.text.replace("\r", ""), re.M), str(b)


X2APIC_ROWS = "suite=events,wakeup bench=nmi_x2apic,self_x2apic,ipi_x2apic_answer samples=16 hist=off console=serial "


@pytest.mark.long
@pytest.mark.parametrize("words", [X2APIC_ROWS + EXIT, pytest.param(SHORT + BORROW, marks=pytest.mark.others)])
def test_a_machine_that_is_locked_in_x2apic_mode_is_used_in_it(planted, words):
    """The page of the APIC is not there, and a write of APIC_BASE that leaves the mode faults. OVMF uses the MSRs too."""
    b = planted(EMERALD_RAPIDS, words + " cores=all", cpus=(0, 1), change={XAPIC_DISABLE_STATUS: 1}, x2apic=True)
    assert b.log.msr[APIC_BASE]["refused"] == 0, b.log.msr
    assert [core["apic_id"] for core in b.of("core")] == [0, 2], b.of("core")
    assert {row["status"] for row in b.rows} == {"ok"}, b.rows
    assert any(line.endswith("; x2APIC") for line in b.lines), str(b)


@pytest.mark.others
@pytest.mark.parametrize("counter", ["pmc", "aperf"])
def test_a_clock_that_throttles_to_half_changes_times_and_no_cycles(planted, counter):
    """Of each 103 ms it is slow for 41 ms, and PROCHOT is asserted. Figures of blocks in which it changes are off."""
    words = f"suite=calls bench=direct samples=256 hist=off console=serial cycle={counter},auto {EXIT}"
    b = planted(SKYLAKE, words, shift=3, model=True, cycles=(64, 66), slow=(0, 103_000, 41_000, 1, 2),
                changes=[(0, THERM_STATUS, PROCHOT_NOW)])  # fmt: skip
    row, judged = b.row("calls", "direct"), {test["name"]: test["result"] for test in b.of("selftest")}
    assert judged["core_counter"] == judged["linearity"] == judged["tsc_sources"] == "pass", judged
    assert abs(row["per_op"]["cycles"] - 2) < 0.2 and row["throttled_by"] == ["core_prochot"], row
    assert 0.55 * 125e6 < row["core_hz"] < 0.95 * 125e6, row
    assert "spoiled   0 of 1 rows shared, 0 SMIs, 1 row throttled" in b.lines, str(b)


# Nehalem's APIC timer stops in deep states, so the boot core, which waits with a timer for others, stays in C1.
DEEP = [
    pytest.param(SKYLAKE, "deep", 0x40, 0x40, id="deep"),
    pytest.param(CARRIED / "GenuineIntel00106A2_Nehalem-EP.txt", "deep", 0x31, 0, id="timer", marks=pytest.mark.others),
    pytest.param(SKYLAKE, "mwait", 0, 0, id="mwait", marks=pytest.mark.others),
]


@pytest.mark.long
@pytest.mark.parametrize("path, park, hint, hint_of_boot_core", DEEP)
def test_a_core_waits_in_the_state_that_park_names(planted, path, park, hint, hint_of_boot_core):
    """Deep: the deepest state of CPUID leaf 5. The cores are woken, measure, and sleep again."""
    b = planted(path, f"{ROW} cores=all park={park}", cpus=(0, 1))
    cores = b.run["cores"]
    assert (cores["up"], cores["parked"], b.end["rows"]) == (2, park, 2) and "warning: park=" not in b.text, str(b)
    assert cores.get("parked_hint") == (hint or None)
    boot_core, other = (core["hints"] for core in b.log.cores)
    assert boot_core == {hint_of_boot_core} and hint in other <= {hint, 0}, b.log.cores  # 0 is the firmware's
    assert park == "mwait" or f"MWAIT with hint {hint:x}h" in b.text


@pytest.mark.long
@pytest.mark.parametrize("path, flushes", [(ZEN, 2), pytest.param(SKYLAKE, 0, marks=pytest.mark.others)], ids=["zen", "self-snoop"])
def test_one_core_at_a_time_flushes_its_caches(planted, path, flushes):
    """A WBINVD lasts 20 ms. AMD's CPUs have no self-snoop (CPUID.1:EDX[27]), so each core that starts executes two."""
    b = planted(path, cpus=(0, 1, 2))
    assert b.run["cores"]["up"] == 3 and b.run["cores"]["second_init"] == 0, b.run["cores"]
    assert [core["flushes"] for core in b.log.cores[1:]] == [flushes] * 2 and b.log.overlaps == 0, b.log.cores
