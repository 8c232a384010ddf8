/*
 * Keys of a PS/2 keyboard, or of one that the board shows as such, by polling the 8042 controller:
 * all that is left without firmware and interrupts. Firmware leaves it translating to scan code
 * set 1. Source: IBM PS/2 Hardware Interface Technical Reference, "Keyboard and Auxiliary Device
 * Controller".
 */
#ifndef KERNEL_CONSOLE_KEYBOARD_H
#define KERNEL_CONSOLE_KEYBOARD_H

#include <stdbool.h>

enum key {
    KEY_NONE,
    KEY_STOP, /* Esc, or the key that is Q on a US keyboard */
    KEY_OTHER,
    KEY_UP,
    KEY_DOWN,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_HOME,
    KEY_END
};

/* Whether a controller answers, after keys from before were thrown away. Never waits. */
bool keyboard_open(void);

/* The key that was pressed since the last call; releases, Enter (whose repeats are left over from
 * the boot menu) and the mouse do not count. Never waits. */
enum key keyboard_key(void);

/* Whether KEY_STOP was pressed since the last call; all other keys are thrown away. Never waits. */
bool keyboard_stop_key(void);

#endif
