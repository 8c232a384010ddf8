; Walks that flush lines (bench/kinds/stream.h): FLUSH_UNROLL lines of 64 bytes in each iteration,
; one after the other, then MFENCE, which waits for CLFLUSHOPT and CLWB too; or MFENCE after each.
;   uint64_t flush_NAME(uint8_t *lines, uint64_t iterations)      (System V: rdi, rsi)
; Returns the ticks between the two readings, by recipe lfence independently of recipe=.
section .note.GNU-stack noalloc noexec nowrite progbits
section .text align=64

%define FLUSH_UNROLL 16

%include "bench/kinds/reading.inc"

; %1: name, %2: the instruction, %3: what follows each
%macro FLUSH 3
global %1:function hidden
align 64
%1:
    READING
    mov r9, rax
    align 64
.iteration:
%assign i 0
%rep FLUSH_UNROLL
    %2 [rdi + i]
    %3
%assign i i + 64
%endrep
    add rdi, FLUSH_UNROLL * 64
    dec rsi
    jnz .iteration
    mfence
    READING
    sub rax, r9
    ret
%endmacro
    FLUSH flush_clflush, clflush, { }
    FLUSH flush_clflushopt, clflushopt, { }
    FLUSH flush_clwb, clwb, { }
    FLUSH flush_clflush_wait, clflush, mfence
    FLUSH flush_clflushopt_wait, clflushopt, mfence
    FLUSH flush_clwb_wait, clwb, mfence
