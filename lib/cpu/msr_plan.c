#include "lib/cpu/msr_plan.h"

bool msr_keep(struct msr_kept *k, const struct msr_access *a, uint32_t msr)
{
    uint64_t was;

    if (!a->read(a->ctx, msr, &was))
        return false;
    *k = (struct msr_kept){msr, was};
    return true;
}

static bool set(const struct msr_access *a, uint32_t msr, uint64_t v)
{
    uint64_t now;

    return a->write(a->ctx, msr, v) && a->read(a->ctx, msr, &now) && now == v;
}

bool msr_change(const struct msr_kept *k, const struct msr_access *a, uint64_t mask, uint64_t bits)
{
    return set(a, k->msr, (k->was & ~mask) | bits);
}

bool msr_put_back(const struct msr_kept *k, const struct msr_access *a)
{
    uint64_t now;

    if (a->read(a->ctx, k->msr, &now) && now == k->was)
        return true;
    return set(a, k->msr, k->was);
}
