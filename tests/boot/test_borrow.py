"""takeover=borrow: the firmware continues normally afterwards, and the report is on the stick."""

import re
import subprocess

import media
import pytest
from read import report
from debugger import symbols
from machine import FAULT, SUCCESS, Boot, drive, monitor, seen
from sharing import CALLS
from test_serial_tables import MMIO, NOWHERE, dbg2, spcr

QUICK = "suite=baseline samples=32"
BORROW = f"{QUICK} takeover=borrow finish=return"
AT = media.PARTITION_AT * 512


# The shell waits five seconds before it looks at startup.nsh.
DO_NOT_WAIT = {b"any other key to continue": b" "}


def mtools(tool, disk, *words):
    return subprocess.run([tool, "-i", f"{disk}@@{AT}", *words], capture_output=True, check=False)


def folder(disk):
    """Returns {name: bytes} of the reports on a disk."""
    listed = mtools("mdir", disk, "-b", "::/baretick").stdout.decode().split()
    names = [name.removeprefix("::/baretick/") for name in listed if not name.endswith("/")]
    return {name: mtools("mtype", disk, f"::/baretick/{name}").stdout for name in names}


def shell_disk(path, program, *runs, files=None):
    """Makes a disk for the UEFI shell: `runs` are the lines of its startup.nsh."""
    script = "\r\n".join(("fs0:", *runs, "echo the shell continues", "reset -s", "")).encode()
    return media.gpt_disk(path, {"baretick.efi": program, "startup.nsh": script, **(files or {})})


def printed(serial):
    """Returns the records, and the table without progress lines, of each report on the serial line."""
    pieces = serial.split(b"\n")
    start = [i for i, p in enumerate(pieces) if seen(p) == "baretick: has the machine"]
    end = [i for i, p in enumerate(pieces) if p.startswith(b"verdict: ")]
    assert len(start) == len(end) > 0, serial[-3000:]
    for a, b in zip(start, end):
        lines = pieces[a : b + 1]
        records = [p for p in lines if p.startswith(b"{")]
        table = [seen(p) for p in lines if not p.startswith(b"{")]
        yield records, [p for p in table if not p.startswith(report.PROGRESS)]


def must_be_on(disk, number, records, table):
    """Asserts that the two files of that number equal the serial output, byte for byte."""
    files = folder(disk)
    jsonl, text = files[f"{number:04}.jsonl"], files[f"{number:04}.txt"]
    assert jsonl == b"\n".join(records) + b"\n"
    whole = [report.parse(line) for line in jsonl.splitlines()]  # checks every crc
    assert [r["seq"] for r in whole] == list(range(len(whole))) and whole[-1]["type"] == "end"
    assert text.decode().split("\r\n")[:-1] == table
    return whole


@pytest.mark.parametrize("bus", ["usb", "ahci"])  # virtio; all other tests here use it
def test_the_shell_continues_after_each_kind_of_run(boot, program, tmp_path, bus):
    """A run, a fault, a row that overflows its stack, and another run, without a reset."""
    faults = "suite=provoke samples=32 takeover=borrow finish=return bench="
    lines = [BORROW, faults + "setup", faults + "stack", BORROW + " hist=off"]
    runs = [line for words in lines for line in (f"baretick.efi {words}", "echo was %lasterror%")]
    disk = shell_disk(tmp_path / "shell.img", program, *runs, "echo kept > kept.txt")
    b = boot("", disk=disk, bus=bus, runs=4, snapshot=False, whole=True, keys=DO_NOT_WAIT)

    assert b.exit == 0 and "the shell continues" in b.text, str(b)
    assert [r["verdict"] for r in b.of("end")] == ["pass", "fail", "fail", "pass"], str(b)
    assert len(re.findall("^was 0x0$", b.text, re.M)) == 2, str(b)
    assert len(re.findall("^was 0x7$", b.text, re.M)) == 1, str(b)  # device error
    assert len(re.findall("^was 0x15$", b.text, re.M)) == 1, str(b)  # aborted: the row with that stack failed
    for n, (records, table) in enumerate(printed(b.serial)):
        whole = must_be_on(disk, n, records, table)
        assert f"baretick: wrote baretick\\{n:04}.txt" in b.text, str(b)
        if n == 1:
            assert any("FAULT: " in line for line in table), table
        else:
            assert whole[0]["takeover"] == "borrow" and len(whole[0]["masked"]["pic_was"]) == 2
    assert len(folder(disk)) == 8
    assert "kept" in mtools("mtype", disk, "::/kept.txt").stdout.decode("utf-16")


