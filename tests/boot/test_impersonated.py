"""Recorded machines, booted: the impersonator shows the unchanged image the CPUID and MSRs of a recording, an emulated
PMU and a TSC of its rate. What the program says of the machine is compared with what the replay says of the recording.

BARETICK_CPUID names a folder of more recordings."""

import os
from pathlib import Path

import impersonated
import pytest
from impersonated import BORROW, CARRIED, EXIT
# All vendors and generations.
EVERY_RUN = {
    "AuthenticAMD0000F51_K8_Sledgehammer", "AuthenticAMD0100FA0_K10_Thuban", "AuthenticAMD0600F12_Interlagos",
    "AuthenticAMD0B40F40_K20_GraniteRidge_02", "CentaurHauls0040672_CNS_04", "GenuineIntel0000F66_P4_Tulsa",
    "GenuineIntel00106A2_Nehalem-EP", "GenuineIntel00506E3_Skylake", "GenuineIntel0090672_AlderLake_01_LC_BC",
    "HygonGenuine0900F11_Hygon_01",
}  # fmt: skip
WORDS = "suite=baseline bench=do_nothing samples=16 turbo=off prefetch=off freq=base cycle=pmc,aperf,auto console=serial "
COUNTERS = {"fixed1": "pmc", "amd_pmc": "pmc", "aperf": "aperf"}
NOISE = "figures are noise: an emulator executes this code"
DE_CFG = 0xC0011029
# The revision of the microcode is cleared before CPUID loads it; logs of the thermal status are cleared before a row.
NOT_RESTORED = {0x8B, 0x19C, 0x1B1}
EFER = 0xC0000080  # 0 in a core that the firmware starts, until it enters long mode


def recordings():
    """Returns the carried recordings, those of `make test-others` marked, and all of BARETICK_CPUID."""
    paths = sorted(CARRIED.glob("*.txt"))
    marks = [() if path.stem in EVERY_RUN else pytest.mark.others for path in paths]
    if folder := os.environ.get("BARETICK_CPUID"):
        more = sorted(Path(folder).glob("*.txt"))
        paths, marks = paths + more, marks + [()] * len(more)
    assert EVERY_RUN <= {path.stem for path in paths}
    return [pytest.param(path, (EXIT, BORROW)[i % 2], marks=mark, id=path.stem)
            for i, (path, mark) in enumerate(zip(paths, marks))]  # fmt: skip


def judge_machine(run, said, hz):
    """The program knows the machine as the replay does."""
    assert abs(run["tsc"]["hz"] / hz - 1) <= 0.005, run["tsc"]
    assert run["tsc"]["sources_agree"], run["tsc"]
    assert {k: run["topology"][k] for k in run["topology"]} == {k: said[k] for k in run["topology"]}
    for part in ("caches", "tlbs", "mitigations"):
        assert run[part] == said[part], part
    for fact in ("vendor", "brand", "family", "model", "stepping", "model_masked", "microcode"):
        assert run["cpu"].get(fact) == said.get(fact), fact
    assert run["cycle"] == COUNTERS.get(said["core_cycle_counter"], "ruler")
    by_event = said["core_cycle_counter"] == "amd_pmc" and said["family"] >= 0x17  # 2Bh
    assert run["smi_counter"] == (said["smi_counter"] or by_event), run.get("smi_counter_why_not")
    assert run["virtualised"] == said["hypervisor"]


def judge_deadline(run, shown):
    """Intel's fixed counter 2 counts at the TSC's rate, so its NMI comes in time; core cycles of 8 MHz are too slow."""
    eax, ebx, _, edx = shown.registers(0xA)
    has = shown.vendor == "GenuineIntel" and eax & 255 >= 2 and edx & 31 >= 3 and not ebx >> 2 & 1  # the event is missing
    assert ("counter" in run["deadline_by"]) == has, run["deadline_by"]


