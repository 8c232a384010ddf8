"""Every core of the machine: found, started, parked, called; and failures of one. test_loaders.py has the cores of
Bochs, in x2APIC mode and known only to MP services.
"""

import re
import struct

import build
import pytest
from machine import BAD_OPTIONS, FAULT, SUCCESS
from sharing import CALLS, EPYC, LA57, QEMU64, SKYLAKE
from test_serial_tables import table

BRIEF = "suite=baseline bench=empty_lfence samples=16"


def smp(count):
    return {"extra": ["-smp", str(count)]}


def all_up(b, count, by="madt"):
    """A machine with this number of cores, all of them used."""
    cores = b.run["cores"]
    assert cores["count"] == cores["up"] == count, cores
    assert cores["listed_by"] == by and "why_alone" not in cores, cores
    (test,) = [t for t in b.of("selftest") if t["name"] == "cores"]
    assert test["result"] == "pass", test
    assert test["detail"].startswith(f"{count - 1} of {count - 1} "), test
    assert not [e for e in b.events("warning") if "core" in e["message"]], b.events()
    return cores


def figures(b):
    return {(r["suite"], r["name"]): r["ticks"] for r in b.rows if r["status"] == "ok"}


def test_more_cores_change_no_figure(boot, shared):
    """A core that executes anything while another measures would change exact counts."""
    alone = figures(shared(CALLS).must(SUCCESS))
    for count in (4, 8):
        b = boot(f"{CALLS} bench=do_*,direct*,plt*", whole=count == 8, **smp(count)).must(SUCCESS)
        assert all_up(b, count)["parked"] == "hlt"
        found = figures(b)
        assert len(found) >= 10 and found.items() <= alone.items(), count


@pytest.mark.parametrize("count", [2, 4])
def test_parked_cores_are_halted(disturbed, count):
    b = disturbed("info registers -a", seen=[], **smp(count))
    assert b.status == SUCCESS, str(b)
    (said,) = b.answers
    assert re.findall(r"HLT=(\d)", said) == ["0"] + ["1"] * (count - 1), said


@pytest.mark.parametrize(
    "shape, count, disabled",
    [("6,sockets=2,cores=3", 6, 0), ("2,maxcpus=4", 2, 2)],
    ids=["holes", "empty-slots"],
)
def test_all_cores_start_where_ids_or_slots_have_holes(boot, shape, count, disabled):
    b = boot(BRIEF, **smp(shape), whole=True).must(SUCCESS)
    assert all_up(b, count)["disabled"] == disabled


def madt(*cpus):
    """A MADT with these entries: (APIC id, enabled), of type 9 if the id has more than 8 bits."""
    head = struct.pack("<II", 0xFEE00000, 1)
    io_apic = struct.pack("<BBBBII", 1, 12, 0, 0, 0xFEC00000, 0)
    entries = b"".join(
        struct.pack("<BBBBI", 0, 8, i & 0xFF, id, on) if id < 256 else struct.pack("<BBHIII", 9, 16, 0, id, on, i)
        for i, (id, on) in enumerate(cpus)
    )
    return table(b"APIC", 4, head + io_apic + entries)


def listed(boot, shim, raw, modes=""):
    """A machine of 2 cores whose firmware has this MADT."""
    disk = shim(f"tables madt-hidden {modes}", BRIEF, tables=[raw])
    return boot("", disk=disk, **smp(2)).must(SUCCESS)


def warnings(b):
    return [e["message"] for e in b.events("warning") if "core" in e["message"] or "processor" in e["message"]]