def test_figures_are_those_of_exit(boot, shared):
    """Under icount a figure has one correct value, whether the machine is borrowed or not."""
    ours, theirs = shared(CALLS).must(SUCCESS), boot(f"{CALLS} takeover=borrow").must(SUCCESS)

    assert (ours.run["takeover"], theirs.run["takeover"]) == ("exit", "borrow")
    assert "exit_tries" in ours.run["firmware"] and "exit_tries" not in theirs.run["firmware"]
    for key in ("ticks", "net", "per_op", "status"):
        mine, yours = ([r.get(key) for r in b.rows] for b in (ours, theirs))
        assert mine == yours
    assert len(ours.rows) > 30
    # QEMU itself loaded the program, not from a stick.
    assert "not on the stick" in theirs.text, str(theirs)


def fill(disk):
    """Leaves 12 sectors free."""
    free = int(mtools("minfo", disk).stdout.split(b"free clusters=")[1].split()[0])
    filler = disk.with_name("filler")
    with open(filler, "wb") as file:
        file.truncate((free - 12) * 512)
    assert mtools("mcopy", disk, filler, "::/filler").returncode == 0


@pytest.fixture
def sticks(program, tmp_path):
    """A full volume, a read-only one, one on which the file names exist, one whose folder is a file."""
    own = {"baretick.efi": program}
    taken = {"baretick/0003.txt": b"mine", "baretick/0012.JSONL/x": b"", "baretick/later.txt": b""}
    disks = {
        "full": media.gpt_disk(tmp_path / "full.img", {**own, "mark": b"full"}),
        "readonly": media.gpt_disk(tmp_path / "readonly.img", {**own, "mark": b"readonly"}),
        "taken": media.gpt_disk(tmp_path / "taken.img", {**own, "mark": b"taken", **taken}),
        "file": media.gpt_disk(tmp_path / "file.img", {**own, "mark": b"file", "baretick": b"mine"}),
    }
    fill(disks["full"])
    return disks


def test_a_stick_that_takes_no_report_is_named_and_left_alone(boot, program, sticks, tmp_path):
    extra = []
    for name, disk in sticks.items():
        extra += ["-drive", drive(name, disk)]
        extra[-1] += ",readonly=on" if name == "readonly" else ""
        extra += ["-device", f"virtio-blk-pci,drive={name}"]
    first = "for %i in 0 1 2 3 4\r\n if exist fs%i:\\startup.nsh then\r\n fs%i:\r\n endif\r\nendfor"
    each = f"for %i in 0 1 2 3 4\r\n type fs%i:\\mark\r\n fs%i:\\baretick.efi {BORROW}\r\nendfor"
    disk = shell_disk(tmp_path / "shell.img", program, first, each)
    b = boot("", disk=disk, runs=5, extra=extra, keys=DO_NOT_WAIT)

    assert b.exit == 0 and "the shell continues" in b.text, str(b)
    assert [r["verdict"] for r in b.of("end")] == ["pass"] * 5, str(b)
    for why in ("read-only", r"\d+ KiB free.* \d+", "baretick .*a file"):
        assert re.search(f"not on the stick: .*{why}", b.text), f"{why}: {b}"
    assert "wrote baretick\\0013.jsonl" in b.text and "wrote baretick\\0013.txt" in b.text, str(b)
    assert not folder(sticks["full"]) and not folder(sticks["readonly"])
    assert mtools("mtype", sticks["file"], "::/baretick").stdout == b"mine"
    taken = folder(sticks["taken"])
    assert taken["0003.txt"] == b"mine" and set(taken) == {
        "0003.txt", "later.txt", "0013.jsonl", "0013.txt"
    }  # fmt: skip


