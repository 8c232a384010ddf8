/* method=adaptive: one long window with many operations, timed from outside (method.h). */
#ifndef BENCH_METHOD_METHOD_ADAPTIVE_H
#define BENCH_METHOD_METHOD_ADAPTIVE_H

#include "bench/method/method_stream.h"

/*
 * Takes longer and longer windows of the body until one lasts for target=. Then takes windows with
 * this number of operations, of the body and of the empty loop, forward and back, between blocks of
 * the ruler. Fills the adaptive part of row->method. The row fails if its clock cannot be read.
 */
void adaptive_take(struct taking *t);

#endif
