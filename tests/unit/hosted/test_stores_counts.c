#include "hosted/stores/counts.h"

#include "tests/unit/cmocka_unit.h"
#include <inttypes.h>

/* A machine of 64 KiB that reports what its instructions do. */
static uint8_t memory[1 << 16];
static struct counts c;

static void begin(void)
{
    memset(memory, 0, sizeof memory);
}

static void end(void)
{
    assert_false(c.full);
    counts_close(&c);
}

static void load_lanes(uint32_t who, uint64_t at, uint32_t size, uint64_t lanes)
{
    counts_load(&c, who, who, &(struct touch){at, size, true, false, lanes}, memory + at);
}

static void load(uint32_t who, uint64_t at, uint32_t size)
{
    load_lanes(who, at, size, TOUCH_ALL);
}

/* Every lane gets the byte. */
static void store_lanes(uint32_t who, uint64_t at, uint32_t size, uint64_t lanes, uint8_t byte)
{
    const struct touch t = {at, size, false, true, lanes};
    uint8_t before[TOUCH_BYTES];

    memcpy(before, memory + at, size);
    for (uint32_t i = 0; i < size; i++)
        if (touch_has(&t, i))
            memory[at + i] = byte;
    counts_store(&c, who, &t, before, memory + at);
}

static void store(uint32_t who, uint64_t at, uint32_t size, uint8_t byte)
{
    store_lanes(who, at, size, TOUCH_ALL, byte);
}

BEFORE_EACH(begin);
AFTER_EACH(end);

static uint64_t counted(char what, const struct counted *of)
{
    switch (what) {
    case 'd':
        return of->dead;
    case 'u':
        return of->unread;
    case 'S':
        return of->silent_stores;
    case 'L':
        return of->silent_loads;
    case 'R':
        return of->reread_loads;
    case 'b':
        return of->stored;
    default:
        assert_int_equal(what, 'n');
        return of->stores + of->loads;
    }
}

/*
 * Does what a script says, word by word. I is an instruction, AT an address, N a number of bytes,
 * LANES those that are touched, all if they are left out:
 *
 *     sI:AT+N/LANES=BYTE   a store of the byte         lI:AT+N/LANES   a load
 *     mAT=BYTE             the memory changes, by code that is not traced
 *     xAT-AT               the memory dies             e   the trace ends
 *     ?Id=N                the dead bytes of I are N; so u (not read), S and L (silent stores and
 *                          loads), R (reread loads), b (stored bytes), n (accesses); I is *: of all
 */
static void run(const char *script)
{
    char copy[1024];

    assert_in_range(strlen(script), 1, sizeof copy - 1);
    strcpy(copy, script);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        unsigned who = 0, at, n, byte;
        char what;
        uint64_t lanes = TOUCH_ALL;
        if (sscanf(word, "?%u%c=%u", &who, &what, &n) == 3) {
            if (counted(what, &c.by[who]) != n)
                fail_msg("%s: %u of \"%s\"", word, (unsigned)counted(what, &c.by[who]), script);
        } else if (sscanf(word, "?*%c=%u", &what, &n) == 2) {
            struct counted all = counts_total(&c);
            assert_int_equal(counted(what, &all), n);
        } else if (sscanf(word, "s%u:%u+%u/%" SCNx64 "=%u", &who, &at, &n, &lanes, &byte) == 5 ||
                   sscanf(word, "s%u:%u+%u=%u", &who, &at, &n, &byte) == 4) {
            store_lanes(who, at, n, lanes, (uint8_t)byte);
        } else if (sscanf(word, "l%u:%u+%u/%" SCNx64, &who, &at, &n, &lanes) >= 3) {
            load_lanes(who, at, n, lanes);
        } else if (sscanf(word, "m%u=%u", &at, &byte) == 2) {
            memory[at] = (uint8_t)byte;
        } else if (sscanf(word, "x%u-%u", &at, &n) == 2) {
            counts_died(&c, at, n);
        } else {
            assert_string_equal(word, "e");
            counts_end(&c);
        }
    }
}

