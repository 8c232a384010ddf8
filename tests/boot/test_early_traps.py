"""NMIs and faults during the takeover: at each step from the firmware to the first row, and back; and a fault in the
gap detector, which only the program's own code can cause. An NMI before a sleep. Cores that hang, or flush their
caches. A boot core that may send no INIT.

QEMU's gdb stub stops the guest at the step, so no result depends on time.
"""

import re

import build
import pytest
from debugger import Debugger, Ended, instructions, symbols
from machine import BAD_OPTIONS, CHECK_FAILED, FAULT, SUCCESS, qemu

QUICK = "suite=baseline samples=16 warmup=0"
# All of the same length, because the address of the program depends on it.
LENGTH = 150

WHOLE = not build.debugs_saved_machines()

# In their order; each gets an NMI. The firmware's own code is among them.
LEAVE = ["boot_leave", "ExitBootServices", "kernel_traps", "machine_traps", "gdt_load", "memmap_hand_over",
         "kernel_enter"]  # fmt: skip
STEPS = ["cpu_setup", "kernel_main", "machine_take", "cpu_decode", "memory_physical", "machine_console", "mce_enable",
         "mtrr_read", "irq_mask", "counters_init", "cores_bring_up", "core_controls_apply_all", "facts_report",
         "selftest_machine"]  # fmt: skip
BORROW = ["boot_lend", "memmap_hand_over", "boot_hold", "kernel_borrow", "cpu_state_save", "machine_traps"]
LEND = ["boot_lend", "traps_lend", "lent_serve", "traps_lend_end", "boot_hold"]
WAY_BACK = ["cpu_state_restore", "boot_unhold", "boot_lend_end", "boot_report", "volume_open"]

# struct boot: the boot services are its third member; ExitBootServices is at 232 (UEFI 2.10 section 4.4).
BOOT_SERVICES, EXIT_BOOT_SERVICES, RAX, RDI = 16, 232, 0, 5


def addresses(folder, program, **how):
    """at(symbol): its address in a boot of this file's kind; one such boot determines where the image is."""
    words = "suite=provoke bench=setup samples=16".ljust(LENGTH)
    b = qemu(folder, program=program, words=words, whole=WHOLE, **how)
    address, offset = re.search(r"called from ([0-9a-f]+) \(image\+0x([0-9a-f]+)\)", b.text).groups()
    base, known = int(address, 16) - int(offset, 16), symbols()
    return lambda name: base + known[name]


@pytest.fixture(scope="module")
def at(program, tmp_path_factory):
    return addresses(tmp_path_factory.mktemp("base"), program)


@pytest.fixture
def held(boot, tmp_path):
    """held(at, words, work): a boot during which work(debugger) stops it."""

    def start(at, words, work, **how):
        try:
            with Debugger(tmp_path, at, work) as debugger:
                b = boot(words.ljust(LENGTH), whole=WHOLE, debugger=debugger.options, **how)
        except OSError as e:
            raise AssertionError(f"{e}\n{b}") from e
        return b

    return start


def nmi_at(d, names):
    """Returns how many were sent."""
    sent = 0
    for name in names:
        if name == "ExitBootServices":
            services = d.memory(d.read(RDI) + BOOT_SERVICES)  # stopped in boot_leave
            d.run_to(d.memory(services + EXIT_BOOT_SERVICES))
        elif name == "gdt_load":  # each of its instructions: first with the firmware's selectors, then with ours
            for offset in instructions(name)[:-1]:
                d.run_to(d.at(name) + offset)
                d.nmi()
                sent += 1
            continue
        else:
            d.run_to(name)
        d.nmi()
        sent += 1
    return sent


def told(b):
    """Returns the number of NMIs before the first row that the report has."""
    (event,) = b.events("nmi")
    assert "before the first row" in event["message"], event
    return int(event["message"].split()[0])


def test_an_nmi_at_each_step_of_the_takeover_is_counted(held, at):
    sent = []
    b = held(at, QUICK, lambda d: sent.append(nmi_at(d, LEAVE + STEPS))).must(SUCCESS)
    assert told(b) == sent[0] > len(LEAVE + STEPS), str(b)


