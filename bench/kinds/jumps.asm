; The timed walk of a chain of jumps (bench/kinds/chase.h), by recipe lfence independently of
; recipe=.
;   uint64_t jumps_walk(const uint8_t *first, uint64_t laps, uint64_t *sum)    (rdi, rsi, rdx)
; The elements add to rax; the last one counts laps in rcx and returns.
section .note.GNU-stack noalloc noexec nowrite progbits
section .text align=64

%include "bench/kinds/reading.inc"

global jumps_walk:function hidden
align 64
jumps_walk:
    mov r8, rdx
    mov rcx, rsi
    READING
    mov r9, rax
    xor eax, eax
    call rdi
    mov [r8], rax
    READING
    sub rax, r9
    ret
