"""Recorded machines that boot: writes \\machine.bin for the impersonator (README.md), boots it, reads its log."""

import json
import re
import struct
from pathlib import Path

import build
import machine
import media
from commands import output_of

CARRIED = build.ROOT / "tests/replay/cpuid"
EXIT, BORROW = "takeover=exit finish=poweroff", "takeover=borrow finish=return"
DEFAULT_MHZ = 2000  # where a recording says nothing of its TSC
CORES, CHANGES = 8, 8
MAGIC = 0x31504D49544142
FAULTS, READ_ONLY, KEEPS, WRITE_ONLY = 1, 2, 4, 8  # enum in impersonator/imp.h
AMD = ("AuthenticAMD", "HygonGenuine")
ENDS = {"port", "returned"}  # the first word of a log's last line

# MSRs of which a write faults: SDM vol. 4 table 2-2 and 2-20, APM vol. 2 17.1 and 17.6.
# Those of the APIC are QEMU's. It is not in x2APIC mode, in which an operating system has put it before most recordings.
APIC = {0x1B} | set(range(0x800, 0x900))
CONSTANT = {0x17, 0xCE, 0x10A, 0x198, 0x771, 0xC0010061, 0xC0010063, 0xC00102B0} | set(range(0x480, 0x493))


class Recording:
    """A file of tests/replay/cpuid: leaves {(cpu, leaf, subleaf): registers}, msrs {address: value, or None: it faults},
    says {word: text} of its comments."""

    def __init__(self, path):
        self.path, self.leaves, self.msrs = Path(path), {}, {}
        text = self.path.read_text()
        self.says = dict(re.findall(r"^# (\w+): (.*)$", text, re.MULTILINE))
        for words in map(str.split, text.splitlines()):
            if words[:1] == ["cpuid"]:
                cpu, (leaf, subleaf, *registers) = int(words[1]), (int(w, 16) for w in words[2:])
                while not subleaf and (cpu, leaf, subleaf) in self.leaves:  # recorded without their numbers
                    subleaf = max(s for c, n, s in self.leaves if (c, n) == (cpu, leaf)) + 1
                self.leaves.setdefault((cpu, leaf, subleaf), tuple(registers))
            elif words[:1] == ["msr"]:
                self.msrs.setdefault(int(words[1], 16), None if words[2] == "fault" else int(words[2], 16))
        self.cpus = sorted({cpu for cpu, _, _ in self.leaves})
        self.vendor = struct.pack("<3I", *(self.leaves[0, 0, 0][i] for i in (1, 3, 2))).decode()

    def registers(self, leaf, subleaf=0, cpu=0):
        found = self.leaves.get((cpu, leaf, subleaf)) or self.leaves.get((0, leaf, subleaf)) or (0,) * 4
        most = self.leaves.get((0, leaf & 0xF0000000, 0), (0,))[0]
        return found if leaf <= most else (0,) * 4

    def family(self):
        eax = self.registers(1)[0]
        return (eax >> 8 & 15) + (eax >> 20 & 255 if eax >> 8 & 15 == 15 else 0)

    def apic_id(self, cpu):
        return self.registers(0xB, 0, cpu)[3] if self.registers(0xB, 0, cpu)[1] else self.registers(1, 0, cpu)[1] >> 24


