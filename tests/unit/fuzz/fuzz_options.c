/*
 * Configuration files and load options of any bytes: the answer and the message agree, accepted
 * values are within their bounds, and the serial port is printed as a word that is accepted again.
 */
#include <stdlib.h>
#include <string.h>
#include "lib/config/options.h"
#include "tests/unit/fuzz/fuzz.h"

static const struct fuzz_text texts[] = {
    FUZZ_TEXT("suite=calls,base* bench=plt? samples=0x40 warmup=0 recipe=xfence\n"),
    FUZZ_TEXT("format=jsonl hist=off serial=com2,9600 finish=poweroff takeover=exit\r\n# no\r\n"),
    FUZZ_TEXT("clock=hpet,tsc cycle=null,pmc,aperf,ruler,tsc clock=pit,pit cycle=,"),
    FUZZ_TEXT("FS0:\\baretick.efi help list \"suite=a\""),
    FUZZ_TEXT("root=/dev/sda1 ro quiet"),
    FUZZ_TEXT("serial=io:0x3f8,115200 serial=auto,50 serial=off"),
    FUZZ_TEXT("serial=mmio:0xfe03e000:4:8,9600 serial=mmio:0x100000:1:1"),
    FUZZ_TEXT("s\0a\0m\0p\0l\0e\0s\0=\0"
              "1\0"
              "6\0\0\0"),
    FUZZ_TEXT("\xff\xfel\0i\0s\0t\0"),
    FUZZ_TEXT("\x01\x02\x7f\xff\x04\0\0\0"),
};

FUZZ_TEXTS(texts)

static void check_bounds(const struct options *o)
{
    struct serial_choice again;
    char text[SERIAL_CHOICE_TEXT];

    FUZZ_CHECK((o->samples == 0 || (o->samples >= 16 && o->samples <= 1000000)) &&
               o->warmup <= 1000);
    FUZZ_CHECK(o->recipe <= RECIPE_AUTO && o->format <= FORMAT_LINES && o->hist <= HIST_OFF);
    FUZZ_CHECK(o->finish <= FINISH_RETURN && o->takeover <= TAKEOVER_BORROW);
    FUZZ_CHECK(o->clock.n >= 1 && o->clock.n <= CLOCK_IDS + 1 && o->clock.id[0] <= CLOCK_IDS);
    FUZZ_CHECK(o->cycle.n >= 1 && o->cycle.n <= CYCLE_IDS + 1 && o->cycle.id[0] <= CYCLE_IDS);
    FUZZ_CHECK(o->suite[0] != '\0' && memchr(o->suite, 0, sizeof o->suite) != NULL);
    FUZZ_CHECK(o->bench[0] != '\0' && memchr(o->bench, 0, sizeof o->bench) != NULL);
    serial_choice_text(&o->serial, text, sizeof text);
    FUZZ_CHECK(serial_choice_parse(&again, text));
    FUZZ_CHECK(again.kind == o->serial.kind && again.baud == o->serial.baud &&
               again.port == o->serial.port && again.address == o->serial.address &&
               again.width == o->serial.width && again.stride == o->serial.stride);
}

static void check_printable(const char *text)
{
    for (; *text != '\0'; text++)
        FUZZ_CHECK(*text >= ' ' && *text <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct options o, before;
    struct sink_buf err;
    char message[4096], quote[48];

    options_default(&o);
    sink_buf_init(&err, message, sizeof message);
    bool good = options_parse_file(&o, data, size, "baretick.conf", &err.sink);
    FUZZ_CHECK(good == (err.used == 0) && !err.cut);
    check_printable(message);
    if (good)
        check_bounds(&o);

    options_default(&o);
    before = o;
    sink_buf_init(&err, message, sizeof message);
    size_t room = 1 + size % sizeof quote;
    enum load_options what =
        options_parse_load(&o, data, size, "\\tick.efi", quote, room, &err.sink);
    FUZZ_CHECK((what == LOAD_OPTIONS_WRONG) == (err.used > 0) && !err.cut);
    FUZZ_CHECK(strlen(quote) < room);
    FUZZ_CHECK(what == LOAD_OPTIONS_FOREIGN || quote[0] == '\0');
    check_printable(message);
    check_printable(quote);
    if (what == LOAD_OPTIONS_OURS)
        check_bounds(&o);
    if (what == LOAD_OPTIONS_NONE || what == LOAD_OPTIONS_FOREIGN)
        FUZZ_CHECK(memcmp(&o, &before, sizeof o) == 0);
    return 0;
}
