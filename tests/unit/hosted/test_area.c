/*
 * The area for curves over sizes in a process, on a kernel whose hugetlb pool is planted: a page of
 * it is ordinary memory here. What is mapped is unmapped, and a refusal has its reason.
 */
#include "tests/unit/cmocka_unit.h"
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include "hosted/platform/process.h"

#define SMALL_PAGE 4096ull
#define LARGE      (2ull << 20)
#define HUGE       (1ull << 30)

static struct {
    uint64_t pages; /* in the pool; of any size */
    unsigned size;  /* log2 of the size that was asked for last */
} pool;

/* The linker replaces the system calls by these. */
int __wrap_memfd_create(const char *name, unsigned flags);
int __real_memfd_create(const char *name, unsigned flags);
void *__wrap_mmap(void *at, size_t bytes, int rights, int flags, int fd, off_t from);
void *__real_mmap(void *at, size_t bytes, int rights, int flags, int fd, off_t from);
int __wrap_madvise(void *at, size_t bytes, int advice);
int __real_madvise(void *at, size_t bytes, int advice);

int __wrap_memfd_create(const char *name, unsigned flags)
{
    assert_true(flags & MFD_HUGETLB);
    pool.size = flags >> MAP_HUGE_SHIFT;
    if (pool.pages == 0) {
        errno = ENOMEM;
        return -1;
    }
    return __real_memfd_create(name, 0);
}

void *__wrap_mmap(void *at, size_t bytes, int rights, int flags, int fd, off_t from)
{
    if (flags & MAP_HUGETLB) {
        pool.size = (unsigned)flags >> MAP_HUGE_SHIFT;
        if (bytes >> pool.size > pool.pages) {
            errno = ENOMEM;
            return MAP_FAILED;
        }
        flags &= ~(int)(MAP_HUGETLB | MAP_POPULATE | 63u << MAP_HUGE_SHIFT);
    }
    return __real_mmap(at, bytes, rights, flags, fd, from);
}

static unsigned advised, present; /* times that advice was given; pages that were there by then */

int __wrap_madvise(void *at, size_t bytes, int advice)
{
    static unsigned char in_memory[64];

    advised++;
    assert_in_range(bytes >> 12, 1, sizeof in_memory);
    assert_int_equal(mincore(at, bytes, in_memory), 0);
    for (size_t i = 0; i < bytes >> 12; i++)
        present += in_memory[i] & 1;
    return __real_madvise(at, bytes, advice);
}

/* Returns the mappings of this process. */
static unsigned mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "re");
    unsigned n = 0;

    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;)
        n += c == '\n';
    fclose(f);
    return n;
}

TEST(one_page_is_mapped_many_times)
{
    const struct platform_wish wish = {.page = LARGE, .bytes = 40 * LARGE - 1, .same = true};
    struct platform_area area;
    const char *why = NULL;

    pool.pages = 1;
    assert_true(process_areas.map(NULL, &wish, &area, &why));
    assert_int_equal(pool.size, 21);
    assert_int_equal(area.bytes, 40 * LARGE);
    assert_int_equal(area.page, LARGE);
    assert_int_equal((uint64_t)area.at % LARGE, 0);
    assert_true(area.same);
    assert_null(area.code);
    for (unsigned i = 0; i < 40; i++)
        area.at[i * LARGE + i] = (uint8_t)(i + 1);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(area.at[39 * LARGE + i], i + 1);
    process_areas.free(NULL, &area);
    assert_null(area.at);
}

TEST(a_released_area_is_unmapped)
{
    const struct platform_wish wish = {.page = LARGE, .bytes = 8 * LARGE, .same = true};
    struct platform_area area;
    const char *why;

    pool.pages = 1;
    mappings(); /* what the sanitizer maps for it stays */
    unsigned before = mappings();
    assert_true(process_areas.map(NULL, &wish, &area, &why));
    assert_true(mappings() > before);
    process_areas.free(NULL, &area);
    assert_int_equal(mappings(), before);
}

TEST(as_many_pages_of_1_gib_are_mapped_as_there_are)
{
    struct platform_wish wish = {.page = HUGE, .bytes = 3 * HUGE};
    struct platform_area area;
    const char *why = NULL;

    pool.pages = 2; /* fewer than that: what there is */
    assert_true(process_areas.map(NULL, &wish, &area, &why));
    assert_int_equal(pool.size, 30);
    assert_int_equal(area.bytes, HUGE);
    assert_int_equal(area.page, HUGE);
    assert_false(area.same);
    process_areas.free(NULL, &area);
    pool.pages = 0;
    assert_false(process_areas.map(NULL, &wish, &area, &why));
    assert_non_null(strstr(why, "1 GiB"));
    wish.same = true;
    why = NULL;
    assert_false(process_areas.map(NULL, &wish, &area, &why));
    assert_non_null(strstr(why, "1 GiB"));
}

/* mlockall() makes pages present as they are mapped: then it is too late to ask for large ones. */
TEST(advice_comes_before_the_pages)
{
    const struct platform_wish wish = {.page = SMALL_PAGE, .bytes = 16 * SMALL_PAGE};
    struct platform_area area;
    const char *why = NULL;

    int locked = mlockall(MCL_FUTURE);
    advised = present = 0;
    bool mapped = process_areas.map(NULL, &wish, &area, &why);
    if (locked == 0)
        assert_int_equal(munlockall(), 0);
    assert_true(mapped);
    assert_int_equal(advised, 1);
    assert_int_equal(present, 0);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(area.at[i * SMALL_PAGE], 0);
    process_areas.free(NULL, &area);
}

TEST(code_is_executed_where_it_was_written)
{
    const struct platform_wish wish = {.page = SMALL_PAGE, .bytes = 16 * SMALL_PAGE, .code = true};
    static const uint8_t returns_7[] = {0xb8, 7, 0, 0, 0, 0xc3}; /* MOV EAX, 7; RET */
    struct platform_area area;
    const char *why = NULL;
    int (*function)(void);

    assert_true(process_areas.map(NULL, &wish, &area, &why));
    assert_ptr_equal(area.code, area.at);
    for (unsigned i = 0; i < 2; i++) { /* executable, and writable again */
        assert_true(process_areas.execute(NULL, &area, false, &why));
        memcpy(area.at + i * SMALL_PAGE, returns_7, sizeof returns_7);
        assert_true(process_areas.execute(NULL, &area, true, &why));
        const uint8_t *entry = area.code + i * SMALL_PAGE;
        memcpy(&function, &entry, sizeof function);
        assert_int_equal(function(), 7);
    }
    process_areas.free(NULL, &area);
    assert_false(process_areas.execute(
        NULL, &(struct platform_area){.at = area.code, .bytes = SMALL_PAGE}, true, &why));
    assert_non_null(strstr(why, "executed"));
}
