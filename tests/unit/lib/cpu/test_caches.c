#include "lib/cpu/caches.h"

#include "tests/unit/made_cpu.h"
#include "tests/unit/cmocka_unit.h"

static struct cache cache[CACHES_MAX];
static struct tlb tlb[TLBS_MAX];

static unsigned caches_made(void)
{
    struct dump_cpu boot;
    struct cpu c = made_cpu(&boot);

    return caches_decode(cache, &c, cpuid_dump_get, &boot);
}

static unsigned tlbs_made(void)
{
    struct dump_cpu boot;
    struct cpu c = made_cpu(&boot);

    return tlbs_decode(tlb, &c, cpuid_dump_get, &boot);
}

static void expect(unsigned i, unsigned level, enum cache_type type, uint64_t kib, uint32_t line,
                   uint32_t ways)
{
    assert_int_equal(cache[i].level, level);
    assert_int_equal(cache[i].type, type);
    assert_true(cache[i].size == kib << 10);
    assert_int_equal(cache[i].line, line);
    assert_int_equal(cache[i].ways, ways);
}

static void expect_tlb(unsigned i, unsigned level, enum tlb_type type, unsigned pages,
                       uint32_t entries, unsigned ways)
{
    assert_int_equal(tlb[i].level, level);
    assert_int_equal(tlb[i].type, type);
    assert_int_equal(tlb[i].pages, pages);
    assert_int_equal(tlb[i].entries, entries);
    assert_int_equal(tlb[i].ways, ways);
}

TEST(leaf_4_describes_caches)
{
    made_vendor("GenuineIntel", 4);
    made_model(6, 0x97, 0, 0, 0);
    made_leaf_of(0, 4, 0, (struct cpuid_regs){0xfc004121, 0x02c0003f, 0x3f, 0});
    made_leaf_of(0, 4, 1, (struct cpuid_regs){0xfc01c143, 0x0240003f, 0x7ff, 0});
    made_leaf_of(0, 4, 2, (struct cpuid_regs){0xfc1fc363, 0x0000303f, 0x3, 0}); /* 4 partitions */
    assert_int_equal(caches_made(), 3);
    expect(0, 1, CACHE_DATA, 48, 64, 12);
    assert_int_equal(cache[0].shared_bits, 1);
    expect(1, 2, CACHE_UNIFIED, 1280, 64, 10);
    assert_int_equal(cache[1].shared_bits, 3);
    expect(2, 3, CACHE_UNIFIED, 1, 64, 0); /* EAX[9]: fully associative */
    assert_int_equal(cache[2].shared_bits, 7);
    assert_true(cache[2].shared_known);
}

/* A leaf that never ends with type 0 ends nevertheless. */
TEST(an_endless_leaf_4_is_bounded)
{
    made_vendor("GenuineIntel", 4);
    made_model(6, 0x97, 0, 0, 0);
    for (uint32_t i = 0; i < 50; i++)
        made_leaf_of(0, 4, i, (struct cpuid_regs){0x121, 0x02c0003f, 0x3f, 0});
    assert_int_equal(caches_made(), CACHES_MAX);
    made.leaf[2].regs.eax = 0x124; /* no such type */
    assert_int_equal(caches_made(), 0);
}

/* Tulsa's leaf 4 was recorded without its lower levels; leaf 2 has them. */
TEST(cpuid_2_describes_caches_that_other_leaves_lack)
{
    made_vendor("GenuineIntel", 4);
    made_model(0xf, 6, 0, 0, 0);
    made_leaf(2, 0x605b5001, 0x49, 0x80000066, 0x7c7040); /* ECX[31]: nothing valid in it */
    made_leaf(4, 0x4121, 0x01c0003f, 0x1f, 0);
    assert_int_equal(caches_made(), 3);
    expect(0, 1, CACHE_DATA, 16, 64, 8);
    assert_true(cache[0].shared_known);
    expect(1, 3, CACHE_UNIFIED, 4096, 64, 16); /* 49h on this model */
    assert_false(cache[1].shared_known);
    expect(2, 2, CACHE_UNIFIED, 1024, 64, 8);
    assert_int_equal(tlbs_made(), 2);
    expect_tlb(0, 1, TLB_INSTRUCTION, TLB_4K | TLB_2M | TLB_4M, 64, 0);
    expect_tlb(1, 1, TLB_DATA, TLB_4K | TLB_4M, 64, 0);
}

TEST(a_byte_can_be_two_tlbs)
{
    made_vendor("GenuineIntel", 2);
    made_model(6, 0x3c, 0, 0, 0);
    made_leaf(2, 0x63000001, 0, 0, 0x000000c3);
    assert_int_equal(tlbs_made(), 4);
    expect_tlb(0, 1, TLB_DATA, TLB_2M | TLB_4M, 32, 4);
    expect_tlb(1, 1, TLB_DATA, TLB_1G, 4, 4);
    expect_tlb(3, 2, TLB_UNIFIED, TLB_1G, 16, 4);
    assert_int_equal(caches_made(), 0);
}

