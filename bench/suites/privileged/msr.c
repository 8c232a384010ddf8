/*
 * Model-specific registers. Numbers: SDM vol. 4 table 2-2; those of x2APIC: SDM vol. 3A section
 * 11.12.1.2; APM vol. 2 appendix A. WRMSR of the TSC is left out: it would move the clock that
 * measures it, and each write loses the time since the value was read.
 */
#include "bench/suites/privileged/privileged.h"

#define MSR_TSC           0x10
#define MSR_APIC_BASE     0x1b
#define APIC_BASE_ADDRESS 0x000ffffffffff000ull
#define APIC_BASE_X2APIC  (1u << 10) /* EXTD: SDM vol. 3A figure 11-26 */
#define MSR_TSC_ADJUST    0x3b
#define MSR_SPEC_CTRL     0x48
#define SPEC_CTRL_IBRS    (1u << 0)
#define SPEC_CTRL_STIBP   (1u << 1)
#define SPEC_CTRL_SSBD    (1u << 2)
#define MSR_PRED_CMD      0x49
#define PRED_CMD_IBPB     (1u << 0)
#define MSR_XFD           0x1c4
#define XFD_TILES         (1u << 18) /* the component of AMX's tiles: SDM vol. 1 section 13.14 */
#define MSR_TSC_DEADLINE  0x6e0
/* The local APIC's entry for the timer, in memory and as an MSR: SDM vol. 3A section 11.5.1, figure
 * 11-8; section 11.12.1.2. */
#define LVT_TIMER          0x320
#define X2APIC_LVT_TIMER   0x832
#define LVT_MASKED         (1u << 16)
#define LVT_MODE           (3u << 17)
#define LVT_TSC_DEADLINE   (2u << 17)
#define MSR_X2APIC_ID      0x802
#define MSR_X2APIC_TPR     0x808
#define MSR_X2APIC_EOI     0x80b
#define MSR_FS_BASE        0xc0000100
#define MSR_KERNEL_GS_BASE 0xc0000102

extern const struct unit unit_privileged_rdmsr, unit_privileged_wrmsr, unit_privileged_wrmsr_twice,
    unit_privileged_deadline_on, unit_privileged_deadline_off;

/* The value to write, and next to it one with other bits. */
static void write_value(struct object *o, uint64_t v, uint32_t toggled)
{
    *privileged_registers(o) = (struct privileged_registers){
        .r8 = (uint32_t)v, .r9 = v >> 32, .r10 = (uint32_t)v ^ toggled};
}

static void as_found(struct object *o)
{
    write_value(o, privileged_rdmsr((uint32_t)o->arg), 0);
}

static void write_zero(struct object *o)
{
    write_value(o, 0, 0);
}

static void write_ibpb(struct object *o)
{
    write_value(o, PRED_CMD_IBPB, 0);
}

static void toggle_ibrs(struct object *o)
{
    write_value(o, privileged_rdmsr(MSR_SPEC_CTRL), SPEC_CTRL_IBRS);
}

static void toggle_stibp(struct object *o)
{
    write_value(o, privileged_rdmsr(MSR_SPEC_CTRL), SPEC_CTRL_STIBP);
}

static void toggle_ssbd(struct object *o)
{
    write_value(o, privileged_rdmsr(MSR_SPEC_CTRL), SPEC_CTRL_SSBD);
}

static void toggle_tiles(struct object *o)
{
    write_value(o, privileged_rdmsr(MSR_XFD), XFD_TILES);
}

/* The value that the last write leaves. */
static const char *holds_it(const struct object *o, uint64_t operations)
{
    const struct privileged_registers *r = o->room;
    uint64_t written = r->r9 << 32 | (uint32_t)r->r8;

    (void)operations;
    return privileged_rdmsr((uint32_t)o->arg) == written ? NULL : "the MSR has another value";
}

uint64_t privileged_apic(void)
{
    return privileged_rdmsr(MSR_APIC_BASE) & APIC_BASE_ADDRESS;
}

static bool in_x2apic_mode(void)
{
    return privileged_rdmsr(MSR_APIC_BASE) & APIC_BASE_X2APIC;
}

/* registers: their address, or 0 in x2APIC mode. */
static uint32_t lvt_timer(uint64_t registers)
{
    return registers ? *(volatile uint32_t *)(uintptr_t)(registers + LVT_TIMER)
                     : (uint32_t)privileged_rdmsr(X2APIC_LVT_TIMER);
}

/* A deadline that no machine lives to see. The interrupt is masked, too. */
static void arm(struct object *o)
{
    uint64_t registers = in_x2apic_mode() ? 0 : privileged_apic();
    uint32_t found = lvt_timer(registers);

    *privileged_registers(o) = (struct privileged_registers){
        .r8 = UINT32_MAX,
        .r9 = UINT32_MAX,
        .r10 = registers,
        .r11 = found,
        .rdi = (found & ~LVT_MODE) | LVT_MASKED | LVT_TSC_DEADLINE,
    };
}

static const char *disarmed(const struct object *o, uint64_t operations)
{
    const struct privileged_registers *r = o->room;

    (void)operations;
    if (lvt_timer(r->r10) != (uint32_t)r->r11)
        return "the local APIC's entry for the timer has another value";
    return privileged_rdmsr(MSR_TSC_DEADLINE) == 0 ? NULL : "the timer is armed";
}

const char *privileged_lacks_xapic(const struct cpu *cpu)
{
    return cpu->x2apic && in_x2apic_mode()
               ? "needs the local APIC in xAPIC mode; it is in x2APIC mode"
               : NULL;
}