def test_without_a_console_the_report_is_on_the_stick(boot, stick):
    disk = stick({"baretick.conf": QUICK.encode()})
    b = boot("", disk=disk, serial=False, snapshot=False)
    assert b.status == SUCCESS and not b.serial, str(b)
    files = folder(disk)
    kept = Boot(files["0000.jsonl"] + files["0000.txt"], b.exit, b.seconds).must(SUCCESS)
    assert kept.run["takeover"] == "borrow" and kept.run["options"]["takeover"] == "auto"
    assert len(kept.rows) > 5 and "verdict: PASS" in kept.text


@pytest.mark.parametrize("named", [spcr, dbg2])
def test_a_dead_port_in_memory_is_not_a_console(boot, shim, named):
    """The firmware's tables name a UART where nothing answers. Without another console the report is on the stick."""
    disk = shim("tables", f"{QUICK} takeover=auto", tables=[named(MMIO, NOWHERE)])
    b = boot("", disk=disk, serial=False, snapshot=False)
    assert b.status == SUCCESS, str(b)
    files = folder(disk)
    kept = Boot(files["0000.jsonl"] + files["0000.txt"], b.exit, b.seconds).must(SUCCESS)
    assert kept.run["takeover"] == "borrow" and "serial" not in kept.run, kept.run


@pytest.mark.parametrize("card, takeover", [((), "borrow"), (("-device", "VGA"), "exit")], ids=["headless", "screen"])
def test_without_a_screen_the_report_is_also_on_the_stick(boot, stick, card, takeover):
    """COM1 answers, but nobody may be listening there."""
    disk = stick({"baretick.conf": QUICK.encode()})
    b = boot("", disk=disk, snapshot=False, extra=card).must(SUCCESS)
    assert b.run["takeover"] == takeover, b.run
    if takeover == "borrow":
        ((records, table),) = printed(b.serial)
        must_be_on(disk, 0, records, table)
    else:
        assert not folder(disk)


def test_a_full_stick_is_no_reason_to_borrow(boot, stick):
    """test_iso.py has a read-only volume."""
    disk = stick({"baretick.conf": QUICK.encode()})
    fill(disk)
    assert boot("", disk=disk).must(SUCCESS).run["takeover"] == "exit"


def test_the_files_are_written_before_the_machine_is_switched_off(boot, stick):
    disk = stick({"baretick.conf": f"{QUICK} takeover=borrow finish=poweroff".encode()})
    b = boot("", disk=disk, snapshot=False)
    assert b.exit == 0 and b.end["verdict"] == "pass", str(b)
    assert set(folder(disk)) == {"0000.jsonl", "0000.txt"}


def test_a_datasheet_is_on_the_stick(boot, stick):
    disk = stick({"baretick.conf": b"datasheet bench=add_r64*,vaddps*,latency_4k,width takeover=borrow finish=poweroff"})
    b = boot("", disk=disk, snapshot=False)
    assert b.exit == 0, str(b)
    ((records, table),) = printed(b.serial)
    whole = {record["type"]: record for record in must_be_on(disk, 0, records, table)}
    assert whole["run"]["licence"] == "CC0-1.0" and whole["end"]["verdict"] == "pass", str(b)
    assert whole["insn_end"]["reached"] == whole["insn_plan"]["run"] > 0, whole["insn_end"]
    assert whole["curve"]["name"] == "latency_4k" and whole["limit"]["name"] == "width", str(b)
    assert whole["curve"]["status"] == whole["limit"]["status"] == "ok" and whole["curve"]["figures"], str(b)


def test_a_fault_leaves_qemu_as_ever(boot):
    b = boot("suite=provoke bench=setup samples=16 takeover=borrow")
    assert b.status == FAULT and b.end["verdict"] == "fail", str(b)


def lent(b, count, others=None):
    """Makes this number of cores in each run; all are used except the named ones."""
    for run in b.of("run"):
        assert run["takeover"] == "borrow"
        assert run["cores"]["count"] == count and "why_alone" not in run["cores"], run["cores"]
        assert run["cores"]["up"] == (others or count), run["cores"]


