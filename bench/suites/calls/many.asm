; A call, and a switch, whose target changes in each iteration: struct calls_order (many.h) has the
; order of the targets. The empty loops do the same without the call or the jump. Each function is a
; separate section, so that a row has only what it needs.
;   int function(uint64_t n rdi, struct object *rsi)
%include "bench/engine/unit.inc"

%define ORDER_LENGTH    32768   ; many.h
%define ORDER_TAIL      2048
%define ORDER_AT        ORDER_LENGTH + ORDER_TAIL
%define ORDER_AT_EMPTY  ORDER_AT + 4
%define TARGETS         16      ; many.h
; Two cache lines for each target, so that no two share one. C does not use it: no %define.
%assign TARGET_SHIFT    7
%define CASES           8       ; many.h

; %1: the function; %2: the position that it uses, the body's or the empty loop's; %3: what r9
; points to. In an iteration rax is the next target's number; r8 is the sum of what the targets add.
%macro BEGIN 3
    section .text.%1 progbits alloc exec nowrite align=16
    global %1:function hidden
%1:
    cmp rdi, ORDER_TAIL
    ja too_many
    mov rdx, [rsi + OBJECT_ROOM]
    mov ecx, [rdx + %2]
    xor r8d, r8d
    lea r9, [%3]
.turn:
    movzx eax, byte [rdx + rcx]
    inc rcx
%endmacro

%macro END 1
    dec rdi
    jnz .turn
    and ecx, ORDER_LENGTH - 1
    mov [rdx + %1], ecx
    add [rsi + OBJECT_COUNTER], r8
    xor eax, eax
    ret
%endmacro

BEGIN calls_many, ORDER_AT, targets
    shl eax, TARGET_SHIFT
    add rax, r9
    call rax
END ORDER_AT

BEGIN calls_many_alike, ORDER_AT, targets_alike
    shl eax, TARGET_SHIFT
    add rax, r9
    call rax
END ORDER_AT

BEGIN calls_many_empty, ORDER_AT_EMPTY, targets
    shl eax, TARGET_SHIFT
    add rax, r9
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

; The order is too short for this number of calls: does none.
    section .text.calls_too_many progbits alloc exec nowrite align=16
too_many:
    mov eax, 1
    ret

; Each target has two jumps, of a length that no other target has, as functions have different
; branches. Predictors that use the branches before a call can distinguish the targets by them.
    section .text.calls_targets progbits alloc exec nowrite align=128
targets:
%assign i 0
%rep TARGETS
    align 1 << TARGET_SHIFT
    add r8, i + 1
    jmp .a %+ i
    times i int3
.a %+ i:
    jmp .b %+ i
    times 3 * i int3
.b %+ i:
    ret
    %assign i i + 1
%endrep

; Targets without jumps: only a return, at the same offset in its cache line.
    section .text.calls_targets_alike progbits alloc exec nowrite align=128
targets_alike:
%assign i 0
%rep TARGETS
    align 1 << TARGET_SHIFT
    add r8, i + 1
    ret
    %assign i i + 1
%endrep

; Distances from the table, as compilers generate for a switch in position-independent code.
    section .rodata.calls_switch_table progbits alloc noexec nowrite align=4
switch_table:
%assign i 0
%rep CASES
    dd calls_switch_jump.case %+ i - $ + i * 4
    %assign i i + 1
%endrep
