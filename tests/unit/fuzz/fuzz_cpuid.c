/* Recordings of any bytes: the output is a whole line of JSON, and nothing outside of the text is
 * read. */
#include <stdlib.h>
#include <string.h>
#include "hosted/replay/replay.h"
#include "tests/unit/fuzz/fuzz.h"
#include "tests/unit/fuzz/json_count.h"
#include "tests/unit/read_file.h"

static const char *const seeds[] = {
    "GenuineIntel00106C2_DiamondvilleDC", "AuthenticAMD0000F51_K8_Sledgehammer",
    "AuthenticAMD0A10F11_KVM_guest",      "GenuineIntel00506C9_Goldmont",
    "AuthenticAMD0100FA0_K10_Thuban",     "GenuineIntel00106A2_Nehalem-EP",
};

/* A fixture; of one that is too large the first lines, leaves, and the last, MSRs. */
size_t fuzz_seed(size_t index, uint8_t *out, size_t room)
{
    char path[200];
    size_t n;

    if (index >= sizeof seeds / sizeof seeds[0])
        return 0;
    snprintf(path, sizeof path, "tests/replay/cpuid/%s.txt", seeds[index]);
    uint8_t *text = read_file(path, &n);
    size_t head = n, tail = n;
    if (n > room) {
        for (head = room * 3 / 4; head > 0 && text[head - 1] != '\n'; head--)
            ;
        for (tail = n - (room - head); tail < n && text[tail - 1] != '\n'; tail++)
            ;
    }
    memcpy(out, text, head);
    memcpy(out + head, text + tail, n - tail);
    free(text);
    return head + n - tail;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_count c = JSON_COUNT;
    struct json j;
    uint8_t *exact = malloc(size > 0 ? size : 1);

    FUZZ_CHECK(exact != NULL);
    memcpy(exact, data, size);
    json_line_begin(&j, &c.sink);
    replay_cpuid(&j, exact, size);
    json_line_end(&j);
    free(exact);
    FUZZ_CHECK(c.lines == 1 && c.last == '\n' && c.quotes % 2 == 0 && c.quotes >= 4);
    return 0;
}