@pytest.mark.parametrize("ids", [[0x17161514] * 8, [0x17161514 + i for i in range(8)], [0x1514], [0x14, 0x7F, 0xFE]])
def test_cores_with_an_invalid_id_are_not_cores(boot, shim, ids):
    """Such ids, which coreboot left uninitialised, must not lead to x2APIC, to a wait or to a third core."""
    b = listed(boot, shim, madt((0, 1), (1, 1), *((id, 1) for id in ids)))
    cores = b.run["cores"]
    assert (cores["count"], cores["up"], cores["listed_by"]) == (2, 2, "madt"), cores
    assert not cores.get("x2apic_switched") and cores["start_ms"] < 500, cores
    (warning,) = warnings(b)
    assert f"{len(set(ids))} processors" in warning and f"0x{ids[0]:x}" in warning, warning


def test_without_mp_services_all_invalid_ids_cost_two_seconds_together(boot, shim):
    b = listed(boot, shim, madt((0, 1), (1, 1), *((id, 1) for id in range(32, 40))), "mp-missing")
    cores = b.run["cores"]
    assert (cores["count"], cores["up"]) == (10, 2) and 1000 < cores["start_ms"] < 3000, cores
    assert [w for w in warnings(b) if "did not answer INIT" in w] == warnings(b) and len(warnings(b)) == 8, b.events()


def test_a_core_after_a_thousand_empty_entries_is_used(boot, shim):
    all_up(listed(boot, shim, madt(*((255, 0),) * 2000, (0, 1), (1, 1))), 2)


def test_a_table_without_the_boot_core_leaves_no_core_out(boot, shim):
    b = listed(boot, shim, madt((1, 1)))
    assert b.run["cores"]["count"] == b.run["cores"]["up"] == 2, b.run["cores"]
    assert [w for w in warnings(b) if "is not in" not in w] == [], b.events()


@pytest.mark.long
@pytest.mark.others
def test_as_many_cores_as_have_an_apic_id_of_eight_bits_start(boot):
    """As many cores as 8-bit APIC ids allow. When it counts instructions, QEMU 10 takes minutes for them; with a thread
    for each, it takes twice the CPU time of one thread."""
    cores = ["-smp", "255", "-accel", "tcg,thread=single"]
    all_up(boot(BRIEF, icount=False, extra=cores, whole=True).must(SUCCESS), 255)


@pytest.mark.skipif(not build.emulates_x2apic(), reason="this QEMU emulates no x2APIC")
def test_more_cores_than_an_xapic_can_name_start(boot):
    """Their ids need x2APIC. QEMU is too slow for them when it counts instructions."""
    b = boot(BRIEF, icount=False, **smp(288), whole=True).must(SUCCESS)
    all_up(b, 288)
    assert b.run["masked"]["x2apic"] is True, b.run["masked"]


def test_without_acpi_mp_services_know_the_cores(boot):
    all_up(boot(BRIEF, machine="q35,acpi=off", **smp(4), whole=True).must(SUCCESS), 4, "mp_services")


@pytest.mark.parametrize("how, count", [(QEMU64, 2), (LA57, 2), (EPYC, 4), (SKYLAKE, 4)],
                         ids=["qemu64", "la57", "EPYC", "Skylake-Server, threads"])  # fmt: skip
def test_all_cores_of_every_cpu_model_start(shared, how, count):
    assert all_up(shared(**how).must(SUCCESS), count)["disabled"] == 0


def test_cores_start_with_five_levels_of_page_tables(boot, shim):
    b = boot("", disk=shim("la57 mess sse-off", BRIEF), cpu="max,la57=on", **smp(3), whole=True).must(SUCCESS)
    all_up(b, 3)
    assert b.run["memory"]["page_levels"] == 5


def test_cores_start_with_memory_above_four_gib_and_without_x2apic(boot):
    all_up(boot(BRIEF, memory=6144, cpu="max,-x2apic", **smp(2), whole=True).must(SUCCESS), 2)


def test_without_memory_below_one_mib_the_boot_core_runs_alone(boot, shim):
    b = boot("", disk=shim("no-low", BRIEF), **smp(2)).must(SUCCESS)
    assert b.run["cores"]["up"] == 1 and "below 1 MiB" in b.run["cores"]["why_alone"], b.run
    assert b.run["cores"]["why_alone"] in b.text, str(b)


