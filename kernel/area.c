#include "kernel/area.h"
#include "kernel/cpu/instructions.h"
#include "kernel/machine/machine.h"

#define HUGE_PAGE (1ull << 30)

static const struct area_view *view_of(const struct area_map *m, const struct platform_wish *wish)
{
    if (wish->page <= ARENA_PAGE)
        return &m->small;
    if (wish->page >= HUGE_PAGE)
        return wish->same ? &m->same_huge : &m->huge;
    return wish->same ? &m->same_large : &m->large;
}

static const char *why_none(const struct machine *m, const struct platform_wish *wish)
{
    if (m->paging.area.small.bytes == 0)
        return "the firmware had no memory for it in one piece, in reach of the page tables";
    if (wish->page < HUGE_PAGE)
        return "no pages of 2 MiB: MTRRs split the area, or it is smaller than one";
    if (!m->cpu.page_1g)
        return "no pages of 1 GiB (CPUID leaf 8000_0001 EDX[26])";
    return "no pages of 1 GiB: MTRRs split the GiB that the area is in";
}

bool area_of(const struct platform *p, const struct platform_wish *wish, struct platform_area *area,
             const char **why)
{
    const struct machine *m = p->context;
    const struct area_view *v = view_of(&m->paging.area, wish);
    uint64_t there = wish->code && v->code_bytes < v->bytes ? v->code_bytes : v->bytes;

    *why = why_none(m, wish);
    if (v->bytes > 0 && wish->code && !v->code)
        *why = "no mapping of these pages is executable";
    if (there == 0)
        return false;
    *area = (struct platform_area){
        .at = (uint8_t *)v->at,
        .bytes = wish->bytes < there ? wish->bytes : there,
        .page = v->page,
        .same = wish->same && wish->page > ARENA_PAGE,
        .code = wish->code ? (uint8_t *)v->code : NULL,
    };
    return true;
}

void area_free(const struct platform *p, struct platform_area *area)
{
    (void)p;
    area->at = NULL;
}

/* Both mappings are always there. CPUID serialises: the CPU has not seen the writes at the
 * addresses that it executes (SDM vol. 3A section 9.1.3). */
bool area_execute(const struct platform *p, const struct platform_area *area, bool execute,
                  const char **why)
{
    (void)p, (void)area, (void)execute, (void)why;
    (void)cpuid_here(NULL, 0, 0);
    return true;
}
