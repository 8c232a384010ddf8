; The timed walk of a pointer chase (bench/memory/chase.h), with recipe lfence independently of
; recipe=: LFENCE waits for all loads before it.
;   uint64_t chase_walk(void *const *at, uint64_t turns, void *const **end)     (rdi, rsi, rdx)
; Follows CHASE_TURN pointers in each turn and returns the ticks between the two readings.
section .note.GNU-stack noalloc noexec nowrite progbits
section .text align=64

%define CHASE_TURN 16

%include "bench/memory/reading.inc"

global chase_walk:function hidden
align 64
chase_walk:
    mov r8, rdx
    READING
    mov r9, rax
    align 64
.turn:
    times CHASE_TURN mov rdi, [rdi]
    dec rsi
    jnz .turn
    READING
    sub rax, r9
    mov [r8], rdi
    ret
