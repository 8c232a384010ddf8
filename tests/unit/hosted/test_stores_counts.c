#include "hosted/stores/counts.h"

#include "tests/unit/cmocka_unit.h"

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

TEST(a_store_over_a_store_is_dead)
{
    store(0, 8, 8, 1);
    store(1, 8, 8, 2);
    store(1, 8, 8, 3);
    counts_end(&c);
    assert_int_equal(c.by[0].dead, 8); /* the redundant one is blamed, ... */
    assert_int_equal(c.by[1].dead, 8); /* ... even if it is itself */
    assert_int_equal(c.by[0].unread, 0);
    assert_int_equal(c.by[1].unread, 8); /* the fate of the last one is not known */
}

TEST(a_load_saves_the_bytes_that_it_reads)
{
    store(0, 8, 8, 1);
    load(1, 10, 2);
    store(2, 8, 8, 2);
    load(3, 8, 8);
    counts_end(&c);
    assert_int_equal(c.by[0].dead, 6);
    assert_int_equal(c.by[2].dead, 0);
    assert_int_equal(counts_total(&c).unread, 0);
}

TEST(stores_overlap_by_bytes)
{
    store(0, 8, 8, 1);
    store(1, 12, 8, 2); /* the upper half of 0's are dead */
    store(2, 8, 2, 3);  /* two of the lower half */
    store(3, 4, 16, 4); /* 0's other two, all of 1's and 2's */
    counts_end(&c);
    assert_int_equal(c.by[0].dead, 4 + 2 + 2);
    assert_int_equal(c.by[1].dead, 8);
    assert_int_equal(c.by[2].dead, 2);
    assert_int_equal(c.by[3].unread, 16);
}

TEST(the_first_store_is_never_silent)
{
    store(0, 8, 8, 0); /* of the zeros that are there */
    assert_int_equal(c.by[0].silent_stores, 0);
    store(0, 8, 8, 0);
    assert_int_equal(c.by[0].silent_stores, 1);
    store(1, 8, 8, 0); /* by any earlier store there */
    assert_int_equal(c.by[1].silent_stores, 1);
    store(1, 12, 8, 0); /* half of it for the first time */
    assert_int_equal(c.by[1].silent_stores, 1);
    store(1, 12, 8, 0);
    assert_int_equal(c.by[1].silent_stores, 2);
}

TEST(one_byte_that_changes_is_enough)
{
    store(0, 8, 8, 1);
    memory[15] = 7; /* as if stored to by code that is not traced */
    store(0, 8, 8, 1);
    assert_int_equal(c.by[0].silent_stores, 0);
    store(0, 8, 8, 1);
    assert_int_equal(c.by[0].silent_stores, 1);
}

TEST(a_silent_store_can_be_dead_too)
{
    for (unsigned i = 0; i < 10; i++)
        store(0, 8, 4, 5);
    assert_int_equal(c.by[0].stores, 10);
    assert_int_equal(c.by[0].stored, 40);
    assert_int_equal(c.by[0].dead, 36);
    assert_int_equal(c.by[0].silent_stores, 9);
}

TEST(read_modify_write_reads_first)
{
    for (uint8_t i = 0; i < 10; i++) { /* inc dword [8] */
        load(0, 8, 4);
        store(0, 8, 4, i);
    }
    counts_end(&c);
    assert_int_equal(c.by[0].dead, 0);
    assert_int_equal(c.by[0].unread, 4);
    assert_int_equal(c.by[0].silent_stores, 0);
    assert_int_equal(c.by[0].silent_loads, 1); /* its first store was of the 0 that stood there */
}

TEST(a_load_is_silent_by_instruction_and_address)
{
    load(0, 8, 8);
    load(1, 8, 8); /* another instruction's first */
    load(0, 16, 8);
    assert_int_equal(counts_total(&c).silent_loads, 0);
    load(0, 8, 8); /* its last one from there, not its last one */
    assert_int_equal(c.by[0].silent_loads, 1);
    store(2, 15, 1, 9);
    load(0, 8, 8);
    assert_int_equal(c.by[0].silent_loads, 1);
    load(0, 8, 8);
    assert_int_equal(c.by[0].silent_loads, 2);
    load(0, 16, 8);
    assert_int_equal(c.by[0].silent_loads, 3);
}

/* The two examples by which the rules differ: docs/stores.md. */
TEST(bytes_that_are_read_a_second_time_are_reread)
{
    for (unsigned i = 0; i < 1000; i++) { /* the same value each time */
        store(0, 8, 8, 1);
        load(1, 8, 8);
    }
    assert_int_equal(c.by[1].reread_loads, 0);
    assert_int_equal(c.by[1].silent_loads, 999);
    for (unsigned i = 0; i < 1000; i++) { /* another one each time */
        store(2, 64, 8, (uint8_t)i);
        load(3, 64, 8);
        load(4, 64, 8);
    }
    assert_int_equal(c.by[3].reread_loads, 0);
    assert_int_equal(c.by[4].reread_loads, 1000);
    assert_int_equal(c.by[3].silent_loads + c.by[4].silent_loads, 0);
}

