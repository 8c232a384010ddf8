#include "kernel/cpu/paging.h"
#include "bench/api/platform.h"

#define PAGE       4096ull
#define LARGE_PAGE (2ull << 20)
#define HUGE_PAGE  (1ull << 30)

#define SMALL_VA      (PAGING_WINDOW(1) + PAGE)
#define LARGE_VA      PAGING_WINDOW(2)
#define HUGE_VA       PAGING_WINDOW(3)
#define SAME_LARGE_VA PAGING_WINDOW(4)
#define SAME_HUGE_VA  PAGING_WINDOW(5) /* and the next one */
#define SMALL_CODE_VA PAGING_WINDOW(7)
#define LARGE_CODE_VA PAGING_WINDOW(8)

/* Four times the most entries of a TLB that CPUID of any CPU so far lists for these pages. */
#define SAME_LARGE 16384u
#define SAME_HUGE  4096u
/* Code of which each page is reached by a jump of 32 bits from any other. */
#define CODE_SMALL (64ull << 20)
#define CODE_LARGE 1023u

/* Of each window for an area, which has at most half of that (boot/memory.c). */
#define EACH(i) ((uint64_t)(i) << 38)

#define ENTRIES 512u
#define ABOVE   3u /* tables above the last level, of a mapping within one entry of the highest */

unsigned area_map_tables(uint64_t size)
{
    unsigned small = (unsigned)(size / LARGE_PAGE + size / HUGE_PAGE) + 2 + ABOVE;
    unsigned large = (unsigned)(size / HUGE_PAGE) + 2 + ABOVE, huge = 1 + ABOVE;
    unsigned code = (unsigned)(CODE_SMALL / LARGE_PAGE) + 2 + ABOVE;

    if (size == 0)
        return 0;
    return small + large + huge + code + (SAME_LARGE / ENTRIES + 2 + ABOVE) +
           (SAME_HUGE / ENTRIES + 2 + ABOVE) + (CODE_LARGE / ENTRIES + 2 + ABOVE);
}

/* Returns whether every `page` in [from, end), which it divides, can be mapped by one page. */
static bool is_whole(const struct pagetable *t, uint64_t from, uint64_t end, uint64_t page,
                     uint64_t phys_limit)
{
    if (end > phys_limit || (page == HUGE_PAGE && !t->page_1g))
        return false;
    for (; from < end; from += page)
        if (t->mtrr && !mtrr_uniform(t->mtrr, from, page))
            return false;
    return true;
}

/* Maps the area in small pages. Virtual and physical addresses differ by an odd number of pages
 * modulo 2 MiB, so that no larger page can map it. */
static bool map_small(struct area_map *m, struct pagetable *t, uint64_t phys, uint64_t size)
{
    m->small = (struct area_view){.at = SMALL_VA + EACH(m->index), .bytes = size, .page = PAGE};
    return pagetable_map(t, m->small.at, phys, size, PAGE_WRITE);
}

static bool map_small_code(struct area_map *m, struct pagetable *t, uint64_t phys, uint64_t size)
{
    m->small.code = SMALL_CODE_VA + PAGE;
    m->small.code_bytes = size < CODE_SMALL ? size : CODE_SMALL;
    return pagetable_map(t, m->small.code, phys, m->small.code_bytes, PAGE_EXEC);
}

/* Maps the area in pages of 2 MiB. The addresses differ by 2 MiB modulo 1 GiB: as above. */
static bool map_large(struct area_map *m, struct pagetable *t, uint64_t phys, uint64_t size,
                      uint64_t phys_limit)
{
    uint64_t at = LARGE_VA + EACH(m->index) + phys % HUGE_PAGE + LARGE_PAGE;

    size -= size % LARGE_PAGE;
    if (size == 0 || !is_whole(t, phys, phys + size, LARGE_PAGE, phys_limit))
        return true;
    m->large = (struct area_view){.at = at, .bytes = size, .page = LARGE_PAGE};
    return pagetable_map(t, at, phys, size, PAGE_WRITE);
}

/* Maps the GiB that the area is in, or all of them. */
static bool map_huge(struct area_map *m, struct pagetable *t, uint64_t phys, uint64_t size,
                     uint64_t phys_limit)
{
    uint64_t from = phys - phys % HUGE_PAGE, end = phys + size + HUGE_PAGE - 1;

    end -= end % HUGE_PAGE;
    if (!is_whole(t, from, end, HUGE_PAGE, phys_limit))
        return true;
    m->huge = (struct area_view){
        .at = HUGE_VA + EACH(m->index) + phys % HUGE_PAGE, .bytes = size, .page = HUGE_PAGE};
    return pagetable_map(t, HUGE_VA + EACH(m->index), from, end - from, PAGE_WRITE);
}

/* Maps one page many times. */
static bool map_same(struct pagetable *t, uint64_t at, uint64_t phys, uint64_t page, unsigned n,
                     unsigned rights)
{
    bool good = true;

    for (unsigned i = 0; i < n && good; i++)
        good = pagetable_map(t, at + i * page, phys, page, rights);
    return good;
}

static bool map_same_large(struct area_map *m, struct pagetable *t, uint64_t phys, uint64_t size,
                           uint64_t phys_limit)
{
    if (size < LARGE_PAGE || !is_whole(t, phys, phys + LARGE_PAGE, LARGE_PAGE, phys_limit))
        return true;
    m->same_large = (struct area_view){SAME_LARGE_VA, SAME_LARGE * LARGE_PAGE, LARGE_PAGE,
                                       LARGE_CODE_VA, CODE_LARGE * LARGE_PAGE};
    return map_same(t, SAME_LARGE_VA, phys, LARGE_PAGE, SAME_LARGE, PAGE_WRITE) &&
           map_same(t, LARGE_CODE_VA, phys, LARGE_PAGE, CODE_LARGE, PAGE_EXEC);
}

static bool map_same_huge(struct area_map *m, struct pagetable *t, uint64_t phys,
                          uint64_t phys_limit)
{
    uint64_t from = phys - phys % HUGE_PAGE;

    if (!is_whole(t, from, from + HUGE_PAGE, HUGE_PAGE, phys_limit))
        return true;
    m->same_huge = (struct area_view){
        .at = SAME_HUGE_VA + phys % HUGE_PAGE, .bytes = SAME_HUGE * HUGE_PAGE, .page = HUGE_PAGE};
    return map_same(t, SAME_HUGE_VA, from, HUGE_PAGE, SAME_HUGE, PAGE_WRITE);
}

bool area_map_init(struct area_map *m, unsigned index, struct pagetable *t, uint64_t phys,
                   uint64_t size, uint64_t phys_limit)
{
    *m = (struct area_map){.index = index};
    if (size == 0 || phys + size > phys_limit)
        return true;
    if (!map_small(m, t, phys, size) || !map_large(m, t, phys, size, phys_limit) ||
        !map_huge(m, t, phys, size, phys_limit))
        return false;
    return index > 0 ||
           (map_small_code(m, t, phys, size) && map_same_large(m, t, phys, size, phys_limit) &&
            map_same_huge(m, t, phys, phys_limit));
}
