/* method=adaptive: one long stretch of many operations in a window, timed from outside
 * (method.h). */
#ifndef BENCH_METHOD_METHOD_ADAPTIVE_H
#define BENCH_METHOD_METHOD_ADAPTIVE_H

#include "bench/method/method_stream.h"

/*
 * Stretches of the body, longer and longer, until one lasts for target=; then so long ones of the
 * body and of the empty loop, there and back, between blocks of the ruler. Fills the adaptive part
 * of row->method; a row whose clock cannot be read fails.
 */
void adaptive_take(struct taking *t);

#endif
