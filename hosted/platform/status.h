/* Exit statuses: success as usual on Unix, the others as in the image (docs/design.md, "Exit"). */
#ifndef HOSTED_PLATFORM_STATUS_H
#define HOSTED_PLATFORM_STATUS_H

enum status {
    STATUS_SUCCESS = 0,
    STATUS_CHECK_FAILED = 2, /* or output was lost */
    STATUS_BAD_OPTIONS = 3,
    STATUS_FAULTED = 4, /* a signal in a body, or missing memory or rights */
    STATUS_STOPPED = 5, /* by SIGINT or SIGTERM; no check had failed until then */
};

#endif
