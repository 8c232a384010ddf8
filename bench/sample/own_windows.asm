; The witness's windows (bench/sample/own.h): NOPs, and the ruler, in loops that are part of the
; image. They use recipe lfence, independently of recipe=.
;   uint32_t own_nops(uint32_t turns)      256 NOPs per iteration            (System V: edi)
;   uint32_t own_adds(uint32_t turns)      64 dependent additions per iteration
; They return the ticks between the two readings, modulo 2^32.
section .note.GNU-stack noalloc noexec nowrite progbits
section .text align=64

%macro FIRST_READING 0
    lfence
    rdtsc
    lfence
    mov ecx, eax
%endmacro

%macro SECOND_READING 0
    lfence
    rdtsc
    lfence
    sub eax, ecx
    ret
%endmacro

global own_nops:function hidden
align 64
own_nops:
    FIRST_READING
    align 64
.turn:
    times 256 nop
    dec edi
    jnz .turn
    SECOND_READING

global own_adds:function hidden
align 64
own_adds:
    FIRST_READING
    align 64
.turn:
    times 64 add r8d, r8d
    dec edi
    jnz .turn
    SECOND_READING
