/* The object with the code of all suites, empty: for tests that link all of bench/ and place no
 * row. */
#include <stdint.h>

extern const uint8_t suites_object[1], suites_object_end[1];
const uint8_t suites_object[1], suites_object_end[1];
