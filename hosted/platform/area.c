#include "hosted/platform/process.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SMALL_PAGE 4096ull
#define LARGE_PAGE (2ull << 20)
#define LEAST      (16ull << 10) /* bytes: fewer are not an area */
/* Most bytes if the pages cannot be the same memory: the kernel has to clear all of them, which may
 * take half a second. The first-level TLB of no CPU so far reaches more than that. */
#define SAME_MOST (256ull << 20)

static char reason[160];

/* Returns a number of KiB from a file of lines "Name:  123 kB", in bytes; `most` if no line has
 * that name. */
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

/* Of a mapping, unmaps what is before and after [at, at + bytes). */
static void trim(uint8_t *p, uint64_t all, uint8_t *at, uint64_t bytes)
{
    if (at > p)
        (void)munmap(p, (size_t)(at - p));
    (void)munmap(at + bytes, all - (uint64_t)(at - p) - bytes);
}

/* Maps `bytes` bytes of which every page is present, at a multiple of `align`. NULL: not possible;
 * errno says why. A locked process gets its pages as soon as it may access them, so that comes
 * after the advice. */
static uint8_t *map(const struct platform *platform, const struct platform_wish *wish,
                    uint64_t bytes)
{
    int flags = (wish->shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS;
    uint64_t align = wish->page;
    uint64_t all = bytes + align;
    uint8_t *p = mmap(NULL, all, PROT_NONE, flags, -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    uint8_t *at = (uint8_t *)(((uint64_t)p + align - 1) & ~(align - 1));
    trim(p, all, at, bytes);
    /* A kernel without such pages refuses the advice, which is then not needed. */
    (void)madvise(at, bytes, wish->page > SMALL_PAGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    if ((wish->node && !nodes_bind(platform->numa, wish->node - 1, at, bytes)) ||
        mprotect(at, bytes, PROT_READ | PROT_WRITE) != 0) {
        int why = errno;
        (void)munmap(at, bytes);
        errno = why;
        return NULL;
    }
    for (uint64_t i = 0; i < bytes; i += SMALL_PAGE)
        *(volatile uint8_t *)(at + i) = 0;
    return at;
}

/* Returns the flag of mmap() and memfd_create() for pages of this size. */
static unsigned size_flag(uint64_t page)
{
    return (unsigned)__builtin_ctzll(page) << MAP_HUGE_SHIFT;
}

/* Maps pages of the hugetlb pool, at least `least` bytes and at most `bytes` rounded up. */
static bool map_hugetlb(uint64_t page, uint64_t least, uint64_t bytes, struct platform_area *area)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE | (int)size_flag(page);

    for (uint64_t n = (bytes + page - 1) / page; n > 0 && n * page >= least; n /= 2) {
        void *at = mmap(NULL, n * page, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (at == MAP_FAILED)
            continue;
        *area = (struct platform_area){.at = at, .bytes = n * page, .page = page};
        return true;
    }
    return false;
}

/* Returns whether the pool has the page of this file. Without it, reserving addresses for many of
 * them is wasted, and takes QEMU's user emulation a minute. */
static bool has_page(int fd, uint64_t page)
{
    void *p = fd < 0 || ftruncate(fd, (off_t)page) != 0
                  ? MAP_FAILED
                  : mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return p != MAP_FAILED && munmap(p, page) == 0;
}

/* Maps one page of the hugetlb pool as often as there is room for in `bytes`. */
static bool map_same(uint64_t page, uint64_t bytes, struct platform_area *area)
{
    int fd = memfd_create("baretick", MFD_HUGETLB | size_flag(page));
    uint64_t all = (bytes = (bytes + page - 1) & ~(page - 1)) + page;
    uint8_t *p = has_page(fd, page) ? mmap(NULL, all, PROT_NONE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                    : MAP_FAILED;
    bool good = p != MAP_FAILED;

    *area = (struct platform_area){.bytes = bytes, .page = page, .same = true};
    if (good)
        area->at = (uint8_t *)(((uint64_t)p + page - 1) & ~(page - 1));
    for (uint64_t i = 0; i < bytes && good; i += page) {
        good = mmap(area->at + i, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) !=
               MAP_FAILED;
        if (good)
            *(volatile uint8_t *)(area->at + i) = 0;
    }
    if (!good && p != MAP_FAILED)
        (void)munmap(p, all);
    if (fd >= 0)
        (void)close(fd);
    if (good)
        trim(p, all, area->at, bytes);
    return good;
}

static void area_unmap(const struct platform *p, struct platform_area *area)
{
    (void)p;
    (void)munmap(area->at, area->bytes);
    area->at = NULL;
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

/* Maps pages that the kernel gives to any program: of 4 KiB, or transparent huge pages. */
static bool map_usual(const struct platform *p, const struct platform_wish *wish,
                      struct platform_area *area, const char **why)
{
    bool large = wish->page > SMALL_PAGE;
    uint64_t page = wish->page, most = kib_line("/proc/meminfo", "MemAvailable", wish->bytes) / 2;

    if (wish->node && most > nodes_free(p->numa, wish->node - 1) / 2)
        most = nodes_free(p->numa, wish->node - 1) / 2;

    if (wish->same && most > SAME_MOST)
        most = SAME_MOST;
    uint64_t bytes =
        wish->bytes < most ? (wish->bytes + page - 1) & ~(page - 1) : most & ~(page - 1);
    snprintf(reason, sizeof reason, "the system has too little memory available");
    *why = reason;
    for (; bytes >= LEAST && bytes >= page; bytes = bytes / 2 & ~(page - 1)) {
        *area = (struct platform_area){.at = map(p, wish, bytes), .bytes = bytes, .page = page};
        if (area->at)
            return !large || is_large(area, why);
        if (wish->node)
            snprintf(reason, sizeof reason, "%" PRIu64 " KiB of the memory of node %u: %s",
                     bytes >> 10, wish->node - 1, strerror(errno));
        else
            snprintf(reason, sizeof reason, "%" PRIu64 " KiB of memory: %s", bytes >> 10,
                     strerror(errno));
    }
    return false;
}

/* Pages of 1 GiB are only in the hugetlb pool, if an administrator has put them there. */
static bool map_huge(const struct platform_wish *wish, struct platform_area *area, const char **why)
{
    if (wish->same ? map_same(wish->page, wish->bytes, area)
                   : map_hugetlb(wish->page, wish->page, wish->bytes, area))
        return true;
    snprintf(
        reason, sizeof reason,
        "no pages of 1 GiB: the hugetlb pool of the system gave none (%s); kernel command line "
        "hugepagesz=1G hugepages=1 reserves one",
        strerror(errno));
    *why = reason;
    return false;
}

static bool map_wish(const struct platform *p, const struct platform_wish *wish,
                     struct platform_area *area, const char **why)
{
    if (wish->page > LARGE_PAGE)
        return map_huge(wish, area, why);
    if (wish->page > SMALL_PAGE && !wish->node && /* the pool's pages are where they are */
        (wish->same ? map_same(wish->page, wish->bytes, area)
                    : map_hugetlb(wish->page, wish->bytes, wish->bytes, area)))
        return true;
    return map_usual(p, wish, area, why);
}

static bool area_map(const struct platform *p, const struct platform_wish *wish,
                     struct platform_area *area, const char **why)
{
    if (!map_wish(p, wish, area, why))
        return false;
    area->node = wish->node ? (int)wish->node - 1 : NUMA_NONE; /* where the system likes */
    if (wish->code)
        area->code = area->at;
    return true;
}

static bool area_execute(const struct platform *p, const struct platform_area *area, bool execute,
                         const char **why)
{
    int rights = PROT_READ | (execute ? PROT_EXEC : PROT_WRITE);

    (void)p;
    if (mprotect(area->at, area->bytes, rights) == 0)
        return true;
    snprintf(reason, sizeof reason, "the system does not let its memory be executed: %s",
             strerror(errno));
    *why = reason;
    return false;
}

const struct platform_areas process_areas = {area_map, area_unmap, area_execute};
