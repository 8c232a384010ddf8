#include "kernel/entry.h"
#include "bench/api/kind.h"
#include "bench/api/platform.h"
#include "bench/api/registry.h"
#include "kernel/console/display.h"
#include "kernel/cores/smp.h"
#include "kernel/cpu/instructions.h"
#include "kernel/machine/machine.h"
#include "lib/cpu/caches.h"
#include "lib/memory/sizes.h"

/* One bit per cache line takes 1/512 of the area, which has whole pages. */
#define AREA_PARTS 512
#define AREA_MORE  (4ull << 20)

/* Returns the bytes of the area for curves over sizes. cores: that measure one of them at once. */
static uint64_t area_need(unsigned cores)
{
    struct cache cache[CACHES_MAX];
    struct cpu cpu;

    cpu_decode(&cpu, cpuid_here, NULL);
    unsigned n = caches_decode(cache, &cpu, cpuid_here, NULL);
    uint64_t wanted = sizes_wanted(caches_largest(cache, n)) * caches_domains(cache, n, cores);
    return (wanted + wanted / AREA_PARTS + AREA_MORE) & ~(AREA_MORE - 1);
}

static struct handoff_rows needs_of(const struct options *o, unsigned cores)
{
    struct handoff_rows needs = {.data = registry_data_size()};
    struct core_list named;
    bool right = core_list_parse(&named, o->cores);
    unsigned at_it = right ? core_list_count(&named, cores) : 1,
             meet = right ? core_list_meet(&named, cores) : 1;
    size_t n;
    const struct bench *const *all = registry(&n);

    for (size_t i = 0; i < n; i++) {
        bool selected = registry_selects(o, all[i]);
        needs.rows += selected ? at_it : 0;
        const struct kind *kind = all[i]->kind;
        if (!selected || !kind)
            continue;
        uint64_t area = kind->needs_area ? area_need(kind->conducted ? meet : 1) : 0;
        needs.area = area > needs.area ? area : needs.area;
        needs.pairs += kind->pairs ? kind->pairs(meet) : 0;
    }
    return needs;
}

uint64_t kernel_arena_need(struct handoff *h)
{
    const struct options *o = &h->options;
    unsigned cores = h->cores;

    h->needs = needs_of(o, cores);
    uint64_t need = arena_stack_cost(KERNEL_STACK_SIZE) + core_cost(0) + paging_cost(h) +
                    arena_cost(sizeof(struct madt)) + cores_cost(h) + core_controls_cost(cores) +
                    (h->framebuffer.size ? screen_cost() : 0) +
                    arena_cost(bench_memory_need(o, cores) * sizeof(uint64_t));

    if (h->borrowed)
        need += machine_log_cost(h) + arena_cost(sizeof(struct irq_opened));
    return need;
}
