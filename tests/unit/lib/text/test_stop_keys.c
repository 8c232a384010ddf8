/* Which bytes stop a run, and which do not. */
#include "tests/unit/cmocka_unit.h"
#include "lib/text/framebuffer.h"

#define LATER (STOP_KEYS_PATIENCE + 1)

/* Returns whether the bytes stop a run, each `apart` ticks after the one before, then silence. */
static bool stop(const char *bytes, uint64_t apart, uint64_t silence)
{
    struct stop_keys k = {0};
    uint64_t now = 1000;

    for (size_t i = 0; i < strlen(bytes); i++, now += apart)
        if (stop_keys_feed(&k, (uint8_t)bytes[i], now))
            return true;
    return stop_keys_alone(&k, now + silence);
}

TEST(q_and_escape_stop)
{
    assert_true(stop("q", 0, 0));
    assert_true(stop("xyz q", 0, 0));
    assert_true(stop("\x1b", 0, LATER));
    assert_true(stop("\x1b\x1b", 10, LATER));
    assert_true(stop("\x1b[Aq", 10, 0));
    assert_true(stop("\x1b[A\x1b", 10, LATER));
    assert_false(stop("\x1b", 0, 0)); /* the rest may be on its way */
}

TEST(no_other_byte_stops)
{
    for (unsigned byte = 1; byte < 256; byte++) {
        char text[2] = {(char)byte, 0};
        if (byte != 'q' && byte != 0x1b)
            assert_false(stop(text, 0, LATER));
    }
    assert_false(stop("", 0, LATER));
}

TEST(key_sequences_do_not_stop)
{
    /* Arrows, in both modes; F1, F5, shift and an arrow; Alt and a letter, q among them; a cursor's
     * style, which ends in q. */
    static const char *const keys[] = {"\x1b[A",    "\x1bOA", "\x1bOP", "\x1b[15~",
                                       "\x1b[1;2A", "\x1bx",  "\x1bq",  "\x1b[2 q"};

    EACH_CASE (c, keys) {
        assert_false(stop(*c, 0, LATER));
        assert_false(stop(*c, 1000, LATER));
    }
    /* A check between the first byte and the rest, and a late next one. */
    assert_false(stop("\x1b[A", LATER, LATER));
}

/* A sequence without its end does not swallow the key that stops. */
TEST(a_cut_sequence_does_not_swallow_a_key)
{
    struct stop_keys k = {0};

    assert_false(stop_keys_feed(&k, 0x1b, 0));
    assert_false(stop_keys_feed(&k, '[', 1));
    assert_true(stop_keys_feed(&k, 'q', LATER + 1));
    assert_false(stop_keys_feed(&k, 0x1b, 0));
    assert_false(stop_keys_feed(&k, 'O', 1));
    assert_true(stop_keys_feed(&k, 'q', LATER + 1));
    assert_false(stop_keys_feed(&k, 0x1b, 0));
    stop_keys_forget(&k);
    assert_false(stop_keys_alone(&k, LATER));
}