def judge_controls(run, said):
    for control, planned in zip(run["controls"], said["controls"], strict=True):
        assert (control["name"], control.get("control")) == (planned["name"], planned.get("control"))
        assert control.get("why_not") == planned.get("why_not"), control
        assert control.get("found") == planned.get("found"), control
        if "control" in planned and "why_not" not in planned:
            assert control["now"] == planned["wanted"] and control["in_force"], control


def missing_controls(said):
    """Returns the warnings about controls that this CPU does not have."""
    return [f"{c['name']}= is not in force on 1 of 1 cores: {c['why_not']}" for c in said["controls"] if "why_not" in c]


def judge_msrs(shown, log, end):
    """No write of an MSR that the machine does not have. Every recorded MSR and every control is as it was; of a borrowed
    machine every MSR, also those of QEMU: page attributes, segment bases, machine checks, the APIC."""
    refused = {hex(a): e for a, e in log.msr.items() if e["refused"]}
    assert not refused, refused
    strange = {hex(a) for a, e in log.msr.items() if e["writes"] and not shown.has_msr(a)}
    assert not strange, strange
    lost = NOT_RESTORED | ({DE_CFG} if end == EXIT else set()) | ({EFER} if len(shown.cores) > 1 else set())
    changed = {hex(a): e for a, e in log.msr.items() if e["writes"] and e["after"] != e["before"]
               and (end == BORROW or a in shown.msrs) and a not in lost and not shown.has_counter_msr(a)}  # fmt: skip
    assert not changed, changed


@pytest.mark.parametrize("path, end", recordings())
def test_the_booted_machine_is_the_recorded_one(program, tmp_path, path, end):
    shown = impersonated.Shown(path)
    b = impersonated.boot(tmp_path, program, shown, WORDS + end)
    assert b.end["verdict"] == "pass" and b.end["failures"] == 0, str(b)
    noise = {NOISE} if b.run["unit"] == "ticks" else set()  # a TSC of 2000 MHz has exactly 256 ticks an instruction
    assert {e["message"] for e in b.events()} == noise | set(missing_controls(b.recorded)), b.events()
    assert all(core["late"] == 0 for core in b.log.cores), b.log.cores
    judge_machine(b.run, b.recorded, b.hz)
    judge_controls(b.run, b.recorded)
    judge_deadline(b.run, shown)
    judge_msrs(shown, b.log, end)


# Two threads of a performance core, and two efficiency cores, whose CPUID differs; a quad-core.
SEVERAL = [
    ("GenuineIntel0090672_AlderLake_01_LC_BC", (0, 1, 16, 17), BORROW),
    pytest.param("GenuineIntel00506E3_Skylake", (0, 1, 2, 3), EXIT, marks=pytest.mark.others),
]


@pytest.mark.long
@pytest.mark.parametrize("name, cpus, end", SEVERAL)
def test_each_core_is_the_recorded_one(program, tmp_path, name, cpus, end):
    shown = impersonated.Shown(CARRIED / f"{name}.txt", cpus)
    b = impersonated.boot(tmp_path, program, shown, WORDS + "cores=all " + end)
    assert b.end["verdict"] == "pass" and b.end["failures"] == 0 and b.end["rows"] == len(cpus), str(b)
    judge_machine(b.run, b.recorded, b.hz)
    judge_controls(b.run, b.recorded)
    judge_msrs(shown, b.log, end)
    cores = b.of("core")
    assert [core["apic_id"] for core in cores] == shown.ids and all(core["microcode"] == b.recorded["microcode"] for core in cores)
    types = {kind["type"]: kind["logical_cpus"] for kind in b.recorded["core_types"]}
    assert {kind: [core.get("core_type") for core in cores].count(kind) for kind in types} == types, cores
    assert not any("mtrr" in core for core in cores), cores
    # An efficiency core's prefetchers have other bits, which are not known.
    few = f"prefetch= is not in force on {types.get('efficiency')} of {len(cpus)} cores: they are not as the boot core"
    assert {e["message"] for e in b.events()} == {NOISE, *([few] if b.recorded["hybrid"] else [])}, b.events()
