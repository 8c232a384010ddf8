/* The exit status of a run (docs/design.md "Exit"). QEMU's isa-debug-exit makes 2 * status + 1 of
 * these; a process exits with 0 in place of STATUS_SUCCESS. */
#ifndef LIB_CONFIG_STATUS_H
#define LIB_CONFIG_STATUS_H

enum status {
    STATUS_SUCCESS = 1,
    STATUS_CHECK_FAILED = 2, /* a check of the run failed; or a process lost its output */
    STATUS_BAD_OPTIONS = 3,
    STATUS_FAULTED = 4,   /* in a process also: memory or rights that it did not get */
    STATUS_STOPPED = 5,   /* a user stopped it, and no check failed until then */
    STATUS_NO_REPORT = 6, /* a success whose report is on no console and in no file */
};

#endif
