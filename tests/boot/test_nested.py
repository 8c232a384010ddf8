"""Suite exits under a real KVM: that of Linux in a QEMU without KVM, whose emulated CPU has AMD's SVM. The exits are
real, and which instructions exit is found from the figures and compared with what Linux' source says."""

import json
import shutil
import subprocess
import sys

from commands import output_of
import machine
import pytest
import small_linux
from build import ROOT
from tools import children

pytestmark = [pytest.mark.others, pytest.mark.long]

WORDS = "suite=exits,devices,privileged,translation samples=128 rounds=2 hist=off format=jsonl bench="
ROWS = ("cpuid,cpuid_0,cpuid_1,in_ed,out_80,pm_timer,hpet,pci_ecam,vmmcall,apic_tpr,wbinvd_clean,rdpmc,rdmsr_tsc,to_cr4,"
        "to_cr0_wp,to_cr8,from_cr0,from_cr3,to_cr0,to_cr3,invlpg,lgdt,swapgs,rdmsr_fs_base,rdtsc,to_dr7,clts,load_gs,hit,walk_4k_4")
assert len(ROWS) < 255  # bytes of bench=
# Linux 6.1, arch/x86/kvm/svm/svm.c: init_vmcb() intercepts CPUID, IN and OUT, VMMCALL, WBINVD, RDPMC, writes of
# CR4 and CR8 and, by SVM_EXIT_CR0_SEL_WRITE, writes of CR0 that change more than TS and MP; RDMSR and WRMSR exit if
# direct_access_msrs[] lacks the MSR. Registers of devices in memory exit by the nested page tables.
EXIT = {"cpuid", "cpuid_0", "cpuid_1", "in_ed", "out_80", "pm_timer", "hpet", "pci_ecam", "vmmcall", "apic_tpr",
        "wbinvd_clean", "rdpmc", "rdmsr_tsc", "to_cr4", "to_cr0_wp", "to_cr8"}
ONLY_UNDER = {"vmmcall", "rdpmc"}  # without a hypervisor with SVM they are #UD, and have no figure
CPU = "EPYC"
# The APIC in user space: TCG of QEMU 7.2 to 10.0 aborts in MOV to CR8 that makes an interrupt of SVM pending (assertion
# in tcg_handle_interrupt), unless KVM intercepts that, which it always does without an APIC in the kernel.
INNER = ("qemu-system-x86_64 -accel kvm -cpu host,kvm-asyncpf=off,kvm-asyncpf-int=off,kvm-pv-eoi=off,kvm-pv-ipi=off,"
         "kvm-steal-time=off -machine q35,kernel-irqchip=off -m 256 -nodefaults -display none -no-reboot "
         "-drive if=pflash,format=raw,readonly=on,file=/code.fd -drive if=pflash,format=raw,file=/vars.fd "
         "-device isa-debug-exit,iobase=0xf4,iosize=0x04 -serial /dev/ttyS1 -kernel /baretick.efi -append")
INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs dev /dev
for module in $($b cat /modules/order); do $b insmod /modules/$module; done
/usr/bin/{inner} "baretick {words}"
echo "linux: status $?"
$b poweroff -f
"""
NEEDS = ("usr/share/qemu/kvmvapic.bin", "usr/share/qemu/linuxboot_dma.bin", "usr/share/seabios/linuxboot_dma.bin",
         "usr/share/seabios/bios-256k.bin")


def root(program):
    """Returns the root of a Linux that runs the program in QEMU under KVM, and Linux' file."""
    image, modules = small_linux.kernel()
    archive = small_linux.with_busybox("proc", "sys", "dev", "tmp")
    archive.file("init", INIT.format(inner=INNER, words=WORDS + ROWS).encode())
    qemu = shutil.which(machine.QEMU)
    code, variables = machine.find_firmware()
    for path, name in ((qemu, "usr/bin/qemu-system-x86_64"), (code, "code.fd"), (variables, "vars.fd"), (program, "baretick.efi")):
        archive.copy(path, name)
    for path in small_linux.libraries(qemu):
        archive.copy(path)
    for name in NEEDS:
        if (path := small_linux.Path("/", name)).exists():
            archive.copy(path.resolve(), f"usr/share/qemu/{path.name}")
    small_linux.modules(archive, modules, ("kvm_amd",))
    return image, archive.bytes()


def under_kvm(program, folder):
    """Boots the program under KVM. Returns its report's path and what Linux printed."""
    image, archive = root(program)
    (folder / "initrd").write_bytes(archive)
    report, said = folder / "under.log", folder / "linux.log"
    command = [machine.QEMU, "-machine", "q35", "-accel", "tcg", "-cpu", f"{CPU},+svm,+npt", "-m", "1024", "-nodefaults",
               "-display", "none", "-no-reboot", "-kernel", str(image), "-initrd", str(folder / "initrd"), "-append",
               "console=ttyS0 panic=-1 mitigations=off quiet", "-serial", f"file:{said}", "-serial", f"file:{report}"]
    with children.start(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as qemu:
        try:
            printed, _ = qemu.communicate(timeout=2 * machine.TIMEOUT)
        finally:
            qemu.kill()
    return report, printed + said.read_text(errors="replace")


def outside(folder):
    """Boots the program on the same emulated CPU without KVM. Returns its report's path."""
    output_of(ROOT / "scripts/run", "--accel", "tcg", "--icount", "0", "--cpu", CPU, "--out", folder / "run",
              *f"{WORDS}{ROWS}".split())
    return folder / "run" / "report.jsonl"


def verdicts(old, new):
    """Returns {name: what compare says of its exits} of the rows that have a figure in both."""
    ran = output_of(sys.executable, ROOT / "scripts/baretick", "compare", old, new, "--across",
                    "hypervisor,microcode,firmware", "--format", "json")
    return {line["name"]: line["exit"] for line in json.loads(ran) if "exit" in line}


def test_the_instructions_that_exit_to_kvm_are_those_of_its_source(program, tmp_path):
    under, said = under_kvm(program, tmp_path)
    assert f"linux: status {2 * machine.SUCCESS + 1}" in said, said[-2000:]
    found = verdicts(outside(tmp_path), under)
    exits, stays = ({name for name, verdict in found.items() if verdict == wanted} for wanted in ("exits", "stays"))
    assert exits == EXIT - ONLY_UNDER and stays == set(ROWS.split(",")) - EXIT, found
