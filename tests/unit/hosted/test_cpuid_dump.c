#include "hosted/replay/replay.h"

#include "tests/unit/cmocka_unit.h"

static struct cpuid_dump d;
static char wrong[200];

/* From a block of exactly the text's size. */
static bool parse(const char *text)
{
    size_t n = strlen(text);
    uint8_t *exact = malloc(n > 0 ? n : 1);

    assert_non_null(exact);
    memcpy(exact, text, n);
    cpuid_dump_free(&d);
    bool good = cpuid_dump_parse(&d, exact, n, wrong, sizeof wrong);
    free(exact);
    return good;
}

static void after(void)
{
    cpuid_dump_free(&d);
}

AFTER_EACH(after);

#define LEAF_0 "cpuid 0 00000000 00000000 0000000d 68747541 444d4163 69746e65\n"

TEST(a_recording_has_its_leaves_and_msrs)
{
    assert_true(parse("# words \xff\r\n\r\n" LEAF_0 "cpuid 0 4 0 1 2 3 FFFFFFFF\n"
                      "cpuid 0 4 0 5 6 7 8\n"
                      " \tcpuid  7 4 1 9 9 9 9 \r\n"
                      "msr 0000001b 00000000fee00900\nmsr 10a fault\nmsr c0010064 "
                      "ffffffffffffffff"));
    assert_int_equal(d.cpus, 2);
    assert_int_equal(d.cpu[1], 7);
    struct dump_cpu zero = {&d, 0}, seven = {&d, 7}, eight = {&d, 8};
    assert_int_equal(cpuid_dump_get(&zero, 4, 0).edx, 0xffffffff);
    assert_int_equal(cpuid_dump_get(&zero, 4, 1).eax, 5); /* the second of subleaf 0 */
    assert_int_equal(cpuid_dump_get(&zero, 4, 2).eax, 0);
    assert_int_equal(cpuid_dump_get(&seven, 4, 1).eax, 9);
    assert_int_equal(cpuid_dump_get(&seven, 4, 0).eax, 1); /* CPU 0 answers */
    assert_int_equal(cpuid_dump_get(&eight, 4, 0).eax, 1);
    assert_true(cpuid_dump_has(&zero, 4, 1) && cpuid_dump_has(&seven, 4, 1));
    assert_false(cpuid_dump_has(&seven, 4, 0));
    uint64_t v = 1;
    assert_true(cpuid_dump_rdmsr(&zero, 0x1b, &v) && v == 0xfee00900);
    assert_false(cpuid_dump_rdmsr(&zero, 0x10a, &v));
    assert_false(cpuid_dump_rdmsr(&zero, 0x10b, &v));
    assert_true(cpuid_dump_rdmsr(&seven, 0xc0010064, &v) && v == UINT64_MAX);
}

