/* A CPU's facts as lines of a report's head; their records are judged by the recordings' tests. */
#include "lib/cpu/cpu_facts.h"

#include "tests/unit/made_cpu.h"
#include "tests/unit/says.h"
#include "tests/unit/text.h"

static void show(const char *name, bool others)
{
    struct cpuid_dump *d = fixture(name);
    struct dump_cpu boot = {d, 0};
    struct cpu_source source = {cpuid_dump_get, &boot, cpuid_dump_rdmsr, &boot};
    struct core_place place[64];
    struct cpu_facts f;
    struct cpu c;
    size_t n = 0;

    for (; n < d->cpus && n < 64; n++) {
        struct dump_cpu one = {d, d->cpu[n]};
        cpu_decode(&c, cpuid_dump_get, &one);
        topology_place(&place[n], &c, cpuid_dump_get, &one);
    }
    cpu_decode(&c, cpuid_dump_get, &boot);
    cpu_facts_read(&f, &c, &source, place, others ? n : 0, 0);
    cpu_facts_show(&f, text_sink());
    for (char *line = text, *end; (end = strstr(line, "\r\n")) != NULL; line = end + 2)
        assert_true(end - line <= 79);
}

TEST(facts_of_skylake_are_shown)
{
    show("GenuineIntel00506E3_Skylake", true);
    assert_says(text, "topology  1 package, 4 cores, 4 threads\r\n", "caches    L1d 32 KiB 8-way, ",
                "L1i 32 KiB 8-way", "L2 256 KiB 4-way", "L3 6 MiB 12-way by 4 threads\r\n",
                "tlb       L1d 2M 4M 32 4-way, ", "L1d 1G 4 4-way", "L1d 4K 64 4-way",
                "L1i 2M 4M 8 full", "L1i 4K 128 8-way", "L2 4K 2M 1536 6-way", "L2 1G 16 4-way\r\n",
                "spec_ctrl IBRS not supported, STIBP not supported, SSBD not supported\r\n");
}

TEST(facts_that_cpuid_lacks_are_not_shown)
{
    show("GenuineIntel00506E3_Skylake", false);
    assert_null(strstr(text, "topology"));
    assert_non_null(strstr(text, "L3 6 MiB 12-way\r\n"));
}

TEST(core_types_are_counted)
{
    show("GenuineIntel0090672_AlderLake_01_LC_BC", true);
    assert_non_null(strstr(text, "8 of type performance,"));
    assert_non_null(strstr(text, "8 of type efficiency\r\n"));
}

/* The dump has no leaf 4 of its efficiency cores: these get one of their kind. */
TEST(caches_of_each_core_type_are_recorded)
{
    struct cpu c = {.vendor_id = "GenuineIntel"};
    struct core_place place[] = {
        {.apic_id = 0,
         .type = CORE_TYPE_PERFORMANCE,
         .caches = 1,
         .cache = {{1, CACHE_DATA, 48 << 10, 64, 12, 1, true}}},
        {.apic_id = 1, .type = CORE_TYPE_PERFORMANCE, .caches = 1},
        {.apic_id = 8,
         .core = 4,
         .type = CORE_TYPE_EFFICIENCY,
         .caches = 2,
         .cache = {{1, CACHE_DATA, 32 << 10, 64, 8, 0, true},
                   {2, CACHE_UNIFIED, 2 << 20, 64, 16, 3, true}}},
        {.apic_id = 10, .core = 5, .type = CORE_TYPE_EFFICIENCY, .caches = 2},
    };
    struct cpu_facts f = {.cpu = &c, .caches = 1, .cache[0] = place[0].cache[0], .shared_by = {2}};

    topology_count(&f.topology, place, 4);
    assert_int_equal(f.topology.type[CORE_TYPE_PERFORMANCE].shared_by[0], 2);
    assert_int_equal(f.topology.type[CORE_TYPE_EFFICIENCY].shared_by[0], 1);
    assert_int_equal(f.topology.type[CORE_TYPE_EFFICIENCY].shared_by[1], 2);
    cpu_facts_show(&f, text_sink());
    assert_says(text, "caches    L1d 48 KiB 12-way by 2 threads\r\n",
                "caches    of type efficiency, L1d 32 KiB 8-way, L2 2 MiB 16-way by 2 threads\r\n");
    assert_null(strstr(text, "of type performance, L1d"));

    struct json j;
    json_line_begin(&j, text_sink());
    cpu_facts_record_topology(&f.topology, &j);
    json_line_end(&j);
    assert_says(text,
                "\"type\":\"efficiency\",\"cores\":2,\"logical_cpus\":2,\"caches\":[{\"level\":1,",
                "{\"level\":2,\"type\":\"unified\",\"size_bytes\":2097152,\"line_bytes\":64,"
                "\"ways\":16,\"shared_by\":2}]");
}

/* Controls: there and unread, on, off; what the CPU says that it is not prone to. */
TEST(speculation_controls_are_shown)
{
    struct cpu c = {.vendor_id = "GenuineIntel"};
    struct cpu_facts f = {.cpu = &c, .mitigations = {.ibrs = true, .stibp = true}};

    cpu_facts_show(&f, text_sink());
    assert_says(text, "spec_ctrl ", "IBRS supported (state unknown)",
                "STIBP supported (state unknown)", "SSBD not supported\r\n");
    f.mitigations.spec_ctrl_known = f.mitigations.arch_known = true;
    f.mitigations.spec_ctrl = SPEC_CTRL_STIBP;
    f.mitigations.arch = 1 | 1u << 9 | 1u << 4; /* bit 9 has no name here */
    cpu_facts_show(&f, text_sink());
    assert_string_equal(text, "spec_ctrl IBRS off, STIBP on, SSBD not supported\r\n"
                              "arch_caps rdcl_no, ssb_no\r\n");
}

/* With the comma a line has 79 columns at most; bhi_no would take one more. */
TEST(lists_are_wrapped)
{
    struct cpu c = {.vendor_id = "GenuineIntel"};
    struct cpu_facts f = {.cpu = &c, .mitigations = {.arch_known = true, .arch = ~0ull}};

    cpu_facts_show(&f, text_sink());
    assert_string_equal(
        strstr(text, "arch_caps"),
        "arch_caps rdcl_no, ibrs_all, rsba, skip_l1dfl, ssb_no, mds_no, if_pschange,\r\n"
        "          tsx_ctrl, taa_no, sbdr_no, fbsdp_no, psdp_no, fb_clear, rrsba,\r\n"
        "          bhi_no, pbrsb_no, gds_no, rfds_no, rfds_clear\r\n");
}
