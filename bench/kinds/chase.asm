; The timed walk of a pointer chase (bench/kinds/chase.h), with recipe lfence independently of
; recipe=: LFENCE waits for all loads before it.
;   uint64_t chase_walk(void *const *at, uint64_t iterations, void *const **end)     (rdi, rsi, rdx)
; Follows CHASE_UNROLL pointers in each iteration and returns the ticks between the two readings.
section .note.GNU-stack noalloc noexec nowrite progbits
section .text align=64

%define CHASE_UNROLL 16

%include "bench/kinds/reading.inc"

global chase_walk:function hidden
align 64
chase_walk:
    mov r8, rdx
    READING
    mov r9, rax
    align 64
.iteration:
    times CHASE_UNROLL mov rdi, [rdi]
    dec rsi
    jnz .iteration
    READING
    sub rax, r9
    mov [r8], rdi
    ret
