#include "kernel/cpu/mce.h"
#include "kernel/cpu/instructions.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/registers.h"

#define STORM 100 /* limit: a poisoned line that is read repeatedly would never end */

static uint32_t banks(uint64_t cap)
{
    uint32_t n = cap & 0xff;

    return n < MCE_BANKS ? n : MCE_BANKS;
}

/* Some models reserve bank 0 for the firmware (lib/cpu/models.c). */
static bool is_ours(const struct cpu *cpu, uint32_t bank)
{
    return bank > 0 || !cpu_model(cpu)->mc0_is_firmware;
}

static void write_all(uint32_t msr, uint64_t *was)
{
    (void)msr_read(msr, was);
    (void)msr_write(msr, ~0ull);
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
            write_all(MSR_MCG_CTL, &m.global_was);
    }
    for (uint32_t i = 0; i < m.banks; i++) {
        if (msr_read(MSR_MC_STATUS(i), &status) && status & MC_STATUS_VAL)
            m.stale++;
        msr_write(MSR_MC_STATUS(i), 0);
        if (is_ours(cpu, i))
            write_all(MSR_MC_CTL(i), &m.bank_was[i]);
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
