/* Which keys of a PS/2 keyboard stop a run. */
#include "tests/unit/cmocka_unit.h"
#include "tests/unit/kernel/fake_cpu.h"
#include "kernel/console/console.h"

enum { PORT_DATA = 0x60, PORT_STATUS = 0x64 };
enum { STATUS_FULL = 0x01, STATUS_MOUSE = 0x20 };

static const uint8_t *codes; /* what the controller has for us, */
static size_t left;
static uint8_t mouse; /* and whether the mouse sent it */

uint8_t in8(uint16_t port)
{
    if (port == PORT_STATUS)
        return (uint8_t)((left ? STATUS_FULL : 0) | mouse);
    assert_int_equal(port, PORT_DATA);
    assert_true(left > 0);
    left--;
    return *codes++;
}

/* Only the pager needs it. */
uint64_t rdtsc(void)
{
    return 0;
}

static bool stops(const uint8_t *bytes, size_t n)
{
    bool stop = false;

    codes = bytes;
    left = n;
    for (unsigned calls = 0; left > 0 && !stop; calls++) {
        assert_true(calls < 100);
        stop = keyboard_stop_key();
    }
    left = 0;
    return stop;
}

#define STOPS(...) stops((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

TEST(q_and_esc_stop_a_run)
{
    assert_true(STOPS(0x10));             /* Q */
    assert_true(STOPS(0x01));             /* Esc */
    assert_true(STOPS(0x1e, 0x9e, 0x10)); /* A, let go, Q */
    assert_false(STOPS(0x90, 0x81));      /* let go */
    assert_false(STOPS(0xe0, 0x10, 0xe0, 0x90));
    assert_false(STOPS(0xe0, 0x48, 0xe0, 0xc8, 0x1c, 0x9c, 0x39));
    for (unsigned code = 0; code < 256; code++)
        if (code != 0x01 && code != 0x10)
            assert_false(STOPS((uint8_t)code, 0x00));
    mouse = STATUS_MOUSE;
    assert_false(STOPS(0x10, 0x01));
    mouse = 0;
    assert_true(STOPS(0xe0, 0x48, 0x10));
}