/* Every byte that is a cache has a size and its own line, and none is also a TLB. */
TEST(every_descriptor_has_a_size_and_a_line)
{
    unsigned caches = 0, tlbs = 0;

    for (uint32_t byte = 0; byte < 256; byte++) {
        made_vendor("GenuineIntel", 2);
        made_model(6, 0x3c, 0, 0, 0);
        made_leaf(2, byte << 8 | 1, 0, 0, 0);
        unsigned n = tlbs_made();
        tlbs += n;
        if (caches_made() == 0)
            continue;
        caches++;
        assert_int_equal(n, 0);
        uint64_t lines = cache[0].size / cache[0].line;
        assert_true(lines * cache[0].line == cache[0].size && lines % cache[0].ways == 0);
    }
    assert_int_equal(caches, 63); /* rows of the manual's table, traces and prefetch left out */
    assert_int_equal(tlbs, 43);   /* two rows give two */
}

TEST(leaf_18_describes_tlbs)
{
    made_vendor("GenuineIntel", 0x18);
    made_model(6, 0x97, 0, 0, 0);
    made_leaf(2, 0x605b5001, 0, 0, 0);                         /* not asked where 18h answers */
    made_leaf_of(0, 0x18, 0, (struct cpuid_regs){3, 0, 0, 0}); /* a hole */
    made_leaf_of(0, 0x18, 1, (struct cpuid_regs){0, 0x00080001, 0x20, 0x22});
    made_leaf_of(0, 0x18, 2, (struct cpuid_regs){0, 0x0010000f, 1, 0x125});
    made_leaf_of(0, 0x18, 3, (struct cpuid_regs){0, 0x00080009, 0x80, 0x43});
    made_leaf_of(0, 0x18, 4, (struct cpuid_regs){0, 0x00080009, 0x80, 0x43}); /* beyond the last */
    assert_int_equal(tlbs_made(), 3);
    expect_tlb(0, 1, TLB_INSTRUCTION, TLB_4K, 256, 8);
    expect_tlb(1, 1, TLB_STORE, TLB_4K | TLB_2M | TLB_4M | TLB_1G, 16, 0);
    expect_tlb(2, 2, TLB_UNIFIED, TLB_4K | TLB_1G, 1024, 8);
    made.leaf[3].regs.eax = ~0u;
    made.leaf[4].regs.ecx = ~0u; /* more entries than a number holds */
    assert_int_equal(tlbs_made(), 3);
}

TEST(old_amd_leaves_describe_caches_and_tlbs)
{
    made_vendor("AuthenticAMD", 5);
    made_model(0x10, 2, 0, 0, 0);
    made_leaf(0x80000000, 0x80000019, 0, 0, 0);
    made_leaf(0x80000005, 0xff30ff10, 0xff30ff20, 0x40020140, 0x40020140);
    made_leaf(0x80000006, 0x20800000, 0x42004200, 0x02008140, 0x0030b140);
    made_leaf(0x80000019, 0xf0300000, 0, 0, 0);
    assert_int_equal(caches_made(), 4);
    expect(0, 1, CACHE_DATA, 64, 64, 2);
    expect(1, 1, CACHE_INSTRUCTION, 64, 64, 2);
    expect(2, 2, CACHE_UNIFIED, 512, 64, 16);
    expect(3, 3, CACHE_UNIFIED, 6144, 64, 48);
    assert_true(cache[2].shared_known);
    assert_false(cache[3].shared_known);
    assert_int_equal(tlbs_made(), 8);
    expect_tlb(0, 1, TLB_DATA, TLB_4K, 48, 0);
    expect_tlb(1, 1, TLB_INSTRUCTION, TLB_4K, 32, 0);
    expect_tlb(4, 2, TLB_DATA, TLB_4K, 512, 4);
    expect_tlb(6, 2, TLB_DATA, TLB_2M, 128, 2);
    expect_tlb(7, 1, TLB_DATA, TLB_1G, 48, 0);
    /* VIA has these two leaves as well, but no L3 and no second TLB in them. */
    memcpy(&made.leaf[0].regs.ebx, "Cent", 4);
    memcpy(&made.leaf[0].regs.edx, "aurH", 4);
    memcpy(&made.leaf[0].regs.ecx, "auls", 4);
    assert_int_equal(caches_made(), 3);
    assert_int_equal(tlbs_made(), 4);
}

/* Zen 5, as recorded: second-level TLBs in units of 32 entries. */
TEST(tlbs_are_counted_in_units_of_32)
{
    made_vendor("AuthenticAMD", 0x10);
    made_model(0x1a, 0x44, 0, 0, 0);
    made_leaf(0x80000000, 0x80000021, 0, 0, 0);
    made_leaf(0x80000005, 0xff60ff40, 0xff60ff40, 0x300c0140, 0x20080140);
    made_leaf(0x80000006, 0x40802040, 0x60804040, 0x04008140, 0x02009140);
    made_leaf(0x80000019, 0xf060f040, 0x40200000, 0, 0);
    made_leaf(0x80000021, 0x593fffcf, 0, 0, 0);
    assert_int_equal(tlbs_made(), 11);
    expect_tlb(0, 1, TLB_DATA, TLB_4K, 96, 0);
    expect_tlb(4, 2, TLB_DATA, TLB_4K, 4096, 8);
    expect_tlb(5, 2, TLB_INSTRUCTION, TLB_4K, 2048, 4);
    expect_tlb(8, 1, TLB_DATA, TLB_1G, 96, 0);
    expect_tlb(10, 2, TLB_DATA, TLB_1G, 1024, 4);
}

TEST(a_cpu_without_leaves_has_no_caches)
{
    made_none();
    assert_int_equal(caches_made(), 0);
    assert_int_equal(tlbs_made(), 0);
    made_vendor("GenuineIntel", 1);
    assert_int_equal(caches_made(), 0);
    assert_int_equal(tlbs_made(), 0);
}
