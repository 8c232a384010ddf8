/* The area for curves over sizes (struct platform_area), on the bare machine: which of its mappings
 * (kernel/cpu/area_map.h) a row gets. */
#ifndef KERNEL_AREA_H
#define KERNEL_AREA_H

#include "bench/api/platform.h"

/* As in struct platform. The platform's context is struct machine. */
bool area_of(const struct platform *p, const struct platform_wish *wish, struct platform_area *area,
             const char **why);
void area_free(const struct platform *p, struct platform_area *area);
bool area_execute(const struct platform *p, const struct platform_area *area, bool execute,
                  const char **why);

#endif