#define EACH_SCRIPT(...)                                                                           \
    static const char *const scripts[] = {__VA_ARGS__};                                            \
    EACH_CASE (script, scripts) {                                                                  \
        begin();                                                                                   \
        run(*script);                                                                              \
        if (script + 1 < scripts + COUNT_OF(scripts))                                              \
            end();                                                                                 \
    }

/* The redundant one is blamed, even if it is the store itself. A load saves the bytes that it
 * reads. The fate of the last store is not known. */
TEST(a_store_over_a_store_is_dead_in_the_bytes_that_were_not_read)
{
    EACH_SCRIPT("s0:8+8=1 s1:8+8=2 s1:8+8=3 e ?0d=8 ?1d=8 ?0u=0 ?1u=8",
                "s0:8+8=1 l1:10+2 s2:8+8=2 l3:8+8 e ?0d=6 ?2d=0 ?*u=0",
                "s0:8+8=1 s1:12+8=2 s2:8+2=3 s3:4+16=4 e ?0d=8 ?1d=8 ?2d=2 ?3u=16");
}

/* Of any earlier store there, of all its bytes. Not a first store of the zeros that are there. */
TEST(a_store_of_what_was_stored_there_is_silent)
{
    EACH_SCRIPT("s0:8+8=0 ?0S=0 s0:8+8=0 ?0S=1 s1:8+8=0 ?1S=1 s1:12+8=0 ?1S=1 s1:12+8=0 ?1S=2",
                "s0:8+8=1 m15=7 s0:8+8=1 ?0S=0 s0:8+8=1 ?0S=1",
                "s0:8+4=5 s0:8+4=5 s0:8+4=5 s0:8+4=5 ?0n=4 ?0b=16 ?0d=12 ?0S=3");
}

/* inc dword [8]: its first store is of the 0 that is there. */
TEST(read_modify_write_reads_first)
{
    EACH_SCRIPT("l0:8+4 s0:8+4=0 l0:8+4 s0:8+4=1 l0:8+4 s0:8+4=2 e ?0d=0 ?0u=4 ?0S=0 ?0L=1");
}

/* The same instruction's last one from there, and not the last of all. */
TEST(a_load_is_silent_by_instruction_and_address)
{
    EACH_SCRIPT("l0:8+8 l1:8+8 l0:16+8 ?*L=0 l0:8+8 ?0L=1 s2:15+1=9 l0:8+8 ?0L=1 l0:8+8 ?0L=2 "
                "l0:16+8 ?0L=3",
                "l0:64+64 m127=1 l0:64+64 ?0L=0 l0:64+64 ?0L=1", /* all bytes of wide ones, ... */
                "l1:64+108 m171=1 l1:64+108 ?1L=0 s2:171+1=1 l1:64+108 ?1L=1 " /* beyond 64 lanes */
                "s2:171+1=1 ?2d=0");
}

/* The two examples by which the rules differ, docs/stores.md: of the same value each time, and of
 * another one each time. Then bytes that were loaded by another instruction, in part, on two
 * pages. */
TEST(bytes_that_are_read_a_second_time_are_reread)
{
    EACH_SCRIPT("s0:8+8=1 l1:8+8 s0:8+8=1 l1:8+8 s0:8+8=1 l1:8+8 ?1R=0 ?1L=2",
                "s2:64+8=1 l3:64+8 l4:64+8 s2:64+8=2 l3:64+8 l4:64+8 ?3R=0 ?4R=2 ?3L=0 ?4L=0",
                "l0:8+8 ?0R=0 l1:10+4 ?1R=1 l1:12+8 ?1R=1 l1:8+12 ?1R=2 s2:13+1=1 l1:8+8 ?1R=2 "
                "s2:13+1=2 l1:8+8/df ?1R=3 l1:4094+4 l1:4094+4 ?1R=4");
}

/* Of all bytes, of a byte, of bytes next to it. */
TEST(memory_that_died_is_new)
{
    EACH_SCRIPT("s0:8+8=1 l1:8+8 x8-16 s0:8+8=1 l1:8+8 ?0S=0 ?1L=0 ?1R=0 "
                "x0-9 s0:8+8=1 l1:8+8 ?0S=0 ?1L=0 s0:8+8=1 l1:8+8 ?0S=1 ?1L=1 "
                "x16-24 l1:8+8 ?1L=2 ?1R=1 ?*d=0");
}