def test_an_nmi_at_each_step_of_borrowing_is_counted(held, at):
    sent, late = [], []

    def work(d):
        sent.append(nmi_at(d, BORROW + STEPS))
        late.append(nmi_at(d, WAY_BACK))

    b = held(at, QUICK + " takeover=borrow", work)
    assert b.status == SUCCESS and b.end["verdict"] == "pass", str(b)
    assert told(b) == sent[0], str(b)
    # The first of these arrives while our IDT is still loaded, when the report is closed.
    assert re.search(rf"^baretick: NMIs .*: {late[0]}\b", b.text, re.M), str(b)


def test_an_nmi_while_the_firmware_sends_its_other_core_is_counted(held, program, tmp_path):
    """On the boot core, which uses the firmware's table of interrupts then; the firmware has masked LINT1 on the other.
    The table gets its entry back (traps_lend_end) only after the other core has arrived (lent_serve)."""
    at = addresses(tmp_path, program, extra=["-smp", "2"])
    b = held(at, QUICK + " takeover=borrow", lambda d: nmi_at(d, LEND), extra=["-smp", "2"])
    assert b.status == SUCCESS and b.end["verdict"] == "pass", str(b)
    assert told(b) == len(LEND), str(b)


@pytest.mark.parametrize("takeover, step", [
    *(("exit", step) for step in ["memmap_hand_over", *STEPS]),
    *(("borrow", step) for step in ["kernel_main", "memory_physical", "cores_bring_up", "selftest_machine"]),
])  # fmt: skip
def test_a_fault_in_each_step_is_printed(held, at, takeover, step):
    """On COM1, although no table was read and no console opened; and a test rack gets the verdict, unless the step is one
    that the report of a fault calls, too (kernel/main.c)."""

    def work(d):
        d.run_to("machine_traps")
        d.run_to(step)
        d.plant_ud2()

    b = held(at, f"{QUICK} takeover={takeover} format=lines", work)
    assert b.status == FAULT, str(b)
    if step != "cpu_setup":
        assert "BT run/verdict@0 1 failures fail" in b.text and b.end["verdict"] == "fail", str(b)
    assert "FAULT: #UD invalid opcode (vector 6)" in b.text, str(b)
    assert re.search(rf"rip {at(step):016x} \(image\+0x", b.text), str(b)


def test_a_fault_before_the_console_of_a_borrowed_machine_is_printed(held, at):
    """The firmware's stack is still in use, and there is no report to end."""

    def work(d):
        d.run_to("machine_traps")
        d.run_to("cpu_setup")
        d.plant_ud2()

    b = held(at, QUICK + " takeover=borrow", work)
    assert b.status == FAULT and "FAULT: #UD" in b.text, str(b)


def test_a_watch_that_faults_fails_alone(held, program, tmp_path):
    """Inserted in the gap detector's loop."""
    # QEMU lets virtual time run to the next timer when the debugger stops it: that must not be the deadline's timer.
    how = {"machine": "q35,hpet=off"}
    at = addresses(tmp_path, program, **how)

    def work(d):
        d.run_to("watch_stretch")
        d.plant_ud2()

    b = held(at, "suite=quiet,truth bench=gaps,add samples=16", work, **how)
    (event,) = b.events("fault")
    assert event["message"].startswith("quiet/gaps on core 0: #UD invalid opcode (vector 6) at "), event
    assert b.status == CHECK_FAILED and b.end["failures"] == 1 and not b.of("gaps"), str(b)
    assert b.row("truth", "add")["status"] == "ok", str(b)


def at_two_cores(program, folder):
    return addresses(folder, program, extra=["-smp", "2"])


def test_an_nmi_between_sti_and_hlt_does_not_lose_a_wake_up(held, program, tmp_path):
    """The other core is about to sleep when its first call and an NMI arrive: the NMI comes before HLT, and the interrupt
    of the call right after the NMI."""

    def work(d):
        d.run_to("sleep_hlt_at")
        assert d.core == 1
        d.run_core_to(0, instructions("lapic_ipi", "ret")[-1], "lapic_ipi")
        d.nmi()

    b = held(at_two_cores(program, tmp_path), QUICK, work, extra=["-smp", "2"]).must(SUCCESS)
    assert [c["usable"] for c in b.of("core")] == [True, True], str(b)


