/* The large area of memory for curves over sizes (struct platform_area), in a process. */
#ifndef HOSTED_PLATFORM_AREA_H
#define HOSTED_PLATFORM_AREA_H

#include "bench/api/platform.h"

/*
 * As platform.area. Takes at most half of the memory that the system has available, and less if the
 * process may not have as much.
 * - Pages of 4 KiB are mapped with transparent huge pages forbidden.
 * - Pages of 2 MiB are those of the hugetlb pool if it has enough, else transparent huge pages;
 *   where the kernel gives fewer than 9 in 10, there is no such area, and *why says what it gave.
 * - Pages of 1 GiB are those of the hugetlb pool.
 * - Pages that may be the same memory are one page of the pool, mapped many times, else at most 1
 *   GiB of transparent huge pages.
 */
bool area_map(const struct platform *p, const struct platform_wish *wish,
              struct platform_area *area, const char **why);
void area_unmap(const struct platform *p, struct platform_area *area);

/* As platform.area_execute. The area is then not writable. */
bool area_execute(const struct platform *p, const struct platform_area *area, bool execute,
                  const char **why);

#endif