def figures(rows):
    """Returns {core: {row: its result}}."""
    found = {}
    for r in rows:
        if r["status"] == "ok" and "ticks" in r:
            found.setdefault(r["core"], {})[r["suite"], r["name"]] = r["ticks"]
    return found


def test_cores_are_lent_and_given_back(boot, program, tmp_path):
    """Three runs without a reset: each uses all cores, and all figures are exact."""
    count = 3
    calls = "baretick.efi suite=baseline,calls bench=empty_*,do_*,direct*,got,virtual_inc_c,lazy* samples=32 hist=off "
    calls += "takeover=borrow finish=return cores="
    runs = [calls + "all", f"baretick.efi suite=cores takeover=borrow finish=return cores=all"]
    lines = [line for run in [*runs, calls + "all"] for line in (run, "echo was %lasterror%")]
    disk = shell_disk(tmp_path / "shell.img", program, *lines)
    b = boot("", disk=disk, runs=3, snapshot=False, extra=["-smp", str(count)], keys=DO_NOT_WAIT)

    assert b.exit == 0 and "the shell continues" in b.text and "Exception Type" not in b.text, str(b)
    assert [r["verdict"] for r in b.of("end")] == ["pass"] * 3, str(b)
    assert len(re.findall("^was 0x0$", b.text, re.M)) == 3, str(b)
    lent(b, count)
    assert not [e for e in b.events("warning") if "not on the stick" in e["message"]]
    for n, (records, table) in enumerate(printed(b.serial)):
        must_be_on(disk, n, records, table)
    alone = figures(boot(calls.partition(" ")[2] + "bsp finish=auto").must(SUCCESS).rows)[0]
    ends = [i for i, r in enumerate(b.records) if r["type"] == "end"]
    for start, end in ((0, ends[0]), (ends[1], ends[2])):
        rows = figures(r for r in b.records[start:end] if r["type"] == "row")
        assert set(rows) == set(range(count))
        for core, found in rows.items():
            assert found == alone, core


def test_cores_that_fault_are_given_back(boot, program, tmp_path):
    """Alone, next to a row that overflows its stack, and all at once; afterwards all cores are back."""
    faults = "baretick.efi suite=provoke samples=32 takeover=borrow finish=return bench="
    runs = [faults + "setup cores=1", faults + "setup,stack cores=2", faults + "setup cores=all share=together"]
    disk = shell_disk(tmp_path / "shell.img", program, *runs, f"baretick.efi {BORROW} cores=all")
    b = boot("", disk=disk, runs=4, snapshot=False, extra=["-smp", "3"], keys=DO_NOT_WAIT)

    assert b.exit == 0 and "the shell continues" in b.text and "Exception Type" not in b.text, str(b)
    assert [r["verdict"] for r in b.of("end")] == ["fail"] * 3 + ["pass"], str(b)
    lent(b, 3)
    for core in (1, 2):
        assert f"on core {core}, APIC id {core}" in b.text, str(b)
    assert "did not come back" not in b.text and "does not say" not in b.text, str(b)


@pytest.mark.parametrize("words", [BORROW + " cores=all", "suite=cores takeover=borrow finish=return cores=all"])
def test_each_core_gets_its_state_back(boot, shim, words):
    """Compares registers, interrupts and machine checks, on the calling core and on the cores themselves."""
    done = b"shim: it returned"
    b = boot("", disk=shim("mp-watch", words), extra=["-smp", "3"],
             done=lambda data: done in data)  # fmt: skip
    lent(b, 3)
    for core in range(3):
        assert f"shim: core 0{core} has all as before" in b.text, str(b)
    assert "shim: MP services continue, cores: 02" in b.text, str(b)


def test_nmis_are_counted_until_the_last_core_has_come(boot, shim):
    done = b"shim: it returned"
    b = boot("", disk=shim("mp-late", BORROW + " cores=all"), extra=["-smp", "3"],
             done=lambda data: done in data)  # fmt: skip
    lent(b, 3)
    for core in (1, 2):
        assert f"shim: core 0{core} has all as before, came guarded" in b.text, str(b)


