#include "kernel/cpu/msr.h"
#include "kernel/cpu/registers.h"

/* AMD APM vol. 2 section 7.9.1: in each byte of a fixed range, bits 4:3 route to RAM or bus, bits
 * 2:0 are the type. */
#define FIXED_TYPES 0x0707070707070707ull

/* SDM vol. 3A table 12-9: 64 KiB, 16 KiB and 4 KiB ranges, in the order of addresses. */
static const uint16_t fixed[MTRR_FIXED] = {0x250, 0x258, 0x259, 0x268, 0x269, 0x26a,
                                           0x26b, 0x26c, 0x26d, 0x26e, 0x26f};

static void read_fixed(struct mtrr *m)
{
    for (unsigned i = 0; i < MTRR_FIXED; i++) {
        if (!msr_read(fixed[i], &m->fixed[i]))
            m->fixed_enabled = false;
        m->fixed[i] &= FIXED_TYPES;
    }
}

static void read_tom2(struct mtrr *m)
{
    uint64_t syscfg, tom2;

    if (msr_read(MSR_SYSCFG, &syscfg) && syscfg & SYSCFG_TOM2 && syscfg & SYSCFG_TOM2_WB &&
        msr_read(MSR_TOM2, &tom2))
        m->tom2 = tom2 & TOM2_ADDRESS;
}

bool mtrr_read(struct mtrr *m, const struct cpu *cpu)
{
    uint64_t cap, def;

    *m = (struct mtrr){.phys_bits = cpu->phys_bits};
    if (!cpu->mtrr || !msr_read(MSR_MTRR_CAP, &cap) || !msr_read(MSR_MTRR_DEF_TYPE, &def))
        return false;
    m->enabled = def & MTRR_DEF_ENABLED;
    m->fixed_enabled = cap & MTRR_CAP_FIXED && def & MTRR_DEF_FIXED;
    m->default_type = def & 7;
    m->variables = cap & MTRR_CAP_VARIABLE;
    if (m->variables > MTRR_VARIABLE_MAX)
        m->variables = MTRR_VARIABLE_MAX;
    for (unsigned i = 0; i < m->variables; i++) {
        if (!msr_read(MSR_MTRR_PHYS_BASE(i), &m->variable[i].base) ||
            !msr_read(MSR_MTRR_PHYS_MASK(i), &m->variable[i].mask))
            m->variable[i].mask = 0; /* not valid */
    }
    if (m->fixed_enabled)
        read_fixed(m);
    if (cpu_is_amd(cpu))
        read_tom2(m);
    return true;
}
