/* The large area of memory for curves over sizes (struct platform_area), in a process. */
#ifndef HOSTED_PLATFORM_AREA_H
#define HOSTED_PLATFORM_AREA_H

#include "bench/api/platform.h"

/*
 * As platform.area. Takes at most half of the memory that the system has available, and less if the
 * process may not have so much. Large pages are
 * those of the hugetlb pool if it has enough, else transparent huge pages; where the kernel gives
 * fewer than 9 in 10, that is no such area, and *why says what it gave. Small pages are mapped with
 * transparent huge pages forbidden.
 */
bool area_map(const struct platform *p, bool large, uint64_t bytes, struct platform_area *area,
              const char **why);
void area_unmap(const struct platform *p, struct platform_area *area);

#endif
