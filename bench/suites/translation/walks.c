/*
 * Page walks by the size of the page and by the number of entries that the CPU reads for it.
 * Sources: SDM vol. 3A section 4.5 (tables), section 4.8 (the accessed bit), section 4.10.3
 * (paging-structure caches); APM vol. 2 sections 5.3 and 5.5.
 */
#include "bench/api/counted.h"
#include "bench/suites/translation/translation.h"

#define LINE 64 /* bytes: a cache line */

/* Bits of entries: SDM vol. 3A tables 4-15 to 4-20. */
#define ACCESSED (1ull << 5)
#define CR4_LA57 (1ull << 12) /* SDM vol. 3A section 2.5 */
#define ENTRIES  (TABLES_PAGE / sizeof(uint64_t))

/* The level of the table with the entries of pages. */
enum { PAGES_4K = 1, PAGES_2M, PAGES_1G };

/* Returns the bytes that an entry of a table of this level covers. */
static uint64_t reach(unsigned level)
{
    return (uint64_t)TABLES_PAGE << 9 * (level - 1);
}

/* Returns the i-th table of the room, from that of the pages on. */
static uint64_t *table_of(const struct object *o, unsigned i)
{
    return (uint64_t *)(void *)((uint8_t *)o->room + TRANSLATION_TABLES_AT + i * TABLES_PAGE);
}

static uint64_t physical_of(const void *at)
{
    return tables_physical(privileged_cr3(), tables_levels(privileged_cr4()), at);
}

/* Fills the tables: every entry of the upper half of the address space leads to the page around
 * this physical address. The lower half is the kernel's. */
static void fill_tables(struct object *o, unsigned lowest, uint64_t memory, uint64_t bits)
{
    const uint64_t *kernel = (const uint64_t *)(uintptr_t)(privileged_cr3() & TABLES_FRAME);
    unsigned levels = tables_levels(privileged_cr4());
    uint64_t entry = (memory & ~(reach(lowest) - 1)) | bits | (lowest > 1 ? TABLES_LARGE : 0);

    for (unsigned level = lowest; level <= levels; level++) {
        uint64_t *table = table_of(o, level - lowest);
        for (unsigned i = 0; i < ENTRIES; i++)
            table[i] = level == levels && i < ENTRIES / 2 ? kernel[i] : entry;
        entry = physical_of(table) | TABLES_PRESENT | TABLES_WRITABLE;
    }
}

/* Returns the address that has this index in the tables of these levels, and 0 in the others. */
static uint64_t address_of(unsigned from, unsigned to, uint64_t index)
{
    uint64_t at = 0;

    for (unsigned level = from; level <= to; level++)
        at += index * reach(level);
    return at;
}

/*
 * Sets up windows whose pages have their entries in the table of level `lowest` and differ in their
 * index in the lowest `entries` tables. The paging-structure caches have the entries above these:
 * before the first reading another page is accessed that needs them too. entries 0: all pages are
 * accessed before the first reading, so that a TLB has them.
 */
static void walks(struct object *o, unsigned lowest, unsigned entries, uint64_t bits)
{
    unsigned levels = tables_levels(privileged_cr4()), highest = lowest + entries - 1;
    struct translation_room *r = o->room;
    uint64_t memory = o->arg ? o->arg : physical_of((uint8_t *)o->room + TRANSLATION_FRAME_AT);
    uint64_t first = (~0ull << (12 + 9 * levels)) + address_of(lowest, levels, TRANSLATION_FIRST) +
                     (memory & (reach(lowest) - 1));

    fill_tables(o, lowest, memory, bits);
    *r = (struct translation_room){.registers.rdi = first,
                                   .registers.r8 = reach(lowest) + LINE,
                                   .cr3 = physical_of(table_of(o, levels - lowest)) |
                                          (privileged_cr3() & ~TABLES_FRAME),
                                   .cr3_before = privileged_cr3(),
                                   .touch = first,
                                   .touches = TRANSLATION_MOST,
                                   .tables = entries};
    if (entries == 0)
        return;
    r->registers.r8 = address_of(lowest, highest, TRANSLATION_APART) + LINE;
    r->touch += TRANSLATION_MOST * LINE + (ENTRIES - 1 - TRANSLATION_FIRST) * reach(highest);
    r->touches = 1;
}

/* The CPU sets the accessed bit of each entry that it uses. Setup left it clear. */
static const char *walked(const struct object *o, uint64_t operations)
{
    const struct translation_room *r = o->room;
    uint64_t n = operations < PRIVILEGED_OPS ? operations : PRIVILEGED_OPS;

    for (unsigned t = 0; t < r->tables; t++)
        for (uint64_t i = 0; i < n; i++)
            if (!(table_of(o, t)[TRANSLATION_FIRST + i * TRANSLATION_APART] & ACCESSED))
                return "the CPU has not read an entry of the page tables: its accessed bit is "
                       "clear";
    return NULL;
}

