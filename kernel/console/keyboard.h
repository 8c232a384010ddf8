/*
 * Reads keys of a PS/2 keyboard, or of one that the board emulates as such, by polling the 8042
 * controller: there is no firmware and no interrupt. Firmware leaves it translating to scan code
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

/* Discards earlier keys. Returns whether a controller answers. Never waits. */
bool keyboard_open(void);

/* Returns the next key pressed since the last call. Ignores releases, the mouse, and Enter, whose
 * repeats are left over from the boot menu. Never waits. */
enum key keyboard_key(void);

/* Returns whether KEY_STOP was pressed since the last call; discards other keys. Never waits. */
bool keyboard_stop_key(void);

#endif
