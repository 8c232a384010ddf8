/*
 * Calls as shared libraries make them: caller and callee are compiled with -fPIC, each as a
 * separate object. The compiler and the linker choose the path of a call, not the source:
 *
 *   pic_plt.c        -fPIC                         call f@PLT: an entry of the PLT, a GOT slot
 *   pic_plt_endbr.c  -fPIC -fcf-protection=branch  the same; entry and callee begin with ENDBR64
 *   pic_got.c        -fPIC -fno-plt                call *f@GOTPCREL(%rip): a GOT slot
 *   pic_symbolic.c   -fPIC                         call f@PLT, which the linker binds to f directly
 *
 * lib/object/elf_place.h links them for each placement: the entry and the slot exist, and each call
 * loads the slot. It binds f directly if f's definition is hidden, as -Bsymbolic does for all; as
 * there, the caller was compiled without this knowledge.
 */
#ifndef BENCH_SUITES_CALLS_PIC_H
#define BENCH_SUITES_CALLS_PIC_H

#include "bench/api/statement.h"
#include "bench/suites/calls/calls.h"

/* pic_callee.c: exported, so that another library's functions could take their place. */
#pragma GCC visibility push(default)
void calls_exported(struct object *o);     /* nothing */
void calls_exported_inc(struct object *o); /* ++*x */
void calls_exported_endbr(struct object *o);
void calls_exported_endbr_inc(struct object *o);
#pragma GCC visibility pop

/* pic_callee_symbolic.c. Not declared hidden here, so that no caller's compiler knows. */
void calls_symbolic_callee(struct object *o);
void calls_symbolic_callee_inc(struct object *o);

#endif
