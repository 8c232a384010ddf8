/*
 * Protection keys of memory (Intel SDM vol. 3A section 4.6.2): a body can execute WRPKRU and take
 * from the program the memory of key 0, which is all of it. The next access is then a SIGSEGV.
 * Linux 6.12 and later write its frame and run its handler with the keys that a process begins
 * with; earlier ones cannot deliver it and end the process.
 */
#ifndef HOSTED_PLATFORM_KEYS_H
#define HOSTED_PLATFORM_KEYS_H

#include <stdbool.h>

/* Keeps PKRU as it is now. Ends the C library's rseq(2): the kernel writes that area before it
 * delivers a signal and when it moves the process, with the keys of the body, and ends the process
 * where it cannot. */
void keys_open(void);

/* Restores PKRU. True: it had changed. */
bool keys_put_back(void);

#endif
