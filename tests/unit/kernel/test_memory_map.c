#include "tests/unit/cmocka_unit.h"
#include "kernel/memory/memory_map.h"

#define MIB 0x100000ull
#define GIB 0x40000000ull

static const struct memory_region map[] = {
    {REGION_FREE, 0x1000, 0x9f000, 0},
    {REGION_FREE, MIB, 127 * MIB, 0},
    {REGION_ACPI_NVS, 128 * MIB + 0x1000, 0x1000, 0}, /* not in order, as firmwares do */
    {REGION_ACPI, 128 * MIB, 0x1000, 0},
    {REGION_RESERVED, 200 * MIB, MIB, 0},
    {REGION_MMIO, 0xfed00000, 0x1000, REGION_RUNTIME},
    {REGION_UNUSABLE, 300 * MIB, MIB, 0},
    {REGION_RESERVED, 4 * GIB + GIB, MIB, 0},
    {REGION_FREE, 4 * GIB, GIB, 0},
};

static struct handoff *handoff;

static void set_up(void)
{
    handoff = calloc(1, sizeof(*handoff));
    handoff->region = malloc(sizeof(map));
    memcpy(handoff->region, map, sizeof(map));
    handoff->regions = sizeof(map) / sizeof(map[0]);
}

static void tear_down(void)
{
    free(handoff->region);
    free(handoff);
}

BEFORE_EACH(set_up);
AFTER_EACH(tear_down);

TEST(ram_is_found_by_the_map)
{
    assert_true(memory_is_ram(handoff, MIB, 1));
    assert_true(memory_is_ram(handoff, 0xff000, 0x2000)); /* one byte is enough */
    assert_false(memory_is_ram(handoff, 0xa0000, MIB - 0xa0000));
    assert_false(memory_is_ram(handoff, 200 * MIB, MIB));
    assert_false(memory_is_ram(handoff, 0xfed00000, 0x1000));
    assert_true(memory_is_ram(handoff, ~0ull - 10, 100)); /* wraps */
}

TEST(ranges_over_several_regions_are_readable)
{
    assert_true(memory_is_readable(handoff, MIB, 127 * MIB));
    /* Three regions in a row, the last two in the wrong order. */
    assert_true(memory_is_readable(handoff, 127 * MIB, MIB + 0x2000));
    assert_false(memory_is_readable(handoff, 127 * MIB, MIB + 0x2001));
    assert_false(memory_is_readable(handoff, 0xa0000, 1));
    assert_true(memory_is_readable(handoff, 200 * MIB, MIB));
    assert_false(memory_is_readable(handoff, 300 * MIB, 1));
    assert_false(memory_is_readable(handoff, 0xfed00000, 4));
    assert_true(memory_is_readable(handoff, 5 * GIB - 8, 8));
    assert_false(memory_is_readable(handoff, 5 * GIB - 8, 9)); /* reserved, not mapped up there */
    assert_false(memory_is_readable(handoff, ~0ull, 2));
}

TEST(tables_are_read_only_where_memory_is)
{
    struct physmem a = memory_physical(handoff);

    assert_ptr_equal(a.at(a.ctx, 0xf5a00, 36), (void *)0xf5a00); /* BIOS area */
    assert_ptr_equal(a.at(a.ctx, 0xffff0, 16), (void *)0xffff0);
    assert_ptr_equal(a.at(a.ctx, 128 * MIB, 0x2000), (void *)(128 * MIB));
    assert_null(a.at(a.ctx, 0xdfff0, 16));
    assert_null(a.at(a.ctx, 0xfff8, 0xa0000));
    assert_null(a.at(a.ctx, 0, 4));
    assert_null(a.at(a.ctx, ~0ull - 3, 36));
}

TEST(the_arena_gives_aligned_memory_and_guarded_stacks)
{
    struct arena a;
    uint64_t guard, top;
    const uint64_t size = arena_stack_cost(KERNEL_STACK_SIZE) + 4 * ARENA_PAGE;
    unsigned char *memory = aligned_alloc(ARENA_PAGE, size);

    memset(memory, 0xee, size);
    handoff->arena = (uint64_t)memory;
    handoff->arena_size = size;
    top = arena_kernel_stack(handoff, &guard);
    assert_int_equal(guard, handoff->arena);
    assert_int_equal(top, handoff->arena + ARENA_PAGE + KERNEL_STACK_SIZE);

    arena_init(&a, handoff);
    unsigned char *p = arena_take(&a, 1);
    assert_int_equal((uint64_t)p, top);
    assert_int_equal(p[0], 0);
    assert_null(arena_take(&a, 3 * ARENA_PAGE + 1));
    assert_null(arena_take(&a, ~0ull));
    top = arena_stack(&a, ARENA_PAGE, &guard);
    assert_int_equal(guard, (uint64_t)p + ARENA_PAGE);
    assert_int_equal(top, guard + 2 * ARENA_PAGE);
    assert_non_null(arena_take(&a, ARENA_PAGE));
    assert_null(arena_take(&a, 1));
    assert_int_equal(arena_stack(&a, ARENA_PAGE, &guard), 0);
    free(memory);
}

TEST(an_address_in_use_is_named_by_its_use)
{
    assert_string_equal(memory_taken(handoff, 2 * MIB, 8, false), "RAM");
    assert_string_equal(memory_taken(handoff, MIB - 7, 8, false), "RAM"); /* its last byte */
    assert_null(memory_taken(handoff, MIB - 8, 8, false));
    assert_string_equal(memory_taken(handoff, 128 * MIB, 8, false), "memory of the ACPI tables");
    assert_string_equal(memory_taken(handoff, 200 * MIB + 5, 8, false),
                        "memory that the firmware reserves");
    assert_null(memory_taken(handoff, 200 * MIB + 5, 8, true)); /* a UART that SPCR names */
    assert_string_equal(memory_taken(handoff, 2 * MIB, 8, true), "RAM");
    assert_string_equal(memory_taken(handoff, 300 * MIB, 8, false), "memory that is broken");
    assert_null(memory_taken(handoff, 0xfed00000, 8, false)); /* MMIO */
    assert_null(memory_taken(handoff, 0xfe03e000, 32, false));
}
