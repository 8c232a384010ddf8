/* The table of models: no model is in it twice, and each row has only what its vendor has. */
#include "lib/cpu/models.c" /* included: the table is static */

#include "tests/unit/cmocka_unit.h"

#define ROWS (sizeof rows / sizeof rows[0])

TEST(no_model_is_listed_twice)
{
    for (size_t i = 0; i < ROWS; i++) {
        unsigned listed = 0;
        for (uint32_t model = 0; model <= 0xff; model++) {
            if (!is_of(&rows[i], model))
                continue;
            listed++;
            for (size_t k = 0; k < i; k++)
                if (rows[i].vendor == rows[k].vendor && rows[i].family == rows[k].family &&
                    is_of(&rows[k], model))
                    fail_msg("family %x: model %x is in two rows", rows[i].family, model);
        }
        assert_true(listed > 0);
        for (size_t k = 0; rows[i].last == 0 && k < sizeof rows[i].listed; k++)
            if (rows[i].listed[k])
                assert_true(listed-- > 0); /* none is listed twice in its own row */
    }
}

/* Intel's method on AMD's CPU would read MSRs that have another meaning there. */
TEST(each_model_has_a_way_of_its_vendor)
{
    for (size_t i = 0; i < ROWS; i++) {
        bool intels = rows[i].is.tsc_way < TSC_WAY_FIDVID;
        if (rows[i].is.tsc_way != TSC_WAY_NONE)
            assert_int_equal(intels, rows[i].vendor == VENDOR_INTEL);
        if (rows[i].vendor != VENDOR_INTEL)
            assert_false(rows[i].is.smi_count || rows[i].is.nehalem_power ||
                         rows[i].is.prefetch != PREFETCH_NOT_KNOWN);
        if (rows[i].is.nehalem_power)
            assert_true(rows[i].is.smi_count && !rows[i].is.mc0_is_firmware);
    }
}

TEST(a_model_without_a_row_has_what_its_vendor_guarantees)
{
    const struct cpu_model *none = model_find(VENDOR_ZHAOXIN, 7, 0x3b);

    assert_false(none->smi_count || none->lfence_waits || none->thread_count);
    assert_int_equal(none->tsc_way, TSC_WAY_NONE);
    assert_ptr_equal(model_find(VENDOR_UNKNOWN, 6, 0x1a), none);
    assert_ptr_equal(model_find(VENDOR_AMD, 0x14, 2), none);
    assert_ptr_equal(model_find(VENDOR_INTEL, 5, 4), none);

    const struct cpu_model *later = model_find(VENDOR_INTEL, 0x13, 1);
    assert_true(later->smi_count && later->prefetch == PREFETCH_NOT_KNOWN);
    assert_ptr_equal(model_find(VENDOR_INTEL, 6, 0xfe), later);
    later = model_find(VENDOR_AMD, 0x1b, 0);
    assert_true(later->thread_count && later->tsc_way == TSC_WAY_NONE);
}

/* Machine check bank 0: SDM vol. 3B 16.3.2.1. */
TEST(bank_0_belongs_to_the_firmware_on_old_models)
{
    assert_true(model_find(VENDOR_INTEL, 6, 0x08)->mc0_is_firmware);
    assert_true(model_find(VENDOR_INTEL, 6, 0x17)->mc0_is_firmware);
    assert_false(model_find(VENDOR_INTEL, 6, 0x1a)->mc0_is_firmware);
    assert_false(model_find(VENDOR_INTEL, 6, 0x1d)->mc0_is_firmware);
    assert_false(model_find(VENDOR_INTEL, 0xf, 6)->mc0_is_firmware);
    assert_false(model_find(VENDOR_AMD, 6, 8)->mc0_is_firmware);
}
