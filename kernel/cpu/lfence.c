#include "kernel/cpu/lfence.h"
#include "kernel/cpu/msr.h"
#include "lib/cpu/features.h"

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
