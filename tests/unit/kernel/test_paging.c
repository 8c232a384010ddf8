#define _GNU_SOURCE
#include <sys/mman.h>
#include "tests/unit/kernel/fake_cpu.h"
#include "tests/unit/lib/cpu/walked_tables.h"
#include "kernel/cpu/cpu_setup.h"
#include "kernel/cpu/paging.h"

#define TIB (1ull << 40)

/* Physical memory of this test, mapped to itself. The Makefile links it at a low address too. */
#define ARENA      0x20000000ull
#define ARENA_SIZE (64u * MIB)
#define AREA       (ARENA + ARENA_SIZE)
#define AREA_SIZE  (4u * MIB)
#define FB_SIZE    (8u * MIB)

static uint64_t cr4;

uint64_t read_cr4(void)
{
    return cr4;
}

void write_cr4(uint64_t v)
{
}
void write_cr3(uint64_t v)
{
}
void invlpg(uint64_t virt)
{
}
void cpu_setup_paging(void)
{
}

uint64_t core_cost(uint64_t stack)
{
    return arena_cost(sizeof(struct core)) + stack;
}

static struct handoff *handoff;
static struct memory_region region[] = {{REGION_FREE, MIB, AREA + AREA_SIZE - MIB, 0}, {0}};
static struct paging paging;

