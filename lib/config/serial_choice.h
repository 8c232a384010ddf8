/* The value of `serial=`: auto, off, or a 16550 at an I/O port or in memory, with a speed. */
#ifndef LIB_CONFIG_SERIAL_CHOICE_H
#define LIB_CONFIG_SERIAL_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERIAL_BAUD_MAX 115200 /* a 16550's clock of 1.8432 MHz over 16, at divisor 1 */
#define SERIAL_BAUD_MIN 50
/* Lower ports belong to the board's devices (DMA, interrupts, timers); a 16550 has 8 registers. */
#define SERIAL_IO_MIN 0x100
#define SERIAL_IO_MAX 0xfff8

/* Lower addresses are the PC's memory; addresses have at most 52 bits (AMD APM vol. 2 5.1). */
#define SERIAL_MMIO_MIN 0x100000ull
#define SERIAL_MMIO_MAX ((1ull << 52) - 64)

struct serial_choice {
    enum { SERIAL_AUTO, SERIAL_OFF, SERIAL_PORT, SERIAL_MMIO } kind;
    uint16_t port;    /* I/O base of the 16550 if kind is SERIAL_PORT */
    uint64_t address; /* of its first register if kind is SERIAL_MMIO; a multiple of width */
    uint8_t width;    /* bytes of one access: 1, 2, 4 */
    uint8_t stride;   /* bytes from one register to the next: 1, 2, 4, 8, at least width */
    uint32_t baud;    /* SERIAL_BAUD_MIN..SERIAL_BAUD_MAX, a divisor of the latter */
    bool baud_given;  /* set by the word; otherwise it is the default */
};

/* Parses auto, off, com1..com4, io:PORT, mmio:ADDR:WIDTH:STRIDE; all but off may be followed by
 * ,BAUD. False: none of these. */
bool serial_choice_parse(struct serial_choice *c, const char *text);

#define SERIAL_CHOICE_TEXT 40 /* bytes that serial_choice_text needs, including the NUL */
/* Writes the choice as a word for serial_choice_parse. */
void serial_choice_text(const struct serial_choice *c, char *out, size_t size);

#endif
