#include "hosted/platform/area.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define SMALL_PAGE 4096ull
#define LARGE_PAGE (2ull << 20)
#define LEAST      (16ull << 10) /* bytes: fewer are no area */

static char reason[160];

/* Returns a number of KiB from a file of lines "Name:  123 kB", in bytes; `most` if it has none. */
static uint64_t kib_line(const char *path, const char *name, uint64_t most)
{
    FILE *f = fopen(path, "re");
    char line[256];
    uint64_t kib;

    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0 &&
            sscanf(line + strlen(name), ": %" SCNu64 " kB", &kib) == 1) {
            most = kib << 10;
            break;
        }
    if (f)
        fclose(f);
    return most;
}

/* Returns the bytes of huge pages in the mapping that begins at `at`. */
static uint64_t huge_bytes(const void *at)
{
    FILE *f = fopen("/proc/self/smaps", "re");
    uint64_t from, kib, found = 0;
    char line[512], rest;
    bool here = false;

    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%" SCNx64 "-%*x %c", &from, &rest) == 2)
            here = from == (uint64_t)at;
        else if (here && sscanf(line, "AnonHugePages: %" SCNu64 " kB", &kib) == 1)
            found = kib << 10;
    }
    if (f)
        fclose(f);
    return found;
}

/* Maps `bytes` bytes of which every page is present, at a multiple of `align`. NULL: not possible;
 * errno says why. */
static uint8_t *map(uint64_t bytes, uint64_t align, int advice)
{
    uint64_t all = bytes + align;
    uint8_t *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    uint8_t *at = (uint8_t *)(((uint64_t)p + align - 1) & ~(align - 1));
    if (at > p)
        (void)munmap(p, (size_t)(at - p));
    (void)munmap(at + bytes, all - (uint64_t)(at - p) - bytes);
    /* Without such pages in the kernel there is nothing to advise. */
    (void)madvise(at, bytes, advice);
    for (uint64_t i = 0; i < bytes; i += SMALL_PAGE)
        *(volatile uint8_t *)(at + i) = 0;
    return at;
}

static bool map_hugetlb(uint64_t bytes, struct platform_area *area)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE, -1, 0);

    if (p == MAP_FAILED)
        return false;
    *area = (struct platform_area){p, bytes, kib_line("/proc/meminfo", "Hugepagesize", LARGE_PAGE)};
    return true;
}

/* Sets *why if too few of the area's pages are large, and unmaps it. */
static bool is_large(struct platform_area *area, const char **why)
{
    uint64_t huge = huge_bytes(area->at);

    if (huge >= area->bytes / 10 * 9)
        return true;
    snprintf(reason, sizeof reason,
             "no pages of 2 MiB: of %" PRIu64 " MiB the kernel gave %" PRIu64
             " MiB as transparent huge pages, and the hugetlb pool has too few",
             area->bytes >> 20, huge >> 20);
    *why = reason;
    area_unmap(NULL, area);
    return false;
}

bool area_map(const struct platform *p, bool large, uint64_t bytes, struct platform_area *area,
              const char **why)
{
    uint64_t page = large ? LARGE_PAGE : SMALL_PAGE;
    uint64_t most = kib_line("/proc/meminfo", "MemAvailable", bytes) / 2;

    (void)p;
    bytes = bytes < most ? (bytes + page - 1) & ~(page - 1) : most & ~(page - 1);
    if (large && map_hugetlb(bytes, area))
        return true;
    snprintf(reason, sizeof reason, "the system has too little memory available");
    *why = reason;
    for (; bytes >= LEAST && bytes >= page; bytes = bytes / 2 & ~(page - 1)) {
        *area = (struct platform_area){map(bytes, page, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE),
                                       bytes, page};
        if (area->at)
            return !large || is_large(area, why);
        snprintf(reason, sizeof reason, "%" PRIu64 " KiB of memory: %s", bytes >> 10,
                 strerror(errno));
    }
    return false;
}

void area_unmap(const struct platform *p, struct platform_area *area)
{
    (void)p;
    (void)munmap(area->at, area->bytes);
    area->at = NULL;
}
