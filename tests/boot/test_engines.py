"""The environment for labgrid and the job for LAVA (docs/ci.md) in Debian's engines, each with a machine in QEMU."""

import importlib.util
import json
import os
import re
import select
import shutil
import subprocess
import sys
import xml.etree.ElementTree

from commands import output_of, run_command
import build
import pytest
from tools import children
from tools.qemu import QEMU

pytestmark = pytest.mark.others

CI = build.ROOT / "docs" / "ci"
CONF = "suite=baseline\nsamples=32\nformat=lines\nfinish=poweroff\n"
# A row that is not there, and a wrong word before format=lines: the run ends with an error, in an end record.
WRONG = "suite=baseline\nbench=nosuchrow\nformat=lines\nfinish=poweroff\n"
WRONG_WORD = f"sample=32\n{CONF}"
SECONDS = 240


@pytest.fixture
def stick(program, tmp_path):
    """stick(text): a disk with this baretick.conf, made as docs/ci.md says."""

    def make(text):
        conf, disk = tmp_path / "baretick.conf", tmp_path / "baretick.img"
        conf.write_text(text)
        output_of(build.ROOT / "scripts" / "image", program, conf, disk)
        return disk

    return make


# The command is process 1 of a PID namespace: what it has started, or left in the background, ends with it.
NAMESPACE = ["unshare", *(["--map-root-user"] if os.geteuid() else []), "--pid", "--fork", "--kill-child", "--mount-proc"]


@pytest.fixture(autouse=True, scope="session")
def namespace():
    tried = run_command(*NAMESPACE, "true")
    if tried.returncode:
        pytest.skip(f"no PID namespace: {tried.stderr}")


def started(command, **how):
    """Starts a command that starts QEMU. Both end with it and with this process, however these end: SIGKILL too."""
    return children.start([*NAMESPACE, *command], stdin=subprocess.DEVNULL, start_new_session=True, **how)


def test_what_a_killed_command_has_started_ends_with_it():
    process = started(["sh", "-c", "sleep 600 & echo started; wait"], stdout=subprocess.PIPE)
    assert os.read(process.stdout.fileno(), 16) == b"started\n"
    process.kill()
    process.wait()
    assert select.select([process.stdout], [], [], SECONDS)[0], "a process has its output open"
    assert os.read(process.stdout.fileno(), 16) == b""
    process.stdout.close()


def run(command, folder, **environment):
    """Runs such a command. Returns its status and its output."""
    out = folder / "output"
    with open(out, "wb") as log:
        process = started(command, cwd=folder, env={**os.environ, **environment}, stdout=log, stderr=log)
        try:
            status = process.wait(SECONDS)
        finally:
            process.kill()
            process.wait()
    return status, out.read_text(errors="replace")


@pytest.mark.skipif(importlib.util.find_spec("labgrid") is None, reason="labgrid is not installed: Debian's python3-labgrid has it")
@pytest.mark.parametrize("conf", [CONF, WRONG], ids=["good", "wrong_row"])
def test_labgrid_runs_its_strategy_and_reports_each_row(stick, tmp_path, conf):
    junit = tmp_path / "junit.xml"
    status, said = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--lg-env", CI / "labgrid-qemu.yaml",
                        CI / "labgrid_test.py", "--junit-xml", junit], tmp_path, LG_DISK=str(stick(conf)))  # fmt: skip
    rows = {p.get("name"): p.get("value") for p in xml.etree.ElementTree.parse(junit).iterfind(".//testcase//property")}
    if conf == WRONG:
        assert status == 1 and rows == {"run/verdict@0": "1 failures"}, said
        return
    assert status == 0, said
    assert re.fullmatch(r"[\d.]+ [a-z]+", rows["baseline/empty_plain@0"]) and rows["run/verdict@0"] == "0 failures", rows


# A machine of a rack, as LAVA sees it: commands for its serial line and for its power.
CONSOLE = """
import os, socket, sys, time
line, end = socket.socket(socket.AF_UNIX), time.monotonic() + 60
while line.connect_ex(sys.argv[1]):
    if time.monotonic() > end:
        sys.exit("no serial line within 60 s")
    time.sleep(0.1)
while data := line.recv(4096):
    os.write(1, data)
"""
RESET = """
exec {qemu} -daemonize -pidfile {folder}/pid -machine q35 -cpu max -m 512M -display none -net none -no-shutdown \
    -bios {firmware} -drive format=raw,file={disk} -serial unix:{folder}/serial,server=on,wait=on >/dev/null 2>&1
"""
FIRMWARE = "/usr/share/ovmf/OVMF.fd"


def why_no_lava():
    if not shutil.which("lava-run"):
        return "lava-run is not installed: Debian's lava-dispatcher has it"
    if os.geteuid() != 0:
        return "lava-run needs root"
    return None if importlib.util.find_spec("jinja2") else "Jinja2 is not installed: python3-jinja2 has it"


@pytest.fixture
def lava(tmp_path):
    """lava(disk): runs the job on a machine of the device type that starts this disk. Returns status and results."""
    import jinja2  # noqa: PLC0415

    def start(disk):
        for name, text in (("console.py", CONSOLE), ("reset", RESET)):
            (tmp_path / name).write_text(text if name != "reset" else text.format(
                qemu=shutil.which(QEMU), folder=tmp_path, firmware=FIRMWARE, disk=disk))
        template = jinja2.Environment(loader=jinja2.FileSystemLoader(CI)).get_template("baretick.jinja2")
        (tmp_path / "device.yaml").write_text(template.render(
            connection_command=f"{sys.executable} {tmp_path}/console.py {tmp_path}/serial",
            hard_reset_command=f"sh {tmp_path}/reset",
            power_off_command=f"pkill --signal KILL --pidfile {tmp_path}/pid"))
        status, said = run(["lava-run", "--job-id", "1", "--output-dir", tmp_path / "job", "--device", tmp_path / "device.yaml",
                            CI / "lava.yaml"], tmp_path)  # fmt: skip
        log = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        return status, [entry["msg"] for entry in log if entry["lvl"] == "results"], said

    return start


@pytest.mark.skipif(why_no_lava() is not None, reason=str(why_no_lava()))
@pytest.mark.parametrize("conf", [CONF, f"{CONF}takeover=borrow\n", WRONG_WORD], ids=["left", "borrowed", "wrong_word"])
def test_lava_runs_the_job_on_the_device_type_and_takes_each_row(stick, lava, conf):
    status, results, said = lava(stick(conf))
    rows = {r["extra"]["test_case_id"]: r for r in results if r["definition"] == "baretick"}
    assert status == 0, said
    if conf == WRONG_WORD:
        assert [(name, r["result"]) for name, r in rows.items()] == [("run/verdict@0", "fail")], said
        return
    assert rows["run/verdict@0"]["result"] == "pass" and rows["run/verdict@0"]["measurement"] == "0", rows
    assert float(rows["baseline/empty_plain@0"]["measurement"]) >= 0, rows
