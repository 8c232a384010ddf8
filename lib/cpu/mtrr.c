#include "lib/cpu/mtrr.h"

/* SDM vol. 3A table 12-8: the encodings; 2, 3 and 7 and above are reserved. */
enum { TYPE_UC = 0, TYPE_WC = 1, TYPE_WT = 4, TYPE_WP = 5, TYPE_WB = 6, TYPE_NONE = 0xff };

#define MASK_VALID (1ull << 11) /* PHYSMASKn, SDM vol. 3A figure 12-7 */
#define PAGE_BITS  0xfffull
#define FOUR_GIB   (1ull << 32)

/* Fixed ranges, SDM vol. 3A table 12-9: 8 of 64 KiB, 16 of 16 KiB, 64 of 4 KiB. */
#define FIXED_END     0x100000
#define FIXED_64K_END 0x80000
#define FIXED_16K_END 0xc0000

static uint64_t address_bits(const struct mtrr *m)
{
    return m->phys_bits < 64 ? (1ull << m->phys_bits) - 1 : ~0ull;
}

static unsigned variables(const struct mtrr *m)
{
    return m->variables < MTRR_VARIABLE_MAX ? m->variables : MTRR_VARIABLE_MAX;
}

/* The bits that an address must share with the base. */
static uint64_t compared(const struct mtrr *m, unsigned i)
{
    return m->variable[i].mask & address_bits(m) & ~PAGE_BITS;
}

static bool is_valid(const struct mtrr *m, unsigned i)
{
    return m->variable[i].mask & MASK_VALID;
}

static uint64_t fixed_step(uint64_t address)
{
    return address < FIXED_64K_END ? 0x10000 : address < FIXED_16K_END ? 0x4000 : 0x1000;
}

/* One byte per range, eight ranges per register. */
static uint8_t fixed_type(const struct mtrr *m, uint64_t address)
{
    uint64_t range = address < FIXED_64K_END   ? address / 0x10000
                     : address < FIXED_16K_END ? 8 + (address - FIXED_64K_END) / 0x4000
                                               : 24 + (address - FIXED_16K_END) / 0x1000;

    return (uint8_t)(m->fixed[range / 8] >> range % 8 * 8);
}

static uint8_t without_reserved(uint8_t type)
{
    bool known = type == TYPE_WC || type == TYPE_WT || type == TYPE_WP || type == TYPE_WB;

    return known ? type : TYPE_UC;
}

/* SDM vol. 3A section 12.11.4.1, "MTRR Precedences". */
static uint8_t overlap(uint8_t a, uint8_t b)
{
    if (a == b || b == TYPE_NONE)
        return a;
    if (a == TYPE_NONE)
        return b;
    if ((a == TYPE_WT && b == TYPE_WB) || (a == TYPE_WB && b == TYPE_WT))
        return TYPE_WT;
    return TYPE_UC;
}

uint8_t mtrr_type(const struct mtrr *m, uint64_t address)
{
    if (!m->enabled)
        return TYPE_UC;
    if (m->fixed_enabled && address < FIXED_END)
        return without_reserved(fixed_type(m, address));

    uint8_t type = TYPE_NONE;
    for (unsigned i = 0; i < variables(m); i++)
        if (is_valid(m, i) && ((address ^ m->variable[i].base) & compared(m, i)) == 0)
            type = overlap(type, without_reserved((uint8_t)m->variable[i].base));
    if (type != TYPE_NONE)
        return type;
    if (address >= FOUR_GIB && address < m->tom2)
        return TYPE_WB;
    return without_reserved(m->default_type);
}

/* Returns whether the type at `boundary`, if that is inside the block, is the type at its start. */
static bool same_at(const struct mtrr *m, uint64_t start, uint64_t size, uint64_t boundary)
{
    return boundary - start >= size || mtrr_type(m, boundary) == mtrr_type(m, start);
}

static bool fixed_are_uniform(const struct mtrr *m, uint64_t start, uint64_t size)
{
    if (!m->fixed_enabled || start >= FIXED_END)
        return true;
    for (uint64_t at = 0; at < FIXED_END; at += fixed_step(at))
        if (!same_at(m, start, size, at))
            return false;
    return same_at(m, start, size, FIXED_END);
}

/* Types change only at the ends of ranges, so it is enough to look there. */
bool mtrr_uniform(const struct mtrr *m, uint64_t start, uint64_t size)
{
    if (!m->enabled)
        return true;
    if (!fixed_are_uniform(m, start, size) || !same_at(m, start, size, FOUR_GIB) ||
        !same_at(m, start, size, m->tom2))
        return false;
    for (unsigned i = 0; i < variables(m); i++) {
        uint64_t bits = compared(m, i), base = m->variable[i].base & bits;
        if (!is_valid(m, i) || ((start ^ base) & bits & ~(size - 1)) != 0)
            continue; /* no address of the block can match */
        if ((bits & (size - 1)) == 0)
            continue; /* all of them match */
        uint64_t length = (~bits & address_bits(m)) + 1;
        if ((length & (length - 1)) != 0)
            return false; /* a mask with holes: many ranges */
        if (!same_at(m, start, size, base) || !same_at(m, start, size, base + length))
            return false;
    }
    return true;
}