TEST(one_byte_that_was_not_read_is_enough)
{
    load(0, 8, 8); /* of memory without a store */
    assert_int_equal(c.by[0].reread_loads, 0);
    load(1, 10, 4); /* by another, of a part */
    assert_int_equal(c.by[1].reread_loads, 1);
    load(1, 12, 8);
    assert_int_equal(c.by[1].reread_loads, 1);
    load(1, 8, 12);
    assert_int_equal(c.by[1].reread_loads, 2);
    store(2, 13, 1, 1);
    load(1, 8, 8);
    assert_int_equal(c.by[1].reread_loads, 2);
    store(2, 13, 1, 2);
    load_lanes(1, 8, 8, 0xdf); /* all but that byte */
    assert_int_equal(c.by[1].reread_loads, 3);
    load(1, 4094, 4); /* on two pages */
    load(1, 4094, 4);
    assert_int_equal(c.by[1].reread_loads, 4);
}

TEST(memory_that_died_is_new)
{
    store(0, 8, 8, 1);
    load(1, 8, 8);
    counts_died(&c, 8, 16);
    store(0, 8, 8, 1);
    load(1, 8, 8);
    assert_int_equal(c.by[0].silent_stores, 0);
    assert_int_equal(c.by[1].silent_loads + c.by[1].reread_loads, 0);
    counts_died(&c, 0, 9); /* a byte of it */
    store(0, 8, 8, 1);
    load(1, 8, 8);
    assert_int_equal(c.by[0].silent_stores, 0);
    assert_int_equal(c.by[1].silent_loads, 0);
    store(0, 8, 8, 1);
    load(1, 8, 8);
    assert_int_equal(c.by[0].silent_stores, 1);
    assert_int_equal(c.by[1].silent_loads, 1);
    counts_died(&c, 16, 24); /* next to it */
    load(1, 8, 8);
    assert_int_equal(c.by[1].silent_loads, 2);
    assert_int_equal(c.by[1].reread_loads, 1);
    assert_int_equal(counts_total(&c).dead, 0);
}

TEST(stored_bytes_that_die_unread_are_dead)
{
    store(0, 4092, 8, 1); /* on two pages */
    load(1, 4092, 2);
    counts_died(&c, 100, 65536); /* and many of which nothing is known */
    assert_int_equal(c.by[0].dead, 6);
    counts_died(&c, 100, 65536); /* once */
    store(2, 4092, 8, 1);
    counts_end(&c);
    assert_int_equal(c.by[0].dead, 6);
    assert_int_equal(c.by[2].unread, 8);
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

TEST(wide_loads_are_compared_in_all_their_bytes)
{
    load(0, 64, 64);
    memory[127] = 1;
    load(0, 64, 64);
    assert_int_equal(c.by[0].silent_loads, 0);
    load(0, 64, 64);
    assert_int_equal(c.by[0].silent_loads, 1);
    load(1, 64, 108);
    memory[64 + 107] = 1; /* beyond the lanes' 64 bits */
    load(1, 64, 108);
    assert_int_equal(c.by[1].silent_loads, 0);
    store(2, 64 + 107, 1, 1);
    load(1, 64, 108);
    assert_int_equal(c.by[1].silent_loads, 1);
    store(2, 64 + 107, 1, 1);
    assert_int_equal(c.by[2].dead, 0);
}

TEST(a_masked_lane_takes_no_part)
{
    store(0, 0, 16, 1);
    store_lanes(1, 0, 16, 0x0f0f, 2); /* dwords 0 and 2 */
    assert_int_equal(c.by[0].dead, 8);
    assert_int_equal(c.by[1].stored, 8);
    load_lanes(2, 0, 16, 0xf0f0); /* what 0 has left */
    store(3, 0, 16, 3);
    assert_int_equal(c.by[0].dead, 8);
    assert_int_equal(c.by[1].dead, 8);
    memory[0] = 9; /* a lane that is not touched may change, ... */
    store_lanes(4, 0, 16, 0xf0f0, 3);
    assert_int_equal(c.by[4].silent_stores, 1);
    load_lanes(2, 0, 16, 0xf0f0);
    memory[1] = 9;
    load_lanes(2, 0, 16, 0xf0f0);
    assert_int_equal(c.by[2].silent_loads, 1); /* ... 1s the first time, then 3s twice */
    store_lanes(5, 0, 16, 0, 7);               /* ... and 0 lanes are not an access */
    load_lanes(5, 0, 16, 0);
    assert_int_equal(c.by[5].stores + c.by[5].loads, 0);
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
