; Chains of suite `truth`: each instruction waits for the one before it, through one register. Its
; initial value does not matter: the latency of none of these depends on the operands' values.
%include "bench/engine/unit.inc"

UNIT truth_add
    add eax, eax
ENDUNIT

UNIT truth_neg
    neg eax
ENDUNIT

UNIT truth_ror
    ror eax, 7
ENDUNIT

UNIT truth_lea
    lea eax, [rax + rax]
ENDUNIT

; With any flags, the result depends on the register's old value.
UNIT truth_cmov
    cmovz eax, ecx
ENDUNIT

UNIT truth_shlx
    shlx eax, eax, ecx
ENDUNIT

; Different histories (docs/window.md "The history of registers and flags").
UNIT truth_flags_by_test
    test edi, edi
ENDUNIT

UNIT truth_count_by_dec
    dec ecx
ENDUNIT

UNIT truth_count_by_add
    add ecx, 1
ENDUNIT

UNIT truth_imul
    imul eax, eax
ENDUNIT

UNIT truth_imul64
    imul rax, rax
ENDUNIT

; The object's first word points to itself (setup), so the register keeps its value.
UNIT truth_load
    mov OBJECT, [OBJECT + OBJECT_COUNTER]
ENDUNIT
