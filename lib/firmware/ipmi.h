/*
 * The watchdog of a BMC, which resets the machine if an operating system or this program does not
 * feed it. Source: IPMI 2.0 revision 1.1, sections 9 (KCS) and 27 (watchdog).
 */
#ifndef LIB_FIRMWARE_IPMI_H
#define LIB_FIRMWARE_IPMI_H

#include <stdbool.h>
#include <stdint.h>

enum { KCS_DATA, KCS_STATUS }; /* registers; a write to the second is a command */

struct kcs {
    void *ctx;
    uint8_t (*read)(void *ctx, unsigned reg);
    void (*write)(void *ctx, unsigned reg, uint8_t v);
};

struct ipmi_watchdog {
    bool runs;        /* and does something when it fires */
    uint8_t action;   /* 1 reset, 2 power off, 3 power cycle */
    uint32_t tenths;  /* its whole time, in tenths of a second */
    uint32_t present; /* what is left of it */
};

/* Gets its state. Returns NULL, or why not. Every wait is bounded by KCS_READS of the status. */
#define KCS_READS 1000000u
const char *ipmi_watchdog_get(struct ipmi_watchdog *w, const struct kcs *k);
/* Begins its whole time again. Returns NULL, or why not. */
const char *ipmi_watchdog_feed(const struct kcs *k);

#endif
