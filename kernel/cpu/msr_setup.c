#include "kernel/cpu/instructions.h"
#include "kernel/cpu/msr.h"
#include "lib/cpu/features.h"

/* --- LFENCE ----------------------------------------------------------------------------------- */

const char *const lfence_state_names[LFENCE_STATES] = {
    [LFENCE_ALWAYS] = "always",       [LFENCE_WAS_SET] = "was_set", [LFENCE_SET_NOW] = "set_now",
    [LFENCE_COULD_NOT] = "could_not", [LFENCE_UNKNOWN] = "unknown",
};

enum lfence_state lfence_make_serializing(const struct cpu *cpu)
{
    uint64_t v;

    if (cpu->lfence_always_serializing)
        return LFENCE_ALWAYS;
    if (!cpu_is_amd(cpu))
        return LFENCE_UNKNOWN;
    if (!msr_read(MSR_DE_CFG, &v))
        return LFENCE_COULD_NOT;
    if (v & DE_CFG_LFENCE)
        return LFENCE_WAS_SET;
    if (!msr_write(MSR_DE_CFG, v | DE_CFG_LFENCE) || !msr_read(MSR_DE_CFG, &v))
        return LFENCE_COULD_NOT;
    return v & DE_CFG_LFENCE ? LFENCE_SET_NOW : LFENCE_COULD_NOT;
}

void lfence_restore(enum lfence_state state)
{
    uint64_t v;

    if (state == LFENCE_SET_NOW && msr_read(MSR_DE_CFG, &v))
        (void)msr_write(MSR_DE_CFG, v & ~DE_CFG_LFENCE);
}

/* --- machine checks --------------------------------------------------------------------------- */

#define STORM 100 /* limit: a poisoned line that is read repeatedly would never end */

static uint32_t banks(uint64_t cap)
{
    uint32_t n = cap & 0xff;

    return n < MCE_BANKS ? n : MCE_BANKS;
}

/* Of families 0Fh and 10h (lib/cpu/models.c). */
#define GART_BANK 4u
#define GART_WALK (1ull << 10)

/* Some models reserve bank 0 for the firmware (lib/cpu/models.c). */
static bool is_ours(const struct cpu *cpu, uint32_t bank)
{
    return bank > 0 || !cpu_model(cpu)->mc0_is_firmware;
}

/* Returns the errors of a bank that are reported. */
static uint64_t reported(const struct cpu *cpu, uint32_t bank)
{
    return bank == GART_BANK && cpu_model(cpu)->gart_masked ? ~GART_WALK : ~0ull;
}

static void change_msr(uint32_t msr, uint64_t *was, uint64_t v)
{
    (void)msr_read(msr, was);
    (void)msr_write(msr, v);
}

struct mce mce_enable(const struct cpu *cpu)
{
    struct mce m = {0};
    uint64_t cap, status;

    if (!cpu->mce)
        return m;
    if (msr_read(MSR_MCG_CAP, &cap)) {
        m.banks = banks(cap);
        if (cap & MCG_CAP_CTL_P)
            change_msr(MSR_MCG_CTL, &m.global_was, ~0ull);
    }
    for (uint32_t i = 0; i < m.banks; i++) {
        if (msr_read(MSR_MC_STATUS(i), &status) && status & MC_STATUS_VAL)
            m.stale++;
        msr_write(MSR_MC_STATUS(i), 0);
        if (is_ours(cpu, i))
            change_msr(MSR_MC_CTL(i), &m.bank_was[i], reported(cpu, i));
    }
    msr_write(MSR_MCG_STATUS, 0);
    write_cr4(read_cr4() | CR4_MCE);
    m.on = true;
    return m;
}

void mce_restore(const struct mce *m, const struct cpu *cpu)
{
    uint64_t cap;

    if (!m->on || !msr_read(MSR_MCG_CAP, &cap))
        return;
    for (uint32_t i = 0; i < m->banks; i++)
        if (is_ours(cpu, i))
            (void)msr_write(MSR_MC_CTL(i), m->bank_was[i]);
    if (cap & MCG_CAP_CTL_P)
        (void)msr_write(MSR_MCG_CTL, m->global_was);
}

bool machine_check_survived(struct machine_check *last, uint64_t count)
{
    uint64_t cap, status;
    bool corrupt = false, first = true;

    if (!msr_read(MSR_MCG_CAP, &cap) || !msr_read(MSR_MCG_STATUS, &last->mcg_status))
        return false;
    for (uint32_t i = 0; i < banks(cap); i++) {
        if (!msr_read(MSR_MC_STATUS(i), &status) || !(status & MC_STATUS_VAL))
            continue;
        corrupt = corrupt || status & MC_STATUS_PCC;
        if (first) {
            last->bank = i;
            last->status = status;
            last->address = 0;
            if (status & MC_STATUS_ADDRV)
                msr_read(MSR_MC_ADDR(i), &last->address);
            first = false;
        }
        msr_write(MSR_MC_STATUS(i), 0);
    }
    /* Last: clears MCIP; a machine check while it is set is a shutdown (SDM 16.3.1.2). */
    msr_write(MSR_MCG_STATUS, 0);
    return last->mcg_status & MCG_STATUS_RIPV && !corrupt && count < STORM;
}

/* --- MTRRs ------------------------------------------------------------------------------------ */

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
