; Bodies of suite `planted`: straight chains of adds, each of which needs the one before it.
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

; What it finds in the flags and in registers that no recipe writes, into the object's room.
UNIT planted_found
    mov r11, [OBJECT + OBJECT_ROOM]
    pushfq
    pop rax
    mov [r11], rax
    mov [r11 + 8], rsi
    mov [r11 + 16], rdi
    mov [r11 + 24], r8
    mov [r11 + 32], r9
    mov [r11 + 40], r10
ENDUNIT
