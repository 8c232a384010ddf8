/*
 * Control and debug registers, and the TLB. Bits: SDM vol. 3A section 2.5 (CR0, CR4), section
 * 4.10.4.1 (the bit of a MOV to CR3 that keeps the TLB's entries), vol. 2A INVPCID; vol. 3B section
 * 18.2.4 (DR7).
 */
#include "bench/suites/privileged/privileged.h"
#include "bench/suites/privileged/tables.h"

#define CR0_TS       (1ull << 3)
#define CR0_WP       (1ull << 16)
#define CR4_PGE      (1ull << 7)
#define CR3_NO_FLUSH (1ull << 63)
#define CR3_LOW      0xfffull /* the PCID, where CR4.PCIDE is set */
#define PCID         1

/* Declare the units of a register, and a row that reads it and one that writes the value found. */
#define REGISTER(name_, what_, ...)                                                                \
    extern const struct unit unit_privileged_from_##name_, unit_privileged_to_##name_;             \
    static void keep_##name_(struct object *o)                                                     \
    {                                                                                              \
        privileged_registers(o)->r8 = privileged_##name_();                                        \
    }                                                                                              \
    static const char *kept_##name_(const struct object *o, uint64_t operations)                   \
    {                                                                                              \
        const struct privileged_registers *r = o->room;                                            \
        (void)operations;                                                                          \
        return privileged_##name_() == r->r8 ? NULL : what_ " has another value";                  \
    }                                                                                              \
    PRIVILEGED_ROW(from_##name_, 1, "mov from " what_, .ops = PRIVILEGED_OPS,                      \
                   .window.unit = &unit_privileged_from_##name_);                                  \
    PRIVILEGED_ROW(to_##name_, 1, "mov to " what_ ", the same value", .ops = PRIVILEGED_OPS,       \
                   .window.unit = &unit_privileged_to_##name_,                                     \
                   .window.history = &unit_privileged_load, .setup = keep_##name_,                 \
                   .check = kept_##name_)

REGISTER(cr0, "CR0");
REGISTER(cr2, "CR2");
REGISTER(cr3, "CR3");
REGISTER(cr4, "CR4");
REGISTER(cr8, "CR8");
REGISTER(dr0, "DR0");
REGISTER(dr6, "DR6");
REGISTER(dr7, "DR7");

extern const struct unit unit_privileged_toggle_cr0, unit_privileged_toggle_cr3,
    unit_privileged_toggle_cr4, unit_privileged_clts, unit_privileged_set_clts,
    unit_privileged_lmsw, unit_privileged_smsw, unit_privileged_pcid_on, unit_privileged_pcid_off,
    unit_privileged_invlpg, unit_privileged_invpcid, unit_privileged_invlpgb;

/* Rows of these units, with the registers that setup fills. */
#define LOADED(name_, instructions_, what_, unit_, setup_, ...)                                    \
    PRIVILEGED_ROW(name_, instructions_, what_, .ops = PRIVILEGED_OPS,                             \
                   .window.unit = &unit_privileged_##unit_,                                        \
                   .window.history = &unit_privileged_load, .setup = setup_, __VA_ARGS__)

static void toggle_ts(struct object *o)
{
    privileged_registers(o)->r8 = privileged_cr0();
    privileged_registers(o)->r9 = privileged_cr0() | CR0_TS;
}

static void toggle_wp(struct object *o)
{
    privileged_registers(o)->r8 = privileged_cr0();
    privileged_registers(o)->r9 = privileged_cr0() ^ CR0_WP;
}

static void toggle_pge(struct object *o)
{
    privileged_registers(o)->r8 = privileged_cr4();
    privileged_registers(o)->r9 = privileged_cr4() ^ CR4_PGE;
}

PRIVILEGED_ROW(clts, 1, "clts, CR0.TS clear already", .ops = PRIVILEGED_OPS,
               .window.unit = &unit_privileged_clts);
LOADED(clts_set, 2, "mov to CR0 that sets TS, and clts", set_clts, toggle_ts);
LOADED(lmsw, 1, "lmsw, the same value", lmsw, keep_cr0, .check = kept_cr0);
PRIVILEGED_ROW(smsw, 1, "smsw", .ops = PRIVILEGED_OPS, .window.unit = &unit_privileged_smsw);
LOADED(to_cr0_wp, 2, "mov to CR0: WP cleared, and set", toggle_cr0, toggle_wp, .check = kept_cr0);
LOADED(to_cr4_pge, 2, "mov to CR4: PGE changed, which flushes the TLB, and back", toggle_cr4,
       toggle_pge, .needs.features = {FEATURE_PGE}, .check = kept_cr4);

/* --- CR3 ------------------------------------------------------------------------------------- */

/* Copies the table that CR3 names into the room's second page. Returns a CR3 for it. */
static uint64_t other_table(struct object *o)
{
    uint64_t *copy = (uint64_t *)(void *)((uint8_t *)o->room + TABLES_PAGE);
    const uint64_t *table = (const uint64_t *)(uintptr_t)(privileged_cr3() & TABLES_FRAME);

    for (unsigned i = 0; i < TABLES_PAGE / sizeof *copy; i++)
        copy[i] = table[i];
    return tables_physical(privileged_cr3(), tables_levels(privileged_cr4()), copy) |
           (privileged_cr3() & CR3_LOW);
}

static void two_tables(struct object *o)
{
    privileged_registers(o)->r8 = privileged_cr3();
    privileged_registers(o)->r9 = other_table(o);
}

LOADED(to_cr3_other, 2, "mov to CR3: a copy of the same table, and back", toggle_cr3, two_tables,
       .check = kept_cr3);

/* With CR4.PCIDE set in each window only. `first` and `second` are what the two MOVs load. */
static void with_pcid(struct object *o, uint64_t first, uint64_t second)
{
    *privileged_registers(o) = (struct privileged_registers){
        .r8 = second, .r9 = first, .r11 = privileged_cr4(), .rdi = privileged_cr3()};
}

static void same_pcid(struct object *o)
{
    with_pcid(o, privileged_cr3(), privileged_cr3());
}

static void same_pcid_no_flush(struct object *o)
{
    with_pcid(o, privileged_cr3() | CR3_NO_FLUSH, privileged_cr3() | CR3_NO_FLUSH);
}

static void two_pcids(struct object *o)
{
    with_pcid(o, other_table(o) | PCID, privileged_cr3());
}

static void two_pcids_no_flush(struct object *o)
{
    with_pcid(o, other_table(o) | PCID | CR3_NO_FLUSH, privileged_cr3() | CR3_NO_FLUSH);
}

#define WITH_PCID(name_, instructions_, what_, unit_, setup_)                                      \
    PRIVILEGED_ROW(name_, instructions_, what_, .ops = PRIVILEGED_OPS,                             \
                   .window.unit = &unit_privileged_##unit_,                                        \
                   .window.history = &unit_privileged_pcid_on,                                     \
                   .window.after = &unit_privileged_pcid_off, .setup = setup_,                     \
                   .needs.features = {FEATURE_PCID})

WITH_PCID(to_cr3_pcid, 1, "mov to CR3, the same PCID: flushes it", to_cr3, same_pcid);
WITH_PCID(to_cr3_pcid_keep, 1, "mov to CR3, the same PCID, without a flush", to_cr3,
          same_pcid_no_flush);
WITH_PCID(to_cr3_pcids, 2, "mov to CR3: another table and PCID, and back: flushes both", toggle_cr3,
          two_pcids);
WITH_PCID(to_cr3_pcids_keep, 2, "mov to CR3: another table and PCID, and back, without a flush",
          toggle_cr3, two_pcids_no_flush);

/* --- the TLB --------------------------------------------------------------------------------- */

LOADED(invlpg, 1, "invlpg of a page that is mapped", invlpg, NULL);
LOADED(invlpgb, 5, "invlpgb of one page, and tlbsync", invlpgb, NULL,
       .needs.features = {FEATURE_INVLPGB});

/* The descriptor: PCID 0, and an address. */
static void describe(struct object *o)
{
    uint64_t *descriptor = privileged_memory(o);

    descriptor[0] = 0;
    descriptor[1] = (uint64_t)(uintptr_t)o->room;
}

/* SDM vol. 2A INVPCID. */
enum { ONE_ADDRESS, ONE_PCID, ALL_WITH_GLOBAL, ALL };

#define INVPCID(type_, what_, arg_)                                                                \
    LOADED(invpcid_##type_, 2, "invpcid of type " #type_ ": " what_, invpcid, describe,            \
           .arg = arg_, .needs.features = {FEATURE_INVPCID})

INVPCID(0, "one address of PCID 0", ONE_ADDRESS);
INVPCID(1, "PCID 0 without global pages", ONE_PCID);
INVPCID(2, "all PCIDs and global pages", ALL_WITH_GLOBAL);
INVPCID(3, "all PCIDs without global pages", ALL);
