; Bodies of suite `planted`: straight chains of adds, a core cycle each on every x86-64 CPU.
%include "bench/window/unit.inc"

%macro ADDS 2
UNIT planted_%1
    times %2 add eax, eax
ENDUNIT
%endmacro

ADDS adds20, 20
ADDS adds21, 21
ADDS adds1000, 1000

; A turn for each byte that the code is behind its line's start, and one more.
UNIT planted_offset
    lea rax, [rel %$code]
    and eax, 63
    inc eax
.turn:
    dec eax
    jnz .turn
ENDUNIT

UNIT planted_rdmsr
    mov ecx, 0x10               ; IA32_TIME_STAMP_COUNTER: every CPU has it (SDM vol. 4 table 2-2)
    rdmsr
ENDUNIT