def test_the_boot_core_measures_if_the_firmware_lends_none(boot, shim):
    b = boot("", disk=shim("mp-none", f"{QUICK} takeover=borrow"), extra=["-smp", "2"])
    assert b.status == SUCCESS, str(b)
    (warning,) = [e for e in b.events("warning") if "cores are not used" in e["message"]]
    assert "MP services do not lend them: unsupported" in warning["message"], warning
    assert "finish=reboot" in warning["message"], warning


def test_cores_that_the_firmware_may_be_using_are_not_started(boot, shim):
    b = boot("", disk=shim("mp-busy", f"{QUICK} takeover=borrow finish=reboot"), extra=["-smp", "2"])
    assert b.exit == 0 and b.run["cores"]["up"] == 1, str(b)
    (warning,) = [e for e in b.events("warning") if "cores are not used" in e["message"]]
    assert "not ready" in warning["message"] and "INIT" not in warning["message"], warning


@pytest.mark.parametrize("mode", ["mp-none", "mp-missing"])
@pytest.mark.parametrize("finish", ["reboot", "poweroff"])
def test_cores_that_the_firmware_does_not_lend_are_started_before_a_reset(boot, shim, mode, finish):
    """All cores measure, and the firmware still writes the report and ends the machine."""
    disk = shim(mode, f"{QUICK} cores=all takeover=borrow finish={finish}")
    b = boot("", disk=disk, snapshot=False, extra=["-smp", "3"])
    assert b.exit == 0 and b.end["verdict"] == "pass", str(b)
    lent(b, 3)
    assert {row["core"] for row in b.rows if row["status"] == "ok"} == {0, 1, 2}, str(b)
    assert not [e for e in b.events("warning") if "core" in e["message"]], b.events()
    ((records, table),) = printed(b.serial)
    must_be_on(disk, 0, records, table)


@pytest.mark.parametrize("words", ["", "suite=provoke bench=setup cores=1"], ids=["pass", "fault"])
def test_started_cores_stay_in_their_loop_while_the_firmware_ends_the_machine(boot, shim, tmp_path, words):
    """There they take part in SMIs; after an INIT they would not. ResetSystem hangs, so there is time to look."""
    found = []

    def look():
        found.extend(re.findall(r"RIP=(\w+).*HLT=(\d)", monitor(tmp_path / "monitor", "info registers -a")[0]))

    disk = shim("mp-none reset-hangs", f"{words or QUICK} samples=16 takeover=borrow finish=reboot")
    b = boot("", disk=disk, extra=["-smp", "3"], icount=False, keys={b"trying the firmware": look})
    assert b.exit == 0 and b.run["cores"]["up"] == 3, str(b)
    assert b.end["verdict"] == ("fail" if words else "pass"), str(b)
    assert [halted for _, halted in found] == ["0", "1", "1"], found
    places = [int(rip, 16) % 4096 for rip, _ in found[1:]]  # the image begins at a page
    assert places[1] == (symbols()["sleep_hlt_at"] + 1) % 4096, found
    assert words or places[0] == places[1], found


def test_missing_cores_are_named_and_the_others_measure(boot, shim):
    """The missing cores are awaited together: one second before the takeover, and one during it."""
    took = {}
    for mode in ("mp-watch", "mp-less"):
        modes = f"{mode} no-conout"  # no person reads it, so there is no wait
        b = boot("", disk=shim(modes, f"{BORROW} cores=bsp bench=do_nothing"), extra=["-smp", "8"],
                 done=lambda data: b"shim: it returned" in data)  # fmt: skip
        took[mode] = int(re.search(r"shim: seconds: (\d+)", b.text)[1])
    assert b.end["type"] == "end", str(b)
    lent(b, 8, others=4)
    warnings = [e["message"] for e in b.events("warning") if "is not used" in e["message"]]
    assert len(warnings) == 4 and all("MP services" in w for w in warnings), warnings
    assert "core 1 (APIC id 1)" in warnings[0], warnings
    assert took["mp-less"] - took["mp-watch"] <= 4, took
