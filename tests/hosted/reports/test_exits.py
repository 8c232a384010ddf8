"""What exits to a hypervisor, by the figures of two reports: `baretick compare` with rows of suite exits."""
import json

import pytest
from made_reports import baretick, head, report, row, whole, END

KVM = {"virtualised": True, "hypervisor": "KVMKVMKVM"}
# Core cycles (4 per ns) without a hypervisor, and with one whose exit takes 4000 and one of user space 24000.
WITHOUT = {"exits/cpuid": 400, "exits/in_ed": 4000, "devices/pit": 12000, "devices/pci_ports": 8000, "exits/xsetbv": 200,
           "privileged/to_cr3": 500, "privileged/wbinvd_dirty": 9000, "privileged/to_cr0_wp": 600, "made/add": 1,
           "privileged/to_cr3_other": 1000, "wakeup/self": 2000}
EXIT = {"exits/cpuid": 4000, "exits/in_ed": 24000, "devices/pit": 3 * 24000, "devices/pci_ports": 2 * 4400, "exits/xsetbv": 5200,
        "privileged/to_cr3_other": 2 * 5000, "wakeup/self": 3 * 4000}


def rows(figures):
    return [row(name.split("/")[1], cycles, half=cycles / 100, suite=name.split("/")[0]) for name, cycles in figures.items()]


def written(path, figures, **changes):
    path.write_bytes(report([head(**changes), *rows(figures), END]))
    return path


@pytest.fixture
def pair(tmp_path):
    under = {name: cycles + EXIT.get(name, 0) for name, cycles in WITHOUT.items()}
    return written(tmp_path / "bare.jsonl", WITHOUT), written(tmp_path / "kvm.jsonl", under, **KVM)


def judged(*words):
    ran = baretick("compare", *words, "--across", "hypervisor", "--format", "json")
    assert ran.returncode == 0, ran.stderr
    return {line["row"]: line for line in json.loads(ran.stdout)}


def test_operations_that_cost_an_exit_more_exit(pair):
    found = judged(*pair)
    assert {name for name, line in found.items() if line["exit"] == "exits"} == set(EXIT)
    assert found["privileged/to_cr3"]["exit"] == "stays" and found["made/add"]["exit"] == "stays"
    assert found["exits/cpuid"]["exit_ns"] == pytest.approx(1000)


def test_an_operation_that_takes_as_long_without_a_hypervisor_is_not_decided(pair):
    line = judged(*pair)["privileged/wbinvd_dirty"]
    assert line["exit"] == "not decided" and "exit_by" not in line


def test_an_exit_as_long_as_that_of_a_missing_port_is_handled_in_user_space(pair):
    """Accesses are counted: three of the PIT, two of PCI's ports and of the row with two page tables. How many an
    interrupt has is not known."""
    by = {name: line.get("exit_by") for name, line in judged(*pair).items() if line["exit"] == "exits"}
    assert by == {"exits/cpuid": "kernel", "exits/in_ed": "user space", "devices/pit": "user space",
                  "devices/pci_ports": "kernel", "exits/xsetbv": "kernel", "privileged/to_cr3_other": "kernel",
                  "wakeup/self": None}


def test_the_order_of_the_reports_does_not_matter(pair):
    forth, back = judged(*pair), judged(*reversed(pair))
    assert {n: (line["exit"], line.get("exit_by")) for n, line in forth.items()} == \
           {n: (line["exit"], line.get("exit_by")) for n, line in back.items()}


def test_the_table_names_the_hypervisor_and_what_does_not_exit(pair):
    said = baretick("compare", *pair, "--across", "hypervisor").stdout
    assert "Exits to KVMKVMKVM (new)" in said and "7 rows exit, 1 are not decided, 3 do not exit" in said
    table, stays = said.split("Exits to")[1].split("7 rows exit")
    assert "exits/cpuid" in table and "wbinvd_dirty" in table and "privileged/to_cr3" in stays and "made/add" in stays


def test_nothing_exits_without_a_hypervisor(tmp_path):
    old, new = (written(tmp_path / f"{name}.jsonl", WITHOUT) for name in ("monday", "tuesday"))
    assert "Nothing exits" in baretick("compare", old, new).stdout
    assert all("exit" not in line for line in judged(old, new).values())


def test_one_report_shows_what_it_says_of_exits(tmp_path):
    said = "nothing exits: this machine has no hypervisor"
    path, page = tmp_path / "bare.jsonl", tmp_path / "page.html"
    path.write_bytes(whole(*rows(WITHOUT), others=[{"type": "event", "kind": "exits", "message": said}]))
    assert f"exits: {said}" in baretick("show", path).stdout
    assert baretick("report", path, "-o", page).returncode == 0
    assert said in page.read_text(encoding="utf-8").split("Exits to a hypervisor")[-1]


def test_a_hypervisor_that_does_not_intercept_cpuid_gives_no_scale(tmp_path):
    bare, under = written(tmp_path / "bare.jsonl", WITHOUT), written(tmp_path / "kvm.jsonl", WITHOUT, **KVM)
    assert "not known" in baretick("compare", bare, under, "--across", "hypervisor").stdout


def test_an_uncertain_figure_is_not_decided(tmp_path, pair):
    vague = tmp_path / "vague.jsonl"
    vague.write_bytes(report([head(**KVM), *rows({"exits/cpuid": 4400, "exits/in_ed": 28000}),
                              row("to_cr3", 3000, half=2500, suite="privileged"), END]))
    assert judged(pair[0], vague)["privileged/to_cr3"]["exit"] == "not decided"


def test_reports_without_suite_exits_have_no_such_part(tmp_path):
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    for path in (old, new):
        path.write_bytes(whole(row("a", 3)))
    ran = baretick("compare", old, new)
    assert ran.returncode == 0 and "exit" not in ran.stdout.lower()
    assert "exit" not in json.loads(baretick("compare", old, new, "--format", "json").stdout)[0]


def test_a_serial_line_of_records_alone_is_read_as_a_log(tmp_path, pair):
    """With format=jsonl the serial line has one other line, which the firmware's loader prints."""
    log = tmp_path / "serial.log"
    log.write_bytes(b"\x1b[2J\x1b[01;01Hbaretick: leaving firmware\r\n" + pair[1].read_bytes())
    assert judged(pair[0], log)["exits/cpuid"]["exit"] == "exits"


def test_the_shortest_window_counts_where_figures_have_no_interval(tmp_path):
    """As under an emulator on a busy machine: figures are missing or below zero, and most windows are too long."""
    def noisy(name, ticks):
        found = row(name.split("/")[1], 1, suite=name.split("/")[0])
        return {**found, "ops": 10, "per_op": {"ticks": -5.0}, "ticks": {**found["ticks"], "min": 10 * ticks}}

    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_bytes(report([head(), *(noisy(name, 20) for name in ("exits/cpuid", "made/add")), END]))
    new.write_bytes(report([head(**KVM), noisy("exits/cpuid", 2000), noisy("made/add", 20), END]))
    found = judged(old, new)
    assert found["exits/cpuid"]["exit"] == "exits" and found["made/add"]["exit"] == "stays"
    assert found["exits/cpuid"]["exit_ns"] == pytest.approx(990)  # at 2 GHz
