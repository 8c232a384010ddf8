; The witness's windows (bench/engine/witness.h): NOPs, and the ruler, in loops that are part of the
; image. They use recipe lfence, independently of recipe=.
;   uint32_t witness_nops(uint32_t iterations)   256 NOPs per iteration   (System V: edi)
;   uint32_t witness_adds(uint32_t iterations)   64 dependent additions per iteration
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

global witness_nops:function hidden
align 64
witness_nops:
    FIRST_READING
    align 64
.iteration:
    times 256 nop
    dec edi
    jnz .iteration
    SECOND_READING

global witness_adds:function hidden
align 64
witness_adds:
    FIRST_READING
    align 64
.iteration:
    times 64 add r8d, r8d
    dec edi
    jnz .iteration
    SECOND_READING
