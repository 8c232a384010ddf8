/* Reads the board's data from this machine's SMBIOS tables. */
#ifndef KERNEL_REPORT_BOARD_H
#define KERNEL_REPORT_BOARD_H

#include "bench/essence/board.h"
#include "kernel/memory/handoff.h"
#include "lib/firmware/physmem.h"

void board_read(struct board *b, const struct handoff *h, const struct physmem *mem);

#endif
