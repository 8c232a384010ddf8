/* How the bits of a control register differ, in words (lib/cpu/register_bits.h). */
#include "lib/cpu/register_bits.h"
#include "tests/unit/text.h"

static const char *difference(const char *name, const struct register_bit *bits, uint64_t was,
                              uint64_t now)
{
    register_difference(name, bits, was, now, text_sink());
    return text;
}

TEST(bits_have_the_manuals_names)
{
    assert_string_equal(difference("CR4", register_cr4, 0x668, 0x468), "CR4 (OSFXSR cleared)");
    assert_string_equal(difference("CR4", register_cr4, 0x600, 0x40680),
                        "CR4 (PGE set, OSXSAVE set)");
    assert_string_equal(difference("CR0", register_cr0, 0x80010033, 0x8000003b),
                        "CR0 (TS set, WP cleared)");
    assert_string_equal(difference("EFER", register_efer, 0xd00, 0x500), "EFER (NXE cleared)");
    assert_string_equal(difference("XCR0", register_xcr0, 0xe7, 0x3),
                        "XCR0 (AVX cleared, opmask cleared, ZMM_Hi256 cleared, Hi16_ZMM cleared)");
}

TEST(a_bit_without_a_name_is_a_number)
{
    assert_string_equal(difference("CR4", register_cr4, 0, 1ull << 15 | 1ull << 63),
                        "CR4 (bit 15 set, bit 63 set)");
}

TEST(other_registers_are_their_names)
{
    assert_string_equal(difference("CR3", NULL, 0x1000, 0x1010), "CR3");
    assert_string_equal(difference("CR4", register_cr4, 0x668, 0x668), "CR4");
}
