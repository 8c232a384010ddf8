/*
 * Suite `exits`: what a hypervisor may intercept and no other suite has (docs/exits.md). With
 * suites `privileged` and `devices`, `compare` finds what exits. CPUID and the port without a
 * device are its scale. On bare metal the rows have their cost without exits. All leave the machine
 * as it was. Ports: Intel 316972 (ICH9), NMI_SC (61h) and ELCR1 (4D0h); EDh is the one that Linux
 * writes to for a delay without a device (arch/x86/kernel/io_delay.c).
 */
#include "bench/suites/privileged/privileged.h"

extern const struct unit unit_exits_cpuid, unit_exits_vmcall, unit_exits_vmmcall, unit_exits_xsetbv,
    unit_exits_pause, unit_exits_in_61, unit_exits_in_ed, unit_exits_in_4d0;

#define EXITS(name_, instructions_, what_, ...)                                                    \
    BENCH(exits, name_, .what = what_, .window.form = FORM_STRAIGHT, .ops = PRIVILEGED_OPS,        \
          .on_request = true, .needs.may_be_refused = true,                                        \
          .proof.least_instructions = instructions_, .window.unit = &unit_exits_##name_,           \
          .window.history = &unit_privileged_load, .needs.platform = NEED_RING0, __VA_ARGS__)

/* CPUID and XSETBV exit under every VMX hypervisor: SDM vol. 3C section 26.1.2. */
EXITS(cpuid, 3, "cpuid, leaf 0");

static void xcr0_as_found(struct object *o)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    *privileged_registers(o) = (struct privileged_registers){.r8 = low, .r9 = high};
}

EXITS(xsetbv, 4, "xsetbv of XCR0, the same value", .setup = xcr0_as_found,
      .needs.features = {FEATURE_OSXSAVE});

static const char *lacks_hypervisor(const struct cpu *cpu)
{
    return cpu->hypervisor ? NULL : "needs a hypervisor (CPUID.1.0:ECX[31])";
}

static const char *lacks_vmcall(const struct cpu *cpu)
{
    return cpu_is_amd(cpu) ? "needs VMX, which AMD's CPUs do not have" : lacks_hypervisor(cpu);
}

static const char *lacks_vmmcall(const struct cpu *cpu)
{
    return cpu_is_amd(cpu) ? lacks_hypervisor(cpu) : "needs SVM, which only AMD's CPUs have";
}

EXITS(vmcall, 3, "vmcall of a number that no hypervisor has", .needs.lacks = lacks_vmcall);
EXITS(vmmcall, 3, "vmmcall of a number that no hypervisor has", .needs.lacks = lacks_vmmcall);
EXITS(pause, 1, "pause");
EXITS(in_61, 1, "in from port 61h: the PIT's counter 2 and the causes of an NMI");
EXITS(in_4d0, 2, "in from port 4D0h: edge or level of the PIC's interrupts");
EXITS(in_ed, 1, "in from port EDh, which no device has");
