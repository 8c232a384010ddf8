/* Exit statuses: success as a Unix program says it, the others as in the image (docs/design.md,
 * "Exit"). */
#ifndef HOSTED_PLATFORM_STATUS_H
#define HOSTED_PLATFORM_STATUS_H

enum status {
    STATUS_SUCCESS = 0,
    STATUS_CHECK_FAILED = 2, /* or output was lost */
    STATUS_BAD_OPTIONS = 3,
    STATUS_FAULTED = 4, /* a signal in a body, or memory or rights that could not be had */
    STATUS_STOPPED = 5, /* by SIGINT or SIGTERM; no check failed in what was done until then */
};

#endif
