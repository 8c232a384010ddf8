; A call, and a switch, whose target changes from turn to turn: struct calls_order (calls_many.h) lists the targets
; in their order. The empty loops do all the same but the call or the jump.
;   int function(uint64_t n rdi, struct object *rsi)
%include "bench/unit.inc"

%define OBJECT_ROOM     40      ; calls_many.c asserts these
%define ORDER_LENGTH    32768
%define ORDER_TAIL      2048
%define ORDER_AT        ORDER_LENGTH + ORDER_TAIL
%define ORDER_AT_EMPTY  ORDER_AT + 4
%define TARGETS         16
%define TARGET_APART    80      ; a line and a quarter, see TARGETS_AT
%define CASES           8

; rax: the next target's number, r9: %3. r8 adds up what the targets say, for the row's check. %2: the position used.
%macro BEGIN 3
    section .text
    align 64
    global %1:function hidden
%1:
    mov rdx, [rsi + OBJECT_ROOM]
    mov ecx, [rdx + %2]
    add rcx, rdx
    xor r8d, r8d
    lea r9, [%3]
.turn:
    movzx eax, byte [rcx]
    inc rcx
%endmacro

%macro TARGET_ADDRESS 0
    lea eax, [rax + 4 * rax]
    shl eax, 4
    add rax, r9
%endmacro

%macro END 1
    dec rdi
    jnz .turn
    sub ecx, edx
    and ecx, ORDER_LENGTH - 1
    mov [rdx + %1], ecx
    add [rsi + OBJECT_COUNTER], r8
    xor eax, eax
    ret
%endmacro

BEGIN calls_many, ORDER_AT, targets
    TARGET_ADDRESS
    call rax
END ORDER_AT

BEGIN calls_many_alike, ORDER_AT, targets_alike
    shl eax, 6
    nop                         ; as many instructions as TARGET_ADDRESS
    add rax, r9
    call rax
END ORDER_AT

BEGIN calls_many_empty, ORDER_AT_EMPTY, targets
    TARGET_ADDRESS
END ORDER_AT_EMPTY

BEGIN calls_switch_jump, ORDER_AT, switch_table
    movsxd rax, dword [r9 + rax * 4]
    add rax, r9
    jmp rax
%assign i 0
%rep CASES
.case %+ i:
    add r8, i + 1
    jmp .turned
    %assign i i + 1
%endrep
.turned:
END ORDER_AT

BEGIN calls_switch_jump_empty, ORDER_AT_EMPTY, switch_table
END ORDER_AT_EMPTY

; Functions of different length, as functions are: no two return from the same place in a line, since they begin in four
; places and one NOP of 1 to 4 bytes stands before the return. That matters: some predictors tell a path by the low
; bits of its branches' addresses alone.
    align 64
targets:
%assign i 0
%rep TARGETS
    times TARGET_APART * i - ($ - targets) int3
    add r8, i + 1
    %if i / 4 == 0
        nop
    %elif i / 4 == 1
        db 0x66, 0x90
    %elif i / 4 == 2
        nop dword [rax]
    %else
        db 0x0f, 0x1f, 0x40, 0x00
    %endif
    ret
    %assign i i + 1
%endrep

; The same, all in the same place of their lines.
    align 64
targets_alike:
%assign i 0
%rep TARGETS
    align 64
    add r8, i + 1
    nop
    ret
    %assign i i + 1
%endrep

; Distances from the table, as compilers write a switch in position-independent code.
    section .rodata
    align 4
switch_table:
%assign i 0
%rep CASES
    dd calls_switch_jump.case %+ i - $ + i * 4
    %assign i i + 1
%endrep
