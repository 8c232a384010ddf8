; Bodies of suite `planted`: straight chains of adds, each of which depends on the one before it.
%include "bench/engine/unit.inc"

%macro ADDS 2
UNIT planted_%1
    times %2 add eax, eax
ENDUNIT
%endmacro

ADDS adds20, 20
ADDS adds21, 21
ADDS adds1000, 1000

; As many iterations as the code's offset in its cache line in bytes, plus one.
UNIT planted_offset
    lea rax, [rel %$code]
    and eax, 63
    inc eax
.iteration:
    dec eax
    jnz .iteration
ENDUNIT

UNIT planted_rdmsr
    mov ecx, 0x10               ; IA32_TIME_STAMP_COUNTER: every CPU has it (SDM vol. 4 table 2-2)
    rdmsr
ENDUNIT

; Records in struct found of planted.c the flags, and the registers that no recipe writes, as a
; window's first copy or iteration finds them. It is the first if rsi has the value of the frame.
UNIT planted_found
    pushfq
    pop rax
    cmp rsi, HISTORY_VALUE
    jne .later
    mov r11, [OBJECT + OBJECT_ROOM]
    inc qword [r11]
    or [r11 + 8], rax
    not rax
    or [r11 + 16], rax
    %macro UNLIKE 1-*
        %rep %0
            xor %1, HISTORY_VALUE
            or [r11 + 24], %1
            %rotate 1
        %endrep
    %endmacro
    UNLIKE rdi, r8, r9, r10
    xor esi, esi
.later:
ENDUNIT