/* On two pages, and many bytes of which nothing is known; once. */
TEST(stored_bytes_that_die_unread_are_dead)
{
    EACH_SCRIPT("s0:4092+8=1 l1:4092+2 x100-65536 ?0d=6 x100-65536 s2:4092+8=1 e ?0d=6 ?2u=8");
}

/* Dwords 0 and 2, then what is left. A lane that is not touched may change; no lanes are no
 * access. */
TEST(a_masked_lane_takes_no_part)
{
    EACH_SCRIPT("s0:0+16=1 s1:0+16/f0f=2 ?0d=8 ?1b=8 l2:0+16/f0f0 s3:0+16=3 ?0d=8 ?1d=8 "
                "m0=9 s4:0+16/f0f0=3 ?4S=1 l2:0+16/f0f0 m1=9 l2:0+16/f0f0 ?2L=1 "
                "s5:0+16/0=7 l5:0+16/0 ?5n=0");
}

/* An instruction that runs in several call stacks has several sites. */
TEST(a_site_has_its_own_counts)
{
    const struct touch t = {8, 8, true, true, TOUCH_ALL};

    counts_load(&c, 0, 5, &t, memory + 8);
    counts_load(&c, 1, 5, &t, memory + 8);
    counts_store(&c, 0, &t, memory + 8, memory + 8);
    counts_store(&c, 1, &t, memory + 8, memory + 8);
    assert_int_equal(c.by[0].loads, 1);
    assert_int_equal(c.by[1].silent_loads, 1); /* the same instruction's, whatever called it */
    assert_int_equal(c.by[0].dead, 8);
    assert_int_equal(c.by[1].dead, 0);
}

TEST(sizes_are_distinguished)
{
    store(0, 0, 8, 1);
    store(0, 0, 1, 1);
    store_lanes(0, 0, 16, 0xff, 1);
    load(0, 0, 64);
    load(0, 0, 108);
    assert_int_equal(c.stores_of[8], 2);
    assert_int_equal(c.stores_of[1], 1);
    assert_int_equal(c.loads_of[64], 1);
    assert_int_equal(c.loads_of[65], 1);
}

/* Compared with plain arrays, over many pages, so that the tables grow. */
TEST(many_accesses_agree_with_plain_arrays)
{
    static uint8_t unread[1 << 16], stored[1 << 16], last[1 << 16], loaded[1 << 16], read[1 << 16];
    uint64_t x = 1, dead = 0, left = 0, silent = 0, reread = 0, touches = 0;

    for (unsigned i = 0; i < 300000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint64_t at = x >> 48;
        uint8_t byte = x >> 40 & 1;
        if ((x >> 30 & 31) == 0) {
            dead += unread[at];
            unread[at] = stored[at] = loaded[at] = read[at] = 0;
            counts_died(&c, at, at + 1);
            continue;
        }
        touches++;
        if (x >> 47 & 1) {
            dead += unread[at];
            silent += stored[at] && memory[at] == byte;
            unread[at] = stored[at] = 1;
            read[at] = 0;
            store((uint32_t)(at % 7), at, 1, byte);
        } else {
            unread[at] = 0;
            silent += loaded[at] && last[at] == memory[at];
            reread += read[at];
            loaded[at] = read[at] = 1;
            last[at] = memory[at];
            load((uint32_t)(at % 7), at, 1);
        }
    }
    for (size_t i = 0; i < sizeof unread; i++)
        left += unread[i];
    counts_end(&c);
    struct counted all = counts_total(&c);
    assert_int_equal(all.dead, dead);
    assert_int_equal(all.unread, left);
    assert_int_equal(all.silent_stores + all.silent_loads, silent);
    assert_int_equal(all.reread_loads, reread);
    assert_int_equal(all.stores + all.loads, touches);
    assert_true(dead > 1000 && left > 1000 && silent > 1000 && reread > 1000);
}