const char *privileged_lacks_x2apic(const struct cpu *cpu)
{
    if (!cpu->x2apic)
        return "needs x2APIC (CPUID.1.0:ECX[21]), which this CPU does not have";
    return in_x2apic_mode()
               ? NULL
               : "needs the local APIC in x2APIC mode; the firmware left it in xAPIC mode";
}

#define READ(name_, msr_, ...)                                                                     \
    PRIVILEGED_ROW(rdmsr_##name_, 2, "rdmsr of " #msr_, .ops = PRIVILEGED_OPS, .arg = msr_,        \
                   .window.unit = &unit_privileged_rdmsr, __VA_ARGS__)

READ(tsc, MSR_TSC);
READ(fs_base, MSR_FS_BASE);
READ(kernel_gs_base, MSR_KERNEL_GS_BASE);
READ(tsc_adjust, MSR_TSC_ADJUST, .needs.features = {FEATURE_TSC_ADJUST});
READ(tsc_deadline, MSR_TSC_DEADLINE, .needs.features = {FEATURE_TSC_DEADLINE});
READ(spec_ctrl, MSR_SPEC_CTRL, .needs.features = {FEATURE_IBRS});
READ(xfd, MSR_XFD, .needs.features = {FEATURE_XFD});
READ(x2apic_id, MSR_X2APIC_ID, .needs.lacks = privileged_lacks_x2apic);
READ(x2apic_tpr, MSR_X2APIC_TPR, .needs.lacks = privileged_lacks_x2apic);

#define WRITE(name_, what_, msr_, setup_, ...)                                                     \
    PRIVILEGED_ROW(wrmsr_##name_, 4, "wrmsr of " what_, .ops = PRIVILEGED_OPS, .arg = msr_,        \
                   .window.unit = &unit_privileged_wrmsr, .window.history = &unit_privileged_load, \
                   .setup = setup_, __VA_ARGS__)

WRITE(fs_base, "FS_BASE, the same value", MSR_FS_BASE, as_found, .check = holds_it,
      .needs.touches = {MSR_FS_BASE});
WRITE(kernel_gs_base, "KERNEL_GS_BASE, the same value", MSR_KERNEL_GS_BASE, as_found,
      .check = holds_it, .needs.touches = {MSR_KERNEL_GS_BASE});
WRITE(tsc_adjust, "TSC_ADJUST, the same value, which leaves the TSC alone", MSR_TSC_ADJUST,
      as_found, .check = holds_it, .needs.touches = {MSR_TSC_ADJUST},
      .needs.features = {FEATURE_TSC_ADJUST});
WRITE(tsc_deadline_off, "TSC_DEADLINE, 0, while the timer has another mode", MSR_TSC_DEADLINE,
      write_zero, .check = holds_it, .needs.touches = {MSR_TSC_DEADLINE},
      .needs.features = {FEATURE_TSC_DEADLINE});
PRIVILEGED_ROW(wrmsr_tsc_deadline, 4, "wrmsr of TSC_DEADLINE: arms the timer, masked",
               .ops = PRIVILEGED_OPS, .arg = MSR_TSC_DEADLINE,
               .window.unit = &unit_privileged_wrmsr,
               .window.history = &unit_privileged_deadline_on,
               .window.after = &unit_privileged_deadline_off, .setup = arm, .check = disarmed,
               .needs.touches = {MSR_TSC_DEADLINE}, .needs.features = {FEATURE_TSC_DEADLINE});
WRITE(spec_ctrl, "SPEC_CTRL, the same value", MSR_SPEC_CTRL, as_found, .check = holds_it,
      .needs.touches = {MSR_SPEC_CTRL}, .needs.features = {FEATURE_IBRS});
WRITE(xfd, "XFD, the same value", MSR_XFD, as_found, .check = holds_it, .needs.touches = {MSR_XFD},
      .needs.features = {FEATURE_XFD});
WRITE(ibpb, "PRED_CMD: IBPB", MSR_PRED_CMD, write_ibpb, .needs.features = {FEATURE_IBPB});
WRITE(x2apic_tpr, "the x2APIC's TPR, the same value", MSR_X2APIC_TPR, as_found, .check = holds_it,
      .needs.touches = {MSR_X2APIC_TPR}, .needs.lacks = privileged_lacks_x2apic);
WRITE(x2apic_eoi, "the x2APIC's EOI, with no interrupt in service", MSR_X2APIC_EOI, write_zero,
      .needs.lacks = privileged_lacks_x2apic);

/* The second write restores the value as found. */
#define ON_AND_OFF(name_, what_, msr_, setup_, feature_)                                           \
    PRIVILEGED_ROW(wrmsr_##name_, 6, "wrmsr of " what_ " on and off, two writes",                  \
                   .ops = PRIVILEGED_OPS, .arg = msr_,                                             \
                   .window.unit = &unit_privileged_wrmsr_twice,                                    \
                   .window.history = &unit_privileged_load, .setup = setup_, .check = holds_it,    \
                   .needs.touches = {msr_}, .needs.features = {feature_})

ON_AND_OFF(ibrs, "SPEC_CTRL: IBRS", MSR_SPEC_CTRL, toggle_ibrs, FEATURE_IBRS);
ON_AND_OFF(stibp, "SPEC_CTRL: STIBP", MSR_SPEC_CTRL, toggle_stibp, FEATURE_STIBP);
ON_AND_OFF(ssbd, "SPEC_CTRL: SSBD", MSR_SPEC_CTRL, toggle_ssbd, FEATURE_SSBD);
ON_AND_OFF(xfd_tiles, "XFD: AMX's tiles", MSR_XFD, toggle_tiles, FEATURE_XFD_TILES);