def test_hlt_replaces_an_mwait_that_holds_no_core(boot):
    """Emulated MWAIT is a PAUSE: cores start and are called by it, then HLT replaces it, so that a parked core disturbs
    no count."""
    b = boot("suite=truth bench=add samples=64 cores=all park=mwait", **smp(3)).must(SUCCESS, rows=3)
    assert all_up(b, 3)["parked"] == "hlt" and "parked by hlt" in b.text
    (warning,) = [e for e in b.events("warning") if "park=mwait" in e["message"]]
    assert "returns at once" in warning["message"], warning
    assert [c["execution"] for c in b.of("core")] == ["instructions"] * 3
    assert [r["per_op"]["instructions"] for r in b.rows] == [1, 1, 1]


def test_hlt_replaces_an_mwait_that_the_cpu_lacks(boot):
    b = boot(BRIEF + " park=mwait", cpu="max,-monitor", **smp(2), whole=True).must(SUCCESS)
    assert b.run["cores"]["parked"] == "hlt" and b.run["cores"]["up"] == 2
    (warning,) = [e for e in b.events("warning") if "park=mwait" in e["message"]]
    assert "CPUID 1 ECX[3]" in warning["message"], warning


def test_hlt_replaces_a_deep_mwait_that_the_cpu_lacks(boot):
    """Of an emulated CPU the TSC is not invariant, or no deep state is named."""
    b = boot(BRIEF + " park=deep", **smp(2)).must(SUCCESS)
    assert b.run["cores"]["parked"] == "hlt" and b.run["cores"]["up"] == 2 and "parked_hint" not in b.run["cores"]
    (warning,) = [e for e in b.events("warning") if "park=deep" in e["message"]]
    assert "CPUID" in warning["message"] and "so it is hlt" in warning["message"], warning


def test_buffers_of_each_core_need_memory(boot):
    """24 times 2 MiB are not available on a machine of 64 MiB, most of which the firmware uses."""
    words = BRIEF + " share=together cores=all"
    b = boot(words, memory=64, **smp(24), whole=True).must(BAD_OPTIONS, rows=0)
    (error,) = b.events("error")
    for word in ("KiB", "24 cores", "cores="):
        assert word in error["message"] and word in b.text, error


@pytest.mark.parametrize("count", [1, 2])
def test_the_spurious_interrupt_of_each_core_has_our_vector(disturbed, count):
    """EDK II leaves it at 15, the vector of an exception. test_ring0.py has such an interrupt, in Bochs."""
    b = disturbed(*(f"info lapic {core}" for core in range(count)), seen=[], **smp(count))
    assert b.status == SUCCESS, str(b)
    assert [re.findall(r"spurious vec (\d+)", said) for said in b.answers] == [["255"]] * count, b.answers


def test_nmi_is_counted_on_the_core_that_got_it(disturbed):
    """HMP's nmi goes to every core whose LINT1 delivers NMIs, as the firmware set it."""
    b = disturbed("nmi", "nmi", seen=[f"nmi: core {core} " for core in (1, 2, 3)], **smp(4))
    assert b.status == SUCCESS and "FAULT" not in b.text, str(b)
    for core in (1, 2, 3):
        assert re.search(rf"nmi: core {core} \(APIC id {core}\): [12] NMIs", b.text), str(b)


def test_a_parked_core_that_faults_fails_the_run_and_keeps_its_rows(disturbed):
    """A machine check that lost the context: that core stops, the rows of the others are kept."""
    b = disturbed("mce 2 1 0xb200000000000000 0x5 0 0", seen=["#MC"], **smp(4))
    assert b.status == FAULT and b.end["verdict"] == "fail" and b.end["rows"] == 2, str(b)
    for words in ("on core 2, APIC id 2", "#MC", "bank 1", "fault: core 2 (APIC id 2): #MC"):
        assert words in b.text, f"{words} is not shown\n{b}"

