#include "lib/cpu/register_bits.h"
#include <stddef.h>
#include "lib/text/fmt.h"

const struct register_bit register_cr0[] = {
    {0, "PE"},  {1, "MP"},  {2, "EM"},  {3, "TS"},  {4, "ET"},  {5, "NE"},
    {16, "WP"}, {18, "AM"}, {29, "NW"}, {30, "CD"}, {31, "PG"}, {0, NULL},
};

const struct register_bit register_cr4[] = {
    {0, "VME"},         {1, "PVI"},    {2, "TSD"},      {3, "DE"},    {4, "PSE"},
    {5, "PAE"},         {6, "MCE"},    {7, "PGE"},      {8, "PCE"},   {9, "OSFXSR"},
    {10, "OSXMMEXCPT"}, {11, "UMIP"},  {12, "LA57"},    {13, "VMXE"}, {14, "SMXE"},
    {16, "FSGSBASE"},   {17, "PCIDE"}, {18, "OSXSAVE"}, {19, "KL"},   {20, "SMEP"},
    {21, "SMAP"},       {22, "PKE"},   {23, "CET"},     {24, "PKS"},  {25, "UINTR"},
    {28, "LAM_SUP"},    {32, "FRED"},  {0, NULL},
};

const struct register_bit register_efer[] = {
    {0, "SCE"},    {8, "LME"},    {10, "LMA"}, {11, "NXE"}, {12, "SVME"},
    {13, "LMSLE"}, {14, "FFXSR"}, {15, "TCE"}, {0, NULL},
};

const struct register_bit register_xcr0[] = {
    {0, "x87"},    {1, "SSE"},      {2, "AVX"},       {3, "BNDREG"},
    {4, "BNDCSR"}, {5, "opmask"},   {6, "ZMM_Hi256"}, {7, "Hi16_ZMM"},
    {9, "PKRU"},   {17, "TILECFG"}, {18, "TILEDATA"}, {0, NULL},
};

static const char *name_of(const struct register_bit *bits, unsigned bit)
{
    while (bits->name && bits->bit != bit)
        bits++;
    return bits->name;
}

void register_difference(const char *name, const struct register_bit *bits, uint64_t was,
                         uint64_t now, struct sink *out)
{
    const char *before = " (";

    fmt(out, "%s", name);
    if (!bits || was == now)
        return;
    for (unsigned bit = 0; bit < 64; bit++) {
        const char *bit_name = name_of(bits, bit);

        if (!((was ^ now) >> bit & 1))
            continue;
        fmt(out, "%s", before);
        if (bit_name)
            fmt(out, "%s", bit_name);
        else
            fmt(out, "bit %u", bit);
        fmt(out, now >> bit & 1 ? " set" : " cleared");
        before = ", ";
    }
    fmt(out, ")");
}

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