static void set_up(void)
{
    void *at = mmap((void *)ARENA, ARENA_SIZE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    assert_ptr_equal(at, ARENA);
    handoff = calloc(1, sizeof(*handoff));
    *handoff = (struct handoff){
        .arena = ARENA,
        .arena_size = ARENA_SIZE,
        .area[0] = {.at = AREA, .size = AREA_SIZE, .node = NUMA_NONE},
        .areas = 1,
        .needs = {.data = PLATFORM_DATA_SIZE, .area = AREA_SIZE, .areas = 1},
        .cores = 1,
        .region = region,
        .regions = 1,
    };
}

static void tear_down(void)
{
    free(handoff);
    munmap((void *)ARENA, ARENA_SIZE);
}

BEFORE_EACH(set_up);
AFTER_EACH(tear_down);

static const char *make_paging(unsigned phys_bits)
{
    const struct cpu cpu = {.phys_bits = phys_bits, .page_1g = true, .nx = true, .pat = true};
    struct arena arena;

    arena_init(&arena, handoff);
    struct core *core = arena_take(&arena, sizeof(*core));
    for (unsigned i = 0; i < IST_COUNT; i++)
        (void)arena_stack(&arena, IST_STACK_SIZE, &core->guard[i]);
    return paging_init(&paging, handoff, &arena, &cpu, NULL, core);
}

static void assert_view(const struct area_view *v, uint64_t phys)
{
    const struct pagetable *t = &paging.tables;
    uint64_t last = v->bytes - (v->bytes < v->page ? KIB4 : v->page);

    assert_page(t, v->at, phys, PAGE_WRITE);
    assert_page(t, v->at + last, phys + (v->bytes == AREA_SIZE ? last : 0), PAGE_WRITE);
    if (v->code)
        assert_page(t, v->code, phys, PAGE_EXEC);
}

static void assert_windows(void)
{
    const struct area_map *m = &paging.area[0];

    assert_page(&paging.tables, PLATFORM_CODE_VA, paging.code.phys, PAGE_EXEC);
    assert_page(&paging.tables, PLATFORM_DATA_VA, paging.data, PAGE_WRITE);
    assert_page(&paging.tables, PAGING_SWAP_VA, paging.swap, 0);
    assert_view(&m->small, AREA);
    assert_view(&m->large, AREA);
    assert_view(&m->huge, AREA);
    assert_view(&m->same_large, AREA);
    assert_view(&m->same_huge, AREA);
}

static void assert_identity(uint64_t at, uint64_t size, unsigned rights)
{
    assert_page(&paging.tables, at, at, rights);
    assert_page(&paging.tables, at + size / 2, at + size / 2, rights);
    assert_page(&paging.tables, at + size - KIB4, at + size - KIB4, rights);
}

TEST(a_framebuffer_below_64_TiB_and_our_windows_do_not_meet)
{
    for (uint64_t at = TIB; at < 64 * TIB; at += TIB / 2) {
        handoff->framebuffer = (struct framebuffer){.address = at, .size = FB_SIZE};
        assert_null(make_paging(46));
        assert_true(paging.framebuffer);
        assert_identity(at, FB_SIZE, PAGE_WRITE | PAGE_WC);
        assert_windows();
    }
}

/* Each node's memory has its own part of the windows. */
TEST(areas_of_several_nodes_do_not_meet)
{
    handoff->areas = handoff->needs.areas = HANDOFF_AREAS;
    for (unsigned i = 0; i < HANDOFF_AREAS; i++)
        handoff->area[i] = (struct handoff_area){AREA + i * GIB, AREA_SIZE, (int)i, 0, 0};
    assert_null(make_paging(46));
    assert_windows();
    for (unsigned i = 1; i < HANDOFF_AREAS; i++) {
        const struct area_map *m = &paging.area[i];
        assert_view(&m->small, AREA + i * GIB);
        assert_view(&m->large, AREA + i * GIB);
        assert_view(&m->huge, AREA + i * GIB);
        assert_int_equal(m->same_large.bytes + m->same_huge.bytes + m->small.code_bytes, 0);
        assert_true(m->small.at >= paging.area[i - 1].small.at + paging.area[i - 1].small.bytes);
        assert_true(m->huge.at >= paging.area[i - 1].huge.at + paging.area[i - 1].huge.bytes);
    }
}

TEST(devices_that_are_mapped_later_leave_our_windows_as_they_are)
{
    assert_null(make_paging(52));
    for (uint64_t at = TIB; at < 128 * TIB; at += TIB) {
        bool ours = at >= PAGING_WINDOW(0) && at < PAGING_WINDOW(PAGING_WINDOWS);
        assert_ptr_equal(paging_map_mmio(&paging, at, KIB4), ours ? 0 : at);
        if (!ours)
            assert_identity(at, KIB4, PAGE_WRITE | PAGE_UC);
    }
    assert_null(paging_map_mmio(&paging, 64 * TIB - KIB4, 2 * KIB4));
    assert_windows();
}

TEST(a_framebuffer_where_our_windows_are_is_not_mapped)
{
    for (unsigned i = 0; i < PAGING_WINDOWS; i++) {
        handoff->framebuffer = (struct framebuffer){.address = PAGING_WINDOW(i), .size = FB_SIZE};
        assert_null(make_paging(52));
        assert_false(paging.framebuffer);
        assert_windows();
    }
}

TEST(regions_that_cannot_be_mapped_are_counted)
{
    const struct {
        uint64_t at;
        unsigned bits;
        bool five_levels, left_out;
    } cases[] = {{16 * TIB, 46, false, false},      {16 * TIB, 44, false, true},
                 {64 * TIB, 52, false, true},       {103 * TIB, 52, false, true},
                 {104 * TIB, 52, false, false},     {128 * TIB, 52, false, true},
                 {128 * TIB, 52, true, false},      {3584 * TIB, 52, true, false},
                 {~0ull - 16 * MIB, 52, true, true}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr4 = cases[i].five_levels ? CR4_LA57 : 0;
        region[1] = (struct memory_region){REGION_FREE, cases[i].at & ~(KIB4 - 1), 4 * MIB, 0};
        handoff->regions = 2;
        assert_null(make_paging(cases[i].bits));
        assert_int_equal(paging.regions_left_out, cases[i].left_out);
        if (!cases[i].left_out)
            assert_identity(cases[i].at, 4 * MIB, PAGE_WRITE);
        assert_windows();
    }
    cr4 = 0;
}

TEST(memory_with_gaps_costs_tables_for_the_memory_only)
{
    region[1] = (struct memory_region){REGION_FREE, 4096 * MIB, 4 * GIB, 0};
    handoff->regions = 2;
    uint64_t cost = paging_cost(handoff);
    region[1].start = 60 * TIB;
    assert_int_equal(paging_cost(handoff), cost);
    assert_null(make_paging(46));
    assert_identity(60 * TIB, 4 * GIB, PAGE_WRITE);
}

TEST(a_program_in_memory_that_cannot_be_mapped_is_refused)
{
    const char *why_not = make_paging(28);

    assert_non_null(strstr(why_not, "the program's memory"));
}
