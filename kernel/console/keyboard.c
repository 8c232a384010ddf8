#include "kernel/console/console.h"
#include "kernel/cpu/instructions.h"

enum { PORT_DATA = 0x60, PORT_STATUS = 0x64 };
enum { STATUS_FULL = 0x01, STATUS_MOUSE = 0x20 };
#define NO_CONTROLLER 0xff /* the result of a read without a controller */
#define BYTES_A_CALL  16   /* more than its buffer holds; bounds a call if it is never empty */

/* Scan code set 1. Arrow keys send 0xe0 before the codes of the keypad's arrows. */
enum { PREFIX = 0xe0, RELEASED = 0x80 };
enum { SCAN_ESC = 0x01, SCAN_Q = 0x10, SCAN_ENTER = 0x1c };

bool keyboard_open(void)
{
    if (in8(PORT_STATUS) == NO_CONTROLLER)
        return false;
    (void)keyboard_key();
    return true;
}

/* After the prefix, Q's code means the previous-track key. */
static enum key key_of(uint8_t code, bool prefixed)
{
    switch (code) {
    case SCAN_ESC:
    case SCAN_Q:
        return prefixed ? KEY_OTHER : KEY_STOP;
    case SCAN_ENTER:
        return KEY_NONE;
    case 0x47:
        return KEY_HOME;
    case 0x48:
        return KEY_UP;
    case 0x49:
        return KEY_PAGE_UP;
    case 0x4f:
        return KEY_END;
    case 0x50:
        return KEY_DOWN;
    case 0x51:
        return KEY_PAGE_DOWN;
    default: /* every other key; a release is KEY_NONE */
        return code == 0 || code & RELEASED ? KEY_NONE : KEY_OTHER;
    }
}

enum key keyboard_key(void)
{
    static bool prefixed; /* the last byte was the prefix */

    for (unsigned i = 0; i < BYTES_A_CALL; i++) {
        uint8_t status = in8(PORT_STATUS);
        if (status == NO_CONTROLLER || !(status & STATUS_FULL))
            return KEY_NONE;
        uint8_t code = in8(PORT_DATA);
        if (status & STATUS_MOUSE)
            continue;
        enum key key = key_of(code, prefixed);
        prefixed = code == PREFIX;
        if (key != KEY_NONE)
            return key;
    }
    return KEY_NONE;
}

bool keyboard_stop_key(void)
{
    for (unsigned i = 0; i < BYTES_A_CALL; i++) {
        enum key key = keyboard_key();
        if (key == KEY_NONE || key == KEY_STOP)
            return key == KEY_STOP;
    }
    return false;
}