TEST(wrong_lines_are_refused_with_their_number)
{
    static const char *const texts[][2] = {
        {"", "line 0: the text ends without"},
        {"\n\n# no more\n", "line 3: the text ends without"},
        {"cpuid 1 0 0 1 2 3 4\n", "line 1: the text ends without"},
        {LEAF_0 "\ncpuid 0 4 0 1 2 3\n", "line 3: leaf, subleaf"},
        {LEAF_0 "cpuid 0 4 0 1 2 3 100000000", "line 2: leaf, subleaf"},
        {LEAF_0 "cpuid 0 4 0 1 2 3 4g", "line 2: leaf, subleaf"},
        {LEAF_0 "cpuid 0 4 0 1 2 3 4 5", "line 2: more than seven"},
        {LEAF_0 "cpuid 65536 4 0 1 2 3 4", "line 2: the CPU"},
        {LEAF_0 "cpuid f 4 0 1 2 3 4", "line 2: the CPU"},
        {LEAF_0 "cpuid", "line 2: the CPU"},
        {LEAF_0 "msr", "line 2: the MSR's address"},
        {LEAF_0 "msr 10", "line 2: the MSR's value"},
        {LEAF_0 "msr 10 faulty", "line 2: the MSR's value"},
        {LEAF_0 "msr 10 10000000000000000", "line 2: the MSR's value"},
        {LEAF_0 "msr 10 1 1", "line 2: more than a value"},
        {LEAF_0 "CPUID 0 4 0 1 2 3 4", "line 2: a line begins with"},
        {LEAF_0 "cpuids", "line 2: a line begins with"},
        {LEAF_0 "bytes x 00", "line 2: the address"},
        {LEAF_0 "bytes 10", "line 2: the bytes"},
        {LEAF_0 "bytes 10 0", "line 2: the bytes"},
        {LEAF_0 "bytes 10 0g", "line 2: the bytes"},
        {LEAF_0 "bytes 10 00 00", "line 2: more words"},
        {LEAF_0 "zeros 10 1000001", "line 2: the address and the number of zeros"},
        {LEAF_0 "zeros 10 1000000\nzeros 1000010 1", "line 3: out of memory, or more than 16 MiB"},
        {LEAF_0 "memory 7 0 1000", "line 2: start, size and attribute"},
        {LEAF_0 "memory f 0 1000 f", "line 2: the type of memory"},
        {LEAF_0 "pci 0 0 20 0 8086 1 2 3", "line 2: segment, bus"},
        {LEAF_0 "rsdp", "line 2: the address"},
        {LEAF_0 "smbios3 1 2", "line 2: more words"},
    };

    EACH_CASE (c, texts) {
        assert_false(parse((*c)[0]));
        assert_int_equal(strncmp(wrong, (*c)[1], strlen((*c)[1])), 0);
    }
    assert_true(parse(LEAF_0 "cpuid 65535 4 0 1 2 3 4"));
}

/* More than the arrays begin with. */
TEST(many_lines_fit)
{
    static char text[200000];
    size_t n = 0;

    n += (size_t)snprintf(text, sizeof text, "%s", LEAF_0);
    for (unsigned i = 1; i < 1000; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "cpuid %u 1 0 %x 0 0 0\nmsr %x %x\n", i, i,
                              i, i);
    assert_true(parse(text));
    assert_int_equal(d.cpus, 1000);
    assert_int_equal(d.msrs, 999);
    struct dump_cpu last = {&d, 999};
    assert_int_equal(cpuid_dump_get(&last, 1, 0).eax, 999);
}

/* An RSDP of revision 0 whose RSDT has one table, an HPET, in two pieces and with zeros between. */
TEST(recorded_memory_is_decoded_where_it_was)
{
    static char said[20000];
    static const char text[] =
        LEAF_0 "rsdp 1000\n"
               "bytes 1000 5253442050545220ec434f52504f52000020000000000000\n" /* 20 bytes and 4 */
               "bytes 2000 525344542800000001fc4f454d49440000000000000000000000000000000000\n"
               "bytes 2020 0000000000300000\n"
               "bytes 3000 485045543800000001324f454d494400\n"
               "zeros 3010 14\n"
               "bytes 3024 01a28680000000000000d0fe00000000007f0000\n"
               "memory 7 0 1000 f\nmemory 2 1000 1000 f\npci 0 1 1f 7 8086 1234 6010000 0\n";
    struct sink_buf out;
    struct json j;

    sink_buf_init(&out, said, sizeof said);
    json_line_begin(&j, &out.sink);
    replay_cpuid(&j, (const uint8_t *)text, sizeof text - 1);
    json_line_end(&j);
    assert_non_null(
        strstr(said, "\"acpi\":{\"present\":true,\"revision\":0,\"oem_id\":\"CORPOR\""));
    assert_non_null(strstr(said, "\"HPET\":{\"revision\":1,\"address\":4275044352"));
    assert_non_null(strstr(said, "\"memory\":{\"regions\":2,\"conventional_bytes\":4096}"));
    assert_non_null(strstr(said, "\"pci_functions\":1"));
}