@pytest.mark.long
def test_a_core_that_hangs_is_given_up(held, program, tmp_path):
    """It executes nothing any more, as in an SMI handler that does not end."""

    def work(d):
        d.run_to("deadline_begin")
        while d.core == 0:
            d.run_to("deadline_end")
            d.run_to("deadline_begin")
        d.run_core_to_the_end(0)

    words = "suite=baseline bench=do_nothing,empty_lfence samples=16 cores=0,1 deadline=1"
    b = held(at_two_cores(program, tmp_path), words, work, extra=["-smp", "2"])
    assert b.status == FAULT and b.end["verdict"] == "fail", str(b)
    assert any("10 times deadline=" in e["message"] for e in b.events("fault")), str(b)


def test_a_core_that_does_not_answer_a_signal_is_used_no_more(held, program, tmp_path):
    def work(d):
        d.run_to("facts_report")
        d.plant(d.at("receive_signal"), "ebfe")  # SDM volume 2: JMP to itself

    words = "suite=cores,truth bench=ipi,lea samples=16 cores=all"
    b = held(at_two_cores(program, tmp_path), words, work, extra=["-smp", "2"])
    assert "did not answer and was stopped" in b.text and "times deadline=" not in b.text, str(b)


@pytest.mark.parametrize("snoop, flushes", [("-ss", True), ("+ss", False)])
def test_caches_are_flushed_only_without_self_snoop(held, program, tmp_path, snoop, flushes):
    how = {"cpu": f"max,{snoop}", "extra": ["-smp", "2"]}
    at = addresses(tmp_path, program, **how)
    flushed = []

    def work(d):
        try:
            d.run_to("flush_caches")
        except ConnectionError:
            raise Ended from None
        flushed.append(True)

    held(at, QUICK, work, **how).must(SUCCESS)
    assert bool(flushed) == flushes


def test_a_core_that_flushes_its_caches_for_long_is_awaited(held, program, tmp_path):
    """For longer than the boot core waits for a core that does not answer, and then sends a second INIT."""
    how = {"cpu": "max,-ss", "extra": ["-smp", "2"], "icount": False}  # the guest's clock is the host's
    at = addresses(tmp_path, program, **how)

    def work(d):
        d.run_to("cores_bring_up")
        d.run_to("flush_caches")
        assert d.core == 1
        d.run_core_for(0, 2.5)

    b = held(at, QUICK, work, **how).must(SUCCESS)
    assert b.run["cores"]["up"] == 2 and b.run["cores"]["second_init"] == 0, b.run["cores"]


def test_a_boot_core_that_is_not_the_bsp_sends_no_init(held, program, tmp_path):
    """An INIT restarts the firmware on the bootstrap processor. QEMU's core 0 always is that one, so the result of
    lapic_open() is changed: `bsp` is the third member of struct lapic."""
    sent = []

    def work(d):
        d.run_to(d.at("lapic_open") + instructions("lapic_open", "ret")[-1])
        assert d.memory(d.read(RAX)) & 0xFFFFFF == 0x010001, "present, not x2APIC, BSP"
        d.write_byte(d.read(RAX) + 2, 0)
        try:
            d.run_to("lapic_ipi")
        except ConnectionError:
            raise Ended from None
        sent.append(True)

    b = held(at_two_cores(program, tmp_path), QUICK, work, extra=["-smp", "2"]).must(SUCCESS)
    assert not sent, "an interrupt was sent"
    assert "not the bootstrap processor" in b.run["cores"]["why_alone"], b.run["cores"]


def test_a_guest_with_encrypted_memory_is_refused(held, at):
    """The function that recognises it is replaced by one that returns a name."""

    def work(d):
        d.run_to("cpu_encrypted_guest")
        name = b"PLANTED\0".hex()
        d.plant(d.at("cpu_encrypted_guest"), f"488d0501000000c3{name}")  # SDM volume 2: LEA RAX, [RIP+1]; RET

    b = held(at, f"{QUICK} format=lines", work)
    assert b.status == BAD_OPTIONS, str(b)
    assert "guest: its memory is encrypted (PLANTED)" in b.text and "without SEV and TDX" in b.text, str(b)