class Shown(Recording):
    """What the guest sees of a recording: some of its CPUs, and the MSRs that no recorder reads but CPUID promises.

    cpus     the recorded CPU of each core       change   {(cpu, leaf, subleaf): registers} or {address: value}
    """

    def __init__(self, path, cpus=(0,), ids=None, change=None):
        super().__init__(path)
        whole, self.cores = self.leaves, list(cpus)
        ids = ids or [0, *(self.apic_id(cpu) - self.apic_id(cpus[0]) for cpu in cpus[1:])]
        self.ids, self.leaves = ids, {}
        for core, (cpu, apic) in enumerate(zip(cpus, ids)):
            for _, leaf, subleaf in filter(lambda key: key[0] in (0, cpu), whole):
                r = list(whole.get((cpu, leaf, subleaf)) or whole[0, leaf, subleaf])
                if leaf == 1:
                    r[1] = r[1] & 0xFFFFFF | apic << 24
                if leaf in (0xB, 0x1F, 0x80000026):
                    r[3] = apic
                if leaf == 0x8000001E:
                    r[0] = apic
                self.leaves[core, leaf, subleaf] = tuple(r)
        self.cpus = list(range(len(cpus)))
        self.msrs = {**self.promised(), **{a: v for a, v in self.msrs.items() if a not in APIC}}
        for key, value in (change or {}).items():
            (self.leaves if isinstance(key, tuple) else self.msrs)[key] = value

    def promised(self):
        """Returns {address: value at reset} of MSRs that CPUID or the model promises, whether or not they were recorded."""
        ebx7, edx7 = self.registers(7)[1], self.registers(7)[3]
        ecx1, power, ebx8 = self.registers(1)[2], self.registers(6)[0], self.registers(0x80000008)[1]
        amd, family = self.vendor in AMD, self.family()
        there = {
            0x3B: ebx7 >> 1 & 1,
            0x48: edx7 >> 26 & 1 or amd and ebx8 >> 14 & 1,
            0x49: edx7 >> 26 & 1 or amd and ebx8 >> 12 & 1,
            0x10A: edx7 >> 29 & 1,
            0x10B: edx7 >> 28 & 1,
            0x8B: family >= 6,
            0x1A0: not amd and family >= 6,
            0x345: ecx1 >> 15 & 1,
            **{address: power >> bit & 1 for address, bit in ((0x770, 7), (0x771, 7), (0x772, 11), (0x773, 8), (0x774, 7))},
            0x34: self.vendor == "GenuineIntel" and self.leaves[0, 0, 0][0] >= 0xB,  # both since Nehalem and Silvermont
            0xC0010010: amd,
            0xC0010015: amd,
            0xC001001A: amd,
            0xC001001D: amd,
            0xC0011029: amd and family >= 16 and family != 17,  # DE_CFG
            **{0xC00102B0 + i: amd and ebx8 >> 27 & 1 for i in range(4)},
            0xC0000108: amd and self.registers(0x80000021)[0] >> 13 & 1,
        }
        return {address: 0x850089 if address == 0x1A0 else 0 for address, is_there in there.items() if is_there}

    def has_msr(self, address):
        """Tests whether the machine has this MSR: recorded, promised, or of a unit that CPUID reports."""
        edx, edx8 = self.registers(1)[3], self.registers(0x80000001)[3]
        units = {
            (0x10, 0x11): edx >> 4, (0x1B, 0x1C): edx >> 9, (0x174, 0x177): edx >> 11, (0x179, 0x17C): edx >> 14,
            (0x200, 0x270): edx >> 12, (0x277, 0x278): edx >> 16, (0x2FF, 0x300): edx >> 12, (0x400, 0x428): edx >> 14,
            (0x800, 0x900): self.registers(1)[2] >> 21, (0x1D9, 0x1DA): 1, (0xC0000080, 0xC0000085): edx8 >> 29,
            (0xC0000100, 0xC0000103): edx8 >> 29, (0xC0000103, 0xC0000104): edx8 >> 27,
        }  # fmt: skip
        there = any(first <= address < last and bit & 1 for (first, last), bit in units.items())
        return there or self.msrs.get(address) is not None or self.has_counter_msr(address)

    def has_counter_msr(self, address):
        eax, _, _, edx = self.registers(0xA)
        if self.vendor in AMD:
            extended, version2 = self.registers(0x80000001)[2] >> 23 & 1, self.registers(0x80000022)[0] & 1
            return (0xC0010000 <= address < 0xC0010008 or extended and 0xC0010200 <= address < 0xC001020C
                    or version2 and 0xC0000300 <= address < 0xC0000303)  # fmt: skip
        version, counters, fixed = eax & 255, eax >> 8 & 255, edx & 31 or 3
        return (0xC1 <= address < 0xC1 + counters or 0x186 <= address < 0x186 + counters
                or version > 1 and (0x309 <= address < 0x309 + fixed or 0x38D <= address <= 0x390))  # fmt: skip

    def text(self):
        """Returns it as a recording, for the replay."""
        lines = [f"# {word}: {text}" for word, text in self.says.items() if word == "measured_tsc_mhz"]
        lines += [f"cpuid {cpu} {leaf:08x} {subleaf:08x} " + " ".join(f"{r:08x}" for r in regs)
                  for (cpu, leaf, subleaf), regs in sorted(self.leaves.items())]  # fmt: skip
        lines += [f"msr {address:08x} " + ("fault" if value is None else f"{value:016x}")
                  for address, value in sorted(self.msrs.items())]  # fmt: skip
        return "\n".join(lines) + "\n"

    def machine(self, tsc_hz, shift, model=False, flags=None, cycles=(1, 1), aperf=(1, 1), smi=(0, 1, 0), slow=(0, 0, 0, 1, 1),
                x2apic=False, tsc_offset=(), changes=()):
        """Returns machine.bin: struct machine of impersonator/imp.h.

        flags       {address: KEEPS, ...} of MSRs         smi       us: the first, from one to the next, the length
        cycles      ratio of core cycles: (1, 1)           changes   (us, address, value[, core]): the MSR's value from then on
        aperf       the same of APERF                     tsc_offset of each core's TSC, in ticks
        slow        as smi, and the ratio to the core's usual clock: (0, 5000, 2000, 1, 2)
        """
        def flag(address):
            always = FAULTS if self.msrs[address] is None else READ_ONLY if address in CONSTANT else 0
            return always | (WRITE_ONLY if address in (0x49, 0x10B) else 0) | (flags or {}).get(address, 0)

        numbers = [MAGIC, len(self.leaves), len(self.msrs), len(self.cores), round(tsc_hz / 1000), shift, int(model), *cycles, *aperf, *smi, *slow, int(x2apic)]
        numbers += [*self.ids, *[0] * (CORES - len(self.ids)), *tsc_offset, *[0] * (CORES - len(tsc_offset))]
        numbers += [n for us, address, value, *core in changes for n in (us, address, value, *(core or [-1]))]
        numbers += [0] * (4 * (CHANGES - len(changes)))
        mask = (1 << 64) - 1
        return b"".join((
            struct.pack(f"<{len(numbers)}Q", *(n & mask for n in numbers)),
            *(struct.pack("<7I", *key, *regs) for key, regs in sorted(self.leaves.items())),
            *(struct.pack("<IIQ", address, flag(address), self.msrs[address] or 0) for address in sorted(self.msrs)),
        ))  # fmt: skip


