#include "bench/output/kinds_show.h"
#include "bench/result/series.h"

enum {
    CURVE = 960,
    LIMIT = 1130,
    TOGETHER = 390,
    MATRIX = 200,
    PAIR = 26,
    CELLS = 45 /* four cells of a map */
};

uint64_t curve_bytes(const struct curve_bytes *of)
{
    uint64_t cells = forward_first(of->sizes, of->sizes, 0),
             core = (uint64_t)of->rows[SIZE_CURVE] * (CURVE + of->kept) +
                    (uint64_t)of->rows[SIZE_LIMIT] * (LIMIT + of->kept) +
                    of->rows[SIZE_MAP] * (cells * CELLS / 4 + (uint64_t)of->sizes * of->kept);

    return of->cores * core + (uint64_t)of->rows[SIZE_SHARED] * (TOGETHER + of->kept) +
           (uint64_t)of->rows[SIZE_MATRIX] * (MATRIX + (uint64_t)of->pairs * PAIR);
}
