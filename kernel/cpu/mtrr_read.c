#include "kernel/cpu/mtrr_read.h"
#include "kernel/cpu/msr.h"

/* Intel SDM vol. 3A section 12.11.1 and 12.11.2. */
#define MSR_MTRR_CAP      0xfe
#define MSR_MTRR_DEF_TYPE 0x2ff
#define MSR_PHYS_BASE(i)  (0x200u + 2 * (i))
#define MSR_PHYS_MASK(i)  (0x201u + 2 * (i))
#define CAP_VARIABLE      0xffu
#define CAP_FIXED         (1u << 8)
#define DEF_ENABLED       (1u << 11)
#define DEF_FIXED_ENABLED (1u << 10)

/* AMD APM vol. 2 section 7.7.2: TOM2, and that memory below it is write-back without a range. */
#define MSR_SYSCFG     0xc0010010
#define MSR_TOM2       0xc001001d
#define SYSCFG_TOM2    (1u << 21)
#define SYSCFG_TOM2_WB (1u << 22)
/* The same, section 7.9.1: in each byte of a fixed range bits 4:3 route to RAM or bus, bits 2:0
 * are the type. */
#define FIXED_TYPES 0x0707070707070707ull

static const uint16_t fixed[11] = {0x250, 0x258, 0x259, 0x268, 0x269, 0x26a,
                                   0x26b, 0x26c, 0x26d, 0x26e, 0x26f};

static void read_fixed(struct mtrr *m)
{
    for (unsigned i = 0; i < 11; i++) {
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
        m->tom2 = tom2 & ~((1ull << 23) - 1); /* bits 22:0 are reserved */
}

bool mtrr_read(struct mtrr *m, const struct cpu *cpu)
{
    uint64_t cap, def;

    *m = (struct mtrr){.phys_bits = cpu->phys_bits};
    if (!cpu->mtrr || !msr_read(MSR_MTRR_CAP, &cap) || !msr_read(MSR_MTRR_DEF_TYPE, &def))
        return false;
    m->enabled = def & DEF_ENABLED;
    m->fixed_enabled = cap & CAP_FIXED && def & DEF_FIXED_ENABLED;
    m->default_type = def & 7;
    m->variables = cap & CAP_VARIABLE;
    if (m->variables > MTRR_VARIABLE_MAX)
        m->variables = MTRR_VARIABLE_MAX;
    for (unsigned i = 0; i < m->variables; i++) {
        if (!msr_read(MSR_PHYS_BASE(i), &m->variable[i].base) ||
            !msr_read(MSR_PHYS_MASK(i), &m->variable[i].mask))
            m->variable[i].mask = 0; /* not valid */
    }
    if (m->fixed_enabled)
        read_fixed(m);
    if (cpu_is_amd(cpu))
        read_tom2(m);
    return true;
}
