/*
 * Suite `devices`: reads and writes of the machine's devices, by ports and in memory
 * (docs/privileged.md). Registers: PM timer, ACPI 6.5 section 4.8.3.3; HPET, IA-PC HPET
 * specification 1.0a section 2.3; 8254 and 8259A data sheets; local APIC, SDM vol. 3A table 11-1;
 * PCI Local Bus Specification 3.0 section 3.2.2.3.2, PCI Express Base Specification 3.0 section
 * 7.2.2. Port 80h shows the progress of the firmware's tests, and has no other effect.
 */
#include "bench/suites/privileged/privileged.h"

#define APIC_TPR      0x80
#define PCI_ADDRESS   0xcf8
#define PCI_ENABLE    (1u << 31)
#define PCI_ADDRESSED (PCI_ENABLE | 0) /* vendor and device of 0:0.0 */

extern const struct unit unit_devices_out_80, unit_devices_in_80, unit_devices_pic,
    unit_devices_pit, unit_devices_pm_timer, unit_devices_hpet, unit_devices_apic_id,
    unit_devices_apic_timer, unit_devices_apic_tpr, unit_devices_apic_eoi, unit_devices_pci_ports,
    unit_devices_pci_address, unit_devices_pci_ecam;

static uint32_t read_port(uint16_t port)
{
    uint32_t v;

    __asm__ volatile("inl %1, %0" : "=a"(v) : "d"(port));
    return v;
}

static void write_port(uint16_t port, uint32_t v)
{
    __asm__ volatile("outl %0, %1" : : "a"(v), "d"(port));
}

static void at_device(struct object *o)
{
    privileged_registers(o)->r8 = o->arg;
}

static void at_apic(struct object *o)
{
    uint64_t registers = privileged_apic();

    privileged_registers(o)->r8 = registers;
    privileged_registers(o)->r9 = *(volatile uint32_t *)(uintptr_t)(registers + APIC_TPR);
}

static void at_pci(struct object *o)
{
    privileged_registers(o)->r9 = PCI_ADDRESSED;
    privileged_registers(o)->r10 = read_port(PCI_ADDRESS);
}

/* The address register reads back what was written; without PCI it does not exist. */
static const char *lacks_pci(const struct cpu *cpu)
{
    uint32_t found = read_port(PCI_ADDRESS);

    (void)cpu;
    write_port(PCI_ADDRESS, PCI_ADDRESSED);
    bool there = read_port(PCI_ADDRESS) == PCI_ADDRESSED;
    write_port(PCI_ADDRESS, found);
    return there ? NULL : "needs PCI configuration by ports, which do not answer";
}

#define DEVICE(name_, instructions_, what_, setup_, ...)                                           \
    BENCH(devices, name_, .what = what_, .window.form = FORM_STRAIGHT, .ops = PRIVILEGED_OPS,      \
          .on_request = true, .needs.platform = NEED_RING0,                                        \
          .proof.least_instructions = instructions_, .window.unit = &unit_devices_##name_,         \
          .window.history = &unit_privileged_load, .setup = setup_, __VA_ARGS__)
#define APIC(name_, what_, ...)                                                                    \
    DEVICE(name_, 1, what_, at_apic, .needs.lacks = privileged_lacks_xapic, __VA_ARGS__)

DEVICE(out_80, 1, "out to port 80h", NULL);
DEVICE(in_80, 1, "in from port 80h", NULL);
DEVICE(pic, 1, "in from port 21h: the PIC's mask", NULL);
DEVICE(pit, 4, "the PIT's count: xor, an out that latches it, two ins", NULL);
DEVICE(pm_timer, 2, "in from the ACPI PM timer", at_device, .needs.device = PLATFORM_PM_TIMER);
DEVICE(hpet, 1, "a read of the HPET's counter, 32 bits", at_device, .needs.device = PLATFORM_HPET);
APIC(apic_id, "a read of the local APIC's id");
APIC(apic_timer, "a read of the local APIC's current count");
/* Where user space completes a store, KVM does not report the trap of a single step after it
 * (Linux, arch/x86/kvm/x86.c, x86_emulate_instruction). The store then seems not to have run. */
APIC(apic_tpr, "a write of the local APIC's TPR, the same value", .proof.may_be_elided = true);
APIC(apic_eoi, "a write of the local APIC's EOI, with no interrupt in service",
     .proof.may_be_elided = true);
DEVICE(pci_ports, 5, "PCI configuration by ports: an out of the address, an in of the data", at_pci,
       .window.after = &unit_devices_pci_address, .needs.lacks = lacks_pci);
DEVICE(pci_ecam, 1, "PCI configuration in memory (ECAM)", at_device, .needs.device = PLATFORM_ECAM);