static const char *lacks_levels(const struct cpu *cpu)
{
    (void)cpu;
    return privileged_cr4() & CR4_LA57
               ? NULL
               : "needs CR4.LA57, which the firmware left clear, and which no program can change "
                 "in 64-bit mode";
}

/* --- rows ------------------------------------------------------------------------------------- */

static const struct bench_family by_entries = {
    {"TLB hit", "1 entry", "2 entries", "3 entries", "4 entries", "5 entries"}};

#define TRANSLATION(name_, level_, entries_, what_, on_, off_, ...)                                \
    static void setup_##name_(struct object *o)                                                    \
    {                                                                                              \
        walks(o, level_, entries_, TABLES_PRESENT);                                                \
    }                                                                                              \
    BENCH(translation, name_, .what = what_, .window.form = FORM_STRAIGHT, .ops = PRIVILEGED_OPS,  \
          .on_request = true, .needs.platform = NEED_RING0, .proof.least_instructions = 3,         \
          .window.unit = &unit_translation_load, .window.history = &unit_translation_##on_,        \
          .window.after = &unit_translation_##off_, .setup = setup_##name_, __VA_ARGS__)

#define COLUMN(line_, column_)                                                                     \
    .shown.family = &by_entries, .shown.line = line_, .shown.column = column_
#define WALK(size_, level_, entries_, line_, ...)                                                  \
    TRANSLATION(walk_##size_##_##entries_, level_, entries_,                                       \
                "a load from a page of " line_ ": a walk that reads " #entries_ " of its entries", \
                on, off, .check = walked, COLUMN(line_, entries_), __VA_ARGS__)
#define FIVE_LEVELS .needs.lacks = lacks_levels

TRANSLATION(hit, PAGES_4K, 0, "a load from a page of 4 KiB that a TLB has", on, off,
            COLUMN("4 KiB", 0));
WALK(4k, PAGES_4K, 1, "4 KiB");
WALK(4k, PAGES_4K, 2, "4 KiB");
WALK(4k, PAGES_4K, 3, "4 KiB");
WALK(4k, PAGES_4K, 4, "4 KiB");
WALK(4k, PAGES_4K, 5, "4 KiB", FIVE_LEVELS, .needs.features = {FEATURE_LA57});

#define LARGE .needs.device = PLATFORM_PAGE_2M
WALK(2m, PAGES_2M, 1, "2 MiB", LARGE);
WALK(2m, PAGES_2M, 2, "2 MiB", LARGE);
WALK(2m, PAGES_2M, 3, "2 MiB", LARGE);
WALK(2m, PAGES_2M, 4, "2 MiB", LARGE, FIVE_LEVELS, .needs.features = {FEATURE_LA57});

#define HUGE .needs.device = PLATFORM_PAGE_1G
WALK(1g, PAGES_1G, 1, "1 GiB", HUGE, .needs.features = {FEATURE_PAGE_1G});
WALK(1g, PAGES_1G, 2, "1 GiB", HUGE, .needs.features = {FEATURE_PAGE_1G});
WALK(1g, PAGES_1G, 3, "1 GiB", HUGE, FIVE_LEVELS,
     .needs.features = {FEATURE_PAGE_1G, FEATURE_LA57});

#define FROM_MEMORY(entries_)                                                                      \
    TRANSLATION(walk_4k_##entries_##_memory, PAGES_4K, entries_,                                   \
                "as walk_4k_" #entries_ ", and these entries are in memory only", on_memory, off,  \
                .check = walked, COLUMN("4 KiB, memory", entries_))
FROM_MEMORY(1);
FROM_MEMORY(4);

/* `after` counts the bits that the walks of the window have set, and clears them. */
TRANSLATION(accessed, PAGES_4K, 1, "as walk_4k_1, and the walk sets the page's accessed bit", on,
            off_count, .check = check_counted);

/* A deliberate failure (bench/suites/provoke.c). */
static void absent(struct object *o)
{
    walks(o, PAGES_4K, 1, 0);
}
BENCH(provoke, absent_page, .what = "a page walk that ends in a #PF: the row fails, exit status 2",
      .window.form = FORM_STRAIGHT, .ops = 1, .on_request = true, .needs.platform = NEED_RING0,
      .window.unit = &unit_translation_load, .window.history = &unit_translation_on,
      .window.after = &unit_translation_off, .setup = absent);
