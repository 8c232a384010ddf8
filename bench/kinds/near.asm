; Walks over one place (bench/kinds/chase.h): NEAR_UNROLL operations in each iteration.
;   uint64_t near_NAME(uint8_t *store, uint8_t *load, uint64_t iterations, uint64_t *value)
;                      (System V: rdi, rsi, rdx, rcx)
; Returns the ticks between the two readings, by recipe lfence independently of recipe=. *value is
; stored first; it gets what was loaded last.
section .note.GNU-stack noalloc noexec nowrite progbits
section .text align=64

%define NEAR_UNROLL 16

%include "bench/kinds/reading.inc"

; %1: name, %2 and %3: one operation, with the value in r10
%macro WALK 3
global %1:function hidden
align 64
%1:
    mov r8, rdx
    mov r10, [rcx]
    READING
    mov r9, rax
    align 64
.iteration:
%rep NEAR_UNROLL
    %2
    %3
%endrep
    dec r8
    jnz .iteration
    READING
    sub rax, r9
    mov [rcx], r10
    ret
%endmacro

%define STORE_8 {mov [rdi], r10}
    WALK near_alias, STORE_8, {mov r10, [rsi]}
    WALK near_store, STORE_8, { }
