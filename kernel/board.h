/* The board by this machine's SMBIOS tables. */
#ifndef KERNEL_BOARD_H
#define KERNEL_BOARD_H

#include "bench/board.h"
#include "kernel/handoff.h"
#include "lib/physmem.h"

void board_read(struct board *b, const struct handoff *h, const struct physmem *mem);

#endif