class Log:
    """The impersonator's log: msr {address: {"reads", "writes", "faults", "refused", "before", "after"}}, cores [{...}],
    overlaps: WBINVDs that began while another core executed one."""

    def __init__(self, text, b):
        first = text.partition("\nimpersonator\n")[2].partition("\nimpersonator\n")[0]
        lines = [line.split() for line in first.splitlines()]
        assert lines and lines[-1][0] in ENDS, f"no end of the run seen:\n{text[-2000:]}\n{b}"
        named = [{word: int(value, 16) for word, value in zip(words[::2], words[1::2])} for words in lines]
        self.cores = [line for line in named if "core" in line]
        for core in self.cores:  # EAX of MWAIT
            core["hints"] = {bit // 8 << 4 | bit % 8 for bit in range(64) if core["hints"] >> bit & 1}
        self.msr = {line["msr"]: line for line in named if "msr" in line}
        self.overlaps, = (line["overlaps"] for line in named if "overlaps" in line)


def replay(shown, folder):
    """Returns what lib/ decodes of this machine."""
    path = folder / "shown.txt"
    path.write_text(shown.text())
    return json.loads(output_of(build.ROOT / "build/hosted/replay", "cpuid", path))


def rate(shown, said):
    """Returns the TSC's frequency: measured by the recorder; else as leaf 15h or the MSRs state it; else as the recorder
    names the clock."""
    named = re.search(r"(\d+) MHz", shown.says.get("clock", ""))
    return (float(shown.says["measured_tsc_mhz"]) * 1e6 if "measured_tsc_mhz" in shown.says
            else said.get("tsc_hz") or 1e6 * float(named[1] if named else DEFAULT_MHZ))  # fmt: skip


def processors(ids):
    """Returns QEMU's arguments for cores with these APIC ids, of which the first is 0."""
    if len(ids) == 1:
        return []
    threads = 2 if any(i % 2 for i in ids) else 1
    cores = 1 << (max(ids) // threads).bit_length()
    devices = [f"max-x86_64-cpu,socket-id=0,core-id={i // threads},thread-id={i % threads}" for i in ids[1:]]
    smp = f"1,sockets=1,cores={cores},threads={threads},maxcpus={cores * threads}"
    return ["-smp", smp, *(word for device in devices for word in ("-device", device))]


def boot(folder, program, shown, words, shift=7, **planted):
    """Boots the program on this machine, on which an instruction takes 2**shift ns; planted: see Shown.machine. Returns the boot, with the impersonator's log as .log,
    what the replay decodes of the recording as .recorded, and the TSC's frequency as .hz."""
    log, said = folder / "impersonator.log", replay(shown, folder)
    hz = planted.pop("tsc_hz", rate(shown, said))
    disk = media.gpt_disk(folder / "stick.img", {
        "EFI/BOOT/BOOTX64.EFI": build.impersonator(),
        "baretick.efi": program,
        "machine.bin": shown.machine(hz, shift, **planted),
        "baretick.conf": words.encode() + b"\n",
    })  # fmt: skip
    devices = ["-serial", f"file:{log}", "-global", "hpet.msi=on", *processors(shown.ids)]
    how = {} if shift == 7 else {"icount": False, "whole": True}
    if how:
        devices += ["-icount", f"shift={shift},sleep=off"]
    b = machine.qemu(folder, disk=disk, extra=devices, keys={b"Press a key": b" "}, **how)
    b.log, b.recorded, b.hz = Log(log.read_text(errors="replace"), b), said, hz
    return b
