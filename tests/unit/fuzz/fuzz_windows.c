/* Recordings of any bytes: the output is whole lines of JSON, and nothing outside of the text is
 * read. */
#include <stdio.h>
#include <stdlib.h>
#include "hosted/replay/replay.h"
#include "tests/unit/fuzz/fuzz.h"
#include "tests/unit/fuzz/json_count.h"

#define T16                " 542 544 542 542 540 544 548 540 542 544 544 548 544 542 546 538\n"
#define BLOCK(kind, ticks) "7 220 add 0 " kind ticks
static const struct fuzz_text texts[] = {
    FUZZ_TEXT(BLOCK("W", T16) BLOCK("E", T16) BLOCK("R", T16) BLOCK("R2", T16) BLOCK("B", T16)
                  BLOCK("B2", T16) BLOCK("W", T16) "# end\n"),
    FUZZ_TEXT("1 2 got 3 E2" T16 "1 2 got 3 E" T16 "1 3 got 4 R" T16 "1 2 got 3 W" T16),
    FUZZ_TEXT("4294967295 18446744073709551615 a 4294967295 B2 281474976710656 0 0 0 0 0 0 0 0 0 0 "
              "0 0 0 0 0\r\n"),
    FUZZ_TEXT("7 220 add 0 W 1 2 3\n"),
    FUZZ_TEXT(BLOCK("W", T16) BLOCK("R", T16) BLOCK("R2", T16) "7 220 add 0 B 1\n" BLOCK("B2", T16)
                  BLOCK("W", T16)),
};
FUZZ_TEXTS(texts)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_count c = JSON_COUNT, said = JSON_COUNT;
    uint8_t *exact = malloc(size > 0 ? size : 1);

    FUZZ_CHECK(exact != NULL);
    memcpy(exact, data, size);
    enum replay_status status = replay_windows(&c.sink, &said.sink, "f", exact, size);
    free(exact);
    FUZZ_CHECK((said.lines > 0) == (status != REPLAY_DONE));
    FUZZ_CHECK(c.last == '\n' || c.lines == 0);
    FUZZ_CHECK(c.quotes % 2 == 0);
    return 0;
}
